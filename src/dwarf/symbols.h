/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_SYMBOLS_H
#define BC_DWARF_SYMBOLS_H

#include "base/arena.h"
#include "dwarf/file.h"

/*
 * The functions of the ELF symbol tables, by base name: the name up to its
 * first dot. Compilers name what they made of a function NAME.isra.0,
 * NAME.constprop.0, NAME.part.0, NAME.cold; the last two are pieces, and left out.
 */
struct bc_symbol_address {
	const struct bc_dwarf_file *file; /* an address of one says nothing in another */
	uint64_t address, size_bytes;
	const char *full_name; /* the symbol's, with what is behind the dot */
	bool is_optimized;     /* .isra or .constprop: other parameters than in the source */
	bool is_weak;
};

struct bc_symbol {
	const char *name;
	/* Each once; weak ones where a linker would take them: where there is no strong one. */
	struct bc_symbol_address *addresses;
	uint32_t address_count;
	bool is_ambiguous; /* more than one would be left by a linker */
};

struct bc_symbols {
	struct bc_symbol *symbols; /* by name */
	uint32_t count;
	struct bc_symbol_entry *table; /* uthash, by name */
	struct bc_arena arena;
};

/* Collects those of COUNT files. Free with bc_symbols_free also on failure. */
bool bc_symbols_read(struct bc_symbols *symbols, const struct bc_dwarf_file *files, uint32_t count,
		     struct bc_err *err);
void bc_symbols_free(struct bc_symbols *symbols);

/*
 * The address of SYMBOL that a body at ADDRESS of FILE belongs to: the nearest
 * one at or before it, if the body begins within the symbol's size. (arm64 kernels
 * have room for patching at the symbol, which DWARF does not count.) NULL: none.
 */
const struct bc_symbol_address *bc_symbol_at(const struct bc_symbol *symbol,
					     const struct bc_dwarf_file *file, uint64_t address);

/* Number of the symbol + 1; 0: no function has that base name. Thread-safe. */
uint32_t bc_symbols_find(const struct bc_symbols *symbols, const char *name);

#endif

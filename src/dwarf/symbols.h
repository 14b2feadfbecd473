/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_SYMBOLS_H
#define BC_DWARF_SYMBOLS_H

#include "base/workers.h"
#include "dwarf/elf_symbols.h"

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
	const char *name; /* NULL: a number that no symbol has */
	/* Each once; weak ones where a linker would take them: where there is no strong one. */
	struct bc_symbol_address *addresses;
	uint32_t address_count;
	uint32_t name_bytes : 31;
	uint32_t is_ambiguous : 1; /* more than one would be left by a linker */
};

/* By a hash of their names: a hash table, and what belongs to it. */
#define BC_SYMBOL_SHARDS 64u

struct bc_symbol_shard {
	struct bc_symbol_slot *slots;
	uint32_t slot_count;
	struct bc_arena arena;
};

struct bc_symbols {
	/* By number; which symbol has which depends on the tables only. */
	struct bc_symbol *symbols;
	uint32_t count;
	uint64_t hash_seed;
	struct bc_symbol_shard shards[BC_SYMBOL_SHARDS];
	struct bc_arena arena;
};

/*
 * Collects those of the COUNT tables, which outlive SYMBOLS. Free with
 * bc_symbols_free also on failure.
 */
bool bc_symbols_read(struct bc_symbols *symbols, const struct bc_elf_symbols *tables,
		     uint32_t count, struct bc_workers *workers, struct bc_err *err);
void bc_symbols_free(struct bc_symbols *symbols);

/*
 * The address of SYMBOL that a body at ADDRESS of FILE belongs to: the nearest
 * one at or before it, if the body begins within the symbol's size. (arm64 kernels
 * have room for patching at the symbol, which DWARF does not count.) NULL: none.
 */
const struct bc_symbol_address *bc_symbol_at(const struct bc_symbol *symbol,
					     const struct bc_dwarf_file *file, uint64_t address);

/*
 * NUMBERS of the symbols of COUNT names + 1; 0: no function has that base name. Many at once, as
 * each is a few waits for memory. Thread-safe.
 */
void bc_symbols_find(const struct bc_symbols *symbols, const char *const *names, uint32_t count,
		     uint32_t *numbers);

#endif

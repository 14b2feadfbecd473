/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_ELF_SYMBOLS_H
#define BC_DWARF_ELF_SYMBOLS_H

#include "base/arena.h"
#include "base/workers.h"
#include "dwarf/file.h"

/*
 * The symbol table that libdwfl finds for a file, with addresses as DWARF has
 * them. libdwfl takes hundreds of instructions for each symbol; here it is
 * asked once per section by how much addresses are shifted, and the table is
 * read as it is. Where that is no constant, or the table is put together of
 * several, it is asked each time.
 */
struct bc_elf_symbols {
	const struct bc_dwarf_file *file;
	uint32_t count; /* number 0 is none */
	bool is_direct; /* read as it is; then several threads may */
	/* The table, its strings, and by section what to add to values. */
	void *data;
	const void *entries; /* of the table, if of 64 bits: GElf_Sym, aligned or not; else NULL */
	const char *strings;
	uint64_t string_bytes;
	uint64_t *shift;
	uint32_t section_count;
};

struct bc_elf_symbol {
	const char *name; /* lives as the file does */
	uint64_t address, size_bytes;
	uint8_t type, binding; /* STT_…, STB_… */
	uint16_t section;      /* SHN_… or a number, as in the table */
	bool is_defined;
};

/* Files of no symbols have a count of 0. Memory from ARENA. */
bool bc_elf_symbols_open(struct bc_elf_symbols *symbols, const struct bc_dwarf_file *file,
			 struct bc_arena *arena, struct bc_err *err);

/* Symbol NUMBER, in range; false: it has no name that makes sense. */
bool bc_elf_symbols_get(const struct bc_elf_symbols *symbols, uint32_t number,
			struct bc_elf_symbol *symbol);

/*
 * Numbers of those that pass TEST, in order, *COUNT of them: an array of ARENA. TEST is
 * called by several threads; CONTEXT is its own.
 */
bool bc_elf_symbols_select(uint32_t **numbers, uint32_t *count,
			   const struct bc_elf_symbols *symbols,
			   bool (*test)(const void *context, const struct bc_elf_symbol *symbol),
			   const void *context, struct bc_workers *workers, struct bc_arena *arena,
			   struct bc_err *err);

#endif

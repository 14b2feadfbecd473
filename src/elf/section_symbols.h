/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_ELF_SECTION_SYMBOLS_H
#define BC_ELF_SECTION_SYMBOLS_H

#include "elf/table.h"

/* A symbol and the byte of its section that it is at. */
struct bc_section_symbol {
	const char *name;
	uint64_t offset;
};

struct bc_section_symbols {
	struct bc_section_symbol *items;
	uint32_t count;
};

/*
 * Lists the symbols of section INDEX whose names begin with PREFIX, in the order
 * of the symbol table; a file without one has none. The names are TABLE's,
 * the rest lives in ARENA.
 */
bool bc_symbols_of_section(struct bc_section_symbols *symbols, const struct bc_elf_table *table,
			   size_t index, const char *prefix, struct bc_arena *arena,
			   struct bc_err *err);

#endif

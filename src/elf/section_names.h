/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_ELF_SECTION_NAMES_H
#define BC_ELF_SECTION_NAMES_H

#include "elf/table.h"

/* Longer ones nobody looks for: it bounds what a look-up compares. */
#define BC_ELF_NAME_MAX 4096u

struct bc_elf_named {
	const char *name;
	uint32_t index;
};

/* The sections of a table in the order of their names, for who looks for many of them. */
struct bc_elf_section_names {
	struct bc_elf_named *sorted;
	uint32_t count;
};

/* Arrays from ARENA; names are those of TABLE, which must stay open. */
bool bc_elf_section_names_make(struct bc_elf_section_names *names, const struct bc_elf_table *table,
			       struct bc_arena *arena, struct bc_err *err);

/* As bc_elf_table_find, which looks at all sections for one. A NAME of over BC_ELF_NAME_MAX is an error. */
bool bc_elf_section_names_find(const struct bc_elf_section_names *names, const char *name,
			       size_t *index, struct bc_err *err);

#endif

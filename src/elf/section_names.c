/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "elf/section_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"

static int compare_names(const char *a, const char *b)
{
	return a == b ? 0 : strncmp(a, b, BC_ELF_NAME_MAX + 1);
}

static int compare_named(const void *a, const void *b)
{
	const struct bc_elf_named *one = a, *other = b;
	int difference = compare_names(one->name, other->name);

	return difference ? difference : (one->index > other->index) - (one->index < other->index);
}

bool bc_elf_section_names_make(struct bc_elf_section_names *names, const struct bc_elf_table *table,
			       struct bc_arena *arena, struct bc_err *err)
{
	*names = (struct bc_elf_section_names){
		.sorted = bc_arena_alloc(arena, table->count, sizeof(*names->sorted), err),
	};
	if (!names->sorted)
		return false;
	for (size_t i = 1; i < table->count; i++) {
		struct bc_elf_named *named = &names->sorted[names->count];
		Elf64_Shdr header;

		named->index = (uint32_t)i;
		if (!bc_elf_table_get(table, i, &header, &named->name, err))
			return false;
		names->count += header.sh_type != SHT_NULL;
	}
	qsort(names->sorted, names->count, sizeof(*names->sorted), compare_named);
	return true;
}

bool bc_elf_section_names_find(const struct bc_elf_section_names *names, const char *name,
			       size_t *index, struct bc_err *err)
{
	struct bc_search search = bc_search_among(names->count);
	const struct bc_elf_named *found;

	*index = 0;
	if (strnlen(name, BC_ELF_NAME_MAX + 1) > BC_ELF_NAME_MAX)
		return bc_err_set(err, "section %.80s...: a name of over %u bytes", name,
				  BC_ELF_NAME_MAX);
	while (bc_search_goes_on(&search))
		bc_search_step(&search, compare_names(names->sorted[search.middle].name, name) < 0);
	if (search.low == names->count)
		return true;
	found = &names->sorted[search.low];
	if (compare_names(found->name, name) != 0)
		return true;
	*index = found->index;
	return search.low + 1 == names->count || compare_names(found[1].name, name) != 0 ||
	       bc_err_set(err, "%s: there are two of it", name);
}

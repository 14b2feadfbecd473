/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "elf/relocations.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	uint64_t offset;
	uint64_t old_offset;
	uint64_t index;
};

static int compare_entries(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;

	if (left->offset != right->offset)
		return left->offset < right->offset ? -1 : 1;
	return (left->index > right->index) - (left->index < right->index);
}

static bool move_entries(struct entry *moved, const uint8_t *entries, uint64_t count,
			 size_t entry_bytes, const struct bc_elf_table *table, bc_elf_mover move,
			 const void *context, struct bc_err *err)
{
	for (uint64_t i = 0; i < count; i++) {
		struct entry *entry = &moved[i];

		/* First in all four structs, in the size of an address. */
		entry->old_offset = BC_ELF_FIELD(table, entries + i * entry_bytes, Rel, r_offset);
		entry->offset = entry->old_offset;
		entry->index = i;
		if (!move(context, &entry->offset, err))
			return false;
	}
	if (count)
		qsort(moved, count, sizeof(*moved), compare_entries);
	for (uint64_t i = 1; i < count; i++)
		if (moved[i].offset == moved[i - 1].offset &&
		    moved[i].old_offset != moved[i - 1].old_offset)
			return bc_err_set(err,
					  "relocations at bytes %" PRIu64 " and %" PRIu64
					  " would lie at one place",
					  moved[i - 1].old_offset, moved[i].old_offset);
	return true;
}

static size_t size_of_entry(const Elf64_Shdr *header, const struct bc_elf_table *table)
{
	if (header->sh_type == SHT_REL)
		return table->is_64 ? sizeof(Elf64_Rel) : sizeof(Elf32_Rel);
	return table->is_64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);
}

bool bc_elf_move_relocations(uint8_t *entries, const Elf64_Shdr *header,
			     const struct bc_elf_table *table, bc_elf_mover move,
			     const void *context, struct bc_arena *arena, struct bc_err *err)
{
	size_t entry_bytes = size_of_entry(header, table);
	uint64_t count = header->sh_size / entry_bytes;
	struct entry *moved = bc_arena_alloc(arena, count, sizeof(*moved), err);
	uint8_t *before = bc_arena_alloc(arena, header->sh_size, 1, err);

	if (!moved || !before)
		return false;
	if (header->sh_size % entry_bytes)
		return bc_err_set(err, "%" PRIu64 " bytes of relocations of %zu bytes each",
				  header->sh_size, entry_bytes);
	if (!move_entries(moved, entries, count, entry_bytes, table, move, context, err))
		return false;
	memcpy(before, entries, header->sh_size);
	for (uint64_t i = 0; i < count; i++) {
		uint8_t *entry = entries + i * entry_bytes;

		memcpy(entry, before + moved[i].index * entry_bytes, entry_bytes);
		bc_elf_store_number(entry, table->is_64 ? 8 : 4, table->big_endian,
				    moved[i].offset);
	}
	return true;
}

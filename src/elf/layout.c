/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "elf/layout.h"

#include <stdlib.h>

/* The parts so far, while they are laid out. */
struct cursor {
	struct bc_elf_layout *layout;
	uint64_t end_bytes; /* of all that has its place */
	bool moves;         /* something was laid out anew, so that all that follows is */
};

static int compare_places(const void *a, const void *b)
{
	const struct bc_elf_part *left = *(struct bc_elf_part *const *)a;
	const struct bc_elf_part *right = *(struct bc_elf_part *const *)b;

	if (left->offset != right->offset)
		return left->offset < right->offset ? -1 : 1;
	return (left > right) - (left < right);
}

static bool place(struct cursor *cursor, struct bc_elf_part *part, struct bc_err *err)
{
	uint64_t gap = (part->align - cursor->end_bytes % part->align) % part->align;
	uint64_t begin;
	uint64_t end;

	if (!cursor->moves)
		cursor->layout->kept_bytes = cursor->end_bytes;
	if (__builtin_add_overflow(cursor->end_bytes, gap, &begin) ||
	    __builtin_add_overflow(begin, part->new_size_bytes, &end) || end > INT64_MAX)
		return bc_err_set(err, "a section aligned to %ju bytes fits no file any more",
				  (uintmax_t)part->align);
	part->new_offset = begin;
	cursor->end_bytes = end;
	cursor->moves = true;
	return true;
}

/* A part above the floor. */
static bool place_next(struct cursor *cursor, struct bc_elf_part *part, struct bc_err *err)
{
	uint64_t end_bytes = part->offset + part->size_bytes;

	if (cursor->moves)
		return place(cursor, part, err);
	if (part->new_size_bytes == part->size_bytes) {
		if (end_bytes > cursor->end_bytes)
			cursor->end_bytes = end_bytes;
		return true;
	}
	/* The first to change begins where it did, unless parts overlap. */
	if (part->offset < cursor->end_bytes)
		return place(cursor, part, err);
	cursor->layout->kept_bytes = part->offset;
	cursor->end_bytes = part->offset + part->new_size_bytes;
	cursor->moves = true;
	return true;
}

/* Whether the table of section headers, placed last, is where it can stay. */
static bool is_table_kept(const struct cursor *cursor)
{
	const struct bc_elf_part *table = cursor->layout->parts;

	if (table->new_size_bytes != table->size_bytes)
		return false;
	return !cursor->moves || table->offset + table->size_bytes <= cursor->layout->kept_bytes;
}

static bool place_all(struct cursor *cursor, struct bc_elf_part **above, size_t above_count,
		      struct bc_err *err)
{
	struct bc_elf_layout *layout = cursor->layout;

	for (size_t i = 0; i < above_count; i++)
		if (!place_next(cursor, above[i], err))
			return false;
	for (size_t i = 1; i < layout->count; i++) {
		struct bc_elf_part *part = &layout->parts[i];

		if ((part->offset < layout->floor_bytes || !part->size_bytes) &&
		    part->new_size_bytes > part->size_bytes && !place(cursor, part, err))
			return false;
	}
	return is_table_kept(cursor) || place(cursor, &layout->parts[0], err);
}

bool bc_elf_lay_out(struct bc_elf_layout *layout, struct bc_arena *arena, struct bc_err *err)
{
	struct cursor cursor = { .layout = layout, .end_bytes = layout->floor_bytes };
	struct bc_elf_part **above = bc_arena_alloc(arena, layout->count,
						    sizeof(struct bc_elf_part *), err);
	size_t above_count = 0;

	if (!above)
		return false;
	for (size_t i = 0; i < layout->count; i++) {
		struct bc_elf_part *part = &layout->parts[i];

		part->new_offset = part->offset;
		if (!i || !part->size_bytes)
			continue;
		if (part->offset >= layout->floor_bytes)
			above[above_count++] = part;
		/* One that begins below the floor stays, all of it. */
		else if (part->offset + part->size_bytes > cursor.end_bytes)
			cursor.end_bytes = part->offset + part->size_bytes;
	}
	qsort(above, above_count, sizeof(*above), compare_places);
	if (!place_all(&cursor, above, above_count, err))
		return false;
	if (!cursor.moves)
		layout->kept_bytes = layout->file_bytes;
	layout->new_file_bytes = cursor.moves ? cursor.end_bytes : layout->file_bytes;
	return true;
}

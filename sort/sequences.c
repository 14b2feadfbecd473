/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "sort/sequences.h"

#include <string.h>

bool bc_sequence_sorter_make(struct bc_sequence_sorter *sorter, uint32_t count,
			     struct bc_arena *arena, struct bc_err *err)
{
	sorter->keyed = bc_arena_alloc(arena, count, sizeof(*sorter->keyed), err);
	sorter->spare = bc_arena_alloc(arena, count, sizeof(*sorter->spare), err);
	/* Ranges on the stack are disjoint and hold two items at least. */
	sorter->stack = bc_arena_alloc(arena, count / 2 + 1, sizeof(*sorter->stack), err);
	return sorter->keyed && sorter->spare && sorter->stack;
}

void bc_sort_sequences(struct bc_sequence_sorter *sorter, uint32_t *items, uint8_t *first,
		       uint32_t count, uint32_t length, bc_sequence_value value,
		       const void *context)
{
	struct bc_keyed *keyed = sorter->keyed;
	uint32_t pending = 0;

	memset(first, 0, count);
	first[0] = 1;
	if (count > 1 && length)
		sorter->stack[pending++] = (struct bc_sequence_range){ 0, count, 0 };
	while (pending) {
		struct bc_sequence_range range = sorter->stack[--pending];
		uint32_t size = range.end - range.begin;
		uint32_t begin, i;

		for (i = 0; i < size; i++) {
			uint32_t item = items[range.begin + i];
			uint64_t key = (uint64_t)value(context, item, range.depth) << 32;

			if (range.depth + 1 < length)
				key |= value(context, item, range.depth + 1);
			keyed[i] = (struct bc_keyed){ key, item };
		}
		bc_sort_keyed(keyed, sorter->spare, size);
		for (begin = 0; begin < size; begin = i) {
			for (i = begin; i < size && keyed[i].key == keyed[begin].key; i++)
				items[range.begin + i] = keyed[i].value;
			first[range.begin + begin] |= begin > 0;
			if (i - begin > 1 && length - range.depth > 2)
				sorter->stack[pending++] = (struct bc_sequence_range){
					range.begin + begin, range.begin + i, range.depth + 2
				};
		}
	}
}

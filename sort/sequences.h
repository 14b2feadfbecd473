/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_SORT_SEQUENCES_H
#define BC_SORT_SEQUENCES_H

#include "base/arena.h"
#include "base/order.h"

/* Number J of the sequence that describes ITEM. */
typedef uint32_t (*bc_sequence_value)(const void *context, uint32_t item, uint32_t j);

/*
 * Sorts items by sequences of numbers, all of one length, two numbers at a
 * time, going on only where items still agree: time is linear in the numbers
 * looked at, up to the cost of sorting 64-bit keys.
 */
struct bc_sequence_range {
	uint32_t begin, end;
	uint32_t depth; /* numbers that agree */
};

struct bc_sequence_sorter {
	struct bc_keyed *keyed, *spare;
	struct bc_sequence_range *stack;
};

/* Room for COUNT items, from ARENA. */
bool bc_sequence_sorter_make(struct bc_sequence_sorter *sorter, uint32_t count,
			     struct bc_arena *arena, struct bc_err *err);

/* A sorter for some of those items, number BEGIN the first: parts that are apart can be used at once. */
static inline struct bc_sequence_sorter
bc_sequence_sorter_part(const struct bc_sequence_sorter *sorter, uint32_t begin)
{
	return (struct bc_sequence_sorter){ sorter->keyed + begin, sorter->spare + begin,
					    sorter->stack + begin / 2 };
}

/*
 * Puts ITEMS in order and sets FIRST[i] to 1 where an item differs from the
 * one before it (FIRST[0] is always 1), else to 0.
 */
void bc_sort_sequences(struct bc_sequence_sorter *sorter, uint32_t *items, uint8_t *first,
		       uint32_t count, uint32_t length, bc_sequence_value value,
		       const void *context);

#endif

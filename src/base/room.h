/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_ROOM_H
#define BC_BASE_ROOM_H

#include "base/arena.h"
#include "base/order.h"

#include <stdlib.h>

/*
 * realloc of COUNT items; NULL also where that is more than a size_t can say, as it may be where
 * addresses have 32 bits.
 */
static inline void *bc_realloc(void *memory, uint64_t count, size_t item_bytes)
{
	size_t bytes;

	return __builtin_mul_overflow(count, item_bytes, &bytes) ? NULL : realloc(memory, bytes);
}

/*
 * COUNT zeroed items of malloc, for what is read before it is written: of calloc's fresh pages each
 * would be a fault to read, and one more to write, which stops all threads for a moment.
 */
void *bc_zeroed(uint64_t count, size_t item_bytes);

/* What bc_make_room does where the room is not there yet. */
bool bc_grow_room(void *array, uint32_t *limit, uint64_t wanted, size_t item_bytes,
		  struct bc_err *err);

/*
 * Makes room for WANTED items in *ARRAY (of malloc, or NULL with *LIMIT 0),
 * doubling; new items are not cleared. ARRAY is the address of the pointer.
 * Without memory nothing changes.
 */
static inline bool bc_make_room(void *array, uint32_t *limit, uint64_t wanted, size_t item_bytes,
				struct bc_err *err)
{
	return wanted <= *limit || bc_grow_room(array, limit, wanted, item_bytes, err);
}

/* Room for one more than the COUNT items there are, in ARENA, where the old array stays, too. */
bool bc_make_arena_room(struct bc_arena *arena, void *array, uint32_t *limit, uint32_t count,
			size_t item_bytes, struct bc_err *err);

/* bc_make_room for items to be sorted by bc_sort_keyed, and the room that takes: of both *LIMIT. */
bool bc_make_keyed_room(struct bc_keyed **items, struct bc_keyed **spare, uint32_t *limit,
			uint64_t wanted, struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_MERGE_NUMBER_MAP_H
#define BC_MERGE_NUMBER_MAP_H

#include <stdlib.h>
#include <string.h>

#include "base/room.h"

/*
 * From offsets in a unit to numbers that grow with them, by one, from 1 on: half
 * as large as an array of numbers, as each counts from where its block
 * of offsets begins. Of the largest unit it would be most of what a thread has.
 */
#define BC_NUMBER_BLOCK 32768u

struct bc_number_map {
	uint16_t *numbers; /* less what is before the block; 0: none */
	uint32_t *before;  /* by block */
	uint32_t limit, block_limit;
};

/* Makes room for offsets below SIZE, of which none has a number then. */
static inline bool bc_number_map_make(struct bc_number_map *map, uint32_t size, struct bc_err *err)
{
	uint32_t had;

	/* Pages that no unit needs are never written to. */
	if (!map->numbers) {
		map->numbers = calloc(size, sizeof(*map->numbers));
		if (!map->numbers)
			return bc_err_memory(err, (uint64_t)size * sizeof(*map->numbers));
		map->limit = size;
	}
	had = map->limit;
	if (!bc_make_room(&map->numbers, &map->limit, size, sizeof(*map->numbers), err) ||
	    !bc_make_room(&map->before, &map->block_limit, size / BC_NUMBER_BLOCK + 1,
			  sizeof(*map->before), err))
		return false;
	memset(map->numbers + had, 0, (map->limit - had) * sizeof(*map->numbers));
	memset(map->before, 0xff, (size / BC_NUMBER_BLOCK + 1) * sizeof(*map->before));
	return true;
}

static inline void bc_number_map_free(struct bc_number_map *map)
{
	free(map->numbers);
	free(map->before);
}

/* OFFSET is behind all that have a number, and NUMBER the next one. */
static inline void bc_number_map_add(struct bc_number_map *map, uint32_t offset, uint32_t number)
{
	uint32_t *before = &map->before[offset / BC_NUMBER_BLOCK];

	if (*before == UINT32_MAX)
		*before = number - 1;
	map->numbers[offset] = (uint16_t)(number - *before);
}

/* The number at OFFSET, 0: it has none. */
static inline uint32_t bc_number_map_find(const struct bc_number_map *map, uint32_t offset)
{
	uint32_t number = map->numbers[offset];

	return number ? number + map->before[offset / BC_NUMBER_BLOCK] : 0;
}

/* OFFSET has no number any more. */
static inline void bc_number_map_forget(struct bc_number_map *map, uint32_t offset)
{
	map->numbers[offset] = 0;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "base/room.h"

#include <string.h>

bool bc_grow_room(void *array, uint32_t *limit, uint64_t wanted, size_t item_bytes,
		  struct bc_err *err)
{
	uint64_t items = *limit ? *limit : 256;
	void **items_at = array;
	void *grown;

	while (items < wanted)
		items *= 2;
	if (items > UINT32_MAX)
		items = UINT32_MAX;
	grown = wanted > items ? NULL : bc_realloc(*items_at, items, item_bytes);
	if (!grown)
		return bc_err_memory(err, (wanted > items ? wanted : items) * item_bytes);
	*items_at = grown;
	*limit = (uint32_t)items;
	return true;
}

bool bc_make_arena_room(struct bc_arena *arena, void *array, uint32_t *limit, uint32_t count,
			size_t item_bytes, struct bc_err *err)
{
	uint64_t items = *limit ? 2 * (uint64_t)*limit : 64;
	void **items_at = array;
	void *grown;

	if (count < *limit)
		return true;
	if (items > UINT32_MAX)
		return bc_err_memory(err, items * item_bytes);
	grown = bc_arena_alloc(arena, items, item_bytes, err);
	if (!grown)
		return false;
	if (count)
		memcpy(grown, *items_at, count * item_bytes);
	*items_at = grown;
	*limit = (uint32_t)items;
	return true;
}

bool bc_make_keyed_room(struct bc_keyed **items, struct bc_keyed **spare, uint32_t *limit,
			uint64_t wanted, struct bc_err *err)
{
	uint32_t before = *limit;

	return bc_make_room(spare, &before, wanted, sizeof(**spare), err) &&
	       bc_make_room(items, limit, wanted, sizeof(**items), err);
}

void *bc_zeroed(uint64_t count, size_t item_bytes)
{
	void *memory = bc_realloc(NULL, count, item_bytes);

	/* A compiler would make it calloc. */
	__asm__("" : "+r"(memory));
	if (memory)
		memset(memory, 0, (size_t)count * item_bytes);
	return memory; /* NOLINT(clang-analyzer-unix.Malloc): it is the caller's */
}

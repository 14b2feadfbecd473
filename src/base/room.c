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
	grown = items > UINT32_MAX ? NULL : bc_realloc(*items_at, items, item_bytes);
	if (!grown)
		return bc_err_memory(err, items * item_bytes);
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
	return memory;
}

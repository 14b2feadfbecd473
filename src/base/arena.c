/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"

#define FIRST_BLOCK_BYTES ((size_t)4 * 1024)
#define SMALL_BLOCK_BYTES ((size_t)64 * 1024)
#define SPARSE_BLOCK_BYTES ((size_t)1024 * 1024)

struct bc_arena_block {
	struct bc_arena_block *next;
	size_t capacity_bytes; /* of data; 0: a block of one large item */
	alignas(16) char data[];
};

static void *add_block(struct bc_arena *arena, size_t capacity_bytes, bool shared, bool clear,
		       struct bc_err *err)
{
	size_t total = sizeof(struct bc_arena_block) + capacity_bytes;
	struct bc_arena_block *block;

	/* Of a very large block not all may be needed; others are written to (bc_zeroed says why). */
	block = total < capacity_bytes     ? NULL :
		!clear                     ? malloc(total) :
		total > SPARSE_BLOCK_BYTES ? calloc(1, total) :
					     bc_zeroed(total, 1);
	if (!block) {
		bc_err_memory(err, capacity_bytes);
		return NULL;
	}
	block->capacity_bytes = shared ? capacity_bytes : 0;
	if (shared || !arena->blocks) {
		block->next = arena->blocks;
		arena->blocks = block;
	} else { /* keep the open small block in front */
		block->next = arena->blocks->next;
		arena->blocks->next = block;
	}
	return block->data;
}

/* Of the next block for small items: many arenas get few of them. */
static size_t next_capacity(const struct bc_arena *arena, size_t total)
{
	size_t last = arena->blocks ? arena->blocks->capacity_bytes : 0;
	size_t capacity = last ? 4 * last : FIRST_BLOCK_BYTES;

	return capacity > SMALL_BLOCK_BYTES || capacity < total ? SMALL_BLOCK_BYTES : capacity;
}

static void *allocate(struct bc_arena *arena, uint64_t count, size_t size_bytes, bool clear,
		      struct bc_err *err)
{
	size_t total;
	char *data;

	if (__builtin_mul_overflow(count, size_bytes, &total) || total > SIZE_MAX - 15) {
		bc_err_memory(err, SIZE_MAX);
		return NULL;
	}
	total = (total + 15) & ~(size_t)15;
	if (total > SMALL_BLOCK_BYTES / 4)
		return add_block(arena, total, false, clear, err);
	if (!arena->blocks || arena->blocks->capacity_bytes - arena->used < total ||
	    !arena->blocks->capacity_bytes) {
		if (!add_block(arena, next_capacity(arena, total), true, false, err))
			return NULL;
		arena->used = 0;
	}
	data = arena->blocks->data + arena->used;
	arena->used += total;
	if (clear)
		memset(data, 0, total);
	return data;
}

void *bc_arena_alloc(struct bc_arena *arena, uint64_t count, size_t size_bytes, struct bc_err *err)
{
	return allocate(arena, count, size_bytes, false, err);
}

void *bc_arena_zalloc(struct bc_arena *arena, uint64_t count, size_t size_bytes, struct bc_err *err)
{
	return allocate(arena, count, size_bytes, true, err);
}

void bc_arena_free(struct bc_arena *arena)
{
	while (arena->blocks) {
		struct bc_arena_block *block = arena->blocks;

		arena->blocks = block->next;
		free(block);
	}
	arena->used = 0;
}

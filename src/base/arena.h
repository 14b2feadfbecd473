/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_ARENA_H
#define BC_BASE_ARENA_H

#include <stddef.h>

#include "base/err.h"

/*
 * Memory that lives and dies together. A zeroed arena is empty and valid.
 * Not shared between threads.
 */
struct bc_arena {
	struct bc_arena_block *blocks; /* newest first */
	size_t used;                   /* bytes used of the newest small block */
};

/*
 * COUNT items of SIZE_BYTES each, aligned to 16, not cleared. The product is
 * checked. NULL with err set when memory is short; an empty request gives a
 * valid pointer.
 */
void *bc_arena_alloc(struct bc_arena *arena, uint64_t count, size_t size_bytes, struct bc_err *err);

/* The same, cleared. */
void *bc_arena_zalloc(struct bc_arena *arena, uint64_t count, size_t size_bytes,
		      struct bc_err *err);

/* Frees everything; the arena is empty and usable again. */
void bc_arena_free(struct bc_arena *arena);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_COMPARE_ALIKE_H
#define BC_COMPARE_ALIKE_H

#include "compare/side.h"

/*
 * Whether a type of the old side and one of the new say the same. Named types
 * are told apart by name (and by whom they pair with, where a name has several
 * definitions), unnamed ones by all that they say, however deep.
 */
struct bc_alike {
	const struct bc_side *sides; /* [2] */
	uint32_t *parent;            /* union-find: old ids, then new ids */
	uint32_t *weight;
	uint32_t *undo; /* roots that the running question put under another */
	uint32_t undo_count;
	struct bc_alike_pair *different; /* some that were answered "no", by hash */
	struct bc_alike_pair *stack;
	size_t depth;
	uint32_t limit;
	uint64_t steps_left;
	struct bc_err *err;
};

/*
 * SIDES (paired, see pair.h) must outlive it. Arrays live in ARENA, but for a
 * stack that bc_alike_close frees. ERR is kept for later calls.
 */
bool bc_alike_open(struct bc_alike *alike, const struct bc_side *sides, struct bc_arena *arena,
		   struct bc_err *err);
void bc_alike_close(struct bc_alike *alike);

/* References to OLD_ID and to NEW_ID. Fails when memory is short, or on types nested absurdly. */
bool bc_alike_references(struct bc_alike *alike, uint32_t old_id, uint32_t new_id, bool *same);

/* What OLD_ID and NEW_ID (neither 0) say themselves, tags and sections included, names not. */
bool bc_alike_bodies(struct bc_alike *alike, uint32_t old_id, uint32_t new_id, bool *same);

#endif

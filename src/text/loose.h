/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_LOOSE_H
#define BC_TEXT_LOOSE_H

#include "base/arena.h"
#include "graph/graph.h"

/*
 * Own unnamed types that no named type leads to, and that a text has to show
 * for themselves: of those that lead to each other, the lowest; none that
 * another of the list leads to. Tags are no types here.
 */
struct bc_loose {
	uint32_t *bodies; /* structs, unions and enums, by id */
	uint32_t body_count;
	uint32_t *others; /* of what is not part of one of these, by id */
	uint32_t other_count;
};

/* Arrays live in ARENA. */
bool bc_loose_find(struct bc_loose *loose, const struct bc_graph *graph, struct bc_arena *arena,
		   struct bc_err *err);

#endif

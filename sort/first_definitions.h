/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_SORT_FIRST_DEFINITIONS_H
#define BC_SORT_FIRST_DEFINITIONS_H

#include "base/arena.h"
#include "graph/graph.h"

/*
 * Of several types of one kind and name a look-up by name takes the lowest
 * id. Lists where that is another type after renumbering: old ids of the type
 * found before and of the one found now.
 */
struct bc_first_definition {
	uint32_t before;
	uint32_t now;
};

/*
 * BEFORE with NEW_ID [type_count] gave another graph. The list, by old id, comes
 * from ARENA.
 */
bool bc_first_definitions_changed(struct bc_first_definition **list, uint32_t *count,
				  const struct bc_graph *before, const uint32_t *new_id,
				  struct bc_arena *arena, struct bc_err *err);

#endif

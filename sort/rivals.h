/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_SORT_RIVALS_H
#define BC_SORT_RIVALS_H

#include "sort/partition.h"

/*
 * Own types of a split BTF, and what of its base may be the same, in a graph of
 * their own that can be put in order: a base is large, and a module has little of it.
 */
struct bc_rivals {
	struct bc_universe universe;
	uint32_t *number; /* by id: in that graph; NULL: it is the same graph */
};

/* What stands there for all of the base that no own type is the same as. */
#define BC_RIVAL_OTHER 1u

/* The id in that graph; 0: it is not there. */
static inline uint32_t bc_rival_number(const struct bc_rivals *rivals, uint32_t id)
{
	if (!rivals->number)
		return id;
	return rivals->number[id] == BC_RIVAL_OTHER ? 0 : rivals->number[id];
}

/* Whether own types name types of the base, as they do unless an encoder just made them. */
bool bc_refers_to_base(const struct bc_graph *graph);

/*
 * MATCHING, by id: what own types stand for. If they stand for a type of the
 * base that is among the rivals, too. RANKS are those of GRAPH. MATCHING and GRAPH must
 * outlive RIVALS, all other memory comes from ARENA.
 */
bool bc_rivals_make(struct bc_rivals *rivals, const struct bc_graph *graph,
		    const uint32_t *matching, const struct bc_string_ranks *ranks,
		    struct bc_arena *arena, struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_MERGE_CENSUS_H
#define BC_MERGE_CENSUS_H

#include "merge/intern.h"

/*
 * All interned nodes, numbered, and what disagreement reaches.
 *
 * A tag with several bodies is a conflict: what it means depends on the unit.
 * So does every node from which a conflict can be reached, through bodies of
 * other tags too: it is *tainted*. All others mean one thing everywhere.
 * Numbers (1 the first) are in bc_interned_mark.
 */
struct bc_census {
	const struct bc_interner *interner;
	uint32_t node_count;
	uint32_t *node;      /* [node_count + 1] id by number */
	uint32_t *only_in;   /* by number: 1 + the one unit that has it; BC_SEVERAL_UNITS */
	uint8_t *tainted;    /* by number */
	uint8_t *conflicted; /* by number, of leaves */
	uint32_t conflict_count, tainted_count;
	struct bc_extra_body *extra; /* by leaf, then body; none of them a leaf's first */
	uint32_t extra_count;
};

/*
 * When no thread adds nodes: freezes the interner and takes its marks for
 * numbers. BEFORE is the census taken last (NULL: none); nodes that came since count
 * as those of several units. Memory from ARENA.
 */
bool bc_census_take(struct bc_census *census, struct bc_interner *interner,
		    const struct bc_census *before, struct bc_arena *arena, struct bc_err *err);

/* *HOLDS: no node came since it was taken, and no body. */
bool bc_census_still_holds(const struct bc_census *census, bool *holds, struct bc_err *err);

static inline uint32_t bc_census_number(const struct bc_census *census, uint32_t id)
{
	return *bc_interned_mark(census->interner, id);
}

#endif

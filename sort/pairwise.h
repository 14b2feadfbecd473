/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_SORT_PAIRWISE_H
#define BC_SORT_PAIRWISE_H

#include "sort/partition.h"

/*
 * The canonical order of two types without that of all others: what they reach
 * is compared in pairs, level by level, each pair once. That costs nothing
 * beside a partition where two types differ soon, and may cost much where
 * they do not; so all comparisons together have a budget.
 */
struct bc_pairwise {
	const struct bc_universe *universe;
	uint64_t words_left;            /* that may be looked at */
	struct bc_pairwise_pair *pairs; /* in the order in which they are met */
	uint32_t pair_count;
	uint32_t *slots; /* hash table: number of the pair + 1 */
	bool knows_tags; /* whether HAS_TAGS has been found out */
	bool has_tags;   /* something is said about types that only the whole order knows */
};

/* UNIVERSE has no base, and all its strings are ranked in order. Memory from ARENA. */
bool bc_pairwise_begin(struct bc_pairwise *pairwise, const struct bc_universe *universe,
		       struct bc_arena *arena, struct bc_err *err);

/*
 * Whether it can be said: then *ORDER is below 0, 0 or above 0 as class_start
 * of a partition would be. A and B are ids of types that are not left out, and neither
 * functions, variables, sections nor tags.
 */
bool bc_pairwise_compare(struct bc_pairwise *pairwise, uint32_t a, uint32_t b, int *order);

#endif

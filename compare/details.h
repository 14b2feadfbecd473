/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_COMPARE_DETAILS_H
#define BC_COMPARE_DETAILS_H

#include "compare/alike.h"
#include "compare/difference.h"

/* The details of one pair of types, as they are found. */
struct bc_details {
	const struct bc_side *sides;
	struct bc_alike *alike;
	struct bc_detail *items; /* of all pairs; malloc */
	uint32_t count, limit;
	struct bc_arena *arena;  /* names that are paths */
	struct bc_arena scratch; /* emptied after each pair */
	uint64_t spent;          /* bytes, on members and paths through unnamed types */
	struct bc_err *err;
};

/* Room for one more detail, cleared; NULL when memory is short. */
struct bc_detail *bc_details_add(struct bc_details *details, enum bc_part part,
				 enum bc_change change);

/*
 * Counts BYTES of what unnamed types in each other can grow to; fails when all
 * of it is more than any BTF needs.
 */
bool bc_details_spend(struct bc_details *details, uint64_t bytes);

/* Appends what the parts of two types that are not alike differ in, see details.c. */
bool bc_details_find(struct bc_details *details, uint32_t old_id, uint32_t new_id);

/* Of members, whichever struct or union: members.c. */
bool bc_details_of_members(struct bc_details *details, uint32_t old_id, uint32_t new_id);

/*
 * Of members of the unnamed struct or union that both types lead to, by the
 * same pointers, arrays and modifiers. *OPENED is false when they do not.
 */
bool bc_details_behind(struct bc_details *details, uint32_t old_id, uint32_t new_id, bool *opened);

/*
 * Matches two lists of names: equal names in order of place, so that what
 * repeats is matched one by one. MATCH[0][i] becomes the place in the new list
 * of old name i, MATCH[1] the reverse; BC_NO_MATCH: none.
 */
#define BC_NO_MATCH UINT32_MAX

struct bc_name_list {
	const char **names;
	uint32_t count;
};

bool bc_match_names(const struct bc_name_list lists[2], uint32_t *match[2],
		    struct bc_arena *scratch, struct bc_err *err);

#endif

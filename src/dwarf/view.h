/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_VIEW_H
#define BC_DWARF_VIEW_H

#include "merge/assemble.h"

/*
 * What a reference means to the unit that has it. Where units disagree on a
 * tag, each sees it in its own way; all others see it plainly.
 */
struct bc_views {
	const struct bc_census *census;
	const uint8_t *has_plain; /* by number */
	struct bc_view *views;    /* by unit */
	uint32_t count;
};

/* PLAIN and MEANINGS as bc_assemble takes them; both outlive VIEWS. Memory from ARENA. */
bool bc_views_make(struct bc_views *views, const struct bc_census *census, const uint8_t *plain,
		   const struct bc_meaning *meanings, uint32_t count, struct bc_arena *arena,
		   struct bc_err *err);

/* How UNIT sees conflicted tags: one pointer for all that see them alike; NULL: plainly. */
const struct bc_meaning *bc_views_find(const struct bc_views *views, uint32_t unit);

/* The words of a node; of void and of the index type: an empty head. */
const uint32_t *bc_views_node(const struct bc_views *views, uint32_t id);

/*
 * The body of leaf ID as far as it will be written there; else the leaf remains. Others are what
 * they are. *PLAIN: whether what was referred to is seen plainly, and so all below.
 */
uint32_t bc_views_resolve(const struct bc_views *views, const struct bc_meaning *meaning,
			  uint32_t id, bool *plain);

#endif

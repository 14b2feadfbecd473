/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_GRAPH_TAGS_H
#define BC_GRAPH_TAGS_H

#include "base/arena.h"
#include "graph/graph.h"

/*
 * DECL_TAGs by what they tag. A tag of a split BTF on a type of its base says
 * nothing about the base, so it is kept apart.
 */
struct bc_tags {
	const struct bc_graph *graph;
	uint32_t *own; /* tags on types of their own BTF, the whole chain, by target, component
			  * (the whole type first), what they say */
	uint32_t own_count;
	uint32_t *across; /* tags of GRAPH on types of its base, in the same order */
	uint32_t across_count;
	uint8_t *is_tagged; /* by id, a bit each: something of its own BTF tags it */
};

/* Tags FIRST to END - 1 of a list. */
struct bc_tag_range {
	uint32_t first;
	uint32_t end;
};

/* Arrays live in ARENA. */
bool bc_tags_make(struct bc_tags *tags, const struct bc_graph *graph, struct bc_arena *arena,
		  struct bc_err *err);

/* The own tags on type ID. */
struct bc_tag_range bc_tags_on(const struct bc_tags *tags, uint32_t id);

/* 0: the whole type; i + 1: member or parameter i. */
static inline uint32_t bc_tag_place(const uint32_t *tag)
{
	return tag[3] + 1;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_MERGE_MOVE_H
#define BC_MERGE_MOVE_H

#include "base/arena.h"
#include "graph/graph.h"

/* A base that was put in another order, for the split parts that go on from it. */
struct bc_base_change {
	const struct bc_graph *before;
	const struct bc_graph *after; /* the same types on the same base */
	const uint32_t *new_id;       /* [before's type_count] */
	const uint32_t
		*string_offsets; /* [before's string_bytes] where the whole string that begins
					 * there is now; UINT32_MAX: nowhere, or none begins there */
};

/*
 * How BEFORE became AFTER, by what their types mean; false with ERR set where
 * these are not the same types. NEW_ID, where the caller knows it already, else
 * NULL. Memory from ARENA.
 */
bool bc_base_change_make(struct bc_base_change *change, const struct bc_graph *before,
			 const struct bc_graph *after, const uint32_t *new_id,
			 struct bc_arena *arena, struct bc_err *err);

/* What became of type ID of BEFORE or its bases. */
static inline uint32_t bc_base_change_id(const struct bc_base_change *change, uint32_t id)
{
	return id < change->before->first_id ? id : change->new_id[id - change->before->first_id];
}

/*
 * The split part GRAPH, which goes on from CHANGE's before, on its after: the
 * same own types in the same order. Memory from ARENA.
 */
bool bc_move_to_base(struct bc_graph *out, const struct bc_graph *graph,
		     const struct bc_base_change *change, struct bc_arena *arena,
		     struct bc_err *err);

#endif

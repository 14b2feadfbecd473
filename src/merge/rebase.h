/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_MERGE_REBASE_H
#define BC_MERGE_REBASE_H

#include "base/arena.h"
#include "graph/graph.h"

/*
 * The same types as a split part on BASE: ids and string offsets go on from
 * the base's. Nothing is taken from the base yet: the canonical form does
 * that. GRAPH has no base; memory from ARENA, strings are GRAPH's.
 */
bool bc_rebase(struct bc_graph *out, const struct bc_graph *graph, const struct bc_graph *base,
	       struct bc_arena *arena, struct bc_err *err);

#endif

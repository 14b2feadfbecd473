/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_MERGE_CONCAT_H
#define BC_MERGE_CONCAT_H

#include "base/arena.h"
#include "graph/graph.h"

/*
 * One graph with the types of COUNT graphs, one after the other, duplicates
 * and all: the canonical form makes one of them. The graphs must have one base
 * and one byte order. Of several layout sections the longest is kept (then
 * the greatest by bytes), of several pointer sizes none. Memory from ARENA;
 * the inputs must outlive *OUT.
 */
bool bc_concat(struct bc_graph *out, const struct bc_graph *graphs, uint32_t count,
	       struct bc_arena *arena, struct bc_err *err);

#endif

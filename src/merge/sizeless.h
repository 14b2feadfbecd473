/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_MERGE_SIZELESS_H
#define BC_MERGE_SIZELESS_H

#include "base/arena.h"
#include "base/workers.h"
#include "graph/graph.h"

/*
 * DWARF may have values of types that no unit completes: a class that is only
 * declared, as a member; a parameter of a type of which nothing is said. BTF
 * may not. Members, elements and parameters of such types become ones of an
 * unnamed struct of no size, so that their names and places stay; *COUNT says
 * how many. GRAPH gets new arrays, from ARENA, where there are any.
 */
bool bc_complete_values(struct bc_graph *graph, uint64_t *count, struct bc_workers *workers,
			struct bc_arena *arena, struct bc_err *err);

#endif

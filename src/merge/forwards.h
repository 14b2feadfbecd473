/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_MERGE_FORWARDS_H
#define BC_MERGE_FORWARDS_H

#include "base/arena.h"
#include "graph/graph.h"

/*
 * Lets forward declarations that can mean only one thing mean it: what refers
 * to them refers to the body. Others are left for the canonical form to settle
 * by content. GRAPH gets new words, from ARENA, where anything changes.
 */
bool bc_settle_plain_forwards(struct bc_graph *graph, struct bc_arena *arena, struct bc_err *err);

#endif

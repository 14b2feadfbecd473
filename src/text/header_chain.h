/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_HEADER_CHAIN_H
#define BC_TEXT_HEADER_CHAIN_H

#include "base/arena.h"
#include "graph/graph.h"

/*
 * Makes *FLAT, one graph with all types of the chain that GRAPH ends, with
 * their ids; and *LEVEL, by id, how many bases are below each type. Arrays
 * come from ARENA (without a base the graph is taken as it is, *LEVEL NULL).
 */
bool bc_header_flatten(struct bc_graph *flat, const uint8_t **level, const struct bc_graph *graph,
		       struct bc_arena *arena, struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_ASSEMBLE_H
#define BC_TEXT_ASSEMBLE_H

#include <stddef.h>

#include "base/arena.h"
#include "graph/graph.h"

/*
 * Reads the full text form (docs/dump-format.md) of SIZE_BYTES at TEXT. BASE:
 * the graph that split BTF goes on from, or NULL. *GRAPH is valid (graph/check.h),
 * its ids are in the order of the text; put in canonical order it is the graph
 * that was dumped. Its arrays live in ARENA.
 *
 * Errors begin with "line L, column C: ". On failure *GRAPH is untouched. Time
 * and memory are in proportion to the text and the base.
 */
bool bc_assemble_text(struct bc_graph *graph, const char *text, size_t size_bytes,
		      const struct bc_graph *base, struct bc_arena *arena, struct bc_err *err);

#endif

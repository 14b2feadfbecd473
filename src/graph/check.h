/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_GRAPH_CHECK_H
#define BC_GRAPH_CHECK_H

#include "base/err.h"
#include "base/notes.h"
#include "graph/graph.h"

/*
 * Checks what the own nodes of GRAPH say (their extents are settled): names,
 * sizes, ids, what may refer to what, and that every type reaches a size.
 * The base is taken as checked. What breaks the format fails with the type's
 * id; what is legal but odd, or only refused by kernels, goes to NOTES (may be
 * NULL). Rules: Documentation/bpf/btf.rst and kernel/bpf/btf.c.
 */
bool bc_graph_check(const struct bc_graph *graph, struct bc_notes *notes, struct bc_err *err);

/*
 * The same in steps, for whoever does it between other things; what is given has to stay
 * until the end. NULL on memory. A step is short and returns false if it was the last; what
 * comes of them all the end says, at which the check is gone.
 */
struct bc_graph_check *bc_graph_check_begin(const struct bc_graph *graph, struct bc_notes *notes,
					    struct bc_err *err);
bool bc_graph_check_step(struct bc_graph_check *check);
bool bc_graph_check_end(struct bc_graph_check *check);

#endif

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

#endif

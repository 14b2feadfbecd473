/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BTF_LAYOUT_H
#define BC_BTF_LAYOUT_H

#include "base/arena.h"
#include "graph/graph.h"

/*
 * Gives GRAPH a type-layout section: of each kind from 0 on how long its
 * nodes are, so that readers can pass over kinds that they do not know. One
 * entry of four bytes for each kind known here. The bytes live in ARENA.
 * Source: struct btf_layout of include/uapi/linux/btf.h (2026).
 */
bool bc_btf_layout_add(struct bc_graph *graph, struct bc_arena *arena, struct bc_err *err);

#endif

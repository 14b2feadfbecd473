/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_ARENA_POINTERS_H
#define BC_DWARF_ARENA_POINTERS_H

#include "dwarf/kfuncs.h"
#include "graph/graph.h"

/*
 * Kfuncs take and return pointers into a BPF arena; programs see these in an
 * address space of their own. In the prototypes of such functions of GRAPH
 * each such pointer becomes one to a TYPE_TAG "address_space(1)" with kflag (a
 * type attribute, not btf_type_tag), on what it pointed to. Prototypes that
 * others share are copied. A result or parameter that is no pointer stays, and
 * is counted in *LEFT_OUT. Memory from ARENA.
 */
bool bc_mark_arena_pointers(struct bc_graph *graph, const struct bc_kfuncs *kfuncs,
			    uint64_t *left_out, struct bc_arena *arena, struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BTF_RELIES_H
#define BC_BTF_RELIES_H

#include <stddef.h>

#include "base/arena.h"
#include "graph/relies.h"

/*
 * Reads a .BTF.ext section that belongs to GRAPH into *RELIES: its CO-RE
 * records and its functions. Everything is checked (ext.h). Arrays come from
 * ARENA; names are GRAPH's.
 */
bool bc_relies_read(struct bc_relies *relies, const uint8_t *data, size_t size_bytes,
		    const struct bc_graph *graph, struct bc_arena *arena, struct bc_err *err);

#endif

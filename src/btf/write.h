/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BTF_WRITE_H
#define BC_BTF_WRITE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/workers.h"
#include "graph/graph.h"

/*
 * Lays GRAPH out as raw BTF, in its byte order: header (24 bytes, or 32 with
 * a layout section), types, layout, strings. WORKERS (NULL: one thread) share
 * the work; the bytes live in ARENA.
 * Fails when the result would not fit BTF's 32-bit lengths.
 */
bool bc_btf_write(const struct bc_graph *graph, struct bc_workers *workers, struct bc_arena *arena,
		  const uint8_t **data, size_t *size_bytes, struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BTF_READ_H
#define BC_BTF_READ_H

#include <stddef.h>

#include "base/arena.h"
#include "base/notes.h"
#include "graph/graph.h"

/*
 * Reads a raw BTF of SIZE_BYTES at DATA (4-aligned) into *GRAPH. BASE: the
 * graph it goes on from, or NULL. Everything is checked: what is not BTF, or
 * breaks the format, is an error that names the byte offset or the type id;
 * what is legal but odd is counted in NOTES (may be NULL).
 *
 * *GRAPH points into DATA and ARENA, which must outlive it. On failure
 * *GRAPH is untouched (the arena may have grown).
 */
bool bc_btf_read(struct bc_graph *graph, const uint8_t *data, size_t size_bytes,
		 const struct bc_graph *base, struct bc_arena *arena, struct bc_notes *notes,
		 struct bc_err *err);

/*
 * Whether SIZE_BYTES of DATA begin with a whole valid BTF (anything may
 * follow it); *TOTAL_BYTES is its length. DATA need not be aligned.
 */
bool bc_btf_probe_bytes(const uint8_t *data, size_t size_bytes, size_t *total_bytes);

#endif

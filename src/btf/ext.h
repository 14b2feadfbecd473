/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BTF_EXT_H
#define BC_BTF_EXT_H

#include <stddef.h>

#include "base/arena.h"
#include "graph/graph.h"
#include "sort/strings.h"

/*
 * Reads a .BTF.ext section (function, line and CO-RE records of a BPF object)
 * that belongs to GRAPH: checks every length, type id and string offset, and
 * lists in *STRINGS the string offsets it refers to. The list comes from
 * ARENA. Source: tools/lib/bpf, include/uapi/linux/btf.h.
 */
bool bc_btf_ext_read(struct bc_kept_strings *strings, const uint8_t *data, size_t size_bytes,
		     const struct bc_graph *graph, struct bc_arena *arena, struct bc_err *err);

/*
 * Makes of TO, a copy of DATA that bc_btf_ext_read has read for GRAPH, what it
 * is when own types have the ids in NEW_ID [type_count], and the strings it
 * listed the offsets in NEW_STRINGS. Nothing changes its place.
 */
void bc_btf_ext_rewrite(uint8_t *to, const uint8_t *data, size_t size_bytes,
			const struct bc_graph *graph, const uint32_t *new_id,
			const uint32_t *new_strings);

#endif

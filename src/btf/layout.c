/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "btf/layout.h"

#include "btf/format.h"

bool bc_btf_layout_add(struct bc_graph *graph, struct bc_arena *arena, struct bc_err *err)
{
	uint32_t size_bytes = BC_KIND_COUNT * BC_BTF_LAYOUT_ENTRY;
	uint8_t *bytes = bc_arena_zalloc(arena, size_bytes, 1, err);

	if (!bytes)
		return false;
	/* Two bytes each; the flags behind them are 0. */
	for (uint32_t kind = 0; kind < BC_KIND_COUNT; kind++) {
		uint8_t *entry = bytes + (size_t)kind * BC_BTF_LAYOUT_ENTRY;

		entry[0] = (uint8_t)(4 * bc_kind_shapes[kind].fixed_words);
		entry[1] = (uint8_t)(4 * bc_kind_shapes[kind].element_words);
	}
	graph->layout = bytes;
	graph->layout_bytes = size_bytes;
	return true;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "merge/rebase.h"

#include <string.h>

static void move_node(uint32_t *node, uint32_t id_shift, uint32_t string_shift)
{
	struct bc_edges edges = bc_edges(node);
	struct bc_node_names names = bc_node_names(node);

	for (uint32_t i = 0; i < edges.count; i++)
		if (node[bc_edge_word(edges, i)])
			node[bc_edge_word(edges, i)] += id_shift;
	for (uint32_t i = 0; i < names.count; i++)
		if (node[bc_name_word(names, i)]) /* the empty string is the base's */
			node[bc_name_word(names, i)] += string_shift;
}

bool bc_rebase(struct bc_graph *out, const struct bc_graph *graph, const struct bc_graph *base,
	       struct bc_arena *arena, struct bc_err *err)
{
	uint32_t count = graph->start[graph->type_count];
	uint32_t *words = bc_arena_alloc(arena, count, sizeof(*words), err);

	if (!words)
		return false;
	if ((uint64_t)bc_id_end(base) + graph->type_count > UINT32_MAX ||
	    (uint64_t)bc_string_end(base) + graph->string_bytes > UINT32_MAX)
		return bc_err_set(err, "with the base it goes beyond 4 GiB");
	memcpy(words, graph->words, count * sizeof(*words));
	for (uint32_t i = 0; i < graph->type_count; i++)
		move_node(words + graph->start[i], bc_id_end(base) - 1, bc_string_end(base));
	*out = *graph;
	out->base = base;
	out->first_id = bc_id_end(base);
	out->string_base = bc_string_end(base);
	out->words = words;
	return true;
}

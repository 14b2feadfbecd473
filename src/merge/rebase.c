/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "merge/rebase.h"

#include <string.h>

/* The empty string is the base's. */
static uint32_t move_name(uint32_t name, uint32_t shift)
{
	return name ? name + shift : 0;
}

static void move_node(uint32_t *node, uint32_t id_shift, uint32_t string_shift)
{
	const struct bc_kind_shape *shape = &bc_kind_shapes[bc_node_kind(node)];
	uint32_t elements = bc_element_count(node[1]);
	struct bc_edges edges = bc_edges(node);

	for (uint32_t i = 0; i < edges.count; i++)
		if (node[bc_edge_word(edges, i)])
			node[bc_edge_word(edges, i)] += id_shift;
	node[0] = move_name(node[0], string_shift);
	if (shape->element_name < 0)
		return;
	for (uint32_t i = 0; i < elements; i++) {
		uint32_t *name = node + (bc_element(node, i) - node) + shape->element_name;

		*name = move_name(*name, string_shift);
	}
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

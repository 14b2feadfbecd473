/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "merge/concat.h"

#include <string.h>

struct totals {
	uint64_t types, words, string_bytes;
};

static bool add_up(struct totals *totals, const struct bc_graph *graphs, uint32_t count,
		   struct bc_err *err)
{
	for (uint32_t i = 0; i < count; i++) {
		if (graphs[i].has_unknown_kind)
			return bc_err_set(err, "an input has a kind not known here: type ids in it "
					       "cannot be renumbered");
		totals->types += graphs[i].type_count;
		totals->words += graphs[i].start[graphs[i].type_count];
		totals->string_bytes += graphs[i].string_bytes;
	}
	if (graphs[0].first_id + totals->types > UINT32_MAX ||
	    graphs[0].string_base + totals->string_bytes > UINT32_MAX ||
	    totals->words > UINT32_MAX / 4)
		return bc_err_set(err, "together the inputs are longer than 4 GiB");
	return true;
}

/* Copies the nodes of FROM, whose own ids and string offsets move up by what is there already. */
static void append_nodes(const struct bc_graph *from, uint32_t *words, uint32_t id_shift,
			 uint32_t string_shift)
{
	memcpy(words, from->words, from->start[from->type_count] * sizeof(*words));
	for (uint32_t i = 0; i < from->type_count; i++) {
		uint32_t *node = words + from->start[i];
		struct bc_edges edges = bc_edges(node);
		struct bc_node_names names = bc_node_names(node);

		for (uint32_t j = 0; j < edges.count; j++)
			if (node[bc_edge_word(edges, j)] >= from->first_id)
				node[bc_edge_word(edges, j)] += id_shift;
		for (uint32_t j = 0; j < names.count; j++) {
			uint32_t *name = &node[bc_name_word(names, j)];

			/* The empty string is every graph's own offset 0 (or its base's). */
			if (*name >= from->string_base && *name)
				*name += string_shift;
		}
	}
}

static bool layout_is_greater(const struct bc_graph *a, const struct bc_graph *b)
{
	if (a->layout_bytes != b->layout_bytes)
		return a->layout_bytes > b->layout_bytes;
	return a->layout_bytes && memcmp(a->layout, b->layout, a->layout_bytes) > 0;
}

bool bc_concat(struct bc_graph *out, const struct bc_graph *graphs, uint32_t count,
	       struct bc_arena *arena, struct bc_err *err)
{
	struct totals totals = { 0 };
	struct bc_graph result = graphs[0];
	uint32_t *start, *words;
	char *strings;

	if (!add_up(&totals, graphs, count, err))
		return false;
	start = bc_arena_alloc(arena, totals.types + 1, sizeof(*start), err);
	words = bc_arena_alloc(arena, totals.words, sizeof(*words), err);
	strings = bc_arena_alloc(arena, totals.string_bytes, 1, err);
	if (!start || !words || !strings)
		return false;
	result.type_count = 0;
	result.string_bytes = 0;
	start[0] = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct bc_graph *from = &graphs[i];
		uint32_t at = start[result.type_count];

		for (uint32_t j = 1; j <= from->type_count; j++)
			start[result.type_count + j] = at + from->start[j];
		append_nodes(from, words + at, result.type_count, result.string_bytes);
		if (from->string_bytes)
			memcpy(strings + result.string_bytes, from->strings, from->string_bytes);
		result.type_count += from->type_count;
		result.string_bytes += from->string_bytes;
		if (layout_is_greater(from, &result)) {
			result.layout = from->layout;
			result.layout_bytes = from->layout_bytes;
		}
		if (from->pointer_bytes != result.pointer_bytes)
			result.pointer_bytes = 0;
	}
	result.start = start;
	result.words = words;
	result.strings = strings;
	*out = result;
	return true;
}

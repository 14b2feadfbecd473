/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "text/header_chain.h"

#include <string.h>

/* Chains are short: a kernel, a module, and what goes on from that. */
#define MAX_LEVELS 255

struct totals {
	uint64_t types, words, string_bytes;
	uint32_t levels;
};

static bool add_up(struct totals *totals, const struct bc_graph *graph, struct bc_err *err)
{
	for (; graph; graph = graph->base) {
		totals->types += graph->type_count;
		totals->words += graph->start[graph->type_count];
		totals->string_bytes += graph->string_bytes;
		totals->levels++;
	}
	if (totals->types >= UINT32_MAX || totals->words > UINT32_MAX / 4 ||
	    totals->string_bytes > UINT32_MAX)
		return bc_err_set(err, "with its base it is longer than 4 GiB");
	if (totals->levels > MAX_LEVELS)
		return bc_err_set(err, "a chain of more than %d bases", MAX_LEVELS - 1);
	return true;
}

/* Ids and string offsets count on through a chain, so nodes can be copied as they are. */
static void copy_level(const struct bc_graph *from, uint32_t *start, uint32_t *words, char *strings,
		       uint32_t word_base)
{
	for (uint32_t i = 0; i < from->type_count; i++)
		start[from->first_id - 1 + i] = word_base + from->start[i];
	memcpy(words + word_base, from->words, from->start[from->type_count] * sizeof(*words));
	memcpy(strings + from->string_base, from->strings, from->string_bytes);
}

bool bc_header_flatten(struct bc_graph *flat, const uint8_t **level, const struct bc_graph *graph,
		       struct bc_arena *arena, struct bc_err *err)
{
	struct totals totals = { 0 };
	uint32_t *start, *words, word_base;
	uint8_t *levels, number;
	char *strings;

	*flat = *graph;
	*level = NULL;
	if (!graph->base)
		return true;
	if (!add_up(&totals, graph, err))
		return false;
	start = bc_arena_alloc(arena, totals.types + 1, sizeof(*start), err);
	words = bc_arena_alloc(arena, totals.words, sizeof(*words), err);
	strings = bc_arena_alloc(arena, totals.string_bytes, 1, err);
	levels = bc_arena_zalloc(arena, totals.types + 1, 1, err);
	if (!start || !words || !strings || !levels)
		return false;
	word_base = (uint32_t)totals.words;
	number = (uint8_t)totals.levels;
	start[totals.types] = word_base;
	for (; graph; graph = graph->base) {
		word_base -= graph->start[graph->type_count];
		copy_level(graph, start, words, strings, word_base);
		number--;
		if (graph->type_count)
			memset(levels + graph->first_id, number, graph->type_count);
		flat->has_unknown_kind |= graph->has_unknown_kind;
		if (!flat->pointer_bytes)
			flat->pointer_bytes = graph->pointer_bytes;
	}
	flat->base = NULL;
	flat->first_id = 1;
	flat->type_count = (uint32_t)totals.types;
	flat->start = start;
	flat->words = words;
	flat->strings = strings;
	flat->string_base = 0;
	flat->string_bytes = (uint32_t)totals.string_bytes;
	flat->layout = NULL;
	flat->layout_bytes = 0;
	*level = levels;
	return true;
}

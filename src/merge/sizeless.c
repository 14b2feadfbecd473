/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "merge/sizeless.h"

#include <string.h>

#include "graph/sizes.h"

struct sizeless {
	const struct bc_graph *graph;
	struct bc_sizes sizes;
	uint32_t *words;   /* a copy, once one is needed */
	uint32_t stand_in; /* the id of the empty struct */
	uint64_t count;
	bool is_needed; /* atomic */
	struct bc_arena *arena;
	struct bc_err *err;
};

static bool is_function(const struct sizeless *sizeless, uint32_t target)
{
	return sizeless->sizes.form[target] == BC_FORM_FUNCTION;
}

static bool is_sizeless(const struct sizeless *sizeless, uint32_t target)
{
	return !target || sizeless->sizes.form[target] == BC_FORM_VOID ||
	       is_function(sizeless, target);
}

/* "...": the last parameter, of no type and no name. */
static bool is_ellipsis(const struct sizeless *sizeless, const uint32_t *node, uint32_t edge)
{
	return edge == bc_info_vlen(node[1]) &&
	       !*bc_string(sizeless->graph, bc_element(node, edge - 1)[0]);
}

/* Whether edge EDGE of a node needs a value and has none. Results may be void or incomplete. */
static bool lacks_value(const struct sizeless *sizeless, const uint32_t *node, uint32_t edge,
			uint32_t target)
{
	switch (bc_node_kind(node)) {
	case BC_STRUCT:
	case BC_UNION:
		return is_sizeless(sizeless, target);
	case BC_ARRAY:
		return !edge && is_sizeless(sizeless, target);
	case BC_FUNC_PROTO:
		if (!target)
			return edge && !is_ellipsis(sizeless, node, edge);
		return is_function(sizeless, target);
	default:
		return false;
	}
}

static bool copy_words(struct sizeless *sizeless)
{
	const struct bc_graph *graph = sizeless->graph;
	uint32_t count = graph->start[graph->type_count];

	sizeless->words = bc_arena_alloc(sizeless->arena, (size_t)count + BC_HEAD_WORDS,
					 sizeof(*sizeless->words), sizeless->err);
	if (sizeless->words)
		memcpy(sizeless->words, graph->words, count * sizeof(*sizeless->words));
	return sizeless->words;
}

/* Whether some node lacks one: mostly none does. */
static void look_at_some(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	struct sizeless *sizeless = context;

	(void)worker;
	for (uint32_t i = begin; i < end; i++) {
		const uint32_t *node = bc_own_node(sizeless->graph, i);
		struct bc_edges edges = bc_edges(node);

		for (uint32_t j = 0; j < edges.count; j++)
			if (lacks_value(sizeless, node, j, bc_edge(node, edges, j)))
				__atomic_store_n(&sizeless->is_needed, true, __ATOMIC_RELAXED);
	}
}

#define TYPES_AT_ONCE 4096u

static bool complete_nodes(struct sizeless *sizeless)
{
	const struct bc_graph *graph = sizeless->graph;

	for (uint32_t i = 0; i < graph->type_count; i++) {
		const uint32_t *node = bc_own_node(graph, i);
		struct bc_edges edges = bc_edges(node);

		for (uint32_t j = 0; j < edges.count; j++) {
			if (!lacks_value(sizeless, node, j, bc_edge(node, edges, j)))
				continue;
			if (!sizeless->words && !copy_words(sizeless))
				return false;
			sizeless->words[graph->start[i] + bc_edge_word(edges, j)] =
				sizeless->stand_in;
			sizeless->count++;
		}
	}
	return true;
}

/* The graph with the changed words and one more type. */
static bool finish(struct sizeless *sizeless, struct bc_graph *graph)
{
	uint32_t count = graph->type_count, end = graph->start[count];
	const uint32_t empty[BC_HEAD_WORDS] = { 0, bc_info(BC_STRUCT, 0, false), 0 };
	uint32_t *start = bc_arena_alloc(sizeless->arena, (size_t)count + 2, sizeof(*start),
					 sizeless->err);

	if (!start)
		return false;
	memcpy(start, graph->start, ((size_t)count + 1) * sizeof(*start));
	start[count + 1] = end + BC_HEAD_WORDS;
	memcpy(sizeless->words + end, empty, sizeof(empty));
	graph->start = start;
	graph->words = sizeless->words;
	graph->type_count = count + 1;
	return true;
}

bool bc_complete_values(struct bc_graph *graph, uint64_t *count, struct bc_workers *workers,
			struct bc_arena *arena, struct bc_err *err)
{
	struct bc_arena scratch = { 0 };
	struct sizeless sizeless = {
		.graph = graph,
		.stand_in = bc_id_end(graph),
		.arena = arena,
		.err = err,
	};
	bool done = bc_sizes_compute(&sizeless.sizes, graph, &scratch, err);

	if (done)
		bc_workers_share(workers, graph->type_count, TYPES_AT_ONCE, look_at_some,
				 &sizeless);
	if (sizeless.is_needed)
		done = complete_nodes(&sizeless) && finish(&sizeless, graph);
	bc_arena_free(&scratch);
	*count = sizeless.count;
	return done;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * First everything that named types lead to is marked. Of the rest, roots are
 * found in two sweeps [find_roots]. One goes up the ids: what is not reached
 * yet is a candidate, and all it leads to is reached. So no candidate leads
 * to a later one. The other goes down the candidates, with fresh marks: what
 * no later one has reached is a root. Each type is visited once per sweep.
 */
#include "text/loose.h"

#include "graph/names.h"

enum { SHOWN = 1, REACHED = 2 };

struct finder {
	const struct bc_graph *graph;
	uint8_t *marks; /* by own index */
	uint32_t *stack;
	uint32_t depth;
};

static bool is_loose_kind(const struct finder *finder, uint32_t id)
{
	const uint32_t *node;

	if (id < finder->graph->first_id)
		return false;
	node = bc_node(finder->graph, id);
	return !bc_node_is_named(node, finder->graph) && bc_node_kind(node) != BC_DECL_TAG;
}

static bool is_body(const uint32_t *node)
{
	uint32_t kind = bc_node_kind(node);

	return bc_kind_is_composite(kind) || bc_kind_is_enum(kind);
}

/* Puts MARK on what ID refers to, where nothing of STOP is yet, and puts that onto the stack. */
static void mark_targets(struct finder *finder, uint32_t id, uint8_t mark, uint8_t stop)
{
	const uint32_t *node = bc_node(finder->graph, id);
	struct bc_edges edges = bc_edges(node);

	for (uint32_t i = 0; i < edges.count; i++) {
		uint32_t target = bc_edge(node, edges, i);
		uint8_t *marks;

		if (!is_loose_kind(finder, target))
			continue;
		marks = &finder->marks[target - finder->graph->first_id];
		if (*marks & stop)
			continue;
		*marks |= mark;
		finder->stack[finder->depth++] = target;
	}
}

/* Marks all that ID leads to. */
static void mark_from(struct finder *finder, uint32_t id, uint8_t mark, uint8_t stop)
{
	mark_targets(finder, id, mark, stop);
	while (finder->depth)
		mark_targets(finder, finder->stack[--finder->depth], mark, stop);
}

static void mark_named(struct finder *finder)
{
	const struct bc_graph *graph = finder->graph;

	for (uint32_t i = 0; i < graph->type_count; i++)
		if (bc_node_is_named(bc_own_node(graph, i), graph))
			mark_from(finder, graph->first_id + i, SHOWN, SHOWN);
}

/* The roots among bodies, or among all kinds; what they lead to is shown from then on. */
static uint32_t *find_roots(struct finder *finder, bool only_bodies, uint32_t *root_count,
			    struct bc_arena *arena, struct bc_err *err)
{
	const struct bc_graph *graph = finder->graph;
	uint32_t *roots = bc_arena_alloc(arena, graph->type_count, sizeof(*roots), err);
	uint32_t candidate_count = 0, first = graph->type_count;

	if (!roots)
		return NULL;
	for (uint32_t i = 0; i < graph->type_count; i++) {
		if (!is_loose_kind(finder, graph->first_id + i) || finder->marks[i] ||
		    (only_bodies && !is_body(bc_own_node(graph, i))))
			continue;
		finder->marks[i] |= REACHED;
		mark_from(finder, graph->first_id + i, REACHED, SHOWN | REACHED);
		roots[candidate_count++] = graph->first_id + i;
	}
	while (candidate_count-- > 0) {
		uint32_t id = roots[candidate_count];

		if (finder->marks[id - graph->first_id] & SHOWN)
			continue;
		finder->marks[id - graph->first_id] |= SHOWN;
		mark_from(finder, id, SHOWN, SHOWN);
		roots[--first] = id; /* not below a candidate that is still to come */
	}
	*root_count = graph->type_count - first;
	return roots + first;
}

bool bc_loose_find(struct bc_loose *loose, const struct bc_graph *graph, struct bc_arena *arena,
		   struct bc_err *err)
{
	struct bc_arena scratch = { 0 };
	struct finder finder = { .graph = graph };
	bool found = false;

	finder.marks = bc_arena_zalloc(&scratch, graph->type_count, 1, err);
	finder.stack = bc_arena_alloc(&scratch, graph->type_count, sizeof(uint32_t), err);
	if (finder.marks && finder.stack) {
		mark_named(&finder);
		loose->bodies = find_roots(&finder, true, &loose->body_count, arena, err);
		if (loose->bodies)
			loose->others = find_roots(&finder, false, &loose->other_count, arena, err);
		found = loose->bodies && loose->others;
	}
	bc_arena_free(&scratch);
	return found;
}

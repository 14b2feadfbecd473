/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The order compares labels at depth 0, then those of all references at depth
 * 1, left to right, then those of all their references at depth 2: a queue of
 * pairs meets them in just that order. A pair that was met before need not be
 * followed again: what it leads to differs at a lower depth there, or not at all.
 */
#include "sort/pairwise.h"

#include <string.h>

#include "base/hash.h"
#include "base/order.h"
#include "sort/labels.h"

#define PAIRS_MAX 8192u
#define SLOTS (2 * PAIRS_MAX)

struct bc_pairwise_pair {
	uint32_t a, b;
};

/* Tags on functions and variables say nothing about a type that can be referred to. */
static bool has_type_tags(const struct bc_graph *graph)
{
	for (uint32_t i = 0; i < graph->type_count; i++) {
		const uint32_t *node = bc_own_node(graph, i);
		uint32_t target;

		if (bc_node_kind(node) != BC_DECL_TAG)
			continue;
		target = bc_id_kind(graph, node[2]);
		if (target != BC_FUNC && target != BC_VAR)
			return true;
	}
	return false;
}

/* Asked for only where all else is equal, which is seldom. */
static bool has_tags(struct bc_pairwise *pairwise)
{
	if (!pairwise->knows_tags)
		pairwise->has_tags = has_type_tags(pairwise->universe->graph);
	pairwise->knows_tags = true;
	return pairwise->has_tags;
}

bool bc_pairwise_begin(struct bc_pairwise *pairwise, const struct bc_universe *universe,
		       struct bc_arena *arena, struct bc_err *err)
{
	*pairwise = (struct bc_pairwise){ .universe = universe };
	pairwise->pairs = bc_arena_alloc(arena, PAIRS_MAX, sizeof(*pairwise->pairs), err);
	pairwise->slots = bc_arena_zalloc(arena, SLOTS, sizeof(*pairwise->slots), err);
	if (!pairwise->pairs || !pairwise->slots)
		return false;
	pairwise->words_left = universe->graph->start[universe->graph->type_count];
	return true;
}

static uint32_t find_slot(const struct bc_pairwise *pairwise, uint32_t a, uint32_t b)
{
	uint32_t at = (uint32_t)bc_hash_mix(0, (uint64_t)a << 32 | b) & (SLOTS - 1);

	for (; pairwise->slots[at]; at = (at + 1) & (SLOTS - 1)) {
		const struct bc_pairwise_pair *pair = &pairwise->pairs[pairwise->slots[at] - 1];

		if (pair->a == a && pair->b == b)
			break;
	}
	return at;
}

/* Remembers a pair to be compared; false: there are too many. */
static bool push(struct bc_pairwise *pairwise, uint32_t a, uint32_t b)
{
	uint32_t slot = find_slot(pairwise, a, b);

	if (pairwise->slots[slot])
		return true;
	if (pairwise->pair_count == PAIRS_MAX)
		return false;
	pairwise->pairs[pairwise->pair_count++] = (struct bc_pairwise_pair){ a, b };
	pairwise->slots[slot] = pairwise->pair_count;
	return true;
}

/* Takes all pairs away, last ones first: a slot that is freed ends no search for an earlier one. */
static void clear(struct bc_pairwise *pairwise)
{
	while (pairwise->pair_count) {
		const struct bc_pairwise_pair *last = &pairwise->pairs[pairwise->pair_count - 1];

		pairwise->slots[find_slot(pairwise, last->a, last->b)] = 0;
		pairwise->pair_count--;
	}
}

static int compare_labels(const struct bc_universe *universe, const uint32_t *a, const uint32_t *b)
{
	int order = bc_compare_u64(bc_label_key(universe, a), bc_label_key(universe, b));
	uint32_t length = order ? 0 : bc_label_length(a);

	for (uint32_t j = 0; !order && j < length; j++)
		order = bc_compare_u64(bc_label_value(universe, a, j),
				       bc_label_value(universe, b, j));
	return order;
}

/* Compares the references of two nodes of one label by label only, and remembers those that are equal. */
static bool compare_references(struct bc_pairwise *pairwise, const uint32_t *a, const uint32_t *b,
			       int *order)
{
	const struct bc_universe *universe = pairwise->universe;
	struct bc_edges edges = bc_edges(a);

	for (uint32_t i = 0; i < edges.count; i++) {
		uint32_t to_a = bc_universe_target(universe, bc_edge(a, edges, i));
		uint32_t to_b = bc_universe_target(universe, bc_edge(b, edges, i));
		const uint32_t *node_a, *node_b;

		if (to_a == to_b)
			continue;
		*order = bc_compare_u64(to_a, to_b);
		if (to_a < universe->lowest_id || to_b < universe->lowest_id)
			return true;
		node_a = bc_node(universe->graph, to_a);
		node_b = bc_node(universe->graph, to_b);
		if (pairwise->words_left < bc_node_words(node_a[1]))
			return false;
		pairwise->words_left -= bc_node_words(node_a[1]);
		*order = compare_labels(universe, node_a, node_b);
		if (*order)
			return true;
		if (!push(pairwise, to_a, to_b))
			return false;
	}
	*order = 0;
	return true;
}

bool bc_pairwise_compare(struct bc_pairwise *pairwise, uint32_t a, uint32_t b, int *order)
{
	const struct bc_graph *graph = pairwise->universe->graph;
	bool known = true;

	*order = compare_labels(pairwise->universe, bc_node(graph, a), bc_node(graph, b));
	if (*order || a == b)
		return true;
	known = push(pairwise, a, b);
	for (uint32_t i = 0; known && !*order && i < pairwise->pair_count; i++) {
		struct bc_pairwise_pair pair = pairwise->pairs[i];

		known = compare_references(pairwise, bc_node(graph, pair.a), bc_node(graph, pair.b),
					   order);
	}
	clear(pairwise);
	return known && (*order || !has_tags(pairwise));
}

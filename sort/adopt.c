/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The passes, in order. After
 *   make_matching   it is known by which redirection types are compared: own bodies
 *                   stand for the base's forwards;
 *   find_leading    own types that lead to such a body are marked;
 *   find_like       (a partition of own types and their rivals) each own type knows
 *                   the base's type that nothing tells from it;
 *   keep_leading    what leads to a body has none any more, but for structs of the base.
 */
#include "sort/adopt.h"

#include <string.h>

#include "sort/forwards.h"
#include "sort/rivals.h"

struct adopter {
	const struct bc_graph *graph;
	const struct bc_string_ranks *ranks;
	uint32_t *redirect;
	const uint32_t *matching; /* by id: the redirection by which types are compared */
	uint8_t *leads; /* by own index: it leads to an own body that is matched as a forward */
	bool match_forwards;
	struct bc_arena *scratch;
	struct bc_err *err;
};

/* By which redirection own types are compared with the base's: own bodies may stand for its forwards. */
static bool make_matching(struct adopter *adopter)
{
	const struct bc_graph *graph = adopter->graph;
	uint32_t id_end = bc_id_end(graph);
	uint32_t *copy = bc_arena_alloc(adopter->scratch, id_end, sizeof(*copy), adopter->err);

	if (!copy)
		return false;
	memcpy(copy, adopter->redirect, id_end * sizeof(*copy));
	if (adopter->match_forwards &&
	    !bc_forwards_match_base(copy, graph, adopter->ranks, adopter->err))
		return false;
	/* What stood for something that stands for something else now: in one step. */
	for (uint32_t id = graph->first_id; id < id_end; id++)
		copy[id] = copy[copy[id]];
	adopter->matching = copy;
	return true;
}

/* ---- what leads to a body that the base declares ---- */

/* Own types by what they refer to. */
struct referrers {
	uint32_t *begin; /* [own types + 1] */
	uint32_t *from;  /* own indexes */
};

/* The own index of what an edge stands for; UINT32_MAX: it is the base's, or void. */
static uint32_t own_target(const struct adopter *adopter, const uint32_t *node,
			   struct bc_edges edges, uint32_t edge)
{
	uint32_t id = adopter->redirect[bc_edge(node, edges, edge)];

	return id < adopter->graph->first_id ? UINT32_MAX : id - adopter->graph->first_id;
}

static void fill_referrers(const struct adopter *adopter, struct referrers *referrers)
{
	const struct bc_graph *graph = adopter->graph;

	for (uint32_t i = 0; i < graph->type_count; i++) {
		const uint32_t *node = bc_own_node(graph, i);
		struct bc_edges edges = bc_edges(node);

		for (uint32_t j = 0; j < edges.count; j++) {
			uint32_t target = own_target(adopter, node, edges, j);

			if (target != UINT32_MAX)
				referrers->from[--referrers->begin[target]] = i;
		}
	}
}

static bool list_referrers(const struct adopter *adopter, struct referrers *referrers)
{
	const struct bc_graph *graph = adopter->graph;
	uint32_t count = graph->type_count;

	referrers->begin = bc_arena_zalloc(adopter->scratch, (size_t)count + 1,
					   sizeof(*referrers->begin), adopter->err);
	if (!referrers->begin)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *node = bc_own_node(graph, i);
		struct bc_edges edges = bc_edges(node);

		for (uint32_t j = 0; j < edges.count; j++) {
			uint32_t target = own_target(adopter, node, edges, j);

			if (target != UINT32_MAX)
				referrers->begin[target]++;
		}
	}
	for (uint32_t i = 0; i < count; i++)
		referrers->begin[i + 1] += referrers->begin[i];
	referrers->from = bc_arena_alloc(adopter->scratch, referrers->begin[count],
					 sizeof(*referrers->from), adopter->err);
	if (!referrers->from)
		return false;
	fill_referrers(adopter, referrers);
	return true;
}

static bool is_composite(const uint32_t *node)
{
	return bc_kind_is_composite(bc_node_kind(node));
}

/*
 * From the bodies that are matched as forwards to whoever refers to them, up to
 * named structs and unions: those may be the base's.
 */
static bool find_leading(struct adopter *adopter)
{
	const struct bc_graph *graph = adopter->graph;
	uint32_t *pending, pending_count = 0;
	struct referrers referrers;

	adopter->leads = bc_arena_zalloc(adopter->scratch, graph->type_count, 1, adopter->err);
	pending = bc_arena_alloc(adopter->scratch, graph->type_count, sizeof(*pending),
				 adopter->err);
	if (!adopter->leads || !pending)
		return false;
	for (uint32_t i = 0; i < graph->type_count; i++) {
		uint32_t id = graph->first_id + i;

		if (adopter->redirect[id] == id && adopter->matching[id] != id)
			pending[pending_count++] = i;
	}
	if (pending_count && !list_referrers(adopter, &referrers))
		return false;
	while (pending_count) {
		uint32_t target = pending[--pending_count];

		for (uint32_t j = referrers.begin[target]; j < referrers.begin[target + 1]; j++) {
			const uint32_t *node = bc_own_node(graph, referrers.from[j]);

			if (adopter->leads[referrers.from[j]] || (is_composite(node) && node[0]))
				continue;
			adopter->leads[referrers.from[j]] = 1;
			pending[pending_count++] = referrers.from[j];
		}
	}
	return true;
}

/*
 * Whether an own type may become a type of the base. Variables and sections
 * stay, whatever the base has, and so does the tag of one that stays.
 */
static bool may_adopt(const struct adopter *adopter, uint32_t id)
{
	const struct bc_graph *graph = adopter->graph;
	const uint32_t *node = bc_node(graph, id);
	uint32_t kind = bc_node_kind(node);

	/* Own bodies that are matched as forwards stay what they are. */
	if (adopter->matching[id] != id)
		return false;
	if (kind == BC_DECL_TAG && node[2] >= graph->first_id)
		kind = bc_id_kind(graph, node[2]);
	return kind != BC_VAR && kind != BC_DATASEC;
}

/* ---- what becomes the base's ---- */

/* Sets LIKE, by own index, to the base's type that an own one may become, 0: none. */
static bool find_like(struct adopter *adopter, uint32_t *like)
{
	const struct bc_graph *graph = adopter->graph;
	struct bc_partition partition;
	struct bc_rivals rivals;
	uint32_t *lowest; /* by class */

	if (!bc_rivals_make(&rivals, graph, adopter->matching, adopter->ranks, adopter->scratch,
			    adopter->err) ||
	    !bc_partition_compute(&partition, &rivals.universe, adopter->scratch, adopter->err))
		return false;
	lowest = bc_arena_zalloc(adopter->scratch, partition.class_count, sizeof(*lowest),
				 adopter->err);
	if (!lowest)
		return false;
	for (uint32_t id = 1; id < graph->first_id; id++) {
		uint32_t number = bc_rival_number(&rivals, id);

		if (number && !lowest[partition.class_of[number - 1]])
			lowest[partition.class_of[number - 1]] = id;
	}
	for (uint32_t i = 0; i < graph->type_count; i++) {
		uint32_t id = graph->first_id + i;

		if (adopter->redirect[id] == id && may_adopt(adopter, id))
			like[i] = lowest[partition.class_of[bc_rival_number(&rivals, id) - 1]];
	}
	return true;
}

/*
 * Clears LIKE of the types that lead to a body. An unnamed struct is a part of
 * what has it for a member: it is the base's if all those are.
 */
static bool keep_leading(struct adopter *adopter, uint32_t *like)
{
	const struct bc_graph *graph = adopter->graph;
	uint32_t pending_count = 0;
	uint32_t *pending = bc_arena_alloc(adopter->scratch, graph->type_count, sizeof(*pending),
					   adopter->err);

	if (!pending)
		return false;
	for (uint32_t i = 0; i < graph->type_count; i++) {
		if (adopter->redirect[graph->first_id + i] != graph->first_id + i)
			continue;
		if (adopter->leads[i] && !is_composite(bc_own_node(graph, i)))
			like[i] = 0;
		if (!like[i])
			pending[pending_count++] = i;
	}
	while (pending_count) {
		const uint32_t *node = bc_own_node(graph, pending[--pending_count]);
		struct bc_edges edges = bc_edges(node);

		for (uint32_t j = 0; j < edges.count; j++) {
			uint32_t target = own_target(adopter, node, edges, j);

			if (target == UINT32_MAX || !adopter->leads[target] || !like[target])
				continue;
			like[target] = 0;
			pending[pending_count++] = target;
		}
	}
	return true;
}

static bool adopt(struct adopter *adopter)
{
	const struct bc_graph *graph = adopter->graph;
	uint32_t *like = bc_arena_zalloc(adopter->scratch, graph->type_count, sizeof(*like),
					 adopter->err);

	if (!like || !find_like(adopter, like) || !keep_leading(adopter, like))
		return false;
	for (uint32_t id = graph->first_id; id < bc_id_end(graph); id++) {
		uint32_t target = adopter->redirect[id];

		if (target >= graph->first_id && like[target - graph->first_id])
			adopter->redirect[id] = like[target - graph->first_id];
	}
	return true;
}

bool bc_adopt_base_types(uint32_t *redirect, const struct bc_graph *graph,
			 const struct bc_string_ranks *ranks, bool match_forwards,
			 struct bc_arena *scratch, struct bc_err *err)
{
	struct adopter adopter = {
		.graph = graph,
		.ranks = ranks,
		.redirect = redirect,
		.match_forwards = match_forwards,
		.scratch = scratch,
		.err = err,
	};

	return make_matching(&adopter) && find_leading(&adopter) && adopt(&adopter);
}

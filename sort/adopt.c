/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The passes, in order. After
 *   make_matching   it is known by which redirection types are compared: own bodies
 *                   stand for the base's forwards, and base types that cannot be own
 *                   ones, which are most, for one of them;
 *   find_leading    own types that lead to such a body are marked;
 *   find_like       (a partition of what is left) each own type knows the base's type
 *                   that nothing tells from it;
 *   keep_leading    what leads to a body has none any more, but for structs of the base.
 * Cost: a look at each base type and its name; the rest grows with the own part.
 */
#include "sort/adopt.h"

#include <string.h>

#include "base/hash.h"
#include "base/order.h"
#include "sort/forwards.h"
#include "sort/labels.h"

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

bool bc_refers_to_base(const struct bc_graph *graph)
{
	for (uint32_t i = 0; i < graph->type_count; i++) {
		const uint32_t *node = bc_own_node(graph, i);
		struct bc_edges edges = bc_edges(node);

		for (uint32_t j = 0; j < edges.count; j++) {
			uint32_t id = bc_edge(node, edges, j);

			if (id && id < graph->first_id)
				return true;
		}
	}
	return false;
}

/* ---- which types of the base can be own ones ---- */

/* All of a label in one number; labels that differ may share it. */
static uint64_t label_hash(const struct bc_universe *universe, const uint32_t *node)
{
	uint64_t hash = bc_label_key(universe, node);
	uint32_t length = bc_label_length(node);

	for (uint32_t j = 0; j < length; j++)
		hash = bc_hash_mix(hash, bc_label_value(universe, node, j));
	return hash;
}

/* Of own types' labels, sorted. */
struct own_labels {
	struct bc_keyed *keys, *hashes;
	uint32_t count;
};

static bool list_own_labels(struct adopter *adopter, struct own_labels *labels)
{
	const struct bc_graph *graph = adopter->graph;
	struct bc_universe universe = { graph, 1, NULL, adopter->ranks, NULL };
	uint32_t count = graph->type_count;
	struct bc_keyed *spare;

	labels->count = count;
	labels->keys = bc_arena_alloc(adopter->scratch, count, sizeof(*spare), adopter->err);
	labels->hashes = bc_arena_alloc(adopter->scratch, count, sizeof(*spare), adopter->err);
	spare = bc_arena_alloc(adopter->scratch, count, sizeof(*spare), adopter->err);
	if (!labels->keys || !labels->hashes || !spare)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *node = bc_own_node(graph, i);

		labels->keys[i].key = bc_label_key(&universe, node);
		labels->hashes[i].key = label_hash(&universe, node);
	}
	bc_sort_keyed(labels->keys, spare, count);
	bc_sort_keyed(labels->hashes, spare, count);
	return true;
}

static bool has_key(const struct bc_keyed *keys, uint32_t count, uint64_t key)
{
	uint32_t at = bc_find_keyed(keys, count, key);

	return at < count && keys[at].key == key;
}

/* Whether a reference of NODE stands for TARGET. */
static bool refers_to(const uint32_t *node, const uint32_t *standing_for, uint32_t target)
{
	struct bc_edges edges = bc_edges(node);

	for (uint32_t i = 0; i < edges.count; i++)
		if (standing_for[bc_edge(node, edges, i)] == target)
			return true;
	return false;
}

/* Whether an own type may have the label of a base type: its strings first, which costs least. */
static bool is_own_label(const struct adopter *adopter, const struct own_labels *labels,
			 const uint32_t *node)
{
	struct bc_universe universe = { adopter->graph, 1, NULL, adopter->ranks, NULL };

	return bc_string_rank(adopter->ranks, node[0]) < adopter->ranks->sorted &&
	       has_key(labels->keys, labels->count, bc_label_key(&universe, node)) &&
	       has_key(labels->hashes, labels->count, label_hash(&universe, node));
}

/* Lists in LEFT the base's types that may be own ones by label; all others stand for the first, *OTHER. */
static bool leave_out_by_label(struct adopter *adopter, uint32_t *matching, uint32_t *left,
			       uint32_t *left_count, uint32_t *other)
{
	const struct bc_graph *graph = adopter->graph;
	uint8_t *stays = bc_arena_zalloc(adopter->scratch, graph->first_id, 1, adopter->err);
	struct own_labels labels;

	if (!stays || !list_own_labels(adopter, &labels))
		return false;
	for (uint32_t id = graph->first_id; id < bc_id_end(graph); id++)
		if (matching[id] < graph->first_id)
			stays[matching[id]] = 1;
	*left_count = *other = 0;
	for (uint32_t id = 1; id < graph->first_id; id++) {
		const uint32_t *node = bc_node(graph, id);
		uint32_t kind = bc_node_kind(node);

		if (stays[id] || kind == BC_DECL_TAG || kind == BC_DATASEC || kind == BC_VAR)
			continue;
		if (is_own_label(adopter, &labels, node)) {
			left[(*left_count)++] = id;
			continue;
		}
		*other = *other ? *other : id;
		matching[id] = *other;
	}
	return true;
}

/*
 * Base types whose label no own type has can be none of them, nor can those
 * that refer to such: all stand for one of them, so that they need not be put
 * in order. Those that own types stand for already stay, and tags,
 * variables and sections, which say something about other types.
 */
static bool leave_out_others(struct adopter *adopter, uint32_t *matching)
{
	const struct bc_graph *graph = adopter->graph;
	uint32_t *left = bc_arena_alloc(adopter->scratch, graph->first_id, sizeof(*left),
					adopter->err);
	uint32_t count, other, before;

	if (!left || !leave_out_by_label(adopter, matching, left, &count, &other))
		return false;
	if (!other)
		return true;
	do {
		before = count;
		count = 0;
		for (uint32_t i = 0; i < before; i++) {
			if (refers_to(bc_node(graph, left[i]), matching, other))
				matching[left[i]] = other;
			else
				left[count++] = left[i];
		}
		/* Each time it costs a look at all that are left: the last few may as well stay. */
	} while (before - count > before / 16);
	return true;
}

/*
 * By which redirection own types are compared with the base's: own bodies may
 * stand for the base's forwards, and much of the base for nothing.
 */
static bool make_matching(struct adopter *adopter)
{
	uint32_t id_end = bc_id_end(adopter->graph);
	uint32_t *copy = bc_arena_alloc(adopter->scratch, id_end, sizeof(*copy), adopter->err);

	if (!copy)
		return false;
	memcpy(copy, adopter->redirect, id_end * sizeof(*copy));
	if (adopter->match_forwards &&
	    !bc_forwards_match_base(copy, adopter->graph, adopter->ranks, adopter->err))
		return false;
	if (!bc_refers_to_base(adopter->graph) && !leave_out_others(adopter, copy))
		return false;
	/* What stood for something that stands for something else now: in one step. */
	for (uint32_t id = 1; id < id_end; id++)
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
	struct bc_universe universe = { graph, 1, adopter->matching, adopter->ranks, NULL };
	struct bc_partition partition;
	uint32_t *lowest; /* by class */

	if (!bc_partition_compute(&partition, &universe, adopter->scratch, adopter->err))
		return false;
	lowest = bc_arena_zalloc(adopter->scratch, partition.class_count, sizeof(*lowest),
				 adopter->err);
	if (!lowest)
		return false;
	for (uint32_t id = 1; id < graph->first_id; id++) {
		uint32_t class_number = partition.class_of[id - 1];

		if (adopter->matching[id] == id && !lowest[class_number])
			lowest[class_number] = id;
	}
	for (uint32_t i = 0; i < graph->type_count; i++) {
		uint32_t id = graph->first_id + i;

		if (adopter->redirect[id] == id && may_adopt(adopter, id))
			like[i] = lowest[partition.class_of[id - 1]];
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

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The passes, in order. After
 *   bc_string_ranks_compute   strings are numbers that sort like them;
 *   bc_forwards_settle        (if asked) a forward stands for its body;
 *   adopt_base_types          (split BTF) what the base has stands for the base's type;
 *   bc_partition_compute      types are in canonical order, duplicates in one class;
 *   bc_sort_by_name           (if asked) classes are in name order;
 *   bc_renumber               the new graph exists.
 */
#include "sort/canonical.h"

#include <string.h>

#include "base/clock.h"
#include "base/order.h"
#include "sort/by_name.h"
#include "sort/forwards.h"
#include "sort/labels.h"
#include "sort/partition.h"
#include "sort/renumber.h"

struct pass {
	const struct bc_graph *in;
	const struct bc_canonical_options *options;
	struct bc_canonical_stats *stats;
	struct bc_string_ranks ranks;
	struct bc_universe universe;
	struct bc_partition partition;
	uint32_t *redirect; /* NULL: nothing can stand for something else */
	struct bc_arena *scratch;
	struct bc_err *err;
};

/*
 * Whether an own type may become a type of the base. Variables and sections
 * stay, whatever the base has, and so does the tag of one that stays.
 */
static bool may_adopt(const struct bc_graph *graph, const uint32_t *node)
{
	uint32_t kind = bc_node_kind(node);

	if (kind == BC_DECL_TAG && node[2] >= graph->first_id)
		kind = bc_id_kind(graph, node[2]);
	return kind != BC_VAR && kind != BC_DATASEC;
}

/* Label keys of own types, sorted. */
static bool list_own_keys(struct pass *pass, struct bc_keyed **keys)
{
	const struct bc_graph *graph = pass->in;
	struct bc_universe universe = { graph, 1, NULL, &pass->ranks };
	struct bc_keyed *spare;

	*keys = bc_arena_alloc(pass->scratch, graph->type_count, sizeof(**keys), pass->err);
	spare = bc_arena_alloc(pass->scratch, graph->type_count, sizeof(*spare), pass->err);
	if (!*keys || !spare)
		return false;
	for (uint32_t i = 0; i < graph->type_count; i++)
		(*keys)[i].key = bc_label_key(&universe, bc_own_node(graph, i));
	bc_sort_keyed(*keys, spare, graph->type_count);
	return true;
}

static bool has_key(const struct bc_keyed *keys, uint32_t count, uint64_t key)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (keys[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && keys[low].key == key;
}

/* Whether own types name types of the base, as they do unless an encoder just made them. */
static bool refers_to_base(const struct bc_graph *graph)
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

/* Whether a reference of NODE stands for TARGET. */
static bool refers_to(const uint32_t *node, const uint32_t *standing_for, uint32_t target)
{
	struct bc_edges edges = bc_edges(node);

	for (uint32_t i = 0; i < edges.count; i++)
		if (standing_for[bc_edge(node, edges, i)] == target)
			return true;
	return false;
}

/* Leaving out more costs a look at all edges: three looks find most of it. */
#define SPREAD_PASSES 3

/*
 * Base types whose kind, vlen and name no own type has can be none of them, nor
 * can those that refer to such: all stand for one of them, so that they need
 * not be put in order. Those that
 * own types stand for already stay, and tags, variables and sections, which
 * say something about other types.
 */
static bool leave_out_others(struct pass *pass, uint32_t *matching)
{
	const struct bc_graph *graph = pass->in;
	struct bc_universe universe = { graph, 1, NULL, &pass->ranks };
	uint8_t *stays = bc_arena_zalloc(pass->scratch, graph->first_id, 1, pass->err);
	uint32_t other = 0;
	struct bc_keyed *keys;

	if (!stays || !list_own_keys(pass, &keys))
		return false;
	for (uint32_t id = graph->first_id; id < bc_id_end(graph); id++)
		if (matching[id] < graph->first_id)
			stays[matching[id]] = 1;
	for (uint32_t id = 1; id < graph->first_id; id++) {
		const uint32_t *node = bc_node(graph, id);
		uint32_t kind = bc_node_kind(node);

		stays[id] |= kind == BC_DECL_TAG || kind == BC_DATASEC || kind == BC_VAR;
		if (stays[id] || has_key(keys, graph->type_count, bc_label_key(&universe, node)))
			continue;
		other = other ? other : id;
		matching[id] = other;
	}
	for (uint32_t pass_number = 0; other && pass_number < SPREAD_PASSES; pass_number++)
		for (uint32_t id = 1; id < graph->first_id; id++)
			if (matching[id] == id && id != other && !stays[id] &&
			    refers_to(bc_node(graph, id), matching, other))
				matching[id] = other;
	return true;
}

/*
 * By which redirection own types are compared with the base's: own bodies may
 * stand for the base's forwards, and much of the base for nothing.
 */
static bool make_matching(struct pass *pass, const uint32_t **matching)
{
	uint32_t id_end = bc_id_end(pass->in);
	uint32_t *copy = bc_arena_alloc(pass->scratch, id_end, sizeof(*copy), pass->err);

	if (!copy)
		return false;
	memcpy(copy, pass->redirect, id_end * sizeof(*copy));
	if (pass->options->match_base_forwards &&
	    !bc_forwards_match_base(copy, pass->in, &pass->ranks, pass->err))
		return false;
	if (!refers_to_base(pass->in) && !leave_out_others(pass, copy))
		return false;
	/* What stood for something that stands for something else now: in one step. */
	for (uint32_t id = 1; id < id_end; id++)
		copy[id] = copy[copy[id]];
	*matching = copy;
	return true;
}

/* Own types that are bisimilar to one of the base stand for it; of several, the lowest. */
static bool adopt_base_types(struct pass *pass)
{
	const struct bc_graph *graph = pass->in;
	struct bc_universe universe = { graph, 1, NULL, &pass->ranks };
	struct bc_partition partition;
	uint32_t *adopted;

	if (!make_matching(pass, &universe.redirect) ||
	    !bc_partition_compute(&partition, &universe, pass->scratch, pass->err))
		return false;
	adopted = bc_arena_zalloc(pass->scratch, partition.class_count, sizeof(*adopted),
				  pass->err);
	if (!adopted)
		return false;
	for (uint32_t id = 1; id < graph->first_id; id++) {
		uint32_t class_number = partition.class_of[id - 1];

		if (universe.redirect[id] == id && !adopted[class_number])
			adopted[class_number] = id;
	}
	for (uint32_t id = graph->first_id; id < bc_id_end(graph); id++) {
		uint32_t target = pass->redirect[id];

		/* Own bodies that are matched as forwards stay what they are. */
		if (target < graph->first_id || universe.redirect[target] != target ||
		    !may_adopt(graph, bc_node(graph, target)))
			continue;
		if (adopted[partition.class_of[target - 1]])
			pass->redirect[id] = adopted[partition.class_of[target - 1]];
	}
	return true;
}

static bool make_redirect(struct pass *pass)
{
	uint32_t id_end = bc_id_end(pass->in);

	if (!pass->in->base && !pass->options->settle_forwards)
		return true;
	pass->redirect = bc_arena_alloc(pass->scratch, id_end, sizeof(uint32_t), pass->err);
	if (!pass->redirect)
		return false;
	for (uint32_t id = 0; id < id_end; id++)
		pass->redirect[id] = id;
	if (pass->options->settle_forwards &&
	    !bc_forwards_settle(pass->redirect, &pass->stats->settled, pass->in, &pass->ranks,
				pass->err))
		return false;
	return !pass->in->base || adopt_base_types(pass);
}

static bool put_in_order(struct pass *pass, uint32_t **representatives)
{
	const struct bc_partition *partition = &pass->partition;
	uint32_t count = 0;

	pass->universe = (struct bc_universe){ pass->in, pass->in->first_id, pass->redirect,
					       &pass->ranks };
	if (!bc_partition_compute(&pass->partition, &pass->universe, pass->scratch, pass->err))
		return false;
	*representatives = bc_arena_alloc(pass->scratch, partition->class_count, sizeof(uint32_t),
					  pass->err);
	if (!*representatives)
		return false;
	for (uint32_t at = 0; at < partition->placed; count++) {
		(*representatives)[count] = partition->order[at];
		at += partition->class_size[partition->class_of[partition->order[at]]];
	}
	return pass->options->order != BC_ORDER_NAME ||
	       bc_sort_by_name(*representatives, &pass->universe, partition, pass->err);
}

static bool run_passes(struct pass *pass, struct bc_graph *out, uint32_t *new_id,
		       struct bc_arena *arena)
{
	struct bc_canonical_stats *stats = pass->stats;
	uint64_t begin = bc_clock_ns(), ordered;
	uint32_t *representatives;

	if (!bc_string_ranks_compute(&pass->ranks, pass->in, pass->options->kept, pass->scratch,
				     pass->err))
		return false;
	stats->ns_strings = bc_clock_ns() - begin;
	if (!make_redirect(pass) || !put_in_order(pass, &representatives))
		return false;
	ordered = bc_clock_ns();
	if (!bc_renumber(out, new_id, &pass->universe, &pass->partition, representatives,
			 pass->options->kept, pass->options->kept_offsets, arena, pass->err))
		return false;
	stats->ns_labels = pass->partition.ns_labels;
	stats->ns_renumber = bc_clock_ns() - ordered;
	stats->ns_refine = ordered - begin - stats->ns_strings - stats->ns_labels;
	stats->types_in = pass->in->type_count;
	stats->types_out = out->type_count;
	stats->merged = stats->types_in - stats->types_out - stats->settled;
	stats->rounds = pass->partition.rounds;
	stats->strings = pass->ranks.distinct;
	return true;
}

bool bc_canonical(struct bc_graph *out, const struct bc_graph *in,
		  const struct bc_canonical_options *options, struct bc_arena *arena,
		  const uint32_t **new_id, struct bc_canonical_stats *stats, struct bc_err *err)
{
	struct bc_arena scratch = { 0 };
	struct bc_canonical_stats unwanted = { 0 };
	struct pass pass = {
		.in = in,
		.options = options,
		.stats = stats ? stats : &unwanted,
		.scratch = &scratch,
		.err = err,
	};
	struct bc_graph result;
	uint32_t *ids;
	bool done;

	if (in->has_unknown_kind)
		return bc_err_set(err, "it has a kind not known here: type ids in it cannot be "
				       "renumbered");
	*pass.stats = (struct bc_canonical_stats){ 0 };
	ids = bc_arena_alloc(arena, in->type_count, sizeof(*ids), err);
	done = ids && run_passes(&pass, &result, ids, arena);
	if (done) {
		*out = result;
		if (new_id)
			*new_id = ids;
	}
	bc_arena_free(&scratch);
	return done;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Passes: [bc_pair] says what became what. [find_changes] compares each pair,
 * and takes what has no partner as added or removed. [mark_reached] follows
 * references backwards from all that changed, for what is changed indirectly.
 * [sort_differences] puts them in the order of every report.
 */
#include "compare/difference.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/room.h"
#include "compare/alike.h"
#include "compare/details.h"
#include "compare/pair.h"

struct finder {
	struct bc_comparison *comparison;
	const struct bc_compare_options *options;
	struct bc_alike alike;
	struct bc_details details;
	struct bc_difference *items; /* malloc */
	uint32_t count, limit;
	uint8_t *reached[2]; /* by id: leads to something that changed */
	struct bc_arena scratch;
	struct bc_err *err;
};

static const char *const rank_words[BC_KIND_RANKS] = {
	"struct", "union", "enum", "typedef", "func", "var", "int", "float", "section", "unknown",
};

const char *bc_rank_word(uint32_t rank)
{
	return rank_words[rank];
}

uint32_t bc_kind_rank(const uint32_t *node)
{
	const char *word = bc_kind_word(node);
	uint32_t rank = 0;

	while (strcmp(rank_words[rank], word))
		rank++;
	return rank;
}

static bool add_difference(struct finder *finder, enum bc_change change, uint32_t old_id,
			   uint32_t new_id, uint32_t first_detail)
{
	if (!bc_make_room(&finder->items, &finder->limit, (uint64_t)finder->count + 1,
			  sizeof(*finder->items), finder->err))
		return false;
	finder->items[finder->count++] = (struct bc_difference){
		.change = change,
		.old_id = old_id,
		.new_id = new_id,
		.first_detail = first_detail,
		.detail_count = finder->details.count - first_detail,
	};
	return true;
}

/* Has the type a place of its own in a report? */
static bool is_listed(const struct bc_side *side, uint32_t id)
{
	const uint32_t *node = bc_node(side->graph, id);

	if (bc_class_of(node) == BC_CLASS_NONE)
		return false;
	return bc_node_is_named(node, side->graph) || bc_kind_is_enum(bc_node_kind(node));
}

/* A forward declaration beside a definition says nothing more. */
static bool is_idle_forward(const struct bc_side *side, uint32_t id)
{
	const uint32_t *node = bc_node(side->graph, id);
	const char *name = bc_string(side->graph, node[0]);
	uint64_t steps = 0;

	return bc_node_kind(node) == BC_FWD &&
	       bc_side_find(side, bc_node_tag_kind(node), name, &steps);
}

static bool compare_pair(struct finder *finder, uint32_t old_id, uint32_t new_id)
{
	uint32_t first_detail = finder->details.count;
	bool same;

	if (!bc_alike_bodies(&finder->alike, old_id, new_id, &same))
		return false;
	if (same)
		return true;
	return bc_details_find(&finder->details, old_id, new_id) &&
	       add_difference(finder, BC_CHANGED, old_id, new_id, first_detail);
}

static bool add_single(struct finder *finder, unsigned int which, uint32_t id)
{
	const struct bc_side *side = &finder->comparison->sides[which];

	if (is_idle_forward(side, id))
		return true;
	return add_difference(finder, which == BC_NEW ? BC_ADDED : BC_REMOVED,
			      which == BC_NEW ? 0 : id, which == BC_NEW ? id : 0,
			      finder->details.count);
}

/* Everything on the old side, then what only the new side has; bases are not looked at for themselves. */
static bool find_changes(struct finder *finder)
{
	const struct bc_side *old_side = &finder->comparison->sides[BC_OLD];
	const struct bc_side *new_side = &finder->comparison->sides[BC_NEW];

	for (uint32_t id = 1; id < old_side->id_end; id++) {
		uint32_t partner = old_side->partner[id];

		if (!is_listed(old_side, id) ||
		    (!bc_side_owns(old_side, id) && (!partner || !bc_side_owns(new_side, partner))))
			continue;
		if (partner ? !compare_pair(finder, id, partner) : !add_single(finder, BC_OLD, id))
			return false;
	}
	for (uint32_t id = new_side->graph->first_id; id < new_side->id_end; id++)
		if (is_listed(new_side, id) && !new_side->partner[id] &&
		    !add_single(finder, BC_NEW, id))
			return false;
	return true;
}

/* ---- indirect changes ---- */

/* Who refers to a type, by its id: REFERRERS[first[id] … first[id + 1] - 1]. */
struct referrers {
	uint32_t *first;
	uint32_t *ids;
};

static bool list_referrers(struct finder *finder, const struct bc_side *side,
			   struct referrers *referrers)
{
	uint32_t *at;

	referrers->first = bc_arena_zalloc(&finder->scratch, (size_t)side->id_end + 2,
					   sizeof(uint32_t), finder->err);
	if (!referrers->first)
		return false;
	/* Counted one place too far, summed, and then filled in: first[] ends where it should. */
	at = referrers->first + 1;
	for (unsigned int pass = 0; pass < 2; pass++) {
		for (uint32_t id = 1; id < side->id_end; id++) {
			const uint32_t *node = bc_node(side->graph, id);
			struct bc_edges edges = bc_edges(node);

			for (uint32_t i = 0; i < edges.count; i++) {
				uint32_t target = bc_edge(node, edges, i);

				if (pass)
					referrers->ids[at[target]] = id;
				at[target + !pass]++;
			}
		}
		if (pass)
			break;
		for (uint32_t id = 1; id <= side->id_end; id++)
			at[id] += at[id - 1];
		referrers->ids = bc_arena_alloc(&finder->scratch, at[side->id_end],
						sizeof(uint32_t), finder->err);
		if (!referrers->ids)
			return false;
	}
	return true;
}

static bool mark_reached(struct finder *finder, unsigned int which)
{
	const struct bc_side *side = &finder->comparison->sides[which];
	struct referrers referrers;
	uint32_t *stack = bc_arena_alloc(&finder->scratch, side->id_end, sizeof(*stack),
					 finder->err);
	uint32_t depth = 0;

	finder->reached[which] = bc_arena_zalloc(&finder->scratch, side->id_end, 1, finder->err);
	if (!stack || !finder->reached[which] || !list_referrers(finder, side, &referrers))
		return false;
	for (uint32_t i = 0; i < finder->count; i++) {
		uint32_t id = which == BC_NEW ? finder->items[i].new_id : finder->items[i].old_id;

		if (id && !finder->reached[which][id]) {
			finder->reached[which][id] = 2;
			stack[depth++] = id;
		}
	}
	while (depth) {
		uint32_t id = stack[--depth];

		for (uint32_t i = referrers.first[id]; i < referrers.first[id + 1]; i++) {
			uint32_t referrer = referrers.ids[i];

			if (finder->reached[which][referrer])
				continue;
			finder->reached[which][referrer] = 1;
			stack[depth++] = referrer;
		}
	}
	return true;
}

static bool find_indirect(struct finder *finder)
{
	const struct bc_side *old_side = &finder->comparison->sides[BC_OLD];
	const struct bc_side *new_side = &finder->comparison->sides[BC_NEW];

	if (!mark_reached(finder, BC_OLD) || !mark_reached(finder, BC_NEW))
		return false;
	for (uint32_t id = 1; id < old_side->id_end; id++) {
		uint32_t partner = old_side->partner[id];

		if (!partner || !is_listed(old_side, id) ||
		    bc_id_kind(old_side->graph, id) == BC_DATASEC ||
		    (!bc_side_owns(old_side, id) && !bc_side_owns(new_side, partner)) ||
		    finder->reached[BC_OLD][id] == 2 || finder->reached[BC_NEW][partner] == 2)
			continue;
		if ((finder->reached[BC_OLD][id] || finder->reached[BC_NEW][partner]) &&
		    !add_difference(finder, BC_INDIRECT, id, partner, finder->details.count))
			return false;
	}
	return true;
}

/* ---- order ---- */

static int compare_differences(const void *context, uint32_t a, uint32_t b)
{
	const struct finder *finder = context;
	const struct bc_difference *x = &finder->items[a], *y = &finder->items[b];
	const struct bc_comparison *comparison = finder->comparison;
	int order = bc_compare_u64(bc_kind_rank(bc_difference_node(comparison, x)),
				   bc_kind_rank(bc_difference_node(comparison, y)));

	if (!order)
		order = strcmp(bc_difference_name(comparison, x),
			       bc_difference_name(comparison, y));
	if (!order)
		order = (x->change > y->change) - (x->change < y->change);
	if (!order)
		order = bc_compare_u64(x->new_id ? x->new_id : x->old_id,
				       y->new_id ? y->new_id : y->old_id);
	return order;
}

static bool sort_differences(struct finder *finder)
{
	struct bc_comparison *comparison = finder->comparison;
	uint32_t *order = bc_arena_alloc(&finder->scratch, finder->count, sizeof(*order),
					 finder->err);
	uint32_t *spare = bc_arena_alloc(&finder->scratch, finder->count, sizeof(*spare),
					 finder->err);

	comparison->differences = bc_arena_alloc(&comparison->arena, finder->count,
						 sizeof(*comparison->differences), finder->err);
	comparison->details = bc_arena_alloc(&comparison->arena, finder->details.count,
					     sizeof(*comparison->details), finder->err);
	if (!order || !spare || !comparison->differences || !comparison->details)
		return false;
	for (uint32_t i = 0; i < finder->count; i++)
		order[i] = i;
	bc_sort_compared(order, spare, finder->count, compare_differences, finder);
	for (uint32_t i = 0; i < finder->count; i++)
		comparison->differences[i] = finder->items[order[i]];
	comparison->count = finder->count;
	if (finder->details.count)
		memcpy(comparison->details, finder->details.items,
		       finder->details.count * sizeof(*comparison->details));
	comparison->detail_count = finder->details.count;
	return true;
}

static bool find_all(struct finder *finder)
{
	struct bc_comparison *comparison = finder->comparison;

	return bc_pair(comparison->sides, finder->err) &&
	       bc_alike_open(&finder->alike, comparison->sides, &finder->scratch, finder->err) &&
	       find_changes(finder) && (!finder->options->indirect || find_indirect(finder)) &&
	       sort_differences(finder);
}

bool bc_compare_graphs(struct bc_comparison *comparison, const struct bc_graph *old_graph,
		       const struct bc_graph *new_graph, const struct bc_compare_options *options,
		       struct bc_err *err)
{
	struct finder finder = { .comparison = comparison, .options = options, .err = err };
	bool found;

	*comparison = (struct bc_comparison){ 0 };
	finder.details = (struct bc_details){
		.sides = comparison->sides,
		.alike = &finder.alike,
		.arena = &comparison->arena,
		.err = err,
	};
	found = bc_side_make(&comparison->sides[BC_OLD], old_graph, &comparison->arena, err) &&
		bc_side_make(&comparison->sides[BC_NEW], new_graph, &comparison->arena, err) &&
		find_all(&finder);
	bc_alike_close(&finder.alike);
	free(finder.items);
	free(finder.details.items);
	bc_arena_free(&finder.details.scratch);
	bc_arena_free(&finder.scratch);
	return found;
}

void bc_compare_close(struct bc_comparison *comparison)
{
	bc_arena_free(&comparison->arena);
	*comparison = (struct bc_comparison){ 0 };
}

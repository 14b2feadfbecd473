/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "sort/contexts.h"

#include <string.h>

#include "base/search.h"
#include "sort/labels.h"

struct collector {
	const struct bc_universe *universe;
	const struct bc_partition *partition;
	struct bc_contexts *contexts;
	bool counting; /* first run: only count */
};

static const struct bc_graph *part_of(const struct bc_graph *graph, uint32_t id)
{
	while (id < graph->first_id)
		graph = graph->base;
	return graph;
}

static void collect_one(struct collector *collector, uint32_t from_id, uint32_t target_id,
			struct bc_context_item item)
{
	const struct bc_universe *universe = collector->universe;
	const struct bc_partition *partition = collector->partition;
	struct bc_contexts *contexts = collector->contexts;

	target_id = bc_universe_target(universe, target_id);
	if (target_id < universe->lowest_id ||
	    part_of(universe->graph, from_id) != part_of(universe->graph, target_id))
		return;
	item.owner = target_id - universe->lowest_id;
	if (partition->class_size[partition->class_of[item.owner]] < 2)
		return;
	if (!collector->counting)
		contexts->items[contexts->item_count] = item;
	contexts->item_count++;
}

static void collect_node(struct collector *collector, uint32_t id, const uint32_t *node)
{
	const struct bc_string_ranks *ranks = collector->universe->ranks;
	struct bc_context_item item = { 0 };
	uint32_t count = bc_element_count(node[1]);

	if (bc_node_kind(node) == BC_DECL_TAG) {
		item.words[0] = bc_label_signed(node[3]);
		item.words[1] = bc_string_rank(ranks, node[0]);
		item.words[2] = bc_info_kflag(node[1]);
		collect_one(collector, id, node[2], item);
	} else if (bc_node_kind(node) == BC_DATASEC) {
		item.is_place = true;
		item.words[0] = bc_string_rank(ranks, node[0]);
		for (uint32_t i = 0; i < count; i++) {
			const uint32_t *entry = bc_element(node, i);

			item.words[1] = entry[1];
			item.words[2] = entry[2];
			if (bc_id_kind(collector->universe->graph, entry[0]) == BC_VAR)
				collect_one(collector, id, entry[0], item);
		}
	}
}

/* Where the types of kind KIND begin, or those of the next one that there is: the order is by kind. */
static uint32_t find_kind(const struct collector *collector, uint32_t kind)
{
	const struct bc_universe *universe = collector->universe;
	const uint32_t *order = collector->partition->order;
	struct bc_search search = bc_search_among(collector->partition->placed);

	while (bc_search_goes_on(&search)) {
		const uint32_t *node = bc_node(universe->graph,
					       universe->lowest_id + order[search.middle]);

		bc_search_step(&search, bc_node_kind(node) < kind);
	}
	return search.low;
}

static void collect_all(struct collector *collector)
{
	static const uint32_t kinds[] = { BC_DATASEC, BC_DECL_TAG };

	collector->contexts->item_count = 0;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		uint32_t end = find_kind(collector, kinds[k] + 1);

		for (uint32_t i = find_kind(collector, kinds[k]); i < end; i++) {
			uint32_t id = collector->universe->lowest_id +
				      collector->partition->order[i];

			collect_node(collector, id, bc_node(collector->universe->graph, id));
		}
	}
}

static int compare_words(const struct bc_context_item *a, const struct bc_context_item *b)
{
	int order = bc_compare_u64(a->is_place, b->is_place);

	for (int i = 0; !order && i < 3; i++)
		order = bc_compare_u64(a->words[i], b->words[i]);
	return order;
}

static int compare_items(const void *context, uint32_t a, uint32_t b)
{
	const struct bc_context_item *items = context;
	int order = bc_compare_u64(items[a].owner, items[b].owner);

	return order ? order : compare_words(&items[a], &items[b]);
}

/* Sorts the items and keeps each once. */
static bool sort_items(struct bc_contexts *contexts, struct bc_arena *arena, struct bc_err *err)
{
	uint32_t count = contexts->item_count, kept = 0;
	uint32_t *numbers = bc_arena_alloc(arena, count, sizeof(*numbers), err);
	uint32_t *spare = bc_arena_alloc(arena, count, sizeof(*spare), err);
	struct bc_context_item *sorted = bc_arena_alloc(arena, count, sizeof(*sorted), err);

	if (!numbers || !spare || !sorted)
		return false;
	for (uint32_t i = 0; i < count; i++)
		numbers[i] = i;
	bc_sort_compared(numbers, spare, count, compare_items, contexts->items);
	for (uint32_t i = 0; i < count; i++) {
		struct bc_context_item item = contexts->items[numbers[i]];

		if (kept && sorted[kept - 1].owner == item.owner &&
		    !compare_words(&sorted[kept - 1], &item))
			continue;
		if (!kept || sorted[kept - 1].owner != item.owner)
			contexts->first_item[item.owner] = kept;
		sorted[kept++] = item;
	}
	contexts->items = sorted;
	contexts->item_count = kept;
	return true;
}

bool bc_contexts_collect(struct bc_contexts *contexts, const struct bc_universe *universe,
			 const struct bc_partition *partition, struct bc_arena *arena,
			 struct bc_err *err)
{
	struct collector collector = { universe, partition, contexts, .counting = true };

	collect_all(&collector);
	contexts->items = bc_arena_alloc(arena, contexts->item_count, sizeof(*contexts->items),
					 err);
	contexts->first_item = bc_arena_alloc(arena, partition->count,
					      sizeof(*contexts->first_item), err);
	if (!contexts->items || !contexts->first_item)
		return false;
	memset(contexts->first_item, 0xff, partition->count * sizeof(*contexts->first_item));
	collector.counting = false;
	collect_all(&collector);
	return sort_items(contexts, arena, err);
}

static bool is_in_set(const struct bc_contexts *contexts, uint32_t at, uint32_t owner,
		      bool is_place)
{
	return at < contexts->item_count && contexts->items[at].owner == owner &&
	       contexts->items[at].is_place == is_place;
}

/* Walks one of two sets, tags or places, of A and B; *A and *B are past it where they agree. */
static int compare_set(const struct bc_contexts *contexts, uint32_t *at_a, uint32_t owner_a,
		       uint32_t *at_b, uint32_t owner_b, bool is_place)
{
	for (;; ++*at_a, ++*at_b) {
		bool has_a = is_in_set(contexts, *at_a, owner_a, is_place);
		bool has_b = is_in_set(contexts, *at_b, owner_b, is_place);
		int order;

		if (!has_a || !has_b)
			return has_a - has_b;
		order = compare_words(&contexts->items[*at_a], &contexts->items[*at_b]);
		if (order)
			return order;
	}
}

int bc_contexts_compare(const void *context, uint32_t a, uint32_t b)
{
	const struct bc_contexts *contexts = context;
	uint32_t at_a = contexts->first_item[a], at_b = contexts->first_item[b];
	int order = compare_set(contexts, &at_a, a, &at_b, b, false);

	return order ? order : compare_set(contexts, &at_a, a, &at_b, b, true);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "sort/by_name.h"

#include <string.h>

#include "base/order.h"

struct by_name {
	const struct bc_universe *universe;
	const struct bc_partition *partition;
	uint32_t *referrers; /* of a class: distinct classes that refer to it directly */
	uint32_t *seen_by;   /* of a class: the last one counted */
	struct bc_keyed *keyed, *spare;
	uint32_t *run, *spare_run;
};

static const uint32_t *node_of(const struct by_name *by_name, uint32_t type)
{
	return bc_own_node(by_name->universe->graph, type);
}

static void count_referrers(struct by_name *by_name, const uint32_t *representatives)
{
	const struct bc_partition *partition = by_name->partition;
	uint32_t lowest = by_name->universe->lowest_id;

	for (uint32_t i = 0; i < partition->class_count; i++) {
		const uint32_t *node = node_of(by_name, representatives[i]);
		struct bc_edges edges = bc_edges(node);

		for (uint32_t j = 0; j < edges.count; j++) {
			uint32_t id = bc_universe_target(by_name->universe,
							 bc_edge(node, edges, j));
			uint32_t class_number;

			if (id < lowest)
				continue;
			class_number = partition->class_of[id - lowest];
			if (by_name->seen_by[class_number] == i)
				continue;
			by_name->seen_by[class_number] = i;
			by_name->referrers[class_number]++;
		}
	}
}

/* Of two types of one kind and name, which a look-up should find. */
static int compare_same_named(const void *context, uint32_t a, uint32_t b)
{
	const struct by_name *by_name = context;
	const uint32_t *class_of = by_name->partition->class_of;
	const uint32_t *node_a = node_of(by_name, a), *node_b = node_of(by_name, b);
	int order = bc_compare_u64(by_name->referrers[class_of[b]],
				   by_name->referrers[class_of[a]]);

	if (!order)
		order = bc_compare_u64(bc_element_count(node_b[1]), bc_element_count(node_a[1]));
	if (!order)
		order = bc_compare_u64(bc_node_size_bytes(node_b), bc_node_size_bytes(node_a));
	if (!order)
		order = bc_compare_u64(by_name->partition->class_start[class_of[a]],
				       by_name->partition->class_start[class_of[b]]);
	return order;
}

static void sort_named(struct by_name *by_name, uint32_t *types, uint32_t count)
{
	struct bc_keyed *keyed = by_name->keyed;
	uint32_t begin, i;

	for (i = 0; i < count; i++) {
		const uint32_t *node = node_of(by_name, types[i]);
		uint64_t name = bc_string_rank(by_name->universe->ranks, node[0]);

		keyed[i] = (struct bc_keyed){ name << 7 | bc_node_kind(node), types[i] };
	}
	bc_sort_keyed(keyed, by_name->spare, count);
	for (i = 0; i < count; i++)
		types[i] = keyed[i].value;
	for (begin = 0; begin < count; begin = i) {
		for (i = begin + 1; i < count && keyed[i].key == keyed[begin].key; i++)
			;
		bc_sort_compared(types + begin, by_name->spare_run, i - begin, compare_same_named,
				 by_name);
	}
}

static bool sort_all(struct by_name *by_name, uint32_t *representatives, struct bc_arena *scratch,
		     struct bc_err *err)
{
	uint32_t count = by_name->partition->class_count, unnamed = 0;

	by_name->referrers = bc_arena_zalloc(scratch, count, sizeof(uint32_t), err);
	by_name->seen_by = bc_arena_alloc(scratch, count, sizeof(uint32_t), err);
	by_name->keyed = bc_arena_alloc(scratch, count, sizeof(*by_name->keyed), err);
	by_name->spare = bc_arena_alloc(scratch, count, sizeof(*by_name->spare), err);
	by_name->run = bc_arena_alloc(scratch, count, sizeof(uint32_t), err);
	by_name->spare_run = bc_arena_alloc(scratch, count, sizeof(uint32_t), err);
	if (!by_name->referrers || !by_name->seen_by || !by_name->keyed || !by_name->spare ||
	    !by_name->run || !by_name->spare_run)
		return false;
	memset(by_name->seen_by, 0xff, count * sizeof(uint32_t));
	count_referrers(by_name, representatives);
	/* Unnamed ones keep their order and come first; the others are set aside. */
	for (uint32_t i = 0, named = 0; i < count; i++) {
		uint32_t type = representatives[i];

		if (bc_string_rank(by_name->universe->ranks, node_of(by_name, type)[0]))
			by_name->run[named++] = type;
		else
			representatives[unnamed++] = type;
	}
	memcpy(representatives + unnamed, by_name->run, (count - unnamed) * sizeof(uint32_t));
	sort_named(by_name, representatives + unnamed, count - unnamed);
	return true;
}

bool bc_sort_by_name(uint32_t *representatives, const struct bc_universe *universe,
		     const struct bc_partition *partition, struct bc_err *err)
{
	struct by_name by_name = { .universe = universe, .partition = partition };
	struct bc_arena scratch = { 0 };
	bool done = sort_all(&by_name, representatives, &scratch, err);

	bc_arena_free(&scratch);
	return done;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "sort/forwards.h"

#include "base/order.h"
#include "sort/pairwise.h"

/* BC_STRUCT, BC_UNION, BC_ENUM: the kinds by which tags of one name are told apart. */
#define TAG_KINDS 3u

struct settler {
	const struct bc_graph *graph;
	const struct bc_string_ranks *ranks;
	struct bc_partition partition; /* with count 0: not computed */
	uint32_t *body;  /* [sorted strings * TAG_KINDS] id of the chosen one; 0: none */
	uint8_t *wanted; /* by the same: an own forward asks for it */
	struct bc_pairwise pairwise; /* what tells two bodies apart, with IN_PAIRS */
	bool in_pairs;
	bool ties; /* only the canonical order of all types can tell two bodies apart */
};

/* The slot of a tag's body; NULL for what is no tag, or none whose name the own part has. */
static uint32_t *find_slot(const struct settler *settler, const uint32_t *node)
{
	uint32_t tag_kind = bc_node_tag_kind(node), rank;

	if (!tag_kind)
		return NULL;
	rank = bc_string_rank(settler->ranks, node[0]);
	/* Rank 0 is no name: an unnamed type is nobody's body. */
	return rank && rank < settler->ranks->sorted ?
		       &settler->body[(size_t)rank * TAG_KINDS + tag_kind - BC_STRUCT] :
		       NULL;
}

static uint32_t place_of(const struct settler *settler, uint32_t id)
{
	return settler->partition.class_start[settler->partition.class_of[id - 1]];
}

/* Whether A makes the better body. */
static bool is_better(struct settler *settler, uint32_t a, uint32_t b)
{
	const struct bc_graph *graph = settler->graph;
	const uint32_t *node_a = bc_node(graph, a), *node_b = bc_node(graph, b);
	int order = bc_compare_u64(a < graph->first_id, b < graph->first_id);

	if (!order)
		order = bc_compare_u64(bc_info_vlen(node_a[1]), bc_info_vlen(node_b[1]));
	if (!order)
		order = bc_compare_u64(node_a[2], node_b[2]);
	if (!order && settler->partition.count)
		order = bc_compare_u64(place_of(settler, a), place_of(settler, b));
	else if (!order &&
		 !(settler->in_pairs && bc_pairwise_compare(&settler->pairwise, a, b, &order)))
		settler->ties = true;
	return order > 0;
}

static void choose_bodies(struct settler *settler)
{
	for (uint32_t id = 1; id < bc_id_end(settler->graph); id++) {
		const uint32_t *node = bc_node(settler->graph, id);
		uint32_t *slot;

		if (bc_node_is_forward(node))
			continue;
		slot = find_slot(settler, node);
		if (slot && settler->wanted[slot - settler->body] &&
		    (!*slot || is_better(settler, id, *slot)))
			*slot = id;
	}
}

static void want_bodies(struct settler *settler)
{
	const struct bc_graph *graph = settler->graph;

	for (uint32_t i = 0; i < graph->type_count; i++) {
		const uint32_t *node = bc_own_node(graph, i);
		uint32_t *slot = bc_node_is_forward(node) ? find_slot(settler, node) : NULL;

		if (slot)
			settler->wanted[slot - settler->body] = 1;
	}
}

/* The order of all types costs most: it is computed only where it decides. */
static bool choose_with_order(struct settler *settler, struct bc_arena *scratch, struct bc_err *err)
{
	struct bc_string_ranks ranks;
	struct bc_universe universe = { settler->graph, 1, NULL, &ranks, NULL };

	if (!bc_string_ranks_compute(&ranks, settler->graph, (struct bc_kept_strings){ 0 },
				     BC_BASE_STRINGS_IN_ORDER, NULL, scratch, err) ||
	    !bc_partition_compute(&settler->partition, &universe, scratch, err))
		return false;
	choose_bodies(settler);
	return true;
}

static bool has_forward(const struct bc_graph *graph)
{
	for (uint32_t i = 0; i < graph->type_count; i++)
		if (bc_node_is_forward(bc_own_node(graph, i)))
			return true;
	return false;
}

/* UNIVERSE: all types, for comparisons. */
static bool settle(struct settler *settler, const struct bc_universe *universe, uint32_t *redirect,
		   uint32_t *settled, struct bc_arena *scratch, struct bc_err *err)
{
	const struct bc_graph *graph = settler->graph;
	size_t slots = (size_t)settler->ranks->sorted * TAG_KINDS;

	settler->body = bc_arena_zalloc(scratch, slots, sizeof(*settler->body), err);
	settler->wanted = bc_arena_zalloc(scratch, slots, sizeof(*settler->wanted), err);
	if (!settler->body || !settler->wanted)
		return false;
	want_bodies(settler);
	/* The strings of a base are ranked in no order. */
	settler->in_pairs = !graph->base;
	if (settler->in_pairs && !bc_pairwise_begin(&settler->pairwise, universe, scratch, err))
		return false;
	choose_bodies(settler);
	if (settler->ties && !choose_with_order(settler, scratch, err))
		return false;
	for (uint32_t id = graph->first_id; id < bc_id_end(graph); id++) {
		const uint32_t *node = bc_node(graph, id);
		uint32_t *slot = bc_node_is_forward(node) ? find_slot(settler, node) : NULL;

		if (slot && *slot) {
			redirect[id] = *slot;
			++*settled;
		}
	}
	return true;
}

bool bc_forwards_settle(uint32_t *redirect, uint32_t *settled, const struct bc_graph *graph,
			const struct bc_string_ranks *ranks, struct bc_err *err)
{
	const struct bc_universe universe = { graph, 1, NULL, ranks, NULL };
	struct settler settler = { .graph = graph, .ranks = ranks };
	struct bc_arena scratch = { 0 };
	bool done;

	*settled = 0;
	if (!has_forward(graph))
		return true;
	done = settle(&settler, &universe, redirect, settled, &scratch, err);
	bc_arena_free(&scratch);
	return done;
}

/* What match_base knows of a tag, instead of a body's id. */
enum { BASE_HAS_BODY = UINT32_MAX };

bool bc_forwards_match_base(uint32_t *redirect, const struct bc_graph *graph,
			    const struct bc_string_ranks *ranks, struct bc_err *err)
{
	struct settler settler = { .graph = graph, .ranks = ranks };
	struct bc_arena scratch = { 0 };
	uint32_t *own; /* by slot: the own body; several: its tag stays */
	size_t slots = (size_t)ranks->sorted * TAG_KINDS;

	settler.body = bc_arena_zalloc(&scratch, slots, sizeof(*settler.body), err);
	own = bc_arena_zalloc(&scratch, slots, sizeof(*own), err);
	if (!settler.body || !own) {
		bc_arena_free(&scratch);
		return false;
	}
	for (uint32_t id = 1; id < graph->first_id; id++) {
		const uint32_t *node = bc_node(graph, id);
		uint32_t *slot = find_slot(&settler, node);

		if (slot && (!*slot || !bc_node_is_forward(node)))
			*slot = bc_node_is_forward(node) ? id : BASE_HAS_BODY;
	}
	for (uint32_t id = graph->first_id; id < bc_id_end(graph); id++) {
		const uint32_t *node = bc_node(graph, id);
		uint32_t *slot = bc_node_is_forward(node) ? NULL : find_slot(&settler, node);

		if (!slot || !*slot || *slot == BASE_HAS_BODY)
			continue;
		if (own[slot - settler.body])
			*slot = BASE_HAS_BODY; /* a second one */
		else
			own[slot - settler.body] = id;
	}
	for (size_t i = 0; i < slots; i++)
		if (own[i] && settler.body[i] != BASE_HAS_BODY)
			redirect[own[i]] = settler.body[i];
	bc_arena_free(&scratch);
	return true;
}

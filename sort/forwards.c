/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "sort/forwards.h"

#include "base/order.h"
#include "sort/pairwise.h"

/* BC_STRUCT, BC_UNION, BC_ENUM: the kinds by which tags of one name are told apart. */
#define TAG_KINDS 3u

#define NO_SLOT SIZE_MAX

struct settler {
	const struct bc_graph *graph;
	const struct bc_string_ranks *ranks;
	struct bc_partition partition;   /* with count 0: not computed */
	struct bc_numbered_bits *wanted; /* by slot: an own forward asks for it */
	uint32_t *body; /* of each that is wanted, the id of the chosen one; 0: none */
	uint32_t *forwards, *own_bodies; /* ids of own tags */
	uint32_t forward_count, own_body_count;
	struct bc_pairwise pairwise; /* what tells two bodies apart, with IN_PAIRS */
	bool in_pairs;
	bool ties; /* only the canonical order of all types can tell two bodies apart */
};

static size_t count_slots(const struct bc_string_ranks *ranks)
{
	return (size_t)ranks->sorted * TAG_KINDS;
}

/* The slot of a tag; NO_SLOT for what is no tag, or none whose name the own part has. */
static size_t find_slot(const struct bc_string_ranks *ranks, const uint32_t *node)
{
	uint32_t tag_kind = bc_node_tag_kind(node), rank;

	if (!tag_kind)
		return NO_SLOT;
	rank = bc_string_rank(ranks, node[0]);
	/* Rank 0 is no name: an unnamed type is nobody's body. */
	return rank && rank < ranks->sorted ? (size_t)rank * TAG_KINDS + tag_kind - BC_STRUCT :
					      NO_SLOT;
}

/* Where the body of a tag is kept; NULL: nobody wants it. */
static uint32_t *find_body(const struct settler *settler, const uint32_t *node)
{
	size_t slot = find_slot(settler->ranks, node);

	return slot != NO_SLOT && bc_bit_is_set(settler->wanted, slot) ?
		       &settler->body[bc_bit_number(settler->wanted, slot)] :
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

static void offer_body(struct settler *settler, uint32_t id)
{
	const uint32_t *node = bc_node(settler->graph, id);
	uint32_t *body = bc_node_is_forward(node) ? NULL : find_body(settler, node);

	if (body && (!*body || is_better(settler, id, *body)))
		*body = id;
}

static void choose_bodies(struct settler *settler)
{
	for (uint32_t id = 1; id < settler->graph->first_id; id++)
		offer_body(settler, id);
	for (uint32_t i = 0; i < settler->own_body_count; i++)
		offer_body(settler, settler->own_bodies[i]);
}

/* Lists own tags: to look at all types is most of what settling takes. */
static bool list_tags(struct settler *settler, struct bc_arena *scratch, struct bc_err *err)
{
	const struct bc_graph *graph = settler->graph;

	settler->forwards = bc_arena_alloc(scratch, graph->type_count, sizeof(uint32_t), err);
	settler->own_bodies = bc_arena_alloc(scratch, graph->type_count, sizeof(uint32_t), err);
	if (!settler->forwards || !settler->own_bodies)
		return false;
	for (uint32_t i = 0; i < graph->type_count; i++) {
		const uint32_t *node = bc_own_node(graph, i);

		if (!bc_node_tag_kind(node))
			continue;
		if (bc_node_is_forward(node))
			settler->forwards[settler->forward_count++] = graph->first_id + i;
		else
			settler->own_bodies[settler->own_body_count++] = graph->first_id + i;
	}
	return true;
}

/* Makes room for the bodies that forwards want. */
static bool want_bodies(struct settler *settler, struct bc_arena *scratch, struct bc_err *err)
{
	uint32_t words = (uint32_t)(count_slots(settler->ranks) / 64 + 1);

	settler->wanted = bc_arena_zalloc(scratch, words, sizeof(*settler->wanted), err);
	if (!settler->wanted)
		return false;
	for (uint32_t i = 0; i < settler->forward_count; i++) {
		size_t slot = find_slot(settler->ranks,
					bc_node(settler->graph, settler->forwards[i]));

		if (slot != NO_SLOT)
			settler->wanted[slot / 64].bits |= (uint64_t)1 << slot % 64;
	}
	settler->body = bc_arena_zalloc(scratch, bc_number_bits(settler->wanted, words),
					sizeof(*settler->body), err);
	return settler->body;
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

/* UNIVERSE: all types, for comparisons. */
static bool settle(struct settler *settler, const struct bc_universe *universe, uint32_t *redirect,
		   uint32_t *settled, struct bc_arena *scratch, struct bc_err *err)
{
	const struct bc_graph *graph = settler->graph;

	if (!list_tags(settler, scratch, err))
		return false;
	if (!settler->forward_count)
		return true;
	if (!want_bodies(settler, scratch, err))
		return false;
	/* The strings of a base are ranked in no order. */
	settler->in_pairs = !graph->base;
	if (settler->in_pairs && !bc_pairwise_begin(&settler->pairwise, universe, scratch, err))
		return false;
	choose_bodies(settler);
	if (settler->ties && !choose_with_order(settler, scratch, err))
		return false;
	for (uint32_t i = 0; i < settler->forward_count; i++) {
		const uint32_t *body = find_body(settler, bc_node(graph, settler->forwards[i]));

		if (body && *body) {
			redirect[settler->forwards[i]] = *body;
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
	done = settle(&settler, &universe, redirect, settled, &scratch, err);
	bc_arena_free(&scratch);
	return done;
}

/* What match_base knows of a tag, instead of a body's id. */
enum { BASE_HAS_BODY = UINT32_MAX };

bool bc_forwards_match_base(uint32_t *redirect, const struct bc_graph *graph,
			    const struct bc_string_ranks *ranks, struct bc_err *err)
{
	struct bc_arena scratch = { 0 };
	size_t slots = count_slots(ranks), slot;
	uint32_t *of_base = bc_arena_zalloc(&scratch, slots, sizeof(*of_base), err);
	/* By slot: the own body; several: its tag stays. */
	uint32_t *own = bc_arena_zalloc(&scratch, slots, sizeof(*own), err);

	if (!of_base || !own) {
		bc_arena_free(&scratch);
		return false;
	}
	for (uint32_t id = 1; id < graph->first_id; id++) {
		const uint32_t *node = bc_node(graph, id);

		slot = find_slot(ranks, node);
		if (slot != NO_SLOT && (!of_base[slot] || !bc_node_is_forward(node)))
			of_base[slot] = bc_node_is_forward(node) ? id : BASE_HAS_BODY;
	}
	for (uint32_t id = graph->first_id; id < bc_id_end(graph); id++) {
		const uint32_t *node = bc_node(graph, id);

		slot = bc_node_is_forward(node) ? NO_SLOT : find_slot(ranks, node);
		if (slot == NO_SLOT || !of_base[slot] || of_base[slot] == BASE_HAS_BODY)
			continue;
		if (own[slot])
			of_base[slot] = BASE_HAS_BODY; /* a second one */
		else
			own[slot] = id;
	}
	for (slot = 0; slot < slots; slot++)
		if (own[slot] && of_base[slot] != BASE_HAS_BODY)
			redirect[own[slot]] = of_base[slot];
	bc_arena_free(&scratch);
	return true;
}

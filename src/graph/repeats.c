/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Two computations, neither by recursion.
 *
 * [weigh] gives every unnamed type the number of types and elements that
 * writing it in full would write: 1, its elements, and the weights of the
 * unnamed types it refers to, cut off at HEAVY. A type that reaches itself
 * through unnamed types is HEAVY. It is a depth-first walk that visits each
 * type once in the life of the graph; a reference to a type that the walk has
 * not left closes a cycle, and makes everything on it heavy on the way back.
 * What is light contains nothing heavy.
 *
 * [bc_repeats_begin] finds, for one block, the heavy knots that two references
 * meet. Each knot is entered once; chains between knots are walked each
 * time, as the writer will walk them. Blocks with nothing heavy cost a look at
 * their references.
 */
#include "graph/repeats.h"

#include <stdlib.h>

#include "base/room.h"

enum { UNKNOWN = 0, HEAVY = 33, OPEN = 255 };

struct bc_weighing {
	uint32_t type_id;
	uint32_t next; /* reference to look at */
	uint32_t sum;
};

bool bc_repeats_open(struct bc_repeats *repeats, const struct bc_graph *graph, uint64_t limit_bytes,
		     struct bc_arena *arena, struct bc_err *err)
{
	uint32_t id_end = bc_id_end(graph);

	*repeats = (struct bc_repeats){
		.graph = graph,
		.block = 1,
		.steps_left = limit_bytes,
		.err = err,
	};
	repeats->weight = bc_arena_zalloc(arena, id_end, 1, err);
	repeats->repeats = bc_arena_zalloc(arena, id_end, sizeof(*repeats->repeats), err);
	return repeats->weight && repeats->repeats;
}

void bc_repeats_close(struct bc_repeats *repeats)
{
	free(repeats->weighings);
	free(repeats->knots);
	*repeats = (struct bc_repeats){ 0 };
}

static bool has_name(const struct bc_repeats *repeats, uint32_t id)
{
	return !id || bc_node_is_named(bc_node(repeats->graph, id), repeats->graph);
}

bool bc_repeats_is_knot(const struct bc_graph *graph, uint32_t id)
{
	const uint32_t *node = bc_node(graph, id);
	uint32_t kind = bc_node_kind(node);

	if (kind == BC_ARRAY)
		return node[4] && !bc_node_is_named(bc_node(graph, node[4]), graph);
	return kind == BC_FUNC_PROTO || bc_kind_is_composite(kind) || bc_kind_is_enum(kind);
}

static bool open_weighing(struct bc_repeats *repeats, size_t depth, uint32_t id)
{
	uint32_t element_count = bc_element_count(bc_node(repeats->graph, id)[1]);
	struct bc_weighing *weighing;

	if (!bc_make_room(&repeats->weighings, &repeats->weighing_limit, depth + 1,
			  sizeof(*weighing), repeats->err))
		return false;
	weighing = &repeats->weighings[depth];
	weighing->type_id = id;
	weighing->next = 0;
	weighing->sum = 1 + (element_count < HEAVY ? element_count : HEAVY);
	repeats->weight[id] = OPEN;
	return true;
}

static bool weigh(struct bc_repeats *repeats, uint32_t id)
{
	size_t depth = 0;

	if (!open_weighing(repeats, depth++, id))
		return false;
	while (depth) {
		struct bc_weighing *top = &repeats->weighings[depth - 1];
		const uint32_t *node = bc_node(repeats->graph, top->type_id);
		struct bc_edges edges = bc_edges(node);
		uint32_t target;

		if (top->sum >= HEAVY || top->next == edges.count) {
			uint32_t weight = top->sum < HEAVY ? top->sum : HEAVY;

			repeats->weight[top->type_id] = (uint8_t)weight;
			if (--depth)
				top[-1].sum += weight;
			continue;
		}
		target = bc_edge(node, edges, top->next++);
		if (has_name(repeats, target))
			continue;
		if (repeats->weight[target] == OPEN)
			top->sum = HEAVY;
		else if (repeats->weight[target] != UNKNOWN)
			top->sum += repeats->weight[target];
		else if (!open_weighing(repeats, depth++, target))
			return false;
	}
	return true;
}

bool bc_repeats_is_heavy(struct bc_repeats *repeats, uint32_t id, bool *heavy)
{
	if (repeats->weight[id] == UNKNOWN && !weigh(repeats, id))
		return false;
	*heavy = repeats->weight[id] == HEAVY;
	return true;
}

static bool push_knot(struct bc_repeats *repeats, size_t *depth, uint32_t id)
{
	if (!bc_make_room(&repeats->knots, &repeats->knot_limit, *depth + 1, sizeof(id),
			  repeats->err))
		return false;
	repeats->knots[(*depth)++] = id;
	return true;
}

static bool spend_steps(struct bc_repeats *repeats, uint32_t id, uint32_t steps)
{
	if (repeats->steps_left < steps)
		return bc_err_set(repeats->err,
				  "the text would be too long (type %u, "
				  "unnamed, is part of too many others)",
				  id);
	repeats->steps_left -= steps;
	return true;
}

/* Follows a reference to ID up to the next heavy knot; a new one goes onto the stack. */
static bool meet(struct bc_repeats *repeats, uint32_t id, size_t *depth)
{
	bool heavy;

	for (bc_repeats_walk(repeats); !has_name(repeats, id);
	     id = bc_chain_next(bc_node(repeats->graph, id))) {
		struct bc_repeat *repeat = &repeats->repeats[id];

		if (!bc_repeats_is_heavy(repeats, id, &heavy))
			return false;
		if (!heavy)
			return true;
		if (!spend_steps(repeats, id, 1))
			return false;
		if (bc_repeats_is_knot(repeats->graph, id)) {
			if (repeat->met == repeats->block)
				repeat->again = repeats->block;
			else if (!push_knot(repeats, depth, id))
				return false;
			repeat->met = repeats->block;
			return true;
		}
		if (!bc_repeats_pass(repeats, id))
			return true;
	}
	return true;
}

static bool meet_all(struct bc_repeats *repeats, uint32_t id, size_t *depth)
{
	const uint32_t *node = bc_node(repeats->graph, id);
	struct bc_edges edges = bc_edges(node);

	if (!spend_steps(repeats, id, edges.count))
		return false;
	for (uint32_t i = 0; i < edges.count; i++)
		if (!meet(repeats, bc_edge(node, edges, i), depth))
			return false;
	return true;
}

bool bc_repeats_begin(struct bc_repeats *repeats, uint32_t root)
{
	size_t depth = 0;

	repeats->block++;
	repeats->label_count = 0;
	if (!(has_name(repeats, root) ? meet_all(repeats, root, &depth) :
					meet(repeats, root, &depth)))
		return false;
	while (depth)
		if (!meet_all(repeats, repeats->knots[--depth], &depth))
			return false;
	return true;
}

bool bc_repeats_enter(struct bc_repeats *repeats, uint32_t id)
{
	struct bc_repeat *repeat = &repeats->repeats[id];

	if (repeat->written == repeats->block)
		return false;
	repeat->written = repeats->block;
	if (repeat->again == repeats->block)
		repeat->label = bc_repeats_new_label(repeats);
	return true;
}

uint32_t bc_repeats_label(const struct bc_repeats *repeats, uint32_t id)
{
	const struct bc_repeat *repeat = &repeats->repeats[id];

	return repeat->again == repeats->block ? repeat->label : 0;
}

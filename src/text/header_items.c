/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * [walk_item] goes through what is written in a definition: the types it
 * refers to, up to the next one with a name. Each is visited once per item
 * and kind of use. Knots are strongly connected components of all needs
 * [find_knots]; needs that pass a pointer do not count inside of one.
 */
#include "text/header_items.h"

#include <stdlib.h>

#include "base/order.h"
#include "base/room.h"
#include "graph/tags.h"

enum use {
	IS_WEAK = 1,     /* behind a pointer, or in a function type */
	IS_COMPLETE = 2, /* its size is needed */
	IS_OPEN = 4,     /* a named struct or union of which the members are written in place */
};

enum listed { NEED = 1, WEAK_NEED = 2, MENTION = 4 };

/* What is known of a type while an item is looked at. */
struct mark {
	uint32_t epoch; /* of the item: older ones say nothing */
	uint8_t uses;   /* a bit for each combination of enum use */
	uint8_t listed; /* enum listed */
};

struct step {
	uint32_t id;
	uint8_t use;
};

/* A growing list of numbers. */
struct list {
	uint32_t *items;
	size_t count;
	uint32_t limit;
};

struct gathering {
	struct bc_items *items;
	const struct bc_layout *layout;
	const struct bc_c_names *names;
	const struct bc_graph *graph;
	uint8_t *is_inline; /* by id: an unnamed enum that an item writes in place */
	struct mark *marks; /* by id */
	uint32_t epoch;
	uint8_t walked_level; /* of the item that is looked at */
	struct step *steps;
	size_t step_count;
	uint32_t step_limit;
	struct list needs, mentions; /* of all items; a need is id << 1 | weak */
	uint64_t steps_left;
	struct bc_arena *arena;
	struct bc_arena scratch;
	struct bc_err *err;
};

static bool push_number(struct list *list, uint32_t number, struct bc_err *err)
{
	if (!bc_make_room(&list->items, &list->limit, list->count + 1, sizeof(number), err))
		return false;
	list->items[list->count++] = number;
	return true;
}

static struct mark *mark_of(struct gathering *gathering, uint32_t id)
{
	struct mark *mark = &gathering->marks[id];

	if (mark->epoch != gathering->epoch)
		*mark = (struct mark){ .epoch = gathering->epoch };
	return mark;
}

/* Whether ID is not listed as KIND yet; now it is. */
static bool list_once(struct gathering *gathering, uint32_t id, uint8_t kind)
{
	struct mark *mark = mark_of(gathering, id);
	bool is_new = !(mark->listed & kind);

	mark->listed |= kind;
	return is_new;
}

static bool push_step(struct gathering *gathering, uint32_t id, uint8_t use)
{
	struct mark *mark = mark_of(gathering, id);

	if (!id || mark->uses >> use & 1)
		return true;
	mark->uses |= (uint8_t)(1u << use);
	if (!bc_make_room(&gathering->steps, &gathering->step_limit, gathering->step_count + 1,
			  sizeof(*gathering->steps), gathering->err))
		return false;
	if (!gathering->steps_left--)
		return bc_err_set(gathering->err,
				  "the header would be too long (type %u, unnamed, "
				  "is part of too many others)",
				  id);
	gathering->steps[gathering->step_count++] = (struct step){ id, use };
	return true;
}

static bool add_need(struct gathering *gathering, uint32_t id, uint8_t use)
{
	uint32_t weak = use & IS_WEAK;

	if (!list_once(gathering, id, weak ? WEAK_NEED : NEED))
		return true;
	return push_number(&gathering->needs, id << 1 | weak, gathering->err);
}

static bool add_mention(struct gathering *gathering, uint32_t id)
{
	id = gathering->names->means[id];
	if (!list_once(gathering, id, MENTION))
		return true;
	return push_number(&gathering->mentions, id, gathering->err);
}

static bool walk_members(struct gathering *gathering, const uint32_t *node, uint8_t use)
{
	const struct bc_graph *graph = gathering->graph;
	uint32_t count = bc_info_vlen(node[1]);

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *member = bc_element(node, i);
		uint32_t unnamed = *bc_string(graph, member[0]) ?
					   0 :
					   bc_layout_unnamed(gathering->layout, member[1]);
		bool pushed;

		if (unnamed)
			pushed = push_step(gathering, unnamed,
					   (use & IS_WEAK) | IS_COMPLETE | IS_OPEN);
		else
			pushed = push_step(gathering, member[1], (use & IS_WEAK) | IS_COMPLETE);
		if (!pushed)
			return false;
	}
	return true;
}

static bool walk_function(struct gathering *gathering, const uint32_t *node)
{
	uint32_t count = bc_info_vlen(node[1]);

	if (!push_step(gathering, node[2], IS_WEAK))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!push_step(gathering, bc_element(node, i)[1], IS_WEAK))
			return false;
	return true;
}

static bool walk_composite(struct gathering *gathering, struct step step, const uint32_t *node)
{
	if (step.use & IS_OPEN || !*bc_string(gathering->graph, node[0]))
		return walk_members(gathering, node, step.use);
	return add_mention(gathering, step.id) &&
	       (!(step.use & IS_COMPLETE) || add_need(gathering, step.id, step.use));
}

/* The struct that a typedef stands for must be there too, where its size is needed. */
static bool walk_typedef(struct gathering *gathering, struct step step)
{
	uint32_t behind = gathering->layout->resolved[step.id];

	if (!add_need(gathering, step.id, step.use))
		return false;
	/* An array of structs the typedef itself needs, and what an unnamed struct holds. */
	if (!(step.use & IS_COMPLETE) || !behind ||
	    !bc_kind_is_composite(bc_id_kind(gathering->graph, behind)) ||
	    !*bc_string(gathering->graph, bc_node(gathering->graph, behind)[0]))
		return true;
	return push_step(gathering, behind, step.use);
}

static bool walk_step(struct gathering *gathering, struct step step)
{
	const uint32_t *node = bc_node(gathering->graph, step.id);

	switch (bc_node_kind(node)) {
	case BC_PTR:
		return push_step(gathering, node[2], IS_WEAK);
	case BC_ARRAY:
		return push_step(gathering, node[3], (step.use & IS_WEAK) | IS_COMPLETE);
	case BC_VOLATILE:
	case BC_CONST:
	case BC_RESTRICT:
	case BC_TYPE_TAG:
		return push_step(gathering, node[2], step.use);
	case BC_STRUCT:
	case BC_UNION:
		return walk_composite(gathering, step, node);
	case BC_FWD:
		return add_mention(gathering, step.id);
	case BC_TYPEDEF:
		return walk_typedef(gathering, step);
	case BC_ENUM:
	case BC_ENUM64:
		if (bc_layout_level(gathering->layout, step.id) == gathering->walked_level)
			gathering->is_inline[step.id] = 1;
		return add_need(gathering, step.id, 0);
	case BC_INT:
	case BC_FLOAT:
		return add_need(gathering, step.id, 0);
	case BC_FUNC_PROTO:
		return walk_function(gathering, node);
	default:
		return true;
	}
}

static bool walk_steps(struct gathering *gathering)
{
	while (gathering->step_count)
		if (!walk_step(gathering, gathering->steps[--gathering->step_count]))
			return false;
	return true;
}

/* Finds what the definition of type ID needs and mentions. */
static bool walk_item(struct gathering *gathering, uint32_t id)
{
	const uint32_t *node = bc_node(gathering->graph, id);

	gathering->epoch++;
	gathering->walked_level = bc_layout_level(gathering->layout, id);
	switch (bc_node_kind(node)) {
	case BC_TYPEDEF:
		return push_step(gathering, node[2], 0) && walk_steps(gathering);
	case BC_STRUCT:
	case BC_UNION:
		return push_step(gathering, id, IS_COMPLETE | IS_OPEN) && walk_steps(gathering);
	default:
		return true;
	}
}

/* ---- which items there are ---- */

static int class_of(const struct gathering *gathering, uint32_t id)
{
	const uint32_t *node = bc_node(gathering->graph, id);

	/* Only the type that C takes a name for is defined. */
	if (gathering->names->means[id] != id)
		return -1;
	switch (bc_node_kind(node)) {
	case BC_INT:
	case BC_FLOAT:
		return gathering->names->number[id] ? BC_ITEM_BASE : -1;
	case BC_ENUM:
	case BC_ENUM64:
		return gathering->names->number[id] ? BC_ITEM_ENUM :
		       bc_info_vlen(node[1])        ? BC_ITEM_UNNAMED_ENUM :
						      -1;
	case BC_TYPEDEF:
		return id == gathering->names->plain_va_list ? -1 : BC_ITEM_TYPEDEF;
	case BC_STRUCT:
	case BC_UNION:
		return gathering->names->number[id] ? BC_ITEM_COMPOSITE : -1;
	default:
		return -1;
	}
}

/* The first name in an unnamed enum: stays where values are added. */
static uint64_t name_key(const struct gathering *gathering, uint32_t id)
{
	const uint32_t *node = bc_node(gathering->graph, id);

	return gathering->names->number[id] ? node[0] : bc_element(node, 0)[0];
}

struct candidates {
	struct bc_keyed *items; /* key: class, name, number; value: type id */
	uint32_t count;
};

static bool list_candidates(struct gathering *gathering, struct candidates *candidates,
			    const uint8_t *is_wanted)
{
	uint32_t id_end = bc_id_end(gathering->graph);
	struct bc_keyed *spare = bc_arena_alloc(&gathering->scratch, id_end, sizeof(*spare),
						gathering->err);

	candidates->items = bc_arena_alloc(&gathering->scratch, id_end, sizeof(*spare),
					   gathering->err);
	if (!spare || !candidates->items)
		return false;
	for (uint32_t id = 1; id < id_end; id++) {
		int class = class_of(gathering, id);
		uint32_t number = gathering->names->number[id];

		if (class < 0 || (is_wanted && !is_wanted[id]))
			continue;
		/* Numbers do not fit the key whole: equal ones would still come by id. */
		candidates->items[candidates->count++] =
			(struct bc_keyed){ (uint64_t) class << 60 | name_key(gathering, id) << 24 |
						   (number < 0xffffff ? number : 0xffffff),
					   id };
	}
	bc_sort_keyed(candidates->items, spare, candidates->count);
	return true;
}

static bool walk_candidates(struct gathering *gathering, const struct candidates *candidates,
			    size_t *need_end, size_t *mention_end)
{
	for (uint32_t i = 0; i < candidates->count; i++) {
		if (!walk_item(gathering, candidates->items[i].value))
			return false;
		need_end[i] = gathering->needs.count;
		mention_end[i] = gathering->mentions.count;
	}
	return true;
}

/* Unnamed enums that a definition writes in place are no items. */
static bool is_item(const struct gathering *gathering, const struct bc_keyed *candidate)
{
	return candidate->key >> 60 != BC_ITEM_UNNAMED_ENUM ||
	       !gathering->is_inline[candidate->value];
}

static bool alloc_items(struct gathering *gathering, const struct candidates *candidates)
{
	struct bc_items *items = gathering->items;
	struct bc_arena *arena = gathering->arena;
	struct bc_err *err = gathering->err;
	size_t count = candidates->count;

	items->type = bc_arena_alloc(arena, count, sizeof(uint32_t), err);
	items->class = bc_arena_alloc(arena, count, 1, err);
	items->of = bc_arena_zalloc(arena, bc_id_end(gathering->graph), sizeof(uint32_t), err);
	items->knot = bc_arena_zalloc(arena, count, sizeof(uint32_t), err);
	items->first = bc_arena_alloc(arena, count + 1, sizeof(uint32_t), err);
	items->needs = bc_arena_alloc(arena, gathering->needs.count, sizeof(uint32_t), err);
	items->first_mention = bc_arena_alloc(arena, count + 1, sizeof(uint32_t), err);
	items->mentions = bc_arena_alloc(arena, gathering->mentions.count, sizeof(uint32_t), err);
	return items->type && items->class && items->of && items->knot && items->first &&
	       items->needs && items->first_mention && items->mentions;
}

static bool number_items(struct gathering *gathering, const struct candidates *candidates,
			 const size_t *need_end, const size_t *mention_end)
{
	struct bc_items *items = gathering->items;
	uint32_t need_count = 0, mention_count = 0;

	if (!alloc_items(gathering, candidates))
		return false;
	for (uint32_t i = 0; i < candidates->count; i++) {
		if (!is_item(gathering, &candidates->items[i]))
			continue;
		items->type[items->count] = candidates->items[i].value;
		items->class[items->count] = (uint8_t)(candidates->items[i].key >> 60);
		items->of[candidates->items[i].value] = ++items->count;
	}
	for (uint32_t i = 0, item = 0; i < candidates->count; i++) {
		if (!is_item(gathering, &candidates->items[i]))
			continue;
		items->first[item] = need_count;
		items->first_mention[item++] = mention_count;
		for (size_t j = i ? need_end[i - 1] : 0; j < need_end[i]; j++) {
			uint32_t need = gathering->needs.items[j];
			uint32_t id = gathering->names->means[need >> 1];

			if (items->of[id])
				items->needs[need_count++] = (items->of[id] - 1) << 1 | (need & 1);
		}
		for (size_t j = i ? mention_end[i - 1] : 0; j < mention_end[i]; j++)
			items->mentions[mention_count++] = gathering->mentions.items[j];
	}
	items->first[items->count] = need_count;
	items->first_mention[items->count] = mention_count;
	return true;
}

/* ---- knots ---- */

struct tarjan {
	uint32_t *number, *low, *stack, *path, *at;
	uint32_t stack_count, path_count, next;
	uint32_t knot_count;
};

static void close_component(struct bc_items *items, struct tarjan *tarjan, uint32_t item)
{
	bool alone = tarjan->stack[tarjan->stack_count - 1] == item;
	bool needs_itself = false;
	uint32_t member;

	for (uint32_t i = items->first[item]; i < items->first[item + 1]; i++)
		needs_itself |= items->needs[i] >> 1 == item;
	if (!alone || needs_itself)
		tarjan->knot_count++;
	do {
		member = tarjan->stack[--tarjan->stack_count];
		tarjan->number[member] = UINT32_MAX;
		if (!alone || needs_itself)
			items->knot[member] = tarjan->knot_count;
	} while (member != item);
}

static void open_component(const struct bc_items *items, struct tarjan *tarjan, uint32_t item)
{
	tarjan->number[item] = tarjan->low[item] = ++tarjan->next;
	tarjan->stack[tarjan->stack_count++] = item;
	tarjan->path[tarjan->path_count++] = item;
	tarjan->at[item] = items->first[item];
}

static void visit_component(struct bc_items *items, struct tarjan *tarjan, uint32_t root)
{
	open_component(items, tarjan, root);
	while (tarjan->path_count) {
		uint32_t item = tarjan->path[tarjan->path_count - 1], target;

		if (tarjan->at[item] < items->first[item + 1]) {
			target = items->needs[tarjan->at[item]++] >> 1;
			if (!tarjan->number[target])
				open_component(items, tarjan, target);
			else if (tarjan->number[target] < tarjan->low[item])
				tarjan->low[item] = tarjan->number[target];
			continue;
		}
		tarjan->path_count--;
		if (tarjan->path_count) {
			uint32_t above = tarjan->path[tarjan->path_count - 1];

			if (tarjan->low[item] < tarjan->low[above])
				tarjan->low[above] = tarjan->low[item];
		}
		if (tarjan->low[item] == tarjan->number[item])
			close_component(items, tarjan, item);
	}
}

/* Inside of a knot only needs by value are left; the others become items alone. */
static void drop_weak_needs(struct bc_items *items)
{
	uint32_t count = 0, from = 0;

	for (uint32_t item = 0; item < items->count; item++) {
		uint32_t end = items->first[item + 1];

		items->first[item] = count;
		for (; from < end; from++) {
			uint32_t target = items->needs[from] >> 1;

			if (items->needs[from] & 1 && items->knot[item] &&
			    items->knot[item] == items->knot[target])
				continue;
			items->needs[count++] = target;
		}
	}
	items->first[items->count] = count;
}

static bool find_knots(struct gathering *gathering)
{
	struct bc_items *items = gathering->items;
	struct tarjan tarjan = { 0 };
	uint32_t **arrays[] = { &tarjan.number, &tarjan.low, &tarjan.stack, &tarjan.path,
				&tarjan.at };

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
		*arrays[i] = bc_arena_zalloc(&gathering->scratch, items->count, sizeof(uint32_t),
					     gathering->err);
		if (!*arrays[i])
			return false;
	}
	for (uint32_t item = 0; item < items->count; item++)
		if (!tarjan.number[item])
			visit_component(items, &tarjan, item);
	drop_weak_needs(items);
	return true;
}

/* ---- kfuncs ---- */

static bool is_kfunc(const struct bc_graph *graph, const uint32_t *tag)
{
	return bc_node_kind(tag) == BC_DECL_TAG && !bc_tag_place(tag) &&
	       bc_id_kind(graph, tag[2]) == BC_FUNC &&
	       !strcmp(bc_string(graph, tag[0]), "bpf_kfunc");
}

/* By name; of several with one name that of the lowest BTF of the chain. */
static bool list_kfuncs(struct gathering *gathering)
{
	const struct bc_graph *graph = gathering->graph;
	struct bc_items *items = gathering->items;
	uint32_t id_end = bc_id_end(graph), count = 0;
	struct bc_keyed *found = bc_arena_alloc(&gathering->scratch, id_end, sizeof(*found),
						gathering->err);
	struct bc_keyed *spare = bc_arena_alloc(&gathering->scratch, id_end, sizeof(*spare),
						gathering->err);

	if (!found || !spare)
		return false;
	for (uint32_t id = 1; id < id_end; id++) {
		const uint32_t *tag = bc_node(graph, id);

		if (is_kfunc(graph, tag))
			found[count++] = (struct bc_keyed){
				(uint64_t)bc_node(graph, tag[2])[0] << 8 |
					bc_layout_level(gathering->layout, tag[2]),
				tag[2]
			};
	}
	bc_sort_keyed(found, spare, count);
	items->kfuncs = bc_arena_alloc(gathering->arena, count, sizeof(uint32_t), gathering->err);
	if (!items->kfuncs)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!i || found[i].key >> 8 != found[i - 1].key >> 8)
			items->kfuncs[items->kfunc_count++] = found[i].value;
	return true;
}

/* What prototypes write in place is theirs: after all items, so these are looked at alone. */
static bool walk_kfuncs(struct gathering *gathering)
{
	struct bc_items *items = gathering->items;
	size_t before = gathering->mentions.count;

	gathering->epoch++;
	for (uint32_t i = 0; i < items->kfunc_count; i++)
		if (!push_step(gathering, bc_node(gathering->graph, items->kfuncs[i])[2], 0) ||
		    !walk_steps(gathering))
			return false;
	items->kfunc_mention_count = (uint32_t)(gathering->mentions.count - before);
	items->kfunc_mentions = bc_arena_alloc(gathering->arena, items->kfunc_mention_count,
					       sizeof(uint32_t), gathering->err);
	if (!items->kfunc_mentions)
		return false;
	for (uint32_t i = 0; i < items->kfunc_mention_count; i++)
		items->kfunc_mentions[i] = gathering->mentions.items[before + i];
	return true;
}

/* ---- all of it ---- */

static bool open_gathering(struct gathering *gathering)
{
	uint32_t id_end = bc_id_end(gathering->graph);
	struct bc_arena *scratch = &gathering->scratch;

	gathering->steps_left =
		((uint64_t)64 << 20) +
		32 * (uint64_t)gathering->graph->start[gathering->graph->type_count];
	gathering->is_inline = bc_arena_zalloc(scratch, id_end, 1, gathering->err);
	gathering->marks = bc_arena_zalloc(scratch, id_end, sizeof(struct mark), gathering->err);
	return gathering->is_inline && gathering->marks;
}

static bool gather(struct gathering *gathering)
{
	struct candidates candidates = { 0 };
	size_t *need_end, *mention_end;

	if (!open_gathering(gathering) || !list_candidates(gathering, &candidates, NULL) ||
	    !list_kfuncs(gathering))
		return false;
	need_end = bc_arena_alloc(&gathering->scratch, candidates.count, sizeof(*need_end),
				  gathering->err);
	mention_end = bc_arena_alloc(&gathering->scratch, candidates.count, sizeof(*mention_end),
				     gathering->err);
	return need_end && mention_end &&
	       walk_candidates(gathering, &candidates, need_end, mention_end) &&
	       number_items(gathering, &candidates, need_end, mention_end) &&
	       find_knots(gathering) && walk_kfuncs(gathering);
}

bool bc_items_make(struct bc_items *items, const struct bc_layout *layout,
		   const struct bc_c_names *names, struct bc_arena *arena, struct bc_err *err)
{
	struct gathering gathering = {
		.items = items,
		.layout = layout,
		.names = names,
		.graph = layout->graph,
		.arena = arena,
		.err = err,
	};
	bool made;

	*items = (struct bc_items){ 0 };
	made = gather(&gathering);
	free(gathering.steps);
	free(gathering.needs.items);
	free(gathering.mentions.items);
	bc_arena_free(&gathering.scratch);
	return made;
}

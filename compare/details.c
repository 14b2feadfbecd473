/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What two types that pair, and are not alike, differ in. Sizes, linkage,
 * encodings and sections need no detail: both types say them. When no detail
 * is found for types that should have some, BC_PART_ORDER says so.
 */
#include "compare/details.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/room.h"

#define MAX_SPENT ((uint64_t)256 << 20)

struct bc_detail *bc_details_add(struct bc_details *details, enum bc_part part,
				 enum bc_change change)
{
	struct bc_detail *detail;

	if (!bc_make_room(&details->items, &details->limit, (uint64_t)details->count + 1,
			  sizeof(*details->items), details->err))
		return NULL;
	detail = &details->items[details->count++];
	*detail = (struct bc_detail){ .part = part, .change = change };
	return detail;
}

bool bc_details_spend(struct bc_details *details, uint64_t bytes)
{
	details->spent += bytes;
	return details->spent <= MAX_SPENT ||
	       bc_err_set(details->err, "unnamed types in each other grow to more than %u MiB",
			  (unsigned int)(MAX_SPENT >> 20));
}

/* ---- names that match ---- */

static int compare_listed(const void *context, uint32_t a, uint32_t b)
{
	const struct bc_name_list *list = context;
	int order = list->names[a] == list->names[b] ? 0 : strcmp(list->names[a], list->names[b]);

	return (order > 0) - (order < 0);
}

static uint32_t *sort_names(const struct bc_name_list *list, struct bc_arena *scratch,
			    struct bc_err *err)
{
	uint32_t *order = bc_arena_alloc(scratch, list->count, sizeof(*order), err);
	uint32_t *spare = bc_arena_alloc(scratch, list->count, sizeof(*spare), err);

	if (!order || !spare)
		return NULL;
	for (uint32_t i = 0; i < list->count; i++)
		order[i] = i;
	bc_sort_compared(order, spare, list->count, compare_listed, list);
	return order;
}

bool bc_match_names(const struct bc_name_list lists[2], uint32_t *match[2],
		    struct bc_arena *scratch, struct bc_err *err)
{
	uint32_t *orders[2];
	uint32_t i = 0, j = 0;

	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		orders[which] = sort_names(&lists[which], scratch, err);
		if (!orders[which])
			return false;
		for (uint32_t k = 0; k < lists[which].count; k++)
			match[which][k] = BC_NO_MATCH;
	}
	while (i < lists[BC_OLD].count && j < lists[BC_NEW].count) {
		uint32_t a = orders[BC_OLD][i], b = orders[BC_NEW][j];
		int order = strcmp(lists[BC_OLD].names[a], lists[BC_NEW].names[b]);

		if (!order) {
			match[BC_OLD][a] = b;
			match[BC_NEW][b] = a;
		}
		i += order <= 0;
		j += order >= 0;
	}
	return true;
}

/* The names of all elements. */
static bool list_elements(struct bc_details *details, unsigned int which, const uint32_t *node,
			  struct bc_name_list *list, uint32_t **match)
{
	uint32_t count = bc_element_count(node[1]);

	list->count = count;
	list->names = bc_arena_alloc(&details->scratch, count, sizeof(*list->names), details->err);
	*match = bc_arena_alloc(&details->scratch, count, sizeof(**match), details->err);
	if (!list->names || !*match)
		return false;
	for (uint32_t i = 0; i < count; i++)
		list->names[i] = bc_string(details->sides[which].graph, bc_element(node, i)[0]);
	return true;
}

/* ---- values of enums ---- */

static void set_value(struct bc_part_state *state, const struct bc_name_list *list,
		      const uint32_t *node, uint32_t i)
{
	state->name = list->names[i];
	state->value = bc_enum_value(node, i);
}

static bool report_value(struct bc_details *details, const struct bc_name_list lists[2],
			 const uint32_t *nodes[2], uint32_t old_i, uint32_t new_i, uint32_t aspects)
{
	enum bc_change change = old_i == BC_NO_MATCH ? BC_ADDED :
				new_i == BC_NO_MATCH ? BC_REMOVED :
						       BC_CHANGED;
	struct bc_detail *detail = bc_details_add(details, BC_PART_VALUE, change);

	if (!detail)
		return false;
	detail->aspects = aspects;
	if (old_i != BC_NO_MATCH)
		set_value(&detail->old, &lists[BC_OLD], nodes[BC_OLD], old_i);
	if (new_i != BC_NO_MATCH)
		set_value(&detail->new, &lists[BC_NEW], nodes[BC_NEW], new_i);
	/* Signed numbers sort as signed ones do. */
	detail->where = (new_i != BC_NO_MATCH ? detail->new.value : detail->old.value) ^
			(bc_info_kflag(nodes[new_i != BC_NO_MATCH][1]) ? (uint64_t)1 << 63 : 0);
	return true;
}

static int compare_values(const void *context, uint32_t a, uint32_t b)
{
	const uint32_t *node = context;

	return bc_compare_u64(bc_enum_value(node, a), bc_enum_value(node, b));
}

static uint32_t *unmatched_values(struct bc_details *details, const uint32_t *node,
				  const uint32_t *match, uint32_t *count)
{
	uint32_t value_count = bc_info_vlen(node[1]);
	uint32_t *left = bc_arena_alloc(&details->scratch, value_count, sizeof(*left),
					details->err);
	uint32_t *spare = bc_arena_alloc(&details->scratch, value_count, sizeof(*spare),
					 details->err);

	if (!left || !spare)
		return NULL;
	*count = 0;
	for (uint32_t i = 0; i < value_count; i++)
		if (match[i] == BC_NO_MATCH)
			left[(*count)++] = i;
	bc_sort_compared(left, spare, *count, compare_values, node);
	return left;
}

/* A name that went and one that came for the same number: renamed. */
static bool match_renamed_values(struct bc_details *details, const uint32_t *nodes[2],
				 uint32_t *match[2])
{
	uint32_t counts[2], i = 0, j = 0;
	uint32_t *left[2];

	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		left[which] = unmatched_values(details, nodes[which], match[which], &counts[which]);
		if (!left[which])
			return false;
	}
	while (i < counts[BC_OLD] && j < counts[BC_NEW]) {
		uint32_t a = left[BC_OLD][i], b = left[BC_NEW][j];
		int order = bc_compare_u64(bc_enum_value(nodes[BC_OLD], a),
					   bc_enum_value(nodes[BC_NEW], b));

		if (!order) {
			match[BC_OLD][a] = b;
			match[BC_NEW][b] = a;
		}
		i += order <= 0;
		j += order >= 0;
	}
	return true;
}

static bool find_values(struct bc_details *details, const uint32_t *old_node,
			const uint32_t *new_node)
{
	const uint32_t *nodes[2] = { old_node, new_node };
	struct bc_name_list lists[2];
	uint32_t *match[2];

	for (unsigned int which = BC_OLD; which <= BC_NEW; which++)
		if (!list_elements(details, which, nodes[which], &lists[which], &match[which]))
			return false;
	if (!bc_match_names(lists, match, &details->scratch, details->err) ||
	    !match_renamed_values(details, nodes, match))
		return false;
	for (uint32_t i = 0; i < lists[BC_OLD].count; i++) {
		uint32_t j = match[BC_OLD][i], aspects = 0;

		if (j != BC_NO_MATCH) {
			if (strcmp(lists[BC_OLD].names[i], lists[BC_NEW].names[j]))
				aspects |= BC_ASPECT_RENAMED;
			if (bc_enum_value(old_node, i) != bc_enum_value(new_node, j))
				aspects |= BC_ASPECT_RENUMBERED;
			if (!aspects)
				continue;
		}
		if (!report_value(details, lists, nodes, i, j, aspects))
			return false;
	}
	for (uint32_t j = 0; j < lists[BC_NEW].count; j++)
		if (match[BC_NEW][j] == BC_NO_MATCH &&
		    !report_value(details, lists, nodes, BC_NO_MATCH, j, 0))
			return false;
	return true;
}

/* ---- functions ---- */

static const char *parameter_name(const struct bc_name_list *list, const uint32_t *node, uint32_t i)
{
	const uint32_t *parameter = bc_element(node, i);

	return !parameter[1] && !*list->names[i] ? "..." : list->names[i];
}

static bool report_parameter(struct bc_details *details, const struct bc_name_list lists[2],
			     const uint32_t *nodes[2], uint32_t old_i, uint32_t new_i,
			     uint32_t aspects)
{
	enum bc_change change = old_i == BC_NO_MATCH ? BC_ADDED :
				new_i == BC_NO_MATCH ? BC_REMOVED :
						       BC_CHANGED;
	struct bc_detail *detail = bc_details_add(details, BC_PART_PARAMETER, change);

	if (!detail)
		return false;
	detail->aspects = aspects;
	detail->where = new_i != BC_NO_MATCH ? new_i : old_i;
	if (old_i != BC_NO_MATCH) {
		detail->old.name = parameter_name(&lists[BC_OLD], nodes[BC_OLD], old_i);
		detail->old.type_id = bc_element(nodes[BC_OLD], old_i)[1];
		detail->old.place = old_i;
	}
	if (new_i != BC_NO_MATCH) {
		detail->new.name = parameter_name(&lists[BC_NEW], nodes[BC_NEW], new_i);
		detail->new.type_id = bc_element(nodes[BC_NEW], new_i)[1];
		detail->new.place = new_i;
	}
	return true;
}

/* What has the same place and type, and a name that the other side does not have, is renamed. */
static bool match_renamed_parameters(struct bc_details *details, const struct bc_name_list lists[2],
				     const uint32_t *nodes[2], uint32_t *match[2])
{
	for (uint32_t i = 0; i < lists[BC_OLD].count && i < lists[BC_NEW].count; i++) {
		bool same;

		if (match[BC_OLD][i] != BC_NO_MATCH || match[BC_NEW][i] != BC_NO_MATCH)
			continue;
		if (!bc_alike_references(details->alike, bc_element(nodes[BC_OLD], i)[1],
					 bc_element(nodes[BC_NEW], i)[1], &same))
			return false;
		if (!same)
			continue;
		match[BC_OLD][i] = i;
		match[BC_NEW][i] = i;
	}
	return true;
}

/*
 * Marks the parameters that changed places among those that both sides have:
 * what follows one that stood after it, or the reverse. To insert one moves none.
 */
static bool *find_reordered(struct bc_details *details, const uint32_t *match, uint32_t count)
{
	bool *moved = bc_arena_zalloc(&details->scratch, count, sizeof(*moved), details->err);
	uint32_t highest = 0, lowest = UINT32_MAX;
	bool any = false;

	if (!moved)
		return NULL;
	for (uint32_t i = 0; i < count; i++) {
		if (match[i] == BC_NO_MATCH)
			continue;
		moved[i] = any && match[i] < highest;
		highest = match[i] > highest ? match[i] : highest;
		any = true;
	}
	for (uint32_t i = count; i-- > 0;) {
		if (match[i] == BC_NO_MATCH)
			continue;
		moved[i] |= match[i] > lowest;
		lowest = match[i] < lowest ? match[i] : lowest;
	}
	return moved;
}

static bool compare_parameters(struct bc_details *details, const struct bc_name_list lists[2],
			       const uint32_t *nodes[2], uint32_t *match[2])
{
	bool *moved = find_reordered(details, match[BC_OLD], lists[BC_OLD].count);

	if (!moved)
		return false;
	for (uint32_t i = 0; i < lists[BC_OLD].count; i++) {
		uint32_t j = match[BC_OLD][i], aspects = 0;
		bool same;

		if (j != BC_NO_MATCH) {
			if (!bc_alike_references(details->alike, bc_element(nodes[BC_OLD], i)[1],
						 bc_element(nodes[BC_NEW], j)[1], &same))
				return false;
			aspects = (same ? 0 : BC_ASPECT_RETYPED) | (moved[i] ? BC_ASPECT_MOVED : 0);
			if (strcmp(lists[BC_OLD].names[i], lists[BC_NEW].names[j]))
				aspects |= BC_ASPECT_RENAMED;
			if (!aspects)
				continue;
		}
		if (!report_parameter(details, lists, nodes, i, j, aspects))
			return false;
	}
	for (uint32_t j = 0; j < lists[BC_NEW].count; j++)
		if (match[BC_NEW][j] == BC_NO_MATCH &&
		    !report_parameter(details, lists, nodes, BC_NO_MATCH, j, 0))
			return false;
	return true;
}

/* A reference that is the only one of its part: return type, target of a typedef. */
static bool compare_reference(struct bc_details *details, enum bc_part part, uint32_t old_id,
			      uint32_t new_id)
{
	struct bc_detail *detail;
	bool same;

	if (!bc_alike_references(details->alike, old_id, new_id, &same))
		return false;
	if (same)
		return true;
	detail = bc_details_add(details, part, BC_CHANGED);
	if (!detail)
		return false;
	detail->aspects = BC_ASPECT_RETYPED;
	detail->old = (struct bc_part_state){ .name = "", .type_id = old_id };
	detail->new = (struct bc_part_state){ .name = "", .type_id = new_id };
	return true;
}

/* Of a typedef or variable: its type, or what changed inside one that has no name. */
static bool find_target(struct bc_details *details, uint32_t old_id, uint32_t new_id)
{
	bool same, opened;

	if (!bc_alike_references(details->alike, old_id, new_id, &same))
		return false;
	if (same)
		return true;
	if (!bc_details_behind(details, old_id, new_id, &opened))
		return false;
	return opened || compare_reference(details, BC_PART_TYPE, old_id, new_id);
}

static bool find_parameters(struct bc_details *details, uint32_t old_proto, uint32_t new_proto)
{
	const uint32_t *nodes[2] = { bc_node(details->sides[BC_OLD].graph, old_proto),
				     bc_node(details->sides[BC_NEW].graph, new_proto) };
	struct bc_name_list lists[2];
	uint32_t *match[2];

	for (unsigned int which = BC_OLD; which <= BC_NEW; which++)
		if (!list_elements(details, which, nodes[which], &lists[which], &match[which]))
			return false;
	return compare_reference(details, BC_PART_RETURN, nodes[BC_OLD][2], nodes[BC_NEW][2]) &&
	       bc_match_names(lists, match, &details->scratch, details->err) &&
	       match_renamed_parameters(details, lists, nodes, match) &&
	       compare_parameters(details, lists, nodes, match);
}

/* ---- tags ---- */

/* What tells tags of a type apart: the name of the part they are on, attribute or not, the text. */
struct tag_list {
	const uint32_t **nodes;
	const char **parts;
	uint32_t count;
};

/* The name of component PLACE of a type, "" for the whole. */
static const char *part_name(const struct bc_side *side, const uint32_t *node, uint32_t place)
{
	if (!place)
		return "";
	if (bc_node_kind(node) == BC_FUNC)
		node = bc_node(side->graph, node[2]);
	if (place > bc_element_count(node[1]))
		return "";
	return bc_string(side->graph, bc_element(node, place - 1)[0]);
}

static bool list_tags(struct bc_details *details, unsigned int which, uint32_t id,
		      struct tag_list *list)
{
	const struct bc_side *side = &details->sides[which];
	struct bc_tag_range range = bc_tags_on(&side->tags, id);

	list->count = range.end - range.first;
	list->nodes = bc_arena_alloc(&details->scratch, list->count, sizeof(*list->nodes),
				     details->err);
	list->parts = bc_arena_alloc(&details->scratch, list->count, sizeof(*list->parts),
				     details->err);
	if (!list->nodes || !list->parts)
		return false;
	for (uint32_t i = 0; i < list->count; i++) {
		list->nodes[i] = bc_node(side->graph, side->tags.own[range.first + i]);
		list->parts[i] = part_name(side, bc_node(side->graph, id),
					   bc_tag_place(list->nodes[i]));
	}
	return true;
}

struct tags {
	const struct bc_side *sides;
	struct tag_list lists[2];
};

/* A tag of both lists: old ones first, then new ones. */
static int compare_tag_keys(const struct tags *tags, uint32_t a, uint32_t b)
{
	bool a_new = a >= tags->lists[BC_OLD].count, b_new = b >= tags->lists[BC_OLD].count;
	uint32_t i = a_new ? a - tags->lists[BC_OLD].count : a;
	uint32_t j = b_new ? b - tags->lists[BC_OLD].count : b;
	const uint32_t *x = tags->lists[a_new].nodes[i], *y = tags->lists[b_new].nodes[j];
	int order = strcmp(tags->lists[a_new].parts[i], tags->lists[b_new].parts[j]);

	if (!order)
		order = (bc_tag_place(x) != 0) - (bc_tag_place(y) != 0);
	if (!order)
		order = bc_info_kflag(x[1]) - bc_info_kflag(y[1]);
	if (!order)
		order = strcmp(bc_string(tags->sides[a_new].graph, x[0]),
			       bc_string(tags->sides[b_new].graph, y[0]));
	return (order > 0) - (order < 0);
}

static int compare_tags(const void *context, uint32_t a, uint32_t b)
{
	return compare_tag_keys(context, a, b);
}

static bool report_tag(struct bc_details *details, const struct tags *tags, uint32_t i, bool is_new)
{
	const struct tag_list *list = &tags->lists[is_new];
	uint32_t at = is_new ? i - tags->lists[BC_OLD].count : i;
	struct bc_detail *detail = bc_details_add(details, BC_PART_TAG,
						  is_new ? BC_ADDED : BC_REMOVED);
	struct bc_part_state *state;

	if (!detail)
		return false;
	state = is_new ? &detail->new : &detail->old;
	state->name = bc_string(tags->sides[is_new].graph, list->nodes[at][0]);
	state->place = bc_tag_place(list->nodes[at]);
	state->nesting = list->parts[at];
	state->is_attribute = bc_info_kflag(list->nodes[at][1]);
	detail->where = state->place;
	return true;
}

/* Both lists, sorted into one: what is not followed or preceded by its equal is reported. */
static bool find_tags(struct bc_details *details, uint32_t old_id, uint32_t new_id)
{
	struct tags tags = { .sides = details->sides };
	uint32_t count, end;
	uint32_t *order, *spare;

	if (!list_tags(details, BC_OLD, old_id, &tags.lists[BC_OLD]) ||
	    !list_tags(details, BC_NEW, new_id, &tags.lists[BC_NEW]))
		return false;
	count = tags.lists[BC_OLD].count + tags.lists[BC_NEW].count;
	order = bc_arena_alloc(&details->scratch, count, sizeof(*order), details->err);
	spare = bc_arena_alloc(&details->scratch, count, sizeof(*spare), details->err);
	if (!order || !spare)
		return false;
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	bc_sort_compared(order, spare, count, compare_tags, &tags);
	for (uint32_t begin = 0; begin < count; begin = end) {
		bool has[2] = { false, false };

		for (end = begin; end < count && !compare_tag_keys(&tags, order[begin], order[end]);
		     end++)
			has[order[end] >= tags.lists[BC_OLD].count] = true;
		if (has[BC_OLD] != has[BC_NEW] &&
		    !report_tag(details, &tags, order[begin], has[BC_NEW]))
			return false;
	}
	return true;
}

/* ---- all ---- */

static bool find_of_kind(struct bc_details *details, uint32_t old_id, uint32_t new_id)
{
	const uint32_t *a = bc_node(details->sides[BC_OLD].graph, old_id);
	const uint32_t *b = bc_node(details->sides[BC_NEW].graph, new_id);

	switch (bc_node_kind(b)) {
	case BC_STRUCT:
	case BC_UNION:
		return !bc_kind_is_composite(bc_node_kind(a)) ||
		       bc_details_of_members(details, old_id, new_id);
	case BC_ENUM:
	case BC_ENUM64:
		return find_values(details, a, b);
	case BC_TYPEDEF:
	case BC_VAR:
		return find_target(details, a[2], b[2]);
	case BC_FUNC:
		if (bc_id_kind(details->sides[BC_OLD].graph, a[2]) != BC_FUNC_PROTO ||
		    bc_id_kind(details->sides[BC_NEW].graph, b[2]) != BC_FUNC_PROTO)
			return compare_reference(details, BC_PART_TYPE, a[2], b[2]);
		return find_parameters(details, a[2], b[2]);
	default:
		return true;
	}
}

static int compare_details(const void *context, uint32_t a, uint32_t b)
{
	const struct bc_detail *items = context;
	int order = bc_compare_u64(items[a].part, items[b].part);

	return order ? order : bc_compare_u64(items[a].where, items[b].where);
}

/* Details from FIRST on, by part, then place. */
static bool sort_details(struct bc_details *details, uint32_t first)
{
	uint32_t count = details->count - first;
	uint32_t *order = bc_arena_alloc(&details->scratch, count, sizeof(*order), details->err);
	uint32_t *spare = bc_arena_alloc(&details->scratch, count, sizeof(*spare), details->err);
	struct bc_detail *sorted = bc_arena_alloc(&details->scratch, count, sizeof(*sorted),
						  details->err);
	struct bc_detail *items;

	if (!order || !spare || !sorted)
		return false;
	if (!count)
		return true;
	items = details->items + first;
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	bc_sort_compared(order, spare, count, compare_details, items);
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = items[order[i]];
	memcpy(items, sorted, count * sizeof(*sorted));
	return true;
}

/* Whether the types differ in something that reports read off the nodes themselves. */
static bool differ_by_themselves(const struct bc_side *sides, uint32_t old_id, uint32_t new_id)
{
	const uint32_t *a = bc_side_body(&sides[BC_OLD], old_id);
	const uint32_t *b = bc_side_body(&sides[BC_NEW], new_id);
	uint32_t kind = bc_node_kind(a);

	if (kind != bc_node_kind(b))
		return true;
	switch (kind) {
	case BC_STRUCT:
	case BC_UNION:
	case BC_FLOAT:
		return a[2] != b[2];
	case BC_ENUM:
	case BC_ENUM64:
		return a[2] != b[2] || bc_info_kflag(a[1]) != bc_info_kflag(b[1]);
	case BC_FUNC:
		return bc_info_vlen(a[1]) != bc_info_vlen(b[1]) || sides[BC_OLD].section[old_id] ||
		       sides[BC_NEW].section[new_id];
	case BC_VAR:
		return a[3] != b[3] || sides[BC_OLD].section[old_id] ||
		       sides[BC_NEW].section[new_id];
	default:
		return kind != BC_TYPEDEF;
	}
}

bool bc_details_find(struct bc_details *details, uint32_t old_id, uint32_t new_id)
{
	uint32_t first = details->count;
	bool found = find_of_kind(details, old_id, new_id) && find_tags(details, old_id, new_id);

	if (found && details->count == first &&
	    !differ_by_themselves(details->sides, old_id, new_id))
		found = bc_details_add(details, BC_PART_ORDER, BC_CHANGED) != NULL;
	found = found && sort_details(details, first);
	bc_arena_free(&details->scratch);
	return found;
}

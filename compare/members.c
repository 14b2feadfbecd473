/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Members are compared by scope. The first scope is the type itself. Members
 * of unnamed structs and unions without a name are the scope's own, as in C
 * [list_scope]. A member that has a name, but whose type has none, opens a
 * scope of its own with a path before its names: "name.", "name[]." behind
 * arrays, "name->" behind pointers [open_scope]. Where a path comes back to a
 * pair of types that it leads through, nothing new is to be said.
 *
 * In a scope, members match by name; what is left matches by place and type
 * (renamed); the rest is added or removed [compare_scopes].
 */
#include "compare/details.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/room.h"
#include "graph/repeats.h"

/* A scope has no more members: what unnamed types nested in each other could grow to. */
#define MAX_SCOPE 250000u

/* The longest path, in scopes; what differs behind it is another type. */
#define MAX_PATH 16

/* Of one type. */
#define MAX_SCOPES 10000u

struct member {
	const char *name;
	uint64_t bit_offset; /* in the scope */
	uint32_t bit_width;
	uint32_t type_id;
	const char *nesting;
};

struct scope_list {
	struct member *members;
	uint32_t count, limit;
	uint32_t descents; /* into unnamed types; they count as members do */
};

/* A pair of unnamed types at the same place, to be compared member by member. */
struct scope {
	struct scope *next;
	const struct scope *parent;
	uint32_t depth; /* of parents */
	uint32_t ids[2];
	uint64_t bit_offsets[2]; /* of the scope, for what is shown */
	uint64_t where;
	const char *path;
};

struct comparing {
	struct bc_details *details;
	struct scope_list lists[2];
	struct scope *last;
	uint32_t scope_count;
};

/* ---- one side's members ---- */

/* An unnamed struct or union whose members are being listed. */
struct descent {
	uint32_t id;
	uint32_t next;
	uint64_t bit_offset;
	const char *nesting;
};

static bool is_unnamed_composite(const struct bc_side *side, uint32_t id)
{
	return id && bc_kind_is_composite(bc_id_kind(side->graph, id)) && !*bc_side_name(side, id);
}

static bool append_member(struct bc_details *details, struct scope_list *list,
			  const struct member *member)
{
	if (!bc_make_arena_room(&details->scratch, &list->members, &list->limit, list->count,
				sizeof(*list->members), details->err))
		return false;
	list->members[list->count++] = *member;
	return true;
}

static const char *joined(struct bc_arena *arena, const char *a, const char *b, const char *c,
			  struct bc_err *err)
{
	size_t size_bytes = strlen(a) + strlen(b) + strlen(c) + 1;
	char *text = bc_arena_alloc(arena, size_bytes, 1, err);

	if (text)
		snprintf(text, size_bytes, "%s%s%s", a, b, c);
	return text;
}

static bool list_from(struct bc_details *details, const struct bc_side *side,
		      struct scope_list *list, struct descent **stack, uint32_t *capacity)
{
	size_t depth = 1;

	while (depth) {
		struct descent *top = &(*stack)[depth - 1];
		const uint32_t *node = bc_node(side->graph, top->id);
		const uint32_t *element;
		struct descent inner;
		struct member member;

		if (top->next == bc_info_vlen(node[1])) {
			depth--;
			continue;
		}
		element = bc_element(node, top->next++);
		member = (struct member){
			.name = bc_string(side->graph, element[0]),
			.bit_offset = top->bit_offset + bc_member_bit_offset(node[1], element[2]),
			.bit_width = bc_member_bit_width(node[1], element[2]),
			.type_id = element[1],
			.nesting = top->nesting,
		};
		if (*member.name || !is_unnamed_composite(side, member.type_id) ||
		    list->count + list->descents > MAX_SCOPE) {
			if (!append_member(details, list, &member) ||
			    (depth > 1 && !bc_details_spend(details, sizeof(member))))
				return false;
			continue;
		}
		list->descents++;
		inner = (struct descent){ member.type_id, 0, member.bit_offset, NULL };
		inner.nesting = joined(&details->scratch, top->nesting, *top->nesting ? "." : "",
				       bc_kind_word(bc_node(side->graph, member.type_id)),
				       details->err);
		if (!inner.nesting || !bc_details_spend(details, strlen(inner.nesting)))
			return false;
		if (!bc_make_room(stack, capacity, depth + 1, sizeof(**stack), details->err))
			return false;
		(*stack)[depth++] = inner;
	}
	return true;
}

static bool list_scope(struct bc_details *details, const struct bc_side *side, uint32_t id,
		       struct scope_list *list)
{
	struct descent *stack = NULL;
	uint32_t capacity = 0;
	bool listed;

	if (!bc_make_room(&stack, &capacity, 1, sizeof(*stack), details->err))
		return false;
	*list = (struct scope_list){ 0 };
	stack[0] = (struct descent){ id, 0, 0, "" };
	listed = list_from(details, side, list, &stack, &capacity);
	free(stack);
	return listed;
}

/* ---- two members ---- */

static const char *full_name(struct comparing *comparing, const struct scope *scope,
			     const char *name)
{
	if (!*scope->path)
		return name;
	if (!bc_details_spend(comparing->details, strlen(scope->path) + strlen(name)))
		return NULL;
	return joined(comparing->details->arena, scope->path, name, "", comparing->details->err);
}

/* For the report; the list of the scope is gone by then. */
static const char *kept_nesting(struct comparing *comparing, const char *nesting)
{
	if (!*nesting)
		return "";
	if (!bc_details_spend(comparing->details, strlen(nesting)))
		return NULL;
	return joined(comparing->details->arena, nesting, "", "", comparing->details->err);
}

static bool set_state(struct comparing *comparing, const struct scope *scope, unsigned int which,
		      const struct member *member, struct bc_part_state *state)
{
	state->name = full_name(comparing, scope, member->name);
	state->bit_offset = scope->bit_offsets[which] + member->bit_offset;
	state->bit_width = member->bit_width;
	state->type_id = member->type_id;
	state->nesting = kept_nesting(comparing, member->nesting);
	return state->name && state->nesting;
}

static bool report_member(struct comparing *comparing, const struct scope *scope,
			  const struct member *old_member, const struct member *new_member,
			  uint32_t aspects)
{
	enum bc_change change = !old_member ? BC_ADDED : !new_member ? BC_REMOVED : BC_CHANGED;
	struct bc_detail *detail = bc_details_add(comparing->details, BC_PART_MEMBER, change);
	const struct member *shown = new_member ? new_member : old_member;

	if (!detail)
		return false;
	detail->aspects = aspects;
	detail->where = scope->where + shown->bit_offset;
	return (!old_member || set_state(comparing, scope, BC_OLD, old_member, &detail->old)) &&
	       (!new_member || set_state(comparing, scope, BC_NEW, new_member, &detail->new));
}

/*
 * What to put between the names of a member and of what is in it: NULL if its type does not
 * lead to an unnamed struct or union through pointers, arrays and modifiers alone. *ID is that.
 */
static const char *path_behind(const struct bc_side *side, uint32_t *id, bool *direct)
{
	const char *path = ".";

	*direct = true;
	for (uint32_t steps = 0; *id && steps < 64; steps++) {
		const uint32_t *node = bc_node(side->graph, *id);
		uint32_t kind = bc_node_kind(node);

		if (bc_kind_is_composite(kind))
			return *bc_string(side->graph, node[0]) ? NULL : path;
		if (kind != BC_PTR && kind != BC_ARRAY && !bc_kind_is_modifier(kind))
			return NULL;
		if (kind == BC_PTR)
			path = "->";
		else if (kind == BC_ARRAY && strcmp(path, "->"))
			path = "[].";
		*direct &= kind != BC_PTR;
		*id = bc_chain_next(node);
	}
	return NULL;
}

/* Both lead to their unnamed type by the same steps. */
static bool same_steps(const struct bc_side *sides, uint32_t old_id, uint32_t new_id)
{
	for (;;) {
		const uint32_t *a = bc_node(sides[BC_OLD].graph, old_id);
		const uint32_t *b = bc_node(sides[BC_NEW].graph, new_id);

		if (bc_node_kind(a) != bc_node_kind(b))
			return false;
		if (bc_kind_is_composite(bc_node_kind(a)))
			return true;
		if (bc_node_kind(a) == BC_ARRAY && a[5] != b[5])
			return false;
		if (bc_node_kind(a) == BC_TYPE_TAG && strcmp(bc_string(sides[BC_OLD].graph, a[0]),
							     bc_string(sides[BC_NEW].graph, b[0])))
			return false;
		old_id = bc_chain_next(a);
		new_id = bc_chain_next(b);
	}
}

/* What a scope takes: its path, and its members again. */
static bool spend_scope(struct bc_details *details, const struct scope *scope)
{
	uint64_t bytes = strlen(scope->path);

	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		const uint32_t *node = bc_node(details->sides[which].graph, scope->ids[which]);

		bytes += bc_info_vlen(node[1]) * sizeof(struct member);
	}
	return bc_details_spend(details, bytes);
}

static bool leads_through(const struct scope *scope, uint32_t old_id, uint32_t new_id)
{
	for (; scope; scope = scope->parent)
		if (scope->ids[BC_OLD] == old_id && scope->ids[BC_NEW] == new_id)
			return true;
	return false;
}

/* True in *OPENED: the difference of the members' types shows in a scope of its own. */
static bool open_scope(struct comparing *comparing, const struct scope *scope,
		       const struct member *old_member, const struct member *new_member,
		       bool *opened)
{
	struct bc_details *details = comparing->details;
	uint32_t old_id = old_member->type_id, new_id = new_member->type_id;
	bool direct, new_direct;
	const char *path = path_behind(&details->sides[BC_OLD], &old_id, &direct);
	struct scope *inner;

	*opened = false;
	if (!path || !path_behind(&details->sides[BC_NEW], &new_id, &new_direct) ||
	    !same_steps(details->sides, old_member->type_id, new_member->type_id))
		return true;
	*opened = leads_through(scope, old_id, new_id);
	if (*opened || scope->depth == MAX_PATH)
		return true;
	if (++comparing->scope_count > MAX_SCOPES)
		return bc_err_set(details->err,
				  "unnamed types lead into each other in more than %u ways",
				  MAX_SCOPES);
	inner = bc_arena_zalloc(&details->scratch, 1, sizeof(*inner), details->err);
	if (!inner)
		return false;
	inner->parent = scope;
	inner->depth = scope->depth + 1;
	inner->ids[BC_OLD] = old_id;
	inner->ids[BC_NEW] = new_id;
	if (direct) {
		inner->bit_offsets[BC_OLD] = scope->bit_offsets[BC_OLD] + old_member->bit_offset;
		inner->bit_offsets[BC_NEW] = scope->bit_offsets[BC_NEW] + new_member->bit_offset;
	}
	inner->where = scope->where + new_member->bit_offset;
	inner->path = joined(&details->scratch, scope->path, new_member->name, path, details->err);
	if (!inner->path || !spend_scope(details, inner))
		return false;
	comparing->last->next = inner;
	comparing->last = inner;
	*opened = true;
	return true;
}

static bool compare_members(struct comparing *comparing, const struct scope *scope,
			    const struct member *old_member, const struct member *new_member,
			    uint32_t aspects)
{
	bool same, opened;

	if (!bc_alike_references(comparing->details->alike, old_member->type_id,
				 new_member->type_id, &same))
		return false;
	if (!same) {
		if (!open_scope(comparing, scope, old_member, new_member, &opened))
			return false;
		if (!opened)
			aspects |= BC_ASPECT_RETYPED;
	}
	if (old_member->bit_offset != new_member->bit_offset)
		aspects |= BC_ASPECT_MOVED;
	if (old_member->bit_width != new_member->bit_width)
		aspects |= BC_ASPECT_WIDTH;
	if (strcmp(old_member->nesting, new_member->nesting))
		aspects |= BC_ASPECT_NESTED;
	return !aspects || report_member(comparing, scope, old_member, new_member, aspects);
}

/* ---- two scopes ---- */

static int compare_places(const struct member *a, const struct member *b)
{
	int order = bc_compare_u64(a->bit_offset, b->bit_offset);

	return order ? order : bc_compare_u64(a->bit_width, b->bit_width);
}

/* Members without a match, by place. */
static uint32_t *list_unmatched(struct comparing *comparing, unsigned int which,
				const uint32_t *match, uint32_t *count)
{
	const struct scope_list *list = &comparing->lists[which];
	struct bc_details *details = comparing->details;
	struct bc_keyed *keyed = bc_arena_alloc(&details->scratch, list->count, sizeof(*keyed),
						details->err);
	struct bc_keyed *spare = bc_arena_alloc(&details->scratch, list->count, sizeof(*spare),
						details->err);
	uint32_t *places = bc_arena_alloc(&details->scratch, list->count, sizeof(*places),
					  details->err);

	if (!keyed || !spare || !places)
		return NULL;
	*count = 0;
	for (uint32_t i = 0; i < list->count; i++)
		if (match[i] == BC_NO_MATCH)
			keyed[(*count)++] = (struct bc_keyed){
				list->members[i].bit_offset << 8 | list->members[i].bit_width, i
			};
	bc_sort_keyed(keyed, spare, *count);
	for (uint32_t i = 0; i < *count; i++)
		places[i] = keyed[i].value;
	return places;
}

/*
 * Renamed is what has the same place and type. Of several at one place (in a
 * union) the first pairs with the first, the second with the second.
 */
static bool match_renamed(struct comparing *comparing, uint32_t *match[2])
{
	uint32_t counts[2], i = 0, j = 0;
	uint32_t *left[2];

	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		left[which] = list_unmatched(comparing, which, match[which], &counts[which]);
		if (!left[which])
			return false;
	}
	while (i < counts[BC_OLD] && j < counts[BC_NEW]) {
		const struct member *a = &comparing->lists[BC_OLD].members[left[BC_OLD][i]];
		const struct member *b = &comparing->lists[BC_NEW].members[left[BC_NEW][j]];
		int order = compare_places(a, b);
		bool same = false;

		if (!order &&
		    !bc_alike_references(comparing->details->alike, a->type_id, b->type_id, &same))
			return false;
		if (same) {
			match[BC_OLD][left[BC_OLD][i]] = left[BC_NEW][j];
			match[BC_NEW][left[BC_NEW][j]] = left[BC_OLD][i];
		}
		i += order <= 0;
		j += order >= 0;
	}
	return true;
}

static bool make_name_list(struct comparing *comparing, unsigned int which,
			   struct bc_name_list *names, uint32_t **match)
{
	const struct scope_list *list = &comparing->lists[which];
	struct bc_details *details = comparing->details;

	names->count = list->count;
	names->names = bc_arena_alloc(&details->scratch, list->count, sizeof(*names->names),
				      details->err);
	*match = bc_arena_alloc(&details->scratch, list->count, sizeof(**match), details->err);
	if (!names->names || !*match)
		return false;
	for (uint32_t i = 0; i < list->count; i++)
		names->names[i] = list->members[i].name;
	return true;
}

static bool compare_scopes(struct comparing *comparing, const struct scope *scope)
{
	struct bc_details *details = comparing->details;
	struct bc_name_list names[2];
	uint32_t *match[2];

	for (unsigned int which = BC_OLD; which <= BC_NEW; which++)
		if (!list_scope(details, &details->sides[which], scope->ids[which],
				&comparing->lists[which]) ||
		    !make_name_list(comparing, which, &names[which], &match[which]))
			return false;
	if (!bc_match_names(names, match, &details->scratch, details->err) ||
	    !match_renamed(comparing, match))
		return false;
	for (uint32_t i = 0; i < names[BC_OLD].count; i++) {
		const struct member *member = &comparing->lists[BC_OLD].members[i], *other;

		if (match[BC_OLD][i] == BC_NO_MATCH) {
			if (!report_member(comparing, scope, member, NULL, 0))
				return false;
			continue;
		}
		other = &comparing->lists[BC_NEW].members[match[BC_OLD][i]];
		if (!compare_members(comparing, scope, member, other,
				     strcmp(member->name, other->name) ? BC_ASPECT_RENAMED : 0))
			return false;
	}
	for (uint32_t i = 0; i < names[BC_NEW].count; i++)
		if (match[BC_NEW][i] == BC_NO_MATCH &&
		    !report_member(comparing, scope, NULL, &comparing->lists[BC_NEW].members[i], 0))
			return false;
	return true;
}

static bool compare_from(struct bc_details *details, uint32_t old_id, uint32_t new_id,
			 const char *path)
{
	struct scope first = { .ids = { old_id, new_id }, .path = path };
	struct comparing comparing = { .details = details, .last = &first };

	for (const struct scope *scope = &first; scope; scope = scope->next)
		if (!compare_scopes(&comparing, scope))
			return false;
	return true;
}

bool bc_details_of_members(struct bc_details *details, uint32_t old_id, uint32_t new_id)
{
	return compare_from(details, old_id, new_id, "");
}

bool bc_details_behind(struct bc_details *details, uint32_t old_id, uint32_t new_id, bool *opened)
{
	uint32_t old_body = old_id, new_body = new_id;
	bool direct;
	const char *path = path_behind(&details->sides[BC_OLD], &old_body, &direct);

	*opened = path && path_behind(&details->sides[BC_NEW], &new_body, &direct) &&
		  same_steps(details->sides, old_id, new_id);
	return !*opened || compare_from(details, old_body, new_body, strcmp(path, ".") ? path : "");
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * As two automata are compared (Hopcroft and Karp): the two types are taken to
 * be the same, and so are all pairs that follow from that, until a pair
 * contradicts. Union-find holds what is taken to be the same, so that each
 * question looks at a type once however often it is met, and cycles end. A
 * question answered "yes" leaves its pairs for later ones, "no" takes them
 * back, and is remembered for the pair that was asked about and the one that
 * contradicted [note_different]: many members of one large type ask the same.
 * Named types are atoms: nothing is looked at behind them.
 */
#include "compare/alike.h"
#include "base/hash.h"
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

#define DIFFERENT_PAIRS ((size_t)1 << 12)

struct bc_alike_pair {
	uint32_t old_id;
	uint32_t new_id;
};

bool bc_alike_open(struct bc_alike *alike, const struct bc_side *sides, struct bc_arena *arena,
		   struct bc_err *err)
{
	uint64_t count = (uint64_t)sides[BC_OLD].id_end + sides[BC_NEW].id_end;
	uint64_t words = (uint64_t)sides[BC_OLD].graph->start[sides[BC_OLD].graph->type_count] +
			 sides[BC_NEW].graph->start[sides[BC_NEW].graph->type_count];

	*alike = (struct bc_alike){ .sides = sides, .err = err };
	if (count > UINT32_MAX)
		return bc_err_set(err, "too many types to compare");
	alike->steps_left = ((uint64_t)1 << 26) + 64 * words;
	alike->parent = bc_arena_alloc(arena, count, sizeof(uint32_t), err);
	alike->weight = bc_arena_zalloc(arena, count, sizeof(uint32_t), err);
	alike->undo = bc_arena_alloc(arena, count, sizeof(uint32_t), err);
	alike->different = bc_arena_zalloc(arena, DIFFERENT_PAIRS, sizeof(struct bc_alike_pair),
					   err);
	if (!alike->parent || !alike->weight || !alike->undo || !alike->different)
		return false;
	for (uint32_t i = 0; i < count; i++)
		alike->parent[i] = i;
	return true;
}

void bc_alike_close(struct bc_alike *alike)
{
	free(alike->stack);
	*alike = (struct bc_alike){ 0 };
}

static uint32_t find_root(const struct bc_alike *alike, uint32_t i)
{
	while (alike->parent[i] != i)
		i = alike->parent[i];
	return i;
}

/* Takes both to be the same; false: they were already. */
static bool join(struct bc_alike *alike, uint32_t old_id, uint32_t new_id)
{
	uint32_t a = find_root(alike, old_id);
	uint32_t b = find_root(alike, alike->sides[BC_OLD].id_end + new_id);

	if (a == b)
		return false;
	if (alike->weight[a] > alike->weight[b]) {
		uint32_t swap = a;

		a = b;
		b = swap;
	}
	alike->parent[a] = b;
	alike->weight[b] += alike->weight[a] + 1;
	alike->undo[alike->undo_count++] = a;
	return true;
}

static void take_back(struct bc_alike *alike)
{
	while (alike->undo_count) {
		uint32_t a = alike->undo[--alike->undo_count];

		alike->weight[alike->parent[a]] -= alike->weight[a] + 1;
		alike->parent[a] = a;
	}
}

static bool push(struct bc_alike *alike, uint32_t old_id, uint32_t new_id)
{
	if (!bc_make_room(&alike->stack, &alike->limit, alike->depth + 1, sizeof(*alike->stack),
			  alike->err))
		return false;
	alike->stack[alike->depth++] = (struct bc_alike_pair){ old_id, new_id };
	return true;
}

/* The one place where PAIR would be remembered. */
static struct bc_alike_pair *place_of(const struct bc_alike *alike, struct bc_alike_pair pair)
{
	return &alike->different[bc_hash_mix(bc_hash_mix(0, pair.old_id), pair.new_id) &
				 (DIFFERENT_PAIRS - 1)];
}

static bool is_known_different(const struct bc_alike *alike, struct bc_alike_pair pair)
{
	const struct bc_alike_pair *known = place_of(alike, pair);

	return known->old_id == pair.old_id && known->new_id == pair.new_id;
}

static void note_different(struct bc_alike *alike, struct bc_alike_pair pair)
{
	*place_of(alike, pair) = pair;
}

static bool spend_steps(struct bc_alike *alike, uint32_t steps)
{
	if (alike->steps_left < steps)
		return bc_err_set(alike->err, "unnamed types that are nested in too many ways");
	alike->steps_left -= steps;
	return true;
}

static bool same_strings(const struct bc_alike *alike, uint32_t old_offset, uint32_t new_offset)
{
	return !strcmp(bc_string(alike->sides[BC_OLD].graph, old_offset),
		       bc_string(alike->sides[BC_NEW].graph, new_offset));
}

/* Base types and typedefs are spelled alike in C, so that only the name counts. */
static bool same_keyword(const uint32_t *a, const uint32_t *b)
{
	enum bc_class class_a = bc_class_of(a), class_b = bc_class_of(b);

	if ((class_a == BC_CLASS_BASE || class_a == BC_CLASS_TYPEDEF) &&
	    (class_b == BC_CLASS_BASE || class_b == BC_CLASS_TYPEDEF))
		return true;
	return class_a == class_b && !strcmp(bc_kind_word(a), bc_kind_word(b));
}

static bool same_atoms(const struct bc_alike *alike, uint32_t old_id, uint32_t new_id)
{
	const struct bc_side *sides = alike->sides;
	const uint32_t *old_node = bc_node(sides[BC_OLD].graph, old_id);
	const uint32_t *new_node = bc_node(sides[BC_NEW].graph, new_id);
	uint32_t old_partner = sides[BC_OLD].partner[old_id];
	uint32_t new_partner = sides[BC_NEW].partner[new_id];

	if (!bc_node_is_named(old_node, sides[BC_OLD].graph) ||
	    !bc_node_is_named(new_node, sides[BC_NEW].graph))
		return old_partner == new_id;
	/* Where one of several definitions has no partner, nobody knows better than the name. */
	if (old_partner && new_partner && old_partner != new_id &&
	    bc_class_of(old_node) == bc_class_of(new_node))
		return false;
	return same_keyword(old_node, new_node) && same_strings(alike, old_node[0], new_node[0]);
}

static bool same_tag(const struct bc_side *sides, uint32_t old_at, uint32_t new_at)
{
	const struct bc_side *old_side = &sides[BC_OLD], *new_side = &sides[BC_NEW];
	const uint32_t *a = bc_node(old_side->graph, old_side->tags.own[old_at]);
	const uint32_t *b = bc_node(new_side->graph, new_side->tags.own[new_at]);

	return a[3] == b[3] && bc_info_kflag(a[1]) == bc_info_kflag(b[1]) &&
	       !strcmp(bc_string(old_side->graph, a[0]), bc_string(new_side->graph, b[0]));
}

/* Tags on one component are a set; in a canonical graph they stand by name. */
static bool same_tags(const struct bc_side *sides, uint32_t old_id, uint32_t new_id)
{
	struct bc_tag_range a = bc_tags_on(&sides[BC_OLD].tags, old_id);
	struct bc_tag_range b = bc_tags_on(&sides[BC_NEW].tags, new_id);

	if (a.end - a.first != b.end - b.first)
		return false;
	for (uint32_t i = 0; i < a.end - a.first; i++)
		if (!same_tag(sides, a.first + i, b.first + i))
			return false;
	return true;
}

static bool same_composites(const struct bc_alike *alike, const uint32_t *a, const uint32_t *b)
{
	uint32_t count = bc_info_vlen(a[1]);

	if (a[2] != b[2])
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *x = bc_element(a, i), *y = bc_element(b, i);

		if (bc_member_bit_offset(a[1], x[2]) != bc_member_bit_offset(b[1], y[2]) ||
		    bc_member_bit_width(a[1], x[2]) != bc_member_bit_width(b[1], y[2]) ||
		    !same_strings(alike, x[0], y[0]))
			return false;
	}
	return true;
}

static bool same_enums(const struct bc_alike *alike, const uint32_t *a, const uint32_t *b)
{
	uint32_t count = bc_info_vlen(a[1]);

	if (a[2] != b[2] || bc_info_kflag(a[1]) != bc_info_kflag(b[1]))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (bc_enum_value(a, i) != bc_enum_value(b, i) ||
		    !same_strings(alike, bc_element(a, i)[0], bc_element(b, i)[0]))
			return false;
	return true;
}

static bool same_parameter_names(const struct bc_alike *alike, const uint32_t *a, const uint32_t *b)
{
	uint32_t count = bc_info_vlen(a[1]);

	for (uint32_t i = 0; i < count; i++)
		if (!same_strings(alike, bc_element(a, i)[0], bc_element(b, i)[0]))
			return false;
	return true;
}

/* What two nodes say themselves, but for their names and references. */
static bool same_labels(const struct bc_alike *alike, const uint32_t *a, const uint32_t *b)
{
	uint32_t kind = bc_node_kind(a);

	/* Their variables are compared, each with the name of its section. */
	if (kind == BC_DATASEC && bc_node_kind(b) == BC_DATASEC)
		return true;
	if (kind != bc_node_kind(b) || bc_info_vlen(a[1]) != bc_info_vlen(b[1]))
		return false;
	switch (kind) {
	case BC_INT:
		return a[2] == b[2] && a[3] == b[3];
	case BC_FLOAT:
		return a[2] == b[2];
	case BC_ARRAY:
		return a[5] == b[5];
	case BC_STRUCT:
	case BC_UNION:
		return same_composites(alike, a, b);
	case BC_ENUM:
	case BC_ENUM64:
		return same_enums(alike, a, b);
	case BC_FUNC_PROTO:
		return same_parameter_names(alike, a, b);
	case BC_VAR:
		return a[3] == b[3];
	case BC_FWD:
	case BC_TYPE_TAG:
		return bc_info_kflag(a[1]) == bc_info_kflag(b[1]);
	default:
		return true;
	}
}

static bool push_references(struct bc_alike *alike, const uint32_t *a, const uint32_t *b)
{
	struct bc_edges edges = bc_edges(a);

	if (bc_node_kind(a) == BC_DATASEC)
		return true;
	if (!spend_steps(alike, edges.count))
		return false;
	for (uint32_t i = 0; i < edges.count; i++)
		if (!push(alike, bc_edge(a, edges, i), bc_edge(b, edges, i)))
			return false;
	return true;
}

/* What PAIR says itself; what follows from it goes onto the stack. */
static bool answer_pair(struct bc_alike *alike, struct bc_alike_pair pair, bool *same)
{
	const uint32_t *a, *b;

	*same = pair.old_id == pair.new_id;
	if (!pair.old_id || !pair.new_id)
		return true;
	a = bc_node(alike->sides[BC_OLD].graph, pair.old_id);
	b = bc_node(alike->sides[BC_NEW].graph, pair.new_id);
	if (bc_is_atom(alike->sides[BC_OLD].graph, a) ||
	    bc_is_atom(alike->sides[BC_NEW].graph, b)) {
		*same = same_atoms(alike, pair.old_id, pair.new_id);
		return true;
	}
	*same = !is_known_different(alike, pair);
	if (!*same || !join(alike, pair.old_id, pair.new_id))
		return true;
	if (!spend_steps(alike, bc_element_count(a[1])))
		return false;
	*same = same_labels(alike, a, b) && same_strings(alike, a[0], b[0]) &&
		same_tags(alike->sides, pair.old_id, pair.new_id);
	if (*same)
		return push_references(alike, a, b);
	note_different(alike, pair);
	return true;
}

/* Answers what is on the stack. */
static bool answer(struct bc_alike *alike, bool *same)
{
	*same = true;
	while (alike->depth && *same)
		if (!answer_pair(alike, alike->stack[--alike->depth], same))
			return false;
	if (!*same)
		take_back(alike);
	alike->depth = 0;
	alike->undo_count = 0;
	return true;
}

bool bc_alike_references(struct bc_alike *alike, uint32_t old_id, uint32_t new_id, bool *same)
{
	if (!push(alike, old_id, new_id) || !answer(alike, same))
		return false;
	if (!*same && old_id && new_id)
		note_different(alike, (struct bc_alike_pair){ old_id, new_id });
	return true;
}

static const char *section_name(const struct bc_side *side, uint32_t id)
{
	return side->section[id] ? bc_side_name(side, side->section[id]) : "";
}

bool bc_alike_bodies(struct bc_alike *alike, uint32_t old_id, uint32_t new_id, bool *same)
{
	const struct bc_side *sides = alike->sides;
	const uint32_t *a = bc_node(sides[BC_OLD].graph, old_id);
	const uint32_t *b = bc_node(sides[BC_NEW].graph, new_id);

	*same = same_labels(alike, a, b) && same_tags(sides, old_id, new_id) &&
		!strcmp(section_name(&sides[BC_OLD], old_id), section_name(&sides[BC_NEW], new_id));
	return !*same || (push_references(alike, a, b) && answer(alike, same));
}

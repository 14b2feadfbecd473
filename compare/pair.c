/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * [pair_named] walks both lists of names like a merge. Where each side has one
 * type of a name and class, they pair. Else [pair_group]: a score for each
 * couple, what they have in common, and the best couple first [pair_by_score].
 * Equal scores are decided by the places in both groups, in a way that treats
 * the sides alike: (i, j) and (j, i) never want the same type. Groups so large
 * that all couples are too many pair in canonical order.
 *
 * Unnamed enums pair when they are equal [pair_equal_enums]; of the others a
 * couple is any two that have a value's name in common [pair_enums]; names of
 * more than a few enums make none.
 */
#include "compare/pair.h"

#include <string.h>

#include "base/order.h"

#define MAX_COUPLES 4096   /* of a group */
#define MAX_ELEMENTS 65536 /* looked at for the scores of a group, per side */
#define FEW_ENUMS 8        /* that share a value's name */

struct pairing {
	struct bc_side *sides;
	uint32_t *members[2]; /* the group, per side */
	uint32_t counts[2];
	struct bc_arena arena; /* for all */
	struct bc_arena group_arena;
	struct bc_err *err;
};

struct couple {
	uint32_t score;
	uint32_t places[2];
};

/* The same on all machines, for it may decide which enums go together. */
static uint64_t hash_string(const char *string)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *string; string++)
		hash = (hash ^ (uint8_t)*string) * 0x100000001b3u;
	return hash;
}

static void marry(struct pairing *pairing, uint32_t old_id, uint32_t new_id)
{
	pairing->sides[BC_OLD].partner[old_id] = new_id;
	pairing->sides[BC_NEW].partner[new_id] = old_id;
}

/* ---- likeness ---- */

/* The hashes of a type's element names, sorted: what two types are held against each other by. */
struct traits {
	const uint32_t *node;
	struct bc_keyed *names;
	uint32_t count;
};

/* The node whose elements tell: a function's are its prototype's. */
static const uint32_t *telling_node(const struct bc_side *side, uint32_t id)
{
	const uint32_t *node = bc_node(side->graph, id);

	return bc_node_kind(node) == BC_FUNC && bc_id_kind(side->graph, node[2]) == BC_FUNC_PROTO ?
		       bc_node(side->graph, node[2]) :
		       node;
}

static bool make_traits(struct pairing *pairing, struct traits *traits, const struct bc_side *side,
			uint32_t id)
{
	const uint32_t *telling = telling_node(side, id);
	bool has_names = bc_kind_shapes[bc_node_kind(telling)].element_name >= 0;
	uint32_t count = has_names ? bc_element_count(telling[1]) : 0;
	struct bc_keyed *spare;

	traits->node = bc_node(side->graph, id);
	traits->names = bc_arena_alloc(&pairing->group_arena, count, sizeof(*spare), pairing->err);
	spare = bc_arena_alloc(&pairing->group_arena, count, sizeof(*spare), pairing->err);
	if (!traits->names || !spare)
		return false;
	traits->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		const char *name = bc_string(side->graph, bc_element(telling, i)[0]);

		traits->names[traits->count++] = (struct bc_keyed){ hash_string(name), i };
	}
	bc_sort_keyed(traits->names, spare, traits->count);
	return true;
}

static uint32_t count_common(const struct traits *a, const struct traits *b)
{
	uint32_t i = 0, j = 0, common = 0;

	while (i < a->count && j < b->count) {
		if (a->names[i].key == b->names[j].key) {
			common++;
			i++;
			j++;
		} else if (a->names[i].key < b->names[j].key) {
			i++;
		} else {
			j++;
		}
	}
	return common;
}

/* Weighs: the same kind, then common elements, then equal numbers of them, then equal size. */
static uint32_t score_of(const struct traits *a, const struct traits *b)
{
	uint32_t common = count_common(a, b);
	uint32_t score = (bc_node_kind(a->node) == bc_node_kind(b->node)) << 30;

	score += (common < (1u << 24) ? common : (1u << 24)) * 8;
	score += (a->count == common && b->count == common) * 4;
	score += (bc_info_vlen(a->node[1]) == bc_info_vlen(b->node[1])) * 2;
	if (bc_class_of(a->node) != BC_CLASS_FUNC)
		score += a->node[2] == b->node[2];
	return score;
}

/* ---- the best first ---- */

static int compare_couples(const void *context, uint32_t a, uint32_t b)
{
	const struct couple *couples = context;
	const struct couple *x = &couples[a], *y = &couples[b];
	uint32_t x_low = x->places[0] < x->places[1] ? x->places[0] : x->places[1];
	uint32_t y_low = y->places[0] < y->places[1] ? y->places[0] : y->places[1];
	int order = bc_compare_u64(y->score, x->score);

	if (!order)
		order = bc_compare_u64((uint64_t)x->places[0] + x->places[1],
				       (uint64_t)y->places[0] + y->places[1]);
	return order ? order : bc_compare_u64(x_low, y_low);
}

static bool pair_by_score(struct pairing *pairing, const struct couple *couples, uint32_t count)
{
	uint32_t *order = bc_arena_alloc(&pairing->group_arena, count, sizeof(*order),
					 pairing->err);
	uint32_t *spare = bc_arena_alloc(&pairing->group_arena, count, sizeof(*spare),
					 pairing->err);

	if (!order || !spare)
		return false;
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	bc_sort_compared(order, spare, count, compare_couples, couples);
	for (uint32_t i = 0; i < count; i++) {
		const struct couple *couple = &couples[order[i]];
		uint32_t old_id = pairing->members[BC_OLD][couple->places[BC_OLD]];
		uint32_t new_id = pairing->members[BC_NEW][couple->places[BC_NEW]];

		if (!pairing->sides[BC_OLD].partner[old_id] &&
		    !pairing->sides[BC_NEW].partner[new_id])
			marry(pairing, old_id, new_id);
	}
	return true;
}

static bool is_small_group(const struct pairing *pairing)
{
	if ((uint64_t)pairing->counts[0] * pairing->counts[1] > MAX_COUPLES)
		return false;
	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		const struct bc_side *side = &pairing->sides[which];
		uint64_t elements = 0;

		for (uint32_t i = 0; i < pairing->counts[which]; i++)
			elements += bc_element_count(
				telling_node(side, pairing->members[which][i])[1]);
		if (elements > MAX_ELEMENTS)
			return false;
	}
	return true;
}

static bool pair_in_order(struct pairing *pairing)
{
	for (uint32_t i = 0; i < pairing->counts[BC_OLD] && i < pairing->counts[BC_NEW]; i++)
		marry(pairing, pairing->members[BC_OLD][i], pairing->members[BC_NEW][i]);
	return true;
}

static bool score_group(struct pairing *pairing)
{
	uint32_t old_count = pairing->counts[BC_OLD], new_count = pairing->counts[BC_NEW];
	struct traits *traits = bc_arena_alloc(&pairing->group_arena, old_count + new_count,
					       sizeof(*traits), pairing->err);
	struct couple *couples = bc_arena_alloc(&pairing->group_arena, old_count * new_count,
						sizeof(*couples), pairing->err);

	if (!traits || !couples)
		return false;
	for (uint32_t i = 0; i < old_count + new_count; i++) {
		bool is_new = i >= old_count;

		if (!make_traits(pairing, &traits[i], &pairing->sides[is_new],
				 pairing->members[is_new][is_new ? i - old_count : i]))
			return false;
	}
	for (uint32_t i = 0; i < old_count; i++)
		for (uint32_t j = 0; j < new_count; j++)
			couples[i * new_count + j] = (struct couple){
				score_of(&traits[i], &traits[old_count + j]), { i, j }
			};
	return pair_by_score(pairing, couples, old_count * new_count);
}

static bool pair_group(struct pairing *pairing)
{
	bool paired;

	if (pairing->counts[BC_OLD] == 1 && pairing->counts[BC_NEW] == 1)
		return pair_in_order(pairing);
	if (!pairing->counts[BC_OLD] || !pairing->counts[BC_NEW])
		return true;
	paired = is_small_group(pairing) ? score_group(pairing) : pair_in_order(pairing);
	bc_arena_free(&pairing->group_arena);
	return paired;
}

/* ---- named types ---- */

/*
 * The types of one class among BEGIN to END of a side's list. A forward
 * declaration counts where the side has no definition.
 */
static void gather(struct pairing *pairing, unsigned int which, uint32_t begin, uint32_t end,
		   enum bc_class class)
{
	const struct bc_side *side = &pairing->sides[which];
	bool has_definition[2] = { false, false }; /* struct, union */
	uint32_t count = 0;

	for (uint32_t i = begin; i < end; i++) {
		uint32_t kind = bc_id_kind(side->graph, side->list[i]);

		if (bc_kind_is_composite(kind))
			has_definition[kind == BC_UNION] = true;
	}
	for (uint32_t i = begin; i < end; i++) {
		const uint32_t *node = bc_node(side->graph, side->list[i]);

		if (bc_class_of(node) != class ||
		    (bc_node_kind(node) == BC_FWD && has_definition[bc_info_kflag(node[1])]))
			continue;
		pairing->members[which][count++] = side->list[i];
	}
	pairing->counts[which] = count;
}

static uint32_t run_end(const struct bc_side *side, uint32_t begin)
{
	const char *name = bc_side_name(side, side->list[begin]);
	uint32_t end = begin + 1;

	while (end < side->list_count && !strcmp(bc_side_name(side, side->list[end]), name))
		end++;
	return end;
}

static bool pair_runs(struct pairing *pairing, uint32_t old_begin, uint32_t old_end,
		      uint32_t new_begin, uint32_t new_end)
{
	for (enum bc_class class = 0; class < BC_CLASS_COUNT; class ++) {
		gather(pairing, BC_OLD, old_begin, old_end, class);
		gather(pairing, BC_NEW, new_begin, new_end, class);
		if (!pair_group(pairing))
			return false;
	}
	return true;
}

static bool pair_named(struct pairing *pairing)
{
	const struct bc_side *old_side = &pairing->sides[BC_OLD];
	const struct bc_side *new_side = &pairing->sides[BC_NEW];
	uint32_t i = 0, j = 0;

	while (i < old_side->list_count && j < new_side->list_count) {
		int order = strcmp(bc_side_name(old_side, old_side->list[i]),
				   bc_side_name(new_side, new_side->list[j]));
		uint32_t i_end, j_end;

		if (order < 0) {
			i++;
			continue;
		}
		if (order > 0) {
			j++;
			continue;
		}
		i_end = run_end(old_side, i);
		j_end = run_end(new_side, j);
		if (!pair_runs(pairing, i, i_end, j, j_end))
			return false;
		i = i_end;
		j = j_end;
	}
	return true;
}

/* ---- unnamed enums ---- */

/* An unnamed enum under the name of one of its values: key is the name's hash, value the place. */
struct enum_index {
	struct bc_keyed *items;
	uint32_t count;
};

/* The unnamed enums without a partner. */
static void list_enums(struct pairing *pairing, unsigned int which)
{
	const struct bc_side *side = &pairing->sides[which];

	pairing->counts[which] = 0;
	for (uint32_t id = 1; id < side->id_end; id++)
		if (!side->partner[id] && bc_is_unnamed_enum(side->graph, bc_node(side->graph, id)))
			pairing->members[which][pairing->counts[which]++] = id;
}

static uint64_t hash_enum(const struct bc_side *side, uint32_t id)
{
	const uint32_t *node = bc_node(side->graph, id);
	uint32_t count = bc_info_vlen(node[1]);
	uint64_t hash = (uint64_t)node[1] << 32 | node[2];

	for (uint32_t i = 0; i < count; i++) {
		hash = hash * 0x100000001b3u + bc_enum_value(node, i);
		hash = hash * 0x100000001b3u +
		       hash_string(bc_string(side->graph, bc_element(node, i)[0]));
	}
	return hash;
}

static struct bc_keyed *hash_enums(struct pairing *pairing, unsigned int which)
{
	uint32_t count = pairing->counts[which];
	struct bc_keyed *keyed = bc_arena_alloc(&pairing->group_arena, count, sizeof(*keyed),
						pairing->err);
	struct bc_keyed *spare = bc_arena_alloc(&pairing->group_arena, count, sizeof(*spare),
						pairing->err);

	if (!keyed || !spare)
		return NULL;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t id = pairing->members[which][i];

		keyed[i] = (struct bc_keyed){ hash_enum(&pairing->sides[which], id), id };
	}
	bc_sort_keyed(keyed, spare, count);
	return keyed;
}

/* What did not change is not up for the vote, which names in many enums could spoil. */
static bool pair_equal_enums(struct pairing *pairing)
{
	struct bc_keyed *keyed[2];
	uint32_t i = 0, j = 0;

	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		list_enums(pairing, which);
		keyed[which] = hash_enums(pairing, which);
		if (!keyed[which])
			return false;
	}
	while (i < pairing->counts[BC_OLD] && j < pairing->counts[BC_NEW]) {
		int order = bc_compare_u64(keyed[BC_OLD][i].key, keyed[BC_NEW][j].key);

		if (!order)
			marry(pairing, keyed[BC_OLD][i].value, keyed[BC_NEW][j].value);
		i += order <= 0;
		j += order >= 0;
	}
	bc_arena_free(&pairing->group_arena);
	return true;
}

static bool index_enums(struct pairing *pairing, unsigned int which, struct enum_index *index)
{
	const struct bc_side *side = &pairing->sides[which];
	uint64_t total = 0;
	struct bc_keyed *spare;

	for (uint32_t i = 0; i < pairing->counts[which]; i++)
		total += bc_info_vlen(bc_node(side->graph, pairing->members[which][i])[1]);
	index->items = bc_arena_alloc(&pairing->group_arena, total, sizeof(*spare), pairing->err);
	spare = bc_arena_alloc(&pairing->group_arena, total, sizeof(*spare), pairing->err);
	if (!index->items || !spare)
		return false;
	index->count = 0;
	for (uint32_t i = 0; i < pairing->counts[which]; i++) {
		const uint32_t *node = bc_node(side->graph, pairing->members[which][i]);
		uint32_t count = bc_info_vlen(node[1]);

		for (uint32_t value = 0; value < count; value++)
			index->items[index->count++] = (struct bc_keyed){
				hash_string(bc_string(side->graph, bc_element(node, value)[0])), i
			};
	}
	bc_sort_keyed(index->items, spare, index->count);
	return true;
}

static uint32_t equal_keys(const struct enum_index *index, uint32_t begin)
{
	uint32_t end = begin;

	while (end < index->count && index->items[end].key == index->items[begin].key)
		end++;
	return end;
}

/* One vote, OLD place << 32 | NEW place, for each name that two enums share. */
static uint32_t cast_votes(const struct enum_index *a, const struct enum_index *b,
			   struct bc_keyed *votes)
{
	uint32_t count = 0, i = 0, j = 0;

	while (i < a->count && j < b->count) {
		int order = bc_compare_u64(a->items[i].key, b->items[j].key);
		uint32_t i_end, j_end;

		if (order) {
			i += order < 0;
			j += order > 0;
			continue;
		}
		i_end = equal_keys(a, i);
		j_end = equal_keys(b, j);
		if (i_end - i <= FEW_ENUMS && j_end - j <= FEW_ENUMS)
			for (uint32_t x = i; x < i_end; x++)
				for (uint32_t y = j; y < j_end; y++)
					votes[count++].key = (uint64_t)a->items[x].value << 32 |
							     b->items[y].value;
		i = i_end;
		j = j_end;
	}
	return count;
}

/* Equal votes are one couple; its score is their number, and a bonus for nothing else in it. */
static uint32_t count_votes(const struct pairing *pairing, const struct bc_keyed *votes,
			    uint32_t vote_count, struct couple *couples)
{
	uint32_t count = 0, end;

	for (uint32_t begin = 0; begin < vote_count; begin = end) {
		struct couple *couple = &couples[count++];
		const uint32_t *a, *b;

		for (end = begin + 1; end < vote_count && votes[end].key == votes[begin].key;)
			end++;
		couple->places[BC_OLD] = (uint32_t)(votes[begin].key >> 32);
		couple->places[BC_NEW] = (uint32_t)votes[begin].key;
		a = bc_node(pairing->sides[BC_OLD].graph,
			    pairing->members[BC_OLD][couple->places[BC_OLD]]);
		b = bc_node(pairing->sides[BC_NEW].graph,
			    pairing->members[BC_NEW][couple->places[BC_NEW]]);
		couple->score = (end - begin) * 4 + (bc_info_vlen(a[1]) == bc_info_vlen(b[1])) * 2 +
				(a[2] == b[2]);
	}
	return count;
}

static bool pair_enums(struct pairing *pairing)
{
	struct enum_index indexes[2];
	struct bc_keyed *votes, *spare;
	struct couple *couples;
	uint32_t smaller, vote_count;

	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		list_enums(pairing, which);
		if (!index_enums(pairing, which, &indexes[which]))
			return false;
	}
	smaller = indexes[indexes[0].count > indexes[1].count].count;
	votes = bc_arena_alloc(&pairing->group_arena, smaller, FEW_ENUMS * sizeof(*votes),
			       pairing->err);
	spare = bc_arena_alloc(&pairing->group_arena, smaller, FEW_ENUMS * sizeof(*votes),
			       pairing->err);
	if (!votes || !spare)
		return false;
	vote_count = cast_votes(&indexes[BC_OLD], &indexes[BC_NEW], votes);
	bc_sort_keyed(votes, spare, vote_count);
	couples = bc_arena_alloc(&pairing->group_arena, vote_count, sizeof(*couples), pairing->err);
	return couples &&
	       pair_by_score(pairing, couples, count_votes(pairing, votes, vote_count, couples));
}

static bool pair_all(struct pairing *pairing)
{
	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		pairing->members[which] = bc_arena_alloc(&pairing->arena,
							 pairing->sides[which].id_end,
							 sizeof(uint32_t), pairing->err);
		if (!pairing->members[which])
			return false;
	}
	return pair_named(pairing) && pair_equal_enums(pairing) && pair_enums(pairing);
}

bool bc_pair(struct bc_side sides[2], struct bc_err *err)
{
	struct pairing pairing = { .sides = sides, .err = err };
	bool paired = pair_all(&pairing);

	bc_arena_free(&pairing.arena);
	bc_arena_free(&pairing.group_arena);
	return paired;
}

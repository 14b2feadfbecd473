/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The problem: C wants a struct before its users by value, and typedefs before
 * who names them. An order by name is the one that moves least between two
 * versions of a kernel, but it has to give way. Who gives way, the large or
 * the small? Here the large definitions keep their places by name, and the
 * small ones go to where they are needed: moving a small one costs few lines.
 *
 * Head: what needs no struct or union. Base types, unnamed enums by their
 * first value, enums by name, then such typedefs, depth first by name.
 *
 * Rest: structs and unions, and typedefs that stand for one or need one, in
 * their index: typedefs before the others, by name. With all that they need,
 * directly or not [close_needs], two conflict when one needs the other, whose
 * index is larger. From the largest definition (by 2 * sqrt of its lines, so
 * that a few lines more do not change it) to the smallest, each that
 * conflicts with none so far goes into the skeleton [choose_skeleton], which
 * is written by index. Lines of one that is needed early count 4/3: a new user
 * rather gives way to it than moves it. If it needs something that is behind it
 * as well, they count twice: it would take others along. What is not in the
 * skeleton goes into the gaps [find_slots]: just behind the last of the
 * skeleton that it needs, where that is beyond its own index; else just before
 * the first that needs it. In a gap: depth first by index.
 *
 * Why that is always right: what needs x and is in the skeleton needs all that
 * x needs, so that it stands behind the gap of x. In a gap, depth first.
 *
 * Cost: a bit for each pair of what needs and what is needed, 4,000 and 2,500 of
 * 10,000 in a kernel. Beyond SKELETON_MAX all is depth first by index.
 */
#include "text/header_order.h"

#include "base/order.h"
#include "text/header_closure.h"

#define SKELETON_MAX 32768

struct ordering {
	const struct bc_items *items;
	const uint8_t *has_composites; /* by type id */
	const uint32_t *lines;
	uint32_t *order; /* the result */
	uint32_t order_count;
	uint32_t *by_index;    /* [count] items as they are wanted */
	uint32_t *index;       /* [count] the place of each in by_index */
	uint32_t *topological; /* all items, each after what it needs */
	uint8_t *is_done;
	uint32_t *stack, *at; /* of the depth-first walk */

	uint8_t *is_rest;
	uint32_t *rest; /* [rest_count] items, by index */
	uint32_t *place_in_rest;
	uint32_t rest_count;
	struct bc_direct_needs direct; /* of rest, by place */
	struct bc_closure closure;
	uint8_t *is_kept; /* by place in rest: it is in the skeleton */
	uint64_t *kept;   /* those of it that something needs, by column */
	uint32_t *slot;   /* by place in rest: how many of the skeleton come before it */
	struct bc_arena scratch;
	struct bc_err *err;
};

/*
 * Appends ROOT and before it what it needs and is not there yet to LIST, as
 * far as it is in the same slot (slots NULL: all of it).
 */
static void visit(struct ordering *ordering, uint32_t root, uint32_t *list, uint32_t *count,
		  const uint32_t *slots)
{
	const struct bc_items *items = ordering->items;
	uint32_t depth = 0;

	if (ordering->is_done[root])
		return;
	ordering->is_done[root] = 1;
	ordering->stack[depth] = root;
	ordering->at[depth++] = items->first[root];
	while (depth) {
		uint32_t item = ordering->stack[depth - 1], target;

		if (ordering->at[depth - 1] == items->first[item + 1]) {
			list[(*count)++] = item;
			depth--;
			continue;
		}
		target = items->needs[ordering->at[depth - 1]++];
		if (ordering->is_done[target] ||
		    (slots && slots[ordering->place_in_rest[target]] !=
				      slots[ordering->place_in_rest[root]]))
			continue;
		ordering->is_done[target] = 1;
		ordering->stack[depth] = target;
		ordering->at[depth++] = items->first[target];
	}
}

static int compare_indices(const void *context, uint32_t a, uint32_t b)
{
	const struct ordering *ordering = context;

	return bc_compare_u64(ordering->index[a], ordering->index[b]);
}

/* What an item needs, in the order of the index: the walk takes it as it stands. */
static bool sort_needs(struct ordering *ordering)
{
	const struct bc_items *items = ordering->items;
	uint32_t *spare = bc_arena_alloc(&ordering->scratch, items->first[items->count],
					 sizeof(*spare), ordering->err);

	if (!spare)
		return false;
	for (uint32_t item = 0; item < items->count; item++)
		bc_sort_compared(items->needs + items->first[item], spare,
				 items->first[item + 1] - items->first[item], compare_indices,
				 ordering);
	return true;
}

/* ---- head and rest ---- */

static void find_rest(struct ordering *ordering)
{
	const struct bc_items *items = ordering->items;

	for (uint32_t i = 0; i < items->count; i++) {
		uint32_t item = ordering->topological[i];
		bool is_rest = items->class[item] == BC_ITEM_COMPOSITE;

		if (items->class[item] == BC_ITEM_TYPEDEF)
			is_rest = ordering->has_composites[items->type[item]];
		for (uint32_t j = items->first[item]; j < items->first[item + 1]; j++)
			is_rest |= ordering->is_rest[items->needs[j]];
		ordering->is_rest[item] = is_rest;
	}
	for (uint32_t i = 0; i < items->count; i++) {
		uint32_t item = ordering->by_index[i];

		if (!ordering->is_rest[item])
			continue;
		ordering->place_in_rest[item] = ordering->rest_count;
		ordering->rest[ordering->rest_count++] = item;
	}
}

static void put_head(struct ordering *ordering)
{
	for (uint32_t i = 0; i < ordering->items->count; i++)
		if (!ordering->is_rest[ordering->by_index[i]])
			visit(ordering, ordering->by_index[i], ordering->order,
			      &ordering->order_count, NULL);
}

/* ---- skeleton ---- */

/* What the items of the rest need of the rest. */
static bool close_needs(struct ordering *ordering)
{
	const struct bc_items *items = ordering->items;
	uint32_t count = 0, topological_count = 0;
	uint32_t *first = bc_arena_alloc(&ordering->scratch, (size_t)ordering->rest_count + 1,
					 sizeof(*first), ordering->err);
	uint32_t *needs = bc_arena_alloc(&ordering->scratch, items->first[items->count],
					 sizeof(*needs), ordering->err);
	uint32_t *topological = bc_arena_alloc(&ordering->scratch, ordering->rest_count,
					       sizeof(*topological), ordering->err);

	if (!first || !needs || !topological)
		return false;
	for (uint32_t place = 0; place < ordering->rest_count; place++) {
		uint32_t item = ordering->rest[place];

		first[place] = count;
		for (uint32_t i = items->first[item]; i < items->first[item + 1]; i++)
			if (ordering->is_rest[items->needs[i]])
				needs[count++] = ordering->place_in_rest[items->needs[i]];
	}
	first[ordering->rest_count] = count;
	for (uint32_t i = 0; i < items->count; i++)
		if (ordering->is_rest[ordering->topological[i]])
			topological[topological_count++] =
				ordering->place_in_rest[ordering->topological[i]];
	ordering->direct = (struct bc_direct_needs){ ordering->rest_count, first, needs,
						     topological };
	return bc_closure_make(&ordering->closure, &ordering->direct, &ordering->scratch,
			       ordering->err);
}

static uint32_t square_root(uint64_t number)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= number)
			root |= bit;
	return (uint32_t)root;
}

/* By column: what something needs that stands before it. */
static uint64_t *list_needed_early(struct ordering *ordering)
{
	uint64_t *early = bc_arena_zalloc(&ordering->scratch, ordering->closure.row_words,
					  sizeof(*early), ordering->err);

	for (uint32_t place = 0; early && place < ordering->rest_count; place++)
		bc_closure_put_later(&ordering->closure, place, early);
	return early;
}

/* What weighs more is less willing to give way. */
static uint32_t weigh(const struct ordering *ordering, uint32_t place, const uint64_t *early)
{
	const struct bc_closure *closure = &ordering->closure;
	uint64_t thirds = 3;

	if (bc_closure_has(closure, early, place))
		thirds = bc_closure_needs_later(closure, place, NULL) ? 6 : 4;
	return square_root(4 * thirds * ordering->lines[ordering->rest[place]] / 3);
}

static bool choose_skeleton(struct ordering *ordering)
{
	const struct bc_closure *closure = &ordering->closure;
	uint32_t count = ordering->rest_count;
	struct bc_keyed *by_weight = bc_arena_alloc(&ordering->scratch, count, sizeof(*by_weight),
						    ordering->err);
	struct bc_keyed *spare = bc_arena_alloc(&ordering->scratch, count, sizeof(*spare),
						ordering->err);
	const uint64_t *early = list_needed_early(ordering);
	/* By column: what one of the skeleton needs that is behind it. */
	uint64_t *barred = bc_arena_zalloc(&ordering->scratch, closure->row_words, sizeof(*barred),
					   ordering->err);

	if (!by_weight || !spare || !early || !barred)
		return false;
	for (uint32_t i = 0; i < count; i++)
		by_weight[i] = (struct bc_keyed){ UINT32_MAX - weigh(ordering, i, early), i };
	bc_sort_keyed(by_weight, spare, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t place = by_weight[i].value;

		if (bc_closure_has(closure, barred, place) ||
		    bc_closure_needs_later(closure, place, ordering->kept))
			continue;
		ordering->is_kept[place] = 1;
		bc_closure_put(closure, ordering->kept, place);
		bc_closure_put_later(closure, place, barred);
	}
	return true;
}

/* ---- gaps ---- */

/* Calls slots of what is not in the skeleton after the first of it that needs them. */
static void slot_before_users(struct ordering *ordering, const uint32_t *rank)
{
	const struct bc_closure *closure = &ordering->closure;

	for (uint32_t place = 0; place < ordering->rest_count; place++) {
		const uint64_t *row = bc_closure_row(closure, place);

		if (!ordering->is_kept[place] || !closure->row[place])
			continue;
		for (size_t word = 0; word < closure->row_words; word++) {
			uint64_t bits = row[word] & ~ordering->kept[word];

			for (; bits; bits &= bits - 1) {
				uint32_t needed =
					closure->place[word * 64 + (size_t)__builtin_ctzll(bits)];

				if (ordering->slot[needed] == UINT32_MAX)
					ordering->slot[needed] = rank[place] - 1;
			}
		}
	}
}

static void find_slots(struct ordering *ordering, uint32_t *rank)
{
	const struct bc_direct_needs *direct = &ordering->direct;
	uint32_t count = 0;

	for (uint32_t place = 0; place < ordering->rest_count; place++) {
		ordering->slot[place] = UINT32_MAX;
		if (ordering->is_kept[place])
			ordering->slot[place] = rank[place] = ++count;
	}
	for (uint32_t place = 0; place < ordering->rest_count; place++) {
		uint32_t last;

		if (ordering->is_kept[place])
			continue;
		last = bc_closure_last(&ordering->closure, place, ordering->kept);
		if (last != UINT32_MAX && last > place)
			ordering->slot[place] = rank[last];
	}
	slot_before_users(ordering, rank);
	for (uint32_t i = 0; i < direct->count; i++) {
		uint32_t place = direct->topological[i];

		if (ordering->is_kept[place])
			continue;
		for (uint32_t j = direct->first[place]; j < direct->first[place + 1]; j++)
			if (ordering->slot[direct->needs[j]] > ordering->slot[place])
				ordering->slot[place] = ordering->slot[direct->needs[j]];
	}
}

/* Each of the skeleton, then its gap. */
static bool put_rest(struct ordering *ordering)
{
	uint32_t count = ordering->rest_count;
	struct bc_keyed *by_slot = bc_arena_alloc(&ordering->scratch, count, sizeof(*by_slot),
						  ordering->err);
	struct bc_keyed *spare = bc_arena_alloc(&ordering->scratch, count, sizeof(*spare),
						ordering->err);

	if (!by_slot || !spare)
		return false;
	for (uint32_t place = 0; place < count; place++)
		by_slot[place] = (struct bc_keyed){
			(uint64_t)ordering->slot[place] << 1 | !ordering->is_kept[place], place
		};
	bc_sort_keyed(by_slot, spare, count);
	for (uint32_t i = 0; i < count; i++)
		visit(ordering, ordering->rest[by_slot[i].value], ordering->order,
		      &ordering->order_count, ordering->slot);
	return true;
}

static bool order_rest(struct ordering *ordering)
{
	uint32_t *rank;

	if (!close_needs(ordering))
		return false;
	ordering->kept = bc_arena_zalloc(&ordering->scratch, ordering->closure.row_words,
					 sizeof(uint64_t), ordering->err);
	ordering->is_kept = bc_arena_zalloc(&ordering->scratch, ordering->rest_count, 1,
					    ordering->err);
	ordering->slot = bc_arena_alloc(&ordering->scratch, ordering->rest_count, sizeof(uint32_t),
					ordering->err);
	rank = bc_arena_alloc(&ordering->scratch, ordering->rest_count, sizeof(*rank),
			      ordering->err);
	if (!ordering->kept || !ordering->is_kept || !ordering->slot || !rank)
		return false;
	if (!choose_skeleton(ordering))
		return false;
	find_slots(ordering, rank);
	return put_rest(ordering);
}

static bool order_all(struct ordering *ordering)
{
	uint32_t count = ordering->items->count, topological_count = 0;
	uint32_t **numbers[] = {
		&ordering->topological,   &ordering->stack,    &ordering->at,   &ordering->rest,
		&ordering->place_in_rest, &ordering->by_index, &ordering->index
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		*numbers[i] = bc_arena_zalloc(&ordering->scratch, count, sizeof(uint32_t),
					      ordering->err);
		if (!*numbers[i])
			return false;
	}
	ordering->is_done = bc_arena_zalloc(&ordering->scratch, count, 1, ordering->err);
	ordering->is_rest = bc_arena_zalloc(&ordering->scratch, count, 1, ordering->err);
	if (!ordering->is_done || !ordering->is_rest)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		ordering->by_index[i] = ordering->order[i];
		ordering->index[ordering->order[i]] = i;
	}
	if (!sort_needs(ordering))
		return false;
	for (uint32_t i = 0; i < count; i++)
		visit(ordering, ordering->by_index[i], ordering->topological, &topological_count,
		      NULL);
	find_rest(ordering);
	for (uint32_t item = 0; item < count; item++)
		ordering->is_done[item] = 0;
	put_head(ordering);
	if (ordering->rest_count <= SKELETON_MAX)
		return order_rest(ordering);
	for (uint32_t i = 0; i < ordering->rest_count; i++)
		visit(ordering, ordering->rest[i], ordering->order, &ordering->order_count, NULL);
	return true;
}

bool bc_items_order(uint32_t *order, const struct bc_items *items, const uint8_t *has_composites,
		    const uint32_t *lines, struct bc_err *err)
{
	struct ordering ordering = {
		.items = items,
		.has_composites = has_composites,
		.lines = lines,
		.order = order,
		.err = err,
	};
	bool done = order_all(&ordering);

	bc_arena_free(&ordering.scratch);
	return done;
}

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
 * is written by index. What is not in it goes into the gaps [find_slots]: just
 * behind the last of the skeleton that it needs, where that is beyond its own
 * index; else just before the first that needs it. In a gap: depth first by
 * index.
 *
 * Why that is always right: what needs x and is in the skeleton needs all that
 * x needs, so that it stands behind the gap of x. In a gap, depth first.
 *
 * Cost: n * n / 64 steps for the needs of n items in the rest, at 12,000 of
 * them a few milliseconds. Beyond SKELETON_MAX all is depth first by index.
 */
#include "text/header_order.h"

#include "base/order.h"

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
	size_t row_words;
	uint64_t *rows;     /* [rest_count][row_words]: what each needs, directly or not */
	uint64_t *skeleton; /* a bit per place in rest */
	uint32_t *slot;     /* by place in rest: how many of the skeleton come before it */
	struct bc_arena scratch;
	struct bc_err *err;
};

static bool has_bit(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

static void set_bit(uint64_t *bits, uint32_t i)
{
	bits[i / 64] |= UINT64_C(1) << i % 64;
}

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

static uint64_t *row_of(const struct ordering *ordering, uint32_t place)
{
	return ordering->rows + ordering->row_words * place;
}

static void close_needs(struct ordering *ordering)
{
	const struct bc_items *items = ordering->items;

	for (uint32_t i = 0; i < items->count; i++) {
		uint32_t item = ordering->topological[i];
		uint64_t *row;

		if (!ordering->is_rest[item])
			continue;
		row = row_of(ordering, ordering->place_in_rest[item]);
		for (uint32_t j = items->first[item]; j < items->first[item + 1]; j++) {
			uint32_t need = items->needs[j];
			uint32_t place = ordering->place_in_rest[need];

			if (!ordering->is_rest[need] || has_bit(row, place))
				continue;
			for (size_t word = 0; word < ordering->row_words; word++)
				row[word] |= row_of(ordering, place)[word];
			set_bit(row, place);
		}
	}
}

static uint32_t square_root(uint64_t number)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= number)
			root |= bit;
	return (uint32_t)root;
}

/* Does PLACE need something of the skeleton that has a larger index? */
static bool needs_later(const struct ordering *ordering, uint32_t place)
{
	const uint64_t *row = row_of(ordering, place);
	size_t word = place / 64;

	if (row[word] & ordering->skeleton[word] & ~UINT64_C(0) << place % 64)
		return true;
	while (++word < ordering->row_words)
		if (row[word] & ordering->skeleton[word])
			return true;
	return false;
}

/* PLACE joins the skeleton: what it needs beyond its own index can no more. */
static void join_skeleton(struct ordering *ordering, uint32_t place, uint64_t *barred)
{
	const uint64_t *row = row_of(ordering, place);
	size_t word = place / 64;

	set_bit(ordering->skeleton, place);
	barred[word] |= row[word] & ~UINT64_C(0) << place % 64;
	while (++word < ordering->row_words)
		barred[word] |= row[word];
}

static bool choose_skeleton(struct ordering *ordering)
{
	uint32_t count = ordering->rest_count;
	struct bc_keyed *by_size = bc_arena_alloc(&ordering->scratch, count, sizeof(*by_size),
						  ordering->err);
	struct bc_keyed *spare = bc_arena_alloc(&ordering->scratch, count, sizeof(*spare),
						ordering->err);
	uint64_t *barred = bc_arena_zalloc(&ordering->scratch, ordering->row_words, sizeof(*barred),
					   ordering->err);

	if (!by_size || !spare || !barred)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t lines = ordering->lines[ordering->rest[i]];

		by_size[i] = (struct bc_keyed){ UINT32_MAX - square_root(4 * lines), i };
	}
	bc_sort_keyed(by_size, spare, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t place = by_size[i].value;

		if (!has_bit(barred, place) && !needs_later(ordering, place))
			join_skeleton(ordering, place, barred);
	}
	return true;
}

/* ---- gaps ---- */

/* Calls slots of what is not in the skeleton after the first of it that needs them. */
static void slot_before_users(struct ordering *ordering, const uint32_t *rank)
{
	for (uint32_t place = 0; place < ordering->rest_count; place++) {
		const uint64_t *row = row_of(ordering, place);

		if (!has_bit(ordering->skeleton, place))
			continue;
		for (size_t word = 0; word < ordering->row_words; word++) {
			uint64_t bits = row[word] & ~ordering->skeleton[word];

			for (; bits; bits &= bits - 1) {
				uint32_t needed = (uint32_t)word * 64 +
						  (uint32_t)__builtin_ctzll(bits);

				if (ordering->slot[needed] == UINT32_MAX)
					ordering->slot[needed] = rank[place] - 1;
			}
		}
	}
}

/* The last of the skeleton that PLACE needs, UINT32_MAX: none. */
static uint32_t last_need(const struct ordering *ordering, uint32_t place)
{
	const uint64_t *row = row_of(ordering, place);

	for (size_t word = ordering->row_words; word-- > 0;) {
		uint64_t bits = row[word] & ordering->skeleton[word];

		if (bits)
			return (uint32_t)word * 64 + 63 - (uint32_t)__builtin_clzll(bits);
	}
	return UINT32_MAX;
}

static void find_slots(struct ordering *ordering, uint32_t *rank)
{
	const struct bc_items *items = ordering->items;
	uint32_t count = 0;

	for (uint32_t place = 0; place < ordering->rest_count; place++) {
		ordering->slot[place] = UINT32_MAX;
		if (has_bit(ordering->skeleton, place))
			ordering->slot[place] = rank[place] = ++count;
	}
	for (uint32_t place = 0; place < ordering->rest_count; place++) {
		uint32_t last;

		if (has_bit(ordering->skeleton, place))
			continue;
		last = last_need(ordering, place);
		if (last != UINT32_MAX && last > place)
			ordering->slot[place] = rank[last];
	}
	slot_before_users(ordering, rank);
	for (uint32_t i = 0; i < items->count; i++) {
		uint32_t item = ordering->topological[i];
		uint32_t *slot = &ordering->slot[ordering->place_in_rest[item]];

		if (!ordering->is_rest[item] ||
		    has_bit(ordering->skeleton, ordering->place_in_rest[item]))
			continue;
		for (uint32_t j = items->first[item]; j < items->first[item + 1]; j++) {
			uint32_t need = items->needs[j];

			if (ordering->is_rest[need] &&
			    ordering->slot[ordering->place_in_rest[need]] > *slot)
				*slot = ordering->slot[ordering->place_in_rest[need]];
		}
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
		by_slot[place] = (struct bc_keyed){ (uint64_t)ordering->slot[place] << 1 |
							    !has_bit(ordering->skeleton, place),
						    place };
	bc_sort_keyed(by_slot, spare, count);
	for (uint32_t i = 0; i < count; i++)
		visit(ordering, ordering->rest[by_slot[i].value], ordering->order,
		      &ordering->order_count, ordering->slot);
	return true;
}

static bool order_rest(struct ordering *ordering)
{
	uint32_t *rank;

	ordering->row_words = ordering->rest_count / 64 + 1;
	ordering->rows = bc_arena_zalloc(&ordering->scratch,
					 (size_t)ordering->rest_count * ordering->row_words,
					 sizeof(uint64_t), ordering->err);
	ordering->skeleton = bc_arena_zalloc(&ordering->scratch, ordering->row_words,
					     sizeof(uint64_t), ordering->err);
	ordering->slot = bc_arena_alloc(&ordering->scratch, ordering->rest_count, sizeof(uint32_t),
					ordering->err);
	rank = bc_arena_alloc(&ordering->scratch, ordering->rest_count, sizeof(*rank),
			      ordering->err);
	if (!ordering->rows || !ordering->skeleton || !ordering->slot || !rank)
		return false;
	close_needs(ordering);
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

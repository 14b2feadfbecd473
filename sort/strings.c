/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Ranks by most-significant-word radix sort: strings are sorted by their
 * first 8 bytes, those that agree by the next 8, and so on. [mark_names]
 * collects the offsets in a bitmap, whose population counts then number them
 * densely; [sort_ranges] keeps a stack of ranges that still agree, so time
 * is linear in the bytes looked at and nothing recurses. Where the base's
 * strings need no order, [number_others] finds them by hash instead.
 *
 * Several offsets may point into one string; written whole they can take far
 * more room than they do now. [check_unfolded] refuses what would explode.
 */
#include "sort/strings.h"

#include <inttypes.h>
#include <string.h>

#include "base/order.h"

struct range {
	uint32_t begin, end; /* of items */
	uint32_t depth;      /* bytes that agree */
};

struct sorter {
	const struct bc_graph *graph;
	struct bc_keyed *items, *spare; /* key: 8 bytes; value: string offset */
	struct range *stack;
	uint32_t depth;
};

static void mark(struct bc_string_ranks *ranks, uint32_t offset)
{
	ranks->used[offset / 64] |= (uint64_t)1 << offset % 64;
}

static void mark_names(struct bc_string_ranks *ranks, const struct bc_graph *graph)
{
	for (uint32_t i = 0; i < graph->type_count; i++) {
		const uint32_t *node = bc_own_node(graph, i);
		uint32_t kind = bc_node_kind(node);
		uint32_t count = bc_element_count(node[1]);

		mark(ranks, node[0]);
		if (!bc_kind_is_known(kind) || bc_kind_shapes[kind].element_name < 0)
			continue;
		for (uint32_t j = 0; j < count; j++)
			mark(ranks, bc_element(node, j)[bc_kind_shapes[kind].element_name]);
	}
}

static void mark_whole_strings(struct bc_string_ranks *ranks, const struct bc_graph *graph)
{
	for (uint32_t at = 0; at < graph->string_bytes;) {
		mark(ranks, graph->string_base + at);
		at += (uint32_t)strlen(graph->strings + at) + 1;
	}
}

/* How many bytes all marked strings take, each written whole. */
static uint64_t unfolded_bytes(const struct bc_string_ranks *ranks, const struct bc_graph *graph)
{
	uint32_t bit_words = bc_string_end(graph) / 64 + 1, end = 0;
	uint64_t total = 0;

	for (uint32_t i = 0; i < bit_words; i++) {
		for (uint64_t bits = ranks->used[i]; bits; bits &= bits - 1) {
			uint32_t offset = i * 64 + (uint32_t)__builtin_ctzll(bits);

			if (offset >= end)
				end = offset + (uint32_t)strlen(bc_string(graph, offset)) + 1;
			total += end - offset;
		}
	}
	return total;
}

static bool check_unfolded(const struct bc_string_ranks *ranks, const struct bc_graph *graph,
			   struct bc_err *err)
{
	uint64_t limit = ((uint64_t)64 << 20) + 8 * (uint64_t)bc_string_end(graph);
	uint64_t total = unfolded_bytes(ranks, graph);

	if (total > limit)
		return bc_err_set(err,
				  "names share their bytes; apart they would take %" PRIu64 " MiB",
				  total >> 20);
	return true;
}

/* Numbers the used offsets; returns how many there are. */
static uint32_t count_used(struct bc_string_ranks *ranks, uint32_t bit_words)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < bit_words; i++) {
		ranks->before[i] = count;
		count += (uint32_t)__builtin_popcountll(ranks->used[i]);
	}
	return count;
}

/* Bytes DEPTH to DEPTH + 7 of the string at OFFSET as a number that sorts like them, 0 after its end. */
static uint64_t load_key(const struct bc_graph *graph, uint32_t offset, uint32_t depth)
{
	const char *string, *end;
	uint64_t key = 0, zeros;

	while (offset < graph->string_base)
		graph = graph->base;
	string = graph->strings + (offset - graph->string_base) + depth;
	end = graph->strings + graph->string_bytes;
	memcpy(&key, string, end - string < 8 ? (size_t)(end - string) : 8);
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		key = __builtin_bswap64(key);
	/* The highest set bit of ZEROS marks the first zero byte; lower ones may be false. */
	zeros = (key - UINT64_C(0x0101010101010101)) & ~key & UINT64_C(0x8080808080808080);
	for (uint32_t shift = 56; zeros; shift -= 8) {
		if (!(key >> shift & 0xff))
			return key >> shift << shift;
		if (!shift)
			break;
	}
	return key;
}

static void push(struct sorter *sorter, uint32_t begin, uint32_t end, uint32_t depth)
{
	if (end - begin > 1)
		sorter->stack[sorter->depth++] = (struct range){ begin, end, depth };
}

/* Sorts one range by its next 8 bytes and pushes the parts that go on and still agree. */
static void sort_range(struct sorter *sorter, struct range range)
{
	struct bc_keyed *items = sorter->items;
	uint32_t i, begin;

	for (i = range.begin; i < range.end; i++)
		items[i].key = load_key(sorter->graph, items[i].value, range.depth);
	bc_sort_keyed(items + range.begin, sorter->spare, range.end - range.begin);
	for (begin = range.begin; begin < range.end; begin = i) {
		for (i = begin + 1; i < range.end && items[i].key == items[begin].key; i++)
			;
		if (items[begin].key & 0xff)
			push(sorter, begin, i, range.depth + 8);
		/* else these are equal to their end; being stable, lowest offset first */
	}
}

static bool is_whole(const struct bc_graph *graph, uint32_t offset)
{
	while (offset < graph->string_base)
		graph = graph->base;
	offset -= graph->string_base;
	return !offset || !graph->strings[offset - 1];
}

/* Keeps the base's lowest whole one of a string. */
static void note_base_offset(struct bc_string_ranks *ranks, const struct bc_graph *graph,
			     uint32_t rank, uint32_t offset)
{
	if (offset < graph->string_base && offset < ranks->base_offset[rank] &&
	    is_whole(graph, offset))
		ranks->base_offset[rank] = offset;
}

static void set_rank(struct bc_string_ranks *ranks, const struct bc_graph *graph, uint32_t offset,
		     uint32_t rank)
{
	uint64_t below = ((uint64_t)1 << offset % 64) - 1;

	ranks->rank[ranks->before[offset / 64] +
		    (uint32_t)__builtin_popcountll(ranks->used[offset / 64] & below)] = rank;
	note_base_offset(ranks, graph, rank, offset);
}

static uint32_t add_string(struct bc_string_ranks *ranks, const struct bc_graph *graph,
			   uint32_t offset)
{
	ranks->offset[ranks->distinct] = offset;
	if (graph->base)
		ranks->base_offset[ranks->distinct] = UINT32_MAX;
	return ranks->distinct++;
}

static void assign_ranks(struct bc_string_ranks *ranks, const struct sorter *sorter, uint32_t count)
{
	const struct bc_graph *graph = sorter->graph;
	const char *before = NULL;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t offset = sorter->items[i].value;
		const char *string = bc_string(graph, offset);

		if (!before || strcmp(before, string))
			add_string(ranks, graph, offset);
		before = string;
		set_rank(ranks, graph, offset, ranks->distinct - 1);
	}
	ranks->sorted = ranks->distinct;
}

/* Sorts what BITS mark, COUNT strings. */
static bool sort_marked(struct bc_string_ranks *ranks, const struct bc_graph *graph,
			const uint64_t *bits, uint32_t count, struct bc_arena *scratch,
			struct bc_err *err)
{
	uint32_t bit_words = bc_string_end(graph) / 64 + 1;
	struct sorter sorter = { .graph = graph };
	uint32_t filled = 0;

	sorter.items = bc_arena_alloc(scratch, count, sizeof(*sorter.items), err);
	sorter.spare = bc_arena_alloc(scratch, count, sizeof(*sorter.spare), err);
	sorter.stack = bc_arena_alloc(scratch, count / 2 + 1, sizeof(*sorter.stack), err);
	if (!sorter.items || !sorter.spare || !sorter.stack)
		return false;
	for (uint32_t i = 0; i < bit_words; i++)
		for (uint64_t word = bits[i]; word; word &= word - 1)
			sorter.items[filled++].value = i * 64 + (uint32_t)__builtin_ctzll(word);
	push(&sorter, 0, count, 0);
	while (sorter.depth)
		sort_range(&sorter, sorter.stack[--sorter.depth]);
	assign_ranks(ranks, &sorter, count);
	return true;
}

/* ---- strings that only the base has ---- */

struct slot {
	uint32_t hash, number; /* rank + 1; 0: free */
};

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/* By its words, the last one ending where the string does. */
static uint32_t hash_string(const struct bc_graph *graph, uint32_t offset)
{
	const char *string = bc_string(graph, offset);
	size_t length = strlen(string);
	uint64_t hash = length, word;

	if (length < 8)
		return (uint32_t)mix(hash, load_key(graph, offset, 0));
	for (size_t at = 0; at + 8 < length; at += 8) {
		memcpy(&word, string + at, 8);
		hash = mix(hash, word);
	}
	memcpy(&word, string + length - 8, 8);
	return (uint32_t)mix(hash, word);
}

static struct slot *find_slot(const struct bc_string_ranks *ranks, const struct bc_graph *graph,
			      struct slot *slots, uint32_t mask, uint32_t offset)
{
	uint32_t hash = hash_string(graph, offset), at = hash & mask;

	while (slots[at].number && (slots[at].hash != hash ||
				    strcmp(bc_string(graph, offset),
					   bc_string(graph, ranks->offset[slots[at].number - 1]))))
		at = (at + 1) & mask;
	slots[at].hash = hash;
	return &slots[at];
}

/* Numbers those that are used but not in BITS, as their equals among the sorted or from there on. */
static bool number_others(struct bc_string_ranks *ranks, const struct bc_graph *graph,
			  const uint64_t *bits, uint32_t count, struct bc_arena *scratch,
			  struct bc_err *err)
{
	uint32_t bit_words = bc_string_end(graph) / 64 + 1, slot_count = 64;
	struct slot *slots;

	while (slot_count / 2 < count)
		slot_count *= 2;
	slots = bc_arena_zalloc(scratch, slot_count, sizeof(*slots), err);
	if (!slots)
		return false;
	for (uint32_t rank = 0; rank < ranks->sorted; rank++)
		find_slot(ranks, graph, slots, slot_count - 1, ranks->offset[rank])->number = rank +
											      1;
	for (uint32_t i = 0; i < bit_words; i++) {
		for (uint64_t word = ranks->used[i] & ~bits[i]; word; word &= word - 1) {
			uint32_t offset = i * 64 + (uint32_t)__builtin_ctzll(word);
			struct slot *slot = find_slot(ranks, graph, slots, slot_count - 1, offset);

			if (!slot->number)
				slot->number = add_string(ranks, graph, offset) + 1;
			set_rank(ranks, graph, offset, slot->number - 1);
		}
	}
	return true;
}

static void mark_bases(struct bc_string_ranks *ranks, const struct bc_graph *graph)
{
	for (graph = graph->base; graph; graph = graph->base) {
		mark_names(ranks, graph);
		mark_whole_strings(ranks, graph);
	}
}

static bool make_room(struct bc_string_ranks *ranks, bool has_base, uint32_t count,
		      struct bc_arena *arena, struct bc_err *err)
{
	ranks->rank = bc_arena_alloc(arena, count, sizeof(*ranks->rank), err);
	ranks->offset = bc_arena_alloc(arena, count, sizeof(*ranks->offset), err);
	if (has_base)
		ranks->base_offset = bc_arena_alloc(arena, count, sizeof(uint32_t), err);
	return ranks->rank && ranks->offset && (!has_base || ranks->base_offset);
}

static uint32_t count_bits(const uint64_t *bits, uint32_t bit_words)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < bit_words; i++)
		count += (uint32_t)__builtin_popcountll(bits[i]);
	return count;
}

/* Ranks what is marked: what BITS has in order, then the rest. */
static bool rank_marked(struct bc_string_ranks *ranks, const struct bc_graph *graph,
			const uint64_t *bits, struct bc_arena *arena, struct bc_arena *scratch,
			struct bc_err *err)
{
	uint32_t bit_words = bc_string_end(graph) / 64 + 1;
	uint32_t count = count_used(ranks, bit_words), sorted = count_bits(bits, bit_words);

	return make_room(ranks, graph->base, count, arena, err) &&
	       sort_marked(ranks, graph, bits, sorted, scratch, err) &&
	       (sorted == count || number_others(ranks, graph, bits, count, scratch, err));
}

bool bc_string_ranks_compute(struct bc_string_ranks *ranks, const struct bc_graph *graph,
			     struct bc_kept_strings kept, bool sort_base, struct bc_arena *arena,
			     struct bc_err *err)
{
	uint32_t bit_words = bc_string_end(graph) / 64 + 1;
	struct bc_arena scratch = { 0 };
	uint64_t *bits; /* strings to be sorted */
	bool done;

	*ranks = (struct bc_string_ranks){ 0 };
	ranks->used = bc_arena_zalloc(arena, bit_words, sizeof(*ranks->used), err);
	ranks->before = bc_arena_alloc(arena, bit_words, sizeof(*ranks->before), err);
	bits = bc_arena_alloc(&scratch, bit_words, sizeof(*bits), err);
	done = ranks->used && ranks->before && bits;
	if (done) {
		mark(ranks, 0);
		for (uint32_t i = 0; i < kept.count; i++)
			mark(ranks, kept.offsets[i]);
		mark_names(ranks, graph);
		if (sort_base)
			mark_bases(ranks, graph);
		memcpy(bits, ranks->used, bit_words * sizeof(*bits));
		if (!sort_base)
			mark_bases(ranks, graph);
		done = check_unfolded(ranks, graph, err) &&
		       rank_marked(ranks, graph, bits, arena, &scratch, err);
	}
	bc_arena_free(&scratch);
	return done;
}

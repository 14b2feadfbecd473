/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Ranks by most-significant-word radix sort: [deal] by their first byte into
 * buckets, which threads share. There strings are sorted by their
 * first 8 bytes, those that agree by the next 8, and so on. [mark_names], or
 * [mark_own_whole] where all strings are names,
 * collects the offsets in a bitmap, whose population counts then number them
 * densely; [sort_bucket] keeps a stack of ranges that still agree, so time
 * is linear in the bytes looked at and nothing recurses. Where the base's
 * strings need no order, [number_others] finds them by hash instead; where they
 * need no rank either, [mark_likely] passes over most by their first bytes.
 *
 * Several offsets may point into one string; written whole they can take far
 * more room than they do now. [check_unfolded] refuses what would explode.
 */
#include "sort/strings.h"

#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/order.h"

struct range {
	uint32_t begin, end; /* of items */
	uint32_t depth;      /* bytes that agree */
};

#define BUCKETS BC_DEALT_PARTS

#define DEALT_PARTS_MAX 32u

struct sorter {
	const struct bc_graph *graph;
	struct bc_string_ranks *ranks;
	const uint64_t *bits;      /* of offsets: the strings to be sorted */
	uint32_t parts;            /* of them */
	uint32_t (*next)[BUCKETS]; /* by part: how many it has of a bucket, then where these go */
	struct bc_keyed *items, *spare; /* key: 8 bytes; value: string offset */
	struct range *stack;
	uint8_t *is_same; /* of an item: as the one before it */
	uint32_t begin[BUCKETS + 1];
	uint32_t rank[BUCKETS]; /* of the bucket's first string; before that: how many it has */
};

#define OFFSET_WORDS_AT_ONCE 1024u
#define TYPES_AT_ONCE 4096u

/* By threads at once. */
static void mark(struct bc_string_ranks *ranks, uint32_t offset)
{
	bc_set_shared_bit(&ranks->used[offset / 64].bits, offset % 64);
}

struct mark_job {
	struct bc_string_ranks *ranks;
	const struct bc_graph *graph;
};

static void mark_some_names(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct mark_job *job = context;

	(void)worker;
	for (uint32_t i = begin; i < end; i++) {
		const uint32_t *node = bc_own_node(job->graph, i);
		struct bc_node_names names = bc_node_names(node);

		for (uint32_t j = 0; j < names.count; j++)
			mark(job->ranks, node[bc_name_word(names, j)]);
	}
}

static void mark_names(struct bc_string_ranks *ranks, const struct bc_graph *graph,
		       struct bc_workers *workers)
{
	struct mark_job job = { ranks, graph };

	bc_workers_share(workers, graph->type_count, TYPES_AT_ONCE, mark_some_names, &job);
}

/* A bit for each of 8 bytes, the lowest for the first, that is zero. */
static uint64_t find_zeros(const char *bytes)
{
	const uint64_t low_bits = UINT64_C(0x7f7f7f7f7f7f7f7f);
	uint64_t word, zeros;

	memcpy(&word, bytes, sizeof(word));
	word = le64toh(word);
	zeros = ~(((word & low_bits) + low_bits) | word | low_bits); /* the high bits of those */
	return (zeros >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/* Those that begin in blocks of 64 bytes: behind each NUL, and at the section's beginning. */
static void mark_whole_in(struct bc_string_ranks *ranks, const struct bc_graph *graph,
			  uint32_t begin, uint32_t end)
{
	uint32_t shift = graph->string_base % 64;
	uint64_t is_begin = !begin || !graph->strings[begin * 64 - 1]; /* of the next byte */

	for (uint32_t block = begin; block < end; block++) {
		uint32_t at = block * 64;
		struct bc_numbered_bits *words = &ranks->used[(graph->string_base + at) / 64];
		uint32_t left = graph->string_bytes - at;
		char last[64] = { 0 };
		const char *bytes = graph->strings + at;
		uint64_t zeros = 0, begins;

		if (left < 64)
			bytes = memcpy(last, bytes, left);
		for (uint32_t i = 0; i < 8; i++)
			zeros |= find_zeros(bytes + i * 8) << i * 8;
		begins = zeros << 1 | is_begin;
		is_begin = zeros >> 63;
		if (left < 64)
			begins &= ((uint64_t)1 << left) - 1;
		words[0].bits |= begins << shift;
		if (shift && begins >> (64 - shift))
			words[1].bits |= begins >> (64 - shift);
	}
}

struct unfold_job {
	const struct bc_string_ranks *ranks;
	const struct bc_graph *graph;
	uint64_t total; /* atomic: bytes that all marked strings take, each written whole */
};

/* Those whose offsets are in the words of bits [begin, end). */
static void add_unfolded(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	struct unfold_job *job = context;
	uint32_t string_end = 0;
	uint64_t total = 0;

	(void)worker;
	for (uint32_t i = begin; i < end; i++) {
		for (uint64_t bits = job->ranks->used[i].bits; bits; bits &= bits - 1) {
			uint32_t offset = i * 64 + (uint32_t)__builtin_ctzll(bits);

			if (offset >= string_end)
				string_end = offset +
					     (uint32_t)strlen(bc_string(job->graph, offset)) + 1;
			total += string_end - offset;
		}
	}
	__atomic_fetch_add(&job->total, total, __ATOMIC_RELAXED);
}

static bool check_unfolded(const struct bc_string_ranks *ranks, const struct bc_graph *graph,
			   struct bc_workers *workers, struct bc_err *err)
{
	uint64_t limit = ((uint64_t)64 << 20) + 8 * (uint64_t)bc_string_end(graph);
	struct unfold_job job = { ranks, graph, 0 };

	bc_workers_share(workers, bc_string_end(graph) / 64 + 1, OFFSET_WORDS_AT_ONCE, add_unfolded,
			 &job);
	if (job.total > limit)
		return bc_err_set(err,
				  "names share their bytes; apart they would take %" PRIu64 " MiB",
				  job.total >> 20);
	return true;
}

/* Bytes DEPTH to DEPTH + 7 of the string at OFFSET as a number that sorts like them, 0 after its end. */
static uint64_t load_key(const struct bc_graph *graph, uint32_t offset, uint32_t depth)
{
	const char *string, *end;
	uint64_t key = 0;

	while (offset < graph->string_base)
		graph = graph->base;
	string = graph->strings + (offset - graph->string_base) + depth;
	end = graph->strings + graph->string_bytes;
	if (end - string >= 8) /* by one load, not a call */
		memcpy(&key, string, 8);
	else
		memcpy(&key, string, (size_t)(end - string));
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		key = __builtin_bswap64(key);
	if ((key - UINT64_C(0x0101010101010101)) & ~key & UINT64_C(0x8080808080808080)) {
		uint32_t shift = 56; /* of the first zero byte: there is one */

		while (key >> shift & 0xff)
			shift -= 8;
		return key >> shift << shift;
	}
	return key;
}

/* Ranges of one bucket that still agree. */
struct pending {
	struct range *ranges;
	uint32_t count;
};

static void push(struct pending *pending, uint32_t begin, uint32_t end, uint32_t depth)
{
	if (end - begin > 1)
		pending->ranges[pending->count++] = (struct range){ begin, end, depth };
}

/* Sorts one range by its next 8 bytes and pushes the parts that go on and still agree. */
static void sort_range(struct sorter *sorter, struct range range, struct pending *pending)
{
	struct bc_keyed *items = sorter->items;
	uint32_t i, begin;

	for (i = range.begin; i < range.end; i++)
		items[i].key = load_key(sorter->graph, items[i].value, range.depth);
	bc_sort_keyed(items + range.begin, sorter->spare + range.begin, range.end - range.begin);
	for (begin = range.begin; begin < range.end; begin = i) {
		for (i = begin + 1; i < range.end && items[i].key == items[begin].key; i++)
			;
		if (items[begin].key & 0xff)
			push(pending, begin, i, range.depth + 8);
		else /* equal to their end; being stable, lowest offset first */
			memset(sorter->is_same + begin + 1, 1, i - begin - 1);
	}
}

static void sort_bucket(struct sorter *sorter, uint32_t number)
{
	uint32_t begin = sorter->begin[number], end = sorter->begin[number + 1];
	/* Ranges are disjoint and hold two items at least, so those of buckets are apart. */
	struct pending pending = { sorter->stack + begin / 2, 0 };
	uint32_t distinct = 0; /* here, not in memory that is beside other threads' */

	push(&pending, begin, end, 0);
	while (pending.count)
		sort_range(sorter, pending.ranges[--pending.count], &pending);
	for (uint32_t i = begin; i < end; i++)
		distinct += !sorter->is_same[i];
	sorter->rank[number] = distinct;
}

static void sort_buckets(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	(void)worker;
	for (uint32_t number = begin; number < end; number++)
		sort_bucket(context, number);
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
	ranks->rank[bc_bit_number(ranks->used, offset)] = rank;
	note_base_offset(ranks, graph, rank, offset);
}

static void enter_string(struct bc_string_ranks *ranks, bool has_base, uint32_t rank,
			 uint32_t offset)
{
	ranks->offset[rank] = offset;
	if (has_base)
		ranks->base_offset[rank] = UINT32_MAX;
}

static uint32_t add_string(struct bc_string_ranks *ranks, bool has_base, uint32_t offset)
{
	enter_string(ranks, has_base, ranks->distinct, offset);
	return ranks->distinct++;
}

/* Of some buckets. */
static void assign_ranks(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct sorter *sorter = context;
	const struct bc_graph *graph = sorter->graph;

	(void)worker;
	for (uint32_t number = begin; number < end; number++) {
		uint32_t next = sorter->rank[number];

		for (uint32_t i = sorter->begin[number]; i < sorter->begin[number + 1]; i++) {
			uint32_t offset = sorter->items[i].value;

			if (!sorter->is_same[i])
				enter_string(sorter->ranks, graph->base, next++, offset);
			set_rank(sorter->ranks, graph, offset, next - 1);
		}
	}
}

/* One part of the bits: counts what buckets get of it, or puts it there. */
static void deal_part(struct sorter *sorter, uint32_t part, bool is_counting)
{
	uint64_t bit_words = bc_string_end(sorter->graph) / 64 + 1;
	uint32_t *next = sorter->next[part];

	for (uint64_t i = part * bit_words / sorter->parts;
	     i < (part + 1) * bit_words / sorter->parts; i++)
		for (uint64_t word = sorter->bits[i]; word; word &= word - 1) {
			uint32_t offset = (uint32_t)i * 64 + (uint32_t)__builtin_ctzll(word);
			uint32_t bucket = (uint8_t)*bc_string(sorter->graph, offset);

			if (!is_counting)
				sorter->items[next[bucket]].value = offset;
			next[bucket]++;
		}
}

static void count_some(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	(void)worker;
	for (uint32_t part = begin; part < end; part++)
		deal_part(context, part, true);
}

static void deal_some(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	(void)worker;
	for (uint32_t part = begin; part < end; part++)
		deal_part(context, part, false);
}

/* Lists what is to be sorted, by first byte, then by offset. */
static void deal(struct sorter *sorter, struct bc_workers *workers)
{
	bc_workers_share(workers, sorter->parts, 1, count_some, sorter);
	bc_place_dealt(sorter->next, sorter->parts, sorter->begin);
	bc_workers_share(workers, sorter->parts, 1, deal_some, sorter);
}

/* Sorts what BITS mark, COUNT strings. */
static bool sort_marked(struct bc_string_ranks *ranks, const struct bc_graph *graph,
			const uint64_t *bits, uint32_t count, struct bc_workers *workers,
			struct bc_arena *scratch, struct bc_err *err)
{
	struct sorter sorter = { .graph = graph, .ranks = ranks, .bits = bits };

	sorter.parts = bc_string_end(graph) / 64 / OFFSET_WORDS_AT_ONCE + 1;
	if (sorter.parts > DEALT_PARTS_MAX)
		sorter.parts = DEALT_PARTS_MAX;
	sorter.next = bc_arena_zalloc(scratch, sorter.parts, sizeof(*sorter.next), err);
	sorter.items = bc_arena_alloc(scratch, count, sizeof(*sorter.items), err);
	sorter.spare = bc_arena_alloc(scratch, count, sizeof(*sorter.spare), err);
	sorter.stack = bc_arena_alloc(scratch, count / 2 + 1, sizeof(*sorter.stack), err);
	sorter.is_same = bc_arena_zalloc(scratch, count, 1, err);
	if (!sorter.next || !sorter.items || !sorter.spare || !sorter.stack || !sorter.is_same)
		return false;
	deal(&sorter, workers);
	bc_workers_share(workers, BUCKETS, 1, sort_buckets, &sorter);
	for (uint32_t number = 0; number < BUCKETS; number++) {
		uint32_t distinct = sorter.rank[number];

		sorter.rank[number] = ranks->distinct;
		ranks->distinct += distinct;
	}
	bc_workers_share(workers, BUCKETS, 1, assign_ranks, &sorter);
	ranks->sorted = ranks->distinct;
	return true;
}

/* ---- strings that only the base has ---- */

struct slot {
	uint32_t hash, number; /* rank + 1; 0: free */
};

struct slots {
	struct slot *slots;
	uint32_t mask;
	uint64_t hash_seed;
};

static struct slot *find_slot(const struct bc_string_ranks *ranks, const struct bc_graph *graph,
			      const struct slots *table, uint32_t offset)
{
	const char *string = bc_string(graph, offset);
	uint32_t hash = (uint32_t)bc_hash_bytes(table->hash_seed, string, strlen(string));
	struct slot *slot = &table->slots[hash & table->mask];

	while (slot->number && (slot->hash != hash ||
				strcmp(string, bc_string(graph, ranks->offset[slot->number - 1]))))
		slot = &table->slots[(slot - table->slots + 1) & table->mask];
	slot->hash = hash;
	return slot;
}

/* Numbers those that are used but not in BITS, as their equals among the sorted or from there on. */
static bool number_others(struct bc_string_ranks *ranks, const struct bc_graph *graph,
			  const uint64_t *bits, uint32_t count, struct bc_arena *scratch,
			  struct bc_err *err)
{
	uint32_t bit_words = bc_string_end(graph) / 64 + 1;
	struct slots table = { .hash_seed = bc_hash_seed() };
	uint64_t slot_count = 64;

	while (slot_count / 2 < count)
		slot_count *= 2;
	table.mask = (uint32_t)(slot_count - 1);
	table.slots = bc_arena_zalloc(scratch, slot_count, sizeof(*table.slots), err);
	if (!table.slots)
		return false;
	for (uint32_t rank = 0; rank < ranks->sorted; rank++)
		find_slot(ranks, graph, &table, ranks->offset[rank])->number = rank + 1;
	for (uint32_t i = 0; i < bit_words; i++) {
		for (uint64_t word = ranks->used[i].bits & ~bits[i]; word; word &= word - 1) {
			uint32_t offset = i * 64 + (uint32_t)__builtin_ctzll(word);
			struct slot *slot = find_slot(ranks, graph, &table, offset);

			if (!slot->number)
				slot->number = add_string(ranks, graph->base, offset) + 1;
			set_rank(ranks, graph, offset, slot->number - 1);
		}
	}
	return true;
}

static void mark_some_whole(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct mark_job *job = context;

	(void)worker;
	mark_whole_in(job->ranks, job->graph, begin, end);
}

static uint32_t count_blocks(const struct bc_graph *graph)
{
	return graph->string_bytes / 64 + (graph->string_bytes % 64 != 0);
}

/* By threads: GRAPH has no base, and so each block has a word of bits to itself. */
static void mark_own_whole(struct bc_string_ranks *ranks, const struct bc_graph *graph,
			   struct bc_workers *workers)
{
	struct mark_job job = { ranks, graph };

	bc_workers_share(workers, count_blocks(graph), OFFSET_WORDS_AT_ONCE, mark_some_whole, &job);
}

static void mark_bases(struct bc_string_ranks *ranks, const struct bc_graph *graph)
{
	for (graph = graph->base; graph; graph = graph->base) {
		mark_names(ranks, graph, NULL);
		mark_whole_in(ranks, graph, 0, count_blocks(graph));
	}
}

/* ---- strings of the base that may be own ones ---- */

#define FILTER_BITS (1u << 18)
#define FILTER_LENGTH_MAX 64u /* longer ones count as if of this length: names may overlap */

struct likely {
	struct bc_string_ranks *ranks;
	/* Bits by a hash of the first 8 bytes of own strings, and their lengths. */
	uint64_t filter[FILTER_BITS / 64];
	uint64_t *whole; /* bits by offset: a string begins there */
};

static uint32_t filter_bit(const struct bc_graph *graph, uint32_t offset)
{
	size_t length = strnlen(bc_string(graph, offset), FILTER_LENGTH_MAX);

	return (uint32_t)bc_hash_mix(length, load_key(graph, offset, 0)) % FILTER_BITS;
}

static void mark_if_likely(struct likely *likely, const struct bc_graph *graph, uint32_t offset)
{
	uint32_t bit = filter_bit(graph, offset);

	if (likely->filter[bit / 64] >> bit % 64 & 1)
		mark(likely->ranks, offset);
}

static void look_at_whole_strings(struct likely *likely, const struct bc_graph *graph)
{
	for (uint32_t at = 0; at < graph->string_bytes;) {
		uint32_t offset = graph->string_base + at;

		likely->whole[offset / 64] |= (uint64_t)1 << offset % 64;
		mark_if_likely(likely, graph, offset);
		at += (uint32_t)strlen(graph->strings + at) + 1;
	}
}

/* Names that begin inside a string, which are rare. */
static void look_at_name(struct likely *likely, const struct bc_graph *graph, uint32_t offset)
{
	if (!(likely->whole[offset / 64] >> offset % 64 & 1))
		mark_if_likely(likely, graph, offset);
}

static void look_at_names(struct likely *likely, const struct bc_graph *graph)
{
	for (uint32_t i = 0; i < graph->type_count; i++) {
		const uint32_t *node = bc_own_node(graph, i);
		struct bc_node_names names = bc_node_names(node);

		for (uint32_t j = 0; j < names.count; j++)
			look_at_name(likely, graph, node[bc_name_word(names, j)]);
	}
}

/* Marks what of the base may be among the own strings, which BITS has: all that is, and little else. */
static bool mark_likely(struct bc_string_ranks *ranks, const struct bc_graph *graph,
			const uint64_t *bits, struct bc_arena *scratch, struct bc_err *err)
{
	uint32_t bit_words = bc_string_end(graph) / 64 + 1;
	struct likely *likely = bc_arena_zalloc(scratch, 1, sizeof(*likely), err);

	if (!likely)
		return false;
	likely->ranks = ranks;
	likely->whole = bc_arena_zalloc(scratch, bit_words, sizeof(*likely->whole), err);
	if (!likely->whole)
		return false;
	for (uint32_t i = 0; i < bit_words; i++)
		for (uint64_t word = bits[i]; word; word &= word - 1) {
			uint32_t bit = filter_bit(graph, i * 64 + (uint32_t)__builtin_ctzll(word));

			likely->filter[bit / 64] |= (uint64_t)1 << bit % 64;
		}
	for (graph = graph->base; graph; graph = graph->base) {
		look_at_whole_strings(likely, graph);
		look_at_names(likely, graph);
	}
	return true;
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
		count += bc_count_bits(bits[i]);
	return count;
}

/* Ranks what is marked: what BITS has in order, then the rest. */
static bool rank_marked(struct bc_string_ranks *ranks, const struct bc_graph *graph,
			const uint64_t *bits, struct bc_workers *workers, struct bc_arena *arena,
			struct bc_arena *scratch, struct bc_err *err)
{
	uint32_t bit_words = bc_string_end(graph) / 64 + 1;
	uint32_t count = bc_number_bits(ranks->used, bit_words);
	uint32_t sorted = count_bits(bits, bit_words);

	ranks->used_count = count;
	return make_room(ranks, graph->base, count, arena, err) &&
	       sort_marked(ranks, graph, bits, sorted, workers, scratch, err) &&
	       (sorted == count || number_others(ranks, graph, bits, count, scratch, err));
}

bool bc_string_ranks_compute(struct bc_string_ranks *ranks, const struct bc_graph *graph,
			     struct bc_kept_strings kept, enum bc_base_strings base_strings,
			     struct bc_workers *workers, struct bc_arena *arena, struct bc_err *err)
{
	uint32_t bit_words = bc_string_end(graph) / 64 + 1;
	struct bc_arena scratch = { 0 };
	bool kept_all = kept.all && !graph->base;
	uint64_t *bits; /* strings to be sorted */
	bool done;

	*ranks = (struct bc_string_ranks){ 0 };
	ranks->used = bc_arena_zalloc(arena, bit_words, sizeof(*ranks->used), err);
	bits = bc_arena_alloc(&scratch, bit_words, sizeof(*bits), err);
	done = ranks->used && bits;
	if (done) {
		mark(ranks, 0);
		for (uint32_t i = 0; i < kept.count; i++)
			mark(ranks, kept.offsets[i]);
		if (kept_all)
			mark_own_whole(ranks, graph, workers);
		else
			mark_names(ranks, graph, workers);
		if (base_strings == BC_BASE_STRINGS_IN_ORDER)
			mark_bases(ranks, graph);
		for (uint32_t i = 0; i < bit_words; i++)
			bits[i] = ranks->used[i].bits;
		if (base_strings == BC_BASE_STRINGS_APART)
			mark_bases(ranks, graph);
		if (base_strings == BC_BASE_STRINGS_AS_ONE)
			done = mark_likely(ranks, graph, bits, &scratch, err);
		done = done && (kept_all || check_unfolded(ranks, graph, workers, err)) &&
		       rank_marked(ranks, graph, bits, workers, arena, &scratch, err);
	}
	bc_arena_free(&scratch);
	return done;
}

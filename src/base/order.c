/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "base/order.h"

#include <stdbool.h>
#include <string.h>

#include "base/search.h"

#define FEW 96 /* below, counting digit values costs more than it saves */
/* From here on, fewer passes pay for more digit values, and threads for themselves. */
#define MANY 4096
#define DIGIT_BITS 8
#define DIGIT_VALUES (1u << DIGIT_BITS)
#define WIDE_DIGIT_BITS 11
#define COUNTS (6u << WIDE_DIGIT_BITS) /* 64 bits are 6 wide digits, or 8 others */

static void insert_sorted(struct bc_keyed *items, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct bc_keyed item = items[i];
		size_t j = i;

		for (; j > 0 && items[j - 1].key > item.key; j--)
			items[j] = items[j - 1];
		items[j] = item;
	}
}

/* The bits in which keys differ. */
static uint64_t find_different(const struct bc_keyed *items, size_t count)
{
	uint64_t different = 0;

	for (size_t i = 1; i < count; i++)
		different |= items[i].key ^ items[0].key;
	return different;
}

/* One stable pass of counting sort by the digit of BITS bits at SHIFT. */
static void distribute(const struct bc_keyed *from, struct bc_keyed *to, size_t count,
		       uint32_t *counts, unsigned int shift, unsigned int bits)
{
	uint64_t mask = ((uint64_t)1 << bits) - 1;
	uint32_t sum = 0;

	for (size_t value = 0; value <= mask; value++) {
		uint32_t here = counts[value];

		counts[value] = sum; /* from now on: where the next one goes */
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[counts[from[i].key >> shift & mask]++] = from[i];
}

/* Says where the digits begin that have all bits of DIFFERENT, the lowest first; returns how many. */
static unsigned int choose_digits(uint64_t different, unsigned int bits, unsigned int *shifts)
{
	unsigned int digits = 0;

	while (different) {
		unsigned int shift = (unsigned int)__builtin_ctzll(different);

		shift = shift < 64 - bits ? shift : 64 - bits;
		shifts[digits++] = shift;
		different &= ~((((uint64_t)1 << bits) - 1) << shift);
	}
	return digits;
}

void bc_sort_keyed(struct bc_keyed *items, struct bc_keyed *spare, size_t count)
{
	uint32_t counts[COUNTS];
	unsigned int bits = count < MANY ? DIGIT_BITS : WIDE_DIGIT_BITS;
	unsigned int shifts[64 / DIGIT_BITS], digits;
	uint64_t mask = ((uint64_t)1 << bits) - 1;
	struct bc_keyed *from = items, *to = spare;

	if (count < FEW) {
		insert_sorted(items, count);
		return;
	}
	digits = choose_digits(find_different(items, count), bits, shifts);
	memset(counts, 0, ((size_t)digits << bits) * sizeof(*counts));
	for (size_t i = 0; i < count; i++)
		for (unsigned int digit = 0; digit < digits; digit++)
			counts[(digit << bits) + (items[i].key >> shifts[digit] & mask)]++;
	for (unsigned int digit = 0; digit < digits; digit++) {
		struct bc_keyed *swap = from;

		distribute(from, to, count, counts + ((size_t)digit << bits), shifts[digit], bits);
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
}

#define SLICES 16u

_Static_assert(DIGIT_VALUES == BC_DEALT_PARTS, "a part for each value of the digit");

/* What is sorted by threads: slices are dealt to parts, by the highest digit in which keys differ. */
struct parts {
	struct bc_keyed *items, *spare; /* dealt to SPARE */
	uint32_t count;
	unsigned int shift;
	uint32_t begin[BC_DEALT_PARTS + 1];
	uint32_t next[SLICES][BC_DEALT_PARTS]; /* of a slice, see bc_place_dealt */
};

/* Counts what parts get of a slice, or puts it there. */
static void deal_slice(struct parts *parts, uint32_t slice, bool is_counting)
{
	uint64_t end = (uint64_t)parts->count * (slice + 1) / SLICES;
	uint32_t *next = parts->next[slice];

	for (uint64_t i = (uint64_t)parts->count * slice / SLICES; i < end; i++) {
		uint64_t part = parts->items[i].key >> parts->shift & (DIGIT_VALUES - 1);

		if (!is_counting)
			parts->spare[next[part]] = parts->items[i];
		next[part]++;
	}
}

static void count_slices(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	(void)worker;
	for (uint32_t slice = begin; slice < end; slice++)
		deal_slice(context, slice, true);
}

static void deal_slices(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	(void)worker;
	for (uint32_t slice = begin; slice < end; slice++)
		deal_slice(context, slice, false);
}

void bc_place_dealt(uint32_t (*counts)[BC_DEALT_PARTS], uint32_t slices, uint32_t *begin)
{
	uint32_t sum = 0;

	for (uint32_t part = 0; part < BC_DEALT_PARTS; part++) {
		begin[part] = sum;
		for (uint32_t slice = 0; slice < slices; slice++) {
			uint32_t count = counts[slice][part];

			counts[slice][part] = sum;
			sum += count;
		}
	}
	begin[BC_DEALT_PARTS] = sum;
}

static void sort_some_parts(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct parts *parts = context;

	(void)worker;
	for (uint32_t part = begin; part < end; part++) {
		uint32_t at = parts->begin[part], count = parts->begin[part + 1] - at;

		bc_sort_keyed(parts->spare + at, parts->items + at, count);
		if (count)
			memcpy(parts->items + at, parts->spare + at, count * sizeof(*parts->items));
	}
}

void bc_sort_keyed_shared(struct bc_keyed *items, struct bc_keyed *spare, uint32_t count,
			  struct bc_workers *workers)
{
	struct parts parts = { .items = items, .spare = spare, .count = count };
	uint64_t different = count < MANY || bc_workers_count(workers) < 2 ?
				     0 :
				     find_different(items, count);

	if (!different) {
		bc_sort_keyed(items, spare, count);
		return;
	}
	parts.shift = 64 - (unsigned int)__builtin_clzll(different);
	parts.shift = parts.shift > DIGIT_BITS ? parts.shift - DIGIT_BITS : 0;
	bc_workers_share(workers, SLICES, 1, count_slices, &parts);
	bc_place_dealt(parts.next, SLICES, parts.begin);
	bc_workers_share(workers, SLICES, 1, deal_slices, &parts);
	bc_workers_share(workers, DIGIT_VALUES, 1, sort_some_parts, &parts);
}

uint32_t bc_find_keyed(const struct bc_keyed *items, uint32_t count, uint64_t key)
{
	struct bc_search search = bc_search_among(count);

	while (bc_search_goes_on(&search))
		bc_search_step(&search, items[search.middle].key < key);
	return search.low;
}

static void merge(const uint32_t *from, uint32_t *to, size_t begin, size_t middle, size_t end,
		  bc_compare compare, const void *context)
{
	size_t left = begin, right = middle;

	for (size_t i = begin; i < end; i++) {
		bool take_left = left < middle &&
				 (right == end || compare(context, from[left], from[right]) <= 0);

		to[i] = take_left ? from[left++] : from[right++];
	}
}

void bc_sort_compared(uint32_t *items, uint32_t *spare, size_t count, bc_compare compare,
		      const void *context)
{
	uint32_t *from = items, *to = spare;

	for (size_t width = 1; width < count; width *= 2) {
		uint32_t *swap = from;

		for (size_t begin = 0; begin < count; begin += 2 * width) {
			size_t middle = begin + width < count ? begin + width : count;
			size_t end = begin + 2 * width < count ? begin + 2 * width : count;

			merge(from, to, begin, middle, end, compare, context);
		}
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
}

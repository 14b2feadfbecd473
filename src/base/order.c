/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "base/order.h"

#include <stdbool.h>
#include <string.h>

#include "base/search.h"

#define DIGITS 8
#define DIGIT_VALUES 256
#define FEW 96 /* below, counting 2,048 digit values costs more than it saves */

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

/* One stable pass of counting sort by one byte of the key. */
static void distribute(const struct bc_keyed *from, struct bc_keyed *to, size_t count,
		       const uint32_t *counts, unsigned int shift)
{
	uint32_t next[DIGIT_VALUES];
	uint32_t sum = 0;

	for (size_t value = 0; value < DIGIT_VALUES; value++) {
		next[value] = sum;
		sum += counts[value];
	}
	for (size_t i = 0; i < count; i++)
		to[next[from[i].key >> shift & (DIGIT_VALUES - 1)]++] = from[i];
}

void bc_sort_keyed(struct bc_keyed *items, struct bc_keyed *spare, size_t count)
{
	uint32_t counts[DIGITS][DIGIT_VALUES];
	struct bc_keyed *from = items, *to = spare;

	if (count < FEW) {
		insert_sorted(items, count);
		return;
	}
	memset(counts, 0, sizeof(counts));
	for (size_t i = 0; i < count; i++)
		for (unsigned int digit = 0; digit < DIGITS; digit++)
			counts[digit][items[i].key >> 8 * digit & (DIGIT_VALUES - 1)]++;
	for (unsigned int digit = 0; digit < DIGITS; digit++) {
		struct bc_keyed *swap = from;

		if (counts[digit][items[0].key >> 8 * digit & (DIGIT_VALUES - 1)] == count)
			continue; /* the same in every key */
		distribute(from, to, count, counts[digit], 8 * digit);
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
}

/* Parts of what is sorted by threads: by the highest digit in which keys differ. */
struct parts {
	struct bc_keyed *items, *spare; /* dealt to SPARE */
	uint32_t begin[DIGIT_VALUES + 1];
};

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

#define MANY 4096u /* below, threads cost more than they save */

void bc_sort_keyed_shared(struct bc_keyed *items, struct bc_keyed *spare, uint32_t count,
			  struct bc_workers *workers)
{
	struct parts parts = { items, spare, { 0 } };
	uint64_t different = 0;
	unsigned int shift;

	for (uint32_t i = 0; i < count; i++)
		different |= items[i].key ^ items[0].key;
	if (count < MANY || bc_workers_count(workers) < 2 || !different) {
		bc_sort_keyed(items, spare, count);
		return;
	}
	shift = 64 - (unsigned int)__builtin_clzll(different);
	shift = shift > 8 ? shift - 8 : 0;
	for (uint32_t i = 0; i < count; i++)
		parts.begin[(items[i].key >> shift & (DIGIT_VALUES - 1)) + 1]++;
	distribute(items, spare, count, parts.begin + 1, shift);
	for (uint32_t part = 0; part < DIGIT_VALUES; part++)
		parts.begin[part + 1] += parts.begin[part];
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

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_ORDER_H
#define BC_BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/workers.h"

/* An item to be put in order by its key. */
struct bc_keyed {
	uint64_t key;
	uint32_t value;
};

/*
 * Stable sort by key, in linear time for many items. SPARE has room for
 * COUNT items too; the result is in ITEMS.
 */
void bc_sort_keyed(struct bc_keyed *items, struct bc_keyed *spare, size_t count);

/* The same, by threads. */
void bc_sort_keyed_shared(struct bc_keyed *items, struct bc_keyed *spare, uint32_t count,
			  struct bc_workers *workers);

#define BC_DEALT_PARTS 256u

/*
 * For slices that threads deal to parts, in the order of slices: COUNTS, how many each of
 * SLICES has of a part, become the places where these go. BEGIN [BC_DEALT_PARTS + 1] gets where
 * parts begin.
 */
void bc_place_dealt(uint32_t (*counts)[BC_DEALT_PARTS], uint32_t slices, uint32_t *begin);

/* The place of the first of COUNT sorted items whose key is not below KEY; COUNT: there is none. */
uint32_t bc_find_keyed(const struct bc_keyed *items, uint32_t count, uint64_t key);

/* Below 0, 0 or above 0, as strcmp. */
typedef int (*bc_compare)(const void *context, uint32_t a, uint32_t b);

/*
 * Stable merge sort of COUNT numbers: never more than count * log2(count)
 * comparisons. SPARE has room for COUNT numbers.
 */
void bc_sort_compared(uint32_t *items, uint32_t *spare, size_t count, bc_compare compare,
		      const void *context);

/* -1, 0 or 1. */
static inline int bc_compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

#endif

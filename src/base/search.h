/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_SEARCH_H
#define BC_BASE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Binary search among COUNT items that are in order, whatever they are and
 * whatever tells which of them come before the place that is looked for:
 *
 *     struct bc_search search = bc_search_among(count);
 *
 *     while (bc_search_goes_on(&search))
 *             bc_search_step(&search, items[search.middle] < wanted);
 *
 * Then search.low is the place: how many items come before it.
 */
struct bc_search {
	uint32_t low, high;
	uint32_t middle; /* the item to be looked at */
};

static inline struct bc_search bc_search_among(uint32_t count)
{
	return (struct bc_search){ .high = count };
}

static inline bool bc_search_goes_on(struct bc_search *search)
{
	search->middle = search->low + (search->high - search->low) / 2;
	return search->low < search->high;
}

/* IS_BEFORE: of item MIDDLE. */
static inline void bc_search_step(struct bc_search *search, bool is_before)
{
	if (is_before)
		search->low = search->middle + 1;
	else
		search->high = search->middle;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TESTS_SHUFFLE_H
#define BC_TESTS_SHUFFLE_H

#include "tests/lib/build.h"
#include "tests/lib/rng.h"

/*
 * The same meaning in other bytes. Nothing here changes its input; results live
 * in the arena given.
 */

/* A random order of 0 … COUNT - 1. */
uint32_t *shuffle_permutation(struct bc_arena *arena, struct rng *rng, uint32_t count);

/* Own types in another order: own type number i is IN's number ORDER[i]. */
struct build *shuffle_ids(struct bc_arena *arena, const struct build *in, const uint32_t *order);

/*
 * Duplicates: own types occur up to three times, PERCENT of them more than
 * once, and a reference names any copy of what it named; tags and sections
 * are repeated so that every copy has what the original has. ORIGIN (may be
 * NULL) gets, for each own type of the result, its number in IN.
 */
struct build *shuffle_twins(struct bc_arena *arena, struct rng *rng, const struct build *in,
			    uint32_t percent, uint32_t **origin);

/*
 * The bytes of BUILD with its strings in random order, some repeated, some
 * unused, some only the tail of another; names of type 0 anywhere an empty
 * string stands; header and place of the strings vary. BUILD gets the strings
 * as its own, so it can be a base afterwards.
 */
uint8_t *shuffle_bytes(struct build *build, struct rng *rng, size_t *size_bytes);

/* All of it: twins (where TWIN_PERCENT is not 0), ids, bytes. The build made is in *OUT. */
uint8_t *shuffle_all(struct bc_arena *arena, struct rng *rng, const struct build *in,
		     uint32_t twin_percent, struct build **out, size_t *size_bytes);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_SORT_STRINGS_H
#define BC_SORT_STRINGS_H

#include "base/arena.h"
#include "base/bits.h"
#include "base/workers.h"
#include "graph/graph.h"

/*
 * Strings as numbers: the rank of a string among the distinct ones, by bytes.
 * Equal content, equal rank, wherever it stands. Ranked are the names that
 * own nodes use and the offsets in KEPT, and with a base all whole strings and
 * all names of the base chain too. Rank 0 is the empty string.
 *
 * A base has far more strings than a module. What becomes of those that only
 * the base has costs most, and is asked for:
 */
enum bc_base_strings {
	BC_BASE_STRINGS_IN_ORDER, /* with all others */
	BC_BASE_STRINGS_APART,    /* each its own rank, behind all others, in any order */
	/* All one rank behind all others, distinct: they are no own ones, and that is all. */
	BC_BASE_STRINGS_AS_ONE,
};

struct bc_string_ranks {
	uint32_t distinct;
	uint32_t sorted;       /* of them, those in order */
	uint32_t used_count;   /* offsets */
	uint32_t *offset;      /* [distinct] somewhere the string stands */
	uint32_t *base_offset; /* [distinct] the lowest place in the base chain where it stands as a
				* whole string, UINT32_MAX: none; NULL without a base */
	struct bc_numbered_bits *used; /* bit per offset */
	uint32_t *rank;                /* of the n-th used offset */
};

/* Strings that stay, whatever types refer to. */
struct bc_kept_strings {
	const uint32_t *offsets; /* something beside the types has them */
	uint32_t count;
	bool all; /* without a base: all, and no name begins inside of one: an encoder wrote them */
};

/* Memory comes from ARENA; WORKERS (NULL: one thread) share the work. Fails where overlapping strings would unfold to far more than the input. */
bool bc_string_ranks_compute(struct bc_string_ranks *ranks, const struct bc_graph *graph,
			     struct bc_kept_strings kept, enum bc_base_strings base_strings,
			     struct bc_workers *workers, struct bc_arena *arena,
			     struct bc_err *err);

/* OFFSET must be one of the ranked. */
static inline uint32_t bc_string_rank(const struct bc_string_ranks *ranks, uint32_t offset)
{
	return bc_bit_is_set(ranks->used, offset) ?
		       ranks->rank[bc_bit_number(ranks->used, offset)] :
		       ranks->distinct;
}

#endif

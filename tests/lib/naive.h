/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TESTS_NAIVE_H
#define BC_TESTS_NAIVE_H

#include "tests/lib/build.h"

/*
 * The canonical form once more, from its definition and as plainly as can be:
 * every round compares whole tuples of all types, bisimilarity with a base is
 * a table of all pairs. Quadratic and cubic; for graphs of up to some hundred types.
 * Shares no code with what it checks.
 */
struct naive_options {
	bool name_order;
	bool settle_forwards;
};

struct naive {
	struct build *canonical;
	const uint32_t *new_id; /* by own number in the input: id of what it became */
};

/* Everything lives in the arena of IN. */
struct naive naive_canonical(const struct build *in, const struct naive_options *options);

#endif

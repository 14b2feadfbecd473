/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TESTS_RANDOM_GRAPH_H
#define BC_TESTS_RANDOM_GRAPH_H

#include "tests/lib/build.h"
#include "tests/lib/rng.h"

/*
 * A random graph that every reader takes: all kinds, cycles through pointers,
 * unnamed cycles, near twins (few names, few sizes), tags on types, members,
 * functions, parameters and variables, forwards, several definitions of one
 * name, several sections of one name. At least one type, about TYPE_COUNT.
 *
 * With BASE it is split BTF: some of its types say again what base types say,
 * some of these with a difference, and its own refer to both.
 */
struct build *random_graph(struct bc_arena *arena, struct rng *rng, const struct build *base,
			   uint32_t type_count);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TESTS_DUMPED_H
#define BC_TESTS_DUMPED_H

#include "tests/lib/law.h"

/* The text form of a graph; fails the running cmocka test when there is none. */
const char *dumped_graph(struct bc_arena *arena, const struct bc_graph *graph, bool full);

/* The text form of what BUILD says, put in canonical order. */
const char *dumped(struct bc_arena *arena, struct build *build, bool full);

/* The same, going on from BASE, which BUILD's base says. */
const char *dumped_split(struct bc_arena *arena, struct build *build, const struct bc_graph *base,
			 bool full);

/* What follows the first line of a full text form, which is about the file. */
const char *dumped_types(const char *full_text);

#endif

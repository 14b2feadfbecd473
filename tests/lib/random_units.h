/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TESTS_RANDOM_UNITS_H
#define BC_TESTS_RANDOM_UNITS_H

#include "tests/lib/dwarf_build.h"
#include "tests/lib/rng.h"
#include "tests/lib/unit_model.h"

struct random_units_options {
	uint32_t unit_count;
	uint32_t type_count; /* of a unit, about */
	bool crosses_units;  /* references into other units */
	bool repeats_tags;   /* several bodies of one tag in a unit */
	bool has_unnamed_cycles;
};

/*
 * Units as they come out of one program: most are near copies of an earlier
 * one, with bodies that became declarations, declarations that got a body, and
 * members that changed.
 */
struct unit_set random_units(struct bc_arena *arena, struct rng *rng,
			     const struct random_units_options *options);

/* SET with its units in another order, some of them more than once. */
struct unit_set random_units_again(struct bc_arena *arena, struct rng *rng,
				   const struct unit_set *set, bool repeats);

/*
 * The units as DWARF, split over FILE_COUNT builds (a set whose references
 * cross units has to be one file): any version, forms, order and nesting of
 * DIEs. In FILES, whose builds live in ARENA.
 */
void random_dwarf(struct dwarf_build **files, uint32_t file_count, struct bc_arena *arena,
		  struct rng *rng, const struct unit_set *set);

#endif

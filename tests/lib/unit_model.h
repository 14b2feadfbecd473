/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TESTS_UNIT_MODEL_H
#define BC_TESTS_UNIT_MODEL_H

#include "tests/lib/build.h"

/*
 * What several units say, side by side in one build: BTF types, each of one
 * unit; a reference may lead into another unit. A forward declaration is a
 * FWD, or a named ENUM without values. Index types of arrays are left 0.
 */
struct unit_set {
	struct build *types;
	uint32_t unit_count;
	uint32_t *unit_of; /* by id, from 0 on */
};

/*
 * The merge once more, as plainly as can be: all types of all units stay, side
 * by side; only what forward declarations mean is decided. The canonical form
 * (with forwards settled) of the result is what encode must give.
 *
 * 1. A declaration of a tag of which its own unit has exactly one body is that body.
 * 2. Two bodies of one tag *disagree* if, reading references to tags as their
 *    names, they are not bisimilar. A tag with bodies that disagree is a conflict.
 * 3. A type is *plain* unless a body of a conflict can be reached from it. A
 *    declaration of a tag that is no conflict is its plain body, if it has one.
 * 4. What is declared still is the canonical form's to settle: of all bodies
 *    the one with the most members, then the largest, then the greatest.
 *
 * Shares no code with what it checks. Lives in the arena of the set's build.
 */
struct build *unit_model(const struct unit_set *set);

/* Whether the type is a declaration. */
bool unit_type_is_declared(const struct build_type *type);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_SORT_LIKE_H
#define BC_SORT_LIKE_H

#include "base/arena.h"
#include "graph/graph.h"

/*
 * Stable ids: the types of NEW, with the ids and string offsets that OLD has
 * for them. Neither goes on from a base.
 *
 * A type of NEW keeps the id of the type of OLD that is the same by meaning;
 * else of the one of its kind and name; an unnamed type of the one that says
 * the same of types that keep theirs, or that stands in the same place of a
 * type that keeps its id. All others come in canonical order, first into the
 * ids that are free, then behind the last. Ids still free then hold copies of
 * another type: the canonical form of the result is that of NEW.
 *
 * Strings keep their offsets; others are put where OLD has strings that NEW
 * does not use, where they fit, and else behind the last. What is neither used
 * nor needed stays as it was.
 */
struct bc_like_input {
	const struct bc_graph *old;
	const struct bc_graph *canonical; /* NEW in canonical order */
	const struct bc_graph *joint;     /* the types of OLD, then those of NEW, one graph */
	const uint32_t *class_of;         /* of each type of JOINT its id in canonical order */
};

struct bc_like_stats {
	uint32_t same;    /* types that OLD has */
	uint32_t changed; /* that keep the id of what they were */
	uint32_t new_types;
	uint32_t appended; /* of these: behind OLD's last id */
	uint32_t copies;   /* in ids that nothing needs */
	uint32_t new_strings;
	uint32_t appended_strings;
};

/*
 * Makes *OUT; its arrays live in ARENA, but for the layout, which is NEW's.
 * *CLASS_AT (may be NULL) gets an array with the class of the type at each id, as
 * in INPUT->class_of. Fails on memory, and where an id is free and no type
 * can be there twice.
 */
bool bc_like(struct bc_graph *out, const struct bc_like_input *input, struct bc_arena *arena,
	     const uint32_t **class_at, struct bc_like_stats *stats, struct bc_err *err);

/*
 * Whether split BTF MODULE means the same when it goes on from LIKE, which bc_like
 * made, instead of from its base, which was OLD. If not, WHY says what is the
 * matter first. A type of the base that it refers to must have the same
 * definition: what it says itself, with all unnamed types in it, and the kind
 * and name of the others.
 */
bool bc_like_keeps(const struct bc_graph *module, const struct bc_graph *like, struct bc_err *why);

#endif

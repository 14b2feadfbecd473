/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_COMPARE_JUDGE_H
#define BC_COMPARE_JUDGE_H

#include "compare/object.h"

/* What the passes over a BPF object share; object.c calls them. */
struct bc_judge {
	struct bc_object_judgement *judgement;
	const struct bc_object *object;
	const struct bc_graph *graph; /* the object's */
	const struct bc_comparison *comparison;
	const uint32_t *difference_of; /* by new id: 1 + place, or 0 */
	bool offsets_matter;
	bool new_tells_kfuncs; /* NEW tags them */
	uint32_t limit;        /* room for requirements */
	uint64_t steps;        /* of looking things up */
	struct bc_arena *arena;
	struct bc_err *err;
};

#define BC_JUDGE_MAX_STEPS ((uint64_t)500 * 1000 * 1000)

/* Fails when looking things up takes longer than any program that makes sense. */
bool bc_judge_count_steps(struct bc_judge *judge, uint64_t steps);

/* bc_side_find; what it takes counts, and the next of the other functions that can fail does. */
uint32_t bc_judge_find(struct bc_judge *judge, unsigned int which, uint32_t kind, const char *name);

/* A new requirement, fine so far; NULL: err is set. Pointers to others are stale then. */
struct bc_requirement *bc_judge_add(struct bc_judge *judge, enum bc_need need, const char *name);

/* PREFIX and the first LENGTH bytes of NAME. */
const char *bc_judge_join(struct bc_judge *judge, const char *prefix, const char *name,
			  size_t length);

static inline const struct bc_side *bc_judge_side(const struct bc_judge *judge, unsigned int which)
{
	return &judge->comparison->sides[which];
}

void bc_judge_found(struct bc_requirement *requirement, unsigned int which, bool found);
void bc_judge_breaks(struct bc_requirement *requirement, const char *reason);
void bc_judge_unknown(struct bc_requirement *requirement, const char *reason);

/* NEW does not have it. */
void bc_judge_missing(struct bc_requirement *requirement);

/* What became of a type of NEW; NULL: nothing. */
const struct bc_difference *bc_judge_difference(const struct bc_judge *judge, uint32_t new_id);

/* Whether what a program sees of a function changed, or of what it returns only. */
bool bc_judge_prototype_changed(const struct bc_judge *judge, uint32_t new_id, bool result_only);

/* Kfuncs, ksyms and structs of operations that the object declares. */
bool bc_judge_declarations(struct bc_judge *judge);

/* The types of the object's programs, and what they attach to. */
bool bc_judge_programs(struct bc_judge *judge);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_SORT_PARTITION_H
#define BC_SORT_PARTITION_H

#include "base/arena.h"
#include "base/stopwatch.h"
#include "graph/graph.h"
#include "sort/strings.h"

/*
 * The types to be put in order: those of ids LOWEST_ID to bc_id_end(graph) - 1.
 * An id below LOWEST_ID is an atom: it compares by number, below every type
 * to be ordered. REDIRECT (may be NULL), indexed by id, says which type
 * another one stands for; a type that stands for another is left out. It
 * points at its end in one step.
 */
struct bc_universe {
	const struct bc_graph *graph;
	uint32_t lowest_id;
	const uint32_t *redirect;
	const struct bc_string_ranks *ranks;
	struct bc_workers *workers; /* NULL: one thread */
};

static inline uint32_t bc_universe_target(const struct bc_universe *universe, uint32_t type_id)
{
	return universe->redirect ? universe->redirect[type_id] : type_id;
}

/*
 * Types in canonical order, in classes of types that nothing can tell apart.
 * Types are numbered from 0 (id - lowest_id), classes in the order in which
 * they came up: class_start says where a class stands.
 */
struct bc_partition {
	uint32_t count;        /* types in the universe */
	uint32_t placed;       /* of them, those that are not left out */
	uint32_t *order;       /* [placed] type at a position; a class is a run */
	uint32_t *position;    /* of a type */
	uint32_t *class_of;    /* of a type; UINT32_MAX: left out */
	uint32_t *class_start; /* first position of a class */
	uint32_t *class_size;  /* its types */
	uint32_t class_count;
	uint32_t rounds;
	struct bc_time labelling; /* what a part of it took: the order by labels */
};

/*
 * Computes the coarsest partition that labels, references, tags and places
 * respect, ordered as the canonical form says. Memory for the result comes
 * from ARENA.
 */
bool bc_partition_compute(struct bc_partition *partition, const struct bc_universe *universe,
			  struct bc_arena *arena, struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_GRAPH_SIZES_H
#define BC_GRAPH_SIZES_H

#include "base/arena.h"
#include "graph/graph.h"

/* What a type is once modifiers and typedefs are looked through. */
enum bc_form {
	BC_FORM_UNSEEN, /* not asked for */
	BC_FORM_OPEN,   /* only during the computation */
	BC_FORM_VOID,   /* void, or a forward declaration: no size */
	BC_FORM_FUNCTION,
	BC_FORM_SIZED,
	BC_FORM_OTHER, /* FUNC, VAR, DATASEC, DECL_TAG, unknown kinds: no type of a value */
};

/* Indexed by type id, 0 to bc_id_end - 1. Of the base, types that own ones refer to. */
struct bc_sizes {
	uint8_t *form;
	uint64_t *size_bytes; /* where form is BC_FORM_SIZED */
	uint32_t *depth; /* how many modifiers, typedefs, arrays and members stand in each other */
	struct bc_sizes_frame *stack; /* the computation's own */
};

/*
 * Finds form and size of every own type, with memory of ARENA. Fails on a
 * type that contains itself by value (through members, elements, modifiers
 * or typedefs) and so never reaches a size, and on an array whose size does
 * not fit 64 bits. Every id of the graph must be in range. A pointer counts
 * pointer_bytes, or 8 when that is not known.
 */
bool bc_sizes_compute(struct bc_sizes *sizes, const struct bc_graph *graph, struct bc_arena *arena,
		      struct bc_err *err);

/* The same for one own type after the other: what the begin makes room for, each type then adds to. */
bool bc_sizes_begin(struct bc_sizes *sizes, const struct bc_graph *graph, struct bc_arena *arena,
		    struct bc_err *err);
bool bc_sizes_add(struct bc_sizes *sizes, const struct bc_graph *graph, uint32_t type_id,
		  struct bc_err *err);

/* The same for COUNT types only, and what they contain. */
bool bc_sizes_compute_of(struct bc_sizes *sizes, const struct bc_graph *graph, const uint32_t *ids,
			 uint32_t count, struct bc_arena *arena, struct bc_err *err);

#endif

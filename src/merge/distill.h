/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_MERGE_DISTILL_H
#define BC_MERGE_DISTILL_H

#include "sort/canonical.h"

/* A split BTF and the little of its base that it needs to find its place on another build's base. */
struct bc_distilled {
	struct bc_graph base;  /* for .BTF.base */
	struct bc_graph split; /* for .BTF; goes on from BASE, which therefore has to stay here */
	uint32_t copied;       /* types of the base that SPLIT has now */
	uint32_t ambiguous;    /* of these, those whose name finds more than one type */
};

/*
 * Distills the base of SPLIT (a canonical graph on a base), by the rules by
 * which kernels and libbpf relocate: see distill.c. Both graphs are canonical,
 * in ORDER, and a function of what SPLIT and its base mean. Memory from ARENA.
 */
bool bc_distill(struct bc_distilled *out, const struct bc_graph *split, enum bc_order order,
		struct bc_arena *arena, struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_SORT_CONTEXTS_H
#define BC_SORT_CONTEXTS_H

#include "base/order.h"
#include "sort/partition.h"

/*
 * What points at a type and is part of what it means: its DECL_TAGs
 * (component, name, kflag) and, for a variable, the entries of sections that
 * place it (section name, offset, size). Only those of the type's own BTF
 * count, not a split part's on its base.
 */
struct bc_context_item {
	uint32_t owner; /* number of the type in the universe */
	bool is_place;
	uint32_t words[3]; /* sort as the canonical form says */
};

struct bc_contexts {
	struct bc_context_item *items; /* by owner, tags first, sorted, no item twice */
	uint32_t item_count;
	uint32_t *first_item; /* of an owner; UINT32_MAX: it has none */
};

/* Collects them for types that share a class. Memory comes from ARENA. */
bool bc_contexts_collect(struct bc_contexts *contexts, const struct bc_universe *universe,
			 const struct bc_partition *partition, struct bc_arena *arena,
			 struct bc_err *err);

/* Compares the contexts of two types: the set of tags, then the set of places. A bc_compare. */
int bc_contexts_compare(const void *contexts, uint32_t a, uint32_t b);

#endif

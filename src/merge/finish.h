/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_MERGE_FINISH_H
#define BC_MERGE_FINISH_H

#include "base/notes.h"
#include "sort/canonical.h"

/*
 * Makes the canonical BTF of ENCODED, as bc_encode gives it: checks the types, puts
 * them on BASE (NULL: none), settles forward declarations. What is odd is
 * counted in NOTES. WORKERS (NULL: one thread) share the work. Memory from ARENA.
 */
bool bc_finish(struct bc_graph *out, const struct bc_graph *encoded, const struct bc_graph *base,
	       enum bc_order order, struct bc_workers *workers, struct bc_arena *arena,
	       struct bc_notes *notes, struct bc_canonical_stats *stats, struct bc_err *err);

#endif

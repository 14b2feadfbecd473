/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_SORT_RENUMBER_H
#define BC_SORT_RENUMBER_H

#include "sort/partition.h"

/*
 * Makes *OUT: one type for each type number in REPRESENTATIVES (of the
 * universe, whose lowest id is the graph's first_id), in that order, with
 * references and names rewritten, and the canonical string section. NEW_ID
 * [type_count] gets the new id of every own type, KEPT_OFFSETS (may be NULL)
 * the new offset of every string in KEPT. Memory from ARENA.
 */
bool bc_renumber(struct bc_graph *out, uint32_t *new_id, const struct bc_universe *universe,
		 const struct bc_partition *partition, const uint32_t *representatives,
		 struct bc_kept_strings kept, uint32_t *kept_offsets, struct bc_arena *arena,
		 struct bc_err *err);

#endif

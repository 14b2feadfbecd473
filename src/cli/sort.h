/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_SORT_H
#define BC_CLI_SORT_H

#include "cli/command.h"

/* Refuses types of more elements than --max-vlen says. */
bool bc_sort_check_vlen(const struct bc_options *options, const struct bc_graph *graph,
			struct bc_err *err);

/*
 * Says, where OPTIONS ask for it, which names of IN now have another first
 * definition; NEW_ID as of bc_canonical. Scratch memory from ARENA.
 */
bool bc_sort_report_first(const struct bc_options *options, const struct bc_graph *in,
			  const uint32_t *new_id, struct bc_arena *arena, struct bc_err *err);

/* sort --in-place: all files that OPTIONS name, or none. */
bool bc_sort_in_place(const struct bc_options *options, struct bc_inputs *inputs,
		      struct bc_err *err);

#endif

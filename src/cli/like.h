/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_LIKE_H
#define BC_CLI_LIKE_H

#include "cli/command.h"

/* Whether the options of sort --like go together; INPUTS are not loaded yet. */
bool bc_like_options_fit(const struct bc_options *options, struct bc_err *err);

/*
 * Writes the types of CANONICAL with the ids of the BTF that OPTIONS->like
 * names, then says which of the modules to verify would not go with it: then
 * the code is BC_EXIT_DIFFERENT.
 */
enum bc_exit bc_write_like(const struct bc_options *options, const struct bc_graph *canonical,
			   struct bc_arena *arena, struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_CHOOSE_VARIABLES_H
#define BC_DWARF_CHOOSE_VARIABLES_H

#include "dwarf/choose.h"
#include "dwarf/places.h"

/*
 * Adds variables to what was CHOSEN, where there is room for COUNT roots more,
 * in the order of their places: those whose name kernels take and that have a
 * type, each place and name once; where units disagree, the largest, and then
 * the least by content. The references of VARIABLES are nodes. Unless FORCE is
 * set, a name that kernels refuse, or no type, is an error, which names the
 * first such variable by place. Memory from ARENA; ERR is CONTENT's too.
 */
bool bc_choose_variables(struct bc_chosen *chosen, const struct bc_variable *variables,
			 uint32_t count, const struct bc_places *places, struct bc_content *content,
			 bool force, struct bc_arena *arena, struct bc_err *err);

#endif

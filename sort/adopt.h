/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_SORT_ADOPT_H
#define BC_SORT_ADOPT_H

#include "sort/partition.h"

/*
 * Split BTF: own types that the base has become the base's; of several, the
 * lowest. REDIRECT (by id, on entry as bc_forwards_settle left it) gets the
 * base's type for each own type that does. Variables and sections stay own.
 *
 * With MATCH_FORWARDS a struct of the base that refers to a forward is an own one
 * that refers to the body, for a module has bodies of what its kernel only
 * declares. What leads to such a body and is no named struct or union stays
 * own: own types that refer to it go on to the body.
 */
bool bc_adopt_base_types(uint32_t *redirect, const struct bc_graph *graph,
			 const struct bc_string_ranks *ranks, bool match_forwards,
			 struct bc_arena *scratch, struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_SORT_FORWARDS_H
#define BC_SORT_FORWARDS_H

#include "sort/partition.h"

/*
 * Settles forward declarations by content. A forward struct, union or enum
 * (an enum without values) of which GRAPH has bodies stands for one of them:
 * one of the base, if there is one; the one with the most members, then the
 * largest size, then the greatest in the canonical order of the graph in
 * which every forward is a type of its own. Sets REDIRECT (indexed by id, on
 * entry the identity) and *SETTLED to how many own forwards got a body. The
 * base's own forwards stay.
 */
bool bc_forwards_settle(uint32_t *redirect, uint32_t *settled, const struct bc_graph *graph,
			const struct bc_string_ranks *ranks, struct bc_err *err);

/*
 * What a module knows as a body, its base may only declare. Sets REDIRECT (on
 * entry as for bc_forwards_settle) so that each own tag of one body, of which the
 * base has forwards but no body, stands for the base's forward: for finding
 * own types that are the base's but for that. Of several bodies none does.
 */
bool bc_forwards_match_base(uint32_t *redirect, const struct bc_graph *graph,
			    const struct bc_string_ranks *ranks, struct bc_err *err);

#endif

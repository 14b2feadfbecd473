/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_SORT_CANONICAL_H
#define BC_SORT_CANONICAL_H

#include "base/arena.h"
#include "base/stopwatch.h"
#include "graph/graph.h"
#include "sort/strings.h"

/*
 * The canonical form (form 1): same types, same graph, whatever ids, string
 * offsets and duplicates the input had.
 */
enum bc_order {
	BC_ORDER_CANONICAL, /* kind, kflag, vlen, name, label, references, tags and places */
	BC_ORDER_NAME,      /* unnamed first, then by name: what kernels look up fast */
};

struct bc_canonical_stats {
	uint32_t types_in;
	uint32_t types_out;
	uint32_t merged;  /* types that were bisimilar to another (or to a base type) */
	uint32_t settled; /* forward declarations that became a body */
	uint32_t rounds;  /* of refinement, the label sort not counted */
	uint32_t strings;
	struct bc_time ranking, labelling, refining, renumbering;
};

struct bc_canonical_options {
	enum bc_order order;
	bool settle_forwards;        /* forward declarations become bodies, see forwards.h */
	bool match_base_forwards;    /* a forward of the base is no other type than an own body */
	struct bc_kept_strings kept; /* strings that .BTF.ext, say, needs: they stay */
	uint32_t *kept_offsets;      /* gets their new offsets [kept.count]; NULL: not wanted */
	struct bc_workers *workers;  /* NULL: one thread */
};

/*
 * Makes *OUT, the canonical graph of IN's own types; it has IN's base. OUT's
 * arrays live in ARENA (but the layout, which is IN's). NEW_ID (may be NULL)
 * gets an array of IN's type_count new ids, in ARENA, for whoever holds old
 * ids. STATS may be NULL. IN is not changed. Fails on memory, on unknown
 * kinds, and where the result would not fit BTF.
 */
bool bc_canonical(struct bc_graph *out, const struct bc_graph *in,
		  const struct bc_canonical_options *options, struct bc_arena *arena,
		  const uint32_t **new_id, struct bc_canonical_stats *stats, struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "merge/finish.h"

#include "graph/check.h"
#include "merge/rebase.h"

/*
 * On a base: duplicates go first, so that each meaning of a tag is one type;
 * then what the base has becomes the base's.
 */
static bool put_on_base(struct bc_graph *out, const struct bc_graph *graph,
			const struct bc_graph *base, struct bc_workers *workers,
			struct bc_arena *arena, struct bc_err *err)
{
	const struct bc_canonical_options merge = { .settle_forwards = true, .workers = workers };
	struct bc_graph merged;

	if (base->big_endian != graph->big_endian)
		return bc_err_set(err, "the byte order is not that of the base");
	return bc_canonical(&merged, graph, &merge, arena, NULL, NULL, err) &&
	       bc_rebase(out, &merged, base, arena, err);
}

/* Whether the types fit BTF, which is found out beside what is made of them. */
struct look {
	const struct bc_graph *graph;
	struct bc_notes *notes;
	struct bc_err err;
	bool is_done, is_valid;
};

static void look_at(void *context)
{
	struct look *look = context;

	look->is_valid = bc_graph_check(look->graph, look->notes, &look->err) ||
			 bc_err_prefix(&look->err, "the types do not fit BTF");
	look->is_done = true;
}

bool bc_finish(struct bc_graph *out, const struct bc_graph *encoded, const struct bc_graph *base,
	       enum bc_order order, struct bc_workers *workers, struct bc_arena *arena,
	       struct bc_notes *notes, struct bc_canonical_stats *stats, struct bc_err *err)
{
	struct look look = { .graph = encoded, .notes = notes };
	const struct bc_canonical_options how = {
		.order = order,
		.settle_forwards = true,
		.match_base_forwards = true,
		.workers = workers,
		.beside = look_at,
		.beside_context = &look,
	};
	struct bc_graph split;
	bool done;

	done = (!base || put_on_base(&split, encoded, base, workers, arena, err)) &&
	       bc_canonical(out, base ? &split : encoded, &how, arena, NULL, stats, err);
	/* What does not fit BTF is said rather than what came of it. */
	if (!look.is_done)
		look_at(&look);
	if (!look.is_valid)
		*err = look.err;
	return done && look.is_valid;
}

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
	const struct bc_canonical_options merge = {
		.settle_forwards = true,
		.workers = workers,
		.kept = { .all = true },
	};
	struct bc_graph merged;

	if (base->big_endian != graph->big_endian)
		return bc_err_set(err, "the byte order is not that of the base");
	return bc_canonical(&merged, graph, &merge, arena, NULL, NULL, err) &&
	       bc_rebase(out, &merged, base, arena, err);
}

static bool go_on_checking(void *context)
{
	return bc_graph_check_step(context);
}

bool bc_finish(struct bc_graph *out, const struct bc_graph *encoded, const struct bc_graph *base,
	       enum bc_order order, struct bc_workers *workers, struct bc_arena *arena,
	       struct bc_notes *notes, struct bc_canonical_stats *stats, struct bc_err *err)
{
	struct bc_err wrong;
	/* What is made of the types takes threads, and leaves them gaps. */
	struct bc_graph_check *check = bc_graph_check_begin(encoded, notes, &wrong);
	struct bc_gap_work checking = { .step = go_on_checking, .context = check };
	const struct bc_canonical_options how = {
		.order = order,
		.settle_forwards = true,
		.match_base_forwards = true,
		.workers = workers,
		.kept = { .all = true },
	};
	struct bc_graph split;
	bool done;

	if (!check) {
		*err = wrong;
		return false;
	}
	bc_gap_work_begin(&checking, workers);
	done = (!base || put_on_base(&split, encoded, base, workers, arena, err)) &&
	       bc_canonical(out, base ? &split : encoded, &how, arena, NULL, stats, err);
	/* What does not fit BTF is said rather than what came of it. */
	bc_gap_work_end(&checking);
	if (!bc_graph_check_end(check)) {
		*err = wrong;
		return bc_err_prefix(err, "the types do not fit BTF");
	}
	return done;
}

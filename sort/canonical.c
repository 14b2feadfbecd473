/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The passes, in order. After
 *   bc_string_ranks_compute   strings are numbers that sort like them;
 *   bc_forwards_settle        (if asked) a forward stands for its body;
 *   bc_adopt_base_types       (split BTF) what the base has stands for the base's type;
 *   bc_partition_compute      types are in canonical order, duplicates in one class;
 *   bc_sort_by_name           (if asked) classes are in name order;
 *   bc_renumber               the new graph exists.
 */
#include "sort/canonical.h"

#include <string.h>

#include "base/clock.h"
#include "sort/adopt.h"
#include "sort/by_name.h"
#include "sort/forwards.h"
#include "sort/partition.h"
#include "sort/renumber.h"
#include "sort/rivals.h"

struct pass {
	const struct bc_graph *in;
	const struct bc_canonical_options *options;
	struct bc_canonical_stats *stats;
	struct bc_string_ranks ranks;
	struct bc_universe universe;
	struct bc_partition partition;
	uint32_t *redirect; /* NULL: nothing can stand for something else */
	struct bc_arena *scratch;
	struct bc_err *err;
};

static bool make_redirect(struct pass *pass)
{
	uint32_t id_end = bc_id_end(pass->in);

	if (!pass->in->base && !pass->options->settle_forwards)
		return true;
	pass->redirect = bc_arena_alloc(pass->scratch, id_end, sizeof(uint32_t), pass->err);
	if (!pass->redirect)
		return false;
	for (uint32_t id = 0; id < id_end; id++)
		pass->redirect[id] = id;
	if (pass->options->settle_forwards &&
	    !bc_forwards_settle(pass->redirect, &pass->stats->settled, pass->in, &pass->ranks,
				pass->err))
		return false;
	if (!pass->in->base && !pass->stats->settled)
		pass->redirect = NULL;
	return !pass->in->base ||
	       bc_adopt_base_types(pass->redirect, pass->in, &pass->ranks,
				   pass->options->match_base_forwards, pass->scratch, pass->err);
}

/* The first type of each class, in the order of classes. */
static uint32_t *choose_representatives(const struct bc_partition *partition,
					struct bc_arena *arena, struct bc_err *err)
{
	uint32_t words = partition->placed / 64 + 1, count = 0;
	uint64_t *starts = bc_arena_zalloc(arena, words, sizeof(*starts), err); /* bits */
	uint32_t *types = bc_arena_alloc(arena, partition->class_count, sizeof(*types), err);

	if (!starts || !types)
		return NULL;
	for (uint32_t i = 0; i < partition->class_count; i++)
		starts[partition->class_start[i] / 64] |= (uint64_t)1
							  << partition->class_start[i] % 64;
	for (uint32_t i = 0; i < words; i++)
		for (uint64_t bits = starts[i]; bits; bits &= bits - 1)
			types[count++] = partition->order[i * 64 + (uint32_t)__builtin_ctzll(bits)];
	return types;
}

static bool put_in_order(struct pass *pass, uint32_t **representatives)
{
	pass->universe = (struct bc_universe){ pass->in, pass->in->first_id, pass->redirect,
					       &pass->ranks, pass->options->workers };
	if (!bc_partition_compute(&pass->partition, &pass->universe, pass->scratch, pass->err))
		return false;
	*representatives = choose_representatives(&pass->partition, pass->scratch, pass->err);
	return *representatives &&
	       (pass->options->order != BC_ORDER_NAME ||
		bc_sort_by_name(*representatives, &pass->universe, &pass->partition, pass->err));
}

static bool run_passes(struct pass *pass, struct bc_graph *out, uint32_t *new_id,
		       struct bc_arena *arena)
{
	struct bc_canonical_stats *stats = pass->stats;
	struct bc_stopwatch watch = bc_stopwatch_start(pass->options->workers);
	/* Own types that name none of the base are not told apart by what they reach there. */
	enum bc_base_strings base_strings = !pass->in->base || bc_refers_to_base(pass->in) ?
						    BC_BASE_STRINGS_APART :
						    BC_BASE_STRINGS_AS_ONE;
	uint32_t *representatives;

	if (!bc_string_ranks_compute(&pass->ranks, pass->in, pass->options->kept, base_strings,
				     pass->options->workers, pass->scratch, pass->err))
		return false;
	stats->ranking = bc_stopwatch_lap(&watch);
	if (!make_redirect(pass) || !put_in_order(pass, &representatives))
		return false;
	stats->refining = bc_stopwatch_lap(&watch);
	stats->labelling = pass->partition.labelling;
	bc_time_take_off(&stats->refining, &stats->labelling);
	if (!bc_renumber(out, new_id, &pass->universe, &pass->partition, representatives,
			 pass->options->kept, pass->options->kept_offsets, arena, pass->err))
		return false;
	stats->renumbering = bc_stopwatch_lap(&watch);
	stats->types_in = pass->in->type_count;
	stats->types_out = out->type_count;
	stats->merged = stats->types_in - stats->types_out - stats->settled;
	stats->rounds = pass->partition.rounds;
	stats->strings = pass->ranks.distinct;
	return true;
}

bool bc_canonical(struct bc_graph *out, const struct bc_graph *in,
		  const struct bc_canonical_options *options, struct bc_arena *arena,
		  const uint32_t **new_id, struct bc_canonical_stats *stats, struct bc_err *err)
{
	struct bc_arena scratch = { 0 };
	struct bc_canonical_stats unwanted = { 0 };
	struct pass pass = {
		.in = in,
		.options = options,
		.stats = stats ? stats : &unwanted,
		.scratch = &scratch,
		.err = err,
	};
	struct bc_graph result;
	uint32_t *ids;
	bool done;

	if (in->has_unknown_kind)
		return bc_err_set(err, "it has a kind not known here: type ids in it cannot be "
				       "renumbered");
	*pass.stats = (struct bc_canonical_stats){ 0 };
	ids = bc_arena_alloc(arena, in->type_count, sizeof(*ids), err);
	done = ids && run_passes(&pass, &result, ids, arena);
	if (done) {
		*out = result;
		if (new_id)
			*new_id = ids;
	}
	bc_arena_free(&scratch);
	return done;
}

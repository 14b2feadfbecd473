/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "sort/renumber.h"

#include <inttypes.h>
#include <string.h>

#define UNUSED UINT32_MAX

struct renumberer {
	const struct bc_universe *universe;
	struct bc_graph *out;
	const uint32_t *new_id; /* of an own type */
	/* Of a string rank; UNUSED: nothing refers to it. Before places are known: bytes it takes. */
	uint32_t *new_offset;
	uint32_t *new_name;              /* of the n-th used offset */
	const uint32_t *representatives; /* by new number */
	uint32_t *start, *words;         /* of OUT */
	char *strings;                   /* of OUT */
	struct bc_err *err;
};

#define TYPES_AT_ONCE 4096u
#define STRINGS_AT_ONCE 4096u
#define FETCHED_AHEAD 8u

struct id_job {
	const struct bc_universe *universe;
	const struct bc_partition *partition;
	const uint32_t *representatives;
	uint32_t *id_of_class, *new_id;
};

static void assign_some_ids(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct id_job *job = context;

	(void)worker;
	for (uint32_t i = begin; i < end; i++)
		job->id_of_class[job->partition->class_of[job->representatives[i]]] =
			job->universe->lowest_id + i;
}

static void take_some_ids(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct id_job *job = context;
	uint32_t first_id = job->universe->lowest_id;

	(void)worker;
	for (uint32_t i = begin; i < end; i++) {
		uint32_t id = bc_universe_target(job->universe, first_id + i);

		job->new_id[i] = id < first_id ?
					 id :
					 job->id_of_class[job->partition->class_of[id - first_id]];
	}
}

static bool assign_ids(uint32_t *new_id, const struct bc_universe *universe,
		       const struct bc_partition *partition, const uint32_t *representatives,
		       struct bc_arena *scratch, struct bc_err *err)
{
	struct id_job job = { universe, partition, representatives, NULL, new_id };

	job.id_of_class = bc_arena_alloc(scratch, partition->class_count, sizeof(uint32_t), err);
	if (!job.id_of_class)
		return false;
	bc_workers_share(universe->workers, partition->class_count, TYPES_AT_ONCE, assign_some_ids,
			 &job);
	bc_workers_share(universe->workers, partition->count, TYPES_AT_ONCE, take_some_ids, &job);
	return true;
}

static void copy_node(struct renumberer *renumberer, uint32_t *to, const uint32_t *from,
		      uint32_t word_count)
{
	const struct bc_numbered_bits *used = renumberer->universe->ranks->used;
	uint32_t first_id = renumberer->universe->lowest_id;
	struct bc_edges edges = bc_edges(from);
	struct bc_node_names names = bc_node_names(from);

	memcpy(to, from, word_count * sizeof(*to));
	for (uint32_t i = 0; i < edges.count; i++) {
		uint32_t *word = &to[bc_edge_word(edges, i)];

		if (*word >= first_id)
			*word = renumberer->new_id[*word - first_id];
	}
	for (uint32_t i = 0; i < names.count; i++) {
		uint32_t *name = &to[bc_name_word(names, i)];

		*name = renumberer->new_name[bc_bit_number(used, *name)];
	}
}

static void copy_some_nodes(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	struct renumberer *renumberer = context;
	const struct bc_graph *in = renumberer->universe->graph;
	const uint32_t *start = renumberer->out->start;

	(void)worker;
	for (uint32_t i = begin; i < end; i++) {
		if (i + FETCHED_AHEAD < end)
			__builtin_prefetch(
				bc_own_node(in, renumberer->representatives[i + FETCHED_AHEAD]));
		copy_node(renumberer, renumberer->words + start[i],
			  bc_own_node(in, renumberer->representatives[i]), start[i + 1] - start[i]);
	}
}

/* So far START says how many words a type takes. */
static void measure_some_nodes(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct renumberer *renumberer = context;
	const struct bc_graph *in = renumberer->universe->graph;

	(void)worker;
	for (uint32_t i = begin; i < end; i++)
		renumberer->start[i] = bc_node_words(
			bc_own_node(in, renumberer->representatives[i])[1]);
}

static bool copy_nodes(struct renumberer *renumberer, uint32_t count, struct bc_arena *arena)
{
	struct bc_graph *out = renumberer->out;
	uint32_t *start = bc_arena_alloc(arena, (size_t)count + 1, sizeof(*start), renumberer->err);
	uint32_t at = 0;

	if (!start)
		return false;
	renumberer->start = start;
	bc_workers_share(renumberer->universe->workers, count, TYPES_AT_ONCE, measure_some_nodes,
			 renumberer);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t words = start[i];

		start[i] = at;
		at += words;
	}
	start[count] = at;
	renumberer->words = bc_arena_alloc(arena, at, sizeof(uint32_t), renumberer->err);
	if (!renumberer->words)
		return false;
	out->type_count = count;
	out->start = start;
	out->words = renumberer->words;
	bc_workers_share(renumberer->universe->workers, count, TYPES_AT_ONCE, copy_some_nodes,
			 renumberer);
	return true;
}

/* Threads may say so at once. */
static void use_some_names(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct renumberer *renumberer = context;
	const struct bc_universe *universe = renumberer->universe;

	(void)worker;
	for (uint32_t i = begin; i < end; i++) {
		const uint32_t *node = bc_own_node(universe->graph, renumberer->representatives[i]);
		struct bc_node_names names = bc_node_names(node);

		for (uint32_t j = 0; j < names.count; j++) {
			uint32_t rank = bc_string_rank(universe->ranks,
						       node[bc_name_word(names, j)]);

			__atomic_store_n(&renumberer->new_offset[rank], 0, __ATOMIC_RELAXED);
		}
	}
}

/*
 * Marks the strings that stay. What is left out stands for what has the same names,
 * unless that is the base's: without a base, all that was used still is.
 */
static void find_used(struct renumberer *renumberer, uint32_t type_count,
		      struct bc_kept_strings kept)
{
	const struct bc_universe *universe = renumberer->universe;
	const struct bc_string_ranks *ranks = universe->ranks;
	bool all = !universe->graph->base;

	memset(renumberer->new_offset, all ? 0 : 0xff,
	       ranks->distinct * sizeof(*renumberer->new_offset));
	if (all)
		return;
	for (uint32_t i = 0; i < kept.count; i++)
		renumberer->new_offset[bc_string_rank(ranks, kept.offsets[i])] = 0;
	bc_workers_share(universe->workers, type_count, TYPES_AT_ONCE, use_some_names, renumberer);
}

/* Whether the base has a string whole; then that is where names point. */
static bool is_of_base(const struct bc_string_ranks *ranks, uint32_t rank)
{
	return ranks->base_offset && ranks->base_offset[rank] != UINT32_MAX;
}

static void measure_some_strings(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	struct renumberer *renumberer = context;
	const struct bc_universe *universe = renumberer->universe;

	(void)worker;
	for (uint32_t rank = begin; rank < end; rank++)
		if (renumberer->new_offset[rank] != UNUSED && !is_of_base(universe->ranks, rank))
			renumberer->new_offset[rank] =
				(uint32_t)strlen(
					bc_string(universe->graph, universe->ranks->offset[rank])) +
				1;
}

#define SHORT_BYTES 32u /* most strings are no longer, and copied without a look at their length */

/*
 * Copies the string of RANK, which takes BYTES. What that writes behind them, if there is ROOM,
 * comes later.
 */
static void copy_string(const struct renumberer *renumberer, uint32_t rank, uint32_t bytes,
			uint32_t room)
{
	const struct bc_graph *in = renumberer->universe->graph;
	uint32_t from = renumberer->universe->ranks->offset[rank];
	char *to = renumberer->strings + (renumberer->new_offset[rank] - in->string_base);

	if (bytes <= SHORT_BYTES && room >= SHORT_BYTES && from >= in->string_base &&
	    bc_string_end(in) - from >= SHORT_BYTES)
		memcpy(to, bc_string(in, from), SHORT_BYTES);
	else
		memcpy(to, bc_string(in, from), bytes);
}

/* Whether a string goes into the own section. */
static bool is_written(const struct renumberer *renumberer, uint32_t rank)
{
	uint32_t offset = renumberer->new_offset[rank];

	return offset != UNUSED && offset >= renumberer->universe->graph->string_base;
}

/* The place of the next string says how long one is; that of the last, how much room there is. */
static void copy_some_strings(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct renumberer *renumberer = context;
	const struct bc_graph *in = renumberer->universe->graph;
	const uint32_t *places = renumberer->new_offset,
		       *from = renumberer->universe->ranks->offset;
	uint32_t rank = begin, last;

	(void)worker;
	while (end > begin && !is_written(renumberer, end - 1))
		end--;
	while (rank < end && !is_written(renumberer, rank))
		rank++;
	if (rank == end)
		return;
	last = end - 1;
	for (uint32_t next = rank + 1; next < end; next++) {
		if (next + FETCHED_AHEAD < end)
			__builtin_prefetch(bc_string(in, from[next + FETCHED_AHEAD]));
		if (!is_written(renumberer, next))
			continue;
		copy_string(renumberer, rank, places[next] - places[rank],
			    places[last] - places[rank]);
		rank = next;
	}
	strcpy(renumberer->strings + (places[last] - in->string_base), bc_string(in, from[last]));
}

/* Gives each used string its place: the base's, or the next in the own section, by bytes. */
static bool place_strings(struct renumberer *renumberer, struct bc_arena *arena)
{
	const struct bc_universe *universe = renumberer->universe;
	const struct bc_string_ranks *ranks = universe->ranks;
	const struct bc_graph *in = universe->graph;
	struct bc_graph *out = renumberer->out;
	uint64_t next = in->string_base;

	bc_workers_share(universe->workers, ranks->distinct, STRINGS_AT_ONCE, measure_some_strings,
			 renumberer);
	for (uint32_t rank = 0; rank < ranks->distinct; rank++) {
		uint32_t bytes = renumberer->new_offset[rank];

		if (bytes == UNUSED)
			continue;
		if (is_of_base(ranks, rank)) {
			renumberer->new_offset[rank] = ranks->base_offset[rank];
			continue;
		}
		renumberer->new_offset[rank] = (uint32_t)next;
		next += bytes;
		if (next > UINT32_MAX)
			return bc_err_set(renumberer->err, "the strings go beyond 4 GiB");
	}
	renumberer->strings = bc_arena_alloc(arena, (size_t)(next - in->string_base), 1,
					     renumberer->err);
	if (!renumberer->strings)
		return false;
	bc_workers_share(universe->workers, ranks->distinct, STRINGS_AT_ONCE, copy_some_strings,
			 renumberer);
	out->strings = renumberer->strings;
	out->string_base = in->string_base;
	out->string_bytes = (uint32_t)(next - in->string_base);
	return true;
}

static void take_some_names(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct renumberer *renumberer = context;
	const uint32_t *rank = renumberer->universe->ranks->rank;

	(void)worker;
	for (uint32_t i = begin; i < end; i++)
		renumberer->new_name[i] = renumberer->new_offset[rank[i]];
}

/* What becomes of each used offset. */
static bool take_names(struct renumberer *renumberer, struct bc_arena *scratch)
{
	const struct bc_universe *universe = renumberer->universe;
	uint32_t count = universe->ranks->used_count;

	renumberer->new_name = bc_arena_alloc(scratch, count, sizeof(*renumberer->new_name),
					      renumberer->err);
	if (!renumberer->new_name)
		return false;
	bc_workers_share(universe->workers, count, STRINGS_AT_ONCE, take_some_names, renumberer);
	return true;
}

bool bc_renumber(struct bc_graph *out, uint32_t *new_id, const struct bc_universe *universe,
		 const struct bc_partition *partition, const uint32_t *representatives,
		 struct bc_kept_strings kept, uint32_t *kept_offsets, struct bc_arena *arena,
		 struct bc_err *err)
{
	const struct bc_string_ranks *ranks = universe->ranks;
	struct bc_arena scratch = { 0 };
	struct renumberer renumberer = {
		.universe = universe,
		.out = out,
		.new_id = new_id,
		.representatives = representatives,
		.err = err,
	};
	bool done;

	*out = *universe->graph;
	renumberer.new_offset = bc_arena_alloc(&scratch, ranks->distinct, sizeof(uint32_t), err);
	if (!renumberer.new_offset ||
	    !assign_ids(new_id, universe, partition, representatives, &scratch, err)) {
		bc_arena_free(&scratch);
		return false;
	}
	find_used(&renumberer, partition->class_count, kept);
	done = place_strings(&renumberer, arena) && take_names(&renumberer, &scratch) &&
	       copy_nodes(&renumberer, partition->class_count, arena);
	for (uint32_t i = 0; done && kept_offsets && i < kept.count; i++)
		kept_offsets[i] = renumberer.new_offset[bc_string_rank(ranks, kept.offsets[i])];
	bc_arena_free(&scratch);
	return done;
}

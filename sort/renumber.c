/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "sort/renumber.h"

#include <inttypes.h>
#include <string.h>

#define UNUSED UINT32_MAX

struct renumberer {
	const struct bc_universe *universe;
	struct bc_graph *out;
	const uint32_t *new_id; /* of an own type */
	uint32_t *new_offset;   /* of a string rank; UNUSED: nothing refers to it */
	struct bc_err *err;
};

/* Rank of the name in word WORD of NODE. */
static uint32_t rank_of(const struct renumberer *renumberer, const uint32_t *node, uint32_t word)
{
	return bc_string_rank(renumberer->universe->ranks, node[word]);
}

static void assign_ids(uint32_t *new_id, const struct bc_universe *universe,
		       const struct bc_partition *partition, const uint32_t *representatives,
		       uint32_t *id_of_class)
{
	uint32_t first_id = universe->lowest_id;

	for (uint32_t i = 0; i < partition->class_count; i++)
		id_of_class[partition->class_of[representatives[i]]] = first_id + i;
	for (uint32_t i = 0; i < partition->count; i++) {
		uint32_t id = bc_universe_target(universe, first_id + i);

		new_id[i] = id < first_id ? id : id_of_class[partition->class_of[id - first_id]];
	}
}

static void copy_node(struct renumberer *renumberer, uint32_t *to, const uint32_t *from,
		      uint32_t word_count)
{
	const struct bc_kind_shape *shape = &bc_kind_shapes[bc_node_kind(from)];
	uint32_t first_id = renumberer->universe->lowest_id;
	uint32_t first_element = BC_HEAD_WORDS + shape->fixed_words;
	struct bc_edges edges = bc_edges(from);

	memcpy(to, from, word_count * sizeof(*to));
	for (uint32_t i = 0; i < edges.count; i++) {
		uint32_t *word = &to[bc_edge_word(edges, i)];

		if (*word >= first_id)
			*word = renumberer->new_id[*word - first_id];
	}
	/* Ranks for now: offsets are known when all used ranks are. */
	to[0] = rank_of(renumberer, from, 0);
	renumberer->new_offset[to[0]] = 0;
	if (shape->element_name < 0)
		return;
	for (uint32_t at = first_element + (uint32_t)shape->element_name; at < word_count;
	     at += shape->element_words) {
		to[at] = rank_of(renumberer, from, at);
		renumberer->new_offset[to[at]] = 0;
	}
}

static bool copy_nodes(struct renumberer *renumberer, const uint32_t *representatives,
		       uint32_t count, struct bc_arena *arena)
{
	const struct bc_graph *in = renumberer->universe->graph;
	struct bc_graph *out = renumberer->out;
	uint32_t *start = bc_arena_alloc(arena, (size_t)count + 1, sizeof(*start), renumberer->err);
	uint32_t *words;
	uint32_t at = 0;

	if (!start)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		start[i] = at;
		at += bc_node_words(bc_own_node(in, representatives[i])[1]);
	}
	start[count] = at;
	words = bc_arena_alloc(arena, at, sizeof(*words), renumberer->err);
	if (!words)
		return false;
	for (uint32_t i = 0; i < count; i++)
		copy_node(renumberer, words + start[i], bc_own_node(in, representatives[i]),
			  start[i + 1] - start[i]);
	out->type_count = count;
	out->start = start;
	out->words = words;
	return true;
}

/* Gives each used string its place: the base's, or the next in the own section, by bytes. */
static bool place_strings(struct renumberer *renumberer, struct bc_arena *arena)
{
	const struct bc_string_ranks *ranks = renumberer->universe->ranks;
	const struct bc_graph *in = renumberer->universe->graph;
	struct bc_graph *out = renumberer->out;
	uint64_t next = in->string_base;
	char *strings;

	if (!in->base)
		renumberer->new_offset[0] = 0; /* always there */
	for (uint32_t rank = 0; rank < ranks->distinct; rank++) {
		if (renumberer->new_offset[rank] == UNUSED)
			continue;
		if (ranks->base_offset && ranks->base_offset[rank] != UINT32_MAX) {
			renumberer->new_offset[rank] = ranks->base_offset[rank];
			continue;
		}
		renumberer->new_offset[rank] = (uint32_t)next;
		next += strlen(bc_string(in, ranks->offset[rank])) + 1;
		if (next > UINT32_MAX)
			return bc_err_set(renumberer->err, "the strings go beyond 4 GiB");
	}
	strings = bc_arena_alloc(arena, (size_t)(next - in->string_base), 1, renumberer->err);
	if (!strings)
		return false;
	for (uint32_t rank = 0; rank < ranks->distinct; rank++) {
		uint32_t offset = renumberer->new_offset[rank];

		if (offset != UNUSED && offset >= in->string_base)
			strcpy(strings + (offset - in->string_base),
			       bc_string(in, ranks->offset[rank]));
	}
	out->strings = strings;
	out->string_base = in->string_base;
	out->string_bytes = (uint32_t)(next - in->string_base);
	return true;
}

/* Turns the ranks that copy_node left into offsets. */
static void place_names(const struct renumberer *renumberer, uint32_t *words)
{
	const struct bc_graph *out = renumberer->out;

	for (uint32_t i = 0; i < out->type_count; i++) {
		uint32_t *node = words + out->start[i];
		uint32_t word_count = out->start[i + 1] - out->start[i];
		const struct bc_kind_shape *shape = &bc_kind_shapes[bc_node_kind(node)];

		node[0] = renumberer->new_offset[node[0]];
		if (shape->element_name < 0)
			continue;
		for (uint32_t at =
			     BC_HEAD_WORDS + shape->fixed_words + (uint32_t)shape->element_name;
		     at < word_count; at += shape->element_words)
			node[at] = renumberer->new_offset[node[at]];
	}
}

bool bc_renumber(struct bc_graph *out, uint32_t *new_id, const struct bc_universe *universe,
		 const struct bc_partition *partition, const uint32_t *representatives,
		 struct bc_kept_strings kept, uint32_t *kept_offsets, struct bc_arena *arena,
		 struct bc_err *err)
{
	const struct bc_string_ranks *ranks = universe->ranks;
	struct bc_arena scratch = { 0 };
	struct renumberer renumberer = { universe, out, new_id, NULL, err };
	uint32_t *id_of_class;
	bool done;

	*out = *universe->graph;
	id_of_class = bc_arena_alloc(&scratch, partition->class_count, sizeof(uint32_t), err);
	renumberer.new_offset = bc_arena_alloc(&scratch, ranks->distinct, sizeof(uint32_t), err);
	if (!id_of_class || !renumberer.new_offset) {
		bc_arena_free(&scratch);
		return false;
	}
	assign_ids(new_id, universe, partition, representatives, id_of_class);
	memset(renumberer.new_offset, 0xff, ranks->distinct * sizeof(uint32_t));
	for (uint32_t i = 0; i < kept.count; i++)
		renumberer.new_offset[bc_string_rank(ranks, kept.offsets[i])] = 0;
	done = copy_nodes(&renumberer, representatives, partition->class_count, arena) &&
	       place_strings(&renumberer, arena);
	if (done)
		place_names(&renumberer, (uint32_t *)out->words);
	for (uint32_t i = 0; done && kept_offsets && i < kept.count; i++)
		kept_offsets[i] = renumberer.new_offset[bc_string_rank(ranks, kept.offsets[i])];
	bc_arena_free(&scratch);
	return done;
}

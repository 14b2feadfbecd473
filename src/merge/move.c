/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "merge/move.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "sort/canonical.h"

#define NOWHERE UINT32_MAX

/* ---- how the base changed ---- */

static int compare_strings(const void *a, const void *b)
{
	const char *left = *(const char *const *)a, *right = *(const char *const *)b;
	int order = strcmp(left, right);

	return order ? order : (left > right) - (left < right);
}

/* The whole strings of GRAPH's own section, by bytes, of equal ones the lowest place first. */
static bool list_strings(const char ***list, uint32_t *count, const struct bc_graph *graph,
			 struct bc_arena *arena, struct bc_err *err)
{
	bool sorted = true;

	*count = 0;
	for (uint32_t at = 0; at < graph->string_bytes; at++)
		*count += !graph->strings[at];
	*list = bc_arena_alloc(arena, *count, sizeof(**list), err);
	if (!*list)
		return false;
	*count = 0;
	for (uint32_t at = 0; at < graph->string_bytes;
	     at += (uint32_t)strlen(graph->strings + at) + 1) {
		/* NULs behind the last string are room that was not needed. */
		if (at && !graph->strings[at])
			continue;
		(*list)[*count] = graph->strings + at;
		sorted &= !*count || strcmp((*list)[*count - 1], (*list)[*count]) < 0;
		++*count;
	}
	if (!sorted)
		qsort(*list, *count, sizeof(**list), compare_strings);
	return true;
}

static uint32_t find_string(const char *const *list, uint32_t count, const char *string)
{
	struct bc_search search = bc_search_among(count);

	while (bc_search_goes_on(&search))
		bc_search_step(&search, strcmp(list[search.middle], string) < 0);
	return search.low < count && !strcmp(list[search.low], string) ? search.low : NOWHERE;
}

static bool map_strings(struct bc_base_change *change, struct bc_arena *arena, struct bc_err *err)
{
	const struct bc_graph *before = change->before, *after = change->after;
	uint32_t *offsets = bc_arena_alloc(arena, before->string_bytes, sizeof(*offsets), err);
	const char **list;
	uint32_t count;

	if (!offsets || !list_strings(&list, &count, after, arena, err))
		return false;
	memset(offsets, 0xff, before->string_bytes * sizeof(*offsets));
	for (uint32_t at = 0; at < before->string_bytes;
	     at += (uint32_t)strlen(before->strings + at) + 1) {
		uint32_t found = find_string(list, count, before->strings + at);

		if (found != NOWHERE)
			offsets[at] = after->string_base + (uint32_t)(list[found] - after->strings);
	}
	change->string_offsets = offsets;
	return true;
}

static bool are_equal(const struct bc_graph *one, const struct bc_graph *other)
{
	return one->first_id == other->first_id && one->type_count == other->type_count &&
	       one->string_bytes == other->string_bytes &&
	       one->start[one->type_count] == other->start[other->type_count] &&
	       !memcmp(one->words, other->words, one->start[one->type_count] * sizeof(uint32_t)) &&
	       !memcmp(one->strings, other->strings, one->string_bytes);
}

/* Through the canonical form, which is the same for both. */
static bool map_ids(struct bc_base_change *change, struct bc_arena *arena, struct bc_err *err)
{
	const struct bc_canonical_options how = { .order = BC_ORDER_CANONICAL };
	const struct bc_graph *before = change->before, *after = change->after;
	const uint32_t *before_ids, *after_ids;
	struct bc_graph one, other;
	uint32_t *back, *new_id;

	if (!bc_canonical(&one, before, &how, arena, &before_ids, NULL, err) ||
	    !bc_canonical(&other, after, &how, arena, &after_ids, NULL, err))
		return false;
	if (!are_equal(&one, &other))
		return bc_err_set(err, "it does not have the types of the old base");
	back = bc_arena_alloc(arena, one.type_count, sizeof(*back), err);
	new_id = bc_arena_alloc(arena, before->type_count, sizeof(*new_id), err);
	if (!back || !new_id)
		return false;
	/* Downwards, so that of several that mean the same the lowest stays. */
	for (uint32_t i = after->type_count; i-- > 0;)
		back[after_ids[i] - one.first_id] = after->first_id + i;
	for (uint32_t i = 0; i < before->type_count; i++)
		new_id[i] = back[before_ids[i] - one.first_id];
	change->new_id = new_id;
	return true;
}

bool bc_base_change_make(struct bc_base_change *change, const struct bc_graph *before,
			 const struct bc_graph *after, const uint32_t *new_id,
			 struct bc_arena *arena, struct bc_err *err)
{
	*change = (struct bc_base_change){ .before = before, .after = after, .new_id = new_id };
	if (before->base != after->base || before->big_endian != after->big_endian)
		return bc_err_set(err, "it does not have the types of the old base");
	return (new_id || map_ids(change, arena, err)) && map_strings(change, arena, err);
}

/* ---- a split part on the changed base ---- */

/* The own strings of a graph, and room for those that the base does not have any more. */
struct mover {
	const struct bc_graph *graph;
	const struct bc_base_change *change;
	char *strings; /* NULL: only measure */
	uint64_t string_bytes;
};

/* STRING at the end of the own strings. */
static uint32_t add_string(struct mover *mover, const char *string)
{
	uint64_t at = mover->string_bytes;
	size_t length = strlen(string) + 1;

	if (mover->strings)
		memcpy(mover->strings + at, string, length);
	mover->string_bytes += length;
	return bc_string_end(mover->change->after) + (uint32_t)at;
}

static uint32_t move_string(struct mover *mover, uint32_t offset)
{
	const struct bc_graph *before = mover->change->before;
	uint32_t own_base = mover->graph->string_base;

	if (offset >= own_base)
		return bc_string_end(mover->change->after) + (offset - own_base);
	if (offset < before->string_base)
		return offset;
	if (mover->change->string_offsets[offset - before->string_base] != NOWHERE)
		return mover->change->string_offsets[offset - before->string_base];
	return add_string(mover, bc_string(before, offset));
}

static void move_node(struct mover *mover, uint32_t *node)
{
	struct bc_edges edges = bc_edges(node);
	struct bc_node_names names = bc_node_names(node);

	for (uint32_t i = 0; i < edges.count; i++) {
		uint32_t *id = &node[bc_edge_word(edges, i)];

		*id = *id >= mover->graph->first_id ?
			      bc_id_end(mover->change->after) + (*id - mover->graph->first_id) :
			      bc_base_change_id(mover->change, *id);
	}
	for (uint32_t i = 0; i < names.count; i++) {
		uint32_t *name = &node[bc_name_word(names, i)];

		*name = move_string(mover, *name);
	}
}

/* All nodes, into WORDS; strings that are added come in the same order each time. */
static void move_nodes(struct mover *mover, uint32_t *words)
{
	const struct bc_graph *graph = mover->graph;

	mover->string_bytes = graph->string_bytes;
	memcpy(words, graph->words, graph->start[graph->type_count] * sizeof(*words));
	for (uint32_t i = 0; i < graph->type_count; i++)
		move_node(mover, words + graph->start[i]);
}

bool bc_move_to_base(struct bc_graph *out, const struct bc_graph *graph,
		     const struct bc_base_change *change, struct bc_arena *arena,
		     struct bc_err *err)
{
	struct mover mover = { .graph = graph, .change = change };
	uint32_t *words = bc_arena_alloc(arena, graph->start[graph->type_count], sizeof(*words),
					 err);

	if (!words)
		return false;
	if (graph->has_unknown_kind)
		return bc_err_set(err, "it has a kind not known here: type ids in it cannot be "
				       "renumbered");
	move_nodes(&mover, words);
	if ((uint64_t)bc_id_end(change->after) + graph->type_count > UINT32_MAX ||
	    bc_string_end(change->after) + mover.string_bytes > UINT32_MAX)
		return bc_err_set(err, "with the base it goes beyond 4 GiB");
	mover.strings = bc_arena_alloc(arena, mover.string_bytes, 1, err);
	if (!mover.strings)
		return false;
	if (graph->string_bytes)
		memcpy(mover.strings, graph->strings, graph->string_bytes);
	move_nodes(&mover, words);
	*out = *graph;
	out->base = change->after;
	out->first_id = bc_id_end(change->after);
	out->words = words;
	out->strings = mover.strings;
	out->string_base = bc_string_end(change->after);
	out->string_bytes = (uint32_t)mover.string_bytes;
	return true;
}

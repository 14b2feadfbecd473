/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "merge/census.h"

#include <stdlib.h>
#include <string.h>

/* Edges against their direction: who refers to a node. */
struct reversed {
	uint32_t *begin; /* [node_count + 2] by number */
	uint32_t *from;  /* numbers */
};

/* What a node's mark says about who has it. */
static uint32_t unit_of_mark(const struct bc_census *before, uint32_t mark)
{
	if (!before)
		return mark;
	return mark ? before->only_in[mark] : BC_SEVERAL_UNITS;
}

static uint32_t count_nodes(const struct bc_interner *interner)
{
	struct bc_intern_chunk *chunk;
	uint32_t count = 0;

	for (uint32_t id = bc_interned_first(interner, &chunk); id;
	     id = bc_interned_next(interner, &chunk, id))
		count++;
	return count;
}

static bool number_nodes(struct bc_census *census, const struct bc_census *before,
			 struct bc_arena *arena, struct bc_err *err)
{
	struct bc_intern_chunk *chunk;
	uint32_t count = count_nodes(census->interner);

	census->node = bc_arena_alloc(arena, (size_t)count + 1, sizeof(uint32_t), err);
	census->only_in = bc_arena_alloc(arena, (size_t)count + 1, sizeof(uint32_t), err);
	census->tainted = bc_arena_zalloc(arena, (size_t)count + 1, 1, err);
	census->conflicted = bc_arena_zalloc(arena, (size_t)count + 1, 1, err);
	if (!census->node || !census->only_in || !census->tainted || !census->conflicted)
		return false;
	census->node_count = 0;
	for (uint32_t id = bc_interned_first(census->interner, &chunk); id;
	     id = bc_interned_next(census->interner, &chunk, id)) {
		uint32_t *mark = bc_interned_mark(census->interner, id);

		census->node[++census->node_count] = id;
		census->only_in[census->node_count] = unit_of_mark(before, *mark);
		*mark = census->node_count;
	}
	return true;
}

static int compare_extra(const void *a, const void *b)
{
	const struct bc_extra_body *one = a, *other = b;

	if (one->leaf != other->leaf)
		return one->leaf < other->leaf ? -1 : 1;
	return (one->body > other->body) - (one->body < other->body);
}

/* Each body of a leaf beside its first, once: lists them in CENSUS, with memory of ARENA. */
static bool list_extra(struct bc_census *census, struct bc_arena *arena, struct bc_err *err)
{
	const struct bc_interner *interner = census->interner;
	uint32_t count = interner->extra_count;

	census->extra = bc_arena_alloc(arena, count, sizeof(*census->extra), err);
	if (!census->extra)
		return false;
	if (count)
		memcpy(census->extra, interner->extra, count * sizeof(*census->extra));
	qsort(census->extra, count, sizeof(*census->extra), compare_extra);
	for (uint32_t i = 0; i < count; i++) {
		struct bc_extra_body extra = census->extra[i];

		if (bc_interned(interner, extra.leaf)[BC_LEAF_BODY] == extra.body)
			continue;
		if (census->extra_count &&
		    !compare_extra(&census->extra[census->extra_count - 1], &extra))
			continue;
		census->extra[census->extra_count++] = extra;
	}
	return true;
}

/* What threads count, or with reversed->from fill in. */
struct reverse_job {
	struct reversed *reversed;
	const struct bc_census *census;
};

static void reverse_edge(const struct reverse_job *job, uint32_t from, uint32_t to_id)
{
	struct reversed *reversed = job->reversed;
	uint32_t to;

	if (!to_id || to_id == BC_INDEX_TYPE)
		return;
	to = bc_census_number(job->census, to_id);
	if (reversed->from)
		reversed->from[reversed->begin[to]++] = from;
	else
		reversed->begin[to + 1]++;
}

/* By one thread: what most nodes refer to would be in every thread's way. */
static void reverse_edges(struct reversed *reversed, const struct bc_census *census)
{
	struct reverse_job job = { reversed, census };

	for (uint32_t number = 1; number <= census->node_count; number++) {
		const uint32_t *node = bc_interned(census->interner, census->node[number]);
		struct bc_edges edges;

		if (bc_is_leaf(node)) {
			reverse_edge(&job, number, node[BC_LEAF_BODY]);
			continue;
		}
		edges = bc_edges(node);
		for (uint32_t i = 0; i < edges.count; i++)
			reverse_edge(&job, number, bc_edge(node, edges, i));
	}
	for (uint32_t i = 0; i < census->extra_count; i++)
		reverse_edge(&job, bc_census_number(census, census->extra[i].leaf),
			     census->extra[i].body);
}

static bool make_reversed(struct reversed *reversed, const struct bc_census *census,
			  struct bc_arena *scratch, struct bc_err *err)
{
	uint32_t count = census->node_count;

	reversed->begin = bc_arena_zalloc(scratch, (size_t)count + 2, sizeof(uint32_t), err);
	if (!reversed->begin)
		return false;
	reverse_edges(reversed, census);
	for (uint32_t i = 0; i <= count; i++)
		reversed->begin[i + 1] += reversed->begin[i];
	reversed->from = bc_arena_alloc(scratch, reversed->begin[count + 1], sizeof(uint32_t), err);
	if (!reversed->from)
		return false;
	reverse_edges(reversed, census);
	/* Filling moved each begin to the next one's. */
	memmove(reversed->begin + 1, reversed->begin, ((size_t)count + 1) * sizeof(uint32_t));
	reversed->begin[0] = 0;
	return true;
}

static bool spread_taint(struct bc_census *census, struct bc_arena *scratch, struct bc_err *err)
{
	uint32_t *pending = bc_arena_alloc(scratch, census->node_count, sizeof(uint32_t), err);
	struct reversed reversed = { 0 };

	if (!pending || !make_reversed(&reversed, census, scratch, err))
		return false;
	for (uint32_t i = 0; i < census->extra_count; i++) {
		uint32_t leaf = bc_census_number(census, census->extra[i].leaf);

		if (census->conflicted[leaf])
			continue;
		census->conflicted[leaf] = census->tainted[leaf] = 1;
		census->conflict_count++;
		pending[census->tainted_count++] = leaf;
	}
	/* Tainted nodes are those in pending: from the front they are looked at, at the end they come. */
	for (uint32_t done = 0; done < census->tainted_count; done++) {
		uint32_t number = pending[done];

		for (uint32_t i = reversed.begin[number]; i < reversed.begin[number + 1]; i++) {
			uint32_t from = reversed.from[i];

			if (census->tainted[from])
				continue;
			census->tainted[from] = 1;
			pending[census->tainted_count++] = from;
		}
	}
	return true;
}

bool bc_census_take(struct bc_census *census, struct bc_interner *interner,
		    const struct bc_census *before, struct bc_arena *arena, struct bc_err *err)
{
	struct bc_arena scratch = { 0 };
	bool done;

	interner->frozen = true;
	*census = (struct bc_census){ .interner = interner };
	if (!number_nodes(census, before, arena, err) || !list_extra(census, arena, err))
		return false;
	done = !census->extra_count || spread_taint(census, &scratch, err);
	bc_arena_free(&scratch);
	return done;
}

bool bc_census_still_holds(const struct bc_census *census, bool *holds, struct bc_err *err)
{
	struct bc_census now = { .interner = census->interner };
	struct bc_arena scratch = { 0 };
	bool done = list_extra(&now, &scratch, err);

	*holds = count_nodes(census->interner) == census->node_count &&
		 now.extra_count == census->extra_count;
	bc_arena_free(&scratch);
	return done;
}

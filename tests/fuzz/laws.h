/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TESTS_FUZZ_LAWS_H
#define BC_TESTS_FUZZ_LAWS_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btf/read.h"
#include "btf/write.h"
#include "sort/canonical.h"

/*
 * What the fuzzers hold any input to. A broken law ends the program, which is
 * how libFuzzer learns of it. Inputs over FUZZ_MAX_BYTES are left alone, which
 * bounds the time for one.
 */
#define FUZZ_MAX_BYTES ((size_t)128 * 1024)

struct fuzz_bytes {
	const uint8_t *data;
	size_t size_bytes;
};

static inline void require(bool holds, const char *law, const struct bc_err *err)
{
	if (holds)
		return;
	fprintf(stderr, "broken: %s%s%s\n", law, err ? ": " : "", err ? err->text : "");
	abort();
}

/* A copy of exactly this size, so that a read beyond it is seen. */
static inline uint8_t *copy_exactly(const uint8_t *data, size_t size_bytes)
{
	uint8_t *copy = malloc(size_bytes ? size_bytes : 1);

	if (!copy)
		abort();
	if (size_bytes)
		memcpy(copy, data, size_bytes);
	return copy;
}

static inline bool read_or_refuse(struct bc_graph *graph, const uint8_t *data, size_t size_bytes,
				  const struct bc_graph *base, struct bc_arena *arena)
{
	struct bc_notes notes = { 0 };
	struct bc_err err = { .text = "" };
	bool done = bc_btf_read(graph, data, size_bytes, base, arena, &notes, &err);

	require(done || *err.text, "a refusal says why", NULL);
	return done;
}

static inline struct fuzz_bytes canonical_bytes(const struct bc_graph *graph,
						const struct bc_canonical_options *options,
						struct bc_arena *arena)
{
	struct bc_graph out;
	struct bc_canonical_stats stats;
	const uint32_t *new_id;
	struct fuzz_bytes bytes;
	struct bc_err err;

	require(bc_canonical(&out, graph, options, arena, &new_id, &stats, &err),
		"what was read can be ordered", &err);
	require(stats.types_out == out.type_count && out.type_count <= graph->type_count,
		"types do not multiply", NULL);
	for (uint32_t i = 0; i < graph->type_count; i++)
		require(new_id[i] && new_id[i] < bc_id_end(&out), "new ids are ids", NULL);
	require(bc_btf_write(&out, NULL, arena, &bytes.data, &bytes.size_bytes, &err),
		"what was ordered can be written", &err);
	return bytes;
}

static inline void require_same(struct fuzz_bytes a, struct fuzz_bytes b, const char *law)
{
	require(a.size_bytes == b.size_bytes && !memcmp(a.data, b.data, a.size_bytes), law, NULL);
}

/* The own types of GRAPH in reverse. */
static inline struct bc_graph reverse_ids(const struct bc_graph *graph, struct bc_arena *arena)
{
	struct bc_graph reversed = *graph;
	uint32_t count = graph->type_count, at = 0, *start, *words;
	struct bc_err err;

	start = bc_arena_alloc(arena, (size_t)count + 1, sizeof(*start), &err);
	words = bc_arena_alloc(arena, graph->start[count], sizeof(*words), &err);
	if (!start || !words)
		abort();
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *node = bc_own_node(graph, count - 1 - i);
		struct bc_edges edges = bc_edges(node);
		uint32_t length = bc_node_words(node[1]);

		start[i] = at;
		memcpy(words + at, node, length * sizeof(*node));
		for (uint32_t k = 0; k < edges.count; k++) {
			uint32_t id = bc_edge(node, edges, k);

			if (id >= graph->first_id)
				words[at + bc_edge_word(edges, k)] = graph->first_id + count - 1 -
								     (id - graph->first_id);
		}
		at += length;
	}
	start[count] = at;
	reversed.start = start;
	reversed.words = words;
	return reversed;
}

/* Sorting gives BTF that is read again; sorting that, or the same types in reverse, the same bytes. */
static inline void check_laws(const struct bc_graph *graph, struct bc_arena *arena)
{
	if (graph->has_unknown_kind)
		return;
	for (uint32_t k = 0; k < 4; k++) {
		struct bc_canonical_options options = {
			.order = k & 1 ? BC_ORDER_NAME : BC_ORDER_CANONICAL,
			.settle_forwards = k & 2,
		};
		struct fuzz_bytes once = canonical_bytes(graph, &options, arena);
		struct bc_graph again, reversed = reverse_ids(graph, arena);
		struct bc_err err;

		require(bc_btf_read(&again, once.data, once.size_bytes, graph->base, arena, NULL,
				    &err),
			"what was written is read again", &err);
		require_same(once, canonical_bytes(&again, &options, arena),
			     "sorting twice is sorting");
		require_same(once, canonical_bytes(&reversed, &options, arena),
			     "the order of ids means nothing");
	}
}

#endif

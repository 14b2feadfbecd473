/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/arena_pointers.h"

#include <string.h>

#define ATTRIBUTE "address_space(1)"
#define LINKS_MAX 3 /* of a prototype: the result and two parameters */

struct marker {
	struct bc_graph *graph;
	const struct bc_kfuncs *kfuncs;
	uint32_t *uses; /* by id: FUNCs that have the prototype */
	/* A copy of the graph's, with room for what comes. */
	uint32_t *start, *words;
	uint32_t attribute; /* string offset; 0: not used yet, and no string of the graph */
	uint64_t left_out;
};

/* A FUNC with pointers into an arena: its flags; else 0. */
static uint32_t arena_flags(const struct marker *marker, const uint32_t *node)
{
	if (bc_node_kind(node) != BC_FUNC)
		return 0;
	return bc_kfunc_flags(marker->kfuncs, bc_string(marker->graph, node[0])) &
	       (BC_KFUNC_ARENA_RESULT | BC_KFUNC_ARENA_FIRST | BC_KFUNC_ARENA_SECOND);
}

/* Counts who has which prototype, and the words and types that may come. */
static uint32_t count_functions(struct marker *marker, uint64_t *words)
{
	const struct bc_graph *graph = marker->graph;
	uint32_t count = 0;

	*words = graph->start[graph->type_count];
	for (uint32_t i = 0; i < graph->type_count; i++) {
		const uint32_t *node = bc_own_node(graph, i);

		if (bc_node_kind(node) != BC_FUNC)
			continue;
		marker->uses[node[2]]++;
		if (!arena_flags(marker, node))
			continue;
		count++;
		*words += bc_node_words(bc_node(graph, node[2])[1]) + 2 * LINKS_MAX * BC_HEAD_WORDS;
	}
	return count;
}

static bool make_room(struct marker *marker, uint32_t functions, uint64_t words,
		      struct bc_arena *arena, struct bc_err *err)
{
	struct bc_graph *graph = marker->graph;
	uint32_t count = graph->type_count;
	uint64_t string_bytes = (uint64_t)graph->string_bytes + sizeof(ATTRIBUTE);
	char *strings = bc_arena_alloc(arena, string_bytes, 1, err);

	if (words > UINT32_MAX || string_bytes > UINT32_MAX)
		return bc_err_set(err, "with pointers into arenas it goes beyond 4 GiB");
	marker->start = bc_arena_alloc(arena,
				       (size_t)count + 1 + (2 * LINKS_MAX + 1) * (size_t)functions,
				       sizeof(*marker->start), err);
	marker->words = bc_arena_alloc(arena, words, sizeof(*marker->words), err);
	if (!strings || !marker->start || !marker->words)
		return false;
	memcpy(marker->start, graph->start, ((size_t)count + 1) * sizeof(*marker->start));
	memcpy(marker->words, graph->words, graph->start[count] * sizeof(*marker->words));
	memcpy(strings, graph->strings, graph->string_bytes);
	memcpy(strings + graph->string_bytes, ATTRIBUTE, sizeof(ATTRIBUTE));
	graph->start = marker->start;
	graph->words = marker->words;
	graph->strings = strings;
	return true;
}

/* Adds a copy of COUNT words as a type; its id. */
static uint32_t add_type(struct marker *marker, const uint32_t *words, uint32_t count)
{
	struct bc_graph *graph = marker->graph;
	uint32_t at = marker->start[graph->type_count];

	memcpy(marker->words + at, words, count * sizeof(*words));
	marker->start[++graph->type_count] = at + count;
	return bc_id_end(graph) - 1;
}

static uint32_t find_attribute(struct marker *marker)
{
	if (!marker->attribute) {
		marker->attribute = marker->graph->string_bytes;
		marker->graph->string_bytes += sizeof(ATTRIBUTE);
	}
	return marker->attribute;
}

/* Makes *WORD, a reference to a pointer, one to a pointer into an arena. */
static void mark(struct marker *marker, uint32_t *word)
{
	const uint32_t *pointer = *word ? bc_node(marker->graph, *word) : NULL;
	uint32_t tag[BC_HEAD_WORDS] = { 0, bc_info(BC_TYPE_TAG, 0, true) };
	uint32_t marked[BC_HEAD_WORDS] = { 0, bc_info(BC_PTR, 0, false) };

	if (!pointer || bc_node_kind(pointer) != BC_PTR) {
		marker->left_out++;
		return;
	}
	tag[0] = find_attribute(marker);
	tag[2] = pointer[2];
	marked[2] = add_type(marker, tag, BC_HEAD_WORDS);
	*word = add_type(marker, marked, BC_HEAD_WORDS);
}

/* The last who has a prototype takes it as it is; the others get copies. */
static void mark_function(struct marker *marker, uint32_t *function, uint32_t flags)
{
	struct bc_graph *graph = marker->graph;
	const uint32_t *shared = bc_node(graph, function[2]);
	uint32_t *proto;

	if (marker->uses[function[2]] > 1) {
		marker->uses[function[2]]--;
		function[2] = add_type(marker, shared, bc_node_words(shared[1]));
	}
	proto = marker->words + graph->start[function[2] - graph->first_id];
	if (flags & BC_KFUNC_ARENA_RESULT)
		mark(marker, &proto[2]);
	for (uint32_t i = 0; i < 2; i++) {
		if (!(flags & (i ? BC_KFUNC_ARENA_SECOND : BC_KFUNC_ARENA_FIRST)))
			continue;
		if (i < bc_info_vlen(proto[1]))
			mark(marker, &proto[bc_edge_word(bc_edges(proto), 1 + i)]);
		else
			marker->left_out++;
	}
}

bool bc_mark_arena_pointers(struct bc_graph *graph, const struct bc_kfuncs *kfuncs,
			    uint64_t *left_out, struct bc_arena *arena, struct bc_err *err)
{
	struct bc_graph result = *graph;
	struct marker marker = { .graph = &result, .kfuncs = kfuncs };
	uint32_t count = graph->type_count, functions;
	uint64_t words;

	if (!kfuncs->count)
		return true;
	marker.uses = bc_arena_zalloc(arena, bc_id_end(graph), sizeof(*marker.uses), err);
	if (!marker.uses)
		return false;
	functions = count_functions(&marker, &words);
	if (!functions)
		return true;
	if (!make_room(&marker, functions, words, arena, err))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *node = marker.words + marker.start[i];
		uint32_t flags = arena_flags(&marker, node);

		if (flags)
			mark_function(&marker, node, flags);
	}
	*left_out += marker.left_out;
	*graph = result;
	return true;
}

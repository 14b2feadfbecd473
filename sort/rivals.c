/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Base types whose label no own type has can be none of them, nor can those that
 * refer to such. [choose] drops these, most of them by their name alone; what is
 * left is more than what is the same, which a partition will tell. Tags say
 * something about other types: they are there if those are. One node, of a kind
 * that no type has, stands for all that is left out.
 *
 * Where own types name types of the base, these mean what they are there, and nothing
 * is left out.
 *
 * Cost: a look at each base type and its name; the rest grows with the own part.
 */
#include "sort/rivals.h"

#include <string.h>

#include "base/hash.h"
#include "sort/labels.h"

bool bc_refers_to_base(const struct bc_graph *graph)
{
	for (uint32_t i = 0; i < graph->type_count; i++) {
		const uint32_t *node = bc_own_node(graph, i);
		struct bc_edges edges = bc_edges(node);

		for (uint32_t j = 0; j < edges.count; j++) {
			uint32_t id = bc_edge(node, edges, j);

			if (id && id < graph->first_id)
				return true;
		}
	}
	return false;
}

#define FILTER_BITS 65536u

/* While they are chosen, instead of numbers. */
enum standing { LEFT_OUT, POSSIBLE, STAYS };

struct chooser {
	struct bc_universe labels; /* for those only */
	const struct bc_graph *graph;
	const uint32_t *matching;
	uint32_t *number;
	/* Bits by hashes of what own types have: the beginning of the label, and all of it. */
	uint64_t keys[FILTER_BITS / 64], hashes[FILTER_BITS / 64];
};

static uint64_t label_hash(const struct bc_universe *universe, const uint32_t *node)
{
	uint64_t hash = bc_label_key(universe, node);
	uint32_t length = bc_label_length(node);

	for (uint32_t j = 0; j < length; j++)
		hash = bc_hash_mix(hash, bc_label_value(universe, node, j));
	return hash;
}

static uint32_t filter_bit(uint64_t hash)
{
	return (uint32_t)bc_hash_mix(0, hash) % FILTER_BITS;
}

static void add_to(uint64_t *filter, uint64_t hash)
{
	filter[filter_bit(hash) / 64] |= (uint64_t)1 << filter_bit(hash) % 64;
}

static bool may_have(const uint64_t *filter, uint64_t hash)
{
	return filter[filter_bit(hash) / 64] >> filter_bit(hash) % 64 & 1;
}

static void note_own_labels(struct chooser *chooser)
{
	for (uint32_t i = 0; i < chooser->graph->type_count; i++) {
		const uint32_t *node = bc_own_node(chooser->graph, i);

		add_to(chooser->keys, bc_label_key(&chooser->labels, node));
		add_to(chooser->hashes, label_hash(&chooser->labels, node));
	}
}

/* Whether NODE refers to what is left out, as far as that is known: of ids below END. */
static bool refers_to_left_out(const struct chooser *chooser, const uint32_t *node, uint32_t end)
{
	struct bc_edges edges = bc_edges(node);

	for (uint32_t i = 0; i < edges.count; i++) {
		uint32_t target = bc_edge(node, edges, i);

		if (target && target < end && chooser->number[target] == LEFT_OUT)
			return true;
	}
	return false;
}

/* Whether a base type may be an own one, by what is looked at alone: what costs least first. */
static bool is_possible(const struct chooser *chooser, uint32_t id, const uint32_t *node)
{
	const struct bc_string_ranks *ranks = chooser->labels.ranks;
	uint32_t kind = bc_node_kind(node);

	if (kind == BC_VAR || kind == BC_DATASEC ||
	    (kind != BC_DECL_TAG && bc_string_rank(ranks, node[0]) >= ranks->sorted) ||
	    refers_to_left_out(chooser, node, id))
		return false;
	return kind == BC_DECL_TAG ||
	       (may_have(chooser->keys, bc_label_key(&chooser->labels, node)) &&
		may_have(chooser->hashes, label_hash(&chooser->labels, node)));
}

static bool choose(struct chooser *chooser, struct bc_arena *scratch, struct bc_err *err)
{
	const struct bc_graph *graph = chooser->graph;
	uint32_t *left = bc_arena_alloc(scratch, graph->first_id, sizeof(*left), err);
	uint32_t count = 0, before;

	if (!left)
		return false;
	note_own_labels(chooser);
	for (uint32_t id = graph->first_id; id < bc_id_end(graph); id++)
		if (chooser->matching[id] < graph->first_id)
			chooser->number[chooser->matching[id]] = STAYS;
	for (uint32_t id = 1; id < graph->first_id; id++) {
		if (chooser->number[id] == STAYS || !is_possible(chooser, id, bc_node(graph, id)))
			continue;
		chooser->number[id] = POSSIBLE;
		left[count++] = id;
	}
	do {
		before = count;
		count = 0;
		for (uint32_t i = 0; i < before; i++) {
			if (refers_to_left_out(chooser, bc_node(graph, left[i]), graph->first_id))
				chooser->number[left[i]] = LEFT_OUT;
			else
				left[count++] = left[i];
		}
		/* Each time it costs a look at all that are left: the last few may as well stay. */
	} while (before - count > before / 16);
	return true;
}

/* ---- the graph ---- */

struct builder {
	uint32_t *start, *words;
	uint32_t next; /* id */
	uint32_t word_count;
};

/* Gives numbers to what is in the graph; *WORDS: how many its nodes have. Returns one past the last. */
static uint32_t number_all(uint32_t *number, const struct bc_graph *graph, uint64_t *words)
{
	uint32_t next = BC_RIVAL_OTHER + 1;

	*words = BC_HEAD_WORDS;
	for (uint32_t id = 1; id < bc_id_end(graph); id++) {
		if (id < graph->first_id && number[id] == LEFT_OUT) {
			number[id] = BC_RIVAL_OTHER;
			continue;
		}
		number[id] = next++;
		*words += bc_node_words(bc_node(graph, id)[1]);
	}
	return next;
}

static void add_node(struct builder *builder, const uint32_t *number, const uint32_t *node)
{
	uint32_t *words = builder->words + builder->word_count, count = bc_node_words(node[1]);
	struct bc_edges edges = bc_edges(node);

	memcpy(words, node, count * sizeof(*words));
	for (uint32_t i = 0; i < edges.count; i++)
		words[bc_edge_word(edges, i)] = number[bc_edge(node, edges, i)];
	*builder->start++ = builder->word_count;
	builder->word_count += count;
	builder->next++;
}

/* What PART, of the chain of bases or own, has of it. */
static void build_part(struct builder *builder, struct bc_graph *built, const uint32_t *number,
		       const struct bc_graph *part)
{
	static const uint32_t other[BC_HEAD_WORDS] = { 0, 0, 0 };

	built->first_id = builder->next;
	built->words = builder->words;
	built->start = builder->start;
	if (!part->base)
		add_node(builder, number, other);
	for (uint32_t i = 0; i < part->type_count; i++)
		if (number[part->first_id + i] != BC_RIVAL_OTHER)
			add_node(builder, number, bc_own_node(part, i));
	built->type_count = builder->next - built->first_id;
	*builder->start++ = builder->word_count;
}

/* A chain of as many graphs as GRAPH's, for tags count only in their own. */
static struct bc_graph *build(const struct bc_graph *graph, const uint32_t *number, uint32_t end,
			      uint64_t word_count, struct bc_arena *arena, struct bc_err *err)
{
	struct builder builder = { .next = BC_RIVAL_OTHER };
	const struct bc_graph *part = graph, **parts;
	struct bc_graph *built;
	uint32_t count = 0;

	for (; part; part = part->base)
		count++;
	built = bc_arena_zalloc(arena, count, sizeof(*built), err);
	parts = bc_arena_alloc(arena, count, sizeof(*parts), err);
	builder.start = bc_arena_alloc(arena, (uint64_t)end + count, sizeof(*builder.start), err);
	builder.words = bc_arena_alloc(arena, word_count, sizeof(*builder.words), err);
	if (!built || !parts || !builder.start || !builder.words)
		return NULL;
	part = graph;
	for (uint32_t i = count; i--; part = part->base)
		parts[i] = part;
	for (uint32_t i = 0; i < count; i++) {
		built[i].base = i ? &built[i - 1] : NULL;
		build_part(&builder, &built[i], number, parts[i]);
	}
	return &built[count - 1];
}

bool bc_rivals_make(struct bc_rivals *rivals, const struct bc_graph *graph,
		    const uint32_t *matching, const struct bc_string_ranks *ranks,
		    struct bc_arena *arena, struct bc_err *err)
{
	struct chooser *chooser;
	uint32_t *number, *redirect, end;
	uint64_t words;

	if (bc_refers_to_base(graph)) {
		*rivals = (struct bc_rivals){ { graph, 1, matching, ranks, NULL }, NULL };
		return true;
	}
	chooser = bc_arena_zalloc(arena, 1, sizeof(*chooser), err);
	number = bc_arena_zalloc(arena, bc_id_end(graph), sizeof(*number), err);
	if (!chooser || !number)
		return false;
	chooser->labels = (struct bc_universe){ graph, 1, NULL, ranks, NULL };
	chooser->graph = graph;
	chooser->matching = matching;
	chooser->number = number;
	if (!choose(chooser, arena, err))
		return false;
	end = number_all(number, graph, &words);
	redirect = bc_arena_alloc(arena, end, sizeof(*redirect), err);
	if (!redirect)
		return false;
	for (uint32_t i = 0; i < end; i++)
		redirect[i] = i;
	for (uint32_t id = graph->first_id; id < bc_id_end(graph); id++)
		redirect[number[id]] = number[matching[id]];
	rivals->number = number;
	rivals->universe = (struct bc_universe){ build(graph, number, end, words, arena, err), 1,
						 redirect, ranks, NULL };
	return rivals->universe.graph;
}

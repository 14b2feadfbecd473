/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/encoder.h"

/* More of a question is not looked at: what is left out only makes more units possible answers. */
#define QUESTION_LEAVES 16u
#define QUESTION_NODES 256u

/* Lists tags right below a node, looking through nodes that are none. */
static void list_leaves(struct bc_encoder *encoder, struct bc_question *question, uint32_t *seen,
			uint32_t stamp)
{
	const struct bc_census *census = &encoder->census;
	uint32_t queue[QUESTION_NODES], count = 0;

	question->first_leaf = encoder->leaf_index_count;
	queue[count++] = question->number;
	for (uint32_t at = 0; at < count && question->leaf_count < QUESTION_LEAVES; at++) {
		const uint32_t *node = bc_interned(&encoder->interner, census->node[queue[at]]);
		struct bc_edges edges = bc_edges(node);

		if (bc_is_leaf(node)) {
			if (!bc_info_kflag(node[BC_LEAF_INFO])) {
				encoder->leaf_indexes[encoder->leaf_index_count++] =
					node[BC_LEAF_INDEX];
				question->leaf_count++;
			}
			continue;
		}
		for (uint32_t i = 0; i < edges.count && count < QUESTION_NODES; i++) {
			uint32_t id = bc_edge(node, edges, i);
			uint32_t number = id && id != BC_INDEX_TYPE ? bc_census_number(census, id) :
								      0;

			if (!number || seen[number] == stamp)
				continue;
			seen[number] = stamp;
			queue[count++] = number;
		}
	}
}

/*
 * Nodes with a meaning of their own somewhere, of which it is not known yet
 * whether they are plain elsewhere. Other tainted nodes are: who has them has
 * them so.
 */
static bool ask_questions(struct bc_encoder *encoder, struct bc_err *err)
{
	const struct bc_census *census = &encoder->census;
	size_t numbers = (size_t)census->node_count + 1;
	uint32_t count = 0, *seen;

	for (uint32_t i = 0; i < encoder->meaning_count; i++)
		for (uint32_t j = 0; j < encoder->meanings[i].node_count; j++)
			encoder->own[bc_census_number(census, encoder->meanings[i].nodes[j])] = 1;
	for (uint32_t number = 1; number <= census->node_count; number++) {
		if (!encoder->own[number])
			encoder->plain[number] = 1;
		count += !encoder->plain[number];
	}
	seen = bc_arena_zalloc(&encoder->scratch, numbers, sizeof(*seen), err);
	encoder->questions = bc_arena_zalloc(&encoder->scratch, count, sizeof(*encoder->questions),
					     err);
	encoder->leaf_indexes = bc_arena_alloc(&encoder->scratch, (size_t)count * QUESTION_LEAVES,
					       sizeof(uint32_t), err);
	if (!seen || !encoder->questions || !encoder->leaf_indexes)
		return false;
	encoder->question_count = encoder->leaf_index_count = 0;
	for (uint32_t number = 1; number <= census->node_count; number++) {
		struct bc_question *question = &encoder->questions[encoder->question_count];

		/* What only one unit has, and that of its own, nobody has plainly. */
		if (encoder->plain[number] ||
		    bc_is_function_proto(bc_interned(&encoder->interner, census->node[number])) ||
		    census->only_in[number] != BC_SEVERAL_UNITS)
			continue;
		question->number = number;
		encoder->question_count++;
		list_leaves(encoder, question, seen, encoder->question_count);
	}
	return true;
}

/* Whether a unit can have the node of an open question: it mentions all tags below it. */
static bool can_answer(const struct bc_encoder *encoder, uint32_t unit)
{
	const struct bc_mentions *mentions = &encoder->mentions[unit];

	for (uint32_t i = 0; i < encoder->question_count; i++) {
		const struct bc_question *question = &encoder->questions[i];
		uint32_t j = 0;

		while (j < question->leaf_count &&
		       bc_mentions_has(mentions, encoder->leaf_indexes[question->first_leaf + j]))
			j++;
		if (j == question->leaf_count)
			return true;
	}
	return false;
}

static void drop_answered(struct bc_encoder *encoder)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < encoder->question_count; i++)
		if (!encoder->plain[encoder->questions[i].number])
			encoder->questions[kept++] = encoder->questions[i];
	encoder->question_count = kept;
}

/* Reads units that may answer, a few at a time, until all is answered or all have been asked. */
bool bc_encoder_find_plain_nodes(struct bc_encoder *encoder, struct bc_err *err)
{
	uint32_t unit = 0;

	if (!ask_questions(encoder, err))
		return false;
	encoder->reading = BC_READ_PLAIN;
	while (encoder->question_count && unit < encoder->units.count) {
		encoder->order_count = 0;
		for (; unit < encoder->units.count &&
		       encoder->order_count < 2 * encoder->options->workers->count;
		     unit++)
			if ((!encoder->units.units[unit].by_reference_only ||
			     encoder->units.imported[unit]) &&
			    !bc_encoder_has_meaning(encoder, unit) && can_answer(encoder, unit))
				encoder->order[encoder->order_count++] = unit;
		encoder->stats->units_again += encoder->order_count;
		if (!bc_encoder_run(encoder, err))
			return false;
		drop_answered(encoder);
	}
	return true;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/encoder.h"

/* By leaf index: tags that are conflicted, tags that are tainted. */
static bool make_leaf_bits(struct bc_encoder *encoder, struct bc_err *err)
{
	const struct bc_census *census = &encoder->census;

	encoder->leaf_word_count = encoder->interner.leaf_count / 64 + 1;
	encoder->conflicts = bc_arena_zalloc(&encoder->scratch, encoder->leaf_word_count,
					     sizeof(uint64_t), err);
	encoder->taints = bc_arena_zalloc(&encoder->scratch, encoder->leaf_word_count,
					  sizeof(uint64_t), err);
	if (!encoder->conflicts || !encoder->taints)
		return false;
	for (uint32_t number = 1; number <= census->node_count; number++) {
		const uint32_t *node = bc_interned(&encoder->interner, census->node[number]);
		uint64_t bit;

		if (!bc_is_leaf(node))
			continue;
		bit = (uint64_t)1 << node[BC_LEAF_INDEX] % 64;
		if (census->conflicted[number])
			encoder->conflicts[node[BC_LEAF_INDEX] / 64] |= bit;
		if (census->tainted[number])
			encoder->taints[node[BC_LEAF_INDEX] / 64] |= bit;
	}
	return true;
}

bool bc_encoder_has_meaning(const struct bc_encoder *encoder, uint32_t unit)
{
	const struct bc_mentions *mentions = &encoder->mentions[unit];

	for (uint32_t i = 0; i < mentions->run_count; i++) {
		const struct bc_mention_run *run = &mentions->runs[i];

		for (uint32_t k = 0; k < run->word_count; k++)
			if (run->defined[k] & encoder->conflicts[run->first_word + k] ||
			    (run->unread && run->unread[k] & encoder->taints[run->first_word + k]))
				return true;
	}
	return false;
}

static bool read_meanings(struct bc_encoder *encoder, struct bc_err *err)
{
	size_t numbers = (size_t)encoder->census.node_count + 1;

	encoder->plain = bc_arena_zalloc(&encoder->scratch, numbers, 1, err);
	encoder->own = bc_arena_zalloc(&encoder->scratch, numbers, 1, err);
	if (!encoder->plain || !encoder->own || !make_leaf_bits(encoder, err))
		return false;
	encoder->order_count = 0;
	for (uint32_t unit = 0; unit < encoder->units.count; unit++)
		if (bc_encoder_has_meaning(encoder, unit))
			encoder->order[encoder->order_count++] = unit;
	encoder->meaning_count = encoder->order_count;
	encoder->meanings = bc_arena_zalloc(&encoder->scratch, encoder->order_count,
					    sizeof(*encoder->meanings), err);
	if (!encoder->meanings)
		return false;
	encoder->reading = BC_READ_MEANING;
	encoder->stats->units_again += encoder->order_count;
	return bc_encoder_run(encoder, err);
}

bool bc_encoder_resolve_conflicts(struct bc_encoder *encoder, struct bc_err *err)
{
	struct bc_census *census = &encoder->census, before;
	bool holds = false;

	if (!bc_census_take(census, &encoder->interner, NULL, &encoder->scratch, err))
		return false;
	/* Bodies of other units can bring new nodes, and those new conflicts. */
	while (census->conflict_count && !holds) {
		if (!read_meanings(encoder, err) || !bc_encoder_find_plain_nodes(encoder, err) ||
		    !bc_census_still_holds(census, &holds, err))
			return false;
		before = *census;
		if (!holds &&
		    !bc_census_take(census, &encoder->interner, &before, &encoder->scratch, err))
			return false;
	}
	return true;
}

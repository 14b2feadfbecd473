/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/encoder.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"

static bool grow_bits(uint64_t **bits, uint32_t before, uint32_t words, struct bc_err *err)
{
	uint64_t *grown = realloc(*bits, words * sizeof(*grown));

	if (!grown)
		return bc_err_memory(err, words * sizeof(*grown));
	memset(grown + before, 0, (words - before) * sizeof(*grown));
	*bits = grown;
	return true;
}

static bool make_mention_room(struct bc_encode_worker *worker, uint32_t word)
{
	struct bc_mention_run *all = &worker->mentions;
	uint32_t words = 2 * word + 1024;

	if (word < all->word_count)
		return true;
	if (!grow_bits(&all->mentioned, all->word_count, words, &worker->err) ||
	    !grow_bits(&all->defined, all->word_count, words, &worker->err) ||
	    !grow_bits(&all->unread, all->word_count, words, &worker->err))
		return false;
	all->word_count = words;
	return true;
}

static bool is_any_set(const uint64_t *words, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (words[i])
			return true;
	return false;
}

/* Moves some bits of a worker to memory that stays. */
static uint64_t *keep_bits(struct bc_encode_worker *worker, uint64_t *bits,
			   const struct bc_mention_run *run)
{
	uint64_t *kept = bc_arena_alloc(&worker->arena, run->word_count, sizeof(*kept),
					&worker->err);

	if (kept) {
		memcpy(kept, bits + run->first_word, run->word_count * sizeof(*kept));
		memset(bits + run->first_word, 0, run->word_count * sizeof(*kept));
	}
	return kept;
}

static bool keep_run(struct bc_encode_worker *worker, struct bc_mention_run *run)
{
	struct bc_mention_run *all = &worker->mentions;

	run->mentioned = keep_bits(worker, all->mentioned, run);
	run->defined = keep_bits(worker, all->defined, run);
	if (!run->mentioned || !run->defined)
		return false;
	if (!is_any_set(all->unread + run->first_word, run->word_count))
		return true;
	run->unread = keep_bits(worker, all->unread, run);
	return run->unread;
}

/* As much that is not set ends a run: what is kept grows with what is said, not with what is not. */
#define RUN_GAP_WORDS 8u

/* The runs in the worker's bits [WORD, END), into RUNS unless that is NULL; their number. */
static uint32_t find_runs(const struct bc_encode_worker *worker, uint32_t word, uint32_t end,
			  struct bc_mention_run *runs)
{
	const uint64_t *mentioned = worker->mentions.mentioned;
	uint32_t count = 0, last = 0;

	for (; word < end; word++) {
		if (!mentioned[word])
			continue;
		if (!count || word - last > RUN_GAP_WORDS) {
			count++;
			if (runs)
				runs[count - 1] = (struct bc_mention_run){ .first_word = word };
		}
		last = word;
		if (runs)
			runs[count - 1].word_count = word - runs[count - 1].first_word + 1;
	}
	return count;
}

static bool keep_mentions(struct bc_encode_worker *worker, struct bc_mentions *mentions,
			  uint32_t first, uint32_t end)
{
	mentions->run_count = find_runs(worker, first, end, NULL);
	mentions->runs = bc_arena_alloc(&worker->arena, mentions->run_count,
					sizeof(*mentions->runs), &worker->err);
	if (!mentions->runs)
		return false;
	find_runs(worker, first, end, mentions->runs);
	for (uint32_t i = 0; i < mentions->run_count; i++)
		if (!keep_run(worker, &mentions->runs[i]))
			return false;
	return true;
}

bool bc_mentions_note(struct bc_encoder *encoder, struct bc_encode_worker *worker, uint32_t unit)
{
	const struct bc_local *local = &worker->local;
	uint32_t first = UINT32_MAX, end = 0;

	for (uint32_t i = 0; i < local->tag_count; i++) {
		const struct bc_local_type *type = bc_local_type(local, local->tags[i].number);
		uint32_t word = local->tags[i].leaf_index / 64;
		uint64_t bit = (uint64_t)1 << local->tags[i].leaf_index % 64;

		if (!make_mention_room(worker, word))
			return false;
		worker->mentions.mentioned[word] |= bit;
		if (type->role == BC_LOCAL_BODY)
			worker->mentions.defined[word] |= bit;
		if (type->unread)
			worker->mentions.unread[word] |= bit;
		first = word < first ? word : first;
		end = word + 1 > end ? word + 1 : end;
	}
	return keep_mentions(worker, &encoder->mentions[unit], first, end);
}

bool bc_mentions_has_unread(const struct bc_mentions *mentions)
{
	for (uint32_t i = 0; i < mentions->run_count; i++)
		if (mentions->runs[i].unread)
			return true;
	return false;
}

bool bc_mentions_has(const struct bc_mentions *mentions, uint32_t index)
{
	struct bc_search search = bc_search_among(mentions->run_count);
	const struct bc_mention_run *run;
	uint32_t word = index / 64;

	while (bc_search_goes_on(&search))
		bc_search_step(&search, mentions->runs[search.middle].first_word <= word);
	if (!search.low)
		return false;
	run = &mentions->runs[search.low - 1];
	return word - run->first_word < run->word_count &&
	       run->mentioned[word - run->first_word] >> index % 64 & 1;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "merge/placed_names.h"

#include "base/bits.h"

#include <string.h>

#define WORDS_AT_ONCE 1024u /* of bits */

/* The first word from AT on that can have a bit; the end if there is none before it. */
static uint32_t next_word(const struct bc_placed_names *placed, uint32_t at, uint32_t end)
{
	while (at < end && !(placed->inhabited[at / 4096] >> at / 64 % 64 & 1))
		at = (at / 64 + 1) * 64;
	return at < end ? at : end;
}

bool bc_placed_names_begin(struct bc_placed_names *placed, const struct bc_string_ids *names,
			   struct bc_arena *arena, struct bc_err *err)
{
	*placed = (struct bc_placed_names){ .names = names };
	placed->word_count = bc_string_id_numbers(names) / 64 + 1;
	placed->used = bc_arena_zalloc(arena, placed->word_count, sizeof(*placed->used), err);
	placed->inhabited = bc_arena_zalloc(arena, placed->word_count / 4096 + 1,
					    sizeof(*placed->inhabited), err);
	placed->before = bc_arena_alloc(arena, placed->word_count, sizeof(*placed->before), err);
	return placed->used && placed->inhabited && placed->before;
}

void bc_placed_names_use(struct bc_placed_names *placed, uint32_t name)
{
	uint32_t number = bc_string_id_number(placed->names, name), block = number / 4096;

	/* A page nobody wrote to is not to be read first (bc_zeroed says why). */
	if (__atomic_load_n(&placed->inhabited[block / 64], __ATOMIC_RELAXED) >> block % 64 & 1)
		bc_set_shared_bit(placed->used, number);
	else
		__atomic_fetch_or(&placed->used[number / 64], (uint64_t)1 << number % 64,
				  __ATOMIC_RELAXED);
	bc_set_shared_bit(placed->inhabited, block);
}

static void count_used(struct bc_placed_names *placed)
{
	uint32_t end = placed->word_count;

	for (uint32_t i = next_word(placed, 0, end); i < end; i = next_word(placed, i + 1, end)) {
		if (!placed->used[i])
			continue;
		placed->before[i] = placed->count;
		placed->count += bc_count_bits(placed->used[i]);
	}
}

/* Which of the used ones a name is, 0 the first. */
static uint32_t find(const struct bc_placed_names *placed, uint32_t name)
{
	uint32_t number = bc_string_id_number(placed->names, name);
	uint64_t below = ((uint64_t)1 << number % 64) - 1;

	return placed->before[number / 64] + bc_count_bits(placed->used[number / 64] & below);
}

/* What threads do with the names whose bits are in some words. */
struct job {
	struct bc_placed_names *placed;
	char *strings; /* NULL: only measure */
};

static void visit_some(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct job *job = context;
	struct bc_placed_names *placed = job->placed;

	(void)worker;
	for (uint32_t i = next_word(placed, begin, end); i < end;
	     i = next_word(placed, i + 1, end)) {
		uint32_t at;

		if (!placed->used[i])
			continue;
		at = placed->before[i];
		for (uint64_t bits = placed->used[i]; bits; bits &= bits - 1, at++) {
			uint32_t number = i * 64 + (uint32_t)__builtin_ctzll(bits);
			char packed[4];
			const char *text = bc_string_id_text(
				placed->names, bc_string_id_from_number(placed->names, number),
				packed);

			if (!job->strings)
				placed->offset[at] = *text ? (uint32_t)strlen(text) + 1 : 0;
			else if (placed->offset[at])
				strcpy(job->strings + placed->offset[at], text);
		}
	}
}

bool bc_placed_names_place(struct bc_placed_names *placed, uint64_t *end,
			   struct bc_workers *workers, struct bc_arena *arena, struct bc_err *err)
{
	struct job job = { placed, NULL };

	count_used(placed);
	placed->offset = bc_arena_alloc(arena, placed->count, sizeof(*placed->offset), err);
	if (!placed->offset)
		return false;
	bc_workers_share(workers, placed->word_count, WORDS_AT_ONCE, visit_some, &job);
	for (uint32_t i = 0; i < placed->count; i++) {
		uint32_t bytes = placed->offset[i];

		placed->offset[i] = bytes ? (uint32_t)*end : 0;
		*end += bytes;
	}
	return true;
}

void bc_placed_names_write(struct bc_placed_names *placed, char *strings,
			   struct bc_workers *workers)
{
	struct job job = { placed, strings };

	bc_workers_share(workers, placed->word_count, WORDS_AT_ONCE, visit_some, &job);
}

uint32_t bc_placed_name(const struct bc_placed_names *placed, uint32_t name)
{
	return placed->offset[find(placed, name)];
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Ranks of strings: by content and bytes, wherever a string stands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sort/strings.h"
#include "tests/lib/law.h"
#include "tests/lib/random_graph.h"
#include "tests/lib/shuffle.h"

static struct bc_string_ranks compute(struct bc_arena *arena, const struct bc_graph *graph,
				      enum bc_base_strings base_strings)
{
	struct bc_string_ranks ranks;
	struct bc_err err;

	if (!bc_string_ranks_compute(&ranks, graph, (struct bc_kept_strings){ 0 }, base_strings,
				     NULL, arena, &err))
		fail_msg("%s", err.text);
	return ranks;
}

/* A graph of typedefs whose names are at these offsets. */
static struct bc_graph graph_of(struct bc_arena *arena, const char *strings, uint32_t string_bytes,
				const uint32_t *offsets, uint32_t count)
{
	uint32_t *start = build_alloc(arena, (size_t)count + 1, sizeof(*start));
	uint32_t *words = build_alloc(arena, 3 * (size_t)count, sizeof(*words));

	for (uint32_t i = 0; i < count; i++) {
		start[i] = 3 * i;
		words[3 * i] = offsets[i];
		words[3 * i + 1] = bc_info(BC_TYPEDEF, 0, false);
	}
	start[count] = 3 * count;
	return (struct bc_graph){ .first_id = 1,
				  .type_count = count,
				  .start = start,
				  .words = words,
				  .strings = strings,
				  .string_bytes = string_bytes };
}

/* Tails, repeats, lengths around the words that are compared at once, bytes above 0x7f. */
static void ranks_sort_like_strcmp(void **state)
{
	static const char strings[] =
		"\0abcdefgh\0abcdefg\0abcdefghi\0bcdefgh\0abcdefgh\0\xc3\xa9\0"
		"abcdefgh\x01\0z\0\x01\0\x01\x01\0abcdefghabcdefgh\0"
		"abcdefghabcdefghi\0abcdefghabcdefg\0";
	uint32_t offsets[sizeof(strings)];
	struct bc_arena arena = { 0 };
	struct bc_graph graph;
	struct bc_string_ranks ranks;

	(void)state;
	for (uint32_t i = 0; i < sizeof(strings) - 1; i++)
		offsets[i] = i;
	graph = graph_of(&arena, strings, sizeof(strings) - 1, offsets, sizeof(strings) - 1);
	ranks = compute(&arena, &graph, BC_BASE_STRINGS_IN_ORDER);
	assert_int_equal(bc_string_rank(&ranks, 0), 0);
	for (uint32_t i = 0; i < sizeof(strings) - 1; i++) {
		for (uint32_t k = 0; k < sizeof(strings) - 1; k++) {
			int wanted = strcmp(strings + i, strings + k);
			uint32_t a = bc_string_rank(&ranks, i), b = bc_string_rank(&ranks, k);

			if ((wanted > 0) - (wanted < 0) != (a > b) - (a < b))
				fail_msg("offsets %u and %u have ranks %u and %u", i, k, a, b);
		}
	}
	for (uint32_t rank = 0; rank < ranks.distinct; rank++)
		assert_int_equal(bc_string_rank(&ranks, ranks.offset[rank]), rank);
	bc_arena_free(&arena);
}

/* Of the base the lowest whole string; a tail is none. */
static void base_strings_are_found(void **state)
{
	static const char base_strings[] = "\0list_head\0head\0other\0head\0";
	static const char strings[] = "other\0list\0";
	static const uint32_t none = 0;
	const uint32_t base_bytes = sizeof(base_strings) - 1;
	/* "head" as a tail and as the second whole one, "other" and "list" of its own, "ist". */
	const uint32_t offsets[] = { 6, base_bytes, base_bytes + 6, base_bytes + 7, 22 };
	struct bc_arena arena = { 0 };
	struct bc_graph base = graph_of(&arena, base_strings, base_bytes, &none, 1);
	struct bc_graph graph = graph_of(&arena, strings, sizeof(strings) - 1, offsets, 5);
	struct bc_string_ranks ranks;

	(void)state;
	graph.base = &base;
	graph.first_id = 2;
	graph.string_base = base_bytes;
	for (int apart = 0; apart < 2; apart++) {
		ranks = compute(&arena, &graph,
				apart ? BC_BASE_STRINGS_APART : BC_BASE_STRINGS_IN_ORDER);
		assert_int_equal(ranks.base_offset[bc_string_rank(&ranks, 0)], 0);
		assert_int_equal(ranks.base_offset[bc_string_rank(&ranks, offsets[0])], 11);
		assert_int_equal(ranks.base_offset[bc_string_rank(&ranks, offsets[1])], 16);
		assert_int_equal(ranks.base_offset[bc_string_rank(&ranks, offsets[2])], UINT32_MAX);
		assert_int_equal(ranks.base_offset[bc_string_rank(&ranks, offsets[3])], UINT32_MAX);
	}
	bc_arena_free(&arena);
}

/* Out of order, what only the base has still has one rank for each content, after all others. */
static void base_strings_need_no_order(void **state)
{
	static const char base_strings[] =
		"\0zebra\0ape\0zebra\0own\0a_name_of_some_length\0a_name_of_some_lengtH\0"
		"a_name_of_some_length\0eight_by\0eight_by\0";
	static const char strings[] = "own\0middle\0";
	static const uint32_t none = 0;
	const uint32_t base_bytes = sizeof(base_strings) - 1;
	const uint32_t offsets[] = { base_bytes, base_bytes + 4 };
	struct bc_arena arena = { 0 };
	struct bc_graph base = graph_of(&arena, base_strings, base_bytes, &none, 1);
	struct bc_graph graph = graph_of(&arena, strings, sizeof(strings) - 1, offsets, 2);
	struct bc_string_ranks ranks;

	(void)state;
	graph.base = &base;
	graph.first_id = 2;
	graph.string_base = base_bytes;
	ranks = compute(&arena, &graph, BC_BASE_STRINGS_APART);
	assert_int_equal(ranks.sorted, 3); /* "", "middle", "own" */
	assert_int_equal(ranks.distinct, 8);
	assert_int_equal(bc_string_rank(&ranks, offsets[0]), 2);
	assert_int_equal(bc_string_rank(&ranks, offsets[1]), 1);
	for (uint32_t i = 0; i < base_bytes; i += (uint32_t)strlen(base_strings + i) + 1) {
		for (uint32_t k = 0; k < base_bytes; k += (uint32_t)strlen(base_strings + k) + 1) {
			bool same = !strcmp(base_strings + i, base_strings + k);

			if (same != (bc_string_rank(&ranks, i) == bc_string_rank(&ranks, k)))
				fail_msg("offsets %u and %u", i, k);
		}
		assert_true((bc_string_rank(&ranks, i) < 3) ==
			    (!i || !strcmp(base_strings + i, "own")));
	}
	bc_arena_free(&arena);
}

/* As one, what only the base has is told from own strings, and that is all. */
static void base_strings_are_one_where_no_more_is_asked(void **state)
{
	static const char base_strings[] = "\0zebra\0ape\0owner\0own\0likely_1\0likely_2\0own\0";
	static const char strings[] = "own\0likely_\0ape\0";
	static const uint32_t inside = 3; /* "bra" */
	const uint32_t base_bytes = sizeof(base_strings) - 1;
	const uint32_t offsets[] = { base_bytes, base_bytes + 4, base_bytes + 12 };
	struct bc_arena arena = { 0 };
	struct bc_graph base = graph_of(&arena, base_strings, base_bytes, &inside, 1);
	struct bc_graph graph = graph_of(&arena, strings, sizeof(strings) - 1, offsets, 3);
	struct bc_string_ranks ranks;

	(void)state;
	graph.base = &base;
	graph.first_id = 2;
	graph.string_base = base_bytes;
	ranks = compute(&arena, &graph, BC_BASE_STRINGS_AS_ONE);
	assert_int_equal(ranks.sorted, 4); /* "", "ape", "likely_", "own" */
	for (uint32_t at = 0; at < base_bytes; at += (uint32_t)strlen(base_strings + at) + 1) {
		uint32_t rank = bc_string_rank(&ranks, at), own = UINT32_MAX;

		for (uint32_t i = 0; i < 4; i++)
			if (!strcmp(bc_string(&graph, ranks.offset[i]), base_strings + at))
				own = i;
		if (own != UINT32_MAX ? rank != own : rank < ranks.sorted)
			fail_msg("\"%s\" has rank %u", base_strings + at, rank);
	}
	assert_true(bc_string_rank(&ranks, inside) >= ranks.sorted);
	assert_int_equal(ranks.base_offset[bc_string_rank(&ranks, offsets[0])], 17);
	assert_int_equal(ranks.base_offset[bc_string_rank(&ranks, offsets[2])], 7);
	assert_int_equal(ranks.base_offset[bc_string_rank(&ranks, offsets[1])], UINT32_MAX);
	bc_arena_free(&arena);
}

/* Those of bases are ranked whole, wherever in a word of bits a section begins and ends. */
static void whole_strings_are_found(void **state)
{
	static const uint32_t none = 0;
	char base_strings[200] = "", strings[400];

	(void)state;
	for (uint32_t round = 0; round < 400; round++) {
		struct rng rng = law_round(round);
		uint32_t base_bytes = 1 + rng_below(&rng, 199), bytes = 1 + rng_below(&rng, 399);
		struct bc_arena arena = { 0 };
		struct bc_graph base = graph_of(&arena, base_strings, base_bytes, &none, 1);
		struct bc_graph split = graph_of(&arena, strings, bytes, &none, 1);
		struct bc_graph own = graph_of(&arena, "", 0, &none, 1);
		struct bc_string_ranks ranks;

		for (uint32_t i = 0; i < bytes; i++)
			strings[i] = rng_percent(&rng, 20) ? '\0' :
							     (char)(1 + rng_below(&rng, 255));
		strings[bytes - 1] = '\0';
		split.base = &base;
		split.first_id = 2;
		split.string_base = base_bytes;
		own.base = &split;
		own.first_id = 3;
		own.string_base = base_bytes + bytes;
		ranks = compute(&arena, &own, BC_BASE_STRINGS_IN_ORDER);
		for (uint32_t i = 0; i < bytes; i++)
			assert_int_equal(bc_bit_is_set(ranks.used, base_bytes + i),
					 !i || !strings[i - 1]);
		for (uint32_t i = 0; i < base_bytes; i++) /* all empty */
			assert_true(bc_bit_is_set(ranks.used, i));
		bc_arena_free(&arena);
	}
}

/* Without a base, all may be kept: ranked as if each was a name. */
static void all_strings_are_kept(void **state)
{
	static const char strings[] = "\0b\0unused\0a\0b\0";
	const uint32_t offsets[] = { 1, 10 }, all_offsets[] = { 1, 3, 10, 12 };
	struct bc_kept_strings all = { .all = true };
	struct bc_arena arena = { 0 };
	struct bc_graph graph = graph_of(&arena, strings, sizeof(strings) - 1, offsets, 2);
	struct bc_graph naming = graph_of(&arena, strings, sizeof(strings) - 1, all_offsets, 4);
	struct bc_string_ranks ranks, wanted;
	struct bc_err err;

	(void)state;
	wanted = compute(&arena, &naming, BC_BASE_STRINGS_IN_ORDER);
	assert_true(bc_string_ranks_compute(&ranks, &graph, all, BC_BASE_STRINGS_IN_ORDER, NULL,
					    &arena, &err));
	assert_int_equal(ranks.distinct, 4); /* "", "a", "b", "unused" */
	assert_int_equal(ranks.distinct, wanted.distinct);
	assert_int_equal(ranks.used_count, 5);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(bc_string_rank(&ranks, all_offsets[i]),
				 bc_string_rank(&wanted, all_offsets[i]));
	bc_arena_free(&arena);
}

/* Marked and dealt by threads, each its slices of a section, as by one. */
static void threads_rank_alike(void **state)
{
	const uint32_t bytes = 300001;
	struct rng rng = law_round(0);
	struct bc_arena arena = { 0 };
	char *strings = build_alloc(&arena, bytes, 1);
	uint32_t *offsets = build_alloc(&arena, bytes, sizeof(*offsets)), count = 0;
	struct bc_workers workers = { .count = 3 };
	struct bc_string_ranks ranks, wanted;
	struct bc_graph graph;
	struct bc_err err;

	(void)state;
	for (uint32_t i = 1; i + 1 < bytes; i++)
		strings[i] = rng_percent(&rng, 10) ? '\0' : (char)('a' + rng_below(&rng, 4));
	for (uint32_t i = 0; i < bytes; i += (uint32_t)strlen(strings + i) + 1)
		offsets[count++] = i;
	graph = graph_of(&arena, strings, bytes, offsets, count);
	wanted = compute(&arena, &graph, BC_BASE_STRINGS_IN_ORDER);
	assert_int_equal(wanted.used_count, count);
	for (int all = 0; all < 2; all++) {
		assert_true(bc_string_ranks_compute(
			&ranks, &graph, (struct bc_kept_strings){ .all = all },
			BC_BASE_STRINGS_IN_ORDER, &workers, &arena, &err));
		assert_int_equal(ranks.used_count, count);
		assert_int_equal(ranks.distinct, wanted.distinct);
		assert_memory_equal(ranks.offset, wanted.offset,
				    wanted.distinct * sizeof(*wanted.offset));
		assert_memory_equal(ranks.rank, wanted.rank, count * sizeof(*wanted.rank));
	}
	bc_arena_free(&arena);
}

/* A long string of which every tail is a name would take its square. */
static void unfolding_is_bounded(void **state)
{
	const uint32_t length = 20000;
	struct bc_arena arena = { 0 };
	char *strings = build_alloc(&arena, length + 2, 1);
	uint32_t *offsets = build_alloc(&arena, length, sizeof(*offsets));
	struct bc_graph graph;
	struct bc_string_ranks ranks;
	struct bc_err err = { .text = "" };

	(void)state;
	memset(strings + 1, 'a', length);
	for (uint32_t i = 0; i < length; i++)
		offsets[i] = 1 + i;
	graph = graph_of(&arena, strings, length + 2, offsets, length);
	assert_false(bc_string_ranks_compute(&ranks, &graph, (struct bc_kept_strings){ 0 },
					     BC_BASE_STRINGS_IN_ORDER, NULL, &arena, &err));
	assert_string_not_equal(err.text, "");
	bc_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_sort_like_strcmp),
		cmocka_unit_test(base_strings_are_found),
		cmocka_unit_test(base_strings_need_no_order),
		cmocka_unit_test(base_strings_are_one_where_no_more_is_asked),
		cmocka_unit_test(whole_strings_are_found),
		cmocka_unit_test(all_strings_are_kept),
		cmocka_unit_test(threads_rank_alike),
		cmocka_unit_test(unfolding_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

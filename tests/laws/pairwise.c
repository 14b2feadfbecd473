/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Law: two types compared without all others stand to each other as in the
 * order of all. Where the first cannot say, it says so: only what tags tell
 * apart, and what is looked at too long, is left to the order of all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/order.h"
#include "sort/pairwise.h"
#include "tests/lib/law.h"
#include "tests/lib/random_graph.h"
#include "tests/lib/shuffle.h"

struct ordered {
	struct bc_string_ranks ranks;
	struct bc_universe universe;
	struct bc_partition partition;
	struct bc_pairwise pairwise;
};

static void put_in_order(struct ordered *ordered, const struct bc_graph *graph,
			 struct bc_arena *arena)
{
	struct bc_err err;

	ordered->universe = (struct bc_universe){ graph, 1, NULL, &ordered->ranks, NULL };
	assert_true(bc_string_ranks_compute(&ordered->ranks, graph, (struct bc_kept_strings){ 0 },
					    BC_BASE_STRINGS_IN_ORDER, NULL, arena, &err));
	assert_true(bc_partition_compute(&ordered->partition, &ordered->universe, arena, &err));
	assert_true(bc_pairwise_begin(&ordered->pairwise, &ordered->universe, arena, &err));
}

static uint32_t place_of(const struct ordered *ordered, uint32_t id)
{
	return ordered->partition.class_start[ordered->partition.class_of[id - 1]];
}

static bool has_type_tags(const struct build *build)
{
	for (uint32_t id = 1; id < build_id_end(build); id++)
		if (build_type(build, id)->kind == BC_DECL_TAG)
			return true;
	return false;
}

/* Others are told apart by what is said of them, too. */
static bool is_of_values(const struct bc_graph *graph, uint32_t id)
{
	uint32_t kind = bc_id_kind(graph, id);

	return kind != BC_FUNC && kind != BC_VAR && kind != BC_DATASEC && kind != BC_DECL_TAG;
}

/* Compares all pairs; the number of those that could not be told apart. */
static uint32_t compare_all(struct bc_arena *arena, struct build *build)
{
	struct bc_graph graph = law_read(arena, law_build(build, NULL), NULL);
	uint32_t unknown = 0;
	struct ordered ordered;

	put_in_order(&ordered, &graph, arena);
	for (uint32_t a = 1; a < bc_id_end(&graph); a++) {
		for (uint32_t b = 1; is_of_values(&graph, a) && b < bc_id_end(&graph); b++) {
			int wanted = bc_compare_u64(place_of(&ordered, a), place_of(&ordered, b));
			int order;

			if (!is_of_values(&graph, b))
				continue;
			ordered.pairwise.words_left = 10000;
			if (!bc_pairwise_compare(&ordered.pairwise, a, b, &order))
				unknown++;
			else if ((order > 0) - (order < 0) != wanted)
				law_fail("types %u and %u: %d, but %d among all", a, b, order,
					 wanted);
		}
	}
	return unknown;
}

static void pairs_are_ordered_as_among_all(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < law_rounds(400); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct build *build = random_graph(&arena, &rng, NULL, 2 + rng_below(&rng, 60));
		uint32_t unknown;

		build = shuffle_twins(&arena, &rng, build, 15, NULL);
		unknown = compare_all(&arena, build);
		if (unknown && !has_type_tags(build))
			law_fail("%u pairs without tags were not told apart", unknown);
		bc_arena_free(&arena);
	}
}

/* A chain of pointers that differ at their end only, too long to be followed. */
static void long_searches_give_up(void **state)
{
	struct bc_arena arena = { 0 };
	struct build *build = build_new(&arena, NULL);
	uint32_t ends[2] = { 0, build_int(build, "int", 4, 32) };
	struct bc_graph graph;
	struct ordered ordered;
	int order;

	(void)state;
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t k = 0; k < 20000; k++)
			ends[i] = build_ptr(build, ends[i]);
	graph = law_read(&arena, law_build(build, NULL), NULL);
	put_in_order(&ordered, &graph, &arena);
	assert_false(bc_pairwise_compare(&ordered.pairwise, ends[0], ends[1], &order));
	/* Pairs are gone with a search; words are not. */
	assert_true(bc_pairwise_compare(&ordered.pairwise, ends[0], 1, &order));
	assert_true(order > 0);
	ordered.pairwise.words_left = 2;
	assert_false(bc_pairwise_compare(&ordered.pairwise, ends[0], ends[1], &order));
	bc_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_ordered_as_among_all),
		cmocka_unit_test(long_searches_give_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Law: the naive model gives the same bytes, and the same new id for every
 * type, on samples and on random graphs, alone and on a base, in every order,
 * with forwards settled and without.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/lib/law.h"
#include "tests/lib/random_graph.h"
#include "tests/lib/samples.h"
#include "tests/lib/shuffle.h"

static void check_against_model(struct bc_arena *arena, struct law_bytes bytes,
				const struct build *base, const struct bc_graph *base_graph,
				const char *what)
{
	for (uint32_t k = 0; k < LAW_OPTION_COUNT; k++) {
		struct law_result result = law_canonical(arena, bytes, base_graph, &law_options[k]);
		struct naive naive;
		struct law_bytes wanted = law_naive(arena, bytes, base, &law_options[k], &naive);

		law_assert_same(wanted, result.bytes, what);
		for (uint32_t i = 0; i < result.in.type_count; i++)
			if (naive.new_id[i] != result.new_id[i])
				law_fail("%s: type %u became %u, not %u", what,
					 result.in.first_id + i, result.new_id[i], naive.new_id[i]);
	}
}

static void samples_are_as_the_model_says(void **state)
{
	(void)state;
	law_round(0);
	for (uint32_t i = 0; i < 2 * sample_count; i++) {
		const struct sample *sample = &samples[i / 2];
		struct bc_arena arena = { 0 };
		struct build *build = sample_make(sample, &arena, i % 2);
		struct bc_graph base_graph;

		if (build->base)
			base_graph = law_read(&arena, law_build((struct build *)build->base, NULL),
					      NULL);
		check_against_model(&arena, law_build(build, NULL), build->base,
				    build->base ? &base_graph : NULL, sample->name);
		bc_arena_free(&arena);
	}
}

static void random_graphs_are_as_the_model_says(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < law_rounds(3000); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct build *build = random_graph(&arena, &rng, NULL, 1 + rng_below(&rng, 24));
		struct law_bytes bytes;

		build->big_endian = rng_percent(&rng, 25);
		bytes.data = shuffle_all(&arena, &rng, build, rng_below(&rng, 60), &build,
					 &bytes.size_bytes);
		check_against_model(&arena, bytes, NULL, NULL, "random graph");
		bc_arena_free(&arena);
	}
}

/* Bases of one or two levels, with duplicates at times. */
static void random_split_graphs_are_as_the_model_says(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < law_rounds(3000); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct bc_graph graphs[2];
		struct build *base = NULL;
		uint32_t levels = 1 + rng_percent(&rng, 20);
		bool big_endian = rng_percent(&rng, 25);

		for (uint32_t level = 0; level <= levels; level++) {
			struct build *build = random_graph(&arena, &rng, base,
							   1 + rng_below(&rng, 12));
			struct law_bytes bytes;

			build->big_endian = big_endian;
			bytes.data = shuffle_all(&arena, &rng, build, rng_below(&rng, 50), &build,
						 &bytes.size_bytes);
			law_keep(bytes, level ? level > 1 ? "level2" : "level1" : "level0");
			if (level == levels)
				check_against_model(&arena, bytes, base, &graphs[level - 1],
						    "random split graph");
			else
				graphs[level] = law_read(&arena, bytes,
							 level ? &graphs[level - 1] : NULL);
			base = build;
		}
		bc_arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_as_the_model_says),
		cmocka_unit_test(random_graphs_are_as_the_model_says),
		cmocka_unit_test(random_split_graphs_are_as_the_model_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

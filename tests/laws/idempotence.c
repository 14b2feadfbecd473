/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Law: what is canonical stays as it is, byte by byte and id by id, in either
 * order; and sorting into one order after the other is as if there had been
 * only the last.
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

static void check_again(struct bc_arena *arena, struct law_bytes bytes, const struct bc_graph *base,
			const char *what)
{
	struct law_bytes once[LAW_OPTION_COUNT];

	for (uint32_t k = 0; k < LAW_OPTION_COUNT; k++) {
		struct bc_canonical_options with_strings = law_options[k];
		struct law_result twice;

		once[k] = law_canonical(arena, bytes, base, &law_options[k]).bytes;
		twice = law_canonical(arena, once[k], base, &law_options[k]);
		law_assert_same(once[k], twice.bytes, what);
		/* Each string is a name in it, as in what an encoder makes. */
		with_strings.kept.all = true;
		law_assert_same(once[k], law_canonical(arena, once[k], base, &with_strings).bytes,
				what);
		assert_int_equal(twice.stats.merged, 0);
		assert_int_equal(twice.stats.settled, 0);
		for (uint32_t i = 0; i < twice.in.type_count; i++)
			if (twice.new_id[i] != twice.in.first_id + i)
				law_fail("%s: type %u of a canonical graph became %u", what,
					 twice.in.first_id + i, twice.new_id[i]);
	}
	for (uint32_t k = 0; k < LAW_OPTION_COUNT; k++)
		law_assert_same(once[k],
				law_canonical(arena, once[k ^ 1], base, &law_options[k]).bytes,
				"one order after the other");
}

static void canonical_samples_stay(void **state)
{
	(void)state;
	law_round(0);
	for (uint32_t i = 0; i < sample_count; i++) {
		struct bc_arena arena = { 0 };
		struct build *build = sample_make(&samples[i], &arena, false);
		struct bc_graph base;

		if (build->base)
			base = law_read(&arena, law_build((struct build *)build->base, NULL), NULL);
		check_again(&arena, law_build(build, NULL), build->base ? &base : NULL,
			    samples[i].name);
		bc_arena_free(&arena);
	}
}

static void canonical_random_graphs_stay(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < law_rounds(2000); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct build *build = random_graph(&arena, &rng, NULL, 1 + rng_below(&rng, 60));
		struct law_bytes bytes;
		struct bc_graph base;

		bytes.data = shuffle_all(&arena, &rng, build, 20, &build, &bytes.size_bytes);
		check_again(&arena, bytes, NULL, "random graph");
		base = law_read(&arena, bytes, NULL);
		build = random_graph(&arena, &rng, build, 1 + rng_below(&rng, 30));
		bytes.data = shuffle_all(&arena, &rng, build, 20, &build, &bytes.size_bytes);
		check_again(&arena, bytes, &base, "random split graph");
		bc_arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(canonical_samples_stay),
		cmocka_unit_test(canonical_random_graphs_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Law: the same meaning gives the same bytes. All permutations of ids of small
 * graphs; random ones of random graphs, with duplicates, other strings, other
 * headers; and the other byte order gives the same with its bytes swapped.
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

/* 7! is 5,040. */
#define ALL_PERMUTATIONS_UP_TO 7
#define SHUFFLES_OF_LARGER 500

static void swap(uint32_t *order, uint32_t i, uint32_t j)
{
	uint32_t other = order[i];

	order[i] = order[j];
	order[j] = other;
}

/* The next order in the order of dictionaries; false after the last. */
static bool next_permutation(uint32_t *order, uint32_t count)
{
	uint32_t head = count - 1, tail = count - 1;

	while (head > 0 && order[head - 1] > order[head])
		head--;
	if (count < 2 || !head)
		return false;
	while (order[tail] < order[head - 1])
		tail--;
	swap(order, head - 1, tail);
	for (tail = count - 1; head < tail; head++, tail--)
		swap(order, head, tail);
	return true;
}

static struct bc_graph read_base(struct bc_arena *arena, const struct build *build)
{
	if (!build->base)
		return (struct bc_graph){ 0 };
	return law_read(arena, law_build((struct build *)build->base, NULL), NULL);
}

static void check_order(const struct build *build, const struct bc_graph *base,
			const uint32_t *order, const struct law_bytes wanted[LAW_OPTION_COUNT],
			const char *what)
{
	struct bc_arena arena = { 0 };
	struct law_bytes bytes = law_build(shuffle_ids(&arena, build, order), NULL);

	for (uint32_t k = 0; k < LAW_OPTION_COUNT; k++)
		law_assert_same(wanted[k],
				law_canonical(&arena, bytes, base, &law_options[k]).bytes, what);
	bc_arena_free(&arena);
}

static void check_all_orders(const struct sample *sample, struct rng *rng)
{
	struct bc_arena arena = { 0 };
	struct build *build = sample_make(sample, &arena, false);
	struct bc_graph base_graph = read_base(&arena, build);
	const struct bc_graph *base = build->base ? &base_graph : NULL;
	uint32_t *order = build_alloc(&arena, build->type_count, sizeof(*order));
	struct law_bytes bytes = law_build(build, NULL), wanted[LAW_OPTION_COUNT];

	for (uint32_t k = 0; k < LAW_OPTION_COUNT; k++)
		wanted[k] = law_canonical(&arena, bytes, base, &law_options[k]).bytes;
	for (uint32_t i = 0; i < build->type_count; i++)
		order[i] = i;
	if (build->type_count <= ALL_PERMUTATIONS_UP_TO)
		do
			check_order(build, base, order, wanted, sample->name);
		while (build->type_count && next_permutation(order, build->type_count));
	else
		for (uint32_t i = 0; i < SHUFFLES_OF_LARGER; i++)
			check_order(build, base,
				    shuffle_permutation(&arena, rng, build->type_count), wanted,
				    sample->name);
	bc_arena_free(&arena);
}

static void all_permutations_of_small_graphs(void **state)
{
	struct rng rng = law_round(0);

	(void)state;
	for (uint32_t i = 0; i < sample_count; i++)
		check_all_orders(&samples[i], &rng);
}

/* A graph, and on it, for half of them, a split one; both as good as their shuffles. */
static void shuffles_of_random_graphs(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < law_rounds(1500); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct build *build = random_graph(&arena, &rng, NULL, 1 + rng_below(&rng, 60));
		struct bc_graph base_graph;
		struct law_bytes bytes, wanted[LAW_OPTION_COUNT];

		if (rng_percent(&rng, 50)) {
			base_graph = law_read(&arena, law_build(build, NULL), NULL);
			build = random_graph(&arena, &rng, build, 1 + rng_below(&rng, 40));
		}
		for (uint32_t shuffle = 0; shuffle < 4; shuffle++) {
			struct build *shuffled;

			bytes.data = shuffle_all(&arena, &rng, build, 20 * shuffle, &shuffled,
						 &bytes.size_bytes);
			for (uint32_t k = 0; k < LAW_OPTION_COUNT; k++) {
				struct law_bytes got = law_canonical(&arena, bytes,
								     build->base ? &base_graph :
										   NULL,
								     &law_options[k])
							       .bytes;

				if (!shuffle)
					wanted[k] = got;
				law_assert_same(wanted[k], got, "shuffled graph");
			}
		}
		bc_arena_free(&arena);
	}
}

/* What a big-endian BTF says, written as little-endian. */
static struct law_bytes rewrite_little_endian(struct bc_arena *arena, struct law_bytes bytes)
{
	struct build *build = build_read(arena, bytes.data, bytes.size_bytes, NULL);

	build->big_endian = false;
	return law_build(build, NULL);
}

static void byte_order_is_kept_and_means_nothing(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < law_rounds(300); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct build *build = random_graph(&arena, &rng, NULL, 1 + rng_below(&rng, 30));
		struct law_bytes little = law_build(build, NULL), big;

		build->big_endian = true;
		big = law_build(build, NULL);
		for (uint32_t k = 0; k < LAW_OPTION_COUNT; k++) {
			struct law_bytes got =
				law_canonical(&arena, big, NULL, &law_options[k]).bytes;

			assert_int_equal(got.data[0], 0xeb);
			law_assert_same(law_canonical(&arena, little, NULL, &law_options[k]).bytes,
					rewrite_little_endian(&arena, got), "big-endian graph");
		}
		bc_arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_permutations_of_small_graphs),
		cmocka_unit_test(shuffles_of_random_graphs),
		cmocka_unit_test(byte_order_is_kept_and_means_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

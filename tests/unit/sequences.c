/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Items sorted by sequences of numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sort/sequences.h"
#include "tests/lib/law.h"

#define LENGTH_MAX 9
#define COUNT_MAX 400

static uint32_t value_of(const void *context, uint32_t item, uint32_t j)
{
	const uint32_t(*sequences)[LENGTH_MAX] = context;

	return sequences[item][j];
}

static int compare(const uint32_t (*sequences)[LENGTH_MAX], uint32_t a, uint32_t b, uint32_t length)
{
	for (uint32_t j = 0; j < length; j++)
		if (sequences[a][j] != sequences[b][j])
			return sequences[a][j] < sequences[b][j] ? -1 : 1;
	return 0;
}

static void sequences_sort_number_by_number(void **state)
{
	static uint32_t sequences[COUNT_MAX][LENGTH_MAX], items[COUNT_MAX];
	static uint8_t first[COUNT_MAX];

	(void)state;
	for (uint32_t round = 0; round < law_rounds(500); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct bc_sequence_sorter sorter;
		struct bc_err err;
		uint32_t count = 1 + rng_below(&rng, COUNT_MAX);
		uint32_t length = rng_below(&rng, LENGTH_MAX + 1);

		for (uint32_t i = 0; i < count; i++) {
			items[i] = count - 1 - i;
			for (uint32_t j = 0; j < length; j++)
				sequences[i][j] = rng_percent(&rng, 90) ?
							  7 :
							  UINT32_MAX - rng_below(&rng, 2);
		}
		assert_true(bc_sequence_sorter_make(&sorter, count, &arena, &err));
		bc_sort_sequences(&sorter, items, first, count, length, value_of, sequences);
		assert_int_equal(first[0], 1);
		for (uint32_t i = 1; i < count; i++) {
			int order = compare((const uint32_t(*)[LENGTH_MAX])sequences, items[i - 1],
					    items[i], length);

			if (order > 0 || first[i] != (order != 0))
				law_fail("item %u of %u: order %d, first %u", i, count, order,
					 first[i]);
		}
		bc_arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequences_sort_number_by_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

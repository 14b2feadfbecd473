/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "merge/number_map.h"

#define SIZE (4 * BC_NUMBER_BLOCK + 100)

/* Offsets from FIRST on, STEP apart, get numbers; all others have none. */
static void check(struct bc_number_map *map, uint32_t first, uint32_t step)
{
	uint32_t number = 0, wanted = 0;
	struct bc_err err;

	assert_true(bc_number_map_make(map, SIZE, &err));
	for (uint32_t offset = first; offset < SIZE; offset += step)
		bc_number_map_add(map, offset, ++number);
	for (uint32_t offset = 0; offset < SIZE; offset++) {
		bool has_number = offset >= first && (offset - first) % step == 0;

		wanted += has_number;
		assert_int_equal(bc_number_map_find(map, offset), has_number ? wanted : 0);
	}
	for (uint32_t offset = first; offset < SIZE; offset += step)
		bc_number_map_forget(map, offset);
}

static void numbers_are_found(void **state)
{
	struct bc_number_map map = { 0 };

	(void)state;
	check(&map, 11, 7);
	/* As many as there can be, and blocks without any. */
	check(&map, 0, 1);
	check(&map, 3 * BC_NUMBER_BLOCK - 1, 1);
	check(&map, 5, 2 * BC_NUMBER_BLOCK);
	bc_number_map_free(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(numbers_are_found) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "elf/layout.h"

/* Lays out PARTS, of which number 0 is the table. */
static bool lay_out(struct bc_elf_layout *layout, struct bc_elf_part *parts, size_t count,
		    uint64_t floor_bytes, uint64_t file_bytes)
{
	struct bc_arena arena = { 0 };
	struct bc_err err;
	bool done;

	*layout = (struct bc_elf_layout){
		.parts = parts, .count = count, .floor_bytes = floor_bytes, .file_bytes = file_bytes
	};
	done = bc_elf_lay_out(layout, &arena, &err);
	bc_arena_free(&arena);
	return done;
}

static void assert_places(const struct bc_elf_part *parts, size_t count, const uint64_t *places)
{
	for (size_t i = 0; i < count; i++)
		if (parts[i].new_offset != places[i])
			fail_msg("part %zu at %ju, not %ju", i, (uintmax_t)parts[i].new_offset,
				 (uintmax_t)places[i]);
}

static void nothing_moves(void **state)
{
	struct bc_elf_part parts[] = { { 300, 64, 64, 8, 0 },
				       { 64, 100, 100, 1, 0 },
				       { 200, 50, 50, 16, 0 } };
	struct bc_elf_layout layout;

	(void)state;
	assert_true(lay_out(&layout, parts, 3, 64, 400));
	assert_places(parts, 3, (uint64_t[]){ 300, 64, 200 });
	assert_int_equal(layout.kept_bytes, 400);
	assert_int_equal(layout.new_file_bytes, 400);
}

/* What lies before the first that changes stays, the rest follows it. */
static void the_rest_follows(void **state)
{
	struct bc_elf_part parts[] = { { 400, 64, 64, 8, 0 },
				       { 64, 10, 10, 1, 0 },
				       { 300, 50, 50, 16, 0 },
				       { 100, 200, 201, 4, 0 } };
	struct bc_elf_layout layout;

	(void)state;
	assert_true(lay_out(&layout, parts, 4, 64, 464));
	assert_places(parts, 4, (uint64_t[]){ 360, 64, 304, 100 });
	assert_int_equal(layout.kept_bytes, 100);
	assert_int_equal(layout.new_file_bytes, 424);
	parts[3].new_size_bytes = 1;
	assert_true(lay_out(&layout, parts, 4, 64, 464));
	assert_places(parts, 4, (uint64_t[]){ 168, 64, 112, 100 });
}

/* Below the floor nothing moves but what grows. */
static void the_floor_stays(void **state)
{
	struct bc_elf_part parts[] = { { 400, 64, 64, 8, 0 },
				       { 64, 10, 20, 1, 0 },
				       { 80, 10, 5, 1, 0 },
				       { 300, 50, 50, 16, 0 } };
	struct bc_elf_layout layout;

	(void)state;
	assert_true(lay_out(&layout, parts, 4, 300, 464));
	assert_places(parts, 4, (uint64_t[]){ 376, 350, 80, 300 });
	assert_int_equal(layout.kept_bytes, 350);
	assert_int_equal(layout.new_file_bytes, 440);
}

/* Where a segment ends inside a part, all of the part stays, and nothing is put on it. */
static void the_floor_is_in_a_part(void **state)
{
	struct bc_elf_part parts[] = { { 400, 64, 64, 8, 0 },
				       { 64, 10, 20, 1, 0 },
				       { 80, 200, 200, 1, 0 },
				       { 9000, 0, 0, 1, 0 } };
	struct bc_elf_layout layout;

	(void)state;
	assert_true(lay_out(&layout, parts, 4, 100, 464));
	assert_places(parts, 4, (uint64_t[]){ 304, 280, 80, 9000 });
}

static void new_parts_come_last(void **state)
{
	struct bc_elf_part parts[] = { { 128, 128, 192, 8, 0 },
				       { 64, 33, 33, 1, 0 },
				       { 0, 0, 100, 4, 0 } };
	struct bc_elf_layout layout;

	(void)state;
	assert_true(lay_out(&layout, parts, 3, 64, 256));
	assert_places(parts, 3, (uint64_t[]){ 200, 64, 100 });
	/* A table between the headers and the rest, as some write it. */
	parts[0] = (struct bc_elf_part){ 64, 128, 128, 8, 0 };
	parts[1] = (struct bc_elf_part){ 192, 33, 44, 1, 0 };
	parts[2] = (struct bc_elf_part){ 300, 10, 10, 1, 0 };
	assert_true(lay_out(&layout, parts, 3, 64, 310));
	assert_places(parts, 3, (uint64_t[]){ 64, 192, 236 });
	assert_int_equal(layout.new_file_bytes, 246);
}

/* Parts that share bytes each get their own when they are laid out anew. */
static void overlaps_are_parted(void **state)
{
	struct bc_elf_part parts[] = { { 400, 64, 64, 8, 0 },
				       { 100, 100, 100, 1, 0 },
				       { 150, 50, 60, 1, 0 },
				       { 160, 50, 50, 1, 0 } };
	struct bc_elf_layout layout;

	(void)state;
	assert_true(lay_out(&layout, parts, 4, 64, 464));
	assert_places(parts, 4, (uint64_t[]){ 312, 100, 200, 260 });
}

static void what_fits_no_file_is_an_error(void **state)
{
	struct bc_elf_part parts[] = { { 64, 64, 64, 8, 0 },
				       { 128, 10, 11, 1, 0 },
				       { 138, 10, 10, UINT64_C(1) << 63, 0 } };
	struct bc_elf_layout layout;

	(void)state;
	assert_false(lay_out(&layout, parts, 3, 64, 148));
	parts[2].align = UINT64_C(1) << 40;
	assert_true(lay_out(&layout, parts, 3, 64, 148));
	assert_int_equal(parts[2].new_offset, UINT64_C(1) << 40);
	parts[2].new_size_bytes = UINT64_MAX - 100;
	assert_false(lay_out(&layout, parts, 3, 64, 148));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_moves),
		cmocka_unit_test(the_rest_follows),
		cmocka_unit_test(the_floor_stays),
		cmocka_unit_test(the_floor_is_in_a_part),
		cmocka_unit_test(new_parts_come_last),
		cmocka_unit_test(overlaps_are_parted),
		cmocka_unit_test(what_fits_no_file_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

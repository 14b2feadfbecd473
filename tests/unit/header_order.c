/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The order of a header's items, and how an older header is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/build.h"
#include "tests/lib/rng.h"
#include "text/header_baseline.h"
#include "text/header_order.h"

enum { MAX_ITEMS = 64 };

/* Structs 1 to COUNT, item i being struct i + 1; who needs whom is up to the test. */
struct world {
	struct bc_arena arena;
	struct bc_items items;
	uint32_t type[MAX_ITEMS], first[MAX_ITEMS + 1], needs[MAX_ITEMS * MAX_ITEMS];
	uint8_t class[MAX_ITEMS];
	uint32_t lines[MAX_ITEMS], order[MAX_ITEMS];
	uint8_t has_composites[MAX_ITEMS + 1];
	struct bc_err err;
};

static void open_world(struct world *world, uint32_t count)
{
	*world = (struct world){ 0 };
	for (uint32_t i = 0; i < count; i++) {
		world->type[i] = i + 1;
		world->class[i] = BC_ITEM_COMPOSITE;
		world->lines[i] = 10;
		world->order[i] = i;
	}
	world->items = (struct bc_items){ .count = count,
					  .type = world->type,
					  .class = world->class,
					  .first = world->first,
					  .needs = world->needs };
}

static void order_items(struct world *world)
{
	assert_true(bc_items_order(world->order, &world->items, world->has_composites, world->lines,
				   &world->err));
}

/* Item ITEM needs NEED; items have to be said in turn. */
static void add_need(struct world *world, uint32_t item, uint32_t need)
{
	uint32_t at = world->first[item + 1];

	world->needs[at] = need;
	for (uint32_t i = item + 1; i <= world->items.count; i++)
		world->first[i] = at + 1;
}

static void check_order(const struct world *world, const uint32_t *wanted)
{
	for (uint32_t i = 0; i < world->items.count; i++)
		assert_int_equal(world->order[i], wanted[i]);
}

static void by_index_where_nothing_is_needed(void **state)
{
	static const uint32_t wanted[] = { 0, 1, 2, 3 };
	struct world world;

	(void)state;
	open_world(&world, 4);
	order_items(&world);
	check_order(&world, wanted);
}

static void the_smaller_one_gives_way(void **state)
{
	static const uint32_t user_first[] = { 3, 0, 1, 2 }, user_last[] = { 1, 2, 3, 0 };
	struct world world;

	(void)state;
	open_world(&world, 4);
	add_need(&world, 0, 3);
	world.lines[0] = 100;
	order_items(&world);
	check_order(&world, user_first);

	open_world(&world, 4);
	add_need(&world, 0, 3);
	world.lines[3] = 100;
	order_items(&world);
	check_order(&world, user_last);
}

static void a_few_lines_more_change_nothing(void **state)
{
	struct world world, grown;

	(void)state;
	open_world(&world, 4);
	add_need(&world, 0, 3);
	world.lines[0] = 100;
	world.lines[3] = 101;
	order_items(&world);
	open_world(&grown, 4);
	add_need(&grown, 0, 3);
	grown.lines[0] = 101;
	grown.lines[3] = 100;
	order_items(&grown);
	check_order(&grown, world.order);
}

/* Lines of what is needed early count 4/3, and twice if it needs something later. */
static void who_is_needed_weighs_more(void **state)
{
	static const uint32_t user_last[] = { 1, 2, 3, 0 }, user_first[] = { 3, 0, 1, 2 };
	static const uint32_t with_its_own[] = { 1, 3, 2, 0 }, both_early[] = { 3, 2, 0, 1 };
	struct world world;

	(void)state;
	for (int is_much = 0; is_much < 2; is_much++) {
		open_world(&world, 4);
		add_need(&world, 0, 3);
		world.lines[0] = is_much ? 160 : 120;
		world.lines[3] = 100;
		order_items(&world);
		check_order(&world, is_much ? user_first : user_last);

		open_world(&world, 4);
		add_need(&world, 0, 2);
		add_need(&world, 2, 3);
		world.lines[0] = is_much ? 240 : 160;
		world.lines[2] = 100;
		order_items(&world);
		check_order(&world, is_much ? both_early : with_its_own);
	}
}

/* Whatever needs what: nothing stands before what it needs, and nothing is lost. */
static void random_needs_are_met(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct rng rng = { seed };
		uint32_t rank[MAX_ITEMS], place[MAX_ITEMS], seen = 0;
		struct world world;

		open_world(&world, MAX_ITEMS);
		for (uint32_t i = 0; i < MAX_ITEMS; i++) {
			rank[i] = (uint32_t)(rng_next(&rng) % 1000) * MAX_ITEMS + i;
			world.lines[i] = 1 + (uint32_t)(rng_next(&rng) % 300);
			place[i] = UINT32_MAX;
		}
		for (uint32_t i = 0; i < MAX_ITEMS; i++)
			for (uint32_t j = 0; j < MAX_ITEMS; j++)
				if (rank[j] < rank[i] && rng_next(&rng) % 16 == 0)
					add_need(&world, i, j);
		order_items(&world);
		for (uint32_t i = 0; i < MAX_ITEMS; i++) {
			seen += place[world.order[i]] == UINT32_MAX;
			place[world.order[i]] = i;
		}
		assert_int_equal(seen, MAX_ITEMS);
		for (uint32_t i = 0; i < MAX_ITEMS; i++)
			for (uint32_t j = world.first[i]; j < world.first[i + 1]; j++)
				assert_true(place[world.needs[j]] < place[i]);
	}
}

static void an_older_header_is_read(void **state)
{
	static const char text[] =
		"#ifndef X\n#pragma clang attribute push(a, apply_to = record)\n"
		"struct declared;\n\nenum {\n\tFIRST = 0,\n\tSECOND = 1,\n};\n"
		"typedef int (*callback)(struct foo *);\n"
		"struct foo {\n\tunion {\n\t\tint a;\n\t};\n} __attribute__((packed));\n"
		"typedef struct {\n\tint counter;\n} atomic_t;\n"
		"typedef int rows[3];\n"
		"extern int kfunc(void) __weak __ksym;\n";
	/* The same definitions with other contents, in another order, and a new one. */
	static const char *const bodies[] = {
		"struct bar {\n\tint new;\n};\n",
		"struct foo {\n\tint b;\n};\n",
		"typedef struct {\n\tlong counter;\n} atomic_t;\n",
		"typedef void (*callback)(void);\n",
		"typedef long rows[4];\n",
		"enum {\n\tFIRST = 7,\n};\n",
	};
	static const uint32_t wanted[] = { 5, 3, 0, 1, 2, 4 };
	uint32_t index[6], lines[6] = { 1, 1, 1, 1, 1, 1 };
	struct bc_baseline baseline = { 0 };
	struct bc_span spans[6];
	char all[1024] = "";
	struct world world;

	(void)state;
	open_world(&world, 6);
	for (uint32_t i = 0; i < 6; i++) {
		spans[i] = (struct bc_span){ strlen(all), strlen(bodies[i]) };
		strcat(all, bodies[i]);
	}
	assert_true(bc_baseline_read(&baseline, text, sizeof(text) - 1, &world.arena, &world.err));
	assert_int_equal(baseline.count, 5);
	assert_true(
		bc_baseline_index(index, lines, &baseline, &world.items, all, spans, &world.err));
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(index[i], wanted[i]);
	assert_int_equal(lines[0], 0);
	assert_int_equal(lines[1], 1);
	bc_arena_free(&world.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_index_where_nothing_is_needed),
		cmocka_unit_test(the_smaller_one_gives_way),
		cmocka_unit_test(a_few_lines_more_change_nothing),
		cmocka_unit_test(who_is_needed_weighs_more),
		cmocka_unit_test(random_needs_are_met),
		cmocka_unit_test(an_older_header_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

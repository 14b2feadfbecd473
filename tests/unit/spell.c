/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* How types are spelled: as C where C can, each graph its own way where it cannot. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph/spell.h"
#include "tests/lib/dumped.h"

struct world {
	struct bc_arena arena;
	struct build *build;
	uint32_t int_id, char_id, foo_id; /* "int", "char", "struct foo" */
};

static int open_world(void **state)
{
	static struct world world;

	world = (struct world){ 0 };
	world.build = build_new(&world.arena, NULL);
	world.int_id = build_int(world.build, "int", 4, 1 << 24 | 32);
	world.char_id = build_int(world.build, "char", 1, 8);
	world.foo_id = build_sized(world.build, BC_STRUCT, "foo", 0);
	*state = &world;
	return 0;
}

static int close_world(void **state)
{
	struct world *world = *state;

	bc_arena_free(&world->arena);
	return 0;
}

static uint32_t ptr(struct world *world, uint32_t type)
{
	return build_ptr(world->build, type);
}

static uint32_t ref(struct world *world, uint32_t kind, uint32_t type)
{
	return build_ref(world->build, kind, "", type);
}

static uint32_t array(struct world *world, uint32_t type, uint32_t count)
{
	return build_array(world->build, type, world->int_id, count);
}

/* The spelling of TYPE in a graph of all that was built. */
static const char *spelled(struct world *world, uint32_t type)
{
	struct bc_graph graph = law_read(&world->arena, law_build(world->build, NULL), NULL);
	struct bc_text text;
	struct bc_spell spell = { 0 };
	struct bc_err err;
	char *kept;

	if (!bc_text_open(&text, NULL, UINT64_MAX, &err) ||
	    !bc_spell_open(&spell, &graph, &text, &world->arena, &err) ||
	    !bc_spell_begin(&spell, type) || !bc_spell_declaration(&spell, type, 0))
		law_fail("not spelled: %s", err.text);
	kept = build_alloc(&world->arena, text.used + 1, 1);
	memcpy(kept, text.bytes, text.used);
	bc_spell_close(&spell);
	bc_text_close(&text);
	return kept;
}

static void test_declarators(void **state)
{
	struct world *world = *state;
	uint32_t to_array = ptr(world, array(world, world->int_id, 3));
	uint32_t arrays = array(world, array(world, world->char_id, 4), 0);
	uint32_t function = build_proto(world->build, world->int_id);
	uint32_t getter = build_proto(world->build, ptr(world, function));
	uint32_t table = array(world, ptr(world, getter), 2);

	build_param(world->build, function, "name", ptr(world, world->char_id));
	build_param(world->build, function, "", world->foo_id);
	build_param(world->build, function, "", 0);
	assert_string_equal(spelled(world, ptr(world, ptr(world, 0))), "void **");
	assert_string_equal(spelled(world, to_array), "int (*)[3]");
	assert_string_equal(spelled(world, array(world, to_array, 5)), "int (*[5])[3]");
	assert_string_equal(spelled(world, arrays), "char [0][4]");
	assert_string_equal(spelled(world, function), "int (char *name, struct foo, ...)");
	assert_string_equal(spelled(world, table),
			    "int (*(*[2])(void))(char *name, struct foo, ...)");
}

static void test_modifiers_keep_their_order(void **state)
{
	struct world *world = *state;
	uint32_t base = ref(world, BC_CONST, ref(world, BC_VOLATILE, world->int_id));
	uint32_t pointer = ref(world, BC_RESTRICT, ref(world, BC_CONST, ptr(world, base)));

	assert_string_equal(spelled(world, base), "const volatile int");
	assert_string_equal(spelled(world, ref(world, BC_VOLATILE, ref(world, BC_CONST, 0))),
			    "volatile const void");
	assert_string_equal(spelled(world, pointer), "const volatile int *const restrict");
	assert_string_equal(spelled(world, ptr(world, pointer)),
			    "const volatile int *const restrict *");
}

static void test_type_tags(void **state)
{
	struct world *world = *state;
	uint32_t user = build_ref(world->build, BC_TYPE_TAG, "user", world->foo_id);
	uint32_t attribute = build_ref(world->build, BC_TYPE_TAG, "noderef", user);
	uint32_t inside = build_ref(world->build, BC_TYPE_TAG, "user",
				    ref(world, BC_CONST, world->foo_id));
	uint32_t outside = ref(world, BC_CONST, user);
	uint32_t on_pointer = build_ref(world->build, BC_TYPE_TAG, "a \"b\"", ptr(world, user));

	build_type(world->build, attribute)->kflag = true;
	assert_string_equal(spelled(world, ptr(world, user)), "struct foo type_tag(\"user\") *");
	assert_string_equal(spelled(world, ptr(world, attribute)),
			    "struct foo type_tag(\"user\") type_attr(\"noderef\") *");
	assert_string_equal(spelled(world, inside), "const struct foo type_tag(\"user\")");
	assert_string_equal(spelled(world, outside), "struct foo type_tag(\"user\") const");
	assert_string_equal(spelled(world, on_pointer),
			    "struct foo type_tag(\"user\") *type_tag(\"a \\\"b\\\"\")");
}

static void test_what_c_cannot_say(void **state)
{
	struct world *world = *state;
	uint32_t numbers = array(world, ref(world, BC_CONST, world->int_id), 3);
	uint32_t const_array = ref(world, BC_CONST, array(world, world->int_id, 3));
	uint32_t function = build_proto(world->build, 0);
	uint32_t noreturn = ptr(world, ref(world, BC_VOLATILE, function));
	uint32_t by_char = build_array(world->build, world->int_id, world->char_id, 3);
	uint32_t by_pointer = build_array(world->build, by_char, ptr(world, world->int_id), 4);
	uint32_t named = build_ref(world->build, BC_PTR, "p q", world->int_id);

	assert_string_equal(spelled(world, numbers), "const int [3]");
	assert_string_equal(spelled(world, const_array), "int [3] const");
	assert_string_equal(spelled(world, ptr(world, const_array)), "int (*)[3] const");
	assert_string_equal(spelled(world, noreturn), "void (*)(void) volatile");
	assert_string_equal(spelled(world, ref(world, BC_RESTRICT, world->int_id)), "restrict int");
	assert_string_equal(spelled(world, by_pointer), "int [4: int *][3: char]");
	assert_string_equal(spelled(world, ptr(world, named)), "int *[[name \"p q\"]] *");
}

static void test_names(void **state)
{
	static const struct {
		uint32_t kind;
		const char *name, *spelling;
	} cases[] = {
		{ BC_INT, "long unsigned int", "long unsigned int" },
		{ BC_INT, "__int128 unsigned", "__int128 unsigned" },
		{ BC_INT, "int bool", "\"int bool\"" },
		{ BC_INT, "long  int", "\"long  int\"" },
		{ BC_INT, "void", "\"void\"" },
		{ BC_INT, "const", "\"const\"" },
		{ BC_INT, "", "\"\"" },
		{ BC_INT, "u8___2", "\"u8___2\"" },
		{ BC_INT, "u8___1", "u8___1" },
		{ BC_INT, "u8___02", "u8___02" },
		{ BC_INT, "___2", "___2" },
		{ BC_INT, "2x", "\"2x\"" },
		{ BC_INT, "...", "\"...\"" },
		{ BC_FLOAT, "long double", "long double" },
		{ BC_STRUCT, "long", "struct \"long\"" },
		{ BC_STRUCT, "a.b$c", "struct a.b$c" },
		{ BC_STRUCT, "Option<&str>", "struct \"Option<&str>\"" },
		{ BC_UNION, "tab\there \\ \xc3\xa9", "union \"tab\\x09here \\\\ \\xc3\\xa9\"" },
		{ BC_ENUM64, "x", "enum x" },
	};
	struct world *world = *state;
	uint32_t ids[sizeof(cases) / sizeof(cases[0])];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ids[i] = build_sized(world->build, cases[i].kind, cases[i].name, 4);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(spelled(world, ids[i]), cases[i].spelling);
}

static void test_unnamed_in_place(void **state)
{
	struct world *world = *state;
	uint32_t inner = build_sized(world->build, BC_STRUCT, "", 4);
	uint32_t outer = build_sized(world->build, BC_UNION, "", 8);
	uint32_t colors = build_sized(world->build, BC_ENUM, "", 1);

	build_value(world->build, colors, "RED", 0);
	build_member(world->build, inner, "i", world->int_id, 0);
	build_member(world->build, outer, "", array(world, inner, 2), 0);
	build_member(world->build, outer, "c", ref(world, BC_CONST, colors), 0);
	assert_string_equal(spelled(world, ptr(world, outer)), "union {\n"
							       "\t0\tstruct {\n"
							       "\t\t0\tint i;\n"
							       "\t} size 4 [2];\n"
							       "\t0\tconst enum {\n"
							       "\t\tRED = 0,\n"
							       "\t} size 1 c;\n"
							       "} size 8 *");
}

static void test_unnamed_cycles(void **state)
{
	struct world *world = *state;
	struct build *build = world->build;
	uint32_t node = build_sized(build, BC_STRUCT, "", 8);
	uint32_t function = build_proto(build, 0);
	uint32_t pointer = ptr(world, 0), constant = ref(world, BC_CONST, pointer);

	build_member(build, node, "next", ptr(world, node), 0);
	build_param(build, function, "again", ptr(world, function));
	build_type(build, pointer)->type = constant;
	assert_string_equal(spelled(world, ptr(world, node)),
			    "struct @1 {\n\t0\tstruct @1 *next;\n} size 8 *");
	assert_string_equal(spelled(world, function), "void (@1 *again) [[@1]]");
	assert_string_equal(spelled(world, pointer), "const @1 *[[@1]]");
	assert_string_equal(spelled(world, constant), "@1 *const [[@1]]");
}

/* Small types are written again; of large ones the second is a label. */
static void test_large_types_once(void **state)
{
	struct world *world = *state;
	struct build *build = world->build;
	uint32_t both = build_sized(build, BC_STRUCT, "", 8);
	uint32_t large = build_sized(build, BC_ENUM, "", 4),
		 small = build_sized(build, BC_ENUM, "", 4);
	const char *text;

	build_value(build, small, "S", 0);
	for (uint32_t i = 0; i < 40; i++)
		build_value(build, large, build_format_text(&world->arena, "L%u", i), i);
	build_member(build, both, "a", small, 0);
	build_member(build, both, "b", small, 0);
	build_member(build, both, "c", large, 0);
	build_member(build, both, "d", ptr(world, large), 0);
	text = spelled(world, both);
	assert_non_null(strstr(text, "\t0\tenum {\n\t\tS = 0,\n\t} size 4 b;\n"));
	assert_non_null(strstr(text, "\t0\tenum @1 {\n\t\tL0 = 0,\n"));
	assert_non_null(strstr(text, "\t0\tenum @1 *d;\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_declarators, open_world, close_world),
		cmocka_unit_test_setup_teardown(test_modifiers_keep_their_order, open_world,
						close_world),
		cmocka_unit_test_setup_teardown(test_type_tags, open_world, close_world),
		cmocka_unit_test_setup_teardown(test_what_c_cannot_say, open_world, close_world),
		cmocka_unit_test_setup_teardown(test_names, open_world, close_world),
		cmocka_unit_test_setup_teardown(test_unnamed_in_place, open_world, close_world),
		cmocka_unit_test_setup_teardown(test_unnamed_cycles, open_world, close_world),
		cmocka_unit_test_setup_teardown(test_large_types_once, open_world, close_world),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

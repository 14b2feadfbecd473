/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * CO-RE relocations, of the kinds that the BPF object of the fixtures does not
 * have: types that match, candidates that disagree, elements of arrays,
 * records that make no sense.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare/core.h"
#include "tests/lib/law.h"

/* A kernel and an object, both made by a test, each in its own build. */
struct pair {
	struct bc_arena arena;
	struct build *kernel;
	struct build *object;
	struct bc_graph object_graph;
	struct bc_side side;
};

static void begin(struct pair *pair)
{
	*pair = (struct pair){ 0 };
	law_round(0);
	pair->kernel = build_new(&pair->arena, NULL);
	pair->object = build_new(&pair->arena, NULL);
}

/* From here on both are graphs; the object's ids are those of its build. */
static void settle(struct pair *pair)
{
	struct bc_graph *kernel = build_alloc(&pair->arena, 1, sizeof(*kernel));
	struct bc_err err;

	*kernel = law_canonical(&pair->arena, law_build(pair->kernel, NULL), NULL, &law_options[0])
			  .out;
	pair->object_graph = law_read(&pair->arena, law_build(pair->object, NULL), NULL);
	assert_true(bc_side_make(&pair->side, kernel, &pair->arena, &err));
}

static void assert_result(struct pair *pair, uint32_t kind, uint32_t type_id, const char *access,
			  enum bc_core_state state, uint64_t value)
{
	struct bc_relocation relocation = { .kind = kind, .type_id = type_id, .access = access };
	uint64_t steps = 0;
	struct bc_core_result result = bc_core_resolve(&pair->object_graph, &relocation,
						       &pair->side, &steps);

	assert_int_equal(result.state, state);
	if (state == BC_CORE_FOUND)
		assert_int_equal(result.value, value);
}

static void flavours_are_cut_off(void **state)
{
	(void)state;
	assert_int_equal(bc_core_name_length("task_struct___old"), 11);
	assert_int_equal(bc_core_name_length("a___b___c"), 5);
	assert_int_equal(bc_core_name_length("plain"), 5);
	assert_int_equal(bc_core_name_length("___x"), 4);
	assert_int_equal(bc_core_name_length("x___"), 4);
	assert_int_equal(bc_core_name_length("x____y"), 6);
}

static void several_definitions_must_agree(void **state)
{
	struct pair pair;
	uint32_t local, member;

	(void)state;
	begin(&pair);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t integer = build_int(pair.kernel, i ? "int" : "long", 4 + 4 * i, 0);
		uint32_t twin = build_sized(pair.kernel, BC_STRUCT, "twin", 64);

		build_member(pair.kernel, twin, "same", integer, 64);
		build_member(pair.kernel, twin, "other", integer, 128 + 64 * i);
		build_member(pair.kernel, twin, i ? "here" : "there", integer, 256);
	}
	member = build_int(pair.object, "int", 4, 0);
	local = build_sized(pair.object, BC_STRUCT, "twin___mine", 12);
	build_member(pair.object, local, "same", member, 0);
	build_member(pair.object, local, "other", member, 32);
	build_member(pair.object, local, "here", member, 64);
	settle(&pair);
	assert_result(&pair, BC_CORE_FIELD_OFFSET, local, "0:0", BC_CORE_FOUND, 8);
	assert_result(&pair, BC_CORE_FIELD_OFFSET, local, "0:1", BC_CORE_AMBIGUOUS, 0);
	assert_result(&pair, BC_CORE_FIELD_OFFSET, local, "0:2", BC_CORE_FOUND, 32);
	assert_result(&pair, BC_CORE_FIELD_SIZE, local, "0:2", BC_CORE_FOUND, 8);
	bc_arena_free(&pair.arena);
}

static void elements_are_walked(void **state)
{
	struct pair pair;
	uint32_t integer, array, kernel_struct, local;

	(void)state;
	begin(&pair);
	integer = build_int(pair.kernel, "int", 4, 0);
	array = build_array(pair.kernel, integer, integer, 4);
	kernel_struct = build_sized(pair.kernel, BC_STRUCT, "s", 24);
	build_member(pair.kernel, kernel_struct, "head", integer, 0);
	build_member(pair.kernel, kernel_struct, "items", array, 64);
	integer = build_int(pair.object, "int", 4, 0);
	array = build_array(pair.object, integer, integer, 8);
	local = build_sized(pair.object, BC_STRUCT, "s", 32);
	build_member(pair.object, local, "items", array, 0);
	settle(&pair);
	assert_result(&pair, BC_CORE_FIELD_OFFSET, local, "0:0:3", BC_CORE_FOUND, 8 + 3 * 4);
	assert_result(&pair, BC_CORE_FIELD_OFFSET, local, "0:0:5", BC_CORE_MISSING, 0);
	assert_result(&pair, BC_CORE_FIELD_OFFSET, local, "1:0:0", BC_CORE_FOUND, 24 + 8);
	assert_result(&pair, BC_CORE_FIELD_SIZE, local, "0:0", BC_CORE_FOUND, 16);
	bc_arena_free(&pair.arena);
}

static void types_match_by_what_they_have(void **state)
{
	struct pair pair;
	uint32_t integer, kernel_struct, good, wrong, unsigned_integer;

	(void)state;
	begin(&pair);
	integer = build_int(pair.kernel, "int", 4, 1u << 24 | 32);
	kernel_struct = build_sized(pair.kernel, BC_STRUCT, "s", 8);
	build_member(pair.kernel, kernel_struct, "a", integer, 0);
	build_member(pair.kernel, kernel_struct, "b", integer, 32);
	integer = build_int(pair.object, "int", 4, 1u << 24 | 32);
	unsigned_integer = build_int(pair.object, "int", 4, 32);
	good = build_sized(pair.object, BC_STRUCT, "s___good", 4);
	build_member(pair.object, good, "b", integer, 0);
	wrong = build_sized(pair.object, BC_STRUCT, "s___wrong", 4);
	build_member(pair.object, wrong, "b", unsigned_integer, 0);
	settle(&pair);
	assert_result(&pair, BC_CORE_TYPE_MATCHES, good, "0", BC_CORE_FOUND, 1);
	assert_result(&pair, BC_CORE_TYPE_MATCHES, wrong, "0", BC_CORE_MISSING, 0);
	assert_result(&pair, BC_CORE_TYPE_EXISTS, wrong, "0", BC_CORE_FOUND, 1);
	assert_result(&pair, BC_CORE_TYPE_SIZE, wrong, "0", BC_CORE_FOUND, 8);
	bc_arena_free(&pair.arena);
}

static const char *numbered(struct build *build, const char *letter, uint32_t number)
{
	char *name = build_alloc(build->arena, 16, 1);

	snprintf(name, 16, "%s%u", letter, number);
	return name;
}

/* MEMBERS of an enum of 500 values, in another order on each side: each takes 125,250 looks. */
static uint32_t make_enums(struct build *build, uint32_t members, bool backwards)
{
	uint32_t values = build_sized(build, BC_ENUM, "values", 4), type;

	for (uint32_t i = 0; i < 500; i++)
		build_value(build, values, numbered(build, "V", backwards ? 499 - i : i), i);
	type = build_sized(build, BC_STRUCT, "enums", 4 * members);
	for (uint32_t i = 0; i < members; i++)
		build_member(build, type, numbered(build, "m", i), values, 32 * i);
	return type;
}

/* What takes too long is neither found nor missing, whatever it is that takes long. */
static void long_looks_end(void **state)
{
	(void)state;
	for (uint32_t members = 7; members < 10; members += 2) {
		struct pair pair;
		uint32_t local;

		begin(&pair);
		make_enums(pair.kernel, members, true);
		local = make_enums(pair.object, members, false);
		settle(&pair);
		assert_result(&pair, BC_CORE_TYPE_MATCHES, local, "0",
			      members == 7 ? BC_CORE_FOUND : BC_CORE_BAD, 1);
		bc_arena_free(&pair.arena);
	}
}

static void bad_records_are_told(void **state)
{
	static const char *const accesses[] = { "", "x", "0:", ":0", "0:9", "0:0:0", "0 0", "-1" };
	struct pair pair;
	uint32_t integer, local;

	(void)state;
	begin(&pair);
	build_int(pair.kernel, "int", 4, 0);
	integer = build_int(pair.object, "int", 4, 0);
	local = build_sized(pair.object, BC_STRUCT, "s", 4);
	build_member(pair.object, local, "a", integer, 0);
	settle(&pair);
	for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++)
		assert_result(&pair, BC_CORE_FIELD_OFFSET, local, accesses[i], BC_CORE_BAD, 0);
	assert_result(&pair, BC_CORE_FIELD_OFFSET, local, "0:0", BC_CORE_MISSING, 0);
	assert_result(&pair, BC_CORE_KIND_COUNT, local, "0:0", BC_CORE_BAD, 0);
	assert_result(&pair, BC_CORE_ENUM_VALUE, local, "0", BC_CORE_BAD, 0);
	assert_result(&pair, BC_CORE_TYPE_EXISTS, local, "0:0", BC_CORE_BAD, 0);
	bc_arena_free(&pair.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flavours_are_cut_off),
		cmocka_unit_test(several_definitions_must_agree),
		cmocka_unit_test(elements_are_walked),
		cmocka_unit_test(types_match_by_what_they_have),
		cmocka_unit_test(long_looks_end),
		cmocka_unit_test(bad_records_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

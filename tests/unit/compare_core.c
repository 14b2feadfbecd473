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

/* ---- members of many kinds ---- */

enum { SIGNED = 1u << 24 };

static uint32_t make_enum(struct build *build, uint32_t kind, const char *name, const char *values)
{
	uint32_t id = build_sized(build, kind, name, kind == BC_ENUM64 ? 8 : 4);

	for (uint32_t i = 0; values[i]; i++)
		build_value(build, id, build_format_text(build->arena, "%c", values[i]), i);
	return id;
}

static uint32_t make_proto(struct build *build, uint32_t result, uint32_t first, uint32_t second)
{
	uint32_t id = build_proto(build, result);

	build_param(build, id, "", first);
	if (second)
		build_param(build, id, "", second);
	return id;
}

static uint32_t make_tag(struct build *build, uint32_t kind, const char *name)
{
	return kind == BC_FWD ? build_fwd(build, name, false) : build_sized(build, kind, name, 0);
}

/* A struct of an object that has one member only, and whether it matches the kernel's. */
static void assert_match(struct pair *pair, uint32_t local, bool matches)
{
	assert_result(pair, BC_CORE_TYPE_MATCHES, local, "0",
		      matches ? BC_CORE_FOUND : BC_CORE_MISSING, 1);
}

static uint32_t make_holder(struct build *build, const char *member, uint32_t type)
{
	uint32_t id = build_sized(build, BC_STRUCT, "holder", 8);

	build_member(build, id, member, type, 0);
	return id;
}

static void make_many_members(struct build *build)
{
	uint32_t integer = build_int(build, "int", 4, SIGNED | 32);
	uint32_t pointer = build_ptr(build, build_sized(build, BC_STRUCT, "body", 4));
	uint32_t holder = build_sized(build, BC_STRUCT, "holder", 64);

	build_member(build, holder, "values", make_enum(build, BC_ENUM, "values", "ABC"), 0);
	build_member(build, holder, "body", pointer, 64);
	build_member(build, holder, "gone", build_ptr(build, build_fwd(build, "gone", false)), 128);
	build_member(build, holder, "items", build_array(build, integer, integer, 4), 192);
	build_member(build, holder, "call",
		     build_ptr(build, make_proto(build, integer, integer, pointer)), 320);
	build_member(build, holder, "any", build_ptr(build, 0), 384);
	build_member(build, holder, "real", build_float(build, "double", 8), 448);
}

static void enums_match_by_names(void **state)
{
	struct pair pair;
	uint32_t good, wide, other, longer, number;

	(void)state;
	begin(&pair);
	make_many_members(pair.kernel);
	good = make_holder(pair.object, "values", make_enum(pair.object, BC_ENUM, "values", "CA"));
	wide = make_holder(pair.object, "values", make_enum(pair.object, BC_ENUM64, "values", "B"));
	other = make_holder(pair.object, "values", make_enum(pair.object, BC_ENUM, "values", "AX"));
	longer = make_holder(pair.object, "values",
			     make_enum(pair.object, BC_ENUM, "values", "ABCA"));
	number = make_holder(pair.object, "values", build_int(pair.object, "values", 4, 32));
	settle(&pair);
	assert_match(&pair, good, true);
	assert_match(&pair, wide, true);
	assert_match(&pair, other, false);
	assert_match(&pair, longer, false);
	assert_match(&pair, number, false);
	bc_arena_free(&pair.arena);
}

/* Behind a pointer a tag is its name, and whether it is a struct or a union. */
static void pointers_match_by_tags(void **state)
{
	static const uint32_t kinds[] = { BC_STRUCT, BC_FWD, BC_UNION };
	static const char *const names[] = { "body", "gone" };
	struct pair pair;
	uint32_t local[2][4], any, other;

	(void)state;
	begin(&pair);
	make_many_members(pair.kernel);
	for (uint32_t i = 0; i < 2; i++) {
		for (uint32_t k = 0; k < 3; k++)
			local[i][k] = make_holder(
				pair.object, names[i],
				build_ptr(pair.object, make_tag(pair.object, kinds[k], names[i])));
		local[i][3] = make_holder(pair.object, names[i],
					  build_ptr(pair.object,
						    build_fwd(pair.object, names[i], true)));
	}
	any = make_holder(pair.object, "any", build_ptr(pair.object, 0));
	other = make_holder(pair.object, "any", build_ptr(pair.object, build_ptr(pair.object, 0)));
	settle(&pair);
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t k = 0; k < 4; k++)
			assert_match(&pair, local[i][k], k < 2);
	assert_match(&pair, any, true);
	assert_match(&pair, other, false);
	bc_arena_free(&pair.arena);
}

static void arrays_and_prototypes_match(void **state)
{
	struct pair pair;
	struct build *object;
	uint32_t integer, number, pointer, items[3], calls[4], real;

	(void)state;
	begin(&pair);
	object = pair.object;
	make_many_members(pair.kernel);
	integer = build_int(object, "int", 4, SIGNED | 32);
	number = build_int(object, "int", 4, 32);
	pointer = build_ptr(object, build_sized(object, BC_STRUCT, "body", 0));
	items[0] = build_array(object, integer, integer, 4);
	items[1] = build_array(object, integer, integer, 5);
	items[2] = build_array(object, number, integer, 4);
	calls[0] = build_ptr(object, make_proto(object, integer, integer, pointer));
	calls[1] = build_ptr(object, make_proto(object, integer, integer, 0));
	calls[2] = build_ptr(object, make_proto(object, integer, number, pointer));
	calls[3] = build_ptr(object, make_proto(object, pointer, integer, pointer));
	for (uint32_t i = 0; i < 3; i++)
		items[i] = make_holder(object, "items", items[i]);
	for (uint32_t i = 0; i < 4; i++)
		calls[i] = make_holder(object, "call", calls[i]);
	/* libbpf knows no floats here. */
	real = make_holder(object, "real", build_float(object, "double", 8));
	settle(&pair);
	for (uint32_t i = 0; i < 3; i++)
		assert_match(&pair, items[i], i == 0);
	for (uint32_t i = 0; i < 4; i++)
		assert_match(&pair, calls[i], i == 0);
	assert_match(&pair, real, false);
	bc_arena_free(&pair.arena);
}

/* A type exists where one of its shape does, whatever sizes and names inside. */
static void types_exist_by_shape(void **state)
{
	struct pair pair;
	uint32_t integer, longer, pointers, real;

	(void)state;
	begin(&pair);
	integer = build_int(pair.kernel, "int", 4, 0);
	build_ref(pair.kernel, BC_TYPEDEF, "list", build_array(pair.kernel, integer, integer, 4));
	build_ref(pair.kernel, BC_TYPEDEF, "real", build_float(pair.kernel, "double", 8));
	integer = build_int(pair.object, "long", 8, 0);
	longer = build_ref(pair.object, BC_TYPEDEF, "list",
			   build_array(pair.object, integer, integer, 9));
	pointers = build_ref(pair.object, BC_TYPEDEF, "list",
			     build_array(pair.object, build_ptr(pair.object, 0), integer, 4));
	real = build_ref(pair.object, BC_TYPEDEF, "real", build_float(pair.object, "double", 8));
	settle(&pair);
	assert_result(&pair, BC_CORE_TYPE_EXISTS, longer, "0", BC_CORE_FOUND, 1);
	assert_result(&pair, BC_CORE_TYPE_EXISTS, pointers, "0", BC_CORE_MISSING, 0);
	assert_result(&pair, BC_CORE_TYPE_EXISTS, real, "0", BC_CORE_MISSING, 0);
	bc_arena_free(&pair.arena);
}

/* ---- fields ---- */

static void fields_are_found_by_kind(void **state)
{
	struct pair pair;
	uint32_t same, unnamed, other;

	(void)state;
	begin(&pair);
	make_many_members(pair.kernel);
	same = make_holder(pair.object, "values",
			   make_enum(pair.object, BC_ENUM, "values___x", "Z"));
	unnamed = make_holder(pair.object, "values", make_enum(pair.object, BC_ENUM, "", "Z"));
	other = make_holder(pair.object, "values", make_enum(pair.object, BC_ENUM, "others", "A"));
	settle(&pair);
	assert_result(&pair, BC_CORE_FIELD_EXISTS, same, "0:0", BC_CORE_FOUND, 1);
	assert_result(&pair, BC_CORE_FIELD_EXISTS, unnamed, "0:0", BC_CORE_FOUND, 1);
	assert_result(&pair, BC_CORE_FIELD_EXISTS, other, "0:0", BC_CORE_MISSING, 0);
	bc_arena_free(&pair.arena);
}

static uint32_t make_flexible(struct build *build, uint32_t integer, bool at_end)
{
	uint32_t id = build_sized(build, BC_STRUCT, at_end ? "open" : "closed", 4);

	if (at_end)
		build_member(build, id, "count", integer, 0);
	build_member(build, id, "items", build_array(build, integer, integer, 0), at_end ? 32 : 0);
	if (!at_end)
		build_member(build, id, "count", integer, 0);
	return id;
}

static void the_last_array_may_be_open(void **state)
{
	struct pair pair;
	uint32_t open, closed, integer;

	(void)state;
	begin(&pair);
	integer = build_int(pair.kernel, "int", 4, 0);
	make_flexible(pair.kernel, integer, true);
	make_flexible(pair.kernel, integer, false);
	integer = build_int(pair.object, "int", 4, 0);
	open = make_flexible(pair.object, integer, true);
	closed = make_flexible(pair.object, integer, false);
	settle(&pair);
	assert_result(&pair, BC_CORE_FIELD_OFFSET, open, "0:1:5", BC_CORE_FOUND, 4 + 5 * 4);
	assert_result(&pair, BC_CORE_FIELD_OFFSET, closed, "0:0:5", BC_CORE_BAD, 0);
	bc_arena_free(&pair.arena);
}

static uint32_t make_bitfields(struct build *build)
{
	uint32_t integer = build_int(build, "int", 4, SIGNED | 32);
	uint32_t longer = build_int(build, "long", 8, 64);
	uint32_t values = make_enum(build, BC_ENUM, "values", "A");
	uint32_t id = build_sized(build, BC_STRUCT, "bits", 24);

	build_type(build, values)->kflag = true;
	build_type(build, id)->kflag = true;
	build_member(build, id, "within", integer, 3u << 24 | 4);
	build_member(build, id, "across", integer, 20u << 24 | 20);
	build_member(build, id, "too_far", longer, 40u << 24 | 100);
	build_member(build, id, "signed", values, 160);
	return id;
}

/* A bitfield is loaded by the smallest aligned load around it, of 8 bytes at most. */
static void bitfields_have_loads(void **state)
{
	(void)state;
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		struct pair pair;
		uint32_t local;

		begin(&pair);
		pair.kernel->big_endian = pair.object->big_endian = big_endian;
		make_bitfields(pair.kernel);
		local = make_bitfields(pair.object);
		settle(&pair);
		assert_result(&pair, BC_CORE_FIELD_SIZE, local, "0:0", BC_CORE_FOUND, 4);
		assert_result(&pair, BC_CORE_FIELD_LSHIFT, local, "0:0", BC_CORE_FOUND,
			      big_endian ? 32 + 4 : 64 - 4 - 3);
		assert_result(&pair, BC_CORE_FIELD_RSHIFT, local, "0:0", BC_CORE_FOUND, 64 - 3);
		assert_result(&pair, BC_CORE_FIELD_SIZE, local, "0:1", BC_CORE_FOUND, 8);
		assert_result(&pair, BC_CORE_FIELD_OFFSET, local, "0:1", BC_CORE_FOUND, 0);
		assert_result(&pair, BC_CORE_FIELD_SIZE, local, "0:2", BC_CORE_BAD, 0);
		assert_result(&pair, BC_CORE_FIELD_SIGNED, local, "0:0", BC_CORE_FOUND, 1);
		assert_result(&pair, BC_CORE_FIELD_SIGNED, local, "0:2", BC_CORE_BAD, 0);
		assert_result(&pair, BC_CORE_FIELD_SIGNED, local, "0:3", BC_CORE_FOUND, 1);
		bc_arena_free(&pair.arena);
	}
}

static void bad_records_are_told(void **state)
{
	static const char *const accesses[] = { "", "x", "0:", ":0", "0:9", "0:0:0", "0 0", "-1" };
	struct pair pair;
	uint32_t integer, local, unnamed;

	(void)state;
	begin(&pair);
	build_int(pair.kernel, "int", 4, 0);
	integer = build_int(pair.object, "int", 4, 0);
	local = build_sized(pair.object, BC_STRUCT, "s", 4);
	build_member(pair.object, local, "a", integer, 0);
	unnamed = build_sized(pair.object, BC_STRUCT, "", 4);
	settle(&pair);
	for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++)
		assert_result(&pair, BC_CORE_FIELD_OFFSET, local, accesses[i], BC_CORE_BAD, 0);
	assert_result(&pair, BC_CORE_FIELD_OFFSET, local, "0:0", BC_CORE_MISSING, 0);
	assert_result(&pair, BC_CORE_KIND_COUNT, local, "0:0", BC_CORE_BAD, 0);
	assert_result(&pair, BC_CORE_ENUM_VALUE, local, "0", BC_CORE_BAD, 0);
	assert_result(&pair, BC_CORE_TYPE_EXISTS, local, "0:0", BC_CORE_BAD, 0);
	assert_result(&pair, BC_CORE_TYPE_EXISTS, unnamed, "0", BC_CORE_BAD, 0);
	/* The object's own id is no question to a kernel. */
	assert_result(&pair, BC_CORE_TYPE_ID_LOCAL, unnamed, "0", BC_CORE_FOUND, 1);
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
		cmocka_unit_test(enums_match_by_names),
		cmocka_unit_test(pointers_match_by_tags),
		cmocka_unit_test(arrays_and_prototypes_match),
		cmocka_unit_test(types_exist_by_shape),
		cmocka_unit_test(fields_are_found_by_kind),
		cmocka_unit_test(the_last_array_may_be_open),
		cmocka_unit_test(bitfields_have_loads),
		cmocka_unit_test(bad_records_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The text form: each kind's block, the order of blocks, numbers of repeated
 * names, and its laws. Different graphs have different full forms, orders of
 * ids show nowhere, a change of one type stays in its block, and nothing takes
 * longer than the text is long.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "btf/read.h"
#include "text/dump.h"
#include "tests/lib/dumped.h"
#include "tests/lib/random_graph.h"
#include "tests/lib/shuffle.h"

static const char *const odd_names[] = {
	"int", "const", "a___2", "a___3", "b___2", "a b", "\"", "...", "long int", "@1", "size", "",
};
#define ODD_NAME_COUNT ((uint32_t)(sizeof(odd_names) / sizeof(odd_names[0])))

static int open_arena(void **state)
{
	static struct bc_arena arena;

	*state = &arena;
	return 0;
}

static int close_arena(void **state)
{
	bc_arena_free(*state);
	return 0;
}

/* ---- blocks ---- */

static void test_integers(void **state)
{
	struct bc_arena *arena = *state;
	struct build *build = build_new(arena, NULL);

	build_int(build, "_Bool", 1, 4 << 24 | 8);
	build_int(build, "char", 1, 3 << 24 | 8);
	build_int(build, "long unsigned int", 8, 64);
	build_int(build, "odd", 4, 8u << 24 | 3 << 16 | 5);
	build_float(build, "double", 8);
	assert_string_equal(dumped(arena, build, false),
			    "integer _Bool size 1 bool;\n"
			    "integer char size 1 signed char;\n"
			    "float double size 8;\n"
			    "integer long unsigned int size 8;\n"
			    "integer odd size 4 encoding8 bits 5 offset 3;\n");
}

static void test_enums(void **state)
{
	struct bc_arena *arena = *state;
	struct build *build = build_new(arena, NULL);
	uint32_t plain = build_sized(build, BC_ENUM, "plain", 4);
	uint32_t negative = build_sized(build, BC_ENUM, "negative", 1);
	uint32_t sign = build_sized(build, BC_ENUM, "sign", 4);
	uint32_t wide = build_sized(build, BC_ENUM64, "wide", 8);
	uint32_t minus = build_sized(build, BC_ENUM64, "minus", 8);
	uint32_t unnamed = build_sized(build, BC_ENUM, "", 4);

	build_value(build, plain, "Z", 1);
	build_value(build, plain, "A", UINT32_MAX);
	build_value(build, negative, "N", UINT32_MAX);
	build_type(build, negative)->kflag = true;
	build_value(build, sign, "S", 1);
	build_type(build, sign)->kflag = true;
	build_value(build, wide, "W", UINT64_MAX);
	build_value(build, minus, "M", UINT64_MAX);
	build_type(build, minus)->kflag = true;
	build_value(build, unnamed, "union", 0);
	build_sized(build, BC_ENUM, "empty", 2);
	assert_string_equal(dumped(arena, build, false), "enum {\n"
							 "\t\"union\" = 0,\n"
							 "} size 4; // \"union\"\n"
							 "enum empty {\n"
							 "} size 2; // empty\n"
							 "enum64 minus {\n"
							 "\tM = -1,\n"
							 "} size 8; // minus\n"
							 "enum negative {\n"
							 "\tN = -1,\n"
							 "} size 1; // negative\n"
							 "enum plain {\n"
							 "\tZ = 1,\n"
							 "\tA = 4294967295,\n"
							 "} size 4; // plain\n"
							 "enum sign {\n"
							 "\tS = 1,\n"
							 "} size 4 [[signed]]; // sign\n"
							 "enum64 wide {\n"
							 "\tW = 18446744073709551615,\n"
							 "} size 8; // wide\n");
}

static void test_composites(void **state)
{
	struct bc_arena *arena = *state;
	struct build *build = build_new(arena, NULL);
	uint32_t integer = build_int(build, "int", 4, 32);
	uint32_t node = build_sized(build, BC_STRUCT, "node", 24);
	uint32_t both = build_sized(build, BC_UNION, "", 8);
	uint32_t empty = build_sized(build, BC_STRUCT, "empty", 0);
	uint32_t bits = build_sized(build, BC_STRUCT, "bits", 8);
	uint32_t flagged = build_sized(build, BC_STRUCT, "flagged", 4);

	build_member(build, node, "next", build_ptr(build, node), 0);
	build_member(build, node, "", both, 64);
	build_member(build, node, "size", integer, 128);
	build_member(build, both, "i", integer, 0);
	build_member(build, both, "p", build_ptr(build, build_fwd(build, "gone", true)), 0);
	build_type(build, bits)->kflag = true;
	build_member(build, bits, "a", integer, 3 << 24 | 0);
	build_member(build, bits, "", integer, 5 << 24 | 3);
	build_member(build, bits, "b", integer, 32);
	build_type(build, flagged)->kflag = true;
	build_member(build, flagged, "int", integer, 0);
	build_decl_tag(build, "t", flagged, -1);
	build_decl_tag(build, "u", flagged, 0);
	build_type(build, build_decl_tag(build, "v", flagged, 0))->kflag = true;
	build_decl_tag(build, "w", both, -1);
	build_decl_tag(build, "x", node, 1);
	(void)empty;
	assert_string_equal(dumped(arena, build, false),
			    "integer int size 4;\n"
			    "struct bits {\n"
			    "\t0\tint a : 3;\n"
			    "\t0:3\tint : 5;\n"
			    "\t4\tint b;\n"
			    "} size 8; // bits\n"
			    "struct empty {\n"
			    "} size 0; // empty\n"
			    "struct flagged decl_tag(\"t\") {\n"
			    "\t0\tint \"int\" decl_tag(\"u\") decl_attr(\"v\");\n"
			    "} size 4 [[kflag]]; // flagged\n"
			    "union gone;\n"
			    "struct node {\n"
			    "\t0\tstruct node *next;\n"
			    "\t8\tunion decl_tag(\"w\") {\n"
			    "\t\t0\tint i;\n"
			    "\t\t0\tunion gone *p;\n"
			    "\t} size 8 decl_tag(\"x\");\n"
			    "\t16\tint size;\n"
			    "} size 24; // node\n");
}

static void test_typedefs(void **state)
{
	struct bc_arena *arena = *state;
	struct build *build = build_new(arena, NULL);
	uint32_t integer = build_int(build, "int", 4, 32);
	uint32_t counter = build_sized(build, BC_STRUCT, "", 4);
	uint32_t function = build_proto(build, 0);

	build_member(build, counter, "n", integer, 0);
	build_ref(build, BC_TYPEDEF, "atomic_t", counter);
	build_ref(build, BC_TYPEDEF, "fn", build_ptr(build, function));
	build_ref(build, BC_TYPEDEF, "long", integer);
	build_decl_tag(build, "t", build_ref(build, BC_TYPEDEF, "nothing", 0), -1);
	assert_string_equal(dumped(arena, build, false), "integer int size 4;\n"
							 "typedef struct {\n"
							 "\t0\tint n;\n"
							 "} size 4 atomic_t;\n"
							 "typedef void (*fn)(void);\n"
							 "typedef int \"long\";\n"
							 "typedef void nothing decl_tag(\"t\");\n");
}

static void test_functions(void **state)
{
	struct bc_arena *arena = *state;
	struct build *build = build_new(arena, NULL);
	uint32_t integer = build_int(build, "int", 4, 32);
	uint32_t pointer = build_ptr(build, build_fwd(build, "task_struct", false));
	uint32_t proto = build_proto(build, pointer), none = build_proto(build, 0);
	uint32_t wide = build_proto(build, integer), inside = build_proto(build, 0);
	uint32_t body = build_sized(build, BC_STRUCT, "", 4);
	uint32_t get, broken;

	build_param(build, proto, "task", pointer);
	build_param(build, proto, "", 0);
	for (int i = 0; i < 4; i++)
		build_param(build, wide, build_format_text(arena, "parameter_%d", i), pointer);
	build_member(build, body, "m", integer, 0);
	build_param(build, inside, "s", body);
	get = build_func(build, "get", proto, 1);
	build_decl_tag(build, "kfunc", get, -1);
	build_decl_tag(build, "arg", get, 0);
	build_func(build, "none.part.0", none, 0);
	build_func(build, "strange", inside, 2);
	broken = build_func(build, "wide", wide, 0);
	build_decl_tag(build, "arg", broken, 3);
	build_decl_tag(build, "kfunc", broken, -1);
	assert_string_equal(
		dumped(arena, build, false),
		"integer int size 4;\n"
		"struct task_struct;\n"
		"global struct task_struct *get(struct task_struct *task decl_tag(\"arg\"), ...) "
		"decl_tag(\"kfunc\");\n"
		"static void none.part.0(void);\n"
		"extern void strange(\n"
		"\tstruct {\n"
		"\t\t0\tint m;\n"
		"\t} size 4 s\n"
		"); // strange\n"
		"static int wide(\n"
		"\tstruct task_struct *parameter_0,\n"
		"\tstruct task_struct *parameter_1,\n"
		"\tstruct task_struct *parameter_2,\n"
		"\tstruct task_struct *parameter_3 decl_tag(\"arg\")\n"
		") decl_tag(\"kfunc\"); // wide\n");
}

/* Without it, a line of exactly 100 columns and one of 101. */
static void test_where_functions_break(void **state)
{
	struct bc_arena *arena = *state;

	for (uint32_t length = 40; length < 120; length++) {
		struct build *build = build_new(arena, NULL);
		uint32_t proto = build_proto(build, 0);
		char *name = build_alloc(arena, length + 1, 1);
		const char *text;

		memset(name, 'n', length);
		build_param(build, proto, "p", build_ptr(build, 0));
		build_func(build, name, proto, 0);
		text = dumped(arena, build, false);
		/* "static void NAME(void *p);" */
		if (length + 22 <= 100)
			assert_int_equal(strcspn(text, "\n"), length + 22);
		else
			assert_int_equal(strcspn(text, "\n"), length + 13);
	}
}

static struct build *with_section(struct bc_arena *arena, bool swapped)
{
	struct build *build = build_new(arena, NULL);
	uint32_t integer = build_int(build, "int", 4, 32);
	uint32_t first = build_var(build, "zero", integer, 0);
	uint32_t second = build_var(build, "alpha", integer, 1);
	uint32_t third = build_func(build, "alpha", build_proto(build, 0), 2);
	uint32_t section = build_sized(build, BC_DATASEC, ".data..percpu", 12);

	build_entry(build, section, swapped ? second : first, 0, 4);
	build_entry(build, section, swapped ? first : second, 4, 4);
	build_entry(build, section, third, 8, 0);
	return build;
}

static void test_variables_and_sections(void **state)
{
	struct bc_arena *arena = *state;
	const char *start = "integer int size 4;\n"
			    "extern void alpha(void);\n"
			    "global int alpha;\n"
			    "static int zero;\n";
	const char *places = "section .data..percpu {\n"
			     "\t0\tvar zero size 4;\n"
			     "\t4\tvar alpha size 4;\n"
			     "\t8\tfunc alpha size 0;\n"
			     "} size 12; // .data..percpu\n";
	const char *names = "section .data..percpu {\n"
			    "\tvar alpha;\n"
			    "\tfunc alpha;\n"
			    "\tvar zero;\n"
			    "}; // .data..percpu\n";
	const char *full = dumped(arena, with_section(arena, false), true);

	assert_string_equal(dumped(arena, with_section(arena, false), false),
			    build_format_text(arena, "%s%s", start, names));
	assert_string_equal(dumped_types(full), build_format_text(arena, "%s%s", start, places));
	/* Links differ, the program does not: the plain form is the same. */
	assert_string_equal(dumped(arena, with_section(arena, true), false),
			    dumped(arena, with_section(arena, false), false));
	assert_string_not_equal(dumped(arena, with_section(arena, true), true), full);
}

/* What nothing named contains: bodies always, the rest in the full form; each once. */
static void test_loose_types(void **state)
{
	struct bc_arena *arena = *state;
	struct build *build = build_new(arena, NULL);
	uint32_t integer = build_int(build, "int", 4, 32);
	uint32_t inner = build_sized(build, BC_STRUCT, "", 4);
	uint32_t outer = build_sized(build, BC_STRUCT, "", 8);
	uint32_t loop = build_sized(build, BC_UNION, "", 8);
	uint32_t pointer = build_ptr(build, integer);
	const char *plain = "integer int size 4;\n"
			    "union @1 {\n"
			    "\t0\tunion @1 *again;\n"
			    "} size 8; // again\n"
			    "struct {\n"
			    "\t0\tstruct {\n"
			    "\t\t0\tint x;\n"
			    "\t} size 4;\n"
			    "\t4\tint y;\n"
			    "} size 8; // y\n";

	build_member(build, inner, "x", integer, 0);
	build_member(build, outer, "", inner, 0);
	build_member(build, outer, "y", integer, 32);
	build_member(build, loop, "again", build_ptr(build, loop), 0);
	build_ref(build, BC_CONST, "", build_ptr(build, pointer));
	build_array(build, build_ptr(build, outer), integer, 2);
	assert_string_equal(dumped(arena, build, false), plain);
	assert_string_equal(dumped_types(dumped(arena, build, true)),
			    build_format_text(arena, "%s%s", plain,
					      "type struct {\n"
					      "\t0\tstruct {\n"
					      "\t\t0\tint x;\n"
					      "\t} size 4;\n"
					      "\t4\tint y;\n"
					      "} size 8 *[2];\n"
					      "type int **const;\n"));
}

static void test_file_line(void **state)
{
	struct bc_arena *arena = *state;
	struct build *build = build_new(arena, NULL);
	static const uint8_t layout[8] = { 0, 0, 0, 0, 4, 0, 0, 0 };

	assert_string_equal(dumped(arena, build, false), "");
	assert_string_equal(dumped(arena, build, true), "#btf text=1 byte_order=little\n");
	build->big_endian = true;
	build->layout = layout;
	build->layout_bytes = sizeof(layout);
	assert_string_equal(dumped(arena, build, true),
			    "#btf text=1 byte_order=big layout=0000000004000000\n");
}

/* ---- names ---- */

static struct build *with_repeated_names(struct bc_arena *arena)
{
	struct build *build = build_new(arena, NULL);
	uint32_t integer = build_int(build, "u8", 1, 8);
	uint32_t used = build_ref(build, BC_TYPEDEF, "u8", integer);
	uint32_t rare = build_sized(build, BC_STRUCT, "s", 8),
		 many = build_sized(build, BC_STRUCT, "s", 4);
	uint32_t large = build_sized(build, BC_STRUCT, "s", 16);

	build_sized(build, BC_UNION, "s", 4);
	build_sized(build, BC_ENUM, "s", 4);
	build_sized(build, BC_ENUM64, "s", 8);
	build_fwd(build, "s", true);
	build_fwd(build, "s", false);
	build_sized(build, BC_STRUCT, "s___3", 4);
	build_member(build, rare, "m", used, 0);
	build_ref(build, BC_CONST, "", many);
	build_ptr(build, many);
	build_ptr(build, build_ref(build, BC_VOLATILE, "", rare));
	build_ptr(build, large);
	build_func(build, "s", build_proto(build, 0), 0);
	build_var(build, "s", many, 0);
	return build;
}

static void test_repeated_names(void **state)
{
	struct bc_arena *arena = *state;

	/* Referrers: 3, 1, 1; rare has a member. The union is behind all structs. ___3 is taken. */
	assert_string_equal(dumped(arena, with_repeated_names(arena), false),
			    "integer u8 size 1;\n"
			    "enum s___6 {\n} size 4; // s___6\n"
			    "enum64 s___7 {\n} size 8; // s___7\n"
			    "typedef u8 u8___2;\n"
			    "struct s {\n} size 4; // s\n"
			    "struct s___4 {\n} size 16; // s___4\n"
			    "struct s___2 {\n\t0\tu8___2 m;\n} size 8; // s___2\n"
			    "union s___5 {\n} size 4; // s___5\n"
			    "struct s___8;\n"
			    "union s___9;\n"
			    "struct \"s___3\" {\n} size 4; // \"s___3\"\n"
			    "static void s(void);\n"
			    "static struct s s;\n");
}

/* ---- split BTF ---- */

static void test_split(void **state)
{
	struct bc_arena *arena = *state;
	struct build *below = build_new(arena, NULL), *build;
	uint32_t integer = build_int(below, "int", 4, 32);
	uint32_t foo = build_sized(below, BC_STRUCT, "foo", 4);
	uint32_t counter = build_sized(below, BC_STRUCT, "", 4);
	uint32_t function = build_func(below, "f", build_proto(below, 0), 0);
	uint32_t own;
	struct bc_graph base;

	build_member(below, foo, "a", integer, 0);
	build_member(below, counter, "n", integer, 0);
	build_ref(below, BC_TYPEDEF, "atomic_t", counter);
	base = law_read(arena, law_build(below, NULL), NULL);
	build = build_new(arena, below);
	own = build_sized(build, BC_STRUCT, "foo", 16);
	build_member(build, own, "theirs", build_ptr(build, foo), 0);
	build_member(build, own, "ours", build_ptr(build, own), 64);
	build_ref(build, BC_TYPEDEF, "mine_t", counter);
	build_decl_tag(build, "t", foo, 0);
	build_decl_tag(build, "k", function, -1);
	assert_string_equal(dumped_split(arena, build, &base, true),
			    "#btf text=1 byte_order=little base_types=6 base_string_bytes=24\n"
			    "typedef struct {\n"
			    "\t0\tint n;\n"
			    "} size 4 mine_t;\n"
			    "struct foo___2 {\n"
			    "\t0\tstruct foo *theirs;\n"
			    "\t8\tstruct foo___2 *ours;\n"
			    "} size 16; // foo___2\n"
			    "tagged struct foo decl_tag(\"t\", 0);\n"
			    "tagged func f decl_tag(\"k\");\n");
}

/* ---- laws ---- */

/* Names that are hard to read back, and names on kinds that have none. */
static void make_odd(struct build *build, struct rng *rng)
{
	for (uint32_t i = 0; i < build->type_count; i++) {
		struct build_type *type = &build->types[i];
		const char *name = odd_names[rng_below(rng, ODD_NAME_COUNT)];
		bool needs_name = type->kind == BC_FWD || type->kind == BC_TYPEDEF ||
				  type->kind == BC_FUNC || type->kind == BC_VAR ||
				  type->kind == BC_DATASEC || type->kind == BC_TYPE_TAG ||
				  type->kind == BC_DECL_TAG;

		if (rng_percent(rng, 20) && (*name || !needs_name))
			type->name = name;
		for (uint32_t j = 0; j < type->element_count; j++)
			if (rng_percent(rng, 20) && type->elements[j].type)
				type->elements[j].name = odd_names[rng_below(rng, ODD_NAME_COUNT)];
	}
}

static bool same_bytes(struct law_bytes one, struct law_bytes two)
{
	return one.size_bytes == two.size_bytes && !memcmp(one.data, two.data, one.size_bytes);
}

struct known {
	const char *text;
	struct law_bytes bytes;
};

static int compare_known(const void *a, const void *b)
{
	const struct known *left = a, *right = b;

	return strcmp(left->text, right->text);
}

/* Graphs so small that many are the same: the same text, if and only if the same bytes. */
static void test_full_form_is_exact(void **state)
{
	struct bc_arena *arena = *state;
	uint32_t rounds = law_rounds(20000);
	struct known *known = build_alloc(arena, rounds, sizeof(*known));
	uint32_t same = 0;

	for (uint32_t round = 0; round < rounds; round++) {
		struct rng rng = law_round(round);
		struct build *build = random_graph(arena, &rng, NULL, 1 + rng_below(&rng, 6));
		struct law_result result;

		if (rng_percent(&rng, 30))
			make_odd(build, &rng);
		result = law_canonical(arena, law_build(build, NULL), NULL, &law_options[0]);
		known[round].text = dumped_types(dumped_graph(arena, &result.out, true));
		known[round].bytes = result.bytes;
	}
	qsort(known, rounds, sizeof(*known), compare_known);
	for (uint32_t i = 1; i < rounds; i++) {
		if (strcmp(known[i].text, known[i - 1].text))
			continue; /* the other way round is the law of orders, below */
		same++;
		if (!same_bytes(known[i].bytes, known[i - 1].bytes))
			law_fail("one text for two graphs:\n%s", known[i].text);
	}
	assert_true(rounds < 1000 || same > rounds / 100);
}

/* Changes a little of a type, such that it stays valid. */
static void change_type(struct build_type *type, struct rng *rng)
{
	if (bc_kind_is_composite(type->kind) || type->kind == BC_DATASEC || type->kind == BC_INT)
		type->size += 8;
	if (bc_kind_is_enum(type->kind))
		type->size = 2;
	if (bc_kind_is_enum(type->kind) || type->kind == BC_TYPE_TAG)
		type->kflag = rng_percent(rng, 50);
	if (type->element_count) {
		struct build_element *element =
			&type->elements[rng_below(rng, type->element_count)];

		if (type->kind != BC_FUNC_PROTO || element->type)
			element->name = "changed";
	}
}

/* A small change to a larger random graph shows, when it makes another graph. */
static void test_changes_show(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < law_rounds(2000); round++) {
		struct bc_arena arena = { 0 };
		struct rng rng = law_round(round), again = rng, choice = { rng.state + 1 };
		uint32_t size = 2 + rng_below(&choice, 40);
		struct build *build = random_graph(&arena, &rng, NULL, size);
		struct build *other = random_graph(&arena, &again, NULL, size);
		struct build_type *type = &other->types[rng_below(&choice, other->type_count)];
		struct law_result one, two;
		bool same_text;

		change_type(type, &choice);
		one = law_canonical(&arena, law_build(build, NULL), NULL, &law_options[0]);
		two = law_canonical(&arena, law_build(other, NULL), NULL, &law_options[0]);
		same_text = !strcmp(dumped_graph(&arena, &one.out, true),
				    dumped_graph(&arena, &two.out, true));
		if (same_text != same_bytes(one.bytes, two.bytes))
			law_fail("a change of a %s does not show", bc_kind_name(type->kind));
		bc_arena_free(&arena);
	}
}

static void check_orders(struct bc_arena *arena, struct rng *rng, const struct build *build,
			 const struct bc_graph *base, bool full)
{
	struct build *copy, *shuffled;
	size_t size_bytes;
	const char *wanted, *got;
	struct law_result result;
	const uint8_t *data;

	copy = shuffle_ids(arena, build, shuffle_permutation(arena, rng, build->type_count));
	wanted = dumped_split(arena, copy, base, full);
	data = shuffle_all(arena, rng, build, 30, &shuffled, &size_bytes);
	result = law_canonical(arena, (struct law_bytes){ data, size_bytes }, base,
			       &law_options[0]);
	got = dumped_graph(arena, &result.out, full);
	if (strcmp(wanted, got))
		law_fail("the order of ids shows: %s\n-- and --\n%s", wanted, got);
}

static void test_orders_do_not_show(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < law_rounds(1000); round++) {
		struct bc_arena arena = { 0 };
		struct rng rng = law_round(round);
		struct build *below = random_graph(&arena, &rng, NULL, 1 + rng_below(&rng, 30));
		struct build *build;
		struct bc_graph base;

		if (rng_percent(&rng, 30))
			make_odd(below, &rng);
		check_orders(&arena, &rng, below, NULL, round % 2);
		base = law_read(&arena, law_build(below, NULL), NULL);
		build = random_graph(&arena, &rng, below, 1 + rng_below(&rng, 30));
		check_orders(&arena, &rng, build, &base, round % 2);
		bc_arena_free(&arena);
	}
}

/* The bytes of whole lines that both texts begin with, or, FROM_END, end with. */
static size_t common_bytes(const char *a, const char *b, bool from_end)
{
	size_t a_length = strlen(a), b_length = strlen(b), count = 0, whole = 0;

	while (count < a_length && count < b_length) {
		size_t a_at = from_end ? a_length - 1 - count : count;
		size_t b_at = from_end ? b_length - 1 - count : count;

		if (a[a_at] != b[b_at])
			break;
		if (a[a_at] == '\n')
			whole = from_end ? count : count + 1;
		count++;
	}
	return whole;
}

/* Gives each named type a name of its own; the last struct or union of them, 0: none. */
static uint32_t name_apart(struct bc_arena *arena, struct build *build)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < build->type_count; i++) {
		struct build_type *type = &build->types[i];

		if (!*type->name || type->kind == BC_TYPE_TAG || type->kind == BC_DECL_TAG)
			continue;
		type->name = build_format_text(arena, "n%u", i);
		if (bc_kind_is_composite(type->kind))
			last = build->first_id + i;
	}
	return last;
}

/*
 * Unnamed types that lead to each other, and to which no named one leads, have
 * one block, at the lowest of them in canonical order: what they reach decides.
 */
static bool has_unnamed_block(const char *text)
{
	return strstr(text, "\nstruct {") || strstr(text, "\nunion {") ||
	       strstr(text, "\nstruct @") || strstr(text, "\nunion @");
}

/* The closing line of a type's block. */
static const char *closing_line(struct bc_arena *arena, const char *text,
				const struct build_type *type)
{
	const char *line = strstr(text, build_format_text(arena, "\n} size %u; // %s\n", type->size,
							  type->name));

	if (!line)
		line = strstr(text, build_format_text(arena, "\n} size %u [[kflag]]; // %s\n",
						      type->size, type->name));
	if (!line)
		law_fail("no block of %s in:\n%s", type->name, text);
	return line + 1;
}

/* A member more: one line more, and another size. The rest stays as it is. */
static bool check_change(struct bc_arena *arena, struct build *build)
{
	uint32_t id = name_apart(arena, build);
	const char *before = dumped(arena, build, false), *after, *line;

	if (!id || has_unnamed_block(before))
		return false;
	line = closing_line(arena, before, build_type(build, id));
	build->strings = NULL;
	build_member(build, id, "more", build_ptr(build, 0), 0);
	build_type(build, id)->size += 64;
	after = dumped(arena, build, false);
	if (before + common_bytes(before, after, false) != line ||
	    common_bytes(before, after, true) != strlen(line) - strcspn(line, "\n") - 1)
		law_fail("a change of %s is not local:\n%s\n-- and --\n%s",
			 build_type(build, id)->name, before, after);
	return true;
}

static void test_changes_are_local(void **state)
{
	uint32_t checked = 0;

	(void)state;
	for (uint32_t round = 0; round < law_rounds(1000); round++) {
		struct bc_arena arena = { 0 };
		struct rng rng = law_round(round);

		checked += check_change(&arena, random_graph(&arena, &rng, NULL, 30));
		bc_arena_free(&arena);
	}
	assert_true(law_rounds(1000) < 1000 || checked > 200);
}

/* ---- depth and size ---- */

#define DEEP 200000

static struct build *with_pointer_chain(struct bc_arena *arena)
{
	struct build *build = build_new(arena, NULL);
	uint32_t id = 0;

	for (uint32_t i = 0; i < DEEP; i++)
		id = build_ptr(build, id);
	build_ref(build, BC_TYPEDEF, "deep", id);
	return build;
}

static struct build *with_nested_structs(struct bc_arena *arena)
{
	struct build *build = build_new(arena, NULL);
	uint32_t id = build_int(build, "int", 4, 32);

	for (uint32_t i = 0; i < DEEP; i++) {
		uint32_t outer = build_sized(build, BC_STRUCT, "", 4);

		build_member(build, outer, "m", id, 0);
		id = outer;
	}
	build_ref(build, BC_TYPEDEF, "deep", id);
	return build;
}

static struct build *with_nested_functions(struct bc_arena *arena)
{
	struct build *build = build_new(arena, NULL);
	uint32_t id = build_ptr(build, 0), proto = 0;

	for (uint32_t i = 0; i < DEEP; i++) {
		proto = build_proto(build, i % 2 ? id : 0);
		build_param(build, proto, "", i % 2 ? build_ptr(build, 0) : id);
		id = build_ptr(build, proto);
	}
	build_func(build, "deep", proto, 0);
	return build;
}

/* Each contains the one below twice. */
static struct build *with_doubled_structs(struct bc_arena *arena)
{
	struct build *build = build_new(arena, NULL);
	uint32_t id = build_int(build, "int", 4, 32);

	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t outer = build_sized(build, i % 2 ? BC_UNION : BC_STRUCT, "", 4);

		build_member(build, outer, "a", build_ptr(build, id), 0);
		build_member(build, outer, "b", build_ptr(build, id), 0);
		id = outer;
	}
	return build;
}

static struct build *with_doubled_functions(struct bc_arena *arena)
{
	struct build *build = build_new(arena, NULL);
	uint32_t id = build_int(build, "int", 4, 32);

	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t proto = build_proto(build, id);

		build_param(build, proto, "", id);
		id = build_ptr(build, proto);
	}
	return build;
}

static struct build *with_self_referring_structs(struct bc_arena *arena)
{
	struct build *build = build_new(arena, NULL);

	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t id = build_sized(build, BC_STRUCT, "", 8 + i);

		build_member(build, id, "next", build_ptr(build, id), 0);
	}
	return build;
}

static struct build *with_one_name(struct bc_arena *arena)
{
	struct build *build = build_new(arena, NULL);

	for (uint32_t i = 0; i < 100000; i++)
		build_sized(build, BC_STRUCT, i % 10 ? "one" : "one___2", i);
	return build;
}

/* Text in proportion to the types, and in a time that the runner of tests bears. */
static void test_depth(void **state)
{
	static struct build *(*const makers[])(struct bc_arena *) = {
		with_pointer_chain,   with_nested_structs,    with_nested_functions,
		with_doubled_structs, with_doubled_functions, with_self_referring_structs,
		with_one_name,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		struct bc_arena arena = { 0 };
		struct build *build = makers[i](&arena);
		const char *text = dumped(&arena, build, true);

		assert_in_range(strlen(text), build->type_count / 2,
				300 * (size_t)build->type_count);
		bc_arena_free(&arena);
	}
}

static void assert_too_long(struct bc_arena *arena, struct build *build)
{
	struct law_result result = law_canonical(arena, law_build(build, NULL), NULL,
						 &law_options[0]);
	FILE *nowhere = fopen("/dev/null", "w");
	struct bc_err err = { .text = "" };

	assert_non_null(nowhere);
	assert_false(
		bc_dump(nowhere, &result.out, &(struct bc_dump_options){ .full = true }, &err));
	fclose(nowhere);
	assert_non_null(strstr(err.text, "too long"));
}

/* A typedef of every depth of a chain: the text would be its square. */
static void test_too_many_chains(void **state)
{
	struct bc_arena *arena = *state;
	struct build *build = build_new(arena, NULL);
	uint32_t id = 0;

	for (uint32_t i = 0; i < 50000; i++) {
		id = build_ptr(build, id);
		build_ref(build, BC_TYPEDEF, "t", id);
	}
	assert_too_long(arena, build);
}

static const char *long_name(struct bc_arena *arena, uint32_t length)
{
	char *name = build_alloc(arena, length + 1, 1);

	memset(name, 'n', length);
	return name;
}

static void test_too_long_names(void **state)
{
	struct bc_arena *arena = *state;
	struct build *types = build_new(arena, NULL), *members = build_new(arena, NULL);
	const char *name = long_name(arena, 30000), *other = long_name(arena, 30001);
	uint32_t integer = build_int(members, "int", 4, 32);

	for (uint32_t i = 0; i < 10000; i++) {
		uint32_t body = build_sized(members, BC_STRUCT, "", 8 + i);

		build_sized(types, BC_STRUCT, i % 2 ? name : other, i);
		build_member(members, body, i % 2 ? name : other, integer, 0);
	}
	assert_too_long(arena, types);
	assert_too_long(arena, members);
}

/* A stream that takes nothing is an error, not a shorter text. */
static void test_write_errors(void **state)
{
	struct bc_arena *arena = *state;
	struct law_result result = law_canonical(arena, law_build(with_one_name(arena), NULL), NULL,
						 &law_options[0]);
	FILE *full = fopen("/dev/full", "w");
	struct bc_err err = { .text = "" };

	if (!full)
		skip();
	assert_false(bc_dump(full, &result.out, &(struct bc_dump_options){ 0 }, &err));
	assert_string_not_equal(err.text, "");
	fclose(full);
}

/* ---- kinds not known ---- */

static void test_unknown_kind(void **state)
{
	struct bc_arena *arena = *state;
	static const uint8_t layout[21 * 4] = { [20 * 4] = 4, [20 * 4 + 1] = 4 };
	static const char strings[] = "\0later\0int";
	/* Of kind 20: one word and one per element; then an INT. */
	static const uint32_t words[] = { 1, 20u << 24 | 2, 5, 6, 7, 8, 7, BC_INT << 24, 4, 32 };
	static const uint32_t start[] = { 0, 6, 10 };
	struct bc_graph graph = {
		.first_id = 1,
		.type_count = 2,
		.start = start,
		.words = words,
		.strings = strings,
		.string_bytes = sizeof(strings),
		.layout = layout,
		.layout_bytes = sizeof(layout),
		.has_unknown_kind = true,
	};

	assert_string_equal(dumped_graph(arena, &graph, false), "integer int size 4;\n"
								"kind 20 later vlen 2 {\n"
								"\t5,\n"
								"\t6,\n"
								"\t7,\n"
								"\t8,\n"
								"}; // later\n");
}

#define IN_ARENA(test) cmocka_unit_test_setup_teardown(test, open_arena, close_arena)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_ARENA(test_integers),
		IN_ARENA(test_enums),
		IN_ARENA(test_composites),
		IN_ARENA(test_typedefs),
		IN_ARENA(test_functions),
		IN_ARENA(test_where_functions_break),
		IN_ARENA(test_variables_and_sections),
		IN_ARENA(test_loose_types),
		IN_ARENA(test_file_line),
		IN_ARENA(test_repeated_names),
		IN_ARENA(test_split),
		IN_ARENA(test_full_form_is_exact),
		cmocka_unit_test(test_changes_show),
		cmocka_unit_test(test_orders_do_not_show),
		cmocka_unit_test(test_changes_are_local),
		cmocka_unit_test(test_depth),
		IN_ARENA(test_too_many_chains),
		IN_ARENA(test_too_long_names),
		IN_ARENA(test_write_errors),
		IN_ARENA(test_unknown_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

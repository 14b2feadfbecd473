/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The text form read back: what dump --full writes becomes the canonical bytes
 * again, for samples, random graphs and split ones; what the grammar leaves
 * open is settled as documented; what is wrong is said with line and column.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "btf/write.h"
#include "text/assemble.h"
#include "tests/lib/dumped.h"
#include "tests/lib/random_graph.h"
#include "tests/lib/samples.h"
#include "tests/lib/shuffle.h"

#define FIRST "#btf text=1 byte_order=little\n"

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

/* ---- round trips ---- */

/* The canonical bytes of what TEXT says. */
static struct law_bytes assembled(struct bc_arena *arena, const char *text,
				  const struct bc_graph *base)
{
	struct bc_canonical_options options = { .order = BC_ORDER_CANONICAL };
	struct bc_graph graph, ordered;
	struct law_bytes bytes;
	struct bc_err err;

	if (!bc_assemble_text(&graph, text, strlen(text), base, arena, &err))
		law_fail("not read: %s\n%.2000s", err.text, text);
	if (!bc_canonical(&ordered, &graph, &options, arena, NULL, NULL, &err) ||
	    !bc_btf_write(&ordered, NULL, arena, &bytes.data, &bytes.size_bytes, &err))
		law_fail("not ordered: %s", err.text);
	return bytes;
}

static void check_round_trip(struct bc_arena *arena, struct law_bytes bytes,
			     const struct bc_graph *base, const char *what)
{
	struct law_result result = law_canonical(arena, bytes, base, &law_options[0]);
	const char *text = dumped_graph(arena, &result.out, true);

	law_assert_same(result.bytes, assembled(arena, text, base), what);
}

/* The same on a base in canonical order, in which no type is there twice. */
static struct bc_graph canonical_base(struct bc_arena *arena, struct law_bytes bytes)
{
	return law_read(arena, law_canonical(arena, bytes, NULL, &law_options[0]).bytes, NULL);
}

static void samples_come_back(void **state)
{
	(void)state;
	law_round(0);
	for (uint32_t i = 0; i < 2 * sample_count; i++) {
		struct bc_arena arena = { 0 };
		struct build *build = sample_make(&samples[i / 2], &arena, i % 2);
		struct bc_graph base;

		if (build->base)
			base = law_read(&arena, law_build((struct build *)build->base, NULL), NULL);
		check_round_trip(&arena, law_build(build, NULL), build->base ? &base : NULL,
				 samples[i / 2].name);
		bc_arena_free(&arena);
	}
}

static void random_graphs_come_back(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < law_rounds(1500); round++) {
		static const uint8_t layout[] = { 0, 0, 0, 0, 4, 0, 0, 0 };
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct build *build = random_graph(&arena, &rng, NULL, 1 + rng_below(&rng, 80));
		struct law_bytes bytes;
		struct bc_graph base;

		build->big_endian = rng_below(&rng, 2);
		if (rng_below(&rng, 2)) {
			build->layout = layout;
			build->layout_bytes = sizeof(layout);
		}
		bytes = law_build(build, NULL);
		check_round_trip(&arena, bytes, NULL, "random graph");

		base = canonical_base(&arena, bytes);
		bytes = law_canonical(&arena, bytes, NULL, &law_options[0]).bytes;
		build = build_read(&arena, bytes.data, bytes.size_bytes, NULL);
		build = random_graph(&arena, &rng, build, 1 + rng_below(&rng, 40));
		build->big_endian = base.big_endian;
		check_round_trip(&arena, law_build(build, NULL), &base, "random split graph");
		bc_arena_free(&arena);
	}
}

/* Names as the grammar has words of its own for, in every place. */
static void odd_names_come_back(void **state)
{
	static const char *const names[] = {
		"int",  "const", "a",        "a___2",   "a___3",    "a b",      "\"",
		"\\",   "...",   "@1",       "size",    "long int", "enum64",   "var",
		"func", "2x",    "\x01\xff", "integer", "name",     "type_tag", "long___2",
	};
	struct bc_arena *arena = *state;
	struct build *build = build_new(arena, NULL);
	uint32_t base = build_int(build, "int", 4, 1 << 24 | 32), proto;

	for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint32_t id = build_sized(build, BC_STRUCT, names[i], 8);

		build_member(build, id, names[i], base, 0);
		id = build_sized(build, i % 2 ? BC_ENUM : BC_ENUM64, names[i], 4);
		build_value(build, id, names[i], i);
		id = build_ref(build, BC_TYPEDEF, names[i], base);
		build_decl_tag(build, names[i], id, -1);
		build_ptr(build, build_ref(build, BC_TYPE_TAG, names[i], id));
		proto = build_proto(build, id);
		build_param(build, proto, names[i], id);
		build_func(build, names[i], proto, 1);
		id = build_var(build, names[i], id, 0);
		build_entry(build, build_sized(build, BC_DATASEC, names[i], 4), id, 0, 4);
		build_fwd(build, names[i], i % 2);
	}
	check_round_trip(arena, law_build(build, NULL), NULL, "odd names");
}

/* Depth costs memory, not stack, and no more than time in proportion. */
static void deep_types_come_back(void **state)
{
	const uint32_t depth = 30000;
	struct bc_arena *arena = *state;
	struct build *build = build_new(arena, NULL);
	uint32_t id = build_int(build, "int", 4, 32), index = id, proto;

	for (uint32_t i = 0; i < depth; i++) {
		id = build_ptr(build, build_array(build, id, index, 2));
		if (i % 2) {
			proto = build_proto(build, id);
			build_param(build, proto, "", id);
			id = build_ptr(build, proto);
		}
	}
	for (uint32_t i = 0; i < depth; i++) {
		uint32_t body = build_sized(build, i % 2 ? BC_STRUCT : BC_UNION, "", 8);

		build_member(build, body, i % 3 ? "m" : "", id, 0);
		id = body;
	}
	build_ref(build, BC_TYPEDEF, "deep", id);
	check_round_trip(arena, law_build(build, NULL), NULL, "deep types");
}

/* A tag of split BTF on a type of its base that has no name. */
static void tags_on_unnamed_types_of_the_base(void **state)
{
	struct bc_arena *arena = *state;
	struct build *build = build_new(arena, NULL);
	uint32_t base_type = build_int(build, "int", 4, 32), body;
	struct law_bytes bytes;
	struct bc_graph base;

	for (uint32_t i = 0; i < 3; i++) {
		body = build_sized(build, BC_STRUCT, "", 8);
		build_member(build, body, i ? "a" : "b", base_type, 0);
		build_member(build, body, "c", base_type, 32);
		if (i < 2)
			build_decl_tag(build, "of the base", body, -1);
	}
	bytes = law_canonical(arena, law_build(build, NULL), NULL, &law_options[0]).bytes;
	base = law_read(arena, bytes, NULL);
	build = build_read(arena, bytes.data, bytes.size_bytes, NULL);
	build = build_new(arena, build);
	for (uint32_t id = 1; id < build->first_id; id++)
		if (build_type(build, id)->kind == BC_STRUCT)
			build_decl_tag(build, "on it", id, id % 2 ? -1 : 1);
	check_round_trip(arena, law_build(build, NULL), &base, "tags on unnamed types of the base");
}

/* ---- what the grammar leaves open ---- */

static void check_means(struct bc_arena *arena, const char *text, const char *full)
{
	struct law_bytes bytes = assembled(arena, text, NULL);
	struct bc_graph graph = law_read(arena, bytes, NULL);

	assert_string_equal(dumped_graph(arena, &graph, true), full);
}

static void order_of_blocks_means_nothing(void **state)
{
	check_means(*state,
		    "#btf  byte_order=big text=1 \r\n\r\n"
		    "typedef struct{0 int x:3;// in the way ;\n4 t*y;4:1 int z:2;}size 8 t;\r\n"
		    "global int*(*(*f)(struct u*,...))[2];struct u;integer int size 4;",
		    "#btf text=1 byte_order=big\n"
		    "integer int size 4;\n"
		    "typedef struct {\n"
		    "\t0\tint x : 3;\n"
		    "\t4\tt *y;\n"
		    "\t4:1\tint z : 2;\n"
		    "} size 8 t;\n"
		    "struct u;\n"
		    "global int *(*(*f)(struct u *, ...))[2];\n");
}

/* ---- what is wrong ---- */

struct wrong {
	const char *text;
	const char *error;
};

static void check_refused(struct bc_arena *arena, const char *text, const char *error)
{
	struct bc_err err = { .text = "" };
	struct bc_graph graph;

	if (bc_assemble_text(&graph, text, strlen(text), NULL, arena, &err))
		law_fail("read, not refused with '%s': %s", error, text);
	if (strcmp(err.text, error))
		law_fail("'%s' is refused with '%s', not '%s'", text, err.text, error);
}

static void wrong_texts_are_refused(void **state)
{
	static const struct wrong wrongs[] = {
		{ "",
		  "line 1, column 1: the text does not begin with '#btf ' as that of dump --full" },
		{ "#btf text=1 byte_order=big",
		  "line 1, column 27: the text ends in its first line" },
		{ "#btf text=2 byte_order=big\n",
		  "line 1, column 6: only version 1 of the text form is known" },
		{ "#btf byte_order=big\n", "line 1, column 1: text= is missing" },
		{ "#btf text=1\n", "line 1, column 1: byte_order= is missing" },
		{ "#btf text=1 byte_order=middle\n",
		  "line 1, column 13: the byte order is little or big" },
		{ "#btf text=1 text=1 byte_order=big\n", "line 1, column 13: text is said twice" },
		{ "#btf text=1 byte_order=big x=1\n",
		  "line 1, column 28: no such word is known here" },
		{ "#btf text=1 byte_order=big layout=00\n",
		  "line 1, column 28: a layout section is made of entries of 4 bytes" },
		{ "#btf text=1 byte_order=big layout=0000000x\n",
		  "line 1, column 28: the layout section is not written in hexadecimal" },
		{ "#btf text=1 byte_order=big base_types=1\n",
		  "line 1, column 28: split BTF: --base says what it goes on from" },
		{ FIRST "integer int size 4",
		  "line 2, column 19: the text ends where ';' is expected" },
		{ FIRST "\n integer\nint sizes 4;",
		  "line 4, column 5: 'size' is expected, not 'sizes'" },
		{ FIRST "foo;",
		  "line 2, column 1: the beginning of a block is expected, not 'foo'" },
		{ FIRST "kind 20 x vlen 0 {};",
		  "line 2, column 1: a kind that is not known: which of its words are ids of types is "
		  "not known either" },
		{ FIRST "float x size 4294967296;",
		  "line 2, column 14: a size is at most 4294967295" },
		{ FIRST "float x size 99999999999999999999;",
		  "line 2, column 14: a number of more than 64 bits" },
		{ FIRST "float 2x size 4;", "line 2, column 7: a name is expected, not '2x'" },
		{ FIRST "float \"x size 4;\n",
		  "line 2, column 7: a string that does not end on its line" },
		{ FIRST "float \"x\\n\" size 4;",
		  "line 2, column 9: an escape that is none of \\\" \\\\ \\xNN" },
		{ FIRST "float \"x\\x00\" size 4;",
		  "line 2, column 9: an escape that is none of \\\" \\\\ \\xNN" },
		{ FIRST "float \"x\"___02 size 4;",
		  "line 2, column 7: a string with something behind it that is not ___ and a number" },
		{ FIRST "float ? size 4;", "line 2, column 7: a byte that begins nothing" },
		{ FIRST "float x size 4;\nfloat x size 8;",
		  "line 3, column 1: this name and number belong to another type already" },
		{ FIRST "struct x;\nenum x { } size 4;",
		  "line 3, column 6: this name and number belong to another type already" },
		{ FIRST "typedef struct @1 { } size 0 a;\ntypedef struct @1 b;",
		  "line 3, column 9: no struct of this block has the label @1" },
		{ FIRST "typedef struct @1 { 0 union @1 *x; } size 8 a;",
		  "line 2, column 23: no union of this block has the label @1" },
		{ FIRST "typedef struct @1 { 0 struct @1 { } size 0 x; } size 0 a;",
		  "line 2, column 9: this label means something else already" },
		{ FIRST "typedef struct x *y;", "line 2, column 9: there is no struct x" },
		{ FIRST "union x;\ntypedef struct x___3 *y;\n",
		  "line 3, column 9: there is no struct x___3" },
		{ FIRST "typedef void *x[2];",
		  "line 2, column 16: an array without index type, and there is no type int" },
		{ FIRST "typedef void *;",
		  "line 2, column 15: the name that is declared is expected, not ';'" },
		{ FIRST "typedef void *const long;",
		  "line 2, column 21: the name that is declared is expected, not 'long'" },
		{ FIRST "typedef void (*f;", "line 2, column 17: ')' is expected, not ';'" },
		{ FIRST "typedef void f(void, ...);",
		  "line 2, column 16: a parameter is not void" },
		{ FIRST "typedef void f(...;",
		  "line 2, column 19: ',' or ')' is expected, not ';'" },
		{ FIRST "typedef void f();", "line 2, column 16: a type is expected, not ')'" },
		{ FIRST "typedef void f(... decl_tag(\"x\"));",
		  "line 2, column 20: only parameters of the function declared have tags" },
		{ FIRST "global void (*f)(... decl_tag(\"x\"));",
		  "line 2, column 22: only parameters of the function declared have tags" },
		{ FIRST "struct x {\n0 void *x;\n8 void *y : 0;\n} size 16;",
		  "line 4, column 11: a bitfield of no bits" },
		{ FIRST "struct x {\n0:8 void *x;\n} size 16;",
		  "line 3, column 3: the bits of an offset is at most 7" },
		{ FIRST "struct x {\n3000000 void *x;\n3000010 void *y : 1;\n} size 4000000;",
		  "line 4, column 1: an offset beyond 2 MiB does not go with bitfields" },
		{ FIRST "enum x {\na = -1,\nb = 2147483648,\n} size 4;",
		  "line 4, column 5: the values are signed: this one is at most 2147483647" },
		{ FIRST "enum x {\na = 4294967296,\n} size 4;",
		  "line 3, column 5: a value is at most 4294967295" },
		{ FIRST "struct x { } size 4 [[signed]];",
		  "line 2, column 23: kflag is expected, not 'signed'" },
		{ FIRST "section x {\nvar y;\n};",
		  "line 3, column 1: an entry without its offset (only dump --full writes it)" },
		{ FIRST "type void *x;", "line 2, column 12: nothing has a name here" },
		{ FIRST "type void *[[x]];",
		  "line 2, column 14: a label or a name is expected, not 'x'" },
		{ FIRST "tagged struct x decl_tag(\"y\");\nstruct x;",
		  "line 2, column 17: there is no base" },
		{ FIRST "\n\nstruct x {\n\t0\tstruct x y;\n} size 4;",
		  "line 4, column 1: STRUCT x contains itself and never reaches a size" },
		{ FIRST "\ninteger x size 4 bits 33;",
		  "line 3, column 1: INT x: 33 bits at bit 0 do not fit 4 bytes" },
	};

	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++)
		check_refused(*state, wrongs[i].text, wrongs[i].error);
}

/* A byte that no text has, between any two words of a text: that is where the error is. */
static void damage_is_found_where_it_is(void **state)
{
	struct bc_arena *arena = *state;
	const char *text = dumped(arena, sample_make_rich(arena, NULL), true);
	size_t length = strlen(text);
	char *damaged = build_alloc(arena, length + 2, 1), wanted[96];
	uint32_t line = 1, column = 1, tried = 0;
	bool in_comment = false;

	for (size_t i = 0; i < length; i++, column++) {
		in_comment |= !strncmp(text + i, "//", 2);
		if (line > 1 && !in_comment && strchr(" \t\n;(){},", text[i])) {
			memcpy(damaged, text, i);
			damaged[i] = '?';
			memcpy(damaged + i + 1, text + i, length + 1 - i);
			snprintf(wanted, sizeof(wanted),
				 "line %u, column %u: a byte that begins nothing", line, column);
			check_refused(arena, damaged, wanted);
			tried++;
		}
		if (text[i] == '\n') {
			line++;
			column = 0;
			in_comment = false;
		}
	}
	assert_true(tried > 100);
}

/* A line without its last sign: the error is there, or where the next line begins. */
static void missing_signs_are_found(void **state)
{
	struct bc_arena *arena = *state;
	const char *text = dumped(arena, sample_make_rich(arena, NULL), true);
	size_t length = strlen(text);
	uint32_t line = 1;

	for (size_t i = 0; i < length; line += text[i++] == '\n') {
		char *damaged, *end;
		struct bc_graph graph;
		struct bc_err err = { .text = "" };
		unsigned long found;

		if (line == 1 || !strchr(";,{", text[i]))
			continue;
		damaged = build_alloc(arena, length + 1, 1);
		memcpy(damaged, text, length + 1);
		damaged[i] = ' ';
		if (bc_assemble_text(&graph, damaged, length, NULL, arena, &err))
			law_fail("byte %zu of line %u is not missed: %s", i, line, damaged);
		assert_int_equal(strncmp(err.text, "line ", 5), 0);
		found = strtoul(err.text + 5, &end, 10);
		if (found != line && found != line + 1)
			law_fail("byte %zu of line %u is missed with '%s': %s", i, line, err.text,
				 damaged);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_come_back),
		cmocka_unit_test(random_graphs_come_back),
		cmocka_unit_test_setup_teardown(odd_names_come_back, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(deep_types_come_back, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(tags_on_unnamed_types_of_the_base, open_arena,
						close_arena),
		cmocka_unit_test_setup_teardown(order_of_blocks_means_nothing, open_arena,
						close_arena),
		cmocka_unit_test_setup_teardown(wrong_texts_are_refused, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(damage_is_found_where_it_is, open_arena,
						close_arena),
		cmocka_unit_test_setup_teardown(missing_signs_are_found, open_arena, close_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What the reader refuses, naming the type or byte; and what is odd and read all the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "btf/read.h"
#include "tests/lib/law.h"

#define SIGNED_INT (1u << 24 | 32)
#define WHOLE (-1)

/* A case adds types to a build that has int (1), a pointer to void (2) and struct s (3). */
struct graph_case {
	const char *what;
	void (*make)(struct build *build);
	uint32_t type_id; /* the one to be named */
};

static struct build_type *newest(struct build *build)
{
	return build_type(build, build_id_end(build) - 1);
}

#define CASE(name) static void name(struct build *b)

CASE(unnamed_typedef)
{
	build_ref(b, BC_TYPEDEF, "", 1);
}
CASE(unnamed_forward)
{
	build_fwd(b, "", false);
}
CASE(unnamed_function)
{
	build_func(b, "", build_proto(b, 0), 0);
}
CASE(unnamed_variable)
{
	build_var(b, "", 1, 0);
}
CASE(unnamed_section)
{
	build_sized(b, BC_DATASEC, "", 4);
}
CASE(unnamed_type_tag)
{
	build_ref(b, BC_TYPE_TAG, "", 1);
}
CASE(unnamed_decl_tag)
{
	build_decl_tag(b, "", 3, WHOLE);
}
CASE(kflag_on_pointer)
{
	build_ptr(b, 1);
	newest(b)->kflag = true;
}
CASE(vlen_on_int)
{
	build_int(b, "int", 4, SIGNED_INT);
	newest(b)->vlen = 1;
}
CASE(vlen_on_forward)
{
	build_fwd(b, "f", false);
	newest(b)->vlen = 1;
}
CASE(function_linkage)
{
	build_func(b, "f", build_proto(b, 0), 3);
}
CASE(variable_linkage)
{
	build_var(b, "v", 1, 3);
}
CASE(int_too_wide)
{
	build_int(b, "i", 4, 33);
}
CASE(int_beyond_its_bytes)
{
	build_int(b, "i", 4, 30 | 3u << 16);
}
CASE(int_of_129_bits)
{
	build_int(b, "i", 32, 129);
}
CASE(int_encoding)
{
	build_int(b, "i", 4, 0x10000020);
}
CASE(enum_size)
{
	build_sized(b, BC_ENUM, "e", 3);
}
CASE(enum64_size)
{
	build_sized(b, BC_ENUM64, "e", 16);
}
CASE(array_size)
{
	build_array(b, 1, 1, 2);
	newest(b)->size = 8;
}
CASE(forward_size)
{
	build_fwd(b, "f", false);
	newest(b)->size = 8;
}
CASE(float_size)
{
	build_float(b, "f", 3);
}
CASE(pointer_beyond)
{
	build_ptr(b, 5);
}
CASE(pointer_far_beyond)
{
	build_ptr(b, UINT32_MAX);
}
CASE(member_beyond)
{
	build_member(b, build_sized(b, BC_STRUCT, "t", 4), "m", 9, 0);
}
CASE(parameter_beyond)
{
	build_param(b, build_proto(b, 0), "p", 9);
}
CASE(index_beyond)
{
	build_array(b, 1, 9, 2);
}
CASE(entry_beyond)
{
	build_entry(b, build_sized(b, BC_DATASEC, ".data", 4), 9, 0, 4);
}
CASE(tag_beyond)
{
	build_decl_tag(b, "t", 9, WHOLE);
}
CASE(pointer_to_variable)
{
	build_ptr(b, build_var(b, "v", 1, 0));
}
CASE(const_section)
{
	build_ref(b, BC_CONST, "", build_sized(b, BC_DATASEC, ".data", 0));
}
CASE(typedef_of_tag)
{
	build_ref(b, BC_TYPEDEF, "t", build_decl_tag(b, "t", 3, WHOLE));
}
CASE(void_member)
{
	build_member(b, build_sized(b, BC_STRUCT, "t", 4), "m", 0, 0);
}
CASE(function_member)
{
	uint32_t proto = build_proto(b, 0);

	build_member(b, build_sized(b, BC_UNION, "t", 4), "m", proto, 0);
}
CASE(forward_member)
{
	uint32_t forward = build_fwd(b, "f", false);

	build_member(b, build_sized(b, BC_STRUCT, "t", 4), "m", forward, 0);
}
CASE(variable_member)
{
	uint32_t var = build_var(b, "v", 1, 0);

	build_member(b, build_sized(b, BC_STRUCT, "t", 4), "m", var, 0);
}
CASE(const_void_member)
{
	uint32_t nothing = build_ref(b, BC_CONST, "", 0);

	build_member(b, build_sized(b, BC_STRUCT, "t", 4), "m", nothing, 0);
}
CASE(member_outside)
{
	build_member(b, build_sized(b, BC_STRUCT, "t", 4), "m", 1, 33);
}
CASE(array_of_void)
{
	build_array(b, 0, 1, 2);
}
CASE(array_by_void)
{
	build_array(b, 1, 0, 2);
}
CASE(array_of_functions)
{
	build_array(b, build_proto(b, 0), 1, 2);
}
CASE(function_of_int)
{
	build_func(b, "f", 1, 0);
}
CASE(function_of_void)
{
	build_func(b, "f", 0, 0);
}
CASE(named_ellipsis)
{
	build_param(b, build_proto(b, 0), "p", 0);
}
CASE(early_ellipsis)
{
	uint32_t proto = build_proto(b, 0);

	build_param(b, proto, "", 0);
	build_param(b, proto, "p", 1);
}
CASE(function_parameter)
{
	uint32_t proto = build_proto(b, 0);

	build_param(b, build_proto(b, 0), "p", proto);
}
CASE(function_variable)
{
	build_var(b, "v", build_proto(b, 0), 0);
}
CASE(section_of_int)
{
	build_entry(b, build_sized(b, BC_DATASEC, ".data", 4), 1, 0, 4);
}
CASE(section_of_void)
{
	build_entry(b, build_sized(b, BC_DATASEC, ".data", 4), 0, 0, 4);
}
CASE(tag_on_int)
{
	build_decl_tag(b, "t", 1, WHOLE);
}
CASE(tag_on_void)
{
	build_decl_tag(b, "t", 0, WHOLE);
}
CASE(tag_on_missing_member)
{
	build_decl_tag(b, "t", 3, 1);
}
CASE(tag_on_member_of_typedef)
{
	build_decl_tag(b, "t", build_ref(b, BC_TYPEDEF, "s_t", 3), 0);
}
CASE(tag_on_missing_parameter)
{
	build_decl_tag(b, "t", build_func(b, "f", build_proto(b, 0), 0), 0);
}
CASE(tag_on_minus_two)
{
	build_decl_tag(b, "t", 3, -2);
}
CASE(const_of_itself)
{
	build_ref(b, BC_CONST, "", 4);
}
CASE(typedefs_of_each_other)
{
	build_ref(b, BC_TYPEDEF, "a", 5);
	build_ref(b, BC_TYPEDEF, "b", 4);
}
CASE(array_of_itself)
{
	build_array(b, 4, 1, 2);
}
CASE(empty_array_of_itself)
{
	build_array(b, 4, 1, 0);
}
CASE(struct_in_itself)
{
	build_member(b, build_sized(b, BC_STRUCT, "t", 8), "m", 4, 0);
}
CASE(struct_in_its_array)
{
	build_member(b, build_sized(b, BC_STRUCT, "t", 8), "m", 5, 0);
	build_ref(b, BC_TYPEDEF, "ts", 6);
	build_array(b, 4, 1, 2);
}
CASE(tag_of_itself)
{
	build_ref(b, BC_TYPE_TAG, "t", 4);
}

static const struct graph_case refused[] = {
	{ "TYPEDEF without name", unnamed_typedef, 4 },
	{ "FWD without name", unnamed_forward, 4 },
	{ "FUNC without name", unnamed_function, 5 },
	{ "VAR without name", unnamed_variable, 4 },
	{ "DATASEC without name", unnamed_section, 4 },
	{ "TYPE_TAG without name", unnamed_type_tag, 4 },
	{ "DECL_TAG without name", unnamed_decl_tag, 4 },
	{ "kind_flag on PTR", kflag_on_pointer, 4 },
	{ "vlen on INT", vlen_on_int, 4 },
	{ "vlen on FWD", vlen_on_forward, 4 },
	{ "FUNC of linkage 3", function_linkage, 5 },
	{ "VAR of linkage 3", variable_linkage, 4 },
	{ "INT wider than its size", int_too_wide, 4 },
	{ "INT with bits beyond its size", int_beyond_its_bytes, 4 },
	{ "INT of 129 bits", int_of_129_bits, 4 },
	{ "INT with an unknown encoding", int_encoding, 4 },
	{ "ENUM of 3 bytes", enum_size, 4 },
	{ "ENUM64 of 16 bytes", enum64_size, 4 },
	{ "ARRAY with a size of its own", array_size, 4 },
	{ "FWD with a size", forward_size, 4 },
	{ "FLOAT of 3 bytes", float_size, 4 },
	{ "PTR to one after the last", pointer_beyond, 4 },
	{ "PTR to 0xffffffff", pointer_far_beyond, 4 },
	{ "member of no type", member_beyond, 4 },
	{ "parameter of no type", parameter_beyond, 4 },
	{ "index of no type", index_beyond, 4 },
	{ "entry of no type", entry_beyond, 4 },
	{ "tag on no type", tag_beyond, 4 },
	{ "PTR to VAR", pointer_to_variable, 5 },
	{ "CONST of DATASEC", const_section, 5 },
	{ "TYPEDEF of DECL_TAG", typedef_of_tag, 5 },
	{ "void as member", void_member, 4 },
	{ "FUNC_PROTO as member", function_member, 5 },
	{ "FWD as member", forward_member, 5 },
	{ "VAR as member", variable_member, 5 },
	{ "const void as member", const_void_member, 5 },
	{ "member beyond its struct", member_outside, 4 },
	{ "array of void", array_of_void, 4 },
	{ "array indexed by void", array_by_void, 4 },
	{ "array of functions", array_of_functions, 5 },
	{ "FUNC of INT", function_of_int, 4 },
	{ "FUNC of void", function_of_void, 4 },
	{ "named parameter without type", named_ellipsis, 4 },
	{ "... before the end", early_ellipsis, 4 },
	{ "FUNC_PROTO as parameter", function_parameter, 5 },
	{ "VAR of FUNC_PROTO", function_variable, 5 },
	{ "section of INT", section_of_int, 4 },
	{ "section of void", section_of_void, 4 },
	{ "DECL_TAG on INT", tag_on_int, 4 },
	{ "DECL_TAG on void", tag_on_void, 4 },
	{ "DECL_TAG on a member that is not there", tag_on_missing_member, 4 },
	{ "DECL_TAG on a member of a TYPEDEF", tag_on_member_of_typedef, 5 },
	{ "DECL_TAG on a parameter that is not there", tag_on_missing_parameter, 6 },
	{ "DECL_TAG on component -2", tag_on_minus_two, 4 },
	{ "CONST of itself", const_of_itself, 4 },
	{ "TYPEDEFs of each other", typedefs_of_each_other, 4 },
	{ "array of itself", array_of_itself, 4 },
	{ "empty array of itself", empty_array_of_itself, 4 },
	{ "struct in itself", struct_in_itself, 4 },
	{ "struct in an array in itself", struct_in_its_array, 4 },
	{ "TYPE_TAG of itself", tag_of_itself, 4 },
};

CASE(typedef_of_its_pointer)
{
	build_ref(b, BC_TYPEDEF, "T", build_ptr(b, 5));
}
CASE(pointer_to_itself)
{
	build_ptr(b, 4);
}
CASE(members_out_of_order)
{
	uint32_t id = build_sized(b, BC_STRUCT, "t", 8);

	build_member(b, id, "second", 1, 32);
	build_member(b, id, "first", 1, 0);
}
CASE(entries_that_overlap)
{
	uint32_t first = build_var(b, "v", 1, 0), second = build_var(b, "w", 1, 0);
	uint32_t id = build_sized(b, BC_DATASEC, ".data", 8);

	build_entry(b, id, second, 4, 4);
	build_entry(b, id, first, 4, 4);
}
CASE(section_of_functions)
{
	uint32_t func = build_func(b, "f", build_proto(b, 0), 2);

	build_entry(b, build_sized(b, BC_DATASEC, ".ksyms", 0), func, 0, 0);
}
CASE(narrow_enums)
{
	build_sized(b, BC_ENUM, "e", 1);
	build_sized(b, BC_ENUM, "f", 8);
	build_sized(b, BC_ENUM64, "g", 1);
}
CASE(nothing_of_size)
{
	build_member(b, build_sized(b, BC_STRUCT, "t", 0), "m", build_array(b, 1, 1, 0), 0);
}
CASE(large_int)
{
	build_int(b, "unsigned __int128", 16, 128);
}
CASE(function_returning_forward)
{
	uint32_t forward = build_fwd(b, "f", false);

	build_param(b, build_proto(b, forward), "p", forward);
	build_var(b, "v", forward, 2);
}
CASE(tagged_parameter)
{
	uint32_t proto = build_proto(b, 0);

	build_param(b, proto, "p", 1);
	build_decl_tag(b, "t", build_func(b, "f", proto, 0), 0);
}

static const struct graph_case read_anyway[] = {
	{ "typedef T -> T *", typedef_of_its_pointer, 0 },
	{ "a pointer to itself", pointer_to_itself, 0 },
	{ "members out of order", members_out_of_order, 0 },
	{ "variables that overlap", entries_that_overlap, 0 },
	{ "functions in a section", section_of_functions, 0 },
	{ "enums of 1 and 8 bytes", narrow_enums, 0 },
	{ "a struct without size", nothing_of_size, 0 },
	{ "an INT of 128 bits", large_int, 0 },
	{ "incomplete types by value, where they are declared", function_returning_forward, 0 },
	{ "a tag on a parameter", tagged_parameter, 0 },
};

static struct build *make_case(struct bc_arena *arena, const struct graph_case *test)
{
	struct build *build = build_new(arena, NULL);

	build_int(build, "int", 4, SIGNED_INT);
	build_ptr(build, 0);
	build_member(build, build_sized(build, BC_STRUCT, "s", 4), "m", 1, 0);
	test->make(build);
	return build;
}

static void bad_graphs_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct bc_arena arena = { 0 };
		struct law_bytes bytes = law_build(make_case(&arena, &refused[i]), NULL);
		struct bc_graph graph;
		struct bc_err err;
		char named[32];

		snprintf(named, sizeof(named), "type %u:", refused[i].type_id);
		if (bc_btf_read(&graph, bytes.data, bytes.size_bytes, NULL, &arena, NULL, &err))
			fail_msg("%s: read", refused[i].what);
		if (!strstr(err.text, named))
			fail_msg("%s: not \"%s …\" but \"%s\"", refused[i].what, named, err.text);
		bc_arena_free(&arena);
	}
}

static void odd_graphs_are_read(void **state)
{
	(void)state;
	law_round(0);
	for (size_t i = 0; i < sizeof(read_anyway) / sizeof(read_anyway[0]); i++) {
		struct bc_arena arena = { 0 };
		struct build *build = make_case(&arena, &read_anyway[i]);

		assert_int_equal(law_read(&arena, law_build(build, NULL), NULL).type_count,
				 build->type_count);
		bc_arena_free(&arena);
	}
}

/* Words of the header by number: 1 is hdr_len, then offset and length of types, strings, layout. */
enum {
	HEADER_BYTES = 1,
	TYPE_OFFSET,
	TYPE_BYTES,
	STRING_OFFSET,
	STRING_BYTES,
	LAYOUT_OFFSET,
	LAYOUT_BYTES
};

struct header_case {
	const char *what;
	uint32_t word;
	int64_t add;
};

static const struct header_case bad_headers[] = {
	{ "a header shorter than 24 bytes", HEADER_BYTES, -12 },
	{ "a header of odd length", HEADER_BYTES, 1 },
	{ "a header longer than the data", HEADER_BYTES, 4000 },
	{ "a header of 4 GiB", HEADER_BYTES, -33 },
	{ "types off their words", TYPE_OFFSET, 2 },
	{ "types beyond the end", TYPE_OFFSET, 4000 },
	{ "types of odd length", TYPE_BYTES, -1 },
	{ "types that end early", TYPE_BYTES, -4 },
	{ "types in the strings", TYPE_BYTES, 4 },
	{ "strings in the types", STRING_OFFSET, -4 },
	{ "strings beyond the end", STRING_OFFSET, 1 },
	{ "strings that end early", STRING_BYTES, -1 },
	{ "strings that are too long", STRING_BYTES, 1 },
	{ "strings of 4 GiB", STRING_BYTES, 0xfffffff0 },
	{ "a layout beyond the end", LAYOUT_BYTES, 4000 },
	{ "a layout of odd length", LAYOUT_BYTES, 1 },
	{ "a layout in the types", LAYOUT_BYTES, 4 },
};

static void add_to_word(uint8_t *at, int64_t add)
{
	uint32_t word = 0;

	for (uint32_t i = 0; i < 4; i++)
		word |= (uint32_t)at[i] << 8 * i;
	word += (uint32_t)add;
	for (uint32_t i = 0; i < 4; i++)
		at[i] = (uint8_t)(word >> 8 * i);
}

static struct law_bytes make_plain(struct bc_arena *arena)
{
	static const struct build_format format = { .header_bytes = 32 };
	struct build *build = build_new(arena, NULL);

	build_ptr(build, build_int(build, "int", 4, SIGNED_INT));
	return law_build(build, &format);
}

static bool is_read(struct bc_arena *arena, const uint8_t *data, size_t size_bytes)
{
	struct bc_graph graph;
	struct bc_err err = { .text = "" };
	bool done = bc_btf_read(&graph, data, size_bytes, NULL, arena, NULL, &err);

	assert_int_equal(done, !*err.text);
	return done;
}

static void bad_headers_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad_headers) / sizeof(bad_headers[0]); i++) {
		struct bc_arena arena = { 0 };
		struct law_bytes bytes = make_plain(&arena);
		uint8_t *data = (uint8_t *)(uintptr_t)bytes.data;

		assert_true(is_read(&arena, data, bytes.size_bytes));
		add_to_word(data + 4 * (size_t)bad_headers[i].word, bad_headers[i].add);
		if (is_read(&arena, data, bytes.size_bytes))
			fail_msg("%s: read", bad_headers[i].what);
		bc_arena_free(&arena);
	}
}

/* Byte, value. */
static void bad_bytes_are_refused(void **state)
{
	static const uint32_t bytes_to_set[][2] = {
		{ 0, 0x9e }, { 1, 0 }, { 2, 2 }, { 3, 1 }, { 60, 'x' }, { 64, 'x' },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bytes_to_set) / sizeof(bytes_to_set[0]); i++) {
		struct bc_arena arena = { 0 };
		struct law_bytes bytes = make_plain(&arena);
		uint8_t *data = (uint8_t *)(uintptr_t)bytes.data;

		assert_int_equal(bytes.size_bytes, 65);
		data[bytes_to_set[i][0]] = (uint8_t)bytes_to_set[i][1];
		if (is_read(&arena, data, bytes.size_bytes))
			fail_msg("byte %u may be %u", bytes_to_set[i][0], bytes_to_set[i][1]);
		bc_arena_free(&arena);
	}
}

/* What is in no section is padding: zero. */
static void padding_is_zero(void **state)
{
	static const struct build_format strings_first = { .strings_first = true };
	struct bc_arena arena = { 0 };
	struct build *build = build_new(&arena, NULL);
	uint8_t longer[128] = { 0 };
	size_t size_bytes;
	uint8_t *data;

	(void)state;
	build_int(build, "int", 4, SIGNED_INT);
	data = build_bytes(build, &strings_first, &size_bytes);
	/* 5 bytes of strings after a header of 24, types from 32 on. */
	assert_int_equal(size_bytes, 48);
	for (size_t at = 29; at < 32; at++) {
		assert_true(is_read(&arena, data, size_bytes));
		data[at] = 1;
		assert_false(is_read(&arena, data, size_bytes));
		data[at] = 0;
	}
	memcpy(longer, data, size_bytes);
	assert_true(is_read(&arena, longer, size_bytes + 5));
	longer[size_bytes + 4] = 1;
	assert_false(is_read(&arena, longer, size_bytes + 5));
	bc_arena_free(&arena);
}

/* A split part has no strings of its own, or no types, or neither; and the byte order of its base. */
static void split_parts_fit_their_base(void **state)
{
	(void)state;
	law_round(0);
	for (uint32_t i = 0; i < 4; i++) {
		struct bc_arena arena = { 0 };
		struct build *base = build_new(&arena, NULL), *split;
		struct bc_graph base_graph, graph;
		struct law_bytes bytes;
		struct bc_err err;

		build_int(base, "int", 4, SIGNED_INT);
		base_graph = law_read(&arena, law_build(base, NULL), NULL);
		split = build_new(&arena, base);
		if (i % 2)
			build_ref(split, BC_TYPEDEF, i / 2 ? "new" : "int", 1);
		bytes = law_build(split, NULL);
		graph = law_read(&arena, bytes, &base_graph);
		assert_int_equal(graph.first_id, 2);
		assert_int_equal(graph.type_count, i % 2);
		assert_int_equal(graph.string_bytes, i == 3 ? 4 : 0);
		split->big_endian = true;
		bytes = law_build(split, NULL);
		assert_false(bc_btf_read(&graph, bytes.data, bytes.size_bytes, &base_graph, &arena,
					 NULL, &err));
		bc_arena_free(&arena);
	}
}

/* With the layout section a kind not known here has a length; without, it is an error. */
static void unknown_kinds_need_a_layout(void **state)
{
	static const uint8_t layout[4 * (BC_KIND_COUNT + 1)] = { [4 * BC_INT] = 4 };

	(void)state;
	law_round(0);
	for (uint32_t i = 0; i < 2; i++) {
		struct bc_arena arena = { 0 };
		struct build *build = build_new(&arena, NULL);
		struct bc_graph graph, out;
		struct law_bytes bytes;
		struct bc_err err = { .text = "" };
		uint8_t *data;

		build_int(build, "int", 4, SIGNED_INT);
		build_ref(build, BC_KIND_COUNT, "new", 0);
		build->layout = i ? layout : NULL;
		build->layout_bytes = i ? sizeof(layout) : 0;
		bytes = law_build(build, NULL);
		if (!i) {
			assert_false(is_read(&arena, bytes.data, bytes.size_bytes));
			bc_arena_free(&arena);
			continue;
		}
		graph = law_read(&arena, bytes, NULL);
		assert_true(graph.has_unknown_kind);
		assert_int_equal(graph.type_count, 2);
		assert_false(bc_canonical(&out, &graph, &law_options[0], &arena, NULL, NULL, &err));
		assert_string_not_equal(err.text, "");
		/* Its name is checked all the same. */
		data = (uint8_t *)(uintptr_t)bytes.data;
		add_to_word(data + 32 + 16, 4000);
		assert_false(is_read(&arena, data, bytes.size_bytes));
		bc_arena_free(&arena);
	}
}

/* A base that a kernel newer than this program has made. */
static void a_base_may_have_unknown_kinds(void **state)
{
	static const uint8_t layout[4 * (BC_KIND_MAX + 1)] = { [4 * BC_INT] = 4 };
	struct bc_graph base[2], own, out[2];
	struct bc_arena arena = { 0 };

	(void)state;
	law_round(0);
	for (uint32_t i = 0; i < 2; i++) {
		struct build *build = build_new(&arena, NULL), *split;
		struct bc_err err;

		build_int(build, "int", 4, SIGNED_INT);
		build_ref(build, i ? BC_KIND_MAX : BC_TYPEDEF, "new", 0);
		build->layout = layout;
		build->layout_bytes = sizeof(layout);
		base[i] = law_read(&arena, law_build(build, NULL), NULL);
		assert_int_equal(base[i].has_unknown_kind, i);
		split = build_new(&arena, build);
		build_member(split, build_sized(split, BC_STRUCT, "own", 4), "new", 4, 0);
		build_int(split, "int", 4, SIGNED_INT);
		own = law_read(&arena, law_build(split, NULL), &base[i]);
		if (!bc_canonical(&out[i], &own, &law_options[0], &arena, NULL, NULL, &err))
			law_fail("%s", err.text);
	}
	assert_int_equal(out[0].type_count, 1);
	assert_int_equal(out[1].type_count, 1);
	assert_memory_equal(out[0].words, out[1].words, bc_node_words(out[0].words[1]) * 4);
	bc_arena_free(&arena);
}

/* Any longer header, as long as what is not known in it is zero. */
static void longer_headers_are_read(void **state)
{
	(void)state;
	for (uint32_t header_bytes = 24; header_bytes <= 64; header_bytes += 4) {
		struct bc_arena arena = { 0 };
		struct build *build = build_new(&arena, NULL);
		struct build_format format = { .header_bytes = header_bytes };
		size_t size_bytes;
		uint8_t *data;

		build_int(build, "int", 4, SIGNED_INT);
		data = build_bytes(build, &format, &size_bytes);
		assert_true(is_read(&arena, data, size_bytes));
		data[header_bytes - 1] = 1;
		assert_false(is_read(&arena, data, size_bytes));
		bc_arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_graphs_are_refused),
		cmocka_unit_test(odd_graphs_are_read),
		cmocka_unit_test(bad_headers_are_refused),
		cmocka_unit_test(bad_bytes_are_refused),
		cmocka_unit_test(padding_is_zero),
		cmocka_unit_test(longer_headers_are_read),
		cmocka_unit_test(split_parts_fit_their_base),
		cmocka_unit_test(unknown_kinds_need_a_layout),
		cmocka_unit_test(a_base_may_have_unknown_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

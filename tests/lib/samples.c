/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "tests/lib/samples.h"

#define SIGNED_INT (1u << 24 | 32)
#define PLAIN_INT 32u
#define CHAR_INT 8u
#define BOOL_INT (4u << 24 | 8)
#define WHOLE (-1)
#define WIDTH(bits) ((uint32_t)(bits) << 24)

/* What a sample is made in: each begins so. */
#define BEGIN                                                                                      \
	struct build *b = build_new(arena, base);                                                  \
	(void)base

static uint32_t add_int(struct build *b)
{
	return build_int(b, "int", 4, SIGNED_INT);
}

static uint32_t add_struct(struct build *b, const char *name, uint32_t size)
{
	return build_sized(b, BC_STRUCT, name, size);
}

static struct build *make_empty(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	return b;
}

static struct build *make_ints(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	build_int(b, "unsigned int", 4, PLAIN_INT);
	build_int(b, "int", 4, SIGNED_INT);
	build_int(b, "int", 4, PLAIN_INT);
	build_int(b, "int", 8, PLAIN_INT);
	build_int(b, "int", 4, 4 | 3u << 16);
	build_int(b, "char", 1, CHAR_INT);
	build_int(b, "_Bool", 1, BOOL_INT);
	return b;
}

static struct build *make_floats(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	build_float(b, "double", 8);
	build_float(b, "float", 4);
	build_float(b, "double", 4);
	build_float(b, "long double", 16);
	build_float(b, "float", 4);
	return b;
}

static struct build *make_void_references(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	build_ref(b, BC_RESTRICT, "", build_ptr(b, 0));
	build_ref(b, BC_CONST, "", 0);
	build_ref(b, BC_VOLATILE, "", 0);
	build_ptr(b, build_ref(b, BC_CONST, "", 0));
	build_ref(b, BC_TYPEDEF, "nothing", 0);
	return b;
}

static struct build *make_modifiers(struct bc_arena *arena, const struct build *base)
{
	uint32_t number;
	BEGIN;
	number = add_int(b);
	build_ptr(b, build_ref(b, BC_TYPE_TAG, "b", build_ref(b, BC_TYPE_TAG, "a", number)));
	build_ptr(b, build_ref(b, BC_TYPE_TAG, "a", build_ref(b, BC_TYPE_TAG, "b", number)));
	return b;
}

static struct build *make_type_attributes(struct bc_arena *arena, const struct build *base)
{
	uint32_t number, attribute;
	BEGIN;
	number = add_int(b);
	attribute = build_ref(b, BC_TYPE_TAG, "address_space(1)", number);
	build_type(b, attribute)->kflag = true;
	build_ref(b, BC_TYPE_TAG, "address_space(1)", number);
	build_ptr(b, attribute);
	build_ptr(b, build_ref(b, BC_CONST, "", build_ref(b, BC_VOLATILE, "", number)));
	return b;
}

static struct build *make_arrays(struct bc_arena *arena, const struct build *base)
{
	uint32_t number, index, row;
	BEGIN;
	number = add_int(b);
	index = build_int(b, "index", 8, 64);
	row = build_array(b, number, index, 3);
	build_array(b, row, index, 0);
	build_array(b, number, number, 3);
	build_array(b, index, number, 3);
	return b;
}

static struct build *make_composites(struct bc_arena *arena, const struct build *base)
{
	uint32_t number, id;
	BEGIN;
	number = add_int(b);
	for (uint32_t i = 0; i < 2; i++) {
		id = build_sized(b, i ? BC_UNION : BC_STRUCT, "pair", 8);
		build_member(b, id, "x", number, 0);
		build_member(b, id, "", number, i ? 0 : 32);
	}
	id = add_struct(b, "pair", 8);
	build_member(b, id, "x", number, 0);
	build_member(b, id, "y", number, 0);
	add_struct(b, "empty", 0);
	add_struct(b, "", 0);
	return b;
}

static struct build *make_bitfields(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t id = add_struct(b, "bits", 8);

		build_type(b, id)->kflag = i > 0;
		build_member(b, id, "low", i < 2 ? 4 : 2, i ? WIDTH(3) : 0);
		build_member(b, id, "high", 4, i ? WIDTH(5 + i) | 3 : 16);
	}
	add_int(b);
	return b;
}

static struct build *make_enums(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	for (uint32_t i = 0; i < 6; i++) {
		uint32_t id = build_sized(b, BC_ENUM, i & 1 ? "" : "sign", i == 5 ? 1 : 4);

		build_type(b, id)->kflag = i < 4;
		build_value(b, id, "FIRST", i % 3 ? 1 : 0xffffffff);
		build_value(b, id, "SAME", 7);
		build_value(b, id, "AGAIN", 7);
	}
	return b;
}

static struct build *make_enums64(struct bc_arena *arena, const struct build *base)
{
	static const uint64_t values[] = { 1, UINT64_MAX, 1ull << 32, 1ull << 63, 2 };
	BEGIN;
	for (uint32_t i = 0; i < 5; i++) {
		uint32_t id = build_sized(b, BC_ENUM64, "wide", 8);

		build_type(b, id)->kflag = i % 2;
		build_value(b, id, "V", values[i]);
		build_value(b, id, "W", 0);
	}
	build_ref(b, BC_TYPEDEF, "wide", 3);
	return b;
}

static struct build *make_functions(struct bc_arena *arena, const struct build *base)
{
	uint32_t number, named, variadic;
	BEGIN;
	number = add_int(b);
	named = build_proto(b, number);
	build_param(b, named, "a", number);
	variadic = build_proto(b, number);
	build_param(b, variadic, "", 0);
	build_func(b, "work", named, 0);
	build_func(b, "work", named, 1);
	build_func(b, "work", variadic, 0);
	build_proto(b, 0);
	return b;
}

static struct build *make_parameter_tags(struct bc_arena *arena, const struct build *base)
{
	uint32_t number, proto, first, second;
	BEGIN;
	number = add_int(b);
	proto = build_proto(b, number);
	build_param(b, proto, "a", number);
	first = build_func(b, "work", proto, 0);
	second = build_func(b, "work", proto, 0);
	build_decl_tag(b, "nullable", first, 0);
	build_decl_tag(b, "nullable", first, WHOLE);
	build_decl_tag(b, "nullable", second, WHOLE);
	return b;
}

/* Components compare signed: the whole type comes before its members. */
static struct build *make_member_tags(struct bc_arena *arena, const struct build *base)
{
	uint32_t number, id, attribute;
	BEGIN;
	number = add_int(b);
	id = add_struct(b, "tagged", 8);
	build_member(b, id, "x", number, 0);
	build_member(b, id, "y", number, 32);
	build_decl_tag(b, "t", id, 1);
	build_decl_tag(b, "t", id, WHOLE);
	build_decl_tag(b, "t", id, 0);
	attribute = build_decl_tag(b, "t", id, 0);
	build_type(b, attribute)->kflag = true;
	build_decl_tag(b, "t", id, 1);
	return b;
}

static struct build *make_tagged_twins(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	build_ptr(b, 3);
	build_ptr(b, 4);
	add_struct(b, "twin", 4);
	add_struct(b, "twin", 4);
	build_decl_tag(b, "user", 4, WHOLE);
	build_ptr(b, 1);
	build_ptr(b, 2);
	return b;
}

/* One set is the beginning of another; two are equal and merge. */
static struct build *make_tag_sets(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	for (uint32_t i = 0; i < 3; i++)
		build_ref(b, BC_TYPEDEF, "handle", 0);
	build_decl_tag(b, "a", 1, WHOLE);
	build_decl_tag(b, "a", 2, WHOLE);
	build_decl_tag(b, "b", 2, WHOLE);
	build_decl_tag(b, "a", 3, WHOLE);
	return b;
}

/* Tags on one of two structs that point at each other, unnamed. */
static struct build *make_tagged_cycle(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t id = add_struct(b, "", 8);

		build_member(b, id, "next", id + 1, 0);
		build_ptr(b, i ? 1 : 3);
	}
	build_decl_tag(b, "start", 1, WHOLE);
	build_ref(b, BC_TYPEDEF, "a", 2);
	build_ref(b, BC_TYPEDEF, "a", 4);
	return b;
}

static struct build *make_static_variables(struct bc_arena *arena, const struct build *base)
{
	uint32_t section;
	BEGIN;
	add_int(b);
	for (uint32_t i = 0; i < 4; i++)
		build_var(b, "count", 1, 0);
	section = build_sized(b, BC_DATASEC, ".data", 8);
	build_entry(b, section, 2, 0, 4);
	build_entry(b, section, 3, 4, 4);
	section = build_sized(b, BC_DATASEC, ".bss", 4);
	build_entry(b, section, 4, 4, 4);
	return b;
}

/* As in an object that is not linked: every offset is 0; the order of entries says something. */
static struct build *make_unlinked_sections(struct bc_arena *arena, const struct build *base)
{
	uint32_t section, proto;
	BEGIN;
	proto = build_proto(b, 0);
	build_func(b, "kfunc", proto, 2);
	build_var(b, "first", proto + 6, 1);
	build_var(b, "second", proto + 6, 1);
	section = build_sized(b, BC_DATASEC, ".data", 0);
	build_entry(b, section, 4, 0, 4);
	build_entry(b, section, 3, 0, 4);
	section = build_sized(b, BC_DATASEC, ".ksyms", 0);
	build_entry(b, section, 2, 0, 0);
	add_int(b);
	return b;
}

/* Variables that only their type tells apart, and sections that only a variable does. */
static struct build *make_twin_sections(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	add_int(b);
	build_int(b, "char", 1, CHAR_INT);
	for (uint32_t i = 0; i < 2; i++)
		build_var(b, "b", i + 1, 1);
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t section = build_sized(b, BC_DATASEC, ".data", 4);

		build_entry(b, section, i ? 4 : 3, 0, 4);
	}
	return b;
}

static struct build *make_list_twins(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t id = add_struct(b, "list_head", 16);

		build_member(b, id, "next", id + 1, 0);
		build_member(b, id, "prev", 2, 64);
		build_ptr(b, i == 2 ? 1 : id);
	}
	return b;
}

/* A and B point at each other, C at itself: the same however far one walks. */
static struct build *make_unnamed_cycles(struct bc_arena *arena, const struct build *base)
{
	static const uint32_t next[] = { 4, 2, 6 };
	BEGIN;
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t id = add_struct(b, "", 8);

		build_member(b, id, "n", next[i], 0);
		build_ptr(b, id);
	}
	build_ref(b, BC_TYPEDEF, "tb", 3);
	return b;
}

static struct build *make_pointer_cycles(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	build_ptr(b, 1);
	build_ptr(b, 3);
	build_ptr(b, 2);
	build_ptr(b, 7);
	build_ptr(b, 4);
	build_ref(b, BC_TYPEDEF, "t", 3);
	build_ref(b, BC_TYPEDEF, "T", 5);
	return b;
}

/* X and Y are told apart four references away. */
static struct build *make_deep_difference(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	build_ptr(b, 2);
	build_ptr(b, 3);
	build_ptr(b, 7);
	build_ptr(b, 5);
	build_ptr(b, 6);
	build_ptr(b, 0);
	build_ref(b, BC_CONST, "", 0);
	return b;
}

/* What the nearer level says goes before what the deeper one says, left or right. */
static struct build *make_levels(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	build_ref(b, BC_CONST, "", 0);
	build_ref(b, BC_VOLATILE, "", 0);
	build_ptr(b, 2);
	build_ptr(b, 1);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t proto = build_proto(b, 0);

		build_param(b, proto, "l", 3 + i);
		build_param(b, proto, "r", 1 + i);
	}
	return b;
}

static struct build *make_forward(struct bc_arena *arena, const struct build *base)
{
	uint32_t body;
	BEGIN;
	build_ptr(b, build_fwd(b, "sock", false));
	add_int(b);
	body = add_struct(b, "sock", 8);
	build_member(b, body, "n", 3, 0);
	build_ptr(b, body);
	build_fwd(b, "other", false);
	return b;
}

static struct build *make_ambiguous_forward(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	build_fwd(b, "thing", false);
	add_int(b);
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t body = add_struct(b, "thing", 16);

		for (uint32_t k = 0; k < 1 + i % 2; k++)
			build_member(b, body, "m", 2, 32 * (i + k));
	}
	build_ptr(b, 1);
	build_ptr(b, 4);
	return b;
}

/* Bodies that tie in members and size, told apart by what they point at. */
static struct build *make_tied_forward(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	build_fwd(b, "thing", false);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t body = add_struct(b, "thing", 8);

		build_member(b, body, "p", i ? 5 : 4, 0);
	}
	build_ptr(b, 1);
	build_ptr(b, 6);
	build_ref(b, BC_CONST, "", 0);
	build_ptr(b, 2);
	return b;
}

static struct build *make_forward_classes(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	build_fwd(b, "thing", false);
	build_fwd(b, "thing", true);
	build_sized(b, BC_UNION, "thing", 4);
	build_ptr(b, 1);
	build_ptr(b, 2);
	build_sized(b, BC_ENUM, "thing", 4);
	return b;
}

static struct build *make_forward_enum(struct bc_arena *arena, const struct build *base)
{
	uint32_t body;
	BEGIN;
	build_sized(b, BC_ENUM, "color", 4);
	body = build_sized(b, BC_ENUM, "color", 4);
	build_value(b, body, "RED", 0);
	body = build_sized(b, BC_ENUM64, "color", 8);
	build_value(b, body, "BLUE", 0);
	build_value(b, body, "GREEN", 1ull << 40);
	build_ref(b, BC_TYPEDEF, "color_t", 1);
	build_sized(b, BC_ENUM, "", 4);
	build_sized(b, BC_ENUM, "lonely", 4);
	return b;
}

/* Name order: most referrers, then members, then size. */
static struct build *make_definitions(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t id = add_struct(b, "console", 16 + 8 * (i & 1));

		for (uint32_t k = 0; k < 1 + i / 2; k++)
			build_member(b, id, "m", 6, 32 * k);
	}
	build_ptr(b, 1);
	build_ptr(b, 1);
	add_int(b);
	build_ref(b, BC_CONST, "", 2);
	return b;
}

static struct build *make_names(struct bc_arena *arena, const struct build *base)
{
	BEGIN;
	build_ref(b, BC_TYPEDEF, "z", 0);
	build_ref(b, BC_TYPEDEF, "\xc3\xa9", 0);
	build_ref(b, BC_TYPEDEF, "Z", 0);
	build_ref(b, BC_TYPEDEF, "_z", 0);
	add_struct(b, "z", 0);
	build_float(b, "z", 8);
	build_ref(b, BC_TYPEDEF, "z_", 0);
	return b;
}

static struct build *make_layout(struct bc_arena *arena, const struct build *base)
{
	static const uint8_t layout[4 * BC_KIND_COUNT] = {
		0, 0,  0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 12, 0, 0, 0, 0, 12, 0, 0,
		0, 12, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0,  0, 0,
		0, 0,  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  8, 0, 0, 4, 0,  0, 0,
		0, 12, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0,  0, 0, 0, 0, 12, 0, 0,
	};
	BEGIN;
	b->layout = layout;
	b->layout_bytes = sizeof(layout);
	build_ptr(b, 2);
	add_int(b);
	build_ref(b, BC_TYPEDEF, "odd", 1);
	return b;
}

static struct build *make_base_lists(struct bc_arena *arena)
{
	const struct build *base = NULL;
	uint32_t id;
	BEGIN;
	add_int(b);
	id = add_struct(b, "list_head", 16);
	build_member(b, id, "next", 3, 0);
	build_member(b, id, "prev", 3, 64);
	build_ptr(b, id);
	build_ref(b, BC_TYPEDEF, "twin", 1);
	build_ref(b, BC_TYPEDEF, "twin", 1);
	return b;
}

/* Types of the base said again become the base's; a string is a tail of a base string only. */
static struct build *make_split_lists(struct bc_arena *arena, const struct build *base)
{
	uint32_t id;
	BEGIN;
	id = add_struct(b, "list_head", 16);
	build_member(b, id, "next", 7, 0);
	build_member(b, id, "prev", 3, 64);
	build_ptr(b, 6);
	build_ref(b, BC_TYPEDEF, "twin", 1);
	id = add_struct(b, "head", 32);
	build_member(b, id, "list", 6, 0);
	build_member(b, id, "twin", 8, 128);
	build_ptr(b, 9);
	build_ptr(b, 5);
	return b;
}

static struct build *make_base_sections(struct bc_arena *arena)
{
	const struct build *base = NULL;
	uint32_t section;
	BEGIN;
	add_int(b);
	build_var(b, "v", 1, 0);
	section = build_sized(b, BC_DATASEC, ".data", 4);
	build_entry(b, section, 2, 0, 4);
	add_struct(b, "s", 4);
	build_decl_tag(b, "tag", 4, WHOLE);
	return b;
}

/* Variables and sections stay; a type is the base's only with the same tags. */
static struct build *make_split_sections(struct bc_arena *arena, const struct build *base)
{
	uint32_t section;
	BEGIN;
	build_var(b, "v", 1, 0);
	section = build_sized(b, BC_DATASEC, ".data", 4);
	build_entry(b, section, 6, 0, 4);
	add_struct(b, "s", 4);
	add_struct(b, "s", 4);
	build_decl_tag(b, "tag", 8, WHOLE);
	build_decl_tag(b, "tag", 4, WHOLE);
	build_decl_tag(b, "new", 4, WHOLE);
	return b;
}

static struct build *make_base_forwards(struct bc_arena *arena)
{
	const struct build *base = NULL;
	BEGIN;
	add_int(b);
	build_fwd(b, "open", false);
	build_member(b, add_struct(b, "known", 4), "x", 1, 0);
	build_ptr(b, 2);
	return b;
}

/* A forward takes the base's body; the base's forward stays beside the body given here. */
static struct build *make_split_forwards(struct bc_arena *arena, const struct build *base)
{
	uint32_t id;
	BEGIN;
	build_fwd(b, "known", false);
	build_ptr(b, 5);
	id = add_struct(b, "known", 8);
	build_member(b, id, "x", 1, 0);
	build_member(b, id, "y", 1, 32);
	build_ptr(b, id);
	build_member(b, add_struct(b, "open", 4), "x", 1, 0);
	build_ptr(b, 9);
	build_ptr(b, 2);
	return b;
}

struct build *sample_make_rich(struct bc_arena *arena, const struct build *base)
{
	uint32_t number, id, list, proto, func, var, section;
	BEGIN;
	number = add_int(b);
	build_int(b, "char", 1, CHAR_INT);
	build_float(b, "double", 8);
	list = add_struct(b, "list_head", 16);
	build_member(b, list, "next", list + 1, 0);
	build_member(b, list, "prev", list + 1, 64);
	build_ptr(b, list);
	build_array(b, number, number, 4);
	id = build_sized(b, BC_UNION, "value", 16);
	build_member(b, id, "number", number, 0);
	build_member(b, id, "numbers", list + 2, 0);
	id = add_struct(b, "flags", 4);
	build_type(b, id)->kflag = true;
	build_member(b, id, "low", number, WIDTH(3));
	build_member(b, id, "high", number, WIDTH(5) | 3);
	id = build_sized(b, BC_ENUM, "state", 4);
	build_type(b, id)->kflag = true;
	build_value(b, id, "DOWN", (uint32_t)-1);
	build_value(b, id, "UP", 1);
	id = build_sized(b, BC_ENUM64, "mask", 8);
	build_value(b, id, "HIGH", 1ull << 40);
	build_ptr(b, build_fwd(b, "opaque", false));
	build_fwd(b, "either", true);
	id = build_ref(b, BC_TYPEDEF, "list_t", list);
	build_decl_tag(b, "kept", id, WHOLE);
	id = build_ref(b, BC_CONST, "", build_ref(b, BC_VOLATILE, "", number));
	build_ref(b, BC_RESTRICT, "", build_ptr(b, build_ref(b, BC_TYPE_TAG, "user", id)));
	proto = build_proto(b, number);
	build_param(b, proto, "list", list + 1);
	build_param(b, proto, "", 0);
	func = build_func(b, "walk", proto, 1);
	build_decl_tag(b, "trusted", func, 0);
	var = build_var(b, "count", number, 0);
	build_var(b, "head", list, 1);
	section = build_sized(b, BC_DATASEC, ".data", 24);
	build_entry(b, section, var, 0, 4);
	build_entry(b, section, var + 1, 8, 16);
	build_decl_tag(b, "hot", list, 1);
	return b;
}

const struct sample samples[] = {
	{ "empty", make_empty, NULL },
	{ "ints", make_ints, NULL },
	{ "floats", make_floats, NULL },
	{ "void-references", make_void_references, NULL },
	{ "modifiers", make_modifiers, NULL },
	{ "type-attributes", make_type_attributes, NULL },
	{ "arrays", make_arrays, NULL },
	{ "composites", make_composites, NULL },
	{ "bitfields", make_bitfields, NULL },
	{ "enums", make_enums, NULL },
	{ "enums64", make_enums64, NULL },
	{ "functions", make_functions, NULL },
	{ "parameter-tags", make_parameter_tags, NULL },
	{ "member-tags", make_member_tags, NULL },
	{ "tagged-twins", make_tagged_twins, NULL },
	{ "tag-sets", make_tag_sets, NULL },
	{ "tagged-cycle", make_tagged_cycle, NULL },
	{ "static-variables", make_static_variables, NULL },
	{ "unlinked-sections", make_unlinked_sections, NULL },
	{ "twin-sections", make_twin_sections, NULL },
	{ "list-twins", make_list_twins, NULL },
	{ "unnamed-cycles", make_unnamed_cycles, NULL },
	{ "pointer-cycles", make_pointer_cycles, NULL },
	{ "deep-difference", make_deep_difference, NULL },
	{ "levels", make_levels, NULL },
	{ "forward", make_forward, NULL },
	{ "ambiguous-forward", make_ambiguous_forward, NULL },
	{ "tied-forward", make_tied_forward, NULL },
	{ "forward-classes", make_forward_classes, NULL },
	{ "forward-enum", make_forward_enum, NULL },
	{ "definitions", make_definitions, NULL },
	{ "names", make_names, NULL },
	{ "layout", make_layout, NULL },
	{ "rich", sample_make_rich, NULL },
	{ "split-lists", make_split_lists, make_base_lists },
	{ "split-sections", make_split_sections, make_base_sections },
	{ "split-forwards", make_split_forwards, make_base_forwards },
};

const uint32_t sample_count = sizeof(samples) / sizeof(samples[0]);

struct build *sample_make(const struct sample *sample, struct bc_arena *arena, bool big_endian)
{
	struct build *base = sample->make_base ? sample->make_base(arena) : NULL;
	struct build *build;
	size_t size_bytes;

	if (base) {
		base->big_endian = big_endian;
		build_bytes(base, NULL, &size_bytes);
	}
	build = sample->make(arena, base);
	build->big_endian = big_endian;
	return build;
}

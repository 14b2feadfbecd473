/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "tests/lib/random_units.h"

#include <string.h>

/* Few, so that they meet; of up to three bytes and longer. */
static const char *const tag_names[] = { "foo", "bar_tag", "b", "longer_tag" };
static const char *const typedef_names[] = { "foo", "foo_t", "u32" };
static const char *const member_names[] = { "x", "yy", "next", "a_long_name", "" };
static const char *const value_names[] = { "A", "BBB", "CCCC", "DDDDDD" };
static const char *const decl_tag_names[] = { "user", "a_tag" };

#define DW_TAG_LLVM_annotation 0x6000

#define PICK(rng, list) ((list)[rng_below((rng), sizeof(list) / sizeof((list)[0]))])

struct maker {
	struct unit_set set;
	struct rng *rng;
	const struct random_units_options *options;
	uint32_t first, end; /* ids of the unit being made */
};

/* ---- types ---- */

static bool is_link(uint32_t kind)
{
	return kind == BC_TYPEDEF || kind == BC_ARRAY || bc_kind_is_modifier(kind);
}

static bool is_tag(const struct build_type *type)
{
	return *type->name && (bc_kind_is_composite(type->kind) || bc_kind_is_enum(type->kind) ||
			       type->kind == BC_FWD);
}

/* What a value of type ID is, seen through links. */
static uint32_t find_value(const struct maker *maker, uint32_t id)
{
	while (id && is_link(build_type(maker->set.types, id)->kind))
		id = build_type(maker->set.types, id)->type;
	return id;
}

/* Values have a size, and structs do not contain themselves. */
static bool fits_value(const struct maker *maker, uint32_t from, uint32_t to)
{
	uint32_t value = find_value(maker, to);
	uint32_t kind = value ? build_type(maker->set.types, value)->kind : BC_VOID;

	return kind != BC_VOID && kind != BC_FUNC_PROTO && kind != BC_FWD &&
	       (!bc_kind_is_composite(kind) || value < from);
}

/*
 * Links lead to what is no link, or to lower ones, so that they end. Cycles
 * without a tag are left out unless wanted.
 */
static bool fits(const struct maker *maker, uint32_t from, uint32_t to)
{
	const struct build_type *type = build_type(maker->set.types, from);
	const struct build_type *target = build_type(maker->set.types, to);

	if (is_link(type->kind) && is_link(target->kind) && to >= from)
		return false;
	if ((bc_kind_is_composite(type->kind) || type->kind == BC_ARRAY) &&
	    !fits_value(maker, from, to))
		return false;
	if (type->kind == BC_FUNC_PROTO && find_value(maker, to) &&
	    build_type(maker->set.types, find_value(maker, to))->kind == BC_FUNC_PROTO)
		return false;
	return maker->options->has_unnamed_cycles || is_tag(type) || is_tag(target) || to < from;
}

/* A type of the unit that FROM may refer to; 0: void. */
static uint32_t pick_type(struct maker *maker, uint32_t from, bool may_be_void)
{
	if (may_be_void && rng_percent(maker->rng, 15))
		return 0;
	for (uint32_t tries = 0; tries < 50; tries++) {
		uint32_t to = maker->first + rng_below(maker->rng, maker->end - maker->first);

		if (fits(maker, from, to))
			return to;
	}
	return maker->first; /* a base type */
}

static void add_member(struct maker *maker, uint32_t id)
{
	struct build_type *type = build_type(maker->set.types, id);
	uint32_t offset = rng_below(maker->rng, 6) * 32;

	if (type->kflag)
		offset = (rng_below(maker->rng, 3) ? 1 + rng_below(maker->rng, 8) : 0) << 24 |
			 (offset + rng_below(maker->rng, 24));
	if (type->kind == BC_UNION && !type->kflag)
		offset = 0;
	build_member(maker->set.types, id, PICK(maker->rng, member_names),
		     pick_type(maker, id, false), offset);
}

/* A struct has kind_flag only if some member is a bitfield. */
static void settle_kind_flag(struct build_type *type)
{
	bool has_bitfields = false;

	for (uint32_t i = 0; i < type->element_count; i++)
		has_bitfields |= type->kflag && type->elements[i].offset >> 24;
	type->kflag = has_bitfields;
}

static void add_value(struct maker *maker, uint32_t id)
{
	struct build_type *type = build_type(maker->set.types, id);
	int64_t value = (int64_t)rng_below(maker->rng, 6) - 1;

	if (type->kind == BC_ENUM64 && rng_percent(maker->rng, 30))
		value *= (int64_t)1 << 33;
	type->kflag |= value < 0;
	build_value(maker->set.types, id, PICK(maker->rng, value_names),
		    type->kind == BC_ENUM ? (uint32_t)value : (uint64_t)value);
}

static void make_enum(struct maker *maker, uint32_t id)
{
	struct build_type *type = build_type(maker->set.types, id);
	uint32_t count = 1 + rng_below(maker->rng, 2);

	type->kind = rng_percent(maker->rng, 20) ? BC_ENUM64 : BC_ENUM;
	type->size = type->kind == BC_ENUM64 ? 8 : rng_percent(maker->rng, 80) ? 4 : 1;
	type->kflag = false;
	type->element_count = type->vlen = 0;
	while (count--)
		add_value(maker, id);
}

static void make_body(struct maker *maker, uint32_t id)
{
	struct build_type *type = build_type(maker->set.types, id);
	uint32_t count = rng_below(maker->rng, 4);

	type->kflag = rng_percent(maker->rng, 15);
	type->size = rng_below(maker->rng, 4) * 4;
	type->element_count = type->vlen = 0;
	while (count--)
		add_member(maker, id);
	settle_kind_flag(build_type(maker->set.types, id));
}

static void make_proto(struct maker *maker, uint32_t id)
{
	uint32_t count = rng_below(maker->rng, 3);

	build_type(maker->set.types, id)->type = pick_type(maker, id, true);
	while (count--)
		build_param(maker->set.types, id,
			    rng_percent(maker->rng, 50) ? "" : PICK(maker->rng, member_names),
			    pick_type(maker, id, false));
	if (rng_percent(maker->rng, 20))
		build_param(maker->set.types, id, "", 0);
}

static void fill(struct maker *maker, uint32_t id)
{
	struct build_type *type = build_type(maker->set.types, id);

	switch (type->kind) {
	case BC_STRUCT:
	case BC_UNION:
		make_body(maker, id);
		break;
	case BC_ENUM:
		make_enum(maker, id);
		break;
	case BC_FUNC_PROTO:
		make_proto(maker, id);
		break;
	case BC_ARRAY:
		type->extra = rng_below(maker->rng, 7);
		type->type = pick_type(maker, id, false);
		break;
	case BC_PTR:
	case BC_TYPEDEF:
	case BC_CONST:
	case BC_VOLATILE:
	case BC_RESTRICT:
		type->type = pick_type(maker, id, true);
		break;
	default:
		break;
	}
}

/* ---- units ---- */

static uint32_t add_type(struct maker *maker, const struct build_type *type)
{
	uint32_t id = build_copy(maker->set.types, type);

	maker->set.unit_of[id] = maker->set.unit_count;
	maker->end = id + 1;
	return id;
}

static void add_base_types(struct maker *maker)
{
	static const struct build_type ints[] = {
		{ .kind = BC_INT, .name = "int", .size = 4, .extra = 1u << 24 | 32 },
		{ .kind = BC_INT, .name = "char", .size = 1, .extra = 8 },
		{ .kind = BC_INT, .name = "long unsigned int", .size = 8, .extra = 64 },
		{ .kind = BC_INT, .name = "_Bool", .size = 1, .extra = 4u << 24 | 8 },
		{ .kind = BC_FLOAT, .name = "double", .size = 8 },
		{ .kind = BC_INT, .name = "int", .size = 2, .extra = 16 },
	};
	uint32_t count = rng_percent(maker->rng, 95) ? 5 : 6;

	/* At least one, which is not always int. */
	for (uint32_t i = 0, at = rng_below(maker->rng, 10) == 0; at + i < count; i++)
		if (!i || rng_percent(maker->rng, at + i == 5 ? 100 : 40))
			add_type(maker, &ints[at + i]);
}

/* Bodies and declarations of the tag that TYPE names, in the unit so far, TYPE not counted. */
static uint32_t count_bodies(const struct maker *maker, uint32_t except)
{
	const struct build_type *type = build_type(maker->set.types, except);
	bool is_union = type->kind == BC_UNION || (type->kind == BC_FWD && type->kflag);
	uint32_t count = 0;

	for (uint32_t id = maker->first; id < maker->end; id++) {
		const struct build_type *other = build_type(maker->set.types, id);

		if (id == except || unit_type_is_declared(other) || !is_tag(other) ||
		    strcmp(other->name, type->name))
			continue;
		count += bc_kind_is_enum(type->kind) ?
				 bc_kind_is_enum(other->kind) :
				 other->kind == (is_union ? BC_UNION : BC_STRUCT);
	}
	return count;
}

static bool may_have_body(const struct maker *maker, uint32_t id)
{
	return maker->options->repeats_tags || !count_bodies(maker, id);
}

/* Whether a struct or array of the unit holds the type by value. */
static bool is_held(const struct maker *maker, uint32_t id)
{
	for (uint32_t holder = maker->first; holder < maker->end; holder++) {
		struct build_type *type = build_type(maker->set.types, holder);

		if (!bc_kind_is_composite(type->kind) && type->kind != BC_ARRAY)
			continue;
		for (uint32_t k = 0; k < build_edge_count(type); k++)
			if (find_value(maker, *build_edge(type, k)) == id)
				return true;
	}
	return false;
}

static void declare(struct build_type *type)
{
	bool is_union = type->kind == BC_UNION;

	type->element_count = type->vlen = 0;
	type->size = 0;
	type->kflag = false;
	if (bc_kind_is_enum(type->kind)) {
		type->kind = BC_ENUM;
		type->size = 4;
	} else {
		type->kind = BC_FWD;
		type->kflag = is_union;
	}
}

/* A declaration gets a body. */
static void define(struct maker *maker, uint32_t id)
{
	struct build_type *type = build_type(maker->set.types, id);

	if (bc_kind_is_enum(type->kind)) {
		make_enum(maker, id);
		return;
	}
	type->kind = type->kflag ? BC_UNION : BC_STRUCT;
	make_body(maker, id);
}

static void add_new_types(struct maker *maker, uint32_t count)
{
	static const uint8_t kinds[] = {
		BC_STRUCT,  BC_STRUCT,     BC_STRUCT,   BC_STRUCT,   BC_STRUCT, BC_UNION,
		BC_PTR,     BC_PTR,        BC_PTR,      BC_PTR,      BC_FWD,    BC_FWD,
		BC_ENUM,    BC_ENUM,       BC_CONST,    BC_ARRAY,    BC_ARRAY,  BC_TYPEDEF,
		BC_TYPEDEF, BC_FUNC_PROTO, BC_VOLATILE, BC_RESTRICT,
	};
	uint32_t first = maker->end;

	while (count--) {
		struct build_type type = { .kind = PICK(maker->rng, kinds), .name = "" };
		uint32_t id;

		if (type.kind == BC_TYPEDEF)
			type.name = PICK(maker->rng, typedef_names);
		else if (type.kind == BC_FWD)
			type.kflag = rng_percent(maker->rng, 25);
		else if (type.kind == BC_ENUM)
			type.size = 4;
		if (type.kind == BC_FWD || type.kind == BC_ENUM || bc_kind_is_composite(type.kind))
			type.name = type.kind != BC_FWD && rng_percent(maker->rng, 30) ?
					    "" :
					    PICK(maker->rng, tag_names);
		id = add_type(maker, &type);
		if (*type.name && type.kind != BC_TYPEDEF && type.kind != BC_FWD &&
		    (rng_percent(maker->rng, 15) || !may_have_body(maker, id)))
			declare(build_type(maker->set.types, id));
	}
	/* Links first: what they lead to says whether they are values. */
	for (uint32_t id = first; id < maker->end; id++)
		if (is_link(build_type(maker->set.types, id)->kind))
			fill(maker, id);
	for (uint32_t id = first; id < maker->end; id++)
		if (is_link(build_type(maker->set.types, id)->kind))
			continue;
		else if (!unit_type_is_declared(build_type(maker->set.types, id)) ||
			 (bc_kind_is_enum(build_type(maker->set.types, id)->kind) &&
			  may_have_body(maker, id) && rng_percent(maker->rng, 80)))
			fill(maker, id);
}

static void copy_unit(struct maker *maker, uint32_t unit)
{
	const struct unit_set *set = &maker->set;
	uint32_t end = maker->first, from = 0;

	for (uint32_t id = 1; id < end; id++) {
		if (set->unit_of[id] != unit)
			continue;
		from = from ? from : id;
		add_type(maker, build_type(set->types, id));
	}
	/* A unit's ids are a run. References into other units stay. */
	for (uint32_t id = end; id < maker->end; id++) {
		struct build_type *type = build_type(set->types, id);

		for (uint32_t k = 0; k < build_edge_count(type); k++) {
			uint32_t *edge = build_edge(type, k);

			if (*edge && set->unit_of[*edge] == unit)
				*edge += end - from;
		}
	}
}

static void change_body(struct maker *maker, uint32_t id)
{
	struct build_type *type = build_type(maker->set.types, id);
	struct build_element *element =
		type->element_count ? &type->elements[rng_below(maker->rng, type->element_count)] :
				      NULL;

	switch (rng_below(maker->rng, 5)) {
	case 0:
		type->size += 4;
		break;
	case 1:
		add_member(maker, id);
		break;
	case 2:
		if (element)
			element->name = PICK(maker->rng, member_names);
		break;
	case 3:
		if (element)
			type->vlen = --type->element_count;
		break;
	default:
		if (element)
			element->type = pick_type(maker, id, false);
		break;
	}
	settle_kind_flag(build_type(maker->set.types, id));
}

static void change(struct maker *maker, uint32_t id)
{
	struct build_type *type = build_type(maker->set.types, id);
	struct rng *rng = maker->rng;

	if (unit_type_is_declared(type)) {
		if (rng_percent(rng, 35) && may_have_body(maker, id))
			define(maker, id);
	} else if (is_tag(type) && rng_percent(rng, 20) && !is_held(maker, id)) {
		declare(type);
	} else if (bc_kind_is_composite(type->kind) && rng_percent(rng, 15)) {
		change_body(maker, id);
	} else if (bc_kind_is_enum(type->kind) && rng_percent(rng, 15)) {
		make_enum(maker, id);
	} else if (type->kind == BC_PTR && rng_percent(rng, 5)) {
		type->type = pick_type(maker, id, true);
	}
}

/* Some references lead to other units, to what is no link. */
static void cross_units(struct maker *maker)
{
	const struct unit_set *set = &maker->set;
	uint32_t end = build_id_end(set->types);

	for (uint32_t id = 1; id < end; id++) {
		struct build_type *type = build_type(set->types, id);

		for (uint32_t k = 0; k < build_edge_count(type); k++) {
			uint32_t to = 1 + rng_below(maker->rng, end - 1);
			const struct build_type *target = build_type(set->types, to);

			if (!rng_percent(maker->rng, 6) || !*build_edge(type, k) ||
			    is_link(target->kind) ||
			    (is_link(type->kind) && target->kind != BC_PTR &&
			     !bc_kind_is_enum(target->kind)) ||
			    !fits(maker, id, to))
				continue;
			*build_edge(type, k) = to;
		}
	}
}

/* Some structs, unions and typedefs have tags, or their members do. */
static void add_decl_tags(struct maker *maker)
{
	struct build *types = maker->set.types;
	uint32_t end = build_id_end(types);

	for (uint32_t id = 1; id < end; id++) {
		const struct build_type *type = build_type(types, id);
		bool is_composite = bc_kind_is_composite(type->kind);
		int32_t component = -1;
		uint32_t tag;

		if ((!is_composite && type->kind != BC_TYPEDEF) || !rng_percent(maker->rng, 6))
			continue;
		if (is_composite && type->element_count && rng_percent(maker->rng, 50))
			component = (int32_t)rng_below(maker->rng, type->element_count);
		tag = build_decl_tag(types, PICK(maker->rng, decl_tag_names), id, component);
		maker->set.unit_of[tag] = maker->set.unit_of[id];
	}
}

struct unit_set random_units(struct bc_arena *arena, struct rng *rng,
			     const struct random_units_options *options)
{
	uint32_t limit = 2 * options->unit_count * (8 + 3 * options->type_count) *
			 (1 + options->unit_count);
	struct maker maker = {
		.set = { .types = build_new(arena, NULL),
			 .unit_of = build_alloc(arena, limit, sizeof(uint32_t)) },
		.rng = rng,
		.options = options,
	};

	maker.end = 1;
	for (; maker.set.unit_count < options->unit_count; maker.set.unit_count++) {
		uint32_t added = 1 + rng_below(rng, options->type_count);

		maker.first = maker.end;
		if (maker.set.unit_count && rng_percent(rng, 80)) {
			copy_unit(&maker, rng_below(rng, maker.set.unit_count));
			for (uint32_t id = maker.first; id < maker.end; id++)
				change(&maker, id);
			added = rng_below(rng, 3);
		} else {
			add_base_types(&maker);
		}
		add_new_types(&maker, added);
	}
	if (options->crosses_units)
		cross_units(&maker);
	add_decl_tags(&maker);
	return maker.set;
}

/* ---- the same units again ---- */

/* Copies a unit; NEW_ID says where its types went last. */
static void append_unit(struct unit_set *to, const struct unit_set *from, uint32_t unit,
			uint32_t *new_id)
{
	for (uint32_t id = 1; id < build_id_end(from->types); id++) {
		if (from->unit_of[id] != unit)
			continue;
		new_id[id] = build_copy(to->types, build_type(from->types, id));
		to->unit_of[new_id[id]] = to->unit_count;
	}
	to->unit_count++;
}

/* The old units, each once or twice, in random order. */
static uint32_t *order_units(struct bc_arena *arena, struct rng *rng, uint32_t unit_count,
			     bool repeats, uint32_t *count)
{
	uint32_t *units = build_alloc(arena, 2 * unit_count, sizeof(*units));

	*count = 0;
	for (uint32_t unit = 0; unit < unit_count; unit++) {
		units[(*count)++] = unit;
		if (repeats)
			units[(*count)++] = unit;
	}
	for (uint32_t i = *count; i > 1; i--) {
		uint32_t other = rng_below(rng, i), unit = units[i - 1];

		units[i - 1] = units[other];
		units[other] = unit;
	}
	return units;
}

struct unit_set random_units_again(struct bc_arena *arena, struct rng *rng,
				   const struct unit_set *set, bool repeats)
{
	uint32_t end = build_id_end(set->types), count;
	uint32_t *units = order_units(arena, rng, set->unit_count, repeats, &count);
	uint32_t **new_ids = build_alloc(arena, count, sizeof(*new_ids));
	uint32_t *last_new_id = build_alloc(arena, end, sizeof(uint32_t));
	struct unit_set again = { .types = build_new(arena, NULL),
				  .unit_of = build_alloc(arena, 2 * end, sizeof(uint32_t)) };

	for (uint32_t i = 0; i < count; i++) {
		append_unit(&again, set, units[i], last_new_id);
		new_ids[i] = build_alloc(arena, end, sizeof(uint32_t));
		memcpy(new_ids[i], last_new_id, end * sizeof(uint32_t));
	}
	/* References within a unit lead to that copy, others to the last one. */
	for (uint32_t id = 1; id < build_id_end(again.types); id++) {
		struct build_type *type = build_type(again.types, id);
		uint32_t unit = again.unit_of[id];

		for (uint32_t k = 0; k < build_edge_count(type); k++) {
			uint32_t *edge = build_edge(type, k);

			if (*edge && set->unit_of[*edge] == units[unit])
				*edge = new_ids[unit][*edge];
			else
				*edge = last_new_id[*edge];
		}
	}
	again.types->big_endian = set->types->big_endian;
	return again;
}

/* ---- DWARF ---- */

struct writer {
	struct rng *rng;
	const struct unit_set *set;
	struct dwarf_unit *unit;
	struct dwarf_die **die_of; /* by id */
	bool uses_strx;
};

static void maybe_indirect(struct writer *writer, struct dwarf_attribute *attribute)
{
	attribute->is_indirect = attribute->form != DW_FORM_implicit_const &&
				 rng_percent(writer->rng, 4);
}

static void add_text(struct writer *writer, struct dwarf_die *die, uint16_t name, const char *text)
{
	static const uint16_t forms[] = { DW_FORM_strp,      DW_FORM_strp,  DW_FORM_string,
					  DW_FORM_line_strp, DW_FORM_strx,  DW_FORM_strx1,
					  DW_FORM_strx2,     DW_FORM_strx3, DW_FORM_strx4 };
	uint16_t form = forms[rng_below(writer->rng, writer->unit->version < 5 ? 3 : 9)];

	writer->uses_strx |= form >= DW_FORM_strx1 || form == DW_FORM_strx;
	maybe_indirect(writer, dwarf_text(die, name, form, text));
}

static void add_name(struct writer *writer, struct dwarf_die *die, const char *name)
{
	if (*name)
		add_text(writer, die, DW_AT_name, name);
}

/* In a form that can hold it. */
static void add_number(struct writer *writer, struct dwarf_die *die, uint16_t name, uint64_t value)
{
	static const uint16_t forms[] = { DW_FORM_data1,         DW_FORM_data2, DW_FORM_data4,
					  DW_FORM_data8,         DW_FORM_udata, DW_FORM_sdata,
					  DW_FORM_implicit_const };
	static const uint64_t limits[] = { 0xff,       0xffff,    0xffffffff, UINT64_MAX,
					   UINT64_MAX, INT64_MAX, INT64_MAX };
	uint32_t count = writer->unit->version < 5 ? 6 : 7, i;

	do {
		i = rng_below(writer->rng, count);
	} while (value > limits[i]);
	maybe_indirect(writer, dwarf_number(die, name, forms[i], value));
}

static void add_reference(struct writer *writer, struct dwarf_die *die, uint16_t name, uint32_t id)
{
	static const uint16_t forms[] = { DW_FORM_ref4, DW_FORM_ref4,      DW_FORM_ref2,
					  DW_FORM_ref8, DW_FORM_ref_udata, DW_FORM_ref_addr };
	const struct dwarf_die *target = writer->die_of[id];
	uint16_t form = target->unit == die->unit ? PICK(writer->rng, forms) : DW_FORM_ref_addr;

	maybe_indirect(writer, dwarf_refer(die, name, form, target));
}

static void add_type_of(struct writer *writer, struct dwarf_die *die, uint32_t id)
{
	if (id)
		add_reference(writer, die, DW_AT_type, id);
}

static uint16_t tag_of(struct writer *writer, const struct build_type *type)
{
	switch (type->kind) {
	case BC_PTR:
		return DW_TAG_pointer_type;
	case BC_TYPEDEF:
		return DW_TAG_typedef;
	case BC_CONST:
		return DW_TAG_const_type;
	case BC_VOLATILE:
		return DW_TAG_volatile_type;
	case BC_RESTRICT:
		return DW_TAG_restrict_type;
	case BC_ARRAY:
		return DW_TAG_array_type;
	case BC_FUNC_PROTO:
		return DW_TAG_subroutine_type;
	case BC_ENUM:
	case BC_ENUM64:
		return DW_TAG_enumeration_type;
	case BC_UNION:
		return DW_TAG_union_type;
	case BC_FWD:
		if (type->kflag)
			return DW_TAG_union_type;
		return rng_percent(writer->rng, 10) ? DW_TAG_class_type : DW_TAG_structure_type;
	case BC_STRUCT:
		return rng_percent(writer->rng, 10) ? DW_TAG_class_type : DW_TAG_structure_type;
	default:
		return DW_TAG_base_type;
	}
}

static bool is_big_endian(const struct writer *writer)
{
	return writer->unit->build->big_endian;
}

/* In DWARF 4's way, or in the old one: from the high end of a storage of four bytes. */
static void add_bitfield(struct writer *writer, struct dwarf_die *die, uint32_t offset,
			 uint32_t width)
{
	uint32_t within = offset % 32;

	add_number(writer, die, DW_AT_bit_size, width);
	if (within + width > 32 || rng_percent(writer->rng, 60)) {
		add_number(writer, die, DW_AT_data_bit_offset, offset);
		return;
	}
	add_number(writer, die, DW_AT_data_member_location, offset / 32 * 4);
	add_number(writer, die, DW_AT_byte_size, 4);
	add_number(writer, die, DW_AT_bit_offset,
		   is_big_endian(writer) ? within : 32 - within - width);
}

static void add_place(struct writer *writer, struct dwarf_die *die, uint32_t bit_offset)
{
	uint8_t location[] = { DW_OP_plus_uconst, (uint8_t)(bit_offset / 8) };

	if (!bit_offset && rng_percent(writer->rng, 50))
		return;
	if (bit_offset % 8)
		add_number(writer, die, DW_AT_data_bit_offset, bit_offset);
	else if (bit_offset / 8 < 128 && rng_percent(writer->rng, 20))
		dwarf_block(die, DW_AT_data_member_location, DW_FORM_block1, location, 2);
	else
		add_number(writer, die, DW_AT_data_member_location, bit_offset / 8);
}

/* The tags of type ID, or of its member COMPONENT, are children of its DIE. */
static void write_decl_tags(struct writer *writer, struct dwarf_die *die, uint32_t id,
			    uint32_t component)
{
	for (uint32_t tag = 1; tag < build_id_end(writer->set->types); tag++) {
		const struct build_type *type = build_type(writer->set->types, tag);
		struct dwarf_die *annotation;

		if (type->kind != BC_DECL_TAG || type->type != id || type->extra != component)
			continue;
		annotation = dwarf_die_new(die, DW_TAG_LLVM_annotation);
		add_name(writer, annotation, "btf_decl_tag");
		add_text(writer, annotation, DW_AT_const_value, type->name);
	}
}

static void write_member(struct writer *writer, struct dwarf_die *parent, uint32_t id, uint32_t i)
{
	const struct build_type *type = build_type(writer->set->types, id);
	const struct build_element *member = &type->elements[i];
	struct dwarf_die *die = dwarf_die_new(parent, DW_TAG_member);
	uint32_t width = type->kflag ? member->offset >> 24 : 0;
	uint32_t offset = type->kflag ? member->offset & 0xffffff : member->offset;

	add_name(writer, die, member->name);
	add_type_of(writer, die, member->type);
	if (width)
		add_bitfield(writer, die, offset, width);
	else
		add_place(writer, die, offset);
	write_decl_tags(writer, die, id, i);
}

static void write_value(struct writer *writer, struct dwarf_die *parent,
			const struct build_type *type, const struct build_element *element)
{
	struct dwarf_die *die = dwarf_die_new(parent, DW_TAG_enumerator);
	int64_t value = type->kind == BC_ENUM && type->kflag ? (int32_t)element->value :
							       (int64_t)element->value;

	add_name(writer, die, element->name);
	if (value < 0)
		dwarf_number(die, DW_AT_const_value, DW_FORM_sdata, (uint64_t)value);
	else
		add_number(writer, die, DW_AT_const_value, (uint64_t)value);
}

static void write_parameter(struct writer *writer, struct dwarf_die *parent,
			    const struct build_element *parameter)
{
	struct dwarf_die *die;

	if (!parameter->type) {
		dwarf_die_new(parent, DW_TAG_unspecified_parameters);
		return;
	}
	die = dwarf_die_new(parent, DW_TAG_formal_parameter);
	add_name(writer, die, parameter->name);
	add_type_of(writer, die, parameter->type);
}

static void write_dimension(struct writer *writer, struct dwarf_die *parent, uint32_t count)
{
	struct dwarf_die *die = dwarf_die_new(parent, DW_TAG_subrange_type);

	if (rng_percent(writer->rng, 50) && count)
		add_number(writer, die, DW_AT_upper_bound, count - 1);
	else if (count || rng_percent(writer->rng, 50))
		add_number(writer, die, DW_AT_count, count);
}

static void write_array(struct writer *writer, struct dwarf_die *die, uint32_t count)
{
	uint32_t first = count && count % 2 == 0 && rng_percent(writer->rng, 50) ? 2 : 1;

	if (first > 1)
		write_dimension(writer, die, first);
	write_dimension(writer, die, count / first);
}

static void write_declaration(struct writer *writer, struct dwarf_die *die, const char *name)
{
	add_name(writer, die, name);
	dwarf_number(die, DW_AT_declaration,
		     writer->unit->version >= 4 && rng_percent(writer->rng, 50) ?
			     DW_FORM_flag_present :
			     DW_FORM_flag,
		     1);
}

static void write_base_type(struct writer *writer, struct dwarf_die *die,
			    const struct build_type *type)
{
	uint64_t encoding = type->kind == BC_FLOAT ? DW_ATE_float :
			    type->extra >> 24 & 4  ? DW_ATE_boolean :
			    type->extra >> 24 & 1  ? DW_ATE_signed :
						     DW_ATE_unsigned;

	add_name(writer, die, type->name);
	add_number(writer, die, DW_AT_encoding, encoding);
	add_number(writer, die, DW_AT_byte_size, type->size);
}

static void write_elements(struct writer *writer, struct dwarf_die *die, uint32_t id)
{
	const struct build_type *type = build_type(writer->set->types, id);

	for (uint32_t i = 0; i < type->element_count; i++) {
		const struct build_element *element = &type->elements[i];

		if (bc_kind_is_composite(type->kind))
			write_member(writer, die, id, i);
		else if (bc_kind_is_enum(type->kind))
			write_value(writer, die, type, element);
		else
			write_parameter(writer, die, element);
	}
}

static void write_type(struct writer *writer, uint32_t id)
{
	const struct build_type *type = build_type(writer->set->types, id);
	struct dwarf_die *die = writer->die_of[id];

	if (type->kind == BC_INT || type->kind == BC_FLOAT) {
		write_base_type(writer, die, type);
		return;
	}
	if (unit_type_is_declared(type)) {
		write_declaration(writer, die, type->name);
		return;
	}
	if (rng_percent(writer->rng, 20))
		dwarf_sibling(die, rng_percent(writer->rng, 50) ? DW_FORM_ref4 : DW_FORM_ref_udata);
	add_name(writer, die, type->name);
	if (build_kind_has_size(type->kind) && (type->size || rng_percent(writer->rng, 50)))
		add_number(writer, die, DW_AT_byte_size, type->size);
	if (!build_kind_has_size(type->kind))
		add_type_of(writer, die, type->type);
	if (type->kind == BC_ARRAY)
		write_array(writer, die, type->extra);
	write_elements(writer, die, id);
	write_decl_tags(writer, die, id, UINT32_MAX);
}

/* A DIE to put types below: the unit, a scope, a struct that has none of its own yet. */
static struct dwarf_die *pick_scope(struct writer *writer, struct dwarf_die **scopes,
				    uint32_t scope_count)
{
	if (rng_percent(writer->rng, 75))
		return writer->unit->root;
	return scopes[rng_below(writer->rng, scope_count)];
}

static void place_types(struct writer *writer, const uint32_t *ids, uint32_t count)
{
	static const uint16_t scope_tags[] = { DW_TAG_namespace, DW_TAG_subprogram,
					       DW_TAG_lexical_block };
	struct bc_arena *arena = writer->unit->build->arena;
	struct dwarf_die **scopes = build_alloc(arena, count + 1, sizeof(struct dwarf_die *));
	uint32_t scope_count = 0;

	scopes[scope_count++] = dwarf_die_new(writer->unit->root, PICK(writer->rng, scope_tags));
	for (uint32_t i = 0; i < count; i++) {
		const struct build_type *type = build_type(writer->set->types, ids[i]);
		struct dwarf_die *parent = pick_scope(writer, scopes, scope_count);

		writer->die_of[ids[i]] = dwarf_die_new(parent, tag_of(writer, type));
		if (bc_kind_is_composite(type->kind))
			scopes[scope_count++] = writer->die_of[ids[i]];
	}
}

/* The ids of a unit in random order. */
static uint32_t *order_types(struct writer *writer, uint32_t unit, uint32_t *count)
{
	uint32_t end = build_id_end(writer->set->types);
	uint32_t *ids = build_alloc(writer->unit->build->arena, end, sizeof(*ids));

	*count = 0;
	for (uint32_t id = 1; id < end; id++) {
		uint32_t at;

		if (writer->set->unit_of[id] != unit ||
		    build_type(writer->set->types, id)->kind == BC_DECL_TAG)
			continue;
		at = rng_below(writer->rng, *count + 1);
		ids[*count] = ids[at];
		ids[at] = id;
		++*count;
	}
	return ids;
}

static struct dwarf_unit *open_unit(struct writer *writer, struct dwarf_build *build)
{
	struct dwarf_unit *unit = dwarf_unit_new(build, (uint8_t)(2 + rng_below(writer->rng, 4)));
	struct dwarf_abbrevs *abbrevs;

	if (unit->version > 2 && rng_percent(writer->rng, 20))
		unit->offset_bytes = 8;
	if (rng_percent(writer->rng, 30)) {
		abbrevs = dwarf_unit_own_abbrevs(unit);
		abbrevs->code_step = 1 + rng_below(writer->rng, 2) * 50;
		abbrevs->backwards = rng_percent(writer->rng, 50);
	}
	return unit;
}

static struct dwarf_build *new_file(struct bc_arena *arena, struct rng *rng, bool big_endian,
				    bool is_elf64)
{
	struct dwarf_build *build = dwarf_build_new(arena);

	build->big_endian = big_endian;
	build->is_elf64 = is_elf64;
	build->is_relocatable = is_elf64 && !big_endian && rng_percent(rng, 20);
	build->repeats_strings = build->is_relocatable && rng_percent(rng, 50);
	return build;
}

void random_dwarf(struct dwarf_build **files, uint32_t file_count, struct bc_arena *arena,
		  struct rng *rng, const struct unit_set *set)
{
	bool is_elf64 = rng_percent(rng, 80);
	struct writer writer = {
		.rng = rng,
		.set = set,
		.die_of = build_alloc(arena, build_id_end(set->types), sizeof(struct dwarf_die *)),
	};
	struct dwarf_unit **units = build_alloc(arena, set->unit_count, sizeof(*units));
	uint32_t **ids = build_alloc(arena, set->unit_count, sizeof(*ids));
	uint32_t *counts = build_alloc(arena, set->unit_count, sizeof(*counts));

	for (uint32_t i = 0; i < file_count; i++)
		files[i] = new_file(arena, rng, set->types->big_endian, is_elf64);
	for (uint32_t i = 0; i < set->unit_count; i++) {
		/* Every file has one. */
		uint32_t file = i < file_count ? i : rng_below(rng, file_count);

		units[i] = writer.unit = open_unit(&writer, files[file]);
		ids[i] = order_types(&writer, i, &counts[i]);
		place_types(&writer, ids[i], counts[i]);
	}
	for (uint32_t i = 0; i < set->unit_count; i++) {
		writer.unit = units[i];
		writer.uses_strx = false;
		for (uint32_t k = 0; k < counts[i]; k++)
			write_type(&writer, ids[i][k]);
		if (writer.uses_strx)
			dwarf_number(units[i]->root, DW_AT_str_offsets_base, DW_FORM_sec_offset, 0);
	}
}

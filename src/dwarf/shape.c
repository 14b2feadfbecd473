/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/shape.h"

#include <dwarf.h>

#include "dwarf/walk.h"

#define SLOT(name) (1u << BC_SLOT_##name)

/* What a tag can be to the short way. */
struct meaning {
	enum bc_shape_kind kind;
	enum bc_kind btf_kind;
	enum bc_frame_role role; /* of a type */
	enum bc_tag_class tag_class;
};

static struct meaning only(enum bc_shape_kind kind)
{
	return (struct meaning){ .kind = kind };
}

static struct meaning link(enum bc_kind kind)
{
	return (struct meaning){ .kind = BC_SHAPE_LINK, .btf_kind = kind };
}

static struct meaning tag(enum bc_shape_kind shape, enum bc_kind kind, enum bc_frame_role role,
			  enum bc_tag_class tag_class)
{
	return (struct meaning){ shape, kind, role, tag_class };
}

static struct meaning childless_meaning(const struct bc_abbrev *abbrev)
{
	switch (abbrev->tag) {
	case DW_TAG_member:
		return only(abbrev->present & SLOT(DATA_BIT_OFFSET) ? BC_SHAPE_BITFIELD :
								      BC_SHAPE_MEMBER);
	case DW_TAG_enumerator:
		return only(BC_SHAPE_ENUMERATOR);
	case DW_TAG_unspecified_parameters:
		return only(BC_SHAPE_PARAMETER);
	case DW_TAG_pointer_type:
		return link(BC_PTR);
	case DW_TAG_typedef:
		return link(BC_TYPEDEF);
	case DW_TAG_const_type:
		return link(BC_CONST);
	case DW_TAG_volatile_type:
		return link(BC_VOLATILE);
	case DW_TAG_restrict_type:
		return link(BC_RESTRICT);
	case DW_TAG_subrange_type:
		return only(BC_SHAPE_DIMENSION);
	default:
		return only(BC_SHAPE_NONE);
	}
}

/* What a prototype's have, and nothing about a place. */
static bool is_parameter(const struct bc_abbrev *abbrev)
{
	return !abbrev->has_children && !(abbrev->present & ~(SLOT(NAME) | SLOT(TYPE)));
}

static struct meaning meaning_of(const struct bc_abbrev *abbrev)
{
	bool is_declared = !abbrev->has_children && abbrev->present & SLOT(DECLARATION);
	enum bc_shape_kind shape = is_declared ? BC_SHAPE_DECLARATION : BC_SHAPE_TYPE;

	switch (abbrev->tag) {
	case DW_TAG_structure_type:
		return tag(shape, BC_STRUCT, BC_FRAME_COMPOSITE, BC_TAG_STRUCT);
	case DW_TAG_union_type:
		return tag(shape, BC_UNION, BC_FRAME_COMPOSITE, BC_TAG_UNION);
	case DW_TAG_enumeration_type:
		return tag(shape, BC_ENUM, BC_FRAME_ENUM, BC_TAG_ENUM);
	case DW_TAG_subroutine_type:
		return tag(BC_SHAPE_TYPE, BC_FUNC_PROTO, BC_FRAME_PROTO, BC_TAG_NONE);
	case DW_TAG_array_type:
		return tag(BC_SHAPE_TYPE, BC_ARRAY, BC_FRAME_ARRAY, BC_TAG_NONE);
	case DW_TAG_variable:
		return only(BC_SHAPE_VARIABLE);
	case DW_TAG_subprogram:
		return only(BC_SHAPE_FUNCTION);
	case DW_TAG_formal_parameter:
		return only(is_parameter(abbrev) ? BC_SHAPE_PARAMETER : BC_SHAPE_ARGUMENT);
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_call_site:
	case DW_TAG_call_site_parameter:
	case DW_TAG_GNU_call_site:
	case DW_TAG_GNU_call_site_parameter:
	case DW_TAG_label:
		return only(BC_SHAPE_IDLE);
	default:
		return abbrev->has_children ? only(BC_SHAPE_NONE) : childless_meaning(abbrev);
	}
}

/* The slots that a shape needs, and those that it may have besides. */
struct slots {
	uint32_t needed, allowed;
	enum bc_slot number; /* what its number is */
	enum bc_slot width;  /* and the other one */
};

/* A size says nothing that the type of a link or a dimension does not. */
static struct slots slots_of(const struct meaning *meaning)
{
	switch (meaning->kind) {
	case BC_SHAPE_MEMBER:
		return (struct slots){ SLOT(TYPE), SLOT(NAME) | SLOT(MEMBER_LOCATION),
				       BC_SLOT_MEMBER_LOCATION, BC_SLOT_NONE };
	case BC_SHAPE_BITFIELD:
		return (struct slots){ SLOT(TYPE) | SLOT(DATA_BIT_OFFSET),
				       SLOT(NAME) | SLOT(BIT_SIZE), BC_SLOT_DATA_BIT_OFFSET,
				       BC_SLOT_BIT_SIZE };
	case BC_SHAPE_ENUMERATOR:
		return (struct slots){ 0, SLOT(NAME) | SLOT(CONST_VALUE), BC_SLOT_CONST_VALUE,
				       BC_SLOT_NONE };
	case BC_SHAPE_PARAMETER:
		return (struct slots){ 0, SLOT(NAME) | SLOT(TYPE), BC_SLOT_NONE, BC_SLOT_NONE };
	case BC_SHAPE_LINK:
		return (struct slots){ 0, SLOT(NAME) | SLOT(TYPE) | SLOT(BYTE_SIZE), BC_SLOT_NONE,
				       BC_SLOT_NONE };
	case BC_SHAPE_DECLARATION:
		return (struct slots){ SLOT(NAME) | SLOT(DECLARATION), SLOT(BYTE_SIZE),
				       BC_SLOT_DECLARATION, BC_SLOT_NONE };
	case BC_SHAPE_DIMENSION:
		return (struct slots){ SLOT(UPPER_BOUND), SLOT(TYPE) | SLOT(BYTE_SIZE),
				       BC_SLOT_UPPER_BOUND, BC_SLOT_NONE };
	default:
		break;
	}
	switch (meaning->role) {
	case BC_FRAME_COMPOSITE:
		return (struct slots){ 0, SLOT(NAME) | SLOT(BYTE_SIZE) | SLOT(SIBLING),
				       BC_SLOT_BYTE_SIZE, BC_SLOT_NONE };
	case BC_FRAME_ENUM:
		return (struct slots){ 0,
				       SLOT(NAME) | SLOT(TYPE) | SLOT(BYTE_SIZE) | SLOT(ENCODING) |
					       SLOT(SIBLING),
				       BC_SLOT_BYTE_SIZE, BC_SLOT_ENCODING };
	default:
		return (struct slots){ 0, SLOT(TYPE) | SLOT(SIBLING), BC_SLOT_NONE, BC_SLOT_NONE };
	}
}

static const struct bc_abbrev_op *find_op(const struct bc_abbrev *abbrev,
					  const struct bc_abbrev_op *ops, enum bc_slot slot)
{
	for (uint32_t i = 0; i < abbrev->op_count; i++)
		if (ops[i].slot == slot)
			return &ops[i];
	return NULL;
}

/* Whether a value is of that class, and of up to 32 bits. */
static bool is_field(const struct bc_abbrev_op *op, enum bc_value_class value_class)
{
	return op->action == BC_OP_FIXED && op->value_class == value_class &&
	       (op->size == 1 || op->size == 2 || op->size == 4);
}

/* Where the value of an op is, if it is such a one at a fixed place. */
static bool take_field(const struct bc_abbrev_op *op, enum bc_value_class value_class,
		       struct bc_field *field)
{
	if (!is_field(op, value_class) || op->offset == BC_OP_ANYWHERE)
		return false;
	*field = (struct bc_field){ UINT32_MAX >> (32 - 8 * op->size), op->offset };
	return true;
}

/* A number in the DIE, or one that the abbreviation has for all of them. */
static bool take_number(const struct bc_abbrev *abbrev, const struct bc_abbrev_op *ops,
			enum bc_slot slot, struct bc_field *field, uint32_t *constant)
{
	const struct bc_abbrev_op *op;

	if (slot == BC_SLOT_NONE || !(abbrev->present >> slot & 1))
		return true;
	op = &ops[abbrev->op_of[slot]];
	if (op->action != BC_OP_CONSTANT)
		return take_field(op, BC_VALUE_UNSIGNED, field);
	*constant = (uint32_t)op->constant;
	return op->constant >= 0 && op->constant <= UINT32_MAX;
}

/* Where the name is: in .debug_str, or before all else. */
static bool take_name(struct bc_shape *shape, const struct bc_abbrev *abbrev,
		      const struct bc_abbrev_op *ops)
{
	const struct bc_abbrev_op *op = &ops[abbrev->op_of[BC_SLOT_NAME]];

	return !(abbrev->present & SLOT(NAME)) || shape->is_named_inside ||
	       take_field(op, BC_VALUE_STR, &shape->name);
}

/* The short way knows such a DIE in whole: all its fields, at their places. */
static bool take_fields(struct bc_shape *shape, const struct bc_abbrev *abbrev,
			const struct bc_abbrev_op *ops, const struct meaning *meaning)
{
	struct slots slots = slots_of(meaning);
	uint32_t present = abbrev->present;

	if (!shape->is_fixed || slots.needed & ~present ||
	    present & ~(slots.needed | slots.allowed))
		return false;
	if (present & SLOT(TYPE) &&
	    !take_field(&ops[abbrev->op_of[BC_SLOT_TYPE]], BC_VALUE_REF, &shape->type))
		return false;
	if (present & SLOT(SIBLING) &&
	    !take_field(&ops[abbrev->op_of[BC_SLOT_SIBLING]], BC_VALUE_REF, &shape->sibling))
		return false;
	return take_name(shape, abbrev, ops) &&
	       take_number(abbrev, ops, slots.number, &shape->number, &shape->number_constant) &&
	       take_number(abbrev, ops, slots.width, &shape->width, &shape->width_constant);
}

/* Whether the short way can find the end of such a DIE. */
static bool can_be_skipped(const struct bc_abbrev *abbrev, const struct bc_abbrev_op *ops)
{
	for (uint32_t i = 0; i < abbrev->op_count; i++)
		switch (ops[i].action) {
		case BC_OP_FIXED:
		case BC_OP_CONSTANT:
		case BC_OP_ULEB:
		case BC_OP_SLEB:
		case BC_OP_STRING:
			break;
		case BC_OP_BLOCK:
			if (ops[i].size)
				return false;
			break;
		default:
			return false;
		}
	return true;
}

/* The short way passes it over, if it is not wanted: its end, and the name of a function. */
static bool take_idle(struct bc_shape *shape, const struct bc_abbrev *abbrev,
		      const struct bc_abbrev_op *ops)
{
	const struct bc_abbrev_op *sibling = find_op(abbrev, ops, BC_SLOT_SIBLING);
	const struct bc_abbrev_op *name = find_op(abbrev, ops, BC_SLOT_NAME);
	const struct bc_abbrev_op *declaration = find_op(abbrev, ops, BC_SLOT_DECLARATION);
	const struct bc_abbrev_op *location = find_op(abbrev, ops, BC_SLOT_LOCATION);

	if (!can_be_skipped(abbrev, ops))
		return false;
	/* Where it is not at a fixed place, it is found on the way to the end. */
	if (sibling && !(shape->is_fixed ? take_field(sibling, BC_VALUE_REF, &shape->sibling) :
					   is_field(sibling, BC_VALUE_REF)))
		return false;
	/* Only a block says an address. */
	if (shape->kind == BC_SHAPE_VARIABLE &&
	    !(location && location->value_class == BC_VALUE_BLOCK))
		shape->kind = BC_SHAPE_IDLE;
	if (shape->kind != BC_SHAPE_FUNCTION)
		return true;
	if (declaration && declaration->action == BC_OP_CONSTANT && declaration->constant) {
		shape->kind = BC_SHAPE_IDLE;
		return true;
	}
	return !declaration && name && take_name(shape, abbrev, ops);
}

struct bc_shape bc_shape_of(const struct bc_abbrev *abbrev, const struct bc_abbrev_op *ops)
{
	struct meaning meaning = meaning_of(abbrev);
	struct bc_shape shape = {
		.kind = (uint8_t)meaning.kind,
		.btf_kind = (uint8_t)meaning.btf_kind,
		.tag_class = (uint8_t)meaning.tag_class,
		.role = (uint8_t)meaning.role,
		.has_children = abbrev->has_children,
		.is_fixed = abbrev->is_plain || abbrev->is_named_inside,
		.is_named_inside = abbrev->is_named_inside,
		.tail = (uint8_t)abbrev->tail,
		.op_count = abbrev->op_count,
		.first_op = abbrev->first_op,
		.size = abbrev->size,
	};
	bool taken;

	if (find_op(abbrev, ops, BC_SLOT_ANNOTATION) || abbrev->tail > UINT8_MAX)
		taken = false;
	else if (meaning.kind >= BC_SHAPE_IDLE)
		taken = take_idle(&shape, abbrev, ops);
	else
		taken = take_fields(&shape, abbrev, ops, &meaning);
	if (!taken)
		shape.kind = BC_SHAPE_NONE;
	return shape;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/shape.h"

#include <dwarf.h>

#include "dwarf/walk.h"

/* Behind something of which each DIE has as much as it likes. */
#define ANYWHERE UINT32_MAX

#define SLOT(name) (1u << BC_SLOT_##name)

/* Where the attributes of an abbreviation are. */
struct places {
	const struct bc_abbrev *abbrev;
	const struct bc_abbrev_op *ops;
	uint32_t present; /* slots */
	const struct bc_abbrev_op *op[BC_SLOTS + 1];
	uint32_t at[BC_SLOTS + 1]; /* as far as all that is before has a fixed size */
	bool is_fixed;             /* all has, but for: */
	bool is_named_inside;
	uint32_t size;
};

bool bc_tag_is_idle(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_call_site:
	case DW_TAG_call_site_parameter:
	case DW_TAG_GNU_call_site:
	case DW_TAG_GNU_call_site_parameter:
	case DW_TAG_label:
		return true;
	default:
		return false;
	}
}

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

static struct meaning childless_meaning(const struct places *places)
{
	switch (places->abbrev->tag) {
	case DW_TAG_member:
		return only(places->present & SLOT(DATA_BIT_OFFSET) ? BC_SHAPE_BITFIELD :
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
static bool is_parameter(const struct places *places)
{
	return !places->abbrev->has_children && places->present & SLOT(TYPE) &&
	       !(places->present & ~(SLOT(NAME) | SLOT(TYPE)));
}

static struct meaning meaning_of(const struct places *places)
{
	bool has_children = places->abbrev->has_children;
	enum bc_shape_kind shape = !has_children && places->present & SLOT(DECLARATION) ?
					   BC_SHAPE_DECLARATION :
					   BC_SHAPE_TYPE;

	switch (places->abbrev->tag) {
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
		return only(is_parameter(places) ? BC_SHAPE_PARAMETER : BC_SHAPE_ARGUMENT);
	default:
		if (bc_tag_is_idle(places->abbrev->tag))
			return only(BC_SHAPE_IDLE);
		return has_children ? only(BC_SHAPE_NONE) : childless_meaning(places);
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

/* What a value of up to 32 bits needs to be a field; false: it is not of that class. */
static bool is_field(const struct bc_abbrev_op *op, enum bc_value_class value_class)
{
	return op->action == BC_OP_FIXED && op->value_class == value_class && op->size &&
	       op->size <= 4;
}

/* Where the value in SLOT is, if there is one; false: it is not such a one at a fixed place. */
static bool take_field(const struct places *places, enum bc_slot slot,
		       enum bc_value_class value_class, struct bc_field *field)
{
	const struct bc_abbrev_op *op = places->op[slot];

	if (!op)
		return true;
	if (!is_field(op, value_class) || places->at[slot] == ANYWHERE)
		return false;
	*field = (struct bc_field){ UINT32_MAX >> (32 - 8 * op->size), places->at[slot] };
	return true;
}

/* A number in the DIE, or one that the abbreviation has for all of them. */
static bool take_number(const struct places *places, enum bc_slot slot, struct bc_field *field,
			uint32_t *constant)
{
	const struct bc_abbrev_op *op = slot == BC_SLOT_NONE ? NULL : places->op[slot];

	if (!op || op->action != BC_OP_CONSTANT)
		return !op || take_field(places, slot, BC_VALUE_UNSIGNED, field);
	*constant = (uint32_t)op->constant;
	return op->constant >= 0 && op->constant <= UINT32_MAX;
}

/* How the name is said: in .debug_str, before all else, or in another way. */
static bool take_name(const struct places *places, struct bc_shape *shape)
{
	const struct bc_abbrev_op *op = places->op[BC_SLOT_NAME];

	if (!op || places->is_named_inside)
		return true;
	shape->name_class = op->value_class;
	return take_field(places, BC_SLOT_NAME, (enum bc_value_class)op->value_class, &shape->name);
}

/* The short way knows such a DIE in whole: all its fields, at their places. */
static bool take_fields(const struct places *places, const struct meaning *meaning,
			struct bc_shape *shape)
{
	struct slots slots = slots_of(meaning);
	uint32_t width_constant = 0;

	if (!take_number(places, slots.width, &shape->width, &width_constant) ||
	    width_constant > UINT16_MAX)
		return false;
	shape->width_constant = (uint16_t)width_constant;
	return places->is_fixed && !(slots.needed & ~places->present) &&
	       !(places->present & ~(slots.needed | slots.allowed)) && take_name(places, shape) &&
	       take_field(places, BC_SLOT_TYPE, BC_VALUE_REF, &shape->type) &&
	       take_field(places, BC_SLOT_SIBLING, BC_VALUE_REF, &shape->sibling) &&
	       take_number(places, slots.number, &shape->number, &shape->number_constant);
}

/* Whether the short way can find the end of such a DIE. */
static bool can_be_skipped(const struct places *places)
{
	for (uint32_t i = 0; i < places->abbrev->op_count; i++)
		switch (places->ops[i].action) {
		case BC_OP_FIXED:
		case BC_OP_CONSTANT:
		case BC_OP_ULEB:
		case BC_OP_SLEB:
		case BC_OP_STRING:
			break;
		case BC_OP_BLOCK:
			if (places->ops[i].size)
				return false;
			break;
		default:
			return false;
		}
	return true;
}

/* The short way passes it over, if it is not wanted: its end, and the name of a function. */
static bool take_idle(const struct places *places, struct bc_shape *shape)
{
	const struct bc_abbrev_op *sibling = places->op[BC_SLOT_SIBLING];
	const struct bc_abbrev_op *declaration = places->op[BC_SLOT_DECLARATION];
	const struct bc_abbrev_op *location = places->op[BC_SLOT_LOCATION];

	if (!can_be_skipped(places))
		return false;
	/* Where it is not at a fixed place, it is found on the way to the end. */
	if (sibling && !(places->is_fixed ? take_field(places, BC_SLOT_SIBLING, BC_VALUE_REF,
						       &shape->sibling) :
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
	return !declaration && places->op[BC_SLOT_NAME] && take_name(places, shape);
}

static struct places find_places(const struct bc_abbrev *abbrev, const struct bc_abbrev_op *ops)
{
	struct places places = { .abbrev = abbrev, .ops = ops, .is_fixed = true };
	uint64_t size = 0;

	for (uint32_t i = 0; i < abbrev->op_count; i++) {
		const struct bc_abbrev_op *op = &ops[i];

		size += op->skip;
		if (!i && !size && op->action == BC_OP_STRING && op->slot == BC_SLOT_NAME)
			places.is_named_inside = true;
		else
			places.is_fixed &= op->action == BC_OP_FIXED ||
					   op->action == BC_OP_CONSTANT;
		places.at[op->slot] = places.is_fixed && size < ANYWHERE ? (uint32_t)size :
									   ANYWHERE;
		places.op[op->slot] = op;
		places.present |= 1u << op->slot;
		size += op->size;
	}
	size += abbrev->tail;
	places.is_fixed &= size < ANYWHERE;
	places.is_named_inside &= places.is_fixed;
	places.size = (uint32_t)size;
	return places;
}

struct bc_shape bc_shape_of(const struct bc_abbrev *abbrev, const struct bc_abbrev_op *ops)
{
	struct places places = find_places(abbrev, ops);
	struct meaning meaning = meaning_of(&places);
	struct bc_shape shape = {
		.kind = (uint8_t)meaning.kind,
		.btf_kind = (uint8_t)meaning.btf_kind,
		.tag_class = (uint8_t)meaning.tag_class,
		.role = (uint8_t)meaning.role,
		.name_class = BC_VALUE_STR,
		.has_children = abbrev->has_children,
		.is_fixed = places.is_fixed,
		.size = places.size,
		.first_op = abbrev->first_op,
		.op_count = (uint8_t)abbrev->op_count,
		.tail = (uint16_t)abbrev->tail,
	};

	if (places.op[BC_SLOT_ANNOTATION] || abbrev->tail > UINT16_MAX ||
	    abbrev->op_count > UINT8_MAX ||
	    !(meaning.kind >= BC_SHAPE_IDLE ? take_idle(&places, &shape) :
					      take_fields(&places, &meaning, &shape)))
		shape.kind = BC_SHAPE_NONE;
	else if (places.is_named_inside) {
		shape.kind_behind = shape.kind;
		shape.kind = BC_SHAPE_NAMED_INSIDE;
		shape.name_class = BC_VALUE_INLINE;
	}
	return shape;
}

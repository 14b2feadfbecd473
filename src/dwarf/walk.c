/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The walk over DIEs, with a stack of those that are open. A type gets its
 * number when its DIE is met and its words when it is closed; members, values
 * and parameters wait in between on a stack of elements, as types may nest.
 */
#include "dwarf/walk.h"

#include "base/room.h"

#include <string.h>

bool bc_walk_refuse(struct bc_walk *walk, const char *what)
{
	return bc_err_set(walk->err, "%s (DIE at 0x%x)", what, walk->die.offset);
}

/* The struct whose member a DIE is that stands right below PARENT; NULL: none. */
static struct bc_frame *composite_around(struct bc_walk *walk, struct bc_frame *parent)
{
	if (parent->role == BC_FRAME_COMPOSITE)
		return parent;
	return parent->role == BC_FRAME_VARIANT ? &walk->collector->frames[parent->number] : NULL;
}

/*
 * Members, values and parameters, which belong to the DIE above. FRAME may be
 * NULL for them; variants take it.
 */
static bool open_element(struct bc_walk *walk, struct bc_frame *parent, struct bc_frame *frame)
{
	uint32_t before = walk->collector->element_count;
	struct bc_frame *composite;

	switch (walk->die.abbrev->tag) {
	case DW_TAG_member:
		composite = composite_around(walk, parent);
		if (composite && !bc_walk_add_member(walk, composite))
			return false;
		if (frame && parent == composite && walk->collector->element_count > before) {
			frame->role = BC_FRAME_MEMBER;
			frame->number = (before - composite->first_element) / BC_WALK_MEMBER_WORDS;
		}
		return true;
	case DW_TAG_inheritance:
		if (parent->role == BC_FRAME_COMPOSITE)
			bc_walk_skip(walk, BC_SKIP_MEMBER_BASE);
		return true;
	case DW_TAG_variant_part:
	case DW_TAG_variant:
		composite = composite_around(walk, parent);
		if (!composite)
			return true;
		composite->is_unsorted = true;
		frame->role = BC_FRAME_VARIANT;
		frame->number = (uint32_t)(composite - walk->collector->frames);
		if (walk->die.abbrev->tag == DW_TAG_variant_part)
			bc_walk_skip(walk, BC_SKIP_VARIANT);
		return true;
	case DW_TAG_imported_unit:
		return bc_walk_import_unit(walk);
	case DW_TAG_enumerator:
		return parent->role != BC_FRAME_ENUM || bc_walk_add_enumerator(walk, parent);
	case DW_TAG_formal_parameter:
		if (parent->role == BC_FRAME_FUNCTION) {
			before = walk->collector->functions[parent->number].parameter_count;
			if (frame) {
				frame->role = BC_FRAME_MEMBER;
				frame->number = before;
			}
			return bc_walk_add_function_parameter(walk, parent);
		}
		return parent->role != BC_FRAME_PROTO || bc_walk_add_parameter(walk);
	case DW_TAG_unspecified_parameters:
		if (parent->role == BC_FRAME_FUNCTION)
			walk->collector->functions[parent->number].is_vararg = true;
		return parent->role != BC_FRAME_PROTO ||
		       bc_walk_push_element(walk, (uint32_t[BC_WALK_PARAMETER_WORDS]){ 0, 0 },
					    BC_WALK_PARAMETER_WORDS);
	default:
		return true;
	}
}

static bool open_die(struct bc_walk *walk, struct bc_frame *parent, struct bc_frame *frame)
{
	uint32_t number;

	switch (walk->die.abbrev->tag) {
	case DW_TAG_base_type:
		return bc_walk_open_base_type(walk);
	case DW_TAG_pointer_type:
		if (walk->die.abbrev->has_children || bc_die_has(&walk->die, BC_SLOT_ANNOTATION))
			frame->role = BC_FRAME_POINTER;
		return bc_walk_add_link(walk, BC_PTR, &frame->number);
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		bc_walk_skip(walk, BC_SKIP_TYPE_REFERENCE);
		return bc_walk_add_link(walk, BC_PTR, &number);
	case DW_TAG_typedef:
	case DW_TAG_template_alias:
		frame->role = BC_FRAME_TYPEDEF;
		return bc_walk_add_link(walk, BC_TYPEDEF, &frame->number);
	case DW_TAG_const_type:
		return bc_walk_add_link(walk, BC_CONST, &number);
	case DW_TAG_volatile_type:
		return bc_walk_add_link(walk, BC_VOLATILE, &number);
	case DW_TAG_restrict_type:
		return bc_walk_add_link(walk, BC_RESTRICT, &number);
	case DW_TAG_atomic_type:
		bc_walk_skip(walk, BC_SKIP_TYPE_ATOMIC);
		return bc_walk_open_same_as(walk);
	case DW_TAG_packed_type:
	case DW_TAG_shared_type:
	case DW_TAG_immutable_type:
		return bc_walk_open_same_as(walk);
	case DW_TAG_subrange_type:
		if (parent->role != BC_FRAME_ARRAY)
			return bc_walk_open_same_as(walk);
		bc_walk_add_dimension(walk, parent);
		return true;
	case DW_TAG_unspecified_type:
		return bc_walk_add_alias(walk, 0);
	case DW_TAG_array_type:
		return bc_walk_open_array(walk, frame);
	case DW_TAG_subroutine_type:
		return bc_walk_open_proto(walk, frame);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
		return bc_walk_open_composite(walk, frame, BC_STRUCT);
	case DW_TAG_union_type:
		return bc_walk_open_composite(walk, frame, BC_UNION);
	case DW_TAG_enumeration_type:
		frame->role = BC_FRAME_ENUM;
		return bc_walk_open_tag(walk, frame, BC_TAG_ENUM);
	case DW_TAG_ptr_to_member_type:
		return bc_walk_open_member_pointer(walk);
	case DW_TAG_subprogram:
		return bc_walk_open_function(walk, frame);
	case DW_TAG_variable:
		return bc_walk_open_variable(walk, frame);
	case DW_TAG_string_type:
	case DW_TAG_set_type:
	case DW_TAG_file_type:
		return bc_walk_open_sized(walk);
	case BC_TAG_LLVM_ANNOTATION:
		return bc_walk_take_annotation(walk, parent);
	default:
		return open_element(walk, parent, frame);
	}
}

/* Types below a foreign DIE are its unit's; below a skipped one nothing is wanted. */
static bool is_nested_foreign_type(const struct bc_walk *walk)
{
	switch (walk->die.abbrev->tag) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
	case DW_TAG_subprogram:
	case DW_TAG_array_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_pointer_type:
	case DW_TAG_const_type:
	case DW_TAG_base_type:
		return walk->is_foreign && walk->depth > 0;
	default:
		return false;
	}
}

static bool check_sibling(struct bc_walk *walk, struct bc_frame *frame)
{
	uint64_t sibling;

	if (!walk->die.abbrev->has_children ||
	    bc_die_class(&walk->die, BC_SLOT_SIBLING) != BC_VALUE_REF)
		return true;
	sibling = bc_die_value(&walk->die, BC_SLOT_SIBLING);
	if (sibling <= walk->die.offset || sibling > walk->scope->size)
		return bc_walk_refuse(walk, "a sibling that is not behind it");
	frame->sibling = (uint32_t)sibling;
	return true;
}

/* Half of all DIEs: they have nothing below and belong to the one above. */
static bool is_childless_element(const struct bc_abbrev *abbrev)
{
	return !abbrev->has_children &&
	       (abbrev->tag == DW_TAG_member || abbrev->tag == DW_TAG_enumerator ||
		abbrev->tag == DW_TAG_formal_parameter);
}

static inline bool close_tags(struct bc_walk *walk, const struct bc_frame *frame)
{
	return walk->collector->tag_count == frame->first_tag || bc_walk_close_tags(walk, frame);
}

bool bc_walk_close_type(struct bc_walk *walk, const struct bc_frame *frame)
{
	bool done;

	switch (frame->role) {
	case BC_FRAME_COMPOSITE:
		done = bc_walk_close_composite(walk, frame);
		break;
	case BC_FRAME_PROTO:
		done = bc_walk_close_proto(walk, frame);
		break;
	case BC_FRAME_ARRAY:
		done = bc_walk_close_array(walk, frame);
		break;
	default:
		done = bc_walk_close_enum(walk, frame);
		break;
	}
	walk->collector->element_count = frame->first_element;
	return done;
}

static bool close_frame(struct bc_walk *walk, const struct bc_frame *frame)
{
	bool done = true;

	switch (frame->role) {
	case BC_FRAME_COMPOSITE:
	case BC_FRAME_ENUM:
	case BC_FRAME_PROTO:
	case BC_FRAME_ARRAY:
		done = bc_walk_close_type(walk, frame);
		break;
	case BC_FRAME_POINTER:
		done = bc_walk_close_pointer(walk, frame);
		walk->collector->element_count = frame->first_element;
		break;
	default:
		break;
	}
	return done && close_tags(walk, frame);
}

static bool open_one(struct bc_walk *walk)
{
	struct bc_collector *collector = walk->collector;
	struct bc_frame *parent, *frame;

	collector->die_count++;
	if (!bc_make_room(&collector->frames, &collector->frame_limit, (uint64_t)walk->depth + 1,
			  sizeof(*collector->frames), walk->err))
		return false;
	frame = &collector->frames[walk->depth];
	parent = walk->depth ? frame - 1 : &walk->above_all;
	if (is_childless_element(walk->die.abbrev) && !bc_die_has(&walk->die, BC_SLOT_ANNOTATION))
		return parent->role == BC_FRAME_SKIPPED || open_element(walk, parent, NULL);
	*frame = (struct bc_frame){ .first_element = collector->element_count,
				    .first_tag = collector->tag_count };
	if (parent->role == BC_FRAME_SKIPPED || is_nested_foreign_type(walk))
		frame->role = BC_FRAME_SKIPPED;
	else if (!open_die(walk, parent, frame))
		return false;
	if (bc_die_has(&walk->die, BC_SLOT_ANNOTATION) && !bc_walk_take_annotations(walk, frame))
		return false;
	if (!check_sibling(walk, frame))
		return false;
	if (!walk->die.abbrev->has_children)
		return close_frame(walk, frame);
	if (frame->role == BC_FRAME_SKIPPED) {
		frame->number = walk->die.offset;
		walk->resume = walk->scope->has_ends ? walk->scope->ends[frame->number] : 0;
		if (walk->resume)
			return true;
	}
	walk->depth++;
	return true;
}

/*
 * Remembers where a DIE that nobody wants ends: types that stand in each other
 * may be imported one by one.
 */
static bool note_end(struct bc_walk *walk, uint32_t start, uint32_t end)
{
	struct bc_scope *scope = walk->scope;

	if (!scope->has_ends) {
		if (!bc_make_room(&scope->ends, &scope->end_limit, scope->size,
				  sizeof(*scope->ends), walk->err))
			return false;
		memset(scope->ends, 0, scope->size * sizeof(*scope->ends));
		scope->has_ends = true;
	}
	scope->ends[start] = end;
	return true;
}

static bool close_one(struct bc_walk *walk, uint32_t end)
{
	struct bc_frame *frame = &walk->collector->frames[--walk->depth];

	if (!close_frame(walk, frame))
		return false;
	if (frame->sibling && frame->sibling != end)
		return bc_walk_refuse(walk, "the children end elsewhere than the sibling says");
	return frame->role != BC_FRAME_SKIPPED || note_end(walk, frame->number, end);
}

bool bc_walk_from(struct bc_walk *walk, uint32_t start)
{
	const uint8_t *at = walk->scope->bytes + start;

	walk->depth = 0;
	walk->collector->element_count = walk->collector->tag_count = 0;
	do {
		enum bc_die_result result;

		if (walk->depth && !bc_walk_short_way(walk, &at))
			return false;
		if (walk->depth == 0 && at != walk->scope->bytes + start)
			break;
		result = bc_die_decode(&walk->die, walk->scope, &at, walk->err);
		if (result == BC_DIE_BAD)
			return false;
		if (result == BC_DIE_FOUND) {
			if (!open_one(walk))
				return false;
			if (walk->resume)
				at = walk->scope->bytes + walk->resume;
			walk->resume = 0;
			continue;
		}
		if (!walk->depth)
			break; /* nothing but padding */
		if (!close_one(walk, (uint32_t)(at - walk->scope->bytes)))
			return false;
	} while (walk->depth);
	walk->end = (uint32_t)(at - walk->scope->bytes);
	return true;
}

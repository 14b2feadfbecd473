/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Structs and unions: tags and their declarations, members and their places. */
#include "dwarf/walk.h"

#include "base/room.h"

#include <string.h>

/*
 * A declaration of another unit means the body that its own unit has, as
 * this unit's declarations mean its own body. *DONE: it has one.
 */
static bool open_foreign_declaration(struct bc_walk *walk, const struct bc_frame *frame,
				     enum bc_tag_class tag_class, bool *done)
{
	uint32_t offset = 0, reference = 0;

	if (!bc_walk_find_foreign_body(walk, tag_class, frame->name, &offset))
		return false;
	*done = offset != 0;
	return !*done || (bc_walk_refer_to(walk, walk->scope->unit, offset, &reference) &&
			  bc_walk_add_alias(walk, reference));
}

bool bc_walk_open_tag(struct bc_walk *walk, struct bc_frame *frame, enum bc_tag_class tag_class)
{
	struct bc_collector *collector = walk->collector;
	enum bc_local_role role = BC_LOCAL_NODE;
	struct bc_local_type *type;
	uint64_t declaration = 0;
	char packed[4];

	if (bc_die_has(&walk->die, BC_SLOT_SIGNATURE)) {
		uint32_t reference;

		frame->role = BC_FRAME_OTHER;
		return bc_walk_take_reference(walk, BC_SLOT_SIGNATURE, &reference) &&
		       bc_walk_add_alias(walk, reference);
	}
	if (!bc_walk_take_name(walk, &frame->name) ||
	    !bc_walk_take_size(walk, &frame->size_bytes) ||
	    !bc_walk_take_reference(walk, BC_SLOT_TYPE, &frame->reference))
		return false;
	bc_die_number(&walk->die, BC_SLOT_DECLARATION, &declaration);
	bc_die_number(&walk->die, BC_SLOT_ENCODING, &frame->encoding);
	/* A name without text is none; of bodies local.c sees it. */
	if (declaration && !*bc_string_id_text(collector->names, frame->name, packed))
		frame->name = 0;
	if (frame->name)
		role = declaration ? BC_LOCAL_DECLARATION : BC_LOCAL_BODY;
	if (role == BC_LOCAL_DECLARATION)
		frame->role = BC_FRAME_OTHER;
	if (role == BC_LOCAL_DECLARATION && walk->is_foreign && collector->with_foreign_bodies) {
		bool done;

		if (!open_foreign_declaration(walk, frame, tag_class, &done))
			return false;
		if (done)
			return true;
	}
	if (!bc_walk_add_type(walk, role, &frame->number))
		return false;
	type = bc_local_type(collector->local, frame->number);
	type->name = frame->name;
	type->tag_class = (uint8_t)tag_class;
	type->unread = role != BC_LOCAL_NODE && walk->is_foreign && !collector->with_foreign_bodies;
	if (type->unread)
		frame->role = BC_FRAME_SKIPPED;
	return true;
}

bool bc_walk_open_composite(struct bc_walk *walk, struct bc_frame *frame, enum bc_kind kind)
{
	frame->role = BC_FRAME_COMPOSITE;
	frame->kind = (uint8_t)kind;
	frame->is_unsorted = walk->scope->language == DW_LANG_Rust;
	return bc_walk_open_tag(walk, frame, kind == BC_UNION ? BC_TAG_UNION : BC_TAG_STRUCT);
}

/* Where a member stands, in bits; false: no place that BTF can say. */
static bool find_place(struct bc_walk *walk, uint64_t *bits)
{
	const struct bc_die *die = &walk->die;
	uint64_t bytes = 0, value = bc_die_value(die, BC_SLOT_MEMBER_LOCATION);

	if (bc_die_number(die, BC_SLOT_DATA_BIT_OFFSET, bits))
		return true;
	if (bc_die_has(die, BC_SLOT_MEMBER_LOCATION)) {
		const uint8_t *at = walk->scope->bytes + (uint32_t)value;
		const uint8_t *end = at + (value >> 32);

		if (bc_die_number(die, BC_SLOT_MEMBER_LOCATION, &bytes))
			;
		else if (bc_die_class(die, BC_SLOT_MEMBER_LOCATION) != BC_VALUE_BLOCK ||
			 at == end || *at++ != DW_OP_plus_uconst ||
			 !bc_load_uleb(&at, end, &bytes) || at != end)
			return false;
	}
	return !__builtin_mul_overflow(bytes, (uint64_t)8, bits);
}

bool bc_walk_add_member(struct bc_walk *walk, struct bc_frame *frame)
{
	uint64_t bits = 0, width = 0, flag = 0;
	uint32_t words[BC_WALK_MEMBER_WORDS];

	if (bc_die_number(&walk->die, BC_SLOT_EXTERNAL, &flag) && flag) {
		bc_walk_skip(walk, BC_SKIP_MEMBER_STATIC);
		return true;
	}
	if (!bc_walk_take_name(walk, &words[0]) ||
	    !bc_walk_take_reference(walk, BC_SLOT_TYPE, &words[1]))
		return false;
	if (!words[1]) {
		bc_walk_skip(walk, BC_SKIP_MEMBER_TYPE);
		return true;
	}
	bc_die_number(&walk->die, BC_SLOT_BIT_SIZE, &width);
	if (!find_place(walk, &bits) || bits > UINT32_MAX || width > 255) {
		bc_walk_skip(walk, BC_SKIP_MEMBER_PLACE);
		return true;
	}
	if (!bc_walk_place_old_bitfield(walk, frame, width, words[1], &bits))
		return false;
	if (bits > UINT32_MAX) {
		bc_walk_skip(walk, BC_SKIP_MEMBER_PLACE);
		return true;
	}
	words[2] = (uint32_t)bits;
	words[3] = (uint32_t)width;
	frame->has_bitfields |= width != 0;
	return bc_walk_push_element(walk, words, BC_WALK_MEMBER_WORDS);
}

/* By offset; those of one offset stay as they are. The copy needs room behind the elements. */
static bool sort_members(struct bc_walk *walk, const struct bc_frame *frame, uint32_t count)
{
	struct bc_collector *collector = walk->collector;
	uint32_t words = count * BC_WALK_MEMBER_WORDS, *members, *sorted;

	if (!bc_make_keyed_room(&collector->member_order, &collector->spare_order,
				&collector->member_limit, count, walk->err) ||
	    !bc_make_room(&collector->elements, &collector->element_limit,
			  (uint64_t)collector->element_count + words, sizeof(uint32_t), walk->err))
		return false;
	members = collector->elements + frame->first_element;
	sorted = collector->elements + collector->element_count;
	for (uint32_t i = 0; i < count; i++)
		collector->member_order[i] =
			(struct bc_keyed){ members[(size_t)i * BC_WALK_MEMBER_WORDS + 2], i };
	bc_sort_keyed(collector->member_order, collector->spare_order, count);
	for (uint32_t i = 0; i < count; i++)
		memcpy(sorted + (size_t)i * BC_WALK_MEMBER_WORDS,
		       members + (size_t)collector->member_order[i].value * BC_WALK_MEMBER_WORDS,
		       BC_WALK_MEMBER_WORDS * sizeof(*sorted));
	memcpy(members, sorted, words * sizeof(*sorted));
	return true;
}

bool bc_walk_close_composite(struct bc_walk *walk, const struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	const uint32_t *members;
	uint32_t count = (collector->element_count - frame->first_element) / BC_WALK_MEMBER_WORDS;
	uint32_t *words;

	if (count > BC_VLEN_MAX)
		return bc_walk_close_opaque(walk, frame, BC_SKIP_TOO_MANY);
	/* Where they would go once their storage is known, nobody can say now. */
	if (frame->is_unsorted && frame->has_fixups)
		return bc_walk_close_opaque(walk, frame, BC_SKIP_MEMBER_PLACE);
	if (frame->is_unsorted && count && !sort_members(walk, frame, count))
		return false;
	members = collector->elements + frame->first_element;
	for (uint32_t i = 0; frame->has_bitfields && i < count; i++)
		if (members[(size_t)i * BC_WALK_MEMBER_WORDS + 2] > 0xffffff)
			return bc_walk_close_opaque(walk, frame, BC_SKIP_MEMBER_PLACE);
	if (!bc_walk_close_head(walk, frame, bc_info(frame->kind, count, frame->has_bitfields),
				frame->size_bytes, 3 * count, &words))
		return false;
	for (uint32_t i = 0; i < count; i++, members += BC_WALK_MEMBER_WORDS, words += 3) {
		words[0] = members[0];
		words[1] = members[1];
		words[2] = members[2] | members[3] << 24;
	}
	return true;
}

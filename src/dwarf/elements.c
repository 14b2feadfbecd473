/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Types with a list below: enumerations, prototypes, arrays. */
#include "dwarf/walk.h"

#include "base/room.h"

#include <string.h>

bool bc_walk_push_element(struct bc_walk *walk, const uint32_t *words, uint32_t count)
{
	struct bc_collector *collector = walk->collector;

	if (!bc_make_room(&collector->elements, &collector->element_limit,
			  (uint64_t)collector->element_count + count, sizeof(uint32_t), walk->err))
		return false;
	memcpy(collector->elements + collector->element_count, words, count * sizeof(*words));
	collector->element_count += count;
	return true;
}

bool bc_walk_close_opaque(struct bc_walk *walk, const struct bc_frame *frame, enum bc_skip reason)
{
	uint32_t *words;

	bc_walk_skip(walk, reason);
	return bc_walk_close_head(walk, frame, bc_info(BC_STRUCT, 0, false), frame->size_bytes, 0,
				  &words);
}

bool bc_walk_add_enumerator(struct bc_walk *walk, struct bc_frame *frame)
{
	uint32_t words[BC_WALK_ENUMERATOR_WORDS];
	uint64_t value = 0;

	if (!bc_walk_take_name(walk, &words[0]))
		return false;
	if (bc_die_number(&walk->die, BC_SLOT_CONST_VALUE, &value) &&
	    bc_die_class(&walk->die, BC_SLOT_CONST_VALUE) == BC_VALUE_SIGNED)
		frame->has_negative |= (int64_t)value < 0;
	words[1] = (uint32_t)value;
	words[2] = (uint32_t)(value >> 32);
	return bc_walk_push_element(walk, words, BC_WALK_ENUMERATOR_WORDS);
}

static bool fits_32_bits(const uint32_t *values, uint32_t count, bool is_signed)
{
	for (uint32_t i = 0; i < count; i++, values += BC_WALK_ENUMERATOR_WORDS)
		if (values[2] != (is_signed && values[1] >> 31 ? UINT32_MAX : 0))
			return false;
	return true;
}

static bool is_enum_size(uint32_t size_bytes)
{
	return size_bytes == 1 || size_bytes == 2 || size_bytes == 4 || size_bytes == 8;
}

bool bc_walk_close_enum(struct bc_walk *walk, const struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	uint32_t *values = collector->elements + frame->first_element;
	uint32_t count = (collector->element_count - frame->first_element) /
			 BC_WALK_ENUMERATOR_WORDS;
	uint32_t size = frame->size_bytes ? frame->size_bytes : 4;
	bool is_wide = size > 4 || !fits_32_bits(values, count, frame->has_negative);
	bool is_signed = frame->has_negative;
	uint32_t *words;

	if (count > BC_VLEN_MAX)
		return bc_walk_close_opaque(walk, frame, BC_SKIP_TOO_MANY);
	if (!is_enum_size(size))
		return bc_walk_close_opaque(walk, frame, BC_SKIP_TYPE_OPAQUE);
	if (is_wide) {
		struct bc_fixup fixup = { .number = frame->number,
					  .reference = frame->reference,
					  .is_enum = true };

		is_signed |= frame->encoding == DW_ATE_signed ||
			     frame->encoding == DW_ATE_signed_char;
		if (frame->reference && !is_signed && !bc_walk_add_fixup(walk, fixup))
			return false;
	}
	is_wide &= collector->features.with_enum64;
	if (!bc_walk_close_head(walk, frame,
				bc_info(is_wide ? BC_ENUM64 : BC_ENUM, count, is_signed), size,
				count * (is_wide ? 3 : 2), &words))
		return false;
	for (uint32_t i = 0; i < count; i++, values += BC_WALK_ENUMERATOR_WORDS) {
		*words++ = values[0];
		*words++ = values[1];
		if (is_wide)
			*words++ = values[2];
	}
	return true;
}

bool bc_walk_open_proto(struct bc_walk *walk, struct bc_frame *frame)
{
	frame->role = BC_FRAME_PROTO;
	return bc_walk_take_reference(walk, BC_SLOT_TYPE, &frame->reference) &&
	       bc_walk_add_type(walk, BC_LOCAL_NODE, &frame->number);
}

bool bc_walk_add_parameter(struct bc_walk *walk)
{
	uint32_t words[BC_WALK_PARAMETER_WORDS];

	if (!bc_walk_take_name(walk, &words[0]) ||
	    !bc_walk_take_reference(walk, BC_SLOT_TYPE, &words[1]))
		return false;
	if (!words[1]) {
		bc_walk_skip(walk, BC_SKIP_MEMBER_TYPE);
		return true;
	}
	return bc_walk_push_element(walk, words, BC_WALK_PARAMETER_WORDS);
}

bool bc_walk_close_proto(struct bc_walk *walk, const struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	uint32_t element_words = collector->element_count - frame->first_element;
	uint32_t count = element_words / BC_WALK_PARAMETER_WORDS;
	uint32_t *words;

	if (count > BC_VLEN_MAX)
		return bc_walk_close_opaque(walk, frame, BC_SKIP_TOO_MANY);
	if (!bc_walk_close_head(walk, frame, bc_info(BC_FUNC_PROTO, count, false), frame->reference,
				element_words, &words))
		return false;
	if (element_words)
		memcpy(words, collector->elements + frame->first_element,
		       element_words * sizeof(*words));
	return true;
}

bool bc_walk_open_array(struct bc_walk *walk, struct bc_frame *frame)
{
	frame->role = BC_FRAME_ARRAY;
	return bc_walk_take_reference(walk, BC_SLOT_TYPE, &frame->reference) &&
	       bc_walk_add_type(walk, BC_LOCAL_NODE, &frame->number);
}

void bc_walk_add_dimension(struct bc_walk *walk, struct bc_frame *frame)
{
	uint64_t upper, lower = 0, count = 0;

	if (bc_die_number(&walk->die, BC_SLOT_UPPER_BOUND, &upper)) {
		bc_die_number(&walk->die, BC_SLOT_LOWER_BOUND, &lower);
		count = upper + 1 - lower;
	} else {
		bc_die_number(&walk->die, BC_SLOT_COUNT, &count);
	}
	bc_walk_take_dimension(walk, frame, count);
}

void bc_walk_take_dimension(struct bc_walk *walk, struct bc_frame *frame, uint64_t count)
{
	if (!frame->has_range)
		frame->count = 1;
	frame->has_range = true;
	if (__builtin_mul_overflow(frame->count, count, &frame->count) ||
	    frame->count > UINT32_MAX) {
		bc_walk_skip(walk, BC_SKIP_ARRAY_LONG);
		frame->count = 0;
	}
}

bool bc_walk_close_array(struct bc_walk *walk, const struct bc_frame *frame)
{
	uint32_t *words;

	if (!frame->reference)
		return bc_walk_close_opaque(walk, frame, BC_SKIP_TYPE_OPAQUE);
	if (!bc_walk_close_head(walk, frame, bc_info(BC_ARRAY, 0, false), 0, 3, &words))
		return false;
	words[0] = frame->reference;
	words[1] = BC_INDEX_TYPE;
	words[2] = (uint32_t)frame->count;
	return true;
}

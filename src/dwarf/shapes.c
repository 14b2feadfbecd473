/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The short way for what a kernel has most of: members, values, parameters,
 * pointers and the like that have what their kind always has. Whatever is odd
 * about a DIE (a name or a reference that leads nowhere, a place too far, no
 * room left) is left to the long way, which does the same and says what is wrong.
 */
#include "dwarf/walk.h"

#include <string.h>

static inline uint64_t load(const struct bc_shape_reader *reader, struct bc_field field)
{
	uint64_t value;

	memcpy(&value, reader->fields + field.offset, sizeof(value));
	if (reader->swapped)
		value = __builtin_bswap64(value);
	return value >> field.shift & field.mask;
}

static inline bool take_name(const struct bc_shape_reader *reader, const struct bc_abbrev *abbrev,
			     uint32_t *name)
{
	uint32_t which = abbrev->name_is_line_str;
	uint64_t offset = load(reader, abbrev->name);

	*name = 0;
	if (!abbrev->name.mask)
		return true;
	*name = reader->first_name[which] + (uint32_t)offset;
	return offset < reader->name_limit[which];
}

/* An offset in the unit. */
static inline bool take_reference(const struct bc_shape_reader *reader,
				  const struct bc_abbrev *abbrev, uint32_t *reference)
{
	uint64_t offset = load(reader, abbrev->type);

	*reference = (uint32_t)offset;
	return offset - reader->first_offset < reader->end_offset - reader->first_offset;
}

/* Room for COUNT words on the stack of elements, or NULL. */
static inline uint32_t *push(struct bc_collector *collector, uint32_t count)
{
	uint32_t *words = collector->elements + collector->element_count;

	if (collector->element_limit - collector->element_count < count)
		return NULL;
	collector->element_count += count;
	return words;
}

/* A member at BITS, WIDTH bits wide; 0: it is no bitfield. */
static inline bool push_member(const struct bc_shape_reader *reader, const struct bc_abbrev *abbrev,
			       uint64_t bits, uint64_t width)
{
	uint32_t name, reference, *words;

	if (bits > UINT32_MAX || !take_name(reader, abbrev, &name) ||
	    !take_reference(reader, abbrev, &reference))
		return false;
	words = push(reader->collector, BC_WALK_MEMBER_WORDS);
	if (!words)
		return false;
	words[0] = name;
	words[1] = reference;
	words[2] = (uint32_t)bits;
	words[3] = (uint32_t)width;
	return true;
}

static inline bool take_member(const struct bc_shape_reader *reader, const struct bc_abbrev *abbrev)
{
	uint64_t bytes = load(reader, abbrev->number);

	return bytes <= UINT32_MAX && push_member(reader, abbrev, bytes * 8, 0);
}

static inline bool take_bitfield(const struct bc_shape_reader *reader,
				 const struct bc_abbrev *abbrev, struct bc_frame *frame)
{
	uint64_t width = load(reader, abbrev->width);

	if (width > UINT8_MAX || !push_member(reader, abbrev, load(reader, abbrev->number), width))
		return false;
	frame->has_bitfields |= width != 0;
	return true;
}

static inline bool take_enumerator(const struct bc_shape_reader *reader,
				   const struct bc_abbrev *abbrev)
{
	uint64_t value = load(reader, abbrev->number);
	uint32_t name, *words;

	if (!take_name(reader, abbrev, &name))
		return false;
	words = push(reader->collector, BC_WALK_ENUMERATOR_WORDS);
	if (!words)
		return false;
	words[0] = name;
	words[1] = (uint32_t)value;
	words[2] = (uint32_t)(value >> 32);
	return true;
}

static inline bool take_parameter(const struct bc_shape_reader *reader,
				  const struct bc_abbrev *abbrev)
{
	uint32_t name, reference, *words;

	if (!take_name(reader, abbrev, &name) || !take_reference(reader, abbrev, &reference))
		return false;
	words = push(reader->collector, BC_WALK_PARAMETER_WORDS);
	if (!words)
		return false;
	words[0] = name;
	words[1] = reference;
	return true;
}

static enum bc_kind kind_of(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_pointer_type:
		return BC_PTR;
	case DW_TAG_typedef:
		return BC_TYPEDEF;
	case DW_TAG_const_type:
		return BC_CONST;
	case DW_TAG_volatile_type:
		return BC_VOLATILE;
	default:
		return BC_RESTRICT;
	}
}

static inline bool take_link(const struct bc_shape_reader *reader, const struct bc_abbrev *abbrev)
{
	struct bc_collector *collector = reader->collector;
	struct bc_local *local = collector->local;
	enum bc_kind kind = kind_of(abbrev->tag);
	uint32_t name = 0, reference = 0, *words;

	if (kind == BC_TYPEDEF && (!take_name(reader, abbrev, &name) || !name))
		return false;
	if (abbrev->type.mask && !take_reference(reader, abbrev, &reference))
		return false;
	if (local->type_count == local->type_limit ||
	    local->word_limit - local->word_count < BC_HEAD_WORDS)
		return false;
	local->types[local->type_count++] = (struct bc_local_type){
		.place = reader->place | reader->offset,
		.role = BC_LOCAL_NODE,
		.first_word = local->word_count,
		.word_count = BC_HEAD_WORDS,
	};
	words = local->words + local->word_count;
	words[0] = name;
	words[1] = bc_info(kind, 0, false);
	words[2] = reference;
	local->word_count += BC_HEAD_WORDS;
	collector->number_at[reader->offset] = local->type_count;
	return true;
}

/* Elements belong to what is above them; elsewhere they say nothing. */
static inline bool take(const struct bc_shape_reader *reader, const struct bc_abbrev *abbrev,
			struct bc_frame *parent)
{
	uint8_t role = parent->role;

	switch (abbrev->shape) {
	case BC_SHAPE_MEMBER:
		return role == BC_FRAME_COMPOSITE ? take_member(reader, abbrev) :
						    role != BC_FRAME_VARIANT;
	case BC_SHAPE_BITFIELD:
		return role == BC_FRAME_COMPOSITE ? take_bitfield(reader, abbrev, parent) :
						    role != BC_FRAME_VARIANT;
	case BC_SHAPE_ENUMERATOR:
		return role != BC_FRAME_ENUM || take_enumerator(reader, abbrev);
	case BC_SHAPE_PARAMETER:
		return role == BC_FRAME_PROTO ? take_parameter(reader, abbrev) :
						role != BC_FRAME_FUNCTION;
	case BC_SHAPE_LINK:
		return take_link(reader, abbrev);
	default:
		return false;
	}
}

void bc_shape_reader_make(struct bc_shape_reader *reader, const struct bc_walk *walk)
{
	const struct bc_scope *scope = walk->scope;
	const struct bc_string_ids *names = walk->collector->names;

	*reader = (struct bc_shape_reader){
		.collector = walk->collector,
		.end = scope->bytes + scope->size,
		.place = bc_place(scope->unit_index, 0),
		.first_offset = scope->unit->header_bytes,
		.end_offset = scope->size,
		.abbrev_count = scope->abbrevs.dense && !walk->is_foreign ? scope->abbrevs.count :
									    0,
		.swapped = scope->swapped,
	};
	for (uint32_t i = 0; i < 2 && !names->by_text; i++) {
		const struct bc_string_section *section = &names->sections[scope->unit->names[i]];

		reader->first_name[i] = section->first_name;
		reader->name_limit[i] = section->first_name ? section->size_bytes : 0;
	}
}

/* The abbreviation that is the code at *AT, which moves behind it; NULL: not the short way. */
static inline const struct bc_abbrev *take_code(const struct bc_shape_reader *reader,
						const struct bc_abbrev *abbrevs, const uint8_t **at)
{
	const uint8_t *now = *at;
	uint32_t code;

	if (reader->end - now < 2)
		return NULL;
	code = *now++;
	if (code & 0x80) {
		if (*now & 0x80)
			return NULL;
		code = (code & 0x7f) | (uint32_t)*now++ << 7;
	}
	*at = now;
	return code - 1 < reader->abbrev_count ? &abbrevs[code - 1] : NULL;
}

void bc_walk_shapes(struct bc_shape_reader *reader, const struct bc_scope *scope,
		    struct bc_frame *parent, const uint8_t **at)
{
	const uint8_t *begin = *at, *now = begin;
	uint64_t count = 0;

	while (true) {
		const struct bc_abbrev *abbrev = take_code(reader, scope->abbrevs.items, &now);

		if (!abbrev || !abbrev->shape || (size_t)(reader->end - now) < abbrev->size)
			break;
		reader->fields = now;
		reader->offset = (uint32_t)(begin - scope->bytes);
		if (!take(reader, abbrev, parent))
			break;
		begin = now += abbrev->size;
		count++;
	}
	*at = begin;
	reader->collector->die_count += count;
}

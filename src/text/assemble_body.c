/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "text/assemble_body.h"

#include <string.h>

#include "text/assemble_names.h"
#include "text/assemble_tags.h"
#include "text/assemble_tokens.h"

uint32_t bc_parse_body_kind(const struct bc_parse *parse)
{
	switch (parse->scan.token.word) {
	case BC_WORD_STRUCT:
		return BC_STRUCT;
	case BC_WORD_UNION:
		return BC_UNION;
	case BC_WORD_ENUM:
		return BC_ENUM;
	default:
		return bc_scan_is(&parse->scan, "enum64") ? BC_ENUM64 : BC_VOID;
	}
}

static bool begin_body(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	bool is_composite = bc_kind_is_composite(frame->kind);

	frame->step = BC_PARSE_NEXT_ELEMENT;
	if (is_composite && !frame->label && !bc_parse_tags(parse, UINT32_MAX))
		return false;
	if (!frame->has_name && !frame->label && bc_parse_accept(parse, '@') &&
	    !bc_parse_label(parse, &frame->label))
		return false;
	return bc_parse_expect(parse, '{');
}

/* The offset word of each member, with bitfields or without. */
static bool settle_offsets(struct bc_parse *parse, const struct bc_parse_frame *frame)
{
	if (frame->kflag && frame->highest > 0xffffff)
		return bc_scan_fail(&parse->scan, frame->highest_at,
				    "an offset beyond 2 MiB does not go with bitfields");
	return true;
}

static bool settle_values(struct bc_parse *parse, const struct bc_parse_frame *frame)
{
	uint64_t limit = frame->kind == BC_ENUM64 ? INT64_MAX : INT32_MAX;

	if (frame->kflag && frame->highest > limit)
		return bc_scan_fail(&parse->scan, frame->highest_at,
				    "the values are signed: this one is at most %llu",
				    (unsigned long long)limit);
	return true;
}

bool bc_parse_store_body(struct bc_parse *parse, const struct bc_parse_frame *frame,
			 uint32_t size_bytes, uint32_t *id)
{
	size_t words = parse->element_count - frame->first_element;
	size_t count = words / bc_kind_shapes[frame->kind].element_words;
	uint32_t *node = NULL;

	if (count > BC_VLEN_MAX)
		return bc_scan_fail(&parse->scan, frame->at, "more than %u members or values",
				    BC_VLEN_MAX);
	node = bc_store_node(parse->store, frame->name,
			     bc_info(frame->kind, (uint32_t)count, frame->kflag),
			     BC_HEAD_WORDS + words, frame->at, id);
	if (!node)
		return false;
	node[2] = size_bytes;
	if (words)
		memcpy(node + BC_HEAD_WORDS, parse->elements + frame->first_element,
		       words * sizeof(*node));
	parse->element_count = frame->first_element;
	return true;
}

/* From behind the closing brace. */
static bool end_body(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	bool is_enum = bc_kind_is_enum(frame->kind);
	uint32_t size_bytes = 0, id = 0;

	if (!bc_parse_size(parse, &size_bytes) ||
	    !bc_parse_flag(parse, is_enum ? "signed" : "kflag", &frame->kflag) ||
	    !(is_enum ? settle_values(parse, frame) : settle_offsets(parse, frame)) ||
	    !bc_parse_store_body(parse, frame, size_bytes, &id) ||
	    !bc_parse_store_tags(parse, frame->first_tag, id))
		return false;
	if (frame->has_name && !bc_parse_declare(parse, bc_parse_tag_space(frame->kind),
						 frame->name, frame->number, id, frame->name_at))
		return false;
	if (frame->label && !bc_parse_declare(parse, bc_parse_label_space(frame->kind),
					      parse->block, frame->label, id, frame->at))
		return false;
	parse->made.type = id;
	parse->frame_count--;
	return true;
}

/* Remembers the largest of the numbers that must fit. */
static void note_highest(struct bc_parse_frame *frame, uint64_t number, uint32_t at)
{
	if (number <= frame->highest)
		return;
	frame->highest = number;
	frame->highest_at = at;
}

static bool read_value(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	bool is_wide = frame->kind == BC_ENUM64;
	uint64_t limit = is_wide ? UINT64_MAX : UINT32_MAX, value;
	uint32_t name = 0, at = 0;
	bool negative;

	if (!bc_parse_element_name(parse, &name) || !bc_parse_expect(parse, '='))
		return false;
	at = parse->scan.token.at;
	negative = bc_parse_accept(parse, '-');
	if (negative)
		limit = is_wide ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
	if (!bc_parse_number(parse, "a value", limit, &value) || !bc_parse_expect(parse, ','))
		return false;
	if (negative && value) {
		frame->kflag = true;
		value = -value;
	} else {
		note_highest(frame, value, at);
	}
	return is_wide ? bc_parse_push_wide_element(parse, name, (uint32_t)value,
						    (uint32_t)(value >> 32)) :
			 bc_parse_push_element(parse, name, (uint32_t)value);
}

/* The offset of a member, and its declaration is pushed. */
static bool begin_member(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	uint32_t at = parse->scan.token.at;
	uint64_t bytes = 0, bits = 0;

	if (!bc_parse_number(parse, "the offset of a member, or '}'", UINT32_MAX / 8, &bytes) ||
	    (bc_parse_accept(parse, ':') &&
	     !bc_parse_number(parse, "the bits of an offset", 7, &bits)))
		return false;
	note_highest(frame, bytes * 8 + bits, at);
	frame->offset = (uint32_t)(bytes * 8 + bits);
	frame->step = BC_PARSE_AFTER_ELEMENT;
	return bc_parse_push_declaration(parse);
}

static bool end_member(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	size_t index = (parse->element_count - frame->first_element) / 3;
	uint32_t at = parse->scan.token.at;
	uint64_t width = 0;

	frame->step = BC_PARSE_NEXT_ELEMENT;
	if (bc_parse_accept(parse, ':')) {
		if (!bc_parse_number(parse, "the width of a bitfield", 255, &width))
			return false;
		if (!width)
			return bc_scan_fail(&parse->scan, at, "a bitfield of no bits");
		frame->kflag = true;
	}
	return bc_parse_push_wide_element(parse, parse->made.name, parse->made.type,
					  frame->offset | (uint32_t)width << 24) &&
	       bc_parse_tags(parse, (uint32_t)index) && bc_parse_expect(parse, ';');
}

bool bc_parse_step_body(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	if (frame->step == BC_PARSE_START)
		return begin_body(parse, frame);
	if (frame->step == BC_PARSE_AFTER_ELEMENT)
		return end_member(parse, frame);
	if (bc_parse_accept(parse, '}'))
		return end_body(parse, frame);
	return bc_kind_is_enum(frame->kind) ? read_value(parse, frame) : begin_member(parse, frame);
}

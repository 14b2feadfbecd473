/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "text/assemble_frames.h"

struct bc_parse_frame *bc_parse_push_frame(struct bc_parse *parse, enum bc_parse_role role)
{
	struct bc_parse_frame *frame;

	if (!BC_PARSE_GROW(parse, frames, parse->frame_count, frame_capacity, 1))
		return NULL;
	frame = &parse->frames[parse->frame_count++];
	*frame = (struct bc_parse_frame){
		.role = (uint8_t)role,
		.at = parse->scan.token.at,
		.first_op = parse->op_count,
		.first_element = parse->element_count,
		.first_tag = parse->tag_count,
	};
	return frame;
}

bool bc_parse_push_declaration(struct bc_parse *parse)
{
	return bc_parse_push_frame(parse, BC_PARSE_DECLARATION) != NULL;
}

bool bc_parse_push_op(struct bc_parse *parse, struct bc_parse_op op)
{
	if (!BC_PARSE_GROW(parse, ops, parse->op_count, op_capacity, 1))
		return false;
	parse->ops[parse->op_count++] = op;
	return true;
}

bool bc_parse_push_element(struct bc_parse *parse, uint32_t a, uint32_t b)
{
	if (!BC_PARSE_GROW(parse, elements, parse->element_count, element_capacity, 2))
		return false;
	parse->elements[parse->element_count++] = a;
	parse->elements[parse->element_count++] = b;
	return true;
}

bool bc_parse_push_wide_element(struct bc_parse *parse, uint32_t a, uint32_t b, uint32_t c)
{
	if (!bc_parse_push_element(parse, a, b) ||
	    !BC_PARSE_GROW(parse, elements, parse->element_count, element_capacity, 1))
		return false;
	parse->elements[parse->element_count++] = c;
	return true;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "text/assemble_frames.h"
#include "base/room.h"

struct bc_parse_frame *bc_parse_push_frame(struct bc_parse *parse, enum bc_parse_role role)
{
	struct bc_parse_frame *frame;

	if (!bc_make_room(&parse->frames, &parse->frame_limit, parse->frame_count + 1,
			  sizeof(*parse->frames), parse->err))
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
	if (!bc_make_room(&parse->ops, &parse->op_limit, parse->op_count + 1, sizeof(*parse->ops),
			  parse->err))
		return false;
	parse->ops[parse->op_count++] = op;
	return true;
}

bool bc_parse_push_element(struct bc_parse *parse, uint32_t a, uint32_t b)
{
	if (!bc_make_room(&parse->elements, &parse->element_limit, parse->element_count + 2,
			  sizeof(*parse->elements), parse->err))
		return false;
	parse->elements[parse->element_count++] = a;
	parse->elements[parse->element_count++] = b;
	return true;
}

bool bc_parse_push_wide_element(struct bc_parse *parse, uint32_t a, uint32_t b, uint32_t c)
{
	if (!bc_parse_push_element(parse, a, b) ||
	    !bc_make_room(&parse->elements, &parse->element_limit, parse->element_count + 1,
			  sizeof(*parse->elements), parse->err))
		return false;
	parse->elements[parse->element_count++] = c;
	return true;
}

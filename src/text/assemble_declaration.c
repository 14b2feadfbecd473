/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "text/assemble_declaration.h"

#include <string.h>

#include "text/assemble_body.h"
#include "text/assemble_names.h"
#include "text/assemble_ops.h"
#include "text/assemble_tags.h"
#include "text/assemble_tokens.h"

/* A struct, union or enum in a declaration: a body is pushed, or the type is referred to. */
static bool read_tagged_base(struct bc_parse *parse, struct bc_parse_frame *frame, uint32_t kind)
{
	uint32_t name = 0, number = 0, label = 0, at = frame->at;

	bc_scan_step(&parse->scan);
	if (bc_parse_accept(parse, '@')) {
		if (!bc_parse_label(parse, &label))
			return false;
		if (!bc_parse_at(parse, '{') && kind != BC_ENUM64)
			return bc_parse_refer(parse, bc_parse_label_space(kind), parse->block,
					      label, frame->at, &frame->type);
	} else if (!bc_parse_at(parse, '{') && !bc_parse_at_tag(parse)) {
		return bc_parse_type_name(parse, &name, &number) &&
		       bc_parse_refer(parse, bc_parse_tag_space(kind), name, number, frame->at,
				      &frame->type);
	}
	frame->step = BC_PARSE_AFTER_BODY;
	frame = bc_parse_push_frame(parse, BC_PARSE_BODY);
	if (!frame)
		return false;
	frame->at = at;
	frame->kind = (uint8_t)kind;
	frame->label = label;
	return true;
}

static bool read_base(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	uint32_t kind = bc_parse_body_kind(parse), label = 0, name = 0, number = 0;
	uint32_t at = parse->scan.token.at;

	if (kind == BC_ENUM64 && parse->scan.next.type != '{' && parse->scan.next.type != '@')
		kind = BC_VOID; /* a type that is called so */
	frame->at = at;
	frame->step = BC_PARSE_AFTER_BASE;
	if (kind)
		return read_tagged_base(parse, frame, kind);
	if (parse->scan.token.word == BC_WORD_VOID) {
		bc_scan_step(&parse->scan);
		return true;
	}
	if (bc_parse_accept(parse, '@'))
		return bc_parse_label(parse, &label) &&
		       bc_parse_refer(parse, BC_SYMBOL_LABEL, parse->block, label, at,
				      &frame->type);
	if (!bc_parse_is_name(&parse->scan.token) && parse->scan.token.word != BC_WORD_OF_BASE)
		return bc_scan_expected(&parse->scan, "a type");
	return bc_parse_base_name(parse, &name, &number) &&
	       bc_parse_refer(parse, BC_SYMBOL_BASE, name, number, at, &frame->type);
}

/* Stars and what they have, down to the declared name. */
static bool read_declarator(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	for (;;) {
		struct bc_parse_op op = { .at = parse->scan.token.at };

		if (bc_parse_accept(parse, '*')) {
			op.kind = BC_PARSE_MAKE;
			op.number = bc_info(BC_PTR, 0, false);
			if (!bc_parse_take_op(parse, frame, frame->level, op) ||
			    !bc_parse_oddities(parse, frame, frame->level) ||
			    !bc_parse_modifiers(parse, frame, frame->level))
				return false;
		} else if (bc_parse_at(parse, '(') && parse->scan.next.type == '*') {
			bc_scan_step(&parse->scan);
			op.kind = BC_PARSE_MARK;
			frame->level++;
			if (!bc_parse_push_op(parse, op))
				return false;
		} else {
			break;
		}
	}
	frame->turn = parse->op_count;
	frame->step = BC_PARSE_PIECES;
	frame->name_at = parse->scan.token.at;
	frame->has_name = bc_parse_is_name(&parse->scan.token);
	if (!frame->has_name)
		return true;
	return frame->names_type ? bc_parse_type_name(parse, &frame->name, &frame->number) :
				   bc_parse_element_name(parse, &frame->name);
}

/* Operation PIECE, and what follows its sign. */
static bool take_piece(struct bc_parse *parse, struct bc_parse_frame *frame, uint32_t id)
{
	struct bc_parse_op op = { .kind = BC_PARSE_PIECE, .number = id, .at = frame->piece_at };

	frame->step = BC_PARSE_PIECES;
	return bc_parse_push_op(parse, op) && bc_parse_oddities(parse, frame, true) &&
	       bc_parse_modifiers(parse, frame, true);
}

static bool end_array(struct bc_parse *parse, struct bc_parse_frame *frame, uint32_t index)
{
	uint32_t id = 0, *node = NULL;

	if (!bc_parse_expect(parse, ']'))
		return false;
	node = bc_store_node(parse->store, 0, bc_info(BC_ARRAY, 0, false), 6, frame->piece_at, &id);
	if (!node)
		return false;
	node[4] = index;
	node[5] = frame->count;
	return take_piece(parse, frame, id);
}

static bool begin_array(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	struct bc_symbol *usual = &parse->store->symbols[0];

	if (!bc_parse_u32(parse, "a number of elements", &frame->count))
		return false;
	if (bc_parse_accept(parse, ':')) {
		frame->step = BC_PARSE_AFTER_INDEX;
		return bc_parse_push_declaration(parse);
	}
	if (!usual->number++)
		usual->used_at = frame->piece_at;
	return end_array(parse, frame, BC_STORE_USUAL_INDEX);
}

static bool begin_parameters(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	bool takes_tags = frame->is_linked && parse->op_count == frame->turn;

	frame->step = BC_PARSE_AFTER_PARAMETERS;
	frame = bc_parse_push_frame(parse, BC_PARSE_PARAMETERS);
	if (!frame)
		return false;
	frame->takes_tags = takes_tags;
	return true;
}

static bool end_declaration(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	if (frame->level)
		return bc_scan_expected(&parse->scan, "')'");
	if (!bc_parse_apply_ops(parse, frame))
		return false;
	parse->made.type = frame->type;
	parse->made.type_at = frame->at;
	parse->made.name = frame->name;
	parse->made.number = frame->number;
	parse->made.name_at = frame->name_at;
	parse->made.has_name = frame->has_name;
	parse->frame_count--;
	return true;
}

/* What stands at the right of the declared name. */
static bool read_pieces(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	struct bc_parse_op mark = { .kind = BC_PARSE_MARK };

	for (;;) {
		frame->piece_at = parse->scan.token.at;
		if (bc_parse_accept(parse, '('))
			return begin_parameters(parse, frame);
		if (bc_parse_at(parse, '[') && parse->scan.next.type != '[') {
			bc_scan_step(&parse->scan);
			return begin_array(parse, frame);
		}
		if (!frame->level || !bc_parse_accept(parse, ')'))
			return end_declaration(parse, frame);
		frame->level--;
		if (!bc_parse_push_op(parse, mark))
			return false;
	}
}

bool bc_parse_step_declaration(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	switch (frame->step) {
	case BC_PARSE_START:
		return bc_parse_prefix(parse, frame) && read_base(parse, frame);
	case BC_PARSE_AFTER_BODY:
		frame->type = parse->made.type;
		/* fallthrough */
	case BC_PARSE_AFTER_BASE:
		return bc_parse_apply_prefix(parse, frame) &&
		       bc_parse_modifiers(parse, frame, false) && read_declarator(parse, frame);
	case BC_PARSE_AFTER_INDEX:
		if (parse->made.has_name)
			return bc_scan_fail(&parse->scan, parse->made.name_at,
					    "an index type declares no name");
		return end_array(parse, frame, parse->made.type);
	case BC_PARSE_AFTER_PARAMETERS:
		return take_piece(parse, frame, parse->made.type);
	default:
		return read_pieces(parse, frame);
	}
}

/* ---- parameters ---- */

static bool end_parameters(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	size_t count = (parse->element_count - frame->first_element) / 2;
	uint32_t id = 0, *node = NULL;

	if (count > BC_VLEN_MAX)
		return bc_scan_fail(&parse->scan, frame->at, "more than %u parameters",
				    BC_VLEN_MAX);
	node = bc_store_node(parse->store, 0, bc_info(BC_FUNC_PROTO, (uint32_t)count, false),
			     BC_HEAD_WORDS + count * 2, frame->at, &id);
	if (!node)
		return false;
	if (count)
		memcpy(node + BC_HEAD_WORDS, parse->elements + frame->first_element,
		       count * 2 * sizeof(*node));
	parse->element_count = frame->first_element;
	parse->made.type = id;
	parse->frame_count--;
	return bc_parse_expect(parse, ')');
}

static bool end_parameter(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	size_t index = (parse->element_count - frame->first_element) / 2 - 1;

	if (bc_parse_at_tag(parse) && !frame->takes_tags)
		return bc_scan_fail(&parse->scan, parse->scan.token.at,
				    "only parameters of the function declared have tags");
	if (!bc_parse_tags(parse, (uint32_t)index))
		return false;
	frame->step = BC_PARSE_NEXT_ELEMENT;
	if (bc_parse_accept(parse, ','))
		return true;
	if (!bc_parse_at(parse, ')'))
		return bc_scan_expected(&parse->scan, "',' or ')'");
	return end_parameters(parse, frame);
}

bool bc_parse_step_parameters(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	bool is_first = frame->step == BC_PARSE_START;

	if (frame->step == BC_PARSE_AFTER_ELEMENT) {
		if (!parse->made.type)
			return bc_scan_fail(&parse->scan, parse->made.type_at,
					    "a parameter is not void");
		return bc_parse_push_element(parse, parse->made.name, parse->made.type) &&
		       end_parameter(parse, frame);
	}
	if (is_first && parse->scan.token.word == BC_WORD_VOID && parse->scan.next.type == ')') {
		bc_scan_step(&parse->scan);
		return end_parameters(parse, frame);
	}
	if (parse->scan.token.type == BC_TOKEN_DOTS) {
		bc_scan_step(&parse->scan);
		return bc_parse_push_element(parse, 0, 0) && end_parameter(parse, frame);
	}
	frame->step = BC_PARSE_AFTER_ELEMENT;
	return bc_parse_push_declaration(parse);
}

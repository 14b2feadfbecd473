/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "text/assemble_ops.h"

#include "text/assemble_names.h"
#include "text/assemble_tokens.h"

static bool apply_op(struct bc_parse *parse, struct bc_parse_frame *frame,
		     const struct bc_parse_op *op)
{
	struct bc_store *store = parse->store;
	uint32_t *node = NULL;

	switch (op->kind) {
	case BC_PARSE_MAKE: {
		uint32_t type = frame->type;

		if (op->is_plain)
			return bc_store_link(store, op->name, op->number, type, op->at,
					     &frame->type);
		node = bc_store_node(store, op->name, op->number, BC_HEAD_WORDS, op->at,
				     &frame->type);
		if (!node)
			return false;
		node[2] = type;
		return true;
	}
	case BC_PARSE_PIECE:
		node = bc_store_words(store, op->number);
		node[bc_node_kind(node) == BC_ARRAY ? 3 : 2] = frame->type;
		frame->type = op->number;
		return true;
	case BC_PARSE_LABEL:
		return bc_parse_declare(parse, BC_SYMBOL_LABEL, parse->block, op->number,
					frame->type, op->at);
	case BC_PARSE_RENAME:
		node = bc_store_words(store, frame->type);
		if (bc_node_kind(node) == BC_TYPE_TAG)
			return bc_scan_fail(&parse->scan, op->at, "the name of a tag is its text");
		node[0] = op->name;
		return true;
	default:
		return true;
	}
}

/* The oddities and modifiers that begin at I, up to a mark or END. */
static bool apply_ops_from(struct bc_parse *parse, struct bc_parse_frame *frame, size_t *i,
			   size_t end)
{
	while (*i < end && parse->ops[*i].kind != BC_PARSE_MARK)
		if (!apply_op(parse, frame, &parse->ops[(*i)++]))
			return false;
	return true;
}

/* The pieces that end before *END, back to a mark or BEGIN, the last one first. */
static bool apply_pieces(struct bc_parse *parse, struct bc_parse_frame *frame, size_t begin,
			 size_t *end)
{
	size_t at = *end, piece_end = at;

	for (; at > begin && parse->ops[at - 1].kind != BC_PARSE_MARK; at--) {
		if (parse->ops[at - 1].kind != BC_PARSE_PIECE)
			continue;
		for (size_t i = at - 1; i < piece_end; i++)
			if (!apply_op(parse, frame, &parse->ops[i]))
				return false;
		piece_end = at - 1;
	}
	*end = at > begin ? at - 1 : begin; /* the mark */
	return true;
}

bool bc_parse_apply_ops(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	size_t i = frame->first_op, end = parse->op_count;

	if (!apply_pieces(parse, frame, frame->turn, &end))
		return false;
	while (i < frame->turn) {
		i++; /* the mark */
		if (!apply_ops_from(parse, frame, &i, frame->turn) ||
		    !apply_pieces(parse, frame, frame->turn, &end))
			return false;
	}
	parse->op_count = frame->first_op;
	return true;
}

static bool at_oddity(const struct bc_parse *parse)
{
	return bc_parse_at(parse, '[') && parse->scan.next.type == '[';
}

bool bc_parse_take_op(struct bc_parse *parse, struct bc_parse_frame *frame, bool waits,
		      struct bc_parse_op op)
{
	op.is_plain = !at_oddity(parse);
	return waits ? bc_parse_push_op(parse, op) : apply_op(parse, frame, &op);
}

bool bc_parse_oddities(struct bc_parse *parse, struct bc_parse_frame *frame, bool waits)
{
	while (at_oddity(parse)) {
		struct bc_parse_op op = { .at = parse->scan.token.at };

		bc_scan_step(&parse->scan);
		bc_scan_step(&parse->scan);
		if (bc_parse_accept(parse, '@')) {
			op.kind = BC_PARSE_LABEL;
			if (!bc_parse_label(parse, &op.number))
				return false;
		} else if (bc_parse_accept_word(parse, "name")) {
			op.kind = BC_PARSE_RENAME;
			if (!bc_parse_string(parse, "a name in quotes", &op.name))
				return false;
		} else {
			return bc_scan_expected(&parse->scan, "a label or a name");
		}
		if (!bc_parse_expect_two(parse, ']') || !bc_parse_take_op(parse, frame, waits, op))
			return false;
	}
	return true;
}

static uint32_t qualifier_kind(const struct bc_token *token)
{
	return token->word == BC_WORD_CONST    ? BC_CONST :
	       token->word == BC_WORD_VOLATILE ? BC_VOLATILE :
	       token->word == BC_WORD_RESTRICT ? BC_RESTRICT :
						 BC_VOID;
}

bool bc_parse_modifiers(struct bc_parse *parse, struct bc_parse_frame *frame, bool waits)
{
	for (;;) {
		const struct bc_token *token = &parse->scan.token;
		bool kflag = token->word == BC_WORD_TYPE_ATTR;
		uint32_t kind = qualifier_kind(token);
		struct bc_parse_op op = { .kind = BC_PARSE_MAKE, .at = token->at };

		if (kind) {
			op.number = bc_info(kind, 0, false);
			bc_scan_step(&parse->scan);
		} else if (token->word == BC_WORD_TYPE_TAG || kflag) {
			op.number = bc_info(BC_TYPE_TAG, 0, kflag);
			bc_scan_step(&parse->scan);
			if (!bc_parse_expect(parse, '(') ||
			    !bc_parse_string(parse, "the text of a tag", &op.name) ||
			    !bc_parse_expect(parse, ')'))
				return false;
		} else {
			return true;
		}
		if (!bc_parse_take_op(parse, frame, waits, op) ||
		    !bc_parse_oddities(parse, frame, waits))
			return false;
	}
}

bool bc_parse_prefix(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	uint32_t kind = 0;

	while ((kind = qualifier_kind(&parse->scan.token))) {
		struct bc_parse_op op = {
			.kind = BC_PARSE_MAKE,
			.number = bc_info(kind, 0, false),
			.at = parse->scan.token.at,
		};

		bc_scan_step(&parse->scan);
		if (!bc_parse_take_op(parse, frame, true, op) ||
		    !bc_parse_oddities(parse, frame, true))
			return false;
	}
	return true;
}

bool bc_parse_apply_prefix(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	size_t end = parse->op_count;

	for (size_t at = end; at > frame->first_op; at--) {
		if (parse->ops[at - 1].kind != BC_PARSE_MAKE)
			continue;
		for (size_t i = at - 1; i < end; i++)
			if (!apply_op(parse, frame, &parse->ops[i]))
				return false;
		end = at - 1;
	}
	parse->op_count = frame->first_op;
	return true;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The grammar is that of docs/dump-format.md. What nests (declarations,
 * bodies, lists of parameters) has a stack of frames, not the C stack: each
 * step of a frame either ends it or pushes one frame, and is resumed when that
 * is done. A push may move the frames.
 *
 * A node is stored when all that it contains is complete, so its elements wait
 * on a stack; so do tags, which need the id of what they are on.
 *
 * A declaration is read from the left and means something from the base
 * outwards: "int (*a[2])(void)" is an array of pointers to functions. With n
 * open parentheses the text has stars S0 ( S1 ( … Sn name Pn ) … P1 ) P0, with
 * pieces P ("[2]", "(void)"), and the type is made in the order S0, P0
 * backwards, S1, P1 backwards, … So all from P0 or S1 on is put onto a stack of
 * operations, with marks for the parentheses, and applied at the end
 * [apply_ops].
 */
#include "text/assemble_parse.h"

#include <stdlib.h>
#include <string.h>

#include "graph/quote.h"
#include "graph/repeats.h"

enum role { DECLARATION, BODY, PARAMETERS };

enum step {
	START,
	AFTER_BASE,
	AFTER_BODY,
	PIECES,
	AFTER_INDEX,
	AFTER_PARAMETERS,
	NEXT_ELEMENT,
	AFTER_ELEMENT,
};

enum op_kind {
	OP_MARK,   /* a parenthesis, or the end of a piece's operations */
	OP_MAKE,   /* a PTR or modifier: NUMBER is its info, NAME a tag's */
	OP_PIECE,  /* node NUMBER, an ARRAY or FUNC_PROTO, gets its type */
	OP_LABEL,  /* label NUMBER means the type made last */
	OP_RENAME, /* the type made last is called NAME */
};

struct bc_parse_op {
	uint8_t kind;
	uint32_t number;
	uint32_t name;
	uint32_t at;
	bool is_plain; /* made without a label and a name */
};

struct bc_parse_frame {
	uint8_t role;
	uint8_t step;
	uint8_t kind;    /* body: of the node */
	bool kflag;      /* body: a bitfield or negative value was read */
	bool names_type; /* declaration: what it declares is a type's name */
	bool is_linked;  /* declaration: of a function or variable */
	bool takes_tags; /* parameters: of the function declared */
	bool has_name;
	uint32_t at;   /* where it begins */
	uint32_t name; /* declared, or the body's */
	uint32_t number;
	uint32_t name_at;
	uint32_t label;  /* body, 0: none */
	uint32_t offset; /* body: of the member that is being read */
	uint32_t level;  /* declaration: open parentheses */
	uint32_t type;   /* declaration: what is made so far */
	uint32_t count;  /* declaration: of the array that is being read */
	uint32_t piece_at;
	size_t first_op;      /* declaration */
	size_t turn;          /* declaration: number of operations at the name */
	size_t first_element; /* body, parameters */
	size_t first_tag;
	uint64_t highest; /* body: largest offset, or value above zero */
	uint32_t highest_at;
};

#define GROW(parse, items, count, capacity, more)                                                  \
	({                                                                                         \
		void *moved = (parse)->items;                                                      \
		bool grown = bc_store_grow(&moved, count, &(parse)->capacity, more,                \
					   sizeof(*(parse)->items), (parse)->err);                 \
		(parse)->items = moved;                                                            \
		grown;                                                                             \
	})

static struct bc_parse_frame *push_frame(struct bc_parse *parse, enum role role)
{
	struct bc_parse_frame *frame;

	if (!GROW(parse, frames, parse->frame_count, frame_capacity, 1))
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

static bool push_declaration(struct bc_parse *parse)
{
	return push_frame(parse, DECLARATION) != NULL;
}

static bool push_op(struct bc_parse *parse, struct bc_parse_op op)
{
	if (!GROW(parse, ops, parse->op_count, op_capacity, 1))
		return false;
	parse->ops[parse->op_count++] = op;
	return true;
}

static bool push_element(struct bc_parse *parse, uint32_t a, uint32_t b)
{
	if (!GROW(parse, elements, parse->element_count, element_capacity, 2))
		return false;
	parse->elements[parse->element_count++] = a;
	parse->elements[parse->element_count++] = b;
	return true;
}

static bool push_wide_element(struct bc_parse *parse, uint32_t a, uint32_t b, uint32_t c)
{
	if (!push_element(parse, a, b) ||
	    !GROW(parse, elements, parse->element_count, element_capacity, 1))
		return false;
	parse->elements[parse->element_count++] = c;
	return true;
}

/* ---- tokens ---- */

static bool at_sign(const struct bc_parse *parse, char sign)
{
	return parse->scan.token.type == (uint8_t)sign;
}

static bool accept_sign(struct bc_parse *parse, char sign)
{
	if (!at_sign(parse, sign))
		return false;
	bc_scan_step(&parse->scan);
	return true;
}

static bool expect_sign(struct bc_parse *parse, char sign)
{
	char what[] = { '\'', sign, '\'', '\0' };

	return accept_sign(parse, sign) || bc_scan_expected(&parse->scan, what);
}

/* As the "]]" behind a label. */
static bool expect_two_signs(struct bc_parse *parse, char sign)
{
	for (int i = 0; i < 2; i++)
		if (!expect_sign(parse, sign))
			return false;
	return true;
}

static bool accept_word(struct bc_parse *parse, const char *word)
{
	if (!bc_scan_is(&parse->scan, word))
		return false;
	bc_scan_step(&parse->scan);
	return true;
}

/* A number up to HIGHEST; WHAT says of what. */
static bool read_number(struct bc_parse *parse, const char *what, uint64_t highest,
			uint64_t *number)
{
	const struct bc_token *token = &parse->scan.token;

	*number = 0;
	if (token->type != BC_TOKEN_NUMBER)
		return bc_scan_expected(&parse->scan, what);
	if (token->number > highest)
		return bc_scan_fail(&parse->scan, token->at, "%s is at most %llu", what,
				    (unsigned long long)highest);
	*number = token->number;
	bc_scan_step(&parse->scan);
	return true;
}

static bool read_u32(struct bc_parse *parse, const char *what, uint32_t *number)
{
	uint64_t value = 0;

	*number = 0;
	if (!read_number(parse, what, UINT32_MAX, &value))
		return false;
	*number = (uint32_t)value;
	return true;
}

/* "size 8". */
static bool read_size(struct bc_parse *parse, uint32_t *size_bytes)
{
	return (accept_word(parse, "size") || bc_scan_expected(&parse->scan, "'size'")) &&
	       read_u32(parse, "a size", size_bytes);
}

/* "@3" behind the sign. */
static bool read_label(struct bc_parse *parse, uint32_t *label)
{
	if (!read_u32(parse, "the number of a label", label))
		return false;
	return *label || bc_scan_fail(&parse->scan, parse->scan.token.at, "labels count from 1");
}

/* "[[" WORD "]]", if it is that. */
static bool accept_flag(struct bc_parse *parse, const char *word, bool *flag)
{
	if (!at_sign(parse, '[') || parse->scan.next.type != '[')
		return true;
	bc_scan_step(&parse->scan);
	bc_scan_step(&parse->scan);
	if (!accept_word(parse, word))
		return bc_scan_expected(&parse->scan, word);
	*flag = true;
	return expect_two_signs(parse, ']');
}

/* ---- names ---- */

static bool is_name(const struct bc_token *token)
{
	return token->type == BC_TOKEN_STRING ||
	       (token->type == BC_TOKEN_WORD && token->word == BC_WORD_OTHER);
}

/* Room for SIZE_BYTES in spare. */
static bool make_spare(struct bc_parse *parse, size_t size_bytes)
{
	return GROW(parse, spare, 0, spare_capacity, size_bytes);
}

/* What the string or the word that is TOKEN says. */
static bool store_token(struct bc_parse *parse, uint32_t *name)
{
	const struct bc_token *token = &parse->scan.token;
	const char *text = parse->scan.text + token->begin;
	uint32_t length = token->length;

	if (token->escaped) {
		if (!make_spare(parse, length))
			return false;
		length = bc_scan_unescape(&parse->scan, parse->spare);
		text = parse->spare;
	}
	return bc_store_string(parse->store, text, length, name);
}

/* The name of a member, value or parameter: "___2" at its end is part of it. */
static bool read_element_name(struct bc_parse *parse, uint32_t *name)
{
	if (!is_name(&parse->scan.token))
		return bc_scan_expected(&parse->scan, "a name");
	if (parse->scan.token.type == BC_TOKEN_STRING && parse->scan.token.number)
		return bc_scan_fail(&parse->scan, parse->scan.token.at,
				    "only names of types, functions, variables and sections have "
				    "numbers");
	if (!store_token(parse, name))
		return false;
	bc_scan_step(&parse->scan);
	return true;
}

/* A string in quotes, without a number. */
static bool read_string(struct bc_parse *parse, const char *what, uint32_t *name)
{
	if (parse->scan.token.type != BC_TOKEN_STRING || !parse->scan.token.length)
		return bc_scan_expected(&parse->scan, what);
	return read_element_name(parse, name);
}

/* The bytes of word TOKEN before its "___N"; *NUMBER is N, 1 without. */
static uint32_t split_word(const struct bc_parse *parse, const struct bc_token *token,
			   uint64_t *number)
{
	const char *text = parse->scan.text + token->begin;
	uint32_t length = 0;

	if (text[token->length - 1] >= '0' && text[token->length - 1] <= '9')
		length = (uint32_t)bc_numbered_prefix(text, token->length, number);
	if (length)
		return length;
	*number = 1;
	return token->length;
}

/* The name of a type, and its number. */
static bool read_type_name(struct bc_parse *parse, uint32_t *name, uint32_t *number)
{
	const struct bc_token *token = &parse->scan.token;
	uint64_t wide = token->number ? token->number : 1;

	if (!is_name(token))
		return bc_scan_expected(&parse->scan, "a name");
	if (token->type == BC_TOKEN_STRING) {
		if (!store_token(parse, name))
			return false;
	} else if (!bc_store_string(parse->store, parse->scan.text + token->begin,
				    split_word(parse, token, &wide), name)) {
		return false;
	}
	if (wide > UINT32_MAX)
		return bc_scan_fail(&parse->scan, token->at, "the number of a name is at most %u",
				    UINT32_MAX);
	*number = (uint32_t)wide;
	bc_scan_step(&parse->scan);
	return true;
}

/* Is it a word of base types, maybe with a number? */
static bool is_base_word(const struct bc_parse *parse, const struct bc_token *token)
{
	static const char words[] = " char short int long signed unsigned float double __int128 ";
	uint64_t number = 0;
	char padded[12] = " ";
	uint32_t length = 0;

	if (token->type != BC_TOKEN_WORD || token->word == BC_WORD_NO_NAME)
		return false;
	if (token->word == BC_WORD_OF_BASE)
		return true;
	length = split_word(parse, token, &number);
	if (length == token->length || length + 3 > sizeof(padded))
		return false;
	memcpy(padded + 1, parse->scan.text + token->begin, length);
	padded[length + 1] = ' ';
	padded[length + 2] = '\0';
	return strstr(words, padded);
}

/* The name of an INT, FLOAT or TYPEDEF where it may be several words. */
static bool read_base_name(struct bc_parse *parse, uint32_t *name, uint32_t *number)
{
	size_t length = 0;
	uint64_t wide = 1;

	if (!is_base_word(parse, &parse->scan.token) || !is_base_word(parse, &parse->scan.next)) {
		if (parse->scan.token.word != BC_WORD_OF_BASE)
			return read_type_name(parse, name, number);
		*number = 1;
		if (!store_token(parse, name))
			return false;
		bc_scan_step(&parse->scan);
		return true;
	}
	for (; is_base_word(parse, &parse->scan.token) && wide == 1; bc_scan_step(&parse->scan)) {
		const struct bc_token *token = &parse->scan.token;
		uint32_t part = split_word(parse, token, &wide);

		if (!GROW(parse, spare, length, spare_capacity, part + 1))
			return false;
		if (length)
			parse->spare[length++] = ' ';
		memcpy(parse->spare + length, parse->scan.text + token->begin, part);
		length += part;
	}
	if (wide > UINT32_MAX)
		return bc_scan_expected(&parse->scan, "a smaller number of a name");
	*number = (uint32_t)wide;
	return bc_store_string(parse->store, parse->spare, length, name);
}

/* ---- symbols ---- */

static bool refer(struct bc_parse *parse, enum bc_symbol_space space, uint32_t name,
		  uint32_t number, uint32_t at, uint32_t *reference)
{
	if (!bc_store_symbol(parse->store, space, name, number, at, reference))
		return false;
	*reference |= BC_STORE_SYMBOL;
	return true;
}

bool bc_parse_declare(struct bc_parse *parse, enum bc_symbol_space space, uint32_t name,
		      uint32_t number, uint32_t id, uint32_t at)
{
	uint32_t symbol = 0;

	if (bc_store_find(parse->store, space, name, number))
		return bc_scan_fail(&parse->scan, at,
				    space >= BC_SYMBOL_LABEL_STRUCT ?
					    "this label means something else already" :
					    "this name and number belong to another type already");
	if (!bc_store_symbol(parse->store, space, name, number, at, &symbol))
		return false;
	parse->store->symbols[symbol].id = id;
	return true;
}

static enum bc_symbol_space tag_space(uint32_t kind)
{
	return kind == BC_STRUCT ? BC_SYMBOL_STRUCT :
	       kind == BC_UNION  ? BC_SYMBOL_UNION :
				   BC_SYMBOL_ENUM;
}

static enum bc_symbol_space label_space(uint32_t kind)
{
	return tag_space(kind) + (BC_SYMBOL_LABEL_STRUCT - BC_SYMBOL_STRUCT);
}

/* ---- tags ---- */

static bool at_tag(const struct bc_parse *parse)
{
	return parse->scan.token.word == BC_WORD_DECL_TAG ||
	       parse->scan.token.word == BC_WORD_DECL_ATTR;
}

/* One tag up to its name; the closing parenthesis is not read. */
static bool read_tag(struct bc_parse *parse, struct bc_tag_across *tag)
{
	*tag = (struct bc_tag_across){
		.kflag = parse->scan.token.word == BC_WORD_DECL_ATTR,
		.component = UINT32_MAX,
		.at = parse->scan.token.at,
	};
	if (!at_tag(parse))
		return bc_scan_expected(&parse->scan, "a tag");
	bc_scan_step(&parse->scan);
	return expect_sign(parse, '(') && read_string(parse, "the text of a tag", &tag->name);
}

/* Tags, to wait for the type that they are on. */
static bool read_tags(struct bc_parse *parse, uint32_t component)
{
	struct bc_tag_across tag;

	while (at_tag(parse)) {
		if (!read_tag(parse, &tag) || !expect_sign(parse, ')') ||
		    !GROW(parse, tags, parse->tag_count, tag_capacity, 1))
			return false;
		tag.component = component;
		parse->tags[parse->tag_count++] = tag;
	}
	return true;
}

static bool store_tag(struct bc_parse *parse, const struct bc_tag_across *tag, uint32_t target)
{
	uint32_t id = 0, *node = NULL;

	node = bc_store_node(parse->store, tag->name, bc_info(BC_DECL_TAG, 0, tag->kflag), 4,
			     tag->at, &id);
	if (!node)
		return false;
	node[2] = target;
	node[3] = tag->component;
	return true;
}

/* The tags that wait from number FIRST on are on TARGET. */
static bool store_tags(struct bc_parse *parse, size_t first, uint32_t target)
{
	for (size_t i = first; i < parse->tag_count; i++)
		if (!store_tag(parse, &parse->tags[i], target))
			return false;
	parse->tag_count = first;
	return true;
}

/* ---- operations ---- */

static bool apply_op(struct bc_parse *parse, struct bc_parse_frame *frame,
		     const struct bc_parse_op *op)
{
	struct bc_store *store = parse->store;
	uint32_t *node = NULL;

	switch (op->kind) {
	case OP_MAKE: {
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
	case OP_PIECE:
		node = bc_store_words(store, op->number);
		node[bc_node_kind(node) == BC_ARRAY ? 3 : 2] = frame->type;
		frame->type = op->number;
		return true;
	case OP_LABEL:
		return bc_parse_declare(parse, BC_SYMBOL_LABEL, parse->block, op->number,
					frame->type, op->at);
	case OP_RENAME:
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
	while (*i < end && parse->ops[*i].kind != OP_MARK)
		if (!apply_op(parse, frame, &parse->ops[(*i)++]))
			return false;
	return true;
}

/* The pieces that end before *END, back to a mark or BEGIN, the last one first. */
static bool apply_pieces(struct bc_parse *parse, struct bc_parse_frame *frame, size_t begin,
			 size_t *end)
{
	size_t at = *end, piece_end = at;

	for (; at > begin && parse->ops[at - 1].kind != OP_MARK; at--) {
		if (parse->ops[at - 1].kind != OP_PIECE)
			continue;
		for (size_t i = at - 1; i < piece_end; i++)
			if (!apply_op(parse, frame, &parse->ops[i]))
				return false;
		piece_end = at - 1;
	}
	*end = at > begin ? at - 1 : begin; /* the mark */
	return true;
}

static bool apply_ops(struct bc_parse *parse, struct bc_parse_frame *frame)
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
	return at_sign(parse, '[') && parse->scan.next.type == '[';
}

/* Applies OP, or has it wait where others do. */
static bool take_op(struct bc_parse *parse, struct bc_parse_frame *frame, bool waits,
		    struct bc_parse_op op)
{
	op.is_plain = !at_oddity(parse);
	return waits ? push_op(parse, op) : apply_op(parse, frame, &op);
}

/* "[[@1]]" and "[[name "x"]]". */
static bool read_oddities(struct bc_parse *parse, struct bc_parse_frame *frame, bool waits)
{
	while (at_oddity(parse)) {
		struct bc_parse_op op = { .at = parse->scan.token.at };

		bc_scan_step(&parse->scan);
		bc_scan_step(&parse->scan);
		if (accept_sign(parse, '@')) {
			op.kind = OP_LABEL;
			if (!read_label(parse, &op.number))
				return false;
		} else if (accept_word(parse, "name")) {
			op.kind = OP_RENAME;
			if (!read_string(parse, "a name in quotes", &op.name))
				return false;
		} else {
			return bc_scan_expected(&parse->scan, "a label or a name");
		}
		if (!expect_two_signs(parse, ']') || !take_op(parse, frame, waits, op))
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

/* Modifiers and their oddities. */
static bool read_modifiers(struct bc_parse *parse, struct bc_parse_frame *frame, bool waits)
{
	for (;;) {
		const struct bc_token *token = &parse->scan.token;
		bool kflag = token->word == BC_WORD_TYPE_ATTR;
		uint32_t kind = qualifier_kind(token);
		struct bc_parse_op op = { .kind = OP_MAKE, .at = token->at };

		if (kind) {
			op.number = bc_info(kind, 0, false);
			bc_scan_step(&parse->scan);
		} else if (token->word == BC_WORD_TYPE_TAG || kflag) {
			op.number = bc_info(BC_TYPE_TAG, 0, kflag);
			bc_scan_step(&parse->scan);
			if (!expect_sign(parse, '(') ||
			    !read_string(parse, "the text of a tag", &op.name) ||
			    !expect_sign(parse, ')'))
				return false;
		} else {
			return true;
		}
		if (!take_op(parse, frame, waits, op) || !read_oddities(parse, frame, waits))
			return false;
	}
}

/* ---- declarations ---- */

/* Qualifiers in front of the base; the last is the innermost. They wait, each with its oddities. */
static bool read_prefix(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	uint32_t kind = 0;

	while ((kind = qualifier_kind(&parse->scan.token))) {
		struct bc_parse_op op = {
			.kind = OP_MAKE,
			.number = bc_info(kind, 0, false),
			.at = parse->scan.token.at,
		};

		bc_scan_step(&parse->scan);
		if (!take_op(parse, frame, true, op) || !read_oddities(parse, frame, true))
			return false;
	}
	return true;
}

static bool apply_prefix(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	size_t end = parse->op_count;

	for (size_t at = end; at > frame->first_op; at--) {
		if (parse->ops[at - 1].kind != OP_MAKE)
			continue;
		for (size_t i = at - 1; i < end; i++)
			if (!apply_op(parse, frame, &parse->ops[i]))
				return false;
		end = at - 1;
	}
	parse->op_count = frame->first_op;
	return true;
}

/* The kind that "struct", "union", "enum" or "enum64" begins, BC_VOID: none. */
static uint32_t body_kind(const struct bc_parse *parse)
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

/* A struct, union or enum in a declaration: a body is pushed, or the type is referred to. */
static bool read_tagged_base(struct bc_parse *parse, struct bc_parse_frame *frame, uint32_t kind)
{
	uint32_t name = 0, number = 0, label = 0, at = frame->at;

	bc_scan_step(&parse->scan);
	if (accept_sign(parse, '@')) {
		if (!read_label(parse, &label))
			return false;
		if (!at_sign(parse, '{') && kind != BC_ENUM64)
			return refer(parse, label_space(kind), parse->block, label, frame->at,
				     &frame->type);
	} else if (!at_sign(parse, '{') && !at_tag(parse)) {
		return read_type_name(parse, &name, &number) &&
		       refer(parse, tag_space(kind), name, number, frame->at, &frame->type);
	}
	frame->step = AFTER_BODY;
	frame = push_frame(parse, BODY);
	if (!frame)
		return false;
	frame->at = at;
	frame->kind = (uint8_t)kind;
	frame->label = label;
	return true;
}

static bool read_base(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	uint32_t kind = body_kind(parse), label = 0, name = 0, number = 0;
	uint32_t at = parse->scan.token.at;

	if (kind == BC_ENUM64 && parse->scan.next.type != '{' && parse->scan.next.type != '@')
		kind = BC_VOID; /* a type that is called so */
	frame->at = at;
	frame->step = AFTER_BASE;
	if (kind)
		return read_tagged_base(parse, frame, kind);
	if (parse->scan.token.word == BC_WORD_VOID) {
		bc_scan_step(&parse->scan);
		return true;
	}
	if (accept_sign(parse, '@'))
		return read_label(parse, &label) &&
		       refer(parse, BC_SYMBOL_LABEL, parse->block, label, at, &frame->type);
	if (!is_name(&parse->scan.token) && parse->scan.token.word != BC_WORD_OF_BASE)
		return bc_scan_expected(&parse->scan, "a type");
	return read_base_name(parse, &name, &number) &&
	       refer(parse, BC_SYMBOL_BASE, name, number, at, &frame->type);
}

/* Stars and what they have, down to the declared name. */
static bool read_declarator(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	for (;;) {
		struct bc_parse_op op = { .at = parse->scan.token.at };

		if (accept_sign(parse, '*')) {
			op.kind = OP_MAKE;
			op.number = bc_info(BC_PTR, 0, false);
			if (!take_op(parse, frame, frame->level, op) ||
			    !read_oddities(parse, frame, frame->level) ||
			    !read_modifiers(parse, frame, frame->level))
				return false;
		} else if (at_sign(parse, '(') && parse->scan.next.type == '*') {
			bc_scan_step(&parse->scan);
			op.kind = OP_MARK;
			frame->level++;
			if (!push_op(parse, op))
				return false;
		} else {
			break;
		}
	}
	frame->turn = parse->op_count;
	frame->step = PIECES;
	frame->name_at = parse->scan.token.at;
	frame->has_name = is_name(&parse->scan.token);
	if (!frame->has_name)
		return true;
	return frame->names_type ? read_type_name(parse, &frame->name, &frame->number) :
				   read_element_name(parse, &frame->name);
}

/* Operation PIECE, and what follows its sign. */
static bool take_piece(struct bc_parse *parse, struct bc_parse_frame *frame, uint32_t id)
{
	struct bc_parse_op op = { .kind = OP_PIECE, .number = id, .at = frame->piece_at };

	frame->step = PIECES;
	return push_op(parse, op) && read_oddities(parse, frame, true) &&
	       read_modifiers(parse, frame, true);
}

static bool end_array(struct bc_parse *parse, struct bc_parse_frame *frame, uint32_t index)
{
	uint32_t id = 0, *node = NULL;

	if (!expect_sign(parse, ']'))
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

	if (!read_u32(parse, "a number of elements", &frame->count))
		return false;
	if (accept_sign(parse, ':')) {
		frame->step = AFTER_INDEX;
		return push_declaration(parse);
	}
	if (!usual->number++)
		usual->used_at = frame->piece_at;
	return end_array(parse, frame, BC_STORE_USUAL_INDEX);
}

static bool begin_parameters(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	bool takes_tags = frame->is_linked && parse->op_count == frame->turn;

	frame->step = AFTER_PARAMETERS;
	frame = push_frame(parse, PARAMETERS);
	if (!frame)
		return false;
	frame->takes_tags = takes_tags;
	return true;
}

static bool end_declaration(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	if (frame->level)
		return bc_scan_expected(&parse->scan, "')'");
	if (!apply_ops(parse, frame))
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
	struct bc_parse_op mark = { .kind = OP_MARK };

	for (;;) {
		frame->piece_at = parse->scan.token.at;
		if (accept_sign(parse, '('))
			return begin_parameters(parse, frame);
		if (at_sign(parse, '[') && parse->scan.next.type != '[') {
			bc_scan_step(&parse->scan);
			return begin_array(parse, frame);
		}
		if (!frame->level || !accept_sign(parse, ')'))
			return end_declaration(parse, frame);
		frame->level--;
		if (!push_op(parse, mark))
			return false;
	}
}

static bool step_declaration(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	switch (frame->step) {
	case START:
		return read_prefix(parse, frame) && read_base(parse, frame);
	case AFTER_BODY:
		frame->type = parse->made.type;
		/* fallthrough */
	case AFTER_BASE:
		return apply_prefix(parse, frame) && read_modifiers(parse, frame, false) &&
		       read_declarator(parse, frame);
	case AFTER_INDEX:
		if (parse->made.has_name)
			return bc_scan_fail(&parse->scan, parse->made.name_at,
					    "an index type declares no name");
		return end_array(parse, frame, parse->made.type);
	case AFTER_PARAMETERS:
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
	return expect_sign(parse, ')');
}

static bool end_parameter(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	size_t index = (parse->element_count - frame->first_element) / 2 - 1;

	if (at_tag(parse) && !frame->takes_tags)
		return bc_scan_fail(&parse->scan, parse->scan.token.at,
				    "only parameters of the function declared have tags");
	if (!read_tags(parse, (uint32_t)index))
		return false;
	frame->step = NEXT_ELEMENT;
	if (accept_sign(parse, ','))
		return true;
	if (!at_sign(parse, ')'))
		return bc_scan_expected(&parse->scan, "',' or ')'");
	return end_parameters(parse, frame);
}

static bool step_parameters(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	bool is_first = frame->step == START;

	if (frame->step == AFTER_ELEMENT) {
		if (!parse->made.type)
			return bc_scan_fail(&parse->scan, parse->made.type_at,
					    "a parameter is not void");
		return push_element(parse, parse->made.name, parse->made.type) &&
		       end_parameter(parse, frame);
	}
	if (is_first && parse->scan.token.word == BC_WORD_VOID && parse->scan.next.type == ')') {
		bc_scan_step(&parse->scan);
		return end_parameters(parse, frame);
	}
	if (parse->scan.token.type == BC_TOKEN_DOTS) {
		bc_scan_step(&parse->scan);
		return push_element(parse, 0, 0) && end_parameter(parse, frame);
	}
	frame->step = AFTER_ELEMENT;
	return push_declaration(parse);
}

/* ---- bodies ---- */

static bool begin_body(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	bool is_composite = bc_kind_is_composite(frame->kind);

	frame->step = NEXT_ELEMENT;
	if (is_composite && !frame->label && !read_tags(parse, UINT32_MAX))
		return false;
	if (!frame->has_name && !frame->label && accept_sign(parse, '@') &&
	    !read_label(parse, &frame->label))
		return false;
	return expect_sign(parse, '{');
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

static bool store_body(struct bc_parse *parse, const struct bc_parse_frame *frame,
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

	if (!read_size(parse, &size_bytes) ||
	    !accept_flag(parse, is_enum ? "signed" : "kflag", &frame->kflag) ||
	    !(is_enum ? settle_values(parse, frame) : settle_offsets(parse, frame)) ||
	    !store_body(parse, frame, size_bytes, &id) || !store_tags(parse, frame->first_tag, id))
		return false;
	if (frame->has_name && !bc_parse_declare(parse, tag_space(frame->kind), frame->name,
						 frame->number, id, frame->name_at))
		return false;
	if (frame->label && !bc_parse_declare(parse, label_space(frame->kind), parse->block,
					      frame->label, id, frame->at))
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

	if (!read_element_name(parse, &name) || !expect_sign(parse, '='))
		return false;
	at = parse->scan.token.at;
	negative = accept_sign(parse, '-');
	if (negative)
		limit = is_wide ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
	if (!read_number(parse, "a value", limit, &value) || !expect_sign(parse, ','))
		return false;
	if (negative && value) {
		frame->kflag = true;
		value = -value;
	} else {
		note_highest(frame, value, at);
	}
	return is_wide ? push_wide_element(parse, name, (uint32_t)value, (uint32_t)(value >> 32)) :
			 push_element(parse, name, (uint32_t)value);
}

/* The offset of a member, and its declaration is pushed. */
static bool begin_member(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	uint32_t at = parse->scan.token.at;
	uint64_t bytes = 0, bits = 0;

	if (!read_number(parse, "the offset of a member, or '}'", UINT32_MAX / 8, &bytes) ||
	    (accept_sign(parse, ':') && !read_number(parse, "the bits of an offset", 7, &bits)))
		return false;
	note_highest(frame, bytes * 8 + bits, at);
	frame->offset = (uint32_t)(bytes * 8 + bits);
	frame->step = AFTER_ELEMENT;
	return push_declaration(parse);
}

static bool end_member(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	size_t index = (parse->element_count - frame->first_element) / 3;
	uint32_t at = parse->scan.token.at;
	uint64_t width = 0;

	frame->step = NEXT_ELEMENT;
	if (accept_sign(parse, ':')) {
		if (!read_number(parse, "the width of a bitfield", 255, &width))
			return false;
		if (!width)
			return bc_scan_fail(&parse->scan, at, "a bitfield of no bits");
		frame->kflag = true;
	}
	return push_wide_element(parse, parse->made.name, parse->made.type,
				 frame->offset | (uint32_t)width << 24) &&
	       read_tags(parse, (uint32_t)index) && expect_sign(parse, ';');
}

static bool step_body(struct bc_parse *parse, struct bc_parse_frame *frame)
{
	if (frame->step == START)
		return begin_body(parse, frame);
	if (frame->step == AFTER_ELEMENT)
		return end_member(parse, frame);
	if (accept_sign(parse, '}'))
		return end_body(parse, frame);
	return bc_kind_is_enum(frame->kind) ? read_value(parse, frame) : begin_member(parse, frame);
}

/* Until no frame is left. */
static bool run(struct bc_parse *parse)
{
	while (parse->frame_count) {
		struct bc_parse_frame *frame = &parse->frames[parse->frame_count - 1];
		bool done = frame->role == DECLARATION ? step_declaration(parse, frame) :
			    frame->role == BODY        ? step_body(parse, frame) :
							 step_parameters(parse, frame);

		if (!done)
			return false;
	}
	return true;
}

/* ---- blocks ---- */

static bool read_declaration(struct bc_parse *parse, bool names_type, bool is_linked)
{
	struct bc_parse_frame *frame = push_frame(parse, DECLARATION);

	if (!frame)
		return false;
	frame->names_type = names_type;
	frame->is_linked = is_linked;
	return run(parse);
}

/* The declared name is there, and not empty. */
static bool has_declared_name(struct bc_parse *parse)
{
	if (!parse->made.has_name)
		return bc_scan_expected(&parse->scan, "the name that is declared");
	return parse->made.name || bc_scan_fail(&parse->scan, parse->made.name_at, "an empty name");
}

static bool read_integer(struct bc_parse *parse, uint32_t at)
{
	static const char *const words[] = { "signed", "char", "bool", "encoding8" };
	uint32_t name = 0, number = 0, size_bytes = 0, id = 0, encoding = 0, *node = NULL;
	uint64_t bits = 0, offset = 0;

	if (!read_base_name(parse, &name, &number) || !read_size(parse, &size_bytes))
		return false;
	for (uint32_t i = 0; i < 4; i++)
		if (accept_word(parse, words[i]))
			encoding |= 1u << i;
	bits = (uint64_t)size_bytes * 8;
	if (accept_word(parse, "bits")) {
		if (!read_number(parse, "a number of bits", 255, &bits))
			return false;
	} else if (bits > 255) {
		return bc_scan_expected(&parse->scan, "'bits' (of so large an integer)");
	}
	if (accept_word(parse, "offset") && !read_number(parse, "an offset", 255, &offset))
		return false;
	node = bc_store_node(parse->store, name, bc_info(BC_INT, 0, false), 4, at, &id);
	if (!node)
		return false;
	node[2] = size_bytes;
	node[3] = encoding << 24 | (uint32_t)offset << 16 | (uint32_t)bits;
	return bc_parse_declare(parse, BC_SYMBOL_BASE, name, number, id, at);
}

static bool read_float(struct bc_parse *parse, uint32_t at)
{
	uint32_t name = 0, number = 0, size_bytes = 0, id = 0, *node = NULL;

	if (!read_base_name(parse, &name, &number) || !read_size(parse, &size_bytes))
		return false;
	node = bc_store_node(parse->store, name, bc_info(BC_FLOAT, 0, false), BC_HEAD_WORDS, at,
			     &id);
	if (!node)
		return false;
	node[2] = size_bytes;
	return bc_parse_declare(parse, BC_SYMBOL_BASE, name, number, id, at);
}

static bool read_typedef(struct bc_parse *parse, uint32_t at)
{
	uint32_t id = 0, *node = NULL;

	if (!read_declaration(parse, true, false) || !has_declared_name(parse))
		return false;
	node = bc_store_node(parse->store, parse->made.name, bc_info(BC_TYPEDEF, 0, false),
			     BC_HEAD_WORDS, at, &id);
	if (!node)
		return false;
	node[2] = parse->made.type;
	return bc_parse_declare(parse, BC_SYMBOL_BASE, parse->made.name, parse->made.number, id,
				parse->made.name_at) &&
	       read_tags(parse, UINT32_MAX) && store_tags(parse, 0, id);
}

static bool read_linked(struct bc_parse *parse, uint32_t linkage, uint32_t at)
{
	struct bc_store *store = parse->store;
	uint32_t id = 0, *node = NULL;
	bool is_function;

	if (!read_declaration(parse, true, true) || !has_declared_name(parse))
		return false;
	is_function = bc_store_is_own(store, parse->made.type) &&
		      bc_node_kind(bc_store_words(store, parse->made.type)) == BC_FUNC_PROTO;
	if (!is_function && parse->tag_count)
		return bc_scan_fail(&parse->scan, parse->tags[0].at,
				    "only parameters of functions have tags");
	node = bc_store_node(store, parse->made.name,
			     is_function ? bc_info(BC_FUNC, linkage, false) :
					   bc_info(BC_VAR, 0, false),
			     is_function ? 3 : 4, at, &id);
	if (!node)
		return false;
	node[2] = parse->made.type;
	if (!is_function)
		node[3] = linkage;
	return bc_parse_declare(parse, is_function ? BC_SYMBOL_FUNC : BC_SYMBOL_VAR,
				parse->made.name, parse->made.number, id, parse->made.name_at) &&
	       read_tags(parse, UINT32_MAX) && store_tags(parse, 0, id);
}

/* "var x" or "func f". */
static bool read_object(struct bc_parse *parse, uint32_t *reference)
{
	uint32_t name = 0, number = 0, at = parse->scan.token.at;
	enum bc_symbol_space space = BC_SYMBOL_VAR;

	if (accept_word(parse, "func"))
		space = BC_SYMBOL_FUNC;
	else if (!accept_word(parse, "var"))
		return bc_scan_expected(&parse->scan, "'var' or 'func'");
	return read_type_name(parse, &name, &number) &&
	       refer(parse, space, name, number, at, reference);
}

static bool read_entry(struct bc_parse *parse)
{
	uint32_t offset = 0, reference = 0, size_bytes = 0;

	if (bc_scan_is(&parse->scan, "var") || bc_scan_is(&parse->scan, "func"))
		return bc_scan_fail(&parse->scan, parse->scan.token.at,
				    "an entry without its offset (only dump --full writes it)");
	return read_u32(parse, "the offset of an entry, or '}'", &offset) &&
	       read_object(parse, &reference) && read_size(parse, &size_bytes) &&
	       expect_sign(parse, ';') && push_wide_element(parse, reference, offset, size_bytes);
}

static bool read_section(struct bc_parse *parse, uint32_t at)
{
	struct bc_parse_frame as_body = { .kind = BC_DATASEC, .at = at };
	uint32_t number = 0, size_bytes = 0, id = 0;

	if (!read_type_name(parse, &as_body.name, &number) || !expect_sign(parse, '{'))
		return false;
	if (!as_body.name)
		return bc_scan_fail(&parse->scan, at, "a section without a name");
	while (!accept_sign(parse, '}'))
		if (!read_entry(parse))
			return false;
	return read_size(parse, &size_bytes) && store_body(parse, &as_body, size_bytes, &id) &&
	       bc_parse_declare(parse, BC_SYMBOL_SECTION, as_body.name, number, id, at);
}

static bool read_forward(struct bc_parse *parse, uint32_t kind, uint32_t name, uint32_t number,
			 uint32_t at)
{
	uint32_t id = 0;

	return bc_store_node(parse->store, name, bc_info(BC_FWD, 0, kind == BC_UNION),
			     BC_HEAD_WORDS, at, &id) &&
	       bc_parse_declare(parse, tag_space(kind), name, number, id, at);
}

/* A struct, union or enum of its own. */
static bool read_body(struct bc_parse *parse, uint32_t kind, uint32_t at)
{
	uint32_t name = 0, number = 0, name_at = 0;
	struct bc_parse_frame *frame;
	bool has_name;

	bc_scan_step(&parse->scan);
	name_at = parse->scan.token.at;
	has_name = is_name(&parse->scan.token);
	if (has_name) {
		if (!read_type_name(parse, &name, &number))
			return false;
		if (!name)
			return bc_scan_fail(&parse->scan, name_at, "an empty name");
		if (at_sign(parse, ';') && bc_kind_is_composite(kind))
			return read_forward(parse, kind, name, number, at);
	}
	frame = push_frame(parse, BODY);
	if (!frame)
		return false;
	frame->kind = (uint8_t)kind;
	frame->at = at;
	frame->has_name = has_name;
	frame->name = name;
	frame->number = number;
	frame->name_at = name_at;
	return run(parse);
}

static bool read_loose(struct bc_parse *parse)
{
	if (!read_declaration(parse, false, false))
		return false;
	return !parse->made.has_name ||
	       bc_scan_fail(&parse->scan, parse->made.name_at, "nothing has a name here");
}

static bool read_tagged(struct bc_parse *parse)
{
	struct bc_tag_across tag;
	uint32_t target = 0;

	if (is_name(&parse->scan.next) &&
	    (bc_scan_is(&parse->scan, "var") || bc_scan_is(&parse->scan, "func"))) {
		if (!read_object(parse, &target))
			return false;
	} else {
		if (!read_loose(parse))
			return false;
		target = parse->made.type;
	}
	if (!read_tag(parse, &tag) ||
	    (accept_sign(parse, ',') &&
	     !read_u32(parse, "the number of a member or parameter", &tag.component)) ||
	    !expect_sign(parse, ')') ||
	    !GROW(parse, across, parse->across_count, across_capacity, 1))
		return false;
	tag.target = target;
	parse->across[parse->across_count++] = tag;
	return true;
}

static bool read_block(struct bc_parse *parse)
{
	static const char *const linkages[] = { "static", "global", "extern" };
	uint32_t at = parse->scan.token.at, kind = body_kind(parse);

	if (kind)
		return read_body(parse, kind, at);
	if (accept_word(parse, "integer"))
		return read_integer(parse, at);
	if (accept_word(parse, "float"))
		return read_float(parse, at);
	if (accept_word(parse, "typedef"))
		return read_typedef(parse, at);
	for (uint32_t i = 0; i < 3; i++)
		if (accept_word(parse, linkages[i]))
			return read_linked(parse, i, at);
	if (accept_word(parse, "section"))
		return read_section(parse, at);
	if (accept_word(parse, "type"))
		return read_loose(parse);
	if (accept_word(parse, "tagged"))
		return read_tagged(parse);
	if (bc_scan_is(&parse->scan, "kind"))
		return bc_scan_fail(&parse->scan, at,
				    "a kind that is not known: which of its words are ids of types "
				    "is not known either");
	return bc_scan_expected(&parse->scan, "the beginning of a block");
}

bool bc_parse_blocks(struct bc_parse *parse, struct bc_store *store, const char *text,
		     size_t size_bytes, uint32_t place, struct bc_err *err)
{
	*parse = (struct bc_parse){ .store = store, .err = err };
	bc_scan_open(&parse->scan, text, size_bytes, place, err);
	while (parse->scan.token.type != BC_TOKEN_END) {
		parse->block++;
		if (!read_block(parse) || !expect_sign(parse, ';'))
			return false;
	}
	return true;
}

void bc_parse_close(struct bc_parse *parse)
{
	free(parse->frames);
	free(parse->ops);
	free(parse->elements);
	free(parse->tags);
	free(parse->across);
	free(parse->spare);
	*parse = (struct bc_parse){ 0 };
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_ASSEMBLE_FRAMES_H
#define BC_TEXT_ASSEMBLE_FRAMES_H

#include "text/assemble_parse.h"

/*
 * What a parse stands in: a frame for each declaration, body or list of
 * parameters that is open. Each step of a frame ends it or pushes one frame,
 * and is resumed when that is done. A push may move the frames.
 */
enum bc_parse_role { BC_PARSE_DECLARATION, BC_PARSE_BODY, BC_PARSE_PARAMETERS };

enum bc_parse_step {
	BC_PARSE_START,
	BC_PARSE_AFTER_BASE,
	BC_PARSE_AFTER_BODY,
	BC_PARSE_PIECES,
	BC_PARSE_AFTER_INDEX,
	BC_PARSE_AFTER_PARAMETERS,
	BC_PARSE_NEXT_ELEMENT,
	BC_PARSE_AFTER_ELEMENT,
};

enum bc_parse_op_kind {
	BC_PARSE_MARK,   /* a parenthesis, or the end of a piece's operations */
	BC_PARSE_MAKE,   /* a PTR or modifier: NUMBER is its info, NAME a tag's */
	BC_PARSE_PIECE,  /* node NUMBER, an ARRAY or FUNC_PROTO, gets its type */
	BC_PARSE_LABEL,  /* label NUMBER means the type made last */
	BC_PARSE_RENAME, /* the type made last is called NAME */
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

/* A frame that begins at the token; NULL with err set when memory is short. */
struct bc_parse_frame *bc_parse_push_frame(struct bc_parse *parse, enum bc_parse_role role);
bool bc_parse_push_declaration(struct bc_parse *parse);
bool bc_parse_push_op(struct bc_parse *parse, struct bc_parse_op op);

/* Words of an element of the innermost body or list of parameters. */
bool bc_parse_push_element(struct bc_parse *parse, uint32_t a, uint32_t b);
bool bc_parse_push_wide_element(struct bc_parse *parse, uint32_t a, uint32_t b, uint32_t c);

#endif

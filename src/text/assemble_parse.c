/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The grammar is that of docs/dump-format.md, and this file has its blocks.
 * What nests (declarations, bodies, lists of parameters) has a stack of frames,
 * not the C stack [run].
 *
 * A node is stored when all that it contains is complete, so its elements wait
 * on a stack; so do tags, which need the id of what they are on.
 */
#include "text/assemble_parse.h"

#include <stdlib.h>

#include "base/room.h"
#include "text/assemble_body.h"
#include "text/assemble_declaration.h"
#include "text/assemble_names.h"
#include "text/assemble_tags.h"
#include "text/assemble_tokens.h"

/* Until no frame is left. */
static bool run(struct bc_parse *parse)
{
	while (parse->frame_count) {
		struct bc_parse_frame *frame = &parse->frames[parse->frame_count - 1];
		bool done = frame->role == BC_PARSE_DECLARATION ?
				    bc_parse_step_declaration(parse, frame) :
			    frame->role == BC_PARSE_BODY ? bc_parse_step_body(parse, frame) :
							   bc_parse_step_parameters(parse, frame);

		if (!done)
			return false;
	}
	return true;
}

static bool read_declaration(struct bc_parse *parse, bool names_type, bool is_linked)
{
	struct bc_parse_frame *frame = bc_parse_push_frame(parse, BC_PARSE_DECLARATION);

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

	if (!bc_parse_base_name(parse, &name, &number) || !bc_parse_size(parse, &size_bytes))
		return false;
	for (uint32_t i = 0; i < 4; i++)
		if (bc_parse_accept_word(parse, words[i]))
			encoding |= 1u << i;
	bits = (uint64_t)size_bytes * 8;
	if (bc_parse_accept_word(parse, "bits")) {
		if (!bc_parse_number(parse, "a number of bits", 255, &bits))
			return false;
	} else if (bits > 255) {
		return bc_scan_expected(&parse->scan, "'bits' (of so large an integer)");
	}
	if (bc_parse_accept_word(parse, "offset") &&
	    !bc_parse_number(parse, "an offset", 255, &offset))
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

	if (!bc_parse_base_name(parse, &name, &number) || !bc_parse_size(parse, &size_bytes))
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
	       bc_parse_tags(parse, UINT32_MAX) && bc_parse_store_tags(parse, 0, id);
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
	       bc_parse_tags(parse, UINT32_MAX) && bc_parse_store_tags(parse, 0, id);
}

/* "var x" or "func f". */
static bool read_object(struct bc_parse *parse, uint32_t *reference)
{
	uint32_t name = 0, number = 0, at = parse->scan.token.at;
	enum bc_symbol_space space = BC_SYMBOL_VAR;

	if (bc_parse_accept_word(parse, "func"))
		space = BC_SYMBOL_FUNC;
	else if (!bc_parse_accept_word(parse, "var"))
		return bc_scan_expected(&parse->scan, "'var' or 'func'");
	return bc_parse_type_name(parse, &name, &number) &&
	       bc_parse_refer(parse, space, name, number, at, reference);
}

static bool read_entry(struct bc_parse *parse)
{
	uint32_t offset = 0, reference = 0, size_bytes = 0;

	if (bc_scan_is(&parse->scan, "var") || bc_scan_is(&parse->scan, "func"))
		return bc_scan_fail(&parse->scan, parse->scan.token.at,
				    "an entry without its offset (only dump --full writes it)");
	return bc_parse_u32(parse, "the offset of an entry, or '}'", &offset) &&
	       read_object(parse, &reference) && bc_parse_size(parse, &size_bytes) &&
	       bc_parse_expect(parse, ';') &&
	       bc_parse_push_wide_element(parse, reference, offset, size_bytes);
}

static bool read_section(struct bc_parse *parse, uint32_t at)
{
	struct bc_parse_frame as_body = { .kind = BC_DATASEC, .at = at };
	uint32_t number = 0, size_bytes = 0, id = 0;

	if (!bc_parse_type_name(parse, &as_body.name, &number) || !bc_parse_expect(parse, '{'))
		return false;
	if (!as_body.name)
		return bc_scan_fail(&parse->scan, at, "a section without a name");
	while (!bc_parse_accept(parse, '}'))
		if (!read_entry(parse))
			return false;
	return bc_parse_size(parse, &size_bytes) &&
	       bc_parse_store_body(parse, &as_body, size_bytes, &id) &&
	       bc_parse_declare(parse, BC_SYMBOL_SECTION, as_body.name, number, id, at);
}

static bool read_forward(struct bc_parse *parse, uint32_t kind, uint32_t name, uint32_t number,
			 uint32_t at)
{
	uint32_t id = 0;

	return bc_store_node(parse->store, name, bc_info(BC_FWD, 0, kind == BC_UNION),
			     BC_HEAD_WORDS, at, &id) &&
	       bc_parse_declare(parse, bc_parse_tag_space(kind), name, number, id, at);
}

/* A struct, union or enum of its own. */
static bool read_body(struct bc_parse *parse, uint32_t kind, uint32_t at)
{
	uint32_t name = 0, number = 0, name_at = 0;
	struct bc_parse_frame *frame;
	bool has_name;

	bc_scan_step(&parse->scan);
	name_at = parse->scan.token.at;
	has_name = bc_parse_is_name(&parse->scan.token);
	if (has_name) {
		if (!bc_parse_type_name(parse, &name, &number))
			return false;
		if (!name)
			return bc_scan_fail(&parse->scan, name_at, "an empty name");
		if (bc_parse_at(parse, ';') && bc_kind_is_composite(kind))
			return read_forward(parse, kind, name, number, at);
	}
	frame = bc_parse_push_frame(parse, BC_PARSE_BODY);
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

	if (bc_parse_is_name(&parse->scan.next) &&
	    (bc_scan_is(&parse->scan, "var") || bc_scan_is(&parse->scan, "func"))) {
		if (!read_object(parse, &target))
			return false;
	} else {
		if (!read_loose(parse))
			return false;
		target = parse->made.type;
	}
	if (!bc_parse_tag(parse, &tag) ||
	    (bc_parse_accept(parse, ',') &&
	     !bc_parse_u32(parse, "the number of a member or parameter", &tag.component)) ||
	    !bc_parse_expect(parse, ')') ||
	    !bc_make_room(&parse->across, &parse->across_limit, parse->across_count + 1,
			  sizeof(*parse->across), parse->err))
		return false;
	tag.target = target;
	parse->across[parse->across_count++] = tag;
	return true;
}

static bool read_block(struct bc_parse *parse)
{
	static const char *const linkages[] = { "static", "global", "extern" };
	uint32_t at = parse->scan.token.at, kind = bc_parse_body_kind(parse);

	if (kind)
		return read_body(parse, kind, at);
	if (bc_parse_accept_word(parse, "integer"))
		return read_integer(parse, at);
	if (bc_parse_accept_word(parse, "float"))
		return read_float(parse, at);
	if (bc_parse_accept_word(parse, "typedef"))
		return read_typedef(parse, at);
	for (uint32_t i = 0; i < 3; i++)
		if (bc_parse_accept_word(parse, linkages[i]))
			return read_linked(parse, i, at);
	if (bc_parse_accept_word(parse, "section"))
		return read_section(parse, at);
	if (bc_parse_accept_word(parse, "type"))
		return read_loose(parse);
	if (bc_parse_accept_word(parse, "tagged"))
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
		if (!read_block(parse) || !bc_parse_expect(parse, ';'))
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

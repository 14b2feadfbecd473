/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A stack of frames stands for the C stack. There are three roles:
 *
 *     declaration   one type with what it declares: "int *(*a)[3]"
 *     body          an unnamed (or the block's own) struct, union or enum
 *     parameters    the list of a function type
 *
 * A declaration frame first collects its chain [collect_chain]: the types from
 * the declared one (first) to the base (the name at the left, not in the
 * chain). C writes the base, then the pointers from the base's side to the
 * declared side [put_left], the name, then arrays and parameter lists the
 * other way [put_right]; a pointer to an array or function is in parentheses.
 * Modifiers of a pointer, array or function follow it; modifiers of the base
 * stand before it, but from the first tag on after it.
 *
 * Each step of a frame either ends it or pushes one frame and is resumed when
 * that is done. A push may move the frames.
 */
#include "graph/spell.h"

#include <stdlib.h>

#include "base/room.h"
#include "graph/quote.h"

/* Deeper braces are not indented deeper: depth times lines would be too much text. */
#define MAX_INDENT 32

enum role { DECLARATION, BODY, PARAMETERS };

/* Where a frame goes on. */
enum step {
	START,
	AFTER_BODY,
	RIGHT,
	AFTER_INDEX,
	AFTER_PARAMETERS,
	NEXT_ELEMENT,
	AFTER_ELEMENT,
};

/* What the next token follows. */
enum gap {
	GAP_NONE, /* nothing that needs a space */
	GAP_WORD, /* a word: the next word, star or bracket needs a space */
	GAP_NAME, /* a declared name or what follows it: only a word needs a space */
};

struct bc_spell_frame {
	uint8_t role;
	uint8_t step;
	uint8_t outer;       /* declaration: kind of the piece last written on the right */
	bool remembers;      /* body: a bitfield or negative value was written */
	uint32_t id;         /* declaration: the base; body, parameters: the type */
	uint32_t named;      /* declaration: type whose name is declared, or 0;
			  * parameters: FUNC whose tags stand beside them, or 0 */
	const char *name;    /* declaration: the element's name, or NULL */
	uint32_t base_label; /* declaration: the base is what this label stands for, or 0 */
	uint32_t loop_label; /* declaration: label of chain[loop_at], or 0 */
	size_t loop_at;
	size_t first, at, end; /* declaration: its part of the chain */
	uint32_t element;
	struct bc_tag_range tags; /* those not written yet */
};

bool bc_spell_open(struct bc_spell *spell, const struct bc_graph *graph, struct bc_text *text,
		   struct bc_arena *arena, struct bc_err *err)
{
	*spell = (struct bc_spell){ .graph = graph, .text = text, .err = err };
	return bc_names_make(&spell->names, graph, arena, err) &&
	       bc_tags_make(&spell->tags, graph, arena, err) &&
	       bc_repeats_open(&spell->repeats, graph, text->limit_bytes, arena, err);
}

void bc_spell_close(struct bc_spell *spell)
{
	bc_repeats_close(&spell->repeats);
	free(spell->frames);
	free(spell->chain);
	*spell = (struct bc_spell){ 0 };
}

bool bc_spell_begin(struct bc_spell *spell, uint32_t root)
{
	return bc_repeats_begin(&spell->repeats, root);
}

/* ---- stacks ---- */

static struct bc_spell_frame *push_frame(struct bc_spell *spell, enum role role, uint32_t id)
{
	struct bc_spell_frame *frame;

	if (!bc_make_room(&spell->frames, &spell->frame_limit, spell->frame_count + 1,
			  sizeof(*spell->frames), spell->err))
		return NULL;
	frame = &spell->frames[spell->frame_count++];
	*frame = (struct bc_spell_frame){ .role = (uint8_t)role, .id = id };
	return frame;
}

static bool push_chain(struct bc_spell *spell, uint32_t id)
{
	if (!bc_make_room(&spell->chain, &spell->chain_limit, spell->chain_count + 1, sizeof(id),
			  spell->err))
		return false;
	spell->chain[spell->chain_count++] = id;
	return true;
}

/* ---- tokens ---- */

static void put_word(struct bc_spell *spell, const char *word)
{
	if (spell->gap != GAP_NONE)
		bc_text_char(spell->text, ' ');
	bc_text_string(spell->text, word);
	spell->gap = GAP_WORD;
}

/* "(", "[" or "*", which need a space after a word of the base. */
static void put_bracket(struct bc_spell *spell, char bracket)
{
	if (spell->gap == GAP_WORD)
		bc_text_char(spell->text, ' ');
	bc_text_char(spell->text, bracket);
	spell->gap = GAP_NONE;
}

static void put_closing(struct bc_spell *spell, char bracket)
{
	bc_text_char(spell->text, bracket);
	spell->gap = GAP_NAME;
}

static void put_label(struct bc_spell *spell, uint32_t label)
{
	bc_text_char(spell->text, '@');
	bc_text_number(spell->text, label);
}

void bc_spell_tag_open(struct bc_spell *spell, const uint32_t *tag)
{
	bc_text_string(spell->text, bc_info_kflag(tag[1]) ? " decl_attr(" : " decl_tag(");
	bc_text_quoted(spell->text, bc_string(spell->graph, tag[0]));
}

/* Writes the tags at the head of TAGS that are on PLACE (see bc_tag_place), and takes them off. */
static void put_tags(struct bc_spell *spell, struct bc_tag_range *tags, uint32_t place)
{
	for (; tags->first < tags->end; tags->first++) {
		const uint32_t *tag = bc_node(spell->graph, spell->tags.own[tags->first]);

		if (bc_tag_place(tag) != place)
			break;
		bc_spell_tag_open(spell, tag);
		bc_text_char(spell->text, ')');
	}
}

void bc_spell_tags(struct bc_spell *spell, uint32_t id)
{
	struct bc_tag_range tags = bc_tags_on(&spell->tags, id);

	put_tags(spell, &tags, 0);
}

static void put_indent(struct bc_spell *spell)
{
	bc_text_repeat(spell->text, '\t', spell->depth < MAX_INDENT ? spell->depth : MAX_INDENT);
}

/* ---- declarations ---- */

static bool is_body_kind(uint32_t kind)
{
	return bc_kind_is_composite(kind) || bc_kind_is_enum(kind);
}

/*
 * Appends to the chain what stands between type ID and its base, and sets the
 * frame's base. A heavy type that this block has written already, and a type
 * that the chain itself has, become a base by label.
 */
static bool collect_chain(struct bc_spell *spell, struct bc_spell_frame *frame, uint32_t id)
{
	bool heavy = false;

	frame->first = spell->chain_count;
	for (bc_repeats_walk(&spell->repeats); id; id = bc_chain_next(bc_node(spell->graph, id))) {
		const uint32_t *node = bc_node(spell->graph, id);

		if (bc_node_is_named(node, spell->graph))
			break;
		if (!bc_repeats_is_heavy(&spell->repeats, id, &heavy))
			return false;
		if (heavy && bc_repeats_is_knot(spell->graph, id) &&
		    !bc_repeats_enter(&spell->repeats, id)) {
			frame->base_label = bc_repeats_label(&spell->repeats, id);
			break;
		}
		if (heavy && !bc_repeats_is_knot(spell->graph, id) &&
		    !bc_repeats_pass(&spell->repeats, id)) {
			frame->base_label = bc_repeats_new_label(&spell->repeats);
			frame->loop_label = frame->base_label;
			for (frame->loop_at = frame->first; spell->chain[frame->loop_at] != id;)
				frame->loop_at++;
			break;
		}
		if (is_body_kind(bc_node_kind(node)))
			break;
		if (!push_chain(spell, id))
			return false;
	}
	frame->id = id;
	frame->end = spell->chain_count;
	return true;
}

static bool push_declaration(struct bc_spell *spell, uint32_t type_id, uint32_t named,
			     const char *name)
{
	struct bc_spell_frame *frame = push_frame(spell, DECLARATION, 0);

	if (!frame)
		return false;
	frame->named = named;
	frame->name = name;
	spell->gap = GAP_NONE;
	return collect_chain(spell, frame, type_id);
}

static uint32_t chain_kind(const struct bc_spell *spell, size_t at)
{
	return bc_node_kind(bc_node(spell->graph, spell->chain[at]));
}

static bool is_modifier_at(const struct bc_spell *spell, size_t at)
{
	return bc_kind_is_modifier(chain_kind(spell, at));
}

/* The label of chain[AT], 0: none. */
static uint32_t label_at(const struct bc_spell *spell, const struct bc_spell_frame *frame,
			 size_t at)
{
	if (frame->loop_label && frame->loop_at == at)
		return frame->loop_label;
	return bc_repeats_label(&spell->repeats, spell->chain[at]);
}

/* What a type of the chain says beyond its symbol: a label, a name it should not have. */
static void put_oddities(struct bc_spell *spell, const struct bc_spell_frame *frame, size_t at)
{
	const uint32_t *node = bc_node(spell->graph, spell->chain[at]);
	uint32_t label = spell->repeats.label_count ? label_at(spell, frame, at) : 0;

	if (label) {
		put_word(spell, "[[");
		put_label(spell, label);
		bc_text_string(spell->text, "]]");
	}
	if (node[0] && bc_node_kind(node) != BC_TYPE_TAG && *bc_string(spell->graph, node[0])) {
		put_word(spell, "[[name ");
		bc_text_quoted(spell->text, bc_string(spell->graph, node[0]));
		bc_text_string(spell->text, "]]");
	}
}

static void put_modifier(struct bc_spell *spell, const struct bc_spell_frame *frame, size_t at)
{
	const uint32_t *node = bc_node(spell->graph, spell->chain[at]);

	switch (bc_node_kind(node)) {
	case BC_CONST:
		put_word(spell, "const");
		break;
	case BC_VOLATILE:
		put_word(spell, "volatile");
		break;
	case BC_RESTRICT:
		put_word(spell, "restrict");
		break;
	default:
		put_word(spell, bc_info_kflag(node[1]) ? "type_attr(" : "type_tag(");
		bc_text_quoted(spell->text, bc_string(spell->graph, node[0]));
		bc_text_char(spell->text, ')');
	}
	put_oddities(spell, frame, at);
}

/* The modifiers of the piece at AT, innermost first. */
static void put_modifiers_of(struct bc_spell *spell, const struct bc_spell_frame *frame, size_t at)
{
	put_oddities(spell, frame, at);
	while (at > frame->first && is_modifier_at(spell, at - 1))
		put_modifier(spell, frame, --at);
}

/* Modifiers of the base from the innermost up to the first tag, in writing order. */
static void put_base_prefix(struct bc_spell *spell, struct bc_spell_frame *frame)
{
	size_t at = frame->end;

	while (at > frame->first && is_modifier_at(spell, at - 1) &&
	       chain_kind(spell, at - 1) != BC_TYPE_TAG)
		at--;
	frame->at = at;
	for (; at < frame->end; at++)
		put_modifier(spell, frame, at);
}

static void put_type_name(struct bc_spell *spell, uint32_t id)
{
	const uint32_t *node = bc_node(spell->graph, id);
	uint32_t kind = bc_node_kind(node);

	if (is_body_kind(kind) || kind == BC_FWD)
		put_word(spell, bc_tag_keyword(node));
	if (spell->gap != GAP_NONE)
		bc_text_char(spell->text, ' ');
	bc_text_type_name(spell->text, spell->graph, &spell->names, id);
	spell->gap = GAP_WORD;
}

static void put_base(struct bc_spell *spell, const struct bc_spell_frame *frame)
{
	if (!frame->id) {
		put_word(spell, "void");
	} else if (frame->base_label) {
		const uint32_t *node = bc_node(spell->graph, frame->id);

		put_word(spell, is_body_kind(bc_node_kind(node)) ? bc_tag_keyword(node) : "");
		if (is_body_kind(bc_node_kind(node)))
			bc_text_char(spell->text, ' ');
		put_label(spell, frame->base_label);
	} else {
		put_type_name(spell, frame->id);
	}
}

/* The modifiers of the base that are not in front of it, and the pointers. */
static void put_left(struct bc_spell *spell, struct bc_spell_frame *frame)
{
	uint32_t inner = BC_VOID; /* the piece written before */
	size_t at = frame->at;

	while (at > frame->first && is_modifier_at(spell, at - 1))
		put_modifier(spell, frame, --at);
	while (at-- > frame->first) {
		uint32_t kind = chain_kind(spell, at);

		if (bc_kind_is_modifier(kind))
			continue;
		if (kind == BC_PTR) {
			if (inner == BC_ARRAY || inner == BC_FUNC_PROTO)
				put_bracket(spell, '(');
			put_bracket(spell, '*');
			put_modifiers_of(spell, frame, at);
		}
		inner = kind;
	}
}

static void put_declared_name(struct bc_spell *spell, const struct bc_spell_frame *frame)
{
	if (!frame->named && (!frame->name || !*frame->name))
		return;
	if (spell->gap != GAP_NONE)
		bc_text_char(spell->text, ' ');
	if (frame->named)
		bc_text_declared_name(spell->text, spell->graph, &spell->names, frame->named);
	else
		bc_text_name(spell->text, frame->name, BC_NAME_OF_ELEMENT);
	spell->gap = GAP_NAME;
}

/* An array or a parameter list; true when a frame was pushed that has to be written first. */
static bool start_piece(struct bc_spell *spell, struct bc_spell_frame *frame)
{
	uint32_t id = spell->chain[frame->at];
	const uint32_t *node = bc_node(spell->graph, id);
	uint32_t named = frame->named;

	if (frame->outer == BC_PTR)
		put_closing(spell, ')');
	if (bc_node_kind(node) == BC_FUNC_PROTO) {
		bool is_declared = named && frame->at == frame->first &&
				   bc_id_kind(spell->graph, named) == BC_FUNC;

		frame->step = AFTER_PARAMETERS;
		frame = push_frame(spell, PARAMETERS, id);
		if (!frame)
			return false;
		frame->named = is_declared ? named : 0;
		return true;
	}
	put_bracket(spell, '[');
	bc_text_number(spell->text, node[5]);
	frame->step = AFTER_INDEX;
	if (node[4] == spell->names.usual_index && node[4])
		return true;
	bc_text_string(spell->text, ": ");
	return push_declaration(spell, node[4], 0, NULL);
}

/* What stands at the right of the declared name. */
static bool put_right(struct bc_spell *spell, struct bc_spell_frame *frame)
{
	for (; frame->at < frame->end; frame->at++) {
		uint32_t kind = chain_kind(spell, frame->at);

		if (kind == BC_PTR)
			frame->outer = BC_PTR;
		else if (kind == BC_ARRAY || kind == BC_FUNC_PROTO)
			return start_piece(spell, frame);
	}
	spell->chain_count = frame->first;
	spell->frame_count--;
	return true;
}

static void end_piece(struct bc_spell *spell, struct bc_spell_frame *frame)
{
	put_modifiers_of(spell, frame, frame->at);
	frame->outer = (uint8_t)chain_kind(spell, frame->at);
	frame->at++;
	frame->step = RIGHT;
}

static void put_from_left(struct bc_spell *spell, struct bc_spell_frame *frame)
{
	put_left(spell, frame);
	put_declared_name(spell, frame);
	frame->at = frame->first;
	frame->step = RIGHT;
}

static bool step_declaration(struct bc_spell *spell, struct bc_spell_frame *frame)
{
	switch (frame->step) {
	case START:
		put_base_prefix(spell, frame);
		frame->step = AFTER_BODY;
		if (frame->id && !frame->base_label &&
		    !bc_node_is_named(bc_node(spell->graph, frame->id), spell->graph))
			return push_frame(spell, BODY, frame->id) != NULL;
		put_base(spell, frame);
		return true;
	case AFTER_BODY:
		put_from_left(spell, frame);
		return true;
	case AFTER_INDEX:
		put_closing(spell, ']');
		end_piece(spell, frame);
		return true;
	case AFTER_PARAMETERS:
		end_piece(spell, frame);
		return true;
	default:
		return put_right(spell, frame);
	}
}

/* ---- parameters ---- */

static bool breaks_lines(const struct bc_spell *spell, const struct bc_spell_frame *frame)
{
	return frame->named && spell->break_parameters;
}

static bool step_parameters(struct bc_spell *spell, struct bc_spell_frame *frame)
{
	const uint32_t *node = bc_node(spell->graph, frame->id);
	uint32_t count = bc_info_vlen(node[1]);
	const uint32_t *parameter;

	if (frame->step == START) {
		put_bracket(spell, '(');
		if (frame->named)
			frame->tags = bc_tags_on(&spell->tags, frame->named);
		while (frame->tags.first < frame->tags.end &&
		       !bc_tag_place(bc_node(spell->graph, spell->tags.own[frame->tags.first])))
			frame->tags.first++;
		frame->step = NEXT_ELEMENT;
		if (!count)
			bc_text_string(spell->text, "void");
		spell->depth += breaks_lines(spell, frame);
	} else if (frame->step == AFTER_ELEMENT) {
		put_tags(spell, &frame->tags, frame->element);
		if (frame->element < count)
			bc_text_string(spell->text, breaks_lines(spell, frame) ? "," : ", ");
	}
	if (frame->element == count) {
		spell->depth -= breaks_lines(spell, frame);
		if (count && breaks_lines(spell, frame))
			bc_text_char(spell->text, '\n');
		put_closing(spell, ')');
		spell->frame_count--;
		return true;
	}
	if (breaks_lines(spell, frame))
		bc_text_string(spell->text, "\n\t");
	parameter = bc_element(node, frame->element++);
	frame->step = AFTER_ELEMENT;
	if (parameter[1] || *bc_string(spell->graph, parameter[0]))
		return push_declaration(spell, parameter[1], 0,
					bc_string(spell->graph, parameter[0]));
	bc_text_string(spell->text, "...");
	return true;
}

/* ---- bodies ---- */

static void open_body(struct bc_spell *spell, struct bc_spell_frame *frame, const uint32_t *node)
{
	bool is_named = bc_node_is_named(node, spell->graph);
	uint32_t label = is_named ? 0 : bc_repeats_label(&spell->repeats, frame->id);

	put_word(spell, bc_node_kind(node) == BC_ENUM64 ? "enum64" : bc_tag_keyword(node));
	if (is_named) {
		bc_text_char(spell->text, ' ');
		bc_text_type_name(spell->text, spell->graph, &spell->names, frame->id);
	}
	frame->tags = bc_tags_on(&spell->tags, frame->id);
	put_tags(spell, &frame->tags, 0);
	bc_text_char(spell->text, ' ');
	if (label) {
		put_label(spell, label);
		bc_text_char(spell->text, ' ');
	}
	bc_text_string(spell->text, "{\n");
	spell->depth++;
	frame->step = NEXT_ELEMENT;
}

static void close_body(struct bc_spell *spell, struct bc_spell_frame *frame, const uint32_t *node)
{
	spell->depth--;
	put_indent(spell);
	bc_text_string(spell->text, "} size ");
	bc_text_number(spell->text, node[2]);
	if (bc_info_kflag(node[1]) && !frame->remembers)
		bc_text_string(spell->text, bc_kind_is_composite(bc_node_kind(node)) ?
						    " [[kflag]]" :
						    " [[signed]]");
	spell->gap = GAP_WORD;
	spell->frame_count--;
}

static void put_values(struct bc_spell *spell, struct bc_spell_frame *frame, const uint32_t *node)
{
	uint32_t count = bc_info_vlen(node[1]);
	bool is_signed = bc_info_kflag(node[1]);
	bool is_wide = bc_node_kind(node) == BC_ENUM64;

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *value = bc_element(node, i);
		uint64_t number = is_wide   ? (uint64_t)value[2] << 32 | value[1] :
				  is_signed ? (uint64_t)(int32_t)value[1] :
					      value[1];

		put_indent(spell);
		bc_text_name(spell->text, bc_string(spell->graph, value[0]), BC_NAME_OF_ELEMENT);
		bc_text_string(spell->text, " = ");
		if (is_signed)
			bc_text_signed(spell->text, (int64_t)number);
		else
			bc_text_number(spell->text, number);
		bc_text_string(spell->text, ",\n");
		frame->remembers |= is_signed && (int64_t)number < 0;
	}
}

/* "8" or, not at a byte, "8:3". */
static void put_bit_offset(struct bc_spell *spell, uint32_t bit_offset)
{
	bc_text_number(spell->text, bit_offset / 8);
	if (bit_offset % 8) {
		bc_text_char(spell->text, ':');
		bc_text_number(spell->text, bit_offset % 8);
	}
}

static void end_member(struct bc_spell *spell, struct bc_spell_frame *frame, const uint32_t *node)
{
	uint32_t width = bc_member_bit_width(node[1], bc_element(node, frame->element - 1)[2]);

	if (width) {
		bc_text_string(spell->text, " : ");
		bc_text_number(spell->text, width);
		frame->remembers = true;
	}
	put_tags(spell, &frame->tags, frame->element);
	bc_text_string(spell->text, ";\n");
}

static bool step_body(struct bc_spell *spell, struct bc_spell_frame *frame)
{
	const uint32_t *node = bc_node(spell->graph, frame->id);
	const uint32_t *member;

	if (frame->step == START)
		open_body(spell, frame, node);
	else if (frame->step == AFTER_ELEMENT)
		end_member(spell, frame, node);
	if (bc_kind_is_enum(bc_node_kind(node))) {
		put_values(spell, frame, node);
		close_body(spell, frame, node);
		return true;
	}
	if (frame->element == bc_info_vlen(node[1])) {
		close_body(spell, frame, node);
		return true;
	}
	member = bc_element(node, frame->element++);
	frame->step = AFTER_ELEMENT;
	put_indent(spell);
	put_bit_offset(spell, bc_member_bit_offset(node[1], member[2]));
	bc_text_char(spell->text, '\t');
	return push_declaration(spell, member[1], 0, bc_string(spell->graph, member[0]));
}

/* ---- all of it ---- */

static bool run(struct bc_spell *spell)
{
	while (spell->frame_count) {
		struct bc_spell_frame *frame = &spell->frames[spell->frame_count - 1];
		bool done = frame->role == DECLARATION ? step_declaration(spell, frame) :
			    frame->role == BODY        ? step_body(spell, frame) :
							 step_parameters(spell, frame);

		if (!done || spell->text->failed)
			return false;
		if (spell->give_up_at && spell->text->used > spell->give_up_at)
			break;
	}
	spell->frame_count = 0;
	spell->chain_count = 0;
	return true;
}

bool bc_spell_declaration(struct bc_spell *spell, uint32_t type_id, uint32_t named)
{
	spell->depth = 0;
	return push_declaration(spell, type_id, named, NULL) && run(spell);
}

bool bc_spell_body(struct bc_spell *spell, uint32_t type_id)
{
	bool heavy = false;

	spell->depth = 0;
	spell->gap = GAP_NONE;
	if (!bc_node_is_named(bc_node(spell->graph, type_id), spell->graph)) {
		if (!bc_repeats_is_heavy(&spell->repeats, type_id, &heavy))
			return false;
		if (heavy)
			bc_repeats_enter(&spell->repeats, type_id);
	}
	return push_frame(spell, BODY, type_id) && run(spell);
}

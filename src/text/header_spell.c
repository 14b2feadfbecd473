/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A stack of frames stands for the C stack, as in graph/spell.c:
 *
 *     declaration   one type with what it declares: "int *(*a)[3]"
 *     body          the braces of a struct, union or enum
 *     parameters    the list of a function type
 *
 * A declaration first collects its pieces [collect_chain]: pointers, arrays,
 * functions and type tags from the declared type to the base, each with its
 * qualifiers. C has no qualified arrays and functions: those of an array go on
 * to its elements, those of a function are dropped (compilers put "volatile"
 * on what does not return).
 *
 * A cut ends a chain early: at the last pointer in it, which becomes a pointer
 * to void. Cut is what would not end (unnamed types that hold pointers to
 * themselves), what is not defined yet (knots, see header_items.h), and what
 * has no form in C at all.
 */
#include "text/header_spell.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/room.h"
#include "graph/names.h"
#include "text/header_bases.h"

/* Longer gaps become an array instead of unnamed bitfields. */
#define MAX_GAP_BITS (64 * 16)

enum role { DECLARATION, BODY, PARAMETERS };
enum step { START, AFTER_BODY, RIGHT, AFTER_PARAMETERS, NEXT_ELEMENT, AFTER_ELEMENT };
enum qualifier { Q_CONST = 1, Q_VOLATILE = 2, Q_RESTRICT = 4 };

/* What a declaration is part of: that decides what a cut may do. */
enum place { AT_TOP, AT_MEMBER, AT_PARAMETER };

/* A pointer, array, function or tag between what is declared and its base. */
struct bc_c_piece {
	uint32_t id;
	uint8_t kind;
	uint8_t qualifiers;
};

/* What a declaration declares: its text, or the name at a string offset. */
struct declared {
	uint32_t type_id;     /* TYPEDEF whose name it is, else 0 */
	uint32_t name_offset; /* else the element's name */
	uint32_t suffix;      /* ___N behind it, 0: none */
	const char *text;     /* else this */
};

struct bc_c_frame {
	uint8_t role, step, place;
	uint8_t outer;      /* declaration: kind of the piece last written on the right */
	uint8_t qualifiers; /* declaration: of the base */
	bool is_weak;       /* behind a pointer, or in a function type */
	bool is_unnamed;    /* body: written without its name */
	bool has_no_names;  /* parameters: two of them have one name */
	bool base_is_body;  /* declaration: the base is written in place */
	bool is_inner;      /* body: its members are in the scope of another's */
	uint32_t id;        /* the base; the struct or function type */
	struct declared declared;
	size_t first, at, end; /* declaration: its part of the chain */
	uint32_t element;
	uint32_t scope; /* body: where names of members must differ */
	struct bc_placing placing;
	struct bc_place member_place;
	uint64_t opaque_bytes; /* declaration: written as so many bytes, UINT64_MAX: no */
};

bool bc_c_spell_open(struct bc_c_spell *spell, struct bc_arena *arena)
{
	uint32_t id_end = bc_id_end(spell->graph);

	spell->is_open = bc_arena_zalloc(arena, id_end, 1, spell->err);
	spell->walked = bc_arena_zalloc(arena, id_end, sizeof(uint32_t), spell->err);
	spell->seen = bc_arena_zalloc(arena, bc_string_end(spell->graph), sizeof(uint32_t),
				      spell->err);
	spell->doubled = NULL;
	spell->steps_left = spell->text_limit_bytes;
	return spell->is_open && spell->walked && spell->seen;
}

void bc_c_spell_close(struct bc_c_spell *spell)
{
	free(spell->frames);
	free(spell->chain);
	free(spell->scan);
	free(spell->doubled);
	spell->frames = NULL;
	spell->chain = NULL;
	spell->scan = NULL;
	spell->doubled = NULL;
}

/* ---- stacks ---- */

static struct bc_c_frame *push_frame(struct bc_c_spell *spell, enum role role, uint32_t id,
				     bool is_weak)
{
	struct bc_c_frame *frame;

	if (!bc_make_room(&spell->frames, &spell->frame_limit, spell->frame_count + 1,
			  sizeof(*spell->frames), spell->err))
		return NULL;
	frame = &spell->frames[spell->frame_count++];
	*frame = (struct bc_c_frame){
		.role = (uint8_t)role,
		.id = id,
		.is_weak = is_weak,
		.opaque_bytes = UINT64_MAX,
	};
	return frame;
}

static bool push_piece(struct bc_c_spell *spell, uint32_t id, uint32_t kind, uint32_t qualifiers)
{
	if (!bc_make_room(&spell->chain, &spell->chain_limit, spell->chain_count + 1,
			  sizeof(*spell->chain), spell->err))
		return false;
	spell->chain[spell->chain_count++] = (struct bc_c_piece){ id, (uint8_t)kind,
								  (uint8_t)qualifiers };
	return true;
}

/* ---- tokens ---- */

static void put_string(struct bc_c_spell *spell, const char *string)
{
	bc_text_string(spell->text, string);
}

static void put_word(struct bc_c_spell *spell, const char *word)
{
	if (spell->after_word)
		bc_text_char(spell->text, ' ');
	put_string(spell, word);
	spell->after_word = true;
}

/* "(" or "*", which need a space after a word only. */
static void put_mark(struct bc_c_spell *spell, char mark)
{
	if (spell->after_word)
		bc_text_char(spell->text, ' ');
	bc_text_char(spell->text, mark);
	spell->after_word = false;
}

static void put_qualifiers(struct bc_c_spell *spell, uint32_t qualifiers)
{
	if (qualifiers & Q_CONST)
		put_word(spell, "const");
	if (qualifiers & Q_VOLATILE)
		put_word(spell, "volatile");
	if (qualifiers & Q_RESTRICT)
		put_word(spell, "restrict");
}

static void put_number(struct bc_c_spell *spell, const char *before, uint64_t number,
		       const char *after)
{
	put_string(spell, before);
	bc_text_number(spell->text, number);
	put_string(spell, after);
}

static void put_indent(struct bc_c_spell *spell)
{
	/* Deeper braces are not indented deeper: depth times lines would be too much text. */
	bc_text_repeat(spell->text, '\t', spell->depth < 32 ? spell->depth : 32);
}

void bc_c_spell_tag(struct bc_c_spell *spell, uint32_t id)
{
	put_string(spell, bc_tag_keyword(bc_node(spell->graph, id)));
	bc_text_char(spell->text, ' ');
	bc_c_put_type_name(spell->text, spell->names, spell->names->means[id]);
}

/* ---- what C cannot say ---- */

static void note_cut(struct bc_c_spell *spell, uint32_t id, const char *why)
{
	char printable[BC_PRINTABLE_MAX];
	const char *name = id ? bc_string(spell->graph, bc_node(spell->graph, id)[0]) : "";

	spell->cut_count++;
	bc_note(spell->notes, why, "type %u, %s %s", id,
		bc_kind_name(id ? bc_id_kind(spell->graph, id) : BC_VOID),
		*name ? bc_printable(printable, name) : "(unnamed)");
}

/* Is what TYPE_ID names not there yet, and only a pointer to it wanted? */
static bool is_in_knot(const struct bc_c_spell *spell, uint32_t type_id)
{
	uint32_t item;

	if (!spell->knot)
		return false;
	item = spell->items->of[spell->names->means[type_id]];
	return item && spell->items->knot[item - 1] == spell->knot;
}

/*
 * The base of FRAME's chain cannot be written there: the last pointer becomes
 * one to void; without a pointer, what is declared becomes one, or bytes.
 */
static bool cut_chain(struct bc_c_spell *spell, struct bc_c_frame *frame, uint32_t type_id)
{
	size_t at = spell->chain_count;

	note_cut(spell, frame->id, "types that C cannot spell in a place, void or bytes there");
	frame->id = 0;
	while (at > frame->first && spell->chain[at - 1].kind != BC_PTR)
		at--;
	frame->qualifiers = 0;
	if (at > frame->first) {
		spell->chain_count = at;
		return true;
	}
	/* A function returns void then. */
	while (at < spell->chain_count && spell->chain[at].kind != BC_FUNC_PROTO)
		at++;
	if (at < spell->chain_count) {
		spell->chain_count = at + 1;
		return true;
	}
	spell->chain_count = frame->first;
	if (frame->place == AT_MEMBER) {
		frame->opaque_bytes = spell->layout->sizes.size_bytes[type_id];
		return true;
	}
	return frame->place == AT_TOP || push_piece(spell, 0, BC_PTR, 0);
}

/* ---- declarations: the chain ---- */

static uint32_t qualifier_of(uint32_t kind)
{
	switch (kind) {
	case BC_CONST:
		return Q_CONST;
	case BC_VOLATILE:
		return Q_VOLATILE;
	case BC_RESTRICT:
		return Q_RESTRICT;
	default:
		return 0;
	}
}

/* Is it a function that gives what no C function can: an array? */
static bool returns_array(const struct bc_c_spell *spell, const uint32_t *proto)
{
	uint32_t id = spell->layout->resolved[proto[2]];

	return id && bc_id_kind(spell->graph, id) == BC_ARRAY;
}

/* "restrict" is for pointers to objects. */
static bool may_restrict(const struct bc_c_spell *spell, uint32_t id)
{
	id = spell->layout->resolved[id];
	if (!id || bc_id_kind(spell->graph, id) != BC_PTR)
		return false;
	return spell->layout->sizes.form[bc_node(spell->graph, id)[2]] != BC_FORM_FUNCTION;
}

/* Arrays over this are more than a compiler for the target takes. */
static bool is_too_large(const struct bc_c_spell *spell, uint32_t id)
{
	uint64_t limit = spell->layout->pointer_bytes == 4 ? INT32_MAX : INT64_MAX;

	return spell->layout->sizes.form[id] == BC_FORM_SIZED &&
	       spell->layout->sizes.size_bytes[id] > limit / 8;
}

/* Whether the chain has to be cut at type ID, which comes next in it. */
static bool ends_chain(const struct bc_c_spell *spell, uint32_t id, const uint32_t *node,
		       bool is_weak, bool is_complete)
{
	uint32_t kind = bc_node_kind(node);

	if (spell->walked[id] == spell->walk)
		return true;
	switch (kind) {
	case BC_TYPEDEF:
		return is_weak && is_in_knot(spell, id);
	case BC_STRUCT:
	case BC_UNION:
		if (*bc_string(spell->graph, node[0]))
			return is_complete && is_weak && is_in_knot(spell, id);
		return spell->is_open[id];
	case BC_FUNC_PROTO:
		return spell->is_open[id] || returns_array(spell, node);
	case BC_ARRAY:
		return is_too_large(spell, id);
	case BC_VOID:
	case BC_FUNC:
	case BC_VAR:
	case BC_DATASEC:
	case BC_DECL_TAG:
		return true;
	default:
		return !bc_kind_is_known(kind);
	}
}

static bool is_link(uint32_t kind)
{
	return kind == BC_PTR || kind == BC_ARRAY || kind == BC_FUNC_PROTO ||
	       bc_kind_is_modifier(kind);
}

static uint32_t next_in_chain(const uint32_t *node)
{
	return bc_node_kind(node) == BC_ARRAY ? node[3] : node[2];
}

/* Appends what stands between TYPE_ID and its base, and sets the frame's base. */
static bool collect_chain(struct bc_c_spell *spell, struct bc_c_frame *frame, uint32_t type_id)
{
	bool is_weak = frame->is_weak, is_complete = frame->place == AT_MEMBER, cut = false;
	uint32_t qualifiers = 0, id;

	frame->first = spell->chain_count;
	spell->walk++;
	for (id = type_id; id; id = next_in_chain(bc_node(spell->graph, id))) {
		const uint32_t *node = bc_node(spell->graph, id);
		uint32_t kind = bc_node_kind(node);

		cut = ends_chain(spell, id, node, is_weak, is_complete);
		if (cut || !is_link(kind))
			break;
		if (!spell->steps_left--)
			return bc_err_set(spell->err,
					  "the header would be too long (type %u is part of "
					  "too many others)",
					  id);
		spell->walked[id] = spell->walk;
		if (kind == BC_TYPE_TAG) {
			if (!push_piece(spell, id, kind, 0))
				return false;
		} else if (bc_kind_is_modifier(kind)) {
			if (kind != BC_RESTRICT || may_restrict(spell, id))
				qualifiers |= qualifier_of(kind);
		} else {
			if (!push_piece(spell, id, kind, kind == BC_PTR ? qualifiers : 0))
				return false;
			if (kind != BC_ARRAY)
				qualifiers = 0;
			is_complete = kind == BC_ARRAY;
			is_weak |= kind != BC_ARRAY;
		}
	}
	frame->id = id;
	frame->qualifiers = (uint8_t)qualifiers;
	if (cut && !cut_chain(spell, frame, type_id))
		return false;
	frame->end = spell->chain_count;
	frame->is_weak = is_weak;
	return true;
}

static struct bc_c_frame *push_declaration(struct bc_c_spell *spell, uint32_t type_id,
					   struct declared declared, enum place place, bool is_weak)
{
	struct bc_c_frame *frame = push_frame(spell, DECLARATION, 0, is_weak);

	if (!frame)
		return NULL;
	frame->declared = declared;
	frame->place = (uint8_t)place;
	spell->after_word = false;
	return collect_chain(spell, frame, type_id) ? frame : NULL;
}

/* ---- declarations: writing ---- */

/* A tag that is an attribute of its own: only what cannot change a layout. */
static bool is_address_space(const char *text)
{
	size_t digits;

	if (strncmp(text, "address_space(", 14))
		return false;
	digits = strspn(text + 14, "0123456789");
	return digits && digits < 8 && !strcmp(text + 14 + digits, ")");
}

static bool is_quotable(const char *text)
{
	for (; *text; text++)
		if (*text < 0x20 || *text > 0x7e || *text == '"' || *text == '\\')
			return false;
	return true;
}

static void put_type_tag(struct bc_c_spell *spell, uint32_t id)
{
	const uint32_t *node = bc_node(spell->graph, id);
	const char *text = bc_string(spell->graph, node[0]);
	bool is_attribute = bc_info_kflag(node[1]);

	if (is_attribute ? !is_address_space(text) : !is_quotable(text)) {
		note_cut(spell, id, "type tags that C cannot spell, left out");
		return;
	}
	put_word(spell, is_attribute ? "__btf_type_attribute(" : "__btf_type_tag(\"");
	put_string(spell, text);
	put_string(spell, is_attribute ? ")" : "\")");
}

static void put_type_name(struct bc_c_spell *spell, uint32_t id)
{
	const uint32_t *node = bc_node(spell->graph, id);
	uint32_t kind = bc_node_kind(node);

	if (spell->after_word)
		bc_text_char(spell->text, ' ');
	if (bc_c_is_tag(kind))
		bc_c_spell_tag(spell, id);
	else if (spell->names->number[id])
		bc_c_put_type_name(spell->text, spell->names, id);
	else
		bc_base_put(spell->text, spell->graph, node, spell->layout->pointer_bytes);
	spell->after_word = true;
}

/* An unnamed enum without values has no form in C. */
static const char *stand_in_for_enum(const uint32_t *node)
{
	bool is_signed = bc_info_kflag(node[1]);

	switch (node[2]) {
	case 1:
		return is_signed ? "signed char" : "unsigned char";
	case 2:
		return is_signed ? "short int" : "short unsigned int";
	case 4:
		return is_signed ? "int" : "unsigned int";
	default:
		return is_signed ? "long long int" : "long long unsigned int";
	}
}

static void put_base(struct bc_c_spell *spell, const struct bc_c_frame *frame)
{
	const uint32_t *node;

	if (frame->opaque_bytes != UINT64_MAX) {
		put_word(spell, "unsigned char");
		return;
	}
	if (!frame->id) {
		put_word(spell, "void");
		return;
	}
	node = bc_node(spell->graph, frame->id);
	if (bc_kind_is_enum(bc_node_kind(node)) && !spell->names->number[frame->id])
		put_word(spell, stand_in_for_enum(node));
	else
		put_type_name(spell, frame->id);
}

/* Is the base a struct, union or enum without a name, to be written in place? */
static bool has_body(const struct bc_c_spell *spell, const struct bc_c_frame *frame)
{
	const uint32_t *node;

	if (!frame->id || frame->opaque_bytes != UINT64_MAX)
		return false;
	if (frame->base_is_body)
		return true;
	node = bc_node(spell->graph, frame->id);
	if (*bc_string(spell->graph, node[0]))
		return false;
	return bc_kind_is_composite(bc_node_kind(node)) ||
	       (bc_kind_is_enum(bc_node_kind(node)) && bc_info_vlen(node[1]));
}

/* Pointers and tags, from the base's side. */
static void put_left(struct bc_c_spell *spell, struct bc_c_frame *frame)
{
	uint32_t inner = BC_VOID; /* the piece written before */

	for (size_t at = frame->end; at-- > frame->first;) {
		struct bc_c_piece piece = spell->chain[at];

		if (piece.kind == BC_TYPE_TAG) {
			/* C has no place for one on an array or a function. */
			if (inner == BC_VOID || inner == BC_PTR)
				put_type_tag(spell, piece.id);
			continue;
		}
		if (piece.kind == BC_PTR) {
			if (inner == BC_ARRAY || inner == BC_FUNC_PROTO)
				put_mark(spell, '(');
			put_mark(spell, '*');
			put_qualifiers(spell, piece.qualifiers);
		}
		inner = piece.kind;
	}
}

static void put_declared(struct bc_c_spell *spell, const struct declared *declared)
{
	if (!declared->type_id && !declared->name_offset && !declared->text)
		return;
	if (spell->after_word)
		bc_text_char(spell->text, ' ');
	if (declared->text)
		put_string(spell, declared->text);
	else if (declared->type_id)
		bc_c_put_type_name(spell->text, spell->names, declared->type_id);
	else
		bc_c_put_identifier(spell->text, spell->names, declared->name_offset);
	if (declared->suffix)
		put_number(spell, "___", declared->suffix, "");
	spell->after_word = false;
}

static bool push_parameters(struct bc_c_spell *spell, uint32_t id)
{
	struct bc_c_frame *frame = push_frame(spell, PARAMETERS, id, true);

	return frame != NULL;
}

/* Arrays and parameter lists, from the declared side. */
static bool put_right(struct bc_c_spell *spell, struct bc_c_frame *frame)
{
	for (; frame->at < frame->end; frame->at++) {
		struct bc_c_piece piece = spell->chain[frame->at];

		if (piece.kind == BC_TYPE_TAG)
			continue;
		if (piece.kind != BC_PTR && frame->outer == BC_PTR)
			bc_text_char(spell->text, ')');
		frame->outer = piece.kind;
		if (piece.kind == BC_ARRAY)
			put_number(spell, "[", bc_node(spell->graph, piece.id)[5], "]");
		if (piece.kind == BC_FUNC_PROTO) {
			frame->at++;
			return push_parameters(spell, piece.id);
		}
	}
	if (frame->opaque_bytes != UINT64_MAX)
		put_number(spell, "[", frame->opaque_bytes, "]");
	spell->chain_count = frame->first;
	spell->frame_count--;
	return true;
}

static bool step_declaration(struct bc_c_spell *spell, struct bc_c_frame *frame)
{
	switch (frame->step) {
	case START:
		put_qualifiers(spell, frame->qualifiers);
		frame->step = AFTER_BODY;
		if (has_body(spell, frame)) {
			uint32_t scope = frame->scope;
			struct bc_c_frame *body = push_frame(spell, BODY, frame->id,
							     frame->is_weak);

			if (!body)
				return false;
			body->is_unnamed = true;
			body->scope = scope;
			return true;
		}
		put_base(spell, frame);
		return true;
	case AFTER_BODY:
		put_left(spell, frame);
		put_declared(spell, &frame->declared);
		frame->at = frame->first;
		frame->step = RIGHT;
		return true;
	default:
		return put_right(spell, frame);
	}
}

/* ---- parameters ---- */

/* Names are left out where two are the same. */
static bool has_doubled_names(struct bc_c_spell *spell, const uint32_t *node)
{
	uint32_t count = bc_info_vlen(node[1]);

	spell->scope++;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t name = bc_element(node, i)[0];

		if (name && spell->seen[name] == spell->scope)
			return true;
		spell->seen[name] = spell->scope;
	}
	return false;
}

/* A parameter whose type is void, through typedefs maybe. */
static bool is_void(const struct bc_c_spell *spell, uint32_t id)
{
	return !spell->layout->resolved[id];
}

static bool push_parameter(struct bc_c_spell *spell, const struct bc_c_frame *frame,
			   const uint32_t *parameter)
{
	struct declared declared = { .name_offset = parameter[0] };
	struct bc_c_frame *pushed;
	bool has_no_value = is_void(spell, parameter[1]);

	/* The name of a type would hide it from the parameters that follow. */
	if (frame->has_no_names || bc_bit(spell->names->is_type, parameter[0]) ||
	    !bc_c_is_identifier(spell->names, bc_string(spell->graph, parameter[0])))
		declared.name_offset = 0;
	pushed = push_declaration(spell, parameter[1], declared, AT_PARAMETER, true);
	if (!pushed)
		return false;
	if (has_no_value) {
		note_cut(spell, parameter[1],
			 "types that C cannot spell in a place, void or bytes there");
		pushed->id = 0;
		spell->chain_count = pushed->first;
		if (!push_piece(spell, 0, BC_PTR, 0))
			return false;
		pushed->end = spell->chain_count;
	}
	return true;
}

static bool step_parameters(struct bc_c_spell *spell, struct bc_c_frame *frame)
{
	const uint32_t *node = bc_node(spell->graph, frame->id);
	uint32_t count = bc_info_vlen(node[1]);
	const uint32_t *parameter;

	if (frame->step == START) {
		bc_text_char(spell->text, '(');
		spell->is_open[frame->id] = 1;
		frame->has_no_names = has_doubled_names(spell, node);
		frame->step = NEXT_ELEMENT;
		if (!count)
			put_string(spell, "void");
	} else if (frame->step == AFTER_ELEMENT && frame->element < count) {
		put_string(spell, ", ");
	}
	if (frame->element == count) {
		bc_text_char(spell->text, ')');
		spell->is_open[frame->id] = 0;
		spell->after_word = false;
		spell->frame_count--;
		return true;
	}
	parameter = bc_element(node, frame->element++);
	frame->step = AFTER_ELEMENT;
	if (parameter[1] || *bc_string(spell->graph, parameter[0]))
		return push_parameter(spell, frame, parameter);
	if (count > 1)
		put_string(spell, "..."); /* alone it is in no C before C23 */
	return true;
}

/* ---- bodies ---- */

/* Puts a struct on the list of those whose members are in the scope too. */
static bool push_scan(struct bc_c_spell *spell, uint32_t id)
{
	if (!bc_make_room(&spell->scan, &spell->scan_limit, spell->scan_count + 1, sizeof(id),
			  spell->err))
		return false;
	spell->scan[spell->scan_count++] = id;
	return true;
}

/* Members of one scope need different names, those of unnamed members too. */
static bool open_scope(struct bc_c_spell *spell, struct bc_c_frame *frame)
{
	frame->scope = ++spell->scope;
	if (!push_scan(spell, frame->id))
		return false;
	while (spell->scan_count) {
		const uint32_t *node = bc_node(spell->graph, spell->scan[--spell->scan_count]);
		uint32_t count = bc_info_vlen(node[1]);

		for (uint32_t i = 0; i < count; i++) {
			const uint32_t *member = bc_element(node, i);
			uint32_t inner;

			if (*bc_string(spell->graph, member[0])) {
				if (spell->seen[member[0]] == frame->scope && !spell->doubled) {
					spell->doubled = calloc(bc_string_end(spell->graph),
								sizeof(uint32_t));
					if (!spell->doubled)
						return bc_err_memory(spell->err,
								     bc_string_end(spell->graph) *
									     sizeof(uint32_t));
				}
				if (spell->seen[member[0]] == frame->scope)
					spell->doubled[member[0]] = frame->scope;
				spell->seen[member[0]] = frame->scope;
				continue;
			}
			inner = bc_layout_unnamed(spell->layout, member[1]);
			if (inner && !push_scan(spell, inner))
				return false;
		}
	}
	return true;
}

static void put_type_of_pad(struct bc_c_spell *spell, uint32_t type_bytes)
{
	put_string(spell, type_bytes == 8 ? "long" :
			  type_bytes == 4 ? "int" :
			  type_bytes == 2 ? "short" :
					    "char");
}

/* "unsigned char __padding_8[16];", of another name where a member around it has that. */
static bool put_named_pad(struct bc_c_spell *spell, const struct bc_c_frame *frame,
			  const char *name, uint64_t bytes)
{
	put_string(spell, "unsigned char ");
	if (!bc_c_put_own_name(spell->text, spell->names, name, frame->is_inner,
			       &spell->pad_number))
		return false;
	put_number(spell, "[", bytes, "];\n");
	return true;
}

/* Of a union that is longer than its members. */
static bool put_union_pad(struct bc_c_spell *spell, const struct bc_c_frame *frame, uint64_t bits)
{
	uint64_t bytes = bits / 8;

	put_indent(spell);
	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != spell->layout->pointer_bytes)
		return put_named_pad(spell, frame, "__padding", bytes);
	put_type_of_pad(spell, (uint32_t)bytes);
	put_number(spell, ": ", bits, ";\n");
	return true;
}

static bool put_padding(struct bc_c_spell *spell, const struct bc_c_frame *frame,
			const struct bc_place *place)
{
	uint64_t from = place->padding_from, to = place->padding_to;

	if (frame->placing.is_union && from != to)
		return put_union_pad(spell, frame, to);
	while (from < to) {
		struct bc_pad pad;

		if (from % 8 == 0 && to - from > MAX_GAP_BITS) {
			char name[32];

			snprintf(name, sizeof(name), "__padding_%" PRIu64, from / 8);
			put_indent(spell);
			if (!put_named_pad(spell, frame, name, (to - from) / 8))
				return false;
			from += (to - from) / 8 * 8;
			continue;
		}
		pad = bc_placing_pad(&frame->placing, &from, to);
		put_indent(spell);
		put_type_of_pad(spell, pad.type_bytes);
		put_number(spell, ": ", pad.width, ";\n");
	}
	return true;
}

static bool open_composite(struct bc_c_spell *spell, struct bc_c_frame *frame, const uint32_t *node)
{
	put_word(spell, bc_tag_keyword(node));
	if (!frame->is_unnamed) {
		bc_text_char(spell->text, ' ');
		bc_c_put_type_name(spell->text, spell->names, frame->id);
	} else {
		spell->is_open[frame->id]++;
	}
	put_string(spell, " {");
	if (bc_info_vlen(node[1]) || node[2])
		bc_text_char(spell->text, '\n');
	spell->depth++;
	frame->step = NEXT_ELEMENT;
	bc_placing_begin(&frame->placing, spell->layout, frame->id);
	frame->is_inner = frame->scope;
	return frame->is_inner || open_scope(spell, frame);
}

static bool close_composite(struct bc_c_spell *spell, struct bc_c_frame *frame,
			    const uint32_t *node)
{
	struct bc_place place = bc_placing_end(&frame->placing);

	if (!put_padding(spell, frame, &place))
		return false;
	spell->depth--;
	if (bc_info_vlen(node[1]) || node[2])
		put_indent(spell);
	bc_text_char(spell->text, '}');
	if (frame->placing.packed && place.aligned)
		put_number(spell, " __attribute__((packed, aligned(", place.aligned, ")))");
	else if (frame->placing.packed)
		put_string(spell, " __attribute__((packed))");
	else if (place.aligned)
		put_number(spell, " __attribute__((aligned(", place.aligned, ")))");
	if (frame->is_unnamed)
		spell->is_open[frame->id]--;
	spell->after_word = true;
	spell->frame_count--;
	return true;
}

static void note_skipped(struct bc_c_spell *spell, const struct bc_c_frame *frame,
			 const uint32_t *member)
{
	char printable[BC_PRINTABLE_MAX];

	bc_printable(printable, bc_string(spell->graph, member[0]));
	spell->cut_count++;
	bc_note(spell->notes, "members that C cannot have in their place, left out",
		"type %u, member '%s'", frame->id, printable);
	put_indent(spell);
	put_number(spell, "/* a member at bit ",
		   bc_member_bit_offset(bc_node(spell->graph, frame->id)[1], member[2]),
		   " has no form in C */\n");
}

static bool start_member(struct bc_c_spell *spell, struct bc_c_frame *frame, const uint32_t *node)
{
	const uint32_t *member = bc_element(node, frame->element);
	struct declared declared = { 0 };
	uint32_t unnamed = 0, scope = frame->scope;
	struct bc_c_frame *pushed;

	frame->member_place = bc_placing_next(&frame->placing, frame->element++);
	if (frame->member_place.skipped) {
		note_skipped(spell, frame, member);
		return true;
	}
	if (!put_padding(spell, frame, &frame->member_place))
		return false;
	put_indent(spell);
	frame->step = AFTER_ELEMENT;
	if (*bc_string(spell->graph, member[0])) {
		declared.name_offset = member[0];
		if (spell->doubled && spell->doubled[member[0]] >= scope)
			declared.suffix = 2 + spell->doubled_count++;
	} else if (!frame->member_place.width) {
		unnamed = bc_layout_unnamed(spell->layout, member[1]);
	}
	pushed = push_declaration(spell, member[1], declared, AT_MEMBER, frame->is_weak);
	if (!pushed)
		return false;
	/* Its members are in this scope, and it is written in place though it has a name. */
	if (unnamed && pushed->opaque_bytes == UINT64_MAX) {
		pushed->id = unnamed;
		pushed->base_is_body = true;
		pushed->scope = scope;
	}
	return true;
}

static void put_offset(struct bc_c_spell *spell, const struct bc_c_frame *frame,
		       const uint32_t *node)
{
	uint32_t offset = bc_member_bit_offset(node[1], bc_element(node, frame->element - 1)[2]);

	put_number(spell, " /* ", offset / 8, "");
	if (frame->member_place.width)
		put_number(spell, ":", offset % 8, "");
	put_string(spell, " */");
}

static void end_member(struct bc_c_spell *spell, struct bc_c_frame *frame, const uint32_t *node)
{
	if (frame->member_place.width)
		put_number(spell, bc_element(node, frame->element - 1)[0] ? ": " : " : ",
			   frame->member_place.width, "");
	if (frame->member_place.aligned)
		put_number(spell, " __attribute__((aligned(", frame->member_place.aligned, ")))");
	bc_text_char(spell->text, ';');
	if (spell->offsets)
		put_offset(spell, frame, node);
	bc_text_char(spell->text, '\n');
	frame->step = NEXT_ELEMENT;
}

static bool step_composite(struct bc_c_spell *spell, struct bc_c_frame *frame, const uint32_t *node)
{
	if (frame->step == START)
		return open_composite(spell, frame, node);
	if (frame->step == AFTER_ELEMENT)
		end_member(spell, frame, node);
	if (frame->element < bc_info_vlen(node[1]))
		return start_member(spell, frame, node);
	return close_composite(spell, frame, node);
}

static bool fits_int(const uint32_t *node, uint64_t number)
{
	if (bc_info_kflag(node[1]))
		return (int64_t)number >= INT32_MIN && (int64_t)number <= INT32_MAX;
	return number <= UINT32_MAX;
}

static void put_value(struct bc_c_spell *spell, const uint32_t *node, uint64_t number)
{
	if (bc_info_kflag(node[1])) {
		/* The least number has no literal. */
		if ((int64_t)number == INT64_MIN)
			put_string(spell, "-9223372036854775807LL - 1");
		else
			bc_text_signed(spell->text, (int64_t)number);
	} else {
		bc_text_number(spell->text, number);
	}
	if (!fits_int(node, number) && number != (uint64_t)INT64_MIN)
		put_string(spell, bc_info_kflag(node[1]) ? "LL" : "ULL");
	else if (!bc_info_kflag(node[1]) && number == (uint64_t)INT64_MIN)
		put_string(spell, "ULL");
}

/* The mode that gives an enum its size, where its values alone do not; else NULL. */
static const char *mode_of(const uint32_t *node, bool all_fit)
{
	switch (node[2]) {
	case 1:
		return " __attribute__((mode(QI)))";
	case 2:
		return " __attribute__((mode(HI)))";
	case 8:
		return all_fit ? " __attribute__((mode(DI)))" : NULL;
	default:
		return NULL;
	}
}

static bool put_enum(struct bc_c_spell *spell, struct bc_c_frame *frame, const uint32_t *node)
{
	uint32_t count = bc_info_vlen(node[1]);
	bool all_fit = true, done = true;
	const char *mode;

	put_word(spell, "enum");
	if (!frame->is_unnamed) {
		bc_text_char(spell->text, ' ');
		bc_c_put_type_name(spell->text, spell->names, frame->id);
	}
	put_string(spell, " {\n");
	spell->depth++;
	for (uint32_t i = 0; i < count && done && !spell->text->failed; i++) {
		const uint32_t *value = bc_element(node, i);
		uint64_t number = value[1];

		if (bc_node_kind(node) == BC_ENUM64)
			number |= (uint64_t)value[2] << 32;
		else if (bc_info_kflag(node[1]))
			number = (uint64_t)(int32_t)value[1];
		put_indent(spell);
		if (!*bc_string(spell->graph, value[0]))
			bc_note(spell->notes, "values without a name, numbered", "type %u",
				frame->id);
		done = bc_c_put_enumerator(spell->text, spell->names, value[0]);
		put_string(spell, " = ");
		put_value(spell, node, number);
		put_string(spell, ",\n");
		all_fit &= fits_int(node, number);
	}
	if (!count) {
		/* Only declared: what it is worth, nobody knows; its size C has to know. */
		put_indent(spell);
		bc_c_put_type_name(spell->text, spell->names, frame->id);
		put_string(spell, "___values_are_not_known,\n");
	}
	spell->depth--;
	put_indent(spell);
	bc_text_char(spell->text, '}');
	mode = mode_of(node, all_fit);
	if (mode)
		put_string(spell, mode);
	spell->after_word = true;
	spell->frame_count--;
	return done;
}

static bool step_body(struct bc_c_spell *spell, struct bc_c_frame *frame)
{
	const uint32_t *node = bc_node(spell->graph, frame->id);

	if (bc_kind_is_enum(bc_node_kind(node)))
		return put_enum(spell, frame, node);
	return step_composite(spell, frame, node);
}

/* ---- all of it ---- */

static bool run(struct bc_c_spell *spell)
{
	while (spell->frame_count) {
		struct bc_c_frame *frame = &spell->frames[spell->frame_count - 1];
		bool done = frame->role == DECLARATION ? step_declaration(spell, frame) :
			    frame->role == BODY        ? step_body(spell, frame) :
							 step_parameters(spell, frame);

		if (!done || spell->text->failed)
			return false;
	}
	return true;
}

static void begin(struct bc_c_spell *spell)
{
	spell->depth = 0;
	spell->cut_count = 0;
	spell->doubled_count = 0;
	spell->pad_number = 1;
	spell->after_word = false;
	spell->chain_count = 0;
}

static bool spell_body(struct bc_c_spell *spell, uint32_t id)
{
	struct bc_c_frame *frame = push_frame(spell, BODY, id, false);

	if (!frame)
		return false;
	frame->is_unnamed = !spell->names->number[id];
	if (!run(spell))
		return false;
	put_string(spell, ";\n");
	return true;
}

static bool spell_typedef(struct bc_c_spell *spell, uint32_t id, const uint32_t *node)
{
	struct declared declared = { .type_id = id };

	put_string(spell, "typedef ");
	if (!push_declaration(spell, node[2], declared, AT_TOP, false) || !run(spell))
		return false;
	put_string(spell, ";\n");
	return true;
}

static void put_base_name(void *context)
{
	struct bc_c_spell *spell = context;

	bc_c_put_type_name(spell->text, spell->names, spell->frames[0].id);
}

static bool spell_base(struct bc_c_spell *spell, uint32_t id, const uint32_t *node)
{
	if (!push_frame(spell, DECLARATION, id, false))
		return false;
	bc_base_put_definition(spell->text, spell->graph, node, spell->layout->pointer_bytes,
			       put_base_name, spell);
	spell->frame_count = 0;
	return true;
}

static bool spell_type(struct bc_c_spell *spell, uint32_t id)
{
	const uint32_t *node = bc_node(spell->graph, id);

	switch (bc_node_kind(node)) {
	case BC_TYPEDEF:
		return spell_typedef(spell, id, node);
	case BC_INT:
	case BC_FLOAT:
		return spell_base(spell, id, node);
	default:
		return spell_body(spell, id);
	}
}

bool bc_c_spell_item(struct bc_c_spell *spell, uint32_t item)
{
	uint32_t id = spell->items->type[item];
	bool is_kept_word = id == spell->names->plain_bool || id == spell->names->plain_truth;

	begin(spell);
	spell->knot = spell->items->knot[item];
	/* C23 has these, and so has who includes <stdbool.h>. */
	if (is_kept_word)
		put_string(spell, "#if (__STDC_VERSION__ <= 201710L && !defined(bool)) || !true\n");
	if (!spell_type(spell, id))
		return false;
	if (is_kept_word)
		put_string(spell, "#endif\n");
	if (spell->cut_count)
		put_string(spell, "/* C cannot say all of the above: see void and gaps there */\n");
	return true;
}

bool bc_c_spell_kfunc(struct bc_c_spell *spell, uint32_t func_id, bool is_fastcall)
{
	const uint32_t *node = bc_node(spell->graph, func_id);
	struct declared declared = { .text = bc_string(spell->graph, node[0]) };

	begin(spell);
	spell->knot = 0;
	if (!bc_c_is_identifier(spell->names, declared.text) ||
	    bc_bit(spell->names->is_taken, node[0]) ||
	    returns_array(spell, bc_node(spell->graph, node[2]))) {
		note_cut(spell, func_id, "kfuncs that C cannot declare, left out");
		return true;
	}
	put_string(spell, is_fastcall ? "extern __bpf_fastcall " : "extern ");
	if (!push_declaration(spell, node[2], declared, AT_TOP, false) || !run(spell))
		return false;
	put_string(spell, " __weak __ksym;\n");
	return true;
}

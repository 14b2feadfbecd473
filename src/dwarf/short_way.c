/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The short way for what a kernel has most of: DIEs of a shape (shape.h), and
 * the ends of children. Whatever is odd about a DIE (a name or a reference that
 * leads nowhere, a place too far, no room left) is left to the long way, which
 * does the same and says what is wrong.
 */
#include "dwarf/walk.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* What is the same for all DIEs of a unit, and where the one at hand is. */
struct reader {
	struct bc_walk *walk;
	struct bc_collector *collector;
	struct bc_local *local;
	const struct bc_shape *shapes;
	uint32_t shape_count;
	const uint8_t *bytes, *end;
	uint32_t first_offset, offsets;  /* of the unit's DIEs: where they begin, how many follow */
	uint32_t first_name, name_limit; /* of .debug_str */
	uint32_t section;
	uint64_t place; /* of offset 0 */
	bool is_big;    /* the high bytes come first */
	bool by_text;   /* names are looked up */
	/* The stack of elements, while it is not the collector's. */
	uint32_t *top, *limit;
	const uint8_t *begin, *fields;
	uint32_t inline_name;
};

/* The 32 bits at a field's place that it has. */
INLINE uint32_t load(const struct reader *reader, struct bc_field field)
{
	uint32_t value;

	memcpy(&value, reader->fields + field.at, sizeof(value));
	if (reader->is_big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		value = __builtin_bswap32(value);
	if (reader->is_big)
		value >>= field.mask ? __builtin_clz(field.mask) : 0;
	return value & field.mask;
}

INLINE uint32_t load_number(const struct reader *reader, const struct bc_shape *shape)
{
	return load(reader, shape->number) + shape->number_constant;
}

INLINE uint32_t load_width(const struct reader *reader, const struct bc_shape *shape)
{
	return load(reader, shape->width) + shape->width_constant;
}

/* A name that is in another place, or is looked up; what is wrong with it the long way will say. */
INLINE bool find_name(const struct reader *reader, const struct bc_shape *shape, uint32_t value,
		      uint32_t *name)
{
	uint32_t found = 0; /* so that NAME need not be in memory */
	bool is_found;

	if (shape->name_class == BC_VALUE_STR && shape->name.mask)
		is_found = value < reader->name_limit &&
			   bc_string_id_at(reader->collector->names,
					   &reader->collector->name_guesses, reader->section, value,
					   &found, reader->walk->err);
	else
		is_found = shape->name_class == BC_VALUE_INLINE || !shape->name.mask ||
			   bc_walk_find_string(reader->walk, (enum bc_value_class)shape->name_class,
					       value, &found);
	*name = shape->name_class == BC_VALUE_INLINE ? reader->inline_name : found;
	return is_found;
}

INLINE bool take_name(const struct reader *reader, const struct bc_shape *shape, uint32_t *name)
{
	uint32_t value = load(reader, shape->name);

	if (reader->by_text || shape->name_class != BC_VALUE_STR)
		return find_name(reader, shape, value, name);
	/* The mask is all bits, or none: then there is no name. */
	*name = value + (reader->first_name & shape->name.mask);
	return value < reader->name_limit;
}

/* An offset in the unit, for what always has a type. */
INLINE bool take_reference(const struct reader *reader, const struct bc_shape *shape,
			   uint32_t *reference)
{
	*reference = load(reader, shape->type);
	return *reference - reader->first_offset < reader->offsets;
}

/* 0: it has no type. */
INLINE bool take_optional_reference(const struct reader *reader, const struct bc_shape *shape,
				    uint32_t *reference)
{
	return take_reference(reader, shape, reference) || !shape->type.mask;
}

INLINE bool has_room(const struct reader *reader, uint32_t words)
{
	return reader->limit - reader->top >= (ptrdiff_t)words;
}

/* A member at BITS, WIDTH bits wide; 0: it is no bitfield. */
INLINE bool push_member(struct reader *reader, const struct bc_shape *shape, uint32_t bits,
			uint32_t width)
{
	uint32_t name, reference;

	if (!take_name(reader, shape, &name) || !take_reference(reader, shape, &reference) ||
	    !has_room(reader, BC_WALK_MEMBER_WORDS))
		return false;
	reader->top[0] = name;
	reader->top[1] = reference;
	reader->top[2] = bits;
	reader->top[3] = width;
	reader->top += BC_WALK_MEMBER_WORDS;
	return true;
}

INLINE bool take_member(struct reader *reader, const struct bc_shape *shape,
			const struct bc_frame *parent)
{
	uint32_t bytes = load_number(reader, shape);

	if (parent->role != BC_FRAME_COMPOSITE)
		return parent->role != BC_FRAME_VARIANT;
	return bytes <= UINT32_MAX / 8 && push_member(reader, shape, bytes * 8, 0);
}

INLINE bool take_bitfield(struct reader *reader, const struct bc_shape *shape,
			  struct bc_frame *parent)
{
	uint32_t width = load_width(reader, shape);

	if (parent->role != BC_FRAME_COMPOSITE)
		return parent->role != BC_FRAME_VARIANT;
	if (width > UINT8_MAX || !push_member(reader, shape, load_number(reader, shape), width))
		return false;
	parent->has_bitfields |= width != 0;
	return true;
}

INLINE bool take_enumerator(struct reader *reader, const struct bc_shape *shape,
			    const struct bc_frame *parent)
{
	uint32_t name;

	if (parent->role != BC_FRAME_ENUM)
		return true;
	if (!take_name(reader, shape, &name) || !has_room(reader, BC_WALK_ENUMERATOR_WORDS))
		return false;
	reader->top[0] = name;
	reader->top[1] = load_number(reader, shape);
	reader->top[2] = 0;
	reader->top += BC_WALK_ENUMERATOR_WORDS;
	return true;
}

INLINE bool take_parameter(struct reader *reader, const struct bc_shape *shape,
			   const struct bc_frame *parent)
{
	uint32_t name, reference;

	if (parent->role != BC_FRAME_PROTO)
		return parent->role != BC_FRAME_FUNCTION;
	if (!take_name(reader, shape, &name) ||
	    !take_optional_reference(reader, shape, &reference) ||
	    !has_room(reader, BC_WALK_PARAMETER_WORDS))
		return false;
	reader->top[0] = name;
	reader->top[1] = reference;
	reader->top += BC_WALK_PARAMETER_WORDS;
	return true;
}

INLINE uint32_t offset_of(const struct reader *reader)
{
	return (uint32_t)(reader->begin - reader->bytes);
}

/* A new type for the DIE at hand, if there is room. */
INLINE struct bc_local_type *add_type(const struct reader *reader, enum bc_local_role role)
{
	struct bc_local *local = reader->local;
	uint32_t offset = offset_of(reader), number = local->type_count;
	struct bc_local_type *type;

	if (number == local->type_limit)
		return NULL;
	type = &local->types[number];
	*type = (struct bc_local_type){ .place = reader->place | offset, .role = (uint8_t)role };
	local->type_count = number + 1;
	bc_number_map_add(&local->numbers, offset, number + 1);
	return type;
}

INLINE bool take_link(const struct reader *reader, const struct bc_shape *shape)
{
	struct bc_local *local = reader->local;
	uint32_t first = local->word_count, name = 0, reference, *words = local->words + first;
	struct bc_local_type *type;

	if (shape->btf_kind == BC_TYPEDEF && (!take_name(reader, shape, &name) || !name))
		return false;
	if (!take_optional_reference(reader, shape, &reference) ||
	    local->word_limit - first < BC_HEAD_WORDS)
		return false;
	type = add_type(reader, BC_LOCAL_NODE);
	if (!type)
		return false;
	type->first_word = first;
	type->word_count = BC_HEAD_WORDS;
	local->word_count = first + BC_HEAD_WORDS;
	words[0] = name;
	words[1] = bc_info(shape->btf_kind, 0, false);
	words[2] = reference;
	return true;
}

INLINE bool take_declaration(const struct reader *reader, const struct bc_shape *shape)
{
	char packed[4];
	struct bc_local_type *type;
	uint32_t name;

	/* A name without text is none. */
	if (!load_number(reader, shape) || !take_name(reader, shape, &name) ||
	    !*bc_string_id_text(reader->collector->names, name, packed))
		return false;
	type = add_type(reader, BC_LOCAL_DECLARATION);
	if (!type)
		return false;
	type->name = name;
	type->tag_class = shape->tag_class;
	return true;
}

/* Whether a DIE that could be wanted is not, here. */
INLINE bool is_idle(const struct reader *reader, const struct bc_shape *shape,
		    enum bc_shape_kind kind, const struct bc_frame *parent)
{
	const struct bc_collector *collector = reader->collector;
	uint32_t name;

	switch (kind) {
	case BC_SHAPE_IDLE:
		return true;
	case BC_SHAPE_ARGUMENT:
		return parent->role != BC_FRAME_PROTO && parent->role != BC_FRAME_FUNCTION;
	case BC_SHAPE_VARIABLE:
		return reader->walk->depth != 1 || !collector->places->count;
	default: /* a function */
		return !collector->symbols || (take_name(reader, shape, &name) &&
					       bc_name_set_has(collector->no_symbols, name));
	}
}

/* Where a DIE ends that has no fixed size, or NULL; *SIBLING, if it says one. */
static const uint8_t *find_end(const struct bc_scope *scope, const struct bc_shape *shape,
			       const uint8_t *now, uint32_t *sibling)
{
	const struct bc_abbrev_op *op = scope->abbrevs.ops + shape->first_op;
	const uint8_t *end = scope->bytes + scope->size;
	uint64_t value;

	for (uint32_t i = 0; i < shape->op_count; i++, op++) {
		if ((size_t)(end - now) < op->skip)
			return NULL;
		now += op->skip;
		switch (op->action) {
		case BC_OP_BLOCK:
			if (!bc_load_uleb(&now, end, &value) || value > (size_t)(end - now))
				return NULL;
			now += value;
			break;
		case BC_OP_FIXED:
			if ((size_t)(end - now) < op->size)
				return NULL;
			if (op->slot == BC_SLOT_SIBLING)
				*sibling = (uint32_t)bc_load(now, op->size, scope->swapped);
			now += op->size;
			break;
		case BC_OP_ULEB:
		case BC_OP_SLEB:
			if (!bc_load_uleb(&now, end, &value))
				return NULL;
			break;
		case BC_OP_STRING:
			now = memchr(now, 0, (size_t)(end - now));
			if (!now++)
				return NULL;
			break;
		default: /* a constant */
			break;
		}
	}
	return (size_t)(end - now) < shape->tail ? NULL : now + shape->tail;
}

/* The next frame, for a DIE with a sibling (0: it says none); NULL: not here. */
INLINE struct bc_frame *make_frame(const struct reader *reader, struct bc_frame *parent,
				   uint32_t sibling)
{
	const struct bc_collector *collector = reader->collector;
	struct bc_frame *frame = parent + 1;

	if (sibling &&
	    (sibling <= offset_of(reader) || sibling - reader->first_offset > reader->offsets))
		return NULL;
	if (reader->walk->depth == collector->frame_limit)
		return NULL;
	*frame = (struct bc_frame){
		.first_element = (uint32_t)(reader->top - collector->elements),
		.first_tag = collector->tag_count,
		.sibling = sibling,
	};
	return frame;
}

/* A DIE that says nothing but where its children end. */
INLINE bool pass_over(struct reader *reader, const struct bc_shape *shape, enum bc_shape_kind kind,
		      struct bc_frame *parent, const uint8_t **next)
{
	uint32_t sibling = load(reader, shape->sibling);

	if (!is_idle(reader, shape, kind, parent))
		return false;
	if (!shape->is_fixed) {
		*next = find_end(reader->walk->scope, shape, reader->fields, &sibling);
		if (!*next)
			return false;
	}
	if (shape->has_children) {
		if (!make_frame(reader, parent, sibling))
			return false;
		reader->walk->depth++;
	}
	return true;
}

/* A type with what is below it, or without; NULL: not here. */
INLINE struct bc_frame *open_type(const struct reader *reader, const struct bc_shape *shape,
				  struct bc_frame *parent)
{
	uint32_t sibling = shape->has_children ? load(reader, shape->sibling) : 0;
	struct bc_frame *frame = make_frame(reader, parent, sibling);
	struct bc_local_type *type;

	if (!frame || !take_name(reader, shape, &frame->name) ||
	    !take_optional_reference(reader, shape, &frame->reference))
		return NULL;
	type = add_type(reader, frame->name ? BC_LOCAL_BODY : BC_LOCAL_NODE);
	if (!type)
		return NULL;
	type->name = frame->name;
	type->tag_class = shape->tag_class;
	frame->number = reader->local->type_count;
	frame->size_bytes = load_number(reader, shape);
	frame->encoding = load_width(reader, shape);
	frame->role = shape->role;
	frame->kind = shape->btf_kind;
	frame->is_unsorted = reader->walk->scope->language == DW_LANG_Rust;
	reader->walk->depth++;
	return frame;
}

/* Hands the stack of elements to the collector, or takes it. */
INLINE void give_stack(const struct reader *reader)
{
	struct bc_collector *collector = reader->collector;

	collector->element_count = (uint32_t)(reader->top - collector->elements);
}

INLINE void take_stack(struct reader *reader)
{
	const struct bc_collector *collector = reader->collector;

	reader->top = collector->elements + collector->element_count;
	reader->limit = collector->elements + collector->element_limit;
}

/* What is below FRAME ends before OFFSET (0: there is nothing). Not *TAKEN: the long way knows more. */
INLINE bool close_frame(struct reader *reader, const struct bc_frame *frame, uint32_t offset,
			bool *taken)
{
	*taken = (!frame->sibling || frame->sibling == offset) &&
		 reader->collector->tag_count == frame->first_tag &&
		 frame->role != BC_FRAME_POINTER && frame->role != BC_FRAME_SKIPPED;
	if (!*taken)
		return true;
	reader->walk->depth--;
	if (frame->role != BC_FRAME_COMPOSITE && frame->role != BC_FRAME_PROTO &&
	    frame->role != BC_FRAME_ARRAY && frame->role != BC_FRAME_ENUM)
		return true;
	give_stack(reader);
	if (!bc_walk_close_type(reader->walk, frame))
		return false;
	take_stack(reader);
	return true;
}

/* A short string stands before the other fields: it is its bytes, and moves *NOW behind it. */
INLINE bool take_inline_name(struct reader *reader, const uint8_t **now)
{
	uint32_t length = 0;

	while (length < 4 && (*now)[length])
		length++;
	reader->inline_name = bc_string_id_packed(*now, length);
	*now += length + 1;
	return length < 4;
}

static bool make_reader(struct reader *reader, struct bc_walk *walk)
{
	const struct bc_scope *scope = walk->scope;
	const struct bc_string_ids *names = walk->collector->names;
	const struct bc_string_section *section = &names->sections[scope->unit->names[0]];

	if (!scope->abbrevs.dense || walk->is_foreign)
		return false;
	*reader = (struct reader){
		.walk = walk,
		.collector = walk->collector,
		.local = walk->collector->local,
		.shapes = scope->abbrevs.shapes,
		.shape_count = scope->abbrevs.count,
		.bytes = scope->bytes,
		.end = scope->bytes + scope->size,
		.first_offset = scope->unit->header_bytes,
		.offsets = scope->size - scope->unit->header_bytes,
		.first_name = section->first_name,
		.section = scope->unit->names[0],
		.name_limit = section->size_bytes < UINT32_MAX ? (uint32_t)section->size_bytes :
								 UINT32_MAX,
		.place = bc_place(scope->unit_index, 0),
	};
	return true;
}

/* A type with what is below it, or without. False, and *TAKEN: an error. */
INLINE bool take_type(struct reader *reader, const struct bc_shape *shape, struct bc_frame *parent,
		      bool *taken)
{
	struct bc_frame *frame = open_type(reader, shape, parent);

	*taken = frame != NULL;
	return *taken && (shape->has_children || close_frame(reader, frame, 0, taken));
}

INLINE bool take_dimension(const struct reader *reader, const struct bc_shape *shape,
			   struct bc_frame *parent)
{
	if (parent->role != BC_FRAME_ARRAY)
		return false;
	bc_walk_take_dimension(reader->walk, parent, (uint64_t)load_number(reader, shape) + 1);
	return true;
}

/*
 * The DIE at hand, of that KIND; *NEXT is where it ends, *PARENT what is open then. *TAKEN, but
 * false: an error.
 */
INLINE bool take_die(struct reader *reader, const struct bc_shape *shape, enum bc_shape_kind kind,
		     struct bc_frame **parent, const uint8_t **next, bool *taken)
{
	bool done;

	switch (kind) {
	case BC_SHAPE_MEMBER:
		return *taken = take_member(reader, shape, *parent);
	case BC_SHAPE_BITFIELD:
		return *taken = take_bitfield(reader, shape, *parent);
	case BC_SHAPE_ENUMERATOR:
		return *taken = take_enumerator(reader, shape, *parent);
	case BC_SHAPE_PARAMETER:
		return *taken = take_parameter(reader, shape, *parent);
	case BC_SHAPE_LINK:
		return *taken = take_link(reader, shape);
	case BC_SHAPE_DECLARATION:
		return *taken = take_declaration(reader, shape);
	case BC_SHAPE_DIMENSION:
		return *taken = take_dimension(reader, shape, *parent);
	case BC_SHAPE_TYPE:
		done = take_type(reader, shape, *parent, taken);
		*parent += done && shape->has_children;
		return done;
	case BC_SHAPE_IDLE:
	case BC_SHAPE_ARGUMENT:
	case BC_SHAPE_VARIABLE:
	case BC_SHAPE_FUNCTION:
		done = *taken = pass_over(reader, shape, kind, *parent, next);
		*parent += done && shape->has_children;
		return done;
	case BC_SHAPE_NONE:
		return *taken = false;
	default: /* no other is behind a name */
		__builtin_unreachable();
	}
}

/* Reads DIEs from *AT on, at the depth of the walk, and moves *AT behind those that it takes. */
INLINE bool run(struct reader *reader, const uint8_t **at)
{
	struct bc_walk *walk = reader->walk;
	struct bc_frame *parent = &walk->collector->frames[walk->depth - 1];
	uint64_t count = 0;
	bool done = true, taken = parent->role != BC_FRAME_SKIPPED;

	take_stack(reader);
	reader->begin = *at;
	while (taken) {
		const uint8_t *now = reader->begin, *next;
		const struct bc_shape *shape;
		enum bc_shape_kind kind;
		uint32_t code = *now++;

		if (code & 0x80) {
			if (*now & 0x80)
				break;
			code = (code & 0x7f) | (uint32_t)*now++ << 7;
		}
		if (!code) {
			if (now > reader->end)
				break;
			done = close_frame(reader, parent, (uint32_t)(now - reader->bytes), &taken);
			if (!done || !taken)
				break;
			reader->begin = now;
			taken = walk->depth;
			parent -= taken;
			continue;
		}
		if (code > reader->shape_count)
			break;
		shape = &reader->shapes[code - 1];
		kind = (enum bc_shape_kind)shape->kind;
		if (kind == BC_SHAPE_NAMED_INSIDE) {
			if (!take_inline_name(reader, &now))
				break;
			kind = (enum bc_shape_kind)shape->kind_behind;
		}
		/* Names and codes may have led a little beyond the end. */
		if (reader->end - now < (ptrdiff_t)shape->size)
			break;
		reader->fields = now;
		next = now + shape->size;
		done = take_die(reader, shape, kind, &parent, &next, &taken);
		if (!done)
			break;
		reader->begin = next;
		count++;
	}
	*at = reader->begin;
	give_stack(reader);
	walk->collector->die_count += count;
	return done || !taken;
}

bool bc_walk_short_way(struct bc_walk *walk, const uint8_t **at)
{
	struct reader reader;

	if (!make_reader(&reader, walk))
		return true;
	reader.by_text = walk->collector->names->by_text || !reader.first_name;
	reader.is_big = walk->scope->unit->file->big_endian;
	/* One loop for what is most common. */
	if (!reader.by_text && !reader.is_big)
		return run(&reader, at);
	return run(&reader, at);
}

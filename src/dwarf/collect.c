/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * One unit's DIEs → its local graph, in one walk from front to back.
 *
 * [walk] keeps a stack of the DIEs that are open. A type gets its number when
 * its DIE is met and its words when it is closed; members, values and
 * parameters wait in between on a stack of elements, as types may nest. What a
 * type refers to may come later: references stay offsets until the walk is
 * over, then [translate] turns them into numbers.
 *
 * A reference into another unit becomes an *import*: [import_all] decodes just
 * that DIE of the other unit, and what it refers to, until tags end the
 * walk, since their bodies are the other unit's to collect.
 */
#include "dwarf/collect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const char *const bc_skip_texts[BC_SKIP_COUNT] = {
#define BC_SKIP_TEXT(name, text) text,
	BC_SKIPS(BC_SKIP_TEXT)
#undef BC_SKIP_TEXT
};

/* References while a unit is read: 0, an offset below 2^31, or one of these with a number. */
#define REF_IMPORT 0x80000000u
#define REF_NUMBER 0xc0000000u
#define REF_VALUE 0x3fffffffu

enum frame_role {
	FRAME_OTHER,
	FRAME_COMPOSITE,
	FRAME_VARIANT, /* its members are those of the struct around it */
	FRAME_ENUM,
	FRAME_PROTO,
	FRAME_ARRAY,
	FRAME_POINTER,
	FRAME_FUNCTION, /* number: of the function, from 0 */
	FRAME_VARIABLE, /* number: of the variable, from 0 */
	FRAME_TYPEDEF,
	FRAME_MEMBER,  /* number: its index; of parameters too */
	FRAME_SKIPPED, /* a type that is not wanted here, and all below */
};

struct bc_frame {
	uint8_t role;
	uint8_t kind; /* of BTF */
	bool has_bitfields;
	bool has_negative;
	bool has_range;
	bool is_unsorted; /* members may come in any order */
	bool has_fixups;  /* of members */
	/* Of the local type; VARIANT: of the frame whose members its ones are; SKIPPED: the offset. */
	uint32_t number;
	uint32_t first_element;
	uint32_t first_tag;
	uint32_t name;
	uint32_t size_bytes;
	uint32_t reference;
	uint32_t sibling;  /* offset in the unit; 0: not said */
	uint64_t count;    /* of array elements so far */
	uint64_t encoding; /* of an enum; 0: not said */
};

struct bc_import {
	uint64_t place;
	uint32_t number;
};

/* Something that needs another type's size or sign: settled when all are known. */
struct bc_fixup {
	uint32_t number;
	uint32_t reference; /* the type to look at */
	uint32_t member;    /* of a bitfield whose offset counts from the high end */
	int64_t bit_offset; /* from the low end of its storage, less the storage */
	bool is_enum;       /* else a bitfield */
};

#define MEMBER_WORDS 4u     /* name, reference, bit offset, bitfield width */
#define ENUMERATOR_WORDS 3u /* name, low, high */
#define PARAMETER_WORDS 2u  /* name, reference */
#define TAG_WORDS 2u        /* struct bc_decl_tag, behind the words that BTF has */

struct walk {
	struct bc_collector *collector;
	struct bc_scope *scope;
	struct bc_die die;
	struct bc_frame above_all; /* what stands above the first DIE: nothing */
	uint32_t depth;            /* of frames */
	uint32_t end;              /* where what was walked over ends */
	uint32_t resume;           /* where to go on; 0: at the next DIE */
	bool is_foreign;
	struct bc_err *err;
};

static void skip(struct walk *walk, enum bc_skip reason)
{
	walk->collector->skipped[reason]++;
}

static bool refuse(struct walk *walk, const char *what)
{
	return bc_err_set(walk->err, "%s (DIE at 0x%x)", what, walk->die.offset);
}

static bool make_room(void *array, uint32_t *limit, uint64_t wanted, size_t item_bytes,
		      struct bc_err *err)
{
	uint64_t items = *limit ? *limit : 256;
	void **items_at = array;
	void *grown;

	if (wanted <= *limit)
		return true;
	while (items < wanted)
		items *= 2;
	grown = items > UINT32_MAX ? NULL : realloc(*items_at, items * item_bytes);
	if (!grown)
		return bc_err_memory(err, items * item_bytes);
	*items_at = grown;
	*limit = (uint32_t)items;
	return true;
}

/* The same for two arrays that go together: items to be sorted, and room for that. */
static bool make_keyed_room(struct bc_keyed **items, struct bc_keyed **spare, uint32_t *limit,
			    uint64_t wanted, struct bc_err *err)
{
	uint32_t before = *limit;

	return make_room(spare, &before, wanted, sizeof(**spare), err) &&
	       make_room(items, limit, wanted, sizeof(**items), err);
}

/* ---- names ---- */

static bool name_from_section(struct walk *walk, uint32_t which, uint64_t offset, uint32_t *name)
{
	const struct bc_unit *unit = walk->scope->unit;
	const struct bc_dwarf_section *section =
		&unit->file->sections[which ? BC_DEBUG_LINE_STR : BC_DEBUG_STR];

	if (offset >= section->size_bytes)
		return refuse(walk, "a name beyond the string section");
	return bc_string_id_at(walk->collector->names, unit->names[which], offset, name, walk->err);
}

static bool name_from_index(struct walk *walk, uint64_t index, uint32_t *name)
{
	const struct bc_scope *scope = walk->scope;
	const struct bc_dwarf_section *section = &scope->unit->file->sections[BC_DEBUG_STR_OFFSETS];
	uint8_t bytes = scope->unit->offset_bytes, entry[8] = { 0 };
	uint64_t at;

	if (__builtin_mul_overflow(index, bytes, &at) ||
	    __builtin_add_overflow(at, scope->str_offsets_base, &at) ||
	    section->size_bytes < bytes || at > section->size_bytes - bytes)
		return refuse(walk, "a name beyond .debug_str_offsets");
	/* It may be the last one: eight bytes from there could be too many. */
	memcpy(entry, section->data + at, bytes);
	return name_from_section(walk, 0, bc_load(entry, bytes, scope->swapped), name);
}

static bool name_from_alternate(struct walk *walk, uint64_t offset, uint32_t *name)
{
	const struct bc_dwarf_file *alternate = walk->scope->unit->file->alternate;
	const struct bc_dwarf_section *section;

	if (!alternate)
		return refuse(walk, "a name in an alternate debug file, which was not found");
	section = &alternate->sections[BC_DEBUG_STR];
	if (offset >= section->size_bytes)
		return refuse(walk, "a name beyond the alternate file's string section");
	return bc_string_id_of(walk->collector->names, (const char *)section->data + offset, name,
			       walk->err);
}

/* The DIE's name, 0 where it has none. */
static bool take_name(struct walk *walk, uint32_t *name)
{
	uint64_t value = walk->die.value[BC_SLOT_NAME];

	*name = 0;
	if (!bc_die_has(&walk->die, BC_SLOT_NAME))
		return true;
	switch (walk->die.value_class[BC_SLOT_NAME]) {
	case BC_VALUE_STR:
		return name_from_section(walk, 0, value, name);
	case BC_VALUE_LINE_STR:
		return name_from_section(walk, 1, value, name);
	case BC_VALUE_INLINE:
		return bc_string_id_of(walk->collector->names,
				       (const char *)walk->scope->bytes + value, name, walk->err);
	case BC_VALUE_STRX:
		return name_from_index(walk, value, name);
	case BC_VALUE_STR_ALT:
		return name_from_alternate(walk, value, name);
	default:
		return refuse(walk, "a name that is no string");
	}
}

/* ---- references ---- */

static uint32_t hash_place(uint64_t place, uint32_t slots)
{
	return (uint32_t)(place * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (slots - 1);
}

static bool grow_import_slots(struct bc_collector *collector, struct bc_err *err)
{
	uint32_t slots = collector->import_slot_count ? 2 * collector->import_slot_count : 256;
	uint32_t *table = calloc(slots, sizeof(*table));

	if (!table)
		return bc_err_memory(err, (uint64_t)slots * sizeof(*table));
	for (uint32_t i = 0; i < collector->import_count; i++) {
		uint32_t at = hash_place(collector->imports[i].place, slots);

		while (table[at])
			at = (at + 1) & (slots - 1);
		table[at] = i + 1;
	}
	free(collector->import_slots);
	collector->import_slots = table;
	collector->import_slot_count = slots;
	return true;
}

static bool import(struct walk *walk, uint64_t place, uint32_t *reference)
{
	struct bc_collector *collector = walk->collector;
	uint32_t at;

	if (2 * collector->import_count >= collector->import_slot_count &&
	    !grow_import_slots(collector, walk->err))
		return false;
	at = hash_place(place, collector->import_slot_count);
	for (; collector->import_slots[at]; at = (at + 1) & (collector->import_slot_count - 1)) {
		if (collector->imports[collector->import_slots[at] - 1].place == place) {
			*reference = REF_IMPORT | (collector->import_slots[at] - 1);
			return true;
		}
	}
	if (!make_room(&collector->imports, &collector->import_limit,
		       (uint64_t)collector->import_count + 1, sizeof(*collector->imports),
		       walk->err))
		return false;
	if (collector->import_count == REF_VALUE)
		return refuse(walk, "too many references to other units");
	if (!bc_units_refer(collector->units, (uint32_t)(place >> 32), (uint32_t)place, walk->err))
		return false;
	*reference = REF_IMPORT | collector->import_count;
	collector->imports[collector->import_count++] = (struct bc_import){ place, 0 };
	collector->import_slots[at] = collector->import_count;
	return true;
}

static bool refer_to(struct walk *walk, const struct bc_unit *unit, uint64_t offset,
		     uint32_t *reference)
{
	struct bc_collector *collector = walk->collector;

	if (!unit || offset < unit->header_bytes || offset >= unit->end - unit->offset)
		return refuse(walk, "a reference to where no DIE is");
	if (unit != collector->home.unit)
		return import(walk,
			      bc_place((uint32_t)(unit - collector->units->units),
				       (uint32_t)offset),
			      reference);
	*reference = (uint32_t)offset;
	return true;
}

/* A unit of an alternate file counts when it is imported; others do anyway. */
static bool import_unit(struct walk *walk)
{
	const struct bc_units *units = walk->collector->units;
	const struct bc_dwarf_file *file = walk->scope->unit->file;
	uint64_t value = walk->die.value[BC_SLOT_IMPORT];
	const struct bc_unit *unit;
	uint8_t no = 0;

	if (!bc_die_has(&walk->die, BC_SLOT_IMPORT))
		return true;
	if (walk->die.value_class[BC_SLOT_IMPORT] == BC_VALUE_REF_ALT) {
		if (!file->alternate)
			return refuse(walk,
				      "a unit in an alternate debug file, which was not found");
		file = file->alternate;
	} else if (walk->die.value_class[BC_SLOT_IMPORT] != BC_VALUE_REF_ADDR) {
		return true;
	}
	unit = bc_units_find(units, file, BC_DEBUG_INFO, value);
	if (!unit)
		return refuse(walk, "an imported unit that is not there");
	if (unit->by_reference_only)
		__atomic_compare_exchange_n(&units->imported[unit - units->units], &no, 1, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return true;
}

/* What an attribute that refers to a type refers to; 0 where it is absent. */
static bool take_reference(struct walk *walk, enum bc_slot slot, uint32_t *reference)
{
	const struct bc_units *units = walk->collector->units;
	const struct bc_unit *unit = walk->scope->unit;
	uint64_t value = walk->die.value[slot];

	*reference = 0;
	if (!bc_die_has(&walk->die, slot))
		return true;
	switch (walk->die.value_class[slot]) {
	case BC_VALUE_REF:
		return refer_to(walk, unit, value, reference);
	case BC_VALUE_REF_ADDR:
		unit = bc_units_find(units, unit->file, BC_DEBUG_INFO, value);
		return refer_to(walk, unit, unit ? value - unit->offset : 0, reference);
	case BC_VALUE_REF_SIG:
		unit = bc_units_find_signature(units, unit->file, value);
		if (!unit)
			return refuse(walk, "a type unit that is not there");
		return refer_to(walk, unit, unit->type_die, reference);
	case BC_VALUE_REF_ALT:
		if (!unit->file->alternate)
			return refuse(walk,
				      "a type in an alternate debug file, which was not found");
		unit = bc_units_find(units, unit->file->alternate, BC_DEBUG_INFO, value);
		return refer_to(walk, unit, unit ? value - unit->offset : 0, reference);
	default:
		return refuse(walk, "a type that is no reference");
	}
}

/* ---- types ---- */

/* A new type for the DIE being read. */
static bool add_type(struct walk *walk, enum bc_local_role role, uint32_t *number)
{
	struct bc_collector *collector = walk->collector;
	uint32_t offset = walk->die.offset;

	*number = bc_local_add(collector->local, bc_place(walk->scope->unit_index, offset), role,
			       walk->err);
	if (!*number)
		return false;
	if (walk->is_foreign)
		bc_local_type(collector->local, *number)->elsewhere = true;
	else
		collector->number_at[offset] = *number;
	return true;
}

static bool set_words(struct walk *walk, uint32_t number, const uint32_t *words, uint32_t count)
{
	struct bc_local *local = walk->collector->local;
	struct bc_local_type *type = bc_local_type(local, number);
	uint32_t first;

	if (!bc_local_reserve(local, count, &first, walk->err))
		return false;
	memcpy(local->words + first, words, count * sizeof(*words));
	type->first_word = first;
	type->word_count = count;
	return true;
}

static bool add_alias(struct walk *walk, uint32_t reference)
{
	uint32_t number;

	return add_type(walk, BC_LOCAL_ALIAS, &number) && set_words(walk, number, &reference, 1);
}

/* PTR, TYPEDEF and modifiers. */
static bool add_link(struct walk *walk, enum bc_kind kind, uint32_t *number)
{
	uint32_t words[BC_HEAD_WORDS] = { 0, bc_info(kind, 0, false), 0 };

	if (kind == BC_TYPEDEF && !take_name(walk, &words[0]))
		return false;
	if (!take_reference(walk, BC_SLOT_TYPE, &words[2]))
		return false;
	if (kind == BC_TYPEDEF && !words[0])
		return add_alias(walk, words[2]);
	return add_type(walk, BC_LOCAL_NODE, number) &&
	       set_words(walk, *number, words, BC_HEAD_WORDS);
}

/* A type that BTF has no kind for: a struct of its name and size. */
static bool add_opaque(struct walk *walk, uint32_t name, uint32_t size_bytes)
{
	uint32_t words[BC_HEAD_WORDS] = { name, bc_info(BC_STRUCT, 0, false), size_bytes };
	uint32_t number;

	skip(walk, BC_SKIP_TYPE_OPAQUE);
	return add_type(walk, BC_LOCAL_NODE, &number) &&
	       set_words(walk, number, words, BC_HEAD_WORDS);
}

static bool take_size(struct walk *walk, uint32_t *size_bytes)
{
	uint64_t size;

	*size_bytes = 0;
	if (!bc_die_number(&walk->die, BC_SLOT_BYTE_SIZE, &size))
		return true;
	if (size > UINT32_MAX)
		return refuse(walk, "a size beyond 4 GiB");
	*size_bytes = (uint32_t)size;
	return true;
}

/* Bits of the encoding word of an INT. */
#define INT_SIGNED (1u << 24)
#define INT_BOOL (4u << 24)

static bool is_float_size(uint32_t size_bytes)
{
	return size_bytes == 2 || size_bytes == 4 || size_bytes == 8 || size_bytes == 12 ||
	       size_bytes == 16;
}

static bool open_base_type(struct walk *walk)
{
	uint64_t encoding = 0;
	uint32_t words[BC_HEAD_WORDS + 1] = { 0, bc_info(BC_INT, 0, false) };
	uint32_t count = BC_HEAD_WORDS + 1, number;

	bc_die_number(&walk->die, BC_SLOT_ENCODING, &encoding);
	if (!take_name(walk, &words[0]) || !take_size(walk, &words[2]))
		return false;
	switch (encoding) {
	case DW_ATE_float:
		if (!walk->collector->features.with_float && words[2] && words[2] <= 16) {
			words[3] = words[2] * 8;
			break;
		}
		if (!is_float_size(words[2]))
			return add_opaque(walk, words[0], words[2]);
		words[1] = bc_info(BC_FLOAT, 0, false);
		count = BC_HEAD_WORDS;
		break;
	case DW_ATE_complex_float:
	case DW_ATE_imaginary_float:
	case DW_ATE_decimal_float:
	case DW_ATE_packed_decimal:
	case DW_ATE_numeric_string:
	case DW_ATE_edited:
		return add_opaque(walk, words[0], words[2]);
	default:
		if (!words[2] || words[2] > 16)
			return add_opaque(walk, words[0], words[2]);
		words[3] = words[2] * 8;
		if (encoding == DW_ATE_signed || encoding == DW_ATE_signed_char)
			words[3] |= INT_SIGNED;
		if (encoding == DW_ATE_boolean)
			words[3] |= INT_BOOL;
		break;
	}
	return add_type(walk, BC_LOCAL_NODE, &number) && set_words(walk, number, words, count);
}

/* ---- types with children ---- */

static bool push_element(struct walk *walk, const uint32_t *words, uint32_t count)
{
	struct bc_collector *collector = walk->collector;

	if (!make_room(&collector->elements, &collector->element_limit,
		       (uint64_t)collector->element_count + count, sizeof(uint32_t), walk->err))
		return false;
	memcpy(collector->elements + collector->element_count, words, count * sizeof(*words));
	collector->element_count += count;
	return true;
}

/* Whether the DIE is the body of a tag, and of which class. */
static bool is_tag_body(const struct bc_die *die, enum bc_tag_class *tag_class)
{
	uint64_t declaration = 0;

	switch (die->abbrev->tag) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
		*tag_class = BC_TAG_STRUCT;
		break;
	case DW_TAG_union_type:
		*tag_class = BC_TAG_UNION;
		break;
	case DW_TAG_enumeration_type:
		*tag_class = BC_TAG_ENUM;
		break;
	default:
		return false;
	}
	bc_die_number(die, BC_SLOT_DECLARATION, &declaration);
	return !declaration && bc_die_has(die, BC_SLOT_NAME) && !bc_die_has(die, BC_SLOT_SIGNATURE);
}

static uint64_t tag_key(enum bc_tag_class tag_class, uint32_t name)
{
	return (uint64_t)name << 2 | tag_class;
}

static bool add_unit_tag(struct walk *walk, enum bc_tag_class tag_class)
{
	struct bc_unit_tags *tags = &walk->collector->unit_tags;
	uint32_t name;

	if (!take_name(walk, &name) ||
	    !bc_string_id_unify(walk->collector->names, &name, walk->err))
		return false;
	if (!make_keyed_room(&tags->items, &tags->spare, &tags->limit, (uint64_t)tags->count + 1,
			     walk->err))
		return false;
	tags->items[tags->count++] = (struct bc_keyed){ tag_key(tag_class, name),
							walk->die.offset };
	return true;
}

/* Lists the bodies of tags that the foreign unit at hand has. */
static bool list_unit_tags(struct walk *walk)
{
	struct bc_unit_tags *tags = &walk->collector->unit_tags;
	const struct bc_scope *scope = walk->scope;
	const uint8_t *at = scope->bytes + scope->unit->header_bytes;

	tags->unit = NULL;
	tags->count = 0;
	while (at < scope->bytes + scope->size) {
		enum bc_die_result result = bc_die_decode(&walk->die, scope, &at, walk->err);
		enum bc_tag_class tag_class;

		if (result == BC_DIE_BAD ||
		    (result == BC_DIE_FOUND && is_tag_body(&walk->die, &tag_class) &&
		     !add_unit_tag(walk, tag_class)))
			return false;
	}
	bc_sort_keyed(tags->items, tags->spare, tags->count);
	tags->unit = scope->unit;
	return true;
}

/* The offset of the only body that the foreign unit at hand has of a tag; 0: there is none such. */
static bool find_foreign_body(struct walk *walk, enum bc_tag_class tag_class, uint32_t name,
			      uint32_t *offset)
{
	const struct bc_unit_tags *tags = &walk->collector->unit_tags;
	uint32_t low = 0, high;
	uint64_t key;

	if (tags->unit != walk->scope->unit) {
		struct bc_die die = walk->die;

		if (!list_unit_tags(walk))
			return false;
		walk->die = die;
	}
	if (!bc_string_id_unify(walk->collector->names, &name, walk->err))
		return false;
	key = tag_key(tag_class, name);
	for (high = tags->count; low < high;) {
		uint32_t middle = low + (high - low) / 2;

		if (tags->items[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	*offset = 0;
	if (low < tags->count && tags->items[low].key == key &&
	    (low + 1 == tags->count || tags->items[low + 1].key != key))
		*offset = tags->items[low].value;
	return true;
}

/*
 * A declaration of another unit means the body that its own unit has, as
 * this unit's declarations mean its own body. *DONE: it has one.
 */
static bool open_foreign_declaration(struct walk *walk, const struct bc_frame *frame,
				     enum bc_tag_class tag_class, bool *done)
{
	uint32_t offset = 0, reference = 0;

	if (!find_foreign_body(walk, tag_class, frame->name, &offset))
		return false;
	*done = offset != 0;
	return !*done || (refer_to(walk, walk->scope->unit, offset, &reference) &&
			  add_alias(walk, reference));
}

/* Struct, union, enum: a tag if it has a name, a forward declaration if it says so. */
static bool open_tag(struct walk *walk, struct bc_frame *frame, enum bc_tag_class tag_class)
{
	struct bc_collector *collector = walk->collector;
	enum bc_local_role role = BC_LOCAL_NODE;
	struct bc_local_type *type;
	uint64_t declaration = 0;
	char packed[4];

	if (bc_die_has(&walk->die, BC_SLOT_SIGNATURE)) {
		uint32_t reference;

		frame->role = FRAME_OTHER;
		return take_reference(walk, BC_SLOT_SIGNATURE, &reference) &&
		       add_alias(walk, reference);
	}
	if (!take_name(walk, &frame->name) || !take_size(walk, &frame->size_bytes) ||
	    !take_reference(walk, BC_SLOT_TYPE, &frame->reference))
		return false;
	bc_die_number(&walk->die, BC_SLOT_DECLARATION, &declaration);
	bc_die_number(&walk->die, BC_SLOT_ENCODING, &frame->encoding);
	/* A name without text is none; of bodies local.c sees it. */
	if (declaration && !*bc_string_id_text(collector->names, frame->name, packed))
		frame->name = 0;
	if (frame->name)
		role = declaration ? BC_LOCAL_DECLARATION : BC_LOCAL_BODY;
	if (role == BC_LOCAL_DECLARATION)
		frame->role = FRAME_OTHER;
	if (role == BC_LOCAL_DECLARATION && walk->is_foreign && collector->with_foreign_bodies) {
		bool done;

		if (!open_foreign_declaration(walk, frame, tag_class, &done))
			return false;
		if (done)
			return true;
	}
	if (!add_type(walk, role, &frame->number))
		return false;
	type = bc_local_type(collector->local, frame->number);
	type->name = frame->name;
	type->tag_class = (uint8_t)tag_class;
	type->unread = role != BC_LOCAL_NODE && walk->is_foreign && !collector->with_foreign_bodies;
	if (type->unread)
		frame->role = FRAME_SKIPPED;
	return true;
}

static bool open_composite(struct walk *walk, struct bc_frame *frame, enum bc_kind kind)
{
	frame->role = FRAME_COMPOSITE;
	frame->kind = (uint8_t)kind;
	frame->is_unsorted = walk->scope->language == DW_LANG_Rust;
	return open_tag(walk, frame, kind == BC_UNION ? BC_TAG_UNION : BC_TAG_STRUCT);
}

/* Where a member stands, in bits; false: no place that BTF can say. */
static bool find_place(struct walk *walk, uint64_t *bits)
{
	const struct bc_die *die = &walk->die;
	uint64_t bytes = 0, value = die->value[BC_SLOT_MEMBER_LOCATION];

	if (bc_die_number(die, BC_SLOT_DATA_BIT_OFFSET, bits))
		return true;
	if (bc_die_has(die, BC_SLOT_MEMBER_LOCATION)) {
		const uint8_t *at = walk->scope->bytes + (uint32_t)value;
		const uint8_t *end = at + (value >> 32);

		if (bc_die_number(die, BC_SLOT_MEMBER_LOCATION, &bytes))
			;
		else if (die->value_class[BC_SLOT_MEMBER_LOCATION] != BC_VALUE_BLOCK || at == end ||
			 *at++ != DW_OP_plus_uconst || !bc_load_uleb(&at, end, &bytes) || at != end)
			return false;
	}
	return !__builtin_mul_overflow(bytes, (uint64_t)8, bits);
}

static bool add_fixup(struct walk *walk, struct bc_fixup fixup)
{
	struct bc_collector *collector = walk->collector;

	if (!make_room(&collector->fixups, &collector->fixup_limit,
		       (uint64_t)collector->fixup_count + 1, sizeof(*collector->fixups), walk->err))
		return false;
	collector->fixups[collector->fixup_count++] = fixup;
	return true;
}

/*
 * DWARF 2 and 3 count a bitfield's offset from the high end of its storage.
 * The storage's size is the member's, or that of its type.
 */
static bool place_old_bitfield(struct walk *walk, struct bc_frame *frame, uint64_t width,
			       uint32_t reference, uint64_t *bits)
{
	uint64_t from_high = 0, storage;
	struct bc_fixup fixup = { .number = frame->number, .reference = reference };

	if (bc_die_has(&walk->die, BC_SLOT_DATA_BIT_OFFSET) ||
	    !bc_die_number(&walk->die, BC_SLOT_BIT_OFFSET, &from_high))
		return true;
	if (walk->scope->unit->file->big_endian) {
		*bits += from_high;
		return true;
	}
	*bits -= from_high + width;
	if (bc_die_number(&walk->die, BC_SLOT_BYTE_SIZE, &storage)) {
		*bits += storage * 8;
		return true;
	}
	/* From here no size of a type leads to a place. */
	if (*bits > UINT32_MAX && *bits < -(uint64_t)UINT32_MAX)
		return true;
	frame->has_fixups = true;
	fixup.member = (walk->collector->element_count - frame->first_element) / MEMBER_WORDS;
	fixup.bit_offset = (int64_t)*bits;
	*bits = 0;
	return add_fixup(walk, fixup);
}

static bool add_member(struct walk *walk, struct bc_frame *frame)
{
	uint64_t bits = 0, width = 0, flag = 0;
	uint32_t words[MEMBER_WORDS];

	if (bc_die_number(&walk->die, BC_SLOT_EXTERNAL, &flag) && flag) {
		skip(walk, BC_SKIP_MEMBER_STATIC);
		return true;
	}
	if (!take_name(walk, &words[0]) || !take_reference(walk, BC_SLOT_TYPE, &words[1]))
		return false;
	if (!words[1]) {
		skip(walk, BC_SKIP_MEMBER_TYPE);
		return true;
	}
	bc_die_number(&walk->die, BC_SLOT_BIT_SIZE, &width);
	if (!find_place(walk, &bits) || bits > UINT32_MAX || width > 255) {
		skip(walk, BC_SKIP_MEMBER_PLACE);
		return true;
	}
	if (!place_old_bitfield(walk, frame, width, words[1], &bits))
		return false;
	if (bits > UINT32_MAX) {
		skip(walk, BC_SKIP_MEMBER_PLACE);
		return true;
	}
	words[2] = (uint32_t)bits;
	words[3] = (uint32_t)width;
	frame->has_bitfields |= width != 0;
	return push_element(walk, words, MEMBER_WORDS);
}

static bool add_enumerator(struct walk *walk, struct bc_frame *frame)
{
	uint32_t words[ENUMERATOR_WORDS];
	uint64_t value = 0;

	if (!take_name(walk, &words[0]))
		return false;
	if (bc_die_number(&walk->die, BC_SLOT_CONST_VALUE, &value) &&
	    walk->die.value_class[BC_SLOT_CONST_VALUE] == BC_VALUE_SIGNED)
		frame->has_negative |= (int64_t)value < 0;
	words[1] = (uint32_t)value;
	words[2] = (uint32_t)(value >> 32);
	return push_element(walk, words, ENUMERATOR_WORDS);
}

static bool add_parameter(struct walk *walk)
{
	uint32_t words[PARAMETER_WORDS];

	if (!take_name(walk, &words[0]) || !take_reference(walk, BC_SLOT_TYPE, &words[1]))
		return false;
	if (!words[1]) {
		skip(walk, BC_SKIP_MEMBER_TYPE);
		return true;
	}
	return push_element(walk, words, PARAMETER_WORDS);
}

static bool add_dimension(struct walk *walk, struct bc_frame *frame)
{
	uint64_t upper, lower = 0, count = 0;

	if (bc_die_number(&walk->die, BC_SLOT_UPPER_BOUND, &upper)) {
		bc_die_number(&walk->die, BC_SLOT_LOWER_BOUND, &lower);
		count = upper + 1 - lower;
	} else {
		bc_die_number(&walk->die, BC_SLOT_COUNT, &count);
	}
	if (!frame->has_range)
		frame->count = 1;
	frame->has_range = true;
	if (__builtin_mul_overflow(frame->count, count, &frame->count) ||
	    frame->count > UINT32_MAX) {
		skip(walk, BC_SKIP_ARRAY_LONG);
		frame->count = 0;
	}
	return true;
}

static bool open_proto(struct walk *walk, struct bc_frame *frame)
{
	frame->role = FRAME_PROTO;
	return take_reference(walk, BC_SLOT_TYPE, &frame->reference) &&
	       add_type(walk, BC_LOCAL_NODE, &frame->number);
}

static bool open_array(struct walk *walk, struct bc_frame *frame)
{
	frame->role = FRAME_ARRAY;
	return take_reference(walk, BC_SLOT_TYPE, &frame->reference) &&
	       add_type(walk, BC_LOCAL_NODE, &frame->number);
}

/* ---- functions ---- */

struct bc_symbol_memo {
	uint32_t name;
	uint32_t symbol;
};

static bool grow_memo(struct bc_collector *collector, struct bc_err *err)
{
	uint32_t limit = collector->memo_limit ? 2 * collector->memo_limit : 4096;
	struct bc_symbol_memo *memo = calloc(limit, sizeof(*memo));

	if (!memo)
		return bc_err_memory(err, (uint64_t)limit * sizeof(*memo));
	for (uint32_t i = 0; i < collector->memo_limit; i++) {
		uint32_t at = collector->memo[i].name * 0x9e3779b1u & (limit - 1);

		if (!collector->memo[i].name)
			continue;
		while (memo[at].name)
			at = (at + 1) & (limit - 1);
		memo[at] = collector->memo[i];
	}
	free(collector->memo);
	collector->memo = memo;
	collector->memo_limit = limit;
	return true;
}

/* The symbol of that name, or 0; each name's text is looked at once. */
static bool find_symbol(struct walk *walk, uint32_t name, uint32_t *symbol)
{
	struct bc_collector *collector = walk->collector;
	struct bc_symbol_memo *memo;
	char packed[4];
	uint32_t at;

	if (2 * collector->memo_count >= collector->memo_limit && !grow_memo(collector, walk->err))
		return false;
	at = name * 0x9e3779b1u & (collector->memo_limit - 1);
	while (collector->memo[at].name && collector->memo[at].name != name)
		at = (at + 1) & (collector->memo_limit - 1);
	memo = &collector->memo[at];
	if (!memo->name) {
		memo->name = name;
		memo->symbol = bc_symbols_find(collector->symbols,
					       bc_string_id_text(collector->names, name, packed));
		collector->memo_count++;
	}
	*symbol = memo->symbol;
	return true;
}

/* The offset of the DIE it comes from, in the same unit; 0: none, or elsewhere. */
static uint32_t take_origin(const struct walk *walk)
{
	const struct bc_die *die = &walk->die;

	return bc_die_has(die, BC_SLOT_ORIGIN) &&
			       die->value_class[BC_SLOT_ORIGIN] == BC_VALUE_REF &&
			       die->value[BC_SLOT_ORIGIN] < walk->scope->size ?
		       (uint32_t)die->value[BC_SLOT_ORIGIN] :
		       0;
}

static bool open_function(struct walk *walk, struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	struct bc_function function = { .offset = walk->die.offset,
					.first_parameter = collector->parameter_count };
	uint64_t declaration = 0, convention;
	uint32_t name;

	bc_die_number(&walk->die, BC_SLOT_DECLARATION, &declaration);
	if (!collector->symbols || walk->is_foreign || declaration)
		return true;
	function.origin = take_origin(walk);
	if (!take_name(walk, &name) || (name && !find_symbol(walk, name, &function.symbol)))
		return false;
	if (name ? !function.symbol : !function.origin)
		return true;
	function.has_address = bc_entry_address(&walk->die, walk->scope, &function.address);
	/* Clang, where it dropped a parameter that nobody needs. */
	function.is_changed = bc_die_number(&walk->die, BC_SLOT_CALLING_CONVENTION, &convention) &&
			      convention == DW_CC_nocall;
	if (!take_reference(walk, BC_SLOT_TYPE, &function.reference) ||
	    !make_room(&collector->functions, &collector->function_limit,
		       (uint64_t)collector->function_count + 1, sizeof(*collector->functions),
		       walk->err))
		return false;
	frame->role = FRAME_FUNCTION;
	frame->number = collector->function_count;
	collector->functions[collector->function_count++] = function;
	return true;
}

static bool add_function_parameter(struct walk *walk, const struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	struct bc_function *function = &collector->functions[frame->number];
	struct bc_parameter parameter = { .offset = walk->die.offset, .origin = take_origin(walk) };

	parameter.standing = (uint8_t)bc_parameter_standing(
		&walk->die, walk->scope, function->parameter_count, collector->registers);
	if (!take_name(walk, &parameter.name) ||
	    !take_reference(walk, BC_SLOT_TYPE, &parameter.reference) ||
	    !make_room(&collector->parameters, &collector->parameter_limit,
		       (uint64_t)collector->parameter_count + 1, sizeof(*collector->parameters),
		       walk->err))
		return false;
	/* Parameters of functions inside this one would come between. */
	if (function->first_parameter + function->parameter_count != collector->parameter_count)
		return true;
	collector->parameters[collector->parameter_count++] = parameter;
	function->parameter_count++;
	return true;
}

/* Variables of the unit with a place in the per-CPU section. */
static bool open_variable(struct walk *walk, struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	const struct bc_symbols *symbols = collector->symbols;
	struct bc_variable variable = { .unit = walk->scope->unit_index };
	uint64_t address, declaration = 0, external = 0;

	if (!symbols || !symbols->percpu_bytes || walk->is_foreign || walk->depth != 1 ||
	    !bc_variable_address(&walk->die, walk->scope, &address))
		return true;
	bc_die_number(&walk->die, BC_SLOT_DECLARATION, &declaration);
	bc_die_number(&walk->die, BC_SLOT_EXTERNAL, &external);
	variable.offset = address - symbols->percpu_address;
	variable.is_external = external != 0;
	variable.origin = take_origin(walk);
	if (declaration || variable.offset >= symbols->percpu_bytes ||
	    (!variable.offset && !symbols->percpu_has_first))
		return true;
	if (!take_name(walk, &variable.name) ||
	    !take_reference(walk, BC_SLOT_TYPE, &variable.reference) ||
	    !make_room(&collector->variables, &collector->variable_limit,
		       (uint64_t)collector->variable_count + 1, sizeof(*collector->variables),
		       walk->err))
		return false;
	frame->role = FRAME_VARIABLE;
	frame->number = collector->variable_count;
	collector->variables[collector->variable_count++] = variable;
	return true;
}

/*
 * A variable that was declared before takes name, type and linkage from the
 * declaration, whose DIE is decoded once more.
 */
static bool complete_variable(struct walk *walk, struct bc_variable *variable)
{
	const uint8_t *at = walk->scope->bytes + variable->origin;
	uint64_t external = 0;

	if (!variable->origin || variable->origin < walk->scope->unit->header_bytes ||
	    bc_die_decode(&walk->die, walk->scope, &at, walk->err) != BC_DIE_FOUND)
		return true;
	bc_die_number(&walk->die, BC_SLOT_EXTERNAL, &external);
	variable->is_external |= external != 0;
	if (!variable->name && !take_name(walk, &variable->name))
		return false;
	return variable->reference || take_reference(walk, BC_SLOT_TYPE, &variable->reference);
}

/* The record of the function whose DIE is at OFFSET; NULL: there is none. */
static struct bc_function *find_function(const struct bc_collector *collector, uint32_t offset)
{
	uint32_t low = 0, high = collector->function_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (collector->functions[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < collector->function_count && collector->functions[low].offset == offset ?
		       &collector->functions[low] :
		       NULL;
}

/* Index of the parameter at OFFSET in FUNCTION; its count: there is none. */
static uint32_t find_parameter(const struct bc_collector *collector,
			       const struct bc_function *function, uint32_t offset)
{
	const struct bc_parameter *parameters = collector->parameters + function->first_parameter;
	uint32_t low = 0, high = function->parameter_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (parameters[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < function->parameter_count && parameters[low].offset == offset ?
		       low :
		       function->parameter_count;
}

/* What two DIEs of one parameter say together about where it stands. */
static uint8_t join_standings(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

/*
 * A concrete function takes from its origin what it does not say itself; the
 * origin hears where the parameters stand.
 */
static void take_from_origin(struct bc_collector *collector, struct bc_function *function)
{
	struct bc_function *origin = find_function(collector, function->origin);

	if (!origin)
		return;
	if (!function->symbol)
		function->symbol = origin->symbol;
	if (!function->reference)
		function->reference = origin->reference;
	function->is_vararg |= origin->is_vararg;
	if (!function->tag_count) {
		function->first_tag = origin->first_tag;
		function->tag_count = origin->tag_count;
	}
	for (uint32_t i = 0; i < function->parameter_count; i++) {
		struct bc_parameter *parameter =
			&collector->parameters[function->first_parameter + i];
		uint32_t index = find_parameter(collector, origin, parameter->origin);
		struct bc_parameter *from;

		if (!parameter->origin || index == origin->parameter_count)
			continue;
		from = &collector->parameters[origin->first_parameter + index];
		function->is_reordered |= index != i;
		if (!parameter->name)
			parameter->name = from->name;
		if (!parameter->reference)
			parameter->reference = from->reference;
		from->standing = join_standings(from->standing, parameter->standing);
	}
}

static bool has_all_names(const struct bc_collector *collector, const struct bc_function *function)
{
	for (uint32_t i = 0; i < function->parameter_count; i++) {
		const struct bc_parameter *parameter =
			&collector->parameters[function->first_parameter + i];

		if (!parameter->name || !parameter->reference)
			return false;
	}
	return true;
}

/* Its prototype, as a local type that is written only if it is chosen. */
static bool add_prototype(struct walk *walk, struct bc_function *function)
{
	struct bc_collector *collector = walk->collector;
	struct bc_local *local = collector->local;
	uint32_t count = function->parameter_count + function->is_vararg, first;
	uint32_t number = bc_local_add(local, bc_place(walk->scope->unit_index, function->offset),
				       BC_LOCAL_NODE, walk->err);
	uint32_t word_count = BC_HEAD_WORDS + PARAMETER_WORDS * count +
			      TAG_WORDS * function->tag_count;
	uint32_t *words;

	if (!number || !bc_local_reserve(local, word_count, &first, walk->err))
		return false;
	bc_local_type(local, number)->first_word = first;
	bc_local_type(local, number)->word_count = word_count;
	words = local->words + first;
	*words++ = 0;
	*words++ = bc_info(BC_FUNC_PROTO, count, true); /* kflag: of a function */
	*words++ = function->reference;
	for (uint32_t i = 0; i < function->parameter_count; i++) {
		const struct bc_parameter *parameter =
			&collector->parameters[function->first_parameter + i];

		*words++ = parameter->name;
		*words++ = parameter->reference;
	}
	if (function->is_vararg) {
		*words++ = 0;
		*words++ = 0;
	}
	if (function->tag_count)
		memcpy(words, collector->kept_tags + function->first_tag,
		       TAG_WORDS * function->tag_count * sizeof(*words));
	function->number = number;
	return true;
}

/* Functions of the unit become candidates, with prototypes among the local types. */
static bool finish_functions(struct walk *walk)
{
	struct bc_collector *collector = walk->collector;

	for (uint32_t i = 0; i < collector->variable_count; i++)
		if (!complete_variable(walk, &collector->variables[i]))
			return false;
	/* Origins of origins first: a definition's declaration, then what was inlined. */
	for (uint32_t pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < collector->function_count; i++)
			if (collector->functions[i].origin)
				take_from_origin(collector, &collector->functions[i]);
	for (uint32_t i = 0; i < collector->function_count; i++) {
		struct bc_function *function = &collector->functions[i];

		if (function->symbol && function->parameter_count < BC_VLEN_MAX &&
		    has_all_names(collector, function) && !add_prototype(walk, function))
			return false;
	}
	return true;
}

/* ---- closing ---- */

/* By offset; those of one offset stay as they are. The copy needs room behind the elements. */
static bool sort_members(struct walk *walk, const struct bc_frame *frame, uint32_t count)
{
	struct bc_collector *collector = walk->collector;
	uint32_t words = count * MEMBER_WORDS, *members, *sorted;

	if (!make_keyed_room(&collector->member_order, &collector->spare_order,
			     &collector->member_limit, count, walk->err) ||
	    !make_room(&collector->elements, &collector->element_limit,
		       (uint64_t)collector->element_count + words, sizeof(uint32_t), walk->err))
		return false;
	members = collector->elements + frame->first_element;
	sorted = collector->elements + collector->element_count;
	for (uint32_t i = 0; i < count; i++)
		collector->member_order[i] =
			(struct bc_keyed){ members[(size_t)i * MEMBER_WORDS + 2], i };
	bc_sort_keyed(collector->member_order, collector->spare_order, count);
	for (uint32_t i = 0; i < count; i++)
		memcpy(sorted + (size_t)i * MEMBER_WORDS,
		       members + (size_t)collector->member_order[i].value * MEMBER_WORDS,
		       MEMBER_WORDS * sizeof(*sorted));
	memcpy(members, sorted, words * sizeof(*sorted));
	return true;
}

/* Head and room for the elements of a type; *WORDS is valid until the next type. */
static bool close_head(struct walk *walk, const struct bc_frame *frame, uint32_t info,
		       uint32_t size_or_type, uint32_t element_words, uint32_t **words)
{
	struct bc_local *local = walk->collector->local;
	uint32_t count = BC_HEAD_WORDS + element_words, first;
	struct bc_local_type *type = bc_local_type(local, frame->number);

	if (!bc_local_reserve(local, count, &first, walk->err))
		return false;
	type->first_word = first;
	type->word_count = count;
	*words = local->words + first;
	(*words)[0] = frame->name;
	(*words)[1] = info;
	(*words)[2] = size_or_type;
	*words += BC_HEAD_WORDS;
	return true;
}

/* A type that has more elements, or farther ones, than BTF can say: its size only. */
static bool close_opaque(struct walk *walk, const struct bc_frame *frame, enum bc_skip reason)
{
	uint32_t *words;

	skip(walk, reason);
	return close_head(walk, frame, bc_info(BC_STRUCT, 0, false), frame->size_bytes, 0, &words);
}

static bool close_composite(struct walk *walk, const struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	const uint32_t *members;
	uint32_t count = (collector->element_count - frame->first_element) / MEMBER_WORDS;
	uint32_t *words;

	if (count > BC_VLEN_MAX)
		return close_opaque(walk, frame, BC_SKIP_TOO_MANY);
	/* Where they would go once their storage is known, nobody can say now. */
	if (frame->is_unsorted && frame->has_fixups)
		return close_opaque(walk, frame, BC_SKIP_MEMBER_PLACE);
	if (frame->is_unsorted && count && !sort_members(walk, frame, count))
		return false;
	members = collector->elements + frame->first_element;
	for (uint32_t i = 0; frame->has_bitfields && i < count; i++)
		if (members[(size_t)i * MEMBER_WORDS + 2] > 0xffffff)
			return close_opaque(walk, frame, BC_SKIP_MEMBER_PLACE);
	if (!close_head(walk, frame, bc_info(frame->kind, count, frame->has_bitfields),
			frame->size_bytes, 3 * count, &words))
		return false;
	for (uint32_t i = 0; i < count; i++, members += MEMBER_WORDS, words += 3) {
		words[0] = members[0];
		words[1] = members[1];
		words[2] = members[2] | members[3] << 24;
	}
	return true;
}

static bool fits_32_bits(const uint32_t *values, uint32_t count, bool is_signed)
{
	for (uint32_t i = 0; i < count; i++, values += ENUMERATOR_WORDS)
		if (values[2] != (is_signed && values[1] >> 31 ? UINT32_MAX : 0))
			return false;
	return true;
}

static bool is_enum_size(uint32_t size_bytes)
{
	return size_bytes == 1 || size_bytes == 2 || size_bytes == 4 || size_bytes == 8;
}

static bool close_enum(struct walk *walk, const struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	uint32_t *values = collector->elements + frame->first_element;
	uint32_t count = (collector->element_count - frame->first_element) / ENUMERATOR_WORDS;
	uint32_t size = frame->size_bytes ? frame->size_bytes : 4;
	bool is_wide = size > 4 || !fits_32_bits(values, count, frame->has_negative);
	bool is_signed = frame->has_negative;
	uint32_t *words;

	if (count > BC_VLEN_MAX)
		return close_opaque(walk, frame, BC_SKIP_TOO_MANY);
	if (!is_enum_size(size))
		return close_opaque(walk, frame, BC_SKIP_TYPE_OPAQUE);
	if (is_wide) {
		struct bc_fixup fixup = { .number = frame->number,
					  .reference = frame->reference,
					  .is_enum = true };

		is_signed |= frame->encoding == DW_ATE_signed ||
			     frame->encoding == DW_ATE_signed_char;
		if (frame->reference && !is_signed && !add_fixup(walk, fixup))
			return false;
	}
	is_wide &= collector->features.with_enum64;
	if (!close_head(walk, frame, bc_info(is_wide ? BC_ENUM64 : BC_ENUM, count, is_signed), size,
			count * (is_wide ? 3 : 2), &words))
		return false;
	for (uint32_t i = 0; i < count; i++, values += ENUMERATOR_WORDS) {
		*words++ = values[0];
		*words++ = values[1];
		if (is_wide)
			*words++ = values[2];
	}
	return true;
}

static bool close_proto(struct walk *walk, const struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	uint32_t element_words = collector->element_count - frame->first_element;
	uint32_t count = element_words / PARAMETER_WORDS;
	uint32_t *words;

	if (count > BC_VLEN_MAX)
		return close_opaque(walk, frame, BC_SKIP_TOO_MANY);
	if (!close_head(walk, frame, bc_info(BC_FUNC_PROTO, count, false), frame->reference,
			element_words, &words))
		return false;
	if (element_words)
		memcpy(words, collector->elements + frame->first_element,
		       element_words * sizeof(*words));
	return true;
}

static bool close_array(struct walk *walk, const struct bc_frame *frame)
{
	uint32_t *words;

	if (!frame->reference)
		return close_opaque(walk, frame, BC_SKIP_TYPE_OPAQUE);
	if (!close_head(walk, frame, bc_info(BC_ARRAY, 0, false), 0, 3, &words))
		return false;
	words[0] = frame->reference;
	words[1] = BC_INDEX_TYPE;
	words[2] = (uint32_t)frame->count;
	return true;
}

/*
 * The pointer has type tags: a TYPE_TAG for each between it and what it points
 * at. The compiler lists them as written; the last one is next to the star.
 */
static bool close_pointer(struct walk *walk, const struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	struct bc_local *local = collector->local;
	uint32_t pointer_word = bc_local_type(local, frame->number)->first_word + 2;

	for (uint32_t i = frame->first_element; i < collector->element_count; i++) {
		uint32_t words[BC_HEAD_WORDS] = { collector->elements[i],
						  bc_info(BC_TYPE_TAG, 0, false),
						  local->words[pointer_word] };
		uint32_t number = bc_local_add(local, bc_local_type(local, frame->number)->place,
					       BC_LOCAL_NODE, walk->err);

		if (!number || !set_words(walk, number, words, BC_HEAD_WORDS))
			return false;
		local->words[pointer_word] = REF_NUMBER | number;
	}
	return true;
}

/* ---- declaration tags ---- */

static int compare_tags(const void *a, const void *b)
{
	const struct bc_decl_tag *one = a, *other = b;

	if (one->component != other->component)
		return one->component < other->component ? -1 : 1;
	return (one->value > other->value) - (one->value < other->value);
}

/* The tags of FRAME's declaration, sorted, each once, for COUNT members or parameters. */
static uint32_t settle_tags(struct walk *walk, const struct bc_frame *frame, uint32_t count)
{
	struct bc_decl_tag *tags = walk->collector->tags + frame->first_tag;
	uint32_t all = walk->collector->tag_count - frame->first_tag, kept = 0;

	if (all)
		qsort(tags, all, sizeof(*tags), compare_tags);
	for (uint32_t i = 0; i < all; i++) {
		if (tags[i].component != BC_TAG_OF_WHOLE && tags[i].component >= count)
			continue;
		if (!kept || compare_tags(&tags[kept - 1], &tags[i]))
			tags[kept++] = tags[i];
	}
	return kept;
}

/* Another set of tags is another type: they stand behind its words. */
static bool tag_type(struct walk *walk, const struct bc_frame *frame)
{
	struct bc_local *local = walk->collector->local;
	struct bc_local_type *type;
	uint32_t first, count, before;

	if (walk->collector->tag_count == frame->first_tag || !frame->number)
		return true;
	type = bc_local_type(local, frame->number);
	if (type->role == BC_LOCAL_DECLARATION || type->role == BC_LOCAL_ALIAS || type->unread)
		return true;
	/* Members that were sorted are no longer at their index. */
	count = settle_tags(
		walk, frame,
		frame->is_unsorted ? 0 : bc_element_count(local->words[type->first_word + 1]));
	before = type->word_count;
	if (!bc_local_reserve(local, before + TAG_WORDS * count, &first, walk->err))
		return false;
	memcpy(local->words + first, local->words + type->first_word, before * sizeof(uint32_t));
	if (count)
		memcpy(local->words + first + before, walk->collector->tags + frame->first_tag,
		       TAG_WORDS * count * sizeof(uint32_t));
	type->first_word = first;
	type->word_count = before + TAG_WORDS * count;
	return true;
}

/* Functions and variables are looked at again when the unit is read. */
static bool keep_tags(struct walk *walk, const struct bc_frame *frame, uint32_t parameter_count,
		      uint32_t *first_tag, uint32_t *tag_count)
{
	struct bc_collector *collector = walk->collector;
	uint32_t count = settle_tags(walk, frame, parameter_count);

	if (!count)
		return true;
	if (!make_room(&collector->kept_tags, &collector->kept_tag_limit,
		       (uint64_t)collector->kept_tag_count + count, sizeof(*collector->kept_tags),
		       walk->err))
		return false;
	memcpy(collector->kept_tags + collector->kept_tag_count, collector->tags + frame->first_tag,
	       count * sizeof(*collector->tags));
	*first_tag = collector->kept_tag_count;
	*tag_count = count;
	collector->kept_tag_count += count;
	return true;
}

static bool close_tags(struct walk *walk, const struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	struct bc_function *function;
	struct bc_variable *variable;
	bool done = true;

	switch (frame->role) {
	case FRAME_COMPOSITE:
	case FRAME_TYPEDEF:
		done = tag_type(walk, frame);
		break;
	case FRAME_FUNCTION:
		function = &collector->functions[frame->number];
		done = keep_tags(walk, frame, function->parameter_count, &function->first_tag,
				 &function->tag_count);
		break;
	case FRAME_VARIABLE:
		variable = &collector->variables[frame->number];
		done = keep_tags(walk, frame, 0, &variable->first_tag, &variable->tag_count);
		break;
	default:
		return true;
	}
	collector->tag_count = frame->first_tag;
	return done;
}

static bool close_frame(struct walk *walk, const struct bc_frame *frame)
{
	bool done = true;

	switch (frame->role) {
	case FRAME_COMPOSITE:
		done = close_composite(walk, frame);
		break;
	case FRAME_ENUM:
		done = close_enum(walk, frame);
		break;
	case FRAME_PROTO:
		done = close_proto(walk, frame);
		break;
	case FRAME_ARRAY:
		done = close_array(walk, frame);
		break;
	case FRAME_POINTER:
		done = close_pointer(walk, frame);
		break;
	default:
		return close_tags(walk, frame);
	}
	walk->collector->element_count = frame->first_element;
	return done && close_tags(walk, frame);
}

/* ---- the walk ---- */

/* The struct whose member a DIE is that stands right below PARENT; NULL: none. */
static struct bc_frame *composite_around(struct walk *walk, struct bc_frame *parent)
{
	if (parent->role == FRAME_COMPOSITE)
		return parent;
	return parent->role == FRAME_VARIANT ? &walk->collector->frames[parent->number] : NULL;
}

/*
 * Members, values and parameters, which belong to the DIE above. FRAME may be
 * NULL for them; variants take it.
 */
static bool open_element(struct walk *walk, struct bc_frame *parent, struct bc_frame *frame)
{
	uint32_t before = walk->collector->element_count;
	struct bc_frame *composite;

	switch (walk->die.abbrev->tag) {
	case DW_TAG_member:
		composite = composite_around(walk, parent);
		if (composite && !add_member(walk, composite))
			return false;
		if (frame && parent == composite && walk->collector->element_count > before) {
			frame->role = FRAME_MEMBER;
			frame->number = (before - composite->first_element) / MEMBER_WORDS;
		}
		return true;
	case DW_TAG_inheritance:
		if (parent->role == FRAME_COMPOSITE)
			skip(walk, BC_SKIP_MEMBER_BASE);
		return true;
	case DW_TAG_variant_part:
	case DW_TAG_variant:
		composite = composite_around(walk, parent);
		if (!composite)
			return true;
		composite->is_unsorted = true;
		frame->role = FRAME_VARIANT;
		frame->number = (uint32_t)(composite - walk->collector->frames);
		if (walk->die.abbrev->tag == DW_TAG_variant_part)
			skip(walk, BC_SKIP_VARIANT);
		return true;
	case DW_TAG_imported_unit:
		return import_unit(walk);
	case DW_TAG_enumerator:
		return parent->role != FRAME_ENUM || add_enumerator(walk, parent);
	case DW_TAG_formal_parameter:
		if (parent->role == FRAME_FUNCTION) {
			before = walk->collector->functions[parent->number].parameter_count;
			if (frame) {
				frame->role = FRAME_MEMBER;
				frame->number = before;
			}
			return add_function_parameter(walk, parent);
		}
		return parent->role != FRAME_PROTO || add_parameter(walk);
	case DW_TAG_unspecified_parameters:
		if (parent->role == FRAME_FUNCTION)
			walk->collector->functions[parent->number].is_vararg = true;
		return parent->role != FRAME_PROTO ||
		       push_element(walk, (uint32_t[PARAMETER_WORDS]){ 0, 0 }, PARAMETER_WORDS);
	default:
		return true;
	}
}

/* DW_TAG_LLVM_annotation: name says what, the value is a string. */
#define TAG_LLVM_ANNOTATION 0x6000

static bool push_tag(struct walk *walk, uint32_t component, uint32_t value)
{
	struct bc_collector *collector = walk->collector;

	if (!make_room(&collector->tags, &collector->tag_limit, (uint64_t)collector->tag_count + 1,
		       sizeof(*collector->tags), walk->err))
		return false;
	collector->tags[collector->tag_count++] = (struct bc_decl_tag){ component, value };
	return true;
}

/* What the annotation that is the DIE at hand says about FRAME's type or declaration. */
static bool take_annotation(struct walk *walk, const struct bc_frame *frame)
{
	const struct bc_features *features = &walk->collector->features;
	bool on_pointer = frame->role == FRAME_POINTER && features->with_type_tag;
	bool on_declaration = (frame->role == FRAME_COMPOSITE || frame->role == FRAME_TYPEDEF ||
			       frame->role == FRAME_FUNCTION || frame->role == FRAME_VARIABLE ||
			       frame->role == FRAME_MEMBER) &&
			      features->with_decl_tag;
	uint32_t what, value;
	char packed[4];

	if (!on_pointer && !on_declaration)
		return true;
	if (!take_name(walk, &what))
		return false;
	if (strcmp(bc_string_id_text(walk->collector->names, what, packed),
		   on_pointer ? "btf_type_tag" : "btf_decl_tag"))
		return true;
	/* Its value is read as a name is. */
	walk->die.value[BC_SLOT_NAME] = walk->die.value[BC_SLOT_CONST_VALUE];
	walk->die.value_class[BC_SLOT_NAME] = walk->die.value_class[BC_SLOT_CONST_VALUE];
	if (!bc_die_has(&walk->die, BC_SLOT_CONST_VALUE))
		return refuse(walk, "a tag without a value");
	if (!take_name(walk, &value))
		return false;
	return on_pointer ?
		       push_element(walk, &value, 1) :
		       push_tag(walk, frame->role == FRAME_MEMBER ? frame->number : BC_TAG_OF_WHOLE,
				value);
}

#define ANNOTATIONS_MAX 4096u /* of one DIE: a chain may come back to itself */

/*
 * GCC: annotations stand apart, in a chain that an attribute begins. It has
 * the tag nearest to the pointer first, LLVM has it last.
 */
static bool take_annotations(struct walk *walk, const struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	uint32_t first = collector->element_count;
	struct bc_die die = walk->die;

	for (uint32_t i = 0; bc_die_has(&walk->die, BC_SLOT_ANNOTATION); i++) {
		uint64_t offset = walk->die.value[BC_SLOT_ANNOTATION];
		const uint8_t *at = walk->scope->bytes + offset;

		if (walk->die.value_class[BC_SLOT_ANNOTATION] != BC_VALUE_REF ||
		    offset < walk->scope->unit->header_bytes || offset >= walk->scope->size ||
		    i == ANNOTATIONS_MAX ||
		    bc_die_decode(&walk->die, walk->scope, &at, walk->err) != BC_DIE_FOUND)
			return refuse(walk, "a chain of annotations that makes no sense");
		if (!take_annotation(walk, frame))
			return false;
	}
	walk->die = die;
	if (frame->role != FRAME_POINTER)
		return true;
	for (uint32_t i = first, j = collector->element_count; i + 1 < j; i++) {
		uint32_t other = collector->elements[--j];

		collector->elements[j] = collector->elements[i];
		collector->elements[i] = other;
	}
	return true;
}

/* A reference to a member of a class has no kind in BTF. */
static bool open_member_pointer(struct walk *walk)
{
	uint32_t size, number;

	if (!take_size(walk, &size))
		return false;
	if (size)
		return add_opaque(walk, 0, size);
	skip(walk, BC_SKIP_TYPE_REFERENCE);
	return add_link(walk, BC_PTR, &number);
}

static bool open_sized(struct walk *walk)
{
	uint32_t name, size;

	return take_name(walk, &name) && take_size(walk, &size) && add_opaque(walk, name, size);
}

static bool open_same_as(struct walk *walk)
{
	uint32_t reference;

	return take_reference(walk, BC_SLOT_TYPE, &reference) && add_alias(walk, reference);
}

static bool open_die(struct walk *walk, struct bc_frame *parent, struct bc_frame *frame)
{
	uint32_t number;

	switch (walk->die.abbrev->tag) {
	case DW_TAG_base_type:
		return open_base_type(walk);
	case DW_TAG_pointer_type:
		if (walk->die.abbrev->has_children || bc_die_has(&walk->die, BC_SLOT_ANNOTATION))
			frame->role = FRAME_POINTER;
		return add_link(walk, BC_PTR, &frame->number);
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		skip(walk, BC_SKIP_TYPE_REFERENCE);
		return add_link(walk, BC_PTR, &number);
	case DW_TAG_typedef:
	case DW_TAG_template_alias:
		frame->role = FRAME_TYPEDEF;
		return add_link(walk, BC_TYPEDEF, &frame->number);
	case DW_TAG_const_type:
		return add_link(walk, BC_CONST, &number);
	case DW_TAG_volatile_type:
		return add_link(walk, BC_VOLATILE, &number);
	case DW_TAG_restrict_type:
		return add_link(walk, BC_RESTRICT, &number);
	case DW_TAG_atomic_type:
		skip(walk, BC_SKIP_TYPE_ATOMIC);
		return open_same_as(walk);
	case DW_TAG_packed_type:
	case DW_TAG_shared_type:
	case DW_TAG_immutable_type:
		return open_same_as(walk);
	case DW_TAG_subrange_type:
		return parent->role == FRAME_ARRAY ? add_dimension(walk, parent) :
						     open_same_as(walk);
	case DW_TAG_unspecified_type:
		return add_alias(walk, 0);
	case DW_TAG_array_type:
		return open_array(walk, frame);
	case DW_TAG_subroutine_type:
		return open_proto(walk, frame);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
		return open_composite(walk, frame, BC_STRUCT);
	case DW_TAG_union_type:
		return open_composite(walk, frame, BC_UNION);
	case DW_TAG_enumeration_type:
		frame->role = FRAME_ENUM;
		return open_tag(walk, frame, BC_TAG_ENUM);
	case DW_TAG_ptr_to_member_type:
		return open_member_pointer(walk);
	case DW_TAG_subprogram:
		return open_function(walk, frame);
	case DW_TAG_variable:
		return open_variable(walk, frame);
	case DW_TAG_string_type:
	case DW_TAG_set_type:
	case DW_TAG_file_type:
		return open_sized(walk);
	case TAG_LLVM_ANNOTATION:
		return take_annotation(walk, parent);
	default:
		return open_element(walk, parent, frame);
	}
}

/* Types below a foreign DIE are its unit's; below a skipped one nothing is wanted. */
static bool is_nested_foreign_type(const struct walk *walk)
{
	switch (walk->die.abbrev->tag) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
	case DW_TAG_subprogram:
	case DW_TAG_array_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_pointer_type:
	case DW_TAG_const_type:
	case DW_TAG_base_type:
		return walk->is_foreign && walk->depth > 0;
	default:
		return false;
	}
}

static bool check_sibling(struct walk *walk, struct bc_frame *frame)
{
	uint64_t sibling = walk->die.value[BC_SLOT_SIBLING];

	if (!bc_die_has(&walk->die, BC_SLOT_SIBLING) ||
	    walk->die.value_class[BC_SLOT_SIBLING] != BC_VALUE_REF ||
	    !walk->die.abbrev->has_children)
		return true;
	if (sibling <= walk->die.offset || sibling > walk->scope->size)
		return refuse(walk, "a sibling that is not behind it");
	frame->sibling = (uint32_t)sibling;
	return true;
}

/* Half of all DIEs: they have nothing below and belong to the one above. */
static bool is_childless_element(const struct bc_abbrev *abbrev)
{
	return !abbrev->has_children &&
	       (abbrev->tag == DW_TAG_member || abbrev->tag == DW_TAG_enumerator ||
		abbrev->tag == DW_TAG_formal_parameter);
}

static bool open_one(struct walk *walk)
{
	struct bc_collector *collector = walk->collector;
	struct bc_frame *parent = walk->depth ? &collector->frames[walk->depth - 1] :
						&walk->above_all;
	struct bc_frame frame;

	collector->die_count++;
	if (is_childless_element(walk->die.abbrev) && !bc_die_has(&walk->die, BC_SLOT_ANNOTATION))
		return parent->role == FRAME_SKIPPED || open_element(walk, parent, NULL);
	frame = (struct bc_frame){ .first_element = collector->element_count,
				   .first_tag = collector->tag_count };
	if (parent->role == FRAME_SKIPPED || is_nested_foreign_type(walk))
		frame.role = FRAME_SKIPPED;
	else if (!open_die(walk, parent, &frame))
		return false;
	if (bc_die_has(&walk->die, BC_SLOT_ANNOTATION) && !take_annotations(walk, &frame))
		return false;
	if (!check_sibling(walk, &frame))
		return false;
	if (!walk->die.abbrev->has_children)
		return close_frame(walk, &frame);
	if (frame.role == FRAME_SKIPPED) {
		frame.number = walk->die.offset;
		walk->resume = walk->scope->has_ends ? walk->scope->ends[frame.number] : 0;
		if (walk->resume)
			return true;
	}
	if (walk->depth == collector->frame_limit &&
	    !make_room(&collector->frames, &collector->frame_limit, (uint64_t)walk->depth + 1,
		       sizeof(*collector->frames), walk->err))
		return false;
	collector->frames[walk->depth++] = frame;
	return true;
}

/*
 * Remembers where a DIE that nobody wants ends: types that stand in each other
 * may be imported one by one.
 */
static bool note_end(struct walk *walk, uint32_t start, uint32_t end)
{
	struct bc_scope *scope = walk->scope;

	if (!scope->has_ends) {
		if (!make_room(&scope->ends, &scope->end_limit, scope->size, sizeof(*scope->ends),
			       walk->err))
			return false;
		memset(scope->ends, 0, scope->size * sizeof(*scope->ends));
		scope->has_ends = true;
	}
	scope->ends[start] = end;
	return true;
}

static bool close_one(struct walk *walk, uint32_t end)
{
	struct bc_frame *frame = &walk->collector->frames[--walk->depth];

	if (!close_frame(walk, frame))
		return false;
	if (frame->sibling && frame->sibling != end)
		return refuse(walk, "the children end elsewhere than the sibling says");
	return frame->role != FRAME_SKIPPED || note_end(walk, frame->number, end);
}

/* Reads the DIE at START and all below it. */
static bool walk_from(struct walk *walk, uint32_t start)
{
	const uint8_t *at = walk->scope->bytes + start;

	walk->depth = 0;
	walk->collector->element_count = walk->collector->tag_count = 0;
	do {
		enum bc_die_result result = bc_die_decode(&walk->die, walk->scope, &at, walk->err);

		if (result == BC_DIE_BAD)
			return false;
		if (result == BC_DIE_FOUND) {
			if (!open_one(walk))
				return false;
			if (walk->resume)
				at = walk->scope->bytes + walk->resume;
			walk->resume = 0;
			continue;
		}
		if (!walk->depth)
			break; /* nothing but padding */
		if (!close_one(walk, (uint32_t)(at - walk->scope->bytes)))
			return false;
	} while (walk->depth);
	walk->end = (uint32_t)(at - walk->scope->bytes);
	return true;
}

/* Zeros behind the unit's DIE are padding; anything else nobody would read. */
static bool check_rest(struct walk *walk)
{
	for (uint32_t at = walk->end; at < walk->scope->size; at++)
		if (walk->scope->bytes[at])
			return bc_err_set(walk->err, "something is behind the unit's DIE (0x%x)",
					  at);
	return true;
}

/* ---- the unit ---- */

static const char *language_name(uint16_t language)
{
	switch (language) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x2c: /* C17 */
		return "c";
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2b: /* C++17, C++20 */
	case 0x2a:
		return "c++";
	case DW_LANG_Rust:
		return "rust";
	case DW_LANG_Go:
		return "go";
	case DW_LANG_D:
		return "d";
	case DW_LANG_Swift:
		return "swift";
	case DW_LANG_Ada83:
	case DW_LANG_Ada95:
		return "ada";
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
		return "fortran";
	case DW_LANG_Mips_Assembler:
		return "asm";
	default:
		return "";
	}
}

static bool is_excluded(const struct bc_collector *collector, uint16_t language)
{
	const char *const *excluded = collector->excluded_languages;

	for (; excluded && *excluded; excluded++)
		if (!strcmp(*excluded, language_name(language)))
			return true;
	return false;
}

/* What the unit's own DIE says about how to read the others. */
static bool read_root(struct walk *walk)
{
	struct bc_scope *scope = walk->scope;
	const uint8_t *at = scope->bytes + scope->unit->header_bytes;
	uint64_t language = 0;

	if (scope->unit->header_bytes == scope->size)
		return true;
	switch (bc_die_decode(&walk->die, scope, &at, walk->err)) {
	case BC_DIE_BAD:
		return false;
	case BC_DIE_END:
		return true;
	case BC_DIE_FOUND:
		break;
	}
	bc_die_number(&walk->die, BC_SLOT_LANGUAGE, &language);
	scope->language = (uint16_t)language;
	/* Without it, the unit's part begins behind the section's header. */
	scope->str_offsets_base = scope->unit->offset_bytes == 8 ? 16 : 8;
	bc_die_number(&walk->die, BC_SLOT_STR_OFFSETS_BASE, &scope->str_offsets_base);
	scope->addr_base = scope->rnglists_base = scope->loclists_base = 0;
	bc_die_number(&walk->die, BC_SLOT_ADDR_BASE, &scope->addr_base);
	bc_die_number(&walk->die, BC_SLOT_RNGLISTS_BASE, &scope->rnglists_base);
	bc_die_number(&walk->die, BC_SLOT_LOCLISTS_BASE, &scope->loclists_base);
	scope->low_pc = 0;
	bc_unit_low_pc(&walk->die, scope);
	if (scope->unit->type == DW_UT_skeleton || bc_die_has(&walk->die, BC_SLOT_DWO_NAME))
		return refuse(walk, "split DWARF: the types are in a .dwo file, which is not read");
	return true;
}

/* The unit with index UNIT_INDEX, loaded; the one used longest ago gives way. */
static struct bc_scope *load_foreign(struct walk *walk, uint32_t unit_index)
{
	struct bc_collector *collector = walk->collector;
	struct bc_scope *scope;

	for (uint32_t i = 0; i < BC_FOREIGN_SCOPES; i++)
		if (collector->foreign[i].unit && collector->foreign[i].unit_index == unit_index)
			return &collector->foreign[i];
	scope = &collector->foreign[collector->next_foreign++ % BC_FOREIGN_SCOPES];
	if (!bc_scope_load(scope, &collector->units->units[unit_index], unit_index, walk->err))
		return NULL;
	walk->scope = scope;
	if (read_root(walk))
		return scope;
	/* Whoever refers to it next has to hear the same. */
	scope->unit = NULL;
	return NULL;
}

static bool import_one(struct walk *walk, struct bc_import *import)
{
	struct bc_local *local = walk->collector->local;
	uint32_t first = local->type_count;

	walk->scope = load_foreign(walk, (uint32_t)(import->place >> 32));
	if (!walk->scope || !walk_from(walk, (uint32_t)import->place))
		return false;
	if (local->type_count == first || bc_local_type(local, first + 1)->place != import->place)
		return bc_err_set(walk->err, "no type is there (DIE at 0x%x)",
				  (uint32_t)import->place);
	import->number = first + 1;
	return true;
}

/* Says that what is wrong is in another unit. */
static bool refuse_foreign(struct walk *walk, uint32_t unit_index)
{
	char text[sizeof(walk->err->text)];

	memcpy(text, walk->err->text, sizeof(text));
	return bc_err_set(walk->err, "%.400s in the unit at 0x%" PRIx64 ", to which it refers",
			  text, walk->collector->units->units[unit_index].offset);
}

/* What imports refer to is imported in turn, all of one unit together. */
static bool import_all(struct walk *walk)
{
	struct bc_collector *collector = walk->collector;
	uint32_t done = 0;

	walk->is_foreign = true;
	while (done < collector->import_count) {
		uint32_t end = collector->import_count;

		if (!make_keyed_room(&collector->import_order, &collector->order_spare,
				     &collector->order_limit, end - done, walk->err))
			return false;
		for (uint32_t i = done; i < end; i++)
			collector->import_order[i - done] =
				(struct bc_keyed){ collector->imports[i].place, i };
		bc_sort_keyed(collector->import_order, collector->order_spare, end - done);
		for (uint32_t i = 0; i < end - done; i++) {
			uint32_t number = collector->import_order[i].value;
			struct bc_import import = collector->imports[number];

			if (!import_one(walk, &import))
				return refuse_foreign(walk, (uint32_t)(import.place >> 32));
			collector->imports[number].number = import.number;
		}
		done = end;
	}
	return true;
}

static void forget_imports(struct bc_collector *collector)
{
	if (collector->import_count)
		memset(collector->import_slots, 0,
		       collector->import_slot_count * sizeof(*collector->import_slots));
	collector->import_count = 0;
}

/* ---- references become numbers ---- */

/* Says that something is wrong with a type (0: with what is known by its offset only). */
static bool refuse_type(struct walk *walk, uint32_t number, const char *what)
{
	const struct bc_local_type *type = bc_local_type(walk->collector->local, number);

	bc_err_set(walk->err, "%s (DIE at 0x%x)", what, (uint32_t)type->place);
	return type->elsewhere && refuse_foreign(walk, (uint32_t)(type->place >> 32));
}

static bool translate_one(struct walk *walk, uint32_t number, uint32_t *reference)
{
	struct bc_collector *collector = walk->collector;
	uint32_t found;
	char text[64];

	if (!*reference || *reference == BC_INDEX_TYPE)
		return true;
	if ((*reference & REF_NUMBER) == REF_NUMBER) {
		*reference &= REF_VALUE;
		return true;
	}
	if (*reference & REF_IMPORT) {
		*reference = collector->imports[*reference & REF_VALUE].number;
		return true;
	}
	found = collector->number_at[*reference];
	if (found && found <= collector->local->type_count &&
	    bc_local_type(collector->local, found)->place ==
		    bc_place(collector->home.unit_index, *reference)) {
		*reference = found;
		return true;
	}
	if (!number)
		return bc_err_set(walk->err, "a variable of a type at 0x%x, where none is",
				  *reference);
	snprintf(text, sizeof(text), "a reference to 0x%x, where no type is", *reference);
	return refuse_type(walk, number, text);
}

static bool translate(struct walk *walk)
{
	struct bc_local *local = walk->collector->local;

	for (uint32_t number = 1; number <= local->type_count; number++) {
		const struct bc_local_type *type = bc_local_type(local, number);
		uint32_t *words = local->words + type->first_word;
		struct bc_edges edges;

		if (type->role == BC_LOCAL_ALIAS && !translate_one(walk, number, words))
			return false;
		if (type->role == BC_LOCAL_ALIAS || type->role == BC_LOCAL_DECLARATION ||
		    type->unread)
			continue;
		edges = bc_edges(words);
		for (uint32_t i = 0; i < edges.count; i++)
			if (!translate_one(walk, number, &words[bc_edge_word(edges, i)]))
				return false;
	}
	return true;
}

/* More links than any type has: many members may look along one chain. */
#define LINKS_MAX 1000u

/* The words of the type behind aliases, typedefs and modifiers; NULL: none. */
static const uint32_t *look_through(const struct bc_local *local, uint32_t number)
{
	for (uint32_t steps = 0; number && number != BC_INDEX_TYPE && steps < LINKS_MAX; steps++) {
		const struct bc_local_type *type = bc_local_type(local, number);
		const uint32_t *words = local->words + type->first_word;
		uint32_t kind;

		if (type->role == BC_LOCAL_DECLARATION || type->unread)
			return NULL;
		kind = type->role == BC_LOCAL_ALIAS ? BC_VOID : bc_info_kind(words[1]);
		if (kind != BC_VOID && kind != BC_TYPEDEF && !bc_kind_is_modifier(kind))
			return words;
		number = kind == BC_VOID ? words[0] : words[2];
	}
	return NULL;
}

/*
 * Sums up how a function's parameters stand. A struct may take several
 * registers, and those behind it move: then nothing is said about registers.
 */
static void judge_parameters(const struct bc_collector *collector, struct bc_function *function)
{
	const struct bc_local *local = collector->local;
	const uint32_t *words = local->words + bc_local_type(local, function->number)->first_word;
	bool has_struct = false;

	for (uint32_t i = 0; i < function->parameter_count; i++) {
		uint8_t standing = collector->parameters[function->first_parameter + i].standing;
		const uint32_t *type = look_through(local, bc_element(words, i)[1]);

		function->is_elsewhere |= standing == BC_STANDS_ELSEWHERE;
		function->is_incomplete |= standing == BC_STANDS_NOWHERE ||
					   standing == BC_STANDS_UNKNOWN;
		has_struct |= type && bc_info_kind(type[1]) == BC_STRUCT;
	}
	function->is_elsewhere &= !has_struct;
}

static bool settle_fixup(struct walk *walk, const struct bc_fixup *fixup)
{
	struct bc_local *local = walk->collector->local;
	uint32_t *words = local->words + bc_local_type(local, fixup->number)->first_word;
	uint32_t reference = fixup->reference;
	const uint32_t *type;
	int64_t bits;

	if (!translate_one(walk, fixup->number, &reference))
		return false;
	type = look_through(local, reference);
	if (fixup->is_enum) {
		if (type && bc_info_kind(type[1]) == BC_INT && type[3] & INT_SIGNED)
			words[1] |= 1u << 31;
		return true;
	}
	if (bc_info_kind(words[1]) != BC_STRUCT && bc_info_kind(words[1]) != BC_UNION)
		return true;
	/* Some structs were left without members. */
	if (fixup->member >= bc_info_vlen(words[1]))
		return true;
	bits = fixup->bit_offset + (type ? (int64_t)type[2] * 8 : 0);
	if (!type || bits < 0 || bits > 0xffffff)
		return refuse_type(walk, fixup->number, "a bitfield that is in no storage");
	words[BC_HEAD_WORDS + 3 * fixup->member + 2] |= (uint32_t)bits;
	return true;
}

static bool make_number_map(struct bc_collector *collector, struct bc_err *err)
{
	uint32_t before = collector->number_limit;

	if (!make_room(&collector->number_at, &collector->number_limit, collector->home.size,
		       sizeof(*collector->number_at), err))
		return false;
	memset(collector->number_at + before, 0,
	       (collector->number_limit - before) * sizeof(*collector->number_at));
	return true;
}

static bool collect(struct walk *walk, uint32_t unit_index)
{
	struct bc_collector *collector = walk->collector;
	struct bc_scope *home = &collector->home;
	uint32_t unused;

	/* From here on there is something to point into, even if nothing is there. */
	if (!bc_local_reserve(collector->local, 1, &unused, walk->err) ||
	    !make_room(&collector->elements, &collector->element_limit, 1, sizeof(uint32_t),
		       walk->err) ||
	    !make_room(&collector->tags, &collector->tag_limit, 1, sizeof(*collector->tags),
		       walk->err))
		return false;
	if (!bc_scope_load(home, &collector->units->units[unit_index], unit_index, walk->err) ||
	    !read_root(walk) || !make_number_map(collector, walk->err))
		return false;
	if (is_excluded(collector, home->language)) {
		skip(walk, BC_SKIP_UNIT_LANGUAGE);
		return true;
	}
	if (home->unit->header_bytes == home->size)
		return true;
	if (!walk_from(walk, home->unit->header_bytes) || !check_rest(walk) ||
	    !finish_functions(walk) || !import_all(walk) || !translate(walk))
		return false;
	for (uint32_t i = 0; i < collector->fixup_count; i++)
		if (!settle_fixup(walk, &collector->fixups[i]))
			return false;
	for (uint32_t i = 0; i < collector->variable_count; i++)
		if (!translate_one(walk, 0, &collector->variables[i].reference))
			return false;
	for (uint32_t i = 0; i < collector->function_count; i++)
		if (collector->functions[i].number)
			judge_parameters(collector, &collector->functions[i]);
	return true;
}

bool bc_collect_unit(struct bc_collector *collector, uint32_t unit_index, bool with_foreign_bodies,
		     struct bc_err *err)
{
	struct walk walk = { .collector = collector, .scope = &collector->home, .err = err };

	bc_local_clear(collector->local, unit_index);
	forget_imports(collector);
	collector->fixup_count = 0;
	collector->function_count = collector->parameter_count = 0;
	collector->kept_tag_count = 0;
	collector->variable_count = 0;
	/* Of an alternate file nobody else may collect the bodies. */
	collector->with_foreign_bodies = with_foreign_bodies ||
					 collector->units->units[unit_index].file->alternate ||
					 collector->units->units[unit_index].by_reference_only;
	return collect(&walk, unit_index);
}

/* The first bit from FROM on that is set; END if there is none below. */
static uint32_t next_bit(const uint64_t *bits, uint32_t from, uint32_t end)
{
	while (from < end) {
		uint64_t rest = bits[from / 64] >> from % 64;

		if (rest) {
			from += (uint32_t)__builtin_ctzll(rest);
			return from < end ? from : end;
		}
		from = (from / 64 + 1) * 64;
	}
	return end;
}

bool bc_collect_check_references(struct bc_collector *collector, uint32_t unit_index,
				 struct bc_err *err)
{
	const uint64_t *bits = collector->units->referred_to[unit_index];
	struct bc_scope *scope = &collector->home;
	const uint8_t *at;
	uint32_t wanted = 0;
	struct bc_die die;

	if (!bc_scope_load(scope, &collector->units->units[unit_index], unit_index, err))
		return false;
	for (at = scope->bytes + scope->unit->header_bytes; at < scope->bytes + scope->size;) {
		uint32_t offset = (uint32_t)(at - scope->bytes);
		enum bc_die_result result = bc_die_decode(&die, scope, &at, err);

		if (result == BC_DIE_BAD)
			return false;
		/* Bits that were passed over are no DIE's. */
		wanted = next_bit(bits, wanted, offset);
		if (wanted < offset)
			break;
		wanted += result == BC_DIE_FOUND && wanted == offset;
	}
	wanted = next_bit(bits, wanted, scope->size);
	return wanted == scope->size ||
	       bc_err_set(err, "another unit refers to 0x%x, where no DIE begins", wanted);
}

bool bc_collect_unit_name(struct bc_collector *collector, uint32_t unit_index, uint32_t *name,
			  struct bc_err *err)
{
	struct walk walk = { .collector = collector, .scope = &collector->home, .err = err };

	*name = 0;
	return bc_scope_load(&collector->home, &collector->units->units[unit_index], unit_index,
			     err) &&
	       read_root(&walk) && take_name(&walk, name);
}

void bc_collector_free(struct bc_collector *collector)
{
	bc_scope_free(&collector->home);
	for (uint32_t i = 0; i < BC_FOREIGN_SCOPES; i++)
		bc_scope_free(&collector->foreign[i]);
	free(collector->number_at);
	free(collector->imports);
	free(collector->import_slots);
	free(collector->import_order);
	free(collector->order_spare);
	free(collector->member_order);
	free(collector->spare_order);
	free(collector->unit_tags.items);
	free(collector->unit_tags.spare);
	free(collector->frames);
	free(collector->elements);
	free(collector->fixups);
	free(collector->memo);
	free(collector->functions);
	free(collector->parameters);
	free(collector->tags);
	free(collector->kept_tags);
	free(collector->variables);
	*collector = (struct bc_collector){ 0 };
}

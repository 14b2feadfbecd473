/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "tests/lib/dwarf_build.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* By enum dwarf_section. */
static const char *const section_names[DWARF_SECTIONS] = {
	".debug_info", ".debug_types",    ".debug_abbrev",
	".debug_str",  ".debug_line_str", ".debug_str_offsets",
};

struct dwarf_abbrev {
	uint16_t tag;
	bool has_children;
	uint32_t attribute_count;
	const struct dwarf_attribute *attributes; /* of the first DIE of that shape */
	uint64_t code;
};

static void *allocate(struct bc_arena *arena, size_t count, size_t size_bytes)
{
	struct bc_err err;
	void *memory = bc_arena_zalloc(arena, count, size_bytes, &err);

	if (!memory) {
		fprintf(stderr, "test: %s\n", err.text);
		abort();
	}
	return memory;
}

/* Room for one more item; arenas do not grow in place. */
static void *make_room(struct bc_arena *arena, void *items, uint32_t count, uint32_t *capacity,
		       size_t size_bytes)
{
	void *grown;

	if (count < *capacity)
		return items;
	*capacity = count ? 2 * count : 4;
	grown = allocate(arena, *capacity, size_bytes);
	if (count)
		memcpy(grown, items, count * size_bytes);
	return grown;
}

/* ---- bytes ---- */

void dwarf_put(struct bc_arena *arena, struct dwarf_bytes *to, const void *data, size_t size_bytes)
{
	if (to->size_bytes + size_bytes > to->capacity) {
		size_t capacity = 2 * (to->size_bytes + size_bytes) + 64;
		uint8_t *grown = allocate(arena, capacity, 1);

		if (to->size_bytes)
			memcpy(grown, to->data, to->size_bytes);
		to->data = grown;
		to->capacity = capacity;
	}
	if (size_bytes)
		memcpy(to->data + to->size_bytes, data, size_bytes);
	to->size_bytes += size_bytes;
}

void dwarf_store(uint8_t *at, uint64_t value, unsigned int size_bytes, bool big_endian)
{
	for (unsigned int i = 0; i < size_bytes; i++) {
		unsigned int from = big_endian ? size_bytes - 1 - i : i;

		at[i] = from < 8 ? (uint8_t)(value >> 8 * from) : 0;
	}
}

void dwarf_put_number(struct bc_arena *arena, struct dwarf_bytes *to, uint64_t value,
		      unsigned int size_bytes, bool big_endian)
{
	uint8_t bytes[16];

	dwarf_store(bytes, value, size_bytes, big_endian);
	dwarf_put(arena, to, bytes, size_bytes);
}

static uint32_t uleb_bytes(uint64_t value)
{
	uint32_t bytes = 1;

	while (value >>= 7)
		bytes++;
	return bytes;
}

static uint32_t sleb_bytes(int64_t value)
{
	uint64_t rest = value < 0 ? ~(uint64_t)value : (uint64_t)value;
	uint32_t bytes = 1;

	for (; rest > 63; rest >>= 7)
		bytes++;
	return bytes;
}

/* At least BYTES long: padded where the number needs fewer. */
static void put_uleb(struct bc_arena *arena, struct dwarf_bytes *to, uint64_t value, uint32_t bytes)
{
	for (uint32_t i = 0; i + 1 < bytes || value > 0x7f; i++, value >>= 7)
		dwarf_put(arena, to, (uint8_t[]){ (uint8_t)(value & 0x7f) | 0x80 }, 1);
	dwarf_put(arena, to, (uint8_t[]){ (uint8_t)value }, 1);
}

void dwarf_put_uleb(struct bc_arena *arena, struct dwarf_bytes *to, uint64_t value)
{
	put_uleb(arena, to, value, 1);
}

static void put_sleb(struct bc_arena *arena, struct dwarf_bytes *to, int64_t value)
{
	for (; value < -64 || value > 63; value >>= 7)
		dwarf_put(arena, to, (uint8_t[]){ (uint8_t)(value & 0x7f) | 0x80 }, 1);
	dwarf_put(arena, to, (uint8_t[]){ (uint8_t)(value & 0x7f) }, 1);
}

/* ---- the tree ---- */

static struct dwarf_abbrevs *new_abbrevs(struct dwarf_build *build)
{
	struct dwarf_abbrevs *abbrevs = allocate(build->arena, 1, sizeof(*abbrevs));

	abbrevs->code_step = 1;
	if (build->abbrevs) {
		abbrevs->next = build->abbrevs->next;
		build->abbrevs->next = abbrevs;
	} else {
		build->abbrevs = abbrevs;
	}
	return abbrevs;
}

struct dwarf_build *dwarf_build_new(struct bc_arena *arena)
{
	struct dwarf_build *build = allocate(arena, 1, sizeof(*build));

	build->arena = arena;
	build->is_elf64 = true;
	build->units_end = &build->units;
	new_abbrevs(build);
	/* Offset 0 is the empty string, as linkers have it. */
	dwarf_put(arena, &build->sections[DWARF_STR], "", 1);
	return build;
}

struct dwarf_unit *dwarf_unit_new(struct dwarf_build *build, uint8_t version)
{
	struct dwarf_unit *unit = allocate(build->arena, 1, sizeof(*unit));

	unit->build = build;
	unit->version = version;
	unit->offset_bytes = 4;
	unit->address_bytes = build->is_elf64 ? 8 : 4;
	unit->type = DW_UT_compile;
	unit->root = allocate(build->arena, 1, sizeof(*unit->root));
	unit->root->unit = unit;
	unit->root->tag = DW_TAG_compile_unit;
	unit->root->lists_children = true;
	unit->abbrevs = build->abbrevs;
	*build->units_end = unit;
	build->units_end = &unit->next;
	return unit;
}

void dwarf_unit_is_type(struct dwarf_unit *unit, uint64_t signature,
			const struct dwarf_die *type_die)
{
	unit->type = DW_UT_type;
	unit->section = unit->version < 5 ? DWARF_TYPES : DWARF_INFO;
	unit->root->tag = DW_TAG_type_unit;
	unit->signature = signature;
	unit->type_die = type_die;
}

struct dwarf_abbrevs *dwarf_unit_own_abbrevs(struct dwarf_unit *unit)
{
	unit->abbrevs = new_abbrevs(unit->build);
	return unit->abbrevs;
}

struct dwarf_die *dwarf_die_new(struct dwarf_die *parent, uint16_t tag)
{
	struct dwarf_die *die = allocate(parent->unit->build->arena, 1, sizeof(*die));

	die->unit = parent->unit;
	die->parent = parent;
	die->tag = tag;
	if (parent->last_child)
		parent->last_child->next = die;
	else
		parent->first_child = die;
	parent->last_child = die;
	return die;
}

static struct dwarf_attribute *add_attribute(struct dwarf_die *die, uint16_t name, uint16_t form)
{
	die->attributes = make_room(die->unit->build->arena, die->attributes, die->attribute_count,
				    &die->attribute_capacity, sizeof(*die->attributes));
	die->attributes[die->attribute_count] = (struct dwarf_attribute){ .name = name,
									  .form = form };
	return &die->attributes[die->attribute_count++];
}

struct dwarf_attribute *dwarf_number(struct dwarf_die *die, uint16_t name, uint16_t form,
				     uint64_t value)
{
	struct dwarf_attribute *attribute = add_attribute(die, name, form);

	attribute->value = value;
	return attribute;
}

static uint32_t hash_text(const char *text)
{
	uint32_t hash = 2166136261u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

static uint32_t *find_string_slot(const struct dwarf_build *build, const char *text)
{
	const char *strings = (const char *)build->sections[DWARF_STR].data;
	uint32_t mask = build->string_slot_count - 1, at = hash_text(text) & mask;

	while (build->string_slots[at] && strcmp(strings + build->string_slots[at] - 1, text))
		at = (at + 1) & mask;
	return &build->string_slots[at];
}

static void grow_string_slots(struct dwarf_build *build)
{
	uint32_t *old = build->string_slots, count = build->string_slot_count;

	build->string_slot_count = count ? 2 * count : 64;
	build->string_slots = allocate(build->arena, build->string_slot_count, sizeof(uint32_t));
	for (uint32_t i = 0; i < count; i++)
		if (old[i])
			*find_string_slot(build, (const char *)build->sections[DWARF_STR].data +
							 old[i] - 1) = old[i];
}

static uint64_t add_string(struct dwarf_build *build, const char *text)
{
	struct dwarf_bytes *strings = &build->sections[DWARF_STR];
	uint32_t *slot;

	if (!*text && !build->repeats_strings)
		return 0;
	if (2 * build->string_count >= build->string_slot_count)
		grow_string_slots(build);
	slot = find_string_slot(build, text);
	if (!*slot || build->repeats_strings) {
		build->string_count += !*slot;
		*slot = (uint32_t)strings->size_bytes + 1;
		dwarf_put(build->arena, strings, text, strlen(text) + 1);
	}
	return *slot - 1;
}

static bool is_strx(uint16_t form)
{
	return form == DW_FORM_strx || (form >= DW_FORM_strx1 && form <= DW_FORM_strx4) ||
	       form == DW_FORM_GNU_str_index;
}

struct dwarf_attribute *dwarf_text(struct dwarf_die *die, uint16_t name, uint16_t form,
				   const char *text)
{
	struct dwarf_attribute *attribute = add_attribute(die, name, form);
	struct dwarf_unit *unit = die->unit;
	struct dwarf_build *build = unit->build;

	attribute->text = text;
	if (form == DW_FORM_strp) {
		attribute->value = add_string(build, text);
	} else if (form == DW_FORM_line_strp) {
		attribute->value = build->sections[DWARF_LINE_STR].size_bytes;
		dwarf_put(build->arena, &build->sections[DWARF_LINE_STR], text, strlen(text) + 1);
	} else if (is_strx(form)) {
		unit->strx = make_room(build->arena, unit->strx, unit->strx_count,
				       &unit->strx_capacity, sizeof(*unit->strx));
		attribute->value = unit->strx_count;
		unit->strx[unit->strx_count++] = add_string(build, text);
	}
	return attribute;
}

struct dwarf_attribute *dwarf_refer(struct dwarf_die *die, uint16_t name, uint16_t form,
				    const struct dwarf_die *target)
{
	struct dwarf_attribute *attribute = add_attribute(die, name, form);

	attribute->target = target;
	return attribute;
}

struct dwarf_attribute *dwarf_block(struct dwarf_die *die, uint16_t name, uint16_t form,
				    const void *block, uint32_t block_bytes)
{
	struct dwarf_attribute *attribute = add_attribute(die, name, form);
	uint8_t *copy = allocate(die->unit->build->arena, block_bytes + 1, 1);

	if (block_bytes)
		memcpy(copy, block, block_bytes);
	attribute->block = copy;
	attribute->block_bytes = block_bytes;
	attribute->value = block_bytes;
	return attribute;
}

struct dwarf_attribute *dwarf_sibling(struct dwarf_die *die, uint16_t form)
{
	struct dwarf_attribute *attribute = add_attribute(die, DW_AT_sibling, form);

	attribute->is_sibling = true;
	return attribute;
}

void dwarf_name(struct dwarf_die *die, const char *name)
{
	if (name && *name)
		dwarf_text(die, DW_AT_name, DW_FORM_strp, name);
}

void dwarf_type(struct dwarf_die *die, const struct dwarf_die *type)
{
	if (type)
		dwarf_refer(die, DW_AT_type, DW_FORM_ref4, type);
}

struct dwarf_die *dwarf_base_type(struct dwarf_die *parent, const char *name, uint8_t size_bytes,
				  uint8_t encoding)
{
	struct dwarf_die *die = dwarf_die_new(parent, DW_TAG_base_type);

	dwarf_name(die, name);
	dwarf_number(die, DW_AT_byte_size, DW_FORM_data1, size_bytes);
	dwarf_number(die, DW_AT_encoding, DW_FORM_data1, encoding);
	return die;
}

struct dwarf_die *dwarf_struct(struct dwarf_die *parent, const char *name, uint32_t size_bytes)
{
	struct dwarf_die *die = dwarf_die_new(parent, DW_TAG_structure_type);

	dwarf_name(die, name);
	dwarf_number(die, DW_AT_byte_size, DW_FORM_data4, size_bytes);
	return die;
}

struct dwarf_die *dwarf_declaration(struct dwarf_die *parent, uint16_t tag, const char *name)
{
	struct dwarf_die *die = dwarf_die_new(parent, tag);

	dwarf_name(die, name);
	dwarf_number(die, DW_AT_declaration, DW_FORM_flag, 1);
	return die;
}

struct dwarf_die *dwarf_member(struct dwarf_die *parent, const char *name,
			       const struct dwarf_die *type, uint32_t offset_bytes)
{
	struct dwarf_die *die = dwarf_die_new(parent, DW_TAG_member);

	dwarf_name(die, name);
	dwarf_type(die, type);
	dwarf_number(die, DW_AT_data_member_location, DW_FORM_data4, offset_bytes);
	return die;
}

struct dwarf_die *dwarf_link(struct dwarf_die *parent, uint16_t tag, const char *name,
			     const struct dwarf_die *type)
{
	struct dwarf_die *die = dwarf_die_new(parent, tag);

	dwarf_name(die, name);
	dwarf_type(die, type);
	return die;
}

/* A walk over a unit: each DIE is met once, and those that have children again behind them. */
struct visit {
	struct dwarf_die *die; /* NULL: that was all */
	bool is_leaving;
};

static bool has_children(const struct dwarf_die *die)
{
	return die->first_child || die->lists_children || die->never_ends;
}

static void step(struct visit *visit)
{
	struct dwarf_die *die = visit->die;

	if (!visit->is_leaving && has_children(die)) {
		visit->is_leaving = !die->first_child;
		visit->die = die->first_child ? die->first_child : die;
		return;
	}
	visit->is_leaving = !die->next;
	visit->die = die->next ? die->next : die->parent;
}

static struct visit begin_visit(const struct dwarf_unit *unit)
{
	return (struct visit){ unit->root, false };
}

/* ---- abbreviations ---- */

static bool has_shape(const struct dwarf_abbrev *abbrev, const struct dwarf_die *die)
{
	if (abbrev->tag != die->tag || abbrev->has_children != has_children(die) ||
	    abbrev->attribute_count != die->attribute_count)
		return false;
	for (uint32_t i = 0; i < die->attribute_count; i++) {
		const struct dwarf_attribute *a = &abbrev->attributes[i], *b = &die->attributes[i];

		if (a->name != b->name || a->is_indirect != b->is_indirect ||
		    (!a->is_indirect && a->form != b->form) ||
		    (a->form == DW_FORM_implicit_const && a->value != b->value))
			return false;
	}
	return true;
}

static void choose_code(struct dwarf_build *build, struct dwarf_die *die)
{
	struct dwarf_abbrevs *abbrevs = die->unit->abbrevs;
	uint32_t i = 0;

	while (i < abbrevs->count && !has_shape(&abbrevs->items[i], die))
		i++;
	if (i == abbrevs->count) {
		abbrevs->items = make_room(build->arena, abbrevs->items, abbrevs->count,
					   &abbrevs->capacity, sizeof(*abbrevs->items));
		abbrevs->items[abbrevs->count++] = (struct dwarf_abbrev){
			die->tag, has_children(die), die->attribute_count, die->attributes,
			1 + (uint64_t)i * abbrevs->code_step
		};
	}
	die->code = abbrevs->items[i].code;
}

static void put_abbrev(struct dwarf_build *build, const struct dwarf_abbrev *abbrev)
{
	struct dwarf_bytes *to = &build->sections[DWARF_ABBREV];

	dwarf_put_uleb(build->arena, to, abbrev->code);
	dwarf_put_uleb(build->arena, to, abbrev->tag);
	dwarf_put_number(build->arena, to, abbrev->has_children, 1, false);
	for (uint32_t i = 0; i < abbrev->attribute_count; i++) {
		const struct dwarf_attribute *attribute = &abbrev->attributes[i];

		dwarf_put_uleb(build->arena, to, attribute->name);
		dwarf_put_uleb(build->arena, to,
			       attribute->is_indirect ? DW_FORM_indirect : attribute->form);
		if (attribute->form == DW_FORM_implicit_const && !attribute->is_indirect)
			put_sleb(build->arena, to, (int64_t)attribute->value);
	}
	dwarf_put(build->arena, to, "\0\0", 2);
}

static void put_abbrevs(struct dwarf_build *build)
{
	for (struct dwarf_unit *unit = build->units; unit; unit = unit->next)
		for (struct visit at = begin_visit(unit); at.die; step(&at))
			if (!at.is_leaving)
				choose_code(build, at.die);
	for (struct dwarf_abbrevs *abbrevs = build->abbrevs; abbrevs; abbrevs = abbrevs->next) {
		abbrevs->offset = build->sections[DWARF_ABBREV].size_bytes;
		for (uint32_t i = 0; i < abbrevs->count; i++)
			put_abbrev(
				build,
				&abbrevs->items[abbrevs->backwards ? abbrevs->count - 1 - i : i]);
		dwarf_put(build->arena, &build->sections[DWARF_ABBREV], "", 1);
	}
}

/* ---- layout ---- */

static uint64_t value_of(const struct dwarf_die *die, const struct dwarf_attribute *attribute)
{
	const struct dwarf_die *target = attribute->target;

	if (attribute->is_sibling)
		return die->end;
	if (!target)
		return attribute->value;
	switch (attribute->form) {
	case DW_FORM_ref_addr:
		return target->unit->offset + target->offset;
	case DW_FORM_ref_sig8:
		return target->unit->signature;
	default:
		return target->offset;
	}
}

/* Bytes of the forms that have a fixed number of them; UINT32_MAX: it has none. */
static uint32_t fixed_bytes(const struct dwarf_unit *unit, uint16_t form)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_ref1:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return unit->address_bytes;
	case DW_FORM_ref_addr:
		return unit->version == 2 ? unit->address_bytes : unit->offset_bytes;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return unit->offset_bytes;
	default:
		return UINT32_MAX;
	}
}

static uint32_t measure_attribute(const struct dwarf_die *die,
				  const struct dwarf_attribute *attribute)
{
	uint32_t form_bytes = attribute->is_indirect ? uleb_bytes(attribute->form) : 0;
	uint32_t fixed = fixed_bytes(die->unit, attribute->form);
	uint64_t value = value_of(die, attribute);

	if (fixed != UINT32_MAX)
		return form_bytes + fixed;
	switch (attribute->form) {
	case DW_FORM_string:
		return form_bytes + (uint32_t)strlen(attribute->text) + 1;
	case DW_FORM_sdata:
		return form_bytes + sleb_bytes((int64_t)value);
	case DW_FORM_block1:
		return form_bytes + 1 + attribute->block_bytes;
	case DW_FORM_block2:
		return form_bytes + 2 + attribute->block_bytes;
	case DW_FORM_block4:
		return form_bytes + 4 + attribute->block_bytes;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return form_bytes + uleb_bytes(value) + attribute->block_bytes;
	default:
		return form_bytes + uleb_bytes(value);
	}
}

static uint32_t header_bytes(const struct dwarf_unit *unit)
{
	uint32_t bytes = (unit->offset_bytes == 8 ? 12 : 4) + 2 + unit->offset_bytes + 1;

	if (unit->version >= 5)
		bytes++;
	if (unit->type == DW_UT_type)
		bytes += 8 + unit->offset_bytes;
	if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile)
		bytes += 8;
	return bytes;
}

/* Places a DIE and its attributes; true if one became longer. */
static bool place_die(struct dwarf_die *die, uint32_t *at)
{
	bool grew = false;

	die->offset = *at;
	*at += uleb_bytes(die->code);
	for (uint32_t i = 0; i < die->attribute_count; i++) {
		struct dwarf_attribute *attribute = &die->attributes[i];
		uint32_t bytes = measure_attribute(die, attribute);

		if (bytes > attribute->size_bytes) {
			attribute->size_bytes = bytes;
			grew = true;
		}
		attribute->offset = *at;
		*at += attribute->size_bytes;
	}
	die->end = *at;
	return grew;
}

/* A reference may be a number whose length depends on where all is: until nothing grows. */
static void place_dies(struct dwarf_unit *unit)
{
	bool grew;

	do {
		uint32_t at = header_bytes(unit);

		grew = false;
		for (struct visit visit = begin_visit(unit); visit.die; step(&visit)) {
			if (!visit.is_leaving) {
				grew |= place_die(visit.die, &at);
				continue;
			}
			at += !visit.die->never_ends;
			visit.die->end = at;
		}
		unit->size_bytes = at;
	} while (grew);
}

static void place_units(struct dwarf_build *build)
{
	uint64_t at[DWARF_SECTIONS] = { 0 };

	for (struct dwarf_unit *unit = build->units; unit; unit = unit->next) {
		place_dies(unit);
		unit->offset = at[unit->section];
		at[unit->section] += unit->size_bytes;
	}
}

/* ---- writing ---- */

static void put_number(struct dwarf_unit *unit, enum dwarf_section section, uint64_t value,
		       unsigned int size_bytes)
{
	dwarf_put_number(unit->build->arena, &unit->build->sections[section], value, size_bytes,
			 unit->build->big_endian);
}

/* An offset in section TO, relocated where that is the way. */
static void put_offset(struct dwarf_unit *unit, enum dwarf_section in, enum dwarf_section to,
		       uint64_t value)
{
	struct dwarf_build *build = unit->build;

	if (build->is_relocatable) {
		build->relocations = make_room(build->arena, build->relocations,
					       build->relocation_count, &build->relocation_capacity,
					       sizeof(*build->relocations));
		build->relocations[build->relocation_count++] = (struct dwarf_relocation){
			build->sections[in].size_bytes, value, in, to, unit->offset_bytes
		};
		value = 0;
	}
	put_number(unit, in, value, unit->offset_bytes);
}

/* Before DWARF 5 nothing says which part of .debug_str_offsets is a unit's: it is the first. */
static void put_str_offsets(struct dwarf_unit *unit)
{
	uint64_t bytes = (uint64_t)unit->strx_count * unit->offset_bytes;

	if (!unit->strx_count)
		return;
	if (unit->version >= 5) {
		if (unit->offset_bytes == 8)
			put_number(unit, DWARF_STR_OFFSETS, 0xffffffff, 4);
		put_number(unit, DWARF_STR_OFFSETS, bytes + 4, unit->offset_bytes);
		put_number(unit, DWARF_STR_OFFSETS, unit->version, 2);
		put_number(unit, DWARF_STR_OFFSETS, 0, 2);
	}
	unit->str_offsets_base = unit->build->sections[DWARF_STR_OFFSETS].size_bytes;
	for (uint32_t i = 0; i < unit->strx_count; i++)
		put_offset(unit, DWARF_STR_OFFSETS, DWARF_STR, unit->strx[i]);
}

static void put_header(struct dwarf_unit *unit)
{
	uint64_t length = unit->size_bytes - (unit->offset_bytes == 8 ? 12 : 4);
	uint64_t abbrevs = unit->abbrevs->offset + unit->abbrev_error;

	if (unit->offset_bytes == 8)
		put_number(unit, unit->section, 0xffffffff, 4);
	put_number(unit, unit->section, length + (uint64_t)unit->length_error, unit->offset_bytes);
	put_number(unit, unit->section, unit->version, 2);
	if (unit->version >= 5) {
		put_number(unit, unit->section, unit->type, 1);
		put_number(unit, unit->section, unit->address_bytes, 1);
		put_offset(unit, unit->section, DWARF_ABBREV, abbrevs);
	} else {
		put_offset(unit, unit->section, DWARF_ABBREV, abbrevs);
		put_number(unit, unit->section, unit->address_bytes, 1);
	}
	if (unit->type == DW_UT_type || unit->type == DW_UT_skeleton ||
	    unit->type == DW_UT_split_compile)
		put_number(unit, unit->section, unit->signature, 8);
	if (unit->type == DW_UT_type)
		put_number(unit, unit->section, unit->type_die ? unit->type_die->offset : 0,
			   unit->offset_bytes);
}

static void put_attribute(struct dwarf_die *die, const struct dwarf_attribute *attribute)
{
	struct dwarf_unit *unit = die->unit;
	struct bc_arena *arena = unit->build->arena;
	struct dwarf_bytes *to = &unit->build->sections[unit->section];
	uint32_t fixed = fixed_bytes(unit, attribute->form);
	uint64_t value = value_of(die, attribute);
	uint32_t form_bytes = attribute->is_indirect ? uleb_bytes(attribute->form) : 0;

	if (attribute->is_indirect)
		dwarf_put_uleb(arena, to, attribute->form);
	if (attribute->name == DW_AT_str_offsets_base && !value)
		value = unit->str_offsets_base;
	switch (attribute->form) {
	case DW_FORM_string:
		dwarf_put(arena, to, attribute->text, strlen(attribute->text) + 1);
		return;
	case DW_FORM_sdata:
		put_sleb(arena, to, (int64_t)value);
		return;
	case DW_FORM_strp:
		put_offset(unit, unit->section, DWARF_STR, value);
		return;
	case DW_FORM_line_strp:
		put_offset(unit, unit->section, DWARF_LINE_STR, value);
		return;
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		put_number(unit, unit->section, value,
			   attribute->size_bytes - form_bytes - attribute->block_bytes);
		break;
	default:
		if (fixed != UINT32_MAX)
			put_number(unit, unit->section, value, fixed);
		else
			put_uleb(arena, to, value,
				 attribute->size_bytes - form_bytes - attribute->block_bytes);
		break;
	}
	dwarf_put(arena, to, attribute->block, attribute->block_bytes);
}

static void put_unit(struct dwarf_unit *unit)
{
	struct dwarf_bytes *to = &unit->build->sections[unit->section];

	put_header(unit);
	for (struct visit at = begin_visit(unit); at.die; step(&at)) {
		if (at.is_leaving) {
			dwarf_put(unit->build->arena, to, "", !at.die->never_ends);
			continue;
		}
		dwarf_put_uleb(unit->build->arena, to, at.die->code);
		for (uint32_t i = 0; i < at.die->attribute_count; i++)
			put_attribute(at.die, &at.die->attributes[i]);
	}
}

void dwarf_lay_out(struct dwarf_build *build)
{
	put_abbrevs(build);
	place_units(build);
	for (struct dwarf_unit *unit = build->units; unit; unit = unit->next)
		put_str_offsets(unit);
	for (struct dwarf_unit *unit = build->units; unit; unit = unit->next)
		put_unit(unit);
	build->is_laid_out = true;
}

/* ---- ELF ---- */

#define ELF_SECTIONS_MAX (DWARF_SECTIONS + 10)

struct elf_section {
	const char *name;
	uint32_t type, link, info;
	uint64_t entry_bytes;
	struct dwarf_bytes bytes;
	uint64_t file_offset;
	uint32_t name_offset;
};

struct elf_file {
	struct bc_arena *arena;
	bool big_endian, is_elf64;
	uint16_t type, machine;
	struct elf_section sections[ELF_SECTIONS_MAX];
	uint32_t section_count;
	struct dwarf_bytes out;
};

static uint32_t add_section(struct elf_file *file, const char *name, uint32_t type,
			    struct dwarf_bytes bytes)
{
	file->sections[file->section_count] =
		(struct elf_section){ .name = name, .type = type, .bytes = bytes };
	return file->section_count++;
}

/* A number of four bytes, or of the class's width where WIDE. */
static void put_field(struct elf_file *file, uint64_t value, bool wide)
{
	dwarf_put_number(file->arena, &file->out, value, wide && file->is_elf64 ? 8 : 4,
			 file->big_endian);
}

static void put_half(struct elf_file *file, uint16_t value)
{
	dwarf_put_number(file->arena, &file->out, value, 2, file->big_endian);
}

static void put_elf_header(struct elf_file *file, uint64_t table_offset)
{
	uint8_t ident[EI_NIDENT] = { 0x7f, 'E', 'L', 'F' };

	ident[EI_CLASS] = file->is_elf64 ? ELFCLASS64 : ELFCLASS32;
	ident[EI_DATA] = file->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	ident[EI_VERSION] = EV_CURRENT;
	dwarf_put(file->arena, &file->out, ident, sizeof(ident));
	put_half(file, file->type);
	put_half(file, file->machine);
	put_field(file, EV_CURRENT, false);
	put_field(file, 0, true); /* entry */
	put_field(file, 0, true); /* program headers */
	put_field(file, table_offset, true);
	put_field(file, 0, false);
	put_half(file, file->is_elf64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	put_half(file, 0);
	put_half(file, 0);
	put_half(file, file->is_elf64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	put_half(file, (uint16_t)file->section_count);
	put_half(file, (uint16_t)(file->section_count - 1));
}

static void put_section_header(struct elf_file *file, const struct elf_section *section)
{
	put_field(file, section->name_offset, false);
	put_field(file, section->type, false);
	put_field(file, 0, true); /* flags */
	put_field(file, 0, true); /* address */
	put_field(file, section->file_offset, true);
	put_field(file, section->bytes.size_bytes, true);
	put_field(file, section->link, false);
	put_field(file, section->info, false);
	put_field(file, section->type != SHT_NULL, true); /* alignment */
	put_field(file, section->entry_bytes, true);
}

/* The sections' names come last. */
static struct dwarf_bytes write_elf(struct elf_file *file)
{
	uint64_t at = file->is_elf64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	struct dwarf_bytes names = { 0 };
	uint32_t last = add_section(file, ".shstrtab", SHT_STRTAB, names);

	dwarf_put(file->arena, &names, "", 1);
	for (uint32_t i = 1; i < file->section_count; i++) {
		file->sections[i].name_offset = (uint32_t)names.size_bytes;
		dwarf_put(file->arena, &names, file->sections[i].name,
			  strlen(file->sections[i].name) + 1);
	}
	file->sections[last].bytes = names;
	for (uint32_t i = 1; i < file->section_count; i++) {
		file->sections[i].file_offset = at;
		at += file->sections[i].bytes.size_bytes;
	}
	put_elf_header(file, (at + 7) & ~UINT64_C(7));
	for (uint32_t i = 1; i < file->section_count; i++)
		dwarf_put(file->arena, &file->out, file->sections[i].bytes.data,
			  file->sections[i].bytes.size_bytes);
	dwarf_put_number(file->arena, &file->out, 0, (8 - at % 8) % 8, false);
	for (uint32_t i = 0; i < file->section_count; i++)
		put_section_header(file, &file->sections[i]);
	return file->out;
}

static uint16_t usual_machine(bool big_endian, bool is_elf64)
{
	if (is_elf64)
		return big_endian ? EM_S390 : EM_X86_64;
	return big_endian ? EM_PPC : EM_386;
}

/* Adds the sections that are not empty; NUMBERS gets where they went. */
static struct elf_file begin_elf(struct bc_arena *arena, const struct dwarf_bytes *sections,
				 bool big_endian, bool is_elf64, uint32_t numbers[DWARF_SECTIONS])
{
	struct elf_file file = { .arena = arena,
				 .big_endian = big_endian,
				 .is_elf64 = is_elf64,
				 .type = ET_EXEC,
				 .machine = usual_machine(big_endian, is_elf64),
				 .section_count = 1 };

	for (int i = 0; i < DWARF_SECTIONS; i++) {
		numbers[i] = 0;
		if (sections[i].size_bytes)
			numbers[i] = add_section(&file, section_names[i], SHT_PROGBITS,
						 sections[i]);
	}
	return file;
}

struct dwarf_bytes dwarf_wrap(struct bc_arena *arena, const struct dwarf_bytes *sections,
			      bool big_endian, bool is_elf64)
{
	uint32_t numbers[DWARF_SECTIONS];
	struct elf_file file = begin_elf(arena, sections, big_endian, is_elf64, numbers);

	return write_elf(&file);
}

/* Symbol number N is that of section N. */
static uint32_t add_symbols(struct elf_file *file)
{
	struct dwarf_bytes symbols = { 0 }, names = { 0 };
	uint32_t count = file->section_count, table, strings;

	for (uint32_t i = 0; i < count; i++) {
		static const uint8_t blank[sizeof(Elf64_Sym)];
		size_t at = symbols.size_bytes;

		dwarf_put(file->arena, &symbols, blank, sizeof(blank));
		dwarf_store(symbols.data + at + offsetof(Elf64_Sym, st_info),
			    ELF64_ST_INFO(STB_LOCAL, i ? STT_SECTION : 0), 1, false);
		dwarf_store(symbols.data + at + offsetof(Elf64_Sym, st_shndx), i, 2, false);
	}
	dwarf_put(file->arena, &names, "", 1);
	table = add_section(file, ".symtab", SHT_SYMTAB, symbols);
	strings = add_section(file, ".strtab", SHT_STRTAB, names);
	file->sections[table].link = strings;
	file->sections[table].info = count;
	file->sections[table].entry_bytes = sizeof(Elf64_Sym);
	return table;
}

/* Little-endian x86-64 only. */
static void add_relocations(struct elf_file *file, const struct dwarf_build *build,
			    const uint32_t numbers[DWARF_SECTIONS], uint32_t symbol_table)
{
	for (int section = 0; section < DWARF_SECTIONS; section++) {
		struct dwarf_bytes bytes = { 0 };
		uint32_t number;

		for (uint32_t i = 0; i < build->relocation_count; i++) {
			const struct dwarf_relocation *from = &build->relocations[i];
			uint32_t type = from->size_bytes == 8 ? R_X86_64_64 : R_X86_64_32;

			if (from->in != (enum dwarf_section)section)
				continue;
			dwarf_put_number(file->arena, &bytes, from->offset, 8, false);
			dwarf_put_number(file->arena, &bytes,
					 ELF64_R_INFO((uint64_t)numbers[from->to], type), 8, false);
			dwarf_put_number(file->arena, &bytes, from->addend, 8, false);
		}
		if (!bytes.size_bytes)
			continue;
		number = add_section(file,
				     section == DWARF_INFO        ? ".rela.debug_info" :
				     section == DWARF_STR_OFFSETS ? ".rela.debug_str_offsets" :
								    ".rela.debug_types",
				     SHT_RELA, bytes);
		file->sections[number].link = symbol_table;
		file->sections[number].info = numbers[section];
		file->sections[number].entry_bytes = sizeof(Elf64_Rela);
	}
}

struct dwarf_bytes dwarf_elf(struct dwarf_build *build)
{
	uint32_t numbers[DWARF_SECTIONS];
	struct elf_file file;

	if (!build->is_laid_out)
		dwarf_lay_out(build);
	file = begin_elf(build->arena, build->sections, build->big_endian, build->is_elf64,
			 numbers);
	if (build->is_relocatable) {
		file.type = ET_REL;
		add_relocations(&file, build, numbers, add_symbols(&file));
	}
	return write_elf(&file);
}

int dwarf_memory_file(const void *data, size_t size_bytes, char path[DWARF_PATH_BYTES])
{
	int file = memfd_create("dwarf", MFD_CLOEXEC);

	if (file < 0 || write(file, data, size_bytes) != (ssize_t)size_bytes)
		abort();
	snprintf(path, DWARF_PATH_BYTES, "/proc/self/fd/%d", file);
	return file;
}

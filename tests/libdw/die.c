/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The DIEs once more, found by libdw: it decodes abbreviations, says where each
 * attribute is and what it holds, and where the next DIE begins. Linked in place
 * of src/dwarf/die.c (make check-libdw), with no abbreviation compiled, so that
 * nothing goes the short ways. One thread after the other: a Dwarf is not shared.
 */
#include "dwarf/die.h"

#include <elfutils/libdwfl.h>
#include <pthread.h>
#include <stdlib.h>

/* What the walk looks at in an abbreviation: by whether there are children, and tag. */
static struct bc_abbrev abbrevs[2][UINT16_MAX + 1];

struct reading {
	struct bc_die *die;
	const struct bc_scope *scope;
	const uint8_t *begin, *end; /* of the DIE, in libdw's memory */
	bool is_bad;
};

static uint64_t offset_of(const struct reading *reading, const void *at)
{
	return (uint64_t)((const uint8_t *)at - reading->begin) + reading->die->offset;
}

/* The value of an attribute that OP says how to read, and where it ends. */
static bool take_value(struct reading *reading, Dwarf_Attribute *attribute,
		       const struct bc_abbrev_op *op, uint64_t *value)
{
	const uint8_t *at = attribute->valp, *limit = at + UINT32_MAX;
	Dwarf_Block block;
	Dwarf_Sword number;
	Dwarf_Die target;
	bool flag;

	reading->end = at + op->size;
	if (attribute->form == DW_FORM_implicit_const) {
		reading->end = NULL; /* it is no part of the DIE */
		return !dwarf_formsdata(attribute, &number) && (*value = (uint64_t)number, true);
	}
	if (attribute->form == DW_FORM_flag || attribute->form == DW_FORM_flag_present) {
		reading->end = attribute->form == DW_FORM_flag ? at + 1 : NULL;
		return !dwarf_formflag(attribute, &flag) && (*value = flag, true);
	}
	switch (op->action) {
	case BC_OP_FIXED:
		/* One into nowhere is for the walk to judge. */
		if (op->value_class == BC_VALUE_REF)
			*value = dwarf_formref_die(attribute, &target) ?
					 dwarf_cuoffset(&target) :
					 bc_load(at, op->size, reading->scope->swapped);
		else
			*value = op->size > 8 ? 0 : bc_load(at, op->size, reading->scope->swapped);
		return true;
	case BC_OP_ULEB:
		if (!bc_load_uleb(&at, limit, value))
			return false;
		reading->end = at;
		return true;
	case BC_OP_SLEB:
		if (!bc_load_sleb(&at, limit, value))
			return false;
		reading->end = at;
		return !dwarf_formsdata(attribute, &number) && *value == (uint64_t)number;
	case BC_OP_STRING:
		*value = offset_of(reading, at);
		reading->end = at + strlen((const char *)at) + 1;
		return true;
	case BC_OP_BLOCK:
		if (dwarf_formblock(attribute, &block))
			return false;
		*value = block.length << 32 | offset_of(reading, block.data);
		reading->end = block.data + block.length;
		return true;
	default:
		return false;
	}
}

static int take_attribute(Dwarf_Attribute *attribute, void *context)
{
	struct reading *reading = context;
	struct bc_die *die = reading->die;
	enum bc_slot slot = bc_slot_of(attribute->code);
	struct bc_abbrev_op op = { 0 };
	const uint8_t *before = reading->end;
	uint64_t value;

	if (attribute->form == DW_FORM_implicit_const)
		op.value_class = BC_VALUE_SIGNED;
	else
		reading->is_bad |= !bc_op_for_form(&op, attribute->form, &reading->scope->abbrevs);
	reading->is_bad = reading->is_bad || !take_value(reading, attribute, &op, &value);
	if (reading->is_bad)
		return DWARF_CB_ABORT;
	if (!reading->end)
		reading->end = before;
	if (die->present >> slot & 1)
		slot = BC_SLOT_NONE; /* dwarf_attr finds the first one */
	die->value[slot] = value;
	die->value_class[slot] = op.value_class;
	die->present |= 1u << slot;
	return DWARF_CB_OK;
}

/* Whether libdw goes on where the attributes end: to the first child, or to the next DIE. */
static bool agrees_on_end(const struct reading *reading, Dwarf_Die *found)
{
	Dwarf_Die next;

	if (dwarf_haschildren(found) ? dwarf_child(found, &next) : dwarf_siblingof(found, &next))
		return true; /* there is none */
	return next.addr == reading->end;
}

static bool read_die(struct reading *reading, Dwarf_Die *found)
{
	struct bc_die *die = reading->die;
	bool has_children = dwarf_haschildren(found) > 0;
	uint16_t tag = (uint16_t)dwarf_tag(found);
	struct bc_abbrev *abbrev = &abbrevs[has_children][tag];
	uint64_t code;

	abbrev->tag = tag;
	abbrev->has_children = has_children;
	die->abbrev = abbrev;
	reading->begin = reading->end = found->addr;
	if (!bc_load_uleb(&reading->end, reading->end + 10, &code))
		return false;
	return dwarf_getattrs(found, take_attribute, reading, 0) == 1 && !reading->is_bad &&
	       agrees_on_end(reading, found);
}

static bool find(const struct bc_scope *scope, uint32_t offset, Dwarf_Die *found)
{
	const struct bc_unit *unit = scope->unit;
	Dwarf_Addr bias;
	Dwarf *dwarf = unit->file->module ? dwfl_module_getdwarf(unit->file->module, &bias) : NULL;

	return dwarf && (unit->section == BC_DEBUG_TYPES ? dwarf_offdie_types : dwarf_offdie)(
				dwarf, unit->offset + offset, found);
}

enum bc_die_result bc_die_decode(struct bc_die *die, const struct bc_scope *scope,
				 const uint8_t **at, struct bc_err *err)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct reading reading = { .die = die, .scope = scope };
	Dwarf_Die found;
	bool done;

	die->offset = (uint32_t)(*at - scope->bytes);
	die->present = 0;
	if (die->offset >= scope->size) {
		bc_err_set(err, "the unit ends inside a DIE (DIE at 0x%x)", die->offset);
		return BC_DIE_BAD;
	}
	if (!**at) {
		++*at;
		return BC_DIE_END;
	}
	pthread_mutex_lock(&lock);
	done = find(scope, die->offset, &found) && read_die(&reading, &found);
	pthread_mutex_unlock(&lock);
	if (!done) {
		bc_err_set(err, "libdw: %s (DIE at 0x%x)", dwarf_errmsg(-1), die->offset);
		return BC_DIE_BAD;
	}
	*at += reading.end - reading.begin;
	return BC_DIE_FOUND;
}

bool bc_scope_load(struct bc_scope *scope, const struct bc_unit *unit, uint32_t unit_index,
		   struct bc_err *err)
{
	uint32_t size = (uint32_t)(unit->end - unit->offset);
	uint8_t *bytes = realloc(scope->bytes, (size_t)size + BC_SCOPE_PADDING);

	if (!bytes)
		return bc_err_memory(err, size);
	memset(bytes + size, 0, BC_SCOPE_PADDING);
	free(scope->ends);
	*scope = (struct bc_scope){
		.unit = unit,
		.unit_index = unit_index,
		.bytes = bytes,
		.size = size,
		.swapped = unit->file->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
		.abbrevs = { .file = unit->file,
			     .version = unit->version,
			     .offset_bytes = unit->offset_bytes,
			     .address_bytes = unit->address_bytes },
	};
	return bc_dwarf_read(unit->file, (enum bc_dwarf_section_number)unit->section, unit->offset,
			     bytes, size, err);
}

void bc_scope_free(struct bc_scope *scope)
{
	free(scope->bytes);
	free(scope->ends);
	*scope = (struct bc_scope){ 0 };
}

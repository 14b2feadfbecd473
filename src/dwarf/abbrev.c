/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/abbrev.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	const uint8_t *at, *end;
	bool cut;
};

static uint64_t take_uleb(struct reader *reader)
{
	uint64_t value = 0;

	if (reader->at < reader->end && *reader->at < 0x80) /* nearly all */
		return *reader->at++;
	for (unsigned int shift = 0; reader->at < reader->end; shift += 7) {
		uint8_t byte = *reader->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	reader->cut = true;
	return 0;
}

static int64_t take_sleb(struct reader *reader)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; reader->at < reader->end;) {
		uint8_t byte = *reader->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (shift < 64 && byte & 0x40)
			value |= ~UINT64_C(0) << shift;
		return (int64_t)value;
	}
	reader->cut = true;
	return 0;
}

/* By attribute; 0: none of the slots, others one more than theirs. */
static const uint8_t slots[0x90] = {
	[DW_AT_name] = BC_SLOT_NAME + 1,
	[DW_AT_type] = BC_SLOT_TYPE + 1,
	[DW_AT_byte_size] = BC_SLOT_BYTE_SIZE + 1,
	[DW_AT_data_member_location] = BC_SLOT_MEMBER_LOCATION + 1,
	[DW_AT_bit_size] = BC_SLOT_BIT_SIZE + 1,
	[DW_AT_data_bit_offset] = BC_SLOT_DATA_BIT_OFFSET + 1,
	[DW_AT_bit_offset] = BC_SLOT_BIT_OFFSET + 1,
	[DW_AT_upper_bound] = BC_SLOT_UPPER_BOUND + 1,
	[DW_AT_lower_bound] = BC_SLOT_LOWER_BOUND + 1,
	[DW_AT_count] = BC_SLOT_COUNT + 1,
	[DW_AT_const_value] = BC_SLOT_CONST_VALUE + 1,
	[DW_AT_encoding] = BC_SLOT_ENCODING + 1,
	[DW_AT_declaration] = BC_SLOT_DECLARATION + 1,
	[DW_AT_external] = BC_SLOT_EXTERNAL + 1,
	[DW_AT_artificial] = BC_SLOT_ARTIFICIAL + 1,
	[DW_AT_sibling] = BC_SLOT_SIBLING + 1,
	[DW_AT_signature] = BC_SLOT_SIGNATURE + 1,
	[DW_AT_language] = BC_SLOT_LANGUAGE + 1,
	[DW_AT_str_offsets_base] = BC_SLOT_STR_OFFSETS_BASE + 1,
	[DW_AT_dwo_name] = BC_SLOT_DWO_NAME + 1,
	[DW_AT_low_pc] = BC_SLOT_LOW_PC + 1,
	[DW_AT_ranges] = BC_SLOT_RANGES + 1,
	[DW_AT_entry_pc] = BC_SLOT_ENTRY_PC + 1,
	[DW_AT_location] = BC_SLOT_LOCATION + 1,
	[DW_AT_abstract_origin] = BC_SLOT_ORIGIN + 1,
	[DW_AT_specification] = BC_SLOT_ORIGIN + 1,
	[DW_AT_addr_base] = BC_SLOT_ADDR_BASE + 1,
	[DW_AT_rnglists_base] = BC_SLOT_RNGLISTS_BASE + 1,
	[DW_AT_loclists_base] = BC_SLOT_LOCLISTS_BASE + 1,
	[DW_AT_import] = BC_SLOT_IMPORT + 1,
	[DW_AT_calling_convention] = BC_SLOT_CALLING_CONVENTION + 1,
};

enum bc_slot bc_slot_of(uint64_t attribute)
{
	if (attribute < sizeof(slots))
		return slots[attribute] ? (enum bc_slot)(slots[attribute] - 1) : BC_SLOT_NONE;
	switch (attribute) {
	case DW_AT_GNU_dwo_name:
		return BC_SLOT_DWO_NAME;
	case DW_AT_GNU_addr_base:
		return BC_SLOT_ADDR_BASE;
	case 0x2139: /* DW_AT_GNU_annotation, GCC 16 */
		return BC_SLOT_ANNOTATION;
	default:
		return BC_SLOT_NONE;
	}
}

/* Of what stands in bodies only where children end matters. */
static bool is_passed_over(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_call_site:
	case DW_TAG_call_site_parameter:
	case DW_TAG_GNU_call_site:
	case DW_TAG_GNU_call_site_parameter:
	case DW_TAG_label:
		return true;
	default:
		return false;
	}
}

static void set_op(struct bc_abbrev_op *op, enum bc_op_action action,
		   enum bc_value_class value_class, uint8_t size)
{
	op->action = (uint8_t)action;
	op->value_class = (uint8_t)value_class;
	op->size = size;
}

/* Forms whose values are strings. */
static bool set_string_op(struct bc_abbrev_op *op, uint64_t form, uint8_t offset_bytes)
{
	switch (form) {
	case DW_FORM_string:
		set_op(op, BC_OP_STRING, BC_VALUE_INLINE, 0);
		return true;
	case DW_FORM_strp:
		set_op(op, BC_OP_FIXED, BC_VALUE_STR, offset_bytes);
		return true;
	case DW_FORM_line_strp:
		set_op(op, BC_OP_FIXED, BC_VALUE_LINE_STR, offset_bytes);
		return true;
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		set_op(op, BC_OP_FIXED, BC_VALUE_STR_ALT, offset_bytes);
		return true;
	case DW_FORM_strx:
	case DW_FORM_GNU_str_index:
		set_op(op, BC_OP_ULEB, BC_VALUE_STRX, 0);
		return true;
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
		set_op(op, BC_OP_FIXED, BC_VALUE_STRX, (uint8_t)(form - DW_FORM_strx1 + 1));
		return true;
	default:
		return false;
	}
}

/* Forms whose values refer to DIEs. */
static bool set_reference_op(struct bc_abbrev_op *op, uint64_t form,
			     const struct bc_abbrevs *abbrevs)
{
	switch (form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
		set_op(op, BC_OP_FIXED, BC_VALUE_REF, (uint8_t)(1 << (form - DW_FORM_ref1)));
		return true;
	case DW_FORM_ref_udata:
		set_op(op, BC_OP_ULEB, BC_VALUE_REF, 0);
		return true;
	case DW_FORM_ref_addr: /* an address in DWARF 2, an offset since */
		set_op(op, BC_OP_FIXED, BC_VALUE_REF_ADDR,
		       abbrevs->version == 2 ? abbrevs->address_bytes : abbrevs->offset_bytes);
		return true;
	case DW_FORM_ref_sig8:
		set_op(op, BC_OP_FIXED, BC_VALUE_REF_SIG, 8);
		return true;
	case DW_FORM_GNU_ref_alt:
		set_op(op, BC_OP_FIXED, BC_VALUE_REF_ALT, abbrevs->offset_bytes);
		return true;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		set_op(op, BC_OP_FIXED, BC_VALUE_REF_ALT, form == DW_FORM_ref_sup4 ? 4 : 8);
		return true;
	default:
		return false;
	}
}

/* Constants, flags, and what is only skipped. */
static bool set_plain_op(struct bc_abbrev_op *op, uint64_t form, const struct bc_abbrevs *abbrevs)
{
	switch (form) {
	case DW_FORM_data1:
	case DW_FORM_flag:
		set_op(op, BC_OP_FIXED, BC_VALUE_UNSIGNED, 1);
		return true;
	case DW_FORM_data2:
		set_op(op, BC_OP_FIXED, BC_VALUE_UNSIGNED, 2);
		return true;
	case DW_FORM_data4:
		set_op(op, BC_OP_FIXED, BC_VALUE_UNSIGNED, 4);
		return true;
	case DW_FORM_data8:
		set_op(op, BC_OP_FIXED, BC_VALUE_UNSIGNED, 8);
		return true;
	case DW_FORM_udata:
		set_op(op, BC_OP_ULEB, BC_VALUE_UNSIGNED, 0);
		return true;
	case DW_FORM_sdata:
		set_op(op, BC_OP_SLEB, BC_VALUE_SIGNED, 0);
		return true;
	case DW_FORM_flag_present:
		set_op(op, BC_OP_CONSTANT, BC_VALUE_UNSIGNED, 0);
		op->constant = 1;
		return true;
	case DW_FORM_addr:
		set_op(op, BC_OP_FIXED, BC_VALUE_ADDRESS, abbrevs->address_bytes);
		return true;
	case DW_FORM_sec_offset:
		set_op(op, BC_OP_FIXED, BC_VALUE_UNSIGNED, abbrevs->offset_bytes);
		return true;
	case DW_FORM_data16:
		set_op(op, BC_OP_FIXED, BC_VALUE_OTHER, 16);
		return true;
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		set_op(op, BC_OP_BLOCK, BC_VALUE_BLOCK,
		       form == DW_FORM_block1 ? 1 :
		       form == DW_FORM_block2 ? 2 :
						4);
		return true;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		set_op(op, BC_OP_BLOCK, BC_VALUE_BLOCK, 0);
		return true;
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
		set_op(op, BC_OP_FIXED, BC_VALUE_ADDRX, (uint8_t)(form - DW_FORM_addrx1 + 1));
		return true;
	case DW_FORM_addrx:
	case DW_FORM_GNU_addr_index:
		set_op(op, BC_OP_ULEB, BC_VALUE_ADDRX, 0);
		return true;
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
		set_op(op, BC_OP_ULEB, BC_VALUE_LISTX, 0);
		return true;
	case DW_FORM_indirect:
		set_op(op, BC_OP_INDIRECT, BC_VALUE_OTHER, 0);
		return true;
	default:
		return false;
	}
}

bool bc_op_for_form(struct bc_abbrev_op *op, uint64_t form, const struct bc_abbrevs *abbrevs)
{
	return set_string_op(op, form, abbrevs->offset_bytes) ||
	       set_reference_op(op, form, abbrevs) || set_plain_op(op, form, abbrevs);
}

/* The same, asked once for each form of DWARF. */
static bool look_up_form(struct bc_abbrevs *abbrevs, uint64_t form, struct bc_abbrev_op *op)
{
	if (form >= BC_FORMS)
		return bc_op_for_form(op, form, abbrevs);
	if (!abbrevs->forms[form].action && !bc_op_for_form(&abbrevs->forms[form], form, abbrevs))
		return false;
	*op = abbrevs->forms[form];
	return true;
}

static bool grow(void *items, uint32_t *limit, size_t item_bytes, struct bc_err *err)
{
	uint32_t wanted = *limit ? 2 * *limit : 256;
	void **items_at = items;
	void *grown = wanted < *limit ? NULL : realloc(*items_at, wanted * item_bytes);

	if (!grown)
		return bc_err_memory(err, (uint64_t)wanted * item_bytes);
	*items_at = grown;
	*limit = wanted;
	return true;
}

static bool refuse(const struct bc_abbrevs *abbrevs, uint64_t code, const char *what,
		   struct bc_err *err)
{
	return bc_err_set(err, "%s (abbreviation %" PRIu64 " of those at 0x%" PRIx64 ")", what,
			  code, abbrevs->offset);
}

/* One attribute: an op, or more to skip before the next one. */
static bool compile_attribute(struct bc_abbrevs *abbrevs, struct bc_abbrev *abbrev,
			      uint64_t attribute, uint64_t form, int64_t constant,
			      struct bc_err *err)
{
	struct bc_abbrev_op op = { 0 };

	if (form == DW_FORM_implicit_const) {
		set_op(&op, BC_OP_CONSTANT, BC_VALUE_SIGNED, 0);
		op.constant = constant;
	} else if (!look_up_form(abbrevs, form, &op)) {
		return refuse(abbrevs, abbrev->code, "a form that is not known", err);
	}
	op.slot = (uint8_t)bc_slot_of(attribute);
	if (op.slot != BC_SLOT_SIBLING && is_passed_over(abbrev->tag))
		op.slot = BC_SLOT_NONE;
	if (op.slot == BC_SLOT_NONE && op.action == BC_OP_FIXED) {
		abbrev->tail += op.size;
		return true;
	}
	if (op.slot == BC_SLOT_NONE && op.action == BC_OP_CONSTANT)
		return true;
	if (abbrevs->op_count == abbrevs->op_limit &&
	    !grow(&abbrevs->ops, &abbrevs->op_limit, sizeof(*abbrevs->ops), err))
		return false;
	if (abbrev->op_count == UINT16_MAX)
		return refuse(abbrevs, abbrev->code, "too many attributes", err);
	op.skip = abbrev->tail;
	abbrev->tail = 0;
	abbrevs->ops[abbrevs->op_count++] = op;
	abbrev->op_count++;
	return true;
}

static bool compile_one(struct bc_abbrevs *abbrevs, struct reader *reader, uint64_t code,
			struct bc_err *err)
{
	struct bc_abbrev abbrev = { .code = code, .first_op = abbrevs->op_count };
	uint64_t tag = take_uleb(reader);

	if (tag > UINT16_MAX)
		return refuse(abbrevs, code, "a tag that is not known", err);
	abbrev.tag = (uint16_t)tag;
	if (reader->at < reader->end)
		abbrev.has_children = *reader->at++ != 0;
	for (;;) {
		uint64_t attribute = take_uleb(reader), form = take_uleb(reader);
		int64_t constant = form == DW_FORM_implicit_const ? take_sleb(reader) : 0;

		if (reader->cut)
			return refuse(abbrevs, code, "it is cut off", err);
		if (!attribute && !form)
			break;
		if (!compile_attribute(abbrevs, &abbrev, attribute, form, constant, err))
			return false;
	}
	if ((abbrevs->count == abbrevs->limit &&
	     !grow(&abbrevs->items, &abbrevs->limit, sizeof(*abbrevs->items), err)) ||
	    (abbrevs->count == abbrevs->shape_limit &&
	     !grow(&abbrevs->shapes, &abbrevs->shape_limit, sizeof(*abbrevs->shapes), err)))
		return false;
	abbrevs->shapes[abbrevs->count] = bc_shape_of(&abbrev, abbrevs->ops + abbrev.first_op);
	abbrevs->items[abbrevs->count++] = abbrev;
	return true;
}

static int compare_codes(const void *a, const void *b)
{
	const struct bc_abbrev *one = a, *other = b;

	return (one->code > other->code) - (one->code < other->code);
}

/* Makes codes findable; one that is given twice has no meaning. */
static bool index_codes(struct bc_abbrevs *abbrevs, struct bc_err *err)
{
	abbrevs->dense = true;
	for (uint32_t i = 0; i < abbrevs->count; i++)
		abbrevs->dense &= abbrevs->items[i].code == i + 1;
	if (abbrevs->dense)
		return true;
	qsort(abbrevs->items, abbrevs->count, sizeof(*abbrevs->items), compare_codes);
	for (uint32_t i = 1; i < abbrevs->count; i++)
		if (abbrevs->items[i].code == abbrevs->items[i - 1].code)
			return refuse(abbrevs, abbrevs->items[i].code, "it is there twice", err);
	return true;
}

bool bc_abbrevs_compile(struct bc_abbrevs *abbrevs, const struct bc_unit *unit, struct bc_err *err)
{
	const struct bc_dwarf_section *section = &unit->file->sections[BC_DEBUG_ABBREV];
	struct reader reader;

	if (abbrevs->is_compiled && abbrevs->file == unit->file &&
	    abbrevs->offset == unit->abbrev_offset && abbrevs->version == unit->version &&
	    abbrevs->offset_bytes == unit->offset_bytes &&
	    abbrevs->address_bytes == unit->address_bytes)
		return true;
	abbrevs->is_compiled = false;
	abbrevs->file = unit->file;
	abbrevs->count = abbrevs->op_count = 0;
	abbrevs->offset = unit->abbrev_offset;
	if (abbrevs->version != unit->version || abbrevs->offset_bytes != unit->offset_bytes ||
	    abbrevs->address_bytes != unit->address_bytes)
		memset(abbrevs->forms, 0, sizeof(abbrevs->forms));
	abbrevs->version = unit->version;
	abbrevs->offset_bytes = unit->offset_bytes;
	abbrevs->address_bytes = unit->address_bytes;
	/* There is something to point into, even where no abbreviation has attributes. */
	if (!abbrevs->ops && !grow(&abbrevs->ops, &abbrevs->op_limit, sizeof(*abbrevs->ops), err))
		return false;
	if (unit->abbrev_offset >= section->size_bytes)
		return bc_err_set(err,
				  "its abbreviations are at 0x%" PRIx64 ", beyond .debug_abbrev",
				  unit->abbrev_offset);
	reader = (struct reader){ section->data + unit->abbrev_offset,
				  section->data + section->size_bytes, false };
	for (;;) {
		uint64_t code = take_uleb(&reader);

		if (reader.cut)
			return bc_err_set(err, "the abbreviations at 0x%" PRIx64 " have no end",
					  abbrevs->offset);
		if (!code)
			break;
		if (!compile_one(abbrevs, &reader, code, err))
			return false;
	}
	if (!index_codes(abbrevs, err))
		return false;
	abbrevs->is_compiled = true;
	return true;
}

void bc_abbrevs_free(struct bc_abbrevs *abbrevs)
{
	free(abbrevs->items);
	free(abbrevs->ops);
	free(abbrevs->shapes);
	*abbrevs = (struct bc_abbrevs){ 0 };
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What attributes and forms of DWARF are here: slots, and ways to read a value. */
#include "dwarf/abbrev.h"

#include <dwarf.h>

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

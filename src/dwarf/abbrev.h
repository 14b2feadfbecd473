/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_ABBREV_H
#define BC_DWARF_ABBREV_H

#include "dwarf/shape.h"
#include "dwarf/unit.h"

/*
 * A unit's abbreviations, compiled: for each the few attributes that matter
 * here, with what to skip before them. What kernels have most of has a *shape*
 * besides (shape.h): the walk reads such a DIE without looking at attributes.
 */
enum bc_slot {
	BC_SLOT_NAME,
	BC_SLOT_TYPE,
	BC_SLOT_BYTE_SIZE,
	BC_SLOT_MEMBER_LOCATION,
	BC_SLOT_BIT_SIZE,
	BC_SLOT_DATA_BIT_OFFSET,
	BC_SLOT_BIT_OFFSET,
	BC_SLOT_UPPER_BOUND,
	BC_SLOT_LOWER_BOUND,
	BC_SLOT_COUNT,
	BC_SLOT_CONST_VALUE,
	BC_SLOT_ENCODING,
	BC_SLOT_DECLARATION,
	BC_SLOT_EXTERNAL,
	BC_SLOT_ARTIFICIAL,
	BC_SLOT_SIBLING,
	BC_SLOT_SIGNATURE,
	BC_SLOT_LANGUAGE,
	BC_SLOT_STR_OFFSETS_BASE,
	BC_SLOT_DWO_NAME,
	BC_SLOT_LOW_PC,
	BC_SLOT_RANGES,
	BC_SLOT_ENTRY_PC,
	BC_SLOT_LOCATION,
	BC_SLOT_ORIGIN, /* DW_AT_abstract_origin or DW_AT_specification */
	BC_SLOT_ADDR_BASE,
	BC_SLOT_RNGLISTS_BASE,
	BC_SLOT_LOCLISTS_BASE,
	BC_SLOT_IMPORT,
	BC_SLOT_CALLING_CONVENTION,
	BC_SLOT_ANNOTATION, /* DW_AT_GNU_annotation */
	BC_SLOTS,
	BC_SLOT_NONE = BC_SLOTS, /* read only to find its end */
};

/* What a value is. */
enum bc_value_class {
	BC_VALUE_NONE,
	BC_VALUE_UNSIGNED, /* flags too */
	BC_VALUE_SIGNED,
	BC_VALUE_STR,      /* offset in .debug_str */
	BC_VALUE_LINE_STR, /* offset in .debug_line_str */
	BC_VALUE_STRX,     /* index into .debug_str_offsets */
	BC_VALUE_STR_ALT,  /* offset in the alternate file's .debug_str */
	BC_VALUE_INLINE,   /* the string is in the unit, at this offset */
	BC_VALUE_REF,      /* offset in the unit */
	BC_VALUE_REF_ADDR, /* offset in .debug_info */
	BC_VALUE_REF_SIG,  /* signature of a type unit */
	BC_VALUE_REF_ALT,  /* offset in the alternate file's .debug_info */
	BC_VALUE_BLOCK,    /* bytes in the unit, at this offset, their number in the upper half */
	BC_VALUE_ADDRESS,
	BC_VALUE_ADDRX, /* index into .debug_addr */
	BC_VALUE_LISTX, /* index of a range or location list */
	BC_VALUE_OTHER,
};

enum bc_op_action {
	BC_OP_UNKNOWN,
	BC_OP_FIXED, /* SIZE bytes */
	BC_OP_ULEB,
	BC_OP_SLEB,
	BC_OP_STRING,
	BC_OP_BLOCK,    /* a length of SIZE bytes (0: LEB128), then that many */
	BC_OP_CONSTANT, /* no bytes: the value is here */
	BC_OP_INDIRECT, /* the form is in the DIE */
};

struct bc_abbrev_op {
	uint8_t action;
	uint8_t slot;
	uint8_t value_class;
	uint8_t size;
	uint32_t skip; /* bytes before it */
	int64_t constant;
};

struct bc_abbrev {
	uint64_t code;
	uint32_t first_op;
	uint32_t tail; /* bytes after the last op */
	uint16_t op_count;
	uint16_t tag;
	uint32_t present; /* the slots of its ops */
	bool has_children;
};

/* One that was compiled before: many units have the same. */
struct bc_known_abbrev {
	const uint8_t *bytes; /* from the tag on, in the section */
	uint32_t length;
	uint32_t key;     /* hash of how it begins */
	uint32_t dialect; /* what forms depend on */
	struct bc_abbrev abbrev;
	struct bc_shape shape;
};

#define BC_FORMS 0x30 /* those of DWARF 5; vendors have more */

struct bc_abbrevs {
	struct bc_abbrev *items; /* dense: by code - 1; else sorted by code */
	struct bc_shape *shapes; /* dense: by code - 1 */
	uint32_t count, limit, shape_limit;
	struct bc_abbrev_op *ops; /* of all that are known */
	uint32_t op_count, op_limit;
	bool dense;
	bool is_compiled;
	struct bc_known_abbrev *known;
	uint32_t known_count, known_limit;
	uint32_t *known_slots; /* hash of them: number + 1 */
	/* How the forms of such units are read, once it is known. */
	struct bc_abbrev_op forms[BC_FORMS];
	/* What they are compiled for. */
	const struct bc_dwarf_file *file;
	uint64_t offset;
	uint8_t version, offset_bytes, address_bytes;
};

/* Compiles the abbreviations of UNIT, unless ABBREVS hold them already. */
bool bc_abbrevs_compile(struct bc_abbrevs *abbrevs, const struct bc_unit *unit, struct bc_err *err);
void bc_abbrevs_free(struct bc_abbrevs *abbrevs);

/* The slot of an attribute, BC_SLOT_NONE for those that do not matter. */
enum bc_slot bc_slot_of(uint64_t attribute);

/* How to read a value of FORM; false where the form is not known. */
bool bc_op_for_form(struct bc_abbrev_op *op, uint64_t form, const struct bc_abbrevs *abbrevs);

static inline const struct bc_abbrev *bc_abbrev_find(const struct bc_abbrevs *abbrevs,
						     uint64_t code)
{
	uint32_t low = 0, high = abbrevs->count;

	if (abbrevs->dense)
		return code - 1 < abbrevs->count ? &abbrevs->items[code - 1] : NULL;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (abbrevs->items[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low < abbrevs->count && abbrevs->items[low].code == code ? &abbrevs->items[low] :
									  NULL;
}

#endif

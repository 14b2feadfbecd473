/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_UNIT_H
#define BC_DWARF_UNIT_H

#include "base/arena.h"
#include "dwarf/file.h"

/* One unit of .debug_info or .debug_types: what its header says. */
struct bc_unit {
	const struct bc_dwarf_file *file;
	uint64_t offset, end; /* in the section */
	uint64_t abbrev_offset;
	uint64_t signature;    /* of a type unit */
	uint32_t header_bytes; /* the first DIE begins there */
	uint32_t type_die;     /* of a type unit: its type, from offset on; else 0 */
	uint32_t names[2];     /* numbers of .debug_str and .debug_line_str among bc_string_ids */
	uint8_t section;       /* BC_DEBUG_INFO or BC_DEBUG_TYPES */
	uint8_t version;
	uint8_t offset_bytes; /* 4 or 8: 32- or 64-bit DWARF */
	uint8_t address_bytes;
	uint8_t type;           /* DW_UT_… */
	bool by_reference_only; /* of an alternate file: counts where imported, its types where referred to */
};

struct bc_units {
	struct bc_unit *units; /* by file, section, offset */
	uint32_t count, limit;
	struct bc_unit_range *ranges; /* units of one section of one file */
	uint32_t range_count, range_limit;
	struct bc_unit_signature *signatures; /* sorted */
	uint32_t signature_count;
	uint8_t *imported; /* atomic, by unit: another one that counts imports it */
	/* Atomic, by unit, bits by offset: where other units say that a DIE is; NULL: nowhere. */
	uint64_t **referred_to;
	uint64_t total_bytes; /* of units that count by themselves */
};

struct bc_string_ids;

/*
 * Lists the units of a file (and its alternate), and its string sections in
 * NAMES. A header that makes no sense is an error with its offset.
 */
bool bc_units_add(struct bc_units *units, const struct bc_dwarf_file *file,
		  struct bc_string_ids *names, struct bc_err *err);

/* When all files are added: makes signatures findable. */
bool bc_units_finish(struct bc_units *units, struct bc_err *err);

void bc_units_free(struct bc_units *units);

/* Says that another unit refers to OFFSET (in range) of unit number INDEX. Thread-safe. */
bool bc_units_refer(const struct bc_units *units, uint32_t index, uint32_t offset,
		    struct bc_err *err);

/* The unit of FILE's SECTION that holds OFFSET, or NULL. */
const struct bc_unit *bc_units_find(const struct bc_units *units, const struct bc_dwarf_file *file,
				    uint8_t section, uint64_t offset);

/* The type unit with that signature, one of FILE's if it has one, or NULL. */
const struct bc_unit *bc_units_find_signature(const struct bc_units *units,
					      const struct bc_dwarf_file *file, uint64_t signature);

#endif

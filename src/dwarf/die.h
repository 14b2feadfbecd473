/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_DIE_H
#define BC_DWARF_DIE_H

#include <dwarf.h>
#include <string.h>

#include "dwarf/abbrev.h"

/*
 * A unit's bytes with what is needed to decode its DIEs. The bytes are a copy,
 * with BC_SCOPE_PADDING more behind them that may be loaded but mean nothing.
 */
#define BC_SCOPE_PADDING 16

struct bc_scope {
	const struct bc_unit *unit;
	uint32_t unit_index;
	uint8_t *bytes; /* from the unit's header on */
	uint32_t size;
	uint32_t limit;    /* allocated */
	uint32_t at_first; /* of which so many at least: by and by would leave holes in the heap */
	uint64_t str_offsets_base, addr_base, rnglists_base, loclists_base;
	uint64_t low_pc;   /* of the unit: what its lists count from */
	uint16_t language; /* DW_LANG_…, 0: not said */
	bool swapped;      /* its byte order is not the host's */
	struct bc_abbrevs abbrevs;
	/* By offset of a DIE that was passed over: where it ends, 0: not known. Only where HAS_ENDS. */
	uint32_t *ends;
	uint32_t end_limit;
	bool has_ends;
};

/* How many bytes there is room for where a unit of SIZE is read. */
static inline uint32_t bc_scope_room(const struct bc_scope *scope, uint32_t size)
{
	return size > scope->at_first ? size : scope->at_first;
}

/* A DIE's attributes that matter: value and class count where present has the slot's bit. */
struct bc_die {
	const struct bc_abbrev *abbrev;
	uint32_t offset; /* in the unit */
	uint32_t present;
	uint8_t value_class[BC_SLOTS + 1];
	uint64_t value[BC_SLOTS + 1]; /* the last one takes what nobody wants */
};

enum bc_die_result {
	BC_DIE_FOUND,
	BC_DIE_END, /* an entry of 0: the end of a list of children */
	BC_DIE_BAD,
};

static inline bool bc_die_has(const struct bc_die *die, enum bc_slot slot)
{
	return die->present >> slot & 1;
}

/* SIZE bytes (1 to 8) at AT, of which 8 can be loaded. */
static inline uint64_t bc_load(const uint8_t *at, unsigned int size, bool swapped)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	if ((__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != swapped)
		return (swapped ? __builtin_bswap64(value) : value) &
		       (~UINT64_C(0) >> (64 - 8 * size));
	return (swapped ? __builtin_bswap64(value) : value) >> (64 - 8 * size);
}

/* BC_VALUE_NONE where the DIE does not have it. */
static inline enum bc_value_class bc_die_class(const struct bc_die *die, enum bc_slot slot)
{
	return bc_die_has(die, slot) ? (enum bc_value_class)die->value_class[slot] : BC_VALUE_NONE;
}

/* 0 where the DIE does not have it. */
static inline uint64_t bc_die_value(const struct bc_die *die, enum bc_slot slot)
{
	return bc_die_has(die, slot) ? die->value[slot] : 0;
}

/* Whether the slot holds a number. */
static inline bool bc_die_number(const struct bc_die *die, enum bc_slot slot, uint64_t *number)
{
	enum bc_value_class value_class = bc_die_class(die, slot);

	if (value_class != BC_VALUE_UNSIGNED && value_class != BC_VALUE_SIGNED)
		return false;
	*number = bc_die_value(die, slot);
	return true;
}

/* False where the number does not end before END. */
static inline bool bc_load_uleb(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	const uint8_t *byte = *at;
	unsigned int shift = 7;

	if (byte >= end)
		return false;
	*value = *byte & 0x7f;
	for (; *byte & 0x80; shift += 7) {
		if (++byte >= end)
			return false;
		if (shift < 64)
			*value |= (uint64_t)(*byte & 0x7f) << shift;
	}
	*at = byte + 1;
	return true;
}

static inline bool bc_load_sleb(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	const uint8_t *before = *at;
	unsigned int bits;

	if (!bc_load_uleb(at, end, value))
		return false;
	bits = 7 * (unsigned int)(*at - before);
	if (bits < 64 && (*at)[-1] & 0x40)
		*value |= ~UINT64_C(0) << bits;
	return true;
}

/*
 * Decodes the DIE at *AT and moves *AT behind it. Every byte is checked
 * against the end of the unit.
 */
enum bc_die_result bc_die_decode(struct bc_die *die, const struct bc_scope *scope,
				 const uint8_t **at, struct bc_err *err);

/* Reads the unit's bytes and its abbreviations into SCOPE. */
bool bc_scope_load(struct bc_scope *scope, const struct bc_unit *unit, uint32_t unit_index,
		   struct bc_err *err);
void bc_scope_free(struct bc_scope *scope);

#endif

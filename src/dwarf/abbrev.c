/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/abbrev.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/room.h"

#define KNOWN_SLOTS 4096u /* a power of two */
#define KNOWN_MAX (KNOWN_SLOTS / 2)

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
		op.action = BC_OP_CONSTANT;
		op.value_class = BC_VALUE_SIGNED;
		op.constant = constant;
	} else if (!look_up_form(abbrevs, form, &op)) {
		return refuse(abbrevs, abbrev->code, "a form that is not known", err);
	}
	op.slot = (uint8_t)bc_slot_of(attribute);
	if (op.slot != BC_SLOT_SIBLING && bc_tag_is_idle(abbrev->tag))
		op.slot = BC_SLOT_NONE;
	/* DWARF has no attribute twice; where there is one, the first counts, as for libdw. */
	if (abbrev->present >> op.slot & 1)
		op.slot = BC_SLOT_NONE;
	abbrev->present |= 1u << op.slot;
	if (op.slot == BC_SLOT_NONE && op.action == BC_OP_FIXED) {
		abbrev->tail += op.size;
		return true;
	}
	if (op.slot == BC_SLOT_NONE && op.action == BC_OP_CONSTANT)
		return true;
	if (!bc_make_room(&abbrevs->ops, &abbrevs->op_limit, (uint64_t)abbrevs->op_count + 1,
			  sizeof(*abbrevs->ops), err))
		return false;
	if (abbrev->op_count == UINT16_MAX)
		return refuse(abbrevs, abbrev->code, "too many attributes", err);
	op.skip = abbrev->tail;
	abbrev->tail = 0;
	abbrevs->ops[abbrevs->op_count++] = op;
	abbrev->op_count++;
	return true;
}

/* From the tag to the pair of zeros; false: it is cut off. */
static bool skip_one(struct reader *reader)
{
	uint64_t attribute, form;

	take_uleb(reader);
	reader->at += reader->at < reader->end;
	do {
		attribute = take_uleb(reader);
		form = take_uleb(reader);
		if (form == DW_FORM_implicit_const)
			take_sleb(reader);
	} while (!reader->cut && (attribute || form));
	return !reader->cut;
}

static bool compile_one(struct bc_abbrevs *abbrevs, struct reader *reader, struct bc_abbrev *abbrev,
			struct bc_err *err)
{
	uint64_t tag = take_uleb(reader);

	if (tag > UINT16_MAX)
		return refuse(abbrevs, abbrev->code, "a tag that is not known", err);
	abbrev->tag = (uint16_t)tag;
	if (reader->at < reader->end)
		abbrev->has_children = *reader->at++ != 0;
	for (;;) {
		uint64_t attribute = take_uleb(reader), form = take_uleb(reader);
		int64_t constant = form == DW_FORM_implicit_const ? take_sleb(reader) : 0;

		if (reader->cut)
			return refuse(abbrevs, abbrev->code, "it is cut off", err);
		if (!attribute && !form)
			return true;
		if (!compile_attribute(abbrevs, abbrev, attribute, form, constant, err))
			return false;
	}
}

#define KEY_BYTES 22u

/*
 * A hash of how an abbreviation begins, which does not need to know where it ends: of its first
 * bytes up to a pair of zeros, which is its end or stands in front of that. Words overlap by a
 * byte, so that each pair is whole in one.
 */
static uint32_t key_of(const struct reader *reader)
{
	const uint64_t low_bits = UINT64_C(0x7f7f7f7f7f7f7f7f);
	uint8_t last[KEY_BYTES] = { 0 };
	const uint8_t *bytes = reader->at;
	uint64_t key = 0;

	if ((size_t)(reader->end - bytes) < KEY_BYTES)
		bytes = memcpy(last, bytes, (size_t)(reader->end - bytes));
	for (unsigned int at = 0; at + 8 <= KEY_BYTES; at += 7) {
		uint64_t word, zeros, pairs; /* 0x80 where a byte is zero, and the next one too */

		memcpy(&word, bytes + at, sizeof(word));
		if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
			word = __builtin_bswap64(word);
		zeros = ~(((word & low_bits) + low_bits) | word | low_bits);
		pairs = zeros & zeros >> 8;
		if (pairs)
			return (uint32_t)bc_hash_mix(key, word & ((pairs & -pairs) - 1));
		key = bc_hash_mix(key, word);
	}
	return (uint32_t)key;
}

/*
 * The slot of the known abbreviation that these bytes begin with (no abbreviation begins with
 * another one), or where it would be.
 */
static uint32_t *find_known(const struct bc_abbrevs *abbrevs, const struct reader *reader,
			    uint32_t dialect, uint32_t key)
{
	size_t bytes_left = (size_t)(reader->end - reader->at);

	for (uint32_t at = key;; at++) {
		const struct bc_known_abbrev *known;
		uint32_t *slot = &abbrevs->known_slots[at & (KNOWN_SLOTS - 1)];

		if (!*slot)
			return slot;
		known = &abbrevs->known[*slot - 1];
		if (known->key == key && known->dialect == dialect && known->length <= bytes_left &&
		    !memcmp(known->bytes, reader->at, known->length))
			return slot;
	}
}

/* Compiles it, and remembers that where SLOT says, as long as there are not too many. */
static bool learn(struct bc_abbrevs *abbrevs, struct bc_known_abbrev *one, uint32_t *slot,
		  struct bc_err *err)
{
	struct reader reader = { one->bytes, one->bytes + one->length, false };

	one->abbrev.first_op = abbrevs->op_count;
	if (!compile_one(abbrevs, &reader, &one->abbrev, err))
		return false;
	one->shape = bc_shape_of(&one->abbrev, abbrevs->ops + one->abbrev.first_op);
	if (abbrevs->known_count == KNOWN_MAX)
		return true;
	if (!bc_make_room(&abbrevs->known, &abbrevs->known_limit,
			  (uint64_t)abbrevs->known_count + 1, sizeof(*abbrevs->known), err))
		return false;
	abbrevs->known[abbrevs->known_count++] = *one;
	*slot = abbrevs->known_count;
	return true;
}

/* One that is not known: READER stands at its tag. */
static bool add_new(struct bc_abbrevs *abbrevs, struct reader *reader, struct bc_known_abbrev *one,
		    uint32_t *slot, struct bc_err *err)
{
	struct reader again = *reader;
	uint64_t length;

	/* Without an end it makes no sense: this says why. */
	if (!skip_one(reader))
		return compile_one(abbrevs, &again, &one->abbrev, err);
	length = (uint64_t)(reader->at - one->bytes);
	if (length > UINT32_MAX)
		return refuse(abbrevs, one->abbrev.code, "too many attributes", err);
	one->length = (uint32_t)length;
	return learn(abbrevs, one, slot, err);
}

static bool add_one(struct bc_abbrevs *abbrevs, struct reader *reader, uint64_t code,
		    struct bc_err *err)
{
	struct bc_known_abbrev one = {
		.bytes = reader->at,
		.key = key_of(reader),
		.dialect = (uint32_t)abbrevs->version << 16 | (uint32_t)abbrevs->offset_bytes << 8 |
			   abbrevs->address_bytes,
		.abbrev.code = code,
	};
	uint32_t *slot = find_known(abbrevs, reader, one.dialect, one.key);
	const struct bc_known_abbrev *known = &one;

	if (*slot) {
		known = &abbrevs->known[*slot - 1];
		reader->at += known->length;
	} else if (!add_new(abbrevs, reader, &one, slot, err)) {
		return false;
	}
	if (!bc_make_room(&abbrevs->items, &abbrevs->limit, (uint64_t)abbrevs->count + 1,
			  sizeof(*abbrevs->items), err) ||
	    !bc_make_room(&abbrevs->shapes, &abbrevs->shape_limit, (uint64_t)abbrevs->count + 1,
			  sizeof(*abbrevs->shapes), err))
		return false;
	abbrevs->shapes[abbrevs->count] = known->shape;
	abbrevs->items[abbrevs->count] = known->abbrev;
	abbrevs->items[abbrevs->count++].code = code;
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

/* So that what is remembered has an end. */
static void forget(struct bc_abbrevs *abbrevs)
{
	abbrevs->known_count = abbrevs->op_count = 0;
	memset(abbrevs->known_slots, 0, KNOWN_SLOTS * sizeof(*abbrevs->known_slots));
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
	abbrevs->count = 0;
	if (abbrevs->known_count == KNOWN_MAX)
		forget(abbrevs);
	abbrevs->offset = unit->abbrev_offset;
	if (abbrevs->version != unit->version || abbrevs->offset_bytes != unit->offset_bytes ||
	    abbrevs->address_bytes != unit->address_bytes)
		memset(abbrevs->forms, 0, sizeof(abbrevs->forms));
	abbrevs->version = unit->version;
	abbrevs->offset_bytes = unit->offset_bytes;
	abbrevs->address_bytes = unit->address_bytes;
	/* There is something to point into, even where no abbreviation has attributes. */
	if (!bc_make_room(&abbrevs->ops, &abbrevs->op_limit, 1, sizeof(*abbrevs->ops), err))
		return false;
	if (!abbrevs->known_slots)
		abbrevs->known_slots = bc_zeroed(KNOWN_SLOTS, sizeof(*abbrevs->known_slots));
	if (!abbrevs->known_slots)
		return bc_err_memory(err, KNOWN_SLOTS * sizeof(*abbrevs->known_slots));
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
		if (!add_one(abbrevs, &reader, code, err))
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
	free(abbrevs->known);
	free(abbrevs->known_slots);
	*abbrevs = (struct bc_abbrevs){ 0 };
}

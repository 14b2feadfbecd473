/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/unit.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/search.h"
#include "merge/string_ids.h"

/* The longest header: 64-bit DWARF 5 type unit: length 12, version 2, type 1, address 1, abbrevs 8, signature 8, type 8. */
#define HEADER_MAX 40
/* References inside a unit and its types are 31 bits wide here. */
#define UNIT_BYTES_MAX 0x7fffffffu

struct bc_unit_range {
	const struct bc_dwarf_file *file;
	uint8_t section;
	uint32_t begin, end; /* units */
};

struct bc_unit_signature {
	uint64_t signature;
	uint32_t unit;
};

/* Reads the header, field by field. */
struct header {
	uint8_t bytes[HEADER_MAX];
	size_t size, at;
	bool big_endian;
	bool cut;
};

static uint64_t take(struct header *header, size_t bytes)
{
	uint64_t value = 0;

	if (header->size - header->at < bytes) {
		header->cut = true;
		return 0;
	}
	for (size_t i = 0; i < bytes; i++) {
		size_t from = header->big_endian ? i : bytes - 1 - i;

		value = value << 8 | header->bytes[header->at + from];
	}
	header->at += bytes;
	return value;
}

static bool refuse(const struct bc_unit *unit, const char *what, struct bc_err *err)
{
	return bc_err_set(err, "%s (unit at 0x%" PRIx64 " of .debug_%s)", what, unit->offset,
			  unit->section == BC_DEBUG_TYPES ? "types" : "info");
}

static bool parse_length(struct bc_unit *unit, struct header *header, uint64_t section_bytes,
			 struct bc_err *err)
{
	uint64_t length = take(header, 4);

	unit->offset_bytes = 4;
	if (length == 0xffffffff) {
		unit->offset_bytes = 8;
		length = take(header, 8);
	} else if (length >= 0xfffffff0) {
		return refuse(unit, "a unit length with no meaning", err);
	}
	if (header->cut || length > section_bytes - unit->offset - header->at)
		return refuse(unit, "the unit goes beyond the section", err);
	unit->end = unit->offset + header->at + length;
	if (unit->end - unit->offset > UNIT_BYTES_MAX)
		return refuse(unit, "the unit is longer than 2 GiB", err);
	if (header->size > unit->end - unit->offset)
		header->size = (size_t)(unit->end - unit->offset);
	return true;
}

static bool parse_header(struct bc_unit *unit, struct header *header, uint64_t section_bytes,
			 struct bc_err *err)
{
	uint64_t type_die = 0;

	if (!parse_length(unit, header, section_bytes, err))
		return false;
	unit->version = (uint8_t)take(header, 2);
	if (!header->cut && (unit->version < 2 || unit->version > 5 ||
			     header->bytes[header->at - 2 + (header->big_endian ? 0 : 1)]))
		return refuse(unit, "a DWARF version that is not known (2 to 5 are)", err);
	unit->type = unit->section == BC_DEBUG_TYPES ? DW_UT_type : DW_UT_compile;
	if (unit->version >= 5) {
		unit->type = (uint8_t)take(header, 1);
		unit->address_bytes = (uint8_t)take(header, 1);
		unit->abbrev_offset = take(header, unit->offset_bytes);
		if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile)
			unit->signature = take(header, 8);
		else if (unit->type != DW_UT_compile && unit->type != DW_UT_partial &&
			 unit->type != DW_UT_type && unit->type != DW_UT_split_type)
			return refuse(unit, "a unit type that is not known", err);
	} else {
		unit->abbrev_offset = take(header, unit->offset_bytes);
		unit->address_bytes = (uint8_t)take(header, 1);
	}
	if (unit->type == DW_UT_type || unit->type == DW_UT_split_type) {
		unit->signature = take(header, 8);
		type_die = take(header, unit->offset_bytes);
	}
	if (header->cut)
		return refuse(unit, "the unit's header is cut off", err);
	if (unit->address_bytes != 1 && unit->address_bytes != 2 && unit->address_bytes != 4 &&
	    unit->address_bytes != 8)
		return refuse(unit, "an address size that is not known", err);
	unit->header_bytes = (uint32_t)header->at;
	if (type_die && (type_die < header->at || type_die >= unit->end - unit->offset))
		return refuse(unit, "the type unit's type is not in it", err);
	unit->type_die = (uint32_t)type_die;
	return true;
}

static void *grow(void *items, uint32_t *limit, size_t item_bytes, struct bc_err *err)
{
	uint32_t wanted = *limit ? 2 * *limit : 64;
	void *grown = wanted < *limit ? NULL : realloc(items, wanted * item_bytes);

	if (grown)
		*limit = wanted;
	else
		bc_err_memory(err, (uint64_t)wanted * item_bytes);
	return grown;
}

static struct bc_unit *add_unit(struct bc_units *units, struct bc_err *err)
{
	if (units->count == units->limit) {
		struct bc_unit *grown = grow(units->units, &units->limit, sizeof(*units->units),
					     err);

		if (!grown)
			return NULL;
		units->units = grown;
	}
	return &units->units[units->count++];
}

static bool add_range(struct bc_units *units, const struct bc_dwarf_file *file, uint8_t section,
		      uint32_t begin, struct bc_err *err)
{
	if (units->range_count == units->range_limit) {
		struct bc_unit_range *grown = grow(units->ranges, &units->range_limit,
						   sizeof(*units->ranges), err);

		if (!grown)
			return false;
		units->ranges = grown;
	}
	units->ranges[units->range_count++] = (struct bc_unit_range){ file, section, begin,
								      units->count };
	return true;
}

static bool add_section(struct bc_units *units, const struct bc_unit *pattern, struct bc_err *err)
{
	const struct bc_dwarf_file *file = pattern->file;
	uint64_t section_bytes = file->sections[pattern->section].size_bytes;
	uint32_t begin = units->count;

	for (uint64_t offset = 0; offset < section_bytes;) {
		struct header header = { .big_endian = file->big_endian };
		struct bc_unit *unit = add_unit(units, err);

		if (!unit)
			return false;
		*unit = *pattern;
		unit->offset = offset;
		header.size = section_bytes - offset < HEADER_MAX ?
				      (size_t)(section_bytes - offset) :
				      HEADER_MAX;
		if (!bc_dwarf_read(file, (enum bc_dwarf_section_number)pattern->section, offset,
				   header.bytes, header.size, err) ||
		    !parse_header(unit, &header, section_bytes, err))
			return false;
		if (!unit->by_reference_only)
			units->total_bytes += unit->end - unit->offset;
		offset = unit->end;
	}
	return add_range(units, file, pattern->section, begin, err);
}

bool bc_units_add(struct bc_units *units, const struct bc_dwarf_file *file,
		  struct bc_string_ids *names, struct bc_err *err)
{
	struct bc_unit pattern = { .file = file };

	for (const struct bc_dwarf_file *part = file; part; part = part->alternate) {
		pattern.file = part;
		pattern.by_reference_only = part != file;
		for (int i = 0; i < 2; i++) {
			const struct bc_dwarf_section *strings =
				&part->sections[i ? BC_DEBUG_LINE_STR : BC_DEBUG_STR];

			if (!bc_string_ids_add_section(names, (const char *)strings->data,
						       strings->size_bytes, &pattern.names[i], err))
				return false;
		}
		pattern.section = BC_DEBUG_INFO;
		if (!add_section(units, &pattern, err))
			return bc_err_prefix(err, file->name);
		pattern.section = BC_DEBUG_TYPES;
		if (!add_section(units, &pattern, err))
			return bc_err_prefix(err, file->name);
	}
	return true;
}

static int compare_signatures(const void *a, const void *b)
{
	const struct bc_unit_signature *one = a, *other = b;

	if (one->signature != other->signature)
		return one->signature < other->signature ? -1 : 1;
	return (one->unit > other->unit) - (one->unit < other->unit);
}

bool bc_units_finish(struct bc_units *units, struct bc_err *err)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < units->count; i++)
		count += units->units[i].type_die != 0;
	units->signatures = malloc((size_t)count * sizeof(*units->signatures) + 1);
	units->imported = calloc((size_t)units->count + 1, 1);
	units->referred_to = calloc((size_t)units->count + 1, sizeof(*units->referred_to));
	if (!units->signatures || !units->imported || !units->referred_to)
		return bc_err_memory(err, (uint64_t)count * sizeof(*units->signatures));
	for (uint32_t i = 0; i < units->count; i++)
		if (units->units[i].type_die)
			units->signatures[units->signature_count++] =
				(struct bc_unit_signature){ units->units[i].signature, i };
	qsort(units->signatures, count, sizeof(*units->signatures), compare_signatures);
	return true;
}

bool bc_units_refer(const struct bc_units *units, uint32_t index, uint32_t offset,
		    struct bc_err *err)
{
	const struct bc_unit *unit = &units->units[index];
	uint64_t *bits = __atomic_load_n(&units->referred_to[index], __ATOMIC_ACQUIRE);
	size_t words = (size_t)(unit->end - unit->offset) / 64 + 1;

	if (!bits) {
		uint64_t *made = calloc(words, sizeof(*made));

		if (!made)
			return bc_err_memory(err, words * sizeof(*made));
		if (__atomic_compare_exchange_n(&units->referred_to[index], &bits, made, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			bits = made;
		else
			free(made);
	}
	bc_set_shared_bit(bits, offset);
	return true;
}

void bc_units_free(struct bc_units *units)
{
	for (uint32_t i = 0; units->referred_to && i < units->count; i++)
		free(units->referred_to[i]);
	free(units->referred_to);
	free(units->units);
	free(units->ranges);
	free(units->signatures);
	free(units->imported);
	*units = (struct bc_units){ 0 };
}

const struct bc_unit *bc_units_find(const struct bc_units *units, const struct bc_dwarf_file *file,
				    uint8_t section, uint64_t offset)
{
	for (uint32_t i = 0; i < units->range_count; i++) {
		const struct bc_unit_range *range = &units->ranges[i];
		const struct bc_unit *first = &units->units[range->begin], *found;
		struct bc_search search = bc_search_among(range->end - range->begin);

		if (range->file != file || range->section != section)
			continue;
		while (bc_search_goes_on(&search))
			bc_search_step(&search, first[search.middle].end <= offset);
		found = first + search.low;
		return found < &units->units[range->end] && found->offset <= offset ? found : NULL;
	}
	return NULL;
}

const struct bc_unit *bc_units_find_signature(const struct bc_units *units,
					      const struct bc_dwarf_file *file, uint64_t signature)
{
	const struct bc_unit *found = NULL;
	struct bc_search search = bc_search_among(units->signature_count);

	while (bc_search_goes_on(&search))
		bc_search_step(&search, units->signatures[search.middle].signature < signature);
	for (uint32_t i = search.low;
	     i < units->signature_count && units->signatures[i].signature == signature; i++) {
		const struct bc_unit *unit = &units->units[units->signatures[i].unit];

		if (unit->file == file)
			return unit;
		if (!found)
			found = unit;
	}
	return found;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The names of DIEs: from which section, by which form. */
#include "dwarf/walk.h"

#include <string.h>

static bool name_from_section(struct bc_walk *walk, uint32_t which, uint64_t offset, uint32_t *name)
{
	const struct bc_unit *unit = walk->scope->unit;
	const struct bc_dwarf_section *section =
		&unit->file->sections[which ? BC_DEBUG_LINE_STR : BC_DEBUG_STR];

	if (offset >= section->size_bytes)
		return bc_walk_refuse(walk, "a name beyond the string section");
	return bc_string_id_at(walk->collector->names, &walk->collector->name_guesses,
			       unit->names[which], offset, name, walk->err);
}

static bool name_from_index(struct bc_walk *walk, uint64_t index, uint32_t *name)
{
	const struct bc_scope *scope = walk->scope;
	const struct bc_dwarf_section *section = &scope->unit->file->sections[BC_DEBUG_STR_OFFSETS];
	uint8_t bytes = scope->unit->offset_bytes, entry[8] = { 0 };
	uint64_t at;

	if (__builtin_mul_overflow(index, bytes, &at) ||
	    __builtin_add_overflow(at, scope->str_offsets_base, &at) ||
	    section->size_bytes < bytes || at > section->size_bytes - bytes)
		return bc_walk_refuse(walk, "a name beyond .debug_str_offsets");
	/* It may be the last one: eight bytes from there could be too many. */
	memcpy(entry, section->data + at, bytes);
	return name_from_section(walk, 0, bc_load(entry, bytes, scope->swapped), name);
}

static bool name_from_alternate(struct bc_walk *walk, uint64_t offset, uint32_t *name)
{
	const struct bc_dwarf_file *alternate = walk->scope->unit->file->alternate;
	const struct bc_dwarf_section *section;

	if (!alternate)
		return bc_walk_refuse(walk,
				      "a name in an alternate debug file, which was not found");
	section = &alternate->sections[BC_DEBUG_STR];
	if (offset >= section->size_bytes)
		return bc_walk_refuse(walk, "a name beyond the alternate file's string section");
	return bc_string_id_of(walk->collector->names, (const char *)section->data + offset, name,
			       walk->err);
}

bool bc_walk_find_string(struct bc_walk *walk, enum bc_value_class value_class, uint64_t value,
			 uint32_t *name)
{
	switch (value_class) {
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
		return bc_walk_refuse(walk, "a name that is no string");
	}
}

bool bc_walk_take_string(struct bc_walk *walk, enum bc_slot slot, uint32_t *name)
{
	*name = 0;
	return !bc_die_has(&walk->die, slot) ||
	       bc_walk_find_string(walk, bc_die_class(&walk->die, slot),
				   bc_die_value(&walk->die, slot), name);
}

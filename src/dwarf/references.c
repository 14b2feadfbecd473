/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What types refer to. While a unit is read a reference is an offset, or says
 * which import it is; when all have been read, [translate] makes numbers of them.
 */
#include "dwarf/walk.h"

#include <inttypes.h>
#include <stdio.h>

bool bc_walk_refer_to(struct bc_walk *walk, const struct bc_unit *unit, uint64_t offset,
		      uint32_t *reference)
{
	struct bc_collector *collector = walk->collector;

	if (!unit || offset < unit->header_bytes || offset >= unit->end - unit->offset)
		return bc_walk_refuse(walk, "a reference to where no DIE is");
	if (unit != collector->home.unit)
		return bc_walk_import(walk,
				      bc_place((uint32_t)(unit - collector->units->units),
					       (uint32_t)offset),
				      reference);
	*reference = (uint32_t)offset;
	return true;
}

bool bc_walk_take_reference(struct bc_walk *walk, enum bc_slot slot, uint32_t *reference)
{
	const struct bc_units *units = walk->collector->units;
	const struct bc_unit *unit = walk->scope->unit;
	uint64_t value = bc_die_value(&walk->die, slot);

	*reference = 0;
	if (!bc_die_has(&walk->die, slot))
		return true;
	switch (bc_die_class(&walk->die, slot)) {
	case BC_VALUE_REF:
		return bc_walk_refer_to(walk, unit, value, reference);
	case BC_VALUE_REF_ADDR:
		unit = bc_units_find(units, unit->file, BC_DEBUG_INFO, value);
		return bc_walk_refer_to(walk, unit, unit ? value - unit->offset : 0, reference);
	case BC_VALUE_REF_SIG:
		unit = bc_units_find_signature(units, unit->file, value);
		if (!unit)
			return bc_walk_refuse(walk, "a type unit that is not there");
		return bc_walk_refer_to(walk, unit, unit->type_die, reference);
	case BC_VALUE_REF_ALT:
		if (!unit->file->alternate)
			return bc_walk_refuse(
				walk, "a type in an alternate debug file, which was not found");
		unit = bc_units_find(units, unit->file->alternate, BC_DEBUG_INFO, value);
		return bc_walk_refer_to(walk, unit, unit ? value - unit->offset : 0, reference);
	default:
		return bc_walk_refuse(walk, "a type that is no reference");
	}
}

bool bc_walk_refuse_type(struct bc_walk *walk, uint32_t number, const char *what)
{
	const struct bc_local_type *type = bc_local_type(walk->collector->local, number);

	bc_err_set(walk->err, "%s (DIE at 0x%x)", what, (uint32_t)type->place);
	return type->elsewhere && bc_walk_refuse_foreign(walk, (uint32_t)(type->place >> 32));
}

bool bc_walk_translate_one(struct bc_walk *walk, uint32_t number, uint32_t *reference)
{
	struct bc_collector *collector = walk->collector;
	uint32_t found;
	char text[64];

	if (!*reference || *reference == BC_INDEX_TYPE)
		return true;
	if ((*reference & BC_REF_NUMBER) == BC_REF_NUMBER) {
		*reference &= BC_REF_VALUE;
		return true;
	}
	if (*reference & BC_REF_IMPORT) {
		*reference = collector->imports[*reference & BC_REF_VALUE].number;
		return true;
	}
	found = bc_number_map_find(&collector->numbers, *reference);
	if (found) {
		*reference = found;
		return true;
	}
	if (!number)
		return bc_err_set(walk->err, "a variable of a type at 0x%x, where none is",
				  *reference);
	snprintf(text, sizeof(text), "a reference to 0x%x, where no type is", *reference);
	return bc_walk_refuse_type(walk, number, text);
}

/* All references of the type with NUMBER. */
static inline bool translate_edges(struct bc_walk *walk, uint32_t number, uint32_t *words)
{
	const struct bc_number_map *numbers = &walk->collector->numbers;
	struct bc_edges edges = bc_edges(words);
	uint32_t *word = words + edges.first;

	for (uint32_t i = 0; i < edges.count; i++, word += edges.stride) {
		uint32_t found = *word < BC_REF_IMPORT ? bc_number_map_find(numbers, *word) : 0;

		if (found)
			*word = found;
		else if (!bc_walk_translate_one(walk, number, word))
			return false;
	}
	return true;
}

bool bc_walk_translate(struct bc_walk *walk)
{
	struct bc_local *local = walk->collector->local;

	for (uint32_t number = 1; number <= local->type_count; number++) {
		const struct bc_local_type *type = bc_local_type(local, number);
		uint32_t *words = local->words + type->first_word;

		if (type->role == BC_LOCAL_DECLARATION || type->unread)
			continue;
		if (type->role == BC_LOCAL_ALIAS ? !bc_walk_translate_one(walk, number, words) :
						   !translate_edges(walk, number, words))
			return false;
	}
	return true;
}

/* More links than any type has: many members may look along one chain. */
#define LINKS_MAX 1000u

const uint32_t *bc_look_through(const struct bc_local *local, uint32_t number)
{
	for (uint32_t steps = 0; number && number != BC_INDEX_TYPE && steps < LINKS_MAX; steps++) {
		const struct bc_local_type *type = bc_local_type(local, number);
		const uint32_t *words = local->words + type->first_word;
		uint32_t kind;

		if (type->role == BC_LOCAL_DECLARATION || type->unread)
			return NULL;
		kind = type->role == BC_LOCAL_ALIAS ? BC_VOID : bc_info_kind(words[1]);
		if (kind != BC_VOID && kind != BC_TYPEDEF && !bc_kind_is_modifier(kind))
			return words;
		number = kind == BC_VOID ? words[0] : words[2];
	}
	return NULL;
}

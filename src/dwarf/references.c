/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What types refer to. While a unit is read a reference is an offset, or says
 * which import it is; when all have been read, those become labels too (merge/local.h).
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
	return type->elsewhere &&
	       bc_walk_refuse_foreign(walk->collector, (uint32_t)(type->place >> 32), walk->err);
}

static void settle_import(const struct bc_collector *collector, uint32_t *reference)
{
	if ((*reference & BC_REF_NUMBER) == BC_REF_IMPORT)
		*reference = BC_REF_NUMBER | collector->imports[*reference & BC_REF_VALUE].number;
}

void bc_walk_settle_imports(struct bc_walk *walk)
{
	struct bc_collector *collector = walk->collector;
	struct bc_local *local = collector->local;

	for (uint32_t number = 1; number <= local->type_count; number++) {
		const struct bc_local_type *type = bc_local_type(local, number);
		uint32_t *words = local->words + type->first_word;
		struct bc_edges edges;

		if (type->role == BC_LOCAL_DECLARATION || type->unread)
			continue;
		if (type->role == BC_LOCAL_ALIAS) {
			settle_import(collector, words);
			continue;
		}
		edges = bc_edges(words);
		for (uint32_t i = 0; i < edges.count; i++)
			settle_import(collector, &words[bc_edge_word(edges, i)]);
	}
	for (uint32_t i = 0; i < collector->fixup_count; i++)
		settle_import(collector, &collector->fixups[i].reference);
	for (uint32_t i = 0; i < collector->variable_count; i++)
		settle_import(collector, &collector->variables[i].reference);
}

/* More links than any type has: many members may look along one chain. */
#define LINKS_MAX 1000u

const uint32_t *bc_look_through(const struct bc_local *local, uint32_t label)
{
	for (uint32_t steps = 0; steps < LINKS_MAX; steps++) {
		uint32_t number = bc_local_number(local, label);
		const struct bc_local_type *type = number ? bc_local_type(local, number) : NULL;
		const uint32_t *words;
		uint32_t kind;

		if (!type || type->role == BC_LOCAL_DECLARATION || type->unread)
			return NULL;
		words = local->words + type->first_word;
		kind = type->role == BC_LOCAL_ALIAS ? BC_VOID : bc_info_kind(words[1]);
		if (kind != BC_VOID && kind != BC_TYPEDEF && !bc_kind_is_modifier(kind))
			return words;
		label = kind == BC_VOID ? words[0] : words[2];
	}
	return NULL;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Types of other units: each place that was referred to is decoded once, with
 * all below it, as if it stood in this unit.
 */
#include "dwarf/walk.h"

#include "base/room.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint32_t hash_place(uint64_t place, uint32_t slots)
{
	return (uint32_t)(place * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (slots - 1);
}

static bool grow_import_slots(struct bc_collector *collector, struct bc_err *err)
{
	uint32_t slots = collector->import_slot_count ? 2 * collector->import_slot_count : 256;
	uint32_t *table = calloc(slots, sizeof(*table));

	if (!table)
		return bc_err_memory(err, (uint64_t)slots * sizeof(*table));
	for (uint32_t i = 0; i < collector->import_count; i++) {
		uint32_t at = hash_place(collector->imports[i].place, slots);

		while (table[at])
			at = (at + 1) & (slots - 1);
		table[at] = i + 1;
	}
	free(collector->import_slots);
	collector->import_slots = table;
	collector->import_slot_count = slots;
	return true;
}

bool bc_walk_import(struct bc_walk *walk, uint64_t place, uint32_t *reference)
{
	struct bc_collector *collector = walk->collector;
	uint32_t at;

	if (2 * collector->import_count >= collector->import_slot_count &&
	    !grow_import_slots(collector, walk->err))
		return false;
	at = hash_place(place, collector->import_slot_count);
	for (; collector->import_slots[at]; at = (at + 1) & (collector->import_slot_count - 1)) {
		if (collector->imports[collector->import_slots[at] - 1].place == place) {
			*reference = BC_REF_IMPORT | (collector->import_slots[at] - 1);
			return true;
		}
	}
	if (!bc_make_room(&collector->imports, &collector->import_limit,
			  (uint64_t)collector->import_count + 1, sizeof(*collector->imports),
			  walk->err))
		return false;
	if (collector->import_count == BC_REF_VALUE)
		return bc_walk_refuse(walk, "too many references to other units");
	if (!bc_units_refer(collector->units, (uint32_t)(place >> 32), (uint32_t)place, walk->err))
		return false;
	*reference = BC_REF_IMPORT | collector->import_count;
	collector->imports[collector->import_count++] = (struct bc_import){ place, 0 };
	collector->import_slots[at] = collector->import_count;
	return true;
}

bool bc_walk_import_unit(struct bc_walk *walk)
{
	const struct bc_units *units = walk->collector->units;
	const struct bc_dwarf_file *file = walk->scope->unit->file;
	uint64_t value = bc_die_value(&walk->die, BC_SLOT_IMPORT);
	const struct bc_unit *unit;
	uint8_t no = 0;

	if (!bc_die_has(&walk->die, BC_SLOT_IMPORT))
		return true;
	if (bc_die_class(&walk->die, BC_SLOT_IMPORT) == BC_VALUE_REF_ALT) {
		if (!file->alternate)
			return bc_walk_refuse(
				walk, "a unit in an alternate debug file, which was not found");
		file = file->alternate;
	} else if (bc_die_class(&walk->die, BC_SLOT_IMPORT) != BC_VALUE_REF_ADDR) {
		return true;
	}
	unit = bc_units_find(units, file, BC_DEBUG_INFO, value);
	if (!unit)
		return bc_walk_refuse(walk, "an imported unit that is not there");
	if (unit->by_reference_only)
		__atomic_compare_exchange_n(&units->imported[unit - units->units], &no, 1, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return true;
}

/* The unit with index UNIT_INDEX, loaded; the one used longest ago gives way. */
static struct bc_scope *load_foreign(struct bc_walk *walk, uint32_t unit_index)
{
	struct bc_collector *collector = walk->collector;
	struct bc_scope *scope;

	for (uint32_t i = 0; i < BC_FOREIGN_SCOPES; i++)
		if (collector->foreign[i].unit && collector->foreign[i].unit_index == unit_index)
			return &collector->foreign[i];
	scope = &collector->foreign[collector->next_foreign++ % BC_FOREIGN_SCOPES];
	if (!bc_scope_load(scope, &collector->units->units[unit_index], unit_index, walk->err))
		return NULL;
	walk->scope = scope;
	if (bc_walk_read_root(walk))
		return scope;
	/* Whoever refers to it next has to hear the same. */
	scope->unit = NULL;
	return NULL;
}

static bool import_one(struct bc_walk *walk, struct bc_import *import)
{
	struct bc_local *local = walk->collector->local;
	uint32_t first = local->type_count;

	walk->scope = load_foreign(walk, (uint32_t)(import->place >> 32));
	if (!walk->scope || !bc_walk_from(walk, (uint32_t)import->place))
		return false;
	if (local->type_count == first || bc_local_type(local, first + 1)->place != import->place)
		return bc_err_set(walk->err, "no type is there (DIE at 0x%x)",
				  (uint32_t)import->place);
	import->number = first + 1;
	return true;
}

bool bc_walk_refuse_foreign(const struct bc_collector *collector, uint32_t unit_index,
			    struct bc_err *err)
{
	return bc_err_reword(err, "%.400s in the unit at 0x%" PRIx64 ", to which it refers",
			     err->text, collector->units->units[unit_index].offset);
}

bool bc_walk_import_all(struct bc_walk *walk)
{
	struct bc_collector *collector = walk->collector;
	uint32_t done = 0;

	walk->is_foreign = true;
	while (done < collector->import_count) {
		uint32_t end = collector->import_count;

		if (!bc_make_keyed_room(&collector->import_order, &collector->order_spare,
					&collector->order_limit, end - done, walk->err))
			return false;
		for (uint32_t i = done; i < end; i++)
			collector->import_order[i - done] =
				(struct bc_keyed){ collector->imports[i].place, i };
		bc_sort_keyed(collector->import_order, collector->order_spare, end - done);
		for (uint32_t i = 0; i < end - done; i++) {
			uint32_t number = collector->import_order[i].value;
			struct bc_import import = collector->imports[number];

			if (!import_one(walk, &import))
				return bc_walk_refuse_foreign(
					collector, (uint32_t)(import.place >> 32), walk->err);
			collector->imports[number].number = import.number;
		}
		done = end;
	}
	if (done)
		bc_walk_settle_imports(walk);
	return true;
}

void bc_collector_forget_imports(struct bc_collector *collector)
{
	if (collector->import_count)
		memset(collector->import_slots, 0,
		       collector->import_slot_count * sizeof(*collector->import_slots));
	collector->import_count = 0;
}

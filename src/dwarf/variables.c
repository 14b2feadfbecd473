/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Variables of the unit with a place in the per-CPU section. */
#include "dwarf/walk.h"

#include "base/room.h"

bool bc_walk_open_variable(struct bc_walk *walk, struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	const struct bc_symbols *symbols = collector->symbols;
	struct bc_variable variable = { .unit = walk->scope->unit_index };
	uint64_t address, declaration = 0, external = 0;

	if (!symbols || !symbols->percpu_bytes || walk->is_foreign || walk->depth != 1 ||
	    !bc_variable_address(&walk->die, walk->scope, &address))
		return true;
	bc_die_number(&walk->die, BC_SLOT_DECLARATION, &declaration);
	bc_die_number(&walk->die, BC_SLOT_EXTERNAL, &external);
	variable.offset = address - symbols->percpu_address;
	variable.is_external = external != 0;
	variable.origin = bc_walk_take_origin(walk);
	if (declaration || variable.offset >= symbols->percpu_bytes ||
	    (!variable.offset && !symbols->percpu_has_first))
		return true;
	if (!bc_walk_take_name(walk, &variable.name) ||
	    !bc_walk_take_reference(walk, BC_SLOT_TYPE, &variable.reference) ||
	    !bc_make_room(&collector->variables, &collector->variable_limit,
			  (uint64_t)collector->variable_count + 1, sizeof(*collector->variables),
			  walk->err))
		return false;
	frame->role = BC_FRAME_VARIABLE;
	frame->number = collector->variable_count;
	collector->variables[collector->variable_count++] = variable;
	return true;
}

/*
 * A variable that was declared before takes name, type and linkage from the
 * declaration, whose DIE is decoded once more.
 */
static bool complete_variable(struct bc_walk *walk, struct bc_variable *variable)
{
	const uint8_t *at = walk->scope->bytes + variable->origin;
	uint64_t external = 0;

	if (!variable->origin || variable->origin < walk->scope->unit->header_bytes ||
	    bc_die_decode(&walk->die, walk->scope, &at, walk->err) != BC_DIE_FOUND)
		return true;
	bc_die_number(&walk->die, BC_SLOT_EXTERNAL, &external);
	variable->is_external |= external != 0;
	if (!variable->name && !bc_walk_take_name(walk, &variable->name))
		return false;
	return variable->reference ||
	       bc_walk_take_reference(walk, BC_SLOT_TYPE, &variable->reference);
}

bool bc_walk_finish_variables(struct bc_walk *walk)
{
	struct bc_collector *collector = walk->collector;

	for (uint32_t i = 0; i < collector->variable_count; i++)
		if (!complete_variable(walk, &collector->variables[i]))
			return false;
	return true;
}

bool bc_walk_translate_variables(struct bc_walk *walk)
{
	struct bc_collector *collector = walk->collector;

	for (uint32_t i = 0; i < collector->variable_count; i++)
		if (!bc_walk_translate_one(walk, 0, &collector->variables[i].reference))
			return false;
	return true;
}

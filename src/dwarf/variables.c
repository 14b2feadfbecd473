/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Variables of the unit with a place in a section that is wanted. */
#include "dwarf/walk.h"

#include "base/room.h"

bool bc_walk_open_variable(struct bc_walk *walk, struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	const struct bc_places *places = collector->places;
	struct bc_variable variable = { .unit = walk->scope->unit_index };
	uint64_t address, declaration = 0, artificial = 0, external = 0;

	if (!places->count || walk->is_foreign || walk->depth != 1 ||
	    !bc_variable_address(&walk->die, walk->scope, &address) ||
	    !bc_places_find(places, walk->scope->unit->file, address, &variable.section,
			    &variable.offset))
		return true;
	bc_die_number(&walk->die, BC_SLOT_DECLARATION, &declaration);
	bc_die_number(&walk->die, BC_SLOT_ARTIFICIAL, &artificial);
	if (declaration || artificial)
		return true;
	bc_die_number(&walk->die, BC_SLOT_EXTERNAL, &external);
	variable.is_external = external != 0;
	variable.origin = bc_walk_take_origin(walk);
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
 * A variable that was declared before takes name, type, linkage and tags from
 * the declaration, whose DIE is decoded once more.
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
	if (!variable->reference &&
	    !bc_walk_take_reference(walk, BC_SLOT_TYPE, &variable->reference))
		return false;
	return !bc_die_has(&walk->die, BC_SLOT_ANNOTATION) ||
	       bc_walk_add_declared_tags(walk, variable);
}

bool bc_walk_finish_variables(struct bc_walk *walk)
{
	struct bc_collector *collector = walk->collector;

	for (uint32_t i = 0; i < collector->variable_count; i++)
		if (!complete_variable(walk, &collector->variables[i]))
			return false;
	return true;
}

static bool translate(struct bc_walk *walk, uint32_t *reference)
{
	uint32_t number = bc_local_number(walk->collector->local, *reference);

	if (*reference && !number)
		return bc_err_set(walk->err, "a variable of a type at 0x%x, where none is",
				  *reference);
	*reference = number;
	return true;
}

bool bc_walk_translate_variables(struct bc_walk *walk)
{
	struct bc_collector *collector = walk->collector;

	for (uint32_t i = 0; i < collector->variable_count; i++)
		if (!translate(walk, &collector->variables[i].reference))
			return false;
	return true;
}

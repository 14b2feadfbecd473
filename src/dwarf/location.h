/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_LOCATION_H
#define BC_DWARF_LOCATION_H

#include "dwarf/die.h"

/* How a machine passes parameters, as far as it is known. */
struct bc_registers {
	uint8_t count;
	uint8_t number[8]; /* DWARF's */
};

/* Of the machines whose maps are known; count 0 for others: nothing is judged. */
struct bc_registers bc_parameter_registers(uint16_t machine);

/* Where a parameter stands when its function is entered. */
enum bc_standing {
	BC_STANDS_UNKNOWN,   /* no location is given */
	BC_STANDS_IN_PLACE,  /* in the register where it belongs, or not judged */
	BC_STANDS_ELSEWHERE, /* in another register */
	BC_STANDS_NOWHERE,   /* optimized away: a constant, or no register at entry */
};

/*
 * Judges the parameter DIE, the INDEX-th of its function (0 the first).
 * Lists that make no sense count as no register: they are not what is encoded.
 */
enum bc_standing bc_parameter_standing(const struct bc_die *die, const struct bc_scope *scope,
				       uint32_t index, struct bc_registers registers);

/* Where a function's code begins: false where the DIE has none. */
bool bc_entry_address(const struct bc_die *die, const struct bc_scope *scope, uint64_t *address);

/* Sets scope->low_pc, what the unit's lists count from, from the unit's DIE. */
void bc_unit_low_pc(const struct bc_die *die, struct bc_scope *scope);

/* The address of a variable with a fixed one. */
bool bc_variable_address(const struct bc_die *die, const struct bc_scope *scope, uint64_t *address);

#endif

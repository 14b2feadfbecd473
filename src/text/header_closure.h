/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_HEADER_CLOSURE_H
#define BC_TEXT_HEADER_CLOSURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * What each of a list of items needs, directly or not: a row of bits for each
 * item that needs something, a column for each that something needs. Most
 * items have none of the two. Columns are in the order of places, so that
 * "behind it in the list" is "from its column on".
 */
struct bc_closure {
	uint32_t *row;    /* [places] number of the row; row 0 is empty */
	uint32_t *column; /* [places + 1] columns before it; its own, if it has one */
	uint32_t *place;  /* by column */
	size_t row_words;
	uint64_t *bits; /* rows */
};

/* Direct needs: PLACE needs needs[first[place]] to needs[first[place + 1] - 1]. */
struct bc_direct_needs {
	uint32_t count; /* of places */
	const uint32_t *first;
	const uint32_t *needs;       /* places */
	const uint32_t *topological; /* [count] places, each after what it needs */
};

/* Arrays live in ARENA. Rows times columns bits, and as many steps for each direct need. */
bool bc_closure_make(struct bc_closure *closure, const struct bc_direct_needs *direct,
		     struct bc_arena *arena, struct bc_err *err);

static inline const uint64_t *bc_closure_row(const struct bc_closure *closure, uint32_t place)
{
	return closure->bits + closure->row_words * closure->row[place];
}

static inline bool bc_closure_is_needed(const struct bc_closure *closure, uint32_t place)
{
	return closure->column[place + 1] > closure->column[place];
}

/* Whether PLACE is needed and SET, bits by column, has it. */
static inline bool bc_closure_has(const struct bc_closure *closure, const uint64_t *set,
				  uint32_t place)
{
	uint32_t column = closure->column[place];

	return bc_closure_is_needed(closure, place) && set[column / 64] >> column % 64 & 1;
}

/* Puts PLACE into SET, if it is needed. */
static inline void bc_closure_put(const struct bc_closure *closure, uint64_t *set, uint32_t place)
{
	uint32_t column = closure->column[place];

	if (bc_closure_is_needed(closure, place))
		set[column / 64] |= UINT64_C(1) << column % 64;
}

/* Whether PLACE needs something behind it that SET has; SET NULL: anything. */
bool bc_closure_needs_later(const struct bc_closure *closure, uint32_t place, const uint64_t *set);

/* Puts what PLACE needs and is behind it into SET. */
void bc_closure_put_later(const struct bc_closure *closure, uint32_t place, uint64_t *set);

/* The last place of SET that PLACE needs, UINT32_MAX: none. */
uint32_t bc_closure_last(const struct bc_closure *closure, uint32_t place, const uint64_t *set);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_HEADER_BASELINE_H
#define BC_TEXT_HEADER_BASELINE_H

#include <stddef.h>

#include "text/header_items.h"

/*
 * The order of an older header: what it defines, by name, and where. Any
 * header in the usual style of vmlinux.h will do; what is not understood in it
 * is passed over. A zeroed one is empty.
 */
struct bc_baseline {
	uint64_t *hashes; /* of names, 0: free */
	uint32_t *places; /* of the definition: first, second, … */
	size_t capacity;  /* a power of two, or 0 */
	uint64_t hash_seed;
	uint32_t count;
};

/* A part of a text. */
struct bc_span {
	size_t begin, bytes;
};

/* Reads LENGTH bytes of TEXT. Arrays live in ARENA. */
bool bc_baseline_read(struct bc_baseline *baseline, const char *text, size_t length,
		      struct bc_arena *arena, struct bc_err *err);

/*
 * Puts items into INDEX: those of the older header in its order, new ones
 * behind the one before them of their class. Sets LINES of new ones to 0, so
 * that they give way to all others. BODY[i] is where the text of item i is in
 * BODIES.
 */
bool bc_baseline_index(uint32_t *index, uint32_t *lines, const struct bc_baseline *baseline,
		       const struct bc_items *items, const char *bodies, const struct bc_span *body,
		       struct bc_err *err);

#endif

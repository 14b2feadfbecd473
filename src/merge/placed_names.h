/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_MERGE_PLACED_NAMES_H
#define BC_MERGE_PLACED_NAMES_H

#include "base/workers.h"
#include "merge/string_ids.h"

/*
 * Name ids on their way to string offsets: threads say which are used, then
 * all get their places at once, then threads ask for them. A bit per id that
 * there can be, and what is used is counted up to it: nothing is looked up by
 * content, and the places depend on which names are used only.
 */
struct bc_placed_names {
	const struct bc_string_ids *names;
	uint64_t *used; /* atomic: bits, by number of the id */
	/* Atomic: bits, by 64 words of those: some bit is set. Most ids that there can be are not used. */
	uint64_t *inhabited;
	uint32_t *before; /* used ones before this word of bits, where it has some */
	uint32_t word_count, count;
	uint32_t *offset; /* by used one; before that: bytes */
};

/* Memory, here and later, from ARENA. */
bool bc_placed_names_begin(struct bc_placed_names *placed, const struct bc_string_ids *names,
			   struct bc_arena *arena, struct bc_err *err);

/* Thread-safe. */
void bc_placed_names_use(struct bc_placed_names *placed, uint32_t name);

/* When all are known: they stand behind each other from offset *END on, which moves behind them. */
bool bc_placed_names_place(struct bc_placed_names *placed, uint64_t *end,
			   struct bc_workers *workers, struct bc_arena *arena, struct bc_err *err);

/* Writes them to where they are placed. */
void bc_placed_names_write(struct bc_placed_names *placed, char *strings,
			   struct bc_workers *workers);

/* The offset of a used name; 0: of one without text. */
uint32_t bc_placed_name(const struct bc_placed_names *placed, uint32_t name);

#endif

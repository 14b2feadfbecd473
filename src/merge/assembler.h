/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_MERGE_ASSEMBLER_H
#define BC_MERGE_ASSEMBLER_H

#include "base/order.h"
#include "merge/assemble.h"
#include "merge/placed_names.h"

/* What the passes of bc_assemble share. */

#define BC_ITEMS_AT_ONCE 2048u /* that a thread takes */

/* A type to be written: a node, under a meaning (0: plain). */
struct bc_item {
	uint32_t node;    /* id; of a leaf: its forward declaration */
	uint32_t meaning; /* 1 the first */
};

struct bc_assembler {
	const struct bc_census *census;
	const struct bc_interner *interner;
	const struct bc_string_ids *names;
	struct bc_item *items; /* by type id - 1 */
	uint32_t item_count, item_limit;
	const uint8_t *plain;
	uint32_t *type_of;     /* by number: the type with the plain meaning; 0: not (yet) made */
	uint32_t *instance_of; /* by number, under the meaning at hand; 0: not yet made */
	uint32_t *own_under;   /* by number: the last meaning under which it is no plain one */
	uint32_t index_type;
	const struct bc_root *roots;
	uint32_t root_count;
	uint32_t function_count; /* the roots before the variables */
	/* Those of units with a meaning; key: unit, value: number of the root. */
	struct bc_keyed *root_order;
	uint32_t ordered_count;
	uint32_t *root_types;          /* type of the prototype; 0: not made */
	struct bc_placed_names placed; /* names of nodes */
	char *strings;                 /* all, in the graph's memory */
	uint64_t string_bytes;         /* that are used so far */
	struct bc_workers *workers;
	struct bc_arena *arena, *scratch;
	struct bc_err *err;
};

/* The type that node ID plainly is, made where there is none yet. */
bool bc_assembler_find_plain(struct bc_assembler *assembler, uint32_t id, uint32_t *type);

/* How many tags a root has beside its node's. */
uint32_t bc_root_tag_count(const struct bc_root *root);

#define BC_TAG_WORDS (BC_HEAD_WORDS + 1)

void bc_write_tag(uint32_t *to, uint32_t name, uint32_t type, uint32_t component);

/* Its tags, on type TYPE; *TO moves on. */
void bc_assembler_write_root_tags(struct bc_assembler *assembler, uint32_t **to,
				  const struct bc_root *root, uint32_t type);

/* Places TEXT behind all other strings, where room has been made for it; its offset. */
uint32_t bc_assembler_add_string(struct bc_assembler *assembler, const char *text);

/* ---- emit.c ---- */

/*
 * Writes all types and functions to OUT, with their tags. REFERENCES are those of items with
 * a meaning, in their order.
 */
bool bc_assembler_emit(struct bc_assembler *assembler, struct bc_graph *out,
		       const uint32_t *references);

/* ---- emit_variables.c ---- */

/* At most so many types, and words, come behind them. */
uint64_t bc_assembler_variable_types(const struct bc_assembler *assembler);
uint64_t bc_assembler_variable_words(const struct bc_assembler *assembler);

/* Variables, those of a section followed by the section. */
bool bc_assembler_emit_variables(struct bc_assembler *assembler, struct bc_graph *out,
				 struct bc_assemble_stats *stats);

#endif

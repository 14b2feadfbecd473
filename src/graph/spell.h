/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_GRAPH_SPELL_H
#define BC_GRAPH_SPELL_H

#include "base/arena.h"
#include "base/text.h"
#include "graph/graph.h"
#include "graph/names.h"
#include "graph/repeats.h"
#include "graph/tags.h"

/*
 * Types as C spells them: "const struct foo *(*ops[3])(int, ...)". Named types
 * are referred to by name and number (names.h), unnamed structs, unions and
 * enums are written in place, and what C cannot say is said in a way of its
 * own, so that different types are spelled differently. docs/dump-format.md
 * has the grammar.
 *
 * Nothing here uses the C stack for nesting: types nest as deep as memory goes.
 */
struct bc_spell {
	const struct bc_graph *graph;
	struct bc_text *text;
	struct bc_names names;
	struct bc_tags tags;
	struct bc_repeats repeats;
	struct bc_err *err;

	/* The writer's own. */
	struct bc_spell_frame *frames; /* what is being written, outermost first */
	size_t frame_count;
	uint32_t frame_limit;
	uint32_t *chain; /* types from declared ones towards their bases, all frames' */
	size_t chain_count;
	uint32_t chain_limit;
	uint32_t depth;        /* of braces */
	uint8_t gap;           /* what stands before the next token */
	bool break_parameters; /* of the function declared: one to a line */
	size_t give_up_at;     /* stop when the text's buffer holds as much; 0: never */
};

/*
 * TEXT stays the caller's. Arrays live in ARENA, stacks in the spell until
 * bc_spell_close. ERR is kept for later calls. GRAPH must be valid (graph/check.h).
 */
bool bc_spell_open(struct bc_spell *spell, const struct bc_graph *graph, struct bc_text *text,
		   struct bc_arena *arena, struct bc_err *err);

/* Also after a failed open of a zeroed spell. */
void bc_spell_close(struct bc_spell *spell);

/* A new block for what ROOT says: labels count from 1, nothing was written yet. */
bool bc_spell_begin(struct bc_spell *spell, uint32_t root);

/*
 * Writes a declaration of the type TYPE_ID: "int *name[3]". NAMED is the
 * TYPEDEF, FUNC or VAR whose name is declared, 0 for none ("int *[3]"). Tags
 * of a FUNC's parameters are written beside them.
 */
bool bc_spell_declaration(struct bc_spell *spell, uint32_t type_id, uint32_t named);

/*
 * Writes a struct, union or enum from its keyword to its size:
 * "struct foo {\n … } size 8". The lines in between are indented.
 */
bool bc_spell_body(struct bc_spell *spell, uint32_t type_id);

/* Writes " decl_tag("…")" for each tag on the whole of type ID. */
void bc_spell_tags(struct bc_spell *spell, uint32_t id);

/* Writes " decl_tag("…"" or " decl_attr("…"", without the closing parenthesis. */
void bc_spell_tag_open(struct bc_spell *spell, const uint32_t *tag);

#endif

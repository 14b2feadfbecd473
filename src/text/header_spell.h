/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_HEADER_SPELL_H
#define BC_TEXT_HEADER_SPELL_H

#include "base/notes.h"
#include "base/text.h"
#include "text/header_items.h"

/*
 * Writes definitions in C, one at a time, into a text. What C cannot say there
 * becomes void behind a pointer, or bytes, with a comment and a note. Nothing
 * here uses the C stack for nesting.
 */
struct bc_c_spell {
	const struct bc_graph *graph;
	struct bc_text *text;
	struct bc_c_names *names;
	const struct bc_layout *layout;
	const struct bc_items *items;
	struct bc_notes *notes;
	bool offsets;              /* a comment with the byte offset beside each member */
	uint64_t text_limit_bytes; /* beyond which no more is tried */
	struct bc_err *err;

	/* The writer's own. */
	uint64_t steps_left; /* along chains of which not every link is text */
	struct bc_c_frame *frames;
	size_t frame_count;
	uint32_t frame_limit;
	struct bc_c_piece *chain;
	size_t chain_count;
	uint32_t chain_limit;
	uint32_t depth;
	uint32_t knot;          /* of the item being written */
	uint32_t cut_count;     /* what C could not say in it */
	uint32_t doubled_count; /* names of its members that were numbered */
	uint32_t pad_number;    /* the last one that the name of a gap in it has */
	bool after_word;
	uint8_t *is_open; /* by id: unnamed types that are being written */
	uint32_t *walked; /* by id: the last chain that had it */
	uint32_t walk;
	uint32_t *seen;    /* by string offset: the last scope that had the name */
	uint32_t *doubled; /* by string offset: a scope that had it twice; NULL: none did */
	uint32_t scope;
	uint32_t *scan; /* structs to be looked through for names */
	size_t scan_count;
	uint32_t scan_limit;
};

/* Arrays live in ARENA, stacks in the spell until bc_c_spell_close. */
bool bc_c_spell_open(struct bc_c_spell *spell, struct bc_arena *arena);
void bc_c_spell_close(struct bc_c_spell *spell);

/* Writes the definition that ITEM is, with its lines. */
bool bc_c_spell_item(struct bc_c_spell *spell, uint32_t item);

/* Writes "extern … NAME(…) MARKS;\n" for a kfunc. */
bool bc_c_spell_kfunc(struct bc_c_spell *spell, uint32_t func_id, bool is_fastcall);

/* Writes "struct NAME" or "union NAME". */
void bc_c_spell_tag(struct bc_c_spell *spell, uint32_t id);

#endif

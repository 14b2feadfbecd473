/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_COMPARE_WORDS_H
#define BC_COMPARE_WORDS_H

#include "compare/difference.h"
#include "graph/spell.h"

/*
 * How both sides' types are spelled in reports: as C, on one line, an unnamed
 * struct, union or enum as "struct {...}".
 */
struct bc_words {
	const struct bc_comparison *comparison;
	struct bc_spell spells[2];
	struct bc_text spelled;  /* what a spell wrote last */
	struct bc_text types[2]; /* a type of each side on one line, the one asked for last */
	uint32_t type_ids[2];    /* which that is, 0: none */
	struct bc_text line;     /* a name */
	struct bc_arena arena;
	struct bc_err *err;
};

/* ERR is kept for later calls. bc_words_close frees, also after failure of a zeroed one. */
bool bc_words_open(struct bc_words *words, const struct bc_comparison *comparison,
		   struct bc_err *err);
void bc_words_close(struct bc_words *words);

/* "const struct foo *": a string that stays until the next call for that side; NULL: err is set. */
const char *bc_words_type(struct bc_words *words, unsigned int which, uint32_t type_id);

/*
 * What a reader calls a listed type: its name and number, "{ FIRST_VALUE, ... }"
 * for an unnamed enum. Stays until the next call; NULL: err is set.
 */
const char *bc_words_name(struct bc_words *words, unsigned int which, uint32_t id);

/* All of a listed type as C, over several lines, without an end of line. The same. */
const char *bc_words_definition(struct bc_words *words, unsigned int which, uint32_t id);

/* NAME as it is where it is printable, else in quotes with escapes. */
void bc_words_put_name(struct bc_text *text, const char *name);

/* "global", "static", "extern". */
const char *bc_linkage_word(uint32_t linkage);

#endif

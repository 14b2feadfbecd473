/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_SUGGEST_H
#define BC_CLI_SUGGEST_H

#include <stddef.h>

/*
 * What somebody may have meant by a word that nobody knows. Every known word is
 * offered once; the nearest ones are kept, those that begin with WORD first.
 */
struct bc_suggestion {
	const char *word; /* not copied */
	size_t length;
	unsigned int distance; /* of what is in the text */
	char text[160];
};

/* WORD is taken without the dashes before it and what comes after a "=". */
void bc_suggest_begin(struct bc_suggestion *suggestion, const char *word);

/* A known word, and what is written before it: "--" before an option. */
void bc_suggest_offer(struct bc_suggestion *suggestion, const char *prefix, const char *known);

/* ": did you mean --base?", or "" if nothing is near; after it nothing can be offered. */
const char *bc_suggest_text(struct bc_suggestion *suggestion);

#endif

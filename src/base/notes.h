/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_NOTES_H
#define BC_BASE_NOTES_H

#include <stdint.h>

/*
 * What is legal but deserves a word: warnings, counted by kind, the first of
 * each kind kept as text. Library code never prints; whoever owns the notes
 * does. A zeroed struct is empty and valid.
 */
#define BC_NOTE_KINDS 24

struct bc_note {
	const char *what; /* the kind, a string literal: "a member beyond its struct" */
	uint64_t count;
	char first[200]; /* where it was met first */
};

struct bc_notes {
	uint32_t kind_count;
	struct bc_note notes[BC_NOTE_KINDS];
};

/*
 * Counts one WHAT; the format says where. NOTES may be NULL: nothing happens. There is room
 * for more kinds than there are; others would not be counted.
 */
void bc_note(struct bc_notes *notes, const char *what, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "base/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void bc_note(struct bc_notes *notes, const char *what, const char *format, ...)
{
	struct bc_note *note;
	va_list args;
	uint32_t kind;

	if (!notes)
		return;
	for (kind = 0; kind < notes->kind_count; kind++) {
		if (!strcmp(notes->notes[kind].what, what)) {
			notes->notes[kind].count++;
			return;
		}
	}
	if (notes->kind_count == BC_NOTE_KINDS)
		return;
	note = &notes->notes[notes->kind_count++];
	note->what = what;
	note->count = 1;
	va_start(args, format);
	vsnprintf(note->first, sizeof(note->first), format, args);
	va_end(args);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_TEXT_H
#define BC_BASE_TEXT_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"

/*
 * Text on its way to a stream, through one large buffer. Errors stick: after
 * one, everything put is dropped, so that callers look once per block.
 */
struct bc_text {
	FILE *stream; /* NULL: all of it stays in memory */
	char *bytes;  /* what is not written yet */
	size_t used;
	size_t capacity;
	uint64_t written_bytes;
	uint64_t limit_bytes; /* more text than this is an error */
	bool held;            /* nothing is written, so that it can be taken back */
	bool failed;          /* err says why */
	struct bc_err *err;
};

/* Fails on memory only; then TEXT is zero. */
bool bc_text_open(struct bc_text *text, FILE *stream, uint64_t limit_bytes, struct bc_err *err);

/* Writes out what is left. False: something failed, now or before. */
bool bc_text_flush(struct bc_text *text);

/* Also fine on a zeroed one. What was not flushed is lost. */
void bc_text_close(struct bc_text *text);

/* Room for COUNT more bytes; false after an error. */
bool bc_text_make_room(struct bc_text *text, size_t count);

/*
 * From bc_text_hold on nothing leaves the buffer until bc_text_release;
 * bc_text_take_back drops what came after the place that bc_text_hold gave.
 */
static inline size_t bc_text_hold(struct bc_text *text)
{
	text->held = true;
	return text->used;
}

static inline void bc_text_take_back(struct bc_text *text, size_t place)
{
	if (!text->failed)
		text->used = place;
}

static inline void bc_text_release(struct bc_text *text)
{
	text->held = false;
}

static inline bool bc_text_has_room(struct bc_text *text, size_t count)
{
	return count <= text->capacity - text->used || bc_text_make_room(text, count);
}

static inline void bc_text_put(struct bc_text *text, const char *bytes, size_t count)
{
	if (bc_text_has_room(text, count)) {
		memcpy(text->bytes + text->used, bytes, count);
		text->used += count;
	}
}

static inline void bc_text_char(struct bc_text *text, char byte)
{
	if (bc_text_has_room(text, 1))
		text->bytes[text->used++] = byte;
}

static inline void bc_text_string(struct bc_text *text, const char *string)
{
	bc_text_put(text, string, strlen(string));
}

void bc_text_repeat(struct bc_text *text, char byte, size_t count);
void bc_text_number(struct bc_text *text, uint64_t number);
void bc_text_signed(struct bc_text *text, int64_t number);

/* Two hexadecimal digits. */
void bc_text_hex(struct bc_text *text, uint8_t byte);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/room.h"

#define BUFFER_BYTES ((size_t)256 * 1024)

static bool fail(struct bc_text *text)
{
	text->failed = true;
	text->used = 0;
	return false;
}

bool bc_text_open(struct bc_text *text, FILE *stream, uint64_t limit_bytes, struct bc_err *err)
{
	char *bytes = malloc(BUFFER_BYTES);

	*text = (struct bc_text){ 0 };
	if (!bytes)
		return bc_err_memory(err, BUFFER_BYTES);
	text->stream = stream;
	text->bytes = bytes;
	text->capacity = BUFFER_BYTES;
	text->limit_bytes = limit_bytes;
	text->err = err;
	return true;
}

void bc_text_close(struct bc_text *text)
{
	free(text->bytes);
	*text = (struct bc_text){ 0 };
}

bool bc_text_flush(struct bc_text *text)
{
	if (text->failed)
		return false;
	if (!text->stream)
		return true;
	text->written_bytes += text->used;
	if (fwrite(text->bytes, 1, text->used, text->stream) != text->used) {
		bc_err_errno(text->err, "writing text");
		return fail(text);
	}
	text->used = 0;
	return true;
}

bool bc_text_make_room(struct bc_text *text, size_t count)
{
	uint64_t capacity = text->capacity;
	char *bytes;

	if (text->failed)
		return false;
	if (text->written_bytes + text->used + count > text->limit_bytes) {
		bc_err_set(text->err, "the text would be too long (over %" PRIu64 " MiB)",
			   text->limit_bytes >> 20);
		return fail(text);
	}
	if (!text->held && !bc_text_flush(text))
		return false;
	if (count <= capacity - text->used)
		return true;
	while (capacity - text->used < count)
		capacity *= 2;
	bytes = bc_realloc(text->bytes, capacity, 1);
	if (!bytes) {
		bc_err_memory(text->err, capacity);
		return fail(text);
	}
	text->bytes = bytes;
	text->capacity = (size_t)capacity;
	return true;
}

void bc_text_repeat(struct bc_text *text, char byte, size_t count)
{
	if (bc_text_has_room(text, count)) {
		memset(text->bytes + text->used, byte, count);
		text->used += count;
	}
}

void bc_text_number(struct bc_text *text, uint64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	bc_text_put(text, digits + at, sizeof(digits) - at);
}

void bc_text_signed(struct bc_text *text, int64_t number)
{
	if (number < 0)
		bc_text_char(text, '-');
	bc_text_number(text, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void bc_text_hex(struct bc_text *text, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";
	char both[2] = { digits[byte >> 4], digits[byte & 15] };

	bc_text_put(text, both, sizeof(both));
}

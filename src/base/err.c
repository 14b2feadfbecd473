/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "base/err.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool bc_err_set(struct bc_err *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	err->code = EINVAL;
	return false;
}

bool bc_err_errno(struct bc_err *err, const char *format, ...)
{
	int code = errno;
	char reason[128];
	va_list args;
	size_t used;

	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s",
		 strerror_r(code, reason, sizeof(reason)));
	err->code = code;
	return false;
}

bool bc_err_memory(struct bc_err *err, uint64_t size_bytes)
{
	bc_err_set(err, "out of memory (%" PRIu64 " bytes)", size_bytes);
	err->code = ENOMEM;
	return false;
}

bool bc_err_reword(struct bc_err *err, const char *format, ...)
{
	char text[sizeof(err->text)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	memcpy(err->text, text, sizeof(text));
	return false;
}

bool bc_err_prefix(struct bc_err *err, const char *prefix)
{
	return bc_err_reword(err, "%.255s: %.380s", prefix, err->text);
}

static bool is_printable(unsigned char byte)
{
	return byte >= 0x20 && byte < 0x7f;
}

void bc_err_print(char *out, size_t out_bytes, const struct bc_err *err)
{
	size_t used = 0;

	for (const char *text = err->text; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (used + (is_printable(byte) ? 1 : 4) >= out_bytes)
			break;
		if (is_printable(byte))
			out[used++] = *text;
		else
			used += (size_t)snprintf(out + used, 5, "\\x%02x", byte);
	}
	out[used] = '\0';
}

const char *bc_printable(char out[BC_PRINTABLE_MAX], const char *name)
{
	size_t used = 0;

	for (; *name; name++) {
		unsigned char byte = (unsigned char)*name;

		if (used + 4 + sizeof("...") > BC_PRINTABLE_MAX) {
			memcpy(out + used, "...", 3);
			used += 3;
			break;
		}
		if (is_printable(byte))
			out[used++] = *name;
		else
			used += (size_t)snprintf(out + used, 5, "\\x%02x", byte);
	}
	out[used] = '\0';
	return out;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TESTS_FUZZ_TEXT_H
#define BC_TESTS_FUZZ_TEXT_H

#include "tests/fuzz/laws.h"

/* A text that is written to memory. */
struct fuzz_text {
	FILE *stream;
	char *bytes;
	size_t size_bytes;
};

static inline FILE *begin_text(struct fuzz_text *text)
{
	*text = (struct fuzz_text){ 0 };
	text->stream = open_memstream(&text->bytes, &text->size_bytes);
	if (!text->stream)
		abort();
	return text->stream;
}

/* The text with a NUL behind it, which the caller frees, or NULL where ERR has a reason. */
static inline char *end_text(struct fuzz_text *text, bool done, const struct bc_err *err)
{
	fclose(text->stream);
	require(done || *err->text, "a refusal says why", NULL);
	if (done)
		return text->bytes;
	free(text->bytes);
	return NULL;
}

#endif

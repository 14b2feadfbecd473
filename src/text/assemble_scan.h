/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_ASSEMBLE_SCAN_H
#define BC_TEXT_ASSEMBLE_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Longer text is refused, so that places in it are 32-bit numbers. */
#define BC_SCAN_MAX_BYTES ((size_t)1 << 30)

/* What a token is: one of these, or the character that it consists of. */
enum bc_token_type {
	BC_TOKEN_END,
	BC_TOKEN_WORD,
	BC_TOKEN_NUMBER,
	BC_TOKEN_STRING,
	BC_TOKEN_DOTS, /* "..." */
	BC_TOKEN_BAD,  /* none of the language: see bc_token.trouble */
};

/* Words with a meaning in places where names may stand. */
enum bc_word {
	BC_WORD_OTHER,
	BC_WORD_CONST,
	BC_WORD_VOLATILE,
	BC_WORD_RESTRICT,
	BC_WORD_VOID,
	BC_WORD_STRUCT,
	BC_WORD_UNION,
	BC_WORD_ENUM,
	BC_WORD_TYPE_TAG,
	BC_WORD_TYPE_ATTR,
	BC_WORD_DECL_TAG,
	BC_WORD_DECL_ATTR,
	BC_WORD_OF_BASE, /* "long": C makes names of types of these */
	BC_WORD_NO_NAME, /* begins with a digit, or is dots only */
};

struct bc_token {
	uint8_t type;
	uint8_t word;
	bool escaped;   /* string: it has a backslash */
	uint32_t at;    /* bytes from the start of the text */
	uint32_t begin; /* of the word, or of what is between the quotes */
	uint32_t length;
	uint64_t number;     /* of a number; string: N where "___N" follows, else 0 */
	const char *trouble; /* of a bad token */
};

/* A text and two tokens of it. */
struct bc_scan {
	const char *text;
	uint32_t size_bytes;
	uint32_t place; /* behind NEXT */
	struct bc_token token;
	struct bc_token next;
	struct bc_err *err;
};

/* TEXT is at most BC_SCAN_MAX_BYTES long; it stays the caller's. ERR is kept. */
void bc_scan_open(struct bc_scan *scan, const char *text, size_t size_bytes, uint32_t place,
		  struct bc_err *err);

/* NEXT becomes TOKEN. */
void bc_scan_step(struct bc_scan *scan);

/* "line 3, column 7: …"; always returns false. */
bool bc_scan_fail(const struct bc_scan *scan, uint32_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* "… is expected here, not 'x'", at TOKEN; always returns false. */
bool bc_scan_expected(const struct bc_scan *scan, const char *what);

/* Is TOKEN this word? For words that are names elsewhere. */
bool bc_scan_is(const struct bc_scan *scan, const char *word);

/*
 * The bytes between the quotes of string TOKEN, escapes resolved, into TO,
 * which has room for token.length bytes. The number of bytes written.
 */
uint32_t bc_scan_unescape(const struct bc_scan *scan, char *to);

#endif

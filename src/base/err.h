/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_ERR_H
#define BC_BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One trouble, as one line of text: what is wrong and where, without the
 * program's name and without a newline. Functions that can fail return false
 * (or NULL) and set it; they leave it alone on success. The caller owns it.
 */
struct bc_err {
	char text[640];
	int code; /* of errno.h: ENOMEM, that of a system call, EINVAL for everything else */
};

/* Sets the text; always returns false, so that `return bc_err_set(…)` reads well. */
bool bc_err_set(struct bc_err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with ": " and the text of errno at the end. */
bool bc_err_errno(struct bc_err *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* "out of memory (N bytes)". */
bool bc_err_memory(struct bc_err *err, uint64_t size_bytes);

/*
 * Replaces the text by one that may have err->text among its parts; the code stays.
 * Always returns false.
 */
bool bc_err_reword(struct bc_err *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Puts "PREFIX: " before the text; always returns false. */
bool bc_err_prefix(struct bc_err *err, const char *prefix);

/*
 * Writes the text into OUT, one line of printable ASCII whatever the file names
 * and strings in it are: other bytes become \xNN. What does not fit is cut.
 */
#define BC_ERR_LINE_MAX (4 * sizeof(((struct bc_err *)0)->text))
void bc_err_print(char *out, size_t out_bytes, const struct bc_err *err);

/*
 * Writes NAME into OUT so that it can stand in a one-line message: bytes that
 * are not printable ASCII become \xNN, an overlong name is cut with "...".
 * Returns OUT.
 */
#define BC_PRINTABLE_MAX 96
const char *bc_printable(char out[BC_PRINTABLE_MAX], const char *name);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_TEXT_FILE_H
#define BC_CLI_TEXT_FILE_H

#include "elf/bytes.h"

/*
 * Reads the text file PATH ("-": standard input) whole into the empty *TEXT,
 * which the caller frees with bc_bytes_free, on failure too. What has a byte 0
 * is no text, and a device may have no end: reading stops there, or at
 * BC_BYTES_MAX. Errors do not name the file.
 */
bool bc_text_file_read(struct bc_bytes *text, const char *path, struct bc_err *err);

#endif

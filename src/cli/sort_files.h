/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_SORT_FILES_H
#define BC_CLI_SORT_FILES_H

#include "cli/sort_file.h"

/*
 * What bc_sorted_file_open and bc_sorted_file_write do, for FILES [COUNT] of
 * PATHS, several at once: BPF objects on no base unless OPTIONS name one, all
 * others on BASE and CHANGE. Their warnings, and the error, are those of one
 * after the other. Only what is to be committed is left of each; the caller
 * closes them, on failure too.
 */
bool bc_sorted_files_write(struct bc_sorted_file *files, const char *const *paths, uint32_t count,
			   const struct bc_graph *base, const struct bc_base_change *change,
			   const struct bc_options *options, struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_RESULT_H
#define BC_CLI_RESULT_H

#include "cli/options.h"

/* Writes GRAPH as raw BTF to where OPTIONS say, whole or not at all. */
bool bc_write_result(const struct bc_options *options, const struct bc_graph *graph,
		     struct bc_arena *arena, struct bc_err *err);

/* Writes bytes, in the same way. */
bool bc_write_bytes(const struct bc_options *options, const uint8_t *data, size_t size_bytes,
		    struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_COPY_H
#define BC_BASE_COPY_H

#include <stddef.h>

#include "base/err.h"

/*
 * Copies SIZE_BYTES from one place of a file to a place of another; a file
 * system that can share the blocks does. The positions of the descriptors stay.
 */
bool bc_copy_range(int to_fd, uint64_t to, int from_fd, uint64_t from, uint64_t size_bytes,
		   struct bc_err *err);

/* Writes all of DATA at OFFSET. */
bool bc_write_at(int fd, uint64_t offset, const void *data, size_t size_bytes, struct bc_err *err);

#endif

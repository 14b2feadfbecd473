/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_AHEAD_H
#define BC_BASE_AHEAD_H

#include <stdint.h>

/*
 * A copy of a file's beginning that a thread makes while its user does something
 * else, and starts to put on the disk. It only saves time: what it could not
 * copy, whatever the reason, is left to the user, who then learns the reason.
 */
struct bc_copy_ahead;

/*
 * Starts to copy the first SIZE_BYTES of FROM_FD into the empty file TO_FD. Until
 * bc_copy_ahead_end, both have to stay open and nobody else writes to TO_FD. The
 * positions of the descriptors stay. NULL where there is no thread to be had, or
 * the file is so small that none is worth while.
 */
struct bc_copy_ahead *bc_copy_ahead_begin(int to_fd, int from_fd, uint64_t size_bytes);

/* Waits for the copy. Returns how many bytes of TO_FD are those of FROM_FD. NULL: 0. */
uint64_t bc_copy_ahead_end(struct bc_copy_ahead *ahead);

/* The same for who has no use for the copy any more: it ends soon. */
void bc_copy_ahead_stop(struct bc_copy_ahead *ahead);

#endif

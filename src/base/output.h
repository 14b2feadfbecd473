/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_OUTPUT_H
#define BC_BASE_OUTPUT_H

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/err.h"

/*
 * One output that appears whole or not at all.
 *
 * PATH NULL or "-" is standard output. A PATH that names a regular file
 * (through symbolic links), or nothing yet, is written as a temporary file
 * .NAME.XXXXXX in the same folder and renamed by bc_output_commit, with the
 * mode, and where that can be the owner, of the file it replaces; anything
 * else that exists (a device, a FIFO) is written directly.
 */
struct bc_output {
	FILE *stream;                          /* write here; has no file descriptor of its own */
	struct bc_output_sink *sink;           /* what is behind it */
	char *target;                          /* what to rename to; NULL: written directly */
	struct bc_output_temporary *temporary; /* NULL: none */
	const char *name;                      /* for messages; the caller's */
	struct stat replaced;                  /* bc_output_open_over: the file as it was opened */
};

/*
 * Open, commit and discard from one thread, the one that signals reach; a
 * closed pipe is an error here only where SIGPIPE is ignored.
 *
 * BINARY output refuses a terminal. On failure *OUTPUT is zero; errors name
 * the file and say what to do.
 */
bool bc_output_open(struct bc_output *output, const char *path, bool binary, struct bc_err *err);

/*
 * To rewrite PATH, which has to be a regular file with one name (through
 * symbolic links): bc_output_source reads what is there, bc_output_fd writes
 * the temporary file, empty at first; there is no stream. It gets mode, owner
 * and extended attributes of what it replaces, or this or bc_output_settle fails.
 */
bool bc_output_open_over(struct bc_output *output, const char *path, struct bc_err *err);

/* Of an output that bc_output_open_over opened; both end with bc_output_settle. */
int bc_output_fd(const struct bc_output *output);
int bc_output_source(const struct bc_output *output);

/*
 * All of bc_output_commit but the renaming, for whoever wants many outputs on
 * the disk before the first of them shows. Any thread may do this. On failure
 * bc_output_discard is left to do.
 */
bool bc_output_settle(struct bc_output *output, struct bc_err *err);

/* The path of the temporary file of a settled output. */
const char *bc_output_temporary(const struct bc_output *output);

/* The temporary file stays, for somebody else to rename, whatever becomes of OUTPUT. */
void bc_output_leave(struct bc_output *output);

/* Fails where the file that OUTPUT writes over is another one, or has changed since. */
bool bc_output_is_unchanged(const struct bc_output *output, struct bc_err *err);

/* So that a new name of PATH is on the disk too, as far as that can be had. */
void bc_output_sync_folder(const char *path);

/*
 * Flushes, checks every earlier write, syncs where it is a file, renames; not
 * over a file that was changed since bc_output_open_over. On failure the old
 * file is untouched and the temporary one removed. Either way the output is
 * closed.
 */
bool bc_output_commit(struct bc_output *output, struct bc_err *err);

/*
 * Gives up: closes without writing what the stream still holds, removes the
 * temporary file. Fine on a zeroed or committed one.
 */
void bc_output_discard(struct bc_output *output);

/*
 * Removes the temporary files of all open outputs: async-signal-safe, for
 * the handler of SIGINT, SIGTERM and SIGHUP.
 */
void bc_output_remove_temporaries(void);

/*
 * Lets all signals of this thread wait until pthread_sigmask(SIG_SETMASK, BEFORE, NULL):
 * what is done meanwhile, they find done.
 */
void bc_output_block_signals(sigset_t *before);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_REPORT_H
#define BC_CLI_REPORT_H

#include "base/stopwatch.h"
#include "cli/command.h"

/*
 * "btfcanon: " and the text on standard error: one line of printable ASCII whatever the names
 * of files in it are. Longer ones than 255 bytes should be cut by the format.
 */
void bc_report_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the warnings of all inputs on standard error, unless OPTIONS say quiet. */
void bc_report_notes(const struct bc_options *options, const struct bc_inputs *inputs);

/* The same for a graph that comes from NAME. */
void bc_report_graph_notes(const struct bc_options *options, const char *name,
			   const struct bc_notes *notes);

/* One line of --stats: "LABEL  VALUE" on standard error. */
void bc_report_seconds(const char *label, uint64_t nanoseconds);
void bc_report_count(const char *label, uint64_t count);

/* The same for a phase, with CPU time, and how much of that threads shared. */
void bc_report_time(const char *label, const struct bc_time *time);

/* CPU time of the process so far: in work that threads share, or would if there were more, and not. */
void bc_report_serial(const struct bc_workers *workers);

/* The figures of the canonical form. */
void bc_report_canonical(const struct bc_canonical_stats *stats);

#endif

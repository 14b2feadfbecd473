/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_PROGRESS_H
#define BC_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* When a bar is shown. */
enum bc_progress {
	BC_PROGRESS_AUTO, /* on an able terminal, once work has taken half a second */
	BC_PROGRESS_ALWAYS,
	BC_PROGRESS_NEVER,
};

/*
 * A bar on standard error: units and MB done, time. Where it cannot be written over, as in a log, it
 * is a line for each tenth. One thread at a time.
 */
struct bc_progress_bar {
	uint64_t begin_ns;
	uint32_t tenths; /* with a line of their own */
	bool wanted;
	bool immediate;
	bool is_able; /* the terminal */
	bool shown;
};

void bc_progress_begin(struct bc_progress_bar *bar, enum bc_progress when);

/* Draws it anew; a callback of bc_encode. */
void bc_progress_show(void *bar, uint32_t done, uint32_t total, uint64_t bytes_done,
		      uint64_t bytes);

/* Wipes it away. */
void bc_progress_end(struct bc_progress_bar *bar);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

#define BAR_CELLS 30u
#define PATIENCE_NS 500000000u

void bc_progress_begin(struct bc_progress_bar *bar, enum bc_progress when)
{
	bar->begin_ns = bc_clock_ns();
	bar->shown = false;
	bar->immediate = when == BC_PROGRESS_ALWAYS;
	bar->wanted = when == BC_PROGRESS_ALWAYS ||
		      (when == BC_PROGRESS_AUTO && isatty(STDERR_FILENO));
}

void bc_progress_show(void *context, uint32_t done, uint32_t total, uint64_t bytes_done,
		      uint64_t bytes)
{
	struct bc_progress_bar *bar = context;
	uint64_t elapsed_ns = bc_clock_ns() - bar->begin_ns;
	char cells[BAR_CELLS + 1];
	uint32_t full = bytes ? (uint32_t)(bytes_done * BAR_CELLS / bytes) : BAR_CELLS;

	if (!bar->wanted || (!bar->immediate && elapsed_ns < PATIENCE_NS))
		return;
	for (uint32_t i = 0; i < BAR_CELLS; i++)
		cells[i] = i < full ? '#' : '.';
	cells[BAR_CELLS] = '\0';
	fprintf(stderr, "\r[%s] %u/%u units, %.0f/%.0f MB, %.1f s", cells, done, total,
		(double)bytes_done / 1e6, (double)bytes / 1e6, (double)elapsed_ns / 1e9);
	fflush(stderr);
	bar->shown = true;
}

void bc_progress_end(struct bc_progress_bar *bar)
{
	if (bar->shown)
		fprintf(stderr, "\r\033[K");
}

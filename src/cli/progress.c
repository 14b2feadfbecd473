/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/terminal.h"

#define BAR_CELLS 30u
#define PATIENCE_NS 500000000u

void bc_progress_begin(struct bc_progress_bar *bar, enum bc_progress when)
{
	*bar = (struct bc_progress_bar){
		.begin_ns = bc_clock_ns(),
		.immediate = when == BC_PROGRESS_ALWAYS,
		.is_able = bc_terminal_is_able(STDERR_FILENO),
	};
	bar->wanted = bar->immediate || (when == BC_PROGRESS_AUTO && bar->is_able);
}

/* Over the line before, and no longer than the terminal is wide: else it would be two lines. */
static void write_over(struct bc_progress_bar *bar, const char *line)
{
	fprintf(stderr, "\r%.*s", (int)bc_terminal_columns(STDERR_FILENO) - 1, line);
	bar->shown = true;
}

static void add_line(struct bc_progress_bar *bar, const char *line, uint32_t tenths)
{
	if (tenths <= bar->tenths)
		return;
	bar->tenths = tenths;
	fprintf(stderr, "%s\n", line);
}

void bc_progress_show(void *context, uint32_t done, uint32_t total, uint64_t bytes_done,
		      uint64_t bytes)
{
	struct bc_progress_bar *bar = context;
	uint64_t elapsed_ns = bc_clock_ns() - bar->begin_ns;
	char cells[BAR_CELLS + 1], line[160];
	uint32_t full = bytes ? (uint32_t)(bytes_done * BAR_CELLS / bytes) : BAR_CELLS;

	if (!bar->wanted || (!bar->immediate && elapsed_ns < PATIENCE_NS))
		return;
	for (uint32_t i = 0; i < BAR_CELLS; i++)
		cells[i] = i < full ? '#' : '.';
	cells[BAR_CELLS] = '\0';
	snprintf(line, sizeof(line), "[%s] %u/%u units, %.0f/%.0f MB, %.1f s", cells, done, total,
		 (double)bytes_done / 1e6, (double)bytes / 1e6, (double)elapsed_ns / 1e9);
	if (bar->is_able)
		write_over(bar, line);
	else
		add_line(bar, line, full * 10 / BAR_CELLS);
	fflush(stderr);
}

void bc_progress_end(struct bc_progress_bar *bar)
{
	if (bar->shown)
		fprintf(stderr, "\r\033[K");
}

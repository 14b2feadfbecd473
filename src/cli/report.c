/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void bc_report_line(const char *format, ...)
{
	char line[BC_ERR_LINE_MAX];
	struct bc_err said;
	va_list args;

	va_start(args, format);
	vsnprintf(said.text, sizeof(said.text), format, args);
	va_end(args);
	bc_err_print(line, sizeof(line), &said);
	fprintf(stderr, "btfcanon: %s\n", line);
}

void bc_report_graph_notes(const struct bc_options *options, const char *name,
			   const struct bc_notes *notes)
{
	for (uint32_t i = 0; !options->quiet && i < notes->kind_count; i++) {
		const struct bc_note *note = &notes->notes[i];
		char more[40] = "";

		if (note->count > 1)
			snprintf(more, sizeof(more), ", and %" PRIu64 " more", note->count - 1);
		bc_report_line("warning: %.255s: %s (%s%s)", name, note->what, note->first, more);
	}
}

void bc_report_notes(const struct bc_options *options, const struct bc_inputs *inputs)
{
	for (uint32_t i = 0; i < inputs->base_count; i++)
		bc_report_graph_notes(options, inputs->bases[i].input.name,
				      &inputs->bases[i].notes);
	for (uint32_t i = 0; i < inputs->file_count; i++)
		bc_report_graph_notes(options, inputs->files[i].input.name,
				      &inputs->files[i].notes);
}

void bc_report_seconds(const char *label, uint64_t nanoseconds)
{
	fprintf(stderr, "%-22s %9.3f ms\n", label, (double)nanoseconds / 1e6);
}

void bc_report_time(const char *label, const struct bc_time *time)
{
	fprintf(stderr, "%-22s %9.3f ms %9.3f ms of CPU %9.3f ms shared\n", label,
		(double)time->wall_ns / 1e6, (double)time->cpu_ns / 1e6,
		(double)time->shared_ns / 1e6);
}

void bc_report_serial(const struct bc_workers *workers)
{
	double all = (double)bc_clock_cpu_ns(), shared = (double)bc_workers_shared_ns(workers);

	fprintf(stderr, "%-22s %9.3f ms\n", "CPU time", all / 1e6);
	fprintf(stderr, "%-22s %9.3f ms\n", "of it shared", shared / 1e6);
	fprintf(stderr, "%-22s %9.3f ms, %.1f %%\n", "of it serial", (all - shared) / 1e6,
		100 * (all - shared) / all);
}

void bc_report_count(const char *label, uint64_t count)
{
	fprintf(stderr, "%-22s %9" PRIu64 "\n", label, count);
}

void bc_report_canonical(const struct bc_canonical_stats *stats)
{
	bc_report_time("strings", &stats->ranking);
	bc_report_time("labels", &stats->labelling);
	bc_report_time("refinement", &stats->refining);
	bc_report_time("renumbering", &stats->renumbering);
	bc_report_count("types read", stats->types_in);
	bc_report_count("forwards settled", stats->settled);
	bc_report_count("duplicates merged", stats->merged);
	bc_report_count("types", stats->types_out);
	bc_report_count("rounds", stats->rounds);
	bc_report_count("distinct strings", stats->strings);
}

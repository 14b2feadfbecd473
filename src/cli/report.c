/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/report.h"

#include <inttypes.h>
#include <stdio.h>

void bc_report_graph_notes(const struct bc_options *options, const char *name,
			   const struct bc_notes *notes)
{
	for (uint32_t i = 0; !options->quiet && i < notes->kind_count; i++) {
		const struct bc_note *note = &notes->notes[i];

		fprintf(stderr, "btfcanon: warning: %s: %s (%s", name, note->what, note->first);
		if (note->count > 1)
			fprintf(stderr, ", and %" PRIu64 " more", note->count - 1);
		fprintf(stderr, ")\n");
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

void bc_report_count(const char *label, uint64_t count)
{
	fprintf(stderr, "%-22s %9" PRIu64 "\n", label, count);
}

void bc_report_canonical(const struct bc_canonical_stats *stats)
{
	bc_report_seconds("strings", stats->ns_strings);
	bc_report_seconds("labels", stats->ns_labels);
	bc_report_seconds("refinement", stats->ns_refine);
	bc_report_seconds("renumbering", stats->ns_renumber);
	bc_report_count("types read", stats->types_in);
	bc_report_count("forwards settled", stats->settled);
	bc_report_count("duplicates merged", stats->merged);
	bc_report_count("types", stats->types_out);
	bc_report_count("rounds", stats->rounds);
	bc_report_count("distinct strings", stats->strings);
}

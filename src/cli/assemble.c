/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "text/assemble.h"

#include <string.h>

#include "base/clock.h"
#include "cli/report.h"
#include "cli/result.h"
#include "cli/text_file.h"
#include "graph/check.h"

/* The canonical graph of what the file PATH says. */
static bool assemble_file(struct bc_graph *graph, const char *path,
			  const struct bc_options *options, const struct bc_graph *base,
			  struct bc_arena *arena, struct bc_err *err)
{
	struct bc_canonical_options how = { .order = options->order };
	struct bc_canonical_stats stats;
	uint64_t begin = bc_clock_ns();
	struct bc_bytes text = { 0 };
	struct bc_graph read;
	bool done = bc_text_file_read(&text, path, err) &&
		    bc_assemble_text(&read, (const char *)text.data, text.size_bytes, base, arena,
				     err);

	bc_bytes_free(&text);
	if (!done)
		return false;
	if (options->stats)
		bc_report_seconds("reading", bc_clock_ns() - begin);
	if (options->pointer_bytes)
		read.pointer_bytes = options->pointer_bytes;
	if (!bc_canonical(graph, &read, &how, arena, NULL, &stats, err))
		return false;
	graph->pointer_bytes = read.pointer_bytes;
	if (options->stats)
		bc_report_canonical(&stats);
	return true;
}

static enum bc_exit run_assemble(const struct bc_options *options, struct bc_inputs *inputs,
				 struct bc_err *err)
{
	struct bc_notes notes = { 0 };
	const struct bc_graph *base;
	struct bc_graph graph;
	const char *name;

	if (options->input_count != 1) {
		bc_err_set(err, "assemble takes one text (see btfcanon assemble --help)");
		return BC_EXIT_TROUBLE;
	}
	name = strcmp(options->inputs[0], "-") ? options->inputs[0] : "standard input";
	if (!bc_inputs_load_bases(inputs, options, &base, err))
		return BC_EXIT_TROUBLE;
	if (!assemble_file(&graph, options->inputs[0], options, base, &inputs->arena, err) ||
	    !bc_graph_check(&graph, &notes, err)) {
		bc_err_prefix(err, name);
		return BC_EXIT_TROUBLE;
	}
	bc_report_notes(options, inputs);
	bc_report_graph_notes(options, name, &notes);
	return bc_write_result(options, &graph, &inputs->arena, err) ? BC_EXIT_DONE :
								       BC_EXIT_TROUBLE;
}

static const struct bc_help_text help = {
	.about = "Usage: btfcanon assemble TEXT [-o OUT] [OPTION...]\n"
		 "\n"
		 "Reads the text that dump --full wrote back into BTF: the same bytes as sort\n"
		 "gives, so that a repository can hold text alone. What is wrong in a text is\n"
		 "said with line and column. TEXT is a file, or - for standard input.\n"
		 "\n"
		 "  -o, --output OUT      write there, whole or not at all (else to stdout)\n"
		 "      --order=ORDER     canonical (default), or name: as kernels look types up\n"
		 "      --base FILE       the BTF that split BTF goes on from; again for a chain\n",
	.more = BC_HELP_COMMON,
	.examples = "  btfcanon dump --full vmlinux.btf -o vmlinux.txt\n"
		    "  btfcanon assemble vmlinux.txt -o vmlinux.btf\n"
		    "  btfcanon assemble --base vmlinux.btf xfs.txt -o xfs.btf\n",
};

const struct bc_command bc_command_assemble = {
	.name = "assemble",
	.summary = "the canonical BTF that dump --full wrote as text",
	.files = "*.txt",
	.options = &bc_options,
	.takes = BC_TAKES_OUTPUT | BC_TAKES_BASE | BC_TAKES_ORDER | BC_TAKES_COMMON,
	.works_on_graphs = true,
	.run = run_assemble,
	.help = &help,
};

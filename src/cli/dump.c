/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "text/dump.h"

#include "base/clock.h"
#include "base/output.h"
#include "cli/report.h"

static bool dump_graph(const struct bc_options *options, const struct bc_graph *graph,
		       struct bc_err *err)
{
	struct bc_dump_options how = { .full = options->full };
	struct bc_output output;

	if (!bc_output_open(&output, options->output, false, err))
		return false;
	/* What went wrong while writing, bc_output_commit can say best. */
	if (!bc_dump(output.stream, graph, &how, err) && !ferror(output.stream)) {
		bc_output_discard(&output);
		return false;
	}
	return bc_output_commit(&output, err);
}

static enum bc_exit run_dump(const struct bc_options *options, struct bc_inputs *inputs,
			     struct bc_err *err)
{
	struct bc_canonical_options how = { .order = BC_ORDER_CANONICAL,
					    .workers = options->workers };
	struct bc_canonical_stats stats = { 0 };
	struct bc_graph graph;
	uint64_t begin;

	if (options->input_count > 1) {
		bc_err_set(err, "dump takes one input (see btfcanon dump --help)");
		return BC_EXIT_TROUBLE;
	}
	if (!bc_inputs_load(inputs, options, err))
		return BC_EXIT_TROUBLE;
	/* Types of unknown kind cannot be put in order: such a graph is shown as it is. */
	graph = inputs->files[0].graph;
	if (!graph.has_unknown_kind && !bc_canonical(&graph, &inputs->files[0].graph, &how,
						     &inputs->arena, NULL, &stats, err)) {
		bc_err_prefix(err, inputs->files[0].input.name);
		return BC_EXIT_TROUBLE;
	}
	bc_report_notes(options, inputs);
	begin = bc_clock_ns();
	if (!dump_graph(options, &graph, err))
		return BC_EXIT_TROUBLE;
	if (options->stats) {
		bc_report_canonical(&stats);
		bc_report_seconds("text", bc_clock_ns() - begin);
	}
	return BC_EXIT_DONE;
}

static const struct bc_help_text help = {
	.about =
		"Usage: btfcanon dump [INPUT] [-o OUT] [OPTION...]\n"
		"\n"
		"Writes the types of INPUT as text: one block per named type, sorted by kind and\n"
		"name, without ids, so that a change to one type changes its lines and no others.\n"
		"Without INPUT: " BC_RUNNING_KERNEL ".\n"
		"\n"
		"  -o, --output OUT      write there, whole or not at all (else to stdout)\n"
		"      --full            exact: full dumps differ wherever the BTFs do\n"
		"      --base FILE       the BTF that INPUT goes on from; again for a chain\n",
	.more = BC_HELP_COMMON,
	.examples = "  btfcanon dump vmlinux.btf | less\n"
		    "  diff -u <(btfcanon dump old.btf) <(btfcanon dump new.btf)\n"
		    "  btfcanon dump --base vmlinux xfs.ko.xz\n",
};

const struct bc_command bc_command_dump = {
	.name = "dump",
	.summary = "text without ids, made to be diffed and read",
	.files = BC_BTF_FILES,
	.options = &bc_options,
	.takes = BC_TAKES_OUTPUT | BC_TAKES_BASE | BC_TAKES_FULL | BC_TAKES_COMMON,
	.works_on_graphs = true,
	.run = run_dump,
	.help = &help,
};

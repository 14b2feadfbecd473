/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include <stdio.h>

#include "base/clock.h"
#include "cli/like.h"
#include "cli/report.h"
#include "cli/result.h"
#include "cli/sort.h"
#include "merge/concat.h"
#include "sort/first_definitions.h"

bool bc_sort_check_vlen(const struct bc_options *options, const struct bc_graph *graph,
			struct bc_err *err)
{
	for (uint32_t i = 0; i < graph->type_count; i++) {
		const uint32_t *node = bc_own_node(graph, i);

		if (bc_element_count(node[1]) > options->max_vlen)
			return bc_err_set(err, "type %u: %s has %u elements, over --max-vlen=%u",
					  graph->first_id + i, bc_kind_name(bc_node_kind(node)),
					  bc_element_count(node[1]), options->max_vlen);
	}
	return true;
}

/* The one graph of all inputs. */
static bool join_inputs(struct bc_graph *graph, struct bc_inputs *inputs, struct bc_err *err)
{
	struct bc_graph *graphs;

	if (inputs->file_count == 1) {
		*graph = inputs->files[0].graph;
		return true;
	}
	graphs = bc_arena_alloc(&inputs->arena, inputs->file_count, sizeof(*graphs), err);
	if (!graphs)
		return false;
	for (uint32_t i = 0; i < inputs->file_count; i++)
		graphs[i] = inputs->files[i].graph;
	return bc_concat(graph, graphs, inputs->file_count, &inputs->arena, err);
}

bool bc_sort_report_first(const struct bc_options *options, const struct bc_graph *in,
			  const uint32_t *new_id, struct bc_arena *arena, struct bc_err *err)
{
	struct bc_first_definition *list;
	uint32_t count;

	if (!options->stats && !options->verbose)
		return true;
	if (!bc_first_definitions_changed(&list, &count, in, new_id, arena, err))
		return false;
	for (uint32_t i = 0; options->verbose && i < count; i++) {
		const uint32_t *node = bc_node(in, list[i].before);
		char printable[BC_PRINTABLE_MAX];

		fprintf(stderr, "%s %s: a look-up found type %u, and now finds what was type %u\n",
			bc_kind_name(bc_node_kind(node)),
			bc_printable(printable, bc_string(in, node[0])), list[i].before,
			list[i].now);
	}
	if (options->stats)
		bc_report_count("first ones changed", count);
	return true;
}

static enum bc_exit sort_inputs(const struct bc_options *options, struct bc_inputs *inputs,
				struct bc_err *err)
{
	struct bc_canonical_options how = {
		.order = options->order,
		.settle_forwards = options->dedup || inputs->file_count > 1,
		.workers = options->workers,
	};
	struct bc_canonical_stats stats;
	struct bc_graph joined, canonical;
	const uint32_t *new_id;

	if (!join_inputs(&joined, inputs, err))
		return BC_EXIT_TROUBLE;
	if (!bc_canonical(&canonical, &joined, &how, &inputs->arena, &new_id, &stats, err)) {
		if (inputs->file_count == 1)
			bc_err_prefix(err, inputs->files[0].input.name);
		return BC_EXIT_TROUBLE;
	}
	bc_report_notes(options, inputs);
	if (options->drop_layout) {
		canonical.layout = NULL;
		canonical.layout_bytes = 0;
	}
	if (options->stats)
		bc_report_canonical(&stats);
	if (options->like)
		return bc_write_like(options, &canonical, &inputs->arena, err);
	if (!bc_write_result(options, &canonical, &inputs->arena, err))
		return BC_EXIT_TROUBLE;
	return bc_sort_report_first(options, &joined, new_id, &inputs->arena, err) ?
		       BC_EXIT_DONE :
		       BC_EXIT_TROUBLE;
}

static enum bc_exit run_sort(const struct bc_options *options, struct bc_inputs *inputs,
			     struct bc_err *err)
{
	uint64_t begin = bc_clock_ns();

	if (options->in_place)
		return bc_sort_in_place(options, inputs, err) ? BC_EXIT_DONE : BC_EXIT_TROUBLE;
	if (options->drop_signature || options->compare.base_counts[1]) {
		bc_err_set(err, "--drop-signature and --new-base go with --in-place");
		return BC_EXIT_TROUBLE;
	}
	if (!bc_like_options_fit(options, err) || !bc_inputs_load(inputs, options, err))
		return BC_EXIT_TROUBLE;
	for (uint32_t i = 0; i < inputs->file_count; i++)
		if (!bc_sort_check_vlen(options, &inputs->files[i].graph, err)) {
			bc_err_prefix(err, inputs->files[i].input.name);
			return BC_EXIT_TROUBLE;
		}
	if (options->stats)
		bc_report_seconds("reading", bc_clock_ns() - begin);
	return sort_inputs(options, inputs, err);
}

static const struct bc_help_text help = {
	.about =
		"Usage: btfcanon sort [INPUT...] [-o OUT] [OPTION...]\n"
		"       btfcanon sort --in-place FILE... [OPTION...]\n"
		"\n"
		"Writes the canonical BTF of INPUT: the same types give the same bytes, whatever\n"
		"order, ids and strings they came with. Several inputs become one BTF.\n"
		"INPUT is raw BTF, an ELF file with .BTF, a kernel image, each also compressed,\n"
		"or - for standard input; without it, " BC_RUNNING_KERNEL ".\n"
		"\n"
		"  -o, --output OUT      write there, whole or not at all (else to stdout)\n"
		"      --base FILE       the BTF that INPUT goes on from; again for a chain\n"
		"      --order=ORDER     canonical (default), or name: as kernels look types up\n"
		"      --in-place        rewrite the .BTF of ELF files, and all in them that goes\n"
		"                        by it: all files or none. A linked image is the base\n"
		"                        of relocatable files beside it, which follow it. Name\n"
		"                        order is the default then, but for BPF objects\n",
	.more = "      --new-base FILE   in place: --base in its new order, which FILE follows\n"
		"      --drop-signature  in place: signed modules lose their signature\n"
		"      --dedup           forward declarations become the type they declare\n"
		"                        (with several inputs always)\n"
		"      --drop-layout     leave the type-layout section out\n"
		"      --max-vlen=N      refuse types of over N elements (old kernels: 65535)\n"
		"      --like OLD        types that OLD has keep its ids, strings their offsets\n"
		"      --verify MODULE   with --like: exit 1 if split BTF on OLD is not valid now\n"
		"  -v, --verbose         list the names whose first definition is another one now\n" BC_HELP_COMMON,
	.examples = "  btfcanon sort -o vmlinux.btf                       this machine's kernel\n"
		    "  btfcanon sort --base vmlinux xfs.ko.xz -o xfs.btf  a module\n"
		    "  btfcanon sort a.bpf.o b.bpf.o -o both.btf          two objects, one BTF\n"
		    "  btfcanon sort --in-place prog.bpf.o                a BPF object\n",
};

const struct bc_command bc_command_sort = {
	.name = "sort",
	.summary = "canonical BTF out of BTF; several inputs become one",
	.files = BC_BTF_FILES,
	.options = &bc_options,
	.takes = BC_TAKES_OUTPUT | BC_TAKES_BASE | BC_TAKES_ORDER | BC_TAKES_DEDUP |
		 BC_TAKES_DROP_LAYOUT | BC_TAKES_MAX_VLEN | BC_TAKES_IN_PLACE | BC_TAKES_VERBOSE |
		 BC_TAKES_LIKE | BC_TAKES_NEW_BASE | BC_TAKES_COMMON,
	.works_on_graphs = true,
	.run = run_sort,
	.help = &help,
};

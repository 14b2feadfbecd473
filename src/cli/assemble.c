/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "text/assemble.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/report.h"
#include "cli/result.h"
#include "graph/check.h"

/* A longer text is refused by bc_assemble_text; so much is read of it. */
#define MAX_TEXT_BYTES (((size_t)1 << 30) + 1)

struct text {
	char *bytes; /* the caller frees it */
	size_t size_bytes;
};

static bool read_stream(struct text *text, FILE *stream, struct bc_err *err)
{
	size_t capacity = 0, got;

	do {
		if (text->size_bytes == capacity) {
			char *grown;

			capacity = capacity ? capacity * 2 : (size_t)1 << 20;
			grown = realloc(text->bytes, capacity);
			if (!grown)
				return bc_err_memory(err, capacity);
			text->bytes = grown;
		}
		got = fread(text->bytes + text->size_bytes, 1, capacity - text->size_bytes, stream);
		text->size_bytes += got;
	} while (got && text->size_bytes < MAX_TEXT_BYTES);
	return !ferror(stream) || bc_err_errno(err, "it cannot be read");
}

static bool read_file(struct text *text, const char *path, struct bc_err *err)
{
	FILE *stream;
	bool done;

	if (!strcmp(path, "-"))
		return read_stream(text, stdin, err);
	stream = fopen(path, "re");
	if (!stream)
		return bc_err_errno(err, "it cannot be opened");
	done = read_stream(text, stream, err);
	fclose(stream);
	return done;
}

/* The canonical graph of what the file PATH says. */
static bool assemble_file(struct bc_graph *graph, const char *path,
			  const struct bc_options *options, const struct bc_graph *base,
			  struct bc_arena *arena, struct bc_err *err)
{
	struct bc_canonical_options how = { .order = options->order };
	struct bc_canonical_stats stats;
	uint64_t begin = bc_clock_ns();
	struct text text = { 0 };
	struct bc_graph read;
	bool done = read_file(&text, path, err) &&
		    bc_assemble_text(&read, text.bytes, text.size_bytes, base, arena, err);

	free(text.bytes);
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

const struct bc_command bc_command_assemble = {
	.name = "assemble",
	.summary = "the canonical BTF that dump --full wrote as text",
	.takes = BC_TAKES_OUTPUT | BC_TAKES_BASE | BC_TAKES_ORDER | BC_TAKES_COMMON,
	.works_on_graphs = true,
	.run = run_assemble,
	.help = "Usage: btfcanon assemble TEXT [-o OUT] [OPTION...]\n"
		"\n"
		"Reads the text that dump --full wrote back into BTF: the same bytes as sort gives,\n"
		"so that a repository can hold text alone. What is wrong in a text is said with\n"
		"line and column. TEXT is a file, or - for standard input.\n"
		"\n"
		"  -o, --output OUT      write there, whole or not at all (else to stdout)\n"
		"      --order=ORDER     canonical (default), or name: as kernels look types up\n"
		"      --base FILE       the BTF that split BTF goes on from; again for a chain\n" BC_HELP_COMMON
		"\n"
		"Examples:\n"
		"  btfcanon dump --full vmlinux.btf -o vmlinux.txt\n"
		"  btfcanon assemble vmlinux.txt -o vmlinux.btf\n"
		"  btfcanon assemble --base vmlinux.btf xfs.txt -o xfs.btf\n",
};

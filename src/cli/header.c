/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "text/header.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "cli/report.h"
#include "cli/text_file.h"
#include "text/header_chain.h"

struct heading {
	struct bc_graph graph; /* canonical, without a base */
	const uint8_t *level;  /* by id, or NULL */
	struct bc_header_stats stats;
	struct bc_canonical_stats canonical;
	struct bc_notes notes;    /* what C cannot say */
	struct bc_bytes baseline; /* text of an older header */
	uint8_t base_count;       /* of the chain, 0 unless their types are left out */
	char *guard;
};

/* A type that several levels have belongs to the lowest. */
static bool renumber_levels(struct heading *heading, const struct bc_graph *flat,
			    const uint8_t *level, const uint32_t *new_id, struct bc_arena *arena,
			    struct bc_err *err)
{
	uint8_t *renumbered = bc_arena_alloc(arena, bc_id_end(&heading->graph), 1, err);

	if (!renumbered)
		return false;
	memset(renumbered, UINT8_MAX, bc_id_end(&heading->graph));
	for (uint32_t i = 0; i < flat->type_count; i++)
		if (level[i + 1] < renumbered[new_id[i]])
			renumbered[new_id[i]] = level[i + 1];
	heading->level = renumbered;
	return true;
}

static bool make_canonical(struct heading *heading, const struct bc_graph *graph,
			   struct bc_arena *arena, struct bc_err *err)
{
	struct bc_canonical_options how = { .order = BC_ORDER_CANONICAL };
	const uint32_t *new_id;
	const uint8_t *level;
	struct bc_graph flat;

	if (!bc_header_flatten(&flat, &level, graph, arena, err))
		return false;
	return bc_canonical(&heading->graph, &flat, &how, arena, &new_id, &heading->canonical,
			    err) &&
	       (!level || renumber_levels(heading, &flat, level, new_id, arena, err));
}

/* Whether the file is text, as a header is; everything else that can be read is binary. */
static bool is_text(const char *path)
{
	struct bc_bytes head = { 0 };
	struct bc_err unread;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	bool is_text = fd >= 0 && bc_bytes_read(&head, fd, 1, &unread) && head.size_bytes &&
		       *head.data && strchr("#/\n tse", *head.data);

	if (fd >= 0)
		close(fd);
	bc_bytes_free(&head);
	return is_text;
}

/* The header of the older BTF, as this program writes it. */
static bool read_older_btf(struct heading *heading, const struct bc_options *options,
			   struct bc_err *err)
{
	struct bc_options of_baseline = *options;
	struct bc_header_options how = { 0 };
	struct heading older = { 0 };
	struct bc_inputs inputs = { 0 };
	char *text = NULL;
	FILE *memory;
	bool done;

	of_baseline.inputs = (const char **)&options->baseline;
	of_baseline.input_count = 1;
	of_baseline.base_count = 0;
	memory = open_memstream(&text, &heading->baseline.size_bytes);
	if (!memory)
		return bc_err_errno(err, "%s", options->baseline);
	done = bc_inputs_load(&inputs, &of_baseline, err) &&
	       make_canonical(&older, &inputs.files[0].graph, &inputs.arena, err) &&
	       bc_header(memory, &older.graph, older.level, &how, NULL, NULL, err);
	/* fclose does not tell where memory runs out: then there is no text. */
	if ((fclose(memory) || !text) && done)
		done = bc_err_memory(err, heading->baseline.size_bytes);
	heading->baseline.data = (uint8_t *)text;
	bc_inputs_close(&inputs);
	return done;
}

static bool read_baseline(struct heading *heading, const struct bc_options *options,
			  struct bc_err *err)
{
	if (!options->baseline)
		return true;
	if (is_text(options->baseline))
		return bc_text_file_read(&heading->baseline, options->baseline, err) ||
		       bc_err_prefix(err, options->baseline);
	return read_older_btf(heading, options, err);
}

/* "__NF_TABLES_H__" of a file nf_tables.ko.xz. */
static char *make_guard(const char *path, struct bc_arena *arena, struct bc_err *err)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	size_t length = strcspn(name, ".");
	char *guard = bc_arena_alloc(arena, length + 8, 1, err);

	if (!guard)
		return NULL;
	sprintf(guard, "__%.*s_H__", (int)length, name);
	for (char *byte = guard; *byte; byte++)
		*byte = isalnum((unsigned char)*byte) ? (char)toupper((unsigned char)*byte) : '_';
	return guard;
}

static bool leave_base_out(struct heading *heading, const struct bc_options *options,
			   const struct bc_loaded *file, struct bc_arena *arena, struct bc_err *err)
{
	const struct bc_graph *base = file->graph.base;

	if (!options->without_base)
		return true;
	if (!base)
		return bc_err_set(err, "--without-base needs a base: --base FILE");
	for (; base; base = base->base)
		heading->base_count++;
	heading->guard = make_guard(file->input.name, arena, err);
	return heading->guard != NULL;
}

static bool write_graph(const struct bc_options *options, struct heading *heading,
			struct bc_err *err)
{
	struct bc_header_options how = {
		.no_kfuncs = options->no_kfuncs,
		.no_preserve_access_index = options->no_preserve_access_index,
		.offsets = options->offsets,
		.only = options->compare.only,
		.only_count = options->compare.only_count,
		.baseline = (const char *)heading->baseline.data,
		.baseline_bytes = heading->baseline.size_bytes,
		.base_count = heading->base_count,
		.guard = heading->guard,
	};
	struct bc_output output;

	if (!bc_output_open(&output, options->output, false, err))
		return false;
	/* What went wrong while writing, bc_output_commit can say best. */
	if (!bc_header(output.stream, &heading->graph, heading->level, &how, &heading->notes,
		       &heading->stats, err) &&
	    !ferror(output.stream)) {
		bc_output_discard(&output);
		return false;
	}
	return bc_output_commit(&output, err);
}

static void report(const struct heading *heading)
{
	bc_report_canonical(&heading->canonical);
	bc_report_seconds("layout", heading->stats.ns_layout);
	bc_report_seconds("names", heading->stats.ns_names);
	bc_report_seconds("items", heading->stats.ns_items);
	bc_report_seconds("spelling", heading->stats.ns_spell);
	bc_report_seconds("order", heading->stats.ns_order);
	bc_report_seconds("writing", heading->stats.ns_write);
	bc_report_count("definitions", heading->stats.definitions);
	bc_report_count("declarations", heading->stats.declarations);
	bc_report_count("kfuncs", heading->stats.kfuncs);
	bc_report_count("lines of definitions", heading->stats.lines);
}

static enum bc_exit run_header(const struct bc_options *options, struct bc_inputs *inputs,
			       struct bc_err *err)
{
	struct heading heading = { 0 };
	const char *name;
	bool written;

	if (options->input_count > 1) {
		bc_err_set(err, "header takes one input (see btfcanon header --help)");
		return BC_EXIT_TROUBLE;
	}
	if (!bc_inputs_load(inputs, options, err))
		return BC_EXIT_TROUBLE;
	name = inputs->files[0].input.name;
	if (!leave_base_out(&heading, options, &inputs->files[0], &inputs->arena, err))
		return BC_EXIT_TROUBLE;
	if (!make_canonical(&heading, &inputs->files[0].graph, &inputs->arena, err)) {
		bc_err_prefix(err, name);
		return BC_EXIT_TROUBLE;
	}
	bc_report_notes(options, inputs);
	written = read_baseline(&heading, options, err) && write_graph(options, &heading, err);
	bc_bytes_free(&heading.baseline);
	if (!written)
		return BC_EXIT_TROUBLE;
	bc_report_graph_notes(options, name, &heading.notes);
	if (options->stats)
		report(&heading);
	return BC_EXIT_DONE;
}

static const struct bc_help_text help = {
	.about =
		"Usage: btfcanon header [INPUT] [-o OUT] [OPTION...]\n"
		"\n"
		"Writes the types of INPUT as a C header that BPF programs compile against, laid\n"
		"out as the kernel has them, in an order that hardly moves from one kernel to the\n"
		"next. What C cannot say is left out or replaced, with a comment there.\n"
		"Without INPUT: " BC_RUNNING_KERNEL ".\n"
		"\n"
		"  -o, --output OUT      write there, whole or not at all (else to stdout)\n"
		"      --base FILE       the BTF that INPUT goes on from; again for a chain: the\n"
		"                        header then has the types of all of them\n"
		"      --only=LIST       only these and what they need, without kfuncs: globs on\n"
		"                        names, as in 'struct task_struct,sk_*'\n"
		"      --baseline OLD    keep the order of OLD, a header or a BTF: what is in\n"
		"                        both stays where it was, what is new comes beside its\n"
		"                        name\n",
	.more = "      --without-base    only what INPUT adds to its base, to be included behind\n"
		"                        the base's own header, vmlinux.h\n"
		"      --no-kfuncs       no prototypes of kfuncs\n"
		"      --no-preserve-access-index\n"
		"                        no attribute that makes every access relocatable\n"
		"      --offsets         a comment with its offset beside each member\n" BC_HELP_COMMON,
	.examples = "  btfcanon header -o vmlinux.h              this machine's kernel\n"
		    "  btfcanon header --base vmlinux xfs.ko.xz  with a module's types\n"
		    "  clang -target bpf -g -O2 -c prog.bpf.c    with #include \"vmlinux.h\"\n",
};

const struct bc_command bc_command_header = {
	.name = "header",
	.summary = "C header (vmlinux.h), made to be compiled and diffed",
	.files = BC_BTF_FILES,
	.options = &bc_options,
	.takes = BC_TAKES_OUTPUT | BC_TAKES_BASE | BC_TAKES_HEADER | BC_TAKES_COMMON,
	.works_on_graphs = true,
	.run = run_header,
	.help = &help,
};

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/output.h"
#include "base/room.h"
#include "btf/relies.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "cli/text_file.h"
#include "compare/filter.h"
#include "compare/object.h"
#include "compare/report.h"
#include "dwarf/encode.h"
#include "elf/symbols.h"
#include "graph/check.h"

struct run {
	const struct bc_options *options;
	struct bc_inputs *inputs[2];
	const char *names[2]; /* of the inputs, for messages */
	struct bc_graph graphs[2];
	struct bc_comparison comparison;
	struct bc_filter filter;
	struct bc_inputs object_inputs; /* --object */
	struct bc_relies relies;
	struct bc_object_symbols symbols;
	struct bc_object object;
	struct bc_object_judgement judgement;
	struct bc_arena arena;
	struct bc_err *err;
};

/* The options of a run that has one side for its only input. */
static struct bc_options options_of_side(const struct run *run, unsigned int which)
{
	const struct bc_compare_arguments *arguments = &run->options->compare;
	struct bc_options side = *run->options;

	side.inputs = run->options->inputs + which;
	side.input_count = run->options->input_count > which;
	if (arguments->base_counts[which]) {
		side.bases = arguments->bases[which];
		side.base_count = arguments->base_counts[which];
	}
	return side;
}

/* The BTF that the DWARF of a file makes, not yet in canonical order. */
static bool encode_side(struct run *run, unsigned int which, const struct bc_options *options)
{
	struct bc_progress_bar bar;
	struct bc_encode_options how = {
		.workers = options->workers,
		.features = bc_features_default(),
		.hash_mask = ~UINT64_C(0),
		.progress = bc_progress_show,
		.progress_context = &bar,
	};
	struct bc_encode_stats stats;
	bool done;

	if (!options->input_count || options->base_count)
		return bc_err_set(run->err, "DWARF is read from a file, and goes on from no base");
	run->names[which] = options->inputs[0];
	bc_progress_begin(&bar, options->progress);
	done = bc_encode(&run->graphs[which], options->inputs, 1, &how, &stats,
			 &run->inputs[which]->arena, run->err);
	bc_progress_end(&bar);
	/* The error names the file. */
	if (!done)
		return false;
	return bc_graph_check(&run->graphs[which], NULL, run->err) ||
	       bc_err_prefix(run->err, run->names[which]);
}

static bool read_side(struct run *run, unsigned int which, const struct bc_options *options)
{
	struct bc_inputs *inputs = run->inputs[which];

	if (!bc_inputs_load(inputs, options, run->err))
		return false;
	bc_report_notes(options, inputs);
	run->graphs[which] = inputs->files[0].graph;
	run->names[which] = inputs->files[0].input.name;
	return true;
}

static bool load_side(struct run *run, unsigned int which)
{
	bool from_dwarf = run->options->compare.from_dwarf[which];
	struct bc_canonical_options how = { .order = BC_ORDER_CANONICAL,
					    .settle_forwards = from_dwarf,
					    .workers = run->options->workers };
	struct bc_options options = options_of_side(run, which);
	struct bc_graph *graph = &run->graphs[which];
	struct bc_canonical_stats stats;
	struct bc_graph loaded;

	if (!(from_dwarf ? encode_side : read_side)(run, which, &options))
		return false;
	/* Types of unknown kind cannot be put in order: such a graph is looked at as it is. */
	loaded = *graph;
	if (graph->has_unknown_kind)
		return true;
	if (!bc_canonical(graph, &loaded, &how, &run->inputs[which]->arena, NULL, &stats, run->err))
		return bc_err_prefix(run->err, run->names[which]);
	if (options.stats)
		bc_report_canonical(&stats);
	return true;
}

/* ---- filters ---- */

/* The lines of a file of patterns; blank ones and comments are dropped. */
struct patterns {
	const char **items;
	uint32_t count, limit;
};

static bool add_pattern(struct run *run, struct patterns *patterns, const char *pattern)
{
	if (!bc_make_arena_room(&run->arena, &patterns->items, &patterns->limit, patterns->count,
				sizeof(*patterns->items), run->err))
		return false;
	patterns->items[patterns->count++] = pattern;
	return true;
}

static bool add_line(struct run *run, struct patterns *patterns, const char *line, size_t length)
{
	char *copy;

	while (length && strchr(" \t\r\n", line[length - 1]))
		length--;
	while (length && strchr(" \t", *line)) {
		line++;
		length--;
	}
	if (!length || *line == '#')
		return true;
	copy = bc_arena_alloc(&run->arena, length + 1, 1, run->err);
	if (!copy)
		return false;
	memcpy(copy, line, length);
	copy[length] = '\0';
	return add_pattern(run, patterns, copy);
}

static bool read_patterns(struct run *run, const char *path, struct patterns *patterns)
{
	struct bc_bytes text = { 0 };
	bool done = bc_text_file_read(&text, path, run->err) || bc_err_prefix(run->err, path);

	for (size_t at = 0, end; done && at < text.size_bytes; at = end + 1) {
		const char *line = (const char *)text.data + at;
		const char *newline = memchr(line, '\n', text.size_bytes - at);

		end = newline ? at + (size_t)(newline - line) : text.size_bytes;
		done = add_line(run, patterns, line, end - at);
	}
	bc_bytes_free(&text);
	return done;
}

/* Patterns of files and of the command line, in the order given. */
static bool make_filter(struct run *run)
{
	const struct bc_compare_arguments *arguments = &run->options->compare;
	struct patterns ignored = { 0 };

	for (uint32_t i = 0; i < arguments->kind_count; i++)
		if (!bc_filter_add_kinds(&run->filter.kinds, arguments->kinds[i], run->err))
			return bc_err_prefix(run->err, "--kind");
	for (uint32_t i = 0; i < arguments->ignored_count; i++) {
		const struct bc_ignored *given = &arguments->ignored[i];

		if (!(given->is_file ? read_patterns(run, given->text, &ignored) :
				       add_pattern(run, &ignored, given->text)))
			return false;
	}
	run->filter.only = arguments->only;
	run->filter.only_count = arguments->only_count;
	run->filter.ignored = ignored.items;
	run->filter.ignored_count = ignored.count;
	return true;
}

/* ---- the BPF object ---- */

static bool load_object(struct run *run)
{
	const char *path = run->options->compare.object;
	struct bc_options options = *run->options;
	const struct bc_loaded *loaded;

	options.inputs = &path;
	options.input_count = 1;
	options.base_count = 0;
	options.pointer_bytes = 0;
	if (!bc_inputs_load(&run->object_inputs, &options, run->err))
		return false;
	bc_report_notes(&options, &run->object_inputs);
	loaded = &run->object_inputs.files[0];
	if (!loaded->input.btf_ext) {
		bc_err_set(run->err, "it has no .BTF.ext, which tells what a BPF object relies on");
		return bc_err_prefix(run->err, path);
	}
	if (!bc_relies_read(&run->relies, loaded->input.btf_ext, loaded->input.btf_ext_bytes,
			    &loaded->graph, &run->arena, run->err) ||
	    !bc_object_symbols_read(&run->symbols, path, &run->arena, run->err))
		return bc_err_prefix(run->err, path);
	run->object = (struct bc_object){ path, &run->relies, &run->symbols };
	return true;
}

static bool check_object_options(const struct run *run)
{
	const struct bc_compare_arguments *arguments = &run->options->compare;

	if (arguments->object &&
	    (arguments->kind_count || arguments->only_count || arguments->ignored_count ||
	     arguments->indirect || arguments->stat || arguments->format == BC_FORMAT_HTML))
		return bc_err_set(run->err, "--object looks at what the object relies on: filters, "
					    "--indirect, --stat and HTML do not go with it");
	return true;
}

/* ---- the report ---- */

static bool wants_color(const struct bc_options *options)
{
	const char *no_color = getenv("NO_COLOR");

	if (options->compare.color != BC_PROGRESS_AUTO)
		return options->compare.color == BC_PROGRESS_ALWAYS;
	return (!no_color || !*no_color) && (!options->output || !strcmp(options->output, "-")) &&
	       bc_terminal_is_able(STDOUT_FILENO);
}

static bool report_to(const struct run *run, FILE *stream, const struct bc_report_options *how)
{
	const struct bc_compare_arguments *arguments = &run->options->compare;

	if (arguments->object)
		return (arguments->format == BC_FORMAT_JSON ? bc_report_object_json :
							      bc_report_object_text)(
			stream, &run->judgement, &run->object, how, run->err);
	if (arguments->format == BC_FORMAT_JSON)
		return bc_report_json(stream, &run->comparison, how, run->err);
	if (arguments->format == BC_FORMAT_HTML)
		return bc_report_html(stream, &run->comparison, how, run->err);
	return (arguments->stat ? bc_report_stat : bc_report_text)(stream, &run->comparison, how,
								   run->err);
}

static bool write_report(struct run *run)
{
	const struct bc_options *options = run->options;
	struct bc_report_options how = {
		.names = { run->names[BC_OLD], run->names[BC_NEW] },
		.color = wants_color(options),
		.verbose = options->verbose,
		.offsets_matter = options->compare.offsets_matter,
	};
	struct bc_output output;

	if (!bc_output_open(&output, options->output, false, run->err))
		return false;
	/* What went wrong while writing, bc_output_commit can say best. */
	if (!report_to(run, output.stream, &how) && !ferror(output.stream)) {
		bc_output_discard(&output);
		return false;
	}
	return bc_output_commit(&output, run->err);
}

static bool compare(struct run *run)
{
	struct bc_compare_options how = { .indirect = run->options->compare.indirect };
	uint64_t begin;

	if (!check_object_options(run) || !make_filter(run) || !load_side(run, BC_OLD) ||
	    !load_side(run, BC_NEW) || (run->options->compare.object && !load_object(run)))
		return false;
	begin = bc_clock_ns();
	if (!bc_compare_graphs(&run->comparison, &run->graphs[BC_OLD], &run->graphs[BC_NEW], &how,
			       run->err))
		return false;
	if (run->options->compare.object &&
	    !bc_object_judge(&run->judgement, &run->object, &run->comparison,
			     run->options->compare.offsets_matter, &run->arena, run->err))
		return false;
	bc_filter_apply(&run->filter, &run->comparison);
	if (run->options->stats)
		bc_report_seconds("comparing", bc_clock_ns() - begin);
	begin = bc_clock_ns();
	if (!write_report(run))
		return false;
	if (run->options->stats)
		bc_report_seconds("reporting", bc_clock_ns() - begin);
	return true;
}

static enum bc_exit run_compare(const struct bc_options *options, struct bc_inputs *inputs,
				struct bc_err *err)
{
	struct bc_inputs new_inputs = { 0 };
	struct run run = { .options = options, .inputs = { inputs, &new_inputs }, .err = err };
	enum bc_exit code = BC_EXIT_TROUBLE;

	if (!options->input_count || options->input_count > 2)
		bc_err_set(err, "compare takes two inputs (see btfcanon compare --help)");
	else if (compare(&run))
		code = (options->compare.object ? run.judgement.counts[BC_VERDICT_BREAKS] :
						  run.comparison.count) ?
			       BC_EXIT_DIFFERENT :
			       BC_EXIT_DONE;
	bc_inputs_close(&run.object_inputs);
	bc_compare_close(&run.comparison);
	bc_inputs_close(&new_inputs);
	bc_arena_free(&run.arena);
	return code;
}

static const struct bc_help_text help = {
	.about =
		"Usage: btfcanon compare OLD [NEW] [OPTION...]\n"
		"\n"
		"Says which types NEW adds, removes and changes, and how. Types are told apart by\n"
		"kind and name; ids, order, byte order and headers do not matter. Without NEW:\n" BC_RUNNING_KERNEL
		".\n"
		"Exit code: 0 no difference (that passes the filters), 1 differences, 2 trouble.\n"
		"\n"
		"      --only=GLOB       only types whose names match; again for more\n"
		"      --ignore=GLOB     not those; 'struct foo*' ignores structs only\n"
		"      --object PROG     only what this BPF object relies on, by CO-RE or as\n"
		"                        kfuncs, and what NEW does to it: fine, relocates,\n"
		"                        guarded, unknown, breaks; exit code 1 if anything breaks\n"
		"      --stat            a line per kind\n"
		"  -v, --verbose         each type before and after, in C\n"
		"      --format=FORMAT   text, json, or html: a page to read and search\n",
	.more = "  -o, --output OUT      write there, whole or not at all (else to stdout)\n"
		"      --kind=KIND,...   only these: struct, union, enum, typedef, func, var,\n"
		"                        int, float, section\n"
		"      --ignore-file=F   a file of globs for --ignore, as .gitignore: # comments,\n"
		"                        ! takes back, the last that matches decides\n"
		"      --indirect        also types that only lead to one that changed\n"
		"      --offsets-matter  a line for each member that moved, however many do\n"
		"      --color=WHEN      auto, always or never (NO_COLOR is heard)\n"
		"      --base FILE       the BTF that both go on from; again for a chain\n"
		"      --old-base FILE, --new-base FILE\n"
		"                        the same for one of them\n"
		"      --old-from=dwarf, --new-from=dwarf\n"
		"                        encode the DWARF of that file first\n" BC_HELP_COMMON,
	.examples = "  btfcanon compare vmlinux-6.1 vmlinux-6.12 | less\n"
		    "  btfcanon compare --format=json old.btf new.btf | jq '.changes[].name'\n"
		    "  btfcanon compare --object prog.bpf.o vmlinux-6.1 vmlinux-6.12\n",
};

const struct bc_command bc_command_compare = {
	.name = "compare",
	.summary = "what changed between two BTFs, for people or programs",
	.files = BC_BTF_FILES,
	.options = &bc_options,
	.takes = BC_TAKES_OUTPUT | BC_TAKES_BASE | BC_TAKES_VERBOSE | BC_TAKES_COMPARE |
		 BC_TAKES_COMMON,
	.works_on_graphs = true,
	.run = run_compare,
	.help = &help,
};

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "btf/layout.h"
#include "btf/write.h"
#include "cli/dependents.h"
#include "cli/explain.h"
#include "cli/report.h"
#include "cli/result.h"
#include "dwarf/encode.h"
#include "elf/make.h"
#include "merge/distill.h"
#include "merge/finish.h"

/* "rust,c++" → a list ended by NULL. */
static bool split_languages(const char *const **list, const char *text, struct bc_arena *arena,
			    struct bc_err *err)
{
	size_t length = text ? strlen(text) : 0, count = 0;
	const char **names = bc_arena_alloc(arena, length + 2, sizeof(*names), err);
	char *copy = bc_arena_alloc(arena, length + 1, 1, err);

	if (!names || !copy)
		return false;
	memcpy(copy, text ? text : "", length + 1);
	for (char *name = strtok(copy, ","); name; name = strtok(NULL, ","))
		names[count++] = name;
	names[count] = NULL;
	*list = names;
	return true;
}

static void report_encode(const struct bc_encode_stats *stats, uint32_t threads)
{
	bc_report_time("opening", &stats->opening);
	bc_report_time("units", &stats->reading);
	bc_report_time("conflicts", &stats->resolving);
	bc_report_time("functions", &stats->choosing);
	bc_report_time("assembling", &stats->assembling);
	bc_report_count("threads", threads);
	bc_report_count("units read", stats->units);
	bc_report_count("units read again", stats->units_again);
	bc_report_count("bytes of units", stats->bytes);
	bc_report_count("DIEs", stats->dies);
	bc_report_count("distinct nodes", stats->nodes);
	bc_report_count("tags", stats->leaves);
	bc_report_count("conflicting tags", stats->conflicts);
	bc_report_count("nodes they reach", stats->tainted);
	bc_report_count("meanings", stats->assemble.meanings);
	bc_report_count("types of own meaning", stats->assemble.instances);
	bc_report_count("candidates", stats->candidates);
	bc_report_count("functions", stats->functions);
	for (uint32_t i = BC_FUNCTION_IN + 1; i < BC_FUNCTION_REASON_COUNT; i++)
		bc_report_count(bc_function_reason_texts[i], stats->functions_left_out[i]);
	bc_report_count("variables", stats->assemble.variables);
	bc_report_count("variables without a place", stats->assemble.variables_left_out);
}

/* What BTF could not say: in a line each, always counted with --stats. */
static void report_skipped(const struct bc_options *options, const struct bc_encode_stats *stats)
{
	for (uint32_t i = 0; i < BC_SKIP_COUNT; i++) {
		if (!stats->skipped[i])
			continue;
		if (options->stats)
			bc_report_count(bc_skip_texts[i], stats->skipped[i]);
		else if (!options->quiet)
			fprintf(stderr, "btfcanon: warning: %s: %llu\n", bc_skip_texts[i],
				(unsigned long long)stats->skipped[i]);
	}
}

static bool encode_files(const struct bc_options *options, struct bc_graph *encoded,
			 uint16_t *machine, struct bc_arena *arena, struct bc_err *err)
{
	struct bc_encode_options how = {
		.workers = options->workers,
		.features = options->features,
		.shuffle_units = options->shuffle_units,
		.shuffle_seed = options->shuffle_seed,
		.hash_mask = options->hash_mask,
		.progress = bc_progress_show,
		.explained = options->explained,
		.explained_count = options->explained_count,
	};
	struct bc_explanations explanations;
	struct bc_encode_stats stats;
	struct bc_progress_bar bar;
	bool done;

	if (!split_languages(&how.excluded_languages, options->excluded_languages, arena, err))
		return false;
	bc_progress_begin(&bar, options->progress);
	how.progress_context = &bar;
	how.explanations = &explanations;
	done = bc_encode(encoded, options->inputs, options->input_count, &how, &stats, arena, err);
	bc_progress_end(&bar);
	if (!done)
		return false;
	*machine = stats.machine;
	if (options->stats)
		report_encode(&stats, how.workers->count);
	report_skipped(options, &stats);
	return !options->explained_count || bc_explain_print(&explanations, arena, err);
}

static bool make_canonical(const struct bc_options *options, struct bc_graph *canonical,
			   const struct bc_graph *encoded, const struct bc_graph *base,
			   struct bc_arena *arena, struct bc_err *err)
{
	struct bc_canonical_stats stats;
	struct bc_notes notes = { 0 };

	if (!bc_finish(canonical, encoded, base, options->order, options->workers, arena, &notes,
		       &stats, err))
		return false;
	bc_report_graph_notes(options, options->inputs[0], &notes);
	if (options->stats)
		bc_report_canonical(&stats);
	/* A split part's kinds are as long as its base's. */
	return !options->features.with_layout || base || bc_btf_layout_add(canonical, arena, err);
}

/* What encode makes: .BTF, and .BTF.base if a distilled base is asked for (else without data). */
enum result_section {
	RESULT_BTF,
	RESULT_BASE,
	RESULT_SECTIONS,
};

struct result {
	struct bc_elf_content sections[RESULT_SECTIONS];
	struct bc_elf_kind kind; /* of the file that it is about */
};

static bool wants_distilled(const struct bc_options *options, const struct bc_graph *base)
{
	return options->features.with_distilled_base && base;
}

static bool write_section(struct bc_elf_content *section, const char *name,
			  const struct bc_graph *graph, struct bc_workers *workers,
			  struct bc_arena *arena, struct bc_err *err)
{
	section->name = name;
	return bc_btf_write(graph, workers, arena, &section->data, &section->size_bytes, err);
}

/* The canonical BTF of all inputs of OPTIONS. */
static bool encode_canonical(const struct bc_options *options, struct result *result,
			     const struct bc_graph *base, struct bc_arena *arena,
			     struct bc_err *err)
{
	struct bc_graph encoded, canonical = { 0 };
	struct bc_distilled distilled;

	*result = (struct result){ 0 };
	if (!encode_files(options, &encoded, &result->kind.machine, arena, err) ||
	    !make_canonical(options, &canonical, &encoded, base, arena, err))
		return false;
	result->kind.big_endian = canonical.big_endian;
	result->kind.pointer_bytes = canonical.pointer_bytes;
	if (!wants_distilled(options, base))
		return write_section(&result->sections[RESULT_BTF], ".BTF", &canonical,
				     options->workers, arena, err);
	if (!bc_distill(&distilled, &canonical, options->order, arena, err))
		return false;
	if (options->stats) {
		bc_report_count("types of the distilled base", distilled.base.type_count);
		bc_report_count("types copied from the base", distilled.copied);
		bc_report_count("copied since their names find several", distilled.ambiguous);
	}
	return write_section(&result->sections[RESULT_BTF], ".BTF", &distilled.split,
			     options->workers, arena, err) &&
	       write_section(&result->sections[RESULT_BASE], ".BTF.base", &distilled.base,
			     options->workers, arena, err);
}

/* Raw BTF, or where there are two an ELF file that has both. */
static bool write_out(const struct bc_options *options, const struct result *result,
		      struct bc_arena *arena, struct bc_err *err)
{
	const struct bc_elf_content *sections = result->sections;
	const uint8_t *data;
	size_t size_bytes;

	if (!sections[RESULT_BASE].data)
		return bc_write_bytes(options, sections[RESULT_BTF].data,
				      sections[RESULT_BTF].size_bytes, err);
	return bc_elf_make(sections, RESULT_SECTIONS, result->kind, arena, &data, &size_bytes,
			   err) &&
	       bc_write_bytes(options, data, size_bytes, err);
}

/* What else in FILE goes by the .BTF that it has. A distilled base is replaced with it. */
static bool check_replaceable(const struct bc_in_place *file, bool with_base,
			      struct bc_arena *arena, struct bc_err *err)
{
	static const char *const dependents[] = { ".BTF.ext", ".BTF.base" };
	struct bc_btf_ids ids;
	size_t index;

	for (size_t i = 0; i < (with_base ? 1 : 2); i++) {
		if (!bc_elf_table_find(&file->table, dependents[i], &index, err))
			return false;
		if (index)
			return bc_err_set(err,
					  "has a %s, which goes by the .BTF that it has: "
					  "encode FILE -o OUT writes raw BTF",
					  dependents[i]);
	}
	if (!bc_dependents_ids(&ids, &index, file, arena, err))
		return false;
	return !index || bc_err_set(err, "has type ids in .BTF_ids already, which go by another "
					 ".BTF: encode FILE -o OUT writes raw BTF");
}

static bool encode_over(const struct bc_options *options, struct bc_in_place *file,
			const struct bc_graph *base, struct bc_arena *arena, struct bc_err *err)
{
	struct result result;

	if (!encode_canonical(options, &result, base, arena, err))
		return false;
	for (size_t i = 0; i < RESULT_SECTIONS; i++) {
		struct bc_elf_content *section = &result.sections[i];

		if (section->data && !bc_in_place_put_btf(file, section->name, &section->data,
							  &section->size_bytes, arena, err))
			return bc_err_prefix(err, options->inputs[0]);
	}
	return bc_in_place_write(file, arena, err) && bc_in_place_commit(file, err);
}

/* PATH alone. It is opened before its DWARF is read, so that what cannot work ends at once. */
static bool encode_in_place(const struct bc_options *options, const char *path,
			    const struct bc_graph *base, struct bc_err *err)
{
	struct bc_options one = *options;
	struct bc_arena arena = { 0 };
	struct bc_in_place file;
	bool done;

	if (!bc_in_place_open(&file, path, options, err))
		return false;
	one.inputs = &path;
	one.input_count = 1;
	if (!options->order_given && file.table.machine != EM_BPF)
		one.order = BC_ORDER_NAME;
	done = (check_replaceable(&file, wants_distilled(options, base), &arena, err) &&
		bc_in_place_copy_ahead(&file, ".BTF", &arena, err)) ||
	       bc_err_prefix(err, path);
	done = done && encode_over(&one, &file, base, &arena, err);
	bc_in_place_close(&file);
	bc_arena_free(&arena);
	return done;
}

static enum bc_exit encode_each_in_place(const struct bc_options *options, struct bc_inputs *inputs,
					 struct bc_err *err)
{
	const struct bc_graph *base;

	if (options->output) {
		bc_err_set(err, "-o and --in-place: only one can say where the BTF goes");
		return BC_EXIT_TROUBLE;
	}
	if (!bc_inputs_load_bases(inputs, options, &base, err))
		return BC_EXIT_TROUBLE;
	for (uint32_t i = 0; i < options->input_count; i++)
		if (!encode_in_place(options, options->inputs[i], base, err))
			return BC_EXIT_TROUBLE;
	return BC_EXIT_DONE;
}

static enum bc_exit run_encode(const struct bc_options *options, struct bc_inputs *inputs,
			       struct bc_err *err)
{
	const struct bc_graph *base;
	struct result result;

	if (!options->input_count) {
		bc_err_set(err, "encode wants an ELF file with DWARF (see btfcanon encode --help)");
		return BC_EXIT_TROUBLE;
	}
	if (options->in_place)
		return encode_each_in_place(options, inputs, err);
	if (options->drop_signature) {
		bc_err_set(err, "--drop-signature goes with --in-place");
		return BC_EXIT_TROUBLE;
	}
	return bc_inputs_load_bases(inputs, options, &base, err) &&
			       encode_canonical(options, &result, base, &inputs->arena, err) &&
			       write_out(options, &result, &inputs->arena, err) ?
		       BC_EXIT_DONE :
		       BC_EXIT_TROUBLE;
}

static const struct bc_help_text help = {
	.about =
		"Usage: btfcanon encode FILE... [-o OUT | --in-place] [OPTION...]\n"
		"\n"
		"Writes the canonical BTF of what the DWARF of FILE describes: types, functions,\n"
		"per-CPU variables, tags of kfuncs. Several files make one BTF. Units are read in\n"
		"parallel and in no order: the bytes depend only on what they say. A function is\n"
		"in if callers and tracers can rely on its prototype (--stats counts the others).\n"
		"\n"
		"  -o, --output OUT      write there, whole or not at all (else to stdout)\n"
		"      --base FILE       FILE is a module of this kernel: only what that lacks;\n"
		"                        again for a chain\n"
		"      --order=ORDER     canonical (default), or name: as kernels look types up\n"
		"      --in-place        put the BTF of each FILE into it, as its .BTF; then name\n"
		"                        order is the default, but for BPF objects\n"
		"      --explain=NAME    say why the function NAME is in or out: its symbols, and\n"
		"                        what each unit says of it (may be repeated)\n",
	.more = "      --features=LIST   what goes in, by pahole's names: var,float; \"default\"\n"
		"                        is what kernels ask for, \"+NAME\" that and NAME, such as\n"
		"                        +global_var; with --base and +distilled_base OUT is\n"
		"                        ELF, with .BTF and .BTF.base\n"
		"      --lang-exclude=L  leave units of these languages out: rust,c++\n"
		"      --drop-signature  in place: signed modules lose their signature\n"
		"      --shuffle-units=SEED, --hash-bits=N\n"
		"                        for tests: other orders, hashes that collide;\n"
		"                        neither changes a byte\n" BC_HELP_COMMON,
	.examples = "  btfcanon encode vmlinux -o vmlinux.btf\n"
		    "  btfcanon encode --base vmlinux xfs.ko -o xfs.btf\n"
		    "  btfcanon encode --in-place --base vmlinux xfs.ko tun.ko\n"
		    "  btfcanon encode vmlinux -o vmlinux.btf --explain=vfs_read\n",
};

const struct bc_command bc_command_encode = {
	.name = "encode",
	.summary = "canonical BTF out of DWARF",
	.files = BC_DWARF_FILES,
	.options = &bc_options,
	.takes = BC_TAKES_OUTPUT | BC_TAKES_BASE | BC_TAKES_ORDER | BC_TAKES_ENCODE |
		 BC_TAKES_IN_PLACE | BC_TAKES_COMMON,
	.run = run_encode,
	.help = &help,
};

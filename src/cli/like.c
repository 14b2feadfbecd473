/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/like.h"

#include <stdio.h>

#include "base/clock.h"
#include "cli/report.h"
#include "cli/result.h"
#include "merge/concat.h"
#include "sort/like.h"

bool bc_like_options_fit(const struct bc_options *options, struct bc_err *err)
{
	if (!options->like)
		return !options->verified_count ||
		       bc_err_set(err, "--verify goes with --like (see btfcanon sort --help=all)");
	if (options->base_count)
		return bc_err_set(err, "--like and --base do not go together");
	if (options->order != BC_ORDER_CANONICAL)
		return bc_err_set(err, "--like and --order=name do not go together");
	return true;
}

static void report(const struct bc_like_stats *stats, const struct bc_graph *old,
		   const struct bc_graph *out)
{
	bc_report_count("ids kept, same", stats->same);
	bc_report_count("ids kept, changed", stats->changed);
	bc_report_count("new types", stats->new_types);
	bc_report_count("behind the last id", stats->appended);
	bc_report_count("copies in free ids", stats->copies);
	bc_report_count("new strings", stats->new_strings);
	bc_report_count("behind the last string", stats->appended_strings);
	fprintf(stderr, "modules on the old one %s\n",
		old->type_count == out->type_count && old->string_bytes == out->string_bytes ?
			"may stay valid (--verify tells)" :
			"do not stay valid");
}

/* OLD and the new one in one graph, and each type's class. */
static bool join(struct bc_like_input *input, struct bc_graph *joint, struct bc_arena *arena,
		 struct bc_err *err)
{
	struct bc_canonical_options how = { .order = BC_ORDER_CANONICAL };
	struct bc_graph both[2] = { *input->old, *input->canonical }, merged;

	if (input->old->big_endian != input->canonical->big_endian)
		return bc_err_set(err, "its byte order is another");
	if (!bc_concat(joint, both, 2, arena, err) ||
	    !bc_canonical(&merged, joint, &how, arena, &input->class_of, NULL, err))
		return false;
	input->joint = joint;
	return true;
}

/* Loads PATHS on BASE (NULL: none); messages go by OPTIONS. */
static bool load(struct bc_inputs *inputs, const struct bc_options *options, const char **paths,
		 uint32_t count, const char **base, struct bc_err *err)
{
	struct bc_options only = *options;

	only.inputs = paths;
	only.input_count = count;
	only.bases = base;
	only.base_count = base ? 1 : 0;
	return bc_inputs_load(inputs, &only, err);
}

/* Says which modules do not go with LIKE. */
static enum bc_exit verify(const struct bc_options *options, const struct bc_graph *like,
			   struct bc_err *err)
{
	const char *base = options->like;
	enum bc_exit code = BC_EXIT_DONE;
	struct bc_inputs modules = { 0 };

	if (!options->verified_count)
		return BC_EXIT_DONE;
	if (!load(&modules, options, options->verified, options->verified_count, &base, err)) {
		bc_inputs_close(&modules);
		return BC_EXIT_TROUBLE;
	}
	for (uint32_t i = 0; i < modules.file_count; i++) {
		struct bc_err why;

		if (bc_like_keeps(&modules.files[i].graph, like, &why))
			continue;
		bc_report_line("%.255s: not valid any more: %s", modules.files[i].input.name,
			       why.text);
		code = BC_EXIT_DIFFERENT;
	}
	bc_inputs_close(&modules);
	return code;
}

static enum bc_exit write_like(const struct bc_options *options, const struct bc_graph *old,
			       const struct bc_graph *canonical, struct bc_arena *arena,
			       struct bc_err *err)
{
	struct bc_like_input input = { .old = old, .canonical = canonical };
	uint64_t begin = bc_clock_ns();
	struct bc_like_stats stats;
	struct bc_graph joint, like;
	enum bc_exit code;

	if (!join(&input, &joint, arena, err) ||
	    !bc_like(&like, &input, arena, NULL, &stats, err)) {
		bc_err_prefix(err, options->like);
		return BC_EXIT_TROUBLE;
	}
	if (options->stats) {
		bc_report_seconds("pairing", bc_clock_ns() - begin);
		report(&stats, old, &like);
	}
	code = verify(options, &like, err);
	if (code == BC_EXIT_TROUBLE || !bc_write_result(options, &like, arena, err))
		return BC_EXIT_TROUBLE;
	return code;
}

enum bc_exit bc_write_like(const struct bc_options *options, const struct bc_graph *canonical,
			   struct bc_arena *arena, struct bc_err *err)
{
	const char *path = options->like;
	struct bc_inputs old = { 0 };
	enum bc_exit code = BC_EXIT_TROUBLE;

	if (canonical->base) {
		bc_err_set(err, "split BTF: --like takes whole BTF");
		return code;
	}
	if (load(&old, options, &path, 1, NULL, err)) {
		if (old.files[0].graph.base)
			bc_err_set(err, "%s is split BTF: --like takes whole BTF", path);
		else
			code = write_like(options, &old.files[0].graph, canonical, arena, err);
	}
	bc_inputs_close(&old);
	return code;
}

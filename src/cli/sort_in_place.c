/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "base/commit.h"
#include "cli/report.h"
#include "cli/sort.h"
#include "cli/sort_files.h"

/*
 * All new files of a run are written before the first takes the place of an old one.
 *
 *  1. [find_base] tells which file is the base of the others: the linked image.
 *  2. [write_all] writes all new files beside the old ones, the base first; what
 *     became of its types and strings goes into its modules.
 *  3. [commit_all] lets the new files take the names of the old ones. A base and
 *     its modules only go together, so a record of the renames is beside the base
 *     meanwhile, and the next run finishes what was interrupted.
 */
#define NO_BASE UINT32_MAX

struct batch {
	const struct bc_options *options;
	struct bc_sorted_file *files; /* [options->input_count] */
	uint32_t base_index;          /* of the file that is the base; NO_BASE: none is */
	const struct bc_graph *base;  /* what the others go on from; NULL: nothing */
	struct bc_base_change change; /* of the base, in this run or in another */
	bool base_changes;
	char *record; /* path of the record of renames; NULL: none is needed */
	struct bc_arena *arena;
	struct bc_err *err;
};

static bool check_options(const struct bc_options *options, struct bc_err *err)
{
	uint32_t new_bases = options->compare.base_counts[1];

	if (!options->input_count)
		return bc_err_set(err, "sort --in-place wants ELF files "
				       "(see btfcanon sort --help)");
	if (options->output)
		return bc_err_set(err, "-o and --in-place: only one can say where the BTF goes");
	if (options->like)
		return bc_err_set(err, "--like and --in-place: --like writes to -o OUT");
	return !new_bases || (new_bases == 1 && options->base_count == 1) ||
	       bc_err_set(err, "--new-base NEW goes with one --base OLD");
}

/* Of linked images there can be one: the base of all that is not for BPF. */
static bool find_base(struct batch *batch)
{
	const struct bc_options *options = batch->options;

	batch->base_index = NO_BASE;
	for (uint32_t i = 0; i < options->input_count && !options->base_count; i++) {
		uint16_t type, machine;

		if (!bc_elf_peek(options->inputs[i], &type, &machine) || type == ET_REL ||
		    machine == EM_BPF)
			continue;
		if (batch->base_index != NO_BASE) {
			bc_err_set(batch->err,
				   "is a linked image as %.200s is: which one is the base?",
				   options->inputs[batch->base_index]);
			return bc_err_prefix(batch->err, options->inputs[i]);
		}
		batch->base_index = i;
	}
	return true;
}

/* ".NAME.renames" beside the base. */
static bool name_record(struct batch *batch)
{
	const char *path, *name;
	size_t size_bytes;

	if (batch->base_index == NO_BASE || batch->options->input_count == 1)
		return true;
	path = batch->options->inputs[batch->base_index];
	name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	size_bytes = strlen(path) + sizeof("..renames");
	batch->record = bc_arena_alloc(batch->arena, size_bytes, 1, batch->err);
	if (!batch->record)
		return false;
	snprintf(batch->record, size_bytes, "%.*s.%s.renames", (int)(name - path), path, name);
	return true;
}

static bool finish_before(const struct batch *batch)
{
	bool finished = false;

	if (batch->record && !bc_commit_finish(&finished, batch->record, batch->err))
		return false;
	if (finished && !batch->options->quiet)
		bc_report_line("warning: %.255s: a run before was interrupted: it is finished now",
			       batch->options->inputs[batch->base_index]);
	return true;
}

static bool write_base(struct batch *batch)
{
	struct bc_sorted_file *file = &batch->files[batch->base_index];
	const char *path = batch->options->inputs[batch->base_index];
	struct bc_notes notes = { 0 };

	if (!bc_sorted_file_open(file, path, batch->options, batch->err) ||
	    !bc_sorted_file_write(file, NULL, NULL, batch->options, &notes, batch->err))
		return false;
	bc_report_graph_notes(batch->options, path, &notes);
	batch->base = &file->before;
	batch->base_changes = file->file.change_count;
	return !batch->base_changes ||
	       bc_base_change_make(&batch->change, &file->before, &file->written, file->new_id,
				   batch->arena, batch->err);
}

/* The inputs from BEGIN on, before END. */
static bool write_others(struct batch *batch, uint32_t begin, uint32_t end)
{
	return bc_sorted_files_write(batch->files + begin, batch->options->inputs + begin,
				     end - begin, batch->base,
				     batch->base_changes ? &batch->change : NULL, batch->options,
				     batch->err);
}

static bool write_all(struct batch *batch)
{
	uint32_t count = batch->options->input_count, base = batch->base_index;

	if (base == NO_BASE)
		return write_others(batch, 0, count);
	return write_base(batch) && write_others(batch, 0, base) &&
	       write_others(batch, base + 1, count);
}

static bool commit_all(struct batch *batch)
{
	uint32_t file_count = batch->options->input_count, count = 0;
	struct bc_output **outputs = bc_arena_alloc(batch->arena, file_count, sizeof(*outputs),
						    batch->err);

	if (!outputs)
		return false;
	for (uint32_t i = 0; i < file_count; i++)
		if (bc_in_place_is_changed(&batch->files[i].file))
			outputs[count++] = &batch->files[i].file.output;
	if (batch->record && count > 1)
		return bc_commit_all(outputs, count, batch->record, batch->err);
	for (uint32_t i = 0; i < count; i++)
		if (!bc_output_commit(outputs[i], batch->err))
			return false;
	return true;
}

/* The new base, which another run or another program put in order. */
static bool load_new_base(struct batch *batch, struct bc_inputs *inputs)
{
	struct bc_options options = *batch->options;
	const struct bc_graph *base;

	options.bases = batch->options->compare.bases[1];
	options.base_count = batch->options->compare.base_counts[1];
	if (!options.base_count)
		return true;
	if (!bc_inputs_load_bases(inputs, &options, &base, batch->err))
		return false;
	batch->base_changes = true;
	return bc_base_change_make(&batch->change, batch->base, base, NULL, batch->arena,
				   batch->err) ||
	       bc_err_prefix(batch->err, options.bases[0]);
}

static bool run_batch(struct batch *batch)
{
	bool done = find_base(batch) && name_record(batch) && finish_before(batch) &&
		    write_all(batch) && commit_all(batch);

	for (uint32_t i = 0; i < batch->options->input_count; i++)
		bc_sorted_file_close(&batch->files[i]);
	return done;
}

bool bc_sort_in_place(const struct bc_options *options, struct bc_inputs *inputs,
		      struct bc_err *err)
{
	struct batch batch = { .options = options, .arena = &inputs->arena, .err = err };
	struct bc_inputs new_bases = { 0 };
	bool done;

	if (!check_options(options, err) ||
	    !bc_inputs_load_bases(inputs, options, &batch.base, err))
		return false;
	batch.files = bc_arena_zalloc(&inputs->arena, options->input_count, sizeof(*batch.files),
				      err);
	done = batch.files && load_new_base(&batch, &new_bases) && run_batch(&batch);
	bc_inputs_close(&new_bases);
	return done;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/sort_files.h"

#include "base/workers.h"
#include "cli/report.h"

/*
 * In rounds of some files: the calling thread opens them, as signals have to find what is
 * temporary; threads put them in order; the calling thread says what there is to say.
 */
#define ROUND_FILES 64u /* two descriptors each, and there may be only 1024 */

struct round_file {
	struct bc_sorted_file *file;
	const char *path;
	struct bc_notes notes;
	struct bc_err err;
	bool done;
};

struct round {
	struct round_file files[ROUND_FILES];
	uint32_t count;
	const struct bc_graph *base;
	const struct bc_base_change *change;
	const struct bc_options *options;
};

static bool write_one(const struct round *round, struct round_file *one)
{
	uint16_t type = ET_NONE, machine = EM_NONE;
	bool stands_alone;

	bc_elf_peek(one->path, &type, &machine);
	stands_alone = machine == EM_BPF && !round->options->base_count;
	if (!bc_sorted_file_write(one->file, stands_alone ? NULL : round->base,
				  stands_alone ? NULL : round->change, round->options, &one->notes,
				  &one->err))
		return false;
	bc_sorted_file_free(one->file);
	return true;
}

static void write_some(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	struct round *round = context;

	(void)worker;
	for (uint32_t i = begin; i < end; i++)
		round->files[i].done = write_one(round, &round->files[i]);
}

static void write_round(struct round *round)
{
	const struct bc_options *options = round->options;
	/* Figures of one file are printed where they are made, and mean nothing of several at once. */
	struct bc_workers *workers = options->stats || options->verbose ? NULL : options->workers;

	bc_workers_share(workers, round->count, 1, write_some, round);
}

static bool finish_round(struct round *round, struct bc_err *err)
{
	for (uint32_t i = 0; i < round->count; i++) {
		struct round_file *one = &round->files[i];

		if (!one->done) {
			*err = one->err;
			return false;
		}
		bc_report_graph_notes(round->options, one->path, &one->notes);
		if (!bc_in_place_is_changed(&one->file->file))
			bc_sorted_file_close(one->file);
	}
	return true;
}

/* The files before one that cannot be opened come first with what is wrong with them. */
static bool run_round(struct round *round, struct bc_sorted_file *files, const char *const *paths,
		      uint32_t count, struct bc_err *err)
{
	struct bc_err open_err;
	bool opened = true;

	round->count = 0;
	while (opened && round->count < count) {
		struct round_file *one = &round->files[round->count];

		*one = (struct round_file){ .file = &files[round->count],
					    .path = paths[round->count] };
		opened = bc_sorted_file_open(one->file, one->path, round->options, &open_err);
		round->count += opened;
	}
	write_round(round);
	if (!finish_round(round, err))
		return false;
	if (!opened)
		*err = open_err;
	return opened;
}

bool bc_sorted_files_write(struct bc_sorted_file *files, const char *const *paths, uint32_t count,
			   const struct bc_graph *base, const struct bc_base_change *change,
			   const struct bc_options *options, struct bc_err *err)
{
	struct bc_arena scratch = { 0 };
	struct round *round = bc_arena_zalloc(&scratch, 1, sizeof(*round), err);
	bool done = round;

	if (round) {
		round->base = base;
		round->change = change;
		round->options = options;
	}
	for (uint32_t i = 0; done && i < count; i += ROUND_FILES)
		done = run_round(round, files + i, paths + i,
				 count - i < ROUND_FILES ? count - i : ROUND_FILES, err);
	bc_arena_free(&scratch);
	return done;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "base/commit.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The record is lines of bytes ended by NUL: a temporary file, what it is renamed to, the
 * next temporary file, … as absolute paths. A temporary file that is not there any more was
 * renamed. So the record can be worked off any number of times.
 */
#define RECORD_BYTES_MAX ((size_t)64 << 20)

static bool write_path(const char *path, FILE *stream, struct bc_err *err)
{
	char *whole = realpath(path, NULL);

	if (!whole)
		return bc_err_errno(err, "%.200s", path);
	fwrite(whole, 1, strlen(whole) + 1, stream);
	free(whole);
	return true;
}

static bool write_record(struct bc_output *const *outputs, uint32_t count, const char *record,
			 struct bc_err *err)
{
	struct bc_output output;
	bool done = true;

	if (!bc_output_open(&output, record, false, err))
		return false;
	for (uint32_t i = 0; done && i < count; i++)
		done = write_path(bc_output_temporary(outputs[i]), output.stream, err) &&
		       write_path(outputs[i]->target, output.stream, err);
	if (done)
		return bc_output_commit(&output, err);
	bc_output_discard(&output);
	return false;
}

/* TEMPORARY is beside TARGET and has its name, as create_temporary makes it. */
static bool is_pair(const char *temporary, const char *target)
{
	const char *slash = strrchr(target, '/');
	size_t folder = slash ? (size_t)(slash + 1 - target) : 0;
	size_t name = strlen(target + folder);

	name = name < 200 ? name : 200;
	return folder && !strncmp(temporary, target, folder) && temporary[folder] == '.' &&
	       !strncmp(temporary + folder + 1, target + folder, name) &&
	       !strchr(temporary + folder, '/');
}

static bool is_same_folder(const char *path, const char *other)
{
	size_t length = (size_t)(strrchr(path, '/') - path);

	return (size_t)(strrchr(other, '/') - other) == length && !strncmp(path, other, length);
}

static bool do_renames(const char *text, size_t length, struct bc_err *err)
{
	const char *end = text + length;
	const char *last = NULL; /* in a folder that is not synced yet */

	while (text < end) {
		const char *temporary = text;
		const char *target = temporary + strlen(temporary) + 1;

		if (target >= end || !is_pair(temporary, target))
			return bc_err_set(err, "is no list of renames");
		if (rename(temporary, target) != 0 && errno != ENOENT)
			return bc_err_errno(err, "cannot replace %.200s", target);
		if (last && !is_same_folder(last, target))
			bc_output_sync_folder(last);
		last = target;
		text = target + strlen(target) + 1;
	}
	if (last)
		bc_output_sync_folder(last);
	return true;
}

/* What FILE holds, which ends with a NUL; the caller frees it. NULL with err set. */
static char *read_all(FILE *file, size_t *length, struct bc_err *err)
{
	char *text = malloc(RECORD_BYTES_MAX + 1);

	if (!text) {
		bc_err_memory(err, RECORD_BYTES_MAX + 1);
		return NULL;
	}
	*length = fread(text, 1, RECORD_BYTES_MAX + 1, file);
	if (ferror(file))
		bc_err_errno(err, "cannot read");
	else if (!*length || *length > RECORD_BYTES_MAX || text[*length - 1])
		bc_err_set(err, "is no list of renames");
	else
		return text;
	free(text);
	return NULL;
}

static bool finish(const char *record, FILE *file, struct bc_err *err)
{
	size_t length;
	char *text = read_all(file, &length, err);
	bool done = text && do_renames(text, length, err);

	free(text);
	if (!done)
		return bc_err_prefix(err, record);
	if (unlink(record) != 0)
		return bc_err_errno(err, "%.200s: cannot be removed", record);
	bc_output_sync_folder(record);
	return true;
}

bool bc_commit_finish(bool *finished, const char *record, struct bc_err *err)
{
	FILE *file = fopen(record, "re");
	bool done;

	*finished = file;
	if (!file)
		return errno == ENOENT || bc_err_errno(err, "%.200s: cannot open", record);
	done = finish(record, file, err);
	fclose(file);
	return done;
}

bool bc_commit_all(struct bc_output *const *outputs, uint32_t count, const char *record,
		   struct bc_err *err)
{
	bool done = true;
	bool finished;

	for (uint32_t i = 0; done && i < count; i++)
		done = bc_output_is_unchanged(outputs[i], err);
	done = done && write_record(outputs, count, record, err);
	for (uint32_t i = 0; i < count; i++) {
		/* From here on the record has them: no signal takes them away. */
		if (done)
			bc_output_leave(outputs[i]);
		bc_output_discard(outputs[i]);
	}
	return done && bc_commit_finish(&finished, record, err);
}

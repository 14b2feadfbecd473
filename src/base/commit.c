/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "base/commit.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The record is lines of bytes ended by NUL, three for each rename: the temporary file and what
 * it is renamed to, as absolute paths, and what the latter is before that, by which it is known
 * that nobody else changed it meanwhile. A temporary file that is not there any more was
 * renamed. So the record can be worked off any number of times.
 */
#define RECORD_BYTES_MAX ((size_t)64 << 20)

/* One rename of a record. */
struct entry {
	const char *temporary, *target, *identity;
};

#define IDENTITY_BYTES 96

/* Another file, or one that was written to, has another. */
static void put_identity(char identity[IDENTITY_BYTES], const struct stat *status)
{
	snprintf(identity, IDENTITY_BYTES, "%ju %jd %jd.%09ld", (uintmax_t)status->st_ino,
		 (intmax_t)status->st_size, (intmax_t)status->st_mtim.tv_sec,
		 status->st_mtim.tv_nsec);
}

static bool write_path(const char *path, FILE *stream, struct bc_err *err)
{
	char *whole = realpath(path, NULL);

	if (!whole)
		return bc_err_errno(err, "%.200s", path);
	fwrite(whole, 1, strlen(whole) + 1, stream);
	free(whole);
	return true;
}

static bool write_entry(const struct bc_output *output, FILE *stream, struct bc_err *err)
{
	char identity[IDENTITY_BYTES];

	put_identity(identity, &output->replaced);
	if (!write_path(bc_output_temporary(output), stream, err) ||
	    !write_path(output->target, stream, err))
		return false;
	fwrite(identity, 1, strlen(identity) + 1, stream);
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
		done = write_entry(outputs[i], output.stream, err);
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

/* The entry at *TEXT, which moves on behind it; what ends at END ends with a NUL. */
static bool next_entry(struct entry *entry, const char **text, const char *end, struct bc_err *err)
{
	const char **lines[] = { &entry->temporary, &entry->target, &entry->identity };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (*text == end)
			return bc_err_set(err, "is no list of renames");
		*lines[i] = *text;
		*text += strlen(*text) + 1;
	}
	return is_pair(entry->temporary, entry->target) || bc_err_set(err, "is no list of renames");
}

/* What is to be replaced is still what it was when the record was written. */
static bool check_entry(const struct entry *entry, struct bc_err *err)
{
	char identity[IDENTITY_BYTES] = "";
	struct stat status;

	if (access(entry->temporary, F_OK) != 0)
		return errno == ENOENT || bc_err_errno(err, "%.200s", entry->temporary);
	if (stat(entry->target, &status) == 0)
		put_identity(identity, &status);
	return !strcmp(identity, entry->identity) ||
	       bc_err_set(err,
			  "%.200s was changed after the run that this is of was interrupted: "
			  "remove this file and %.200s",
			  entry->target, entry->temporary);
}

static bool check_entries(const char *text, const char *end, struct bc_err *err)
{
	struct entry entry = { 0 };

	while (text < end)
		if (!next_entry(&entry, &text, end, err) || !check_entry(&entry, err))
			return false;
	return true;
}

static bool do_renames(const char *text, size_t length, struct bc_err *err)
{
	const char *end = text + length;
	const char *last = NULL; /* in a folder that is not synced yet */
	struct entry entry = { 0 };

	if (!check_entries(text, end, err))
		return false;
	while (text < end) {
		if (!next_entry(&entry, &text, end, err))
			return false;
		if (rename(entry.temporary, entry.target) != 0 && errno != ENOENT)
			return bc_err_errno(err, "cannot replace %.200s", entry.target);
		if (last && !is_same_folder(last, entry.target))
			bc_output_sync_folder(last);
		last = entry.target;
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
	sigset_t before;

	for (uint32_t i = 0; done && i < count; i++)
		done = bc_output_is_unchanged(outputs[i], err);
	/* When the record is there all of them stay: no signal takes away some, or all. */
	bc_output_block_signals(&before);
	done = done && write_record(outputs, count, record, err);
	for (uint32_t i = 0; i < count; i++) {
		if (done)
			bc_output_leave(outputs[i]);
		bc_output_discard(outputs[i]);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return done && bc_commit_finish(&finished, record, err);
}

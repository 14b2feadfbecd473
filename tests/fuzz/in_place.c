/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * ELF files whose BTF is put in order in place. Bits of the first byte say how:
 *
 *     bit 0  two files: 16 bits, low byte first, say how long the first is
 *     bit 1  canonical order (else what the file is for decides)
 *     bit 2  name order
 *     bit 3  signed ones lose their signature
 *     bit 4  a layout is dropped, forward declarations become bodies
 *
 * Either all files stay as they are, and it is said why, or they are read again,
 * a second time changes nothing, and what has nothing to do with types is what it
 * was.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/load.h"
#include "cli/sort.h"
#include "elf/table.h"
#include "tests/fuzz/laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

enum {
	IS_TWO = 1,
	IS_CANONICAL = 2,
	IS_BY_NAME = 4,
	DROPS_SIGNATURE = 8,
	IS_MORE = 16,
};

#define FILES_MAX 2

static char folder[64];
static char paths[FILES_MAX][80];

static void remove_folder(void)
{
	for (unsigned int i = 0; i < FILES_MAX; i++)
		unlink(paths[i]);
	rmdir(folder);
}

/* In memory where there is a place for that. */
static void make_folder(void)
{
	if (*folder)
		return;
	snprintf(folder, sizeof(folder), "%s/btfcanon-fuzz-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(folder))
		abort();
	for (unsigned int i = 0; i < FILES_MAX; i++)
		snprintf(paths[i], sizeof(paths[i]), "%s/%u", folder, i);
	atexit(remove_folder);
}

static void put_file(const char *path, struct fuzz_bytes bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, bytes.data, bytes.size_bytes) != (ssize_t)bytes.size_bytes ||
	    close(fd))
		abort();
}

static struct fuzz_bytes get_file(const char *path, struct bc_arena *arena)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct fuzz_bytes bytes;
	struct stat status;
	struct bc_err err;
	uint8_t *data;

	if (fd < 0 || fstat(fd, &status))
		abort();
	bytes.size_bytes = (size_t)status.st_size;
	bytes.data = data = bc_arena_alloc(arena, bytes.size_bytes + 1, 1, &err);
	if (!data || read(fd, data, bytes.size_bytes) != (ssize_t)bytes.size_bytes || close(fd))
		abort();
	return bytes;
}

static unsigned int count_files(void)
{
	DIR *handle = opendir(folder);
	unsigned int count = 0;

	if (!handle)
		abort();
	while (readdir(handle))
		count++;
	closedir(handle);
	return count - 2;
}

static bool sort_files(uint8_t flags, struct bc_err *err)
{
	const char *inputs[FILES_MAX] = { paths[0], paths[1] };
	struct bc_workers workers = { .count = 1 };
	struct bc_options options = {
		.inputs = inputs,
		.input_count = flags & IS_TWO ? 2 : 1,
		.order = flags & IS_BY_NAME ? BC_ORDER_NAME : BC_ORDER_CANONICAL,
		.order_given = flags & (IS_CANONICAL | IS_BY_NAME),
		.drop_signature = flags & DROPS_SIGNATURE,
		.drop_layout = flags & IS_MORE,
		.dedup = flags & IS_MORE,
		.max_vlen = BC_VLEN_MAX,
		.in_place = true,
		.quiet = true,
		.workers = &workers,
	};
	struct bc_inputs bases = { 0 };
	bool done = bc_sort_in_place(&options, &bases, err);

	bc_inputs_close(&bases);
	require(done || *err->text, "a refusal says why", NULL);
	require(count_files() == options.input_count, "nothing is left beside the files", err);
	return done;
}

/* ---- what a file is besides its types ---- */

static bool is_types(const char *name)
{
	return !strncmp(name, ".BTF", 4);
}

/* Whether some types have the name among their strings, as those of a BPF object have a program's. */
static bool is_named(const struct bc_elf_table *table, const char *name, struct bc_arena *arena)
{
	for (size_t i = 1; i < table->count; i++) {
		Elf64_Shdr header;
		const char *other;
		uint8_t *data;
		size_t size_bytes;
		struct bc_err err;

		if (bc_elf_table_get(table, i, &header, &other, &err) && is_types(other) &&
		    bc_elf_section_bytes(table, i, &data, &size_bytes, arena, &err) &&
		    memmem(data, size_bytes, name, strlen(name) + 1))
			return true;
	}
	return false;
}

static void check_section(const struct bc_elf_table *old, const struct bc_elf_table *new,
			  size_t index, struct bc_arena *arena)
{
	Elf64_Shdr was, is;
	const char *old_name, *new_name;
	uint8_t *old_data, *new_data;
	size_t old_bytes, new_bytes;
	struct bc_err err;

	require(bc_elf_table_get(old, index, &was, &old_name, &err) &&
			bc_elf_table_get(new, index, &is, &new_name, &err) &&
			!strcmp(old_name, new_name),
		"sections keep their names", NULL);
	require(was.sh_type == is.sh_type && was.sh_flags == is.sh_flags &&
			was.sh_addr == is.sh_addr && was.sh_link == is.sh_link &&
			was.sh_info == is.sh_info && was.sh_addralign == is.sh_addralign &&
			was.sh_entsize == is.sh_entsize,
		"sections keep what they are", NULL);
	if (is_types(old_name) || was.sh_type == SHT_REL || was.sh_type == SHT_RELA ||
	    was.sh_type == SHT_NOBITS || was.sh_type == SHT_NULL)
		return;
	require(bc_elf_section_bytes(old, index, &old_data, &old_bytes, arena, &err) &&
			bc_elf_section_bytes(new, index, &new_data, &new_bytes, arena, &err) &&
			old_bytes == new_bytes &&
			(!memcmp(old_data, new_data, old_bytes) || is_named(old, old_name, arena)),
		"sections without types keep their bytes", NULL);
}

/* Sections that overlap may lie on the types: there is nothing to say about such. */
static bool has_overlaps(const struct bc_elf_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		Elf64_Shdr one, other;
		const char *name;
		struct bc_err err;

		if (i && !bc_elf_table_get(table, i, &one, &name, &err))
			return true;
		for (size_t k = 1; i && k < i; k++)
			if (!bc_elf_table_get(table, k, &other, &name, &err) ||
			    (bc_elf_stored_bytes(&one) && bc_elf_stored_bytes(&other) &&
			     one.sh_offset < other.sh_offset + bc_elf_stored_bytes(&other) &&
			     other.sh_offset < one.sh_offset + bc_elf_stored_bytes(&one)))
				return true;
	}
	return false;
}

static void check_rest(struct fuzz_bytes before, struct fuzz_bytes after, struct bc_arena *arena)
{
	struct bc_elf_place places[2] = { { .data = before.data, .size_bytes = before.size_bytes },
					  { .data = after.data, .size_bytes = after.size_bytes } };
	struct bc_elf_table old, new;
	struct bc_err err;

	if (!bc_elf_table_open(&old, &places[0], &err))
		return;
	require(bc_elf_table_open(&new, &places[1], &err), "what was written is ELF", &err);
	require(old.count == new.count &&old.type == new.type &&old.machine == new.machine,
		"a file keeps its sections", NULL);
	for (size_t i = 1; i < old.count && old.count < 100 && !has_overlaps(&old); i++)
		check_section(&old, &new, i, arena);
	bc_elf_table_close(&old);
	bc_elf_table_close(&new);
}

static void check_files(uint8_t flags, const struct fuzz_bytes *before, struct bc_arena *arena)
{
	unsigned int count = flags & IS_TWO ? 2 : 1;
	struct fuzz_bytes after[FILES_MAX];
	struct bc_err err = { .text = "" };
	bool done;

	for (unsigned int i = 0; i < count; i++)
		put_file(paths[i], before[i]);
	done = sort_files(flags, &err);
	for (unsigned int i = 0; i < count; i++) {
		after[i] = get_file(paths[i], arena);
		if (!done)
			require_same(before[i], after[i], "what is refused stays");
		else if (!(flags & DROPS_SIGNATURE))
			check_rest(before[i], after[i], arena);
	}
	if (done) {
		require(sort_files(flags, &err), "what was written is read again", &err);
		for (unsigned int i = 0; i < count; i++)
			require_same(after[i], get_file(paths[i], arena),
				     "a second time changes nothing");
	}
	for (unsigned int i = 0; i < count; i++)
		unlink(paths[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
	struct fuzz_bytes files[FILES_MAX] = { 0 };
	struct bc_arena arena = { 0 };
	size_t first_bytes = 0;
	uint8_t flags;

	if (size_bytes < 3 || size_bytes > FUZZ_MAX_BYTES)
		return 0;
	make_folder();
	flags = data[0];
	data++;
	size_bytes--;
	if (flags & IS_TWO) {
		first_bytes = data[0] | (size_t)data[1] << 8;
		data += 2;
		size_bytes -= 2;
		if (first_bytes > size_bytes)
			return 0;
		files[1].data = data + first_bytes;
		files[1].size_bytes = size_bytes - first_bytes;
	}
	files[0].data = data;
	files[0].size_bytes = flags & IS_TWO ? first_bytes : size_bytes;
	check_files(flags, files, &arena);
	bc_arena_free(&arena);
	return 0;
}

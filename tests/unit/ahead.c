/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ahead.h"

/* Several steps, and a rest that is no whole block. */
#define SIZE_BYTES (((size_t)40 << 20) + 12345)

static char *bytes; /* [SIZE_BYTES] of the file that is copied */

/* What is opened goes to the end of the process: the file has no name any more. */
static int nameless_file(const char *folder)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/btfcanon-ahead.XXXXXX", folder);
	fd = mkstemp(path);
	if (fd >= 0)
		assert_int_equal(unlink(path), 0);
	return fd;
}

static int source_in(const char *folder, size_t size_bytes)
{
	int fd = nameless_file(folder);

	if (fd < 0)
		return fd;
	for (size_t done = 0; done < size_bytes;) {
		ssize_t put = pwrite(fd, bytes + done, size_bytes - done, (off_t)done);

		assert_true(put > 0);
		done += (size_t)put;
	}
	return fd;
}

static void check_copy(int fd, uint64_t copied_bytes)
{
	char *copy = malloc(copied_bytes + 1);

	assert_non_null(copy);
	assert_int_equal(pread(fd, copy, copied_bytes, 0), copied_bytes);
	assert_memory_equal(copy, bytes, copied_bytes);
	assert_int_equal(fcntl(fd, F_GETFL) & O_DIRECT, 0);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
	free(copy);
}

/* A file system that has a disk, mostly, and one that has none. */
static const char *const folders[] = { "/tmp", "/dev/shm", "." };

static void test_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		int from = source_in(folders[i], SIZE_BYTES);
		int to = nameless_file(folders[i]);

		if (from < 0 || to < 0)
			continue;
		assert_int_equal(bc_copy_ahead_end(bc_copy_ahead_begin(to, from, SIZE_BYTES)),
				 SIZE_BYTES);
		check_copy(to, SIZE_BYTES);
		close(from);
		close(to);
	}
}

static void test_beginning(void **state)
{
	static const size_t sizes[] = { (size_t)16 << 20, ((size_t)16 << 20) + 1, SIZE_BYTES - 9 };
	int from = source_in(".", SIZE_BYTES);

	(void)state;
	assert_true(from >= 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		int to = nameless_file(".");

		assert_int_equal(bc_copy_ahead_end(bc_copy_ahead_begin(to, from, sizes[i])),
				 sizes[i]);
		check_copy(to, sizes[i]);
		close(to);
	}
	close(from);
}

/* From one file system to another, where blocks cannot be shared. */
static void test_elsewhere(void **state)
{
	int from = source_in(".", SIZE_BYTES);
	int to = nameless_file("/dev/shm");

	(void)state;
	assert_true(from >= 0);
	if (to < 0)
		skip();
	assert_int_equal(bc_copy_ahead_end(bc_copy_ahead_begin(to, from, SIZE_BYTES)), SIZE_BYTES);
	check_copy(to, SIZE_BYTES);
	close(from);
	close(to);
}

static void test_small(void **state)
{
	int from = source_in(".", 4096);
	int to = nameless_file(".");

	(void)state;
	assert_null(bc_copy_ahead_begin(to, from, 4096));
	assert_int_equal(bc_copy_ahead_end(NULL), 0);
	bc_copy_ahead_stop(NULL);
	close(from);
	close(to);
}

/* No more than there is; and nothing where nothing can be written. */
static void test_failures(void **state)
{
	size_t half_bytes = SIZE_BYTES / 2;
	int from = source_in(".", half_bytes);
	int to = nameless_file(".");
	int closed = open("/dev/null", O_RDONLY);
	uint64_t copied_bytes = bc_copy_ahead_end(bc_copy_ahead_begin(to, from, SIZE_BYTES));

	(void)state;
	assert_true(copied_bytes <= half_bytes);
	check_copy(to, copied_bytes);
	assert_int_equal(bc_copy_ahead_end(bc_copy_ahead_begin(closed, from, SIZE_BYTES)), 0);
	close(from);
	close(to);
	close(closed);
}

/* Nobody writes to the new file after it. */
static void test_stop(void **state)
{
	int from = source_in(".", SIZE_BYTES);
	int to = nameless_file(".");
	struct stat status;

	(void)state;
	bc_copy_ahead_stop(bc_copy_ahead_begin(to, from, SIZE_BYTES));
	assert_int_equal(ftruncate(to, 0), 0);
	assert_int_equal(fstat(to, &status), 0);
	assert_int_equal(status.st_size, 0);
	close(from);
	close(to);
}

static int set_up(void **state)
{
	(void)state;
	bytes = malloc(SIZE_BYTES);
	assert_non_null(bytes);
	for (size_t i = 0; i < SIZE_BYTES; i++)
		bytes[i] = (char)(i * 2654435761u >> 13);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(bytes);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),     cmocka_unit_test(test_beginning),
		cmocka_unit_test(test_elsewhere), cmocka_unit_test(test_small),
		cmocka_unit_test(test_failures),  cmocka_unit_test(test_stop),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

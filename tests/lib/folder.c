/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "tests/lib/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char folder[64];

static int free_fd;

int folder_make(void **state)
{
	const char *in = getenv("TMPDIR");

	(void)state;
	free_fd = dup(STDERR_FILENO);
	close(free_fd);
	snprintf(folder, sizeof(folder), "%s/btfcanon-test-XXXXXX",
		 in && strlen(in) < 32 ? in : "/tmp");
	return mkdtemp(folder) ? 0 : -1;
}

int folder_remove(void **state)
{
	(void)state;
	return rmdir(folder);
}

void folder_left_no_file_open(void **state)
{
	int fd = dup(STDERR_FILENO);

	(void)state;
	close(fd);
	assert_int_equal(fd, free_fd);
}

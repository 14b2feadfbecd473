/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/text_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define STEP_BYTES ((size_t)1 << 20)

static bool read_steps(struct bc_bytes *text, int fd, struct bc_err *err)
{
	size_t before;
	const uint8_t *zero;

	do {
		before = text->size_bytes;
		if (!bc_bytes_read(text, fd, before + STEP_BYTES, err))
			return false;
		zero = text->size_bytes > before ?
			       memchr(text->data + before, 0, text->size_bytes - before) :
			       NULL;
		if (zero)
			return bc_err_set(err, "is no text: byte %zu is 0",
					  (size_t)(zero - text->data));
		if (text->size_bytes > BC_BYTES_MAX)
			return bc_err_set(err, "has more than %" PRIu64 " MiB", BC_BYTES_MAX >> 20);
	} while (text->size_bytes == before + STEP_BYTES);
	return true;
}

bool bc_text_file_read(struct bc_bytes *text, const char *path, struct bc_err *err)
{
	bool is_stdin = !strcmp(path, "-"), done;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return bc_err_errno(err, "cannot open");
	done = read_steps(text, fd, err);
	if (!is_stdin)
		close(fd);
	return done;
}

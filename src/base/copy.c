/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "base/copy.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define BLOCK_BYTES ((size_t)1 << 18)
#define CALL_BYTES_MAX ((size_t)1 << 30)

bool bc_write_at(int fd, uint64_t offset, const void *data, size_t size_bytes, struct bc_err *err)
{
	const char *bytes = data;

	while (size_bytes) {
		ssize_t put = pwrite(fd, bytes, size_bytes, (off_t)offset);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return bc_err_errno(err, "cannot write");
		bytes += put;
		offset += (uint64_t)put;
		size_bytes -= (size_t)put;
	}
	return true;
}

static bool end_early(uint64_t at, struct bc_err *err)
{
	return bc_err_set(err, "ends at byte %ju: it became shorter while it was read",
			  (uintmax_t)at);
}

static bool copy_through(char *block, int to_fd, uint64_t to, int from_fd, uint64_t from,
			 uint64_t size_bytes, struct bc_err *err)
{
	while (size_bytes) {
		ssize_t got = pread(from_fd, block,
				    size_bytes < BLOCK_BYTES ? (size_t)size_bytes : BLOCK_BYTES,
				    (off_t)from);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return bc_err_errno(err, "cannot read");
		if (!got)
			return end_early(from, err);
		if (!bc_write_at(to_fd, to, block, (size_t)got, err))
			return false;
		from += (uint64_t)got;
		to += (uint64_t)got;
		size_bytes -= (uint64_t)got;
	}
	return true;
}

/* Where the kernel or the file system cannot copy by itself. */
static bool is_not_for_here(int code)
{
	return code == EXDEV || code == EINVAL || code == ENOSYS || code == EOPNOTSUPP ||
	       code == EPERM || code == EBADF;
}

bool bc_copy_range(int to_fd, uint64_t to, int from_fd, uint64_t from, uint64_t size_bytes,
		   struct bc_err *err)
{
	char *block;
	bool done;

	while (size_bytes) {
		off_t source = (off_t)from;
		off_t sink = (off_t)to;
		ssize_t put = copy_file_range(
			from_fd, &source, to_fd, &sink,
			size_bytes < CALL_BYTES_MAX ? size_bytes : CALL_BYTES_MAX, 0);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && is_not_for_here(errno))
			break;
		if (put < 0)
			return bc_err_errno(err, "cannot write");
		if (!put)
			return end_early(from, err);
		from += (uint64_t)put;
		to += (uint64_t)put;
		size_bytes -= (uint64_t)put;
	}
	if (!size_bytes)
		return true;
	block = malloc(BLOCK_BYTES);
	if (!block)
		return bc_err_memory(err, BLOCK_BYTES);
	done = copy_through(block, to_fd, to, from_fd, from, size_bytes, err);
	free(block);
	return done;
}

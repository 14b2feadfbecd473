/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "elf/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define FIRST_READ_BYTES ((size_t)64 * 1024)

bool bc_bytes_reserve(struct bc_bytes *bytes, size_t capacity_bytes, struct bc_err *err)
{
	uint8_t *data;

	if (capacity_bytes <= bytes->capacity_bytes)
		return true;
	data = realloc(bytes->data, capacity_bytes);
	if (!data)
		return bc_err_memory(err, capacity_bytes);
	bytes->data = data;
	bytes->capacity_bytes = capacity_bytes;
	return true;
}

bool bc_bytes_read(struct bc_bytes *bytes, int fd, size_t until_bytes, struct bc_err *err)
{
	while (bytes->size_bytes < until_bytes) {
		size_t wanted;
		ssize_t got;

		if (bytes->size_bytes == bytes->capacity_bytes &&
		    !bc_bytes_reserve(bytes,
				      bytes->capacity_bytes ? 2 * bytes->capacity_bytes :
							      FIRST_READ_BYTES,
				      err))
			return false;
		wanted = bytes->capacity_bytes - bytes->size_bytes;
		if (wanted > until_bytes - bytes->size_bytes)
			wanted = until_bytes - bytes->size_bytes;
		got = read(fd, bytes->data + bytes->size_bytes, wanted);
		if (got < 0) {
			if (errno == EINTR)
				continue;
			return bc_err_errno(err, "cannot read");
		}
		if (!got)
			break;
		bytes->size_bytes += (size_t)got;
	}
	return true;
}

void bc_bytes_free(struct bc_bytes *bytes)
{
	free(bytes->data);
	memset(bytes, 0, sizeof(*bytes));
}

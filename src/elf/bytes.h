/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_ELF_BYTES_H
#define BC_ELF_BYTES_H

#include <stddef.h>
#include <string.h>

#include "base/err.h"

/* Nothing larger is taken into memory, read or unpacked. */
#define BC_BYTES_MAX ((uint64_t)1 << 30)

/* Bytes that grow. A zeroed one is empty and valid. DATA is the owner's, from malloc. */
struct bc_bytes {
	uint8_t *data;
	size_t size_bytes;
	size_t capacity_bytes;
};

/* Room for CAPACITY_BYTES in all; what is there stays, its address may change. */
bool bc_bytes_reserve(struct bc_bytes *bytes, size_t capacity_bytes, struct bc_err *err);

/*
 * Reads on from FD, appending, until the end of the file or until there are
 * UNTIL_BYTES in all. What was read stays on failure too.
 */
bool bc_bytes_read(struct bc_bytes *bytes, int fd, size_t until_bytes, struct bc_err *err);

/* Empty again. */
void bc_bytes_free(struct bc_bytes *bytes);

/* Numbers out of a file's bytes, at any alignment. */
static inline uint16_t bc_bytes_u16(const uint8_t *data, bool big_endian)
{
	return (uint16_t)(big_endian ? data[0] << 8 | data[1] : data[1] << 8 | data[0]);
}

static inline uint32_t bc_bytes_u32(const uint8_t *data, bool big_endian)
{
	uint32_t first = bc_bytes_u16(data, big_endian);
	uint32_t second = bc_bytes_u16(data + 2, big_endian);

	return big_endian ? first << 16 | second : second << 16 | first;
}

static inline uint64_t bc_bytes_u64(const uint8_t *data, bool big_endian)
{
	uint64_t first = bc_bytes_u32(data, big_endian);
	uint64_t second = bc_bytes_u32(data + 4, big_endian);

	return big_endian ? first << 32 | second : second << 32 | first;
}

/* Whether DATA has the LENGTH bytes of MAGIC at OFFSET. */
static inline bool bc_bytes_have(const uint8_t *data, size_t size_bytes, size_t offset,
				 const char *magic, size_t length)
{
	return offset <= size_bytes && size_bytes - offset >= length &&
	       !memcmp(data + offset, magic, length);
}

#endif

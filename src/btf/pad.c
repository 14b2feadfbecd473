/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "btf/pad.h"

#include <string.h>

#include "btf/format.h"

bool bc_btf_pad(const uint8_t **data, size_t *size_bytes, size_t padded_bytes, bool big_endian,
		struct bc_arena *arena, struct bc_err *err)
{
	const size_t length_at = BC_BTF_STRING_BYTES * sizeof(uint32_t);
	bool swap = big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint8_t *padded;
	uint32_t length;

	if (padded_bytes > UINT32_MAX)
		return bc_err_set(err, "it would be longer than 4 GiB");
	padded = bc_arena_zalloc(arena, padded_bytes, 1, err);
	if (!padded)
		return false;
	memcpy(padded, *data, *size_bytes);
	memcpy(&length, padded + length_at, sizeof(length));
	length = swap ? __builtin_bswap32(length) : length;
	length += (uint32_t)(padded_bytes - *size_bytes);
	length = swap ? __builtin_bswap32(length) : length;
	memcpy(padded + length_at, &length, sizeof(length));
	*data = padded;
	*size_bytes = padded_bytes;
	return true;
}

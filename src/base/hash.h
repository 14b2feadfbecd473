/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_HASH_H
#define BC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t bc_hash_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/* Of LENGTH bytes, eight at a time; not the same on machines of another byte order. */
static inline uint32_t bc_hash_bytes(const void *bytes, size_t length)
{
	const char *at = bytes;
	uint64_t hash = length, word = 0;

	if (length < 8) {
		for (size_t i = 0; i < length; i++)
			word = word << 8 | (unsigned char)at[i];
		return (uint32_t)bc_hash_mix(hash, word);
	}
	for (const char *end = at + length - 8; at < end; at += 8) {
		memcpy(&word, at, 8);
		hash = bc_hash_mix(hash, word);
	}
	memcpy(&word, (const char *)bytes + length - 8, 8);
	return (uint32_t)bc_hash_mix(hash, word);
}

#endif

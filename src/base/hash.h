/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_HASH_H
#define BC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/fold.h"

static inline uint64_t bc_hash_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/*
 * What the kernel drew for this process. Whoever writes an input cannot know which of its
 * names meet in a table whose hashes begin with it: no input makes look-ups slow. Nothing
 * that is written may depend on it.
 */
uint64_t bc_hash_seed(void);

/* One word more of what HASH, which began with a seed, is of. */
static inline uint64_t bc_hash_word(uint64_t hash, uint64_t word)
{
	return bc_fold(hash ^ word, UINT64_C(0xd6e8feb86659fd93));
}

/* Of LENGTH bytes, eight at a time; not the same on machines of another byte order. */
static inline uint64_t bc_hash_bytes(uint64_t seed, const void *bytes, size_t length)
{
	const char *at = bytes;
	uint64_t hash = seed ^ length, word;

	for (; length >= sizeof(word); length -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = bc_hash_word(hash, word);
	}
	word = 0;
	memcpy(&word, at, length);
	return bc_fold(hash ^ word, UINT64_C(0xe7037ed1a0b428db));
}

#endif

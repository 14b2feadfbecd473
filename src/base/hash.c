/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "base/hash.h"

#include <sys/auxv.h>

uint64_t bc_hash_seed(void)
{
	const void *bytes = (const void *)getauxval(AT_RANDOM);
	uint64_t seed = 0;

	if (bytes)
		memcpy(&seed, bytes, sizeof(seed));
	return seed;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_FOLD_H
#define BC_BASE_FOLD_H

#include <stdint.h>

/* The step of a hash: both halves of the product in one, so that every bit counts. */
static inline uint64_t bc_fold(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
#else /* 32 bits: by halves */
	uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
	uint64_t left = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
	uint64_t right = (a & UINT32_MAX) * (b >> 32) + (left & UINT32_MAX);
	uint64_t high = (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32);

	return high ^ (right << 32 | (low & UINT32_MAX));
#endif
}

#endif

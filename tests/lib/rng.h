/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TESTS_RNG_H
#define BC_TESTS_RNG_H

#include <stdbool.h>
#include <stdint.h>

/* Splitmix64: the same numbers on every machine, any seed is good. */
struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *rng)
{
	uint64_t z = rng->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* 0 … BOUND - 1; BOUND is not 0. */
static inline uint32_t rng_below(struct rng *rng, uint32_t bound)
{
	return (uint32_t)((rng_next(rng) >> 32) * bound >> 32);
}

static inline bool rng_percent(struct rng *rng, uint32_t percent)
{
	return rng_below(rng, 100) < percent;
}

#endif

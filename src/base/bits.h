/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_BITS_H
#define BC_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* How many bits of a word are set: inline, where the builtin is a call unless the machine is named. */
static inline uint32_t bc_count_bits(uint64_t word)
{
	word -= word >> 1 & UINT64_C(0x5555555555555555);
	word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
	word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t)(word * UINT64_C(0x0101010101010101) >> 56);
}

/* Bits whose set ones are numbered, side by side in memory: a look-up needs no other. */
struct bc_numbered_bits {
	uint64_t bits;
	uint32_t before; /* set bits before these */
};

/* Numbers what is set in COUNT words; returns how many there are. */
static inline uint32_t bc_number_bits(struct bc_numbered_bits *words, uint32_t count)
{
	uint32_t number = 0;

	for (uint32_t i = 0; i < count; i++) {
		words[i].before = number;
		number += bc_count_bits(words[i].bits);
	}
	return number;
}

static inline bool bc_bit_is_set(const struct bc_numbered_bits *words, uint64_t bit)
{
	return words[bit / 64].bits >> bit % 64 & 1;
}

/* Of a bit that is set. */
static inline uint32_t bc_bit_number(const struct bc_numbered_bits *words, uint64_t bit)
{
	const struct bc_numbered_bits *word = &words[bit / 64];

	return word->before + bc_count_bits(word->bits & (((uint64_t)1 << bit % 64) - 1));
}

/* Sets bit NUMBER of BITS, as other threads may do at once. */
static inline void bc_set_shared_bit(uint64_t *bits, uint64_t number)
{
	uint64_t *word = &bits[number / 64], bit = (uint64_t)1 << number % 64;

	/* Most are set already: to look is far less than to write. */
	if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
		__atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
}

#endif

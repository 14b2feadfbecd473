/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TESTS_LAW_H
#define BC_TESTS_LAW_H

#include "sort/canonical.h"
#include "tests/lib/build.h"
#include "tests/lib/naive.h"
#include "tests/lib/rng.h"

/*
 * What every law does: rounds with a printed seed, bytes through reader, order
 * and writer, bytes compared. All of it fails the running cmocka test.
 *
 * BTFCANON_SEED and BTFCANON_ROUNDS set seed and number of rounds (N, or N% of
 * the usual number). A failure says which seed to set, with one round, to have
 * it again; of a program that ends by a signal, scripts/tap says the first one.
 * With BTFCANON_KEEP=DIR the bytes that differ are written there.
 */
uint32_t law_rounds(uint32_t usual);

/* The numbers for round ROUND; failures from here on name its seed. */
struct rng law_round(uint32_t round);

struct law_bytes {
	const uint8_t *data;
	size_t size_bytes;
};

struct law_result {
	struct bc_graph in;
	struct bc_graph out;
	const uint32_t *new_id;
	struct bc_canonical_stats stats;
	struct law_bytes bytes;
};

/* The bytes of BUILD; see build_bytes. */
struct law_bytes law_build(struct build *build, const struct build_format *format);

/* Reads, or fails the test. */
struct bc_graph law_read(struct bc_arena *arena, struct law_bytes bytes,
			 const struct bc_graph *base);

/* Reads, orders and writes, or fails the test. */
struct law_result law_canonical(struct bc_arena *arena, struct law_bytes bytes,
				const struct bc_graph *base,
				const struct bc_canonical_options *options);

/* The naive model's answer for the same bytes. */
struct law_bytes law_naive(struct bc_arena *arena, struct law_bytes bytes, const struct build *base,
			   const struct bc_canonical_options *options, struct naive *naive);

/* Every combination of the options: orders, forwards settled or not. */
#define LAW_OPTION_COUNT 4
extern const struct bc_canonical_options law_options[LAW_OPTION_COUNT];

/* Writes the bytes to $BTFCANON_KEEP/NAME.btf, where that is set. */
void law_keep(struct law_bytes bytes, const char *name);

void law_assert_same(struct law_bytes wanted, struct law_bytes got, const char *what);

/* Fails the test with the seed of the round. */
void law_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif

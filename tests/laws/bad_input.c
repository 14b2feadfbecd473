/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Law: damaged input is refused with one line of text, or is a graph like any
 * other: it can be ordered, written, read again, and is then canonical. Inputs
 * are cut at every byte, and have every word and every byte set to what may
 * hurt. Each lies in memory of its exact size, so that the sanitizers see a
 * read beyond it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "btf/read.h"
#include "btf/write.h"
#include "tests/lib/law.h"
#include "tests/lib/samples.h"

struct counts {
	uint32_t refused;
	uint32_t taken;
};

static void check_text(const struct bc_err *err)
{
	size_t length = strnlen(err->text, sizeof(err->text));

	assert_in_range(length, 1, sizeof(err->text) - 1);
	for (size_t i = 0; i < length; i++)
		if (err->text[i] < ' ' || err->text[i] > '~')
			law_fail("not one line of text: %s", err->text);
}

static void check_taken(struct bc_arena *arena, const struct bc_graph *graph,
			const struct bc_graph *base)
{
	for (uint32_t k = 0; k < LAW_OPTION_COUNT; k++) {
		struct bc_err err;
		struct bc_graph out;
		struct law_bytes once;

		if (!bc_canonical(&out, graph, &law_options[k], arena, NULL, NULL, &err)) {
			check_text(&err);
			assert_true(graph->has_unknown_kind);
			continue;
		}
		if (!bc_btf_write(&out, NULL, arena, &once.data, &once.size_bytes, &err))
			law_fail("not written: %s", err.text);
		law_assert_same(once, law_canonical(arena, once, base, &law_options[k]).bytes,
				"damaged input, again");
	}
}

static void check_damaged(const uint8_t *data, size_t size_bytes, const struct bc_graph *base,
			  struct counts *counts)
{
	struct bc_arena arena = { 0 };
	struct bc_graph graph;
	struct bc_err err;
	uint8_t *exact = malloc(size_bytes ? size_bytes : 1);

	assert_non_null(exact);
	memcpy(exact, data, size_bytes);
	err.text[0] = 0;
	if (bc_btf_read(&graph, exact, size_bytes, base, &arena, NULL, &err)) {
		counts->taken++;
		check_taken(&arena, &graph, base);
	} else {
		counts->refused++;
		check_text(&err);
	}
	free(exact);
	bc_arena_free(&arena);
}

static void store(uint8_t *at, uint32_t word, bool big_endian)
{
	for (uint32_t i = 0; i < 4; i++)
		at[i] = (uint8_t)(word >> 8 * (big_endian ? 3 - i : i));
}

static uint32_t load(const uint8_t *at, bool big_endian)
{
	uint32_t word = 0;

	for (uint32_t i = 0; i < 4; i++)
		word |= (uint32_t)at[i] << 8 * (big_endian ? 3 - i : i);
	return word;
}

/* Limits of every sort of field: ids, string offsets, lengths, counts, kinds, flags. */
static void damage_words(const struct build *build, struct law_bytes bytes,
			 const struct bc_graph *base, struct counts *counts)
{
	uint8_t *data = malloc(bytes.size_bytes);

	assert_non_null(data);
	memcpy(data, bytes.data, bytes.size_bytes);
	for (size_t at = 4; at + 4 <= bytes.size_bytes; at += 4) {
		uint32_t old = load(data + at, build->big_endian);
		uint32_t last_id = build_id_end(build) - 1, strings = build_string_end(build);
		const uint32_t words[] = {
			0,
			1,
			2,
			old - 1,
			old + 1,
			old ^ 0x80000000,
			old ^ 0x01000000,
			old | 0x00ffffff,
			old | 0x7f000000,
			last_id,
			last_id + 1,
			strings - 1,
			strings,
			strings + 1,
			(uint32_t)bytes.size_bytes,
			(uint32_t)bytes.size_bytes + 1,
			(uint32_t)(UINT32_MAX - at),
			0x7fffffff,
			0x80000000,
			UINT32_MAX - 3,
			UINT32_MAX,
		};

		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			store(data + at, words[i], build->big_endian);
			check_damaged(data, bytes.size_bytes, base, counts);
		}
		store(data + at, old, build->big_endian);
	}
	free(data);
}

static void damage_bytes(struct law_bytes bytes, const struct bc_graph *base, struct counts *counts)
{
	static const uint8_t values[] = { 0, 1, 'x', 0x7f, 0x80, 0xff };
	uint8_t *data = malloc(bytes.size_bytes);

	assert_non_null(data);
	memcpy(data, bytes.data, bytes.size_bytes);
	for (size_t at = 0; at < bytes.size_bytes; at++) {
		for (size_t i = 0; i < sizeof(values); i++) {
			data[at] = values[i];
			check_damaged(data, bytes.size_bytes, base, counts);
		}
		data[at] = bytes.data[at];
	}
	free(data);
}

/* Plain; strings first; a longer header (where the layout section can be damaged). */
static struct build_format format_number(uint32_t number)
{
	return (struct build_format){ .header_bytes = number == 2 ? 40 : 0,
				      .strings_first = number == 1 };
}
#define FORMAT_COUNT 3

/* Calls CHECK for every sample in every format and byte order. */
static void each_sample(void (*check)(const struct build *build, struct law_bytes bytes,
				      const struct bc_graph *base, struct counts *counts),
			struct counts *counts)
{
	for (uint32_t i = 0; i < sample_count * FORMAT_COUNT * 2; i++) {
		const struct sample *sample = &samples[i / FORMAT_COUNT / 2];
		struct build_format format = format_number(i / 2 % FORMAT_COUNT);
		struct bc_arena arena = { 0 };
		struct build *build = sample_make(sample, &arena, i % 2);
		struct bc_graph base;

		if (build->base)
			base = law_read(&arena, law_build((struct build *)build->base, NULL), NULL);
		check(build, law_build(build, &format), build->base ? &base : NULL, counts);
		bc_arena_free(&arena);
	}
}

static void cut_everywhere(const struct build *build, struct law_bytes bytes,
			   const struct bc_graph *base, struct counts *counts)
{
	(void)build;
	for (size_t size_bytes = 0; size_bytes < bytes.size_bytes; size_bytes++)
		check_damaged(bytes.data, size_bytes, base, counts);
}

/* The header says how long it all is, so nothing cut off goes unnoticed. */
static void every_cut_is_refused(void **state)
{
	struct counts counts = { 0 };

	(void)state;
	law_round(0);
	each_sample(cut_everywhere, &counts);
	assert_int_equal(counts.taken, 0);
	assert_true(counts.refused > 1000);
}

static void every_word_may_be_damaged(void **state)
{
	struct counts counts = { 0 };

	(void)state;
	law_round(0);
	each_sample(damage_words, &counts);
	assert_true(counts.taken > 1000);
	assert_true(counts.refused > 1000);
}

static void check_bytes(const struct build *build, struct law_bytes bytes,
			const struct bc_graph *base, struct counts *counts)
{
	(void)build;
	damage_bytes(bytes, base, counts);
}

static void every_byte_may_be_damaged(void **state)
{
	struct counts counts = { 0 };

	(void)state;
	law_round(0);
	each_sample(check_bytes, &counts);
	assert_true(counts.taken > 1000);
	assert_true(counts.refused > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cut_is_refused),
		cmocka_unit_test(every_word_may_be_damaged),
		cmocka_unit_test(every_byte_may_be_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Memory that is not to be had: every allocation of encode fails once. Each
 * time there is one line of text, or the same result by other means, and all
 * memory is given back.
 */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=free,--wrap=mmap,--wrap=mprotect,--wrap=pthread_create */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "btf/write.h"
#include "dwarf/encode.h"
#include "sort/canonical.h"
#include "tests/lib/failing.h"
#include "tests/lib/random_units.h"

struct bytes {
	uint8_t *data;
	size_t size_bytes;
};

/* What encode gives, as bytes of its own (NULL with err set); faults only in encode itself. */
static struct bytes encode(const char *path, uint32_t threads, struct bc_err *err)
{
	struct bc_workers workers = { .count = threads };
	struct bc_encode_options options = { .workers = &workers,
					     .features = bc_features_default(),
					     .hash_mask = UINT64_MAX };
	const struct bc_canonical_options settling = { .settle_forwards = true };
	struct bc_encode_stats stats;
	struct bc_arena arena = { 0 };
	struct bc_graph encoded, canonical;
	struct bytes bytes = { 0 };
	const uint8_t *data;
	int64_t before = failing.live;
	bool done;

	options.features.with_global_var = options.features.with_attributes = true;
	failing.next = 0;
	failing.on = true;
	done = bc_encode(&encoded, &path, 1, &options, &stats, &arena, err);
	failing.on = false;
	if (done) {
		assert_true(bc_canonical(&canonical, &encoded, &settling, &arena, NULL, NULL, err));
		assert_true(bc_btf_write(&canonical, NULL, &arena, &data, &bytes.size_bytes, err));
		bytes.data = __real_malloc(bytes.size_bytes);
		assert_non_null(bytes.data);
		memcpy(bytes.data, data, bytes.size_bytes);
	}
	bc_arena_free(&arena);
	assert_int_equal(failing.live, before);
	return bytes;
}

/* Lets one allocation after the other fail; tells how many there are. */
static uint64_t fail_each(const char *path, uint32_t threads)
{
	struct bc_err err = { .text = "" };
	struct bytes wanted, got;
	uint64_t number = 0, refused = 0;

	failing.number = UINT64_MAX;
	wanted = encode(path, threads, &err);
	if (!wanted.data)
		fail_msg("%s", err.text);
	do {
		err.text[0] = '\0';
		failing.number = number++;
		got = encode(path, threads, &err);
		if (got.data) {
			assert_int_equal(got.size_bytes, wanted.size_bytes);
			assert_memory_equal(got.data, wanted.data, wanted.size_bytes);
		} else {
			assert_non_null(strstr(err.text, "memory"));
			assert_null(strchr(err.text, '\n'));
			refused++;
		}
		__real_free(got.data);
	} while (failing.next >= number);
	__real_free(wanted.data);
	failing.number = UINT64_MAX;
	/* A second thread can be done without, and so can what only saves time. */
	assert_true(refused > number / 2);
	return number;
}

/* Random units, of a sort each: conflicts, several bodies, references into other units. */
static void every_allocation_may_fail(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		const struct random_units_options options = { .unit_count = 4,
							      .type_count = 12,
							      .crosses_units = i & 1,
							      .repeats_tags = i & 2,
							      .has_unnamed_cycles = true };
		struct rng rng = { 20260101 + i };
		struct bc_arena arena = { 0 };
		struct unit_set set = random_units(&arena, &rng, &options);
		char path[DWARF_PATH_BYTES];
		struct dwarf_build *build;
		struct dwarf_bytes elf;
		int file;

		random_dwarf(&build, 1, &arena, &rng, &set);
		elf = dwarf_elf(build);
		file = dwarf_memory_file(elf.data, elf.size_bytes, path);
		for (uint32_t threads = 1; threads <= 2; threads++)
			assert_true(fail_each(path, threads) > 300);
		close(file);
		bc_arena_free(&arena);
	}
}

static void fail_each_of_seed(const char *name)
{
	static uint8_t data[65536];
	FILE *seed = fopen(name, "rb");
	char path[DWARF_PATH_BYTES];
	size_t size;
	int file;

	if (!seed)
		skip();
	size = fread(data, 1, sizeof(data), seed);
	fclose(seed);
	assert_in_range(size, 1000, sizeof(data) - 1);
	file = dwarf_memory_file(data + 1, size - 1, path);
	fail_each(path, 1);
	close(file);
}

/* An object with functions and symbols. */
static void every_allocation_may_fail_with_functions(void **state)
{
	(void)state;
	fail_each_of_seed("tests/fuzz/seeds/encode/gcc5");
}

/* One with variables, and pointers into arenas. */
static void every_allocation_may_fail_with_variables(void **state)
{
	(void)state;
	fail_each_of_seed("tests/fuzz/seeds/encode/variables");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(every_allocation_may_fail_with_functions),
		cmocka_unit_test(every_allocation_may_fail_with_variables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

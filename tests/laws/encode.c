/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Law: what encode gives is a function of what the units say. Random sets of
 * units, written as DWARF in random ways, give the bytes of the naive model:
 * in any order of units and of DIEs, with any number of threads, with hashes
 * that collide, with units repeated, and split over several files.
 */
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
#include "tests/lib/law.h"
#include "tests/lib/random_units.h"

#define FILES_MAX 4

/* As encode has it: each string of what units make is a name. */
static const struct bc_canonical_options settling = {
	.settle_forwards = true,
	.kept = { .all = true },
};

/* For a look at what went wrong: the files of a failed round. */
static void keep_file(struct dwarf_bytes bytes, uint32_t number)
{
	char path[512];
	FILE *file;

	if (!getenv("BTFCANON_KEEP"))
		return;
	snprintf(path, sizeof(path), "%s/file%u.elf", getenv("BTFCANON_KEEP"), number);
	file = fopen(path, "wb");
	if (!file)
		return;
	fwrite(bytes.data, 1, bytes.size_bytes, file);
	fclose(file);
}

static struct law_bytes encode_paths(struct bc_arena *arena, const char *const *paths,
				     uint32_t count, const struct bc_encode_options *options)
{
	struct bc_encode_stats stats;
	struct bc_graph encoded, canonical;
	struct law_bytes bytes;
	struct bc_err err;

	if (!bc_encode(&encoded, paths, count, options, &stats, arena, &err))
		law_fail("not encoded: %s", err.text);
	if (!bc_canonical(&canonical, &encoded, &settling, arena, NULL, NULL, &err))
		law_fail("not ordered: %s", err.text);
	if (!bc_btf_write(&canonical, NULL, arena, &bytes.data, &bytes.size_bytes, &err))
		law_fail("not written: %s", err.text);
	return bytes;
}

/* Random threads, order and hashes. */
static struct bc_encode_options any_options(struct rng *rng, struct bc_workers *workers)
{
	static const uint64_t masks[] = { UINT64_MAX, 0, UINT64_C(0xff00000000000003) };

	*workers = (struct bc_workers){ .count = 1 + rng_below(rng, 3) };
	return (struct bc_encode_options){
		.workers = workers,
		.features = bc_features_default(),
		.shuffle_units = rng_percent(rng, 50),
		.shuffle_seed = rng_next(rng),
		.hash_mask = masks[rng_below(rng, 3)],
	};
}

static struct law_bytes encode_set(struct bc_arena *arena, struct rng *rng,
				   const struct unit_set *set, uint32_t file_count)
{
	struct bc_workers workers;
	struct bc_encode_options options = any_options(rng, &workers);
	char paths[FILES_MAX][DWARF_PATH_BYTES];
	const char *names[FILES_MAX];
	struct dwarf_build *files[FILES_MAX];
	struct law_bytes bytes;
	int descriptors[FILES_MAX];

	random_dwarf(files, file_count, arena, rng, set);
	for (uint32_t i = 0; i < file_count; i++) {
		struct dwarf_bytes elf = dwarf_elf(files[i]);

		keep_file(elf, i);
		descriptors[i] = dwarf_memory_file(elf.data, elf.size_bytes, paths[i]);
		names[i] = paths[i];
	}
	bytes = encode_paths(arena, names, file_count, &options);
	for (uint32_t i = 0; i < file_count; i++)
		close(descriptors[i]);
	return bytes;
}

static struct law_bytes model_set(const struct unit_set *set)
{
	const struct naive_options naive_options = { .settle_forwards = true };

	return law_build(naive_canonical(unit_model(set), &naive_options).canonical, NULL);
}

static void check_round(uint32_t round, const struct random_units_options *usual)
{
	struct rng rng = law_round(round);
	struct bc_arena arena = { 0 };
	struct random_units_options options = *usual;
	struct unit_set set, again;
	struct law_bytes wanted;

	options.unit_count = 1 + rng_below(&rng, options.unit_count);
	options.type_count = 1 + rng_below(&rng, options.type_count);
	set = random_units(&arena, &rng, &options);
	set.types->big_endian = rng_percent(&rng, 25);
	wanted = model_set(&set);
	law_assert_same(wanted, encode_set(&arena, &rng, &set, 1), "one file");
	again = random_units_again(&arena, &rng, &set, rng_percent(&rng, 50));
	law_assert_same(wanted, model_set(&again), "the model, other order");
	law_assert_same(wanted, encode_set(&arena, &rng, &again, 1), "other order");
	if (!options.crosses_units)
		law_assert_same(wanted,
				encode_set(&arena, &rng, &again,
					   1 + rng_below(&rng, again.unit_count < FILES_MAX ?
								       again.unit_count :
								       FILES_MAX)),
				"several files");
	bc_arena_free(&arena);
}

/* C as compilers write it: a tag has one body in a unit. */
static void units_are_as_the_model_says(void **state)
{
	const struct random_units_options options = { .unit_count = 4, .type_count = 8 };

	(void)state;
	for (uint32_t round = 0; round < law_rounds(2000); round++)
		check_round(round, &options);
}

static void unnamed_cycles_are_as_the_model_says(void **state)
{
	const struct random_units_options options = { .unit_count = 3,
						      .type_count = 8,
						      .has_unnamed_cycles = true };

	(void)state;
	for (uint32_t round = 0; round < law_rounds(1500); round++)
		check_round(round, &options);
}

static void repeated_tags_are_as_the_model_says(void **state)
{
	const struct random_units_options options = {
		.unit_count = 3, .type_count = 10, .repeats_tags = true, .has_unnamed_cycles = true
	};

	(void)state;
	for (uint32_t round = 0; round < law_rounds(1500); round++)
		check_round(round, &options);
}

static void crossing_units_are_as_the_model_says(void **state)
{
	const struct random_units_options options = { .unit_count = 3,
						      .type_count = 8,
						      .crosses_units = true };

	(void)state;
	for (uint32_t round = 0; round < law_rounds(1500); round++)
		check_round(round, &options);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_are_as_the_model_says),
		cmocka_unit_test(unnamed_cycles_are_as_the_model_says),
		cmocka_unit_test(repeated_tags_are_as_the_model_says),
		cmocka_unit_test(crossing_units_are_as_the_model_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

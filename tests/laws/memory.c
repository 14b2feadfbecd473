/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Law: when memory runs out, at whichever allocation, that is an error like
 * any other; and with one allocation more the result is as always.
 */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "btf/read.h"
#include "btf/write.h"
#include "tests/lib/law.h"
#include "tests/lib/random_graph.h"
#include "tests/lib/samples.h"

void *__real_malloc(size_t size_bytes);
void *__real_calloc(size_t count, size_t size_bytes);
void *__real_realloc(void *memory, size_t size_bytes);
void *__wrap_malloc(size_t size_bytes);
void *__wrap_calloc(size_t count, size_t size_bytes);
void *__wrap_realloc(void *memory, size_t size_bytes);

static bool is_limited;
static uint32_t allocations_left;

static bool may_allocate(void)
{
	return !is_limited || (allocations_left && allocations_left--);
}

void *__wrap_malloc(size_t size_bytes)
{
	return may_allocate() ? __real_malloc(size_bytes) : NULL;
}

void *__wrap_calloc(size_t count, size_t size_bytes)
{
	return may_allocate() ? __real_calloc(count, size_bytes) : NULL;
}

void *__wrap_realloc(void *memory, size_t size_bytes)
{
	return may_allocate() ? __real_realloc(memory, size_bytes) : NULL;
}

/* Reader, order and writer with LIMIT allocations. */
static bool run_limited(struct bc_arena *arena, struct law_bytes bytes, const struct bc_graph *base,
			const struct bc_canonical_options *options, uint32_t limit,
			struct law_bytes *result, struct bc_err *err)
{
	struct bc_graph graph, out;
	bool done;

	allocations_left = limit;
	is_limited = true;
	done = bc_btf_read(&graph, bytes.data, bytes.size_bytes, base, arena, NULL, err) &&
	       bc_canonical(&out, &graph, options, arena, NULL, NULL, err) &&
	       bc_btf_write(&out, NULL, arena, &result->data, &result->size_bytes, err);
	is_limited = false;
	return done;
}

static void check_every_limit(struct law_bytes bytes, const struct bc_graph *base,
			      const struct bc_canonical_options *options)
{
	struct bc_arena unlimited = { 0 };
	struct law_bytes wanted = law_canonical(&unlimited, bytes, base, options).bytes;
	bool done = false;

	for (uint32_t limit = 0; !done; limit++) {
		struct bc_arena arena = { 0 };
		struct law_bytes got;
		struct bc_err err = { .text = "" };

		done = run_limited(&arena, bytes, base, options, limit, &got, &err);
		if (done)
			law_assert_same(wanted, got, "with just enough memory");
		else if (!strstr(err.text, "out of memory"))
			law_fail("allocation %u fails: \"%s\"", limit, err.text);
		assert_true(done || limit < 10000);
		assert_true(!done || limit > 2);
		bc_arena_free(&arena);
	}
	bc_arena_free(&unlimited);
}

static void samples_fail_cleanly(void **state)
{
	(void)state;
	law_round(0);
	for (uint32_t i = 0; i < sample_count; i++) {
		struct bc_arena arena = { 0 };
		struct build *build = sample_make(&samples[i], &arena, i % 2);
		struct bc_graph base;

		if (build->base)
			base = law_read(&arena, law_build((struct build *)build->base, NULL), NULL);
		for (uint32_t k = 0; k < LAW_OPTION_COUNT; k++)
			check_every_limit(law_build(build, NULL), build->base ? &base : NULL,
					  &law_options[k]);
		bc_arena_free(&arena);
	}
}

/* Large enough that every array is an allocation of its own. */
static void large_graphs_fail_cleanly(void **state)
{
	struct rng rng = law_round(0);
	struct bc_arena arena = { 0 };
	struct build *base = random_graph(&arena, &rng, NULL, 8000);
	struct law_bytes base_bytes = law_build(base, NULL), bytes;
	struct bc_graph base_graph = law_read(&arena, base_bytes, NULL);

	(void)state;
	bytes = law_build(random_graph(&arena, &rng, base, 8000), NULL);
	for (uint32_t k = 0; k < LAW_OPTION_COUNT; k++) {
		check_every_limit(base_bytes, NULL, &law_options[k]);
		check_every_limit(bytes, &base_graph, &law_options[k]);
	}
	bc_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_fail_cleanly),
		cmocka_unit_test(large_graphs_fail_cleanly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Law: nothing recurses over the graph. Chains and cycles of hundreds of
 * thousands of types go through reader, order and writer on a stack of 256 KiB,
 * where a recursion that deep would crash; and in no more rounds than the
 * chain is long.
 */
/* link: -pthread */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "btf/read.h"
#include "btf/write.h"
#include "tests/lib/law.h"

#define STACK_BYTES ((size_t)256 * 1024)
#define POINTER_DEPTH 200000u
#define STRUCT_DEPTH 50000u
#define CYCLE_LENGTH 100000u
#define SIGNED_INT (1u << 24 | 32)

struct job {
	struct bc_arena arena;
	struct law_bytes bytes;
	struct bc_canonical_options options;
	struct bc_graph out;
	const uint32_t *new_id;
	struct bc_canonical_stats stats;
	struct bc_err err;
	bool done;
};

/* No assertion here: they jump, and not across threads. */
static void *run_job(void *argument)
{
	struct job *job = argument;
	struct bc_graph in, again;
	const uint8_t *data;
	size_t size_bytes;

	job->done = bc_btf_read(&in, job->bytes.data, job->bytes.size_bytes, NULL, &job->arena,
				NULL, &job->err) &&
		    bc_canonical(&job->out, &in, &job->options, &job->arena, &job->new_id,
				 &job->stats, &job->err) &&
		    bc_btf_write(&job->out, NULL, &job->arena, &data, &size_bytes, &job->err) &&
		    bc_btf_read(&again, data, size_bytes, NULL, &job->arena, NULL, &job->err);
	return NULL;
}

static void run_on_small_stack(struct job *job)
{
	pthread_attr_t attributes;
	pthread_t thread;

	assert_int_equal(pthread_attr_init(&attributes), 0);
	assert_int_equal(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
	assert_int_equal(pthread_create(&thread, &attributes, run_job, job), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_attr_destroy(&attributes);
	if (!job->done)
		fail_msg("%s", job->err.text);
}

/* Each refers to the next, the last to void: the last is the lowest. */
static void check_chain(uint32_t kind, enum bc_order order)
{
	struct bc_arena arena = { 0 };
	struct build *build = build_new(&arena, NULL);
	struct job job = { .options = { .order = order, .settle_forwards = true } };

	for (uint32_t i = 0; i < POINTER_DEPTH; i++)
		build_ref(build, kind, kind == BC_TYPEDEF ? "t" : "",
			  i + 1 < POINTER_DEPTH ? i + 2 : 0);
	job.bytes = law_build(build, NULL);
	run_on_small_stack(&job);
	assert_int_equal(job.out.type_count, POINTER_DEPTH);
	assert_true(job.stats.rounds <= POINTER_DEPTH + 1);
	for (uint32_t i = 0; i < POINTER_DEPTH; i++)
		assert_int_equal(job.new_id[i], POINTER_DEPTH - i);
	bc_arena_free(&job.arena);
	bc_arena_free(&arena);
}

static void chains_of_one_kind(void **state)
{
	(void)state;
	check_chain(BC_PTR, BC_ORDER_CANONICAL);
	check_chain(BC_PTR, BC_ORDER_NAME);
	check_chain(BC_CONST, BC_ORDER_CANONICAL);
}

/* Of one name: each but the first has one referrer, so name order cannot tell them apart sooner. */
static void chain_of_one_name(void **state)
{
	(void)state;
	check_chain(BC_TYPEDEF, BC_ORDER_CANONICAL);
}

static void structs_in_structs(void **state)
{
	struct bc_arena arena = { 0 };
	struct build *build = build_new(&arena, NULL);
	struct job job = { .options = { .order = BC_ORDER_CANONICAL } };

	(void)state;
	build_int(build, "int", 4, SIGNED_INT);
	for (uint32_t i = 0; i < STRUCT_DEPTH; i++) {
		uint32_t id = build_sized(build, i % 3 ? BC_STRUCT : BC_UNION, "", 4);

		build_member(build, id, "m", id - 1, 0);
		build_member(build, id, "n", i % 2 ? id - 1 : 1, 0);
	}
	job.bytes = law_build(build, NULL);
	run_on_small_stack(&job);
	assert_int_equal(job.out.type_count, STRUCT_DEPTH + 1);
	bc_arena_free(&job.arena);
	bc_arena_free(&arena);
}

/* One const among pointers in a ring: that tells all of them apart, one more each round. */
static void ring_with_one_mark(void **state)
{
	struct bc_arena arena = { 0 };
	struct build *build = build_new(&arena, NULL);
	struct job job = { .options = { .order = BC_ORDER_CANONICAL } };

	(void)state;
	for (uint32_t i = 0; i < CYCLE_LENGTH; i++)
		build_ref(build, i ? BC_PTR : BC_CONST, "", 1 + (i + 1) % CYCLE_LENGTH);
	job.bytes = law_build(build, NULL);
	run_on_small_stack(&job);
	assert_int_equal(job.out.type_count, CYCLE_LENGTH);
	assert_true(job.stats.rounds <= CYCLE_LENGTH + 1);
	bc_arena_free(&job.arena);
	bc_arena_free(&arena);
}

/* Rings of structs that nothing tells apart, alone or in one ring: two types are left. */
static void rings_without_a_mark(void **state)
{
	for (uint32_t alone = 0; alone < 2; alone++) {
		struct bc_arena arena = { 0 };
		struct build *build = build_new(&arena, NULL);
		struct job job = { .options = { .order = BC_ORDER_CANONICAL } };

		(void)state;
		for (uint32_t i = 0; i < CYCLE_LENGTH; i++) {
			uint32_t id = build_sized(build, BC_STRUCT, "", 8);

			build_member(build, id, "next", id + 1, 0);
			build_ptr(build, alone ? id : 1 + (id + 1) % (2 * CYCLE_LENGTH));
		}
		job.bytes = law_build(build, NULL);
		run_on_small_stack(&job);
		assert_int_equal(job.out.type_count, 2);
		bc_arena_free(&job.arena);
		bc_arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_of_one_kind),   cmocka_unit_test(chain_of_one_name),
		cmocka_unit_test(structs_in_structs),   cmocka_unit_test(ring_with_one_mark),
		cmocka_unit_test(rings_without_a_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

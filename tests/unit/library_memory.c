/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Memory that is not to be had: every allocation of what the library does fails
 * once. Each time the call says -ENOMEM and why, or does all the same, and gives all
 * memory back.
 */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=free,--wrap=mmap,--wrap=mprotect,--wrap=pthread_create */
#include <bpf/btf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/btfcanon.h"
#include "tests/lib/dwarf_build.h"
#include "tests/lib/failing.h"
#include "tests/lib/law.h"
#include "tests/lib/random_graph.h"

/* What the calls are about, made while all memory is to be had. */
static struct {
	struct bc_arena arena;
	struct law_bytes base_bytes, split_bytes;
	struct btfcanon_btf *base, *split, *sorted;
	struct btf *libbpf;
	struct dwarf_bytes elf;
} world;

static struct dwarf_bytes make_elf(void)
{
	struct dwarf_build *build = dwarf_build_new(&world.arena);
	struct dwarf_die *root, *type;

	for (uint32_t i = 0; i < 3; i++) {
		root = dwarf_unit_new(build, 5)->root;
		type = dwarf_struct(root, build_format_text(&world.arena, "s%u", i), 8);
		dwarf_member(type, "a", dwarf_base_type(root, "int", 4, DW_ATE_signed), 4);
		dwarf_link(root, DW_TAG_pointer_type, NULL, type);
	}
	return dwarf_elf(build);
}

static void make_world(void)
{
	struct btfcanon_read_opts opts = { .sz = sizeof(opts) };
	struct rng rng = law_round(0);
	struct build *below = random_graph(&world.arena, &rng, NULL, 40);

	world.base_bytes = law_build(below, NULL);
	world.split_bytes = law_build(random_graph(&world.arena, &rng, below, 40), NULL);
	assert_int_equal(btfcanon_read_memory(&world.base, world.base_bytes.data,
					      world.base_bytes.size_bytes, NULL, NULL),
			 0);
	opts.base = world.base;
	assert_int_equal(btfcanon_read_memory(&world.split, world.split_bytes.data,
					      world.split_bytes.size_bytes, &opts, NULL),
			 0);
	assert_int_equal(btfcanon_sort(&world.sorted, world.base, NULL, NULL), 0);
	world.libbpf = btf__new(world.base_bytes.data, (uint32_t)world.base_bytes.size_bytes);
	world.elf = make_elf();
}

static void free_world(void)
{
	btfcanon_free(world.base);
	btfcanon_free(world.split);
	btfcanon_free(world.sorted);
	btf__free(world.libbpf);
	bc_arena_free(&world.arena);
}

typedef int (*operation)(struct btfcanon_btf **out, struct btfcanon_error *error);

static int read_split(struct btfcanon_btf **out, struct btfcanon_error *error)
{
	const struct btfcanon_read_opts opts = { .sz = sizeof(opts), .base = world.base };

	return btfcanon_read_memory(out, world.split_bytes.data, world.split_bytes.size_bytes,
				    &opts, error);
}

static int read_libbpf(struct btfcanon_btf **out, struct btfcanon_error *error)
{
	return btfcanon_read_libbpf(out, world.libbpf, NULL, error);
}

static int sort_split(struct btfcanon_btf **out, struct btfcanon_error *error)
{
	const struct btfcanon_sort_opts opts = { .sz = sizeof(opts),
						 .order = BTFCANON_ORDER_NAME,
						 .dedup = 1 };

	return btfcanon_sort(out, world.split, &opts, error);
}

static int encode_on_base(struct btfcanon_btf **out, struct btfcanon_error *error)
{
	const struct btfcanon_encode_opts opts = { .sz = sizeof(opts),
						   .base = world.base,
						   .features = "default,distilled_base",
						   .thread_count = 2 };

	return btfcanon_encode_memory(out, world.elf.data, world.elf.size_bytes, &opts, error);
}

static int encode_alone(struct btfcanon_btf **out, struct btfcanon_error *error)
{
	const struct btfcanon_encode_opts opts = { .sz = sizeof(opts), .features = "layout" };

	return btfcanon_encode_memory(out, world.elf.data, world.elf.size_bytes, &opts, error);
}

/* The bytes are a copy outside of what is counted. */
static struct law_bytes take_bytes(struct btfcanon_btf *btf)
{
	struct law_bytes bytes;
	const void *data = btfcanon_data(btf, &bytes.size_bytes);
	void *copy = __real_malloc(bytes.size_bytes);

	assert_non_null(copy);
	memcpy(copy, data, bytes.size_bytes);
	bytes.data = copy;
	btfcanon_free(btf);
	return bytes;
}

static void assert_no_memory(int code, struct btfcanon_error *error)
{
	if (code != -ENOMEM || !strstr(error->text, "memory"))
		law_fail("%d and \"%s\", not -ENOMEM", code, error->text);
	memset(error, 0, sizeof(*error));
}

/* Lets one allocation after the other fail; there must be some, most of which matter. */
static void fail_each(operation run)
{
	struct btfcanon_error error = { "" };
	struct law_bytes wanted = { 0 };
	uint64_t refused = 0;

	failing.number = UINT64_MAX; /* the first time none fails */
	do {
		int64_t before = failing.live;
		struct btfcanon_btf *btf;
		int code;

		failing.next = 0;
		failing.on = true;
		code = run(&btf, &error);
		failing.on = false;
		if (code) {
			assert_no_memory(code, &error);
			refused++;
		} else {
			struct law_bytes got = take_bytes(btf);

			if (wanted.data)
				law_assert_same(wanted, got, "without some memory");
			else
				wanted = got;
			if (wanted.data != got.data)
				__real_free((void *)got.data);
		}
		assert_int_equal(failing.live, before);
		failing.number++;
	} while (failing.next >= failing.number);
	__real_free((void *)wanted.data);
	assert_true(failing.number > 3);
	assert_true(refused > failing.number / 2);
}

static void reading_and_sorting(void **state)
{
	(void)state;
	make_world();
	fail_each(read_split);
	fail_each(read_libbpf);
	fail_each(sort_split);
	free_world();
}

static void encoding(void **state)
{
	(void)state;
	make_world();
	fail_each(encode_on_base);
	fail_each(encode_alone);
	free_world();
}

/* The text is libc's own, which does not count. */
static int compare_and_report(uint32_t format, struct btfcanon_error *error)
{
	const struct btfcanon_report_opts opts = { .sz = sizeof(opts),
						   .format = format,
						   .verbose = 1 };
	struct btfcanon_comparison *comparison;
	char *text;
	int code = btfcanon_compare(&comparison, world.base, world.split, NULL, error);

	if (code)
		return code;
	code = btfcanon_report(&text, NULL, comparison, &opts, error);
	btfcanon_comparison_free(comparison);
	if (!code)
		__real_free(text);
	return code;
}

static void comparing(void **state)
{
	struct btfcanon_error error = { "" };

	(void)state;
	make_world();
	for (uint32_t format = 0; format <= BTFCANON_FORMAT_STAT; format++) {
		uint64_t refused = 0;

		failing.number = 0;
		do {
			int64_t before = failing.live;
			int code;

			failing.next = 0;
			failing.on = true;
			code = compare_and_report(format, &error);
			failing.on = false;
			if (code)
				assert_no_memory(code, &error);
			refused += code != 0;
			assert_in_range(before - failing.live, 0, 1);
			failing.number++;
		} while (failing.next >= failing.number);
		assert_true(refused > failing.number / 2);
	}
	free_world();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading_and_sorting),
		cmocka_unit_test(encoding),
		cmocka_unit_test(comparing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

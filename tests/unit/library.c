/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The library, through its public header: what it gives is what the modules
 * below it give, ids go where the map says, objects may be freed in any order
 * and used by several threads, and bad input or options are errors that say so.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <pthread.h>
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
#include "lib/btfcanon.h"
#include "tests/lib/dwarf_build.h"
#include "tests/lib/law.h"
#include "tests/lib/random_graph.h"
#include "tests/lib/samples.h"
#include "tests/lib/shuffle.h"

/* libbpf's of 2026; older ones do not have it. */
int permute(struct btf *btf, uint32_t *id_map, uint32_t id_count,
	    const void *opts) __asm__("btf__permute") __attribute__((weak));

static const char *const orders[] = { "canonical", "name" };

static struct btfcanon_btf *read_on(struct law_bytes bytes, const struct btfcanon_btf *base)
{
	struct btfcanon_read_opts opts = { .sz = sizeof(opts), .base = base };
	struct btfcanon_error error;
	struct btfcanon_btf *btf;

	if (btfcanon_read_memory(&btf, bytes.data, bytes.size_bytes, &opts, &error))
		law_fail("not read: %s", error.text);
	return btf;
}

static struct btfcanon_btf *sort(const struct btfcanon_btf *btf, uint32_t order)
{
	struct btfcanon_sort_opts opts = { .sz = sizeof(opts), .order = order };
	struct btfcanon_error error;
	struct btfcanon_btf *sorted;

	if (btfcanon_sort(&sorted, btf, &opts, &error))
		law_fail("not sorted: %s", error.text);
	return sorted;
}

/* What a call gives, or the test ends with the reason. */
#define CALL(call)                                                                                 \
	do {                                                                                       \
		struct btfcanon_error why;                                                         \
                                                                                                   \
		if (call)                                                                          \
			law_fail("%s: %s", #call, why.text);                                       \
	} while (0)

static struct law_bytes bytes_of(const struct btfcanon_btf *btf)
{
	struct law_bytes bytes;

	bytes.data = btfcanon_data(btf, &bytes.size_bytes);
	return bytes;
}

/* ---- sorting ---- */

static void sorted_bytes_are_canonical(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < law_rounds(30); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct law_bytes bytes = law_build(
			random_graph(&arena, &rng, NULL, rng_below(&rng, 80)), NULL);
		struct btfcanon_btf *btf = read_on(bytes, NULL);

		law_assert_same(bytes, bytes_of(btf), "what was read");
		for (uint32_t order = 0; order < 2; order++) {
			const struct bc_canonical_options how = { .order = order };
			struct btfcanon_btf *sorted = sort(btf, order);

			law_assert_same(law_canonical(&arena, bytes, NULL, &how).bytes,
					bytes_of(sorted), orders[order]);
			btfcanon_free(sorted);
		}
		btfcanon_free(btf);
		bc_arena_free(&arena);
	}
}

/* IN with its types where MAP says; names stay where they are. As btf__permute does it. */
static struct law_bytes permuted(struct bc_arena *arena, const struct bc_graph *in,
				 const struct btfcanon_btf *sorted)
{
	uint32_t *words = build_alloc(arena, in->start[in->type_count] + 1, sizeof(*words));
	uint32_t *start = build_alloc(arena, in->type_count + 1, sizeof(*start));
	uint32_t *old_id = build_alloc(arena, in->type_count + 1, sizeof(*old_id));
	struct bc_graph out = *in;
	struct law_bytes bytes;
	struct bc_err err;

	for (uint32_t i = 0; i < in->type_count; i++)
		old_id[btfcanon_new_id(sorted, in->first_id + i) - in->first_id] = i;
	start[0] = 0;
	for (uint32_t i = 0; i < in->type_count; i++) {
		uint32_t *node = words + start[i];
		uint32_t length = in->start[old_id[i] + 1] - in->start[old_id[i]];
		struct bc_edges edges;

		memcpy(node, bc_own_node(in, old_id[i]), length * sizeof(*node));
		edges = bc_edges(node);
		for (uint32_t j = 0; j < edges.count; j++)
			node[bc_edge_word(edges, j)] = btfcanon_new_id(sorted,
								       bc_edge(node, edges, j));
		start[i + 1] = start[i] + length;
	}
	out.start = start;
	out.words = words;
	if (!bc_btf_write(&out, NULL, arena, &bytes.data, &bytes.size_bytes, &err))
		law_fail("not written: %s", err.text);
	return bytes;
}

static void assert_permutation(const uint32_t *map, uint32_t count, uint32_t first_id)
{
	uint8_t *seen = calloc(count + 1, 1);

	assert_non_null(seen);
	for (uint32_t i = 0; i < count; i++) {
		assert_in_range(map[i], first_id, first_id + count - 1);
		assert_false(seen[map[i] - first_id]++);
	}
	free(seen);
}

static bool is_identity(const uint32_t *map, uint32_t count, uint32_t first_id)
{
	for (uint32_t i = 0; i < count; i++)
		if (map[i] != first_id + i)
			return false;
	return true;
}

/*
 * Types put where the map says are in canonical order: sorting them moves
 * nothing, and gives the same bytes. Shuffled without twins, nothing merges.
 */
static void the_map_is_a_permutation(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < law_rounds(30); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct build *build = random_graph(&arena, &rng, NULL, rng_below(&rng, 80));
		struct law_bytes canonical =
			law_canonical(&arena, law_build(build, NULL), NULL, &law_options[0]).bytes;
		struct build *distinct = build_read(&arena, canonical.data, canonical.size_bytes,
						    NULL);
		struct build *mixed = shuffle_ids(
			&arena, distinct, shuffle_permutation(&arena, &rng, distinct->type_count));
		struct law_bytes bytes = law_build(mixed, NULL);
		struct bc_graph graph = law_read(&arena, bytes, NULL);
		struct btfcanon_btf *btf = read_on(bytes, NULL);

		for (uint32_t order = 0; order < 2; order++) {
			struct btfcanon_btf *sorted = sort(btf, order), *again, *moved;
			uint32_t count, moved_count;
			const uint32_t *map = btfcanon_id_map(sorted, &count), *moved_map;

			assert_int_equal(btfcanon_merged_count(sorted), 0);
			assert_int_equal(count, graph.type_count + 1);
			assert_int_equal(map[0], 0);
			assert_permutation(map + 1, graph.type_count, 1);
			moved = read_on(permuted(&arena, &graph, sorted), NULL);
			again = sort(moved, order);
			law_assert_same(bytes_of(sorted), bytes_of(again), "permuted");
			moved_map = btfcanon_id_map(again, &moved_count);
			assert_int_equal(moved_count, count);
			assert_true(is_identity(moved_map, count, 0));
			btfcanon_free(again);
			btfcanon_free(moved);
			btfcanon_free(sorted);
		}
		btfcanon_free(btf);
		bc_arena_free(&arena);
	}
}

static void twins_are_merged(void **state)
{
	struct bc_arena arena = { 0 };
	struct build *build = build_new(&arena, NULL);
	struct btfcanon_btf *btf, *sorted;
	uint32_t count;

	(void)state;
	law_round(0);
	build_ptr(build, build_int(build, "int", 4, 1));
	build_ptr(build, build_int(build, "int", 4, 1));
	btf = read_on(law_build(build, NULL), NULL);
	sorted = sort(btf, BTFCANON_ORDER_CANONICAL);
	assert_int_equal(btfcanon_type_count(btf), 4);
	assert_int_equal(btfcanon_type_count(sorted), 2);
	assert_int_equal(btfcanon_merged_count(sorted), 2);
	assert_int_equal(btfcanon_new_id(sorted, 0), 0);
	assert_int_equal(btfcanon_new_id(sorted, 1), 1);
	assert_int_equal(btfcanon_new_id(sorted, 2), 2);
	assert_int_equal(btfcanon_new_id(sorted, 3), 1);
	assert_int_equal(btfcanon_new_id(sorted, 4), 2);
	assert_int_equal(btfcanon_new_id(sorted, 5), 0);
	assert_non_null(btfcanon_id_map(sorted, &count));
	assert_int_equal(count, 5);
	assert_null(btfcanon_id_map(btf, &count));
	assert_int_equal(count, 0);
	assert_int_equal(btfcanon_new_id(btf, 1), 0);
	btfcanon_free(sorted);
	btfcanon_free(btf);
	bc_arena_free(&arena);
}

/* A struct that is only declared in one place, and defined in another. */
static void declarations_stay_unless_asked(void **state)
{
	struct btfcanon_sort_opts dedup = { .sz = sizeof(dedup), .dedup = 1 };
	struct bc_arena arena = { 0 };
	struct build *build = build_new(&arena, NULL);
	struct btfcanon_btf *btf, *sorted;

	(void)state;
	law_round(0);
	build_ptr(build, build_fwd(build, "s", false));
	build_sized(build, BC_STRUCT, "s", 0);
	btf = read_on(law_build(build, NULL), NULL);
	sorted = sort(btf, BTFCANON_ORDER_CANONICAL);
	assert_int_equal(btfcanon_merged_count(sorted), 0);
	btfcanon_free(sorted);
	CALL(btfcanon_sort(&sorted, btf, &dedup, &why));
	assert_int_equal(btfcanon_merged_count(sorted), 1);
	assert_int_equal(btfcanon_new_id(sorted, 1), btfcanon_new_id(sorted, 3));
	btfcanon_free(sorted);
	btfcanon_free(btf);
	bc_arena_free(&arena);
}

/* ---- split BTF ---- */

/* What the base has is the base's; all else moves among the own ids. */
static void split_goes_on_from_its_base(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < law_rounds(30); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct build *below = random_graph(&arena, &rng, NULL, 30);
		struct law_bytes base_bytes = law_build(below, NULL);
		struct bc_graph base_graph = law_read(&arena, base_bytes, NULL);
		struct law_bytes bytes = law_build(
			random_graph(&arena, &rng, below, rng_below(&rng, 60)), NULL);
		struct law_result wanted = law_canonical(&arena, bytes, &base_graph,
							 &law_options[0]);
		struct btfcanon_btf *base = read_on(base_bytes, NULL), *btf = read_on(bytes, base);
		struct btfcanon_btf *sorted = sort(btf, BTFCANON_ORDER_CANONICAL);
		uint32_t count;
		const uint32_t *map = btfcanon_id_map(sorted, &count);

		assert_ptr_equal(btfcanon_base(sorted), base);
		/* Each goes on from the base: it stays as long as it is needed. */
		btfcanon_free(base);
		btfcanon_free(btf);
		law_assert_same(wanted.bytes, bytes_of(sorted), "split");
		assert_int_equal(btfcanon_first_id(sorted), wanted.in.first_id);
		assert_int_equal(count, wanted.in.type_count);
		assert_memory_equal(map, wanted.new_id, count * sizeof(*map));
		assert_int_equal(btfcanon_merged_count(sorted),
				 wanted.in.type_count - wanted.out.type_count);
		for (uint32_t id = 0; id < bc_id_end(&wanted.in); id++)
			assert_int_equal(btfcanon_new_id(sorted, id),
					 id < wanted.in.first_id ?
						 id :
						 wanted.new_id[id - wanted.in.first_id]);
		assert_int_equal(btfcanon_new_id(sorted, bc_id_end(&wanted.in)), 0);
		btfcanon_free(sorted);
		bc_arena_free(&arena);
	}
}

/* ---- libbpf ---- */

/* What libbpf does with the map, where it can, gives the order of SORTED. */
static void assert_permutes(struct btf *btf, const struct btfcanon_btf *sorted)
{
	struct btfcanon_btf *moved, *again;
	uint32_t count, *map;

	if (!permute)
		return;
	map = malloc((btf__type_cnt(btf) + 1) * sizeof(*map));
	assert_non_null(map);
	memcpy(map, btfcanon_id_map(sorted, &count), btfcanon_type_count(sorted) * sizeof(*map));
	assert_int_equal(permute(btf, map, count, NULL), 0);
	CALL(btfcanon_read_libbpf(&moved, btf, NULL, &why));
	again = sort(moved, BTFCANON_ORDER_NAME);
	law_assert_same(bytes_of(sorted), bytes_of(again), "btf__permute");
	assert_true(is_identity(btfcanon_id_map(again, &count), count,
				btfcanon_base(again) ? btfcanon_first_id(again) : 0));
	btfcanon_free(again);
	btfcanon_free(moved);
	free(map);
}

/* A struct of two members, shuffled so that something moves, and a pointer to it. */
static void add_types(struct btf *btf, const char *name, int member_type)
{
	int pointer = btf__add_ptr(btf, btf__type_cnt(btf) + 1);

	assert_true(pointer > 0);
	assert_true(btf__add_struct(btf, name, 16) > 0);
	assert_int_equal(btf__add_field(btf, "a", member_type, 0, 0), 0);
	assert_int_equal(btf__add_field(btf, "b", pointer, 64, 0), 0);
}

static void assert_as_memory(const struct btf *btf, const struct btfcanon_btf *base)
{
	struct btfcanon_btf *read, *sorted, *sorted_memory, *memory;
	struct law_bytes bytes;
	uint32_t size, count;

	bytes.data = btf__raw_data(btf, &size);
	bytes.size_bytes = size;
	CALL(btfcanon_read_libbpf(&read, btf, NULL, &why));
	law_assert_same(bytes, bytes_of(read), "libbpf's bytes");
	memory = read_on(bytes, base);
	sorted = sort(read, BTFCANON_ORDER_NAME);
	sorted_memory = sort(memory, BTFCANON_ORDER_NAME);
	law_assert_same(bytes_of(sorted_memory), bytes_of(sorted), "sorted");
	assert_non_null(btfcanon_id_map(sorted, &count));
	assert_int_equal(count, base ? btf__type_cnt(btf) - btf__type_cnt(btf__base_btf(btf)) :
				       btf__type_cnt(btf));
	btfcanon_free(memory);
	btfcanon_free(sorted_memory);
	btfcanon_free(read);
	assert_permutes((struct btf *)btf, sorted);
	btfcanon_free(sorted);
}

static void libbpf_is_read_with_its_bases(void **state)
{
	struct btf *lower = btf__new_empty(), *middle, *upper;
	struct btfcanon_btf *read, *lower_read, *middle_read;

	(void)state;
	law_round(0);
	assert_int_equal(btf__add_int(lower, "int", 4, BTF_INT_SIGNED), 1);
	add_types(lower, "lower", 1);
	middle = btf__new_empty_split(lower);
	add_types(middle, "middle", 3);
	upper = btf__new_empty_split(middle);
	add_types(upper, "upper", 5);
	CALL(btfcanon_read_libbpf(&read, upper, NULL, &why));
	assert_int_equal(btfcanon_first_id(read), 6);
	assert_int_equal(btfcanon_type_count(btfcanon_base(read)), 2);
	assert_int_equal(btfcanon_type_count(btfcanon_base(btfcanon_base(read))), 3);
	assert_null(btfcanon_base(btfcanon_base(btfcanon_base(read))));
	btfcanon_free(read);
	CALL(btfcanon_read_libbpf(&lower_read, lower, NULL, &why));
	CALL(btfcanon_read_libbpf(&middle_read, middle, NULL, &why));
	assert_as_memory(upper, middle_read);
	assert_as_memory(middle, lower_read);
	assert_as_memory(lower, NULL);
	btfcanon_free(lower_read);
	btfcanon_free(middle_read);
	btf__free(upper);
	btf__free(middle);
	btf__free(lower);
}

static void libbpf_of_the_other_byte_order(void **state)
{
	struct btf *btf = btf__new_empty();
	struct btfcanon_btf *read;
	enum btf_endianness other = btf__endianness(btf) == BTF_BIG_ENDIAN ? BTF_LITTLE_ENDIAN :
									     BTF_BIG_ENDIAN;

	(void)state;
	law_round(0);
	assert_int_equal(btf__add_int(btf, "int", 4, BTF_INT_SIGNED), 1);
	add_types(btf, "s", 1);
	assert_int_equal(btf__set_endianness(btf, other), 0);
	CALL(btfcanon_read_libbpf(&read, btf, NULL, &why));
	assert_int_equal(bytes_of(read).data[0], other == BTF_BIG_ENDIAN ? 0xeb : 0x9f);
	btfcanon_free(read);
	assert_as_memory(btf, NULL);
	btf__free(btf);
}

/* ---- DWARF ---- */

/* An ELF file in memory with the DWARF of units that have one struct in common. */
static struct dwarf_bytes make_elf(struct bc_arena *arena, const char *own_name)
{
	struct dwarf_build *build = dwarf_build_new(arena);

	for (uint32_t i = 0; i < 20; i++) {
		struct dwarf_die *root = dwarf_unit_new(build, 4 + i % 2)->root, *number, *type;

		number = dwarf_base_type(root, "int", 4, DW_ATE_signed);
		type = dwarf_struct(root, "common", 16);
		dwarf_member(type, "number", number, 0);
		dwarf_member(type, "next", dwarf_link(root, DW_TAG_pointer_type, NULL, type), 8);
		type = dwarf_struct(root, build_format_text(arena, "%s_%u", own_name, i), 16);
		dwarf_member(type, "place", number, 4);
	}
	return dwarf_elf(build);
}

static void encoded_is_the_same_from_everywhere(void **state)
{
	struct btfcanon_encode_opts opts = { .sz = sizeof(opts), .thread_count = 2 };
	struct btfcanon_btf *by_path, *by_fd, *by_memory, *sorted;
	struct bc_arena arena = { 0 };
	struct dwarf_bytes elf = make_elf(&arena, "one");
	char path[DWARF_PATH_BYTES];
	const char *path_list = path;
	int fd = dwarf_memory_file(elf.data, elf.size_bytes, path);

	(void)state;
	law_round(0);
	assert_int_equal(lseek(fd, 17, SEEK_SET), 17);
	CALL(btfcanon_encode(&by_path, &path_list, 1, NULL, &why));
	CALL(btfcanon_encode_fd(&by_fd, fd, &opts, &why));
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 17);
	CALL(btfcanon_encode_memory(&by_memory, elf.data, elf.size_bytes, NULL, &why));
	close(fd);
	assert_int_equal(btfcanon_type_count(by_path), 23);
	law_assert_same(bytes_of(by_path), bytes_of(by_fd), "open file");
	law_assert_same(bytes_of(by_path), bytes_of(by_memory), "memory");
	sorted = sort(by_path, BTFCANON_ORDER_CANONICAL);
	law_assert_same(bytes_of(by_path), bytes_of(sorted), "sorted");
	btfcanon_free(sorted);
	btfcanon_free(by_path);
	btfcanon_free(by_fd);
	btfcanon_free(by_memory);
	bc_arena_free(&arena);
}

/* The same types are all the base's; with a distilled base its own part goes on from that. */
static void encoded_goes_on_from_its_base(void **state)
{
	struct btfcanon_encode_opts opts = { .sz = sizeof(opts) };
	struct btfcanon_btf *base, *same, *other, *distilled;
	struct bc_arena arena = { 0 };
	struct dwarf_bytes elf = make_elf(&arena, "one"), other_elf = make_elf(&arena, "other");
	uint32_t first_id;

	(void)state;
	CALL(btfcanon_encode_memory(&base, elf.data, elf.size_bytes, &opts, &why));
	first_id = btfcanon_type_count(base) + 1;
	opts.base = base;
	CALL(btfcanon_encode_memory(&same, elf.data, elf.size_bytes, &opts, &why));
	assert_int_equal(btfcanon_encode_memory(&other, other_elf.data, other_elf.size_bytes, &opts,
						NULL),
			 0);
	opts.features = "default,distilled_base";
	CALL(btfcanon_encode_memory(&distilled, other_elf.data, other_elf.size_bytes, &opts, &why));
	btfcanon_free(base);
	assert_int_equal(btfcanon_type_count(same), 0);
	assert_int_equal(btfcanon_first_id(same), first_id);
	assert_int_equal(btfcanon_first_id(other), first_id);
	assert_true(btfcanon_type_count(other) > 0);
	assert_ptr_not_equal(btfcanon_base(distilled), base);
	assert_true(btfcanon_type_count(btfcanon_base(distilled)) < first_id - 1);
	assert_true(btfcanon_type_count(distilled) >= btfcanon_type_count(other));
	btfcanon_free(same);
	btfcanon_free(other);
	btfcanon_free(distilled);
	bc_arena_free(&arena);
}

/* ---- what changed ---- */

/* OLD has a struct, which NEW has with another size, and with it a new one. */
static struct btfcanon_btf *make_version(bool is_new)
{
	struct bc_arena arena = { 0 };
	struct build *build = build_new(&arena, NULL);
	struct btfcanon_btf *btf;
	uint32_t type = build_int(build, "int", 4, 1);
	uint32_t changed = build_sized(build, BC_STRUCT, "changed", is_new ? 8 : 4);

	build_member(build, changed, "a", type, is_new ? 32 : 0);
	if (is_new)
		build_sized(build, BC_STRUCT, "added", 0);
	else
		build_ref(build, BC_TYPEDEF, "removed_t", type);
	build_ref(build, BC_TYPEDEF, "leads_t", build_ptr(build, changed));
	btf = read_on(law_build(build, NULL), NULL);
	bc_arena_free(&arena);
	return btf;
}

static char *report(const struct btfcanon_comparison *comparison, uint32_t format)
{
	struct btfcanon_report_opts opts = { .sz = sizeof(opts),
					     .format = format,
					     .old_name = "before" };
	struct btfcanon_error error;
	char *text;
	size_t size;

	if (btfcanon_report(&text, &size, comparison, &opts, &error))
		law_fail("no report: %s", error.text);
	assert_int_equal(strlen(text), size);
	return text;
}

static void assert_reports(const struct btfcanon_comparison *comparison, uint32_t format,
			   const char *begins, const char *has)
{
	char *text = report(comparison, format);

	if (strncmp(text, begins, strlen(begins)) || !strstr(text, has))
		law_fail("format %u: %s", format, text);
	free(text);
}

static void changes_are_counted_and_told(void **state)
{
	static const char *const only[] = { "leads_t", "added", NULL };
	struct btfcanon_compare_opts opts = { .sz = sizeof(opts), .indirect = 1, .only = only };
	struct btfcanon_btf *before, *after;
	struct btfcanon_comparison *all, *some;

	(void)state;
	law_round(0);
	before = make_version(false);
	after = make_version(true);
	CALL(btfcanon_compare(&all, before, after, NULL, &why));
	CALL(btfcanon_compare(&some, before, after, &opts, &why));
	btfcanon_free(before);
	btfcanon_free(after);
	assert_int_equal(btfcanon_comparison_count(all, BTFCANON_ADDED, NULL), 1);
	assert_int_equal(btfcanon_comparison_count(all, BTFCANON_ADDED, "struct"), 1);
	assert_int_equal(btfcanon_comparison_count(all, BTFCANON_ADDED, "typedef"), 0);
	assert_int_equal(btfcanon_comparison_count(all, BTFCANON_ADDED, "str"), 0);
	assert_int_equal(btfcanon_comparison_count(all, BTFCANON_REMOVED, "typedef"), 1);
	assert_int_equal(btfcanon_comparison_count(all, BTFCANON_CHANGED, NULL), 1);
	assert_int_equal(btfcanon_comparison_count(all, BTFCANON_INDIRECT, NULL), 0);
	assert_int_equal(btfcanon_comparison_count(all, (enum btfcanon_change)4, NULL), 0);
	assert_int_equal(btfcanon_comparison_count(some, BTFCANON_INDIRECT, "typedef"), 1);
	assert_int_equal(btfcanon_comparison_count(some, BTFCANON_ADDED, NULL), 1);
	assert_int_equal(btfcanon_comparison_count(some, BTFCANON_REMOVED, NULL), 0);
	assert_reports(all, BTFCANON_FORMAT_TEXT, "struct: 1 added, 1 changed", "~ changed");
	assert_reports(all, BTFCANON_FORMAT_JSON, "{", "\"before\"");
	assert_reports(all, BTFCANON_FORMAT_HTML, "<!", "</html>");
	assert_reports(all, BTFCANON_FORMAT_STAT, " struct", "1 added, 1 removed");
	btfcanon_comparison_free(all);
	btfcanon_comparison_free(some);
	btfcanon_comparison_free(NULL);
}

static void nothing_changed_is_an_empty_text(void **state)
{
	struct btfcanon_btf *btf = make_version(false);
	struct btfcanon_comparison *comparison;
	char *text;

	(void)state;
	law_round(0);
	CALL(btfcanon_compare(&comparison, btf, btf, NULL, &why));
	btfcanon_free(btf);
	text = report(comparison, BTFCANON_FORMAT_TEXT);
	assert_string_equal(text, "");
	free(text);
	btfcanon_comparison_free(comparison);
}

/* ---- errors and options ---- */

static void assert_error(int code, int wanted, struct btfcanon_error *error, const char *says)
{
	if (code != wanted || !strstr(error->text, says))
		law_fail("%d and \"%s\", not %d and \"%s\"", code, error->text, wanted, says);
	memset(error, 0, sizeof(*error));
}

static void bad_input_is_told(void **state)
{
	static const uint8_t bytes[24] = { 0x9f, 0xeb, 1, 0, 24 };
	struct btfcanon_btf *const untouched = (struct btfcanon_btf *)&bytes, *btf = untouched;
	static const char *const missing = "/nonexistent\n/vmlinux";
	struct btfcanon_error error = { "" };

	(void)state;
	law_round(0);
	assert_error(btfcanon_read_memory(&btf, bytes, 7, NULL, &error), -EINVAL, &error, "");
	assert_error(btfcanon_read_memory(&btf, NULL, 0, NULL, &error), -EINVAL, &error, "");
	assert_error(btfcanon_read_memory(&btf, bytes, sizeof(bytes), NULL, &error), -EINVAL,
		     &error, "string");
	assert_error(btfcanon_read_file(&btf, missing, NULL, &error), -ENOENT, &error,
		     "/nonexistent\\x0a/vmlinux: ");
	assert_error(btfcanon_encode(&btf, NULL, 0, NULL, &error), -EINVAL, &error, "no file");
	assert_error(btfcanon_encode(&btf, &missing, 1, NULL, &error), -ENOENT, &error,
		     "/nonexistent\\x0a/vmlinux: ");
	assert_error(btfcanon_encode_fd(&btf, -1, NULL, &error), -EBADF, &error, "");
	assert_error(btfcanon_encode_memory(&btf, bytes, sizeof(bytes), NULL, &error), -EINVAL,
		     &error, "");
	/* Nobody has to want to know. */
	assert_int_equal(btfcanon_read_memory(&btf, bytes, 7, NULL, NULL), -EINVAL);
	assert_ptr_equal(btf, untouched);
	btfcanon_free(NULL);
}

static void what_is_odd_is_noted(void **state)
{
	struct bc_arena arena = { 0 };
	struct build *build = build_new(&arena, NULL);
	struct dwarf_build *dwarf = dwarf_build_new(&arena);
	struct dwarf_die *root, *type;
	struct dwarf_bytes elf;
	struct btfcanon_btf *btf;
	const char *where;
	uint64_t count;

	(void)state;
	law_round(0);
	build_int(build, "int", 4, 0);
	for (uint32_t i = 0; i < 2; i++)
		build_member(build, build_sized(build, BC_UNION, "u", 8), "late", 1, 8);
	btf = read_on(law_build(build, NULL), NULL);
	assert_non_null(strstr(btfcanon_note(btf, 0, &count, &where), "a union member"));
	assert_int_equal(count, 2);
	assert_non_null(strstr(where, "type 2"));
	assert_null(btfcanon_note(btf, 1, &count, &where));
	assert_null(btfcanon_note(btf, UINT32_MAX, &count, &where));
	btfcanon_free(btf);
	root = dwarf_unit_new(dwarf, 5)->root;
	type = dwarf_base_type(root, "int", 4, DW_ATE_signed);
	dwarf_link(root, DW_TAG_typedef, "atomic_t",
		   dwarf_link(root, DW_TAG_atomic_type, "", type));
	elf = dwarf_elf(dwarf);
	CALL(btfcanon_encode_memory(&btf, elf.data, elf.size_bytes, NULL, &why));
	assert_non_null(strstr(btfcanon_note(btf, 0, &count, NULL), "_Atomic"));
	assert_int_equal(count, 1);
	assert_non_null(btfcanon_note(btf, 0, NULL, &where));
	assert_string_equal(where, "");
	btfcanon_free(btf);
	bc_arena_free(&arena);
}

/* A struct as a newer header may have it. */
struct newer_sort_opts {
	struct btfcanon_sort_opts known;
	uint64_t unknown;
};

static void options_are_checked(void **state)
{
	struct newer_sort_opts newer = { .known = { .sz = sizeof(newer), .order = 1 } };
	struct btfcanon_sort_opts sort_opts = { .sz = sizeof(sort_opts), .order = 2 };
	struct btfcanon_sort_opts older = { .sz = offsetof(struct btfcanon_sort_opts, dedup),
					    .dedup = 7 };
	struct btfcanon_read_opts read_opts = { .sz = sizeof(read_opts), .pointer_size = 5 };
	struct btfcanon_encode_opts encode_opts = { .sz = sizeof(encode_opts),
						    .features = "wings" };
	struct btfcanon_compare_opts compare_opts = { .sz = sizeof(compare_opts),
						      .kinds = "struct,str" };
	struct btfcanon_report_opts report_opts = { .sz = sizeof(report_opts), .format = 4 };
	struct btfcanon_error error = { "" };
	struct btfcanon_btf *btf = make_version(false), *sorted;
	struct btfcanon_comparison *comparison;
	size_t size;
	char *text;

	(void)state;
	law_round(0);
	assert_error(btfcanon_sort(&sorted, btf, &sort_opts, &error), -EINVAL, &error, "order 2");
	sort_opts.sz = 3;
	assert_error(btfcanon_sort(&sorted, btf, &sort_opts, &error), -EINVAL, &error, "sz is 3");
	/* What is beyond the size that the caller knows is not looked at. */
	CALL(btfcanon_sort(&sorted, btf, &older, &why));
	btfcanon_free(sorted);
	CALL(btfcanon_sort(&sorted, btf, &newer.known, &why));
	btfcanon_free(sorted);
	newer.unknown = 1;
	assert_error(btfcanon_sort(&sorted, btf, &newer.known, &error), -EINVAL, &error, "newer");
	assert_error(btfcanon_read_memory(&sorted, btfcanon_data(btf, &size), size, &read_opts,
					  &error),
		     -EINVAL, &error, "pointer_size");
	read_opts.pointer_size = 4;
	read_opts.reserved = 1;
	assert_error(btfcanon_read_file(&sorted, "/dev/null", &read_opts, &error), -EINVAL, &error,
		     "reserved");
	assert_error(btfcanon_encode_fd(&sorted, 0, &encode_opts, &error), -EINVAL, &error,
		     "wings");
	assert_error(btfcanon_compare(&comparison, btf, btf, &compare_opts, &error), -EINVAL,
		     &error, "kind 'str'");
	compare_opts.kinds = NULL;
	compare_opts.reserved = 1;
	assert_error(btfcanon_compare(&comparison, btf, btf, &compare_opts, &error), -EINVAL,
		     &error, "reserved");
	CALL(btfcanon_compare(&comparison, btf, btf, NULL, &why));
	assert_error(btfcanon_report(&text, NULL, comparison, &report_opts, &error), -EINVAL,
		     &error, "format 4");
	btfcanon_comparison_free(comparison);
	btfcanon_free(btf);
}

static void a_libbpf_has_its_bases_alone(void **state)
{
	struct btfcanon_btf *base = make_version(false), *read;
	struct btfcanon_read_opts opts = { .sz = sizeof(opts), .base = base };
	struct btfcanon_error error = { "" };
	struct btf *btf = btf__new_empty();

	(void)state;
	law_round(0);
	assert_error(btfcanon_read_libbpf(&read, btf, &opts, &error), -EINVAL, &error, "bases");
	btf__free(btf);
	btfcanon_free(base);
}

/* There are no holes: whoever sets all fields has set all bytes. */
static void structs_have_no_padding(void **state)
{
	(void)state;
#define ENDS_WITH(type, field)                                                                     \
	assert_int_equal(sizeof(struct type),                                                      \
			 offsetof(struct type, field) + sizeof(((struct type *)0)->field))
	ENDS_WITH(btfcanon_read_opts, reserved);
	ENDS_WITH(btfcanon_sort_opts, dedup);
	ENDS_WITH(btfcanon_encode_opts, thread_count);
	ENDS_WITH(btfcanon_compare_opts, reserved);
	ENDS_WITH(btfcanon_report_opts, color);
#undef ENDS_WITH
}

static void the_version_is_that_of_the_header(void **state)
{
	char text[32];

	(void)state;
	snprintf(text, sizeof(text), "%d.%d.", BTFCANON_MAJOR_VERSION, BTFCANON_MINOR_VERSION);
	assert_memory_equal(btfcanon_version(), text, strlen(text));
}

/* ---- threads ---- */

enum { THREADS = 4 };

struct shared {
	const struct btfcanon_btf *base, *split; /* of which each thread has the same */
	struct dwarf_bytes elf;
	struct law_bytes wanted[2]; /* split sorted, encoded */
};

static void *use_shared(void *argument)
{
	struct shared *shared = argument;

	for (uint32_t i = 0; i < 20; i++) {
		struct btfcanon_btf *read = read_on(bytes_of(shared->split), shared->base);
		struct btfcanon_btf *sorted = sort(shared->split, BTFCANON_ORDER_CANONICAL);
		struct btfcanon_btf *encoded;
		struct btfcanon_comparison *comparison;
		char *text;

		CALL(btfcanon_encode_memory(&encoded, shared->elf.data, shared->elf.size_bytes,
					    NULL, &why));
		law_assert_same(shared->wanted[0], bytes_of(sorted), "sorted in a thread");
		law_assert_same(shared->wanted[1], bytes_of(encoded), "encoded in a thread");
		CALL(btfcanon_compare(&comparison, read, shared->split, NULL, &why));
		btfcanon_free(read);
		text = report(comparison, BTFCANON_FORMAT_JSON);
		free(text);
		btfcanon_comparison_free(comparison);
		btfcanon_free(sorted);
		btfcanon_free(encoded);
	}
	return NULL;
}

static void threads_share_what_they_read(void **state)
{
	struct rng rng = law_round(0);
	struct bc_arena arena = { 0 };
	struct build *below = random_graph(&arena, &rng, NULL, 60);
	struct btfcanon_btf *base = read_on(law_build(below, NULL), NULL);
	struct btfcanon_btf *split = read_on(law_build(random_graph(&arena, &rng, below, 60), NULL),
					     base);
	struct btfcanon_btf *sorted = sort(split, BTFCANON_ORDER_CANONICAL), *encoded;
	struct shared shared = { .base = base, .split = split, .elf = make_elf(&arena, "shared") };
	pthread_t threads[THREADS];

	(void)state;
	CALL(btfcanon_encode_memory(&encoded, shared.elf.data, shared.elf.size_bytes, NULL, &why));
	shared.wanted[0] = bytes_of(sorted);
	shared.wanted[1] = bytes_of(encoded);
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, use_shared, &shared), 0);
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	btfcanon_free(encoded);
	btfcanon_free(sorted);
	btfcanon_free(base);
	btfcanon_free(split);
	bc_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorted_bytes_are_canonical),
		cmocka_unit_test(the_map_is_a_permutation),
		cmocka_unit_test(twins_are_merged),
		cmocka_unit_test(declarations_stay_unless_asked),
		cmocka_unit_test(split_goes_on_from_its_base),
		cmocka_unit_test(libbpf_is_read_with_its_bases),
		cmocka_unit_test(libbpf_of_the_other_byte_order),
		cmocka_unit_test(encoded_is_the_same_from_everywhere),
		cmocka_unit_test(encoded_goes_on_from_its_base),
		cmocka_unit_test(changes_are_counted_and_told),
		cmocka_unit_test(nothing_changed_is_an_empty_text),
		cmocka_unit_test(bad_input_is_told),
		cmocka_unit_test(what_is_odd_is_noted),
		cmocka_unit_test(options_are_checked),
		cmocka_unit_test(a_libbpf_has_its_bases_alone),
		cmocka_unit_test(structs_have_no_padding),
		cmocka_unit_test(the_version_is_that_of_the_header),
		cmocka_unit_test(threads_share_what_they_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

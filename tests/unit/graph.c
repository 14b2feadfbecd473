/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The kinds table and the small functions of the graph, against the format as the builder has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/law.h"
#include "tests/lib/samples.h"

static void every_kind_has_its_name(void **state)
{
	(void)state;
	assert_int_equal(BC_INT, 1);
	assert_int_equal(BC_DATASEC, 15);
	assert_int_equal(BC_ENUM64, 19);
	assert_int_equal(BC_KIND_COUNT, 20);
	assert_string_equal(bc_kind_name(BC_STRUCT), "STRUCT");
	assert_string_equal(bc_kind_name(BC_ENUM64), "ENUM64");
	assert_string_equal(bc_kind_name(BC_KIND_COUNT), "unknown kind");
	assert_string_equal(bc_kind_name(UINT32_MAX), "unknown kind");
	assert_false(bc_kind_is_known(BC_VOID));
	assert_false(bc_kind_is_known(BC_KIND_COUNT));
	assert_true(bc_kind_is_known(BC_INT) && bc_kind_is_known(BC_ENUM64));
}

/* Since 2026: 7 bits of kind, 24 of vlen. */
static void info_words_come_apart(void **state)
{
	uint32_t info = bc_info(BC_KIND_MAX, BC_VLEN_MAX, true);

	(void)state;
	assert_int_equal(info, UINT32_MAX);
	assert_int_equal(bc_info_kind(info), 0x7f);
	assert_int_equal(bc_info_vlen(info), 0xffffff);
	assert_true(bc_info_kflag(info));
	info = bc_info(BC_STRUCT, 65537, false);
	assert_int_equal(bc_info_kind(info), BC_STRUCT);
	assert_int_equal(bc_info_vlen(info), 65537);
	assert_false(bc_info_kflag(info));
	assert_int_equal(bc_element_count(info), 65537);
	assert_int_equal(bc_element_count(bc_info(BC_FUNC, 2, false)), 0);
	assert_int_equal(bc_element_count(bc_info(BC_KIND_COUNT, 3, false)), 0);
}

static void member_offsets_depend_on_kflag(void **state)
{
	uint32_t plain = bc_info(BC_STRUCT, 1, false), bits = bc_info(BC_STRUCT, 1, true);

	(void)state;
	assert_int_equal(bc_member_bit_offset(plain, 0x05000007), 0x05000007);
	assert_int_equal(bc_member_bit_width(plain, 0x05000007), 0);
	assert_int_equal(bc_member_bit_offset(bits, 0x05000007), 7);
	assert_int_equal(bc_member_bit_width(bits, 0x05000007), 5);
	assert_int_equal(bc_member_bit_width(bits, UINT32_MAX), 255);
}

/* Lengths, references and names of every node are where another reader finds them. */
static void check_nodes(const struct bc_graph *graph, const struct build *build)
{
	assert_int_equal(bc_id_end(graph), build_id_end(build));
	assert_int_equal(bc_string_end(graph), build_string_end(build));
	for (uint32_t id = 1; id < build_id_end(build); id++) {
		struct build_type *type = build_type(build, id);
		const uint32_t *node = bc_node(graph, id);
		struct bc_edges edges = bc_edges(node);

		assert_int_equal(bc_id_kind(graph, id), type->kind);
		assert_string_equal(bc_string(graph, node[0]), type->name);
		assert_int_equal(edges.count, build_edge_count(type));
		for (uint32_t i = 0; i < edges.count; i++)
			assert_int_equal(bc_edge(node, edges, i), *build_edge(type, i));
		assert_int_equal(bc_element_count(node[1]), type->element_count);
		for (uint32_t i = 1; i < build_name_count(type); i++)
			assert_string_equal(
				bc_string(
					graph,
					bc_element(node,
						   i - 1)[bc_kind_shapes[type->kind].element_name]),
				build_name(type, i));
	}
	for (uint32_t i = 0; i < graph->type_count; i++)
		assert_int_equal(graph->start[i + 1] - graph->start[i],
				 bc_node_words(bc_own_node(graph, i)[1]));
	assert_int_equal(bc_id_kind(graph, 0), BC_VOID);
}

static void nodes_are_found(void **state)
{
	(void)state;
	law_round(0);
	for (uint32_t i = 0; i < sample_count; i++) {
		struct bc_arena arena = { 0 };
		struct build *build = sample_make(&samples[i], &arena, i % 2);
		struct bc_graph base, graph;

		if (build->base)
			base = law_read(&arena, law_build((struct build *)build->base, NULL), NULL);
		graph = law_read(&arena, law_build(build, NULL), build->base ? &base : NULL);
		check_nodes(&graph, build);
		bc_arena_free(&arena);
	}
}

/* Ids and string offsets count on through a chain of three. */
static void chains_are_followed(void **state)
{
	struct bc_arena arena = { 0 };
	struct build *build = NULL;
	struct bc_graph graphs[3];

	(void)state;
	law_round(0);
	for (uint32_t level = 0; level < 3; level++) {
		build = build_new(&arena, build);
		build_ref(build, BC_TYPEDEF, build_format_text(&arena, "level%u", level),
			  build_id_end(build) - 1);
		build_ptr(build, 1);
		graphs[level] = law_read(&arena, law_build(build, NULL),
					 level ? &graphs[level - 1] : NULL);
		check_nodes(&graphs[level], build);
	}
	assert_int_equal(graphs[2].first_id, 5);
	assert_int_equal(bc_node(&graphs[2], 3)[2], 2);
	assert_string_equal(bc_string(&graphs[2], bc_node(&graphs[2], 3)[0]), "level1");
	assert_string_equal(bc_string(&graphs[2], bc_node(&graphs[2], 1)[0]), "level0");
	bc_arena_free(&arena);
}

static void unknown_kinds_are_their_head(void **state)
{
	(void)state;
	for (uint32_t kind = BC_KIND_COUNT; kind <= BC_KIND_MAX; kind++) {
		const uint32_t node[] = { 0, bc_info(kind, 3, true), 1, 2, 3, 4 };

		assert_int_equal(bc_edges(node).count, 0);
		assert_int_equal(bc_element_count(node[1]), 0);
		assert_int_equal(bc_node_words(node[1]), BC_HEAD_WORDS);
		assert_true(bc_kind_shapes[kind].element_name < 0);
		assert_string_equal(bc_kind_name(kind), "unknown kind");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_has_its_name),
		cmocka_unit_test(info_words_come_apart),
		cmocka_unit_test(member_offsets_depend_on_kflag),
		cmocka_unit_test(nodes_are_found),
		cmocka_unit_test(chains_are_followed),
		cmocka_unit_test(unknown_kinds_are_their_head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

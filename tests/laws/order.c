/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Law: the order of two types depends on those two and what they reach, with
 * the tags and places of all these, and on nothing else. So every pair is
 * compared twice: in its whole graph, and alone in the part that it reaches.
 * The pairs' own results must also be a total preorder: antisymmetric and
 * transitive over all triples.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/lib/law.h"
#include "tests/lib/random_graph.h"
#include "tests/lib/samples.h"
#include "tests/lib/shuffle.h"

static const struct bc_canonical_options plain = { .order = BC_ORDER_CANONICAL };

/* What is left of a section that is kept only because it places variables: their entries. */
static bool places_kept_variable(const struct build *build, const struct build_type *type,
				 const bool *kept)
{
	for (uint32_t i = 0; type->kind == BC_DATASEC && i < type->element_count; i++)
		if (kept[type->elements[i].type] &&
		    build_type(build, type->elements[i].type)->kind == BC_VAR)
			return true;
	return false;
}

/* Marks all that ROOTS reach, with the tags of all that. */
static void mark_reached(const struct build *build, bool *kept)
{
	bool grown = true;

	kept[0] = true;
	while (grown) {
		grown = false;
		for (uint32_t id = 1; id < build_id_end(build); id++) {
			struct build_type *type = build_type(build, id);

			if (!kept[id] && type->kind == BC_DECL_TAG && kept[type->type])
				grown = kept[id] = true;
			for (uint32_t i = 0; kept[id] && i < build_edge_count(type); i++) {
				grown |= !kept[*build_edge(type, i)];
				kept[*build_edge(type, i)] = true;
			}
		}
	}
}

/* The part of BUILD that the two reach; *FIRST and *SECOND become their ids in it. */
static struct build *cut_out(struct bc_arena *arena, const struct build *build, uint32_t *first,
			     uint32_t *second)
{
	struct build *part = build_new(arena, NULL);
	bool *kept = build_alloc(arena, build_id_end(build), sizeof(*kept));
	uint32_t *new_id = build_alloc(arena, build_id_end(build), sizeof(*new_id));

	kept[*first] = kept[*second] = true;
	mark_reached(build, kept);
	for (uint32_t id = 1; id < build_id_end(build); id++) {
		const struct build_type *type = build_type(build, id);

		if (kept[id]) {
			new_id[id] = build_copy(part, type);
		} else if (places_kept_variable(build, type, kept)) {
			uint32_t section = build_sized(part, BC_DATASEC, type->name, type->size);

			for (uint32_t i = 0; i < type->element_count; i++)
				if (kept[type->elements[i].type])
					build_entry(part, section, type->elements[i].type,
						    type->elements[i].offset,
						    type->elements[i].size);
		}
	}
	for (uint32_t i = 0; i < part->type_count; i++)
		for (uint32_t k = 0; k < build_edge_count(&part->types[i]); k++) {
			uint32_t *edge = build_edge(&part->types[i], k);

			*edge = new_id[*edge];
		}
	*first = new_id[*first];
	*second = new_id[*second];
	return part;
}

static int compare_ids(const uint32_t *new_id, uint32_t a, uint32_t b)
{
	return (new_id[a - 1] > new_id[b - 1]) - (new_id[a - 1] < new_id[b - 1]);
}

/* The order of two types, from nothing but what they reach. */
static int compare_alone(const struct build *build, uint32_t a, uint32_t b)
{
	struct bc_arena arena = { 0 };
	struct build *part = cut_out(&arena, build, &a, &b);
	struct law_result result = law_canonical(&arena, law_build(part, NULL), NULL, &plain);
	int order = compare_ids(result.new_id, a, b);

	bc_arena_free(&arena);
	return order;
}

static void check_all_pairs(struct bc_arena *arena, struct build *build, const char *what)
{
	uint32_t n = build->type_count;
	struct law_result whole = law_canonical(arena, law_build(build, NULL), NULL, &plain);
	signed char *order = build_alloc(arena, (size_t)n * n + 1, 1);

	for (uint32_t a = 0; a < n; a++) {
		for (uint32_t b = 0; b < n; b++) {
			int alone = compare_alone(build, a + 1, b + 1);

			if (alone != compare_ids(whole.new_id, a + 1, b + 1))
				law_fail("%s: types %u and %u are ordered otherwise in their part",
					 what, a + 1, b + 1);
			order[a * n + b] = (signed char)alone;
		}
	}
	for (uint32_t a = 0; a < n; a++) {
		for (uint32_t b = 0; b < n; b++) {
			if (order[a * n + b] != -order[b * n + a])
				law_fail("%s: types %u and %u: not antisymmetric", what, a, b);
			for (uint32_t c = 0; c < n; c++)
				if (order[a * n + b] <= 0 && order[b * n + c] <= 0 &&
				    (order[a * n + c] > 0 ||
				     (order[a * n + c] == 0 &&
				      (order[a * n + b] || order[b * n + c]))))
					law_fail("%s: types %u, %u, %u: not transitive", what, a, b,
						 c);
		}
	}
}

static void samples_are_in_total_preorder(void **state)
{
	(void)state;
	law_round(0);
	for (uint32_t i = 0; i < sample_count; i++) {
		struct bc_arena arena = { 0 };

		if (!samples[i].make_base)
			check_all_pairs(&arena, sample_make(&samples[i], &arena, false),
					samples[i].name);
		bc_arena_free(&arena);
	}
}

static void random_graphs_are_in_total_preorder(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < law_rounds(300); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct build *build = random_graph(&arena, &rng, NULL, 2 + rng_below(&rng, 14));

		build = shuffle_twins(&arena, &rng, build, 15, NULL);
		build = shuffle_ids(&arena, build,
				    shuffle_permutation(&arena, &rng, build->type_count));
		check_all_pairs(&arena, build, "random graph");
		bc_arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_in_total_preorder),
		cmocka_unit_test(random_graphs_are_in_total_preorder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

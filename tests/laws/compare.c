/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Laws of comparison: nothing changed between a graph and itself, whatever the
 * ids; (B, A) mirrors (A, B); when one thing in a graph is changed, the report
 * names the types that say that thing, all of them and no other; and when
 * several are, it says of each what was done to it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare/difference.h"
#include "compare/report.h"
#include "graph/names.h"
#include "tests/lib/law.h"
#include "tests/lib/random_graph.h"
#include "tests/lib/samples.h"
#include "tests/lib/shuffle.h"

static struct bc_comparison compare(const struct bc_graph *old_graph,
				    const struct bc_graph *new_graph, bool indirect)
{
	struct bc_compare_options options = { .indirect = indirect };
	struct bc_comparison comparison;
	struct bc_err err;

	if (!bc_compare_graphs(&comparison, old_graph, new_graph, &options, &err))
		law_fail("not compared: %s", err.text);
	return comparison;
}

/* Compares and asserts that nothing changed. */
static void assert_same_types(const struct bc_graph *a, const struct bc_graph *b, const char *what)
{
	struct bc_comparison comparison = compare(a, b, true);

	if (comparison.count)
		law_fail("%s: %u differences, the first on %s '%s'", what, comparison.count,
			 bc_kind_word(bc_difference_node(&comparison, comparison.differences)),
			 bc_difference_name(&comparison, comparison.differences));
	bc_compare_close(&comparison);
}

static void samples_equal_themselves(void **state)
{
	(void)state;
	law_round(0);
	for (uint32_t i = 0; i < sample_count; i++) {
		struct bc_arena arena = { 0 };
		struct build *build = sample_make(&samples[i], &arena, false);
		struct bc_graph base;
		struct law_result result;

		if (build->base)
			base = law_read(&arena, law_build((struct build *)build->base, NULL), NULL);
		result = law_canonical(&arena, law_build(build, NULL), build->base ? &base : NULL,
				       &law_options[0]);
		assert_same_types(&result.out, &result.out, samples[i].name);
		bc_arena_free(&arena);
	}
}

/* Graphs with few names: many definitions of one name, near twins, unnamed cycles. */
static void shuffled_graphs_are_equal(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < law_rounds(400); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct build *build = random_graph(&arena, &rng, NULL, 1 + rng_below(&rng, 80));
		struct build *shuffled;
		struct law_bytes bytes;
		struct law_result a, b;

		bytes.data = shuffle_all(&arena, &rng, build, 20, &shuffled, &bytes.size_bytes);
		a = law_canonical(&arena, law_build(build, NULL), NULL, &law_options[0]);
		b = law_canonical(&arena, bytes, NULL, &law_options[0]);
		assert_same_types(&a.out, &b.out, "shuffled");
		bc_arena_free(&arena);
	}
}

/* Whether THERE has a difference that is DIFFERENCE the other way round. */
static bool has_mirrored(const struct bc_comparison *there, const struct bc_difference *difference)
{
	for (uint32_t i = 0; i < there->count; i++) {
		const struct bc_difference *other = &there->differences[i];

		if (other->old_id == difference->new_id && other->new_id == difference->old_id)
			return other->detail_count == difference->detail_count;
	}
	return false;
}

static void reverse_is_mirrored(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < law_rounds(400); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct bc_comparison there, back;
		struct law_result sides[2];

		for (uint32_t i = 0; i < 2; i++)
			sides[i] = law_canonical(
				&arena,
				law_build(random_graph(&arena, &rng, NULL, 1 + rng_below(&rng, 60)),
					  NULL),
				NULL, &law_options[0]);
		there = compare(&sides[0].out, &sides[1].out, true);
		back = compare(&sides[1].out, &sides[0].out, true);
		assert_int_equal(there.count, back.count);
		for (uint32_t i = 0; i < there.count; i++)
			if (!has_mirrored(&back, &there.differences[i]))
				law_fail("%s '%s' is not mirrored",
					 bc_kind_word(
						 bc_difference_node(&there, &there.differences[i])),
					 bc_difference_name(&there, &there.differences[i]));
		bc_compare_close(&there);
		bc_compare_close(&back);
		bc_arena_free(&arena);
	}
}

typedef bool (*report)(FILE *out, const struct bc_comparison *comparison,
		       const struct bc_report_options *options, struct bc_err *err);

/* What is written is the tests' of single reports; here it is written at all, whatever the graphs. */
static void write_report(const struct bc_comparison *comparison, report write)
{
	struct bc_report_options options = { .names = { "old", "new" }, .verbose = true };
	size_t size_bytes = 0;
	char *text = NULL;
	FILE *stream = open_memstream(&text, &size_bytes);
	struct bc_err err;

	if (!stream || !write(stream, comparison, &options, &err))
		law_fail("not reported: %s", stream ? err.text : "no memory");
	fclose(stream);
	if (strlen(text) != size_bytes)
		law_fail("the report has a NUL");
	if (!size_bytes && comparison->count)
		law_fail("the report is empty");
	free(text);
}

static void every_pair_has_reports(void **state)
{
	static const report reports[] = { bc_report_text, bc_report_stat, bc_report_json,
					  bc_report_html };

	(void)state;
	for (uint32_t round = 0; round < law_rounds(200); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct bc_comparison comparison;
		struct law_result sides[2];

		for (uint32_t i = 0; i < 2; i++)
			sides[i] = law_canonical(
				&arena,
				law_build(random_graph(&arena, &rng, NULL, 1 + rng_below(&rng, 60)),
					  NULL),
				NULL, &law_options[0]);
		comparison = compare(&sides[0].out, &sides[1].out, true);
		for (uint32_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++)
			write_report(&comparison, reports[i]);
		bc_compare_close(&comparison);
		bc_arena_free(&arena);
	}
}

/* ---- one change ---- */

static bool has_own_name(const struct build_type *type)
{
	switch (type->kind) {
	case BC_STRUCT:
	case BC_UNION:
	case BC_ENUM:
	case BC_ENUM64:
		return *type->name;
	case BC_INT:
	case BC_FLOAT:
	case BC_TYPEDEF:
	case BC_FUNC:
	case BC_VAR:
	case BC_DATASEC:
	case BC_FWD:
		return true;
	default:
		return false;
	}
}

/* Has the type an entry of its own in reports? */
static bool is_listed(const struct build_type *type)
{
	return has_own_name(type) || bc_kind_is_enum(type->kind);
}

/* Every name once, so that each type is known by its name alone. */
static void make_names_unique(struct bc_arena *arena, struct build *build)
{
	for (uint32_t i = 0; i < build->type_count; i++) {
		struct build_type *type = &build->types[i];

		if (has_own_name(type))
			type->name = build_format_text(arena, "n%u", i);
		if (!bc_kind_is_enum(type->kind))
			continue;
		for (uint32_t k = 0; k < type->element_count; k++)
			type->elements[k].name = build_format_text(arena, "v%u_%u", i, k);
	}
}

/* Changes one thing that TYPE says; false: there is nothing in it to change. */
static bool mutate(struct bc_arena *arena, struct rng *rng, struct build_type *type)
{
	struct build_element *element =
		type->element_count ? &type->elements[rng_below(rng, type->element_count)] : NULL;

	switch (type->kind) {
	case BC_STRUCT:
	case BC_UNION:
		if (!element || rng_percent(rng, 30))
			type->size += 8;
		else
			element->name = build_format_text(arena, "%s'", element->name);
		return true;
	case BC_ENUM:
	case BC_ENUM64:
		if (!element)
			return false;
		element->value ^= 1;
		return true;
	case BC_FUNC_PROTO:
		if (!element || !element->type)
			return false;
		element->name = build_format_text(arena, "%s'", element->name);
		return true;
	case BC_ARRAY:
		type->extra ^= 1;
		return true;
	case BC_FUNC:
		type->vlen = !type->vlen;
		return true;
	case BC_VAR:
		type->extra = !type->extra;
		return true;
	case BC_TYPE_TAG:
	case BC_DECL_TAG:
		type->name = build_format_text(arena, "%s'", type->name);
		return true;
	default:
		return false;
	}
}

/*
 * Marks the types whose own text says type ID: itself when it is listed, else
 * all listed ones that lead to it through unlisted ones. A tag is said by what
 * it is on.
 */
static void mark_expected(const struct build *build, uint32_t id, bool *expected)
{
	bool *met = build_alloc(build->arena, build->type_count, sizeof(*met));
	bool more = true;

	if (build_type(build, id)->kind == BC_DECL_TAG)
		id = build_type(build, id)->type;
	met[id - 1] = true;
	while (more) {
		more = false;
		for (uint32_t i = 0; i < build->type_count; i++) {
			struct build_type *type = &build->types[i];
			uint32_t edge_count = build_edge_count(type);

			if (met[i] || type->kind == BC_DECL_TAG || type->kind == BC_DATASEC)
				continue;
			for (uint32_t k = 0; k < edge_count && !met[i]; k++) {
				uint32_t target = *build_edge(type, k);

				met[i] = target && met[target - 1] &&
					 !is_listed(build_type(build, target));
			}
			more |= met[i];
		}
	}
	for (uint32_t i = 0; i < build->type_count; i++)
		expected[i] = met[i] && is_listed(&build->types[i]);
}

/* An own type as a reader knows it: its name, or that of its first value. */
static const char *known_as(const struct build_type *type)
{
	return has_own_name(type) ? type->name : type->element_count ? type->elements[0].name : "";
}

static const char *reported_as(const struct bc_comparison *comparison,
			       const struct bc_difference *difference)
{
	const struct bc_graph *graph = comparison->sides[BC_NEW].graph;
	const uint32_t *node = bc_node(graph, difference->new_id);

	if (bc_node_is_named(node, graph))
		return bc_string(graph, node[0]);
	return bc_info_vlen(node[1]) ? bc_string(graph, bc_element(node, 0)[0]) : "";
}

/* Each difference is expected, and each expected one is there. */
static void check_mutation(const struct build *build, const struct bc_comparison *comparison,
			   const bool *expected)
{
	uint32_t expected_count = 0;

	for (uint32_t i = 0; i < build->type_count; i++)
		expected_count += expected[i];
	for (uint32_t k = 0; k < comparison->count; k++) {
		const struct bc_difference *difference = &comparison->differences[k];
		bool found = false;

		if (difference->change != BC_CHANGED)
			law_fail("'%s' is not only changed",
				 bc_difference_name(comparison, difference));
		for (uint32_t i = 0; i < build->type_count && !found; i++)
			found = expected[i] && !strcmp(known_as(&build->types[i]),
						       reported_as(comparison, difference));
		if (!found)
			law_fail("'%s' did not change", reported_as(comparison, difference));
	}
	if (comparison->count != expected_count)
		law_fail("%u types changed, %u are named", expected_count, comparison->count);
}

static void one_change_is_named(void **state)
{
	uint32_t tried = 0;

	(void)state;
	for (uint32_t round = 0; round < law_rounds(2000); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct build *build = random_graph(&arena, &rng, NULL, 2 + rng_below(&rng, 60));
		struct bc_comparison comparison;
		struct law_result before, after;
		struct build *shuffled;
		struct law_bytes bytes;
		bool *expected;
		uint32_t id;

		make_names_unique(&arena, build);
		before = law_canonical(&arena, law_build(build, NULL), NULL, &law_options[0]);
		id = 1 + rng_below(&rng, build->type_count);
		if (mutate(&arena, &rng, build_type(build, id))) {
			tried++;
			build->strings = NULL;
			expected = build_alloc(&arena, build->type_count, sizeof(*expected));
			mark_expected(build, id, expected);
			bytes.data = shuffle_all(&arena, &rng, build, 0, &shuffled,
						 &bytes.size_bytes);
			after = law_canonical(&arena, bytes, NULL, &law_options[0]);
			comparison = compare(&before.out, &after.out, false);
			check_mutation(build, &comparison, expected);
			bc_compare_close(&comparison);
		}
		bc_arena_free(&arena);
	}
	assert_true(tried > 0);
}

/* ---- several changes, and what each is ---- */

/* What was done to a type of the build; its NAME tells which. */
struct mutation {
	const char *name;
	enum bc_change change;
	enum bc_part part; /* of a type that changed: its one detail */
	enum bc_change detail;
	uint32_t aspects;
	const char *old_name, *new_name; /* of the part; NULL: not there */
};

/* Own names for elements too; members without a name are left when their types are unnamed. */
static void make_elements_unique(struct bc_arena *arena, struct build *build)
{
	for (uint32_t i = 0; i < build->type_count; i++) {
		struct build_type *type = &build->types[i];

		for (uint32_t k = 0; bc_kind_is_composite(type->kind) && k < type->element_count;
		     k++)
			if (*type->elements[k].name)
				type->elements[k].name = build_format_text(arena, "m%u_%u", i, k);
	}
}

static bool is_tagged(const struct build *build, uint32_t id)
{
	for (uint32_t i = 0; i < build->type_count; i++)
		if (build->types[i].kind == BC_DECL_TAG && build->types[i].type == id)
			return true;
	return false;
}

static void tell(struct mutation *mutation, enum bc_change detail, uint32_t aspects,
		 const char *old_name, const char *new_name)
{
	mutation->detail = detail;
	mutation->aspects = aspects;
	mutation->old_name = old_name;
	mutation->new_name = new_name;
}

static void remove_last(struct build_type *type, struct mutation *mutation)
{
	tell(mutation, BC_REMOVED, 0, type->elements[type->element_count - 1].name, NULL);
	type->element_count--;
	type->vlen--;
}

static void rename_element(struct bc_arena *arena, struct build_element *element,
			   struct mutation *mutation)
{
	const char *old_name = element->name;

	element->name = build_format_text(arena, "%s'", old_name);
	tell(mutation, BC_CHANGED, BC_ASPECT_RENAMED, old_name, element->name);
}

/* INT_ID: a type that no member has. */
static bool mutate_members(struct bc_arena *arena, struct rng *rng, struct build *build,
			   uint32_t id, uint32_t int_id, struct mutation *mutation)
{
	struct build_type *type = build_type(build, id);
	struct build_element *member = &type->elements[rng_below(rng, type->element_count)];

	uint32_t way = *member->name ? rng_below(rng, 5) : 4;

	if ((way == 2 && type->kflag && member->offset >> 24) ||
	    (way == 3 && !*type->elements[type->element_count - 1].name))
		return false;
	mutation->part = BC_PART_MEMBER;
	type->size += 64;
	switch (way) {
	case 0:
		rename_element(arena, member, mutation);
		return true;
	case 1:
		member->offset += 8;
		tell(mutation, BC_CHANGED, BC_ASPECT_MOVED, member->name, member->name);
		return true;
	case 2:
		member->type = int_id;
		tell(mutation, BC_CHANGED, BC_ASPECT_RETYPED, member->name, member->name);
		return true;
	case 3:
		remove_last(type, mutation);
		return true;
	default:
		build_member(build, id, "extra", int_id, 0);
		tell(mutation, BC_ADDED, 0, NULL, "extra");
		return true;
	}
}

static bool mutate_values(struct bc_arena *arena, struct rng *rng, struct build *build, uint32_t id,
			  struct mutation *mutation)
{
	struct build_type *type = build_type(build, id);
	struct build_element *value = &type->elements[rng_below(rng, type->element_count)];

	mutation->part = BC_PART_VALUE;
	switch (rng_below(rng, 4)) {
	case 0:
		rename_element(arena, value, mutation);
		return true;
	case 1:
		value->value ^= 1;
		tell(mutation, BC_CHANGED, BC_ASPECT_RENUMBERED, value->name, value->name);
		return true;
	case 2:
		remove_last(type, mutation);
		return true;
	default:
		build_value(build, id, build_format_text(arena, "extra%u", id), 77);
		tell(mutation, BC_ADDED, 0, NULL, type->elements[type->element_count - 1].name);
		return true;
	}
}

/* Changes a part of a struct, union or enum, in a way that one detail tells. */
static bool mutate_part(struct bc_arena *arena, struct rng *rng, struct build *build, uint32_t id,
			uint32_t int_id, struct mutation *mutation)
{
	const struct build_type *type = build_type(build, id);

	if (!is_listed(type) || !*type->name || !type->element_count || is_tagged(build, id))
		return false;
	mutation->name = type->name;
	mutation->change = BC_CHANGED;
	if (bc_kind_is_composite(type->kind))
		return mutate_members(arena, rng, build, id, int_id, mutation);
	return bc_kind_is_enum(type->kind) && mutate_values(arena, rng, build, id, mutation);
}

static bool same_name(const char *a, const char *b)
{
	return !a == !b && (!a || !strcmp(a, b));
}

static bool tells(const struct bc_comparison *comparison, const struct bc_difference *difference,
		  const struct mutation *mutation, bool back)
{
	enum bc_change opposites[] = { BC_REMOVED, BC_ADDED, BC_CHANGED };
	const struct bc_detail *detail;

	if (difference->change != (back ? opposites[mutation->change] : mutation->change))
		return false;
	if (difference->change != BC_CHANGED)
		return !difference->detail_count;
	if (difference->detail_count != 1)
		return false;
	detail = bc_detail_at(comparison, difference, 0);
	return detail->part == mutation->part && detail->aspects == mutation->aspects &&
	       detail->change == (back ? opposites[mutation->detail] : mutation->detail) &&
	       same_name((back ? &detail->new : &detail->old)->name, mutation->old_name) &&
	       same_name((back ? &detail->old : &detail->new)->name, mutation->new_name);
}

/* The differences are the mutations, each told as what it is. */
static void check_mutations(const struct bc_graph *before, const struct bc_graph *after,
			    const struct mutation *mutations, uint32_t count, bool back)
{
	struct bc_comparison comparison = back ? compare(after, before, false) :
						 compare(before, after, false);

	for (uint32_t i = 0; i < comparison.count; i++) {
		const struct bc_difference *difference = &comparison.differences[i];
		const char *name = bc_difference_name(&comparison, difference);
		bool found = false;

		for (uint32_t k = 0; k < count && !found; k++)
			found = !strcmp(mutations[k].name, name) &&
				tells(&comparison, difference, &mutations[k], back);
		if (!found)
			law_fail("'%s' was not changed so (%s)", name, back ? "back" : "there");
	}
	if (comparison.count != count)
		law_fail("%u mutations, %u differences", count, comparison.count);
	bc_compare_close(&comparison);
}

#define MAX_MUTATIONS 5

/* Changes parts of up to four types, each once, and adds one type. */
static uint32_t mutate_types(struct bc_arena *arena, struct rng *rng, struct build *build,
			     uint32_t int_id, struct mutation *mutations)
{
	uint32_t count = 0, id_end = build_id_end(build);

	for (uint32_t i = 0; i < 4; i++) {
		uint32_t id = 1 + rng_below(rng, id_end - 1);
		bool met = false;

		for (uint32_t k = 0; k < count; k++)
			met |= same_name(build_type(build, id)->name, mutations[k].name);
		count += !met && mutate_part(arena, rng, build, id, int_id, &mutations[count]);
	}
	if (rng_percent(rng, 50)) {
		build_sized(build, BC_STRUCT, "fresh", 8);
		mutations[count++] = (struct mutation){ .name = "fresh", .change = BC_ADDED };
	}
	return count;
}

static void several_changes_are_told(void **state)
{
	uint32_t tried = 0;

	(void)state;
	for (uint32_t round = 0; round < law_rounds(2000); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct build *build = random_graph(&arena, &rng, NULL, 2 + rng_below(&rng, 60));
		struct mutation mutations[MAX_MUTATIONS] = { { 0 } };
		struct law_result before, after;
		struct build *shuffled;
		struct law_bytes bytes;
		uint32_t int_id, count;

		make_names_unique(&arena, build);
		make_elements_unique(&arena, build);
		int_id = build_int(build, "unlike others", 4, 32);
		before = law_canonical(&arena, law_build(build, NULL), NULL, &law_options[0]);
		count = mutate_types(&arena, &rng, build, int_id, mutations);
		build->strings = NULL;
		bytes.data = shuffle_all(&arena, &rng, build, 0, &shuffled, &bytes.size_bytes);
		after = law_canonical(&arena, bytes, NULL, &law_options[0]);
		check_mutations(&before.out, &after.out, mutations, count, false);
		check_mutations(&before.out, &after.out, mutations, count, true);
		tried += count;
		bc_arena_free(&arena);
	}
	assert_true(tried > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_equal_themselves),
		cmocka_unit_test(shuffled_graphs_are_equal),
		cmocka_unit_test(reverse_is_mirrored),
		cmocka_unit_test(every_pair_has_reports),
		cmocka_unit_test(one_change_is_named),
		cmocka_unit_test(several_changes_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

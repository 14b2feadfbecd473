/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Law: nothing is lost, nothing invented. Input and output are read by another
 * reader; then every type must say what the type says that it became, refer
 * to what its references became, and carry the same tags and places; every
 * output type must come from an input type; and no two output types may mean
 * the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/law.h"
#include "tests/lib/random_graph.h"
#include "tests/lib/samples.h"
#include "tests/lib/shuffle.h"

struct pair {
	const struct build *in;
	const struct build *out;
	const uint32_t *new_id;
};

static uint32_t became(const struct pair *pair, uint32_t id)
{
	return id < pair->in->first_id ? id : pair->new_id[id - pair->in->first_id];
}

static bool says_the_same(const struct build_type *a, const struct build_type *b)
{
	if (a->kind != b->kind || a->kflag != b->kflag || a->vlen != b->vlen ||
	    strcmp(a->name, b->name) || a->size != b->size || a->extra != b->extra ||
	    a->element_count != b->element_count)
		return false;
	for (uint32_t i = 0; i < a->element_count; i++)
		if (strcmp(a->elements[i].name, b->elements[i].name) ||
		    a->elements[i].offset != b->elements[i].offset ||
		    a->elements[i].size != b->elements[i].size ||
		    a->elements[i].value != b->elements[i].value)
			return false;
	return true;
}

static bool refers_to_the_same(const struct pair *pair, struct build_type *in,
			       struct build_type *out)
{
	for (uint32_t i = 0; i < build_edge_count(in); i++)
		if (became(pair, *build_edge(in, i)) != *build_edge(out, i))
			return false;
	return true;
}

/* Whether some tag on ID of BUILD is as TAG says. */
static bool has_tag(const struct build *build, uint32_t id, const struct build_type *tag)
{
	for (uint32_t i = 0; i < build->type_count; i++)
		if (build->types[i].kind == BC_DECL_TAG && build->types[i].type == id &&
		    says_the_same(&build->types[i], tag))
			return true;
	return false;
}

/* Whether some section NAME of BUILD places variable ID as ENTRY says. */
static bool has_place(const struct build *build, uint32_t id, const char *name,
		      const struct build_element *entry)
{
	for (uint32_t i = 0; i < build->type_count; i++) {
		const struct build_type *section = &build->types[i];

		if (section->kind != BC_DATASEC || strcmp(section->name, name))
			continue;
		for (uint32_t k = 0; k < section->element_count; k++)
			if (section->elements[k].type == id &&
			    section->elements[k].offset == entry->offset &&
			    section->elements[k].size == entry->size)
				return true;
	}
	return false;
}

/* Every tag and place that TYPE says of its target in IN, OUT says of what that became. */
static void check_marks(const struct pair *pair, const struct build_type *type)
{
	if (type->kind == BC_DECL_TAG && type->type >= pair->in->first_id &&
	    became(pair, type->type) >= pair->out->first_id &&
	    !has_tag(pair->out, became(pair, type->type), type))
		law_fail("tag %s of type %u is lost", type->name, type->type);
	for (uint32_t i = 0; type->kind == BC_DATASEC && i < type->element_count; i++)
		if (!has_place(pair->out, became(pair, type->elements[i].type), type->name,
			       &type->elements[i]))
			law_fail("place %u of section %s is lost", i, type->name);
}

static bool is_forward(const struct build_type *type)
{
	return type->kind == BC_FWD ||
	       (bc_kind_is_enum(type->kind) && !type->element_count && *type->name);
}

static bool was_settled(const struct build_type *in, const struct build_type *out)
{
	return is_forward(in) && !is_forward(out);
}

static void check_type(const struct pair *pair, uint32_t i, bool settled)
{
	struct build_type *in = &pair->in->types[i];
	struct build_type *out = build_type(pair->out, pair->new_id[i]);

	if (was_settled(in, out)) {
		assert_true(settled);
		assert_string_equal(in->name, out->name);
		return;
	}
	if (!says_the_same(in, out))
		law_fail("type %u became type %u, which says something else",
			 pair->in->first_id + i, pair->new_id[i]);
	if (!refers_to_the_same(pair, in, out))
		law_fail("type %u became type %u, which refers to something else",
			 pair->in->first_id + i, pair->new_id[i]);
	check_marks(pair, in);
}

/* Every tag on what an input type became was on that type; or it was invented. */
static void check_invented(const struct pair *pair, uint32_t i)
{
	const struct build *out = pair->out;
	uint32_t id = pair->in->first_id + i, new_id = pair->new_id[i];

	if (new_id < out->first_id || was_settled(&pair->in->types[i], build_type(out, new_id)))
		return;
	for (uint32_t k = 0; k < out->type_count; k++)
		if (out->types[k].kind == BC_DECL_TAG && out->types[k].type == new_id &&
		    !has_tag(pair->in, id, &out->types[k]))
			law_fail("type %u got a tag it did not have", id);
}

static void check_output(struct bc_arena *arena, const struct pair *pair)
{
	const struct build *out = pair->out;
	bool *found = build_alloc(arena, build_id_end(out), sizeof(*found));
	const struct naive_options options = { 0 };

	for (uint32_t i = 0; i < pair->in->type_count; i++) {
		found[pair->new_id[i]] = true;
		check_invented(pair, i);
	}
	for (uint32_t id = out->first_id; id < build_id_end(out); id++)
		if (!found[id])
			law_fail("type %u of the output comes from nothing", id);
	assert_int_equal(naive_canonical(out, &options).canonical->type_count, out->type_count);
}

static void check_faithful(struct bc_arena *arena, struct law_bytes bytes, const struct build *base,
			   const struct bc_graph *base_graph)
{
	for (uint32_t k = 0; k < LAW_OPTION_COUNT; k++) {
		struct law_result result = law_canonical(arena, bytes, base_graph, &law_options[k]);
		struct pair pair = {
			.in = build_read(arena, bytes.data, bytes.size_bytes, base),
			.out = build_read(arena, result.bytes.data, result.bytes.size_bytes, base),
			.new_id = result.new_id,
		};

		for (uint32_t i = 0; i < pair.in->type_count; i++)
			check_type(&pair, i, law_options[k].settle_forwards);
		check_output(arena, &pair);
	}
}

static void samples_keep_their_meaning(void **state)
{
	(void)state;
	law_round(0);
	for (uint32_t i = 0; i < sample_count; i++) {
		struct bc_arena arena = { 0 };
		struct build *build = sample_make(&samples[i], &arena, false);

		if (!build->base)
			check_faithful(&arena, law_build(build, NULL), NULL, NULL);
		bc_arena_free(&arena);
	}
}

/* The base has no duplicates here: so a reference into it has one right id. */
static void random_graphs_keep_their_meaning(void **state)
{
	static const struct naive_options plain = { 0 };

	(void)state;
	for (uint32_t round = 0; round < law_rounds(1000); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct build *build = random_graph(&arena, &rng, NULL, 1 + rng_below(&rng, 30));
		struct build *base;
		struct bc_graph base_graph;
		struct law_bytes bytes;

		bytes.data = shuffle_all(&arena, &rng, build, 20, &build, &bytes.size_bytes);
		check_faithful(&arena, bytes, NULL, NULL);
		base = naive_canonical(build, &plain).canonical;
		base_graph = law_read(&arena, law_build(base, NULL), NULL);
		build = random_graph(&arena, &rng, base, 1 + rng_below(&rng, 20));
		bytes.data = shuffle_all(&arena, &rng, build, 20, &build, &bytes.size_bytes);
		check_faithful(&arena, bytes, base, &base_graph);
		bc_arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_keep_their_meaning),
		cmocka_unit_test(random_graphs_keep_their_meaning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Stable ids: laws over random pairs of graphs. The result has the types of
 * NEW and nothing else; what OLD has keeps its id and its strings; only the two
 * graphs matter; and OLD like OLD is OLD.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "btf/write.h"
#include "merge/concat.h"
#include "sort/like.h"
#include "tests/lib/law.h"
#include "tests/lib/random_graph.h"
#include "tests/lib/shuffle.h"

struct liked {
	struct bc_like_input input;
	struct bc_graph joint, out;
	struct bc_like_stats stats;
	const uint32_t *class_at;
	struct law_bytes bytes;
	bool made;
};

static void order(struct bc_graph *out, const struct bc_graph *in, struct bc_arena *arena,
		  const uint32_t **new_id)
{
	struct bc_err err;

	if (!bc_canonical(out, in, &law_options[0], arena, new_id, NULL, &err))
		law_fail("not ordered: %s", err.text);
}

/* NEW like OLD; the arena keeps all. */
static struct liked *like(struct bc_arena *arena, const struct bc_graph *old,
			  const struct bc_graph *new_graph)
{
	struct liked *liked = build_alloc(arena, 1, sizeof(*liked));
	struct bc_graph *kept = build_alloc(arena, 2, sizeof(*kept)), both[2], merged;
	struct bc_err err;

	kept[0] = *old;
	order(&kept[1], new_graph, arena, NULL);
	both[0] = kept[0];
	both[1] = kept[1];
	if (!bc_concat(&liked->joint, both, 2, arena, &err))
		law_fail("not joined: %s", err.text);
	order(&merged, &liked->joint, arena, &liked->input.class_of);
	liked->input.old = &kept[0];
	liked->input.canonical = &kept[1];
	liked->input.joint = &liked->joint;
	liked->made = bc_like(&liked->out, &liked->input, arena, &liked->class_at, &liked->stats,
			      &err);
	if (!liked->made && !strstr(err.text, "is free"))
		law_fail("not made: %s", err.text);
	if (liked->made && !bc_btf_write(&liked->out, NULL, arena, &liked->bytes.data,
					 &liked->bytes.size_bytes, &err))
		law_fail("not written: %s", err.text);
	return liked;
}

/* Another version of BUILD: some types gone, some changed, some new. */
static struct build *change(struct bc_arena *arena, struct rng *rng, struct build *build)
{
	for (uint32_t i = 0; i < build->type_count; i++) {
		struct build_type *type = &build->types[i];

		if (rng_below(rng, 8))
			continue;
		if (type->kind == BC_STRUCT || type->kind == BC_UNION) {
			type->size += 8;
			build_member(build, build->first_id + i, "more", build->first_id, 0);
		} else if (bc_kind_is_enum(type->kind)) {
			build_value(build, build->first_id + i, "MORE", 7);
		} else if (type->kind == BC_TYPEDEF || type->kind == BC_FUNC) {
			type->name = rng_below(rng, 2) ? "renamed" : "another";
		}
	}
	(void)arena;
	return build;
}

/* Types that both have keep the id, and their names the offset. */
static void check_kept(const struct liked *liked)
{
	const struct bc_graph *old = liked->input.old;
	uint32_t same = 0;

	for (uint32_t id = 1; id < bc_id_end(old); id++) {
		const uint32_t *before = bc_node(old, id), *after = bc_node(&liked->out, id);

		if (liked->input.class_of[id - 1] != liked->class_at[id])
			continue;
		same++;
		assert_int_equal(before[1], after[1]);
		assert_string_equal(bc_string(old, before[0]), bc_string(&liked->out, after[0]));
		if (before[0] != after[0])
			law_fail("the name of type %u moved", id);
	}
	if (same < liked->stats.same)
		law_fail("%u types are the same, but only %u keep their ids", liked->stats.same,
			 same);
}

/* Every type of NEW that OLD has is counted among those that keep their ids. */
static uint32_t count_common(const struct liked *liked)
{
	uint32_t old_count = liked->input.old->type_count, common = 0;

	for (uint32_t i = old_count; i < liked->joint.type_count; i++)
		for (uint32_t k = 0; k < old_count; k++)
			if (liked->input.class_of[i] == liked->input.class_of[k]) {
				common++;
				break;
			}
	return common;
}

static void laws_hold_for_random_pairs(void **state)
{
	uint32_t made = 0;

	(void)state;
	for (uint32_t round = 0; round < law_rounds(1000); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct rng same = rng;
		struct build *old_build = random_graph(&arena, &rng, NULL, 1 + rng_below(&rng, 60));
		struct build *new_build, *shuffled;
		struct law_bytes old_bytes, new_bytes, again;
		struct bc_graph old, new_graph;
		struct liked *liked;

		/* The same numbers make the same types once more. */
		new_build = random_graph(&arena, &same, NULL, 1 + rng_below(&same, 60));
		new_build = change(&arena, &rng, new_build);
		old_bytes = law_build(old_build, NULL);
		new_bytes = law_build(new_build, NULL);
		old = law_read(&arena, old_bytes, NULL);
		new_graph = law_read(&arena, new_bytes, NULL);
		liked = like(&arena, &old, &new_graph);
		if (liked->made) {
			made++;
			assert_int_equal(liked->stats.same, count_common(liked));
			law_assert_same(
				law_canonical(&arena, new_bytes, NULL, &law_options[0]).bytes,
				law_canonical(&arena, liked->bytes, NULL, &law_options[0]).bytes,
				"the types are NEW's");
			check_kept(liked);
			again.data = shuffle_all(&arena, &rng, new_build, 20, &shuffled,
						 &again.size_bytes);
			new_graph = law_read(&arena, again, NULL);
			law_assert_same(liked->bytes, like(&arena, &old, &new_graph)->bytes,
					"only the types matter");
		}
		bc_arena_free(&arena);
	}
	assert_true(made > 0);
}

static void old_like_old_is_old(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < law_rounds(300); round++) {
		struct rng rng = law_round(round);
		struct bc_arena arena = { 0 };
		struct build *build = random_graph(&arena, &rng, NULL, 1 + rng_below(&rng, 60));
		struct law_bytes bytes =
			law_canonical(&arena, law_build(build, NULL), NULL, &law_options[1]).bytes;
		struct bc_graph old = law_read(&arena, bytes, NULL);

		law_assert_same(bytes, like(&arena, &old, &old)->bytes, "OLD like OLD");
		bc_arena_free(&arena);
	}
}

/* A gone type leaves an id: a new one takes it, or a copy of a pointer; strings likewise. */
static void free_ids_and_strings_are_filled(void **state)
{
	struct bc_arena arena = { 0 };
	struct build *old_build = build_new(&arena, NULL), *new_build = build_new(&arena, NULL);
	struct bc_graph old, new_graph;
	struct liked *liked;
	uint32_t id;

	(void)state;
	build_ptr(old_build, build_int(old_build, "int", 4, 32));
	build_fwd(old_build, "vanishes", false);
	build_fwd(old_build, "stays", false);
	build_fwd(old_build, "goes", false);
	id = build_fwd(new_build, "stays", false);
	build_fwd(new_build, "comes", false);
	build_ptr(new_build, build_int(new_build, "int", 4, 32));
	old = law_read(&arena, law_build(old_build, NULL), NULL);
	new_graph = law_read(&arena, law_build(new_build, NULL), NULL);
	liked = like(&arena, &old, &new_graph);
	assert_true(liked->made);
	assert_int_equal(id, 1);
	assert_int_equal(liked->out.type_count, old.type_count);
	assert_int_equal(liked->out.string_bytes, old.string_bytes);
	assert_string_equal(bc_string(&liked->out, bc_node(&liked->out, 3)[0]), "comes");
	assert_string_equal(bc_string(&liked->out, bc_node(&liked->out, 4)[0]), "stays");
	assert_int_equal(bc_id_kind(&liked->out, 5), BC_PTR);
	assert_int_equal(liked->stats.copies, 1);
	assert_int_equal(liked->stats.appended, 0);
	assert_int_equal(liked->stats.appended_strings, 0);
	/* "comes" stands where "vanishes" began; what is not needed is as it was. */
	assert_int_equal(bc_node(&liked->out, 3)[0], bc_node(&old, 3)[0]);
	assert_memory_equal(liked->out.strings + bc_node(&old, 5)[0], "goes", 5);
	bc_arena_free(&arena);
}

static void modules_are_verified(void **state)
{
	struct bc_arena arena = { 0 };
	struct build *old_build = build_new(&arena, NULL), *new_build, *module_build;
	struct bc_graph old, new_graph, module;
	struct liked *liked;
	struct bc_err why = { .text = "" };
	uint32_t kept, changed;

	(void)state;
	kept = build_sized(old_build, BC_STRUCT, "kept", 4);
	build_member(old_build, kept, "a", build_int(old_build, "int", 4, 32), 0);
	changed = build_sized(old_build, BC_STRUCT, "changed", 4);
	build_member(old_build, changed, "a", kept + 1, 0);
	build_ptr(old_build, changed);
	new_build = build_new(&arena, NULL);
	for (uint32_t i = 0; i < old_build->type_count; i++)
		build_copy(new_build, &old_build->types[i]);
	build_type(new_build, changed)->size = 8;
	old = law_read(&arena, law_build(old_build, NULL), NULL);
	new_graph = law_read(&arena, law_build(new_build, NULL), NULL);
	liked = like(&arena, &old, &new_graph);
	assert_true(liked->made);

	module_build = build_new(&arena, old_build);
	build_ptr(module_build, kept);
	build_ref(module_build, BC_TYPEDEF, "a", kept);
	module = law_read(&arena, law_build(module_build, NULL), &old);
	assert_true(bc_like_keeps(&module, &liked->out, &why));

	module_build = build_new(&arena, old_build);
	build_ref(module_build, BC_CONST, "", changed + 1);
	module = law_read(&arena, law_build(module_build, NULL), &old);
	/* A pointer to what changed is what it was. */
	assert_true(bc_like_keeps(&module, &liked->out, &why));
	build_ref(module_build, BC_CONST, "", changed);
	module = law_read(&arena, law_build(module_build, NULL), &old);
	assert_false(bc_like_keeps(&module, &liked->out, &why));
	assert_non_null(strstr(why.text, "STRUCT changed, which changed"));

	build_fwd(new_build, "one more", false);
	new_build->strings = NULL;
	new_graph = law_read(&arena, law_build(new_build, NULL), NULL);
	liked = like(&arena, &old, &new_graph);
	assert_false(bc_like_keeps(&module, &liked->out, &why));
	assert_string_equal(why.text, "the base has 1 types more than before");
	bc_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(laws_hold_for_random_pairs),
		cmocka_unit_test(old_like_old_is_old),
		cmocka_unit_test(free_ids_and_strings_are_filled),
		cmocka_unit_test(modules_are_verified),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

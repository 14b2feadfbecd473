/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "sort/first_definitions.h"

#include <string.h>

#include "base/order.h"

/* Types by kind, then name, then id. */
static int compare_names(const void *context, uint32_t a, uint32_t b)
{
	const struct bc_graph *graph = context;
	const uint32_t *node_a = bc_own_node(graph, a), *node_b = bc_own_node(graph, b);
	int order = bc_compare_u64(bc_node_kind(node_a), bc_node_kind(node_b));

	if (!order && node_a[0] != node_b[0])
		order = strcmp(bc_string(graph, node_a[0]), bc_string(graph, node_b[0]));
	return order;
}

static int compare_old_ids(const void *context, uint32_t a, uint32_t b)
{
	const struct bc_first_definition *list = context;

	return bc_compare_u64(list[a].before, list[b].before);
}

static bool put_in_order(struct bc_first_definition *list, uint32_t count, uint32_t *numbers,
			 uint32_t *spare, struct bc_arena *scratch, struct bc_err *err)
{
	struct bc_first_definition *copy = bc_arena_alloc(scratch, count, sizeof(*copy), err);

	if (!copy)
		return false;
	memcpy(copy, list, count * sizeof(*copy));
	for (uint32_t i = 0; i < count; i++)
		numbers[i] = i;
	bc_sort_compared(numbers, spare, count, compare_old_ids, copy);
	for (uint32_t i = 0; i < count; i++)
		list[i] = copy[numbers[i]];
	return true;
}

static bool find_changed(struct bc_first_definition **list, uint32_t *count,
			 const struct bc_graph *before, const uint32_t *new_id,
			 struct bc_arena *arena, struct bc_arena *scratch, struct bc_err *err)
{
	uint32_t type_count = before->type_count, named = 0, begin, i;
	uint32_t *types = bc_arena_alloc(scratch, type_count, sizeof(*types), err);
	uint32_t *spare = bc_arena_alloc(scratch, type_count, sizeof(*spare), err);

	*list = bc_arena_alloc(arena, type_count / 2, sizeof(**list), err);
	*count = 0;
	if (!types || !spare || !*list)
		return false;
	for (i = 0; i < type_count; i++)
		if (*bc_string(before, bc_own_node(before, i)[0]))
			types[named++] = i;
	bc_sort_compared(types, spare, named, compare_names, before);
	for (begin = 0; begin < named; begin = i) {
		uint32_t found = types[begin];

		for (i = begin + 1; i < named && !compare_names(before, types[begin], types[i]);
		     i++)
			if (new_id[types[i]] < new_id[found])
				found = types[i];
		if (new_id[found] != new_id[types[begin]])
			(*list)[(*count)++] = (struct bc_first_definition){
				before->first_id + types[begin], before->first_id + found
			};
	}
	return put_in_order(*list, *count, types, spare, scratch, err);
}

bool bc_first_definitions_changed(struct bc_first_definition **list, uint32_t *count,
				  const struct bc_graph *before, const uint32_t *new_id,
				  struct bc_arena *arena, struct bc_err *err)
{
	struct bc_arena scratch = { 0 };
	bool done = find_changed(list, count, before, new_id, arena, &scratch, err);

	bc_arena_free(&scratch);
	return done;
}

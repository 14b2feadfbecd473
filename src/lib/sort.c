/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include <string.h>

#include "btf/write.h"
#include "lib/object.h"
#include "lib/options.h"
#include "lib/order.h"

bool bc_lib_order(enum bc_order *order, uint32_t number, struct bc_err *err)
{
	static const enum bc_order orders[] = {
		[BTFCANON_ORDER_CANONICAL] = BC_ORDER_CANONICAL,
		[BTFCANON_ORDER_NAME] = BC_ORDER_NAME,
	};

	if (number >= sizeof(orders) / sizeof(orders[0]))
		return bc_err_set(err, "options: there is no order %u", number);
	*order = orders[number];
	return true;
}

/* As btf__permute wants it: without a base, void comes first. */
static bool make_map(struct btfcanon_btf *sorted, const uint32_t *new_id, uint32_t count,
		     struct bc_err *err)
{
	uint32_t first = sorted->base ? 0 : 1;
	uint32_t *map = bc_arena_zalloc(&sorted->arena, (size_t)count + first, sizeof(*map), err);

	if (!map)
		return false;
	if (count)
		memcpy(map + first, new_id, count * sizeof(*map));
	sorted->id_map = map;
	sorted->map_count = count + first;
	return true;
}

/* The layout section is the one thing that the canonical graph has from the other. */
static bool own_layout(struct btfcanon_btf *sorted, struct bc_err *err)
{
	struct bc_graph *graph = &sorted->graph;
	uint8_t *copy;

	if (!graph->layout)
		return true;
	copy = bc_arena_alloc(&sorted->arena, graph->layout_bytes, 1, err);
	if (!copy)
		return false;
	if (graph->layout_bytes)
		memcpy(copy, graph->layout, graph->layout_bytes);
	graph->layout = copy;
	return true;
}

static bool sort(struct btfcanon_btf *sorted, const struct btfcanon_btf *btf,
		 const struct btfcanon_sort_opts *opts, struct bc_err *err)
{
	struct bc_canonical_options how = { .settle_forwards = opts->dedup };
	const uint32_t *new_id;

	if (!bc_lib_order(&how.order, opts->order, err) ||
	    !bc_canonical(&sorted->graph, &btf->graph, &how, &sorted->arena, &new_id, NULL, err) ||
	    !own_layout(sorted, err) || !make_map(sorted, new_id, btf->graph.type_count, err))
		return false;
	sorted->merged_count = btf->graph.type_count - sorted->graph.type_count;
	return bc_btf_write(&sorted->graph, NULL, &sorted->arena, &sorted->data, &sorted->data_size,
			    err);
}

int btfcanon_sort(struct btfcanon_btf **out, const struct btfcanon_btf *btf,
		  const struct btfcanon_sort_opts *opts, struct btfcanon_error *error)
{
	struct btfcanon_btf *sorted = NULL;
	struct btfcanon_sort_opts how;
	struct bc_err err = { .text = "" };
	bool done = bc_lib_options(&how, sizeof(how), opts, &err) &&
		    (sorted = bc_object_make(btf->base, &err)) && sort(sorted, btf, &how, &err);

	return bc_object_give(out, sorted, done, &err, error);
}

const uint32_t *btfcanon_id_map(const struct btfcanon_btf *sorted, uint32_t *map_count)
{
	*map_count = sorted->map_count;
	return sorted->id_map;
}

uint32_t btfcanon_merged_count(const struct btfcanon_btf *sorted)
{
	return sorted->merged_count;
}

uint32_t btfcanon_new_id(const struct btfcanon_btf *sorted, uint32_t old_id)
{
	uint32_t first = sorted->base ? sorted->graph.first_id : 0;

	if (!sorted->id_map)
		return 0;
	if (old_id < first)
		return old_id;
	return old_id - first < sorted->map_count ? sorted->id_map[old_id - first] : 0;
}

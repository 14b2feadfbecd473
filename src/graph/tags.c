/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "graph/tags.h"

#include <string.h>

#include "base/order.h"
#include "base/search.h"

struct collector {
	struct bc_tags *tags;
	const struct bc_graph *graph;
	struct bc_keyed *own, *across;
	struct bc_arena scratch;
	struct bc_err *err;
};

static void collect_of(struct collector *collector, const struct bc_graph *level)
{
	struct bc_tags *tags = collector->tags;

	for (uint32_t i = 0; i < level->type_count; i++) {
		const uint32_t *node = bc_own_node(level, i);
		struct bc_keyed tag = { 0, level->first_id + i };

		if (bc_node_kind(node) != BC_DECL_TAG)
			continue;
		tag.key = (uint64_t)node[2] << 32 | bc_tag_place(node);
		if (node[2] >= level->first_id) {
			collector->own[tags->own_count++] = tag;
			tags->is_tagged[node[2] / 8] |= (uint8_t)(1u << node[2] % 8);
		} else if (level == collector->graph) {
			collector->across[tags->across_count++] = tag;
		}
	}
}

/* What tags say; in canonical order their ids say the same, but a base need not be in order. */
static int compare_said(const void *context, uint32_t a, uint32_t b)
{
	const struct bc_graph *graph = context;
	const uint32_t *node_a = bc_node(graph, a), *node_b = bc_node(graph, b);
	int order = bc_info_kflag(node_a[1]) - bc_info_kflag(node_b[1]);

	return order ? order : strcmp(bc_string(graph, node_a[0]), bc_string(graph, node_b[0]));
}

static uint32_t *sorted(struct collector *collector, struct bc_keyed *tags, uint32_t count,
			struct bc_arena *arena)
{
	struct bc_keyed *spare = bc_arena_alloc(&collector->scratch, count, sizeof(*spare),
						collector->err);
	uint32_t *ids = bc_arena_alloc(arena, count, sizeof(*ids), collector->err);
	uint32_t *spare_ids = bc_arena_alloc(&collector->scratch, count, sizeof(*ids),
					     collector->err);

	if (!spare || !ids || !spare_ids)
		return NULL;
	bc_sort_keyed(tags, spare, count);
	for (uint32_t i = 0; i < count; i++)
		ids[i] = tags[i].value;
	for (uint32_t begin = 0, end; begin < count; begin = end) {
		for (end = begin + 1; end < count && tags[end].key == tags[begin].key;)
			end++;
		bc_sort_compared(ids + begin, spare_ids, end - begin, compare_said,
				 collector->graph);
	}
	return ids;
}

static uint32_t count_tags(const struct bc_graph *graph)
{
	uint32_t count = 0;

	for (; graph; graph = graph->base)
		for (uint32_t i = 0; i < graph->type_count; i++)
			count += bc_node_kind(bc_own_node(graph, i)) == BC_DECL_TAG;
	return count;
}

static bool collect(struct collector *collector, struct bc_arena *arena)
{
	struct bc_tags *tags = collector->tags;
	uint32_t count = count_tags(collector->graph);

	collector->own = bc_arena_alloc(&collector->scratch, count, sizeof(struct bc_keyed),
					collector->err);
	collector->across = bc_arena_alloc(&collector->scratch, count, sizeof(struct bc_keyed),
					   collector->err);
	tags->is_tagged = bc_arena_zalloc(arena, bc_id_end(collector->graph) / 8 + 1, 1,
					  collector->err);
	if (!collector->own || !collector->across || !tags->is_tagged)
		return false;
	for (const struct bc_graph *level = collector->graph; level; level = level->base)
		collect_of(collector, level);
	tags->own = sorted(collector, collector->own, tags->own_count, arena);
	tags->across = sorted(collector, collector->across, tags->across_count, arena);
	return tags->own && tags->across;
}

bool bc_tags_make(struct bc_tags *tags, const struct bc_graph *graph, struct bc_arena *arena,
		  struct bc_err *err)
{
	struct collector collector = { .tags = tags, .graph = graph, .err = err };
	bool made;

	*tags = (struct bc_tags){ .graph = graph };
	made = collect(&collector, arena);
	bc_arena_free(&collector.scratch);
	return made;
}

static uint32_t first_on(const struct bc_tags *tags, uint64_t id)
{
	struct bc_search search = bc_search_among(tags->own_count);

	while (bc_search_goes_on(&search))
		bc_search_step(&search, bc_node(tags->graph, tags->own[search.middle])[2] < id);
	return search.low;
}

struct bc_tag_range bc_tags_on(const struct bc_tags *tags, uint32_t id)
{
	if (!(tags->is_tagged[id / 8] >> id % 8 & 1))
		return (struct bc_tag_range){ 0, 0 };
	return (struct bc_tag_range){ first_on(tags, id), first_on(tags, (uint64_t)id + 1) };
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/view.h"

#include <stdlib.h>

#include "base/search.h"

/* One unit's view of conflicted tags. Units without one see them plainly. */
struct bc_view {
	uint32_t unit;
	const struct bc_meaning *meaning;
};

static int compare_views(const void *a, const void *b)
{
	const struct bc_view *one = a, *other = b;

	return (one->unit > other->unit) - (one->unit < other->unit);
}

bool bc_views_make(struct bc_views *views, const struct bc_census *census, const uint8_t *plain,
		   const struct bc_meaning *meanings, uint32_t count, struct bc_arena *arena,
		   struct bc_err *err)
{
	const struct bc_meaning **sorted = bc_arena_alloc(arena, count, sizeof(*sorted), err);

	*views = (struct bc_views){ census, plain, NULL, count };
	views->views = bc_arena_alloc(arena, count, sizeof(*views->views), err);
	if (!sorted || !views->views)
		return false;
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = &meanings[i];
	if (count)
		qsort(sorted, count, sizeof(*sorted), bc_compare_meanings);
	for (uint32_t i = 0, first = 0; i < count; i++) {
		if (bc_compare_meanings(&sorted[first], &sorted[i]))
			first = i;
		views->views[i] = (struct bc_view){ sorted[i]->unit, sorted[first] };
	}
	if (count)
		qsort(views->views, count, sizeof(*views->views), compare_views);
	return true;
}

const struct bc_meaning *bc_views_find(const struct bc_views *views, uint32_t unit)
{
	struct bc_view key = { unit, NULL };
	const struct bc_view *found = views->count ? bsearch(&key, views->views, views->count,
							     sizeof(key), compare_views) :
						     NULL;

	return found ? found->meaning : NULL;
}

const uint32_t *bc_views_node(const struct bc_views *views, uint32_t id)
{
	/* Behind the words that stand before those of a node. */
	static const uint32_t nothing[2 + BC_LEAF_WORDS] = { 0, BC_HEAD_WORDS };

	return id && id != BC_INDEX_TYPE ? bc_interned(views->census->interner, id) : nothing + 2;
}

static uint32_t body_under(const struct bc_meaning *meaning, uint32_t leaf)
{
	uint32_t count = meaning ? meaning->body_count : 0;
	struct bc_search search = bc_search_among(count);

	while (bc_search_goes_on(&search))
		bc_search_step(&search, meaning->bodies[search.middle].leaf < leaf);
	return search.low < count && meaning->bodies[search.low].leaf == leaf ?
		       meaning->bodies[search.low].body :
		       0;
}

uint32_t bc_views_resolve(const struct bc_views *views, const struct bc_meaning *meaning,
			  uint32_t id, bool *plain)
{
	const struct bc_census *census = views->census;
	const uint32_t *leaf = bc_views_node(views, id);
	uint32_t body, own;

	if (!bc_is_leaf(leaf))
		return id;
	body = leaf[BC_LEAF_BODY];
	if (bc_info_kflag(leaf[BC_LEAF_INFO]))
		return body ? body : id;
	own = *plain ? 0 : body_under(meaning, id);
	if (own)
		return own;
	*plain = true;
	if (!body || census->conflicted[bc_census_number(census, id)] ||
	    (census->tainted[bc_census_number(census, body)] &&
	     !views->has_plain[bc_census_number(census, body)]))
		return id;
	return body;
}

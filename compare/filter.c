/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "compare/filter.h"

#include <fnmatch.h>
#include <string.h>

bool bc_filter_add_kind(uint32_t *kinds, const char *word, size_t length)
{
	for (uint32_t rank = 0; rank < BC_KIND_RANKS; rank++) {
		if (strlen(bc_rank_word(rank)) != length ||
		    memcmp(bc_rank_word(rank), word, length))
			continue;
		*kinds |= 1u << rank;
		return true;
	}
	return false;
}

bool bc_filter_add_kinds(uint32_t *kinds, const char *list, struct bc_err *err)
{
	while (*list) {
		size_t length = strcspn(list, ",");

		if (length && !bc_filter_add_kind(kinds, list, length))
			return bc_err_set(err, "there is no kind '%.*s'",
					  length < 80 ? (int)length : 80, list);
		list += length;
		list += *list == ',';
	}
	return true;
}

/* Does the glob match the name, or a value's where an enum has none? */
static bool matches_names(const char *glob, const struct bc_side *side, uint32_t id)
{
	const uint32_t *node = bc_node(side->graph, id);
	uint32_t count = bc_info_vlen(node[1]);

	if (bc_node_is_named(node, side->graph))
		return !fnmatch(glob, bc_side_name(side, id), 0);
	for (uint32_t i = 0; i < count; i++)
		if (!fnmatch(glob, bc_string(side->graph, bc_element(node, i)[0]), 0))
			return true;
	return !count && !fnmatch(glob, "", 0);
}

static bool matches_side(const char *pattern, const struct bc_side *side, uint32_t id)
{
	size_t length = strcspn(pattern, " \t");
	uint32_t kinds = 0;

	if (pattern[length] && bc_filter_add_kind(&kinds, pattern, length)) {
		if (!(kinds >> bc_kind_rank(bc_node(side->graph, id)) & 1))
			return false;
		pattern += length;
		pattern += strspn(pattern, " \t");
	}
	return matches_names(pattern, side, id);
}

static bool matches(const char *pattern, const struct bc_comparison *comparison,
		    const struct bc_difference *difference)
{
	return (difference->old_id &&
		matches_side(pattern, &comparison->sides[BC_OLD], difference->old_id)) ||
	       (difference->new_id &&
		matches_side(pattern, &comparison->sides[BC_NEW], difference->new_id));
}

static bool is_of_kind(const struct bc_filter *filter, const struct bc_comparison *comparison,
		       const struct bc_difference *difference)
{
	uint32_t ranks = 0;

	if (!filter->kinds)
		return difference->change == BC_CHANGED ||
		       bc_class_of(bc_difference_node(comparison, difference)) != BC_CLASS_BASE;
	if (difference->old_id)
		ranks |= 1u << bc_kind_rank(
				 bc_node(comparison->sides[BC_OLD].graph, difference->old_id));
	if (difference->new_id)
		ranks |= 1u << bc_kind_rank(
				 bc_node(comparison->sides[BC_NEW].graph, difference->new_id));
	return ranks & filter->kinds;
}

static bool is_wanted(const struct bc_filter *filter, const struct bc_comparison *comparison,
		      const struct bc_difference *difference)
{
	bool wanted = !filter->only_count;

	if (!is_of_kind(filter, comparison, difference))
		return false;
	for (uint32_t i = 0; i < filter->only_count && !wanted; i++)
		wanted = matches(filter->only[i], comparison, difference);
	for (uint32_t i = filter->ignored_count; wanted && i-- > 0;) {
		bool takes_back = *filter->ignored[i] == '!';

		if (!matches(filter->ignored[i] + takes_back, comparison, difference))
			continue;
		return takes_back;
	}
	return wanted;
}

void bc_filter_apply(const struct bc_filter *filter, struct bc_comparison *comparison)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < comparison->count; i++)
		if (is_wanted(filter, comparison, &comparison->differences[i]))
			comparison->differences[kept++] = comparison->differences[i];
	comparison->count = kept;
}

void bc_totals_count(struct bc_totals *totals, const struct bc_comparison *comparison)
{
	memset(totals, 0, sizeof(*totals));
	for (uint32_t i = 0; i < comparison->count; i++) {
		const struct bc_difference *difference = &comparison->differences[i];

		totals->counts[bc_kind_rank(bc_difference_node(comparison, difference))]
			      [difference->change]++;
		totals->sums[difference->change]++;
	}
}

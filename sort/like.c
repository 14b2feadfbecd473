/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Types are paired in four passes over the joint graph, in which OLD's types
 * have the ids that they have in OLD and NEW's follow:
 *
 * 1. [pair_same]   the same class: the same by meaning, as far as it reaches.
 * 2. [pair_named]  the same kind and name, in the order of ids.
 * 3. [pair_alike]  unnamed: the same words, where each reference is to a type
 *                  that has a partner, and that is the partner. References
 *                  first, by an explicit stack; what only a cycle of unnamed
 *                  types could tell has no partner here.
 * 4. [pair_places] from pairs downwards: two unnamed types of one kind that
 *                  both partners have in the same place (counted from the
 *                  first element, or from the last) are partners.
 *
 * Each type is paired at most once, each reference looked at a bounded number
 * of times; what is chosen depends on the two graphs only. Then ids are dealt
 * out [deal_ids], strings [deal_strings], and nodes written [write_nodes].
 */
#include "sort/like.h"

#include <string.h>

#include "base/hash.h"
#include "base/order.h"
#include "base/search.h"
#include "graph/names.h"
#include "sort/strings.h"

struct liker {
	const struct bc_like_input *input;
	const struct bc_graph *joint;
	struct bc_string_ranks ranks;
	uint32_t old_end; /* one past OLD's last id; NEW's first in JOINT */
	uint32_t joint_end;
	uint64_t hash_seed;
	uint32_t *partner; /* by joint id, 0: none */
	uint32_t *new_id;  /* by joint id, of NEW's types */
	uint32_t *type_at; /* by new id: the joint id of what is there */
	uint32_t id_end;   /* one past the last new id */
	uint32_t *offset;  /* by string rank: the new offset */
	char *strings;
	uint32_t string_bytes;
	struct bc_like_stats stats;
	struct bc_arena scratch;
	struct bc_arena *arena;
	struct bc_err *err;
};

static bool is_old(const struct liker *liker, uint32_t id)
{
	return id < liker->old_end;
}

static void pair(struct liker *liker, uint32_t old_id, uint32_t new_id)
{
	liker->partner[old_id] = new_id;
	liker->partner[new_id] = old_id;
}

static void *scratch(struct liker *liker, size_t count, size_t size_bytes)
{
	return bc_arena_zalloc(&liker->scratch, count, size_bytes, liker->err);
}

/* ---- 1: by meaning ---- */

static bool pair_same(struct liker *liker)
{
	uint32_t *old_of = scratch(liker, liker->joint_end, sizeof(*old_of));

	if (!old_of)
		return false;
	for (uint32_t id = liker->old_end; id-- > 1;)
		old_of[liker->input->class_of[id - 1]] = id;
	for (uint32_t id = liker->old_end; id < liker->joint_end; id++) {
		uint32_t old_id = old_of[liker->input->class_of[id - 1]];

		if (!old_id || liker->partner[old_id])
			continue;
		pair(liker, old_id, id);
		liker->stats.same++;
	}
	return true;
}

/* ---- 2: by name ---- */

static int compare_names(const void *context, uint32_t a, uint32_t b)
{
	const struct liker *liker = context;
	const uint32_t *node_a = bc_node(liker->joint, a), *node_b = bc_node(liker->joint, b);
	int order = bc_compare_u64(bc_node_kind(node_a), bc_node_kind(node_b));

	return order ? order :
		       bc_compare_u64(bc_string_rank(&liker->ranks, node_a[0]),
				      bc_string_rank(&liker->ranks, node_b[0]));
}

static uint32_t list_named(const struct liker *liker, uint32_t first, uint32_t end, uint32_t *list)
{
	uint32_t count = 0;

	for (uint32_t id = first; id < end; id++)
		if (!liker->partner[id] &&
		    bc_node_is_named(bc_node(liker->joint, id), liker->joint))
			list[count++] = id;
	return count;
}

static bool pair_named(struct liker *liker)
{
	uint32_t *old_list = scratch(liker, liker->joint_end, sizeof(*old_list));
	uint32_t *new_list = scratch(liker, liker->joint_end, sizeof(*new_list));
	uint32_t *spare = scratch(liker, liker->joint_end, sizeof(*spare));
	uint32_t old_count, new_count;

	if (!old_list || !new_list || !spare)
		return false;
	old_count = list_named(liker, 1, liker->old_end, old_list);
	new_count = list_named(liker, liker->old_end, liker->joint_end, new_list);
	bc_sort_compared(old_list, spare, old_count, compare_names, liker);
	bc_sort_compared(new_list, spare, new_count, compare_names, liker);
	for (uint32_t i = 0, k = 0; i < old_count && k < new_count;) {
		int order = compare_names(liker, old_list[i], new_list[k]);

		if (!order)
			pair(liker, old_list[i], new_list[k]);
		i += order <= 0;
		k += order >= 0;
	}
	return true;
}

/* ---- 3: alike ---- */

enum word { PLAIN, NAME, REFERENCE };

/* What word I of a node of KIND is. */
static enum word word_of(uint32_t kind, uint32_t i)
{
	const struct bc_kind_shape *shape = &bc_kind_shapes[kind];
	uint32_t head = BC_HEAD_WORDS + shape->fixed_words;
	uint32_t fixed = shape->fixed_edges;

	if (!i)
		return NAME;
	for (uint32_t k = 0; k < fixed; k++)
		if (i == shape->first_edge + k * shape->edge_stride)
			return REFERENCE;
	if (i < head || !shape->element_words)
		return PLAIN;
	if (shape->element_name >= 0 &&
	    (i - head) % shape->element_words == (uint32_t)shape->element_name)
		return NAME;
	if (shape->edges_per_element && i >= shape->first_edge &&
	    !((i - shape->first_edge) % shape->edge_stride))
		return REFERENCE;
	return PLAIN;
}

/* Word I as it is compared: strings by rank, references as ids of OLD. */
static uint32_t meaning_of(const struct liker *liker, uint32_t id, const uint32_t *node, uint32_t i)
{
	switch (word_of(bc_node_kind(node), i)) {
	case NAME:
		return bc_string_rank(&liker->ranks, node[i]);
	case REFERENCE:
		return is_old(liker, id) || !node[i] ? node[i] : liker->partner[node[i]];
	default:
		return node[i];
	}
}

static uint64_t hash_node(const struct liker *liker, uint32_t id)
{
	const uint32_t *node = bc_node(liker->joint, id);
	uint32_t count = bc_node_words(node[1]);
	uint64_t hash = liker->hash_seed ^ count;

	for (uint32_t i = 0; i < count; i++)
		hash = bc_hash_word(hash, meaning_of(liker, id, node, i));
	return hash;
}

static bool are_alike(const struct liker *liker, uint32_t a, uint32_t b)
{
	const uint32_t *node_a = bc_node(liker->joint, a), *node_b = bc_node(liker->joint, b);
	uint32_t count = bc_node_words(node_a[1]);

	if (node_a[1] != node_b[1])
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (meaning_of(liker, a, node_a, i) != meaning_of(liker, b, node_b, i))
			return false;
	return true;
}

/* OLD's types that have no partner and no name, by hash. */
struct table {
	uint32_t *slots;
	uint32_t mask;
};

static bool make_table(struct liker *liker, struct table *table)
{
	uint32_t size = 64;

	while (size / 4 < liker->old_end)
		size *= 2;
	table->mask = size - 1;
	table->slots = scratch(liker, size, sizeof(*table->slots));
	if (!table->slots)
		return false;
	for (uint32_t id = 1; id < liker->old_end; id++) {
		uint64_t slot;

		if (liker->partner[id] || bc_node_is_named(bc_node(liker->joint, id), liker->joint))
			continue;
		slot = hash_node(liker, id);
		/* Of equal ones the first is enough, and keeps chains short. */
		while (table->slots[slot & table->mask] &&
		       !are_alike(liker, table->slots[slot & table->mask], id))
			slot++;
		if (!table->slots[slot & table->mask])
			table->slots[slot & table->mask] = id;
	}
	return true;
}

static bool references_have_partners(const struct liker *liker, uint32_t id)
{
	const uint32_t *node = bc_node(liker->joint, id);
	struct bc_edges edges = bc_edges(node);

	for (uint32_t i = 0; i < edges.count; i++) {
		uint32_t target = bc_edge(node, edges, i);

		if (target && !liker->partner[target])
			return false;
	}
	return true;
}

static void find_alike(struct liker *liker, const struct table *table, uint32_t id)
{
	uint64_t slot;

	if (liker->partner[id] || !references_have_partners(liker, id))
		return;
	for (slot = hash_node(liker, id); table->slots[slot & table->mask]; slot++) {
		uint32_t old_id = table->slots[slot & table->mask];

		if (!are_alike(liker, old_id, id))
			continue;
		if (!liker->partner[old_id])
			pair(liker, old_id, id);
		return;
	}
}

/* A type on the way to those that must be looked at before it. */
struct visit {
	uint32_t id;
	uint32_t next;
};

static bool pair_alike(struct liker *liker)
{
	struct visit *stack = scratch(liker, liker->joint_end, sizeof(*stack));
	uint8_t *met = scratch(liker, liker->joint_end, 1);
	struct table table;

	if (!stack || !met || !make_table(liker, &table))
		return false;
	for (uint32_t root = liker->old_end; root < liker->joint_end; root++) {
		uint32_t depth = 0;

		if (met[root] || liker->partner[root])
			continue;
		met[root] = 1;
		stack[depth++] = (struct visit){ root, 0 };
		while (depth) {
			struct visit *top = &stack[depth - 1];
			const uint32_t *node = bc_node(liker->joint, top->id);
			struct bc_edges edges = bc_edges(node);
			uint32_t target;

			if (top->next == edges.count) {
				if (!bc_node_is_named(node, liker->joint))
					find_alike(liker, &table, top->id);
				depth--;
				continue;
			}
			target = bc_edge(node, edges, top->next++);
			if (!target || met[target] || liker->partner[target])
				continue;
			met[target] = 1;
			stack[depth++] = (struct visit){ target, 0 };
		}
	}
	return true;
}

/* ---- 4: by place ---- */

/* Pairs the types at a reference of two partners, where they can be; what was paired is listed. */
static void pair_targets(struct liker *liker, uint32_t old_target, uint32_t new_target,
			 uint32_t *list, uint32_t *count)
{
	const uint32_t *old_node, *new_node;

	if (!old_target || !new_target || liker->partner[old_target] || liker->partner[new_target])
		return;
	old_node = bc_node(liker->joint, old_target);
	new_node = bc_node(liker->joint, new_target);
	if (bc_node_kind(old_node) != bc_node_kind(new_node) ||
	    bc_node_is_named(old_node, liker->joint) || bc_node_is_named(new_node, liker->joint))
		return;
	pair(liker, old_target, new_target);
	list[(*count)++] = new_target;
}

static bool pair_places(struct liker *liker)
{
	uint32_t *list = scratch(liker, (size_t)liker->joint_end * 2, sizeof(*list));
	uint32_t count = 0;

	if (!list)
		return false;
	for (uint32_t id = liker->old_end; id < liker->joint_end; id++)
		if (liker->partner[id])
			list[count++] = id;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *old_node = bc_node(liker->joint, liker->partner[list[i]]);
		const uint32_t *new_node = bc_node(liker->joint, list[i]);
		struct bc_edges old_edges = bc_edges(old_node), new_edges = bc_edges(new_node);
		uint32_t common = old_edges.count < new_edges.count ? old_edges.count :
								      new_edges.count;

		for (uint32_t k = 0; k < common; k++)
			pair_targets(liker, bc_edge(old_node, old_edges, k),
				     bc_edge(new_node, new_edges, k), list, &count);
		for (uint32_t k = 1; k <= common; k++)
			pair_targets(liker, bc_edge(old_node, old_edges, old_edges.count - k),
				     bc_edge(new_node, new_edges, new_edges.count - k), list,
				     &count);
	}
	return true;
}

/* ---- ids ---- */

/* A type that may be there twice: nothing finds it by name, nothing tags it. 0: none. */
static uint32_t find_copyable(const struct liker *liker)
{
	uint32_t found = 0;

	for (uint32_t id = liker->old_end; id < liker->joint_end; id++) {
		const uint32_t *node = bc_node(liker->joint, id);
		uint32_t kind = bc_node_kind(node);

		if (kind != BC_PTR && kind != BC_ARRAY && kind != BC_FUNC_PROTO &&
		    !bc_kind_is_modifier(kind))
			continue;
		if (!found ||
		    bc_node_words(node[1]) < bc_node_words(bc_node(liker->joint, found)[1]))
			found = id;
	}
	return found;
}

static bool deal_ids(struct liker *liker)
{
	uint32_t new_count = liker->joint_end - liker->old_end, next = 1, copyable;

	liker->new_id = scratch(liker, liker->joint_end, sizeof(*liker->new_id));
	liker->type_at = scratch(liker, (size_t)liker->old_end + new_count,
				 sizeof(*liker->type_at));
	if (!liker->new_id || !liker->type_at)
		return false;
	for (uint32_t id = 1; id < liker->old_end; id++)
		liker->type_at[id] = liker->partner[id];
	for (uint32_t id = liker->old_end; id < liker->joint_end; id++) {
		if (liker->partner[id])
			continue;
		while (next < liker->old_end && liker->type_at[next])
			next++;
		liker->stats.new_types++;
		liker->stats.appended += next >= liker->old_end;
		liker->type_at[next++] = id;
	}
	liker->stats.changed = new_count - liker->stats.new_types - liker->stats.same;
	liker->id_end = next > liker->old_end ? next : liker->old_end;
	for (uint32_t id = 1; id < liker->id_end; id++)
		if (liker->type_at[id])
			liker->new_id[liker->type_at[id]] = id;
	copyable = find_copyable(liker);
	for (uint32_t id = 1; id < liker->id_end; id++) {
		if (liker->type_at[id])
			continue;
		if (!copyable)
			return bc_err_set(liker->err,
					  "id %u is free, and there is no pointer, array, "
					  "modifier or function type to be there twice",
					  id);
		liker->type_at[id] = copyable;
		liker->stats.copies++;
	}
	return true;
}

/* ---- strings ---- */

static uint32_t rank_of(const struct liker *liker, uint32_t joint_offset)
{
	return bc_string_rank(&liker->ranks, joint_offset);
}

/* Bit by rank: NEW uses it. */
static void find_used(struct liker *liker, uint8_t *used)
{
	for (uint32_t id = liker->old_end; id < liker->joint_end; id++) {
		const uint32_t *node = bc_node(liker->joint, id);
		uint32_t kind = bc_node_kind(node), count = bc_node_words(node[1]);

		for (uint32_t i = 0; i < count; i++)
			if (word_of(kind, i) == NAME)
				used[rank_of(liker, node[i])] = 1;
	}
}

/* The rank of STRING; UINT32_MAX: no type is or has anything called so. */
static uint32_t find_rank(const struct liker *liker, const char *string)
{
	const uint32_t *offset = liker->ranks.offset;
	struct bc_search search = bc_search_among(liker->ranks.distinct);

	while (bc_search_goes_on(&search))
		bc_search_step(&search,
			       strcmp(bc_string(liker->joint, offset[search.middle]), string) < 0);
	return search.low < liker->ranks.distinct &&
			       !strcmp(bc_string(liker->joint, offset[search.low]), string) ?
		       search.low :
		       UINT32_MAX;
}

struct hole {
	uint32_t begin;
	uint32_t end;
};

/* Takes over OLD's section; *HOLES are the runs of strings that NEW does not use. */
static bool keep_strings(struct liker *liker, const uint8_t *used, struct hole **holes,
			 uint32_t *hole_count)
{
	const struct bc_graph *old = liker->input->old;
	bool in_hole = false;

	*holes = scratch(liker, (size_t)old->string_bytes / 3 + 1, sizeof(**holes));
	if (!*holes)
		return false;
	for (uint32_t at = 1; at < old->string_bytes;) {
		const char *string = old->strings + at;
		uint32_t end = at + (uint32_t)strlen(string) + 1, rank = find_rank(liker, string);

		if (rank && rank != UINT32_MAX && used[rank] && !liker->offset[rank]) {
			liker->offset[rank] = at;
			in_hole = false;
		} else if (in_hole) {
			(*holes)[*hole_count - 1].end = end;
		} else {
			(*holes)[(*hole_count)++] = (struct hole){ at, end };
			in_hole = true;
		}
		at = end;
	}
	return true;
}

/* Numbers up to COUNT, by size, the largest first. */
static uint32_t *largest_first(struct liker *liker, struct bc_keyed *keyed, uint32_t count)
{
	struct bc_keyed *spare = scratch(liker, count, sizeof(*spare));
	uint32_t *list = scratch(liker, count, sizeof(*list));

	if (!spare || !list)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		keyed[i].key = UINT32_MAX - keyed[i].key;
	bc_sort_keyed(keyed, spare, count);
	for (uint32_t i = 0; i < count; i++)
		list[i] = keyed[i].value;
	return list;
}

/* The rest of a string of which the beginning was written over. */
static void clear_rest(struct liker *liker, const struct hole *hole)
{
	for (uint32_t at = hole->begin; at < hole->end && liker->strings[at]; at++)
		liker->strings[at] = '\0';
}

/* Puts strings into the holes, both the largest first, and what does not fit behind the last. */
static bool place_strings(struct liker *liker, const uint32_t *strings, uint32_t count,
			  struct hole *holes, const uint32_t *by_size, uint32_t hole_count)
{
	uint32_t h = 0;
	bool is_begun = false; /* something was put into hole H */

	for (uint32_t i = 0; i < count; i++) {
		const char *string = bc_string(liker->joint, liker->ranks.offset[strings[i]]);
		uint32_t bytes = (uint32_t)strlen(string) + 1;
		struct hole *hole = h < hole_count ? &holes[by_size[h]] : NULL;

		if (hole && hole->end - hole->begin < bytes && h + 1 < hole_count &&
		    holes[by_size[h + 1]].end - holes[by_size[h + 1]].begin >= bytes) {
			if (is_begun)
				clear_rest(liker, hole);
			hole = &holes[by_size[++h]];
			is_begun = false;
		}
		if (hole && hole->end - hole->begin >= bytes) {
			liker->offset[strings[i]] = hole->begin;
			memcpy(liker->strings + hole->begin, string, bytes);
			hole->begin += bytes;
			is_begun = true;
			continue;
		}
		if (bytes > UINT32_MAX - liker->string_bytes)
			return bc_err_set(liker->err, "strings of more than 4 GiB");
		liker->offset[strings[i]] = liker->string_bytes;
		memcpy(liker->strings + liker->string_bytes, string, bytes);
		liker->string_bytes += bytes;
		liker->stats.appended_strings++;
	}
	if (is_begun)
		clear_rest(liker, &holes[by_size[h]]);
	return true;
}

static bool deal_strings(struct liker *liker)
{
	const struct bc_graph *old = liker->input->old;
	uint8_t *used = scratch(liker, liker->ranks.distinct, 1);
	struct bc_keyed *keyed;
	uint32_t hole_count = 0, count = 0, *strings, *by_size;
	struct hole *holes;

	liker->offset = scratch(liker, liker->ranks.distinct, sizeof(*liker->offset));
	keyed = scratch(liker, (size_t)liker->ranks.distinct + old->string_bytes / 3 + 1,
			sizeof(*keyed));
	liker->strings = bc_arena_alloc(
		liker->arena, (size_t)old->string_bytes + liker->input->canonical->string_bytes, 1,
		liker->err);
	if (!used || !liker->offset || !keyed || !liker->strings)
		return false;
	find_used(liker, used);
	if (!keep_strings(liker, used, &holes, &hole_count))
		return false;
	memcpy(liker->strings, old->strings, old->string_bytes);
	liker->string_bytes = old->string_bytes;
	for (uint32_t i = 0; i < hole_count; i++)
		keyed[i] = (struct bc_keyed){ holes[i].end - holes[i].begin, i };
	by_size = largest_first(liker, keyed, hole_count);
	for (uint32_t rank = 1; rank < liker->ranks.distinct; rank++)
		if (used[rank] && !liker->offset[rank])
			keyed[count++] = (struct bc_keyed){
				strlen(bc_string(liker->joint, liker->ranks.offset[rank])), rank
			};
	liker->stats.new_strings = count;
	strings = largest_first(liker, keyed, count);
	return by_size && strings &&
	       place_strings(liker, strings, count, holes, by_size, hole_count);
}

/* ---- the result ---- */

static bool write_nodes(struct liker *liker, struct bc_graph *out)
{
	uint64_t word_count = 0, at = 0;
	uint32_t *start, *words;

	for (uint32_t id = 1; id < liker->id_end; id++)
		word_count += bc_node_words(bc_node(liker->joint, liker->type_at[id])[1]);
	if (word_count > UINT32_MAX / 4)
		return bc_err_set(liker->err, "it would be longer than 4 GiB");
	start = bc_arena_alloc(liker->arena, liker->id_end, sizeof(*start), liker->err);
	words = bc_arena_alloc(liker->arena, word_count, sizeof(*words), liker->err);
	if (!start || !words)
		return false;
	for (uint32_t id = 1; id < liker->id_end; id++) {
		const uint32_t *node = bc_node(liker->joint, liker->type_at[id]);
		uint32_t kind = bc_node_kind(node), count = bc_node_words(node[1]);

		start[id - 1] = (uint32_t)at;
		for (uint32_t i = 0; i < count; i++) {
			enum word word = word_of(kind, i);

			words[at + i] = word == NAME      ? liker->offset[rank_of(liker, node[i])] :
					word == REFERENCE ? liker->new_id[node[i]] :
							    node[i];
		}
		at += count;
	}
	start[liker->id_end - 1] = (uint32_t)at;
	*out = *liker->input->canonical;
	out->type_count = liker->id_end - 1;
	out->start = start;
	out->words = words;
	out->strings = liker->strings;
	out->string_bytes = liker->string_bytes;
	return true;
}

static bool list_classes(struct liker *liker, const uint32_t **class_at)
{
	uint32_t *classes = bc_arena_alloc(liker->arena, liker->id_end, sizeof(*classes),
					   liker->err);

	if (!classes)
		return false;
	classes[0] = 0;
	for (uint32_t id = 1; id < liker->id_end; id++)
		classes[id] = liker->input->class_of[liker->type_at[id] - 1];
	*class_at = classes;
	return true;
}

bool bc_like(struct bc_graph *out, const struct bc_like_input *input, struct bc_arena *arena,
	     const uint32_t **class_at, struct bc_like_stats *stats, struct bc_err *err)
{
	struct liker liker = {
		.input = input,
		.joint = input->joint,
		.old_end = bc_id_end(input->old),
		.joint_end = bc_id_end(input->joint),
		.hash_seed = bc_hash_seed(),
		.arena = arena,
		.err = err,
	};
	bool done;

	liker.partner = scratch(&liker, liker.joint_end, sizeof(*liker.partner));
	done = liker.partner &&
	       bc_string_ranks_compute(&liker.ranks, input->joint, (struct bc_kept_strings){ 0 },
				       BC_BASE_STRINGS_IN_ORDER, NULL, &liker.scratch, err) &&
	       pair_same(&liker) && pair_named(&liker) && pair_alike(&liker) &&
	       pair_places(&liker) && deal_ids(&liker) && deal_strings(&liker) &&
	       write_nodes(&liker, out) && (!class_at || list_classes(&liker, class_at));
	if (done)
		*stats = liker.stats;
	bc_arena_free(&liker.scratch);
	return done;
}

/* ---- modules ---- */

/* What a module says of its base, held against another base. */
struct verifier {
	const struct bc_graph *module;
	const struct bc_graph *old;
	const struct bc_graph *like;
	uint8_t *met;    /* by id of the base */
	uint32_t *stack; /* unnamed types that are part of what the module refers to */
	uint32_t depth;
	struct bc_err *why;
};

static bool keeps_string(const struct bc_graph *module, const struct bc_graph *like,
			 uint32_t offset)
{
	return offset >= module->string_base ||
	       (offset < like->string_bytes &&
		!strcmp(bc_string(module, offset), like->strings + offset));
}

/* Type ID has its kind and name; what has no name is to be looked at in full. */
static bool keeps_name(struct verifier *verifier, uint32_t id)
{
	const uint32_t *before = bc_node(verifier->old, id), *after = bc_node(verifier->like, id);

	if (bc_node_kind(before) != bc_node_kind(after) ||
	    strcmp(bc_string(verifier->old, before[0]), bc_string(verifier->like, after[0])) != 0)
		return false;
	if (!bc_node_is_named(before, verifier->old) && !verifier->met[id]) {
		verifier->met[id] = 1;
		verifier->stack[verifier->depth++] = id;
	}
	return true;
}

/* The definition of type ID is the same: its own words, with names of what it refers to. */
static bool keeps_words(struct verifier *verifier, uint32_t id)
{
	const uint32_t *before = bc_node(verifier->old, id), *after = bc_node(verifier->like, id);
	uint32_t kind = bc_node_kind(before), count = bc_node_words(before[1]);

	if (before[1] != after[1])
		return false;
	for (uint32_t i = 0; i < count; i++) {
		enum word word = word_of(kind, i);

		if (word == NAME ? strcmp(bc_string(verifier->old, before[i]),
					  bc_string(verifier->like, after[i])) != 0 :
				   before[i] != after[i])
			return false;
		if (word == REFERENCE && before[i] && !keeps_name(verifier, before[i]))
			return false;
	}
	return true;
}

/* The same for all unnamed types that are part of it. */
static bool keeps_definition(struct verifier *verifier, uint32_t id)
{
	if (verifier->met[id])
		return true;
	verifier->met[id] = 1;
	verifier->stack[verifier->depth++] = id;
	while (verifier->depth)
		if (!keeps_words(verifier, verifier->stack[--verifier->depth]))
			return false;
	return true;
}

static bool keeps_node(struct verifier *verifier, uint32_t id)
{
	const struct bc_graph *module = verifier->module;
	const uint32_t *node = bc_node(module, id);
	uint32_t kind = bc_node_kind(node), count = bc_node_words(node[1]);
	char printable[BC_PRINTABLE_MAX];

	for (uint32_t i = 0; i < count; i++) {
		enum word word = word_of(kind, i);

		if (word == NAME && !keeps_string(module, verifier->like, node[i]))
			return bc_err_set(verifier->why,
					  "type %u uses the string '%s' of the base, which is gone",
					  id, bc_printable(printable, bc_string(module, node[i])));
		if (word == REFERENCE && node[i] && node[i] < module->first_id &&
		    !keeps_definition(verifier, node[i])) {
			const uint32_t *target = bc_node(module, node[i]);
			const char *name = bc_string(module, target[0]);

			return bc_err_set(
				verifier->why,
				"type %u refers to type %u of the base, %s %s, which changed", id,
				node[i], bc_kind_name(bc_node_kind(target)),
				*name ? bc_printable(printable, name) : "(unnamed)");
		}
	}
	return true;
}

static bool keeps_nodes(struct verifier *verifier)
{
	for (uint32_t id = verifier->module->first_id; id < bc_id_end(verifier->module); id++)
		if (!keeps_node(verifier, id))
			return false;
	return true;
}

bool bc_like_keeps(const struct bc_graph *module, const struct bc_graph *like, struct bc_err *why)
{
	const struct bc_graph *old = module->base;
	struct verifier verifier = { .module = module, .old = old, .like = like, .why = why };
	struct bc_arena arena = { 0 };
	bool kept;

	if (like->type_count != old->type_count)
		return bc_err_set(why, "the base has %u types more than before",
				  like->type_count - old->type_count);
	if (like->string_bytes != old->string_bytes)
		return bc_err_set(why, "the base has %u bytes of strings more than before",
				  like->string_bytes - old->string_bytes);
	verifier.met = bc_arena_zalloc(&arena, bc_id_end(old), 1, why);
	verifier.stack = bc_arena_alloc(&arena, bc_id_end(old), sizeof(*verifier.stack), why);
	kept = verifier.met && verifier.stack && keeps_nodes(&verifier);
	bc_arena_free(&arena);
	return kept;
}

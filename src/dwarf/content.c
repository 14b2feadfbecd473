/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/content.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash_pair(const struct bc_content_pair *pair)
{
	uint64_t hash = ((uint64_t)pair->node[0] << 32 | pair->node[1]) *
			UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(hash >> 32) + 2u * pair->plain[0] + pair->plain[1];
}

static bool same_pair(const struct bc_content_pair *a, const struct bc_content_pair *b)
{
	return a->node[0] == b->node[0] && a->node[1] == b->node[1] && a->plain[0] == b->plain[0] &&
	       a->plain[1] == b->plain[1];
}

static uint32_t find_slot(const struct bc_content *content, const struct bc_content_pair *pair)
{
	uint32_t at = hash_pair(pair) & (content->slot_count - 1);

	while (content->slots[at] && !same_pair(&content->pairs[content->slots[at] - 1], pair))
		at = (at + 1) & (content->slot_count - 1);
	return at;
}

/* Empties the list of pairs; a slot in use belongs to a pair. */
static void clear_pairs(struct bc_content *content)
{
	for (uint32_t i = content->pair_count; i-- > 0;)
		content->slots[find_slot(content, &content->pairs[i])] = 0;
	content->pair_count = content->next_pair = 0;
}

static bool grow_pairs(struct bc_content *content)
{
	uint32_t limit = content->pair_limit ? 2 * content->pair_limit : 256;
	struct bc_content_pair *pairs = realloc(content->pairs, limit * sizeof(*pairs));
	uint32_t *slots = calloc(2 * (size_t)limit, sizeof(*slots));

	if (pairs)
		content->pairs = pairs;
	if (!pairs || !slots) {
		free(slots);
		return bc_err_memory(content->err, limit * sizeof(*pairs));
	}
	free(content->slots);
	content->slots = slots;
	content->slot_count = 2 * limit;
	content->pair_limit = limit;
	for (uint32_t i = 0; i < content->pair_count; i++)
		slots[find_slot(content, &pairs[i])] = i + 1;
	return true;
}

static bool push(struct bc_content *content, struct bc_content_pair pair)
{
	uint32_t slot;

	if (content->pair_count == content->pair_limit && !grow_pairs(content))
		return false;
	slot = find_slot(content, &pair);
	if (content->slots[slot])
		return true;
	content->pairs[content->pair_count++] = pair;
	content->slots[slot] = content->pair_count;
	return true;
}

static int compare_texts(const struct bc_content *content, uint32_t a, uint32_t b)
{
	char packed_a[4], packed_b[4];

	return a == b ? 0 :
			strcmp(bc_string_id_text(content->names, a, packed_a),
			       bc_string_id_text(content->names, b, packed_b));
}

static const uint32_t *node_of(const struct bc_content *content, uint32_t id)
{
	return bc_views_node(&content->views, id);
}

/* ---- whether prototypes agree ---- */

/* A modifier without effect on whether prototypes agree. */
static uint32_t skip_const(const struct bc_content *content, uint32_t id)
{
	while (bc_info_kind(node_of(content, id)[1]) == BC_CONST)
		id = node_of(content, id)[2];
	return id;
}

/* Class and name of a type that agrees by name; false: it has to be looked into. */
static bool has_tag(const uint32_t *node, uint32_t *tag_class, uint32_t *name)
{
	uint32_t kind = bc_info_kind(node[1]);

	*name = node[0];
	if (kind == BC_LEAF_KIND)
		*tag_class = bc_info_vlen(node[1]);
	else if (kind == BC_TYPEDEF || kind == BC_INT || kind == BC_FLOAT)
		*tag_class = BC_TAG_NONE + kind;
	else
		return false;
	return *name != 0;
}

/*
 * Whether two types agree as far as a caller sees: by name where they have
 * one, else part by part; a const on one side only is no difference.
 */
static bool parts_agree(struct bc_content *content, uint32_t a, uint32_t b, bool *agree)
{
	const uint32_t *node_a, *node_b;
	uint32_t class_a = 0, class_b = 0, name_a, name_b;
	struct bc_edges edges;
	bool tag_a, tag_b;

	a = skip_const(content, a);
	b = skip_const(content, b);
	if (a == b)
		return true;
	node_a = node_of(content, a);
	node_b = node_of(content, b);
	tag_a = has_tag(node_a, &class_a, &name_a);
	tag_b = has_tag(node_b, &class_b, &name_b);
	if (tag_a || tag_b) {
		*agree = tag_a && tag_b && class_a == class_b &&
			 !compare_texts(content, name_a, name_b);
		return true;
	}
	*agree = node_a[1] == node_b[1] &&
		 (bc_info_kind(node_a[1]) != BC_ARRAY || node_a[5] == node_b[5]);
	edges = bc_edges(node_a);
	for (uint32_t i = 0; *agree && i < edges.count; i++)
		if (!push(content, (struct bc_content_pair){
					   { bc_edge(node_a, edges, i), bc_edge(node_b, edges, i) },
					   { false, false } }))
			return false;
	return true;
}

bool bc_content_agree(struct bc_content *content, uint32_t a, uint32_t b, bool *agree)
{
	*agree = true;
	clear_pairs(content);
	if (!push(content, (struct bc_content_pair){ { a, b }, { false, false } }))
		return false;
	while (*agree && content->next_pair < content->pair_count) {
		struct bc_content_pair pair = content->pairs[content->next_pair++];

		if (!parts_agree(content, pair.node[0], pair.node[1], agree))
			return false;
	}
	return true;
}

/* ---- which prototype comes first ---- */

static void resolve_leaf(const struct bc_content *content, struct bc_content_pair *pair,
			 uint32_t side)
{
	pair->node[side] = bc_views_resolve(&content->views, content->meaning[side],
					    pair->node[side], &pair->plain[side]);
}

/* Whether both are one and mean one thing. */
static bool is_one(const struct bc_content *content, const struct bc_content_pair *pair)
{
	const struct bc_census *census = content->views.census;
	uint32_t id = pair->node[0];

	return id == pair->node[1] &&
	       (!id || id == BC_INDEX_TYPE || content->meaning[0] == content->meaning[1] ||
		(pair->plain[0] && pair->plain[1]) ||
		!census->tainted[bc_census_number(census, id)]);
}

/* Declaration tags, from word WORDS on (see intern.h). */
static int compare_own_tags(const struct bc_content *content, const uint32_t *a, const uint32_t *b,
			    uint32_t words)
{
	uint32_t end = a[-1];
	int order = (end > b[-1]) - (end < b[-1]);

	for (uint32_t i = words; !order && i < end; i += 2) {
		order = (a[i] > b[i]) - (a[i] < b[i]);
		if (!order)
			order = compare_texts(content, a[i + 1], b[i + 1]);
	}
	return order;
}

/* By everything a node says itself: its references are left out. */
static int compare_words(const struct bc_content *content, const uint32_t *a, const uint32_t *b)
{
	uint32_t mask = bc_is_leaf(a) ? ~(1u << 31) : ~0u; /* kflag: only which leaf it is */
	uint32_t kind = bc_info_kind(a[1]), words;
	int order = ((a[1] & mask) > (b[1] & mask)) - ((a[1] & mask) < (b[1] & mask));
	const struct bc_kind_shape *shape;
	struct bc_edges edges;

	if (!order)
		order = compare_texts(content, a[0], b[0]);
	if (order || kind == BC_VOID || bc_is_leaf(a))
		return order;
	shape = &bc_kind_shapes[kind];
	edges = bc_edges(a);
	words = bc_node_words(a[1]);
	for (uint32_t i = 2, edge = 0; !order && i < words; i++) {
		uint32_t fixed = BC_HEAD_WORDS + shape->fixed_words;

		if (edge < edges.count && bc_edge_word(edges, edge) == i)
			edge++;
		else if (i >= fixed && shape->element_name >= 0 &&
			 (i - fixed) % shape->element_words == (uint32_t)shape->element_name)
			order = compare_texts(content, a[i], b[i]);
		else
			order = (a[i] > b[i]) - (a[i] < b[i]);
	}
	return order ? order : compare_own_tags(content, a, b, words);
}

bool bc_content_compare(struct bc_content *content, struct bc_meant a, struct bc_meant b,
			int *order)
{
	*order = 0;
	content->meaning[0] = bc_views_find(&content->views, a.unit);
	content->meaning[1] = bc_views_find(&content->views, b.unit);
	clear_pairs(content);
	if (!push(content, (struct bc_content_pair){ { a.node, b.node }, { false, false } }))
		return false;
	while (!*order && content->next_pair < content->pair_count) {
		struct bc_content_pair pair = content->pairs[content->next_pair++];
		const uint32_t *node_a, *node_b;
		struct bc_edges edges;

		resolve_leaf(content, &pair, 0);
		resolve_leaf(content, &pair, 1);
		if (is_one(content, &pair))
			continue;
		node_a = node_of(content, pair.node[0]);
		node_b = node_of(content, pair.node[1]);
		*order = compare_words(content, node_a, node_b);
		if (*order || !bc_kind_is_known(bc_info_kind(node_a[1])))
			continue;
		edges = bc_edges(node_a);
		for (uint32_t i = 0; i < edges.count; i++) {
			pair.node[0] = bc_edge(node_a, edges, i);
			pair.node[1] = bc_edge(node_b, edges, i);
			if (!push(content, pair))
				return false;
		}
	}
	return true;
}

uint64_t bc_content_size(struct bc_content *content, struct bc_meant meant)
{
	struct bc_content_pair pair = { { meant.node, 0 }, { false, false } };
	uint64_t size = 1;

	content->meaning[0] = bc_views_find(&content->views, meant.unit);
	/* A type that contains itself is refused later on; here it has an end. */
	for (uint32_t steps = 0; steps <= content->views.census->node_count; steps++) {
		const uint32_t *node;
		uint32_t kind;

		resolve_leaf(content, &pair, 0);
		node = node_of(content, pair.node[0]);
		kind = bc_is_leaf(node) ? BC_FWD : bc_node_kind(node);
		if (kind == BC_TYPEDEF || bc_kind_is_modifier(kind)) {
			pair.node[0] = node[2];
			continue;
		}
		if (kind != BC_ARRAY) {
			uint64_t bytes = kind == BC_PTR ? content->pointer_bytes : node[2];
			bool has_size = kind == BC_PTR || kind == BC_INT || kind == BC_FLOAT ||
					bc_kind_is_composite(kind) || bc_kind_is_enum(kind);

			return has_size && !__builtin_mul_overflow(size, bytes, &size) ? size : 0;
		}
		if (__builtin_mul_overflow(size, (uint64_t)node[5], &size))
			return 0;
		pair.node[0] = node[3];
	}
	return 0;
}

bool bc_content_open(struct bc_content *content, const struct bc_census *census,
		     const uint8_t *plain, const struct bc_meaning *meanings,
		     uint32_t meaning_count, const struct bc_string_ids *names,
		     uint8_t pointer_bytes, struct bc_arena *arena, struct bc_err *err)
{
	*content = (struct bc_content){
		.names = names,
		.pointer_bytes = pointer_bytes,
		.err = err,
	};
	return bc_views_make(&content->views, census, plain, meanings, meaning_count, arena, err);
}

void bc_content_close(struct bc_content *content)
{
	free(content->pairs);
	free(content->slots);
	*content = (struct bc_content){ 0 };
}

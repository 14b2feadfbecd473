/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A tag is a *conflict* if two bodies of it disagree: reading references to
 * tags as mere names, they are not bisimilar. A type is *plain* unless a body
 * of a conflict can be reached from it. A forward declaration of a tag that is no conflict
 * means its plain body, if there is one: all plain bodies of a tag are the
 * same but for forward declarations that mean the same.
 *
 * The assembler decides most of this from its nodes. But nodes can differ where types
 * do not (a string that stands in two places, a leaf that is private to a
 * unit); taken for conflicts, such tags would leave forwards open that a
 * smaller or larger set of the same units closes. What is decided here is a
 * function of what the types say.
 *
 *   [collect_tags]         tags by class and text, with their bodies;
 *   [find_sure_conflicts]  bodies that differ in what they say themselves;
 *   [find_reached]         what can be reached from bodies that forwards could mean, which is
 *                          little: only that has to be known as plain or not;
 *   [spread_conflicts]     what is plain; mostly no forward has a plain body left, and that is all;
 *   [find_conflicts]       the partition of a copy in which references to tags lead to one
 *                          atom per tag; then [spread_conflicts] again;
 *   [redirect]             references to forwards become references to bodies.
 */
#include "merge/forwards.h"

#include <string.h>

#include "base/hash.h"
#include "sort/partition.h"

struct tag {
	uint32_t name;
	uint32_t kind; /* see bc_node_tag_kind */
	uint32_t body; /* id of the last one; 0: none */
	bool is_declared;
	bool is_conflict;
	uint32_t plain_body;
};

struct settler {
	const struct bc_graph *graph;
	struct tag *tags;
	uint32_t tag_count;
	uint32_t *slots; /* of a hash table: 1 + number of the tag */
	uint32_t slot_count;
	uint64_t hash_seed;
	uint32_t *tag_of;    /* by id: 1 + number of its tag; 0: it is none */
	uint32_t *next_body; /* by id: another body of the same tag, 0: no more */
	uint32_t *reached;   /* [reached_count] ids */
	uint32_t reached_count;
	uint8_t *is_reached; /* by id */
	uint8_t *is_plain;   /* by id, of what is reached */
	/* What of it refers to type ID: from[begin[ID]] … from[begin[ID + 1] - 1]. */
	uint32_t *begin;
	uint32_t *from;
	struct bc_arena *scratch;
	struct bc_err *err;
};

/* Of types that have a name; BC_VOID: no tag. */
static uint32_t tag_kind_of(const uint32_t *node)
{
	return node[0] ? bc_node_tag_kind(node) : BC_VOID;
}

/* ---- tags ---- */

/* The tag of that kind and text, made where there is none yet. */
static uint32_t find_tag(struct settler *settler, uint32_t name, uint32_t kind)
{
	const char *text = bc_string(settler->graph, name);
	uint32_t mask = settler->slot_count - 1, at;

	at = (uint32_t)bc_hash_bytes(settler->hash_seed + kind, text, strlen(text)) & mask;
	for (; settler->slots[at]; at = (at + 1) & mask) {
		const struct tag *tag = &settler->tags[settler->slots[at] - 1];

		if (tag->kind == kind && !strcmp(bc_string(settler->graph, tag->name), text))
			return settler->slots[at] - 1;
	}
	settler->tags[settler->tag_count] = (struct tag){ .name = name, .kind = kind };
	settler->slots[at] = ++settler->tag_count;
	return settler->tag_count - 1;
}

/* Lists the types that are tags; *FORWARDS: whether some only declare theirs. */
static uint32_t list_tags(const struct bc_graph *graph, uint32_t *ids, bool *forwards)
{
	uint32_t count = 0;

	*forwards = false;
	for (uint32_t i = 0; i < graph->type_count; i++) {
		const uint32_t *node = bc_own_node(graph, i);

		if (tag_kind_of(node) == BC_VOID)
			continue;
		ids[count++] = graph->first_id + i;
		*forwards |= bc_node_is_forward(node);
	}
	return count;
}

/* Enters these types. */
static bool collect_tags(struct settler *settler, const uint32_t *ids, uint32_t count)
{
	const struct bc_graph *graph = settler->graph;
	uint32_t id_end = bc_id_end(graph);

	settler->tag_of = bc_arena_zalloc(settler->scratch, id_end, sizeof(uint32_t), settler->err);
	settler->next_body = bc_arena_zalloc(settler->scratch, id_end, sizeof(uint32_t),
					     settler->err);
	for (settler->slot_count = 16; settler->slot_count < 2 * (uint64_t)count;)
		settler->slot_count *= 2;
	settler->slots = bc_arena_zalloc(settler->scratch, settler->slot_count, sizeof(uint32_t),
					 settler->err);
	settler->tags = bc_arena_alloc(settler->scratch, count, sizeof(*settler->tags),
				       settler->err);
	if (!settler->tag_of || !settler->next_body || !settler->slots || !settler->tags)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t id = ids[i], number;
		const uint32_t *node = bc_node(graph, id);

		number = find_tag(settler, node[0], tag_kind_of(node));
		settler->tag_of[id] = number + 1;
		if (bc_node_is_forward(node)) {
			settler->tags[number].is_declared = true;
		} else {
			settler->next_body[id] = settler->tags[number].body;
			settler->tags[number].body = id;
		}
	}
	return true;
}

/* Whether two types differ in what they say themselves. */
static bool differs_at_first_sight(const struct bc_graph *graph, uint32_t a, uint32_t b)
{
	const uint32_t *one = bc_node(graph, a), *other = bc_node(graph, b);
	uint32_t elements = bc_element_count(one[1]);
	const struct bc_kind_shape *shape = &bc_kind_shapes[bc_node_kind(one)];

	if (one[1] != other[1] || one[2] != other[2])
		return true;
	for (uint32_t i = 0; i < elements; i++) {
		const uint32_t *left = bc_element(one, i), *right = bc_element(other, i);

		if (strcmp(bc_string(graph, left[0]), bc_string(graph, right[0])))
			return true;
		for (uint32_t k = 1; k < shape->element_words; k++)
			if (left[k] != right[k] && !(shape->edges_per_element && k == 1))
				return true;
	}
	return false;
}

/* Bodies of one tag that differ in what they say themselves. */
static void find_sure_conflicts(struct settler *settler)
{
	for (uint32_t i = 0; i < settler->tag_count; i++) {
		struct tag *tag = &settler->tags[i];

		for (uint32_t id = settler->next_body[tag->body]; id; id = settler->next_body[id])
			tag->is_conflict |= differs_at_first_sight(settler->graph, tag->body, id);
	}
}

/* ---- conflicts ---- */

/*
 * References to tags lead to atoms, one per tag, behind all types; but that of a
 * DECL_TAG says something of what it refers to.
 */
static bool cut_at_tags(const struct settler *settler, struct bc_graph *cut)
{
	const struct bc_graph *graph = settler->graph;
	uint32_t count = graph->type_count, at = graph->start[count];
	uint64_t word_count = at + (uint64_t)settler->tag_count * BC_HEAD_WORDS;
	uint32_t *start = bc_arena_alloc(settler->scratch, (size_t)count + settler->tag_count + 1,
					 sizeof(*start), settler->err);
	uint32_t *words = bc_arena_alloc(settler->scratch, word_count, sizeof(*words),
					 settler->err);

	if (!start || !words)
		return false;
	memcpy(start, graph->start, ((size_t)count + 1) * sizeof(*start));
	memcpy(words, graph->words, at * sizeof(*words));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *node = words + start[i];
		struct bc_edges edges = bc_edges(node);

		if (bc_node_kind(node) == BC_DECL_TAG)
			continue;
		for (uint32_t k = 0; k < edges.count; k++) {
			uint32_t *id = &node[bc_edge_word(edges, k)];

			if (settler->tag_of[*id])
				*id = count + settler->tag_of[*id];
		}
	}
	for (uint32_t i = 0; i < settler->tag_count; i++, at += BC_HEAD_WORDS) {
		const struct tag *tag = &settler->tags[i];

		words[at] = tag->name;
		words[at + 1] = tag->kind == BC_ENUM ? bc_info(BC_ENUM, 0, false) :
						       bc_info(BC_FWD, 0, tag->kind == BC_UNION);
		words[at + 2] = 0;
		start[count + i + 1] = at + BC_HEAD_WORDS;
	}
	*cut = *graph;
	cut->type_count = count + settler->tag_count;
	cut->start = start;
	cut->words = words;
	return true;
}

static bool find_conflicts(struct settler *settler)
{
	struct bc_partition partition;
	struct bc_string_ranks ranks;
	struct bc_graph cut;
	struct bc_universe universe = { &cut, 1, NULL, &ranks, NULL };

	if (!cut_at_tags(settler, &cut) ||
	    !bc_string_ranks_compute(&ranks, &cut, (struct bc_kept_strings){ 0 },
				     BC_BASE_STRINGS_APART, NULL, settler->scratch, settler->err) ||
	    !bc_partition_compute(&partition, &universe, settler->scratch, settler->err))
		return false;
	for (uint32_t i = 0; i < settler->tag_count; i++) {
		struct tag *tag = &settler->tags[i];

		for (uint32_t id = tag->body; id; id = settler->next_body[id])
			tag->is_conflict |= partition.class_of[id - 1] !=
					    partition.class_of[tag->body - 1];
	}
	return true;
}

/* ---- plain types ---- */

/* Whether forward declarations of a tag may come to mean a body of it. */
static bool is_open(const struct tag *tag)
{
	return tag->is_declared && !tag->is_conflict;
}

static void reach(struct settler *settler, uint32_t id)
{
	if (!id || settler->is_reached[id])
		return;
	settler->is_reached[id] = 1;
	settler->reached[settler->reached_count++] = id;
}

/* It is no plain type, whatever can be reached from it. */
static bool is_conflicting_body(const struct settler *settler, uint32_t id)
{
	uint32_t tag = settler->tag_of[id];

	return tag && settler->tags[tag - 1].is_conflict;
}

static bool find_reached(struct settler *settler)
{
	const struct bc_graph *graph = settler->graph;
	uint32_t id_end = bc_id_end(graph);

	settler->reached = bc_arena_alloc(settler->scratch, id_end, sizeof(uint32_t), settler->err);
	settler->is_reached = bc_arena_zalloc(settler->scratch, id_end, 1, settler->err);
	if (!settler->reached || !settler->is_reached)
		return false;
	for (uint32_t i = 0; i < settler->tag_count; i++) {
		uint32_t id = is_open(&settler->tags[i]) ? settler->tags[i].body : 0;

		for (; id; id = settler->next_body[id])
			reach(settler, id);
	}
	for (uint32_t i = 0; i < settler->reached_count; i++) {
		const uint32_t *node = bc_node(graph, settler->reached[i]);
		struct bc_edges edges = bc_edges(node);

		if (is_conflicting_body(settler, settler->reached[i]))
			continue;
		for (uint32_t k = 0; k < edges.count; k++)
			reach(settler, bc_edge(node, edges, k));
	}
	return true;
}

/* Each referrer of each type, with what is asked of it: to be counted, or entered. */
static void visit_references(struct settler *settler, bool is_entered)
{
	for (uint32_t i = 0; i < settler->reached_count; i++) {
		uint32_t id = settler->reached[i];
		const uint32_t *node = bc_node(settler->graph, id);
		struct bc_edges edges = bc_edges(node);

		for (uint32_t k = 0; k < edges.count; k++) {
			uint32_t *at = &settler->begin[bc_edge(node, edges, k)];

			if (is_entered)
				settler->from[--*at] = id;
			else
				++*at;
		}
	}
}

static bool find_referrers(struct settler *settler)
{
	const struct bc_graph *graph = settler->graph;
	uint32_t id_end = bc_id_end(graph), total = 0;

	settler->begin = bc_arena_zalloc(settler->scratch, (size_t)id_end + 1, sizeof(uint32_t),
					 settler->err);
	if (!settler->begin)
		return false;
	visit_references(settler, false);
	/* So far these are ends: filling counts them down to the beginnings. */
	for (uint32_t id = 0; id < id_end; id++) {
		total += settler->begin[id];
		settler->begin[id] = total;
	}
	settler->begin[id_end] = total;
	settler->from = bc_arena_alloc(settler->scratch, total, sizeof(uint32_t), settler->err);
	if (!settler->from)
		return false;
	visit_references(settler, true);
	return true;
}

static bool spread_conflicts(struct settler *settler)
{
	uint32_t id_end = bc_id_end(settler->graph), count = 0;
	uint32_t *pending = bc_arena_alloc(settler->scratch, settler->reached_count,
					   sizeof(*pending), settler->err);

	settler->is_plain = bc_arena_alloc(settler->scratch, id_end, 1, settler->err);
	if (!pending || !settler->is_plain)
		return false;
	memset(settler->is_plain, 1, id_end);
	for (uint32_t i = 0; i < settler->tag_count; i++) {
		uint32_t id = settler->tags[i].is_conflict ? settler->tags[i].body : 0;

		for (; id; id = settler->next_body[id]) {
			if (!settler->is_reached[id])
				continue;
			settler->is_plain[id] = 0;
			pending[count++] = id;
		}
	}
	while (count) {
		uint32_t id = pending[--count];

		for (uint32_t i = settler->begin[id]; i < settler->begin[id + 1]; i++) {
			uint32_t from = settler->from[i];

			if (!settler->is_plain[from])
				continue;
			settler->is_plain[from] = 0;
			pending[count++] = from;
		}
	}
	return true;
}

/* ---- forwards ---- */

/* How many tags are declared somewhere and have a plain body. */
static uint32_t choose_plain_bodies(struct settler *settler)
{
	uint32_t chosen = 0;

	for (uint32_t i = 0; i < settler->tag_count; i++) {
		struct tag *tag = &settler->tags[i];
		uint32_t id = is_open(tag) ? tag->body : 0;

		while (id && !settler->is_plain[id])
			id = settler->next_body[id];
		tag->plain_body = id;
		chosen += id != 0;
	}
	return chosen;
}

static bool redirect(const struct settler *settler, struct bc_graph *graph, struct bc_arena *arena)
{
	uint32_t count = graph->start[graph->type_count];
	uint32_t *words = bc_arena_alloc(arena, count, sizeof(*words), settler->err);

	if (!words)
		return false;
	memcpy(words, graph->words, count * sizeof(*words));
	for (uint32_t i = 0; i < graph->type_count; i++) {
		uint32_t *node = words + graph->start[i];
		struct bc_edges edges = bc_edges(node);

		for (uint32_t k = 0; k < edges.count; k++) {
			uint32_t *id = &node[bc_edge_word(edges, k)], tag = settler->tag_of[*id];

			if (tag && bc_node_is_forward(bc_node(graph, *id)) &&
			    settler->tags[tag - 1].plain_body)
				*id = settler->tags[tag - 1].plain_body;
		}
	}
	graph->words = words;
	return true;
}

static bool settle(struct settler *settler, struct bc_graph *graph, struct bc_arena *arena)
{
	uint32_t *ids = bc_arena_alloc(settler->scratch, graph->type_count, sizeof(*ids),
				       settler->err);
	bool forwards;
	uint32_t count;

	if (!ids)
		return false;
	count = list_tags(graph, ids, &forwards);
	if (!forwards)
		return true;
	if (!collect_tags(settler, ids, count))
		return false;
	find_sure_conflicts(settler);
	if (!find_reached(settler))
		return false;
	if (!settler->reached_count)
		return true;
	if (!find_referrers(settler) || !spread_conflicts(settler))
		return false;
	if (!choose_plain_bodies(settler))
		return true;
	if (!find_conflicts(settler) || !spread_conflicts(settler))
		return false;
	return !choose_plain_bodies(settler) || redirect(settler, graph, arena);
}

bool bc_settle_plain_forwards(struct bc_graph *graph, struct bc_arena *arena, struct bc_err *err)
{
	struct bc_arena scratch = { 0 };
	struct settler settler = {
		.graph = graph,
		.hash_seed = bc_hash_seed(),
		.scratch = &scratch,
		.err = err,
	};
	bool done = settle(&settler, graph, arena);

	bc_arena_free(&scratch);
	return done;
}

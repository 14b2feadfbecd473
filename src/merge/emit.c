/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Types and functions as words.
 *
 * 1. [measure] (threads) how many words and tags each takes; then places are known;
 * 2. [write_items] (threads) words, references as ids, names still as name ids, all of which
 *    are said to be used; what has a meaning of its own has its references in order, and is
 *    written by one thread;
 * 3. [bc_placed_names_place] name ids get offsets;
 * 4. [place_names] (threads) names as offsets, functions, and the strings of both;
 * 5. [write_tags] tags, which are few.
 */
#include <string.h>

#include "merge/assembler.h"

#define INT_WORDS (BC_HEAD_WORDS + 1)

struct emitter {
	struct bc_assembler *assembler;
	uint32_t *start, *words; /* of the graph */
	uint8_t *kinds;          /* by item */
	uint32_t *tag_counts;    /* by item, then by function */
	uint64_t tag_count;      /* of all together */
	uint32_t *name_bytes;    /* by function; then the offsets of their names */
	const uint32_t *references;
	uint32_t first_function; /* id */
	bool adds_int;
};

/* ---- 1. how much there is ---- */

/* Tags of the node as it is written; those on the prototype of a function are the FUNC's. */
static uint32_t count_item_tags(const struct bc_assembler *assembler, uint32_t id)
{
	const uint32_t *node = bc_interned(assembler->interner, id);

	return bc_is_leaf(node) || bc_is_function_proto(node) ?
		       0 :
		       bc_interned_tag_count(assembler->interner, id);
}

static void measure_items(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	struct emitter *emitter = context;
	const struct bc_assembler *assembler = emitter->assembler;

	(void)worker;
	for (uint32_t i = begin; i < end; i++) {
		uint32_t id = assembler->items[i].node;
		const uint32_t *node = bc_interned(assembler->interner, id);

		emitter->start[i] = bc_is_leaf(node) ? BC_HEAD_WORDS : bc_node_words(node[1]);
		emitter->kinds[i] = (uint8_t)bc_node_kind(node);
		emitter->tag_counts[i] = count_item_tags(assembler, id);
	}
}

static void measure_functions(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	struct emitter *emitter = context;
	const struct bc_assembler *assembler = emitter->assembler;

	(void)worker;
	for (uint32_t i = begin; i < end; i++) {
		const struct bc_root *root = &assembler->roots[i];

		emitter->name_bytes[i] = (uint32_t)strlen(root->name) + 1;
		emitter->tag_counts[assembler->item_count + i] =
			bc_root_tag_count(root) +
			bc_interned_tag_count(assembler->interner, root->node);
	}
}

/* Of two INTs named int, whether A makes the better index type. */
static bool is_better_index(const uint32_t *a, const uint32_t *b)
{
	static const uint32_t usual = 1u << 24 | 32;
	bool usual_a = a[2] == 4 && a[3] == usual, usual_b = b[2] == 4 && b[3] == usual;

	if (usual_a != usual_b)
		return usual_a;
	return a[2] != b[2] ? a[2] < b[2] : a[3] < b[3];
}

/* All arrays are indexed by the INT named int; where there is none, one is added. */
static void find_index_type(struct emitter *emitter)
{
	struct bc_assembler *assembler = emitter->assembler;
	const uint32_t *best = NULL;

	for (uint32_t i = 0; i < assembler->item_count; i++) {
		const uint32_t *node;
		char packed[4];

		if (emitter->kinds[i] != BC_INT)
			continue;
		node = bc_interned(assembler->interner, assembler->items[i].node);
		if ((best && !is_better_index(node, best)) ||
		    strcmp(bc_string_id_text(assembler->names, node[0], packed), "int"))
			continue;
		best = node;
		assembler->index_type = i + 1;
	}
	emitter->adds_int = !best && memchr(emitter->kinds, BC_ARRAY, assembler->item_count);
	if (emitter->adds_int)
		assembler->index_type = assembler->item_count + 1;
}

/* Bytes of strings that are not names of nodes: no more than that. */
static uint64_t bound_other_strings(const struct emitter *emitter)
{
	const struct bc_assembler *assembler = emitter->assembler;
	uint64_t bytes = sizeof("int");

	for (uint32_t i = 0; i < assembler->root_count; i++) {
		const struct bc_root *root = &assembler->roots[i];

		bytes += root->is_variable ? strlen(root->name) + strlen(root->section) + 2 :
					     emitter->name_bytes[i];
		for (uint32_t k = 0; root->tags && root->tags[k]; k++)
			bytes += strlen(root->tags[k]) + 1;
	}
	return bytes;
}

/* Places of all types: items, the added INT, functions, tags; and room for what comes behind. */
static bool lay_out(struct emitter *emitter, uint32_t *type_count)
{
	struct bc_assembler *assembler = emitter->assembler;
	uint32_t items = assembler->item_count, functions = assembler->function_count;
	uint32_t *start = emitter->start, count = 0;
	uint64_t at = 0, behind;

	for (uint32_t i = 0; i < items; i++) {
		uint32_t words = start[count];

		start[count++] = (uint32_t)at;
		at += words;
		if (at > UINT32_MAX / sizeof(uint32_t))
			break;
	}
	behind = INT_WORDS + (uint64_t)functions * BC_HEAD_WORDS +
		 emitter->tag_count * BC_TAG_WORDS + bc_assembler_variable_words(assembler);
	if (at + behind > UINT32_MAX / sizeof(uint32_t))
		return bc_err_set(assembler->err, "the types go beyond 4 GiB");
	emitter->words = bc_arena_alloc(assembler->arena, at + behind, sizeof(uint32_t),
					assembler->err);
	start[count] = (uint32_t)at;
	if (emitter->adds_int)
		start[++count] = (uint32_t)(at += INT_WORDS);
	emitter->first_function = count + 1;
	for (uint32_t i = 0; i < functions; i++)
		start[++count] = (uint32_t)(at += BC_HEAD_WORDS);
	for (uint64_t i = 0; i < emitter->tag_count; i++)
		start[++count] = (uint32_t)(at += BC_TAG_WORDS);
	*type_count = count;
	return emitter->words;
}

/* Measures all, and makes room for as many types, and those that variables take. */
static bool measure(struct emitter *emitter)
{
	struct bc_assembler *assembler = emitter->assembler;
	uint32_t items = assembler->item_count, functions = assembler->function_count;
	struct bc_arena *scratch = assembler->scratch;
	struct bc_err *err = assembler->err;
	uint32_t *start;

	emitter->kinds = bc_arena_alloc(scratch, items, 1, err);
	emitter->tag_counts = bc_arena_alloc(scratch, (size_t)items + functions, sizeof(uint32_t),
					     err);
	emitter->name_bytes = bc_arena_alloc(scratch, functions, sizeof(uint32_t), err);
	emitter->start = bc_arena_alloc(scratch, items, sizeof(uint32_t), err);
	if (!emitter->kinds || !emitter->tag_counts || !emitter->name_bytes || !emitter->start)
		return false;
	bc_workers_share(assembler->workers, items, BC_ITEMS_AT_ONCE, measure_items, emitter);
	bc_workers_share(assembler->workers, functions, BC_ITEMS_AT_ONCE, measure_functions,
			 emitter);
	for (uint32_t i = 0; i < items + functions; i++)
		emitter->tag_count += emitter->tag_counts[i];
	start = bc_arena_alloc(assembler->arena,
			       items + functions + emitter->tag_count + 2 +
				       bc_assembler_variable_types(assembler),
			       sizeof(*start), err);
	if (!start)
		return false;
	memcpy(start, emitter->start, items * sizeof(*start));
	emitter->start = start;
	return true;
}

/* ---- 2. words ---- */

/* A forward declaration; of an enum: one without values. */
static void write_forward(const uint32_t *leaf, uint32_t *to)
{
	uint32_t tag_class = bc_info_vlen(leaf[BC_LEAF_INFO]);

	to[0] = leaf[BC_LEAF_NAME];
	to[1] = tag_class == BC_TAG_ENUM ? bc_info(BC_ENUM, 0, false) :
					   bc_info(BC_FWD, 0, tag_class == BC_TAG_UNION);
	to[2] = tag_class == BC_TAG_ENUM ? 4 : 0;
}

/* Says of each name in a node, and in its tags, that it is used. */
static void use_names(struct bc_assembler *assembler, const uint32_t *node, uint32_t id,
		      uint32_t tag_count)
{
	struct bc_node_names names = bc_node_names(node);

	for (uint32_t i = 0; i < names.count; i++)
		bc_placed_names_use(&assembler->placed, node[bc_name_word(names, i)]);
	for (uint32_t i = 0; i < tag_count; i++)
		bc_placed_names_use(&assembler->placed,
				    bc_interned(assembler->interner,
						id)[bc_node_words(node[1]) + 2 * i + 1]);
}

/* REFERENCES: of one with a meaning of its own; moves on. */
static void write_item(struct bc_assembler *assembler, const struct bc_item *item, uint32_t *to,
		       const uint32_t **references)
{
	const uint32_t *node = bc_interned(assembler->interner, item->node);
	struct bc_edges edges;

	if (bc_is_leaf(node)) {
		write_forward(node, to);
		return;
	}
	memcpy(to, node, bc_node_words(node[1]) * sizeof(*to));
	edges = bc_edges(node);
	for (uint32_t i = 0; i < edges.count; i++) {
		uint32_t *word = &to[bc_edge_word(edges, i)];

		if (references)
			*word = *(*references)++;
		else if (*word && *word != BC_INDEX_TYPE)
			bc_assembler_find_plain(assembler, *word, word); /* all are there */
		if (*word == BC_INDEX_TYPE)
			*word = assembler->index_type;
	}
	if (bc_is_function_proto(to))
		to[1] &= ~(1u << 31);
}

static void write_plain_items(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct emitter *emitter = context;
	struct bc_assembler *assembler = emitter->assembler;

	(void)worker;
	for (uint32_t i = begin; i < end; i++) {
		uint32_t *to = emitter->words + emitter->start[i];

		if (assembler->items[i].meaning)
			continue;
		write_item(assembler, &assembler->items[i], to, NULL);
		use_names(assembler, to, assembler->items[i].node, emitter->tag_counts[i]);
	}
}

static void write_items(struct emitter *emitter)
{
	struct bc_assembler *assembler = emitter->assembler;
	const uint32_t *references = emitter->references;

	bc_workers_share(assembler->workers, assembler->item_count, BC_ITEMS_AT_ONCE,
			 write_plain_items, emitter);
	for (uint32_t i = 0; i < assembler->item_count; i++) {
		uint32_t *to = emitter->words + emitter->start[i];

		if (!assembler->items[i].meaning)
			continue;
		write_item(assembler, &assembler->items[i], to, &references);
		use_names(assembler, to, assembler->items[i].node, emitter->tag_counts[i]);
	}
}

/* The names of tags on prototypes, which are the functions'. */
static void use_function_tags(struct emitter *emitter)
{
	struct bc_assembler *assembler = emitter->assembler;

	for (uint32_t i = 0; i < assembler->function_count; i++) {
		uint32_t id = assembler->roots[i].node;
		const uint32_t *node = bc_interned(assembler->interner, id);
		uint32_t count;

		if (!emitter->tag_counts[assembler->item_count + i])
			continue;
		count = bc_interned_tag_count(assembler->interner, id);
		for (uint32_t k = 0; k < count; k++)
			bc_placed_names_use(&assembler->placed,
					    node[bc_node_words(node[1]) + 2 * k + 1]);
	}
}

/* ---- 4. names ---- */

static void place_item_names(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct emitter *emitter = context;
	const struct bc_placed_names *placed = &emitter->assembler->placed;

	(void)worker;
	for (uint32_t i = begin; i < end; i++) {
		uint32_t *node = emitter->words + emitter->start[i];
		struct bc_node_names names = bc_node_names(node);

		for (uint32_t k = 0; k < names.count; k++) {
			uint32_t *name = &node[bc_name_word(names, k)];

			*name = bc_placed_name(placed, *name);
		}
	}
}

/* FUNCs stand behind all other types; their linkage is always static, as kernels have it. */
static void write_functions(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct emitter *emitter = context;
	const struct bc_assembler *assembler = emitter->assembler;

	(void)worker;
	for (uint32_t i = begin; i < end; i++) {
		uint32_t *to = emitter->words + emitter->start[emitter->first_function - 1 + i];

		to[0] = emitter->name_bytes[i];
		to[1] = bc_info(BC_FUNC, 0, false);
		to[2] = assembler->root_types[i];
		strcpy(assembler->strings + to[0], assembler->roots[i].name);
	}
}

/* Gives all strings a place, but those of tags and variables, which follow one by one. */
static bool place_strings(struct emitter *emitter)
{
	struct bc_assembler *assembler = emitter->assembler;
	uint64_t other_bytes = bound_other_strings(emitter);

	assembler->string_bytes = 1; /* the empty one is the first */
	if (!bc_placed_names_place(&assembler->placed, &assembler->string_bytes, assembler->workers,
				   assembler->scratch, assembler->err))
		return false;
	if (assembler->string_bytes + other_bytes > UINT32_MAX)
		return bc_err_set(assembler->err, "the strings go beyond 4 GiB");
	assembler->strings = bc_arena_alloc(assembler->arena, assembler->string_bytes + other_bytes,
					    1, assembler->err);
	if (!assembler->strings)
		return false;
	assembler->strings[0] = '\0';
	for (uint32_t i = 0; i < assembler->function_count; i++) {
		uint32_t bytes = emitter->name_bytes[i];

		emitter->name_bytes[i] = (uint32_t)assembler->string_bytes;
		assembler->string_bytes += bytes;
	}
	return true;
}

static void place_names(struct emitter *emitter)
{
	struct bc_assembler *assembler = emitter->assembler;

	bc_placed_names_write(&assembler->placed, assembler->strings, assembler->workers);
	bc_workers_share(assembler->workers, assembler->item_count, BC_ITEMS_AT_ONCE,
			 place_item_names, emitter);
	bc_workers_share(assembler->workers, assembler->function_count, BC_ITEMS_AT_ONCE,
			 write_functions, emitter);
}

static void write_int(struct emitter *emitter)
{
	const uint32_t usual[INT_WORDS] = { 0, bc_info(BC_INT, 0, false), 4, 1u << 24 | 32 };
	uint32_t *to = emitter->words + emitter->start[emitter->assembler->item_count];

	memcpy(to, usual, sizeof(usual));
	to[0] = bc_assembler_add_string(emitter->assembler, "int");
}

/* ---- 5. tags ---- */

/* COUNT tags of node ID on type TYPE; *TO moves on. */
static void write_node_tags(const struct bc_assembler *assembler, uint32_t **to, uint32_t id,
			    uint32_t count, uint32_t type)
{
	const uint32_t *node = bc_interned(assembler->interner, id);
	const uint32_t *tags = count ? node + bc_node_words(node[1]) : NULL;

	for (uint32_t i = 0; i < count; i++, *to += BC_TAG_WORDS)
		bc_write_tag(*to, bc_placed_name(&assembler->placed, tags[2 * i + 1]), type,
			     tags[2 * i]);
}

/* The tags of types and functions. */
static void write_tags(struct emitter *emitter)
{
	struct bc_assembler *assembler = emitter->assembler;
	uint32_t *to = emitter->words +
		       emitter->start[emitter->first_function - 1 + assembler->function_count];

	for (uint32_t i = 0; i < assembler->item_count; i++)
		if (emitter->tag_counts[i])
			write_node_tags(assembler, &to, assembler->items[i].node,
					emitter->tag_counts[i], i + 1);
	for (uint32_t i = 0; i < assembler->function_count; i++) {
		const struct bc_root *root = &assembler->roots[i];
		uint32_t id = emitter->first_function + i;

		if (!emitter->tag_counts[assembler->item_count + i])
			continue;
		write_node_tags(assembler, &to, root->node,
				bc_interned_tag_count(assembler->interner, root->node), id);
		bc_assembler_write_root_tags(assembler, &to, root, id);
	}
}

bool bc_assembler_emit(struct bc_assembler *assembler, struct bc_graph *out,
		       const uint32_t *references)
{
	struct emitter emitter = { .assembler = assembler, .references = references };

	if (!measure(&emitter))
		return false;
	find_index_type(&emitter);
	if (!lay_out(&emitter, &out->type_count) ||
	    !bc_placed_names_begin(&assembler->placed, assembler->names, assembler->scratch,
				   assembler->err))
		return false;
	write_items(&emitter);
	use_function_tags(&emitter);
	if (!place_strings(&emitter))
		return false;
	place_names(&emitter);
	if (emitter.adds_int)
		write_int(&emitter);
	write_tags(&emitter);
	out->first_id = 1;
	out->start = emitter.start;
	out->words = emitter.words;
	out->strings = assembler->strings;
	out->string_bytes = (uint32_t)assembler->string_bytes;
	return true;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * From nodes to a graph.
 *
 * 1. [number_plain] every node that some unit has with its plain meaning gets
 *    a type id (nodes without taint mean the same everywhere). A tag's leaf is
 *    its body's type; where the tag is conflicted, or nobody has the body in
 *    its plain meaning, a forward declaration.
 * 2. [instantiate] units that give the same bodies share a meaning. The nodes
 *    that mean something of their own under it get ids of their own; what these
 *    refer to is of the same meaning, or else plain.
 * 3. [emit] words with ids for references and offsets for names.
 */
#include "merge/assemble.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/room.h"
#include "graph/sizes.h"

/* A type to be written: a node, under a meaning (0: plain). */
struct item {
	uint32_t node;    /* id; of a leaf: its forward declaration */
	uint32_t meaning; /* 1 the first */
};

struct assembler {
	const struct bc_census *census;
	const struct bc_interner *interner;
	const struct bc_string_ids *names;
	struct item *items; /* by type id - 1 */
	uint32_t item_count, item_limit;
	const uint8_t *plain;
	uint32_t *type_of;     /* by number: the type with the plain meaning; 0: not (yet) made */
	uint32_t *instance_of; /* by number, under the meaning at hand; 0: not yet made */
	uint32_t *own_under;   /* by number: the last meaning under which it is no plain one */
	uint32_t index_type;
	const struct bc_root *roots;
	uint32_t root_count;
	uint32_t function_count;     /* the roots before the variables */
	struct bc_keyed *root_order; /* key: unit, value: number of the root */
	uint32_t *root_types;        /* type of the prototype; 0: not made */
	/* Name ids → offsets: open addressing, and the strings themselves. */
	uint64_t *name_slots;
	uint32_t name_slot_count, name_count;
	char *strings;
	uint32_t string_bytes, string_limit;
	struct bc_arena *arena, *scratch;
	struct bc_err *err;
};

static bool add_item(struct assembler *assembler, uint32_t node, uint32_t meaning, uint32_t *id)
{
	if (assembler->item_count == assembler->item_limit) {
		uint32_t limit = assembler->item_limit ? 2 * assembler->item_limit : 4096;
		struct item *items = limit > assembler->item_limit ?
					     bc_realloc(assembler->items, limit, sizeof(*items)) :
					     NULL;

		if (!items)
			return bc_err_memory(assembler->err, (uint64_t)limit * sizeof(*items));
		assembler->items = items;
		assembler->item_limit = limit;
	}
	assembler->items[assembler->item_count++] = (struct item){ node, meaning };
	*id = assembler->item_count;
	return true;
}

/* ---- 1. plain meanings ---- */

/* The type that node ID plainly is, made where there is none yet. */
static bool find_plain(struct assembler *assembler, uint32_t id, uint32_t *type)
{
	const struct bc_census *census = assembler->census;
	uint32_t number = bc_census_number(census, id);
	const uint32_t *leaf = bc_interned(assembler->interner, id);

	if (bc_is_leaf(leaf) && leaf[BC_LEAF_BODY] && !census->conflicted[number]) {
		uint32_t body = bc_census_number(census, leaf[BC_LEAF_BODY]);

		if (!census->tainted[body] || assembler->plain[body] ||
		    bc_info_kflag(leaf[BC_LEAF_INFO])) {
			id = leaf[BC_LEAF_BODY];
			number = body;
		}
	}
	if (!assembler->type_of[number] && !add_item(assembler, id, 0, &assembler->type_of[number]))
		return false;
	*type = assembler->type_of[number];
	return true;
}

static bool number_plain(struct assembler *assembler)
{
	const struct bc_census *census = assembler->census;
	uint32_t type;

	for (uint32_t number = 1; number <= census->node_count; number++) {
		uint32_t id = census->node[number];
		const uint32_t *node = bc_interned(assembler->interner, id);

		if (bc_is_leaf(node) &&
		    (bc_is_second_leaf(assembler->interner, id) || !node[BC_LEAF_NAME]))
			continue;
		/* Leaves are made for who refers to them; one that only declares is there anyway. */
		if (bc_is_function_proto(node))
			continue;
		if (bc_is_leaf(node) ? !node[BC_LEAF_BODY] && !census->tainted[number] :
				       !census->tainted[number] || assembler->plain[number])
			if (!find_plain(assembler, id, &type))
				return false;
	}
	return true;
}

/* What plain types refer to, until nothing new comes. */
static bool follow_plain(struct assembler *assembler)
{
	for (uint32_t i = 0; i < assembler->item_count; i++) {
		const uint32_t *node = bc_interned(assembler->interner, assembler->items[i].node);
		struct bc_edges edges = bc_edges(node);
		uint32_t type;

		if (assembler->items[i].meaning || bc_is_leaf(node))
			continue;
		for (uint32_t j = 0; j < edges.count; j++) {
			uint32_t id = bc_edge(node, edges, j);

			if (id && id != BC_INDEX_TYPE && !find_plain(assembler, id, &type))
				return false;
		}
	}
	return true;
}

/* ---- 2. nodes that mean several ---- */

static int compare_bodies(const void *a, const void *b)
{
	const struct bc_extra_body *one = a, *other = b;

	return (one->leaf > other->leaf) - (one->leaf < other->leaf);
}

int bc_compare_meanings(const void *a, const void *b)
{
	const struct bc_meaning *const *one = a, *const *other = b;
	int order = ((*one)->body_count > (*other)->body_count) -
		    ((*one)->body_count < (*other)->body_count);

	return order || !(*one)->body_count ?
		       order :
		       memcmp((*one)->bodies, (*other)->bodies,
			      (*one)->body_count * sizeof((*one)->bodies[0]));
}

/* The body a meaning gives a tainted leaf; 0: none. */
static uint32_t body_under(const struct bc_meaning *meaning, uint32_t leaf)
{
	struct bc_extra_body key = { leaf, 0 };
	const struct bc_extra_body *found = meaning->body_count ?
						    bsearch(&key, meaning->bodies,
							    meaning->body_count, sizeof(key),
							    compare_bodies) :
						    NULL;

	return found ? found->body : 0;
}

/* The type that node ID is under a meaning, made where there is none yet. */
static bool find_type(struct assembler *assembler, const struct bc_meaning *meaning,
		      uint32_t meaning_number, uint32_t id, uint32_t *type)
{
	const uint32_t *node = bc_interned(assembler->interner, id);
	uint32_t body = 0, number;

	if (bc_is_leaf(node))
		body = bc_info_kflag(node[BC_LEAF_INFO]) ? node[BC_LEAF_BODY] :
							   body_under(meaning, id);
	number = bc_census_number(assembler->census, body ? body : id);
	if (assembler->own_under[number] != meaning_number)
		return find_plain(assembler, body ? body : id, type);
	if (!assembler->instance_of[number] &&
	    !add_item(assembler, body ? body : id, meaning_number, &assembler->instance_of[number]))
		return false;
	*type = assembler->instance_of[number];
	return true;
}

/*
 * Instances are made per meaning, and so is what their references mean: kept
 * as the ids of their references, in order, while the meaning is at hand.
 */
struct instance_references {
	uint32_t *ids;
	uint64_t count, limit;
};

static bool keep_reference(struct assembler *assembler, struct instance_references *references,
			   uint32_t id)
{
	if (references->count == references->limit) {
		uint64_t limit = references->limit ? 2 * references->limit : 4096;
		uint32_t *ids = bc_realloc(references->ids, limit, sizeof(*ids));

		if (!ids)
			return bc_err_memory(assembler->err, limit * sizeof(*ids));
		references->ids = ids;
		references->limit = limit;
	}
	references->ids[references->count++] = id;
	return true;
}

/* Instances come at the end while their makers are looked at: the loop meets them all. */
static bool keep_references(struct assembler *assembler, const struct bc_meaning *meaning,
			    uint32_t meaning_number, uint32_t first_item,
			    struct instance_references *references)
{
	for (uint32_t i = first_item; i < assembler->item_count; i++) {
		const uint32_t *node = bc_interned(assembler->interner, assembler->items[i].node);
		struct bc_edges edges = bc_edges(node);

		if (!assembler->items[i].meaning)
			continue;
		for (uint32_t j = 0; j < edges.count; j++) {
			uint32_t id = bc_edge(node, edges, j), type = id;

			if (id && id != BC_INDEX_TYPE &&
			    !find_type(assembler, meaning, meaning_number, id, &type))
				return false;
			if (!keep_reference(assembler, references, type))
				return false;
		}
	}
	return true;
}

/* Says that these nodes mean something of their own under the meaning. */
static void claim_nodes(struct assembler *assembler, const struct bc_meaning *meaning,
			uint32_t meaning_number)
{
	for (uint32_t i = 0; i < meaning->node_count; i++) {
		uint32_t number = bc_census_number(assembler->census, meaning->nodes[i]);

		assembler->own_under[number] = meaning_number;
		assembler->instance_of[number] = 0;
	}
}

/* Lists the roots by unit. */
static bool order_roots(struct assembler *assembler)
{
	uint32_t count = assembler->root_count;
	struct bc_keyed *spare = bc_arena_alloc(assembler->scratch, count, sizeof(*spare),
						assembler->err);

	assembler->root_order = bc_arena_alloc(assembler->scratch, count,
					       sizeof(*assembler->root_order), assembler->err);
	if (!assembler->root_order || !spare)
		return false;
	for (uint32_t i = 0; i < count; i++)
		assembler->root_order[i] = (struct bc_keyed){ assembler->roots[i].unit, i };
	bc_sort_keyed(assembler->root_order, spare, count);
	return true;
}

/* Where the roots of a unit begin in that list. */
static uint32_t first_root(const struct assembler *assembler, uint32_t unit)
{
	uint32_t low = 0, high = assembler->root_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (assembler->root_order[middle].key < unit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Roots of the units [begin, end) of one meaning. */
static bool take_roots(struct assembler *assembler, const struct bc_meaning **sorted,
		       uint32_t begin, uint32_t end, uint32_t meaning_number)
{
	const struct bc_keyed *order = assembler->root_order;

	for (uint32_t i = begin; i < end; i++) {
		uint32_t at = first_root(assembler, sorted[i]->unit);

		for (; at < assembler->root_count && order[at].key == sorted[i]->unit; at++)
			if (!find_type(assembler, sorted[begin], meaning_number,
				       assembler->roots[order[at].value].node,
				       &assembler->root_types[order[at].value]))
				return false;
	}
	return true;
}

/* All other roots mean plainly what they say. */
static bool take_plain_roots(struct assembler *assembler)
{
	for (uint32_t j = 0; j < assembler->root_count; j++)
		if (!assembler->root_types[j] &&
		    !find_plain(assembler, assembler->roots[j].node, &assembler->root_types[j]))
			return false;
	return true;
}

static bool instantiate(struct assembler *assembler, const struct bc_meaning *meanings,
			uint32_t count, struct instance_references *references,
			struct bc_assemble_stats *stats)
{
	const struct bc_meaning **sorted = bc_arena_alloc(assembler->scratch, count,
							  sizeof(*sorted), assembler->err);
	uint32_t before = assembler->item_count, begin, i;

	if (!sorted)
		return false;
	for (i = 0; i < count; i++)
		sorted[i] = &meanings[i];
	qsort(sorted, count, sizeof(*sorted), bc_compare_meanings);
	for (begin = 0; begin < count; begin = i) {
		uint32_t first_item = assembler->item_count, type;

		stats->meanings++;
		for (i = begin; i < count && !bc_compare_meanings(&sorted[begin], &sorted[i]); i++)
			claim_nodes(assembler, sorted[i], stats->meanings);
		for (i = begin; i < count && !bc_compare_meanings(&sorted[begin], &sorted[i]); i++)
			for (uint32_t j = 0; j < sorted[i]->node_count; j++)
				if (!bc_is_function_proto(bc_interned(assembler->interner,
								      sorted[i]->nodes[j])) &&
				    !find_type(assembler, sorted[begin], stats->meanings,
					       sorted[i]->nodes[j], &type))
					return false;
		if (!take_roots(assembler, sorted, begin, i, stats->meanings) ||
		    !keep_references(assembler, sorted[begin], stats->meanings, first_item,
				     references))
			return false;
	}
	stats->instances = assembler->item_count - before;
	return take_plain_roots(assembler) && follow_plain(assembler);
}

/* ---- 3. words and strings ---- */

static bool grow_names(struct assembler *assembler)
{
	uint32_t count = assembler->name_slot_count ? 2 * assembler->name_slot_count : 1u << 16;
	uint64_t *slots = bc_arena_zalloc(assembler->scratch, count, sizeof(*slots),
					  assembler->err);

	if (!slots)
		return false;
	for (uint32_t i = 0; i < assembler->name_slot_count; i++) {
		uint64_t entry = assembler->name_slots[i];
		uint32_t at = (uint32_t)(entry >> 32) * 0x9e3779b1u & (count - 1);

		if (!entry)
			continue;
		while (slots[at])
			at = (at + 1) & (count - 1);
		slots[at] = entry;
	}
	assembler->name_slots = slots;
	assembler->name_slot_count = count;
	return true;
}

static bool add_string(struct assembler *assembler, const char *text, uint32_t *offset)
{
	size_t bytes = strlen(text) + 1;
	uint64_t wanted = (uint64_t)assembler->string_bytes + bytes;

	if (wanted > assembler->string_limit) {
		uint64_t limit = 2 * wanted > 1 << 20 ? 2 * wanted : 1 << 20;
		char *strings;

		if (limit > UINT32_MAX)
			limit = UINT32_MAX;
		strings = wanted > limit ? NULL : bc_realloc(assembler->strings, limit, 1);
		if (!strings)
			return bc_err_memory(assembler->err, wanted);
		assembler->strings = strings;
		assembler->string_limit = (uint32_t)limit;
	}
	memcpy(assembler->strings + assembler->string_bytes, text, bytes);
	*offset = assembler->string_bytes;
	assembler->string_bytes = (uint32_t)wanted;
	return true;
}

/* Turns a name id into a string offset. */
static bool place_name(struct assembler *assembler, uint32_t *word)
{
	uint32_t name = *word, at, offset;
	char packed[4];
	const char *text;

	if (!name)
		return true;
	if (2 * assembler->name_count >= assembler->name_slot_count && !grow_names(assembler))
		return false;
	at = name * 0x9e3779b1u & (assembler->name_slot_count - 1);
	for (; assembler->name_slots[at]; at = (at + 1) & (assembler->name_slot_count - 1)) {
		if (assembler->name_slots[at] >> 32 == name) {
			*word = (uint32_t)assembler->name_slots[at];
			return true;
		}
	}
	text = bc_string_id_text(assembler->names, name, packed);
	offset = 0;
	if (*text && !add_string(assembler, text, &offset))
		return false;
	assembler->name_slots[at] = (uint64_t)name << 32 | offset;
	assembler->name_count++;
	*word = offset;
	return true;
}

static uint32_t item_words(const struct assembler *assembler, const struct item *item)
{
	const uint32_t *node = bc_interned(assembler->interner, item->node);

	return bc_is_leaf(node) ? BC_HEAD_WORDS : bc_node_words(node[1]);
}

/* A forward declaration; of an enum: one without values. */
static void write_forward(const uint32_t *leaf, uint32_t *to)
{
	uint32_t tag_class = bc_info_vlen(leaf[BC_LEAF_INFO]);

	to[0] = leaf[BC_LEAF_NAME];
	to[1] = tag_class == BC_TAG_ENUM ? bc_info(BC_ENUM, 0, false) :
					   bc_info(BC_FWD, 0, tag_class == BC_TAG_UNION);
	to[2] = tag_class == BC_TAG_ENUM ? 4 : 0;
}

static bool write_item(struct assembler *assembler, const struct item *item, uint32_t *to,
		       const uint32_t **references)
{
	const uint32_t *node = bc_interned(assembler->interner, item->node);
	const struct bc_kind_shape *shape;
	struct bc_edges edges;
	uint32_t count;

	if (bc_is_leaf(node)) {
		write_forward(node, to);
		return place_name(assembler, &to[0]);
	}
	memcpy(to, node, bc_node_words(node[1]) * sizeof(*to));
	edges = bc_edges(node);
	for (uint32_t i = 0; i < edges.count; i++) {
		uint32_t *word = &to[bc_edge_word(edges, i)];

		if (item->meaning)
			*word = *(*references)++;
		else if (*word && *word != BC_INDEX_TYPE && !find_plain(assembler, *word, word))
			return false;
		if (*word == BC_INDEX_TYPE)
			*word = assembler->index_type;
	}
	if (bc_is_function_proto(to))
		to[1] &= ~(1u << 31);
	if (!place_name(assembler, &to[0]))
		return false;
	shape = &bc_kind_shapes[bc_node_kind(to)];
	count = shape->element_name < 0 ? 0 : bc_element_count(to[1]);
	for (uint32_t i = 0; i < count; i++)
		if (!place_name(assembler, to + BC_HEAD_WORDS + shape->fixed_words +
						   (size_t)i * shape->element_words +
						   shape->element_name))
			return false;
	return true;
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

/* All arrays are indexed by the INT named int; 0: there is none. */
static void find_index_type(struct assembler *assembler)
{
	const uint32_t *best = NULL;

	for (uint32_t i = 0; i < assembler->item_count; i++) {
		const uint32_t *node = bc_interned(assembler->interner, assembler->items[i].node);
		char packed[4];

		if (bc_node_kind(node) != BC_INT || (best && !is_better_index(node, best)) ||
		    strcmp(bc_string_id_text(assembler->names, node[0], packed), "int"))
			continue;
		best = node;
		assembler->index_type = i + 1;
	}
}

static bool has_arrays(const struct assembler *assembler)
{
	for (uint32_t i = 0; i < assembler->item_count; i++)
		if (bc_node_kind(bc_interned(assembler->interner, assembler->items[i].node)) ==
		    BC_ARRAY)
			return true;
	return false;
}

#define INT_WORDS (BC_HEAD_WORDS + 1)

/* FUNCs stand behind all other types; their linkage is always static, as kernels have it. */
static bool write_functions(struct assembler *assembler, uint32_t *to)
{
	for (uint32_t i = 0; i < assembler->function_count; i++, to += BC_HEAD_WORDS) {
		if (!add_string(assembler, assembler->roots[i].name, &to[0]))
			return false;
		to[1] = bc_info(BC_FUNC, 0, false);
		to[2] = assembler->root_types[i];
	}
	return true;
}

static uint32_t count_tags(const struct bc_root *root)
{
	uint32_t count = 0;

	while (root->tags && root->tags[count])
		count++;
	return count;
}

#define TAG_WORDS (BC_HEAD_WORDS + 1)

/* Tags of the node as it is written; those on the prototype of a function are the FUNC's. */
static uint32_t count_item_tags(const struct assembler *assembler, uint32_t id)
{
	const uint32_t *node = bc_interned(assembler->interner, id);

	return bc_is_leaf(node) || bc_is_function_proto(node) ?
		       0 :
		       bc_interned_tag_count(assembler->interner, id);
}

/* Of types and functions; *OF_VARIABLES: of variables. */
static uint32_t count_all_tags(const struct assembler *assembler, uint32_t *of_variables)
{
	uint32_t count = 0;

	*of_variables = 0;
	for (uint32_t i = 0; i < assembler->item_count; i++)
		count += count_item_tags(assembler, assembler->items[i].node);
	for (uint32_t i = 0; i < assembler->function_count; i++)
		count += count_tags(&assembler->roots[i]) +
			 bc_interned_tag_count(assembler->interner, assembler->roots[i].node);
	for (uint32_t i = assembler->function_count; i < assembler->root_count; i++)
		*of_variables += count_tags(&assembler->roots[i]);
	return count;
}

static void write_tag(uint32_t *to, uint32_t name, uint32_t type, uint32_t component)
{
	to[0] = name;
	to[1] = bc_info(BC_DECL_TAG, 0, false);
	to[2] = type;
	to[3] = component;
}

/* COUNT tags of node ID on type TYPE; *TO moves on. */
static bool write_node_tags(struct assembler *assembler, uint32_t **to, uint32_t id, uint32_t count,
			    uint32_t type)
{
	const uint32_t *node = bc_interned(assembler->interner, id);
	const uint32_t *tags = count ? node + bc_node_words(node[1]) : NULL;

	for (uint32_t i = 0; i < count; i++, *to += TAG_WORDS) {
		uint32_t name = tags[2 * i + 1];

		if (!place_name(assembler, &name))
			return false;
		write_tag(*to, name, type, tags[2 * i]);
	}
	return true;
}

static bool write_root_tags(struct assembler *assembler, uint32_t **to, const struct bc_root *root,
			    uint32_t type)
{
	uint32_t count = count_tags(root);

	for (uint32_t i = 0; i < count; i++, *to += TAG_WORDS) {
		uint32_t name = 0;

		if (*root->tags[i] && !add_string(assembler, root->tags[i], &name))
			return false;
		write_tag(*to, name, type, UINT32_MAX);
	}
	return true;
}

/* The tags of types and functions; the first function has the id FIRST_ID. */
static bool write_tags(struct assembler *assembler, uint32_t *to, uint32_t first_id)
{
	for (uint32_t i = 0; i < assembler->item_count; i++) {
		uint32_t id = assembler->items[i].node;

		if (!write_node_tags(assembler, &to, id, count_item_tags(assembler, id), i + 1))
			return false;
	}
	for (uint32_t i = 0; i < assembler->function_count; i++) {
		const struct bc_root *root = &assembler->roots[i];

		if (!write_node_tags(assembler, &to, root->node,
				     bc_interned_tag_count(assembler->interner, root->node),
				     first_id + i) ||
		    !write_root_tags(assembler, &to, root, first_id + i))
			return false;
	}
	return true;
}

#define VAR_WORDS (BC_HEAD_WORDS + 1)
#define ENTRY_WORDS 3

/* Where variables are written to: behind the last type. */
struct variable_writer {
	struct bc_graph *out;
	uint32_t *start, *words;
	uint32_t *entries; /* of the section at hand */
	uint32_t entry_count;
	uint64_t end; /* of the last entry, in the section */
	struct bc_sizes sizes;
};

/* Kernels want entries that have a size and do not overlap: of several at one place the first stays. */
static bool has_place(const struct variable_writer *writer, const struct bc_root *root,
		      uint32_t type, uint64_t *size)
{
	*size = writer->sizes.form[type] == BC_FORM_SIZED ? writer->sizes.size_bytes[type] : 0;
	return *size && root->offset + *size <= UINT32_MAX && root->offset >= writer->end;
}

static bool write_variable(struct assembler *assembler, struct variable_writer *writer,
			   const struct bc_root *root, uint32_t type, uint32_t size)
{
	uint32_t *count = &writer->out->type_count, *start = writer->start;
	uint32_t *var = writer->words + start[*count];
	uint32_t *entry = writer->entries + ENTRY_WORDS * writer->entry_count++;

	writer->end = (uint64_t)root->offset + size;
	if (!add_string(assembler, root->name, &var[0]))
		return false;
	var[1] = bc_info(BC_VAR, 0, false);
	var[2] = type;
	var[3] = root->is_external;
	start[*count + 1] = start[*count] + VAR_WORDS;
	entry[0] = ++*count;
	entry[1] = root->offset;
	entry[2] = size;
	var += VAR_WORDS;
	if (!write_root_tags(assembler, &var, root, *count))
		return false;
	for (uint32_t j = count_tags(root); j > 0; j--, (*count)++)
		start[*count + 1] = start[*count] + TAG_WORDS;
	return true;
}

/* The section of the entries there are; from here on there are none. */
static bool write_section(struct assembler *assembler, struct variable_writer *writer,
			  const char *name)
{
	uint32_t *count = &writer->out->type_count, *start = writer->start;
	uint32_t *section = writer->words + start[*count];
	uint32_t entry_words = ENTRY_WORDS * writer->entry_count;

	if (writer->entry_count) {
		if (!add_string(assembler, name, &section[0]))
			return false;
		section[1] = bc_info(BC_DATASEC, writer->entry_count, false);
		section[2] = (uint32_t)writer->end;
		memcpy(section + BC_HEAD_WORDS, writer->entries, entry_words * sizeof(*section));
		start[*count + 1] = start[*count] + BC_HEAD_WORDS + entry_words;
		(*count)++;
	}
	writer->entry_count = 0;
	writer->end = 0;
	return true;
}

/* Variables, those of a section followed by the section. */
static bool write_variables(struct assembler *assembler, struct bc_graph *out,
			    struct bc_assemble_stats *stats)
{
	const struct bc_root *roots = assembler->roots;
	uint32_t end = assembler->root_count, first = assembler->function_count;
	struct variable_writer writer = { .out = out,
					  .start = (uint32_t *)out->start,
					  .words = (uint32_t *)out->words };

	writer.entries = bc_arena_alloc(assembler->scratch, end - first,
					ENTRY_WORDS * sizeof(*writer.entries), assembler->err);
	if (!writer.entries ||
	    !bc_sizes_compute(&writer.sizes, out, assembler->scratch, assembler->err))
		return false;
	for (uint32_t i = first; i < end; i++) {
		uint32_t type = assembler->root_types[i];
		uint64_t size;

		if (!has_place(&writer, &roots[i], type, &size))
			stats->variables_left_out++;
		else if (!write_variable(assembler, &writer, &roots[i], type, (uint32_t)size))
			return false;
		else
			stats->variables++;
		if ((i + 1 == end || roots[i + 1].section_number != roots[i].section_number) &&
		    !write_section(assembler, &writer, roots[i].section))
			return false;
	}
	return true;
}

static uint32_t count_sections(const struct assembler *assembler)
{
	uint32_t count = 0;

	for (uint32_t i = assembler->function_count; i < assembler->root_count; i++)
		count += i + 1 == assembler->root_count ||
			 assembler->roots[i].section_number !=
				 assembler->roots[i + 1].section_number;
	return count;
}

static bool emit(struct assembler *assembler, struct bc_graph *out, const uint32_t *references)
{
	uint32_t count = assembler->item_count, *start, *words, offset;
	uint64_t at = 0, int_at, roots_at, tags_at;
	uint32_t variable_tags, tag_count = count_all_tags(assembler, &variable_tags);
	uint32_t section_count = count_sections(assembler);
	uint32_t first_function;
	bool adds_int;

	find_index_type(assembler);
	adds_int = !assembler->index_type && has_arrays(assembler);
	if (adds_int)
		assembler->index_type = count + 1;
	start = bc_arena_alloc(assembler->arena,
			       (size_t)count + assembler->root_count + tag_count + variable_tags +
				       section_count + 2,
			       sizeof(*start), assembler->err);
	if (!start)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		start[i] = (uint32_t)at;
		at += item_words(assembler, &assembler->items[i]);
	}
	start[count] = (uint32_t)at;
	int_at = at;
	if (adds_int)
		start[++count] = (uint32_t)(at += INT_WORDS);
	roots_at = at;
	first_function = count + 1;
	for (uint32_t i = 0; i < assembler->function_count; i++)
		start[++count] = (uint32_t)(at += BC_HEAD_WORDS);
	tags_at = at;
	for (uint32_t i = 0; i < tag_count; i++)
		start[++count] = (uint32_t)(at += TAG_WORDS);
	at += (uint64_t)(assembler->root_count - assembler->function_count) *
		      (VAR_WORDS + ENTRY_WORDS) +
	      (uint64_t)section_count * BC_HEAD_WORDS + (uint64_t)variable_tags * TAG_WORDS;
	if (at > UINT32_MAX / 4)
		return bc_err_set(assembler->err, "the types go beyond 4 GiB");
	words = bc_arena_alloc(assembler->arena, at, sizeof(*words), assembler->err);
	if (!words || !add_string(assembler, "", &offset))
		return false;
	for (uint32_t i = 0; i < assembler->item_count; i++)
		if (!write_item(assembler, &assembler->items[i], words + start[i], &references))
			return false;
	if (adds_int) {
		const uint32_t usual[INT_WORDS] = { 0, bc_info(BC_INT, 0, false), 4,
						    1u << 24 | 32 };

		memcpy(words + int_at, usual, sizeof(usual));
		if (!add_string(assembler, "int", &words[int_at]))
			return false;
	}
	if (!write_functions(assembler, words + roots_at) ||
	    !write_tags(assembler, words + tags_at, first_function))
		return false;
	out->first_id = 1;
	out->type_count = count;
	out->start = start;
	out->words = words;
	return true;
}

static bool take_strings(struct assembler *assembler, struct bc_graph *out)
{
	char *strings = bc_arena_alloc(assembler->arena, assembler->string_bytes, 1,
				       assembler->err);

	if (!strings)
		return false;
	memcpy(strings, assembler->strings, assembler->string_bytes);
	out->strings = strings;
	out->string_bytes = assembler->string_bytes;
	return true;
}

static bool assemble(struct assembler *assembler, struct bc_graph *out,
		     const struct bc_meaning *meanings, uint32_t meaning_count,
		     struct instance_references *references, struct bc_assemble_stats *stats)
{
	size_t numbers = (size_t)assembler->census->node_count + 1;
	struct bc_arena *scratch = assembler->scratch;

	assembler->type_of = bc_arena_zalloc(scratch, numbers, sizeof(uint32_t), assembler->err);
	assembler->instance_of = bc_arena_alloc(scratch, numbers, sizeof(uint32_t), assembler->err);
	assembler->own_under = bc_arena_zalloc(scratch, numbers, sizeof(uint32_t), assembler->err);
	assembler->root_types = bc_arena_zalloc(scratch, assembler->root_count, sizeof(uint32_t),
						assembler->err);
	return assembler->type_of && assembler->instance_of && assembler->own_under &&
	       assembler->root_types && order_roots(assembler) && number_plain(assembler) &&
	       instantiate(assembler, meanings, meaning_count, references, stats) &&
	       emit(assembler, out, references->ids) &&
	       (assembler->function_count == assembler->root_count ||
		write_variables(assembler, out, stats)) &&
	       take_strings(assembler, out);
}

bool bc_assemble(struct bc_graph *out, const struct bc_graph *pattern,
		 const struct bc_census *census, const uint8_t *plain,
		 const struct bc_string_ids *names, const struct bc_meaning *meanings,
		 uint32_t meaning_count, const struct bc_root *roots, uint32_t root_count,
		 struct bc_assemble_stats *stats, struct bc_arena *arena, struct bc_err *err)
{
	struct instance_references references = { 0 };
	struct bc_arena scratch = { 0 };
	struct assembler assembler = {
		.census = census,
		.interner = census->interner,
		.plain = plain,
		.names = names,
		.roots = roots,
		.root_count = root_count,
		.arena = arena,
		.scratch = &scratch,
		.err = err,
	};
	struct bc_graph result = *pattern;
	bool done;

	*stats = (struct bc_assemble_stats){ 0 };
	while (assembler.function_count < root_count &&
	       !roots[assembler.function_count].is_variable)
		assembler.function_count++;
	done = assemble(&assembler, &result, meanings, meaning_count, &references, stats);
	if (done)
		*out = result;
	free(references.ids);
	free(assembler.items);
	free(assembler.strings);
	bc_arena_free(&scratch);
	return done;
}

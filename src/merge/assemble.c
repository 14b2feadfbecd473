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
 * 3. [bc_assembler_emit] (emit.c) words with ids for references and offsets for names.
 */
#include "merge/assemble.h"

#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "merge/assembler.h"

static bool add_item(struct bc_assembler *assembler, uint32_t node, uint32_t meaning, uint32_t *id)
{
	if (assembler->item_count == assembler->item_limit) {
		uint32_t limit = assembler->item_limit ? 2 * assembler->item_limit : 4096;
		struct bc_item *items = limit > assembler->item_limit ?
						bc_realloc(assembler->items, limit,
							   sizeof(*items)) :
						NULL;

		if (!items)
			return bc_err_memory(assembler->err, (uint64_t)limit * sizeof(*items));
		assembler->items = items;
		assembler->item_limit = limit;
	}
	assembler->items[assembler->item_count++] = (struct bc_item){ node, meaning };
	*id = assembler->item_count;
	return true;
}

/* ---- 1. plain meanings ---- */

/* Number of the node that *ID plainly is, which it becomes: its body's, or its own. */
static uint32_t plain_number(const struct bc_assembler *assembler, uint32_t *id)
{
	const struct bc_census *census = assembler->census;
	uint32_t number = bc_census_number(census, *id), body;
	const uint32_t *leaf = bc_interned(assembler->interner, *id);

	if (!bc_is_leaf(leaf) || !leaf[BC_LEAF_BODY] || census->conflicted[number])
		return number;
	body = bc_census_number(census, leaf[BC_LEAF_BODY]);
	if (census->tainted[body] && !assembler->plain[body] && !bc_info_kflag(leaf[BC_LEAF_INFO]))
		return number;
	*id = leaf[BC_LEAF_BODY];
	return body;
}

bool bc_assembler_find_plain(struct bc_assembler *assembler, uint32_t id, uint32_t *type)
{
	uint32_t number = plain_number(assembler, &id);

	if (!assembler->type_of[number] && !add_item(assembler, id, 0, &assembler->type_of[number]))
		return false;
	*type = assembler->type_of[number];
	return true;
}

static bool number_plain(struct bc_assembler *assembler)
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
			if (!bc_assembler_find_plain(assembler, id, &type))
				return false;
	}
	return true;
}

/* The type that node ID plainly is; 0: not (yet) made. */
static uint32_t known_plain(const struct bc_assembler *assembler, uint32_t id)
{
	return assembler->type_of[plain_number(assembler, &id)];
}

/* What is asked of all items, by threads. */
struct lack_job {
	const struct bc_assembler *assembler;
	uint8_t *lacks; /* by item: some plain type that it refers to has not been made */
};

static bool lacks_plain(const struct bc_assembler *assembler, const struct bc_item *item)
{
	const uint32_t *node = bc_interned(assembler->interner, item->node);
	struct bc_edges edges = bc_edges(node);

	if (item->meaning || bc_is_leaf(node))
		return false;
	for (uint32_t i = 0; i < edges.count; i++) {
		uint32_t id = bc_edge(node, edges, i);

		if (id && id != BC_INDEX_TYPE && !known_plain(assembler, id))
			return true;
	}
	return false;
}

static void find_lacking(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct lack_job *job = context;

	(void)worker;
	for (uint32_t i = begin; i < end; i++)
		job->lacks[i] = lacks_plain(job->assembler, &job->assembler->items[i]);
}

/* What plain types refer to, until nothing new comes: mostly all is there. */
static bool follow_plain(struct bc_assembler *assembler)
{
	uint32_t known = assembler->item_count;
	struct lack_job job = { assembler,
				bc_arena_alloc(assembler->scratch, known, 1, assembler->err) };

	if (!job.lacks)
		return false;
	bc_workers_share(assembler->workers, known, BC_ITEMS_AT_ONCE, find_lacking, &job);
	for (uint32_t i = 0; i < assembler->item_count; i++) {
		const uint32_t *node = bc_interned(assembler->interner, assembler->items[i].node);
		struct bc_edges edges = bc_edges(node);
		uint32_t type;

		if (!(i < known ? job.lacks[i] : lacks_plain(assembler, &assembler->items[i])))
			continue;
		for (uint32_t j = 0; j < edges.count; j++) {
			uint32_t id = bc_edge(node, edges, j);

			if (id && id != BC_INDEX_TYPE &&
			    !bc_assembler_find_plain(assembler, id, &type))
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
static bool find_type(struct bc_assembler *assembler, const struct bc_meaning *meaning,
		      uint32_t meaning_number, uint32_t id, uint32_t *type)
{
	const uint32_t *node = bc_interned(assembler->interner, id);
	uint32_t body = 0, number;

	if (bc_is_leaf(node))
		body = bc_info_kflag(node[BC_LEAF_INFO]) ? node[BC_LEAF_BODY] :
							   body_under(meaning, id);
	number = bc_census_number(assembler->census, body ? body : id);
	if (assembler->own_under[number] != meaning_number)
		return bc_assembler_find_plain(assembler, body ? body : id, type);
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

static bool keep_reference(struct bc_assembler *assembler, struct instance_references *references,
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
static bool keep_references(struct bc_assembler *assembler, const struct bc_meaning *meaning,
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
static void claim_nodes(struct bc_assembler *assembler, const struct bc_meaning *meaning,
			uint32_t meaning_number)
{
	for (uint32_t i = 0; i < meaning->node_count; i++) {
		uint32_t number = bc_census_number(assembler->census, meaning->nodes[i]);

		assembler->own_under[number] = meaning_number;
		assembler->instance_of[number] = 0;
	}
}

/* Lists, by unit, the roots of units that have a meaning. */
static bool order_roots(struct bc_assembler *assembler, const struct bc_meaning *meanings,
			uint32_t meaning_count)
{
	struct bc_arena *scratch = assembler->scratch;
	uint32_t end = 0, count = assembler->root_count;
	struct bc_keyed *spare;
	uint8_t *wanted; /* by unit */

	for (uint32_t i = 0; i < meaning_count; i++)
		end = meanings[i].unit >= end ? meanings[i].unit + 1 : end;
	wanted = bc_arena_zalloc(scratch, end, 1, assembler->err);
	assembler->root_order = bc_arena_alloc(scratch, count, sizeof(*assembler->root_order),
					       assembler->err);
	spare = bc_arena_alloc(scratch, count, sizeof(*spare), assembler->err);
	if (!wanted || !assembler->root_order || !spare)
		return false;
	for (uint32_t i = 0; i < meaning_count; i++)
		wanted[meanings[i].unit] = 1;
	for (uint32_t i = 0; i < count; i++)
		if (assembler->roots[i].unit < end && wanted[assembler->roots[i].unit])
			assembler->root_order[assembler->ordered_count++] =
				(struct bc_keyed){ assembler->roots[i].unit, i };
	bc_sort_keyed(assembler->root_order, spare, assembler->ordered_count);
	return true;
}

/* Where the roots of a unit begin in that list. */
static uint32_t first_root(const struct bc_assembler *assembler, uint32_t unit)
{
	return bc_find_keyed(assembler->root_order, assembler->ordered_count, unit);
}

/* Roots of the units [begin, end) of one meaning. */
static bool take_roots(struct bc_assembler *assembler, const struct bc_meaning **sorted,
		       uint32_t begin, uint32_t end, uint32_t meaning_number)
{
	const struct bc_keyed *order = assembler->root_order;

	for (uint32_t i = begin; i < end; i++) {
		uint32_t at = first_root(assembler, sorted[i]->unit);

		for (; at < assembler->ordered_count && order[at].key == sorted[i]->unit; at++)
			if (!find_type(assembler, sorted[begin], meaning_number,
				       assembler->roots[order[at].value].node,
				       &assembler->root_types[order[at].value]))
				return false;
	}
	return true;
}

static void take_known_roots(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	struct bc_assembler *assembler = context;

	(void)worker;
	for (uint32_t j = begin; j < end; j++)
		if (!assembler->root_types[j])
			assembler->root_types[j] = known_plain(assembler, assembler->roots[j].node);
}

/* All other roots mean plainly what they say. */
static bool take_plain_roots(struct bc_assembler *assembler)
{
	bc_workers_share(assembler->workers, assembler->root_count, BC_ITEMS_AT_ONCE,
			 take_known_roots, assembler);
	for (uint32_t j = 0; j < assembler->root_count; j++)
		if (!assembler->root_types[j] &&
		    !bc_assembler_find_plain(assembler, assembler->roots[j].node,
					     &assembler->root_types[j]))
			return false;
	return true;
}

static bool instantiate(struct bc_assembler *assembler, const struct bc_meaning *meanings,
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

uint32_t bc_root_tag_count(const struct bc_root *root)
{
	uint32_t count = 0;

	while (root->tags && root->tags[count])
		count++;
	return count;
}

void bc_write_tag(uint32_t *to, uint32_t name, uint32_t type, uint32_t component)
{
	to[0] = name;
	to[1] = bc_info(BC_DECL_TAG, 0, false);
	to[2] = type;
	to[3] = component;
}

uint32_t bc_assembler_add_string(struct bc_assembler *assembler, const char *text)
{
	uint32_t offset = (uint32_t)assembler->string_bytes;

	if (!*text)
		return 0;
	assembler->string_bytes += strlen(text) + 1;
	strcpy(assembler->strings + offset, text);
	return offset;
}

void bc_assembler_write_root_tags(struct bc_assembler *assembler, uint32_t **to,
				  const struct bc_root *root, uint32_t type)
{
	uint32_t count = bc_root_tag_count(root);

	for (uint32_t i = 0; i < count; i++, *to += BC_TAG_WORDS)
		bc_write_tag(*to, bc_assembler_add_string(assembler, root->tags[i]), type,
			     UINT32_MAX);
}

static bool assemble(struct bc_assembler *assembler, struct bc_graph *out,
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
	       assembler->root_types && order_roots(assembler, meanings, meaning_count) &&
	       number_plain(assembler) &&
	       instantiate(assembler, meanings, meaning_count, references, stats) &&
	       bc_assembler_emit(assembler, out, references->ids) &&
	       (assembler->function_count == assembler->root_count ||
		bc_assembler_emit_variables(assembler, out, stats));
}

bool bc_assemble(struct bc_graph *out, const struct bc_graph *pattern,
		 const struct bc_census *census, const uint8_t *plain,
		 const struct bc_string_ids *names, const struct bc_meaning *meanings,
		 uint32_t meaning_count, const struct bc_root *roots, uint32_t root_count,
		 struct bc_assemble_stats *stats, struct bc_workers *workers,
		 struct bc_arena *arena, struct bc_err *err)
{
	struct instance_references references = { 0 };
	struct bc_arena scratch = { 0 };
	struct bc_assembler assembler = {
		.census = census,
		.interner = census->interner,
		.plain = plain,
		.names = names,
		.roots = roots,
		.root_count = root_count,
		.workers = workers,
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
	bc_arena_free(&scratch);
	return done;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * From a unit's graph to interned nodes, bottom-up.
 *
 * 1. [name_tags] every tag gets its leaf, so that references to it need
 *    nothing else. A tag of which the unit has several bodies gets a private leaf
 *    for each: a reference is to one body, not to a name. So does one of which
 *    the unit has a body and a declaration that does not mean it: that of
 *    another unit, or its own where the body is another unit's.
 * 2. [resolve] a depth-first search with a stack of its own interns each node
 *    when all it refers to is interned. A reference to a node that is still
 *    open closes a cycle without a tag: the open node gets a private leaf,
 *    which cuts it.
 * 3. Bodies are given to their leaves as they come.
 */
#include "merge/local.h"

#include "base/room.h"

#include <stdlib.h>
#include <string.h>

/* What stands for the node of a type as long as nobody knows it; no node has such an id. */
enum { UNKNOWN = 1, OPEN = 2 };

/* What a unit says of a tag: counts for the unit whose generation it is. */
struct bc_tag_census {
	uint32_t generation;
	uint32_t body;     /* number of the last type with a body; 0: none */
	uint32_t own_body; /* the same, of those that are not elsewhere */
	bool has_several, has_several_own;
	bool is_declared, is_declared_elsewhere;
};

/* A type that is open, and its references from the next one on. */
struct bc_local_frame {
	uint32_t *at, *end;
	uint32_t stride;
	uint32_t number;
};

struct resolver {
	struct bc_local *local;
	struct bc_intern_worker *worker;
	uint64_t *place;
	struct bc_err *err;
};

void bc_local_free(struct bc_local *local)
{
	free(local->types);
	free(local->nodes);
	bc_number_map_free(&local->numbers);
	free(local->words);
	free(local->tags);
	free(local->census);
	free(local->stack);
	*local = (struct bc_local){ 0 };
}

/* Nothing of the unit that was read before has a number any more. */
static void forget_numbers(struct bc_local *local)
{
	for (uint32_t number = 1; number <= local->type_count; number++) {
		const struct bc_local_type *type = bc_local_type(local, number);

		if (!type->elsewhere)
			bc_number_map_forget(&local->numbers, (uint32_t)type->place);
	}
}

void bc_local_clear(struct bc_local *local, uint32_t home)
{
	forget_numbers(local);
	local->type_count = 0;
	local->word_count = 0;
	local->home = home;
	local->generation++;
	local->wants_foreign_bodies = false;
}

uint32_t bc_local_add(struct bc_local *local, uint64_t place, enum bc_local_role role,
		      struct bc_err *err)
{
	if (local->type_count == local->type_limit &&
	    !bc_make_room(&local->types, &local->type_limit, (uint64_t)local->type_count + 1,
			  sizeof(*local->types), err))
		return 0;
	local->types[local->type_count++] = (struct bc_local_type){ .place = place,
								    .role = (uint8_t)role };
	return local->type_count;
}

static bool make_census_room(struct bc_local *local, uint32_t index, struct bc_err *err)
{
	uint32_t before = local->census_limit;

	if (index < before)
		return true;
	if (!bc_make_room(&local->census, &local->census_limit, (uint64_t)index + 1,
			  sizeof(*local->census), err))
		return false;
	memset(local->census + before, 0, (local->census_limit - before) * sizeof(*local->census));
	return true;
}

static bool is_tag(const struct bc_local_type *type)
{
	return type->role == BC_LOCAL_BODY || type->role == BC_LOCAL_DECLARATION;
}

static void count_tag(struct bc_local *local, struct bc_tag_census *tag, uint32_t number)
{
	const struct bc_local_type *type = bc_local_type(local, number);

	if (tag->generation != local->generation)
		*tag = (struct bc_tag_census){ .generation = local->generation };
	if (type->role == BC_LOCAL_DECLARATION) {
		tag->is_declared |= !type->elsewhere;
		tag->is_declared_elsewhere |= type->elsewhere;
		return;
	}
	tag->has_several |= tag->body != 0;
	if (!type->elsewhere) {
		tag->has_several_own |= tag->own_body != 0;
		tag->own_body = number;
	}
	tag->body = number;
}

/*
 * Whether one leaf is not enough for what the unit says of a tag: a
 * reference is to a DIE, not to a name. A declaration means a body only if that is
 * the only one of its own unit.
 */
static bool is_split(const struct bc_tag_census *tag)
{
	if (!tag->body)
		return false;
	return tag->has_several || tag->is_declared_elsewhere ||
	       (tag->is_declared && !tag->own_body);
}

/* Gives a tag its leaf and counts what the unit says of it; *SPLITS: too much. */
static inline bool find_leaf(struct resolver *resolver, uint32_t number, bool *splits)
{
	struct bc_local *local = resolver->local;
	struct bc_local_type *type = bc_local_type(local, number);
	uint32_t leaf = bc_intern_leaf(resolver->worker, type->tag_class, type->name,
				       resolver->err);
	const uint32_t *node = bc_interned(resolver->worker->interner, leaf);
	uint32_t index = node[BC_LEAF_INDEX];

	if (!leaf)
		return false;
	if (!node[BC_LEAF_NAME]) {
		/* A name without text is none, and what is no tag has to be here. */
		local->wants_foreign_bodies |= type->unread;
		type->role = BC_LOCAL_NODE;
		return true;
	}
	if (!make_census_room(local, index, resolver->err))
		return false;
	local->nodes[number] = leaf;
	local->tags[local->tag_count++] = (struct bc_local_tag){ number, index };
	count_tag(local, &local->census[index], number);
	*splits |= is_split(&local->census[index]);
	return true;
}

static bool find_leaves(struct resolver *resolver, bool *splits)
{
	struct bc_local *local = resolver->local;

	if (!bc_make_room(&local->nodes, &local->node_limit, (uint64_t)local->type_count + 1,
			  sizeof(*local->nodes), resolver->err) ||
	    !bc_make_room(&local->tags, &local->tag_limit, local->type_count, sizeof(*local->tags),
			  resolver->err))
		return false;
	local->tag_count = 0;
	local->nodes[0] = 0;
	for (uint32_t number = 1; number <= local->type_count; number++) {
		local->nodes[number] = UNKNOWN;
		if (is_tag(bc_local_type(local, number)) && !find_leaf(resolver, number, splits))
			return false;
	}
	return true;
}

/* Bodies of tags that are split get leaves of their own. */
static bool split_bodies(struct resolver *resolver)
{
	struct bc_local *local = resolver->local;

	for (uint32_t i = 0; i < local->tag_count; i++) {
		const struct bc_local_type *type = bc_local_type(local, local->tags[i].number);
		uint32_t *node = &local->nodes[local->tags[i].number];

		if (!is_split(&local->census[local->tags[i].leaf_index]))
			continue;
		local->wants_foreign_bodies |= type->unread;
		if (type->role != BC_LOCAL_BODY)
			continue;
		*node = bc_intern_private_leaf(resolver->worker, *node, local->home, type->place,
					       resolver->err);
		if (!*node)
			return false;
	}
	return true;
}

/* The unit's declarations of a split tag mean its only own body, if there is just one. */
static void split_declarations(struct bc_local *local)
{
	for (uint32_t i = 0; i < local->tag_count; i++) {
		const struct bc_local_type *type = bc_local_type(local, local->tags[i].number);
		const struct bc_tag_census *tag = &local->census[local->tags[i].leaf_index];

		if (type->role == BC_LOCAL_DECLARATION && !type->elsewhere && is_split(tag) &&
		    tag->own_body && !tag->has_several_own)
			local->nodes[local->tags[i].number] = local->nodes[tag->own_body];
	}
}

static bool name_tags(struct resolver *resolver)
{
	bool splits = false;

	if (!find_leaves(resolver, &splits))
		return false;
	if (!splits)
		return true;
	if (!split_bodies(resolver))
		return false;
	split_declarations(resolver->local);
	return true;
}

static bool is_alias(const struct bc_local *local, uint32_t number)
{
	return number && bc_local_type(local, number)->role == BC_LOCAL_ALIAS;
}

/* The type with NUMBER refers to what is not there; always false. */
static bool refuse_label(struct resolver *resolver, uint32_t number, uint32_t label)
{
	*resolver->place = bc_local_type(resolver->local, number)->place;
	return bc_err_set(resolver->err, "a reference to 0x%x, where no type is", label);
}

/* What the alias with NUMBER is: a number, or 0. */
static bool take_alias(struct resolver *resolver, uint32_t number, uint32_t *target)
{
	const struct bc_local *local = resolver->local;
	uint32_t label = local->words[bc_local_type(local, number)->first_word];

	*target = bc_local_number(local, label);
	return *target || !label || refuse_label(resolver, number, label);
}

static uint32_t label_of(uint32_t number)
{
	return number ? BC_LABEL_NUMBER | number : 0;
}

/* Where aliases lead: a number, or 0. All on the way lead there from now on. */
static bool follow_aliases(struct resolver *resolver, uint32_t *number)
{
	struct bc_local *local = resolver->local;
	uint32_t end = *number, steps = 0;

	while (is_alias(local, end)) {
		if (steps++ > local->type_count) {
			*resolver->place = bc_local_type(local, end)->place;
			return bc_err_set(resolver->err, "a type that refers only to itself");
		}
		if (!take_alias(resolver, end, &end))
			return false;
	}
	while (is_alias(local, *number)) {
		uint32_t *word = &local->words[bc_local_type(local, *number)->first_word];

		*number = bc_local_number(local, *word);
		*word = label_of(end);
	}
	return true;
}

static inline bool is_known(uint32_t node)
{
	return node != UNKNOWN && node != OPEN;
}

/* The node of a type whose references are node ids by now. */
static inline uint32_t intern(struct resolver *resolver, const uint32_t *words, uint32_t count)
{
	return bc_node_kind(words) == BC_PTR && count == BC_HEAD_WORDS ?
		       bc_intern_pointer(resolver->worker, words[2], resolver->err) :
		       bc_intern(resolver->worker, words, count, resolver->err);
}

/* Finishes a type whose references are node ids by now. */
static inline bool close_type(struct resolver *resolver, uint32_t number)
{
	struct bc_local *local = resolver->local;
	struct bc_local_type *type = bc_local_type(local, number);
	const uint32_t *words = local->words + type->first_word;
	uint32_t *node = &local->nodes[number];

	if (*node == OPEN) {
		*node = intern(resolver, words, type->word_count);
		return *node;
	}
	/* References mean a leaf: that of the tag, or one that cuts a cycle. */
	type->body = bc_intern_body(resolver->worker, *node, words, type->word_count,
				    resolver->err);
	return type->body;
}

/* Puts the type with NUMBER on the stack, on which DEPTH are. */
static inline bool open_type(struct resolver *resolver, uint32_t number, uint32_t depth)
{
	struct bc_local *local = resolver->local;
	uint32_t *words = local->words + bc_local_type(local, number)->first_word;
	struct bc_edges edges = bc_edges(words);

	if (!bc_make_room(&local->stack, &local->stack_limit, (uint64_t)depth + 1,
			  sizeof(*local->stack), resolver->err))
		return false;
	/* Not the index type of an array. */
	if (bc_node_kind(words) == BC_ARRAY)
		edges.count = 1;
	local->stack[depth] = (struct bc_local_frame){
		.at = words + edges.first,
		.end = words + bc_edge_word(edges, edges.count),
		.stride = edges.stride,
		.number = number,
	};
	if (local->nodes[number] == UNKNOWN)
		local->nodes[number] = OPEN;
	return true;
}

/* Makes nodes of the references up to one that is not known yet; whether that was all. */
static inline bool take_known_references(const struct bc_local *local, struct bc_local_frame *frame)
{
	const uint32_t *nodes = local->nodes;
	uint32_t *at = frame->at, *end = frame->end;

	for (uint32_t stride = frame->stride; at != end; at += stride) {
		uint32_t number = bc_local_number(local, *at), node = nodes[number];

		if (!is_known(node) || (!number && *at))
			break;
		*at = node;
	}
	frame->at = at;
	return at == end;
}

/* Only links from the type with NUMBER to the one at TOP of the stack: such a type has no content. */
static bool refuse_link_cycle(struct resolver *resolver, uint32_t top, uint32_t number)
{
	struct bc_local *local = resolver->local;

	for (;; top--) {
		const struct bc_local_type *type = bc_local_type(local, local->stack[top].number);
		uint32_t kind = bc_info_kind(local->words[type->first_word + 1]);

		if (kind != BC_TYPEDEF && kind != BC_ARRAY && !bc_kind_is_modifier(kind))
			return true;
		if (local->stack[top].number == number)
			break;
	}
	*resolver->place = bc_local_type(local, number)->place;
	return bc_err_set(resolver->err, "a type that is made only of itself");
}

/* The type at TOP of the stack refers to one that is still open: a leaf cuts the cycle. */
static bool cut(struct resolver *resolver, uint32_t top, uint32_t number)
{
	struct bc_local *local = resolver->local;
	uint32_t leaf;

	if (!refuse_link_cycle(resolver, top, number))
		return false;
	leaf = bc_intern_private_leaf(resolver->worker, 0, local->home,
				      bc_local_type(local, number)->place, resolver->err);
	local->nodes[number] = leaf;
	return leaf;
}

/*
 * Opens the type that the next reference of the type at the top of the stack
 * names, and that is not known, unless it is only an alias.
 */
static bool descend(struct resolver *resolver, uint32_t *depth)
{
	struct bc_local *local = resolver->local;
	struct bc_local_frame *top = &local->stack[*depth - 1];
	uint32_t number = bc_local_number(local, *top->at);

	if (!number)
		return refuse_label(resolver, top->number, *top->at);
	if (is_alias(local, number)) {
		if (!follow_aliases(resolver, &number))
			return false;
		*top->at = label_of(number);
		return true;
	}
	if (local->nodes[number] == OPEN)
		return cut(resolver, *depth - 1, number);
	return open_type(resolver, number, (*depth)++);
}

static inline bool resolve(struct resolver *resolver, uint32_t number)
{
	struct bc_local *local = resolver->local;
	uint32_t depth = 1;

	if (!open_type(resolver, number, 0))
		return false;
	while (depth) {
		struct bc_local_frame *top = &local->stack[depth - 1];

		if (!take_known_references(local, top)) {
			if (!descend(resolver, &depth))
				return false;
			continue;
		}
		if (!close_type(resolver, top->number))
			return false;
		depth--;
	}
	return true;
}

/* A reference to an alias means what it leads to. */
static bool settle_aliases(struct resolver *resolver)
{
	struct bc_local *local = resolver->local;

	for (uint32_t number = 1; number <= local->type_count; number++) {
		uint32_t end = number;

		if (!follow_aliases(resolver, &end))
			return false;
		local->nodes[number] = local->nodes[end];
	}
	return true;
}

static bool resolve_all(struct resolver *resolver)
{
	struct bc_local *local = resolver->local;
	bool has_aliases = false;

	for (uint32_t number = 1; number <= local->type_count; number++) {
		const struct bc_local_type *type = bc_local_type(local, number);

		has_aliases |= type->role == BC_LOCAL_ALIAS;
		if (type->role == BC_LOCAL_NODE ? is_known(local->nodes[number]) :
						  type->role != BC_LOCAL_BODY || type->unread)
			continue;
		if (!resolve(resolver, number))
			return false;
	}
	return !has_aliases || settle_aliases(resolver);
}

bool bc_local_intern(struct bc_local *local, struct bc_intern_worker *worker, uint64_t *place,
		     struct bc_err *err)
{
	struct resolver resolver = { local, worker, place, err };

	*place = 0;
	return name_tags(&resolver) && (local->wants_foreign_bodies || resolve_all(&resolver));
}

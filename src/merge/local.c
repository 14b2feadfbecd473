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

enum state { NEW, OPEN, CUT, DONE }; /* CUT: open, and its node is a private leaf already */

/* What a unit says of a tag: counts for the unit whose generation it is. */
struct bc_tag_census {
	uint32_t generation;
	uint32_t body;     /* number of the last type with a body; 0: none */
	uint32_t own_body; /* the same, of those that are not elsewhere */
	bool has_several, has_several_own;
	bool is_declared, is_declared_elsewhere;
};

struct bc_local_frame {
	uint32_t number;
	uint32_t next_edge;
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
	free(local->words);
	free(local->tags);
	free(local->stack);
	*local = (struct bc_local){ 0 };
}

void bc_local_clear(struct bc_local *local, uint32_t home)
{
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

bool bc_local_reserve(struct bc_local *local, uint32_t count, uint32_t *first, struct bc_err *err)
{
	uint64_t wanted = (uint64_t)local->word_count + count;

	if (wanted > local->word_limit &&
	    !bc_make_room(&local->words, &local->word_limit, wanted, sizeof(*local->words), err))
		return false;
	*first = local->word_count;
	local->word_count = (uint32_t)wanted;
	return true;
}

static bool make_tag_room(struct bc_local *local, uint32_t index, struct bc_err *err)
{
	uint32_t before = local->tag_limit;

	if (index < before)
		return true;
	if (!bc_make_room(&local->tags, &local->tag_limit, (uint64_t)index + 1,
			  sizeof(*local->tags), err))
		return false;
	memset(local->tags + before, 0, (local->tag_limit - before) * sizeof(*local->tags));
	return true;
}

static bool is_tag(const struct bc_local_type *type)
{
	return type->role == BC_LOCAL_BODY || type->role == BC_LOCAL_DECLARATION;
}

static struct bc_tag_census *tag_census(const struct resolver *resolver, uint32_t leaf)
{
	const uint32_t *node = bc_interned(resolver->worker->interner, leaf);

	return &resolver->local->tags[node[BC_LEAF_INDEX]];
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

/* Gives each tag its leaf and counts what the unit says of it; *SPLITS: of some too much. */
static bool find_leaves(struct resolver *resolver, bool *splits)
{
	struct bc_local *local = resolver->local;

	for (uint32_t number = 1; number <= local->type_count; number++) {
		struct bc_local_type *type = bc_local_type(local, number);
		struct bc_tag_census *tag;
		uint32_t index;

		if (!is_tag(type))
			continue;
		type->node = bc_intern_leaf(resolver->worker, type->tag_class, type->name,
					    resolver->err);
		if (!type->node)
			return false;
		if (!bc_interned(resolver->worker->interner, type->node)[BC_LEAF_NAME]) {
			/* A name without text is none, and what is no tag has to be here. */
			local->wants_foreign_bodies |= type->unread;
			type->role = BC_LOCAL_NODE;
			type->node = 0;
			continue;
		}
		type->is_known = true;
		index = bc_interned(resolver->worker->interner, type->node)[BC_LEAF_INDEX];
		if (!make_tag_room(local, index, resolver->err))
			return false;
		tag = &local->tags[index];
		count_tag(local, tag, number);
		*splits |= is_split(tag);
	}
	return true;
}

/* Bodies of tags that are split get leaves of their own. */
static bool split_bodies(struct resolver *resolver)
{
	struct bc_local *local = resolver->local;

	for (uint32_t number = 1; number <= local->type_count; number++) {
		struct bc_local_type *type = bc_local_type(local, number);

		if (!is_tag(type) || !is_split(tag_census(resolver, type->node)))
			continue;
		local->wants_foreign_bodies |= type->unread;
		if (type->role != BC_LOCAL_BODY)
			continue;
		type->node = bc_intern_private_leaf(resolver->worker, type->node, local->home,
						    type->place, resolver->err);
		if (!type->node)
			return false;
	}
	return true;
}

/* The unit's declarations of a split tag mean its only own body, if there is just one. */
static void split_declarations(struct resolver *resolver)
{
	struct bc_local *local = resolver->local;

	for (uint32_t number = 1; number <= local->type_count; number++) {
		struct bc_local_type *type = bc_local_type(local, number);
		const struct bc_tag_census *tag;

		if (type->role != BC_LOCAL_DECLARATION || type->elsewhere)
			continue;
		tag = tag_census(resolver, type->node);
		if (is_split(tag) && tag->own_body && !tag->has_several_own)
			type->node = bc_local_type(local, tag->own_body)->node;
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
	split_declarations(resolver);
	return true;
}

static bool is_alias(const struct bc_local *local, uint32_t number)
{
	return number && number != BC_INDEX_TYPE &&
	       bc_local_type(local, number)->role == BC_LOCAL_ALIAS;
}

/* Where aliases lead: a number, or 0 or BC_INDEX_TYPE. All on the way lead there from now on. */
static bool follow_aliases(struct resolver *resolver, uint32_t *number)
{
	struct bc_local *local = resolver->local;
	uint32_t end = *number, steps = 0;

	while (is_alias(local, end)) {
		struct bc_local_type *type = bc_local_type(local, end);

		if (steps++ > local->type_count) {
			*resolver->place = type->place;
			return bc_err_set(resolver->err, "a type that refers only to itself");
		}
		end = local->words[type->first_word];
	}
	while (is_alias(local, *number)) {
		uint32_t *word = &local->words[bc_local_type(local, *number)->first_word];

		*number = *word;
		*word = end;
	}
	return true;
}

/* Finishes a type whose references are node ids by now. */
static bool close_type(struct resolver *resolver, uint32_t number)
{
	struct bc_local_type *type = bc_local_type(resolver->local, number);
	struct bc_interner *interner = resolver->worker->interner;
	uint32_t node = bc_intern(resolver->worker, resolver->local->words + type->first_word,
				  type->word_count, resolver->err);
	uint32_t of;

	if (!node)
		return false;
	if (type->role == BC_LOCAL_BODY) {
		type->body = node;
		if (!bc_intern_body(interner, type->node, node, resolver->err))
			return false;
		/* The tag itself has this body too, for whoever only declares it. */
		of = bc_interned(interner, type->node)[BC_LEAF_OF];
		if (of && !bc_intern_body(interner, of, node, resolver->err))
			return false;
	} else if (type->state == CUT) {
		type->body = node;
		if (!bc_intern_body(interner, type->node, node, resolver->err))
			return false;
	} else {
		type->node = node;
		type->is_known = true;
	}
	type->state = DONE;
	return true;
}

/* Only links on the stack from NUMBER up: such a type has no content. */
static bool refuse_link_cycle(struct resolver *resolver, uint32_t depth, uint32_t number)
{
	struct bc_local *local = resolver->local;

	for (;;) {
		const struct bc_local_type *type = bc_local_type(local,
								 local->stack[--depth].number);
		uint32_t kind = bc_info_kind(local->words[type->first_word + 1]);

		if (kind != BC_TYPEDEF && kind != BC_ARRAY && !bc_kind_is_modifier(kind))
			return true;
		if (local->stack[depth].number == number)
			break;
	}
	*resolver->place = bc_local_type(local, number)->place;
	return bc_err_set(resolver->err, "a type that is made only of itself");
}

/*
 * The node for reference NUMBER, or 0 in *NODE with *OPENED when it has to be
 * resolved first.
 */
static bool take_reference(struct resolver *resolver, uint32_t depth, uint32_t number,
			   uint32_t *node, bool *opened)
{
	struct bc_local_type *type;

	*opened = false;
	*node = number;
	if (!number || number == BC_INDEX_TYPE)
		return true;
	type = bc_local_type(resolver->local, number);
	if (!type->is_known && type->state == NEW) {
		*opened = true;
		return true;
	}
	if (!type->is_known) {
		if (!refuse_link_cycle(resolver, depth, number))
			return false;
		type->node = bc_intern_private_leaf(resolver->worker, 0, resolver->local->home,
						    type->place, resolver->err);
		if (!type->node)
			return false;
		type->state = CUT;
		type->is_known = true;
	}
	*node = type->node;
	return true;
}

static bool push(struct resolver *resolver, uint32_t *depth, uint32_t number, uint32_t next_edge)
{
	struct bc_local *local = resolver->local;

	if (*depth == local->stack_limit &&
	    !bc_make_room(&local->stack, &local->stack_limit, (uint64_t)*depth + 1,
			  sizeof(*local->stack), resolver->err))
		return false;
	bc_local_type(local, number)->state = OPEN;
	local->stack[(*depth)++] = (struct bc_local_frame){ number, next_edge };
	return true;
}

/* The first edge from EDGE on whose target is not known yet; those before it are nodes then. */
static inline uint32_t take_known_edges(const struct bc_local *local, uint32_t *words,
					struct bc_edges edges, uint32_t edge)
{
	const struct bc_local_type *types = local->types;
	uint32_t *word = words + bc_edge_word(edges, edge);

	for (; edge < edges.count; edge++, word += edges.stride) {
		uint32_t number = *word;

		if (!number || number == BC_INDEX_TYPE)
			continue;
		if (!types[number - 1].is_known)
			break;
		*word = types[number - 1].node;
	}
	return edge;
}

/* What follows is for a type that refers to some that are not known yet. */
static bool resolve_deeply(struct resolver *resolver, uint32_t root, uint32_t first_edge)
{
	struct bc_local *local = resolver->local;
	uint32_t depth = 0;

	if (!push(resolver, &depth, root, first_edge))
		return false;
	while (depth) {
		struct bc_local_frame *frame = &local->stack[depth - 1];
		struct bc_local_type *type = bc_local_type(local, frame->number);
		uint32_t *words = local->words + type->first_word;
		struct bc_edges edges = bc_edges(words);
		bool opened = false;

		frame->next_edge = take_known_edges(local, words, edges, frame->next_edge);
		/* Opening moves the stack, and with it the frame. */
		while (!opened && frame->next_edge < edges.count) {
			uint32_t *word = &words[bc_edge_word(edges, frame->next_edge)];
			uint32_t number = *word, node;

			if (!follow_aliases(resolver, &number) ||
			    !take_reference(resolver, depth, number, &node, &opened))
				return false;
			if (opened) {
				if (!push(resolver, &depth, number, 0))
					return false;
			} else {
				*word = node;
				frame->next_edge++;
			}
		}
		if (opened)
			continue;
		if (!close_type(resolver, frame->number))
			return false;
		depth--;
	}
	return true;
}

static inline bool resolve(struct resolver *resolver, uint32_t number)
{
	struct bc_local *local = resolver->local;
	uint32_t *words = local->words + bc_local_type(local, number)->first_word;
	struct bc_edges edges = bc_edges(words);
	uint32_t edge = take_known_edges(local, words, edges, 0);

	return edge == edges.count ? close_type(resolver, number) :
				     resolve_deeply(resolver, number, edge);
}

bool bc_local_intern(struct bc_local *local, struct bc_intern_worker *worker, uint64_t *place,
		     struct bc_err *err)
{
	struct resolver resolver = { local, worker, place, err };

	*place = 0;
	if (!name_tags(&resolver))
		return false;
	if (local->wants_foreign_bodies)
		return true;
	for (uint32_t number = 1; number <= local->type_count; number++) {
		struct bc_local_type *type = bc_local_type(local, number);

		if (type->role == BC_LOCAL_NODE || (type->role == BC_LOCAL_BODY && !type->unread))
			if (type->state == NEW && !resolve(&resolver, number))
				return false;
	}
	/* A reference to an alias means what it leads to. */
	for (uint32_t number = 1; number <= local->type_count; number++) {
		uint32_t end = number;

		if (bc_local_type(local, number)->role != BC_LOCAL_ALIAS)
			continue;
		if (!follow_aliases(&resolver, &end))
			return false;
		bc_local_type(local, number)->node = end && end != BC_INDEX_TYPE ?
							     bc_local_type(local, end)->node :
							     end;
	}
	return true;
}

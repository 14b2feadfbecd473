/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_MERGE_LOCAL_H
#define BC_MERGE_LOCAL_H

#include "base/room.h"
#include "merge/intern.h"
#include "merge/number_map.h"

/*
 * The type graph of one unit, before it is interned: a reader fills it, in
 * any order. A reference is a *label*: 0 void; an offset below 2^31, of which
 * NUMBERS knows the type; or BC_LABEL_NUMBER with a type's number (1 the first).
 * The index type of an array is BC_INDEX_TYPE. Made once per worker and used
 * for one unit after the other.
 */
#define BC_LABEL_NUMBER 0xc0000000u
#define BC_LABEL_VALUE 0x3fffffffu

enum bc_local_role {
	BC_LOCAL_NODE,        /* its words are a node */
	BC_LOCAL_BODY,        /* a node, and the body of a tag: references to it name the tag */
	BC_LOCAL_DECLARATION, /* a tag without a body */
	BC_LOCAL_ALIAS,       /* the same as another type: words[first_word] is a reference */
};

struct bc_local_type {
	uint64_t place;      /* of the DIE: its unit, and the offset there */
	uint32_t first_word; /* in words */
	uint32_t word_count;
	uint32_t name;      /* of a tag */
	uint32_t body;      /* result: its node, where a reference means a leaf */
	uint8_t role;       /* enum bc_local_role */
	uint8_t tag_class;  /* enum bc_tag_class, of a tag */
	bool elsewhere : 1; /* a DIE of another unit */
	bool unread : 1;    /* and what that unit says of its body is not here: only a tag */
};

/* A type that is a tag, and the number of the tag's leaf among all leaves. */
struct bc_local_tag {
	uint32_t number;
	uint32_t leaf_index;
};

struct bc_local {
	struct bc_local_type *types;
	uint32_t type_count, type_limit;
	struct bc_number_map numbers; /* of the types of the home unit, by their offset */
	uint32_t *nodes; /* result, by number: what a reference to the type means; [0] is void */
	uint32_t node_limit;
	uint32_t *words;
	uint32_t word_count, word_limit;
	uint32_t home;       /* the unit */
	uint32_t generation; /* counts units */
	/* Result: tags of other units clash; the unit has to be read again, with their bodies. */
	bool wants_foreign_bodies;
	struct bc_local_tag *tags; /* result: those among the types, by number */
	uint32_t tag_count, tag_limit;
	/* What the unit says about tags, by leaf index; grown as needed. */
	struct bc_tag_census *census;
	uint32_t census_limit;
	struct bc_local_frame *stack;
	uint32_t stack_limit;
};

void bc_local_free(struct bc_local *local);

/* Empties it for the next unit. */
void bc_local_clear(struct bc_local *local, uint32_t home);

/* A new type; its number, or 0 with err set. */
uint32_t bc_local_add(struct bc_local *local, uint64_t place, enum bc_local_role role,
		      struct bc_err *err);

/* Room for COUNT more words; the place of the first. False on memory. */
static inline bool bc_local_reserve(struct bc_local *local, uint32_t count, uint32_t *first,
				    struct bc_err *err)
{
	uint64_t wanted = (uint64_t)local->word_count + count;

	if (!bc_make_room(&local->words, &local->word_limit, wanted, sizeof(*local->words), err))
		return false;
	*first = local->word_count;
	local->word_count = (uint32_t)wanted;
	return true;
}

static inline struct bc_local_type *bc_local_type(const struct bc_local *local, uint32_t number)
{
	return &local->types[number - 1];
}

/* The number of the type that a label names; 0: void, or there is none. */
static inline uint32_t bc_local_number(const struct bc_local *local, uint32_t label)
{
	return label >> 31 ? label & BC_LABEL_VALUE : bc_number_map_find(&local->numbers, label);
}

/*
 * Interns everything: fills NODES, sets body of each body. A chain of
 * modifiers or typedefs that comes back to itself is an error, and so is a
 * label that names nothing; the type's place is in *PLACE then.
 */
bool bc_local_intern(struct bc_local *local, struct bc_intern_worker *worker, uint64_t *place,
		     struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_MERGE_INTERN_H
#define BC_MERGE_INTERN_H

#include <pthread.h>
#include <string.h>

#include "graph/graph.h"
#include "merge/string_ids.h"

/*
 * Distinct types, each once, whoever finds it first.
 *
 * A node is words as in kinds.h. Its references are node ids, its name is a
 * name id (see string_ids.h). A node id is the place of the node's first word in one large
 * pool; 0 is void. Equal words, one node: interning commutes, so neither the
 * order of units nor of threads shows in the set of nodes.
 *
 * C types are cyclic, but every cycle goes through a tag (a named struct,
 * union or enum). A reference to a tag is a *leaf*: class and name, nothing
 * below. What is left is acyclic and can be interned bottom-up. A leaf knows
 * its bodies: nodes that units gave it. Usually that is one.
 *
 * Behind its words a node may have more, in pairs: declaration tags, as
 * component (UINT32_MAX: the whole) and name id. Other tags, another type.
 *
 * A *private* leaf stands for one body of one unit: for tags of which a unit
 * has several bodies, and for cycles without a tag.
 *
 * Threads: each has its own bc_intern_worker. Looking up takes no lock; adding a
 * node takes the lock of one of many shards.
 */
#define BC_LEAF_KIND 0x7fu /* a kind no BTF has */

enum bc_tag_class {
	BC_TAG_STRUCT,
	BC_TAG_UNION,
	BC_TAG_ENUM,
	BC_TAG_NONE, /* a private leaf without a tag */
};

enum bc_leaf_word {
	BC_LEAF_NAME,  /* name id */
	BC_LEAF_INFO,  /* BC_LEAF_KIND, class in vlen, kflag: private */
	BC_LEAF_OF,    /* of a private leaf: the leaf of the tag, 0: none */
	BC_LEAF_UNIT,  /* of a private leaf: whose it is */
	BC_LEAF_PLACE, /* and of which type of that unit: 64 bits that the unit chooses */
	BC_LEAF_BODY = BC_LEAF_PLACE + 2, /* the first body given; 0: only declared */
	BC_LEAF_INDEX,                    /* number of the leaf among all leaves */
	BC_LEAF_SAME, /* atomic: the leaf that stands for this tag, often itself; 0: not asked yet */
	BC_LEAF_WORDS,
};

/* The index type of all arrays: settled when all units are in. */
#define BC_INDEX_TYPE UINT32_MAX

struct bc_extra_body {
	uint32_t leaf;
	uint32_t body;
};

struct bc_intern_shard;

struct bc_interner {
	uint32_t *pool;
	uint32_t *words; /* the same, from where void would be */
	uint64_t word_limit;
	uint64_t next_word; /* atomic: where the next chunk begins */
	struct bc_intern_shard *shards;
	uint64_t hash_mask; /* all ones; tests force collisions with fewer */
	uint64_t hash_seed;
	struct bc_string_ids *names;
	bool frozen;         /* marks are somebody else's; nodes may still be added */
	uint32_t leaf_count; /* atomic */
	pthread_mutex_t extra_lock;
	struct bc_extra_body *extra; /* bodies beside the first one of a leaf; repeats possible */
	uint32_t extra_count, extra_limit;
	pthread_mutex_t chunk_lock;
	struct bc_intern_chunk *chunks; /* all, newest first */
};

struct bc_intern_chunk {
	struct bc_intern_chunk *next;
	uint32_t begin, end; /* words; end is where its nodes end */
};

struct bc_intern_worker {
	struct bc_interner *interner;
	uint32_t unit; /* whose nodes these are, from 0 on */
	struct bc_intern_chunk *chunk;
	uint64_t limit; /* words of the chunk */
	/* Units repeat each other: what came after a node once is the first guess when it comes again. */
	uint32_t *successors; /* by where the node before is; 0: none yet */
	uint32_t last;        /* the node before */
};

bool bc_intern_worker_make(struct bc_intern_worker *worker, struct bc_interner *interner,
			   struct bc_err *err);
void bc_intern_worker_free(struct bc_intern_worker *worker);

/*
 * Room for WORD_LIMIT words in all (only addresses until they are used), at
 * most what 32-bit ids can name. HASH_MASK: all ones. NAMES outlive it.
 */
bool bc_interner_make(struct bc_interner *interner, uint64_t word_limit, uint64_t hash_mask,
		      struct bc_string_ids *names, struct bc_err *err);
void bc_interner_free(struct bc_interner *interner);

/*
 * The leaf for one body of one unit: the same again for the same UNIT and
 * PLACE. OF is the leaf of its tag, or 0.
 */
uint32_t bc_intern_private_leaf(struct bc_intern_worker *worker, uint32_t of, uint32_t unit,
				uint64_t place, struct bc_err *err);

static inline uint32_t *bc_interned(const struct bc_interner *interner, uint32_t id)
{
	return interner->words + id;
}

/*
 * Three words stand before those of a node: the PTR to it, if there is one,
 * a mark, and how many words it has. Of void only the first is there.
 *
 * At first the mark says who has the node: 1 + the unit, or BC_SEVERAL_UNITS.
 * Once the interner is frozen it is left alone (0 in new nodes), for whoever
 * froze it.
 */
#define BC_PREFIX_WORDS 3u
#define BC_SEVERAL_UNITS UINT32_MAX

static inline uint32_t bc_interned_count(const struct bc_interner *interner, uint32_t id)
{
	return interner->words[id - 1];
}

static inline uint32_t *bc_interned_mark(const struct bc_interner *interner, uint32_t id)
{
	return interner->words + id - 2;
}

static inline uint32_t *bc_interned_pointer(const struct bc_interner *interner, uint32_t id)
{
	return interner->words + id - 3;
}

#define BC_FEW_WORDS 24u

/* Whether COUNT words are the same: most nodes have few, for which a call is long. */
static inline bool bc_are_same_words(const uint32_t *a, const uint32_t *b, uint32_t count)
{
	uint64_t differing = 0, one, other;

	if (count > BC_FEW_WORDS)
		return !memcmp(a, b, count * sizeof(*a));
	for (; count >= 2; count -= 2, a += 2, b += 2) {
		memcpy(&one, a, sizeof(one));
		memcpy(&other, b, sizeof(other));
		differing |= one ^ other;
	}
	return !(differing | (count ? *a ^ *b : 0));
}

/* Whether node ID, no leaf, is these words. What a leaf has behind its first words changes. */
static inline bool bc_interned_is(const struct bc_interner *interner, uint32_t id,
				  const uint32_t *words, uint32_t count)
{
	const uint32_t *node = interner->words + id;

	if (node[-1] != count || node[0] != words[0] || node[1] != words[1] || node[2] != words[2])
		return false;
	return bc_are_same_words(node + BC_HEAD_WORDS, words + BC_HEAD_WORDS,
				 count - BC_HEAD_WORDS);
}

/* Notes that the worker's unit has node ID: of several only the second one writes. */
static inline uint32_t bc_intern_arrive(struct bc_intern_worker *worker, uint32_t id)
{
	uint32_t *mark = bc_interned_mark(worker->interner, id);
	uint32_t known = __atomic_load_n(mark, __ATOMIC_RELAXED);

	if (known != worker->unit + 1 && known != BC_SEVERAL_UNITS && !worker->interner->frozen)
		__atomic_store_n(mark, BC_SEVERAL_UNITS, __ATOMIC_RELAXED);
	worker->last = id;
	return id;
}

/* A power of two. No two nodes begin within four words. */
#define BC_SUCCESSORS (64u * 1024)

static inline uint32_t *bc_intern_guess(const struct bc_intern_worker *worker)
{
	return &worker->successors[worker->last / 4 % BC_SUCCESSORS];
}

/* What the functions without "anew" do where the guess is wrong. */
uint32_t bc_intern_anew(struct bc_intern_worker *worker, const uint32_t *words, uint32_t count,
			struct bc_err *err);
uint32_t bc_intern_pointer_anew(struct bc_intern_worker *worker, uint32_t target,
				struct bc_err *err);
uint32_t bc_intern_leaf_anew(struct bc_intern_worker *worker, enum bc_tag_class tag_class,
			     uint32_t name, struct bc_err *err);

/* The node of these COUNT words; 0 and err set on trouble. */
static inline uint32_t bc_intern(struct bc_intern_worker *worker, const uint32_t *words,
				 uint32_t count, struct bc_err *err)
{
	uint32_t guess = *bc_intern_guess(worker);

	return guess && bc_interned_is(worker->interner, guess, words, count) ?
		       bc_intern_arrive(worker, guess) :
		       bc_intern_anew(worker, words, count, err);
}

/* The PTR to node TARGET. */
static inline uint32_t bc_intern_pointer(struct bc_intern_worker *worker, uint32_t target,
					 struct bc_err *err)
{
	uint32_t id = __atomic_load_n(bc_interned_pointer(worker->interner, target),
				      __ATOMIC_ACQUIRE);

	return id ? bc_intern_arrive(worker, id) : bc_intern_pointer_anew(worker, target, err);
}

/* The leaf of a tag, NAME a name id: one leaf for all names of one text. */
static inline uint32_t bc_intern_leaf(struct bc_intern_worker *worker, enum bc_tag_class tag_class,
				      uint32_t name, struct bc_err *err)
{
	uint32_t guess = *bc_intern_guess(worker);
	const uint32_t *leaf = bc_interned(worker->interner, guess);

	return guess && leaf[BC_LEAF_NAME] == name &&
			       leaf[BC_LEAF_INFO] == bc_info(BC_LEAF_KIND, tag_class, false) &&
			       __atomic_load_n(&leaf[BC_LEAF_SAME], __ATOMIC_ACQUIRE) == guess ?
		       bc_intern_arrive(worker, guess) :
		       bc_intern_leaf_anew(worker, tag_class, name, err);
}

/* The node of these words, which the unit gives LEAF as a body, and the tag of a private leaf too. */
uint32_t bc_intern_body(struct bc_intern_worker *worker, uint32_t leaf, const uint32_t *words,
			uint32_t count, struct bc_err *err);

/* Declaration tags of a node that is no leaf. */
static inline uint32_t bc_interned_tag_count(const struct bc_interner *interner, uint32_t id)
{
	return (bc_interned_count(interner, id) - bc_node_words(interner->words[id + 1])) / 2;
}

static inline bool bc_is_leaf(const uint32_t *node)
{
	return bc_info_kind(node[1]) == BC_LEAF_KIND;
}

/* Whether leaf ID is only another name for a tag: nothing refers to it. */
static inline bool bc_is_second_leaf(const struct bc_interner *interner, uint32_t id)
{
	uint32_t same = interner->words[id + BC_LEAF_SAME];

	return same && same != id;
}

/*
 * All nodes, leaves too:
 *     for (id = bc_interned_first(…, &chunk); id; id = bc_interned_next(…, &chunk, id))
 * Not while threads still add some. The order means nothing.
 */
uint32_t bc_interned_first(const struct bc_interner *interner, struct bc_intern_chunk **chunk);
uint32_t bc_interned_next(const struct bc_interner *interner, struct bc_intern_chunk **chunk,
			  uint32_t id);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The table is open addressing in shards by the hash's upper bits. A slot is
 * hash (32 bits) and node id (32 bits) in one word, written once, after the
 * node's words are there: a reader that sees it sees the node. A shard that
 * gets full is copied to a table twice as large under its lock; readers of
 * the old one at worst miss what came since, then look again under the lock.
 * Old tables are freed at the end.
 */
#include "merge/intern.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/room.h"
#define SHARD_BITS 8
#define SHARDS (1u << SHARD_BITS)
#define FIRST_SLOTS 256u
#define CHUNK_WORDS (16u * 1024)
#define FIRST_NODE 4u /* ids below name nothing */
#define POOL_WORDS_MAX (sizeof(void *) == 8 ? UINT64_C(0xffff0000) : UINT64_C(0x4000000))

struct table {
	struct table *older;
	uint32_t mask;
	uint64_t slots[];
};

struct bc_intern_shard {
	pthread_mutex_t lock;
	struct table *table; /* atomic */
	uint32_t used;
} __attribute__((aligned(64)));

static uint64_t pool_bytes(const struct bc_interner *interner)
{
	return (BC_PREFIX_WORDS + interner->word_limit) * sizeof(uint32_t);
}

/* Words [BEGIN, END) can be used from now on; pages are opened more than once where chunks meet. */
static bool open_pages(const struct bc_interner *interner, uint64_t begin, uint64_t end)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t first = (BC_PREFIX_WORDS + begin) * sizeof(uint32_t) / page_bytes * page_bytes;
	uint64_t last = (BC_PREFIX_WORDS + end) * sizeof(uint32_t);

	return !mprotect((char *)interner->pool + first, last - first, PROT_READ | PROT_WRITE);
}

/*
 * Addresses only: pages become memory when a chunk begins on them, so that a
 * system that promises no more than it has is not asked for all of them.
 */
static bool make_pool(struct bc_interner *interner, struct bc_err *err)
{
	void *memory = mmap(NULL, pool_bytes(interner), PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return bc_err_memory(err, pool_bytes(interner));
	interner->pool = memory;
	interner->words = interner->pool + BC_PREFIX_WORDS;
	return open_pages(interner, 0, FIRST_NODE) ||
	       bc_err_memory(err, FIRST_NODE * sizeof(uint32_t));
}

static struct table *make_table(uint32_t slots, struct table *older)
{
	struct table *table = bc_zeroed(1,
					sizeof(*table) + (size_t)slots * sizeof(table->slots[0]));

	if (table) {
		table->mask = slots - 1;
		table->older = older;
	}
	return table;
}

static bool make_shards(struct bc_interner *interner, struct bc_err *err)
{
	interner->shards = aligned_alloc(64, SHARDS * sizeof(*interner->shards));
	if (!interner->shards)
		return bc_err_memory(err, SHARDS * sizeof(*interner->shards));
	for (uint32_t i = 0; i < SHARDS; i++)
		interner->shards[i] = (struct bc_intern_shard){ .lock = PTHREAD_MUTEX_INITIALIZER };
	for (uint32_t i = 0; i < SHARDS; i++) {
		interner->shards[i].table = make_table(FIRST_SLOTS, NULL);
		if (!interner->shards[i].table)
			return bc_err_memory(err, FIRST_SLOTS * sizeof(uint64_t));
	}
	return true;
}

bool bc_interner_make(struct bc_interner *interner, uint64_t word_limit, uint64_t hash_mask,
		      struct bc_string_ids *names, struct bc_err *err)
{
	if (word_limit > POOL_WORDS_MAX)
		word_limit = POOL_WORDS_MAX;
	*interner = (struct bc_interner){
		.word_limit = word_limit,
		.next_word = FIRST_NODE,
		.hash_mask = hash_mask,
		.hash_seed = bc_hash_seed(),
		.names = names,
		.extra_lock = PTHREAD_MUTEX_INITIALIZER,
		.chunk_lock = PTHREAD_MUTEX_INITIALIZER,
	};
	if (make_pool(interner, err) && make_shards(interner, err))
		return true;
	bc_interner_free(interner);
	return false;
}

void bc_interner_free(struct bc_interner *interner)
{
	for (uint32_t i = 0; interner->shards && i < SHARDS; i++) {
		struct table *table = interner->shards[i].table;

		while (table) {
			struct table *older = table->older;

			free(table);
			table = older;
		}
	}
	while (interner->chunks) {
		struct bc_intern_chunk *chunk = interner->chunks;

		interner->chunks = chunk->next;
		free(chunk);
	}
	free(interner->shards);
	free(interner->extra);
	if (interner->pool)
		munmap(interner->pool, pool_bytes(interner));
	*interner = (struct bc_interner){ 0 };
}

static uint64_t hash_words(uint64_t seed, const uint32_t *words, uint32_t count)
{
	uint64_t hash = seed ^ count;
	uint32_t i;

	for (i = 0; i + 2 <= count; i += 2) {
		uint64_t pair = (uint64_t)words[i + 1] << 32 | words[i];

		hash = bc_hash_word(hash, pair);
	}
	if (i < count)
		hash = bc_fold(hash ^ words[i], UINT64_C(0xa0761d6478bd642f));
	return bc_fold(hash, UINT64_C(0xe7037ed1a0b428db));
}

/* Begins a chunk that has room for COUNT words. */
static bool open_chunk(struct bc_intern_worker *worker, uint64_t count, struct bc_err *err)
{
	struct bc_interner *interner = worker->interner;
	uint64_t size = count > CHUNK_WORDS ? count : CHUNK_WORDS;
	uint64_t begin = __atomic_fetch_add(&interner->next_word, size, __ATOMIC_RELAXED);
	struct bc_intern_chunk *chunk;

	if (begin + size > interner->word_limit || !open_pages(interner, begin, begin + size))
		return bc_err_memory(err, (begin + size) * sizeof(uint32_t));
	chunk = malloc(sizeof(*chunk));
	if (!chunk)
		return bc_err_memory(err, sizeof(*chunk));
	chunk->begin = chunk->end = (uint32_t)begin;
	pthread_mutex_lock(&interner->chunk_lock);
	chunk->next = interner->chunks;
	interner->chunks = chunk;
	pthread_mutex_unlock(&interner->chunk_lock);
	worker->chunk = chunk;
	worker->limit = begin + size;
	return true;
}

/* Copies a node into the worker's chunk, ROOM words long of which COUNT come from WORDS. */
static uint32_t store(struct bc_intern_worker *worker, const uint32_t *words, uint32_t count,
		      uint32_t room, struct bc_err *err)
{
	uint32_t *to;
	uint32_t id;

	if ((!worker->chunk ||
	     worker->chunk->end + (uint64_t)BC_PREFIX_WORDS + room > worker->limit) &&
	    !open_chunk(worker, (uint64_t)BC_PREFIX_WORDS + room, err))
		return 0;
	id = worker->chunk->end + BC_PREFIX_WORDS;
	to = worker->interner->words + id;
	*bc_interned_pointer(worker->interner, id) = 0;
	*bc_interned_mark(worker->interner, id) = worker->interner->frozen ? 0 : worker->unit + 1;
	to[-1] = room;
	memcpy(to, words, count * sizeof(*to));
	memset(to + count, 0, (room - count) * sizeof(*to));
	worker->chunk->end = id + room;
	return id;
}

/* The same of a leaf too: ROOM words in all. */
static inline bool is_node(const struct bc_interner *interner, uint32_t id, const uint32_t *words,
			   uint32_t count, uint32_t room)
{
	return room == count ?
		       bc_interned_is(interner, id, words, count) :
		       bc_interned_count(interner, id) == room &&
			       !memcmp(bc_interned(interner, id), words, count * sizeof(*words));
}

/* The node with these words, or 0; *SLOT is where it is or would be. */
static uint32_t find(const struct bc_interner *interner, const struct table *table, uint64_t hash,
		     const uint32_t *words, uint32_t count, uint32_t room, uint32_t *slot)
{
	uint32_t at = (uint32_t)hash & table->mask;

	for (;; at = (at + 1) & table->mask) {
		uint64_t entry = __atomic_load_n(&table->slots[at], __ATOMIC_ACQUIRE);
		uint32_t id = (uint32_t)entry;

		*slot = at;
		if (!entry)
			return 0;
		if (entry >> 32 == (uint32_t)hash && is_node(interner, id, words, count, room))
			return id;
	}
}

static bool grow(struct bc_intern_shard *shard, struct bc_err *err)
{
	struct table *old = shard->table;
	uint32_t slots = 2 * (old->mask + 1);
	struct table *table = make_table(slots, old);

	if (!table)
		return bc_err_memory(err, (uint64_t)slots * sizeof(uint64_t));
	for (uint32_t i = 0; i <= old->mask; i++) {
		uint32_t at = (uint32_t)(old->slots[i] >> 32) & table->mask;

		if (!old->slots[i])
			continue;
		while (table->slots[at])
			at = (at + 1) & table->mask;
		table->slots[at] = old->slots[i];
	}
	__atomic_store_n(&shard->table, table, __ATOMIC_RELEASE);
	return true;
}

static uint32_t add(struct bc_intern_worker *worker, struct bc_intern_shard *shard, uint64_t hash,
		    const uint32_t *words, uint32_t count, uint32_t room, struct bc_err *err)
{
	struct bc_interner *interner = worker->interner;
	uint32_t slot, id;

	if (shard->used >= (shard->table->mask + 1) / 4 * 3 && !grow(shard, err))
		return 0;
	id = find(interner, shard->table, hash, words, count, room, &slot);
	if (id)
		return id;
	id = store(worker, words, count, room, err);
	if (!id)
		return 0;
	if (room != count) { /* a leaf */
		uint32_t index = __atomic_fetch_add(&interner->leaf_count, 1, __ATOMIC_RELAXED);

		interner->words[id + BC_LEAF_INDEX] = index;
	}
	shard->used++;
	__atomic_store_n(&shard->table->slots[slot], hash << 32 | id, __ATOMIC_RELEASE);
	return id;
}

static uint32_t look_up(struct bc_intern_worker *worker, const uint32_t *words, uint32_t count,
			uint32_t room, struct bc_err *err)
{
	struct bc_interner *interner = worker->interner;
	uint64_t hash = hash_words(interner->hash_seed, words, count) & interner->hash_mask;
	struct bc_intern_shard *shard = &interner->shards[hash >> (64 - SHARD_BITS)];
	uint32_t slot, id;

	id = find(interner, __atomic_load_n(&shard->table, __ATOMIC_ACQUIRE), hash, words, count,
		  room, &slot);
	if (id)
		return id;
	pthread_mutex_lock(&shard->lock);
	id = add(worker, shard, hash, words, count, room, err);
	pthread_mutex_unlock(&shard->lock);
	return id;
}

bool bc_intern_worker_make(struct bc_intern_worker *worker, struct bc_interner *interner,
			   struct bc_err *err)
{
	*worker = (struct bc_intern_worker){ .interner = interner };
	worker->successors = bc_zeroed(BC_SUCCESSORS, sizeof(*worker->successors));
	return worker->successors ||
	       bc_err_memory(err, BC_SUCCESSORS * sizeof(*worker->successors));
}

void bc_intern_worker_free(struct bc_intern_worker *worker)
{
	free(worker->successors);
	*worker = (struct bc_intern_worker){ 0 };
}

static uint32_t find_or_add(struct bc_intern_worker *worker, const uint32_t *words, uint32_t count,
			    uint32_t room, struct bc_err *err)
{
	uint32_t id = look_up(worker, words, count, room, err);

	return id ? bc_intern_arrive(worker, id) : 0;
}

uint32_t bc_intern_anew(struct bc_intern_worker *worker, const uint32_t *words, uint32_t count,
			struct bc_err *err)
{
	uint32_t *guess = bc_intern_guess(worker);

	return *guess = find_or_add(worker, words, count, count, err);
}

uint32_t bc_intern_pointer_anew(struct bc_intern_worker *worker, uint32_t target,
				struct bc_err *err)
{
	uint32_t words[BC_HEAD_WORDS] = { 0, bc_info(BC_PTR, 0, false), target };
	uint32_t id = find_or_add(worker, words, BC_HEAD_WORDS, BC_HEAD_WORDS, err);

	__atomic_store_n(bc_interned_pointer(worker->interner, target), id, __ATOMIC_RELEASE);
	return id;
}

uint32_t bc_intern_leaf_anew(struct bc_intern_worker *worker, enum bc_tag_class tag_class,
			     uint32_t name, struct bc_err *err)
{
	uint32_t words[BC_LEAF_BODY] = { name, bc_info(BC_LEAF_KIND, tag_class, false), 0 };
	uint32_t *guess = bc_intern_guess(worker);
	uint32_t id = find_or_add(worker, words, BC_LEAF_BODY, BC_LEAF_WORDS, err);
	uint32_t same = id, *same_at = bc_interned(worker->interner, id) + BC_LEAF_SAME;

	*guess = id;
	if (!id || __atomic_load_n(same_at, __ATOMIC_ACQUIRE))
		return id ? __atomic_load_n(same_at, __ATOMIC_ACQUIRE) : 0;
	/* A tag is its text: what is known about it must not depend on where its name stands. */
	if (!bc_string_id_unify(worker->interner->names, &words[0], err))
		return 0;
	if (words[0] != name)
		same = find_or_add(worker, words, BC_LEAF_BODY, BC_LEAF_WORDS, err);
	__atomic_store_n(same_at, same, __ATOMIC_RELEASE);
	return same;
}

uint32_t bc_intern_private_leaf(struct bc_intern_worker *worker, uint32_t of, uint32_t unit,
				uint64_t place, struct bc_err *err)
{
	const uint32_t *tag = bc_interned(worker->interner, of);
	uint32_t tag_class = of ? bc_info_vlen(tag[BC_LEAF_INFO]) : BC_TAG_NONE;
	uint32_t words[BC_LEAF_BODY] = { of ? tag[BC_LEAF_NAME] : 0,
					 bc_info(BC_LEAF_KIND, tag_class, true),
					 of,
					 unit,
					 (uint32_t)place,
					 (uint32_t)(place >> 32) };

	return find_or_add(worker, words, BC_LEAF_BODY, BC_LEAF_WORDS, err);
}

static bool add_extra(struct bc_interner *interner, uint32_t leaf, uint32_t body,
		      struct bc_err *err)
{
	if (interner->extra_count == interner->extra_limit) {
		uint32_t limit = interner->extra_limit ? 2 * interner->extra_limit : 64;
		struct bc_extra_body *extra = bc_realloc(interner->extra, limit, sizeof(*extra));

		if (!extra)
			return bc_err_memory(err, (uint64_t)limit * sizeof(*extra));
		interner->extra = extra;
		interner->extra_limit = limit;
	}
	interner->extra[interner->extra_count++] = (struct bc_extra_body){ leaf, body };
	return true;
}

static bool give_body(struct bc_interner *interner, uint32_t leaf, uint32_t body,
		      struct bc_err *err)
{
	uint32_t *first = &interner->words[leaf + BC_LEAF_BODY];
	uint32_t known = __atomic_load_n(first, __ATOMIC_RELAXED);
	bool done;

	if (known == body)
		return true;
	if (!known && __atomic_compare_exchange_n(first, &known, body, false, __ATOMIC_RELEASE,
						  __ATOMIC_RELAXED))
		return true;
	if (known == body)
		return true;
	pthread_mutex_lock(&interner->extra_lock);
	done = add_extra(interner, leaf, body, err);
	pthread_mutex_unlock(&interner->extra_lock);
	return done;
}

uint32_t bc_intern_body(struct bc_intern_worker *worker, uint32_t leaf, const uint32_t *words,
			uint32_t count, struct bc_err *err)
{
	struct bc_interner *interner = worker->interner;
	const uint32_t *node = bc_interned(interner, leaf);
	uint32_t of = node[BC_LEAF_OF];
	uint32_t body = __atomic_load_n(&node[BC_LEAF_BODY], __ATOMIC_ACQUIRE);

	/* Nearly always the one that all units have. */
	if (body && bc_interned_is(interner, body, words, count)) {
		bc_intern_arrive(worker, body);
	} else {
		body = find_or_add(worker, words, count, count, err);
		if (!body || !give_body(interner, leaf, body, err))
			return 0;
	}
	return !of || give_body(interner, of, body, err) ? body : 0;
}

/* The first node of CHUNK or of those after it. */
static uint32_t first_of(struct bc_intern_chunk **chunk)
{
	while (*chunk && (*chunk)->begin == (*chunk)->end)
		*chunk = (*chunk)->next;
	return *chunk ? (*chunk)->begin + BC_PREFIX_WORDS : 0;
}

uint32_t bc_interned_first(const struct bc_interner *interner, struct bc_intern_chunk **chunk)
{
	*chunk = interner->chunks;
	return first_of(chunk);
}

uint32_t bc_interned_next(const struct bc_interner *interner, struct bc_intern_chunk **chunk,
			  uint32_t id)
{
	id += bc_interned_count(interner, id);
	if (id < (*chunk)->end)
		return id + BC_PREFIX_WORDS;
	*chunk = (*chunk)->next;
	return first_of(chunk);
}

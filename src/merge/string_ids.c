/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "merge/string_ids.h"

#include <stdlib.h>
#include <string.h>
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "base/hash.h"
#include "base/room.h"
#define OTHER 0x80000000u
#define PACKED_MAX 0x00ffffffu
#define NUMBER_MAX 0x3fffffffu
#define FIRST_SLOTS 64u
#define GUESS_BITS 16
#define GUESSES (1u << GUESS_BITS)
#define COPY_BYTES_MIN ((uint64_t)1 << 20)

struct bc_looked_up {
	UT_hash_handle hh;
	uint32_t number;
	char text[];
};

bool bc_string_ids_make(struct bc_string_ids *names, struct bc_err *err)
{
	*names = (struct bc_string_ids){
		.next_name = 1,
		.hash_seed = bc_hash_seed(),
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	names->sections = calloc(BC_STRING_SECTIONS_MAX, sizeof(*names->sections));
	names->ranged = calloc(BC_STRING_SECTIONS_MAX, sizeof(*names->ranged));
	names->shards = calloc(BC_STRING_SHARDS, sizeof(*names->shards));
	if (!names->sections || !names->ranged || !names->shards)
		return bc_err_memory(err, BC_STRING_SECTIONS_MAX * sizeof(*names->sections));
	for (uint32_t i = 0; i < BC_STRING_SHARDS; i++)
		names->shards[i].lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	return true;
}

void bc_string_ids_free(struct bc_string_ids *names)
{
	HASH_CLEAR(hh, names->table);
	for (uint32_t i = 0; names->shards && i < BC_STRING_SHARDS; i++)
		free(names->shards[i].slots);
	free(names->shards);
	free(names->copy_data);
	free(names->ranged);
	free(names->sections);
	bc_arena_free(&names->arena);
	*names = (struct bc_string_ids){ 0 };
}

/* Names for COUNT bytes; 0: there are not so many left. */
static uint32_t take_range(struct bc_string_ids *names, uint64_t count)
{
	uint32_t first = names->next_name;

	if (!count || count >= OTHER - first)
		return 0;
	names->next_name += (uint32_t)count;
	return first;
}

bool bc_string_ids_add_section(struct bc_string_ids *names, const char *data, uint64_t size_bytes,
			       uint32_t *number, struct bc_err *err)
{
	struct bc_string_section *section = &names->sections[names->section_count];

	if (names->section_count == BC_STRING_SECTIONS_MAX)
		return bc_err_set(err, "more than %u string sections", BC_STRING_SECTIONS_MAX);
	section->data = data;
	section->size_bytes = size_bytes;
	section->first_name = take_range(names, size_bytes);
	if (section->first_name)
		names->ranged[names->ranged_count++] = names->section_count;
	*number = names->section_count++;
	return true;
}

/* A text of every fourth byte is more than units of one program have that repeat each other. */
bool bc_string_ids_finish(struct bc_string_ids *names, struct bc_err *err)
{
	uint64_t bytes = names->next_name / 4 + COPY_BYTES_MIN;

	if (!names->by_text)
		return true;
	names->copy.first_name = take_range(names, bytes);
	if (!names->copy.first_name)
		return true;
	names->copy_data = malloc(bytes);
	if (!names->copy_data)
		return bc_err_memory(err, bytes);
	names->copy.data = names->copy_data;
	names->copy.size_bytes = bytes;
	return true;
}

/* Called with the lock held. Who reads the list meanwhile has the old one, which stays. */
static bool grow_looked_up(struct bc_string_ids *names, struct bc_err *err)
{
	uint32_t limit = names->looked_up_limit ? 2 * names->looked_up_limit : 256;
	const char **texts = limit > NUMBER_MAX ?
				     NULL :
				     bc_arena_alloc(&names->arena, limit, sizeof(*texts), err);

	if (!texts)
		return bc_err_memory(err, (uint64_t)limit * sizeof(*texts));
	if (names->looked_up_count)
		memcpy(texts, names->looked_up, names->looked_up_count * sizeof(*texts));
	__atomic_store_n(&names->looked_up, texts, __ATOMIC_RELEASE);
	names->looked_up_limit = limit;
	return true;
}

/* Called with the lock held. */
static bool look_up(struct bc_string_ids *names, const char *string, size_t length, uint32_t *name,
		    struct bc_err *err)
{
	unsigned int hash = (unsigned int)bc_hash_bytes(names->hash_seed, string, length);
	struct bc_looked_up *found;
	size_t before;

	HASH_FIND_BYHASHVALUE(hh, names->table, string, length, hash, found);
	if (!found) {
		if (names->looked_up_count == names->looked_up_limit && !grow_looked_up(names, err))
			return false;
		found = bc_arena_alloc(&names->arena, 1, sizeof(*found) + length + 1, err);
		if (!found)
			return false;
		memcpy(found->text, string, length + 1);
		found->number = names->looked_up_count;
		before = HASH_COUNT(names->table);
		HASH_ADD_BYHASHVALUE(hh, names->table, text[0], (unsigned int)length, hash, found);
		if (HASH_COUNT(names->table) == before)
			return bc_err_memory(err, sizeof(*found));
		names->looked_up[names->looked_up_count++] = found->text;
	}
	*name = OTHER | found->number;
	return true;
}

static bool id_of(struct bc_string_ids *names, const char *string, uint32_t *name,
		  struct bc_err *err)
{
	size_t length = strlen(string);
	bool done;

	if (length <= BC_STRING_PACKED_BYTES) {
		*name = bc_string_id_packed(string, (uint32_t)length);
		return true;
	}
	if (length > UINT32_MAX / 2)
		return bc_err_set(err, "a name of %zu bytes", length);
	pthread_mutex_lock(&names->lock);
	done = look_up(names, string, length, name, err);
	pthread_mutex_unlock(&names->lock);
	return done;
}

bool bc_string_id_of(struct bc_string_ids *names, const char *string, uint32_t *name,
		     struct bc_err *err)
{
	return id_of(names, string, name, err) &&
	       (!names->by_text || bc_string_id_unify(names, name, err));
}

static bool is_text(const struct bc_string_ids *names, uint32_t name, const char *text)
{
	char packed[4];

	return name && !strcmp(text, bc_string_id_text(names, name, packed));
}

static bool make_guesses(struct bc_name_guesses *guesses, struct bc_err *err)
{
	if (!guesses->met)
		guesses->met = calloc(2 * GUESSES, sizeof(*guesses->met));
	return guesses->met || bc_err_memory(err, 2 * GUESSES * sizeof(*guesses->met));
}

/* The place, in MET, of what came after the last two names before. */
static uint32_t *place_after(const struct bc_name_guesses *guesses)
{
	uint32_t hash = (guesses->last ^ guesses->last_but_one * 0x85ebca6bu) * 0x9e3779b1u;

	return &guesses->met[GUESSES + (hash >> (32 - GUESS_BITS))];
}

/* Whether TEXT is what is expected; if so, GUESSES->at is where it stands. */
static bool is_expected(const struct bc_string_ids *names, struct bc_name_guesses *guesses,
			const char *text)
{
	if (is_text(names, guesses->met[guesses->at], text))
		return true;
	guesses->at = *place_after(guesses);
	return is_text(names, guesses->met[guesses->at], text);
}

bool bc_string_id_at(struct bc_string_ids *names, struct bc_name_guesses *guesses, uint32_t section,
		     uint64_t offset, uint32_t *name, struct bc_err *err)
{
	const struct bc_string_section *from = &names->sections[section];
	const char *text = from->data + offset;

	*name = from->first_name + (uint32_t)offset;
	if (!names->by_text)
		return from->first_name || bc_string_id_of(names, text, name, err);
	if (!make_guesses(guesses, err))
		return false;
	if (!is_expected(names, guesses, text)) {
		if (!(from->first_name ? bc_string_id_unify(names, name, err) :
					 bc_string_id_of(names, text, name, err)))
			return false;
		guesses->at = guesses->behind;
		guesses->behind = (guesses->behind + 1) % GUESSES;
		*place_after(guesses) = guesses->at;
		guesses->met[guesses->at] = *name;
	}
	*name = guesses->met[guesses->at];
	guesses->at = (guesses->at + 1) % GUESSES;
	guesses->last_but_one = guesses->last;
	guesses->last = *name;
	return true;
}

/* ---- one id per text ---- */

static bool grow_shard(struct bc_string_shard *shard, struct bc_err *err)
{
	uint32_t limit = shard->limit ? 2 * shard->limit : FIRST_SLOTS;
	uint64_t *slots = limit > shard->limit ? calloc(limit, sizeof(*slots)) : NULL;

	if (!slots)
		return bc_err_memory(err, (uint64_t)limit * sizeof(*slots));
	for (uint32_t i = 0; i < shard->limit; i++) {
		uint32_t at = (uint32_t)(shard->slots[i] >> 32) & (limit - 1);

		if (!shard->slots[i])
			continue;
		while (slots[at])
			at = (at + 1) & (limit - 1);
		slots[at] = shard->slots[i];
	}
	free(shard->slots);
	shard->slots = slots;
	shard->limit = limit;
	return true;
}

/* Makes of a name that of a copy of its text, if there is room. */
static void copy_text(struct bc_string_ids *names, const char *text, size_t length, uint32_t *name)
{
	uint64_t size = names->copy.size_bytes, at;

	if (length >= size || __atomic_load_n(&names->copy_used, __ATOMIC_RELAXED) > size)
		return;
	at = __atomic_fetch_add(&names->copy_used, length + 1, __ATOMIC_RELAXED);
	if (at >= size || length >= size - at)
		return;
	memcpy(names->copy_data + at, text, length + 1);
	*name = names->copy.first_name + (uint32_t)at;
}

/* Called with the shard's lock held. */
static bool find_or_add(struct bc_string_ids *names, struct bc_string_shard *shard, uint64_t hash,
			const char *text, size_t length, uint32_t *name, struct bc_err *err)
{
	uint32_t at;
	char packed[4];

	if (shard->used >= shard->limit / 4 * 3 && !grow_shard(shard, err))
		return false;
	at = (uint32_t)hash & (shard->limit - 1);
	for (; shard->slots[at]; at = (at + 1) & (shard->limit - 1)) {
		uint64_t entry = shard->slots[at];

		if (entry >> 32 == (uint32_t)hash &&
		    !strcmp(bc_string_id_text(names, (uint32_t)entry, packed), text)) {
			*name = (uint32_t)entry;
			return true;
		}
	}
	copy_text(names, text, length, name);
	shard->slots[at] = hash << 32 | *name;
	shard->used++;
	return true;
}

bool bc_string_id_unify(struct bc_string_ids *names, uint32_t *name, struct bc_err *err)
{
	struct bc_string_shard *shard;
	const char *text;
	uint64_t hash;
	size_t length;
	char packed[4];
	bool done;

	if (!*name || *name >= BC_STRING_PACKED)
		return true;
	text = bc_string_id_text(names, *name, packed);
	length = strlen(text);
	if (length <= BC_STRING_PACKED_BYTES) {
		*name = bc_string_id_packed(text, (uint32_t)length);
		return true;
	}
	hash = bc_hash_bytes(names->hash_seed, text, length);
	shard = &names->shards[hash >> 58];
	pthread_mutex_lock(&shard->lock);
	done = find_or_add(names, shard, hash, text, length, name, err);
	pthread_mutex_unlock(&shard->lock);
	return done;
}

/* The section whose names include NAME. */
static const struct bc_string_section *section_of(const struct bc_string_ids *names, uint32_t name)
{
	uint32_t low = 0, high = names->ranged_count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (names->sections[names->ranged[middle]].first_name <= name)
			low = middle;
		else
			high = middle;
	}
	return &names->sections[names->ranged[low]];
}

const char *bc_string_id_text(const struct bc_string_ids *names, uint32_t name, char packed[4])
{
	const struct bc_string_section *section;

	if (!name)
		return "";
	if (name >= BC_STRING_PACKED) {
		for (uint32_t i = 0; i < BC_STRING_PACKED_BYTES; i++)
			packed[i] = (char)(name >> 8 * i & 0xff);
		packed[BC_STRING_PACKED_BYTES] = '\0';
		return packed;
	}
	if (name >= OTHER)
		return __atomic_load_n(&names->looked_up, __ATOMIC_ACQUIRE)[name & NUMBER_MAX];
	section = name - names->copy.first_name < names->copy.size_bytes ? &names->copy :
									   section_of(names, name);
	return section->data + (name - section->first_name);
}

bool bc_name_set_make(struct bc_name_set *set, const struct bc_string_ids *names,
		      struct bc_err *err)
{
	bool is_copied = names->copy.size_bytes;

	set->first = is_copied ? names->copy.first_name : 0;
	set->count = names->next_name - set->first;
	set->bits = bc_zeroed(set->count / 64 + 1, sizeof(*set->bits));
	return set->bits || bc_err_memory(err, (set->count / 64 + 1) * sizeof(*set->bits));
}

uint32_t bc_string_id_number(const struct bc_string_ids *names, uint32_t name)
{
	if (name < OTHER)
		return name;
	if (name < BC_STRING_PACKED)
		return names->next_name + (name & NUMBER_MAX);
	return names->next_name + names->looked_up_count + (name & PACKED_MAX);
}

uint32_t bc_string_id_numbers(const struct bc_string_ids *names)
{
	return names->next_name + names->looked_up_count + PACKED_MAX + 1;
}

uint32_t bc_string_id_from_number(const struct bc_string_ids *names, uint32_t number)
{
	if (number < names->next_name)
		return number;
	number -= names->next_name;
	return number < names->looked_up_count ?
		       OTHER | number :
		       BC_STRING_PACKED | (number - names->looked_up_count);
}

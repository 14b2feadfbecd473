/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_MERGE_STRING_IDS_H
#define BC_MERGE_STRING_IDS_H

#include <pthread.h>

#include "base/arena.h"

/*
 * Names as numbers that cost nothing to make: a string in a string section is
 * its offset there, one of up to three bytes is its bytes. Only others are
 * looked up by content. So two ids may mean one text, as far as no linker
 * merged the strings: [bc_string_id_unify] finds the one id that stands for a
 * text, and with by_text every name is passed through it. Texts that have one are
 * copied then, in the order in which they are met: units repeat each other, so
 * texts that are met together lie together. 0 is no name.
 *
 * Bit 31 clear: 1 + offset in the sections and the copy, counted through. Bits 31 and 30:
 * 11 packed bytes, 10 number of a looked-up string.
 */
#define BC_STRING_PACKED 0xc0000000u
#define BC_STRING_PACKED_BYTES 3u
#define BC_STRING_SECTIONS_MAX 65536u
#define BC_STRING_SHARDS 64u

struct bc_string_section {
	const char *data; /* data[size_bytes - 1] is NUL */
	uint64_t size_bytes;
	uint32_t first_name; /* name id of offset 0; 0: too far, its strings are looked up */
};

/* Ids that stand for their text: open addressing, hash in the upper half. */
struct bc_string_shard {
	pthread_mutex_t lock;
	uint64_t *slots;
	uint32_t used, limit;
};

struct bc_string_ids {
	struct bc_string_section *sections;
	uint32_t section_count;
	uint32_t next_name;
	uint32_t *ranged; /* sections whose offsets are names, by first_name */
	uint32_t ranged_count;
	bool by_text; /* set before the first name, where equal strings can have several offsets */
	struct bc_string_section copy; /* of texts, by_text: as if it were one more section */
	char *copy_data;
	uint64_t copy_used; /* atomic; beyond its end no more are copied */
	struct bc_string_shard *shards;
	uint64_t hash_seed;
	pthread_mutex_t lock;
	struct bc_looked_up *table; /* uthash, by content */
	const char **looked_up;     /* by number; atomic, what it was before stays in the arena */
	uint32_t looked_up_count, looked_up_limit;
	struct bc_arena arena;
};

bool bc_string_ids_make(struct bc_string_ids *names, struct bc_err *err);
void bc_string_ids_free(struct bc_string_ids *names);

/* Adds a string section, which must outlive NAMES; *NUMBER is what bc_string_id_at wants. */
bool bc_string_ids_add_section(struct bc_string_ids *names, const char *data, uint64_t size_bytes,
			       uint32_t *number, struct bc_err *err);

/* After the last section, before the first name. */
bool bc_string_ids_finish(struct bc_string_ids *names, struct bc_err *err);

/*
 * A thread's guesses, for by_text: units repeat each other. MET has the names that
 * came unexpected, one after the other, and expected is what comes next there, or
 * what came after the last two names before. Valid zeroed; free(guesses->met).
 */
struct bc_name_guesses {
	uint32_t *met; /* from its middle on: by a hash of two names, the place of what came then */
	uint32_t at;   /* what is expected next */
	uint32_t behind; /* the last one; all starts over when it is full */
	uint32_t last, last_but_one;
};

/* What follows is thread-safe; false on memory. */

/* The name at OFFSET (in range) of a section. */
bool bc_string_id_at(struct bc_string_ids *names, struct bc_name_guesses *guesses, uint32_t section,
		     uint64_t offset, uint32_t *name, struct bc_err *err);

/* The name of a string that is in no section. */
bool bc_string_id_of(struct bc_string_ids *names, const char *string, uint32_t *name,
		     struct bc_err *err);

/* Makes of a name the one that stands for its text: the same for all names of one text. */
bool bc_string_id_unify(struct bc_string_ids *names, uint32_t *name, struct bc_err *err);

/* The name of a string of LENGTH bytes, up to three. */
static inline uint32_t bc_string_id_packed(const void *string, uint32_t length)
{
	const unsigned char *bytes = string;
	uint32_t packed = 0;

	for (uint32_t i = 0; i < length; i++)
		packed |= (uint32_t)bytes[i] << 8 * i;
	return length ? BC_STRING_PACKED | packed : 0;
}

/*
 * A set of names, for what is asked about each very often. Threads share it.
 * Only names that are offsets, by_text in the copy, can be in it: what is said of
 * others is forgotten.
 */
struct bc_name_set {
	uint64_t *bits; /* atomic, by name id from FIRST on */
	uint32_t first, count;
};

/* For all names that NAMES can get. Free with free(set->bits). */
bool bc_name_set_make(struct bc_name_set *set, const struct bc_string_ids *names,
		      struct bc_err *err);

static inline bool bc_name_set_has(const struct bc_name_set *set, uint32_t name)
{
	uint32_t at = name - set->first;

	return at < set->count &&
	       __atomic_load_n(&set->bits[at / 64], __ATOMIC_RELAXED) >> at % 64 & 1;
}

static inline void bc_name_set_add(struct bc_name_set *set, uint32_t name)
{
	uint32_t at = name - set->first;

	if (at < set->count)
		__atomic_fetch_or(&set->bits[at / 64], UINT64_C(1) << at % 64, __ATOMIC_RELAXED);
}

/*
 * Ids as small numbers, each its own, below bc_string_id_numbers. Not while
 * names are still made.
 */
uint32_t bc_string_id_number(const struct bc_string_ids *names, uint32_t name);
uint32_t bc_string_id_numbers(const struct bc_string_ids *names);
uint32_t bc_string_id_from_number(const struct bc_string_ids *names, uint32_t number);

/* The text of a name; PACKED gives room for short ones. */
const char *bc_string_id_text(const struct bc_string_ids *names, uint32_t name, char packed[4]);

#endif

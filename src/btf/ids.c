/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "btf/ids.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "elf/bytes.h"
#include "elf/table.h"

/*
 * The section is an array of 32-bit words. A symbol __BTF_ID__KIND__NAME__N is
 * at the word with that type's id; __BTF_ID__set__NAME at the number of ids
 * that follow, sorted; __BTF_ID__set8__NAME at the number of pairs of id and
 * flags that follow a word of flags, sorted by id.
 */
#define SET_PREFIX BC_BTF_IDS_PREFIX "set__"
#define SET8_PREFIX BC_BTF_IDS_PREFIX "set8__"

enum word_kind { WORD_UNKNOWN, WORD_ID, WORD_OTHER };

/* A set, in words. */
struct set {
	uint64_t first; /* the first id */
	uint64_t count;
	uint32_t stride; /* 1, with flags 2 */
};

struct pair {
	uint32_t id;
	uint32_t flags;
	uint64_t index;
};

static uint64_t word_count(const struct bc_btf_ids *ids)
{
	return ids->size_bytes / 4;
}

static uint32_t load(const struct bc_btf_ids *ids, uint64_t word)
{
	return bc_bytes_u32(ids->data + word * 4, ids->big_endian);
}

static void store(const struct bc_btf_ids *ids, uint64_t word, uint32_t value)
{
	bc_elf_store_number(ids->data + word * 4, 4, ids->big_endian, value);
}

static bool begins_with(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/* Whether SYMBOL is that of a set; then *SET is it. */
static bool read_set(struct set *set, const struct bc_btf_ids *ids,
		     const struct bc_section_symbol *symbol)
{
	uint64_t word = symbol->offset / 4;

	if (begins_with(symbol->name, SET_PREFIX))
		*set = (struct set){ word + 1, load(ids, word), 1 };
	else if (begins_with(symbol->name, SET8_PREFIX))
		*set = (struct set){ word + 2, load(ids, word), 2 };
	else
		return false;
	return true;
}

static bool check_symbol(const struct bc_btf_ids *ids, const struct bc_section_symbol *symbol,
			 struct bc_err *err)
{
	char name[BC_PRINTABLE_MAX];

	return (symbol->offset % 4 == 0 && symbol->offset / 4 < word_count(ids)) ||
	       bc_err_set(err, ".BTF_ids: %s is at byte %" PRIu64 " of %zu",
			  bc_printable(name, symbol->name), symbol->offset, ids->size_bytes);
}

static bool mark_set(uint8_t *kinds, const struct bc_btf_ids *ids, const struct set *set,
		     const char *symbol, struct bc_err *err)
{
	char name[BC_PRINTABLE_MAX];

	if (set->first + set->count * set->stride > word_count(ids))
		return bc_err_set(err, ".BTF_ids: %s says that it has %" PRIu64 " ids",
				  bc_printable(name, symbol), set->count);
	memset(kinds + set->first - set->stride, WORD_OTHER, set->stride);
	for (uint64_t i = 0; i < set->count * set->stride; i++)
		kinds[set->first + i] = i % set->stride ? WORD_OTHER : WORD_ID;
	return true;
}

/* What each word is; memory from ARENA. NULL: an error. */
static uint8_t *classify(const struct bc_btf_ids *ids, struct bc_arena *arena, struct bc_err *err)
{
	const struct bc_section_symbols *symbols = ids->symbols;
	uint8_t *kinds = bc_arena_zalloc(arena, word_count(ids), 1, err);

	for (uint32_t i = 0; kinds && i < symbols->count; i++) {
		if (!check_symbol(ids, &symbols->items[i], err))
			return NULL;
		kinds[symbols->items[i].offset / 4] = WORD_ID;
	}
	/* Sets last: they have the say over what is in them. */
	for (uint32_t i = 0; kinds && i < symbols->count; i++) {
		struct set set;

		if (read_set(&set, ids, &symbols->items[i]) &&
		    !mark_set(kinds, ids, &set, symbols->items[i].name, err))
			return NULL;
	}
	return kinds;
}

/* Whether SYMBOL is at an id, or a set that holds one; 0 is none. */
static bool holds_id(const struct bc_btf_ids *ids, const struct bc_section_symbol *symbol)
{
	struct set set;

	if (!read_set(&set, ids, symbol))
		return load(ids, symbol->offset / 4);
	for (uint64_t i = 0; i < set.count; i++) {
		uint64_t word = set.first + i * set.stride;

		if (word >= word_count(ids))
			break;
		if (load(ids, word))
			return true;
	}
	return false;
}

/* Before ids are filled in all of them are 0, flags are not. */
static bool is_resolved(const struct bc_btf_ids *ids)
{
	const struct bc_section_symbols *symbols = ids->symbols;

	for (uint32_t i = 0; i < symbols->count; i++)
		if (holds_id(ids, &symbols->items[i]))
			return true;
	/* Without symbols nobody can tell flags from ids. */
	for (uint64_t word = 0; !symbols->count && word < word_count(ids); word++)
		if (load(ids, word))
			return true;
	return false;
}

bool bc_btf_ids_check(bool *resolved, const struct bc_btf_ids *ids, struct bc_arena *arena,
		      struct bc_err *err)
{
	uint8_t *kinds;

	for (uint32_t i = 0; i < ids->symbols->count; i++)
		if (!check_symbol(ids, &ids->symbols->items[i], err))
			return false;
	*resolved = is_resolved(ids);
	if (!*resolved)
		return true;
	kinds = classify(ids, arena, err);
	if (!kinds)
		return false;
	for (uint64_t word = 0; word < word_count(ids); word++)
		if (kinds[word] == WORD_UNKNOWN && load(ids, word))
			return bc_err_set(err,
					  ".BTF_ids: no symbol says what byte %" PRIu64
					  " on is (are they stripped?)",
					  word * 4);
	return true;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *left = a, *right = b;

	if (left->id != right->id)
		return left->id < right->id ? -1 : 1;
	return (left->index > right->index) - (left->index < right->index);
}

static bool sort_set(const struct bc_btf_ids *ids, const struct set *set, struct bc_arena *arena,
		     struct bc_err *err)
{
	struct pair *pairs = bc_arena_alloc(arena, set->count, sizeof(*pairs), err);

	if (!pairs)
		return false;
	for (uint64_t i = 0; i < set->count; i++) {
		uint64_t word = set->first + i * set->stride;

		pairs[i] = (struct pair){ load(ids, word), load(ids, word + set->stride - 1), i };
	}
	if (set->count)
		qsort(pairs, set->count, sizeof(*pairs), compare_pairs);
	for (uint64_t i = 0; i < set->count; i++) {
		uint64_t word = set->first + i * set->stride;

		store(ids, word + set->stride - 1, pairs[i].flags);
		store(ids, word, pairs[i].id);
	}
	return true;
}

bool bc_btf_ids_map(const struct bc_btf_ids *ids, uint32_t id_end, bc_id_mapper map,
		    const void *context, struct bc_arena *arena, struct bc_err *err)
{
	uint8_t *kinds = classify(ids, arena, err);

	if (!kinds)
		return false;
	for (uint64_t word = 0; word < word_count(ids); word++) {
		uint32_t id = load(ids, word);

		if (kinds[word] != WORD_ID || !id)
			continue;
		if (id >= id_end)
			return bc_err_set(err, ".BTF_ids: byte %" PRIu64 " is type %u of %u",
					  word * 4, id, id_end - 1);
		store(ids, word, map(context, id));
	}
	for (uint32_t i = 0; i < ids->symbols->count; i++) {
		struct set set;

		if (read_set(&set, ids, &ids->symbols->items[i]) &&
		    !sort_set(ids, &set, arena, err))
			return false;
	}
	return true;
}

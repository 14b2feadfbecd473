/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "text/assemble_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/room.h"

#define LINK_COUNT ((size_t)1 << 15)

static uint64_t hash_symbol(const struct bc_store *store, enum bc_symbol_space space, uint32_t name,
			    uint32_t number)
{
	const uint32_t words[] = { space, name, number };

	return bc_hash_bytes(store->hash_seed, words, sizeof(words));
}

bool bc_store_open(struct bc_store *store, const struct bc_graph *base, struct bc_err *err)
{
	*store = (struct bc_store){
		.first_id = base ? bc_id_end(base) : 1,
		.string_base = base ? bc_string_end(base) : 0,
		.symbol_count = 1, /* the usual index */
		.string_slot_count = 1 << 12,
		.symbol_slot_count = 1 << 12,
		.hash_seed = bc_hash_seed(),
		.err = err,
	};
	if (!bc_make_room(&store->strings, &store->string_limit, 1, sizeof(*store->strings),
			  store->err) ||
	    !bc_make_room(&store->symbols, &store->symbol_limit, 1, sizeof(*store->symbols),
			  store->err))
		return false;
	/* Slot value 0 is free, so that the first byte holds no string but the empty one. */
	store->strings[store->string_bytes++] = '\0';
	store->symbols[0] = (struct bc_symbol){ 0 };
	store->string_slots = calloc(store->string_slot_count, sizeof(uint32_t));
	store->symbol_slots = calloc(store->symbol_slot_count, sizeof(uint32_t));
	store->links = calloc(LINK_COUNT, sizeof(uint32_t));
	if (!store->string_slots || !store->symbol_slots || !store->links)
		return bc_err_memory(err, store->string_slot_count * sizeof(uint32_t));
	return true;
}

void bc_store_close(struct bc_store *store)
{
	free(store->words);
	free(store->start);
	free(store->at);
	free(store->strings);
	free(store->string_slots);
	free(store->symbols);
	free(store->symbol_slots);
	free(store->links);
	*store = (struct bc_store){ 0 };
}

/* Twice as many slots, empty. */
static uint32_t *make_slots(struct bc_store *store, size_t *slot_count)
{
	uint32_t *slots = calloc(*slot_count * 2, sizeof(*slots));

	if (slots)
		*slot_count *= 2;
	else
		bc_err_memory(store->err, *slot_count * 2 * sizeof(*slots));
	return slots;
}

static bool widen_strings(struct bc_store *store)
{
	uint32_t *slots = make_slots(store, &store->string_slot_count);

	if (!slots)
		return false;
	for (size_t at = 1; at < store->string_bytes;) {
		size_t length = strlen(store->strings + at);
		size_t slot = bc_hash_bytes(store->hash_seed, store->strings + at, length);

		while (slots[slot & (store->string_slot_count - 1)])
			slot++;
		slots[slot & (store->string_slot_count - 1)] = (uint32_t)at;
		at += length + 1;
	}
	free(store->string_slots);
	store->string_slots = slots;
	return true;
}

/* The first byte is for the empty string; that of split BTF is its base's. */
static uint32_t string_offset(const struct bc_store *store, uint32_t at)
{
	return at ? store->string_base + at : 0;
}

bool bc_store_string(struct bc_store *store, const char *text, size_t length, uint32_t *offset)
{
	size_t slot;
	uint32_t at;

	if (!length) {
		*offset = 0;
		return true;
	}
	if (store->distinct_strings >= store->string_slot_count / 2 && !widen_strings(store))
		return false;
	for (slot = bc_hash_bytes(store->hash_seed, text, length);
	     (at = store->string_slots[slot & (store->string_slot_count - 1)]); slot++) {
		if (length < store->string_bytes - at &&
		    !memcmp(store->strings + at, text, length) && !store->strings[at + length])
			break;
	}
	if (!at) {
		if (store->string_base + store->string_bytes + length + 1 > UINT32_MAX)
			return bc_err_set(store->err, "strings of more than 4 GiB");
		if (!bc_make_room(&store->strings, &store->string_limit,
				  (uint64_t)store->string_bytes + length + 1,
				  sizeof(*store->strings), store->err))
			return false;
		at = (uint32_t)store->string_bytes;
		memcpy(store->strings + at, text, length);
		store->strings[at + length] = '\0';
		store->string_bytes += length + 1;
		store->string_slots[slot & (store->string_slot_count - 1)] = at;
		store->distinct_strings++;
	}
	*offset = string_offset(store, at);
	return true;
}

uint32_t *bc_store_node(struct bc_store *store, uint32_t name, uint32_t info, size_t word_count,
			uint32_t at, uint32_t *id)
{
	uint32_t *node;

	if (store->type_count + (uint64_t)store->first_id >= BC_STORE_SYMBOL - 1 ||
	    store->word_count + word_count > UINT32_MAX / 4) {
		bc_err_set(store->err, "it would be longer than 4 GiB");
		return NULL;
	}
	if (!bc_make_room(&store->words, &store->word_limit,
			  (uint64_t)store->word_count + word_count, sizeof(*store->words),
			  store->err) ||
	    !bc_make_room(&store->start, &store->start_limit, (uint64_t)store->type_count + 1,
			  sizeof(*store->start), store->err) ||
	    !bc_make_room(&store->at, &store->at_limit, (uint64_t)store->type_count + 1,
			  sizeof(*store->at), store->err))
		return NULL;
	node = store->words + store->word_count;
	memset(node, 0, word_count * sizeof(*node));
	node[0] = name;
	node[1] = info;
	store->start[store->type_count] = (uint32_t)store->word_count;
	store->at[store->type_count] = at;
	store->word_count += word_count;
	*id = store->first_id + store->type_count++;
	return node;
}

bool bc_store_link(struct bc_store *store, uint32_t name, uint32_t info, uint32_t type, uint32_t at,
		   uint32_t *id)
{
	uint32_t *link = &store->links[bc_hash_mix(bc_hash_mix(bc_hash_mix(name, info), type), 0) &
				       (LINK_COUNT - 1)];
	uint32_t *node = *link ? bc_store_words(store, *link) : NULL;

	*id = *link;
	if (node && node[0] == name && node[1] == info && node[2] == type)
		return true;
	node = bc_store_node(store, name, info, BC_HEAD_WORDS, at, id);
	if (!node)
		return false;
	node[2] = type;
	*link = *id;
	return true;
}

static bool widen_symbols(struct bc_store *store)
{
	uint32_t *slots = make_slots(store, &store->symbol_slot_count);

	if (!slots)
		return false;
	for (size_t i = 1; i < store->symbol_count; i++) {
		const struct bc_symbol *symbol = &store->symbols[i];
		size_t slot = hash_symbol(store, symbol->space, symbol->name, symbol->number);

		while (slots[slot & (store->symbol_slot_count - 1)])
			slot++;
		slots[slot & (store->symbol_slot_count - 1)] = (uint32_t)i;
	}
	free(store->symbol_slots);
	store->symbol_slots = slots;
	return true;
}

/* The slot of the symbol, or the free one where it would be. */
static size_t symbol_slot(const struct bc_store *store, enum bc_symbol_space space, uint32_t name,
			  uint32_t number)
{
	size_t slot = hash_symbol(store, space, name, number) & (store->symbol_slot_count - 1);

	while (store->symbol_slots[slot]) {
		const struct bc_symbol *symbol = &store->symbols[store->symbol_slots[slot]];

		if (symbol->name == name && symbol->number == number && symbol->space == space)
			break;
		slot = (slot + 1) & (store->symbol_slot_count - 1);
	}
	return slot;
}

bool bc_store_symbol(struct bc_store *store, enum bc_symbol_space space, uint32_t name,
		     uint32_t number, uint32_t at, uint32_t *symbol)
{
	size_t slot;

	if (store->symbol_count >= store->symbol_slot_count / 2 && !widen_symbols(store))
		return false;
	slot = symbol_slot(store, space, name, number);
	*symbol = store->symbol_slots[slot];
	if (*symbol)
		return true;
	if (!bc_make_room(&store->symbols, &store->symbol_limit, (uint64_t)store->symbol_count + 1,
			  sizeof(*store->symbols), store->err))
		return false;
	store->symbols[store->symbol_count] = (struct bc_symbol){
		.name = name,
		.number = number,
		.space = (uint8_t)space,
		.used_at = at,
	};
	*symbol = store->symbol_slots[slot] = (uint32_t)store->symbol_count++;
	return true;
}

uint32_t bc_store_find(const struct bc_store *store, enum bc_symbol_space space, uint32_t name,
		       uint32_t number)
{
	enum bc_symbol_space first = space, last = space;

	if (space <= BC_SYMBOL_ENUM) {
		first = BC_SYMBOL_STRUCT;
		last = BC_SYMBOL_ENUM;
	} else if (space >= BC_SYMBOL_LABEL_STRUCT) {
		first = BC_SYMBOL_LABEL_STRUCT;
		last = BC_SYMBOL_LABEL;
	}
	for (space = first; space <= last; space++) {
		uint32_t symbol = store->symbol_slots[symbol_slot(store, space, name, number)];

		if (symbol && store->symbols[symbol].id)
			return store->symbols[symbol].id;
	}
	return 0;
}

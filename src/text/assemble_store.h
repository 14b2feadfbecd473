/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_ASSEMBLE_STORE_H
#define BC_TEXT_ASSEMBLE_STORE_H

#include <stddef.h>

#include "base/err.h"
#include "graph/graph.h"

/*
 * What a text has said so far: nodes in the order in which they were complete,
 * strings, and symbols. A symbol is a name (or a label) that types go by. A
 * reference may come before its type: until everything is read it is
 * BC_STORE_SYMBOL plus the number of a symbol.
 */
#define BC_STORE_SYMBOL UINT32_C(0x80000000)

/* Symbol 0: the index type of an array that says none. */
#define BC_STORE_USUAL_INDEX BC_STORE_SYMBOL

/* What may have one name and number once each: but struct, union and enum share. */
enum bc_symbol_space {
	BC_SYMBOL_STRUCT,
	BC_SYMBOL_UNION,
	BC_SYMBOL_ENUM,
	BC_SYMBOL_BASE, /* INT, FLOAT, TYPEDEF */
	BC_SYMBOL_FUNC,
	BC_SYMBOL_VAR,
	BC_SYMBOL_SECTION,
	BC_SYMBOL_LABEL_STRUCT, /* of labels the name is the number of the block */
	BC_SYMBOL_LABEL_UNION,
	BC_SYMBOL_LABEL_ENUM,
	BC_SYMBOL_LABEL,
};

struct bc_symbol {
	uint32_t name; /* string offset */
	uint32_t number;
	uint32_t id;      /* of the type; 0: not known yet */
	uint32_t used_at; /* place in the text of the first reference */
	uint8_t space;
};

struct bc_store {
	uint32_t first_id; /* of own nodes */
	uint32_t string_base;
	uint64_t hash_seed;
	uint32_t type_count;
	uint32_t *words;
	size_t word_count;
	uint32_t word_limit;
	uint32_t *start; /* [type_count] first word of each node */
	uint32_t start_limit;
	uint32_t *at; /* [type_count] where the text says it */
	uint32_t at_limit;
	char *strings; /* own string section */
	size_t string_bytes;
	uint32_t string_limit;
	uint32_t *string_slots; /* offsets into STRINGS, 0: free */
	size_t string_slot_count, distinct_strings;
	struct bc_symbol *symbols;
	size_t symbol_count;
	uint32_t symbol_limit;
	uint32_t *symbol_slots; /* numbers of symbols, 0: free */
	size_t symbol_slot_count;
	uint32_t *links; /* ids of types made by bc_store_link, by hash; the last one stays */
	struct bc_err *err;
};

/* Nodes count on from BASE (NULL: none). ERR is kept. After a failure too, close. */
bool bc_store_open(struct bc_store *store, const struct bc_graph *base, struct bc_err *err);
void bc_store_close(struct bc_store *store);

/* The offset of the string of LENGTH bytes at TEXT, without a NUL in it. */
bool bc_store_string(struct bc_store *store, const char *text, size_t length, uint32_t *offset);

/* A new node of WORD_COUNT words, cleared but for name and info; *ID is its id. */
uint32_t *bc_store_node(struct bc_store *store, uint32_t name, uint32_t info, size_t word_count,
			uint32_t at, uint32_t *id);

/*
 * A node of three words that refers to TYPE: one that was made here before where
 * it is at hand, so that the many pointers to one type are mostly one node.
 */
bool bc_store_link(struct bc_store *store, uint32_t name, uint32_t info, uint32_t type, uint32_t at,
		   uint32_t *id);

/* The words of own type ID; they move when a node is added. */
static inline uint32_t *bc_store_words(const struct bc_store *store, uint32_t id)
{
	return store->words + store->start[id - store->first_id];
}

/* A node of the text, not a symbol, void or a type of the base. */
static inline bool bc_store_is_own(const struct bc_store *store, uint32_t reference)
{
	return reference >= store->first_id && reference < BC_STORE_SYMBOL;
}

/* The symbol, made where it is new; used at place AT in the text. *SYMBOL is its number. */
bool bc_store_symbol(struct bc_store *store, enum bc_symbol_space space, uint32_t name,
		     uint32_t number, uint32_t at, uint32_t *symbol);

/* The type that a symbol of one of the spaces that share names with SPACE has; 0: none. */
uint32_t bc_store_find(const struct bc_store *store, enum bc_symbol_space space, uint32_t name,
		       uint32_t number);

#endif

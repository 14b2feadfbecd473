/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_HEADER_NAMES_H
#define BC_TEXT_HEADER_NAMES_H

#include "base/arena.h"
#include "base/notes.h"
#include "base/text.h"
#include "graph/graph.h"
#include "text/header_layout.h"

/*
 * What names become in C.
 *
 * A name that C keeps for itself ("for", "bool") or cannot spell ("a::b") is
 * altered: bytes that no identifier has become '_', and ___N follows. Where
 * several types could be meant by one name, the first keeps it and the others
 * get ___N (CO-RE ignores what follows "___"). N is the lowest from 2 on with
 * which no name of the BTF and no altered one is spelled.
 *
 * Names are string offsets: in a canonical graph equal names are at one
 * offset, and offsets are in the order of strcmp.
 */
struct bc_c_names {
	const struct bc_graph *graph;
	uint32_t pointer_bytes;
	uint32_t *number;       /* by id: N, 1 for the plain name, 0: has none in C */
	uint32_t *means;        /* by id, of tags: the type that C takes it for; a forward
			       * declaration means the definition of its class */
	uint32_t plain_bool;    /* the TYPEDEF that is C's bool, 0: none */
	uint32_t plain_truth;   /* the unnamed enum of false and true, 0: none */
	uint32_t plain_va_list; /* the TYPEDEF that compilers bring along, 0: none */

	uint8_t class_of[256]; /* by byte: whether identifiers may have it */
	uint8_t *is_odd;       /* by string offset, a bit each: it is altered */
	uint8_t *is_type;      /* by string offset, a bit each: names a type without a keyword */
	uint32_t *odd;         /* string offsets of altered names */
	char **altered;        /* [odd_count] what they become */
	uint32_t odd_count;
	const char **altered_sorted;

	uint32_t *strings; /* offsets of all strings, once they are asked for */
	uint32_t string_count;
	struct bc_keyed *counters; /* key: string offset + 1; value: last N that enumerators have */
	uint32_t counter_capacity, counter_count;
	uint8_t *is_taken; /* by string offset, a bit each: an ordinary identifier of the file */

	char *room; /* for one name with its number */
	size_t room_bytes;
	uint64_t bytes_left; /* of repeated names, beyond which no more is tried */
	struct bc_arena *arena;
	struct bc_err *err;
};

/*
 * GRAPH is canonical, without a base; LAYOUT is that of it. Of a chain of BTF,
 * lower levels have their names first; the lowest BASE_COUNT have a header of
 * their own, where an enum that they only declare has the plain name for good.
 * Arrays live in ARENA. NOTES gets what is altered.
 */
bool bc_c_names_make(struct bc_c_names *names, const struct bc_graph *graph,
		     const struct bc_layout *layout, uint8_t base_count, struct bc_arena *arena,
		     struct bc_notes *notes, struct bc_err *err);

/* Writes the name at OFFSET as an identifier of C. */
void bc_c_put_identifier(struct bc_text *text, const struct bc_c_names *names, uint32_t offset);

/* Writes the name of type ID with its number, without a keyword. */
void bc_c_put_type_name(struct bc_text *text, const struct bc_c_names *names, uint32_t id);

/* Writes "NAME" or, where the name is taken, "NAME___N", and takes it. */
bool bc_c_put_enumerator(struct bc_text *text, struct bc_c_names *names, uint32_t offset);

/*
 * Writes NAME, which is the header's own and at most 32 bytes long; with the first
 * number above *NUMBER, which is set to it, where it IS_TAKEN or the BTF has that name.
 */
bool bc_c_put_own_name(struct bc_text *text, struct bc_c_names *names, const char *name,
		       bool is_taken, uint32_t *number);

/* Does every C compiler take NAME as an identifier? */
bool bc_c_is_identifier(const struct bc_c_names *names, const char *name);

static inline bool bc_bit(const uint8_t *bits, uint32_t i)
{
	return bits[i / 8] >> i % 8 & 1;
}

static inline void bc_bit_set(uint8_t *bits, uint32_t i)
{
	bits[i / 8] |= (uint8_t)(1u << i % 8);
}

/* Is the type one that the header names, or declares? */
static inline bool bc_c_is_tag(uint32_t kind)
{
	return bc_kind_is_composite(kind) || bc_kind_is_enum(kind) || kind == BC_FWD;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_HEADER_LAYOUT_H
#define BC_TEXT_HEADER_LAYOUT_H

#include "base/arena.h"
#include "graph/graph.h"
#include "graph/sizes.h"

/*
 * How a C compiler is brought to lay structs out as BTF says. BTF tells sizes
 * and offsets, but neither alignment nor padding; these are chosen so that
 * the result is the same for every ABI with this size of a pointer:
 *
 *   - packed, where a member is at an offset, or the size is of a kind, that
 *     its alignment forbids;
 *   - aligned(N) on a member, or on the whole, where that explains a gap and
 *     every use of the type by value agrees with it;
 *   - unnamed bitfields in all other gaps.
 *
 * With pointers of 4 bytes, ABIs differ in the alignment of 8-byte scalars:
 * what has to be said for one of them, is.
 */
struct bc_layout {
	const struct bc_graph *graph;
	const uint8_t *level; /* by id: how many bases are below its BTF; NULL: there are none */
	struct bc_sizes sizes;
	uint32_t *align;  /* by id, in bytes: what the C that is written for the type has */
	uint32_t *align4; /* the same where 8-byte scalars are aligned to 4, as on i386 */
	uint32_t *limit;  /* by id, of structs and unions: the alignment that all uses allow, other
			     * than those on top of its BTF, which may be packed instead */
	uint32_t *resolved;      /* by id: the type behind modifiers and typedefs */
	uint8_t *has_composites; /* by id: is it, or has it by value, a struct or union? */
	uint8_t *is_packed;      /* by id, of structs and unions: 0 not asked yet, 1 no, 2 yes */
	uint8_t pointer_bytes;
	uint8_t align8;            /* of 8-byte scalars, in the ABI that BTF shows */
	bool has_va_list_by_value; /* a struct or union holds a __builtin_va_list */
};

/*
 * GRAPH has no base; LEVEL (may be NULL) tells by id which BTF of a chain a
 * type comes from. Nothing of a higher level changes what is made of a lower
 * one: a kernel's structs look alike with and without a module's. Arrays live
 * in ARENA. Where the graph does not say it,
 * the size of a pointer is guessed from long, or from where members lie.
 */
bool bc_layout_make(struct bc_layout *layout, const struct bc_graph *graph, const uint8_t *level,
		    struct bc_arena *arena, struct bc_err *err);

static inline uint8_t bc_layout_level(const struct bc_layout *layout, uint32_t id)
{
	return layout->level ? layout->level[id] : 0;
}

/* What stands in C for one member. Offsets are in bits. */
struct bc_place {
	uint64_t padding_from, padding_to; /* a gap to fill in front of it; equal: none */
	uint32_t aligned;                  /* aligned(N) on it, 0: none */
	uint32_t width;                    /* of a bitfield, 0: it is none */
	bool skipped;                      /* C cannot have it there: it is left to padding */
};

/* A walk through the members of a struct or union, in their order. */
struct bc_placing {
	const struct bc_layout *layout;
	const uint32_t *node;
	uint32_t limit;
	bool packed;
	bool is_union;
	uint32_t align; /* in bytes: of what was placed so far */
	uint32_t align4;
	uint64_t position; /* in bits: where that ends */
};

void bc_placing_begin(struct bc_placing *placing, const struct bc_layout *layout, uint32_t id);
struct bc_place bc_placing_next(struct bc_placing *placing, uint32_t member);

/* After the last member: padding in front of the end, and aligned(N) on the whole. */
struct bc_place bc_placing_end(struct bc_placing *placing);

/*
 * Takes the next unnamed bitfield off the gap FROM … TO: its type's size in
 * bytes and its width, 0 when the gap is filled.
 */
struct bc_pad {
	uint32_t type_bytes;
	uint32_t width;
};
struct bc_pad bc_placing_pad(const struct bc_placing *placing, uint64_t *from, uint64_t to);

/* An unnamed member C has only as members of its own: the struct or union in it, or 0. */
uint32_t bc_layout_unnamed(const struct bc_layout *layout, uint32_t type_id);

#endif

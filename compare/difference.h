/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_COMPARE_DIFFERENCE_H
#define BC_COMPARE_DIFFERENCE_H

#include "compare/side.h"

/* What became of a type, or of a part of one. */
enum bc_change {
	BC_ADDED,
	BC_REMOVED,
	BC_CHANGED,
	BC_INDIRECT, /* says the same, but leads to a type that changed */
};

/* Which part of a type a detail is about. */
enum bc_part {
	BC_PART_MEMBER,
	BC_PART_VALUE,
	BC_PART_PARAMETER,
	BC_PART_RETURN,
	BC_PART_TYPE, /* of a typedef or variable */
	BC_PART_TAG,
	BC_PART_ORDER, /* of members, values: nothing else tells what changed */
	BC_PART_COUNT,
};

/* What of a part changed, a bit each. */
enum bc_aspect {
	BC_ASPECT_RENAMED = 1 << 0,
	BC_ASPECT_MOVED = 1 << 1, /* member: another offset; parameter: another place */
	BC_ASPECT_RETYPED = 1 << 2,
	BC_ASPECT_WIDTH = 1 << 3,      /* of a bitfield */
	BC_ASPECT_NESTED = 1 << 4,     /* now in other unnamed structs and unions, or in none */
	BC_ASPECT_RENUMBERED = 1 << 5, /* value */
};

/* A part as one side has it. */
struct bc_part_state {
	const char *name; /* member: the path, "a.b"; of the graph or of the arena */
	uint64_t
		bit_offset; /* member: from the beginning of the type, or of what its path points at */
	uint32_t bit_width;  /* member: 0: not a bitfield */
	uint32_t type_id;    /* member, parameter, return, type */
	uint32_t place;      /* parameter: from 0; tag: 0 the whole type, i + 1 component i */
	uint64_t value;      /* value: sign-extended */
	const char *nesting; /* member: the unnamed types around it, "union.struct" */
	bool is_attribute;   /* tag: decl_attr */
};

struct bc_detail {
	enum bc_part part;
	enum bc_change change;
	uint32_t aspects;         /* set of enum bc_aspect, where change is BC_CHANGED */
	uint64_t where;           /* sorts details of one part */
	struct bc_part_state old; /* name NULL: not there */
	struct bc_part_state new;
};

/* One type: what became of it. */
struct bc_difference {
	enum bc_change change;
	uint32_t old_id; /* 0: added */
	uint32_t new_id; /* 0: removed */
	uint32_t first_detail;
	uint32_t detail_count;
};

struct bc_comparison {
	struct bc_side sides[2];
	struct bc_difference *differences; /* by kind, name, change */
	uint32_t count;
	struct bc_detail *details; /* of all, each difference's together */
	uint32_t detail_count;
	struct bc_arena arena;
};

struct bc_compare_options {
	bool indirect; /* list what changed indirectly too */
};

/*
 * Compares two canonical graphs, which must outlive the result. Their bases
 * are looked at but not compared with each other. bc_compare_close frees, also
 * after failure of a zeroed one.
 */
bool bc_compare_graphs(struct bc_comparison *comparison, const struct bc_graph *old_graph,
		       const struct bc_graph *new_graph, const struct bc_compare_options *options,
		       struct bc_err *err);
void bc_compare_close(struct bc_comparison *comparison);

/* The node that shows a difference's kind and name: the new one's where there is one. */
static inline const uint32_t *bc_difference_node(const struct bc_comparison *comparison,
						 const struct bc_difference *difference)
{
	return difference->new_id ? bc_node(comparison->sides[BC_NEW].graph, difference->new_id) :
				    bc_node(comparison->sides[BC_OLD].graph, difference->old_id);
}

static inline const char *bc_difference_name(const struct bc_comparison *comparison,
					     const struct bc_difference *difference)
{
	return difference->new_id ? bc_side_name(&comparison->sides[BC_NEW], difference->new_id) :
				    bc_side_name(&comparison->sides[BC_OLD], difference->old_id);
}

static inline const struct bc_detail *bc_detail_at(const struct bc_comparison *comparison,
						   const struct bc_difference *difference,
						   uint32_t i)
{
	return &comparison->details[difference->first_detail + i];
}

/* The rank of a kind in every report: struct, union, enum, typedef, func, var, int, float, section. */
uint32_t bc_kind_rank(const uint32_t *node);
#define BC_KIND_RANKS 10

/* "struct", …: the word of a rank. */
const char *bc_rank_word(uint32_t rank);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_GRAPH_REPEATS_H
#define BC_GRAPH_REPEATS_H

#include "base/arena.h"
#include "graph/graph.h"
#include "graph/names.h"

/*
 * What a block of text writes once and then refers to by a label.
 *
 * Unnamed types are written in place wherever something refers to them. Small
 * ones are written again each time, which reads well and keeps lines
 * independent of each other. What is large, or contains itself, is written
 * once in a block: else 30 structs that each contain the next one twice would
 * be a thousand million lines.
 */
struct bc_repeat {
	uint32_t met;     /* the block in which it was met */
	uint32_t again;   /* the block in which it was met again: it needs a label */
	uint32_t written; /* the block in which the writer came to it */
	uint32_t label;   /* from 1, where it has one */
	uint32_t walk;    /* the last walk along a chain that came by */
};

struct bc_repeats {
	const struct bc_graph *graph;
	uint8_t *weight;           /* by id; see repeats.c */
	struct bc_repeat *repeats; /* by id */
	uint32_t block;
	uint32_t walk;
	uint32_t label_count;
	uint64_t steps_left; /* each is at least a byte of text */
	struct bc_weighing *weighings;
	uint32_t weighing_limit;
	uint32_t *knots; /* met, not looked into yet */
	uint32_t knot_limit;
	struct bc_err *err;
};

/*
 * Arrays live in ARENA, but for two stacks: bc_repeats_close frees them. Texts
 * of more than LIMIT_BYTES are given up on early. ERR is kept for later calls.
 */
bool bc_repeats_open(struct bc_repeats *repeats, const struct bc_graph *graph, uint64_t limit_bytes,
		     struct bc_arena *arena, struct bc_err *err);
void bc_repeats_close(struct bc_repeats *repeats);

/* A new block begins, for what ROOT refers to (ROOT itself, when unnamed, included). */
bool bc_repeats_begin(struct bc_repeats *repeats, uint32_t root);

/* Whether writing unnamed type ID in full could be long, or never end. */
bool bc_repeats_is_heavy(struct bc_repeats *repeats, uint32_t id, bool *heavy);

/*
 * The writer comes to heavy type ID. True: it is written here and now, with
 * the label of bc_repeats_label. False: it was written before.
 */
bool bc_repeats_enter(struct bc_repeats *repeats, uint32_t id);

/* The label of ID in this block, 0: none. */
uint32_t bc_repeats_label(const struct bc_repeats *repeats, uint32_t id);

/* A new label of this block. */
static inline uint32_t bc_repeats_new_label(struct bc_repeats *repeats)
{
	return ++repeats->label_count;
}

/*
 * Walks along types that refer to one type only: bc_repeats_walk begins a
 * walk, bc_repeats_pass tells whether ID is new on it.
 */
static inline void bc_repeats_walk(struct bc_repeats *repeats)
{
	repeats->walk++;
}

static inline bool bc_repeats_pass(struct bc_repeats *repeats, uint32_t id)
{
	bool is_new = repeats->repeats[id].walk != repeats->walk;

	repeats->repeats[id].walk = repeats->walk;
	return is_new;
}

/*
 * Types that can have a label: functions, unnamed structs, unions and enums,
 * and arrays whose index type has no name. The others, pointers, modifiers and
 * arrays, are links of chains.
 */
bool bc_repeats_is_knot(const struct bc_graph *graph, uint32_t id);

/* The next type along a chain, from a type that is no knot and has no name. */
static inline uint32_t bc_chain_next(const uint32_t *node)
{
	return bc_node_kind(node) == BC_ARRAY ? node[3] : node[2];
}

#endif

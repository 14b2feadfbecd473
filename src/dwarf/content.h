/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_CONTENT_H
#define BC_DWARF_CONTENT_H

#include "dwarf/view.h"

/*
 * Comparing what units mean by their nodes, so that choices between them do
 * not depend on who came first. Not shared between threads.
 */

/* A node as a unit means it. */
struct bc_meant {
	uint32_t node, unit;
};

/* Two nodes to be compared, each as its unit means it or, with plain set, plainly. */
struct bc_content_pair {
	uint32_t node[2];
	bool plain[2];
};

struct bc_content {
	struct bc_views views;
	const struct bc_string_ids *names;
	/*
	 * What is compared, in the order in which it is met, each pair once: types
	 * nest without bound, and share what is below them.
	 */
	struct bc_content_pair *pairs;
	uint32_t pair_count, pair_limit, next_pair;
	uint32_t *slots; /* hash of pairs; number of the pair + 1 */
	uint32_t slot_count;
	const struct bc_meaning *meaning[2];
	uint8_t pointer_bytes;
	struct bc_err *err;
};

/*
 * MEANINGS and PLAIN are as bc_assemble takes them, and outlive CONTENT, as all
 * else does. Memory from ARENA; errors of all calls go to ERR. To be closed also on failure.
 */
bool bc_content_open(struct bc_content *content, const struct bc_census *census,
		     const uint8_t *plain, const struct bc_meaning *meanings,
		     uint32_t meaning_count, const struct bc_string_ids *names,
		     uint8_t pointer_bytes, struct bc_arena *arena, struct bc_err *err);
void bc_content_close(struct bc_content *content);

/*
 * Whether two types agree as far as a caller sees: by name where they have
 * one, else part by part; a const on one side only is no difference.
 */
bool bc_content_agree(struct bc_content *content, uint32_t a, uint32_t b, bool *agree);

/*
 * Below 0, 0 or above 0 in *ORDER: the first difference level by level, as the
 * units mean their types. 0: they will be one type.
 */
bool bc_content_compare(struct bc_content *content, struct bc_meant a, struct bc_meant b,
			int *order);

/* Bytes of a variable of that type; 0: it has no size, or none that fits 64 bits. */
uint64_t bc_content_size(struct bc_content *content, struct bc_meant meant);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_MERGE_ASSEMBLE_H
#define BC_MERGE_ASSEMBLE_H

#include "merge/census.h"
#include "merge/string_ids.h"

/*
 * What a unit says that gives some conflicted tag a body: its bodies of the
 * conflicted tags, and of tags below which one of those stands (as this unit
 * has it); and the nodes from which it reaches such a body, which therefore
 * mean something of their own here.
 */
struct bc_meaning {
	struct bc_extra_body *bodies; /* by leaf */
	uint32_t body_count;
	uint32_t *nodes;
	uint32_t node_count;
};

struct bc_assemble_stats {
	uint32_t meanings;  /* different ones */
	uint32_t instances; /* types made of tainted nodes */
};

/*
 * Makes one graph of all nodes. A node without taint is one type. A tainted
 * one is a type per meaning, and one more with its *plain* meaning, where
 * conflicted tags are forward declarations, if some unit has it that way
 * (PLAIN says so, by number). A tag without a body is a forward declaration.
 * Duplicates are left: the canonical form merges them, and settles forwards.
 * The graph has byte order and pointer size of PATTERN; memory from ARENA.
 */
bool bc_assemble(struct bc_graph *out, const struct bc_graph *pattern,
		 const struct bc_census *census, const uint8_t *plain,
		 const struct bc_string_ids *names, const struct bc_meaning *meanings,
		 uint32_t meaning_count, struct bc_assemble_stats *stats, struct bc_arena *arena,
		 struct bc_err *err);

#endif

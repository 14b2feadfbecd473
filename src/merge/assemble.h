/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_MERGE_ASSEMBLE_H
#define BC_MERGE_ASSEMBLE_H

#include "base/workers.h"
#include "merge/census.h"
#include "merge/string_ids.h"

/*
 * What a unit says that gives some conflicted tag a body: its bodies of the
 * conflicted tags, and of tags below which one of those stands (as this unit
 * has it); and the nodes from which it reaches such a body, which therefore
 * mean something of their own here.
 */
struct bc_meaning {
	uint32_t unit;
	struct bc_extra_body *bodies; /* by leaf */
	uint32_t body_count;
	uint32_t *nodes;
	uint32_t node_count;
};

/* Of pointers to meanings, for qsort: 0 where the bodies are the same. */
int bc_compare_meanings(const void *a, const void *b);

/* A function or variable to be written: its prototype or type as UNIT means it. */
struct bc_root {
	const char *name;
	uint32_t node;
	uint32_t unit;
	/* Values of DECL_TAGs beside the node's, ended by NULL; NULL: none. */
	const char *const *tags;
	/* Of variables: the section's name, and a number that says which of one name it is. */
	const char *section;
	uint32_t section_number;
	uint32_t offset; /* in the section */
	bool is_variable;
	bool is_external;
};

struct bc_assemble_stats {
	uint32_t meanings;                      /* different ones */
	uint32_t instances;                     /* types made of tainted nodes */
	uint32_t variables, variables_left_out; /* of no size, or on top of others */
};

/*
 * Prototypes of functions (FUNC_PROTO with kflag) are written only where a
 * root needs one.
 */
static inline bool bc_is_function_proto(const uint32_t *node)
{
	return bc_info_kind(node[1]) == BC_FUNC_PROTO && bc_info_kflag(node[1]);
}

/*
 * Makes one graph of all nodes, a FUNC or VAR for each root (functions first,
 * variables by section, offset and name), the DECL_TAGs, and a DATASEC for each section. A node
 * without taint is one type. A tainted
 * one is a type per meaning, and one more with its *plain* meaning, where
 * conflicted tags are forward declarations, if some unit has it that way
 * (PLAIN says so, by number). A tag without a body is a forward declaration.
 * Duplicates are left: the canonical form merges them, and settles forwards.
 * The graph has byte order and pointer size of PATTERN; memory from ARENA.
 */
bool bc_assemble(struct bc_graph *out, const struct bc_graph *pattern,
		 const struct bc_census *census, const uint8_t *plain,
		 const struct bc_string_ids *names, const struct bc_meaning *meanings,
		 uint32_t meaning_count, const struct bc_root *roots, uint32_t root_count,
		 struct bc_assemble_stats *stats, struct bc_workers *workers,
		 struct bc_arena *arena, struct bc_err *err);

#endif

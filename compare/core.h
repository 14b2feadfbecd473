/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_COMPARE_CORE_H
#define BC_COMPARE_CORE_H

#include "compare/side.h"
#include "graph/relies.h"

/* What became of a relocation on one kernel. */
enum bc_core_state {
	BC_CORE_FOUND,
	BC_CORE_MISSING,   /* nothing there matches */
	BC_CORE_AMBIGUOUS, /* several types match and do not agree */
	BC_CORE_BAD,       /* the record itself makes no sense */
	BC_CORE_UNKNOWN,   /* of other things than relocations: BTF does not tell */
};

struct bc_core_result {
	enum bc_core_state state;
	uint64_t value; /* where found: what the relocation asks for; 1 for a type's id */
};

/*
 * Resolves a record as libbpf does (tools/lib/bpf/relo_core.c): candidates by
 * name without flavour, matched by names of members; all that match must give
 * one value. Adds the steps that it took to *STEPS; a candidate that takes a
 * million makes the record a bad one.
 */
struct bc_core_result bc_core_resolve(const struct bc_graph *object,
				      const struct bc_relocation *relocation,
				      const struct bc_side *side, uint64_t *steps);

/*
 * Fails, as of NAME, where more modifiers and typedefs are in each other than a kernel takes:
 * all of what follows walks along them again and again.
 */
bool bc_core_check_chains(const struct bc_graph *graph, const char *name, struct bc_err *err);

/* Whether libbpf links a declaration of type LOCAL_ID to something of type TARGET_ID. */
bool bc_core_compatible(const struct bc_graph *object, uint32_t local_id,
			const struct bc_graph *target, uint32_t target_id);

/* The type behind modifiers and typedefs, and its kind. */
uint32_t bc_core_skip(const struct bc_graph *graph, uint32_t id);
uint32_t bc_core_kind(const struct bc_graph *graph, uint32_t id);

/* The size of a value of type ID; false: it has none. */
bool bc_core_size(const struct bc_graph *graph, uint32_t id, uint64_t *size_bytes);

/* The length of NAME without its flavour: "task_struct" of "task_struct___old". */
size_t bc_core_name_length(const char *name);

/*
 * Writes the names that ACCESS leads along, ".a.b[3].c" or "::VALUE"; false when it leads
 * nowhere.
 */
struct bc_text;
bool bc_core_put_access(struct bc_text *text, const struct bc_graph *object,
			const struct bc_relocation *relocation);

#endif

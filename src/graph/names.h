/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_GRAPH_NAMES_H
#define BC_GRAPH_NAMES_H

#include "base/arena.h"
#include "base/text.h"
#include "graph/graph.h"

/*
 * What named types are called in text forms. Where several types could be
 * meant by one name, the first keeps it and the others are called NAME___2,
 * NAME___3, …
 *
 * Names live in spaces: tags (struct, union, enum and their forwards), base
 * names (INT, FLOAT, TYPEDEF), functions, variables, sections. In one space
 * the order is: types of the base BTF before those that go on from it; by kind
 * (tags: struct, union, enum, enum64, forwards); more referrers (distinct
 * types of the same BTF) first; more elements; larger; lower id, which in a
 * canonical graph is the canonical order. A number that would spell a name
 * that the BTF has itself is left out.
 */
struct bc_names {
	uint32_t *number;     /* by id of the whole chain: N, 1 for the plain name, 0: no name */
	uint32_t *by_name;    /* own named types, by strcmp of the name, then by id */
	uint32_t count;       /* of by_name */
	uint32_t usual_index; /* index type of an array unless said: the plain
				* "__ARRAY_SIZE_TYPE__", else "int"; 0: neither exists */
};

/*
 * Arrays live in ARENA. GRAPH is canonical for a result that does not depend
 * on ids. The sum of the lengths of names should be bounded by the caller.
 */
bool bc_names_make(struct bc_names *names, const struct bc_graph *graph, struct bc_arena *arena,
		   struct bc_err *err);

/* Has the type a name by which it is referred to? Else its structure says what it is. */
static inline bool bc_node_is_named(const uint32_t *node, const struct bc_graph *graph)
{
	switch (bc_node_kind(node)) {
	case BC_STRUCT:
	case BC_UNION:
	case BC_ENUM:
	case BC_ENUM64:
		return node[0] && *bc_string(graph, node[0]);
	case BC_PTR:
	case BC_ARRAY:
	case BC_VOLATILE:
	case BC_CONST:
	case BC_RESTRICT:
	case BC_FUNC_PROTO:
	case BC_DECL_TAG:
	case BC_TYPE_TAG:
		return false;
	default:
		return true;
	}
}

/* "struct", "union" or "enum": what C puts before the name of a tag or a forward declaration. */
const char *bc_tag_keyword(const uint32_t *node);

/* Writes the name of named type ID and its number, as a reference to it has it. */
void bc_text_type_name(struct bc_text *text, const struct bc_graph *graph,
		       const struct bc_names *names, uint32_t id);

/*
 * The same where a declaration has it, behind its type: a TYPEDEF called
 * "long" must not be read as part of that.
 */
void bc_text_declared_name(struct bc_text *text, const struct bc_graph *graph,
			   const struct bc_names *names, uint32_t id);

#endif

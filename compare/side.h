/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_COMPARE_SIDE_H
#define BC_COMPARE_SIDE_H

#include "base/arena.h"
#include "graph/graph.h"
#include "graph/names.h"
#include "graph/tags.h"

/* What is compared with what: types of other classes never pair, whatever their names. */
enum bc_class {
	BC_CLASS_COMPOSITE, /* struct, union and their forward declarations */
	BC_CLASS_ENUM,
	BC_CLASS_TYPEDEF,
	BC_CLASS_FUNC,
	BC_CLASS_VAR,
	BC_CLASS_BASE, /* int, float */
	BC_CLASS_SECTION,
	BC_CLASS_STRANGE, /* of a kind that is not known */
	BC_CLASS_COUNT,
	BC_CLASS_NONE, /* has no place of its own */
};

/* One of the two BTFs that are compared. */
struct bc_side {
	const struct bc_graph *graph; /* canonical, so that results do not depend on ids */
	uint32_t id_end;
	struct bc_names names;
	struct bc_tags tags;
	uint32_t *list; /* named types of the whole chain, by name, then id */
	uint32_t list_count;
	uint32_t *partner; /* by id: the type of the other side it pairs with, or 0 */
	uint32_t *section; /* by id of a VAR or FUNC: the DATASEC that places it, or 0 */
};

enum { BC_OLD, BC_NEW };

/* Arrays live in ARENA. */
bool bc_side_make(struct bc_side *side, const struct bc_graph *graph, struct bc_arena *arena,
		  struct bc_err *err);

/* The first place in SIDE's list whose name is not below the first LENGTH bytes of NAME. */
uint32_t bc_side_first(const struct bc_side *side, const char *name, size_t length);

/*
 * The first type of that kind and name in SIDE's list; 0: there is none. *STEPS grows by the
 * number of types of that name that were looked at.
 */
uint32_t bc_side_find(const struct bc_side *side, uint32_t kind, const char *name, uint64_t *steps);

enum bc_class bc_class_of(const uint32_t *node);

/* "struct", "union", "enum", "typedef", "func", "var", "int", "float", "section". */
const char *bc_kind_word(const uint32_t *node);

static inline const char *bc_side_name(const struct bc_side *side, uint32_t id)
{
	return bc_string(side->graph, bc_node(side->graph, id)[0]);
}

/* Is the type one of the BTF itself, not of a base it goes on from? */
static inline bool bc_side_owns(const struct bc_side *side, uint32_t id)
{
	return id >= side->graph->first_id;
}

static inline bool bc_is_unnamed_enum(const struct bc_graph *graph, const uint32_t *node)
{
	return bc_kind_is_enum(bc_node_kind(node)) && !bc_node_is_named(node, graph);
}

/* Whether a reference to the type says all about it: it has a name, or pairs as an enum. */
static inline bool bc_is_atom(const struct bc_graph *graph, const uint32_t *node)
{
	return bc_node_is_named(node, graph) || bc_kind_is_enum(bc_node_kind(node));
}

/* Whether the third word of the node is a size that people should see. */
static inline bool bc_shows_size(const uint32_t *node)
{
	uint32_t kind = bc_node_kind(node);

	return bc_kind_is_composite(kind) || bc_kind_is_enum(kind) || kind == BC_INT ||
	       kind == BC_FLOAT;
}

/*
 * The node that says what type ID is: for a typedef that gives a name to an
 * unnamed struct or union, that; else the type's own.
 */
const uint32_t *bc_side_body(const struct bc_side *side, uint32_t id);

/* Value number I of an enum, sign-extended to 64 bits where the enum is signed. */
uint64_t bc_enum_value(const uint32_t *node, uint32_t i);

#endif

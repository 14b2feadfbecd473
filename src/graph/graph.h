/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_GRAPH_GRAPH_H
#define BC_GRAPH_GRAPH_H

#include "graph/kinds.h"

/*
 * The type graph: what every reader makes and everything else works on.
 *
 * A node is its words (see kinds.h), all nodes in one pool, one 32-bit index
 * per node beside it: four bytes a type beyond its content. References are
 * type ids. Id 0 is void and no node. The graph does not change once made;
 * a pass that changes something makes a new one.
 *
 * A split BTF goes on from its BASE: ids below FIRST_ID and string offsets
 * below STRING_BASE are the base's (or its base's). Ids count on through the
 * chain, and so do string offsets.
 *
 * Arrays belong to whoever made the graph (usually an arena, or the mapped
 * input file) and must outlive it.
 */
struct bc_graph {
	const struct bc_graph *base; /* NULL: none */
	uint32_t first_id;           /* 1 + number of types in the base chain */
	uint32_t type_count;         /* own types */
	const uint32_t *start;       /* [type_count + 1] index of the first word of a node */
	const uint32_t *words;       /* host byte order */
	const char *strings;         /* own string section; strings[string_bytes - 1] is NUL */
	uint32_t string_base;        /* offset of strings[0], as nodes count it */
	uint32_t string_bytes;
	const uint8_t *layout; /* type-layout section as in the file, NULL: none */
	uint32_t layout_bytes;
	uint8_t pointer_bytes; /* 4 or 8; 0: not known (raw BTF does not say) */
	bool big_endian;       /* byte order of the file it came from and goes to */
	bool has_unknown_kind; /* kinds known by length only: ids in them cannot be renumbered */
};

/* One past the highest id. */
static inline uint32_t bc_id_end(const struct bc_graph *graph)
{
	return graph->first_id + graph->type_count;
}

/* The words of own type number INDEX (id - first_id). */
static inline const uint32_t *bc_own_node(const struct bc_graph *graph, uint32_t index)
{
	return graph->words + graph->start[index];
}

/* The words of type ID (not 0, below bc_id_end), through the base chain. */
static inline const uint32_t *bc_node(const struct bc_graph *graph, uint32_t id)
{
	while (id < graph->first_id)
		graph = graph->base;
	return bc_own_node(graph, id - graph->first_id);
}

static inline uint32_t bc_node_kind(const uint32_t *node)
{
	return bc_info_kind(node[1]);
}

/* Kind of type ID; BC_VOID for 0. */
static inline uint32_t bc_id_kind(const struct bc_graph *graph, uint32_t id)
{
	return id ? bc_node_kind(bc_node(graph, id)) : BC_VOID;
}

/* The string at OFFSET, through the base chain; OFFSET must be valid. */
static inline const char *bc_string(const struct bc_graph *graph, uint32_t offset)
{
	while (offset < graph->string_base)
		graph = graph->base;
	return graph->strings + (offset - graph->string_base);
}

/* One past the highest string offset. */
static inline uint32_t bc_string_end(const struct bc_graph *graph)
{
	return graph->string_base + graph->string_bytes;
}

/* Number of words of a node; of an unknown kind: of its head. */
static inline uint32_t bc_node_words(uint32_t info)
{
	const struct bc_kind_shape *shape = &bc_kind_shapes[bc_info_kind(info)];

	return BC_HEAD_WORDS + shape->fixed_words + shape->element_words * bc_info_vlen(info);
}

/* First word of element I. */
static inline const uint32_t *bc_element(const uint32_t *node, uint32_t i)
{
	const struct bc_kind_shape *shape = &bc_kind_shapes[bc_node_kind(node)];

	return node + BC_HEAD_WORDS + shape->fixed_words + (uint64_t)i * shape->element_words;
}

/*
 * The references of a node, left to right: the one iterator over edges.
 *
 *     struct bc_edges edges = bc_edges(node);
 *     for (uint32_t i = 0; i < edges.count; i++)
 *             use(bc_edge(node, edges, i));
 */
struct bc_edges {
	uint32_t count;
	uint32_t first;
	uint32_t stride;
};

static inline struct bc_edges bc_edges(const uint32_t *node)
{
	const struct bc_kind_shape *shape = &bc_kind_shapes[bc_node_kind(node)];
	uint32_t element_edges = shape->edges_per_element ? bc_info_vlen(node[1]) : 0;

	return (struct bc_edges){ shape->fixed_edges + element_edges, shape->first_edge,
				  shape->edge_stride };
}

static inline uint32_t bc_edge_word(struct bc_edges edges, uint32_t i)
{
	return edges.first + i * edges.stride;
}

/* The type id that edge I names. */
static inline uint32_t bc_edge(const uint32_t *node, struct bc_edges edges, uint32_t i)
{
	return node[bc_edge_word(edges, i)];
}

/*
 * The words of a node that are names, its own first: the one iterator over
 * them, as bc_edges is over references. Those without text count.
 *
 *     struct bc_node_names names = bc_node_names(node);
 *     for (uint32_t i = 0; i < names.count; i++)
 *             use(node[bc_name_word(names, i)]);
 */
struct bc_node_names {
	uint32_t count;
	uint32_t first; /* of an element */
	uint32_t stride;
};

static inline struct bc_node_names bc_node_names(const uint32_t *node)
{
	const struct bc_kind_shape *shape = &bc_kind_shapes[bc_node_kind(node)];

	if (shape->element_name < 0)
		return (struct bc_node_names){ 1, 0, 0 };
	return (struct bc_node_names){
		1 + bc_element_count(node[1]),
		BC_HEAD_WORDS + shape->fixed_words + (uint32_t)shape->element_name,
		shape->element_words,
	};
}

static inline uint32_t bc_name_word(struct bc_node_names names, uint32_t i)
{
	return i ? names.first + (i - 1) * names.stride : 0;
}

/* A tag without a body: FWD, or an enum without values. */
static inline bool bc_node_is_forward(const uint32_t *node)
{
	uint32_t kind = bc_node_kind(node);

	return kind == BC_FWD || (bc_kind_is_enum(kind) && !bc_info_vlen(node[1]));
}

/*
 * What C tells tags of one name apart by: BC_STRUCT, BC_UNION or BC_ENUM, of
 * forward declarations too; BC_VOID: the type is no tag.
 */
static inline uint32_t bc_node_tag_kind(const uint32_t *node)
{
	uint32_t kind = bc_node_kind(node);

	if (kind == BC_FWD)
		return bc_info_kflag(node[1]) ? BC_UNION : BC_STRUCT;
	if (bc_kind_is_enum(kind))
		return BC_ENUM;
	return bc_kind_is_composite(kind) ? kind : BC_VOID;
}

/* What word 2 says, where that is a size; 0 where it is a type or nothing. */
static inline uint32_t bc_node_size_bytes(const uint32_t *node)
{
	switch (bc_node_kind(node)) {
	case BC_INT:
	case BC_STRUCT:
	case BC_UNION:
	case BC_ENUM:
	case BC_ENUM64:
	case BC_DATASEC:
	case BC_FLOAT:
		return node[2];
	default:
		return 0;
	}
}

/*
 * Bit offset and bitfield width of a member; without kflag the whole word is
 * the offset and the width is 0 (not a bitfield).
 */
static inline uint32_t bc_member_bit_offset(uint32_t info, uint32_t offset_word)
{
	return bc_info_kflag(info) ? offset_word & 0xffffff : offset_word;
}

static inline uint32_t bc_member_bit_width(uint32_t info, uint32_t offset_word)
{
	return bc_info_kflag(info) ? offset_word >> 24 : 0;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_GRAPH_KINDS_H
#define BC_GRAPH_KINDS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The kinds of BTF and the shape of their nodes, in one table.
 *
 * A node is a run of 32-bit words, as in the file but in host byte order:
 *
 *     word 0  name (string offset)
 *     word 1  info: kflag in bit 31, kind in bits 24..30, vlen in bits 0..23
 *             (24-bit vlen and 7-bit kind: the UAPI since 2026; before, the
 *             same bits held zero)
 *     word 2  size in bytes, or the id of the type referred to
 *     fixed words, then vlen elements (members, values, parameters, entries)
 *
 * The type ids of a node lie in an arithmetic progression: edge i is word
 * FIRST + i * STRIDE. STRUCT: 4, 7, 10, …; FUNC_PROTO: 2 (return type), 4, 6, …
 *
 * Columns: name, number, fixed words, words per element, first edge, edge
 * stride, edges beside those of elements, edges per element, word of the name
 * in an element (-1: none).
 */
/* clang-format off */
#define BC_KINDS(X)                                                                                \
	/* name       kind fixed elem edge1 stride edges per-elem elem-name */                     \
	X(VOID, 0, 0, 0, 0, 0, 0, 0, -1)                                                           \
	X(INT, 1, 1, 0, 0, 0, 0, 0, -1)                                                            \
	X(PTR, 2, 0, 0, 2, 1, 1, 0, -1)                                                            \
	X(ARRAY, 3, 3, 0, 3, 1, 2, 0, -1)                                                          \
	X(STRUCT, 4, 0, 3, 4, 3, 0, 1, 0)                                                          \
	X(UNION, 5, 0, 3, 4, 3, 0, 1, 0)                                                           \
	X(ENUM, 6, 0, 2, 0, 0, 0, 0, 0)                                                            \
	X(FWD, 7, 0, 0, 0, 0, 0, 0, -1)                                                            \
	X(TYPEDEF, 8, 0, 0, 2, 1, 1, 0, -1)                                                        \
	X(VOLATILE, 9, 0, 0, 2, 1, 1, 0, -1)                                                       \
	X(CONST, 10, 0, 0, 2, 1, 1, 0, -1)                                                         \
	X(RESTRICT, 11, 0, 0, 2, 1, 1, 0, -1)                                                      \
	X(FUNC, 12, 0, 0, 2, 1, 1, 0, -1)                                                          \
	X(FUNC_PROTO, 13, 0, 2, 2, 2, 1, 1, 0)                                                     \
	X(VAR, 14, 1, 0, 2, 1, 1, 0, -1)                                                           \
	X(DATASEC, 15, 0, 3, 3, 3, 0, 1, -1)                                                       \
	X(FLOAT, 16, 0, 0, 0, 0, 0, 0, -1)                                                         \
	X(DECL_TAG, 17, 1, 0, 2, 1, 1, 0, -1)                                                      \
	X(TYPE_TAG, 18, 0, 0, 2, 1, 1, 0, -1)                                                      \
	X(ENUM64, 19, 0, 3, 0, 0, 0, 0, 0)

enum bc_kind {
#define BC_KIND_ENUM(name, kind, ...) BC_##name = (kind),
	BC_KINDS(BC_KIND_ENUM)
#undef BC_KIND_ENUM
	BC_KIND_COUNT
};
/* clang-format on */

#define BC_HEAD_WORDS 3u /* name, info, size or type */
#define BC_VLEN_MAX 0xffffffu
#define BC_KIND_MAX 0x7fu

struct bc_kind_shape {
	const char *name;
	uint8_t fixed_words;
	uint8_t element_words;
	uint8_t first_edge;
	uint8_t edge_stride;
	uint8_t fixed_edges;
	uint8_t edges_per_element;
	int8_t element_name; /* word of an element that is a string offset, or -1 */
};

/* Indexed by kind; those from BC_KIND_COUNT on are unknown and have nothing behind their head. */
extern const struct bc_kind_shape bc_kind_shapes[BC_KIND_MAX + 1];

/* "STRUCT", or "unknown kind". */
const char *bc_kind_name(uint32_t kind);

static inline uint32_t bc_info_kind(uint32_t info)
{
	return info >> 24 & BC_KIND_MAX;
}

static inline uint32_t bc_info_vlen(uint32_t info)
{
	return info & BC_VLEN_MAX;
}

static inline bool bc_info_kflag(uint32_t info)
{
	return info >> 31;
}

static inline uint32_t bc_info(uint32_t kind, uint32_t vlen, bool kflag)
{
	return (kflag ? 1u << 31 : 0) | kind << 24 | vlen;
}

static inline bool bc_kind_is_known(uint32_t kind)
{
	return kind > BC_VOID && kind < BC_KIND_COUNT;
}

/* STRUCT or UNION. */
static inline bool bc_kind_is_composite(uint32_t kind)
{
	return kind == BC_STRUCT || kind == BC_UNION;
}

/* ENUM or ENUM64. */
static inline bool bc_kind_is_enum(uint32_t kind)
{
	return kind == BC_ENUM || kind == BC_ENUM64;
}

/* VOLATILE, CONST, RESTRICT or TYPE_TAG: says something about one type, has no name in C. */
static inline bool bc_kind_is_modifier(uint32_t kind)
{
	return kind == BC_VOLATILE || kind == BC_CONST || kind == BC_RESTRICT ||
	       kind == BC_TYPE_TAG;
}

/* Elements of the node (FUNC's vlen is its linkage, not a count). */
static inline uint32_t bc_element_count(uint32_t info)
{
	return bc_kind_shapes[bc_info_kind(info)].element_words ? bc_info_vlen(info) : 0;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "sort/labels.h"

uint64_t bc_label_key(const struct bc_universe *universe, const uint32_t *node)
{
	uint32_t info = node[1];

	return (uint64_t)bc_info_kind(info) << 57 | (uint64_t)bc_info_kflag(info) << 56 |
	       (uint64_t)bc_info_vlen(info) << 32 | bc_string_rank(universe->ranks, node[0]);
}

uint32_t bc_label_length(const uint32_t *node)
{
	uint32_t count = bc_info_vlen(node[1]);

	switch (bc_node_kind(node)) {
	case BC_INT: /* size, encoding */
		return 2;
	case BC_ARRAY:    /* number of elements */
	case BC_VAR:      /* linkage */
	case BC_FLOAT:    /* size */
	case BC_DECL_TAG: /* component */
		return 1;
	case BC_STRUCT: /* size, then offset and name of each member */
	case BC_UNION:
	case BC_ENUM:    /* size, then value and name */
	case BC_DATASEC: /* size, then offset and size of each entry */
		return 1 + 2 * count;
	case BC_ENUM64: /* size, then high and low half of the value, and name */
		return 1 + 3 * count;
	case BC_FUNC_PROTO: /* names of parameters */
		return count;
	default:
		return 0;
	}
}

/* Value J, 0 the first, of the elements of a struct, union, enum or section. */
static uint32_t element_value(const struct bc_universe *universe, const uint32_t *node, uint32_t j)
{
	bool is_signed = bc_info_kflag(node[1]);
	const uint32_t *element;
	uint32_t high;

	switch (bc_node_kind(node)) {
	case BC_ENUM:
		element = node + BC_HEAD_WORDS + j / 2 * 2;
		if (j % 2)
			return bc_string_rank(universe->ranks, element[0]);
		return is_signed ? bc_label_signed(element[1]) : element[1];
	case BC_ENUM64: /* name, low half, high half */
		element = node + BC_HEAD_WORDS + j / 3 * 3;
		if (j % 3 == 2)
			return bc_string_rank(universe->ranks, element[0]);
		high = is_signed ? bc_label_signed(element[2]) : element[2];
		return j % 3 ? element[1] : high;
	case BC_DATASEC: /* variable, offset, size */
		return (node + BC_HEAD_WORDS + j / 2 * 3)[1 + j % 2];
	default: /* a member: name, type, offset */
		element = node + BC_HEAD_WORDS + j / 2 * 3;
		return j % 2 ? bc_string_rank(universe->ranks, element[0]) : element[2];
	}
}

uint32_t bc_label_value(const struct bc_universe *universe, const uint32_t *node, uint32_t j)
{
	switch (bc_node_kind(node)) {
	case BC_INT:
		return node[2 + j];
	case BC_ARRAY:
		return node[5];
	case BC_VAR:
		return node[3];
	case BC_DECL_TAG:
		return bc_label_signed(node[3]);
	case BC_FUNC_PROTO:
		return bc_string_rank(universe->ranks, (node + BC_HEAD_WORDS + 2 * j)[0]);
	default:
		return j ? element_value(universe, node, j - 1) : node[2];
	}
}

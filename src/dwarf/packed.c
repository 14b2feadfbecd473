/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/packed.h"

/* Types that are looked at for one struct, and that wait meanwhile. */
#define STEPS_MAX 4096u
#define WAITING_MAX 256u

struct place {
	uint32_t id;
	bool plain;
};

struct looker {
	const struct bc_views *views;
	const struct bc_meaning *meaning;
	uint32_t pointer_bytes;
	uint32_t steps;
	bool has_given_up;
};

static const uint32_t *look_at(struct looker *looker, struct place *place)
{
	if (++looker->steps > STEPS_MAX)
		looker->has_given_up = true;
	place->id = bc_views_resolve(looker->views, looker->meaning, place->id, &place->plain);
	return bc_views_node(looker->views, place->id);
}

/* Its own size, where that is its alignment; 0: look into it. */
static uint32_t scalar_bytes(const struct looker *looker, const uint32_t *node)
{
	switch (bc_info_kind(node[1])) {
	case BC_PTR:
		return looker->pointer_bytes;
	case BC_INT:
	case BC_FLOAT:
	case BC_ENUM:
	case BC_ENUM64:
		return node[2];
	default:
		return 0;
	}
}

/* The size of the largest scalar that a type holds: what its alignment is unless it is packed. */
static uint32_t natural_alignment(struct looker *looker, struct place place)
{
	struct place waiting[WAITING_MAX] = { place };
	uint32_t count = 1, alignment = 1;

	while (count && !looker->has_given_up) {
		struct place at = waiting[--count];
		const uint32_t *node = look_at(looker, &at);
		uint32_t bytes = scalar_bytes(looker, node), kind = bc_info_kind(node[1]);
		struct bc_edges edges;

		if (bytes > alignment)
			alignment = bytes;
		if (bytes || !bc_kind_is_known(kind) || kind == BC_FUNC_PROTO)
			continue;
		edges = bc_edges(node);
		/* Of an array the element only, which is its first. */
		if (kind == BC_ARRAY)
			edges.count = 1;
		if (edges.count > WAITING_MAX - count) {
			looker->has_given_up = true;
			break;
		}
		for (uint32_t i = 0; i < edges.count; i++)
			waiting[count++] = (struct place){ bc_edge(node, edges, i), at.plain };
	}
	return alignment;
}

/* Bytes of a member's type; 0: not known, or none. */
static uint64_t size_bytes(struct looker *looker, struct place place)
{
	uint64_t elements = 1;

	while (!looker->has_given_up) {
		const uint32_t *node = look_at(looker, &place);
		uint32_t kind = bc_info_kind(node[1]), bytes = scalar_bytes(looker, node);

		if (bytes || bc_kind_is_composite(kind))
			return elements * (bytes ? bytes : node[2]);
		if (kind == BC_ARRAY) {
			elements *= node[5];
			place.id = node[3];
		} else if (kind == BC_TYPEDEF || bc_kind_is_modifier(kind)) {
			place.id = node[2];
		} else {
			break;
		}
	}
	return 0;
}

static bool judge_struct(struct looker *looker, const uint32_t *node, bool plain)
{
	uint32_t count = bc_info_vlen(node[1]), alignment = 1;
	bool is_packed = false;
	uint64_t end = 0; /* of the members before, in bytes */

	for (uint32_t i = 0; i < count && !looker->has_given_up; i++) {
		const uint32_t *member = node + BC_HEAD_WORDS + (size_t)3 * i;
		struct place type = { member[1], plain };
		uint32_t offset = bc_member_bit_offset(node[1], member[2]);
		uint32_t width = bc_member_bit_width(node[1], member[2]);
		uint32_t wanted = natural_alignment(looker, type);

		if (offset / 8 > end)
			return false;
		end = width ? (offset + width + 7) / 8 : offset / 8 + size_bytes(looker, type);
		is_packed |= !width && offset / 8 % wanted;
		alignment = wanted > alignment ? wanted : alignment;
	}
	return end >= node[2] && (is_packed || node[2] % alignment);
}

bool bc_is_packed(const struct bc_views *views, const struct bc_meaning *meaning, uint32_t id,
		  uint32_t pointer_bytes)
{
	struct looker looker = { views, meaning, pointer_bytes, 0, false };
	struct place place = { id, false };

	while (!looker.has_given_up) {
		const uint32_t *node = look_at(&looker, &place);
		uint32_t kind = bc_info_kind(node[1]);

		if (kind == BC_STRUCT)
			return judge_struct(&looker, node, place.plain) && !looker.has_given_up;
		if (kind != BC_TYPEDEF && !bc_kind_is_modifier(kind))
			break;
		place.id = node[2];
	}
	return false;
}

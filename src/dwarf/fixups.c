/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What needs another type's size or sign: where an old bitfield stands in its
 * storage, whether a wide enumeration is signed.
 */
#include "dwarf/walk.h"

#include "base/room.h"

bool bc_walk_add_fixup(struct bc_walk *walk, struct bc_fixup fixup)
{
	struct bc_collector *collector = walk->collector;

	if (!bc_make_room(&collector->fixups, &collector->fixup_limit,
			  (uint64_t)collector->fixup_count + 1, sizeof(*collector->fixups),
			  walk->err))
		return false;
	collector->fixups[collector->fixup_count++] = fixup;
	return true;
}

bool bc_walk_place_old_bitfield(struct bc_walk *walk, struct bc_frame *frame, uint64_t width,
				uint32_t reference, uint64_t *bits)
{
	uint64_t from_high = 0, storage;
	struct bc_fixup fixup = { .number = frame->number, .reference = reference };

	if (bc_die_has(&walk->die, BC_SLOT_DATA_BIT_OFFSET) ||
	    !bc_die_number(&walk->die, BC_SLOT_BIT_OFFSET, &from_high))
		return true;
	if (walk->scope->unit->file->big_endian) {
		*bits += from_high;
		return true;
	}
	*bits -= from_high + width;
	if (bc_die_number(&walk->die, BC_SLOT_BYTE_SIZE, &storage)) {
		*bits += storage * 8;
		return true;
	}
	/* From here no size of a type leads to a place. */
	if (*bits > UINT32_MAX && *bits < -(uint64_t)UINT32_MAX)
		return true;
	frame->has_fixups = true;
	fixup.member = (walk->collector->element_count - frame->first_element) /
		       BC_WALK_MEMBER_WORDS;
	fixup.bit_offset = (int64_t)*bits;
	*bits = 0;
	return bc_walk_add_fixup(walk, fixup);
}

static bool settle_fixup(struct bc_walk *walk, const struct bc_fixup *fixup)
{
	struct bc_local *local = walk->collector->local;
	uint32_t *words = local->words + bc_local_type(local, fixup->number)->first_word;
	const uint32_t *type = bc_look_through(local, fixup->reference);
	int64_t bits;

	if (fixup->is_enum) {
		if (type && bc_info_kind(type[1]) == BC_INT && type[3] & BC_INT_SIGNED)
			words[1] |= 1u << 31;
		return true;
	}
	if (bc_info_kind(words[1]) != BC_STRUCT && bc_info_kind(words[1]) != BC_UNION)
		return true;
	/* Some structs were left without members. */
	if (fixup->member >= bc_info_vlen(words[1]))
		return true;
	bits = fixup->bit_offset + (type ? (int64_t)type[2] * 8 : 0);
	if (!type || bits < 0 || bits > 0xffffff)
		return bc_walk_refuse_type(walk, fixup->number, "a bitfield that is in no storage");
	words[BC_HEAD_WORDS + 3 * fixup->member + 2] |= (uint32_t)bits;
	return true;
}

bool bc_walk_settle_fixups(struct bc_walk *walk)
{
	struct bc_collector *collector = walk->collector;

	for (uint32_t i = 0; i < collector->fixup_count; i++)
		if (!settle_fixup(walk, &collector->fixups[i]))
			return false;
	return true;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Which bodies of tags a unit has that was referred to. */
#include "dwarf/walk.h"

#include "base/room.h"

/* Whether the DIE is the body of a tag, and of which class. */
static bool is_tag_body(const struct bc_die *die, enum bc_tag_class *tag_class)
{
	uint64_t declaration = 0;

	switch (die->abbrev->tag) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
		*tag_class = BC_TAG_STRUCT;
		break;
	case DW_TAG_union_type:
		*tag_class = BC_TAG_UNION;
		break;
	case DW_TAG_enumeration_type:
		*tag_class = BC_TAG_ENUM;
		break;
	default:
		return false;
	}
	bc_die_number(die, BC_SLOT_DECLARATION, &declaration);
	return !declaration && bc_die_has(die, BC_SLOT_NAME) && !bc_die_has(die, BC_SLOT_SIGNATURE);
}

static uint64_t tag_key(enum bc_tag_class tag_class, uint32_t name)
{
	return (uint64_t)name << 2 | tag_class;
}

static bool add_unit_tag(struct bc_walk *walk, enum bc_tag_class tag_class)
{
	struct bc_unit_tags *tags = &walk->collector->unit_tags;
	uint32_t name;

	if (!bc_walk_take_name(walk, &name) ||
	    !bc_string_id_unify(walk->collector->names, &name, walk->err))
		return false;
	if (!bc_make_keyed_room(&tags->items, &tags->spare, &tags->limit, (uint64_t)tags->count + 1,
				walk->err))
		return false;
	tags->items[tags->count++] = (struct bc_keyed){ tag_key(tag_class, name),
							walk->die.offset };
	return true;
}

/* Lists the bodies of tags that the foreign unit at hand has. */
static bool list_unit_tags(struct bc_walk *walk)
{
	struct bc_unit_tags *tags = &walk->collector->unit_tags;
	const struct bc_scope *scope = walk->scope;
	const uint8_t *at = scope->bytes + scope->unit->header_bytes;

	tags->unit = NULL;
	tags->count = 0;
	while (at < scope->bytes + scope->size) {
		enum bc_die_result result = bc_die_decode(&walk->die, scope, &at, walk->err);
		enum bc_tag_class tag_class;

		if (result == BC_DIE_BAD ||
		    (result == BC_DIE_FOUND && is_tag_body(&walk->die, &tag_class) &&
		     !add_unit_tag(walk, tag_class)))
			return false;
	}
	bc_sort_keyed(tags->items, tags->spare, tags->count);
	tags->unit = scope->unit;
	return true;
}

bool bc_walk_find_foreign_body(struct bc_walk *walk, enum bc_tag_class tag_class, uint32_t name,
			       uint32_t *offset)
{
	const struct bc_unit_tags *tags = &walk->collector->unit_tags;
	uint64_t key;
	uint32_t at;

	if (tags->unit != walk->scope->unit) {
		struct bc_die die = walk->die;

		if (!list_unit_tags(walk))
			return false;
		walk->die = die;
	}
	if (!bc_string_id_unify(walk->collector->names, &name, walk->err))
		return false;
	key = tag_key(tag_class, name);
	at = bc_find_keyed(tags->items, tags->count, key);
	*offset = 0;
	if (at < tags->count && tags->items[at].key == key &&
	    (at + 1 == tags->count || tags->items[at + 1].key != key))
		*offset = tags->items[at].value;
	return true;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Types that are complete when their DIE has been read: base types, pointers, typedefs, qualifiers. */
#include "dwarf/walk.h"

#include <string.h>

bool bc_walk_add_type(struct bc_walk *walk, enum bc_local_role role, uint32_t *number)
{
	struct bc_collector *collector = walk->collector;
	uint32_t offset = walk->die.offset;

	*number = bc_local_add(collector->local, bc_place(walk->scope->unit_index, offset), role,
			       walk->err);
	if (!*number)
		return false;
	if (walk->is_foreign)
		bc_local_type(collector->local, *number)->elsewhere = true;
	else
		bc_number_map_add(&collector->local->numbers, offset, *number);
	return true;
}

bool bc_walk_set_words(struct bc_walk *walk, uint32_t number, const uint32_t *words, uint32_t count)
{
	struct bc_local *local = walk->collector->local;
	struct bc_local_type *type = bc_local_type(local, number);
	uint32_t first;

	if (!bc_local_reserve(local, count, &first, walk->err))
		return false;
	memcpy(local->words + first, words, count * sizeof(*words));
	type->first_word = first;
	type->word_count = count;
	return true;
}

bool bc_walk_add_alias(struct bc_walk *walk, uint32_t reference)
{
	uint32_t number;

	return bc_walk_add_type(walk, BC_LOCAL_ALIAS, &number) &&
	       bc_walk_set_words(walk, number, &reference, 1);
}

bool bc_walk_add_link(struct bc_walk *walk, enum bc_kind kind, uint32_t *number)
{
	uint32_t words[BC_HEAD_WORDS] = { 0, bc_info(kind, 0, false), 0 };

	if (kind == BC_TYPEDEF && !bc_walk_take_name(walk, &words[0]))
		return false;
	if (!bc_walk_take_reference(walk, BC_SLOT_TYPE, &words[2]))
		return false;
	if (kind == BC_TYPEDEF && !words[0])
		return bc_walk_add_alias(walk, words[2]);
	return bc_walk_add_type(walk, BC_LOCAL_NODE, number) &&
	       bc_walk_set_words(walk, *number, words, BC_HEAD_WORDS);
}

/* A type that BTF has no kind for: a struct of its name and size. */
static bool add_opaque(struct bc_walk *walk, uint32_t name, uint32_t size_bytes)
{
	uint32_t words[BC_HEAD_WORDS] = { name, bc_info(BC_STRUCT, 0, false), size_bytes };
	uint32_t number;

	bc_walk_skip(walk, BC_SKIP_TYPE_OPAQUE);
	return bc_walk_add_type(walk, BC_LOCAL_NODE, &number) &&
	       bc_walk_set_words(walk, number, words, BC_HEAD_WORDS);
}

bool bc_walk_take_size(struct bc_walk *walk, uint32_t *size_bytes)
{
	uint64_t size;

	*size_bytes = 0;
	if (!bc_die_number(&walk->die, BC_SLOT_BYTE_SIZE, &size))
		return true;
	if (size > UINT32_MAX)
		return bc_walk_refuse(walk, "a size beyond 4 GiB");
	*size_bytes = (uint32_t)size;
	return true;
}

static bool is_float_size(uint32_t size_bytes)
{
	return size_bytes == 2 || size_bytes == 4 || size_bytes == 8 || size_bytes == 12 ||
	       size_bytes == 16;
}

bool bc_walk_open_base_type(struct bc_walk *walk)
{
	uint64_t encoding = 0;
	uint32_t words[BC_HEAD_WORDS + 1] = { 0, bc_info(BC_INT, 0, false) };
	uint32_t count = BC_HEAD_WORDS + 1, number;

	bc_die_number(&walk->die, BC_SLOT_ENCODING, &encoding);
	if (!bc_walk_take_name(walk, &words[0]) || !bc_walk_take_size(walk, &words[2]))
		return false;
	switch (encoding) {
	case DW_ATE_float:
		if (!walk->collector->features.with_float && words[2] && words[2] <= 16) {
			words[3] = words[2] * 8;
			break;
		}
		if (!is_float_size(words[2]))
			return add_opaque(walk, words[0], words[2]);
		words[1] = bc_info(BC_FLOAT, 0, false);
		count = BC_HEAD_WORDS;
		break;
	case DW_ATE_complex_float:
	case DW_ATE_imaginary_float:
	case DW_ATE_decimal_float:
	case DW_ATE_packed_decimal:
	case DW_ATE_numeric_string:
	case DW_ATE_edited:
		return add_opaque(walk, words[0], words[2]);
	default:
		if (!words[2] || words[2] > 16)
			return add_opaque(walk, words[0], words[2]);
		words[3] = words[2] * 8;
		if (encoding == DW_ATE_signed || encoding == DW_ATE_signed_char)
			words[3] |= BC_INT_SIGNED;
		if (encoding == DW_ATE_boolean)
			words[3] |= BC_INT_BOOL;
		break;
	}
	return bc_walk_add_type(walk, BC_LOCAL_NODE, &number) &&
	       bc_walk_set_words(walk, number, words, count);
}

/* A reference to a member of a class has no kind in BTF. */
bool bc_walk_open_member_pointer(struct bc_walk *walk)
{
	uint32_t size, number;

	if (!bc_walk_take_size(walk, &size))
		return false;
	if (size)
		return add_opaque(walk, 0, size);
	bc_walk_skip(walk, BC_SKIP_TYPE_REFERENCE);
	return bc_walk_add_link(walk, BC_PTR, &number);
}

bool bc_walk_open_sized(struct bc_walk *walk)
{
	uint32_t name, size;

	return bc_walk_take_name(walk, &name) && bc_walk_take_size(walk, &size) &&
	       add_opaque(walk, name, size);
}

bool bc_walk_open_same_as(struct bc_walk *walk)
{
	uint32_t reference;

	return bc_walk_take_reference(walk, BC_SLOT_TYPE, &reference) &&
	       bc_walk_add_alias(walk, reference);
}

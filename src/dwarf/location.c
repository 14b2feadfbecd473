/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/location.h"

#include <elf.h>

struct bc_registers bc_parameter_registers(uint16_t machine)
{
	switch (machine) {
	case EM_X86_64: /* rdi, rsi, rdx, rcx, r8, r9 */
		return (struct bc_registers){ 6, { 5, 4, 1, 2, 8, 9 } };
	case EM_S390:
		return (struct bc_registers){ 5, { 2, 3, 4, 5, 6 } };
	case EM_ARM:
		return (struct bc_registers){ 4, { 0, 1, 2, 3 } };
	case EM_AARCH64:
		return (struct bc_registers){ 8, { 0, 1, 2, 3, 4, 5, 6, 7 } };
	default:
		return (struct bc_registers){ 0 };
	}
}

/* Bytes of a section, read from front to back. */
struct bytes {
	const uint8_t *at, *end;
	const struct bc_scope *scope;
	bool bad;
};

/* Nobody's list is as long; many that claim to be the same one would take their product. */
#define LIST_BYTES_MAX (1u << 16)

static struct bytes open_section(const struct bc_scope *scope, enum bc_dwarf_section_number number,
				 uint64_t offset)
{
	const struct bc_dwarf_section *section = &scope->unit->file->sections[number];
	struct bytes bytes = { .scope = scope };

	bytes.bad = !section->data || offset >= section->size_bytes;
	if (!bytes.bad) {
		uint64_t left = section->size_bytes - offset;

		bytes.at = section->data + offset;
		bytes.end = bytes.at + (left < LIST_BYTES_MAX ? left : LIST_BYTES_MAX);
	}
	return bytes;
}

static uint64_t take(struct bytes *bytes, unsigned int size)
{
	uint8_t copy[8] = { 0 };

	if (bytes->bad || (size_t)(bytes->end - bytes->at) < size || !size || size > 8) {
		bytes->bad = true;
		return 0;
	}
	memcpy(copy, bytes->at, size);
	bytes->at += size;
	return bc_load(copy, size, bytes->scope->swapped);
}

static uint64_t take_uleb(struct bytes *bytes)
{
	uint64_t value = 0;

	if (!bytes->bad && !bc_load_uleb(&bytes->at, bytes->end, &value))
		bytes->bad = true;
	return value;
}

/* The highest address of a unit, which means something else in lists. */
static uint64_t highest_address(const struct bc_scope *scope)
{
	unsigned int bits = 8u * scope->unit->address_bytes;

	return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

static bool address_at(const struct bc_scope *scope, uint64_t index, uint64_t *address)
{
	uint64_t offset;
	struct bytes bytes;

	if (__builtin_mul_overflow(index, scope->unit->address_bytes, &offset) ||
	    __builtin_add_overflow(offset, scope->addr_base, &offset))
		return false;
	bytes = open_section(scope, BC_DEBUG_ADDR, offset);
	*address = take(&bytes, scope->unit->address_bytes);
	return !bytes.bad;
}

static bool take_address(const struct bc_die *die, const struct bc_scope *scope, enum bc_slot slot,
			 uint64_t *address)
{
	if (!bc_die_has(die, slot))
		return false;
	if (bc_die_class(die, slot) == BC_VALUE_ADDRX)
		return address_at(scope, bc_die_value(die, slot), address);
	*address = bc_die_value(die, slot);
	return bc_die_class(die, slot) == BC_VALUE_ADDRESS;
}

/* Where list number INDEX of a unit's part of .debug_rnglists or .debug_loclists begins. */
static bool list_offset(const struct bc_scope *scope, enum bc_dwarf_section_number section,
			uint64_t base, uint64_t index, uint64_t *offset)
{
	uint64_t at;
	struct bytes bytes;

	if (__builtin_mul_overflow(index, scope->unit->offset_bytes, &at) ||
	    __builtin_add_overflow(at, base, &at))
		return false;
	bytes = open_section(scope, section, at);
	*offset = base + take(&bytes, scope->unit->offset_bytes);
	return !bytes.bad;
}

/* The first range that is not empty, DWARF 2 to 4: pairs, with selections of a base between. */
static bool first_old_range(const struct bc_scope *scope, uint64_t offset, uint64_t *address)
{
	struct bytes bytes = open_section(scope, BC_DEBUG_RANGES, offset);
	unsigned int size = scope->unit->address_bytes;
	uint64_t base = scope->low_pc, highest = highest_address(scope);

	while (!bytes.bad) {
		uint64_t begin = take(&bytes, size), end = take(&bytes, size);

		if (bytes.bad || (!begin && !end))
			return false;
		if (begin == highest) {
			base = end;
		} else if (begin != end) {
			*address = base + begin;
			return true;
		}
	}
	return false;
}

static bool first_range(const struct bc_scope *scope, uint64_t offset, uint64_t *address)
{
	struct bytes bytes = open_section(scope, BC_DEBUG_RNGLISTS, offset);
	unsigned int size = scope->unit->address_bytes;
	uint64_t base = scope->low_pc, begin = 0, length = 0;

	while (!bytes.bad) {
		switch (take(&bytes, 1)) {
		case DW_RLE_base_addressx:
			if (!address_at(scope, take_uleb(&bytes), &base))
				return false;
			continue;
		case DW_RLE_base_address:
			base = take(&bytes, size);
			continue;
		case DW_RLE_startx_endx:
		case DW_RLE_startx_length:
			if (!address_at(scope, take_uleb(&bytes), &begin))
				return false;
			take_uleb(&bytes);
			length = 1;
			break;
		case DW_RLE_offset_pair:
			begin = take_uleb(&bytes);
			length = take_uleb(&bytes) - begin;
			begin += base;
			break;
		case DW_RLE_start_end:
			begin = take(&bytes, size);
			length = take(&bytes, size) - begin;
			break;
		case DW_RLE_start_length:
			begin = take(&bytes, size);
			length = take_uleb(&bytes);
			break;
		default:
			return false;
		}
		if (!bytes.bad && length) {
			*address = begin;
			return true;
		}
	}
	return false;
}

bool bc_entry_address(const struct bc_die *die, const struct bc_scope *scope, uint64_t *address)
{
	uint64_t offset = bc_die_value(die, BC_SLOT_RANGES);

	if (take_address(die, scope, BC_SLOT_ENTRY_PC, address) ||
	    take_address(die, scope, BC_SLOT_LOW_PC, address))
		return true;
	if (!bc_die_has(die, BC_SLOT_RANGES))
		return false;
	if (bc_die_class(die, BC_SLOT_RANGES) == BC_VALUE_LISTX) {
		if (!list_offset(scope, BC_DEBUG_RNGLISTS, scope->rnglists_base, offset, &offset))
			return false;
	} else if (bc_die_class(die, BC_SLOT_RANGES) != BC_VALUE_UNSIGNED) {
		return false;
	}
	return scope->unit->version >= 5 ? first_range(scope, offset, address) :
					   first_old_range(scope, offset, address);
}

void bc_unit_low_pc(const struct bc_die *die, struct bc_scope *scope)
{
	if (!take_address(die, scope, BC_SLOT_LOW_PC, &scope->low_pc))
		scope->low_pc = 0;
}

bool bc_variable_address(const struct bc_die *die, const struct bc_scope *scope, uint64_t *address)
{
	uint64_t block = bc_die_value(die, BC_SLOT_LOCATION);
	const uint8_t *at = scope->bytes + (uint32_t)block;
	const uint8_t *end = at + (block >> 32);
	struct bytes bytes = { at, end, scope, false };
	uint64_t operation;

	if (!bc_die_has(die, BC_SLOT_LOCATION) ||
	    bc_die_class(die, BC_SLOT_LOCATION) != BC_VALUE_BLOCK)
		return false;
	operation = take(&bytes, 1);
	if (operation == DW_OP_addr)
		*address = take(&bytes, scope->unit->address_bytes);
	else if (operation != DW_OP_addrx || !address_at(scope, take_uleb(&bytes), address))
		return false;
	if (!bytes.bad && bytes.at < bytes.end) {
		if (take(&bytes, 1) != DW_OP_plus_uconst)
			return false;
		*address += take_uleb(&bytes);
	}
	return !bytes.bad && bytes.at == bytes.end;
}

/* ---- parameters ---- */

/* What an expression says at function entry: a register's number, or -1. */
struct reading {
	int32_t reg;
	bool is_entry_value;
};

/*
 * An expression that is one register, or one value at entry that was in a
 * register; DW_OP_stack_value after it changes nothing.
 */
static struct reading read_expression(const uint8_t *at, const uint8_t *end)
{
	struct reading reading = { -1, false };
	uint64_t length;

	if (end - at > 1 && end[-1] == DW_OP_stack_value)
		end--;
	if (end - at == 1 && *at >= DW_OP_reg0 && *at <= DW_OP_reg31) {
		reading.reg = *at - DW_OP_reg0;
	} else if (end - at > 1 && (*at == DW_OP_entry_value || *at == DW_OP_GNU_entry_value)) {
		at++;
		if (bc_load_uleb(&at, end, &length) && length == 1 && end - at == 1 &&
		    *at >= DW_OP_reg0 && *at <= DW_OP_reg31) {
			reading.reg = *at - DW_OP_reg0;
			reading.is_entry_value = true;
		}
	}
	return reading;
}

/*
 * One entry of a location list: the expression between *AT and *END. False at
 * the end of the list.
 */
static bool next_location(struct bytes *bytes, const uint8_t **at, const uint8_t **end)
{
	unsigned int size = bytes->scope->unit->address_bytes;
	uint64_t length;

	while (!bytes->bad) {
		switch (take(bytes, 1)) {
		case DW_LLE_base_addressx:
			take_uleb(bytes);
			continue;
		case DW_LLE_base_address:
			take(bytes, size);
			continue;
		case DW_LLE_GNU_view_pair:
			take_uleb(bytes);
			take_uleb(bytes);
			continue;
		case DW_LLE_startx_endx:
		case DW_LLE_startx_length:
		case DW_LLE_offset_pair:
			take_uleb(bytes);
			take_uleb(bytes);
			break;
		case DW_LLE_default_location:
			break;
		case DW_LLE_start_end:
			take(bytes, size);
			take(bytes, size);
			break;
		case DW_LLE_start_length:
			take(bytes, size);
			take_uleb(bytes);
			break;
		default:
			return false;
		}
		length = take_uleb(bytes);
		if (bytes->bad || length > (size_t)(bytes->end - bytes->at))
			return false;
		*at = bytes->at;
		*end = bytes->at += length;
		return true;
	}
	return false;
}

static bool next_old_location(struct bytes *bytes, const uint8_t **at, const uint8_t **end)
{
	unsigned int size = bytes->scope->unit->address_bytes;
	uint64_t highest = highest_address(bytes->scope);

	while (!bytes->bad) {
		uint64_t first = take(bytes, size), second = take(bytes, size), length;

		if (bytes->bad || (!first && !second))
			return false;
		if (first == highest)
			continue;
		length = take(bytes, 2);
		if (bytes->bad || length > (size_t)(bytes->end - bytes->at))
			return false;
		*at = bytes->at;
		*end = bytes->at += length;
		return true;
	}
	return false;
}

/* The register in which a parameter comes, if its location says so; -1: it does not. */
static int32_t find_register(const struct bc_die *die, const struct bc_scope *scope,
			     uint8_t expected)
{
	uint64_t value = bc_die_value(die, BC_SLOT_LOCATION);
	bool is_new = scope->unit->version >= 5;
	const uint8_t *at, *end;
	struct bytes bytes;
	int32_t reg = -1;

	if (bc_die_class(die, BC_SLOT_LOCATION) == BC_VALUE_BLOCK) {
		at = scope->bytes + (uint32_t)value;
		return read_expression(at, at + (value >> 32)).reg;
	}
	if (bc_die_class(die, BC_SLOT_LOCATION) == BC_VALUE_LISTX &&
	    !list_offset(scope, BC_DEBUG_LOCLISTS, scope->loclists_base, value, &value))
		return -1;
	bytes = open_section(scope, is_new ? BC_DEBUG_LOCLISTS : BC_DEBUG_LOC, value);
	/* A register counts in the first entry only, a value at entry in any. */
	for (bool first = true;
	     is_new ? next_location(&bytes, &at, &end) : next_old_location(&bytes, &at, &end);
	     first = false) {
		struct reading reading = read_expression(at, end);

		if (reading.is_entry_value)
			return reading.reg;
		if (!first || reading.reg < 0)
			continue;
		reg = reading.reg;
		if (reg == expected)
			return reg;
	}
	return reg;
}

enum bc_standing bc_parameter_standing(const struct bc_die *die, const struct bc_scope *scope,
				       uint32_t index, struct bc_registers registers)
{
	bool has_location = bc_die_has(die, BC_SLOT_LOCATION);
	int32_t reg;

	if (!has_location)
		return bc_die_has(die, BC_SLOT_CONST_VALUE) ? BC_STANDS_NOWHERE : BC_STANDS_UNKNOWN;
	if (index >= registers.count)
		return BC_STANDS_IN_PLACE;
	reg = find_register(die, scope, registers.number[index]);
	if (reg < 0)
		return BC_STANDS_NOWHERE;
	return reg == registers.number[index] ? BC_STANDS_IN_PLACE : BC_STANDS_ELSEWHERE;
}

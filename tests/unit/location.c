/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Where functions begin and parameters stand: each form, and lists that make no sense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <elf.h>

#include "dwarf/location.h"
#include "tests/lib/law.h"

struct place {
	struct bc_dwarf_file file;
	struct bc_unit unit;
	struct bc_scope scope;
	struct bc_die die;
};

static const struct bc_registers registers = { 6, { 5, 4, 1, 2, 8, 9 } };

/* A unit whose sections are copies with nothing behind them. */
static void set_up(struct place *place, uint8_t version)
{
	memset(place, 0, sizeof(*place));
	place->unit.file = &place->file;
	place->unit.version = version;
	place->unit.offset_bytes = 4;
	place->unit.address_bytes = 8;
	place->scope.unit = &place->unit;
	place->scope.swapped = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__;
	place->scope.low_pc = 0x1000;
}

static void set_section(struct place *place, enum bc_dwarf_section_number number,
			const uint8_t *bytes, size_t count)
{
	uint8_t *copy = malloc(count ? count : 1);

	assert_non_null(copy);
	if (count)
		memcpy(copy, bytes, count);
	free((void *)place->file.sections[number].data);
	place->file.sections[number].data = copy;
	place->file.sections[number].size_bytes = count;
}

static void tear_down(struct place *place)
{
	for (uint32_t i = 0; i < BC_DEBUG_SECTIONS; i++)
		free((void *)place->file.sections[i].data);
	free(place->scope.bytes);
}

static void set_value(struct place *place, enum bc_slot slot, enum bc_value_class value_class,
		      uint64_t value)
{
	place->die.present |= 1u << slot;
	place->die.value_class[slot] = (uint8_t)value_class;
	place->die.value[slot] = value;
}

/* The attribute is a block of these bytes, which end where the unit does. */
static void set_block(struct place *place, enum bc_slot slot, const uint8_t *bytes, size_t count)
{
	free(place->scope.bytes);
	place->scope.bytes = malloc(count ? count : 1);
	assert_non_null(place->scope.bytes);
	if (count)
		memcpy(place->scope.bytes, bytes, count);
	set_value(place, slot, BC_VALUE_BLOCK, (uint64_t)count << 32);
}

#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ })
#define ADDRESS(low) (low), 0x10, 0, 0, 0, 0, 0, 0

static void assert_entry(struct place *place, uint64_t wanted)
{
	uint64_t address = 1;

	assert_true(bc_entry_address(&place->die, &place->scope, &address));
	assert_int_equal(address, wanted);
}

static void assert_no_entry(struct place *place)
{
	uint64_t address;

	assert_false(bc_entry_address(&place->die, &place->scope, &address));
}

static void ranges_give_the_first_that_is_not_empty(void **state)
{
	struct place place;

	(void)state;
	set_up(&place, 5);
	set_value(&place, BC_SLOT_RANGES, BC_VALUE_UNSIGNED, 1);
	/* offset pairs, counted from the unit's low_pc, then from a base */
	set_section(&place, BC_DEBUG_RNGLISTS,
		    BYTES(0xff, DW_RLE_offset_pair, 8, 8, DW_RLE_offset_pair, 0x10, 0x20, 0));
	assert_entry(&place, 0x1010);
	set_section(&place, BC_DEBUG_RNGLISTS,
		    BYTES(0xff, DW_RLE_base_address, ADDRESS(0x40), DW_RLE_offset_pair, 2, 3, 0));
	assert_entry(&place, 0x1042);
	set_section(&place, BC_DEBUG_RNGLISTS,
		    BYTES(0xff, DW_RLE_start_length, ADDRESS(0x50), 0, DW_RLE_start_end,
			  ADDRESS(0x60), ADDRESS(0x60), DW_RLE_start_end, ADDRESS(0x70),
			  ADDRESS(0x78), 0));
	assert_entry(&place, 0x1070);
	/* by index, with the unit's part of .debug_addr behind its header */
	set_section(&place, BC_DEBUG_ADDR, BYTES(0, 0, 0, 0, 0, 0, 0, 0, ADDRESS(1), ADDRESS(2)));
	place.scope.addr_base = 8;
	set_section(&place, BC_DEBUG_RNGLISTS, BYTES(0xff, DW_RLE_startx_length, 1, 4, 0));
	assert_entry(&place, 0x1002);
	set_section(&place, BC_DEBUG_RNGLISTS,
		    BYTES(0xff, DW_RLE_base_addressx, 0, DW_RLE_offset_pair, 3, 4, 0));
	assert_entry(&place, 0x1004);
	set_section(&place, BC_DEBUG_RNGLISTS, BYTES(0xff, DW_RLE_startx_length, 2, 4, 0));
	assert_no_entry(&place);
	/* the list's number instead of its place */
	place.scope.rnglists_base = 1;
	set_section(&place, BC_DEBUG_RNGLISTS,
		    BYTES(0xff, 8, 0, 0, 0, 8, 0, 0, 0, DW_RLE_offset_pair, 4, 5, 0));
	set_value(&place, BC_SLOT_RANGES, BC_VALUE_LISTX, 1);
	assert_entry(&place, 0x1004);
	set_value(&place, BC_SLOT_RANGES, BC_VALUE_LISTX, UINT64_MAX / 2);
	assert_no_entry(&place);
	tear_down(&place);
}

static void old_ranges_too(void **state)
{
	struct place place;

	(void)state;
	set_up(&place, 4);
	set_value(&place, BC_SLOT_RANGES, BC_VALUE_UNSIGNED, 0);
	place.unit.address_bytes = 4;
	set_section(&place, BC_DEBUG_RANGES,
		    BYTES(4, 0, 0, 0, 4, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
	assert_entry(&place, 0x1008);
	set_section(&place, BC_DEBUG_RANGES,
		    BYTES(0xff, 0xff, 0xff, 0xff, 0, 0x20, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0));
	assert_entry(&place, 0x2008);
	set_section(&place, BC_DEBUG_RANGES, BYTES(0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0));
	assert_no_entry(&place);
	set_section(&place, BC_DEBUG_RANGES, BYTES(8, 0, 0, 0, 9, 0, 0));
	assert_no_entry(&place);
	tear_down(&place);
}

static void an_address_comes_before_ranges(void **state)
{
	struct place place;

	(void)state;
	set_up(&place, 5);
	assert_no_entry(&place);
	set_value(&place, BC_SLOT_LOW_PC, BC_VALUE_ADDRESS, 0x1234);
	set_value(&place, BC_SLOT_RANGES, BC_VALUE_UNSIGNED, 0);
	assert_entry(&place, 0x1234);
	set_section(&place, BC_DEBUG_ADDR, BYTES(ADDRESS(7)));
	set_value(&place, BC_SLOT_LOW_PC, BC_VALUE_ADDRX, 0);
	assert_entry(&place, 0x1007);
	set_value(&place, BC_SLOT_LOW_PC, BC_VALUE_ADDRX, UINT64_MAX);
	assert_no_entry(&place);
	set_value(&place, BC_SLOT_RANGES, BC_VALUE_BLOCK, 0);
	assert_no_entry(&place);
	tear_down(&place);
}

static void assert_standing(struct place *place, uint32_t index, enum bc_standing wanted)
{
	assert_int_equal(bc_parameter_standing(&place->die, &place->scope, index, registers),
			 wanted);
}

static void expressions_of_parameters(void **state)
{
	struct place place;

	(void)state;
	set_up(&place, 5);
	assert_standing(&place, 0, BC_STANDS_UNKNOWN);
	set_value(&place, BC_SLOT_CONST_VALUE, BC_VALUE_UNSIGNED, 3);
	assert_standing(&place, 0, BC_STANDS_NOWHERE);
	set_block(&place, BC_SLOT_LOCATION, BYTES(DW_OP_reg5));
	assert_standing(&place, 0, BC_STANDS_IN_PLACE);
	assert_standing(&place, 1, BC_STANDS_ELSEWHERE);
	assert_standing(&place, 6, BC_STANDS_IN_PLACE);
	set_block(&place, BC_SLOT_LOCATION,
		  BYTES(DW_OP_entry_value, 1, DW_OP_reg5, DW_OP_stack_value));
	assert_standing(&place, 0, BC_STANDS_IN_PLACE);
	set_block(&place, BC_SLOT_LOCATION, BYTES(DW_OP_GNU_entry_value, 1, DW_OP_reg4));
	assert_standing(&place, 0, BC_STANDS_ELSEWHERE);
	set_block(&place, BC_SLOT_LOCATION, BYTES(DW_OP_fbreg, 0x10));
	assert_standing(&place, 0, BC_STANDS_NOWHERE);
	/* cut off, of another length than it says, without an end */
	set_block(&place, BC_SLOT_LOCATION, NULL, 0);
	assert_standing(&place, 0, BC_STANDS_NOWHERE);
	set_block(&place, BC_SLOT_LOCATION, BYTES(DW_OP_entry_value));
	assert_standing(&place, 0, BC_STANDS_NOWHERE);
	set_block(&place, BC_SLOT_LOCATION, BYTES(DW_OP_entry_value, 1));
	assert_standing(&place, 0, BC_STANDS_NOWHERE);
	set_block(&place, BC_SLOT_LOCATION, BYTES(DW_OP_entry_value, 2, DW_OP_reg5));
	assert_standing(&place, 0, BC_STANDS_NOWHERE);
	set_block(&place, BC_SLOT_LOCATION, BYTES(DW_OP_entry_value, 0x81, 0x80, 0x80, 0x80));
	assert_standing(&place, 0, BC_STANDS_NOWHERE);
	tear_down(&place);
}

static void lists_of_parameters(void **state)
{
	struct place place;

	(void)state;
	set_up(&place, 5);
	set_value(&place, BC_SLOT_LOCATION, BC_VALUE_UNSIGNED, 0);
	assert_standing(&place, 0, BC_STANDS_NOWHERE);
	/* the first entry's register; a later one's only if it is the value at entry */
	set_section(&place, BC_DEBUG_LOCLISTS,
		    BYTES(DW_LLE_offset_pair, 0, 4, 1, DW_OP_reg5, DW_LLE_offset_pair, 4, 8, 1,
			  DW_OP_reg3, 0));
	assert_standing(&place, 0, BC_STANDS_IN_PLACE);
	assert_standing(&place, 1, BC_STANDS_ELSEWHERE);
	set_section(&place, BC_DEBUG_LOCLISTS,
		    BYTES(DW_LLE_GNU_view_pair, 0, 1, DW_LLE_base_address, ADDRESS(0),
			  DW_LLE_start_end, ADDRESS(0), ADDRESS(8), 1, DW_OP_reg3,
			  DW_LLE_start_length, ADDRESS(8), 8, 4, DW_OP_entry_value, 1, DW_OP_reg5,
			  DW_OP_stack_value, 0));
	assert_standing(&place, 0, BC_STANDS_IN_PLACE);
	set_section(&place, BC_DEBUG_LOCLISTS,
		    BYTES(DW_LLE_default_location, 0, DW_LLE_startx_length, 0, 1, 1, DW_OP_reg5,
			  0));
	assert_standing(&place, 0, BC_STANDS_NOWHERE);
	/* longer than the section, of a kind that is not known, a length without an end */
	set_section(&place, BC_DEBUG_LOCLISTS, BYTES(DW_LLE_offset_pair, 0, 4, 9, DW_OP_reg5));
	assert_standing(&place, 0, BC_STANDS_NOWHERE);
	set_section(&place, BC_DEBUG_LOCLISTS, BYTES(0x77, 0, 4, 1, DW_OP_reg5));
	assert_standing(&place, 0, BC_STANDS_NOWHERE);
	set_section(&place, BC_DEBUG_LOCLISTS,
		    BYTES(DW_LLE_offset_pair, 0, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
			  0xff, 0xff, 0xff));
	assert_standing(&place, 0, BC_STANDS_NOWHERE);
	set_value(&place, BC_SLOT_LOCATION, BC_VALUE_UNSIGNED, UINT64_MAX);
	assert_standing(&place, 0, BC_STANDS_NOWHERE);
	set_value(&place, BC_SLOT_LOCATION, BC_VALUE_LISTX, UINT64_MAX);
	assert_standing(&place, 0, BC_STANDS_NOWHERE);
	tear_down(&place);
}

static void old_lists_of_parameters(void **state)
{
	struct place place;

	(void)state;
	set_up(&place, 4);
	set_value(&place, BC_SLOT_LOCATION, BC_VALUE_UNSIGNED, 0);
	place.unit.address_bytes = 4;
	set_section(&place, BC_DEBUG_LOC,
		    BYTES(0xff, 0xff, 0xff, 0xff, 0, 1, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 1, 0,
			  DW_OP_reg5, 0, 0, 0, 0, 0, 0, 0, 0));
	assert_standing(&place, 0, BC_STANDS_IN_PLACE);
	set_section(&place, BC_DEBUG_LOC, BYTES(0, 0, 0, 0, 4, 0, 0, 0, 0xff, 0xff, DW_OP_reg5));
	assert_standing(&place, 0, BC_STANDS_NOWHERE);
	tear_down(&place);
}

static void variables_have_an_address_and_nothing_else(void **state)
{
	struct place place;
	uint64_t address = 0;

	(void)state;
	set_up(&place, 5);
	assert_false(bc_variable_address(&place.die, &place.scope, &address));
	set_block(&place, BC_SLOT_LOCATION, BYTES(DW_OP_addr, ADDRESS(4)));
	assert_true(bc_variable_address(&place.die, &place.scope, &address));
	assert_int_equal(address, 0x1004);
	set_block(&place, BC_SLOT_LOCATION,
		  BYTES(DW_OP_addr, ADDRESS(4), DW_OP_plus_uconst, 0x80, 1));
	assert_true(bc_variable_address(&place.die, &place.scope, &address));
	assert_int_equal(address, 0x1084);
	set_section(&place, BC_DEBUG_ADDR, BYTES(ADDRESS(1), ADDRESS(2)));
	set_block(&place, BC_SLOT_LOCATION, BYTES(DW_OP_addrx, 1));
	assert_true(bc_variable_address(&place.die, &place.scope, &address));
	assert_int_equal(address, 0x1002);
	set_block(&place, BC_SLOT_LOCATION, BYTES(DW_OP_addrx, 2));
	assert_false(bc_variable_address(&place.die, &place.scope, &address));
	set_block(&place, BC_SLOT_LOCATION, BYTES(DW_OP_addr, 1, 2, 3));
	assert_false(bc_variable_address(&place.die, &place.scope, &address));
	set_block(&place, BC_SLOT_LOCATION, BYTES(DW_OP_addr, ADDRESS(4), DW_OP_form_tls_address));
	assert_false(bc_variable_address(&place.die, &place.scope, &address));
	set_block(&place, BC_SLOT_LOCATION, BYTES(DW_OP_addr, ADDRESS(4), DW_OP_plus_uconst, 0x80));
	assert_false(bc_variable_address(&place.die, &place.scope, &address));
	set_block(&place, BC_SLOT_LOCATION, NULL, 0);
	assert_false(bc_variable_address(&place.die, &place.scope, &address));
	tear_down(&place);
}

/* Nothing is asserted but that everything ends, and that no byte beyond is read. */
static void bytes_at_random(void **state)
{
	static const enum bc_dwarf_section_number sections[] = {
		BC_DEBUG_RANGES, BC_DEBUG_RNGLISTS, BC_DEBUG_LOC, BC_DEBUG_LOCLISTS, BC_DEBUG_ADDR,
	};

	(void)state;
	for (uint32_t round = 0; round < law_rounds(5000); round++) {
		struct rng rng = law_round(round);
		uint8_t bytes[64] = { 0 };
		struct place place;
		uint64_t address;

		set_up(&place, rng_percent(&rng, 50) ? 5 : 4);
		place.unit.address_bytes = 1u << rng_below(&rng, 4);
		place.unit.offset_bytes = rng_percent(&rng, 50) ? 4 : 8;
		place.scope.loclists_base = rng_below(&rng, 70);
		place.scope.rnglists_base = rng_below(&rng, 70);
		place.scope.addr_base = rng_below(&rng, 70);
		for (uint32_t i = 0; i < 5; i++) {
			uint32_t count = rng_below(&rng, sizeof(bytes) + 1);

			for (uint32_t j = 0; j < count; j++)
				bytes[j] = (uint8_t)(rng_percent(&rng, 60) ? rng_below(&rng, 10) :
									     rng_below(&rng, 256));
			set_section(&place, sections[i], bytes, count);
		}
		set_value(&place, BC_SLOT_RANGES,
			  rng_percent(&rng, 50) ? BC_VALUE_UNSIGNED : BC_VALUE_LISTX,
			  rng_below(&rng, 70));
		bc_entry_address(&place.die, &place.scope, &address);
		set_value(&place, BC_SLOT_LOCATION,
			  rng_percent(&rng, 50) ? BC_VALUE_UNSIGNED : BC_VALUE_LISTX,
			  rng_below(&rng, 70));
		bc_parameter_standing(&place.die, &place.scope, 0, registers);
		set_block(&place, BC_SLOT_LOCATION, bytes, rng_below(&rng, sizeof(bytes) + 1));
		bc_parameter_standing(&place.die, &place.scope, 0, registers);
		bc_variable_address(&place.die, &place.scope, &address);
		tear_down(&place);
	}
}

static void registers_of_machines(void **state)
{
	(void)state;
	assert_int_equal(bc_parameter_registers(EM_X86_64).count, 6);
	assert_int_equal(bc_parameter_registers(EM_AARCH64).count, 8);
	assert_int_equal(bc_parameter_registers(EM_S390).number[0], 2);
	assert_int_equal(bc_parameter_registers(EM_RISCV).count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_give_the_first_that_is_not_empty),
		cmocka_unit_test(old_ranges_too),
		cmocka_unit_test(an_address_comes_before_ranges),
		cmocka_unit_test(expressions_of_parameters),
		cmocka_unit_test(lists_of_parameters),
		cmocka_unit_test(old_lists_of_parameters),
		cmocka_unit_test(variables_have_an_address_and_nothing_else),
		cmocka_unit_test(bytes_at_random),
		cmocka_unit_test(registers_of_machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * DWARF that is bad, odd or deep. Each case is refused in one line that names
 * file, unit and DIE, the same whatever the number of threads and the order of
 * units; or it is legal and gives the right types.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "btf/read.h"
#include "btf/write.h"
#include "dwarf/encode.h"
#include "graph/check.h"
#include "sort/canonical.h"
#include "tests/lib/dwarf_build.h"

/* ---- encoding ---- */

struct outcome {
	bool done;
	struct bc_err err;
	struct bc_graph graph; /* canonical; where done */
	struct bc_encode_stats stats;
};

static bool make_canonical(struct outcome *outcome, const struct bc_graph *encoded,
			   struct bc_arena *arena)
{
	const struct bc_canonical_options settling = { .settle_forwards = true };

	return bc_canonical(&outcome->graph, encoded, &settling, arena, NULL, NULL,
			    &outcome->err) &&
	       bc_graph_check(&outcome->graph, NULL, &outcome->err);
}

static struct outcome encode_paths(struct bc_arena *arena, const char *const *paths, uint32_t count,
				   uint32_t threads, uint64_t shuffle_seed)
{
	struct bc_workers workers = { .count = threads };
	const struct bc_encode_options options = {
		.workers = &workers,
		.features = bc_features_default(),
		.shuffle_units = shuffle_seed != 0,
		.shuffle_seed = shuffle_seed,
		.hash_mask = UINT64_MAX,
	};
	struct outcome outcome = { .err = { .text = "" } };
	struct bc_graph encoded;

	outcome.done = bc_encode(&encoded, paths, count, &options, &outcome.stats, arena,
				 &outcome.err) &&
		       make_canonical(&outcome, &encoded, arena);
	return outcome;
}

static struct outcome encode_bytes(struct bc_arena *arena, const uint8_t *data, size_t size_bytes,
				   uint32_t threads, uint64_t shuffle_seed)
{
	char path[DWARF_PATH_BYTES];
	const char *paths[] = { path };
	int file = dwarf_memory_file(data, size_bytes, path);
	struct outcome outcome = encode_paths(arena, paths, 1, threads, shuffle_seed);

	close(file);
	return outcome;
}

static void check_line(const struct bc_err *err)
{
	size_t length = strnlen(err->text, sizeof(err->text));

	assert_in_range(length, 1, sizeof(err->text) - 1);
	for (size_t i = 0; i < length; i++)
		if (err->text[i] < ' ' || err->text[i] > '~')
			fail_msg("not one line of text: %s", err->text);
}

static struct dwarf_build *fresh(void)
{
	static struct bc_arena arena;

	bc_arena_free(&arena);
	return dwarf_build_new(&arena);
}

static void assert_holds(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in: %s", part, text);
}

/* The build is refused: WHAT is said, of the DIE (NULL: of none) and of its unit. */
static void refused_at(struct dwarf_build *build, const char *what, const struct dwarf_unit *unit,
		       const struct dwarf_die *die)
{
	struct dwarf_bytes elf = dwarf_elf(build);
	struct bc_err first = { .text = "" };
	char place[64];

	for (uint32_t round = 0; round < 8; round++) {
		struct bc_arena arena = { 0 };
		struct outcome outcome = encode_bytes(&arena, elf.data, elf.size_bytes,
						      1 + round % 4, round);

		if (outcome.done)
			fail_msg("not refused: %s", what);
		check_line(&outcome.err);
		if (!round)
			first = outcome.err;
		/* The number of the descriptor is the same each time. */
		assert_string_equal(outcome.err.text, first.text);
		bc_arena_free(&arena);
	}
	assert_holds(first.text, what);
	assert_holds(first.text, "/proc/self/fd/");
	if (unit) {
		snprintf(place, sizeof(place), "unit at 0x%" PRIx64, unit->offset);
		assert_holds(first.text, place);
	}
	if (die) {
		snprintf(place, sizeof(place), "DIE at 0x%" PRIx32, die->offset);
		assert_holds(first.text, place);
	}
}

static void refused(const struct dwarf_die *die, const char *what)
{
	refused_at(die->unit->build, what, die->unit, die);
}

/* The build is fine; the graph lives until the next call. */
static struct bc_graph taken(struct dwarf_build *build)
{
	static struct bc_arena arena;
	struct dwarf_bytes elf = dwarf_elf(build);
	struct outcome outcome;

	bc_arena_free(&arena);
	outcome = encode_bytes(&arena, elf.data, elf.size_bytes, 1, 0);
	if (!outcome.done)
		fail_msg("refused: %s", outcome.err.text);
	return outcome.graph;
}

static uint32_t count_kind(const struct bc_graph *graph, enum bc_kind kind)
{
	uint32_t count = 0;

	for (uint32_t id = 1; id < bc_id_end(graph); id++)
		count += bc_id_kind(graph, id) == kind;
	return count;
}

/* The only type of that kind and name, or the test fails. */
static const uint32_t *find_type(const struct bc_graph *graph, enum bc_kind kind, const char *name)
{
	const uint32_t *found = NULL;

	for (uint32_t id = 1; id < bc_id_end(graph); id++) {
		const uint32_t *node = bc_node(graph, id);

		if (bc_node_kind(node) != kind || strcmp(bc_string(graph, node[0]), name))
			continue;
		assert_null(found);
		found = node;
	}
	if (!found)
		fail_msg("there is no %s %s", bc_kind_name(kind), name);
	return found;
}

/* The offset word of member I of a type, and how wide it is. */
static void check_member(const struct bc_graph *graph, const char *name, uint32_t i,
			 uint32_t bit_offset, uint32_t bit_width)
{
	const uint32_t *node = find_type(graph, BC_STRUCT, name);
	const uint32_t *member = bc_element(node, i);

	assert_in_range(i, 0, bc_info_vlen(node[1]) - 1);
	assert_int_equal(bc_member_bit_offset(node[1], member[2]), bit_offset);
	assert_int_equal(bc_member_bit_width(node[1], member[2]), bit_width);
}

/* ---- a small file with something of everything ---- */

static void add_small_unit(struct dwarf_build *build, uint8_t version)
{
	struct dwarf_unit *unit = dwarf_unit_new(build, version);
	struct dwarf_die *number = dwarf_base_type(unit->root, "int", 4, DW_ATE_signed);
	struct dwarf_die *node = dwarf_struct(unit->root, "node", 16);
	struct dwarf_die *pointer = dwarf_die_new(unit->root, DW_TAG_pointer_type);
	struct dwarf_die *array = dwarf_link(unit->root, DW_TAG_array_type, NULL, number);
	struct dwarf_die *range = dwarf_die_new(array, DW_TAG_subrange_type);
	struct dwarf_die *enumeration = dwarf_die_new(unit->root, DW_TAG_enumeration_type);
	struct dwarf_die *value = dwarf_die_new(enumeration, DW_TAG_enumerator);
	struct dwarf_die *proto = dwarf_link(unit->root, DW_TAG_subroutine_type, NULL, pointer);
	struct dwarf_die *alias = dwarf_die_new(unit->root, DW_TAG_typedef);
	const uint8_t location[] = { DW_OP_plus_uconst, 8 };

	dwarf_sibling(node, DW_FORM_ref4);
	dwarf_refer(pointer, DW_AT_type, DW_FORM_ref_udata, node);
	dwarf_member(node, "next", pointer, 0);
	dwarf_block(dwarf_link(node, DW_TAG_member, "rest", number), DW_AT_data_member_location,
		    DW_FORM_block1, location, sizeof(location));
	dwarf_number(range, DW_AT_upper_bound, DW_FORM_udata, 6);
	dwarf_name(enumeration, "color");
	dwarf_number(enumeration, DW_AT_byte_size, DW_FORM_data1, 4);
	dwarf_name(value, "RED");
	dwarf_number(value, DW_AT_const_value, DW_FORM_sdata, (uint64_t)-3);
	dwarf_link(proto, DW_TAG_formal_parameter, NULL, array);
	dwarf_text(alias, DW_AT_name, version >= 5 ? DW_FORM_strx1 : DW_FORM_string, "alias_t");
	dwarf_type(alias, proto);
	if (version >= 5) {
		dwarf_text(dwarf_link(unit->root, DW_TAG_const_type, NULL, alias), DW_AT_name,
			   DW_FORM_line_strp, "ignored");
		dwarf_number(unit->root, DW_AT_str_offsets_base, DW_FORM_sec_offset, 0);
		dwarf_number(range, DW_AT_lower_bound, DW_FORM_implicit_const, 0);
	}
}

static struct dwarf_build *small_file(uint8_t version)
{
	struct dwarf_build *build = fresh();

	add_small_unit(build, version);
	dwarf_lay_out(build);
	return build;
}

struct counts {
	uint32_t refused, taken;
};

/* Whatever the sections hold: refused in one line, or a graph that can be written and read. */
static void check_sections(const struct dwarf_bytes *sections, struct counts *counts)
{
	struct bc_arena arena = { 0 };
	struct dwarf_bytes elf = dwarf_wrap(&arena, sections, false, true);
	struct outcome outcome = encode_bytes(&arena, elf.data, elf.size_bytes, 1, 0);

	if (outcome.done) {
		const uint8_t *data;
		size_t size_bytes;
		struct bc_graph again;

		counts->taken++;
		if (!bc_btf_write(&outcome.graph, NULL, &arena, &data, &size_bytes, &outcome.err) ||
		    !bc_btf_read(&again, data, size_bytes, NULL, &arena, NULL, &outcome.err))
			fail_msg("%s", outcome.err.text);
	} else {
		counts->refused++;
		check_line(&outcome.err);
	}
	bc_arena_free(&arena);
}

/* Every section but .debug_info may be cut where nothing that is used follows. */
static void every_cut_is_refused_or_fine(void **state)
{
	(void)state;
	for (uint8_t version = 4; version <= 5; version++) {
		struct dwarf_build *build = small_file(version);

		for (int section = 0; section < DWARF_SECTIONS; section++) {
			struct dwarf_bytes sections[DWARF_SECTIONS];
			struct counts counts = { 0 };

			memcpy(sections, build->sections, sizeof(sections));
			for (size_t size = 0; size < build->sections[section].size_bytes; size++) {
				sections[section].size_bytes = size;
				check_sections(sections, &counts);
			}
			if (section == DWARF_INFO || section == DWARF_ABBREV)
				assert_int_equal(counts.taken, 0);
			if (build->sections[section].size_bytes)
				assert_true(counts.refused > 0);
		}
	}
}

/* The unit's length says that it ends there, so only what is in it counts. */
static void every_unit_cut_short_is_refused(void **state)
{
	(void)state;
	for (uint8_t version = 4; version <= 5; version++) {
		struct dwarf_build *build = small_file(version);
		struct dwarf_bytes sections[DWARF_SECTIONS];
		struct counts counts = { 0 };

		memcpy(sections, build->sections, sizeof(sections));
		for (uint32_t size = 4; size < build->units->size_bytes; size++) {
			uint32_t length = size - 4;

			sections[DWARF_INFO].size_bytes = size;
			dwarf_store(sections[DWARF_INFO].data, length, 4, false);
			check_sections(sections, &counts);
		}
		/* A unit of a header alone has no types, which is no trouble. */
		assert_int_equal(counts.taken, 1);
	}
}

static void every_byte_may_be_damaged(void **state)
{
	static const uint8_t values[] = { 0, 1, 2, 0x0b, 0x7f, 0x80, 0xff };
	struct counts counts = { 0 };

	(void)state;
	for (uint8_t version = 4; version <= 5; version++) {
		struct dwarf_build *build = small_file(version);

		for (int section = 0; section < DWARF_SECTIONS; section++) {
			struct dwarf_bytes *bytes = &build->sections[section];

			for (size_t at = 0; at < bytes->size_bytes; at++) {
				uint8_t before = bytes->data[at];

				for (size_t i = 0; i < sizeof(values); i++) {
					bytes->data[at] = values[i];
					check_sections(build->sections, &counts);
				}
				bytes->data[at] = before;
			}
		}
	}
	assert_true(counts.refused > 500);
	assert_true(counts.taken > 500);
}

/* libelf and libdwfl read what lies around the sections; it is enough that nothing breaks. */
static void every_cut_of_the_file_is_refused_or_fine(void **state)
{
	struct dwarf_build *build = small_file(5);
	struct dwarf_bytes elf = dwarf_elf(build);
	uint32_t done = 0;

	(void)state;
	for (size_t size = 0; size < elf.size_bytes; size++) {
		struct bc_arena arena = { 0 };
		struct outcome outcome = encode_bytes(&arena, elf.data, size, 1, 0);

		done += outcome.done;
		if (!outcome.done)
			check_line(&outcome.err);
		bc_arena_free(&arena);
	}
	assert_int_equal(done, 0);
}

/* ---- headers ---- */

static struct dwarf_unit *fresh_unit(uint8_t version)
{
	return dwarf_unit_new(fresh(), version);
}

/* Two good units around the one that the test makes bad. */
static struct dwarf_unit *fresh_middle_unit(uint8_t version)
{
	struct dwarf_build *build = fresh();
	struct dwarf_unit *unit;

	dwarf_base_type(dwarf_unit_new(build, version)->root, "before", 4, DW_ATE_signed);
	unit = dwarf_unit_new(build, version);
	dwarf_base_type(unit->root, "int", 4, DW_ATE_signed);
	dwarf_base_type(dwarf_unit_new(build, version)->root, "after", 4, DW_ATE_signed);
	return unit;
}

static void bad_header(struct dwarf_unit *unit, const char *what)
{
	refused_at(unit->build, what, unit, NULL);
}

static void headers_without_meaning_are_refused(void **state)
{
	static const uint8_t versions[] = { 0, 1, 6, 255 };
	static const uint8_t sizes[] = { 0, 3, 5, 16, 255 };
	struct dwarf_unit *unit;

	(void)state;
	for (size_t i = 0; i < sizeof(versions); i++) {
		unit = fresh_middle_unit(4);
		unit->version = versions[i];
		bad_header(unit, "a DWARF version that is not known");
	}
	for (size_t i = 0; i < sizeof(sizes); i++) {
		unit = fresh_middle_unit(i % 2 ? 5 : 4);
		unit->address_bytes = sizes[i];
		bad_header(unit, "an address size that is not known");
	}
	unit = fresh_middle_unit(5);
	unit->type = 0x7f;
	bad_header(unit, "a unit type that is not known");
	unit = fresh_middle_unit(4);
	unit->length_error = 1000;
	bad_header(unit, "the unit goes beyond the section");
	unit = fresh_middle_unit(4);
	dwarf_lay_out(unit->build);
	memcpy(unit->build->sections[DWARF_INFO].data + unit->offset, "\xf5\xff\xff\xff", 4);
	bad_header(unit, "a unit length with no meaning");
	unit = fresh_middle_unit(4);
	unit->offset_bytes = 8;
	unit->length_error = INT64_MAX;
	bad_header(unit, "the unit goes beyond the section");
	unit = fresh_middle_unit(4);
	dwarf_lay_out(unit->build);
	memcpy(unit->build->sections[DWARF_INFO].data + unit->offset, "\3\0\0\0", 4);
	bad_header(unit, "the unit's header is cut off");
}

/* Too short a length makes a unit of what is left, which is none. */
static void a_length_too_short_is_refused(void **state)
{
	(void)state;
	for (int64_t missing = 1; missing < 20; missing++) {
		struct dwarf_unit *unit = fresh_middle_unit(4);

		unit->length_error = -missing;
		refused_at(unit->build, "unit at 0x", NULL, NULL);
	}
}

static void abbreviations_are_checked(void **state)
{
	struct dwarf_build *build;
	struct dwarf_unit *unit = fresh_middle_unit(4);
	struct dwarf_bytes *bytes;

	(void)state;
	unit->abbrev_error = 100000;
	bad_header(unit, "beyond .debug_abbrev");
	unit = fresh_middle_unit(4);
	dwarf_unit_own_abbrevs(unit);
	unit->abbrev_error = 1;
	refused_at(unit->build, "abbreviation", unit, NULL);

	/* Of another unit's table this one's DIEs have no code. */
	unit = fresh_middle_unit(4);
	dwarf_unit_own_abbrevs(unit)->code_step = 7;
	dwarf_lay_out(unit->build);
	unit->build->sections[DWARF_INFO].data[unit->root->first_child->offset + unit->offset] = 9;
	refused(unit->root->first_child, "there is no such abbreviation");

	build = fresh_unit(4)->build;
	dwarf_lay_out(build);
	bytes = &build->sections[DWARF_ABBREV];
	bytes->size_bytes = 0;
	dwarf_put(build->arena, bytes, "\1\x11\0\0\0\1\x24\0\0\0\0", 11);
	refused_at(build, "it is there twice (abbreviation 1 of those at 0x0)", build->units, NULL);
	bytes->size_bytes = 0;
	dwarf_put(build->arena, bytes, "\1\x11\0\x03\x7e\0\0\0", 8);
	refused_at(build, "a form that is not known", build->units, NULL);
	bytes->size_bytes = 0;
	dwarf_put(build->arena, bytes, "\1\xff\xff\xff\x7f\0\0\0\0", 9);
	refused_at(build, "a tag that is not known", build->units, NULL);
	bytes->size_bytes = 0;
	for (uint32_t i = 0; i < 10000; i++)
		dwarf_put(build->arena, bytes, "\xff", 1);
	refused_at(build, "the abbreviations at 0x0 have no end", build->units, NULL);
	bytes->size_bytes = 0;
	dwarf_put(build->arena, bytes, "\1\x11\0", 3);
	for (uint32_t i = 0; i < 70000; i++)
		dwarf_put(build->arena, bytes, "\x03\x0f", 2);
	refused_at(build, "too many attributes", build->units, NULL);
	bytes->size_bytes = 3;
	for (uint32_t i = 0; i < 70000; i++)
		dwarf_put(build->arena, bytes, "\x70\x10", 2);
	refused_at(build, "it is cut off", build->units, NULL);
	build->sections[DWARF_ABBREV].size_bytes = 0;
	refused_at(build, "beyond .debug_abbrev", build->units, NULL);
}

/* ---- DIEs ---- */

static void siblings_are_checked(void **state)
{
	static const struct {
		int64_t error;
		const char *what;
	} cases[] = {
		{ -1000000, "a sibling that is not behind it" },
		{ 1000000, "a sibling that is not behind it" },
		{ -1, "the children end elsewhere than the sibling says" },
		{ 1, "the children end elsewhere than the sibling says" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dwarf_unit *unit = fresh_middle_unit(4);
		struct dwarf_die *number = unit->root->first_child;
		struct dwarf_die *parent = dwarf_struct(unit->root, "s", 8);
		struct dwarf_attribute *sibling = dwarf_sibling(parent, DW_FORM_ref4);
		uint64_t end;

		dwarf_member(parent, "m", number, 0);
		dwarf_base_type(unit->root, "last", 2, DW_ATE_signed);
		dwarf_lay_out(unit->build);
		end = (uint64_t)((int64_t)parent->end + cases[i].error);
		dwarf_store(unit->build->sections[DWARF_INFO].data + unit->offset + sibling->offset,
			    end, 4, false);
		refused_at(unit->build, cases[i].what, unit, i < 2 ? parent : NULL);
	}
}

static void lists_without_an_end_are_refused(void **state)
{
	struct dwarf_unit *unit = fresh_middle_unit(4);

	(void)state;
	dwarf_member(dwarf_struct(unit->root, "s", 8), "m", unit->root->first_child, 0)
		->never_ends = true;
	refused_at(unit->build, "the unit ends inside a DIE", unit, NULL);
	unit = fresh_middle_unit(5);
	unit->root->never_ends = true;
	refused_at(unit->build, "the unit ends inside a DIE", unit, NULL);
}

/* What no DIE of the unit holds is not just left out. */
static void types_behind_the_end_are_refused(void **state)
{
	struct dwarf_unit *unit = fresh_middle_unit(4);
	struct dwarf_die *lost = dwarf_base_type(unit->root, "lost", 4, DW_ATE_signed);
	uint8_t *data;

	(void)state;
	dwarf_lay_out(unit->build);
	data = unit->build->sections[DWARF_INFO].data + unit->offset + lost->offset;
	/* The end of the list comes before the last DIE. */
	memmove(data + 1, data, unit->root->end - lost->offset - 1);
	*data = 0;
	refused_at(unit->build, "something is behind the unit's DIE", unit, NULL);
}

static void zeros_behind_the_end_are_padding(void **state)
{
	struct dwarf_build *build = fresh();
	struct dwarf_unit *unit = dwarf_unit_new(build, 4);
	struct bc_graph graph;

	(void)state;
	dwarf_base_type(unit->root, "int", 4, DW_ATE_signed);
	dwarf_lay_out(build);
	dwarf_put(build->arena, &build->sections[DWARF_INFO], "\0\0\0", 3);
	build->sections[DWARF_INFO].data[0] += 3;
	graph = taken(build);
	assert_int_equal(graph.type_count, 1);
}

static void numbers_of_any_length_are_read(void **state)
{
	/* A LEB128 number of 20 bytes: 8, and zeros without end. */
	static const uint8_t long_eight[] = { 0x88, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					      0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					      0x80, 0x80, 0x80, 0x80, 0x80, 0x00 };
	struct dwarf_unit *unit = fresh_middle_unit(4);
	struct dwarf_build *build = unit->build;
	struct dwarf_die *die = dwarf_die_new(unit->root, DW_TAG_base_type);
	struct dwarf_attribute *size;
	struct dwarf_bytes info = { 0 };
	struct bc_graph graph;

	(void)state;
	dwarf_name(die, "wide");
	size = dwarf_number(die, DW_AT_byte_size, DW_FORM_udata, 8);
	dwarf_lay_out(build);
	/* In place of the last byte of the DIE. */
	dwarf_put(build->arena, &info, build->sections[DWARF_INFO].data,
		  unit->offset + size->offset);
	dwarf_put(build->arena, &info, long_eight, sizeof(long_eight));
	dwarf_put(build->arena, &info,
		  build->sections[DWARF_INFO].data + unit->offset + size->offset + 1,
		  build->sections[DWARF_INFO].size_bytes - unit->offset - size->offset - 1);
	info.data[unit->offset] += sizeof(long_eight) - 1;
	build->sections[DWARF_INFO] = info;
	graph = taken(build);
	assert_int_equal(find_type(&graph, BC_INT, "wide")[2], 8);
}

static void blocks_that_are_too_long_are_refused(void **state)
{
	static const uint16_t forms[] = { DW_FORM_block1, DW_FORM_block2, DW_FORM_block4,
					  DW_FORM_block, DW_FORM_exprloc };

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct dwarf_unit *unit = fresh_unit(4);
		struct dwarf_die *die = dwarf_die_new(unit->root, DW_TAG_variable);

		dwarf_block(die, DW_AT_location, forms[i], "", 0)->value =
			forms[i] == DW_FORM_block ? UINT64_MAX : 0xff;
		refused(die, "the unit ends inside a DIE");
	}
}

static void forms_in_the_die_are_checked(void **state)
{
	static const uint16_t forms[] = { 0, 0x7f, DW_FORM_indirect, DW_FORM_implicit_const,
					  0x3fff };
	struct bc_graph graph;

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct dwarf_unit *unit = fresh_unit(5);
		struct dwarf_die *die = dwarf_die_new(unit->root, DW_TAG_base_type);

		dwarf_number(die, DW_AT_byte_size, forms[i], 4)->is_indirect = true;
		refused(die, "an attribute that cannot be read");
	}
	for (size_t i = 0; i < 2; i++) {
		struct dwarf_unit *unit = fresh_unit(5);
		struct dwarf_die *die = dwarf_die_new(unit->root, DW_TAG_base_type);

		dwarf_text(die, DW_AT_name, i ? DW_FORM_string : DW_FORM_strp, "int")->is_indirect =
			true;
		dwarf_number(die, DW_AT_byte_size, DW_FORM_data1, 4)->is_indirect = true;
		graph = taken(unit->build);
		assert_int_equal(find_type(&graph, BC_INT, "int")[2], 4);
	}
}

/* ---- strings ---- */

static void names_out_of_range_are_refused(void **state)
{
	static const struct {
		uint16_t form;
		const char *what;
	} cases[] = {
		{ DW_FORM_strp, "a name beyond the string section" },
		{ DW_FORM_line_strp, "a name beyond the string section" },
		{ DW_FORM_strx4, "a name beyond .debug_str_offsets" },
		{ DW_FORM_strx, "a name beyond .debug_str_offsets" },
		{ DW_FORM_GNU_strp_alt, "a name in an alternate debug file, which was not found" },
		{ DW_FORM_strp_sup, "a name in an alternate debug file, which was not found" },
		{ DW_FORM_data4, "a name that is no string" },
		{ DW_FORM_ref4, "a name that is no string" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dwarf_unit *unit = fresh_middle_unit(5);
		struct dwarf_die *die = dwarf_die_new(unit->root, DW_TAG_typedef);

		dwarf_number(die, DW_AT_name, cases[i].form,
			     cases[i].form == DW_FORM_strx ? UINT64_MAX / 4 : 0x7ffffff0);
		refused(die, cases[i].what);
	}
}

/* An index is right, what stands there is not. */
static void string_offsets_out_of_range_are_refused(void **state)
{
	struct dwarf_unit *unit = fresh_middle_unit(5);
	struct dwarf_die *die = dwarf_die_new(unit->root, DW_TAG_typedef);

	(void)state;
	dwarf_text(die, DW_AT_name, DW_FORM_strx1, "name");
	dwarf_number(unit->root, DW_AT_str_offsets_base, DW_FORM_sec_offset, 0);
	dwarf_lay_out(unit->build);
	memset(unit->build->sections[DWARF_STR_OFFSETS].data + 8, 0xee, 4);
	refused(die, "a name beyond the string section");

	unit = fresh_middle_unit(5);
	die = dwarf_die_new(unit->root, DW_TAG_typedef);
	dwarf_text(die, DW_AT_name, DW_FORM_strx1, "name");
	dwarf_number(unit->root, DW_AT_str_offsets_base, DW_FORM_sec_offset, 0xfffffff0);
	refused(die, "a name beyond .debug_str_offsets");
}

static void strings_without_an_end_are_refused(void **state)
{
	struct dwarf_unit *unit = fresh_unit(4);

	(void)state;
	dwarf_base_type(unit->root, "int", 4, DW_ATE_signed);
	dwarf_lay_out(unit->build);
	dwarf_put(unit->build->arena, &unit->build->sections[DWARF_STR], "x", 1);
	refused_at(unit->build, ".debug_str does not end with a NUL", NULL, NULL);
}

/* The name "" is no name: such structs are not two bodies of one tag. */
static void empty_names_are_none(void **state)
{
	static const uint16_t forms[] = { DW_FORM_strp, DW_FORM_string, DW_FORM_strx1,
					  DW_FORM_line_strp };

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct dwarf_unit *unit = fresh_middle_unit(5);
		struct dwarf_die *number = unit->root->first_child;
		struct dwarf_die *one = dwarf_struct(unit->root, NULL, 4);
		struct dwarf_die *other = dwarf_struct(unit->root, NULL, 4);
		struct bc_graph graph;

		unit->build->repeats_strings = true;
		dwarf_text(one, DW_AT_name, forms[i], "");
		dwarf_text(other, DW_AT_name, forms[i], "");
		dwarf_text(dwarf_declaration(unit->root, DW_TAG_structure_type, NULL), DW_AT_name,
			   forms[i], "");
		dwarf_member(one, "a", number, 0);
		dwarf_member(other, "b", number, 0);
		dwarf_number(unit->root, DW_AT_str_offsets_base, DW_FORM_sec_offset, 0);
		graph = taken(unit->build);
		assert_int_equal(count_kind(&graph, BC_FWD), 0);
		assert_int_equal(count_kind(&graph, BC_STRUCT), 3);
	}
}

/* The same of a struct that stands in another unit. */
static void empty_names_elsewhere_are_none(void **state)
{
	struct dwarf_build *build = fresh();
	struct dwarf_unit *unit = dwarf_unit_new(build, 4), *other = dwarf_unit_new(build, 4);
	struct dwarf_die *number = dwarf_base_type(other->root, "int", 4, DW_ATE_signed);
	struct dwarf_die *type = dwarf_struct(other->root, NULL, 4);
	struct bc_graph graph;

	(void)state;
	dwarf_text(type, DW_AT_name, DW_FORM_strp, "");
	dwarf_member(type, "m", number, 0);
	dwarf_refer(dwarf_die_new(unit->root, DW_TAG_pointer_type), DW_AT_type, DW_FORM_ref_addr,
		    type);
	graph = taken(build);
	assert_int_equal(graph.type_count, 3);
	check_member(&graph, "", 0, 0, 0);
}

/* ---- references ---- */

static void references_out_of_place_are_refused(void **state)
{
	static const struct {
		uint16_t form;
		uint64_t value;
		const char *what;
	} cases[] = {
		{ DW_FORM_ref1, 0, "a reference to where no DIE is" },
		{ DW_FORM_ref4, 0, "a reference to where no DIE is" },
		{ DW_FORM_ref4, 5, "a reference to where no DIE is" },
		{ DW_FORM_ref4, 0x7fffffff, "a reference to where no DIE is" },
		{ DW_FORM_ref4, 0xffffffff, "a reference to where no DIE is" },
		{ DW_FORM_ref8, UINT64_MAX, "a reference to where no DIE is" },
		{ DW_FORM_ref8, (uint64_t)1 << 32 | 12, "a reference to where no DIE is" },
		{ DW_FORM_ref_udata, UINT64_MAX, "a reference to where no DIE is" },
		{ DW_FORM_ref_addr, 0, "a reference to where no DIE is" },
		{ DW_FORM_ref_addr, 0xfffffff0, "a reference to where no DIE is" },
		{ DW_FORM_ref_sig8, 12345, "a type unit that is not there" },
		{ DW_FORM_GNU_ref_alt, 11,
		  "a type in an alternate debug file, which was not found" },
		{ DW_FORM_data4, 11, "a type that is no reference" },
		{ DW_FORM_string, 0, "a type that is no reference" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dwarf_unit *unit = fresh_middle_unit(4);
		struct dwarf_die *die = dwarf_die_new(unit->root, DW_TAG_pointer_type);
		struct dwarf_attribute *type = dwarf_number(die, DW_AT_type, cases[i].form,
							    cases[i].value);

		if (cases[i].form == DW_FORM_string)
			type->text = "int";
		refused(die, cases[i].what);
	}
}

/* To the unit's own DIE, a member, a value; to the middle of a DIE. */
static void references_to_no_type_are_refused(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 5; i++) {
		struct dwarf_unit *unit = fresh_middle_unit(4);
		struct dwarf_die *number = unit->root->first_child;
		struct dwarf_die *member = dwarf_member(dwarf_struct(unit->root, "s", 4), "m",
							number, 0);
		struct dwarf_die *variable = dwarf_link(unit->root, DW_TAG_variable, "v", number);
		struct dwarf_die *die = dwarf_die_new(unit->root, DW_TAG_pointer_type);
		struct dwarf_die *targets[] = { unit->root, member, variable, number, number };
		struct dwarf_attribute *type = dwarf_refer(die, DW_AT_type, DW_FORM_ref4,
							   targets[i]);
		uint32_t value;
		char what[64];

		dwarf_lay_out(unit->build);
		value = targets[i]->offset + (i < 3 ? 0 : i - 2);
		dwarf_store(unit->build->sections[DWARF_INFO].data + unit->offset + type->offset,
			    value, 4, false);
		snprintf(what, sizeof(what), "a reference to 0x%x, where no type is", value);
		refused(die, what);
	}
}

/*
 * The same from another unit. Some bytes in the middle of a DIE read like a
 * type: that does not make them one.
 */
static void references_to_no_type_of_another_unit_are_refused(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 6; i++) {
		struct dwarf_build *build = fresh();
		struct dwarf_unit *other = dwarf_unit_new(build, 4), *unit;
		struct dwarf_die *number = dwarf_base_type(other->root, "int", 4, DW_ATE_signed);
		struct dwarf_die *member = dwarf_member(dwarf_struct(other->root, "s", 4), "m",
							number, 0);
		struct dwarf_die *variable = dwarf_link(other->root, DW_TAG_variable, "v", number);
		/* A void pointer, if one begins to read there. */
		struct dwarf_die *plain = dwarf_die_new(other->root, DW_TAG_pointer_type);
		struct dwarf_die *block = dwarf_die_new(other->root, DW_TAG_variable);
		struct dwarf_die *targets[] = {
			other->root, member, variable, number, number, block
		};
		struct dwarf_attribute *location = dwarf_block(block, DW_AT_location,
							       DW_FORM_exprloc, "\0\0\0\0", 4);
		struct dwarf_attribute *type;
		uint32_t value;

		unit = dwarf_unit_new(build, 4);
		type = dwarf_refer(dwarf_die_new(unit->root, DW_TAG_pointer_type), DW_AT_type,
				   DW_FORM_ref_addr, targets[i]);
		dwarf_lay_out(build);
		value = targets[i]->offset + (i < 3 ? 0 : i - 2);
		if (i == 5) {
			value = location->offset + 1;
			memset(build->sections[DWARF_INFO].data + value, (int)plain->code, 4);
		}
		dwarf_store(build->sections[DWARF_INFO].data + unit->offset + type->offset, value,
			    4, false);
		refused_at(build, "unit at 0x0", NULL, NULL);
	}
}

/* A type unit's type has to be one, and there has to be one. */
static void type_units_are_checked(void **state)
{
	struct dwarf_build *build = fresh();
	struct dwarf_unit *unit = dwarf_unit_new(build, 4), *type_unit = dwarf_unit_new(build, 4);
	struct dwarf_die *die = dwarf_die_new(unit->root, DW_TAG_structure_type);
	struct dwarf_die *member = dwarf_member(dwarf_struct(type_unit->root, "s", 4), "m", NULL,
						0);

	(void)state;
	dwarf_unit_is_type(type_unit, 7, member);
	dwarf_refer(die, DW_AT_signature, DW_FORM_ref_sig8, member);
	refused_at(build, "type", NULL, NULL);

	build = fresh();
	unit = dwarf_unit_new(build, 5);
	type_unit = dwarf_unit_new(build, 5);
	dwarf_unit_is_type(type_unit, 7, NULL);
	dwarf_number(dwarf_die_new(unit->root, DW_TAG_structure_type), DW_AT_signature,
		     DW_FORM_ref_sig8, 7);
	refused_at(build, "a type unit that is not there", unit, unit->root->first_child);

	build = fresh();
	unit = dwarf_unit_new(build, 5);
	dwarf_unit_is_type(unit, 7, dwarf_struct(unit->root, "s", 4));
	dwarf_lay_out(build);
	memset(build->sections[DWARF_INFO].data + 20, 0xff, 4);
	bad_header(unit, "the type unit's type is not in it");
}

/* Which of two type units is meant shows only if they differ; then it is always the same one. */
static void two_type_units_of_one_signature(void **state)
{
	struct dwarf_build *build = fresh();
	struct dwarf_unit *unit = dwarf_unit_new(build, 5);
	struct dwarf_die *die = dwarf_die_new(unit->root, DW_TAG_structure_type);
	struct bc_graph graph;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct dwarf_unit *type_unit = dwarf_unit_new(build, 5);

		dwarf_unit_is_type(type_unit, 7, dwarf_struct(type_unit->root, "s", 4));
	}
	dwarf_number(die, DW_AT_signature, DW_FORM_ref_sig8, 7);
	dwarf_link(unit->root, DW_TAG_pointer_type, NULL, die);
	graph = taken(build);
	assert_int_equal(graph.type_count, 2);
	assert_int_equal(count_kind(&graph, BC_STRUCT), 1);
}

static void split_dwarf_is_refused(void **state)
{
	struct dwarf_unit *unit = fresh_middle_unit(5);

	(void)state;
	unit->type = DW_UT_skeleton;
	refused_at(unit->build, "split DWARF", unit, unit->root);
	unit = fresh_middle_unit(4);
	dwarf_text(unit->root, DW_AT_GNU_dwo_name, DW_FORM_string, "x.dwo");
	refused_at(unit->build, "split DWARF", unit, unit->root);
}

/* ---- types made of themselves ---- */

static void chains_that_come_back_are_refused(void **state)
{
	static const uint16_t tags[] = { DW_TAG_typedef,       DW_TAG_const_type,
					 DW_TAG_volatile_type, DW_TAG_restrict_type,
					 DW_TAG_atomic_type,   DW_TAG_packed_type,
					 DW_TAG_array_type };
	static const uint32_t count = sizeof(tags) / sizeof(tags[0]);

	(void)state;
	/* Of itself, of two, of many; named and, for typedefs, unnamed. */
	for (uint32_t i = 0; i < count * count + count; i++) {
		struct dwarf_unit *unit = fresh_middle_unit(4);
		struct dwarf_die *first = dwarf_die_new(unit->root, tags[i % count]);
		struct dwarf_die *second = i < count ?
						   first :
						   dwarf_die_new(unit->root, tags[i / count - 1]);

		if (i % 2)
			dwarf_name(first, "t");
		if (second != first && i % 3)
			dwarf_name(second, "u");
		dwarf_type(first, second);
		if (second != first)
			dwarf_type(second, first);
		refused_at(unit->build, "itself", unit, NULL);
	}
}

static void structs_that_hold_themselves_are_refused(void **state)
{
	struct dwarf_unit *unit = fresh_middle_unit(4);
	struct dwarf_die *outer = dwarf_struct(unit->root, "s", 8);

	(void)state;
	dwarf_member(outer, "m", outer, 0);
	refused_at(unit->build, "contains itself", NULL, NULL);
	unit = fresh_middle_unit(4);
	outer = dwarf_struct(unit->root, NULL, 8);
	dwarf_member(outer, "m", dwarf_link(unit->root, DW_TAG_array_type, NULL, outer), 0);
	refused_at(unit->build, "contains itself", NULL, NULL);
}

/* Cycles through pointers are types like others, with a tag or without. */
static void cycles_through_pointers_are_fine(void **state)
{
	struct dwarf_unit *unit = fresh_middle_unit(4);
	struct dwarf_die *self = dwarf_die_new(unit->root, DW_TAG_pointer_type);
	struct dwarf_die *alias = dwarf_die_new(unit->root, DW_TAG_typedef);
	struct dwarf_die *unnamed = dwarf_struct(unit->root, NULL, 8);
	struct dwarf_die *proto = dwarf_die_new(unit->root, DW_TAG_subroutine_type);
	struct bc_graph graph;

	(void)state;
	dwarf_type(self, self);
	dwarf_name(alias, "alias_t");
	dwarf_type(alias, dwarf_link(unit->root, DW_TAG_pointer_type, NULL, alias));
	dwarf_member(unnamed, "m", dwarf_link(unit->root, DW_TAG_pointer_type, NULL, unnamed), 0);
	dwarf_type(proto, dwarf_link(unit->root, DW_TAG_pointer_type, NULL, proto));
	graph = taken(unit->build);
	assert_int_equal(count_kind(&graph, BC_PTR), 4);
	assert_int_equal(count_kind(&graph, BC_TYPEDEF), 1);
	assert_int_equal(count_kind(&graph, BC_STRUCT), 1);
	assert_int_equal(count_kind(&graph, BC_FUNC_PROTO), 1);
}

/* ---- several units ---- */

/* Ten units, of which those in BAD are: the first of them is named. */
static void check_lowest(uint32_t bad)
{
	struct dwarf_build *build = fresh();
	struct dwarf_unit *first = NULL;

	for (uint32_t i = 0; i < 10; i++) {
		struct dwarf_unit *unit = dwarf_unit_new(build, 4);
		struct dwarf_die *number = dwarf_base_type(unit->root, "int", 4, DW_ATE_signed);
		struct dwarf_die *loop;

		dwarf_member(dwarf_struct(unit->root, "s", 4), "m", number, 0);
		if (!(bad >> i & 1))
			continue;
		first = first ? first : unit;
		if (i % 3 == 0) {
			dwarf_number(dwarf_die_new(unit->root, DW_TAG_pointer_type), DW_AT_type,
				     DW_FORM_ref4, i / 3);
		} else if (i % 3 == 1) {
			loop = dwarf_die_new(unit->root, DW_TAG_const_type);
			dwarf_type(loop, loop);
		} else {
			dwarf_number(dwarf_die_new(unit->root, DW_TAG_typedef), DW_AT_name,
				     DW_FORM_strp, 0x7fffff00 + i);
		}
	}
	refused_at(build, "", first, NULL);
}

static void the_lowest_bad_unit_is_named(void **state)
{
	(void)state;
	for (uint32_t bad = 1; bad < 1024; bad = bad * 3 + 1)
		check_lowest(bad);
	check_lowest(0x3ff);
	check_lowest(0x200);
}

/* Whoever is first to refer to a unit that cannot be read, it is the same trouble for all. */
static void a_bad_unit_that_others_refer_to_is_named(void **state)
{
	struct dwarf_build *build = fresh();
	struct dwarf_unit *units[6], *bad;
	struct dwarf_die *target;

	(void)state;
	for (uint32_t i = 0; i < 6; i++)
		units[i] = dwarf_unit_new(build, 5);
	bad = dwarf_unit_new(build, 5);
	target = dwarf_struct(bad->root, "s", 4);
	bad->type = DW_UT_skeleton;
	for (uint32_t i = 0; i < 6; i++)
		dwarf_refer(dwarf_die_new(units[i]->root, DW_TAG_pointer_type), DW_AT_type,
			    DW_FORM_ref_addr, target);
	dwarf_lay_out(build);
	refused_at(build, "in the unit at 0x", units[0], bad->root);
	refused_at(build, "split DWARF", units[0], bad->root);
}

/* Two files: the error is that of the first, in the order given. */
static void the_first_bad_file_is_named(void **state)
{
	struct bc_arena arena = { 0 };
	char paths[3][DWARF_PATH_BYTES];
	const char *list[3];
	int files[3];

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		struct dwarf_unit *unit = fresh_unit(4);
		struct dwarf_die *die = dwarf_die_new(unit->root, DW_TAG_pointer_type);
		struct dwarf_bytes elf;

		if (i)
			dwarf_number(die, DW_AT_type, DW_FORM_ref4, 4 + i);
		elf = dwarf_elf(unit->build);
		files[i] = dwarf_memory_file(elf.data, elf.size_bytes, paths[i]);
		list[i] = paths[i];
	}
	for (uint32_t round = 0; round < 8; round++) {
		struct outcome outcome = encode_paths(&arena, list, 3, 1 + round % 3, round);

		assert_false(outcome.done);
		assert_int_equal(strncmp(outcome.err.text, paths[1], strlen(paths[1])), 0);
		assert_int_equal(outcome.err.text[strlen(paths[1])], ':');
	}
	for (uint32_t i = 0; i < 3; i++)
		close(files[i]);
	bc_arena_free(&arena);
}

/* ---- odd, but right ---- */

static struct dwarf_die *old_bitfield(struct dwarf_die *parent, const struct dwarf_die *type,
				      uint64_t location, uint64_t width, uint64_t from_high)
{
	struct dwarf_die *die = dwarf_link(parent, DW_TAG_member, "bits", type);

	dwarf_number(die, DW_AT_data_member_location, DW_FORM_udata, location);
	dwarf_number(die, DW_AT_bit_size, DW_FORM_udata, width);
	dwarf_number(die, DW_AT_bit_offset, DW_FORM_sdata, from_high);
	return die;
}

/* Of the old sort, whose storage only the type tells. */
static void old_bitfields_find_their_place(void **state)
{
	struct dwarf_unit *unit = fresh_unit(3);
	struct dwarf_die *alias = dwarf_die_new(unit->root, DW_TAG_typedef);
	struct dwarf_die *parent = dwarf_struct(unit->root, "s", 64);
	struct bc_graph graph;

	(void)state;
	dwarf_name(alias, "int_t");
	dwarf_type(alias, dwarf_base_type(unit->root, "int", 4, DW_ATE_signed));
	old_bitfield(parent, alias, 4, 3, 20);
	/* Too wide to be one: left out, and the next one keeps its place. */
	old_bitfield(parent, alias, 8, 300, 0);
	old_bitfield(parent, alias, 8, 32, 0);
	/* No size of a type brings these back into the struct. */
	old_bitfield(parent, alias, UINT64_MAX / 8, 1, 0);
	old_bitfield(parent, alias, 0, 1, INT64_MAX);
	old_bitfield(parent, alias, 0, 1, (uint64_t)INT64_MIN);
	graph = taken(unit->build);
	assert_int_equal(bc_info_vlen(find_type(&graph, BC_STRUCT, "s")[1]), 2);
	check_member(&graph, "s", 0, 4 * 8 + 32 - 20 - 3, 3);
	check_member(&graph, "s", 1, 64, 32);
}

static void old_bitfields_without_storage_are_refused(void **state)
{
	struct dwarf_unit *unit = fresh_unit(3);
	struct dwarf_die *number = dwarf_base_type(unit->root, "int", 4, DW_ATE_signed);
	struct dwarf_die *parent = dwarf_struct(unit->root, "s", 8);

	(void)state;
	old_bitfield(parent, number, 0, 1, 100);
	refused(parent, "a bitfield that is in no storage");
}

static void structs_in_any_order_are_sorted(void **state)
{
	struct dwarf_unit *unit = fresh_unit(4);
	struct dwarf_die *number, *parent;
	struct bc_graph graph;

	(void)state;
	dwarf_number(unit->root, DW_AT_language, DW_FORM_data2, DW_LANG_Rust);
	number = dwarf_base_type(unit->root, "u8", 1, DW_ATE_unsigned);
	parent = dwarf_struct(unit->root, "s", 100);
	for (uint32_t i = 0; i < 100; i++)
		dwarf_member(parent, i % 2 ? "odd" : "even", number, (i * 37) % 100 / 2 * 2);
	graph = taken(unit->build);
	for (uint32_t i = 0; i < 100; i++) {
		const uint32_t *member = bc_element(find_type(&graph, BC_STRUCT, "s"), i);

		check_member(&graph, "s", i, i / 2 * 16, 0);
		/* The first of an offset comes first: one of each pair has an even index. */
		assert_true(*bc_string(&graph, member[0]) == 'o' ||
			    *bc_string(&graph, member[0]) == 'e');
	}
}

/* ---- large and deep ---- */

#define DEEP 100000u

static void blocks_may_nest_deeply(void **state)
{
	struct dwarf_unit *unit = fresh_unit(4);
	struct dwarf_die *die = unit->root;
	struct bc_graph graph;

	(void)state;
	for (uint32_t i = 0; i < DEEP; i++)
		die = dwarf_die_new(die, DW_TAG_lexical_block);
	dwarf_base_type(die, "int", 4, DW_ATE_signed);
	graph = taken(unit->build);
	assert_int_equal(graph.type_count, 1);
}

/* Each refers to the one behind it, or before it; at the end is a struct of which two units disagree. */
static void chains_may_be_long(void **state)
{
	static const uint16_t tags[] = { DW_TAG_pointer_type, DW_TAG_const_type, DW_TAG_typedef,
					 DW_TAG_atomic_type };

	(void)state;
	for (uint32_t k = 0; k < 8; k++) {
		struct dwarf_build *build = fresh();
		struct bc_graph graph;

		for (uint32_t i = 0; i < 2; i++) {
			struct dwarf_unit *unit = dwarf_unit_new(build, 4);
			struct dwarf_die *end = dwarf_struct(unit->root, "s", 4 + i);
			struct dwarf_die *last = dwarf_die_new(unit->root, tags[k / 2]);

			for (uint32_t n = 1; n < DEEP / 2; n++) {
				struct dwarf_die *die = dwarf_die_new(unit->root, tags[k / 2]);

				dwarf_type(k % 2 ? last : die, k % 2 ? die : last);
				last = k % 2 ? die : last;
				if (!(k % 2)) {
					if (n == 1)
						dwarf_type(last, end);
					last = die;
				}
			}
			if (k % 2)
				dwarf_type(last, end);
		}
		graph = taken(build);
		/* Atomics and typedefs without a name are what they lead to. */
		assert_int_equal(graph.type_count, k < 4 ? DEEP + 2 : 2);
	}
}

static void structs_may_nest_deeply(void **state)
{
	struct dwarf_unit *unit = fresh_unit(4);
	struct dwarf_die *number = dwarf_base_type(unit->root, "int", 4, DW_ATE_signed);
	struct dwarf_die *outer = dwarf_struct(unit->root, NULL, 4), *die = outer;
	struct bc_graph graph;

	(void)state;
	for (uint32_t i = 1; i < DEEP / 2; i++) {
		struct dwarf_die *inner = dwarf_struct(die, NULL, 4);

		dwarf_member(die, NULL, inner, 0);
		die = inner;
	}
	dwarf_member(die, "m", number, 0);
	graph = taken(unit->build);
	assert_int_equal(graph.type_count, DEEP / 2 + 1);
}

static void variants_may_nest_deeply(void **state)
{
	struct dwarf_unit *unit = fresh_unit(4);
	struct dwarf_die *number = dwarf_base_type(unit->root, "int", 4, DW_ATE_signed);
	struct dwarf_die *die = dwarf_struct(unit->root, "s", DEEP);
	struct bc_graph graph;

	(void)state;
	for (uint32_t i = 0; i < DEEP / 4; i++) {
		die = dwarf_die_new(die, i % 2 ? DW_TAG_variant : DW_TAG_variant_part);
		dwarf_member(die, "m", number, DEEP - 4 - 4 * i);
	}
	graph = taken(unit->build);
	assert_int_equal(bc_info_vlen(find_type(&graph, BC_STRUCT, "s")[1]), DEEP / 4);
	check_member(&graph, "s", 0, 0, 0);
}

static void types_may_have_many_elements(void **state)
{
	struct dwarf_unit *unit = fresh_unit(4);
	struct dwarf_die *number = dwarf_base_type(unit->root, "int", 4, DW_ATE_signed);
	struct dwarf_die *parent, *proto, *array, *pointer;
	struct bc_graph graph;

	(void)state;
	dwarf_number(unit->root, DW_AT_language, DW_FORM_data2, DW_LANG_Rust);
	parent = dwarf_struct(unit->root, "s", 4 * DEEP);
	proto = dwarf_die_new(unit->root, DW_TAG_subroutine_type);
	array = dwarf_link(unit->root, DW_TAG_array_type, NULL, number);
	pointer = dwarf_link(unit->root, DW_TAG_pointer_type, NULL, number);
	for (uint32_t i = 0; i < DEEP; i++) {
		struct dwarf_die *annotation = dwarf_die_new(pointer, 0x6000);

		dwarf_member(parent, "m", number, 4 * (DEEP - 1 - i));
		dwarf_link(proto, DW_TAG_formal_parameter, NULL, number);
		dwarf_number(dwarf_die_new(array, DW_TAG_subrange_type), DW_AT_count, DW_FORM_udata,
			     i % 5000 ? 1 : 2);
		dwarf_name(annotation, "btf_type_tag");
		dwarf_text(annotation, DW_AT_const_value, DW_FORM_strp, i % 2 ? "even" : "odd");
	}
	graph = taken(unit->build);
	assert_int_equal(bc_info_vlen(find_type(&graph, BC_STRUCT, "s")[1]), DEEP);
	check_member(&graph, "s", DEEP - 1, 32 * (DEEP - 1), 0);
	assert_int_equal(count_kind(&graph, BC_TYPE_TAG), DEEP);
	assert_int_equal(bc_element_count(find_type(&graph, BC_FUNC_PROTO, "")[1]), DEEP);
	assert_int_equal(find_type(&graph, BC_ARRAY, "")[5], 1u << DEEP / 5000);
}

/* Many bitfields of the old sort, all of a type at the end of a chain that is too long. */
static void chains_to_storage_are_not_followed_forever(void **state)
{
	struct dwarf_unit *unit = fresh_unit(3);
	struct dwarf_die *type = dwarf_base_type(unit->root, "int", 4, DW_ATE_signed);
	struct dwarf_die *parent = dwarf_struct(unit->root, "s", DEEP);

	(void)state;
	for (uint32_t i = 0; i < DEEP / 2; i++)
		type = dwarf_link(unit->root, DW_TAG_const_type, NULL, type);
	for (uint32_t i = 0; i < DEEP / 2; i++)
		old_bitfield(parent, type, i / 4 * 4, 8, i % 4 * 8);
	refused(parent, "a bitfield that is in no storage");
}

/* Every tag has two bodies, every unit a few, and all are mentioned by one more unit. */
static void many_tags_may_be_disputed(void **state)
{
	struct dwarf_build *build = fresh();
	struct dwarf_unit *last = dwarf_unit_new(build, 4);
	struct bc_graph graph;

	(void)state;
	for (uint32_t i = 0; i < 6000; i++) {
		struct dwarf_unit *unit = dwarf_unit_new(build, 4);
		char name[16];

		snprintf(name, sizeof(name), "tag_%u", i / 2);
		dwarf_link(unit->root, DW_TAG_pointer_type, NULL,
			   dwarf_struct(unit->root, name, 4 + i % 2));
		/* A tag of long ago keeps what the unit mentions far apart. */
		dwarf_declaration(unit->root, DW_TAG_structure_type, "tag_0");
		dwarf_link(last->root, DW_TAG_pointer_type, NULL,
			   dwarf_declaration(last->root, DW_TAG_structure_type, name));
	}
	graph = taken(build);
	assert_int_equal(count_kind(&graph, BC_STRUCT), 6000);
	assert_int_equal(count_kind(&graph, BC_FWD), 0);
	assert_int_equal(count_kind(&graph, BC_PTR), 6000);
}

/* From unit to unit and back, types are imported one by one. */
static void chains_may_cross_units(void **state)
{
	struct dwarf_build *build = fresh();
	struct dwarf_unit *units[12];
	struct dwarf_die *type = NULL;
	struct bc_graph graph;

	(void)state;
	for (uint32_t i = 0; i < 12; i++)
		units[i] = dwarf_unit_new(build, 4);
	for (uint32_t i = 0; i < 3000; i++) {
		struct dwarf_die *die = dwarf_die_new(units[i % 12]->root, DW_TAG_pointer_type);

		if (type)
			dwarf_refer(die, DW_AT_type, DW_FORM_ref_addr, type);
		type = die;
	}
	graph = taken(build);
	assert_int_equal(graph.type_count, 3000);
}

/* A unit refers to every one of many structs that stand in each other in another unit. */
static void nested_types_may_be_imported(void **state)
{
	struct dwarf_build *build = fresh();
	struct dwarf_unit *unit = dwarf_unit_new(build, 4), *other = dwarf_unit_new(build, 4);
	struct dwarf_die *die = other->root;
	struct bc_graph graph;

	(void)state;
	for (uint32_t i = 0; i < DEEP / 4; i++) {
		char *name = malloc(16);

		snprintf(name, 16, "tag_%u", i);
		die = dwarf_struct(die, name, 4);
		free(name);
		dwarf_refer(dwarf_die_new(unit->root, DW_TAG_pointer_type), DW_AT_type,
			    DW_FORM_ref_addr, die);
	}
	graph = taken(build);
	assert_int_equal(graph.type_count, DEEP / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cut_is_refused_or_fine),
		cmocka_unit_test(every_unit_cut_short_is_refused),
		cmocka_unit_test(every_byte_may_be_damaged),
		cmocka_unit_test(every_cut_of_the_file_is_refused_or_fine),
		cmocka_unit_test(headers_without_meaning_are_refused),
		cmocka_unit_test(a_length_too_short_is_refused),
		cmocka_unit_test(abbreviations_are_checked),
		cmocka_unit_test(siblings_are_checked),
		cmocka_unit_test(lists_without_an_end_are_refused),
		cmocka_unit_test(types_behind_the_end_are_refused),
		cmocka_unit_test(zeros_behind_the_end_are_padding),
		cmocka_unit_test(numbers_of_any_length_are_read),
		cmocka_unit_test(blocks_that_are_too_long_are_refused),
		cmocka_unit_test(forms_in_the_die_are_checked),
		cmocka_unit_test(names_out_of_range_are_refused),
		cmocka_unit_test(string_offsets_out_of_range_are_refused),
		cmocka_unit_test(strings_without_an_end_are_refused),
		cmocka_unit_test(empty_names_are_none),
		cmocka_unit_test(empty_names_elsewhere_are_none),
		cmocka_unit_test(references_out_of_place_are_refused),
		cmocka_unit_test(references_to_no_type_are_refused),
		cmocka_unit_test(references_to_no_type_of_another_unit_are_refused),
		cmocka_unit_test(type_units_are_checked),
		cmocka_unit_test(two_type_units_of_one_signature),
		cmocka_unit_test(split_dwarf_is_refused),
		cmocka_unit_test(chains_that_come_back_are_refused),
		cmocka_unit_test(structs_that_hold_themselves_are_refused),
		cmocka_unit_test(cycles_through_pointers_are_fine),
		cmocka_unit_test(the_lowest_bad_unit_is_named),
		cmocka_unit_test(a_bad_unit_that_others_refer_to_is_named),
		cmocka_unit_test(the_first_bad_file_is_named),
		cmocka_unit_test(old_bitfields_find_their_place),
		cmocka_unit_test(old_bitfields_without_storage_are_refused),
		cmocka_unit_test(structs_in_any_order_are_sorted),
		cmocka_unit_test(blocks_may_nest_deeply),
		cmocka_unit_test(chains_may_be_long),
		cmocka_unit_test(structs_may_nest_deeply),
		cmocka_unit_test(variants_may_nest_deeply),
		cmocka_unit_test(types_may_have_many_elements),
		cmocka_unit_test(chains_to_storage_are_not_followed_forever),
		cmocka_unit_test(many_tags_may_be_disputed),
		cmocka_unit_test(chains_may_cross_units),
		cmocka_unit_test(nested_types_may_be_imported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * DWARF of any sort. Bits of the first byte say what follows:
 *
 *     bit 0  sections (else a whole ELF file): five lengths of 16 bits, low
 *            byte first, then .debug_abbrev, .debug_info, .debug_types,
 *            .debug_line_str, .debug_str_offsets and, the rest, .debug_str
 *     bit 1  big-endian  bit 2  32-bit  (of sections)
 *     bit 3  the file is encoded together with itself
 *     bit 4  with all features
 *
 * One thread and two, in another order, give the same bytes or the same error. What
 * comes out is valid BTF, or it is said what about it is not.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dwarf/encode.h"
#include "graph/check.h"
#include "tests/fuzz/laws.h"
#include "tests/lib/dwarf_build.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

enum {
	IS_SECTIONS = 1,
	IS_BIG_ENDIAN = 2,
	IS_32_BIT = 4,
	IS_TWICE = 8,
	HAS_ALL = 16,
};

/* Sections in the order of the input; the last one takes the rest. */
static const enum dwarf_section order[DWARF_SECTIONS] = {
	DWARF_ABBREV, DWARF_INFO, DWARF_TYPES, DWARF_LINE_STR, DWARF_STR_OFFSETS, DWARF_STR,
};

static bool cut_sections(struct dwarf_bytes *sections, const uint8_t *data, size_t size_bytes)
{
	const uint8_t *lengths = data;
	size_t left = size_bytes;

	if (left < 2 * (DWARF_SECTIONS - 1))
		return false;
	data += 2 * (DWARF_SECTIONS - 1);
	left -= 2 * (DWARF_SECTIONS - 1);
	for (int i = 0; i < DWARF_SECTIONS; i++, lengths += 2) {
		size_t length = i < DWARF_SECTIONS - 1 ? (size_t)(lengths[0] | lengths[1] << 8) :
							 left;

		if (length > left)
			length = left;
		sections[order[i]].data = (uint8_t *)data;
		sections[order[i]].size_bytes = length;
		data += length;
		left -= length;
	}
	return true;
}

/* Strings end with a NUL, or nothing else would be looked at. */
static void end_strings(struct bc_arena *arena, struct dwarf_bytes *section)
{
	struct dwarf_bytes ended = { 0 };

	dwarf_put(arena, &ended, section->data, section->size_bytes);
	dwarf_put(arena, &ended, "", 1);
	*section = ended;
}

static struct bc_features features_for(uint8_t flags)
{
	struct bc_features features = bc_features_default();

	features.with_global_var = features.with_attributes = flags & HAS_ALL;
	return features;
}

/* The bytes; none with err set. */
static struct fuzz_bytes encode(const char *path, uint8_t flags, uint32_t threads,
				struct bc_arena *arena, struct bc_err *err)
{
	struct bc_workers workers = { .count = threads };
	const struct bc_encode_options how = { .workers = &workers,
					       .features = features_for(flags),
					       .shuffle_units = threads > 1,
					       .shuffle_seed = 1,
					       .hash_mask = ~UINT64_C(0) };
	const struct bc_canonical_options settling = { .settle_forwards = true };
	const char *paths[] = { path, path };
	struct fuzz_bytes bytes = { 0 };
	struct bc_encode_stats stats;
	struct bc_graph encoded, canonical, again;
	struct bc_err unwanted;

	if (!bc_encode(&encoded, paths, flags & IS_TWICE ? 2 : 1, &how, &stats, arena, err))
		return bytes;
	require(bc_canonical(&canonical, &encoded, &settling, arena, NULL, NULL, &unwanted),
		"what was encoded can be ordered", &unwanted);
	/* Not before: which of several faults comes first would depend on the order. */
	if (!bc_graph_check(&canonical, NULL, err))
		return bytes;
	bytes = canonical_bytes(&canonical, &settling, arena);
	require(bc_btf_read(&again, bytes.data, bytes.size_bytes, NULL, arena, NULL, &unwanted),
		"what was encoded is read again", &unwanted);
	return bytes;
}

static void check_file(const char *path, uint8_t flags)
{
	struct bc_arena arena = { 0 };
	struct bc_err one_err = { .text = "" }, two_err = { .text = "" };
	struct fuzz_bytes one = encode(path, flags, 1, &arena, &one_err);
	struct fuzz_bytes two = encode(path, flags, 2, &arena, &two_err);

	require(one.data || *one_err.text, "a refusal says why", NULL);
	/* libdw has different words for one error when it is asked again. */
	if (strcmp(one_err.text, two_err.text) && !strstr(one_err.text, "DWARF: ")) {
		fprintf(stderr, "one thread: %s\n", one_err.text);
		require(false, "threads and order show in nothing", &two_err);
	}
	require(!one.data == !two.data, "threads and order show in nothing", NULL);
	if (one.data)
		require_same(one, two, "threads and order show in nothing");
	bc_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
	struct dwarf_bytes sections[DWARF_SECTIONS] = { 0 };
	struct bc_arena arena = { 0 };
	char path[DWARF_PATH_BYTES];
	int file = -1;

	if (size_bytes && size_bytes <= FUZZ_MAX_BYTES && !(data[0] & IS_SECTIONS)) {
		file = dwarf_memory_file(data + 1, size_bytes - 1, path);
	} else if (size_bytes && size_bytes <= FUZZ_MAX_BYTES &&
		   cut_sections(sections, data + 1, size_bytes - 1)) {
		struct dwarf_bytes elf;

		end_strings(&arena, &sections[DWARF_STR]);
		end_strings(&arena, &sections[DWARF_LINE_STR]);
		elf = dwarf_wrap(&arena, sections, data[0] & IS_BIG_ENDIAN, !(data[0] & IS_32_BIT));
		file = dwarf_memory_file(elf.data, elf.size_bytes, path);
	}
	if (file >= 0) {
		check_file(path, data[0]);
		close(file);
	}
	bc_arena_free(&arena);
	return 0;
}

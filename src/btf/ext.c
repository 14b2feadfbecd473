/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "btf/ext.h"

#include <inttypes.h>
#include <string.h>

#include "btf/format.h"

/* Header words after magic, version and flags: hdr_len, then offset and length of each part. */
#define SHORT_HEADER 24u /* without CO-RE records, 32 with them */

/*
 * A part is a record size, then per ELF section: name, number of records, the
 * records. Records may be longer than known here; the known words come first.
 */
struct part {
	const char *what;
	uint32_t offset_word; /* of its offset in the header; the length follows */
	uint32_t record_words;
	uint32_t type_word; /* of a record; 0: none (word 0 is always the instruction offset) */
	uint32_t string_words[2]; /* 0: none */
};

static const struct part parts[] = {
	{ "func_info", 2, 2, 1, { 0, 0 } },
	{ "line_info", 4, 4, 0, { 1, 2 } },
	{ "core_relo", 6, 4, 1, { 2, 0 } },
};

struct ext_reader {
	const uint8_t *data;
	size_t size_bytes;
	const struct bc_graph *graph;
	bool swapped;
	uint32_t *offsets; /* NULL: only count */
	uint32_t offset_count;
	uint8_t *rewritten; /* copy of DATA to be changed; NULL: only read */
	const uint32_t *new_id;
	const uint32_t *new_strings;
	struct bc_err *err;
};

static uint32_t load_word(const struct ext_reader *reader, uint64_t at)
{
	uint32_t word;

	memcpy(&word, reader->data + at, sizeof(word));
	return reader->swapped ? __builtin_bswap32(word) : word;
}

static void store_word(const struct ext_reader *reader, uint64_t at, uint32_t word)
{
	word = reader->swapped ? __builtin_bswap32(word) : word;
	memcpy(reader->rewritten + at, &word, sizeof(word));
}

static bool take_string(struct ext_reader *reader, const char *what, uint64_t at)
{
	uint32_t offset = load_word(reader, at);

	if (offset >= bc_string_end(reader->graph))
		return bc_err_set(reader->err, "%s (byte %" PRIu64 "): string offset %u of %u",
				  what, at, offset, bc_string_end(reader->graph));
	if (reader->offsets)
		reader->offsets[reader->offset_count] = offset;
	if (reader->rewritten)
		store_word(reader, at, reader->new_strings[reader->offset_count]);
	reader->offset_count++;
	return true;
}

static bool take_type(struct ext_reader *reader, const char *what, uint64_t at)
{
	const struct bc_graph *graph = reader->graph;
	uint32_t id = load_word(reader, at);

	if (id >= bc_id_end(graph))
		return bc_err_set(reader->err, "%s (byte %" PRIu64 "): type %u of %u", what, at, id,
				  bc_id_end(graph) - 1);
	if (reader->rewritten && id >= graph->first_id)
		store_word(reader, at, reader->new_id[id - graph->first_id]);
	return true;
}

static bool read_record(struct ext_reader *reader, const struct part *part, uint64_t at)
{
	if (part->type_word && !take_type(reader, part->what, at + part->type_word * 4))
		return false;
	for (size_t i = 0; i < 2; i++)
		if (part->string_words[i] &&
		    !take_string(reader, part->what, at + part->string_words[i] * 4))
			return false;
	return true;
}

/* Where a part is, in bytes of the section. */
struct extent {
	uint64_t begin, end;
};

static struct extent extent_of(const struct ext_reader *reader, const struct part *part,
			       uint32_t header_bytes)
{
	uint64_t begin = (uint64_t)header_bytes + load_word(reader, part->offset_word * 4);

	return (struct extent){ begin, begin + load_word(reader, part->offset_word * 4 + 4) };
}

static bool read_part(struct ext_reader *reader, const struct part *part, uint32_t header_bytes)
{
	struct extent extent = extent_of(reader, part, header_bytes);
	uint64_t at = extent.begin, end = extent.end;
	uint32_t record_bytes;

	if (at == end)
		return true;
	if (end > reader->size_bytes || at % 4 || end - at < 4)
		return bc_err_set(reader->err,
				  "%s: bytes %" PRIu64 " to %" PRIu64 " of %zu are no place for it",
				  part->what, at, end, reader->size_bytes);
	record_bytes = load_word(reader, at);
	if (record_bytes < part->record_words * 4 || record_bytes % 4)
		return bc_err_set(reader->err, "%s: records of %u bytes", part->what, record_bytes);
	for (at += 4; at < end;) {
		uint64_t count;

		if (end - at < 8)
			return bc_err_set(reader->err, "%s is cut off (byte %" PRIu64 ")",
					  part->what, at);
		count = load_word(reader, at + 4);
		if (!count || count > (end - at - 8) / record_bytes)
			return bc_err_set(reader->err, "%s: %" PRIu64 " records at byte %" PRIu64,
					  part->what, count, at);
		if (!take_string(reader, part->what, at))
			return false;
		for (at += 8; count; count--, at += record_bytes)
			if (!read_record(reader, part, at))
				return false;
	}
	return true;
}

#define PART_COUNT (sizeof(parts) / sizeof(parts[0]))

static bool has_part(const struct part *part, uint32_t header_bytes)
{
	return header_bytes >= (part->offset_word + 2) * 4;
}

/* What is written to one part must not change another one. */
static bool check_apart(struct ext_reader *reader, uint32_t header_bytes)
{
	for (size_t i = 0; i < PART_COUNT && has_part(&parts[i], header_bytes); i++) {
		struct extent one = extent_of(reader, &parts[i], header_bytes);

		for (size_t k = 0; k < i && one.begin < one.end; k++) {
			struct extent other = extent_of(reader, &parts[k], header_bytes);

			if (other.begin < other.end && one.begin < other.end &&
			    other.begin < one.end)
				return bc_err_set(reader->err, "%s and %s lie on each other",
						  parts[k].what, parts[i].what);
		}
	}
	return true;
}

static bool read_parts(struct ext_reader *reader)
{
	uint32_t header_bytes;

	if (reader->size_bytes < SHORT_HEADER)
		return bc_err_set(reader->err, "the header is cut off");
	if (reader->data[reader->graph->big_endian] != (BC_BTF_MAGIC & 0xff) ||
	    reader->data[!reader->graph->big_endian] != BC_BTF_MAGIC >> 8)
		return bc_err_set(reader->err, "it does not begin with the magic in the byte order "
					       "of .BTF");
	if (reader->data[2] != BC_BTF_VERSION || reader->data[3])
		return bc_err_set(reader->err, "version %u, flags 0x%02x", reader->data[2],
				  reader->data[3]);
	header_bytes = load_word(reader, 4);
	if (header_bytes < SHORT_HEADER || header_bytes % 4 || header_bytes > reader->size_bytes)
		return bc_err_set(reader->err, "the header says it is %u bytes long", header_bytes);
	if (!check_apart(reader, header_bytes))
		return false;
	for (size_t i = 0; i < PART_COUNT && has_part(&parts[i], header_bytes); i++)
		if (!read_part(reader, &parts[i], header_bytes))
			return false;
	return true;
}

bool bc_btf_ext_read(struct bc_kept_strings *strings, const uint8_t *data, size_t size_bytes,
		     const struct bc_graph *graph, struct bc_arena *arena, struct bc_err *err)
{
	struct ext_reader reader = {
		.data = data,
		.size_bytes = size_bytes,
		.graph = graph,
		.swapped = graph->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
		.err = err,
	};
	uint32_t count;

	if (!read_parts(&reader))
		return false;
	count = reader.offset_count;
	reader.offsets = bc_arena_alloc(arena, count, sizeof(*reader.offsets), err);
	reader.offset_count = 0;
	if (!reader.offsets || !read_parts(&reader))
		return false;
	strings->offsets = reader.offsets;
	strings->count = count;
	return true;
}

void bc_btf_ext_rewrite(uint8_t *to, const uint8_t *data, size_t size_bytes,
			const struct bc_graph *graph, const uint32_t *new_id,
			const uint32_t *new_strings)
{
	struct bc_err unused;
	struct ext_reader reader = {
		.data = data,
		.size_bytes = size_bytes,
		.graph = graph,
		.swapped = graph->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
		.rewritten = to,
		.new_id = new_id,
		.new_strings = new_strings,
		.err = &unused,
	};

	read_parts(&reader);
}

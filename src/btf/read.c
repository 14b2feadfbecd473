/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * BTF bytes → graph. The header and the extent of every node are checked
 * here; what nodes say is checked by graph/check.c.
 */
#include "btf/read.h"

#include <inttypes.h>
#include <string.h>

#include "btf/format.h"
#include "graph/check.h"

struct section {
	uint64_t begin; /* bytes from the start of the data */
	uint64_t end;
};

struct reader {
	const uint8_t *data;
	size_t size_bytes;
	struct bc_graph graph;
	struct section types, strings, layout;
	uint32_t header_bytes;
	bool swapped; /* the file's byte order is not the host's */
	struct bc_arena *arena;
	struct bc_notes *notes;
	struct bc_err *err;
};

static uint32_t load_word(const struct reader *reader, uint64_t offset)
{
	uint32_t word;

	memcpy(&word, reader->data + offset, sizeof(word));
	return reader->swapped ? __builtin_bswap32(word) : word;
}

static bool host_is_big_endian(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

static bool read_magic(struct reader *reader)
{
	uint16_t magic;

	if (reader->size_bytes < 2)
		return bc_err_set(reader->err, "not BTF: only %zu bytes", reader->size_bytes);
	magic = (uint16_t)(reader->data[0] | reader->data[1] << 8);
	if (magic == BC_BTF_MAGIC)
		reader->graph.big_endian = false;
	else if (__builtin_bswap16(magic) == BC_BTF_MAGIC)
		reader->graph.big_endian = true;
	else
		return bc_err_set(reader->err,
				  "not BTF: it begins with %02x %02x, not with the magic",
				  reader->data[0], reader->data[1]);
	reader->swapped = reader->graph.big_endian != host_is_big_endian();
	return true;
}

static bool read_section(struct reader *reader, struct section *section, const char *what,
			 enum bc_btf_header_word offset_word)
{
	uint64_t begin = (uint64_t)reader->header_bytes + load_word(reader, offset_word * 4);
	uint64_t end = begin + load_word(reader, (offset_word + 1) * 4);

	if (end > reader->size_bytes)
		return bc_err_set(reader->err,
				  "the %s section (bytes %" PRIu64 " to %" PRIu64
				  ") goes beyond the end of the data (%zu bytes)",
				  what, begin, end, reader->size_bytes);
	section->begin = begin;
	section->end = end;
	return true;
}

static bool read_header(struct reader *reader)
{
	uint32_t i;

	if (!read_magic(reader))
		return false;
	if (reader->size_bytes < BC_BTF_SHORT_HEADER)
		return bc_err_set(reader->err, "the header is cut off (%zu bytes of %u)",
				  reader->size_bytes, BC_BTF_SHORT_HEADER);
	if (reader->data[2] != BC_BTF_VERSION)
		return bc_err_set(reader->err, "BTF version %u, not %u", reader->data[2],
				  BC_BTF_VERSION);
	if (reader->data[3])
		return bc_err_set(reader->err, "the header's flags are 0x%02x, not 0",
				  reader->data[3]);
	reader->header_bytes = load_word(reader, BC_BTF_HEADER_BYTES * 4);
	if (reader->header_bytes < BC_BTF_SHORT_HEADER || reader->header_bytes % 4 ||
	    reader->header_bytes > reader->size_bytes)
		return bc_err_set(reader->err,
				  "the header says it is %u bytes long (of %zu; a multiple of 4 "
				  "from %u on is expected)",
				  reader->header_bytes, reader->size_bytes, BC_BTF_SHORT_HEADER);
	i = reader->header_bytes >= BC_BTF_LONG_HEADER ? BC_BTF_LONG_HEADER : BC_BTF_SHORT_HEADER;
	for (; i < reader->header_bytes; i++)
		if (reader->data[i])
			return bc_err_set(
				reader->err,
				"the header has a field not known here (byte %u is not 0)", i);
	return true;
}

/* Every byte belongs to one section, or is padding and zero. */
static bool check_coverage(struct reader *reader)
{
	struct section sorted[3] = { reader->types, reader->strings, reader->layout };
	uint64_t covered = reader->header_bytes;
	size_t i, j;

	for (i = 1; i < 3; i++) {
		for (j = i; j > 0 && (sorted[j].begin < sorted[j - 1].begin ||
				      (sorted[j].begin == sorted[j - 1].begin &&
				       sorted[j].end < sorted[j - 1].end));
		     j--) {
			struct section other = sorted[j];

			sorted[j] = sorted[j - 1];
			sorted[j - 1] = other;
		}
	}
	for (i = 0; i <= 3; i++) {
		uint64_t begin = i < 3 ? sorted[i].begin : reader->size_bytes;

		if (i < 3 && sorted[i].begin == sorted[i].end)
			continue; /* an empty section may stand anywhere */
		if (begin < covered)
			return bc_err_set(reader->err,
					  "two sections share the bytes from %" PRIu64 " on",
					  begin);
		for (; covered < begin; covered++)
			if (reader->data[covered])
				return bc_err_set(reader->err,
						  "byte %" PRIu64 " is in no section and not 0",
						  covered);
		if (i < 3)
			covered = sorted[i].end;
	}
	return true;
}

static bool read_sections(struct reader *reader)
{
	if (!read_section(reader, &reader->types, "type", BC_BTF_TYPE_OFFSET) ||
	    !read_section(reader, &reader->strings, "string", BC_BTF_STRING_OFFSET))
		return false;
	if (reader->types.begin % 4 || (reader->types.end - reader->types.begin) % 4)
		return bc_err_set(reader->err,
				  "the type section (bytes %" PRIu64 " to %" PRIu64
				  ") is not made of 4-byte words",
				  reader->types.begin, reader->types.end);
	if (reader->header_bytes < BC_BTF_LONG_HEADER)
		return check_coverage(reader);
	if (!read_section(reader, &reader->layout, "layout", BC_BTF_LAYOUT_OFFSET))
		return false;
	if ((reader->layout.end - reader->layout.begin) % BC_BTF_LAYOUT_ENTRY)
		return bc_err_set(reader->err,
				  "the layout section's length, %" PRIu64 ", is no multiple of %u",
				  reader->layout.end - reader->layout.begin, BC_BTF_LAYOUT_ENTRY);
	return check_coverage(reader);
}

static bool read_strings(struct reader *reader)
{
	struct bc_graph *graph = &reader->graph;
	const char *strings = (const char *)reader->data + reader->strings.begin;
	uint64_t bytes = reader->strings.end - reader->strings.begin;
	const char *end = strings + bytes;

	graph->string_base = graph->base ? bc_string_end(graph->base) : 0;
	if (!graph->base && !bytes)
		return bc_err_set(reader->err, "the string section is empty");
	if (!graph->base && strings[0])
		return bc_err_set(reader->err,
				  "the string section does not begin with the empty string "
				  "(split BTF is read with --base)");
	if (bytes && end[-1])
		return bc_err_set(reader->err, "the string section does not end with a NUL");
	if (graph->string_base + bytes > UINT32_MAX)
		return bc_err_set(reader->err, "strings go beyond 4 GiB with those of the base");
	graph->strings = strings;
	graph->string_bytes = (uint32_t)bytes;
	/* From the last end within reach to the next: most are short. */
	for (const char *string = strings, *nul; string < end; string = nul + 1) {
		size_t left = (size_t)(end - string), reach = BC_KERNEL_MAX_NAME + 1;

		nul = memrchr(string, 0, left < reach ? left : reach);
		if (nul)
			continue;
		bc_note(reader->notes, "a string longer than the kernel takes (511 bytes)",
			"string offset %" PRIu64,
			graph->string_base + (uint64_t)(string - strings));
		nul = memchr(string, 0, left);
	}
	return true;
}

static void read_layout(struct reader *reader)
{
	struct bc_graph *graph = &reader->graph;
	uint32_t kind, kinds;

	graph->layout_bytes = (uint32_t)(reader->layout.end - reader->layout.begin);
	graph->layout = graph->layout_bytes ? reader->data + reader->layout.begin : NULL;
	kinds = graph->layout_bytes / BC_BTF_LAYOUT_ENTRY;
	for (kind = 1; kind < BC_KIND_COUNT && kind < kinds; kind++) {
		const uint8_t *entry = graph->layout + kind * BC_BTF_LAYOUT_ENTRY;

		if (entry[0] != bc_kind_shapes[kind].fixed_words * 4 ||
		    entry[1] != bc_kind_shapes[kind].element_words * 4)
			bc_note(reader->notes,
				"the layout section disagrees about a known kind (the known "
				"sizes are used)",
				"%s: %u and %u bytes", bc_kind_name(kind), entry[0], entry[1]);
	}
}

/* Words of a node, or 0 when its kind has no known length. */
static uint64_t node_length(const struct reader *reader, uint32_t info)
{
	uint32_t kind = bc_info_kind(info);
	const uint8_t *entry;

	if (bc_kind_is_known(kind))
		return bc_node_words(info);
	if (kind == BC_VOID || (uint64_t)kind * BC_BTF_LAYOUT_ENTRY >= reader->graph.layout_bytes)
		return 0;
	entry = reader->graph.layout + kind * BC_BTF_LAYOUT_ENTRY;
	if (entry[0] % 4 || entry[1] % 4)
		return 0;
	return BC_HEAD_WORDS + entry[0] / 4 + (uint64_t)entry[1] / 4 * bc_info_vlen(info);
}

static bool find_words(struct reader *reader, uint64_t word_count)
{
	const uint8_t *types = reader->data + reader->types.begin;
	uint32_t *words;

	if (!reader->swapped && (uintptr_t)types % 4 == 0) {
		reader->graph.words = (const uint32_t *)(const void *)types;
		return true;
	}
	words = bc_arena_alloc(reader->arena, word_count, sizeof(*words), reader->err);
	if (!words)
		return false;
	memcpy(words, types, word_count * sizeof(*words));
	if (reader->swapped)
		for (uint64_t i = 0; i < word_count; i++)
			words[i] = __builtin_bswap32(words[i]);
	reader->graph.words = words;
	return true;
}

static bool read_types(struct reader *reader)
{
	struct bc_graph *graph = &reader->graph;
	uint64_t word_count = (reader->types.end - reader->types.begin) / 4;
	uint64_t at = 0;
	uint32_t *start;

	graph->first_id = graph->base ? bc_id_end(graph->base) : 1;
	start = bc_arena_alloc(reader->arena, word_count / BC_HEAD_WORDS + 1, sizeof(*start),
			       reader->err);
	if (!start || !find_words(reader, word_count))
		return false;
	while (at < word_count) {
		uint32_t id = graph->first_id + graph->type_count;
		uint64_t offset = reader->types.begin + at * 4;
		uint64_t length;

		if (word_count - at < BC_HEAD_WORDS)
			return bc_err_set(reader->err, "type %u (byte %" PRIu64 ") is cut off", id,
					  offset);
		length = node_length(reader, graph->words[at + 1]);
		if (!length)
			return bc_err_set(reader->err,
					  "type %u (byte %" PRIu64
					  ") is of kind %u, which is not known%s",
					  id, offset, bc_info_kind(graph->words[at + 1]),
					  graph->layout ? ", nor is its length" : "");
		if (length > word_count - at)
			return bc_err_set(reader->err,
					  "type %u (byte %" PRIu64
					  "): %s of vlen %u goes beyond the "
					  "type section",
					  id, offset,
					  bc_kind_name(bc_info_kind(graph->words[at + 1])),
					  bc_info_vlen(graph->words[at + 1]));
		if (!bc_kind_is_known(bc_info_kind(graph->words[at + 1])))
			graph->has_unknown_kind = true;
		start[graph->type_count++] = (uint32_t)at;
		at += length;
	}
	start[graph->type_count] = (uint32_t)at;
	graph->start = start;
	if (bc_id_end(graph) - 1 > BC_KERNEL_MAX_TYPES)
		bc_note(reader->notes, "more types than kernels take (1,048,575)", "%u types",
			bc_id_end(graph) - 1);
	return true;
}

bool bc_btf_read(struct bc_graph *graph, const uint8_t *data, size_t size_bytes,
		 const struct bc_graph *base, struct bc_arena *arena, struct bc_notes *notes,
		 struct bc_err *err)
{
	struct reader reader = {
		.data = data,
		.size_bytes = size_bytes,
		.graph = { .base = base },
		.arena = arena,
		.notes = notes,
		.err = err,
	};

	if (!read_header(&reader))
		return false;
	if (base && base->big_endian != reader.graph.big_endian)
		return bc_err_set(err, "its byte order is not that of its base");
	if (!read_sections(&reader) || !read_strings(&reader))
		return false;
	read_layout(&reader);
	if (!read_types(&reader) || !bc_graph_check(&reader.graph, notes, err))
		return false;
	reader.graph.pointer_bytes = base ? base->pointer_bytes : 0;
	*graph = reader.graph;
	return true;
}

bool bc_btf_probe_bytes(const uint8_t *data, size_t size_bytes, size_t *total_bytes)
{
	struct bc_arena arena = { 0 };
	struct bc_graph graph;
	struct bc_err err;
	struct reader reader = { .data = data, .size_bytes = size_bytes, .err = &err };
	uint64_t end;
	bool valid;

	if (!read_magic(&reader) || !read_header(&reader) ||
	    !read_section(&reader, &reader.types, "type", BC_BTF_TYPE_OFFSET) ||
	    !read_section(&reader, &reader.strings, "string", BC_BTF_STRING_OFFSET))
		return false;
	if (reader.header_bytes >= BC_BTF_LONG_HEADER &&
	    !read_section(&reader, &reader.layout, "layout", BC_BTF_LAYOUT_OFFSET))
		return false;
	end = reader.header_bytes;
	end = reader.types.end > end ? reader.types.end : end;
	end = reader.strings.end > end ? reader.strings.end : end;
	end = reader.layout.end > end ? reader.layout.end : end;
	valid = bc_btf_read(&graph, data, (size_t)end, NULL, &arena, NULL, &err);
	bc_arena_free(&arena);
	if (valid)
		*total_bytes = (size_t)end;
	return valid;
}

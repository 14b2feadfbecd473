/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "btf/relies.h"

#include <string.h>

#include "btf/ext.h"

/* Words of the header: its length, then offset and length of each part. */
#define HEADER_BYTES_WORD 1
#define FUNC_INFO_WORD 2
#define CORE_RELO_WORD 6

struct reader {
	const uint8_t *data;
	const struct bc_graph *graph;
	bool swapped;
	struct bc_relies *relies; /* arrays NULL: only count */
};

static uint32_t load_word(const struct reader *reader, uint64_t at)
{
	uint32_t word;

	memcpy(&word, reader->data + at, sizeof(word));
	return reader->swapped ? __builtin_bswap32(word) : word;
}

static void take_relocation(struct reader *reader, const char *section, uint64_t at)
{
	struct bc_relies *relies = reader->relies;

	if (relies->relocations)
		relies->relocations[relies->relocation_count] = (struct bc_relocation){
			.kind = load_word(reader, at + 12),
			.type_id = load_word(reader, at + 4),
			.access = bc_string(reader->graph, load_word(reader, at + 8)),
			.section = section,
			.instruction_offset = load_word(reader, at),
		};
	relies->relocation_count++;
}

static void take_program(struct reader *reader, const char *section, uint64_t at)
{
	struct bc_relies *relies = reader->relies;

	if (relies->programs)
		relies->programs[relies->program_count] = (struct bc_program){
			.section = section,
			.type_id = load_word(reader, at + 4),
		};
	relies->program_count++;
}

/* A part that was checked: record size, then per section name, count, records. */
static void walk_part(struct reader *reader, uint32_t offset_word,
		      void (*take)(struct reader *reader, const char *section, uint64_t at))
{
	uint32_t header_bytes = load_word(reader, HEADER_BYTES_WORD * 4);
	uint64_t at, end;
	uint32_t record_bytes;

	if (header_bytes < (offset_word + 2) * 4)
		return;
	at = (uint64_t)header_bytes + load_word(reader, offset_word * 4);
	end = at + load_word(reader, offset_word * 4 + 4);
	if (at == end)
		return;
	record_bytes = load_word(reader, at);
	for (at += 4; at < end;) {
		const char *section = bc_string(reader->graph, load_word(reader, at));
		uint32_t count = load_word(reader, at + 4);

		for (at += 8; count; count--, at += record_bytes)
			take(reader, section, at);
	}
}

static void walk(struct reader *reader)
{
	reader->relies->relocation_count = reader->relies->program_count = 0;
	walk_part(reader, CORE_RELO_WORD, take_relocation);
	walk_part(reader, FUNC_INFO_WORD, take_program);
}

bool bc_relies_read(struct bc_relies *relies, const uint8_t *data, size_t size_bytes,
		    const struct bc_graph *graph, struct bc_arena *arena, struct bc_err *err)
{
	struct reader reader = {
		.data = data,
		.graph = graph,
		.swapped = graph->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
		.relies = relies,
	};
	struct bc_kept_strings strings;

	*relies = (struct bc_relies){ .graph = graph };
	if (!bc_btf_ext_read(&strings, data, size_bytes, graph, arena, err))
		return false;
	walk(&reader);
	relies->relocations = bc_arena_alloc(arena, relies->relocation_count,
					     sizeof(*relies->relocations), err);
	relies->programs = bc_arena_alloc(arena, relies->program_count, sizeof(*relies->programs),
					  err);
	if (!relies->relocations || !relies->programs)
		return false;
	walk(&reader);
	return true;
}

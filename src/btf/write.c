/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "btf/write.h"

#include <string.h>

#include "btf/format.h"

/* Words in the byte order of the file. */
static void put_words(uint8_t *to, const uint32_t *words, size_t count, bool big_endian)
{
	bool swap = big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

	if (!swap) {
		memcpy(to, words, count * sizeof(*words));
		return;
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t word = __builtin_bswap32(words[i]);

		memcpy(to + i * sizeof(word), &word, sizeof(word));
	}
}

#define WORDS_AT_ONCE (UINT32_C(1) << 16)
#define BYTES_AT_ONCE (UINT32_C(1) << 18)

/* To where the types go, and the strings. */
struct job {
	const struct bc_graph *graph;
	uint8_t *types, *strings;
};

static void put_some_words(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct job *job = context;

	(void)worker;
	put_words(job->types + (size_t)begin * 4, job->graph->words + begin, end - begin,
		  job->graph->big_endian);
}

static void put_some_strings(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct job *job = context;

	(void)worker;
	memcpy(job->strings + begin, job->graph->strings + begin, end - begin);
}

bool bc_btf_write(const struct bc_graph *graph, struct bc_workers *workers, struct bc_arena *arena,
		  const uint8_t **data, size_t *size_bytes, struct bc_err *err)
{
	uint32_t header_bytes = graph->layout ? BC_BTF_LONG_HEADER : BC_BTF_SHORT_HEADER;
	uint64_t type_bytes = (uint64_t)graph->start[graph->type_count] * 4;
	uint64_t total = header_bytes + type_bytes + graph->layout_bytes + graph->string_bytes;
	uint32_t header[BC_BTF_LONG_HEADER / 4] = { 0 };
	struct job job = { .graph = graph };
	uint8_t *bytes;

	if (total > UINT32_MAX)
		return bc_err_set(err, "it would be longer than 4 GiB");
	bytes = bc_arena_alloc(arena, total, 1, err);
	if (!bytes)
		return false;
	header[BC_BTF_HEADER_BYTES] = header_bytes;
	header[BC_BTF_TYPE_BYTES] = (uint32_t)type_bytes;
	header[BC_BTF_LAYOUT_OFFSET] = (uint32_t)type_bytes;
	header[BC_BTF_LAYOUT_BYTES] = graph->layout_bytes;
	header[BC_BTF_STRING_OFFSET] = (uint32_t)type_bytes + graph->layout_bytes;
	header[BC_BTF_STRING_BYTES] = graph->string_bytes;
	put_words(bytes, header, header_bytes / 4, graph->big_endian);
	bytes[0] = graph->big_endian ? BC_BTF_MAGIC >> 8 : BC_BTF_MAGIC & 0xff;
	bytes[1] = graph->big_endian ? BC_BTF_MAGIC & 0xff : BC_BTF_MAGIC >> 8;
	bytes[2] = BC_BTF_VERSION;
	job.types = bytes + header_bytes;
	job.strings = bytes + total - graph->string_bytes;
	bc_workers_share(workers, (uint32_t)(type_bytes / 4), WORDS_AT_ONCE, put_some_words, &job);
	if (graph->layout_bytes)
		memcpy(bytes + header_bytes + type_bytes, graph->layout, graph->layout_bytes);
	bc_workers_share(workers, graph->string_bytes, BYTES_AT_ONCE, put_some_strings, &job);
	*data = bytes;
	*size_bytes = total;
	return true;
}

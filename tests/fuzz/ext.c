/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Raw BTF and a .BTF.ext that goes by it: 16 bits say how long the first is, low
 * byte first. Rewritten for the types as they are it stays what it is; rewritten
 * for the canonical order it is read there, and its strings say what they said.
 */
#include "btf/ext.h"

#include "tests/fuzz/laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

struct ext {
	const uint8_t *data;
	size_t size_bytes;
	const struct bc_graph *graph;
	struct bc_kept_strings kept;
};

static struct ext rewrite(const struct ext *ext, const struct bc_graph *graph,
			  const uint32_t *new_id, const uint32_t *new_strings,
			  struct bc_arena *arena)
{
	struct bc_err err = { .text = "" };
	uint8_t *copy = bc_arena_alloc(arena, ext->size_bytes, 1, &err);
	struct ext rewritten = { copy, ext->size_bytes, graph, { 0 } };

	if (!copy)
		abort();
	memcpy(copy, ext->data, ext->size_bytes);
	bc_btf_ext_rewrite(copy, ext->data, ext->size_bytes, ext->graph, new_id, new_strings);
	require(bc_btf_ext_read(&rewritten.kept, copy, ext->size_bytes, graph, arena, &err),
		"what was rewritten is read again", &err);
	require(rewritten.kept.count == ext->kept.count, "records keep their strings", NULL);
	return rewritten;
}

static void check_identity(const struct ext *ext, struct bc_arena *arena)
{
	uint32_t count = ext->graph->type_count;
	struct bc_err err;
	uint32_t *same = bc_arena_alloc(arena, (size_t)count + 1, sizeof(*same), &err);
	struct ext again;

	if (!same)
		abort();
	for (uint32_t i = 0; i < count; i++)
		same[i] = ext->graph->first_id + i;
	again = rewrite(ext, ext->graph, same, ext->kept.offsets, arena);
	require(!memcmp(again.data, ext->data, ext->size_bytes), "what stays changes nothing",
		NULL);
}

static const char *string_at(const struct ext *ext, uint32_t i)
{
	return bc_string(ext->graph, ext->kept.offsets[i]);
}

/* Types that nothing tells apart become one: only strings can be looked for. */
static void check_canonical(const struct ext *ext, struct bc_arena *arena)
{
	struct bc_canonical_options options = { .kept = ext->kept };
	struct bc_graph out, read;
	struct ext rewritten;
	const uint32_t *new_id;
	struct fuzz_bytes bytes;
	struct bc_err err = { .text = "" };

	options.kept_offsets = bc_arena_alloc(arena, (size_t)ext->kept.count + 1, sizeof(uint32_t),
					      &err);
	require(options.kept_offsets &&
			bc_canonical(&out, ext->graph, &options, arena, &new_id, NULL, &err) &&
			bc_btf_write(&out, NULL, arena, &bytes.data, &bytes.size_bytes, &err) &&
			bc_btf_read(&read, bytes.data, bytes.size_bytes, NULL, arena, NULL, &err),
		"what was read is ordered, written and read", &err);
	rewritten = rewrite(ext, &read, new_id, options.kept_offsets, arena);
	for (uint32_t i = 0; i < ext->kept.count; i++)
		require(!strcmp(string_at(ext, i), string_at(&rewritten, i)),
			"records keep what their strings say", NULL);
}

static void check_ext(const struct bc_graph *graph, const uint8_t *data, size_t size_bytes,
		      struct bc_arena *arena)
{
	struct ext ext = { data, size_bytes, graph, { 0 } };
	struct bc_err err = { .text = "" };

	if (!bc_btf_ext_read(&ext.kept, data, size_bytes, graph, arena, &err)) {
		require(*err.text, "a refusal says why", NULL);
		return;
	}
	check_identity(&ext, arena);
	if (!graph->has_unknown_kind)
		check_canonical(&ext, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
	struct bc_arena arena = { 0 };
	uint8_t *btf, *ext;
	struct bc_graph graph;
	size_t btf_bytes;

	if (size_bytes < 2 || size_bytes > FUZZ_MAX_BYTES)
		return 0;
	btf_bytes = data[0] | (size_t)data[1] << 8;
	data += 2;
	size_bytes -= 2;
	if (btf_bytes > size_bytes)
		return 0;
	btf = copy_exactly(data, btf_bytes);
	ext = copy_exactly(data + btf_bytes, size_bytes - btf_bytes);
	if (read_or_refuse(&graph, btf, btf_bytes, NULL, &arena))
		check_ext(&graph, ext, size_bytes - btf_bytes, &arena);
	bc_arena_free(&arena);
	free(btf);
	free(ext);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Text read back: it ends, with a graph or an error that says where. What was
 * read is dumped as a text that says the same.
 */
#include "text/assemble.h"

#include "tests/fuzz/text.h"
#include "text/dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

/* The canonical form of what TEXT says; false: it is refused, with a place in it. */
static bool assemble(struct bc_graph *ordered, const char *text, size_t size_bytes,
		     struct bc_arena *arena)
{
	static const struct bc_canonical_options options = { .order = BC_ORDER_CANONICAL };
	struct bc_err err = { .text = "" };
	struct bc_graph graph;

	if (!bc_assemble_text(&graph, text, size_bytes, NULL, arena, &err)) {
		require(!strncmp(err.text, "line ", 5) && strstr(err.text, ", column "),
			"a refusal says where", &err);
		return false;
	}
	require(bc_canonical(ordered, &graph, &options, arena, NULL, NULL, &err),
		"what was read can be ordered", &err);
	return true;
}

static struct fuzz_bytes write_bytes(const struct bc_graph *graph, struct bc_arena *arena)
{
	struct fuzz_bytes bytes;
	struct bc_err err;

	require(bc_btf_write(graph, NULL, arena, &bytes.data, &bytes.size_bytes, &err),
		"what was ordered can be written", &err);
	return bytes;
}

static void check_again(const struct bc_graph *graph, struct bc_arena *arena)
{
	struct bc_dump_options options = { .full = true };
	struct fuzz_bytes bytes = write_bytes(graph, arena);
	struct bc_graph again, read;
	struct bc_err err = { .text = "" };
	struct fuzz_text text;
	FILE *stream = begin_text(&text);
	char *dumped;

	require(bc_btf_read(&read, bytes.data, bytes.size_bytes, NULL, arena, NULL, &err),
		"what was written is read", &err);
	dumped = end_text(&text, bc_dump(stream, &read, &options, &err), &err);
	require(dumped || strstr(err.text, "too long"), "what was read can be dumped", &err);
	if (dumped) {
		require(assemble(&again, dumped, text.size_bytes, arena), "what was dumped is read",
			NULL);
		require_same(bytes, write_bytes(&again, arena), "a text says all");
	}
	free(dumped);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
	struct bc_arena arena = { 0 };
	struct bc_graph graph;
	uint8_t *copy;

	if (size_bytes > FUZZ_MAX_BYTES / 8)
		return 0;
	copy = copy_exactly(data, size_bytes);
	if (assemble(&graph, (const char *)copy, size_bytes, &arena))
		check_again(&graph, &arena);
	bc_arena_free(&arena);
	free(copy);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Raw BTF as a C header: it ends, with a text or an error, and keeps its own order as a baseline. */
#include "text/header.h"

#include "tests/fuzz/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

/* The header, or NULL where it would be too long; the caller frees it. */
static char *write_header(const struct bc_graph *graph, const char *baseline, size_t baseline_bytes,
			  size_t *size_bytes)
{
	struct bc_header_options options = {
		.offsets = true,
		.baseline = baseline,
		.baseline_bytes = baseline_bytes,
	};
	struct bc_notes notes = { 0 };
	struct bc_err err = { .text = "" };
	struct fuzz_text text;
	FILE *stream = begin_text(&text);
	char *bytes = end_text(&text, bc_header(stream, graph, NULL, &options, &notes, NULL, &err),
			       &err);

	*size_bytes = text.size_bytes;
	return bytes;
}

static void check_header(const struct bc_graph *graph)
{
	size_t once_bytes = 0, again_bytes = 0;
	char *once = write_header(graph, NULL, 0, &once_bytes), *again;

	if (!once)
		return;
	require(strlen(once) == once_bytes, "a header has no NUL", NULL);
	again = write_header(graph, once, once_bytes, &again_bytes);
	require(again && once_bytes == again_bytes, "a header on itself is as long", NULL);
	free(once);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
	static const struct bc_canonical_options options = { .order = BC_ORDER_CANONICAL };
	struct bc_arena arena = { 0 };
	struct bc_graph graph;
	uint8_t *copy;

	if (size_bytes > FUZZ_MAX_BYTES / 8)
		return 0;
	copy = copy_exactly(data, size_bytes);
	if (read_or_refuse(&graph, copy, size_bytes, NULL, &arena) && !graph.has_unknown_kind) {
		struct bc_graph canonical;
		struct bc_err err;

		require(bc_canonical(&canonical, &graph, &options, &arena, NULL, NULL, &err),
			"what was read can be ordered", &err);
		check_header(&canonical);
	}
	bc_arena_free(&arena);
	free(copy);
	return 0;
}

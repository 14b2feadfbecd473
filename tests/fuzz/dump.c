/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Raw BTF as text, short and in full: it ends, with a text or an error, and is the same each time. */
#include "text/dump.h"

#include "tests/fuzz/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

/* The text, or NULL where it would be too long; the caller frees it. */
static char *dump(const struct bc_graph *graph, bool full, size_t *size_bytes)
{
	struct bc_dump_options options = { .full = full };
	struct bc_err err = { .text = "" };
	struct fuzz_text text;
	FILE *stream = begin_text(&text);
	char *bytes = end_text(&text, bc_dump(stream, graph, &options, &err), &err);

	*size_bytes = text.size_bytes;
	return bytes;
}

static void check_dump(const struct bc_graph *graph, bool full)
{
	size_t once_bytes = 0, again_bytes = 0;
	char *once = dump(graph, full, &once_bytes), *again = dump(graph, full, &again_bytes);

	require(!once == !again && once_bytes == again_bytes &&
			(!once || !memcmp(once, again, once_bytes)),
		"a text is a function of the graph", NULL);
	require(!once || strlen(once) == once_bytes, "a text has no NUL", NULL);
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
	if (read_or_refuse(&graph, copy, size_bytes, NULL, &arena)) {
		struct bc_graph canonical = graph;
		struct bc_err err;

		if (!graph.has_unknown_kind)
			require(bc_canonical(&canonical, &graph, &options, &arena, NULL, NULL,
					     &err),
				"what was read can be ordered", &err);
		check_dump(&canonical, false);
		check_dump(&canonical, true);
	}
	bc_arena_free(&arena);
	free(copy);
	return 0;
}

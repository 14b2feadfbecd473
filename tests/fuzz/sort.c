/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Raw BTF: read, ordered, written, read, ordered. */
#include "tests/fuzz/laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
	struct bc_arena arena = { 0 };
	struct bc_graph graph;
	uint8_t *copy;

	if (size_bytes > FUZZ_MAX_BYTES)
		return 0;
	copy = copy_exactly(data, size_bytes);
	if (read_or_refuse(&graph, copy, size_bytes, NULL, &arena))
		check_laws(&graph, &arena);
	bc_arena_free(&arena);
	free(copy);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Two raw BTFs, the second on the first: 16 bits say how long the first is, low byte first. */
#include "tests/fuzz/laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
	struct bc_arena arena = { 0 };
	struct bc_graph base, graph;
	uint8_t *base_copy, *copy;
	size_t base_bytes;

	if (size_bytes < 2 || size_bytes > FUZZ_MAX_BYTES)
		return 0;
	base_bytes = data[0] | (size_t)data[1] << 8;
	data += 2;
	size_bytes -= 2;
	if (base_bytes > size_bytes)
		return 0;
	base_copy = copy_exactly(data, base_bytes);
	copy = copy_exactly(data + base_bytes, size_bytes - base_bytes);
	if (read_or_refuse(&base, base_copy, base_bytes, NULL, &arena) &&
	    read_or_refuse(&graph, copy, size_bytes - base_bytes, &base, &arena) &&
	    !base.has_unknown_kind)
		check_laws(&graph, &arena);
	bc_arena_free(&arena);
	free(copy);
	free(base_copy);
	return 0;
}

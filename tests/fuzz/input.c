/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Files of any sort: ELF, images, compressed. The first byte says whether the
 * file can be sought; what comes out is read as BTF.
 */
#include "elf/input.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

/* A pipe holds that much without a reader. */
#define PIPE_BYTES 65536

static int make_file(const uint8_t *data, size_t size_bytes, bool seekable)
{
	int pipe_ends[2];

	if (seekable) {
		int file = memfd_create("fuzz", 0);

		if (file < 0 || write(file, data, size_bytes) != (ssize_t)size_bytes)
			abort();
		return file;
	}
	if (pipe(pipe_ends) || write(pipe_ends[1], data, size_bytes) != (ssize_t)size_bytes ||
	    close(pipe_ends[1]))
		abort();
	return pipe_ends[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
	struct bc_arena arena = { 0 };
	struct bc_input input;
	struct bc_graph graph;
	struct bc_err err = { .text = "" };
	char path[64];
	int file;

	if (!size_bytes || size_bytes > PIPE_BYTES)
		return 0;
	file = make_file(data + 1, size_bytes - 1, data[0] & 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (bc_input_open(&input, path, bc_btf_probe_bytes, &err)) {
		require(input.btf, "an input has BTF", NULL);
		read_or_refuse(&graph, input.btf, input.btf_bytes, NULL, &arena);
		bc_input_close(&input);
	} else {
		require(*err.text && !input.memory && !input.btf, "a refusal leaves nothing", NULL);
	}
	bc_arena_free(&arena);
	close(file);
	return 0;
}

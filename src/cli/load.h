/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_LOAD_H
#define BC_CLI_LOAD_H

#include "base/notes.h"
#include "cli/options.h"
#include "elf/input.h"
#include "graph/graph.h"

/* Where BTF is taken from when no input is named. */
#define BC_RUNNING_KERNEL "/sys/kernel/btf/vmlinux"

/* One input file with its graph. */
struct bc_loaded {
	struct bc_input input;
	struct bc_graph graph;
	struct bc_graph distilled_base; /* the graph's base, where the file brings it along */
	struct bc_notes notes;
};

/* All inputs of a command. A zeroed one is empty and valid. */
struct bc_inputs {
	struct bc_loaded *bases; /* the chain, lowest first */
	uint32_t base_count;
	struct bc_loaded *files;
	uint32_t file_count;
	struct bc_arena arena; /* graphs, and what commands make of them */
};

/*
 * Reads the bases and inputs that OPTIONS name (no input: the running
 * kernel's). On failure bc_inputs_close frees what there is.
 */
bool bc_inputs_load(struct bc_inputs *inputs, const struct bc_options *options, struct bc_err *err);

/* The bases only; *BASE is the last one's graph, NULL without any. */
bool bc_inputs_load_bases(struct bc_inputs *inputs, const struct bc_options *options,
			  const struct bc_graph **base, struct bc_err *err);

void bc_inputs_close(struct bc_inputs *inputs);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_ENCODE_H
#define BC_DWARF_ENCODE_H

#include "base/stopwatch.h"
#include "dwarf/choose.h"
#include "dwarf/collect.h"
#include "dwarf/explain.h"

struct bc_encode_options {
	struct bc_workers *workers;
	struct bc_features features;
	const char *const *excluded_languages; /* ended by NULL; NULL: none */
	/* For tests: units in another order, and hashes that collide. */
	bool shuffle_units;
	uint64_t shuffle_seed;
	uint64_t hash_mask; /* all ones */
	/* Called now and then by one thread while units are read; NULL: not. */
	void (*progress)(void *context, uint32_t units_done, uint32_t units, uint64_t bytes_done,
			 uint64_t bytes);
	void *progress_context;
	/* Functions to say more of; NULL: none. EXPLANATIONS' memory is bc_encode's ARENA. */
	const char *const *explained;
	uint32_t explained_count;
	struct bc_explanations *explanations;
};

struct bc_encode_stats {
	uint16_t machine;                   /* e_machine of the first file */
	uint32_t files, units, units_again; /* read again because of conflicts */
	uint64_t bytes, dies;
	uint32_t nodes, leaves, conflicts, tainted;
	struct bc_assemble_stats assemble;
	uint64_t skipped[BC_SKIP_COUNT];
	uint32_t candidates, functions;
	uint64_t functions_left_out[BC_FUNCTION_REASON_COUNT];
	struct bc_time opening, reading, resolving, choosing, assembling;
};

/*
 * The types of all units of FILES (ELF files with DWARF) as one graph, a
 * function of what the units say: neither their order, nor the threads', nor
 * how often a unit occurs shows, once the canonical form has been made of it.
 * Each of its strings is a name, and no name begins inside of one.
 * Memory from ARENA. The error is that of the first unit in the order of
 * files and sections, whichever thread met one first; it names file, unit and DIE.
 */
bool bc_encode(struct bc_graph *out, const char *const *files, uint32_t file_count,
	       const struct bc_encode_options *options, struct bc_encode_stats *stats,
	       struct bc_arena *arena, struct bc_err *err);

#endif

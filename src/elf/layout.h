/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_ELF_LAYOUT_H
#define BC_ELF_LAYOUT_H

#include "base/arena.h"

/* A stretch of an ELF file that has one owner, and where it goes. */
struct bc_elf_part {
	uint64_t offset; /* where it is */
	uint64_t size_bytes;
	uint64_t new_size_bytes;
	uint64_t align; /* at least 1 */
	uint64_t new_offset;
};

struct bc_elf_layout {
	struct bc_elf_part *parts; /* [count]; number 0 is the table of section headers */
	size_t count;
	uint64_t floor_bytes; /* headers and what is loaded end here */
	uint64_t file_bytes;
	/* Results. */
	uint64_t kept_bytes; /* all parts below stay; what begins there or later is laid out anew */
	uint64_t new_file_bytes;
};

/*
 * Sets the new_offset of each part. What need not move stays:
 *
 *  - Parts below the floor never move, but for those that grow: they go behind
 *    everything else.
 *  - Above it, parts stay up to the first that changes its length; from there
 *    on all follow each other in their order, each at its alignment, as a
 *    linker would put them: the lengths that were there before do not show.
 *  - Then come the parts that are new (or had no bytes), then the table.
 *
 * Fails where that would not fit a file. Scratch memory from ARENA.
 */
bool bc_elf_lay_out(struct bc_elf_layout *layout, struct bc_arena *arena, struct bc_err *err);

#endif

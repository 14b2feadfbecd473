/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_ELF_REWRITE_H
#define BC_ELF_REWRITE_H

#include "base/arena.h"
#include "elf/table.h"

/* What a section holds from now on. */
struct bc_elf_change {
	size_t index;     /* of the section; 0: a new one, put after the others */
	const char *name; /* of a new one */
	uint64_t align;   /* of a new one */
	const uint8_t *data;
	size_t size_bytes;
};

/*
 * Whether the section at INDEX is loaded from where it is, so that it can
 * neither move nor change its length: those of a linked image are.
 */
bool bc_elf_is_fixed(bool *fixed, const struct bc_elf_table *table, size_t index,
		     struct bc_err *err);

/*
 * How many bytes at the beginning of the file stay where they are with CHANGES
 * made, as far as no change writes there: not more than that is worth to be
 * copied before. New sections may be of any length by then. Fails as
 * bc_elf_rewrite does.
 */
bool bc_elf_kept_bytes(uint64_t *kept_bytes, const struct bc_elf_table *table,
		       const struct bc_elf_change *changes, size_t change_count,
		       struct bc_arena *arena, struct bc_err *err);

/*
 * Writes into the file TO_FD the ELF that TABLE is of, with CHANGES made (at
 * most one per section; TABLE's place is a file). What TO_FD has is lost, but
 * that its first COPIED_BYTES are those of the old file already. New sections are
 * PROGBITS without flags. Every other byte of headers and sections is what it
 * was, and sections stay where they are as far as layout.h says. Fails where a
 * section cannot be changed: it is fixed, compressed, without bytes in the
 * file, or the file goes on behind the ELF. Scratch memory from ARENA.
 */
bool bc_elf_rewrite(int to_fd, uint64_t copied_bytes, const struct bc_elf_table *table,
		    const struct bc_elf_change *changes, size_t change_count,
		    struct bc_arena *arena, struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_ELF_RELOCATIONS_H
#define BC_ELF_RELOCATIONS_H

#include "base/arena.h"
#include "elf/table.h"

/* Sets *OFFSET, a place in a section, to where what is there went. */
typedef bool (*bc_elf_mover)(const void *context, uint64_t *offset, struct bc_err *err);

/*
 * Changes the places (r_offset) that the relocations of a SHT_REL or SHT_RELA
 * section name, all of them through MOVE, and puts the entries in the order of
 * the new places. ENTRIES are the section's bytes, HEADER its header in TABLE.
 * That two relocations come to lie in one place is an error.
 */
bool bc_elf_move_relocations(uint8_t *entries, const Elf64_Shdr *header,
			     const struct bc_elf_table *table, bc_elf_mover move,
			     const void *context, struct bc_arena *arena, struct bc_err *err);

#endif

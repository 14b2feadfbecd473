/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_RELOCATE_H
#define BC_DWARF_RELOCATE_H

#include "dwarf/elf_symbols.h"

struct Elf;

/*
 * Applies the relocations of FILE's sections, which are ELF's own data and can
 * be written; those of .debug_info may be left for bc_relocate_part, in
 * file->relocations. SYMBOLS: of the same file, read as they are. False: there are
 * some that only libdwfl may know (or there is no memory), and the sections are
 * good for nothing but that it applies all of them.
 */
bool bc_relocate(struct bc_dwarf_file *file, struct Elf *elf, const struct bc_elf_symbols *symbols,
		 struct bc_err *err);

/* Applies to BYTES, a copy of SIZE_BYTES from OFFSET of .debug_info, what was left. */
void bc_relocate_part(const struct bc_relocations *relocations, uint64_t offset, uint8_t *bytes,
		      size_t size_bytes);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_RELOCATE_H
#define BC_DWARF_RELOCATE_H

#include "dwarf/elf_symbols.h"

struct Elf;

/*
 * Applies the relocations of FILE's sections, which are ELF's own data and can
 * be written. SYMBOLS: of the same file, read as they are. False: there are some
 * that only libdwfl may know (or there is no memory), and the sections are good
 * for nothing but that it applies all of them.
 */
bool bc_relocate(const struct bc_dwarf_file *file, struct Elf *elf,
		 const struct bc_elf_symbols *symbols, struct bc_arena *scratch,
		 struct bc_err *err);

#endif

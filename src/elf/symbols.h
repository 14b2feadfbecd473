/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_ELF_SYMBOLS_H
#define BC_ELF_SYMBOLS_H

#include "base/arena.h"
#include "graph/relies.h"

/*
 * Reads what the symbols of the ELF at PATH say: which undefined ones are weak,
 * and what variables in sections .struct_ops* begin with. Everything lives in
 * ARENA. An ELF without symbols has none; a file that is no ELF is an error.
 */
bool bc_object_symbols_read(struct bc_object_symbols *symbols, const char *path,
			    struct bc_arena *arena, struct bc_err *err);

#endif

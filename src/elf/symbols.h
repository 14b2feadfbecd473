/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_ELF_SYMBOLS_H
#define BC_ELF_SYMBOLS_H

#include "base/arena.h"

struct bc_symbol_names {
	const char **names; /* by strcmp */
	uint32_t count;
};

/*
 * Lists the weak undefined symbols of the ELF at PATH: what it can do without.
 * Everything lives in ARENA. An ELF without symbols has none; a file that is no
 * ELF is an error.
 */
bool bc_symbols_weak(struct bc_symbol_names *symbols, const char *path, struct bc_arena *arena,
		     struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_KFUNCS_H
#define BC_DWARF_KFUNCS_H

#include "base/arena.h"
#include "dwarf/elf_symbols.h"

/*
 * Flags of a kernel function that BPF programs may call, as they stand in
 * .BTF_ids. Source: include/linux/btf.h.
 */
enum bc_kfunc_flag {
	BC_KFUNC_FASTCALL = 1 << 12,
	BC_KFUNC_ARENA_RESULT = 1 << 13, /* it returns a pointer into an arena */
	BC_KFUNC_ARENA_FIRST = 1 << 14,  /* its first parameter is one */
	BC_KFUNC_ARENA_SECOND = 1 << 15,
};

struct bc_kfunc {
	const char *name;
	uint32_t flags; /* others than those above are there too */
};

struct bc_kfuncs {
	struct bc_kfunc *items; /* by name */
	uint32_t count;
};

/*
 * Kernels list their kfuncs in .BTF_ids: in sets whose symbols are
 * __BTF_ID__set8__NAME and whose flags say that they hold kfuncs, as symbols
 * __BTF_ID__func__NAME__NUMBER, each followed by the kfunc's own flags.
 * Source: include/linux/btf_ids.h, include/linux/btf.h. Lists those of the
 * files of COUNT tables, sorted by name, each once, with all flags that any set gives it.
 * Memory from ARENA; no .BTF_ids: none.
 */
bool bc_kfuncs_read(struct bc_kfuncs *kfuncs, const struct bc_elf_symbols *tables, uint32_t count,
		    struct bc_workers *workers, struct bc_arena *arena, struct bc_err *err);

/* The flags of the kfunc of that name; 0: there is none, or it has none. */
uint32_t bc_kfunc_flags(const struct bc_kfuncs *kfuncs, const char *name);

#endif

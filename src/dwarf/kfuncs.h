/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_KFUNCS_H
#define BC_DWARF_KFUNCS_H

#include "base/arena.h"
#include "dwarf/file.h"

/* Tags that a kernel function gets because BPF programs may call it. */
enum bc_kfunc_tag {
	BC_KFUNC_TAG_KFUNC = 1 << 0,    /* bpf_kfunc */
	BC_KFUNC_TAG_FASTCALL = 1 << 1, /* bpf_fastcall */
};

struct bc_kfunc {
	const char *name;
	uint32_t tags;
};

/*
 * Kernels list their kfuncs in .BTF_ids: in sets whose symbols are
 * __BTF_ID__set8__NAME and whose flags say that they hold kfuncs, as symbols
 * __BTF_ID__func__NAME__NUMBER, each followed by the kfunc's own flags.
 * Source: include/linux/btf_ids.h, include/linux/btf.h. Lists those of FILE,
 * sorted by name, each once. Memory from ARENA; no .BTF_ids: none.
 */
bool bc_kfuncs_read(struct bc_kfunc **kfuncs, uint32_t *count, const struct bc_dwarf_file *file,
		    struct bc_arena *arena, struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BTF_PAD_H
#define BC_BTF_PAD_H

#include <stddef.h>

#include "base/arena.h"

/*
 * Lengthens the raw BTF at *DATA, whose strings come last (as bc_btf_write puts
 * them), to PADDED_BYTES: NULs after the last string, counted as strings. Kernels
 * take that, and refuse bytes behind the strings. The new bytes live in ARENA.
 */
bool bc_btf_pad(const uint8_t **data, size_t *size_bytes, size_t padded_bytes, bool big_endian,
		struct bc_arena *arena, struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_ELF_MAKE_H
#define BC_ELF_MAKE_H

#include <stddef.h>

#include "base/arena.h"

struct bc_elf_content {
	const char *name;
	const uint8_t *data;
	size_t size_bytes;
};

/* What an ELF says of itself. */
struct bc_elf_kind {
	uint16_t machine;
	uint8_t pointer_bytes; /* 4: one of 32 bits */
	bool big_endian;
};

/*
 * A relocatable ELF of that KIND that has these sections (their names a few
 * hundred bytes at most) and nothing else: PROGBITS without flags, 4-aligned,
 * in this order. The bytes live in ARENA.
 */
bool bc_elf_make(const struct bc_elf_content *contents, size_t count, struct bc_elf_kind kind,
		 struct bc_arena *arena, const uint8_t **data, size_t *size_bytes,
		 struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_ELF_SIGNATURE_H
#define BC_ELF_SIGNATURE_H

#include "elf/table.h"

/*
 * Sets *ELF_BYTES to the length of what PLACE holds without the signature of a
 * kernel module behind it; the whole length where there is none.
 */
bool bc_elf_without_signature(uint64_t *elf_bytes, const struct bc_elf_place *place,
			      struct bc_err *err);

#endif

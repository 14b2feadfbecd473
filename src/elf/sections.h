/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_ELF_SECTIONS_H
#define BC_ELF_SECTIONS_H

#include "elf/bytes.h"
#include "elf/table.h"

/* The sections that BTF lives in, each copied out, uncompressed. */
struct bc_elf_btf {
	struct bc_bytes btf;
	struct bc_bytes base_btf; /* data is NULL where there is no such section */
	struct bc_bytes btf_ext;
	uint8_t pointer_bytes; /* 4 or 8 */
	uint16_t machine;      /* e_machine */
	bool is_elf;
};

/*
 * Reads the sections out of the ELF at PLACE, of which only headers, names and
 * these sections are read. *FOUND must be zero; bc_sections_free frees what is
 * in it. No .BTF, one without data, several, and an ELF that is cut or
 * contradicts itself are errors. A compressed section may unpack to LIMIT_BYTES.
 * On failure *FOUND is zero.
 */
bool bc_sections_read(struct bc_elf_btf *found, const struct bc_elf_place *place,
		      uint64_t limit_bytes, struct bc_err *err);

void bc_sections_free(struct bc_elf_btf *found);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_IN_PLACE_H
#define BC_CLI_IN_PLACE_H

#include "base/arena.h"
#include "base/output.h"
#include "elf/table.h"

/* An ELF file while the BTF in it is replaced. A zeroed one is closed. */
struct bc_in_place {
	struct bc_output output; /* what will replace the file */
	struct bc_elf_table table;
};

/* What goes into the file, under the name of its section. */
struct bc_put {
	const char *name;
	const uint8_t *data; /* NULL: the section is left alone */
	size_t size_bytes;
};

/*
 * Opens the ELF file PATH to be rewritten; who wants to read it by its path
 * does so after this. Fails, naming the file, where it could not be replaced,
 * is compressed or no ELF file.
 */
bool bc_in_place_open(struct bc_in_place *file, const char *path, struct bc_err *err);

/*
 * Writes the file with other bytes in the sections that PUTS name, replaced or
 * added. A .BTF that is loaded with a linked image keeps its length: NULs
 * after the strings; longer ones are refused. What is left is
 * bc_output_commit. Scratch memory from ARENA.
 */
bool bc_in_place_write(struct bc_in_place *file, const struct bc_put *puts, size_t put_count,
		       struct bc_arena *arena, struct bc_err *err);

/* Gives up what is not committed. Also fine on a closed one. */
void bc_in_place_close(struct bc_in_place *file);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_IN_PLACE_H
#define BC_CLI_IN_PLACE_H

#include "base/ahead.h"
#include "base/arena.h"
#include "base/output.h"
#include "cli/options.h"
#include "elf/rewrite.h"

/* An ELF file while sections of it are replaced. A zeroed one is closed. */
struct bc_in_place {
	struct bc_output output; /* what will replace the file */
	struct bc_elf_table table;
	struct bc_elf_change *changes;
	uint32_t change_count;
	uint32_t change_limit;
	uint8_t *is_changed;         /* by section; NULL: none is */
	struct bc_copy_ahead *ahead; /* of the file as it is; NULL: none */
	bool drops_signature;        /* there is one behind the ELF, which will not be there */
};

/*
 * Opens the ELF file PATH to be rewritten; who wants to read it by its path
 * does so after this. Fails, naming the file, where it could not be replaced,
 * is compressed or no ELF file, or is signed and OPTIONS do not say to drop that.
 */
bool bc_in_place_open(struct bc_in_place *file, const char *path, const struct bc_options *options,
		      struct bc_err *err);

/*
 * For who is going to put the section NAME into the file, and has much to do
 * before: starts to copy the file meanwhile, if it has none yet, so that it is
 * sure to be another.
 */
bool bc_in_place_copy_ahead(struct bc_in_place *file, const char *name, struct bc_arena *arena,
			    struct bc_err *err);

/*
 * Takes DATA, which stays the caller's until bc_in_place_write, as what the
 * section INDEX holds from now on. What it holds already is no change.
 */
bool bc_in_place_put(struct bc_in_place *file, size_t index, const uint8_t *data, size_t size_bytes,
		     struct bc_arena *arena, struct bc_err *err);

/*
 * The same for raw BTF and the section called NAME, which is added if there is
 * none. One that is loaded with a linked image keeps its length: then *DATA
 * becomes a copy with NULs after the strings; what is too long is refused.
 */
bool bc_in_place_put_btf(struct bc_in_place *file, const char *name, const uint8_t **data,
			 size_t *size_bytes, struct bc_arena *arena, struct bc_err *err);

/*
 * Writes the file with its changes, to the disk; what is left is
 * bc_in_place_commit. Without changes there is nothing to write. Either way the
 * table is closed. Scratch memory from ARENA. Unlike the rest, any thread may do
 * this.
 */
bool bc_in_place_write(struct bc_in_place *file, struct bc_arena *arena, struct bc_err *err);

/* Whether there is something to commit. */
bool bc_in_place_is_changed(const struct bc_in_place *file);

/* Lets the new file take the place of the old one, if there is one, and closes it. */
bool bc_in_place_commit(struct bc_in_place *file, struct bc_err *err);

/* Gives up what is not committed. Also fine on a closed one. */
void bc_in_place_close(struct bc_in_place *file);

#endif

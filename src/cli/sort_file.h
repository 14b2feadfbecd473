/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_SORT_FILE_H
#define BC_CLI_SORT_FILE_H

#include "base/notes.h"
#include "cli/in_place.h"
#include "elf/sections.h"
#include "merge/move.h"

/* An ELF file whose BTF is put in order in place. A zeroed one is closed. */
struct bc_sorted_file {
	struct bc_in_place file;
	struct bc_elf_btf found;
	struct bc_graph distilled; /* .BTF.base, where it is there */
	struct bc_graph before;    /* the file's BTF */
	struct bc_graph moved;     /* the same on the base as it is now; BEFORE where that stays */
	struct bc_graph after;
	struct bc_graph written; /* AFTER as who reads the file finds it */
	const uint32_t *new_id;  /* [type_count] from BEFORE to AFTER */
	struct bc_arena arena;   /* all of the above */
};

/*
 * Opens PATH to be put in order, in the thread that signals reach.
 * bc_sorted_file_close frees what there is, on failure of what follows too.
 */
bool bc_sorted_file_open(struct bc_sorted_file *sorted, const char *path,
			 const struct bc_options *options, struct bc_err *err);

/*
 * Reads the BTF of the file on BASE (NULL: on none), or where CHANGE is not NULL
 * on its before, puts it in order, on CHANGE's after, and writes the new file
 * beside the old one, with everything in it that goes by its BTF:
 * bc_in_place_commit is left. A .BTF.base in the file is its base, whatever is
 * given. What is to be warned of is added to NOTES. Any thread may do this; it
 * prints only what OPTIONS ask for by --stats and --verbose.
 */
bool bc_sorted_file_write(struct bc_sorted_file *sorted, const struct bc_graph *base,
			  const struct bc_base_change *change, const struct bc_options *options,
			  struct bc_notes *notes, struct bc_err *err);

/* All but the file itself, which can still be committed. */
void bc_sorted_file_free(struct bc_sorted_file *sorted);

void bc_sorted_file_close(struct bc_sorted_file *sorted);

#endif

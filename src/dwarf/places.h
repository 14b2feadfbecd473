/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_PLACES_H
#define BC_DWARF_PLACES_H

#include "base/arena.h"
#include "dwarf/elf_symbols.h"
#include "dwarf/features.h"

/*
 * The sections that variables stand in: a variable's place is a section and an
 * offset there, in linked and in relocatable files (whose sections libdwfl gives
 * addresses that do not overlap). Addresses are those that DWARF has.
 */
struct bc_place_section {
	const struct bc_dwarf_file *file;
	const char *name; /* the file's */
	uint64_t address, size_bytes;
};

/* The name of an object at a section's beginning. */
struct bc_first_object {
	uint32_t section;
	const char *name; /* the file's */
};

struct bc_places {
	struct bc_place_section *sections; /* by file and address */
	uint32_t count;
	struct bc_first_object *firsts; /* by section and name */
	uint32_t first_count;
	struct bc_arena arena;
};

/*
 * Lists the sections of the files of COUNT tables whose variables FEATURES want: those of
 * data that is loaded and each thread's the same, and whose name kernels take.
 * Tables have to outlive PLACES. Free with bc_places_free also on failure.
 */
bool bc_places_read(struct bc_places *places, const struct bc_elf_symbols *tables, uint32_t count,
		    const struct bc_features *features, struct bc_workers *workers,
		    struct bc_err *err);
void bc_places_free(struct bc_places *places);

/*
 * Where ADDRESS of FILE is: false where no such section is, or no 32-bit
 * offset. Thread-safe, as is the next.
 */
bool bc_places_find(const struct bc_places *places, const struct bc_dwarf_file *file,
		    uint64_t address, uint32_t *section, uint32_t *offset);

/*
 * Whether an object of that name stands at the beginning of SECTION: linkers
 * leave the address of what they dropped 0, where a section may be. The
 * compiler may have put something behind the name, after a dot.
 */
bool bc_places_has_first(const struct bc_places *places, uint32_t section, const char *name);

#endif

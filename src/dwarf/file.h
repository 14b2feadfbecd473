/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_FILE_H
#define BC_DWARF_FILE_H

#include <stddef.h>

#include "base/arena.h"

/*
 * The DWARF sections of one ELF file, or of the separate debug file that it
 * points to. libdwfl finds that file, decompresses sections and applies
 * relocations, if they are not simple; from then on the sections are bytes,
 * read-only, shared by all threads. Those of .debug_info, which may have to be
 * relocated yet, only bc_dwarf_read gives.
 */
struct bc_dwarf_section {
	const uint8_t *data; /* NULL: read from the file */
	uint64_t file_offset;
	uint64_t size_bytes; /* 0: there is none */
	uint8_t *owned;      /* data, where several sections of one name were put together */
	uint64_t owned_limit;
};

enum bc_dwarf_section_number {
	BC_DEBUG_INFO,
	BC_DEBUG_TYPES,
	BC_DEBUG_ABBREV,
	BC_DEBUG_STR,
	BC_DEBUG_LINE_STR,
	BC_DEBUG_STR_OFFSETS,
	BC_DEBUG_ADDR,
	BC_DEBUG_RANGES,   /* DWARF 2 to 4 */
	BC_DEBUG_RNGLISTS, /* DWARF 5 */
	BC_DEBUG_LOC,
	BC_DEBUG_LOCLISTS,
	BC_DEBUG_SECTIONS,
};

struct bc_dwarf_file {
	const char *name; /* as given; owned by the caller */
	struct bc_dwarf_section sections[BC_DEBUG_SECTIONS];
	bool big_endian;
	bool is_relocatable;
	uint8_t pointer_bytes;
	uint16_t machine;
	int fd; /* of the file with DWARF, for sections without data; -1: none */
	struct bc_dwarf_file *alternate; /* the file that DW_FORM_GNU_ref_alt means; NULL: none */
	struct Dwfl *dwfl;
	struct Dwfl_Module *module;
	struct Elf *relocated; /* libdwfl's, if relocations were not left to it; else NULL */
	const struct bc_relocations *relocations; /* then those; else NULL */
	struct bc_arena arena;                    /* of what lives as long */
	uint64_t bias;                            /* what libdwfl adds to the addresses of DWARF */
};

/*
 * Opens PATH. Fails, with the reason, where there is no DWARF (and says where
 * it may be), where a section is compressed in a way not known, or where the
 * machine's relocations are not.
 */
bool bc_dwarf_open(struct bc_dwarf_file *file, const char *path, struct bc_err *err);

/*
 * The ELF file itself, with addresses of sections as libdwfl laid them out;
 * NULL: none. Not to be asked of libdwfl, which relocates it then.
 */
struct Elf *bc_dwarf_elf(const struct bc_dwarf_file *file);

/* Also fine on a zeroed one. */
void bc_dwarf_close(struct bc_dwarf_file *file);

/* Copies SIZE_BYTES (in range) from OFFSET of a section, relocated. */
bool bc_dwarf_read(const struct bc_dwarf_file *file, enum bc_dwarf_section_number section,
		   uint64_t offset, uint8_t *to, size_t size_bytes, struct bc_err *err);

#endif

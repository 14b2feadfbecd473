/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TESTS_DWARF_BUILD_H
#define BC_TESTS_DWARF_BUILD_H

#include <dwarf.h>
#include <stddef.h>

#include "base/arena.h"

/*
 * DWARF out of a tree of DIEs, in an ELF file. Nothing is checked, so that bad
 * DWARF can be said too: any attribute takes any form, any number stands where
 * a reference belongs, and after dwarf_lay_out the bytes of the sections may
 * be changed before dwarf_elf wraps them. Shares no code with what it tests.
 *
 * Everything lives in the arena of the build; running out of memory ends the
 * program.
 */
enum dwarf_section {
	DWARF_INFO,
	DWARF_TYPES,
	DWARF_ABBREV,
	DWARF_STR,
	DWARF_LINE_STR,
	DWARF_STR_OFFSETS,
	DWARF_SECTIONS
};

struct dwarf_bytes {
	uint8_t *data;
	size_t size_bytes;
	size_t capacity;
};

struct dwarf_attribute {
	uint16_t name;
	uint16_t form;
	bool is_indirect;               /* DW_FORM_indirect: the form stands in the DIE */
	uint64_t value;                 /* as it is, where nothing below says otherwise */
	const char *text;               /* of a string form */
	const struct dwarf_die *target; /* of a reference */
	bool is_sibling;                /* refers to what follows the DIE's children */
	const uint8_t *block;
	uint32_t block_bytes;
	uint32_t offset; /* in the unit, once laid out */
	uint32_t size_bytes;
};

struct dwarf_die {
	struct dwarf_unit *unit;
	struct dwarf_die *parent;
	struct dwarf_die *first_child, *last_child, *next;
	uint16_t tag;
	bool lists_children; /* says that it has children, also where it has none */
	bool never_ends;     /* the entry that ends its children is left out */
	uint32_t attribute_count;
	uint32_t attribute_capacity;
	struct dwarf_attribute *attributes;
	uint64_t code;
	uint32_t offset; /* in the unit, once laid out */
	uint32_t end;    /* where the entry that ends its children ends */
};

struct dwarf_unit {
	struct dwarf_build *build;
	struct dwarf_unit *next;
	enum dwarf_section section; /* INFO or TYPES */
	uint8_t version;
	uint8_t offset_bytes; /* 4 or 8 */
	uint8_t address_bytes;
	uint8_t type; /* DW_UT_… */
	uint64_t signature;
	const struct dwarf_die *type_die;
	struct dwarf_die *root;
	struct dwarf_abbrevs *abbrevs; /* others than those all units share */
	int64_t length_error;          /* added to the length that the header says */
	uint64_t abbrev_error;         /* and to the place of the abbreviations */
	uint64_t str_offsets_base;     /* of its part of .debug_str_offsets */
	uint32_t strx_count;
	uint32_t strx_capacity;
	uint64_t *strx;  /* offsets in .debug_str */
	uint64_t offset; /* in the section, once laid out */
	uint32_t size_bytes;
};

struct dwarf_abbrevs {
	struct dwarf_abbrevs *next;
	struct dwarf_abbrev *items;
	uint32_t count;
	uint32_t capacity;
	uint32_t code_step; /* codes are 1 + a multiple of it: 1 is dense */
	bool backwards;     /* the last one stands first */
	uint64_t offset;
};

struct dwarf_relocation {
	uint64_t offset;
	uint64_t addend;
	enum dwarf_section in, to;
	uint8_t size_bytes;
};

struct dwarf_build {
	struct bc_arena *arena;
	bool big_endian;
	bool is_elf64;
	bool is_relocatable;  /* ET_REL for x86-64: offsets in other sections are relocated */
	bool repeats_strings; /* a string stands in .debug_str once per use */
	struct dwarf_unit *units, **units_end;
	struct dwarf_abbrevs *abbrevs; /* the first one is shared */
	uint32_t string_count, string_slot_count;
	uint32_t *string_slots; /* 1 + offset in .debug_str */
	bool is_laid_out;
	struct dwarf_bytes sections[DWARF_SECTIONS];
	uint32_t relocation_count;
	uint32_t relocation_capacity;
	struct dwarf_relocation *relocations;
};

/* An empty build: little-endian ELF64, one shared dense table of abbreviations. */
struct dwarf_build *dwarf_build_new(struct bc_arena *arena);

/* A compile unit of DWARF VERSION; its root is a DW_TAG_compile_unit without attributes. */
struct dwarf_unit *dwarf_unit_new(struct dwarf_build *build, uint8_t version);

/* Makes the unit a type unit, in .debug_types before DWARF 5. */
void dwarf_unit_is_type(struct dwarf_unit *unit, uint64_t signature,
			const struct dwarf_die *type_die);

/* Gives the unit abbreviations of its own. */
struct dwarf_abbrevs *dwarf_unit_own_abbrevs(struct dwarf_unit *unit);

/* The last child of PARENT so far. */
struct dwarf_die *dwarf_die_new(struct dwarf_die *parent, uint16_t tag);

/* Each appends an attribute; those that return it let it be made odd. */
struct dwarf_attribute *dwarf_number(struct dwarf_die *die, uint16_t name, uint16_t form,
				     uint64_t value);
struct dwarf_attribute *dwarf_text(struct dwarf_die *die, uint16_t name, uint16_t form,
				   const char *text);
struct dwarf_attribute *dwarf_refer(struct dwarf_die *die, uint16_t name, uint16_t form,
				    const struct dwarf_die *target);
struct dwarf_attribute *dwarf_block(struct dwarf_die *die, uint16_t name, uint16_t form,
				    const void *block, uint32_t block_bytes);
struct dwarf_attribute *dwarf_sibling(struct dwarf_die *die, uint16_t form);

/* The usual ones, in forms that every version has. NULL or "": no name; no TYPE: none. */
void dwarf_name(struct dwarf_die *die, const char *name);
void dwarf_type(struct dwarf_die *die, const struct dwarf_die *type);
struct dwarf_die *dwarf_base_type(struct dwarf_die *parent, const char *name, uint8_t size_bytes,
				  uint8_t encoding);
struct dwarf_die *dwarf_struct(struct dwarf_die *parent, const char *name, uint32_t size_bytes);
struct dwarf_die *dwarf_declaration(struct dwarf_die *parent, uint16_t tag, const char *name);
struct dwarf_die *dwarf_member(struct dwarf_die *parent, const char *name,
			       const struct dwarf_die *type, uint32_t offset_bytes);
/* PTR, TYPEDEF and the like. */
struct dwarf_die *dwarf_link(struct dwarf_die *parent, uint16_t tag, const char *name,
			     const struct dwarf_die *type);

/* Makes the sections. Once. */
void dwarf_lay_out(struct dwarf_build *build);

/* The ELF file (lays out what is not). */
struct dwarf_bytes dwarf_elf(struct dwarf_build *build);

/*
 * The same with sections of any bytes: an ELF executable without code; empty
 * sections are left out.
 */
struct dwarf_bytes dwarf_wrap(struct bc_arena *arena, const struct dwarf_bytes *sections,
			      bool big_endian, bool is_elf64);

/* A file in memory; PATH names it until the descriptor returned is closed. */
#define DWARF_PATH_BYTES 40
int dwarf_memory_file(const void *data, size_t size_bytes, char path[DWARF_PATH_BYTES]);

/* For sections written by hand. */
void dwarf_put(struct bc_arena *arena, struct dwarf_bytes *to, const void *data, size_t size_bytes);
/* Over what is at AT; bytes beyond eight are 0. */
void dwarf_store(uint8_t *at, uint64_t value, unsigned int size_bytes, bool big_endian);
void dwarf_put_number(struct bc_arena *arena, struct dwarf_bytes *to, uint64_t value,
		      unsigned int size_bytes, bool big_endian);
void dwarf_put_uleb(struct bc_arena *arena, struct dwarf_bytes *to, uint64_t value);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_ELF_TABLE_H
#define BC_ELF_TABLE_H

#include <elf.h>
#include <stddef.h>

#include "base/arena.h"

/* Where an ELF lies: in a file that can be sought, or in memory. */
struct bc_elf_place {
	int fd;              /* used where data is NULL */
	const uint8_t *data; /* at least 8-aligned */
	uint64_t size_bytes;
};

/*
 * The section headers of an ELF, checked: the table and what it says lies
 * inside the file. A zeroed one is closed.
 */
struct bc_elf_table {
	struct bc_elf_place place;
	struct Elf *elf; /* of libelf, which has read the headers */
	bool is_64;
	bool big_endian;
	uint16_t type;
	uint16_t machine;
	size_t count;       /* of sections, section 0 too */
	size_t names_index; /* of the section that holds their names */
};

bool bc_elf_recognize(const uint8_t *data, size_t size_bytes);

/*
 * What the ELF file PATH is: e_type and e_machine. False where it is none or
 * cannot be read.
 */
bool bc_elf_peek(const char *path, uint16_t *type, uint16_t *machine);

/*
 * Reads the headers of the ELF at PLACE, which must stay until
 * bc_elf_table_close. Any number of sections. On failure *TABLE is closed.
 */
bool bc_elf_table_open(struct bc_elf_table *table, const struct bc_elf_place *place,
		       struct bc_err *err);

/* Also fine on a closed one. */
void bc_elf_table_close(struct bc_elf_table *table);

/* Header and name of section INDEX (from 1 on, below count). The name is TABLE's. */
bool bc_elf_table_get(const struct bc_elf_table *table, size_t index, Elf64_Shdr *header,
		      const char **name, struct bc_err *err);

/* *INDEX of the section called NAME; 0: none. Two of it are an error. */
bool bc_elf_table_find(const struct bc_elf_table *table, const char *name, size_t *index,
		       struct bc_err *err);

/*
 * The bytes of section INDEX as they are in the file, writable, in ARENA. One
 * without bytes there (SHT_NOBITS) is an error.
 */
bool bc_elf_section_bytes(const struct bc_elf_table *table, size_t index, uint8_t **data,
			  size_t *size_bytes, struct bc_arena *arena, struct bc_err *err);

/*
 * For who reads any number of sections: takes the bytes of one from *LEFT_BYTES, at first those
 * of the file. Fails where so many are not left: the sections lie on each other, and could take
 * many times the memory that the file does.
 */
bool bc_elf_take_bytes(uint64_t *left_bytes, const Elf64_Shdr *header, const char *name,
		       struct bc_err *err);

/* Copies SIZE_BYTES (in range) from OFFSET of PLACE. */
bool bc_elf_read(const struct bc_elf_place *place, uint8_t *out, uint64_t offset, size_t size_bytes,
		 struct bc_err *err);

/* Whether SIZE_BYTES from OFFSET on are in PLACE. */
static inline bool bc_elf_is_inside(const struct bc_elf_place *place, uint64_t offset,
				    uint64_t size_bytes)
{
	return offset <= place->size_bytes && size_bytes <= place->size_bytes - offset;
}

/* The bytes of a section in the file. */
static inline uint64_t bc_elf_stored_bytes(const Elf64_Shdr *header)
{
	return header->sh_type == SHT_NOBITS || header->sh_type == SHT_NULL ? 0 : header->sh_size;
}

/* FIELD of the Elf64 or Elf32 struct TYPE at BYTES, of the file that TABLE is for. */
#define BC_ELF_FIELD(table, bytes, type, field)                                                    \
	((table)->is_64 ? bc_elf_number((bytes) + offsetof(Elf64_##type, field),                   \
					sizeof(((Elf64_##type *)0)->field), (table)->big_endian) : \
			  bc_elf_number((bytes) + offsetof(Elf32_##type, field),                   \
					sizeof(((Elf32_##type *)0)->field), (table)->big_endian))

/* A number of 2, 4 or 8 bytes. */
uint64_t bc_elf_number(const uint8_t *data, size_t size_bytes, bool big_endian);
void bc_elf_store_number(uint8_t *data, size_t size_bytes, bool big_endian, uint64_t number);

#endif

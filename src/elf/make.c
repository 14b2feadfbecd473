/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "elf/make.h"

#include <assert.h>
#include <elf.h>
#include <string.h>

#define NAMES_SECTION ".shstrtab"
#define NAMES_BYTES 512

struct image {
	uint8_t *bytes;
	bool is_64, big_endian;
};

static void put(const struct image *image, uint64_t at, size_t bytes, uint64_t value)
{
	for (size_t i = 0; i < bytes; i++)
		image->bytes[at + i] = (uint8_t)(value >>
						 8 * (image->big_endian ? bytes - 1 - i : i));
}

/* FIELD of the Elf64 or Elf32 struct TYPE at AT. */
#define PUT(image, at, type, field, value)                                                         \
	put(image,                                                                                 \
	    (at) + ((image)->is_64 ? offsetof(Elf64_##type, field) :                               \
				     offsetof(Elf32_##type, field)),                               \
	    (image)->is_64 ? sizeof(((Elf64_##type *)0)->field) :                                  \
			     sizeof(((Elf32_##type *)0)->field),                                   \
	    value)

static void put_head(const struct image *image, uint16_t machine, uint64_t table_at, size_t count)
{
	memcpy(image->bytes, ELFMAG, SELFMAG);
	image->bytes[EI_CLASS] = image->is_64 ? ELFCLASS64 : ELFCLASS32;
	image->bytes[EI_DATA] = image->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	image->bytes[EI_VERSION] = EV_CURRENT;
	PUT(image, 0, Ehdr, e_type, ET_REL);
	PUT(image, 0, Ehdr, e_machine, machine);
	PUT(image, 0, Ehdr, e_version, EV_CURRENT);
	PUT(image, 0, Ehdr, e_shoff, table_at);
	PUT(image, 0, Ehdr, e_ehsize, image->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	PUT(image, 0, Ehdr, e_shentsize, image->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	PUT(image, 0, Ehdr, e_shnum, count);
	PUT(image, 0, Ehdr, e_shstrndx, count - 1);
}

static void put_section(const struct image *image, uint64_t at, uint32_t type, uint32_t name,
			uint64_t offset, uint64_t size_bytes)
{
	PUT(image, at, Shdr, sh_name, name);
	PUT(image, at, Shdr, sh_type, type);
	PUT(image, at, Shdr, sh_offset, offset);
	PUT(image, at, Shdr, sh_size, size_bytes);
	PUT(image, at, Shdr, sh_addralign, type == SHT_PROGBITS ? sizeof(uint32_t) : 1);
}

static uint64_t align(uint64_t offset)
{
	return (offset + 7) & ~(uint64_t)7;
}

/* Puts a section's bytes at *AT and its header at HEADER_AT; *AT and *NAME move on behind it. */
static void put_content(const struct image *image, uint64_t header_at, uint32_t type,
			const struct bc_elf_content *content, uint64_t *at, uint32_t *name)
{
	put_section(image, header_at, type, *name, *at, content->size_bytes);
	if (content->size_bytes)
		memcpy(image->bytes + *at, content->data, content->size_bytes);
	*at = align(*at + content->size_bytes);
	*name += (uint32_t)strlen(content->name) + 1;
}

bool bc_elf_make(const struct bc_elf_content *contents, size_t count, struct bc_elf_kind kind,
		 struct bc_arena *arena, const uint8_t **data, size_t *size_bytes,
		 struct bc_err *err)
{
	struct image image = { .is_64 = kind.pointer_bytes != 4, .big_endian = kind.big_endian };
	size_t entry = image.is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	uint64_t at = image.is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr), table_at = at;
	uint8_t text[NAMES_BYTES] = { 0 };
	struct bc_elf_content names = { NAMES_SECTION, text, 1 };
	uint32_t name = 1;

	for (size_t i = 0; i <= count; i++) {
		const struct bc_elf_content *content = i < count ? &contents[i] : &names;
		size_t bytes = strlen(content->name) + 1;

		assert(names.size_bytes + bytes <= sizeof(text));
		memcpy(text + names.size_bytes, content->name, bytes);
		names.size_bytes += bytes;
		table_at = align(table_at + content->size_bytes);
	}
	*size_bytes = table_at + (count + 2) * entry;
	if (*size_bytes > UINT32_MAX)
		return bc_err_set(err, "it would be longer than 4 GiB");
	image.bytes = bc_arena_zalloc(arena, *size_bytes, 1, err);
	if (!image.bytes)
		return false;
	put_head(&image, kind.machine, table_at, count + 2);
	for (size_t i = 0; i < count; i++)
		put_content(&image, table_at + (i + 1) * entry, SHT_PROGBITS, &contents[i], &at,
			    &name);
	put_content(&image, table_at + (count + 1) * entry, SHT_STRTAB, &names, &at, &name);
	*data = image.bytes;
	return true;
}

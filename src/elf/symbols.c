/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "elf/symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char operations[] = ".struct_ops";

struct reader {
	struct bc_object_symbols *symbols;
	Elf *elf;
	size_t names_index; /* section of section names */
	uint8_t **copies;   /* by section: of .struct_ops*, with marks where relocations are */
	size_t *sizes;      /* of them */
	size_t section_count;
	struct bc_arena *arena;
	struct bc_err *err;
};

static const char *copy_name(struct reader *reader, const char *name)
{
	char *copy = bc_arena_alloc(reader->arena, strlen(name) + 1, 1, reader->err);

	return copy ? strcpy(copy, name) : NULL;
}

/* ---- sections of operations ---- */

static bool is_of_operations(const struct reader *reader, const GElf_Shdr *header)
{
	const char *name = elf_strptr(reader->elf, reader->names_index, header->sh_name);

	return name && header->sh_type == SHT_PROGBITS &&
	       !strncmp(name, operations, strlen(operations));
}

static bool copy_section(struct reader *reader, Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t index = elf_ndxscn(section);

	if (!data || !data->d_buf)
		return true;
	reader->copies[index] = bc_arena_alloc(reader->arena, data->d_size, 1, reader->err);
	if (!reader->copies[index])
		return false;
	memcpy(reader->copies[index], data->d_buf, data->d_size);
	reader->sizes[index] = data->d_size;
	return true;
}

/* Pointers of BPF are 8 bytes. */
static void mark_relocations(struct reader *reader, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t target = header->sh_info;
	GElf_Rel record;

	if (!data || target >= reader->section_count || !reader->copies[target])
		return;
	for (int i = 0; gelf_getrel(data, i, &record); i++)
		if (reader->sizes[target] >= 8 && record.r_offset <= reader->sizes[target] - 8)
			memset(reader->copies[target] + record.r_offset, 0xff, 8);
}

static bool copy_sections(struct reader *reader)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	if (elf_getshdrstrndx(reader->elf, &reader->names_index) ||
	    elf_getshdrnum(reader->elf, &reader->section_count))
		return bc_err_set(reader->err, "%s", elf_errmsg(-1));
	reader->copies = bc_arena_zalloc(reader->arena, reader->section_count,
					 sizeof(*reader->copies), reader->err);
	reader->sizes = bc_arena_zalloc(reader->arena, reader->section_count,
					sizeof(*reader->sizes), reader->err);
	if (!reader->copies || !reader->sizes)
		return false;
	while ((section = elf_nextscn(reader->elf, section)))
		if (gelf_getshdr(section, &header) && is_of_operations(reader, &header) &&
		    !copy_section(reader, section))
			return false;
	while ((section = elf_nextscn(reader->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_REL)
			mark_relocations(reader, section, &header);
	return true;
}

/* ---- symbols ---- */

static bool keep_weak(struct reader *reader, const char *name)
{
	const char *copy = copy_name(reader, name);

	reader->symbols->weak[reader->symbols->weak_count++] = copy;
	return copy;
}

static bool keep_initial(struct reader *reader, const char *name, const GElf_Sym *symbol)
{
	size_t section = symbol->st_shndx;
	const char *copy;

	if (section >= reader->section_count || !reader->copies[section] ||
	    symbol->st_value > reader->sizes[section] ||
	    symbol->st_size > reader->sizes[section] - symbol->st_value)
		return true;
	copy = copy_name(reader, name);
	reader->symbols->initials[reader->symbols->initial_count++] = (struct bc_initial){
		.name = copy,
		.bytes = reader->copies[section] + symbol->st_value,
		.size_bytes = symbol->st_size,
	};
	return copy;
}

static bool keep_symbol(struct reader *reader, const char *name, const GElf_Sym *symbol)
{
	if (symbol->st_shndx == SHN_UNDEF)
		return GELF_ST_BIND(symbol->st_info) != STB_WEAK || keep_weak(reader, name);
	return GELF_ST_TYPE(symbol->st_info) != STT_OBJECT || keep_initial(reader, name, symbol);
}

static bool read_table(struct reader *reader, Elf_Scn *section, const GElf_Shdr *header)
{
	struct bc_object_symbols *symbols = reader->symbols;
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	if (!data || count > INT32_MAX)
		return bc_err_set(reader->err, "its symbols cannot be read");
	symbols->weak = bc_arena_alloc(reader->arena, count, sizeof(*symbols->weak), reader->err);
	symbols->initials = bc_arena_alloc(reader->arena, count, sizeof(*symbols->initials),
					   reader->err);
	if (!symbols->weak || !symbols->initials)
		return false;
	for (size_t i = 0; i < count; i++) {
		const char *name;
		GElf_Sym symbol;

		if (!gelf_getsym(data, (int)i, &symbol))
			break;
		name = elf_strptr(reader->elf, header->sh_link, symbol.st_name);
		if (name && !keep_symbol(reader, name, &symbol))
			return false;
	}
	return true;
}

static bool read_elf(struct reader *reader)
{
	Elf_Scn *section = NULL;

	if (elf_kind(reader->elf) != ELF_K_ELF)
		return bc_err_set(reader->err, "it is not an ELF file");
	if (!copy_sections(reader))
		return false;
	while ((section = elf_nextscn(reader->elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			return read_table(reader, section, &header);
	}
	return true;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int compare_initials(const void *a, const void *b)
{
	return strcmp(((const struct bc_initial *)a)->name, ((const struct bc_initial *)b)->name);
}

bool bc_object_symbols_read(struct bc_object_symbols *symbols, const char *path,
			    struct bc_arena *arena, struct bc_err *err)
{
	struct reader reader = { .symbols = symbols, .arena = arena, .err = err };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool read = false;

	*symbols = (struct bc_object_symbols){ 0 };
	if (fd < 0)
		return bc_err_errno(err, "cannot open");
	elf_version(EV_CURRENT);
	reader.elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!reader.elf)
		bc_err_set(err, "%s", elf_errmsg(-1));
	else
		read = read_elf(&reader);
	elf_end(reader.elf);
	close(fd);
	if (read && symbols->weak_count)
		qsort(symbols->weak, symbols->weak_count, sizeof(*symbols->weak), compare_names);
	if (read && symbols->initial_count)
		qsort(symbols->initials, symbols->initial_count, sizeof(*symbols->initials),
		      compare_initials);
	return read;
}

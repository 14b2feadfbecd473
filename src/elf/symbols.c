/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "elf/symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/table.h"

static const char operations[] = ".struct_ops";

/* Of the kernel, with the NUL (KSYM_NAME_LEN): what has a longer one is none of its symbols. */
#define NAME_BYTES_MAX 512

struct reader {
	struct bc_object_symbols *symbols;
	struct bc_elf_table table;
	uint64_t left_bytes; /* of the file that no section took yet */
	uint8_t **copies;    /* by section: of .struct_ops*, with marks where relocations are */
	size_t *sizes;       /* of them */
	struct bc_arena *arena;
	struct bc_err *err;
};

static const char *copy_name(struct reader *reader, const char *name)
{
	char *copy = bc_arena_alloc(reader->arena, strlen(name) + 1, 1, reader->err);

	return copy ? strcpy(copy, name) : NULL;
}

/* ---- sections of operations ---- */

static bool copy_section(struct reader *reader, size_t index, const Elf64_Shdr *header,
			 const char *name)
{
	if (header->sh_type != SHT_PROGBITS || strncmp(name, operations, strlen(operations)) != 0)
		return true;
	return bc_elf_take_bytes(&reader->left_bytes, header, name, reader->err) &&
	       bc_elf_section_bytes(&reader->table, index, &reader->copies[index],
				    &reader->sizes[index], reader->arena, reader->err);
}

/* Pointers of BPF are 8 bytes. */
static bool mark_relocations(struct reader *reader, size_t index, const Elf64_Shdr *header,
			     const char *name)
{
	size_t target = header->sh_info;
	GElf_Rel record;
	Elf_Data *data;

	if (header->sh_type != SHT_REL || target >= reader->table.count || !reader->copies[target])
		return true;
	if (!bc_elf_take_bytes(&reader->left_bytes, header, name, reader->err))
		return false;
	data = elf_getdata(elf_getscn(reader->table.elf, index), NULL);
	for (int i = 0; data && gelf_getrel(data, i, &record); i++)
		if (reader->sizes[target] >= 8 && record.r_offset <= reader->sizes[target] - 8)
			memset(reader->copies[target] + record.r_offset, 0xff, 8);
	return true;
}

/* Calls VISIT with each section. */
static bool for_each_section(struct reader *reader,
			     bool (*visit)(struct reader *reader, size_t index,
					   const Elf64_Shdr *header, const char *name))
{
	for (size_t i = 1; i < reader->table.count; i++) {
		Elf64_Shdr header;
		const char *name;

		if (!bc_elf_table_get(&reader->table, i, &header, &name, reader->err) ||
		    !visit(reader, i, &header, name))
			return false;
	}
	return true;
}

static bool copy_sections(struct reader *reader)
{
	size_t count = reader->table.count;

	reader->copies = bc_arena_zalloc(reader->arena, count, sizeof(*reader->copies),
					 reader->err);
	reader->sizes = bc_arena_zalloc(reader->arena, count, sizeof(*reader->sizes), reader->err);
	return reader->copies && reader->sizes && for_each_section(reader, copy_section) &&
	       for_each_section(reader, mark_relocations);
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

	if (section >= reader->table.count || !reader->copies[section] ||
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

/* There is one table of symbols. */
static bool read_symbols(struct reader *reader, size_t index, const Elf64_Shdr *header,
			 const char *section)
{
	struct bc_object_symbols *symbols = reader->symbols;
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	Elf_Data *data;

	(void)section;
	if (header->sh_type != SHT_SYMTAB || symbols->weak)
		return true;
	data = elf_getdata(elf_getscn(reader->table.elf, index), NULL);
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
		name = elf_strptr(reader->table.elf, header->sh_link, symbol.st_name);
		if (name && strnlen(name, NAME_BYTES_MAX) < NAME_BYTES_MAX &&
		    !keep_symbol(reader, name, &symbol))
			return false;
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
	struct bc_elf_place place = { .fd = open(path, O_RDONLY | O_CLOEXEC) };
	struct stat status;
	bool read = false;

	*symbols = (struct bc_object_symbols){ 0 };
	if (place.fd < 0)
		return bc_err_errno(err, "cannot open");
	if (fstat(place.fd, &status) != 0) {
		bc_err_errno(err, "cannot read");
	} else {
		place.size_bytes = reader.left_bytes = (uint64_t)status.st_size;
		read = bc_elf_table_open(&reader.table, &place, err) && copy_sections(&reader) &&
		       for_each_section(&reader, read_symbols);
	}
	bc_elf_table_close(&reader.table);
	close(place.fd);
	if (read && symbols->weak_count)
		qsort(symbols->weak, symbols->weak_count, sizeof(*symbols->weak), compare_names);
	if (read && symbols->initial_count)
		qsort(symbols->initials, symbols->initial_count, sizeof(*symbols->initials),
		      compare_initials);
	return read;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "elf/symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool keep_name(struct bc_symbol_names *symbols, const char *name, struct bc_arena *arena,
		      struct bc_err *err)
{
	char *copy = bc_arena_alloc(arena, strlen(name) + 1, 1, err);

	if (!copy)
		return false;
	strcpy(copy, name);
	symbols->names[symbols->count++] = copy;
	return true;
}

static bool read_table(struct bc_symbol_names *symbols, Elf *elf, Elf_Scn *section,
		       const GElf_Shdr *header, struct bc_arena *arena, struct bc_err *err)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	if (!data || count > INT32_MAX)
		return bc_err_set(err, "its symbols cannot be read");
	symbols->names = bc_arena_alloc(arena, count, sizeof(*symbols->names), err);
	if (!symbols->names)
		return false;
	for (size_t i = 0; i < count; i++) {
		const char *name;
		GElf_Sym symbol;

		if (!gelf_getsym(data, (int)i, &symbol))
			break;
		if (symbol.st_shndx != SHN_UNDEF || GELF_ST_BIND(symbol.st_info) != STB_WEAK)
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (name && !keep_name(symbols, name, arena, err))
			return false;
	}
	return true;
}

static bool read_elf(struct bc_symbol_names *symbols, Elf *elf, struct bc_arena *arena,
		     struct bc_err *err)
{
	Elf_Scn *section = NULL;

	if (elf_kind(elf) != ELF_K_ELF)
		return bc_err_set(err, "it is not an ELF file");
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			return read_table(symbols, elf, section, &header, arena, err);
	}
	return true;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool bc_symbols_weak(struct bc_symbol_names *symbols, const char *path, struct bc_arena *arena,
		     struct bc_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool read = false;
	Elf *elf;

	*symbols = (struct bc_symbol_names){ 0 };
	if (fd < 0)
		return bc_err_errno(err, "cannot open");
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		bc_err_set(err, "%s", elf_errmsg(-1));
	else
		read = read_elf(symbols, elf, arena, err);
	elf_end(elf);
	close(fd);
	if (read && symbols->count)
		qsort(symbols->names, symbols->count, sizeof(*symbols->names), compare_names);
	return read;
}

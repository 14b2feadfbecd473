/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "elf/section_symbols.h"

#include <gelf.h>
#include <string.h>

/* What a walk over the symbols of one section needs. */
struct section_walk {
	const struct bc_elf_table *table;
	size_t index;
	uint64_t address; /* of the section, where symbols have addresses */
	const char *prefix;
	Elf_Data *symbols;
	Elf_Data *numbers; /* section numbers of over 16 bits, NULL: none */
	size_t names_index;
	size_t count;
};

/* The section numbers that belong to the symbol table in section TABLE_INDEX. */
static Elf_Data *find_numbers(const struct bc_elf_table *table, size_t table_index)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(table->elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB_SHNDX &&
		    header.sh_link == table_index)
			return elf_getdata(section, NULL);
	}
	return NULL;
}

static bool find_symbols(struct section_walk *walk, struct bc_err *err)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(walk->table->elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		walk->symbols = elf_getdata(section, NULL);
		walk->numbers = find_numbers(walk->table, elf_ndxscn(section));
		walk->names_index = header.sh_link;
		walk->count = header.sh_entsize ? header.sh_size / header.sh_entsize : 0;
		return (walk->symbols && walk->count <= INT32_MAX) ||
		       bc_err_set(err, "its symbols cannot be read");
	}
	return true;
}

/* Whether symbol number I is one of those looked for; then *SYMBOL is it. */
static bool take_symbol(struct bc_section_symbol *symbol, const struct section_walk *walk, int i)
{
	Elf32_Word number = 0;
	GElf_Sym found;

	if (!gelf_getsymshndx(walk->symbols, walk->numbers, i, &found, &number))
		return false;
	if (found.st_shndx != SHN_XINDEX)
		number = found.st_shndx;
	if (number != walk->index)
		return false;
	symbol->name = elf_strptr(walk->table->elf, walk->names_index, found.st_name);
	symbol->offset = found.st_value - walk->address;
	return symbol->name && !strncmp(symbol->name, walk->prefix, strlen(walk->prefix));
}

bool bc_symbols_of_section(struct bc_section_symbols *symbols, const struct bc_elf_table *table,
			   size_t index, const char *prefix, struct bc_arena *arena,
			   struct bc_err *err)
{
	struct section_walk walk = { .table = table, .index = index, .prefix = prefix };
	struct bc_section_symbol symbol;
	Elf64_Shdr header;
	const char *name;

	*symbols = (struct bc_section_symbols){ 0 };
	if (!bc_elf_table_get(table, index, &header, &name, err) || !find_symbols(&walk, err))
		return false;
	walk.address = table->type == ET_REL ? 0 : header.sh_addr;
	for (size_t i = 0; i < walk.count; i++)
		symbols->count += take_symbol(&symbol, &walk, (int)i);
	symbols->items = bc_arena_alloc(arena, symbols->count, sizeof(*symbols->items), err);
	if (!symbols->items)
		return false;
	symbols->count = 0;
	for (size_t i = 0; i < walk.count; i++)
		if (take_symbol(&symbol, &walk, (int)i))
			symbols->items[symbols->count++] = symbol;
	return true;
}

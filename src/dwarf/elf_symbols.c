/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/elf_symbols.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <string.h>

#include "base/bits.h"

/* A section of which no symbol has been seen; were it a shift, it would be asked for again. */
#define NO_SHIFT UINT64_MAX

/* What libdwfl says of a symbol. */
static bool ask(const struct bc_elf_symbols *symbols, uint32_t number, GElf_Sym *symbol,
		const char **name, uint64_t *address)
{
	GElf_Addr value;

	*name = dwfl_module_getsym_info(symbols->file->module, (int)number, symbol, &value, NULL,
					NULL, NULL);
	*address = value - symbols->file->bias;
	return *name;
}

/* Functions' values are addresses; on others libdwfl finds these, or clears a bit. */
static bool has_plain_values(const struct bc_dwarf_file *file)
{
	return file->machine != EM_ARM && file->machine != EM_PPC64;
}

/* The section of the table, if it is one of ELF's own with COUNT symbols. */
static Elf_Scn *find_table(Elf *elf, uint32_t count, GElf_Shdr *header)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, header) && header->sh_type == SHT_SYMTAB)
			return header->sh_entsize && header->sh_size / header->sh_entsize == count ?
				       scn :
				       NULL;
	return NULL;
}

/* As gelf_getsym, which takes a lock each time. */
static inline bool read_entry(const struct bc_elf_symbols *symbols, uint32_t number,
			      GElf_Sym *symbol)
{
	if (!symbols->entries)
		return gelf_getsym(symbols->data, (int)number, symbol);
	memcpy(symbol, (const char *)symbols->entries + number * sizeof(*symbol), sizeof(*symbol));
	return true;
}

static const char *name_of(const struct bc_elf_symbols *symbols, const GElf_Sym *symbol)
{
	return symbol->st_name < symbols->string_bytes ? symbols->strings + symbol->st_name : NULL;
}

/* Whether it is in a section, by its number. Absolute ones are in one too, behind all others. */
static bool find_section(const struct bc_elf_symbols *symbols, const GElf_Sym *symbol,
			 uint32_t *section)
{
	*section = symbol->st_shndx == SHN_ABS ? symbols->section_count : symbol->st_shndx;
	return *section < symbols->section_count || symbol->st_shndx == SHN_ABS;
}

/* Asks about the first symbol of each section; false: the table is not as libdwfl has it. */
static bool find_shifts(struct bc_elf_symbols *symbols)
{
	for (uint32_t i = 0; i <= symbols->section_count; i++)
		symbols->shift[i] = NO_SHIFT;
	for (uint32_t number = 1; number < symbols->count; number++) {
		GElf_Sym symbol, asked;
		const char *name;
		uint64_t address;
		uint32_t section;

		if (!read_entry(symbols, number, &symbol))
			return false;
		if (!find_section(symbols, &symbol, &section) ||
		    symbols->shift[section] != NO_SHIFT)
			continue;
		if (!ask(symbols, number, &asked, &name, &address) ||
		    name != name_of(symbols, &symbol))
			return false;
		symbols->shift[section] = address - symbol.st_value;
	}
	return true;
}

/* Takes the table as it stands in ELF; false: it cannot be. */
static bool take_table(struct bc_elf_symbols *symbols, Elf *elf, struct bc_arena *arena,
		       struct bc_err *err)
{
	GElf_Shdr header;
	Elf_Scn *scn = find_table(elf, symbols->count, &header);
	Elf_Scn *string_scn = scn ? elf_getscn(elf, header.sh_link) : NULL;
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	Elf_Data *strings = string_scn ? elf_getdata(string_scn, NULL) : NULL;
	size_t section_count;

	if (!data || !strings || !strings->d_size || elf_getshdrnum(elf, &section_count) ||
	    ((const char *)strings->d_buf)[strings->d_size - 1])
		return true;
	symbols->strings = strings->d_buf;
	symbols->string_bytes = strings->d_size;
	symbols->section_count = section_count < SHN_LORESERVE ? (uint32_t)section_count :
								 SHN_LORESERVE;
	symbols->shift = bc_arena_alloc(arena, (size_t)symbols->section_count + 1,
					sizeof(*symbols->shift), err);
	symbols->data = data;
	if (gelf_getclass(elf) == ELFCLASS64 && data->d_size / sizeof(GElf_Sym) >= symbols->count)
		symbols->entries = data->d_buf;
	if (!symbols->shift)
		return false;
	symbols->is_direct = find_shifts(symbols);
	return true;
}

bool bc_elf_symbols_open(struct bc_elf_symbols *symbols, const struct bc_dwarf_file *file,
			 struct bc_arena *arena, struct bc_err *err)
{
	int count = dwfl_module_getsymtab(file->module);
	GElf_Addr address;
	GElf_Sym symbol;
	Elf *elf = NULL;

	*symbols = (struct bc_elf_symbols){ .file = file,
					    .count = count > 0 ? (uint32_t)count : 0 };
	if (symbols->count < 2 || !has_plain_values(file) ||
	    !dwfl_module_getsym_info(file->module, 1, &symbol, &address, NULL, &elf, NULL) || !elf)
		return true;
	return take_table(symbols, elf, arena, err);
}

bool bc_elf_symbols_get(const struct bc_elf_symbols *symbols, uint32_t number,
			struct bc_elf_symbol *symbol)
{
	GElf_Sym found;
	uint32_t section;

	if (symbols->is_direct && read_entry(symbols, number, &found) &&
	    find_section(symbols, &found, &section)) {
		symbol->name = name_of(symbols, &found);
		symbol->address = found.st_value + symbols->shift[section];
	} else if (!ask(symbols, number, &found, &symbol->name, &symbol->address)) {
		return false;
	}
	symbol->size_bytes = found.st_size;
	symbol->type = GELF_ST_TYPE(found.st_info);
	symbol->binding = GELF_ST_BIND(found.st_info);
	symbol->section = found.st_shndx;
	symbol->is_defined = found.st_shndx != SHN_UNDEF;
	return symbol->name;
}

#define PART_WORDS 64u /* of bits, one per symbol, that a thread sets at once */

struct selection {
	const struct bc_elf_symbols *symbols;
	bool (*test)(const void *context, const struct bc_elf_symbol *symbol);
	const void *context;
	uint64_t *passed; /* bits by number */
};

/* Words of bits [begin, end). */
static void test_some(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct selection *selection = context;
	const struct bc_elf_symbols *symbols = selection->symbols;

	(void)worker;
	for (uint32_t number = begin * 64; number < end * 64 && number < symbols->count; number++) {
		struct bc_elf_symbol symbol;

		if (number && bc_elf_symbols_get(symbols, number, &symbol) &&
		    selection->test(selection->context, &symbol))
			selection->passed[number / 64] |= (uint64_t)1 << number % 64;
	}
}

bool bc_elf_symbols_select(uint32_t **numbers, uint32_t *count,
			   const struct bc_elf_symbols *symbols,
			   bool (*test)(const void *context, const struct bc_elf_symbol *symbol),
			   const void *context, struct bc_workers *workers, struct bc_arena *arena,
			   struct bc_err *err)
{
	struct selection selection = { symbols, test, context, NULL };
	uint32_t words = symbols->count / 64 + 1, passed = 0;

	*count = 0;
	selection.passed = bc_arena_zalloc(arena, words, sizeof(*selection.passed), err);
	if (!selection.passed)
		return false;
	bc_workers_share(symbols->is_direct ? workers : NULL, words, PART_WORDS, test_some,
			 &selection);
	for (uint32_t i = 0; i < words; i++)
		passed += bc_count_bits(selection.passed[i]);
	*numbers = bc_arena_alloc(arena, passed, sizeof(**numbers), err);
	if (!*numbers)
		return false;
	for (uint32_t i = 0; i < words; i++)
		for (uint64_t word = selection.passed[i]; word; word &= word - 1)
			(*numbers)[(*count)++] = i * 64 + (uint32_t)__builtin_ctzll(word);
	return true;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Relocations of the DWARF of a relocatable file, such as a kernel module: a
 * million of them. libdwfl takes some hundred instructions for each, a third of
 * all that encoding a module takes. Of the machines below, nearly all are a
 * symbol plus an addend in four or eight bytes, and these are applied here. What
 * a linker has yet to define is left as it is, as libdwfl does.
 */
#include "dwarf/relocate.h"

#include <gelf.h>
#include <string.h>

/* The types of relocations that write a sum into four and into eight bytes. */
struct kinds {
	uint16_t machine;
	uint32_t four, eight;
};

static const struct kinds all_kinds[] = {
	{ EM_X86_64, R_X86_64_32, R_X86_64_64 },
	{ EM_AARCH64, R_AARCH64_ABS32, R_AARCH64_ABS64 },
	{ EM_S390, R_390_32, R_390_64 },
};

enum standing { ODD, UNDEFINED, PLACED };

struct value {
	uint64_t value;
	enum standing standing;
};

/* What the relocations of one section work on. */
struct job {
	const struct kinds *kinds;
	const struct value *values; /* by number of the symbol */
	uint32_t value_count;
	bool swapped;
	uint8_t *bytes;
	uint64_t size_bytes;
};

static const struct kinds *find_kinds(uint16_t machine)
{
	for (size_t i = 0; i < sizeof(all_kinds) / sizeof(all_kinds[0]); i++)
		if (all_kinds[i].machine == machine)
			return &all_kinds[i];
	return NULL;
}

static struct value value_of(const struct bc_elf_symbols *symbols, uint32_t number)
{
	struct bc_elf_symbol symbol;

	if (!bc_elf_symbols_get(symbols, number, &symbol) ||
	    (symbol.section >= SHN_LORESERVE && symbol.section != SHN_ABS))
		return (struct value){ 0, ODD };
	return (struct value){ symbol.address, symbol.is_defined ? PLACED : UNDEFINED };
}

static void store(const struct job *job, uint64_t offset, uint64_t value, uint8_t bytes)
{
	uint32_t half = (uint32_t)value;

	if (job->swapped) {
		value = __builtin_bswap64(value);
		half = __builtin_bswap32(half);
	}
	if (bytes == sizeof(half))
		memcpy(job->bytes + offset, &half, sizeof(half));
	else
		memcpy(job->bytes + offset, &value, sizeof(value));
}

static inline bool apply_one(const struct job *job, const GElf_Rela *relocation)
{
	uint32_t type = (uint32_t)GELF_R_TYPE(relocation->r_info);
	uint64_t number = GELF_R_SYM(relocation->r_info);
	uint8_t bytes = type == job->kinds->four ? 4 : 8;

	if ((bytes == 8 && type != job->kinds->eight) || bytes > job->size_bytes ||
	    relocation->r_offset > job->size_bytes - bytes || number >= job->value_count ||
	    job->values[number].standing == ODD)
		return false;
	if (job->values[number].standing == PLACED)
		store(job, relocation->r_offset,
		      job->values[number].value + (uint64_t)relocation->r_addend, bytes);
	return true;
}

static bool apply_all(const struct job *job, Elf_Scn *scn, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(scn, NULL);

	if (!data || data->d_type != ELF_T_RELA || data->d_size != header->sh_size ||
	    data->d_size % sizeof(GElf_Rela))
		return false;
	for (size_t at = 0; at < data->d_size; at += sizeof(GElf_Rela)) {
		GElf_Rela relocation;

		memcpy(&relocation, (const char *)data->d_buf + at, sizeof(relocation));
		if (!apply_one(job, &relocation))
			return false;
	}
	return true;
}

static bool is_section_of(const struct bc_dwarf_file *file, const Elf_Data *data)
{
	for (int i = 0; i < BC_DEBUG_SECTIONS; i++)
		if (file->sections[i].size_bytes && file->sections[i].data == data->d_buf)
			return true;
	return false;
}

/* All sections' relocations; JOB has what they share. */
static bool relocate(struct job *job, const struct bc_dwarf_file *file, Elf *elf)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Scn *relocated;
		Elf_Data *data;
		GElf_Shdr header;

		if (!gelf_getshdr(scn, &header))
			return false;
		if ((header.sh_type != SHT_REL && header.sh_type != SHT_RELA) || !header.sh_size)
			continue;
		relocated = elf_getscn(elf, header.sh_info);
		data = relocated ? elf_getdata(relocated, NULL) : NULL;
		if (!data || !is_section_of(file, data))
			continue;
		job->bytes = data->d_buf;
		job->size_bytes = data->d_size;
		if (header.sh_type != SHT_RELA || !apply_all(job, scn, &header))
			return false;
	}
	return true;
}

bool bc_relocate(const struct bc_dwarf_file *file, Elf *elf, const struct bc_elf_symbols *symbols,
		 struct bc_arena *scratch, struct bc_err *err)
{
	struct value *values = bc_arena_alloc(scratch, symbols->count, sizeof(*values), err);
	struct job job = {
		.kinds = find_kinds(file->machine),
		.values = values,
		.value_count = symbols->count,
		.swapped = file->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
	};

	if (!values || !job.kinds || !symbols->count)
		return false;
	/* Without a symbol: of a section that starts at zero, whose own symbol was stripped. */
	values[0] = (struct value){ 0, PLACED };
	for (uint32_t number = 1; number < symbols->count; number++)
		values[number] = value_of(symbols, number);
	return relocate(&job, file, elf);
}

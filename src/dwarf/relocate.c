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

#include "base/bits.h"

/* Bytes that a relocation writes; 0: nothing. */
struct kind {
	uint16_t machine;
	uint16_t type;
	uint8_t bytes;
};

static const struct kind kinds[] = {
	{ EM_X86_64, R_X86_64_32, 4 },      { EM_X86_64, R_X86_64_64, 8 },
	{ EM_AARCH64, R_AARCH64_ABS32, 4 }, { EM_AARCH64, R_AARCH64_ABS64, 8 },
	{ EM_S390, R_390_32, 4 },           { EM_S390, R_390_64, 8 },
};

/* What the relocations of one section work on. */
struct job {
	const struct bc_elf_symbols *symbols;
	uint16_t machine;
	bool swapped;
	uint8_t *bytes;
	uint64_t size_bytes;
};

static const struct kind *find_kind(uint16_t machine, uint64_t type)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].machine == machine && kinds[i].type == type)
			return &kinds[i];
	return NULL;
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

static bool apply_one(const struct job *job, const GElf_Rela *relocation)
{
	const struct kind *kind = find_kind(job->machine, GELF_R_TYPE(relocation->r_info));
	uint64_t number = GELF_R_SYM(relocation->r_info);
	struct bc_elf_symbol symbol;

	if (!kind || kind->bytes > job->size_bytes ||
	    relocation->r_offset > job->size_bytes - kind->bytes || number >= job->symbols->count ||
	    !bc_elf_symbols_get(job->symbols, (uint32_t)number, &symbol))
		return false;
	if (symbol.section >= SHN_LORESERVE && symbol.section != SHN_ABS)
		return false;
	if (symbol.is_defined)
		store(job, relocation->r_offset, symbol.address + (uint64_t)relocation->r_addend,
		      kind->bytes);
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

/* The section of FILE that is DATA, or NULL. */
static const struct bc_dwarf_section *section_of(const struct bc_dwarf_file *file,
						 const Elf_Data *data)
{
	for (int i = 0; i < BC_DEBUG_SECTIONS; i++)
		if (file->sections[i].size_bytes && file->sections[i].data == data->d_buf)
			return &file->sections[i];
	return NULL;
}

bool bc_relocate(const struct bc_dwarf_file *file, Elf *elf, const struct bc_elf_symbols *symbols)
{
	struct job job = {
		.symbols = symbols,
		.machine = file->machine,
		.swapped = file->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
	};
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		const struct bc_dwarf_section *section;
		Elf_Scn *relocated;
		Elf_Data *data;
		GElf_Shdr header;

		if (!gelf_getshdr(scn, &header))
			return false;
		if ((header.sh_type != SHT_REL && header.sh_type != SHT_RELA) || !header.sh_size)
			continue;
		relocated = elf_getscn(elf, header.sh_info);
		data = relocated ? elf_getdata(relocated, NULL) : NULL;
		section = data ? section_of(file, data) : NULL;
		if (!section)
			continue;
		job.bytes = data->d_buf;
		job.size_bytes = data->d_size;
		if (header.sh_type != SHT_RELA || !apply_all(&job, scn, &header))
			return false;
	}
	return true;
}

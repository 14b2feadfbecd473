/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Relocations of the DWARF of a relocatable file, such as a kernel module: a
 * million of them. libdwfl takes some hundred instructions for each, a third of
 * all that encoding a module takes. Of the machines below, nearly all are a
 * symbol plus an addend in four or eight bytes, and these are applied here. What
 * a linker has yet to define is left as it is, as libdwfl does.
 *
 * Nearly all are of .debug_info, which is read unit by unit into memory of a
 * thread. There they are applied: the pages of the file stay as they are, so that
 * none has to be copied.
 */
#include "dwarf/relocate.h"

#include <gelf.h>
#include <string.h>

#include "base/search.h"

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

/* The relocations of a file; what they have in common. */
struct bc_relocations {
	const struct kinds *kinds;
	const struct value *values; /* by number of the symbol */
	uint32_t value_count;
	bool swapped;
	/* Of .debug_info, by offset: GElf_Rela, aligned or not. NULL: applied. */
	const char *entries;
	uint32_t count;
	const uint8_t *strings; /* .debug_str */
	uint64_t strings_bytes;
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

static inline GElf_Rela entry_at(const char *entries, size_t index)
{
	GElf_Rela entry;

	memcpy(&entry, entries + index * sizeof(entry), sizeof(entry));
	return entry;
}

static inline uint8_t bytes_of(const struct bc_relocations *relocations, const GElf_Rela *entry)
{
	return (uint32_t)GELF_R_TYPE(entry->r_info) == relocations->kinds->four ? 4 : 8;
}

/* What an entry places is most often a name, which is read soon. */
static inline void fetch(const struct bc_relocations *relocations, const GElf_Rela *entry)
{
	if ((uint64_t)entry->r_addend < relocations->strings_bytes)
		__builtin_prefetch(relocations->strings + entry->r_addend);
}

/* Applies an entry to BYTES, which are those where it says. */
static inline void store(const struct bc_relocations *relocations, const GElf_Rela *entry,
			 uint8_t *bytes)
{
	const struct value *symbol = &relocations->values[GELF_R_SYM(entry->r_info)];
	uint64_t value = symbol->value + (uint64_t)entry->r_addend;
	uint32_t half = (uint32_t)value;

	if (symbol->standing != PLACED)
		return;
	if (relocations->swapped) {
		value = __builtin_bswap64(value);
		half = __builtin_bswap32(half);
	}
	if (bytes_of(relocations, entry) == sizeof(half))
		memcpy(bytes, &half, sizeof(half));
	else
		memcpy(bytes, &value, sizeof(value));
}

/*
 * Whether all entries for a section of SIZE_BYTES can be applied here. *ASCENDS: they
 * are in the order of their places.
 */
static bool check_all(const struct bc_relocations *relocations, const char *entries, size_t count,
		      uint64_t size_bytes, bool *ascends)
{
	uint64_t last = 0;

	*ascends = true;
	for (size_t i = 0; i < count; i++) {
		GElf_Rela entry = entry_at(entries, i);
		uint64_t number = GELF_R_SYM(entry.r_info);
		uint8_t bytes = bytes_of(relocations, &entry);

		if ((bytes == 8 &&
		     (uint32_t)GELF_R_TYPE(entry.r_info) != relocations->kinds->eight) ||
		    bytes > size_bytes || entry.r_offset > size_bytes - bytes ||
		    number >= relocations->value_count ||
		    relocations->values[number].standing == ODD)
			return false;
		*ascends &= entry.r_offset >= last;
		last = entry.r_offset;
	}
	return true;
}

/* Applies the entries of a section, or keeps them for what is read of it. */
static bool take_entries(struct bc_relocations *relocations, Elf_Scn *scn, uint64_t entry_bytes,
			 const Elf_Data *relocated, bool may_wait)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t count = data ? data->d_size / sizeof(GElf_Rela) : 0;
	bool ascends;

	if (!data || data->d_type != ELF_T_RELA || data->d_size != entry_bytes ||
	    data->d_size % sizeof(GElf_Rela) ||
	    !check_all(relocations, data->d_buf, count, relocated->d_size, &ascends))
		return false;
	if (may_wait && ascends && !relocations->entries && count <= UINT32_MAX) {
		relocations->entries = data->d_buf;
		relocations->count = (uint32_t)count;
		return true;
	}
	for (size_t i = 0; i < count; i++) {
		GElf_Rela entry = entry_at(data->d_buf, i);

		store(relocations, &entry, (uint8_t *)relocated->d_buf + entry.r_offset);
	}
	return true;
}

/* The number of the section of FILE that DATA is, or BC_DEBUG_SECTIONS. */
static int find_section(const struct bc_dwarf_file *file, const Elf_Data *data)
{
	for (int i = 0; i < BC_DEBUG_SECTIONS; i++)
		if (file->sections[i].size_bytes && file->sections[i].data == data->d_buf)
			return i;
	return BC_DEBUG_SECTIONS;
}

static bool take_all(struct bc_relocations *relocations, const struct bc_dwarf_file *file, Elf *elf)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Scn *relocated;
		Elf_Data *data;
		GElf_Shdr header;
		int section;

		if (!gelf_getshdr(scn, &header))
			return false;
		if ((header.sh_type != SHT_REL && header.sh_type != SHT_RELA) || !header.sh_size)
			continue;
		relocated = elf_getscn(elf, header.sh_info);
		data = relocated ? elf_getdata(relocated, NULL) : NULL;
		section = data ? find_section(file, data) : BC_DEBUG_SECTIONS;
		if (section == BC_DEBUG_SECTIONS)
			continue;
		if (header.sh_type != SHT_RELA ||
		    !take_entries(relocations, scn, header.sh_size, data, section == BC_DEBUG_INFO))
			return false;
	}
	return true;
}

bool bc_relocate(struct bc_dwarf_file *file, Elf *elf, const struct bc_elf_symbols *symbols,
		 struct bc_err *err)
{
	struct bc_relocations *relocations = bc_arena_zalloc(&file->arena, 1, sizeof(*relocations),
							     err);
	struct value *values = bc_arena_alloc(&file->arena, symbols->count, sizeof(*values), err);

	if (!relocations || !values || !symbols->count)
		return false;
	/* Without a symbol: of a section that starts at zero, whose own symbol was stripped. */
	values[0] = (struct value){ 0, PLACED };
	for (uint32_t number = 1; number < symbols->count; number++)
		values[number] = value_of(symbols, number);
	*relocations = (struct bc_relocations){
		.kinds = find_kinds(file->machine),
		.values = values,
		.value_count = symbols->count,
		.swapped = file->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
		.strings = file->sections[BC_DEBUG_STR].data,
		.strings_bytes = file->sections[BC_DEBUG_STR].size_bytes,
	};
	if (!relocations->kinds || !take_all(relocations, file, elf))
		return false;
	file->relocations = relocations;
	return true;
}

/* Applies an entry to those of its bytes that are among the SIZE_BYTES from OFFSET. */
static void store_some(const struct bc_relocations *relocations, const GElf_Rela *entry,
		       uint64_t offset, uint8_t *bytes, size_t size_bytes)
{
	uint8_t all[8];

	if (relocations->values[GELF_R_SYM(entry->r_info)].standing != PLACED)
		return;
	store(relocations, entry, all);
	for (uint8_t i = 0; i < bytes_of(relocations, entry); i++)
		if (entry->r_offset + i - offset < size_bytes)
			bytes[entry->r_offset + i - offset] = all[i];
}

void bc_relocate_part(const struct bc_relocations *relocations, uint64_t offset, uint8_t *bytes,
		      size_t size_bytes)
{
	struct bc_search search = bc_search_among(relocations->count);
	uint64_t end = offset + size_bytes;

	while (bc_search_goes_on(&search))
		bc_search_step(&search,
			       entry_at(relocations->entries, search.middle).r_offset + 7 < offset);
	for (uint32_t i = search.low; i < relocations->count; i++) {
		GElf_Rela entry = entry_at(relocations->entries, i);

		if (entry.r_offset >= end)
			break;
		if (entry.r_offset >= offset &&
		    bytes_of(relocations, &entry) <= end - entry.r_offset)
			store(relocations, &entry, bytes + (entry.r_offset - offset));
		else
			store_some(relocations, &entry, offset, bytes, size_bytes);
		fetch(relocations, &entry);
	}
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/places.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "base/search.h"

#define PERCPU_SECTION ".data..percpu"
#define NAME_MAX_BYTES 511u /* what kernels take, as for other names */

/* As kernels check names of sections: printable ASCII. */
static bool is_section_name(const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < length; i++)
		if (name[i] < ' ' || name[i] > '~')
			return false;
	return length && length <= NAME_MAX_BYTES;
}

static bool is_wanted(const GElf_Shdr *header, const char *name, const struct bc_features *features)
{
	bool is_percpu = !strcmp(name, PERCPU_SECTION);

	if (!(header->sh_flags & SHF_ALLOC) || header->sh_flags & SHF_TLS || !header->sh_size ||
	    (header->sh_type != SHT_PROGBITS && header->sh_type != SHT_NOBITS))
		return false;
	return (features->with_global_var || (features->with_var && is_percpu)) &&
	       is_section_name(name);
}

static Elf *open_elf(const struct bc_dwarf_file *file, size_t *names, size_t *section_count)
{
	Elf *elf = bc_dwarf_elf(file);

	return elf && !elf_getshdrstrndx(elf, names) && !elf_getshdrnum(elf, section_count) ? elf :
											      NULL;
}

static void add_sections(struct bc_places *places, const struct bc_dwarf_file *file,
			 const struct bc_features *features)
{
	size_t names, section_count;
	Elf *elf = open_elf(file, &names, &section_count);
	Elf_Scn *scn = NULL;

	while (elf && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(scn, &header))
			return;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && is_wanted(&header, name, features))
			places->sections[places->count++] = (struct bc_place_section){
				file, name, header.sh_addr, header.sh_size
			};
	}
}

static int compare_sections(const void *a, const void *b)
{
	const struct bc_place_section *one = a, *other = b;

	if (one->file != other->file)
		return one->file < other->file ? -1 : 1;
	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	if (one->size_bytes != other->size_bytes)
		return one->size_bytes < other->size_bytes ? -1 : 1;
	return strcmp(one->name, other->name);
}

static int compare_firsts(const void *a, const void *b)
{
	const struct bc_first_object *one = a, *other = b;

	if (one->section != other->section)
		return one->section < other->section ? -1 : 1;
	return strcmp(one->name, other->name);
}

/* What is_first looks at. */
struct looking {
	const struct bc_places *places;
	const struct bc_dwarf_file *file;
};

static bool is_first(const void *context, const struct bc_elf_symbol *symbol)
{
	const struct looking *looking = context;
	uint32_t section, offset;

	return symbol->type == STT_OBJECT && symbol->is_defined &&
	       bc_places_find(looking->places, looking->file, symbol->address, &section, &offset) &&
	       !offset;
}

static bool add_firsts(struct bc_places *places, const struct bc_elf_symbols *table,
		       uint32_t *limit, struct bc_workers *workers, struct bc_err *err)
{
	const struct looking looking = { places, table->file };
	uint32_t *numbers, count;

	if (!bc_elf_symbols_select(&numbers, &count, table, is_first, &looking, workers,
				   &places->arena, err) ||
	    !bc_make_room(&places->firsts, limit, (uint64_t)places->first_count + count,
			  sizeof(*places->firsts), err))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		struct bc_first_object *first = &places->firsts[places->first_count];
		struct bc_elf_symbol symbol;
		uint32_t offset;

		if (!bc_elf_symbols_get(table, numbers[i], &symbol) ||
		    !bc_places_find(places, table->file, symbol.address, &first->section, &offset))
			continue;
		first->name = symbol.name;
		places->first_count++;
	}
	return true;
}

bool bc_places_read(struct bc_places *places, const struct bc_elf_symbols *tables, uint32_t count,
		    const struct bc_features *features, struct bc_workers *workers,
		    struct bc_err *err)
{
	size_t names, section_count, all = 0;
	uint32_t limit = 0;

	*places = (struct bc_places){ 0 };
	for (uint32_t i = 0; i < count; i++)
		all += open_elf(tables[i].file, &names, &section_count) ? section_count : 0;
	places->sections = bc_arena_alloc(&places->arena, all, sizeof(*places->sections), err);
	if (!places->sections)
		return false;
	for (uint32_t i = 0; i < count; i++)
		add_sections(places, tables[i].file, features);
	qsort(places->sections, places->count, sizeof(*places->sections), compare_sections);
	for (uint32_t i = 0; places->count && i < count; i++)
		if (!add_firsts(places, &tables[i], &limit, workers, err))
			return false;
	if (places->first_count)
		qsort(places->firsts, places->first_count, sizeof(*places->firsts), compare_firsts);
	return true;
}

void bc_places_free(struct bc_places *places)
{
	free(places->firsts);
	bc_arena_free(&places->arena);
	*places = (struct bc_places){ 0 };
}

bool bc_places_find(const struct bc_places *places, const struct bc_dwarf_file *file,
		    uint64_t address, uint32_t *section, uint32_t *offset)
{
	struct bc_search search = bc_search_among(places->count);
	const struct bc_place_section *at;

	while (bc_search_goes_on(&search)) {
		at = &places->sections[search.middle];
		bc_search_step(&search,
			       at->file < file || (at->file == file && at->address <= address));
	}
	if (!search.low)
		return false;
	at = &places->sections[search.low - 1];
	if (at->file != file || address - at->address >= at->size_bytes ||
	    address - at->address > UINT32_MAX)
		return false;
	*section = search.low - 1;
	*offset = (uint32_t)(address - at->address);
	return true;
}

/* As compare_firsts, with a name and what stands right behind it. */
static int compare_with_name(const struct bc_first_object *first, uint32_t section,
			     const char *name, size_t length, char behind)
{
	int order;

	if (first->section != section)
		return first->section < section ? -1 : 1;
	order = strncmp(first->name, name, length);
	return order ? order : (unsigned char)first->name[length] - (unsigned char)behind;
}

static bool has_first(const struct bc_places *places, uint32_t section, const char *name,
		      size_t length, char behind)
{
	struct bc_search search = bc_search_among(places->first_count);

	while (bc_search_goes_on(&search))
		bc_search_step(&search, compare_with_name(&places->firsts[search.middle], section,
							  name, length, behind) < 0);
	return search.low < places->first_count &&
	       !compare_with_name(&places->firsts[search.low], section, name, length, behind);
}

bool bc_places_has_first(const struct bc_places *places, uint32_t section, const char *name)
{
	size_t length = strlen(name);

	return has_first(places, section, name, length, '\0') ||
	       has_first(places, section, name, length, '.');
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/kfuncs.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"

#define PREFIX "__BTF_ID__"
#define SET_PREFIX PREFIX "set8__"
#define FUNC_PREFIX PREFIX "func__"
#define SET_HOLDS_KFUNCS 1u /* BTF_SET8_KFUNCS */

struct set {
	uint64_t begin, end;
	uint64_t last_end; /* of this and those that begin before it */
};

struct ids {
	Elf_Data *data;
	uint64_t address;
	bool big_endian;
	struct set *sets;
	uint32_t set_count;
};

static bool find_section(struct ids *ids, const struct bc_dwarf_file *file)
{
	Elf *elf = bc_dwarf_elf(file);
	Elf_Scn *scn = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(scn, &header))
			return false;
		name = elf_strptr(elf, names, header.sh_name);
		if (!name || strcmp(name, ".BTF_ids") || header.sh_type == SHT_NOBITS)
			continue;
		ids->data = elf_rawdata(scn, NULL);
		ids->address = header.sh_addr;
		ids->big_endian = file->big_endian;
		return ids->data && ids->data->d_buf;
	}
	return false;
}

/* The word at ADDRESS; false where it is not in the section. */
static bool read_word(const struct ids *ids, uint64_t address, uint32_t *word)
{
	uint64_t offset = address - ids->address;

	if (ids->data->d_size < 4 || offset > ids->data->d_size - 4)
		return false;
	memcpy(word, (const char *)ids->data->d_buf + offset, sizeof(*word));
	if (ids->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		*word = __builtin_bswap32(*word);
	return true;
}

static int compare_sets(const void *a, const void *b)
{
	const struct set *one = a, *other = b;

	return (one->begin > other->begin) - (one->begin < other->begin);
}

static void sort_sets(struct ids *ids)
{
	uint64_t last_end = 0;

	qsort(ids->sets, ids->set_count, sizeof(*ids->sets), compare_sets);
	for (uint32_t i = 0; i < ids->set_count; i++) {
		last_end = ids->sets[i].end > last_end ? ids->sets[i].end : last_end;
		ids->sets[i].last_end = last_end;
	}
}

static bool begins_with(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

static bool is_of_ids(const void *context, const struct bc_elf_symbol *symbol)
{
	(void)context;
	return begins_with(symbol->name, PREFIX);
}

static void find_sets(struct ids *ids, const struct bc_elf_symbols *table, const uint32_t *numbers,
		      uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct bc_elf_symbol symbol;
		uint32_t flags;

		/* A set begins with the number of its members, then flags. */
		if (bc_elf_symbols_get(table, numbers[i], &symbol) &&
		    begins_with(symbol.name, SET_PREFIX) &&
		    read_word(ids, symbol.address + 4, &flags) && flags & SET_HOLDS_KFUNCS)
			ids->sets[ids->set_count++] = (struct set){
				symbol.address, symbol.address + symbol.size_bytes, 0
			};
	}
	sort_sets(ids);
}

static bool is_in_set(const struct ids *ids, uint64_t address)
{
	struct bc_search search = bc_search_among(ids->set_count);

	while (bc_search_goes_on(&search))
		bc_search_step(&search, ids->sets[search.middle].begin <= address);
	return search.low && address < ids->sets[search.low - 1].last_end;
}

/* "__BTF_ID__func__NAME__7": the name, without what makes the symbol unique. */
static bool add_kfunc(struct bc_kfunc *kfunc, const char *symbol, uint32_t flags,
		      struct bc_arena *arena, struct bc_err *err)
{
	const char *begin = symbol + strlen(FUNC_PREFIX), *end = begin + strlen(begin);
	char *name;

	while (end > begin && end[-1] >= '0' && end[-1] <= '9')
		end--;
	if (end - begin > 2 && end[-1] == '_' && end[-2] == '_')
		end -= 2;
	name = bc_arena_zalloc(arena, (size_t)(end - begin) + 1, 1, err);
	if (!name)
		return false;
	memcpy(name, begin, (size_t)(end - begin));
	kfunc->name = name;
	kfunc->flags = flags;
	return true;
}

static int compare_kfuncs(const void *a, const void *b)
{
	const struct bc_kfunc *one = a, *other = b;

	return strcmp(one->name, other->name);
}

/* Sorts; of several of one name one stays, with the flags of all. */
static uint32_t unite(struct bc_kfunc *kfuncs, uint32_t count)
{
	uint32_t kept = 0;

	qsort(kfuncs, count, sizeof(*kfuncs), compare_kfuncs);
	for (uint32_t i = 0; i < count; i++) {
		if (kept && !strcmp(kfuncs[kept - 1].name, kfuncs[i].name))
			kfuncs[kept - 1].flags |= kfuncs[i].flags;
		else
			kfuncs[kept++] = kfuncs[i];
	}
	return kept;
}

/* Adds those of a table's file, unsorted; there is room for as many as it has symbols. */
static bool add_file(struct bc_kfuncs *kfuncs, const struct bc_elf_symbols *table,
		     struct bc_workers *workers, struct bc_arena *arena, struct bc_err *err)
{
	uint32_t *numbers, count;
	struct ids ids = { 0 };

	if (!find_section(&ids, table->file))
		return true;
	if (!bc_elf_symbols_select(&numbers, &count, table, is_of_ids, NULL, workers, arena, err))
		return false;
	ids.sets = bc_arena_alloc(arena, count, sizeof(*ids.sets), err);
	if (!ids.sets)
		return false;
	find_sets(&ids, table, numbers, count);
	for (uint32_t i = 0; i < count; i++) {
		struct bc_elf_symbol symbol;
		uint32_t flags;

		if (bc_elf_symbols_get(table, numbers[i], &symbol) &&
		    begins_with(symbol.name, FUNC_PREFIX) && is_in_set(&ids, symbol.address) &&
		    read_word(&ids, symbol.address + 4, &flags) &&
		    !add_kfunc(&kfuncs->items[kfuncs->count++], symbol.name, flags, arena, err))
			return false;
	}
	return true;
}

bool bc_kfuncs_read(struct bc_kfuncs *kfuncs, const struct bc_elf_symbols *tables, uint32_t count,
		    struct bc_workers *workers, struct bc_arena *arena, struct bc_err *err)
{
	size_t symbol_count = 0;

	for (uint32_t i = 0; i < count; i++)
		symbol_count += tables[i].count;
	*kfuncs = (struct bc_kfuncs){ 0 };
	kfuncs->items = bc_arena_alloc(arena, symbol_count, sizeof(*kfuncs->items), err);
	if (!kfuncs->items)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!add_file(kfuncs, &tables[i], workers, arena, err))
			return false;
	kfuncs->count = unite(kfuncs->items, kfuncs->count);
	return true;
}

uint32_t bc_kfunc_flags(const struct bc_kfuncs *kfuncs, const char *name)
{
	struct bc_kfunc key = { .name = name };
	const struct bc_kfunc *found = kfuncs->count ? bsearch(&key, kfuncs->items, kfuncs->count,
							       sizeof(key), compare_kfuncs) :
						       NULL;

	return found ? found->flags : 0;
}

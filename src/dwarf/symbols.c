/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/symbols.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* A symbol as it comes: the base name is the first LENGTH bytes. */
struct found {
	const char *name;
	size_t length;
	bool is_strong;
	struct bc_symbol_address address;
};

struct bc_symbol_entry {
	UT_hash_handle hh;
	uint32_t number;
};

struct finder {
	struct found *found;
	size_t count, limit;
	struct bc_err *err;
};

static bool add_found(struct finder *finder, const struct bc_dwarf_file *file, const char *name,
		      uint64_t address, const GElf_Sym *symbol)
{
	uint32_t binding = GELF_ST_BIND(symbol->st_info);
	const char *dot = strchr(name, '.');
	size_t length = dot ? (size_t)(dot - name) : strlen(name);

	if (!length || (dot && (strstr(dot, ".cold") || strstr(dot, ".part"))))
		return true;
	if (finder->count == finder->limit) {
		size_t limit = finder->limit ? 2 * finder->limit : 4096;
		struct found *grown = realloc(finder->found, limit * sizeof(*grown));

		if (!grown)
			return bc_err_memory(finder->err, limit * sizeof(*grown));
		finder->found = grown;
		finder->limit = limit;
	}
	finder->found[finder->count++] = (struct found){
		.name = name,
		.length = length,
		.is_strong = binding == STB_GLOBAL,
		.address = {
			.file = file,
			.address = address,
			.size_bytes = symbol->st_size,
			.full_name = name,
			.is_optimized =
				dot && (strstr(dot, ".isra") || strstr(dot, ".constprop")),
			.is_weak = binding == STB_WEAK,
		},
	};
	return true;
}

static bool find_in_file(struct finder *finder, const struct bc_dwarf_file *file)
{
	int count = dwfl_module_getsymtab(file->module);

	for (int i = 1; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		GElf_Word section;
		const char *name = dwfl_module_getsym_info(file->module, i, &symbol, &address,
							   &section, NULL, NULL);

		if (!name || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
		    symbol.st_shndx == SHN_UNDEF)
			continue;
		if (!add_found(finder, file, name, address - file->bias, &symbol))
			return false;
	}
	return true;
}

static int compare_found(const void *a, const void *b)
{
	const struct found *one = a, *other = b;
	size_t shorter = one->length < other->length ? one->length : other->length;
	int order = memcmp(one->name, other->name, shorter);

	if (!order)
		order = (one->length > other->length) - (one->length < other->length);
	if (!order)
		order = (one->address.file > other->address.file) -
			(one->address.file < other->address.file);
	if (!order)
		order = (one->address.address > other->address.address) -
			(one->address.address < other->address.address);
	if (!order)
		order = one->address.is_optimized - other->address.is_optimized;
	return order ? order :
		       (one->address.size_bytes < other->address.size_bytes) -
			       (one->address.size_bytes > other->address.size_bytes);
}

/* Whether both are one place, or a linker would keep one of them only. */
static bool is_one_place(const struct bc_symbol_address *a, const struct bc_symbol_address *b)
{
	return a->file == b->file ? a->address == b->address : a->is_weak && b->is_weak;
}

static void take_addresses(struct bc_symbol *symbol, const struct found *found, size_t count)
{
	bool has_strong = false;

	for (size_t i = 0; i < count; i++)
		has_strong |= found[i].is_strong;
	for (size_t i = 0; i < count; i++) {
		const struct bc_symbol_address *address = &found[i].address, *last = NULL;

		if (has_strong && address->is_weak)
			continue;
		if (symbol->address_count)
			last = &symbol->addresses[symbol->address_count - 1];
		if (last && last->file == address->file && last->address == address->address)
			continue;
		symbol->is_ambiguous |= last && !is_one_place(last, address);
		symbol->addresses[symbol->address_count++] = *address;
	}
}

static bool add_symbol(struct bc_symbols *symbols, const struct found *found, size_t count,
		       struct bc_err *err)
{
	struct bc_symbol *symbol = &symbols->symbols[symbols->count];
	char *name = bc_arena_alloc(&symbols->arena, found->length + 1, 1, err);
	struct bc_symbol_entry *entry = bc_arena_alloc(&symbols->arena, 1, sizeof(*entry), err);

	symbol->addresses = bc_arena_alloc(&symbols->arena, count, sizeof(*symbol->addresses), err);
	if (!name || !entry || !symbol->addresses)
		return false;
	memcpy(name, found->name, found->length);
	name[found->length] = '\0';
	symbol->name = name;
	take_addresses(symbol, found, count);
	entry->number = symbols->count++;
	HASH_ADD_KEYPTR(hh, symbols->table, name, found->length, entry);
	return HASH_COUNT(symbols->table) == symbols->count || bc_err_memory(err, sizeof(*entry));
}

static bool take_found(struct bc_symbols *symbols, struct finder *finder)
{
	size_t begin, i;

	if (finder->count)
		qsort(finder->found, finder->count, sizeof(*finder->found), compare_found);
	symbols->symbols = bc_arena_zalloc(&symbols->arena, finder->count,
					   sizeof(*symbols->symbols), finder->err);
	if (!symbols->symbols)
		return false;
	for (begin = 0; begin < finder->count; begin = i) {
		const struct found *first = &finder->found[begin];

		for (i = begin + 1; i < finder->count && finder->found[i].length == first->length &&
				    !memcmp(finder->found[i].name, first->name, first->length);
		     i++)
			;
		if (!add_symbol(symbols, first, i - begin, finder->err))
			return false;
	}
	return true;
}

bool bc_symbols_read(struct bc_symbols *symbols, const struct bc_dwarf_file *files, uint32_t count,
		     struct bc_err *err)
{
	struct finder finder = { .err = err };
	bool done = true;

	*symbols = (struct bc_symbols){ 0 };
	for (uint32_t i = 0; done && i < count; i++)
		done = find_in_file(&finder, &files[i]);
	done = done && take_found(symbols, &finder);
	free(finder.found);
	return done;
}

void bc_symbols_free(struct bc_symbols *symbols)
{
	HASH_CLEAR(hh, symbols->table);
	bc_arena_free(&symbols->arena);
	*symbols = (struct bc_symbols){ 0 };
}

uint32_t bc_symbols_find(const struct bc_symbols *symbols, const char *name)
{
	struct bc_symbol_entry *entry;

	HASH_FIND(hh, symbols->table, name, strlen(name), entry);
	return entry ? entry->number + 1 : 0;
}

const struct bc_symbol_address *bc_symbol_at(const struct bc_symbol *symbol,
					     const struct bc_dwarf_file *file, uint64_t address)
{
	const struct bc_symbol_address *at;
	uint32_t low = 0, high = symbol->address_count;

	/* They are sorted by file and address. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		at = &symbol->addresses[middle];
		if (at->file < file || (at->file == file && at->address <= address))
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	at = &symbol->addresses[low - 1];
	return at->file == file &&
			       (at->address == address || address - at->address < at->size_bytes) ?
		       at :
		       NULL;
}

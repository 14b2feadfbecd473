/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * 1. [note_names] (threads) how long the base name of each function is, and its hash;
 * 2. [deal] by another hash, the same in each run, symbols go to shards;
 * 3. [build_shards] (threads) each shard has a hash table of its own: what is of one name
 *    becomes a symbol, with its addresses, each once.
 * A name is compared as often as a symbol has it, or its hash.
 */
#include "dwarf/symbols.h"

#include <elf.h>
#include <string.h>

#include "base/hash.h"
#include "base/order.h"
#include "base/search.h"

#define PART 4096u /* symbols of which a thread notes the names at once */

/* What a symbol's name says: later its text is far away. */
struct noted {
	uint32_t hash, length; /* of the base name; length 0: it does not count */
	uint8_t shard;
	bool has_suffix, is_optimized;
};

/* Number of a table, and of a symbol in it. */
struct place {
	uint32_t table, number;
};

/* A symbol that counts. */
struct found {
	bool is_strong;
	uint32_t next; /* of the same name, 1 the first; 0: none */
	struct bc_symbol_address address;
};

struct bc_symbol_slot {
	uint32_t hash, number; /* number + 1; 0: free */
};

struct finder {
	struct bc_symbols *symbols;
	const struct bc_elf_symbols *tables;
	uint32_t table_count;
	struct noted **noted; /* by table, by number in it */
	struct place *places; /* those of a shard together, in the order of the tables */
	uint32_t begin[BC_SYMBOL_SHARDS + 1]; /* where those of a shard begin, and its symbols */
	struct bc_symbol_address *addresses;
	struct bc_arena scratch;
	struct bc_err *err;
	struct bc_shared_err trouble;
};

/* ---- 1. names ---- */

/* The same in each run, as numbers go by shards: messages name what comes first. */
static uint8_t shard_of(const char *name, size_t length)
{
	return (uint8_t)(bc_hash_bytes(0, name, length) % BC_SYMBOL_SHARDS);
}

struct note_job {
	const struct bc_elf_symbols *table;
	uint64_t hash_seed;
	struct noted *noted;
};

static bool is_piece(const char *suffix)
{
	return strstr(suffix, ".cold") || strstr(suffix, ".part");
}

static bool is_optimized(const char *suffix)
{
	return strstr(suffix, ".isra") || strstr(suffix, ".constprop");
}

static void note_some(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct note_job *job = context;

	(void)worker;
	for (uint32_t i = begin ? begin : 1; i < end; i++) {
		struct bc_elf_symbol symbol;
		const char *suffix;
		size_t length;

		if (!bc_elf_symbols_get(job->table, i, &symbol) || symbol.type != STT_FUNC ||
		    !symbol.is_defined)
			continue;
		length = strcspn(symbol.name, ".");
		suffix = symbol.name + length;
		if (!length || (*suffix && is_piece(suffix)))
			continue;
		job->noted[i] = (struct noted){
			.hash = (uint32_t)bc_hash_bytes(job->hash_seed, symbol.name, length),
			.length = (uint32_t)length,
			.shard = shard_of(symbol.name, length),
			.has_suffix = *suffix,
			.is_optimized = *suffix && is_optimized(suffix),
		};
	}
}

static bool note_names(struct finder *finder, struct bc_workers *workers)
{
	finder->noted = bc_arena_alloc(&finder->scratch, finder->table_count,
				       sizeof(*finder->noted), finder->err);
	for (uint32_t i = 0; finder->noted && i < finder->table_count; i++) {
		struct note_job job = { &finder->tables[i], finder->symbols->hash_seed, NULL };

		job.noted = bc_arena_zalloc(&finder->scratch, job.table->count, sizeof(*job.noted),
					    finder->err);
		finder->noted[i] = job.noted;
		if (!job.noted)
			return false;
		bc_workers_share(job.table->is_direct ? workers : NULL, job.table->count, PART,
				 note_some, &job);
	}
	return finder->noted;
}

/* ---- 2. shards ---- */

static void count_shards(struct finder *finder)
{
	for (uint32_t i = 0; i < finder->table_count; i++)
		for (uint32_t k = 0; k < finder->tables[i].count; k++)
			if (finder->noted[i][k].length)
				finder->begin[finder->noted[i][k].shard + 1]++;
	for (uint32_t shard = 0; shard < BC_SYMBOL_SHARDS; shard++)
		finder->begin[shard + 1] += finder->begin[shard];
}

static bool deal(struct finder *finder)
{
	uint32_t *begin = finder->begin;

	count_shards(finder);
	finder->places = bc_arena_alloc(&finder->scratch, begin[BC_SYMBOL_SHARDS],
					sizeof(*finder->places), finder->err);
	if (!finder->places)
		return false;
	for (uint32_t i = 0; i < finder->table_count; i++)
		for (uint32_t k = 0; k < finder->tables[i].count; k++)
			if (finder->noted[i][k].length)
				finder->places[begin[finder->noted[i][k].shard]++] =
					(struct place){ i, k };
	/* Filling moved each begin to the next one's. */
	memmove(begin + 1, begin, BC_SYMBOL_SHARDS * sizeof(*begin));
	begin[0] = 0;
	return true;
}

/* ---- 3. symbols ---- */

static struct found make_found(const struct bc_elf_symbols *table,
			       const struct bc_elf_symbol *symbol, const struct noted *noted)
{
	return (struct found){
		.is_strong = symbol->binding == STB_GLOBAL,
		.address = {
			.file = table->file,
			.address = symbol->address,
			.size_bytes = symbol->size_bytes,
			.full_name = symbol->name,
			.is_optimized = noted->is_optimized,
			.is_weak = symbol->binding == STB_WEAK,
		},
	};
}

static int compare_found(const void *context, uint32_t a, uint32_t b)
{
	const struct found *found = context;
	const struct bc_symbol_address *one = &found[a].address, *other = &found[b].address;
	int order = (one->file > other->file) - (one->file < other->file);

	if (!order)
		order = bc_compare_u64(one->address, other->address);
	if (!order)
		order = one->is_optimized - other->is_optimized;
	if (!order)
		order = bc_compare_u64(other->size_bytes, one->size_bytes);
	return order ? order : strcmp(one->full_name, other->full_name);
}

/* Whether both are one place, or a linker would keep one of them only. */
static bool is_one_place(const struct bc_symbol_address *a, const struct bc_symbol_address *b)
{
	return a->file == b->file ? a->address == b->address : a->is_weak && b->is_weak;
}

/* Those that ORDER names, COUNT of them, in the order that compare_found gives. */
static void take_addresses(struct bc_symbol *symbol, const struct found *found,
			   const uint32_t *order, uint32_t count)
{
	bool has_strong = false;

	for (uint32_t i = 0; i < count; i++)
		has_strong |= found[order[i]].is_strong;
	for (uint32_t i = 0; i < count; i++) {
		const struct bc_symbol_address *address = &found[order[i]].address, *last = NULL;

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

/* A shard that is being built. */
struct builder {
	const struct finder *finder;
	struct bc_symbol_shard *shard;
	uint32_t begin, count; /* of its places */
	struct bc_symbol *symbols;
	uint32_t symbol_count;
	struct found *found;
	uint32_t *first, *last; /* by symbol: its first and last one in found, from 0 on */
	uint32_t *order, *spare;
	struct bc_arena scratch;
	struct bc_err err;
};

static bool make_room(struct builder *builder)
{
	uint32_t count = builder->count;
	struct bc_arena *scratch = &builder->scratch;
	struct bc_symbol_shard *shard = builder->shard;
	struct bc_err *err = &builder->err;

	for (shard->slot_count = 4; shard->slot_count / 2 < count;)
		shard->slot_count *= 2;
	shard->slots = bc_arena_zalloc(&shard->arena, shard->slot_count, sizeof(*shard->slots),
				       err);
	builder->found = bc_arena_alloc(scratch, count, sizeof(*builder->found), err);
	builder->first = bc_arena_alloc(scratch, count, sizeof(uint32_t), err);
	builder->last = bc_arena_alloc(scratch, count, sizeof(uint32_t), err);
	builder->order = bc_arena_alloc(scratch, count, sizeof(uint32_t), err);
	builder->spare = bc_arena_alloc(scratch, count, sizeof(uint32_t), err);
	return shard->slots && builder->found && builder->first && builder->last &&
	       builder->order && builder->spare;
}

static struct bc_symbol_slot *find_slot(const struct bc_symbol_shard *shard,
					const struct bc_symbol *symbols, const char *name,
					size_t length, uint32_t hash)
{
	uint32_t at = hash & (shard->slot_count - 1);

	for (; shard->slots[at].number; at = (at + 1) & (shard->slot_count - 1)) {
		const struct bc_symbol *symbol = &symbols[shard->slots[at].number - 1];

		if (shard->slots[at].hash == hash && symbol->name_bytes == length &&
		    !memcmp(symbol->name, name, length))
			break;
	}
	return &shard->slots[at];
}

/* The base name: as it is where it ends with the symbol's, else a copy. */
static const char *keep_name(struct builder *builder, const char *name, const struct noted *noted)
{
	char *copy;

	if (!noted->has_suffix)
		return name;
	copy = bc_arena_alloc(&builder->shard->arena, (size_t)noted->length + 1, 1, &builder->err);
	if (!copy)
		return NULL;
	memcpy(copy, name, noted->length);
	copy[noted->length] = '\0';
	return copy;
}

/* Number I of what is found goes to the symbol of its name, made where there is none. */
static bool enter(struct builder *builder, uint32_t i, const struct noted *noted)
{
	const char *name = builder->found[i].address.full_name;
	struct bc_symbol_slot *slot = find_slot(builder->shard, builder->finder->symbols->symbols,
						name, noted->length, noted->hash);
	uint32_t number = slot->number ? slot->number - 1 - builder->begin :
					 builder->symbol_count++;
	struct bc_symbol *symbol = &builder->symbols[number];

	if (slot->number) {
		builder->found[builder->last[number]].next = i + 1;
	} else {
		*slot = (struct bc_symbol_slot){ noted->hash, builder->begin + number + 1 };
		builder->first[number] = i;
		*symbol = (struct bc_symbol){ .name = keep_name(builder, name, noted),
					      .name_bytes = noted->length };
	}
	builder->last[number] = i;
	return symbol->name;
}

static bool enter_all(struct builder *builder)
{
	const struct finder *finder = builder->finder;

	for (uint32_t i = 0; i < builder->count; i++) {
		struct place place = finder->places[builder->begin + i];
		const struct bc_elf_symbols *table = &finder->tables[place.table];
		const struct noted *noted = &finder->noted[place.table][place.number];
		struct bc_elf_symbol symbol;

		if (!bc_elf_symbols_get(table, place.number, &symbol))
			continue;
		builder->found[i] = make_found(table, &symbol, noted);
		if (!enter(builder, i, noted))
			return false;
	}
	return true;
}

static void take_all_addresses(struct builder *builder)
{
	uint32_t left = builder->count - builder->symbol_count;

	struct bc_symbol_address *addresses = builder->finder->addresses + builder->begin;

	for (uint32_t number = 0; number < builder->symbol_count; number++) {
		struct bc_symbol *symbol = &builder->symbols[number];
		uint32_t count = 0;

		for (uint32_t i = builder->first[number] + 1; i; i = builder->found[i - 1].next)
			builder->order[count++] = i - 1;
		bc_sort_compared(builder->order, builder->spare, count, compare_found,
				 builder->found);
		symbol->addresses = addresses;
		take_addresses(symbol, builder->found, builder->order, count);
		addresses += symbol->address_count;
	}
	memset(&builder->symbols[builder->symbol_count], 0, left * sizeof(*builder->symbols));
}

static void build_shards(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	struct finder *finder = context;

	(void)worker;
	for (uint32_t number = begin; number < end; number++) {
		struct builder builder = {
			.finder = finder,
			.shard = &finder->symbols->shards[number],
			.begin = finder->begin[number],
			.count = finder->begin[number + 1] - finder->begin[number],
			.symbols = finder->symbols->symbols + finder->begin[number],
		};

		if (make_room(&builder) && enter_all(&builder))
			take_all_addresses(&builder);
		else
			bc_shared_err_set(&finder->trouble, &builder.err);
		bc_arena_free(&builder.scratch);
	}
}

static bool build_all(struct finder *finder, struct bc_workers *workers)
{
	struct bc_symbols *symbols = finder->symbols;

	symbols->count = finder->begin[BC_SYMBOL_SHARDS];
	symbols->symbols = bc_arena_alloc(&symbols->arena, symbols->count,
					  sizeof(*symbols->symbols), finder->err);
	finder->addresses = bc_arena_alloc(&symbols->arena, symbols->count,
					   sizeof(*finder->addresses), finder->err);
	if (!symbols->symbols || !finder->addresses)
		return false;
	for (uint32_t i = 0; i < finder->table_count; i++)
		if (!finder->tables[i].is_direct)
			workers = NULL;
	bc_workers_share(workers, BC_SYMBOL_SHARDS, 1, build_shards, finder);
	return !finder->trouble.is_set;
}

bool bc_symbols_read(struct bc_symbols *symbols, const struct bc_elf_symbols *tables,
		     uint32_t count, struct bc_workers *workers, struct bc_err *err)
{
	struct finder finder = {
		.symbols = symbols,
		.tables = tables,
		.table_count = count,
		.err = err,
		.trouble = { .err = err },
	};
	bool done;

	*symbols = (struct bc_symbols){ .hash_seed = bc_hash_seed() };
	done = note_names(&finder, workers) && deal(&finder) && build_all(&finder, workers);
	bc_arena_free(&finder.scratch);
	return done;
}

void bc_symbols_free(struct bc_symbols *symbols)
{
	for (uint32_t i = 0; i < BC_SYMBOL_SHARDS; i++)
		bc_arena_free(&symbols->shards[i].arena);
	bc_arena_free(&symbols->arena);
	*symbols = (struct bc_symbols){ 0 };
}

#define FIND_AT_ONCE 32u

/* Each step asks for the memory that the next one needs. */
static void find_some(const struct bc_symbols *symbols, const char *const *names, uint32_t count,
		      uint32_t *numbers)
{
	struct bc_symbol_slot *slots[FIND_AT_ONCE];
	const struct bc_symbol_shard *shards[FIND_AT_ONCE];
	uint32_t hashes[FIND_AT_ONCE];
	size_t lengths[FIND_AT_ONCE];

	for (uint32_t i = 0; i < count; i++)
		__builtin_prefetch(names[i]);
	for (uint32_t i = 0; i < count; i++) {
		lengths[i] = strlen(names[i]);
		hashes[i] = (uint32_t)bc_hash_bytes(symbols->hash_seed, names[i], lengths[i]);
		shards[i] = &symbols->shards[shard_of(names[i], lengths[i])];
		slots[i] = &shards[i]->slots[hashes[i] & (shards[i]->slot_count - 1)];
		__builtin_prefetch(slots[i]);
	}
	for (uint32_t i = 0; i < count; i++)
		__builtin_prefetch(&symbols->symbols[slots[i]->number - !!slots[i]->number]);
	for (uint32_t i = 0; i < count; i++)
		if (slots[i]->number)
			__builtin_prefetch(symbols->symbols[slots[i]->number - 1].name);
	for (uint32_t i = 0; i < count; i++)
		numbers[i] = find_slot(shards[i], symbols->symbols, names[i], lengths[i], hashes[i])
				     ->number;
}

void bc_symbols_find(const struct bc_symbols *symbols, const char *const *names, uint32_t count,
		     uint32_t *numbers)
{
	for (uint32_t i = 0; i < count; i += FIND_AT_ONCE)
		find_some(symbols, names + i, count - i < FIND_AT_ONCE ? count - i : FIND_AT_ONCE,
			  numbers + i);
}

const struct bc_symbol_address *bc_symbol_at(const struct bc_symbol *symbol,
					     const struct bc_dwarf_file *file, uint64_t address)
{
	struct bc_search search = bc_search_among(symbol->address_count);
	const struct bc_symbol_address *at;

	/* They are sorted by file and address. */
	while (bc_search_goes_on(&search)) {
		at = &symbol->addresses[search.middle];
		bc_search_step(&search,
			       at->file < file || (at->file == file && at->address <= address));
	}
	if (!search.low)
		return NULL;
	at = &symbol->addresses[search.low - 1];
	return at->file == file &&
			       (at->address == address || address - at->address < at->size_bytes) ?
		       at :
		       NULL;
}

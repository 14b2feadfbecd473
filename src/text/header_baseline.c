/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Both headers are read the same way, line by line: a definition begins on a
 * line that is in no braces, and ends on the next one that is in none either
 * and ends in a semicolon. It goes by its tag, or the name of the typedef, or
 * the first enumerator. Where a name is misread, it is on both sides.
 */
#include "text/header_baseline.h"

#include <string.h>

#include "base/hash.h"
#include "base/order.h"

struct slice {
	const char *text;
	size_t length;
};

static bool next_line(struct slice *rest, struct slice *line)
{
	const char *end;

	if (!rest->length)
		return false;
	end = memchr(rest->text, '\n', rest->length);
	line->text = rest->text;
	line->length = end ? (size_t)(end - rest->text) : rest->length;
	rest->text += line->length + (end != NULL);
	rest->length -= line->length + (end != NULL);
	return true;
}

static bool begins_with(struct slice line, const char *word)
{
	size_t length = strlen(word);

	return line.length >= length && !memcmp(line.text, word, length);
}

static int braces_in(struct slice line)
{
	int depth = 0;

	for (size_t i = 0; i < line.length; i++)
		depth += (line.text[i] == '{') - (line.text[i] == '}');
	return depth;
}

static bool is_name_byte(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || byte == '_';
}

/* The name that begins at or behind AT. */
static struct slice name_from(struct slice line, size_t at)
{
	size_t end;

	while (at < line.length && !is_name_byte(line.text[at]))
		at++;
	for (end = at; end < line.length && is_name_byte(line.text[end]);)
		end++;
	return (struct slice){ line.text + at, end - at };
}

/* The name that ends at or before AT. */
static struct slice name_before(struct slice line, size_t at)
{
	size_t begin;

	while (at && !is_name_byte(line.text[at - 1]))
		at--;
	for (begin = at; begin && is_name_byte(line.text[begin - 1]);)
		begin--;
	return (struct slice){ line.text + begin, at - begin };
}

/* In the last line of a typedef: "} name;", "… (*name)(…);", "… name[3];", "… name(…);". */
static struct slice typedef_name(struct slice line)
{
	const char *pointer = memmem(line.text, line.length, "(*", 2);
	const char *bracket = memchr(line.text, '[', line.length);
	const char *paren = memchr(line.text, '(', line.length);

	if (line.length && line.text[0] == '}')
		return name_before(line, line.length);
	if (pointer)
		return name_from(line, (size_t)(pointer - line.text));
	if (paren && !memmem(line.text, line.length, "__attribute__", 13) &&
	    !memmem(line.text, line.length, "__btf_type", 10))
		return name_before(line, (size_t)(paren - line.text));
	if (bracket && !memchr(line.text, '}', line.length))
		return name_before(line, (size_t)(bracket - line.text));
	return name_before(line, line.length);
}

static uint64_t hash_byte(uint64_t hash, char byte)
{
	return (hash ^ (uint8_t)byte) * UINT64_C(0x100000001b3);
}

/* The kind is a byte of its own: else typedef s and struct t would be one. */
static uint64_t hash_name(char kind, struct slice name)
{
	uint64_t hash = hash_byte(UINT64_C(0xcbf29ce484222325), kind);

	for (size_t i = 0; i < name.length; i++)
		hash = hash_byte(hash, name.text[i]);
	return hash ? hash : 1;
}

/* What the definition from FIRST to LAST line goes by; 0: it is none. */
static uint64_t key_of(struct slice first, struct slice second, struct slice last)
{
	static const char *const tags[] = { "struct ", "union ", "enum " };

	if (begins_with(first, "typedef "))
		return hash_name('t', typedef_name(last));
	if (begins_with(first, "enum {"))
		return hash_name('v', name_from(second, 0));
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (begins_with(first, tags[i]) && memchr(first.text, '{', first.length))
			return hash_name('s', name_from(first, strlen(tags[i])));
	return 0;
}

/* The key of the next definition in REST; 0: there is none. */
static uint64_t next_key(struct slice *rest)
{
	struct slice line;

	while (next_line(rest, &line)) {
		struct slice first = line, second = { "", 0 };
		int depth = braces_in(line);
		uint64_t key;

		if (!line.length || *line.text == '#' || *line.text == '/' || *line.text == ' ' ||
		    begins_with(line, "extern "))
			continue;
		while (depth > 0 && next_line(rest, &line)) {
			if (!second.length)
				second = line;
			depth += braces_in(line);
		}
		key = key_of(first, second, line);
		if (key)
			return key;
	}
	return 0;
}

static size_t slot_of(const struct bc_baseline *baseline, uint64_t hash)
{
	size_t at = (size_t)bc_hash_bytes(baseline->hash_seed, &hash, sizeof(hash)) &
		    (baseline->capacity - 1);

	while (baseline->hashes[at] && baseline->hashes[at] != hash)
		at = (at + 1) & (baseline->capacity - 1);
	return at;
}

bool bc_baseline_read(struct bc_baseline *baseline, const char *text, size_t length,
		      struct bc_arena *arena, struct bc_err *err)
{
	struct slice rest = { text, length };
	size_t keys = 0;
	uint64_t key;

	while (next_key(&rest))
		keys++;
	baseline->count = 0;
	baseline->hash_seed = bc_hash_seed();
	for (baseline->capacity = 64; baseline->capacity < keys * 2;)
		baseline->capacity *= 2;
	baseline->hashes = bc_arena_zalloc(arena, baseline->capacity, sizeof(uint64_t), err);
	baseline->places = bc_arena_alloc(arena, baseline->capacity, sizeof(uint32_t), err);
	if (!baseline->hashes || !baseline->places)
		return false;
	rest = (struct slice){ text, length };
	while ((key = next_key(&rest))) {
		size_t at = slot_of(baseline, key);

		if (baseline->hashes[at])
			continue;
		baseline->hashes[at] = key;
		baseline->places[at] = baseline->count++;
	}
	return true;
}

#define NOT_THERE UINT32_MAX

static uint32_t place_of(const struct bc_baseline *baseline, const char *text, size_t length)
{
	struct slice rest = { text, length };
	uint64_t key = next_key(&rest);
	size_t at = key && baseline->capacity ? slot_of(baseline, key) : 0;

	return key && baseline->capacity && baseline->hashes[at] ? baseline->places[at] : NOT_THERE;
}

/* Keys of new items: behind the known one before them, or before the first. */
static void place_new(struct bc_keyed *keyed, const struct bc_items *items, const uint32_t *places)
{
	uint32_t before = NOT_THERE;

	for (uint32_t item = 0; item < items->count; item++) {
		if (item && items->class[item] != items->class[item - 1])
			before = NOT_THERE;
		if (places[item] != NOT_THERE)
			before = places[item];
		/* A place has room behind it, and in front of it. */
		keyed[item].value = item;
		keyed[item].key = (uint64_t)before << 32 | UINT32_C(0x80000000);
		if (places[item] == NOT_THERE)
			keyed[item].key += 1;
	}
	for (uint32_t item = items->count, after = NOT_THERE; item-- > 0;) {
		if (item + 1 < items->count && items->class[item] != items->class[item + 1])
			after = NOT_THERE;
		if (places[item] != NOT_THERE)
			after = places[item];
		if (keyed[item].key >> 32 == NOT_THERE)
			keyed[item].key = (uint64_t)after << 32;
	}
}

bool bc_baseline_index(uint32_t *index, uint32_t *lines, const struct bc_baseline *baseline,
		       const struct bc_items *items, const char *bodies, const struct bc_span *body,
		       struct bc_err *err)
{
	struct bc_arena scratch = { 0 };
	struct bc_keyed *keyed = bc_arena_alloc(&scratch, items->count, sizeof(*keyed), err);
	struct bc_keyed *spare = bc_arena_alloc(&scratch, items->count, sizeof(*spare), err);
	uint32_t *places = bc_arena_alloc(&scratch, items->count, sizeof(*places), err);
	bool done = keyed && spare && places;

	for (uint32_t item = 0; done && item < items->count; item++) {
		places[item] = place_of(baseline, bodies + body[item].begin, body[item].bytes);
		if (places[item] == NOT_THERE)
			lines[item] = 0;
	}
	if (done) {
		place_new(keyed, items, places);
		bc_sort_keyed(keyed, spare, items->count);
		for (uint32_t i = 0; i < items->count; i++)
			index[i] = keyed[i].value;
	}
	bc_arena_free(&scratch);
	return done;
}

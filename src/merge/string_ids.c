/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "merge/string_ids.h"

#include <stdlib.h>
#include <string.h>
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define OTHER 0x80000000u
#define PACKED 0xc0000000u
#define PACKED_BYTES 3
#define NUMBER_MAX 0x3fffffffu

struct bc_looked_up {
	UT_hash_handle hh;
	uint32_t number;
	char text[];
};

bool bc_string_ids_make(struct bc_string_ids *names, struct bc_err *err)
{
	*names = (struct bc_string_ids){ .next_name = 1, .lock = PTHREAD_MUTEX_INITIALIZER };
	names->sections = calloc(BC_STRING_SECTIONS_MAX, sizeof(*names->sections));
	return names->sections ||
	       bc_err_memory(err, BC_STRING_SECTIONS_MAX * sizeof(*names->sections));
}

void bc_string_ids_free(struct bc_string_ids *names)
{
	HASH_CLEAR(hh, names->table);
	free(names->looked_up);
	free(names->sections);
	bc_arena_free(&names->arena);
	*names = (struct bc_string_ids){ 0 };
}

bool bc_string_ids_add_section(struct bc_string_ids *names, const char *data, uint64_t size_bytes,
			  uint32_t *number, struct bc_err *err)
{
	struct bc_string_section *section = &names->sections[names->section_count];

	if (names->section_count == BC_STRING_SECTIONS_MAX)
		return bc_err_set(err, "more than %u string sections", BC_STRING_SECTIONS_MAX);
	section->data = data;
	section->size_bytes = size_bytes;
	section->first_name = 0;
	if (size_bytes < OTHER - names->next_name) {
		section->first_name = names->next_name;
		names->next_name += (uint32_t)size_bytes;
	}
	*number = names->section_count++;
	return true;
}

/* Called with the lock held. */
static bool look_up(struct bc_string_ids *names, const char *string, size_t length, uint32_t *name,
		    struct bc_err *err)
{
	struct bc_looked_up *found;
	size_t before;

	HASH_FIND(hh, names->table, string, length, found);
	if (!found) {
		if (names->looked_up_count == names->looked_up_limit) {
			uint32_t limit = names->looked_up_limit ? 2 * names->looked_up_limit : 256;
			const char **texts = realloc(names->looked_up, limit * sizeof(*texts));

			if (!texts || limit > NUMBER_MAX)
				return bc_err_memory(err, (uint64_t)limit * sizeof(*texts));
			names->looked_up = texts;
			names->looked_up_limit = limit;
		}
		found = bc_arena_alloc(&names->arena, 1, sizeof(*found) + length + 1, err);
		if (!found)
			return false;
		memcpy(found->text, string, length + 1);
		found->number = names->looked_up_count;
		before = HASH_COUNT(names->table);
		HASH_ADD(hh, names->table, text[0], (unsigned int)length, found);
		if (HASH_COUNT(names->table) == before)
			return bc_err_memory(err, sizeof(*found));
		names->looked_up[names->looked_up_count++] = found->text;
	}
	*name = OTHER | found->number;
	return true;
}

bool bc_string_id_of(struct bc_string_ids *names, const char *string, uint32_t *name, struct bc_err *err)
{
	size_t length = strlen(string);
	bool done;

	if (length <= PACKED_BYTES) {
		uint32_t bytes = 0;

		for (size_t i = 0; i < length; i++)
			bytes |= (uint32_t)(unsigned char)string[i] << 8 * i;
		*name = length ? PACKED | bytes : 0;
		return true;
	}
	if (length > UINT32_MAX / 2)
		return bc_err_set(err, "a name of %zu bytes", length);
	pthread_mutex_lock(&names->lock);
	done = look_up(names, string, length, name, err);
	pthread_mutex_unlock(&names->lock);
	return done;
}

bool bc_string_id_at(struct bc_string_ids *names, uint32_t section, uint64_t offset, uint32_t *name,
		struct bc_err *err)
{
	const struct bc_string_section *from = &names->sections[section];

	if (!from->first_name)
		return bc_string_id_of(names, from->data + offset, name, err);
	*name = from->first_name + (uint32_t)offset;
	return true;
}

const char *bc_string_id_text(const struct bc_string_ids *names, uint32_t name, char packed[4])
{
	uint32_t i = 0;

	if (!name)
		return "";
	if (name >= PACKED) {
		for (; i < PACKED_BYTES; i++)
			packed[i] = (char)(name >> 8 * i & 0xff);
		packed[i] = '\0';
		return packed;
	}
	if (name >= OTHER)
		return names->looked_up[name & NUMBER_MAX];
	while (i + 1 < names->section_count &&
	       (!names->sections[i].first_name ||
		name - names->sections[i].first_name >= names->sections[i].size_bytes))
		i++;
	return names->sections[i].data + (name - names->sections[i].first_name);
}

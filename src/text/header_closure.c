/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "text/header_closure.h"

/* Gives rows to who needs, columns to who is needed. */
static bool number_rows(struct bc_closure *closure, uint32_t *row_count,
			const struct bc_direct_needs *direct, struct bc_arena *arena,
			struct bc_err *err)
{
	uint32_t columns = 0;

	closure->row = bc_arena_alloc(arena, direct->count, sizeof(uint32_t), err);
	closure->column = bc_arena_zalloc(arena, (size_t)direct->count + 1, sizeof(uint32_t), err);
	closure->place = bc_arena_alloc(arena, direct->count, sizeof(uint32_t), err);
	if (!closure->row || !closure->column || !closure->place)
		return false;
	*row_count = 1;
	for (uint32_t place = 0; place < direct->count; place++) {
		bool needs = direct->first[place] < direct->first[place + 1];

		closure->row[place] = needs ? (*row_count)++ : 0;
		for (uint32_t i = direct->first[place]; i < direct->first[place + 1]; i++)
			closure->column[direct->needs[i]] = 1;
	}
	for (uint32_t place = 0; place < direct->count; place++) {
		bool is_needed = closure->column[place];

		closure->column[place] = columns;
		if (is_needed)
			closure->place[columns++] = place;
	}
	closure->column[direct->count] = columns;
	closure->row_words = columns / 64 + 1;
	return true;
}

bool bc_closure_make(struct bc_closure *closure, const struct bc_direct_needs *direct,
		     struct bc_arena *arena, struct bc_err *err)
{
	uint32_t row_count;

	if (!number_rows(closure, &row_count, direct, arena, err))
		return false;
	closure->bits = bc_arena_zalloc(arena, row_count * closure->row_words, sizeof(uint64_t),
					err);
	if (!closure->bits)
		return false;
	for (uint32_t i = 0; i < direct->count; i++) {
		uint32_t place = direct->topological[i];
		uint64_t *row = closure->bits + closure->row_words * closure->row[place];

		for (uint32_t j = direct->first[place]; j < direct->first[place + 1]; j++) {
			uint32_t need = direct->needs[j];
			const uint64_t *more = bc_closure_row(closure, need);

			if (bc_closure_has(closure, row, need))
				continue;
			for (size_t word = 0; closure->row[need] && word < closure->row_words;
			     word++)
				row[word] |= more[word];
			bc_closure_put(closure, row, need);
		}
	}
	return true;
}

bool bc_closure_needs_later(const struct bc_closure *closure, uint32_t place, const uint64_t *set)
{
	const uint64_t *row = bc_closure_row(closure, place);
	uint32_t column = closure->column[place];
	uint64_t mask = ~UINT64_C(0) << column % 64;

	if (!closure->row[place])
		return false;
	for (size_t word = column / 64; word < closure->row_words; word++) {
		if (row[word] & mask & (set ? set[word] : mask))
			return true;
		mask = ~UINT64_C(0);
	}
	return false;
}

void bc_closure_put_later(const struct bc_closure *closure, uint32_t place, uint64_t *set)
{
	const uint64_t *row = bc_closure_row(closure, place);
	uint32_t column = closure->column[place];
	uint64_t mask = ~UINT64_C(0) << column % 64;

	if (!closure->row[place])
		return;
	for (size_t word = column / 64; word < closure->row_words; word++) {
		set[word] |= row[word] & mask;
		mask = ~UINT64_C(0);
	}
}

uint32_t bc_closure_last(const struct bc_closure *closure, uint32_t place, const uint64_t *set)
{
	const uint64_t *row = bc_closure_row(closure, place);

	for (size_t word = closure->row[place] ? closure->row_words : 0; word-- > 0;) {
		uint64_t bits = row[word] & set[word];

		if (bits)
			return closure->place[word * 64 + 63 - (size_t)__builtin_clzll(bits)];
	}
	return UINT32_MAX;
}

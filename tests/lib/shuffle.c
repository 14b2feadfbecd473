/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "tests/lib/shuffle.h"

#include <stdlib.h>
#include <string.h>

uint32_t *shuffle_permutation(struct bc_arena *arena, struct rng *rng, uint32_t count)
{
	uint32_t *order = build_alloc(arena, count, sizeof(*order));

	for (uint32_t i = 0; i < count; i++) {
		uint32_t other = rng_below(rng, i + 1);

		order[i] = order[other];
		order[other] = i;
	}
	return order;
}

static struct build *new_like(struct bc_arena *arena, const struct build *in)
{
	struct build *build = build_new(arena, in->base);

	build->big_endian = in->big_endian;
	build->layout = in->layout;
	build->layout_bytes = in->layout_bytes;
	return build;
}

struct build *shuffle_ids(struct bc_arena *arena, const struct build *in, const uint32_t *order)
{
	struct build *build = new_like(arena, in);
	uint32_t *new_id = build_alloc(arena, in->type_count, sizeof(*new_id));

	for (uint32_t i = 0; i < in->type_count; i++)
		new_id[order[i]] = build_copy(build, &in->types[order[i]]);
	for (uint32_t i = 0; i < build->type_count; i++) {
		struct build_type *type = &build->types[i];

		for (uint32_t k = 0; k < build_edge_count(type); k++) {
			uint32_t *edge = build_edge(type, k);

			if (*edge >= in->first_id)
				*edge = new_id[*edge - in->first_id];
		}
	}
	return build;
}

/* Copies of IN's own type number i are ids first[i] … first[i] + count[i] - 1. */
struct copies {
	const struct build *in;
	uint32_t *first;
	uint32_t *count;
};

static uint32_t copy_count(const struct copies *copies, uint32_t id)
{
	return id < copies->in->first_id ? 1 : copies->count[id - copies->in->first_id];
}

static uint32_t copy_id(const struct copies *copies, uint32_t id, uint32_t number)
{
	if (id < copies->in->first_id)
		return id;
	return copies->first[id - copies->in->first_id] + number % copy_count(copies, id);
}

/* A tag needs a copy for each copy of what it tags, a section for each of its variables. */
static void count_copies(struct copies *copies, struct rng *rng, uint32_t percent)
{
	const struct build *in = copies->in;

	for (uint32_t i = 0; i < in->type_count; i++)
		copies->count[i] = rng_percent(rng, percent) ? 2 + rng_below(rng, 2) : 1;
	for (uint32_t i = 0; i < in->type_count; i++) {
		struct build_type *type = &in->types[i];

		if (type->kind != BC_DECL_TAG && type->kind != BC_DATASEC)
			continue;
		for (uint32_t k = 0; k < build_edge_count(type); k++) {
			uint32_t count = copy_count(copies, *build_edge(type, k));

			if (copies->count[i] < count)
				copies->count[i] = count;
		}
	}
}

struct build *shuffle_twins(struct bc_arena *arena, struct rng *rng, const struct build *in,
			    uint32_t percent, uint32_t **origin)
{
	struct build *build = new_like(arena, in);
	struct copies copies = {
		.in = in,
		.first = build_alloc(arena, in->type_count, sizeof(uint32_t)),
		.count = build_alloc(arena, in->type_count, sizeof(uint32_t)),
	};
	uint32_t *from = build_alloc(arena, 3 * (size_t)in->type_count, sizeof(*from));

	count_copies(&copies, rng, percent);
	for (uint32_t i = 0; i < in->type_count; i++) {
		copies.first[i] = build_id_end(build);
		for (uint32_t k = 0; k < copies.count[i]; k++) {
			from[build->type_count] = i;
			build_copy(build, &in->types[i]);
		}
	}
	for (uint32_t i = 0; i < build->type_count; i++) {
		struct build_type *type = &build->types[i];
		bool places = type->kind == BC_DECL_TAG || type->kind == BC_DATASEC;
		uint32_t number = build->first_id + i - copies.first[from[i]];

		for (uint32_t k = 0; k < build_edge_count(type); k++) {
			uint32_t *edge = build_edge(type, k);

			*edge = copy_id(&copies, *edge, places ? number : rng_below(rng, 6));
		}
	}
	if (origin)
		*origin = from;
	return build;
}

/* Where a text can be found. */
struct place {
	const char *text;
	uint32_t offset;
};

struct places {
	struct place *sorted; /* by text */
	uint32_t count;
	struct rng *rng;
};

static int compare_places(const void *a, const void *b)
{
	return strcmp(((const struct place *)a)->text, ((const struct place *)b)->text);
}

/* One string for the section; TEXT is what a name that uses it says: itself or its tail. */
struct piece {
	const char *whole;
	const char *text;
};

/*
 * Each name as itself (at times twice), as the tail of a longer string, or
 * both; and strings that nobody uses. What a base has may be left out.
 */
static struct piece *cut_pieces(const struct build *build, struct rng *rng, uint32_t *piece_count)
{
	uint32_t name_count;
	const char **names = build_distinct_names(build, &name_count);
	struct piece *pieces = build_alloc(build->arena, 4 * (size_t)name_count + 1,
					   sizeof(*pieces));
	uint32_t count = 0;

	for (uint32_t i = 0; i < name_count; i++) {
		uint32_t copies = rng_percent(rng, 20) ? 2 : 1;

		if (build->base && build_find_string(build->base, names[i]) != UINT32_MAX)
			copies -= rng_percent(rng, 50);
		for (uint32_t k = 0; k < copies; k++) {
			struct piece piece = { names[i], names[i] };

			if (rng_percent(rng, 15)) {
				piece.whole = build_format_text(build->arena, "x%u%s",
								rng_below(rng, 10), names[i]);
				piece.text = piece.whole + 2;
			}
			pieces[count++] = piece;
		}
		if (rng_percent(rng, 20))
			pieces[count++] = (struct piece){
				build_format_text(build->arena, "unused%u", rng_below(rng, 9)), NULL
			};
	}
	if (rng_percent(rng, 20))
		pieces[count++] = (struct piece){ "", "" };
	*piece_count = count;
	return pieces;
}

static uint32_t count_strings(const struct build *build)
{
	uint32_t count = 0;

	for (; build; build = build->base)
		for (uint32_t at = 0; at < build->string_bytes; at++)
			count += !build->strings[at];
	return count;
}

/* Whole strings of the base chain, for names to use. */
static void add_base_places(struct places *places, const struct build *base)
{
	for (; base; base = base->base) {
		const char *end = base->strings + base->string_bytes;

		for (const char *at = base->strings; at < end; at += strlen(at) + 1)
			if (*at)
				places->sorted[places->count++] = (struct place){
					at, base->string_base + (uint32_t)(at - base->strings)
				};
	}
}

/* Gives BUILD a random string section; *PLACES says where names can be found. */
static void shuffle_strings(struct build *build, struct places *places)
{
	uint32_t piece_count;
	struct piece *pieces = cut_pieces(build, places->rng, &piece_count);
	const uint32_t *order = shuffle_permutation(build->arena, places->rng, piece_count);
	uint32_t string_bytes = !build->base, at = string_bytes;
	char *strings;

	for (uint32_t i = 0; i < piece_count; i++)
		string_bytes += (uint32_t)strlen(pieces[i].whole) + 1;
	strings = build_alloc(build->arena, string_bytes, 1);
	places->sorted = build_alloc(build->arena, (size_t)piece_count + count_strings(build->base),
				     sizeof(*places->sorted));
	for (uint32_t i = 0; i < piece_count; i++) {
		const struct piece *piece = &pieces[order[i]];

		strcpy(strings + at, piece->whole);
		if (piece->text)
			places->sorted[places->count++] = (struct place){
				piece->text,
				build->string_base + at + (uint32_t)(piece->text - piece->whole)
			};
		at += (uint32_t)strlen(piece->whole) + 1;
	}
	build->strings = strings;
	build->string_bytes = string_bytes;
	add_base_places(places, build->base);
	qsort(places->sorted, places->count, sizeof(*places->sorted), compare_places);
}

/* One of the places of TEXT; "" is nearly always offset 0, where every kind may have it. */
static uint32_t pick_place(const struct build *build, const char *text, void *context)
{
	struct places *places = context;
	uint32_t low = 0, high = places->count, end;

	(void)build;
	if (!*text && (!places->count || *places->sorted[0].text || rng_percent(places->rng, 90)))
		return 0;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(places->sorted[middle].text, text) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < places->count && !strcmp(places->sorted[end].text, text);)
		end++;
	return low == end ? UINT32_MAX :
			    places->sorted[low + rng_below(places->rng, end - low)].offset;
}

uint8_t *shuffle_bytes(struct build *build, struct rng *rng, size_t *size_bytes)
{
	static const uint32_t header_bytes[] = { 0, 0, 0, 32, 40 };
	struct places places = { .rng = rng };
	struct build_format format = {
		.header_bytes = header_bytes[rng_below(rng, 5)],
		.strings_first = rng_percent(rng, 20),
		.pick_offset = pick_place,
		.pick_context = &places,
	};

	shuffle_strings(build, &places);
	return build_bytes(build, &format, size_bytes);
}

uint8_t *shuffle_all(struct bc_arena *arena, struct rng *rng, const struct build *in,
		     uint32_t twin_percent, struct build **out, size_t *size_bytes)
{
	const struct build *twins = twin_percent ?
					    shuffle_twins(arena, rng, in, twin_percent, NULL) :
					    in;

	*out = shuffle_ids(arena, twins, shuffle_permutation(arena, rng, twins->type_count));
	return shuffle_bytes(*out, rng, size_bytes);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/choose_variables.h"

#include <stdlib.h>
#include <string.h>

#include "graph/quote.h"

/* Names that the compiler or a macro makes; nobody looks for them. */
static bool is_made_up(const char *name)
{
	static const char *const prefixes[] = {
		"__UNIQUE_ID",
		"__tpstrtab_",
		"__exitcall_",
		"__gendwarfksyms_ptr_",
		"__func_stack_frame_non_standard_",
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* As kernels check names: up to 127 bytes of letters, digits, '_' and '.', no digit first. */
static bool is_kernel_name(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789_.");

	return length && length < 128 && !name[length] && !(name[0] >= '0' && name[0] <= '9');
}

struct placed {
	const char *name;
	const struct bc_variable *variable;
	const char **tags; /* sorted, ended by NULL */
};

static int compare_places(const struct placed *one, const struct placed *other)
{
	const struct bc_variable *a = one->variable, *b = other->variable;
	int order = (a->section > b->section) - (a->section < b->section);

	if (!order)
		order = (a->offset > b->offset) - (a->offset < b->offset);
	if (!order)
		order = strcmp(one->name, other->name);
	return order ? order : a->is_external - b->is_external;
}

/* What ties is decided by content; the rest is for that to meet likes as neighbours. */
static int compare_placed(const void *a, const void *b)
{
	const struct placed *one = a, *other = b;
	int order = compare_places(one, other);

	if (order)
		return order;
	return (one->variable->reference > other->variable->reference) -
	       (one->variable->reference < other->variable->reference);
}

static int compare_texts(const void *a, const void *b)
{
	const char *const *one = a, *const *other = b;

	return strcmp(*one, *other);
}

static char *copy_text(const struct bc_string_ids *names, uint32_t name, struct bc_arena *arena,
		       struct bc_err *err)
{
	char packed[4];
	const char *text = bc_string_id_text(names, name, packed);
	char *copy = bc_arena_alloc(arena, strlen(text) + 1, 1, err);

	return copy ? strcpy(copy, text) : NULL;
}

static bool take_tags(struct placed *placed, const struct bc_string_ids *names,
		      struct bc_arena *arena, struct bc_err *err)
{
	uint32_t count = placed->variable->tag_count;

	placed->tags = bc_arena_zalloc(arena, (size_t)count + 1, sizeof(*placed->tags), err);
	for (uint32_t i = 0; placed->tags && i < count; i++) {
		placed->tags[i] = copy_text(names, placed->variable->tags[i].value, arena, err);
		if (!placed->tags[i])
			return false;
	}
	if (placed->tags && count)
		qsort(placed->tags, count, sizeof(*placed->tags), compare_texts);
	return placed->tags;
}

static int compare_tags(const char *const *a, const char *const *b)
{
	for (; *a && *b; a++, b++)
		if (strcmp(*a, *b))
			return strcmp(*a, *b);
	return (*a != NULL) - (*b != NULL);
}

static struct bc_meant meant(const struct placed *placed)
{
	return (struct bc_meant){ placed->variable->reference, placed->variable->unit };
}

/*
 * Of two that stand at one place under one name, whether A is taken: the larger
 * one, since a weak array may have no length where the strong one has; then the
 * lesser one by content.
 */
static bool is_better(struct bc_content *content, const struct placed *a, const struct placed *b,
		      bool *better)
{
	uint64_t size_a = bc_content_size(content, meant(a));
	uint64_t size_b = bc_content_size(content, meant(b));
	int order = compare_tags(a->tags, b->tags);

	if (size_a != size_b)
		order = size_a > size_b ? -1 : 1;
	else if (!order && !bc_content_compare(content, meant(a), meant(b), &order))
		return false;
	*better = order < 0;
	return true;
}

/* The variables that are there and have a name that somebody may look for. */
static bool list_placed(struct placed *placed, uint32_t *placed_count,
			const struct bc_variable *variables, uint32_t count,
			const struct bc_places *places, const struct bc_string_ids *names,
			struct bc_arena *arena, struct bc_err *err)
{
	*placed_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct placed *one = &placed[*placed_count];
		char packed[4];
		const char *text = bc_string_id_text(names, variables[i].name, packed);

		if (!variables[i].name || is_made_up(text) ||
		    (!variables[i].offset &&
		     !bc_places_has_first(places, variables[i].section, text)))
			continue;
		*one = (struct placed){ copy_text(names, variables[i].name, arena, err),
					&variables[i], NULL };
		if (!one->name || !take_tags(one, names, arena, err))
			return false;
		(*placed_count)++;
	}
	return true;
}

/* Whether it can be written; unless FORCE is set, it has to be. */
static bool is_written(const struct placed *placed, const struct bc_places *places, bool force,
		       bool *written, struct bc_err *err)
{
	const struct bc_place_section *section = &places->sections[placed->variable->section];
	const char *what = !is_kernel_name(placed->name) ? "has a name that kernels refuse" :
			   !placed->variable->reference  ? "has no type" :
							   NULL;
	char printable[BC_PRINTABLE_MAX];

	*written = !what;
	if (!what || force)
		return true;
	bc_err_set(err, "the variable %s at 0x%x of %.100s %s",
		   bc_printable(printable, placed->name), placed->variable->offset, section->name,
		   what);
	return bc_err_prefix(err, section->file->name);
}

static void add_root(struct bc_chosen *chosen, const struct placed *placed,
		     const struct bc_places *places)
{
	const struct bc_variable *variable = placed->variable;

	chosen->roots[chosen->count++] = (struct bc_root){
		.name = placed->name,
		.tags = placed->tags,
		.node = variable->reference,
		.unit = variable->unit,
		.section = places->sections[variable->section].name,
		.section_number = variable->section,
		.offset = variable->offset,
		.is_variable = true,
		.is_external = variable->is_external,
	};
}

bool bc_choose_variables(struct bc_chosen *chosen, const struct bc_variable *variables,
			 uint32_t count, const struct bc_places *places, struct bc_content *content,
			 bool force, struct bc_arena *arena, struct bc_err *err)
{
	struct placed *placed = bc_arena_alloc(arena, count, sizeof(*placed), err);
	uint32_t placed_count, begin, i;

	if (!placed || !list_placed(placed, &placed_count, variables, count, places, content->names,
				    arena, err))
		return false;
	qsort(placed, placed_count, sizeof(*placed), compare_placed);
	for (begin = 0; begin < placed_count; begin = i) {
		uint32_t best = begin;
		bool is_in, better;

		for (i = begin + 1; i < placed_count && !compare_places(&placed[begin], &placed[i]);
		     i++) {
			if (!is_better(content, &placed[i], &placed[best], &better))
				return false;
			best = better ? i : best;
		}
		if (!is_written(&placed[best], places, force, &is_in, err))
			return false;
		if (is_in)
			add_root(chosen, &placed[best], places);
	}
	return true;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "text/header_select.h"

#include <fnmatch.h>
#include <string.h>

/* Longer ones cannot be the name of anything that compiles. */
#define PATTERN_MAX 512

struct selection {
	uint8_t *is_kept;
	const struct bc_items *items;
	const struct bc_graph *graph;
	uint32_t *stack; /* items whose needs are to be kept too */
	uint32_t stack_count;
	struct bc_err *err;
};

static void keep(struct selection *selection, uint32_t item)
{
	if (selection->is_kept[item])
		return;
	selection->is_kept[item] = 1;
	selection->stack[selection->stack_count++] = item;
}

static void keep_needs(struct selection *selection)
{
	const struct bc_items *items = selection->items;

	while (selection->stack_count) {
		uint32_t item = selection->stack[--selection->stack_count];

		for (uint32_t i = items->first[item]; i < items->first[item + 1]; i++)
			keep(selection, items->needs[i]);
	}
}

static bool is_of_kind(uint32_t kind, const char *word, size_t length)
{
	static const struct {
		const char *word;
		uint32_t kinds[2];
	} words[] = {
		{ "struct", { BC_STRUCT, BC_STRUCT } },
		{ "union", { BC_UNION, BC_UNION } },
		{ "enum", { BC_ENUM, BC_ENUM64 } },
		{ "typedef", { BC_TYPEDEF, BC_TYPEDEF } },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].word) == length && !memcmp(words[i].word, word, length))
			return kind == words[i].kinds[0] || kind == words[i].kinds[1];
	return false;
}

static bool select_pattern(struct selection *selection, const char *text, size_t length)
{
	const struct bc_items *items = selection->items;
	char pattern[PATTERN_MAX];
	const char *space = memchr(text, ' ', length), *word = text;
	size_t word_length = space ? (size_t)(space - text) : 0;
	bool found = false;

	if (space) {
		length -= word_length + 1;
		text = space + 1;
	}
	if (!length || length >= sizeof(pattern))
		return bc_err_set(selection->err, "--only: '%.80s' names nothing", word);
	memcpy(pattern, text, length);
	pattern[length] = '\0';
	for (uint32_t item = 0; item < items->count; item++) {
		const uint32_t *node = bc_node(selection->graph, items->type[item]);

		if ((word_length && !is_of_kind(bc_node_kind(node), word, word_length)) ||
		    !node[0] || fnmatch(pattern, bc_string(selection->graph, node[0]), 0))
			continue;
		keep(selection, item);
		found = true;
	}
	return found ||
	       bc_err_set(selection->err, "--only: no definition is called '%.80s'", pattern);
}

bool bc_items_select(uint8_t *is_kept, const struct bc_items *items, const struct bc_graph *graph,
		     const char *const *patterns, uint32_t pattern_count, struct bc_err *err)
{
	struct bc_arena scratch = { 0 };
	struct selection selection = {
		.is_kept = is_kept,
		.items = items,
		.graph = graph,
		.stack = bc_arena_alloc(&scratch, items->count, sizeof(uint32_t), err),
		.err = err,
	};
	bool done = selection.stack != NULL;

	for (uint32_t i = 0; done && i < pattern_count; i++) {
		const char *text = patterns[i];

		while (done && *text) {
			size_t length = strcspn(text, ",");

			done = select_pattern(&selection, text, length);
			text += length + (text[length] == ',');
		}
	}
	if (done)
		keep_needs(&selection);
	bc_arena_free(&scratch);
	return done;
}

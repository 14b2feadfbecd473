/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "compare/side.h"

#include <string.h>

#include "base/search.h"

enum bc_class bc_class_of(const uint32_t *node)
{
	switch (bc_node_kind(node)) {
	case BC_STRUCT:
	case BC_UNION:
	case BC_FWD:
		return BC_CLASS_COMPOSITE;
	case BC_ENUM:
	case BC_ENUM64:
		return BC_CLASS_ENUM;
	case BC_TYPEDEF:
		return BC_CLASS_TYPEDEF;
	case BC_FUNC:
		return BC_CLASS_FUNC;
	case BC_VAR:
		return BC_CLASS_VAR;
	case BC_INT:
	case BC_FLOAT:
		return BC_CLASS_BASE;
	case BC_DATASEC:
		return BC_CLASS_SECTION;
	default:
		return bc_kind_is_known(bc_node_kind(node)) ? BC_CLASS_NONE : BC_CLASS_STRANGE;
	}
}

const char *bc_kind_word(const uint32_t *node)
{
	switch (bc_node_kind(node)) {
	case BC_STRUCT:
	case BC_UNION:
	case BC_FWD:
	case BC_ENUM:
	case BC_ENUM64:
		return bc_tag_keyword(node);
	case BC_TYPEDEF:
		return "typedef";
	case BC_FUNC:
		return "func";
	case BC_VAR:
		return "var";
	case BC_INT:
		return "int";
	case BC_FLOAT:
		return "float";
	case BC_DATASEC:
		return "section";
	default:
		return "unknown";
	}
}

const uint32_t *bc_side_body(const struct bc_side *side, uint32_t id)
{
	const uint32_t *node = bc_node(side->graph, id);
	const uint32_t *target;

	if (bc_node_kind(node) != BC_TYPEDEF || !node[2])
		return node;
	target = bc_node(side->graph, node[2]);
	return bc_kind_is_composite(bc_node_kind(target)) &&
			       !bc_node_is_named(target, side->graph) ?
		       target :
		       node;
}

uint64_t bc_enum_value(const uint32_t *node, uint32_t i)
{
	const uint32_t *value = bc_element(node, i);

	if (bc_node_kind(node) == BC_ENUM64)
		return (uint64_t)value[2] << 32 | value[1];
	return bc_info_kflag(node[1]) ? (uint64_t)(int64_t)(int32_t)value[1] : value[1];
}

#define PLAIN_NAME_BYTES 512u /* no kernel has longer ones */

static bool has_long_strings(const struct bc_graph *level)
{
	for (uint32_t at = 0, length; at < level->string_bytes; at += length + 1) {
		length = (uint32_t)strlen(level->strings + at);
		if (length >= PLAIN_NAME_BYTES)
			return true;
	}
	return false;
}

/* A few bytes can say a name of a megabyte very often, and each is read whenever it is compared. */
static bool names_fit(const struct bc_graph *level, struct bc_err *err)
{
	uint64_t left = ((uint64_t)64 << 20) +
			32 * ((uint64_t)level->start[level->type_count] * 4 + level->string_bytes);

	if (!has_long_strings(level))
		return true;
	for (uint32_t i = 0; i < level->type_count; i++) {
		const uint32_t *node = bc_own_node(level, i);
		struct bc_node_names names = bc_node_names(node);

		for (uint32_t k = 0; k < names.count; k++) {
			size_t length = strlen(bc_string(level, node[bc_name_word(names, k)]));

			if (length > left)
				return bc_err_set(err,
						  "type %u: very long names are there very often",
						  level->first_id + i);
			left -= length;
		}
	}
	return true;
}

/*
 * LIST and the named types of a base, both by name, become one list in SPARE;
 * of equal names the base's come first.
 */
static void merge_lists(struct bc_side *side, const uint32_t *base, uint32_t base_count,
			uint32_t *spare)
{
	uint32_t i = 0, j = 0, count = 0;

	while (i < base_count && j < side->list_count)
		spare[count++] = strcmp(bc_side_name(side, base[i]),
					bc_side_name(side, side->list[j])) <= 0 ?
					 base[i++] :
					 side->list[j++];
	while (i < base_count)
		spare[count++] = base[i++];
	while (j < side->list_count)
		spare[count++] = side->list[j++];
	memcpy(side->list, spare, count * sizeof(*spare));
	side->list_count = count;
}

static bool list_chain(struct bc_side *side, struct bc_arena *arena, struct bc_err *err)
{
	struct bc_arena scratch = { 0 };
	uint32_t *spare;
	bool listed = true;

	if (!side->graph->base) {
		side->list = side->names.by_name;
		side->list_count = side->names.count;
		return true;
	}
	side->list = bc_arena_alloc(arena, side->id_end, sizeof(*side->list), err);
	spare = bc_arena_alloc(&scratch, side->id_end, sizeof(*spare), err);
	listed = side->list && spare;
	if (listed) {
		memcpy(side->list, side->names.by_name, side->names.count * sizeof(uint32_t));
		side->list_count = side->names.count;
	}
	for (const struct bc_graph *base = side->graph->base; listed && base; base = base->base) {
		struct bc_names names;

		listed = bc_names_make(&names, base, &scratch, err);
		if (listed)
			merge_lists(side, names.by_name, names.count, spare);
	}
	bc_arena_free(&scratch);
	return listed;
}

static void note_sections(struct bc_side *side, const struct bc_graph *level)
{
	for (uint32_t i = 0; i < level->type_count; i++) {
		const uint32_t *node = bc_own_node(level, i);
		uint32_t count = bc_info_vlen(node[1]);

		if (bc_node_kind(node) != BC_DATASEC)
			continue;
		for (uint32_t entry = 0; entry < count; entry++)
			side->section[bc_element(node, entry)[0]] = level->first_id + i;
	}
}

bool bc_side_make(struct bc_side *side, const struct bc_graph *graph, struct bc_arena *arena,
		  struct bc_err *err)
{
	*side = (struct bc_side){ .graph = graph, .id_end = bc_id_end(graph) };
	for (const struct bc_graph *level = graph; level; level = level->base)
		if (!names_fit(level, err))
			return false;
	side->partner = bc_arena_zalloc(arena, side->id_end, sizeof(uint32_t), err);
	side->section = bc_arena_zalloc(arena, side->id_end, sizeof(uint32_t), err);
	if (!side->partner || !side->section || !bc_names_make(&side->names, graph, arena, err) ||
	    !bc_tags_make(&side->tags, graph, arena, err) || !list_chain(side, arena, err))
		return false;
	for (const struct bc_graph *level = graph; level; level = level->base)
		note_sections(side, level);
	return true;
}

uint32_t bc_side_first(const struct bc_side *side, const char *name, size_t length)
{
	struct bc_search search = bc_search_among(side->list_count);

	while (bc_search_goes_on(&search)) {
		const char *other = bc_side_name(side, side->list[search.middle]);

		bc_search_step(&search, strncmp(other, name, length) < 0);
	}
	return search.low;
}

uint32_t bc_side_find(const struct bc_side *side, uint32_t kind, const char *name, uint64_t *steps)
{
	uint32_t at = bc_side_first(side, name, strlen(name) + 1);

	for (; at < side->list_count && !strcmp(bc_side_name(side, side->list[at]), name);
	     at++, ++*steps)
		if (bc_id_kind(side->graph, side->list[at]) == kind)
			return side->list[at];
	return 0;
}

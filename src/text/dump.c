/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The order is by group of kinds, in a group by name, among equal names by id.
 * Unnamed types that have a place of their own come first in their group. The
 * full form goes on with what nothing leads to, one line each. Tags on types
 * of the base are last.
 */
#include "text/dump.h"

#include <inttypes.h>

#include "base/order.h"
#include "base/text.h"
#include "graph/quote.h"
#include "graph/spell.h"
#include "text/loose.h"

/* A function that needs more columns is written with a line per parameter. */
#define MAX_COLUMNS 100

enum group { BASES, ENUMS, TYPEDEFS, COMPOSITES, FUNCTIONS, VARIABLES, SECTIONS, STRANGE };

struct dump {
	const struct bc_graph *graph;
	const struct bc_dump_options *options;
	struct bc_text text;
	struct bc_spell spell;
	struct bc_loose loose;
	uint64_t sorted_bytes; /* of names that were sorted, and will be written */
	struct bc_arena arena;
	struct bc_err *err;
};

static enum group group_of(const uint32_t *node)
{
	switch (bc_node_kind(node)) {
	case BC_INT:
	case BC_FLOAT:
		return BASES;
	case BC_ENUM:
	case BC_ENUM64:
		return ENUMS;
	case BC_TYPEDEF:
		return TYPEDEFS;
	case BC_STRUCT:
	case BC_UNION:
	case BC_FWD:
		return COMPOSITES;
	case BC_FUNC:
		return FUNCTIONS;
	case BC_VAR:
		return VARIABLES;
	case BC_DATASEC:
		return SECTIONS;
	default:
		return STRANGE;
	}
}

static void put_name(struct dump *dump, uint32_t id)
{
	bc_text_type_name(&dump->text, dump->graph, &dump->spell.names, id);
}

static void put_number(struct dump *dump, const char *what, uint64_t number)
{
	bc_text_string(&dump->text, what);
	bc_text_number(&dump->text, number);
}

/* "static ": of functions and variables. */
static void put_linkage(struct dump *dump, uint32_t linkage)
{
	static const char *const words[] = { "static ", "global ", "extern " };

	bc_text_string(&dump->text, words[linkage]);
}

/* ---- one block ---- */

static bool write_int(struct dump *dump, uint32_t id, const uint32_t *node)
{
	static const char *const encodings[] = { " signed", " char", " bool", " encoding8" };
	uint32_t encoding = node[3] >> 24, offset = node[3] >> 16 & 0xff, bits = node[3] & 0xff;

	bc_text_string(&dump->text, "integer ");
	put_name(dump, id);
	put_number(dump, " size ", node[2]);
	for (unsigned int i = 0; i < 4; i++)
		if (encoding >> i & 1)
			bc_text_string(&dump->text, encodings[i]);
	if (bits != (uint64_t)node[2] * 8)
		put_number(dump, " bits ", bits);
	if (offset)
		put_number(dump, " offset ", offset);
	bc_text_string(&dump->text, ";\n");
	return true;
}

static bool write_float(struct dump *dump, uint32_t id, const uint32_t *node)
{
	bc_text_string(&dump->text, "float ");
	put_name(dump, id);
	put_number(dump, " size ", node[2]);
	bc_text_string(&dump->text, ";\n");
	return true;
}

static bool write_forward(struct dump *dump, uint32_t id, const uint32_t *node)
{
	bc_text_string(&dump->text, bc_info_kflag(node[1]) ? "union " : "struct ");
	put_name(dump, id);
	bc_text_string(&dump->text, ";\n");
	return true;
}

static bool write_typedef(struct dump *dump, uint32_t id, const uint32_t *node)
{
	bc_text_string(&dump->text, "typedef ");
	if (!bc_spell_begin(&dump->spell, id) || !bc_spell_declaration(&dump->spell, node[2], id))
		return false;
	bc_spell_tags(&dump->spell, id);
	bc_text_string(&dump->text, ";\n");
	return true;
}

static bool write_variable(struct dump *dump, uint32_t id, const uint32_t *node)
{
	put_linkage(dump, node[3]);
	if (!bc_spell_begin(&dump->spell, id) || !bc_spell_declaration(&dump->spell, node[2], id))
		return false;
	bc_spell_tags(&dump->spell, id);
	bc_text_string(&dump->text, ";\n");
	return true;
}

/* The first name in an unnamed type, "" when there is none. */
static const char *first_name_in(const struct dump *dump, const uint32_t *node)
{
	uint32_t count = bc_element_count(node[1]);

	for (uint32_t i = 0; i < count; i++) {
		const char *name = bc_string(dump->graph, bc_element(node, i)[0]);

		if (*name)
			return name;
	}
	return "";
}

/* What makes closing lines differ from each other: the name, or the first name in it. */
static void put_closing_comment(struct dump *dump, uint32_t id, const uint32_t *node)
{
	bool is_named = bc_node_is_named(node, dump->graph);
	const char *inside = is_named ? "" : first_name_in(dump, node);

	bc_text_string(&dump->text, is_named || *inside ? "; // " : ";");
	if (is_named)
		put_name(dump, id);
	else if (*inside)
		bc_text_name(&dump->text, inside, BC_NAME_OF_ELEMENT);
	bc_text_char(&dump->text, '\n');
}

static bool write_body(struct dump *dump, uint32_t id, const uint32_t *node)
{
	if (!bc_spell_begin(&dump->spell, id) || !bc_spell_body(&dump->spell, id))
		return false;
	put_closing_comment(dump, id, node);
	return true;
}

static bool put_function(struct dump *dump, uint32_t id, const uint32_t *node)
{
	put_linkage(dump, bc_info_vlen(node[1]));
	if (!bc_spell_begin(&dump->spell, id) || !bc_spell_declaration(&dump->spell, node[2], id))
		return false;
	bc_spell_tags(&dump->spell, id);
	bc_text_char(&dump->text, ';');
	return true;
}

/* On one line where it fits, which is most often; see docs/dump-format.md for why. */
static bool write_function(struct dump *dump, uint32_t id, const uint32_t *node)
{
	struct bc_text *text = &dump->text;
	size_t place = bc_text_hold(text);
	bool has_parameters = bc_info_vlen(bc_node(dump->graph, node[2])[1]) > 0;
	bool put;

	dump->spell.give_up_at = has_parameters ? place + MAX_COLUMNS : 0;
	put = put_function(dump, id, node);
	dump->spell.give_up_at = 0;
	if (has_parameters && !text->failed &&
	    (text->used - place > MAX_COLUMNS ||
	     memchr(text->bytes + place, '\n', text->used - place))) {
		bc_text_take_back(text, place);
		bc_text_release(text);
		dump->spell.break_parameters = true;
		put = put && put_function(dump, id, node);
		dump->spell.break_parameters = false;
		bc_text_string(text, " // ");
		put_name(dump, id);
	}
	bc_text_release(text);
	bc_text_char(text, '\n');
	return put;
}

/*
 * Counts a name that is about to be sorted among others. A long one that is
 * sorted often would take longer than to find that the text is too long.
 */
static bool may_sort(struct dump *dump, const char *name)
{
	dump->sorted_bytes += strlen(name);
	if (dump->sorted_bytes > dump->text.limit_bytes)
		return bc_err_set(dump->err, "the text would be too long (over %" PRIu64 " MiB)",
				  dump->text.limit_bytes >> 20);
	return true;
}

static int compare_strings(const char *a, const char *b)
{
	int order = a == b ? 0 : strcmp(a, b);

	return (order > 0) - (order < 0);
}

/* Variables by name: their places are up to the linker, and move with every build. */
static int compare_entries(const void *context, uint32_t a, uint32_t b)
{
	const struct dump *dump = context;
	const uint32_t *node_a = bc_node(dump->graph, a), *node_b = bc_node(dump->graph, b);
	int order = compare_strings(bc_string(dump->graph, node_a[0]),
				    bc_string(dump->graph, node_b[0]));

	if (!order)
		order = bc_compare_u64(bc_node_kind(node_b), bc_node_kind(node_a));
	if (!order)
		order = bc_compare_u64(dump->spell.names.number[a], dump->spell.names.number[b]);
	return order;
}

/* The ids in a section, as the text has them. */
static uint32_t *list_entries(struct dump *dump, const uint32_t *node)
{
	uint32_t count = bc_info_vlen(node[1]);
	uint32_t *entries = bc_arena_alloc(&dump->arena, count, sizeof(*entries), dump->err);
	uint32_t *spare = bc_arena_alloc(&dump->arena, count, sizeof(*spare), dump->err);

	if (!entries || !spare)
		return NULL;
	for (uint32_t i = 0; i < count; i++) {
		entries[i] = bc_element(node, i)[0];
		if (!may_sort(dump, bc_string(dump->graph, bc_node(dump->graph, entries[i])[0])))
			return NULL;
	}
	if (!dump->options->full)
		bc_sort_compared(entries, spare, count, compare_entries, dump);
	return entries;
}

static void put_entry_name(struct dump *dump, uint32_t id)
{
	bc_text_string(&dump->text, bc_id_kind(dump->graph, id) == BC_FUNC ? "func " : "var ");
	put_name(dump, id);
}

static bool write_section(struct dump *dump, uint32_t id, const uint32_t *node)
{
	uint32_t count = bc_info_vlen(node[1]);
	const uint32_t *entries = list_entries(dump, node);
	bool full = dump->options->full;

	if (!entries)
		return false;
	bc_text_string(&dump->text, "section ");
	put_name(dump, id);
	bc_text_string(&dump->text, " {\n");
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *entry = bc_element(node, i);

		if (full)
			put_number(dump, "\t", entry[1]);
		bc_text_char(&dump->text, '\t');
		put_entry_name(dump, entries[i]);
		if (full)
			put_number(dump, " size ", entry[2]);
		bc_text_string(&dump->text, ";\n");
	}
	bc_text_char(&dump->text, '}');
	if (full)
		put_number(dump, " size ", node[2]);
	put_closing_comment(dump, id, node);
	return true;
}

/* A kind of which only the length is known: its words, as they are. */
static bool write_strange(struct dump *dump, uint32_t id, const uint32_t *node)
{
	uint32_t word_count = dump->graph->start[id - dump->graph->first_id + 1] -
			      dump->graph->start[id - dump->graph->first_id];

	put_number(dump, "kind ", bc_node_kind(node));
	bc_text_char(&dump->text, ' ');
	put_name(dump, id);
	if (bc_info_kflag(node[1]))
		bc_text_string(&dump->text, " [[kflag]]");
	put_number(dump, " vlen ", bc_info_vlen(node[1]));
	bc_text_string(&dump->text, " {\n");
	for (uint32_t i = 2; i < word_count; i++) {
		put_number(dump, "\t", node[i]);
		bc_text_string(&dump->text, ",\n");
	}
	bc_text_string(&dump->text, "}; // ");
	put_name(dump, id);
	bc_text_char(&dump->text, '\n');
	return true;
}

static bool write_block(struct dump *dump, uint32_t id)
{
	const uint32_t *node = bc_node(dump->graph, id);

	switch (bc_node_kind(node)) {
	case BC_INT:
		return write_int(dump, id, node);
	case BC_FLOAT:
		return write_float(dump, id, node);
	case BC_FWD:
		return write_forward(dump, id, node);
	case BC_TYPEDEF:
		return write_typedef(dump, id, node);
	case BC_STRUCT:
	case BC_UNION:
	case BC_ENUM:
	case BC_ENUM64:
		return write_body(dump, id, node);
	case BC_FUNC:
		return write_function(dump, id, node);
	case BC_VAR:
		return write_variable(dump, id, node);
	case BC_DATASEC:
		return write_section(dump, id, node);
	default:
		return write_strange(dump, id, node);
	}
}

/* ---- all of them ---- */

static bool write_group(struct dump *dump, enum group group)
{
	const struct bc_names *names = &dump->spell.names;

	for (uint32_t i = 0; i < dump->loose.body_count; i++)
		if (group_of(bc_node(dump->graph, dump->loose.bodies[i])) == group &&
		    !write_block(dump, dump->loose.bodies[i]))
			return false;
	for (uint32_t i = 0; i < names->count; i++)
		if (group_of(bc_node(dump->graph, names->by_name[i])) == group &&
		    !write_block(dump, names->by_name[i]))
			return false;
	return true;
}

/* Unnamed types by their first name, so that one that grows stays where it is. */
static int compare_bodies(const void *context, uint32_t a, uint32_t b)
{
	const struct dump *dump = context;

	return compare_strings(first_name_in(dump, bc_node(dump->graph, a)),
			       first_name_in(dump, bc_node(dump->graph, b)));
}

static bool sort_bodies(struct dump *dump)
{
	struct bc_loose *loose = &dump->loose;
	uint32_t *spare = bc_arena_alloc(&dump->arena, loose->body_count, sizeof(*spare),
					 dump->err);

	if (!spare)
		return false;
	for (uint32_t i = 0; i < loose->body_count; i++)
		if (!may_sort(dump, first_name_in(dump, bc_node(dump->graph, loose->bodies[i]))))
			return false;
	bc_sort_compared(loose->bodies, spare, loose->body_count, compare_bodies, dump);
	return true;
}

static bool write_loose(struct dump *dump)
{
	for (uint32_t i = 0; i < dump->loose.other_count; i++) {
		uint32_t id = dump->loose.others[i];

		bc_text_string(&dump->text, "type ");
		if (!bc_spell_begin(&dump->spell, id) || !bc_spell_declaration(&dump->spell, id, 0))
			return false;
		bc_text_string(&dump->text, ";\n");
	}
	return true;
}

/* What split BTF says about types of its base. */
static bool write_tags_across(struct dump *dump)
{
	for (uint32_t i = 0; i < dump->spell.tags.across_count; i++) {
		const uint32_t *tag = bc_node(dump->graph, dump->spell.tags.across[i]);
		uint32_t kind = bc_id_kind(dump->graph, tag[2]);

		bc_text_string(&dump->text, "tagged ");
		if (kind == BC_FUNC || kind == BC_VAR)
			put_entry_name(dump, tag[2]);
		else if (!bc_spell_begin(&dump->spell, tag[2]) ||
			 !bc_spell_declaration(&dump->spell, tag[2], 0))
			return false;
		bc_spell_tag_open(&dump->spell, tag);
		if (bc_tag_place(tag))
			put_number(dump, ", ", bc_tag_place(tag) - 1);
		bc_text_string(&dump->text, ");\n");
	}
	return true;
}

/* What is no type: how the graph lies in a file. */
static void write_file_line(struct dump *dump)
{
	const struct bc_graph *graph = dump->graph;

	bc_text_string(&dump->text, "#btf text=1 byte_order=");
	bc_text_string(&dump->text, graph->big_endian ? "big" : "little");
	if (graph->base) {
		put_number(dump, " base_types=", graph->first_id - 1);
		put_number(dump, " base_string_bytes=", graph->string_base);
	}
	if (graph->layout) {
		bc_text_string(&dump->text, " layout=");
		for (uint32_t i = 0; i < graph->layout_bytes; i++)
			bc_text_hex(&dump->text, graph->layout[i]);
	}
	bc_text_char(&dump->text, '\n');
}

static uint64_t text_limit(const struct bc_graph *graph)
{
	uint64_t bytes = (uint64_t)graph->start[graph->type_count] * 4 + graph->string_bytes;

	return ((uint64_t)64 << 20) + 32 * bytes;
}

/* The names that bc_names_make sorts, of the base too. */
static bool names_fit(const struct bc_graph *graph, struct bc_err *err)
{
	for (const struct bc_graph *level = graph; level; level = level->base) {
		uint64_t limit_bytes = text_limit(level), sum = 0;

		for (uint32_t i = 0; i < level->type_count && sum <= limit_bytes; i++)
			sum += strlen(bc_string(level, bc_own_node(level, i)[0]));
		if (sum > limit_bytes)
			return bc_err_set(err,
					  "the text would be too long (names of types alone are "
					  "over %" PRIu64 " MiB)",
					  limit_bytes >> 20);
	}
	return true;
}

static bool write_all(struct dump *dump)
{
	if (!bc_spell_open(&dump->spell, dump->graph, &dump->text, &dump->arena, dump->err) ||
	    !bc_loose_find(&dump->loose, dump->graph, &dump->arena, dump->err) ||
	    !sort_bodies(dump))
		return false;
	if (dump->options->full)
		write_file_line(dump);
	for (enum group group = BASES; group <= STRANGE; group++)
		if (!write_group(dump, group))
			return false;
	if (dump->options->full && !write_loose(dump))
		return false;
	return write_tags_across(dump) && bc_text_flush(&dump->text);
}

bool bc_dump(FILE *out, const struct bc_graph *graph, const struct bc_dump_options *options,
	     struct bc_err *err)
{
	struct dump dump = { .graph = graph, .options = options, .err = err };
	bool done = names_fit(graph, err) &&
		    bc_text_open(&dump.text, out, text_limit(graph), err) && write_all(&dump);

	bc_spell_close(&dump.spell);
	bc_text_close(&dump.text);
	bc_arena_free(&dump.arena);
	return done;
}

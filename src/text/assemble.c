/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * [read_file_line] reads what the text says of its file. [bc_parse_blocks]
 * makes nodes whose references may be symbols. Types of a base get their
 * symbols after that [declare_base]: their numbers leave out what the split
 * BTF's own names spell. Then each reference becomes an id [resolve], and the
 * graph is checked as if it had been read from a file [check].
 *
 * Split BTF may tag an unnamed type of its base, which the text can only write
 * out again. Which type of the base that is, the canonical order of a graph
 * without these tags tells: in it the copy is merged into its original
 * [find_originals].
 */
#include "text/assemble.h"

#include <stdio.h>
#include <string.h>

#include "graph/check.h"
#include "graph/names.h"
#include "sort/canonical.h"
#include "text/assemble_parse.h"

#define FORM_VERSION "1"
#define LAYOUT_ENTRY_BYTES 4u

struct assembler {
	const char *text;
	size_t size_bytes;
	const struct bc_graph *base;
	struct bc_store store;
	struct bc_parse parse;
	struct bc_scan where; /* for errors in the first line */
	struct bc_graph file; /* what the first line says */
	struct bc_arena *arena;
	struct bc_arena scratch;
	struct bc_err *err;
};

/* ---- the first line ---- */

struct field {
	const char *key;
	size_t key_length;
	const char *value;
	size_t value_length;
	uint32_t at;
};

static bool key_is(const struct field *field, const char *key)
{
	return field->key_length == strlen(key) && !memcmp(field->key, key, field->key_length);
}

static bool value_is(const struct field *field, const char *value)
{
	return field->value_length == strlen(value) &&
	       !memcmp(field->value, value, field->value_length);
}

static bool value_is_number(const struct field *field, uint32_t number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	return value_is(field, text);
}

static int hex_value(char byte)
{
	return byte >= '0' && byte <= '9' ? byte - '0' :
	       byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 :
					    -1;
}

static bool read_layout(struct assembler *assembler, const struct field *field)
{
	size_t bytes = field->value_length / 2;
	uint8_t *layout;

	if (!bytes || field->value_length % (LAYOUT_ENTRY_BYTES * 2))
		return bc_scan_fail(&assembler->where, field->at,
				    "a layout section is made of entries of %u bytes",
				    LAYOUT_ENTRY_BYTES);
	layout = bc_arena_alloc(assembler->arena, bytes, 1, assembler->err);
	if (!layout)
		return false;
	for (size_t i = 0; i < bytes; i++) {
		int high = hex_value(field->value[2 * i]), low = hex_value(field->value[2 * i + 1]);

		if (high < 0 || low < 0)
			return bc_scan_fail(&assembler->where, field->at,
					    "the layout section is not written in hexadecimal");
		layout[i] = (uint8_t)(high << 4 | low);
	}
	assembler->file.layout = layout;
	assembler->file.layout_bytes = (uint32_t)bytes;
	return true;
}

static bool read_base_field(struct assembler *assembler, const struct field *field, uint32_t number,
			    const char *what)
{
	if (!assembler->base)
		return bc_scan_fail(&assembler->where, field->at,
				    "split BTF: --base says what it goes on from");
	return value_is_number(field, number) ||
	       bc_scan_fail(&assembler->where, field->at,
			    "it goes on from a base of %.*s %s, not %u",
			    field->value_length < 16 ? (int)field->value_length : 16, field->value,
			    what, number);
}

/* Fields seen, a bit each. */
enum { TEXT = 1, BYTE_ORDER_FIELD = 2, BASE_TYPES = 4, BASE_STRINGS = 8, LAYOUT = 16 };

static bool read_field(struct assembler *assembler, const struct field *field, unsigned int *seen)
{
	static const char *const keys[] = { "text", "byte_order", "base_types", "base_string_bytes",
					    "layout" };
	unsigned int which = 0;

	while (which < 5 && !key_is(field, keys[which]))
		which++;
	if (which == 5)
		return bc_scan_fail(&assembler->where, field->at, "no such word is known here");
	if (*seen >> which & 1)
		return bc_scan_fail(&assembler->where, field->at, "%s is said twice", keys[which]);
	*seen |= 1u << which;
	switch (1u << which) {
	case TEXT:
		return value_is(field, FORM_VERSION) ||
		       bc_scan_fail(&assembler->where, field->at,
				    "only version " FORM_VERSION " of the text form is known");
	case BYTE_ORDER_FIELD:
		assembler->file.big_endian = value_is(field, "big");
		return assembler->file.big_endian || value_is(field, "little") ||
		       bc_scan_fail(&assembler->where, field->at,
				    "the byte order is little or big");
	case BASE_TYPES:
		return read_base_field(assembler, field,
				       assembler->base ? bc_id_end(assembler->base) - 1 : 0,
				       "types");
	case BASE_STRINGS:
		return read_base_field(assembler, field,
				       assembler->base ? bc_string_end(assembler->base) : 0,
				       "bytes of strings");
	default:
		return read_layout(assembler, field);
	}
}

static bool check_fields(struct assembler *assembler, unsigned int seen)
{
	if (!(seen & TEXT) || !(seen & BYTE_ORDER_FIELD))
		return bc_scan_fail(&assembler->where, 0, "%s= is missing",
				    seen & TEXT ? "byte_order" : "text");
	if (!assembler->base)
		return true;
	if (!(seen & BASE_TYPES) || !(seen & BASE_STRINGS))
		return bc_scan_fail(&assembler->where, 0, "it is no split BTF: it has no base");
	return assembler->file.big_endian == assembler->base->big_endian ||
	       bc_scan_fail(&assembler->where, 0, "its byte order is not that of its base");
}

/* "#btf text=1 …"; *PLACE is where the rest begins. */
static bool read_file_line(struct assembler *assembler, uint32_t *place)
{
	const char *text = assembler->text, *end;
	unsigned int seen = 0;

	if (assembler->size_bytes < 5 || memcmp(text, "#btf ", 5))
		return bc_scan_fail(&assembler->where, 0,
				    "the text does not begin with '#btf ' as that of dump --full");
	end = memchr(text, '\n', assembler->size_bytes);
	if (!end)
		return bc_scan_fail(&assembler->where, (uint32_t)assembler->size_bytes,
				    "the text ends in its first line");
	for (const char *at = text + 4; at < end;) {
		struct field field;

		if (*at == ' ' || *at == '\r') {
			at++;
			continue;
		}
		field.key = at;
		field.at = (uint32_t)(at - text);
		while (at < end && *at != '=' && *at != ' ' && *at != '\r')
			at++;
		field.key_length = (size_t)(at - field.key);
		at += at < end && *at == '=';
		field.value = at;
		while (at < end && *at != ' ' && *at != '\r')
			at++;
		field.value_length = (size_t)(at - field.value);
		if (!read_field(assembler, &field, &seen))
			return false;
	}
	*place = (uint32_t)(end - text);
	return check_fields(assembler, seen);
}

/* ---- names of the base ---- */

static enum bc_symbol_space space_of(const uint32_t *node)
{
	switch (bc_node_kind(node)) {
	case BC_STRUCT:
		return BC_SYMBOL_STRUCT;
	case BC_UNION:
		return BC_SYMBOL_UNION;
	case BC_FWD:
		return bc_info_kflag(node[1]) ? BC_SYMBOL_UNION : BC_SYMBOL_STRUCT;
	case BC_ENUM:
	case BC_ENUM64:
		return BC_SYMBOL_ENUM;
	case BC_FUNC:
		return BC_SYMBOL_FUNC;
	case BC_VAR:
		return BC_SYMBOL_VAR;
	case BC_DATASEC:
		return BC_SYMBOL_SECTION;
	default:
		return BC_SYMBOL_BASE;
	}
}

/*
 * The names that the text declares, on the base, and nothing that they refer
 * to: enough for the numbers of the base's types.
 */
static bool make_outline(struct assembler *assembler, struct bc_graph *outline)
{
	const struct bc_store *store = &assembler->store;
	uint32_t *start = bc_arena_alloc(&assembler->scratch, (size_t)store->type_count + 1,
					 sizeof(*start), assembler->err);
	uint32_t *words = bc_arena_zalloc(&assembler->scratch, store->type_count,
					  4 * sizeof(*words), assembler->err);

	if (!start || !words)
		return false;
	for (uint32_t i = 0; i < store->type_count; i++) {
		const uint32_t *node = store->words + store->start[i];
		uint32_t kind = bc_node_kind(node);

		start[i] = i * 4;
		words[i * 4] = node[0];
		/* A forward stands for what has a tag, a pointer to void for what has no name. */
		if (bc_kind_is_composite(kind) || bc_kind_is_enum(kind))
			kind = node[0] ? BC_FWD : BC_PTR;
		else if (!bc_node_is_named(node, assembler->base))
			kind = BC_PTR;
		words[i * 4 + 1] = bc_info(kind, 0, false);
	}
	start[store->type_count] = store->type_count * 4;
	*outline = (struct bc_graph){
		.base = assembler->base,
		.first_id = store->first_id,
		.type_count = store->type_count,
		.start = start,
		.words = words,
		.strings = store->strings,
		.string_base = store->string_base,
		.string_bytes = (uint32_t)store->string_bytes,
	};
	return true;
}

static bool declare_base(struct assembler *assembler)
{
	struct bc_graph outline;
	struct bc_names names;

	if (!assembler->base)
		return true;
	if (!make_outline(assembler, &outline) ||
	    !bc_names_make(&names, &outline, &assembler->scratch, assembler->err))
		return false;
	for (uint32_t id = 1; id < assembler->store.first_id; id++) {
		const uint32_t *node = bc_node(assembler->base, id);
		const char *name = bc_string(assembler->base, node[0]);
		uint32_t offset;

		if (names.number[id] &&
		    (!bc_store_string(&assembler->store, name, strlen(name), &offset) ||
		     !bc_parse_declare(&assembler->parse, space_of(node), offset, names.number[id],
				       id, (uint32_t)assembler->size_bytes)))
			return false;
	}
	return true;
}

/* ---- references ---- */

static const char *space_word(uint32_t space)
{
	static const char *const words[] = {
		[BC_SYMBOL_STRUCT] = "struct",     [BC_SYMBOL_UNION] = "union",
		[BC_SYMBOL_ENUM] = "enum",         [BC_SYMBOL_BASE] = "type",
		[BC_SYMBOL_FUNC] = "function",     [BC_SYMBOL_VAR] = "variable",
		[BC_SYMBOL_SECTION] = "section",   [BC_SYMBOL_LABEL_STRUCT] = "struct",
		[BC_SYMBOL_LABEL_UNION] = "union", [BC_SYMBOL_LABEL_ENUM] = "enum",
		[BC_SYMBOL_LABEL] = "type",
	};

	return words[space];
}

static bool refuse_symbol(struct assembler *assembler, const struct bc_symbol *symbol)
{
	const struct bc_store *store = &assembler->store;
	char printable[BC_PRINTABLE_MAX], number[16] = "";

	if (symbol->space >= BC_SYMBOL_LABEL_STRUCT)
		return bc_scan_fail(&assembler->where, symbol->used_at,
				    "no %s of this block has the label @%u",
				    space_word(symbol->space), symbol->number);
	if (symbol->number > 1)
		snprintf(number, sizeof(number), "___%u", symbol->number);
	bc_printable(printable,
		     symbol->name ? store->strings + (symbol->name - store->string_base) : "");
	return bc_scan_fail(&assembler->where, symbol->used_at, "there is no %s %s%s",
			    space_word(symbol->space), printable, number);
}

/* The index type of arrays that say none. */
static bool resolve_usual_index(struct assembler *assembler)
{
	static const char *const usual[] = { "__ARRAY_SIZE_TYPE__", "int" };
	struct bc_store *store = &assembler->store;
	uint32_t name, id = 0;

	for (unsigned int i = 0; i < 2 && !id; i++) {
		if (!bc_store_string(store, usual[i], strlen(usual[i]), &name))
			return false;
		id = bc_store_find(store, BC_SYMBOL_BASE, name, 1);
	}
	store->symbols[0].id = id;
	return id || !store->symbols[0].number ||
	       bc_scan_fail(&assembler->where, store->symbols[0].used_at,
			    "an array without index type, and there is no type int");
}

/* The type that REFERENCE means. */
static bool resolve_one(struct assembler *assembler, uint32_t *reference)
{
	const struct bc_symbol *symbol;

	if (*reference < BC_STORE_SYMBOL)
		return true;
	symbol = &assembler->store.symbols[*reference - BC_STORE_SYMBOL];
	*reference = symbol->id;
	return symbol->id || refuse_symbol(assembler, symbol);
}

/* The first symbol of the text that means nothing is the one to tell. */
static bool check_symbols(struct assembler *assembler)
{
	const struct bc_store *store = &assembler->store;
	const struct bc_symbol *first = NULL;

	for (size_t i = 1; i < store->symbol_count; i++)
		if (!store->symbols[i].id && (!first || store->symbols[i].used_at < first->used_at))
			first = &store->symbols[i];
	return !first || refuse_symbol(assembler, first);
}

static bool resolve(struct assembler *assembler)
{
	struct bc_store *store = &assembler->store;

	if (!resolve_usual_index(assembler) || !check_symbols(assembler))
		return false;
	for (uint32_t i = 0; i < store->type_count; i++) {
		uint32_t *node = store->words + store->start[i];
		struct bc_edges edges = bc_edges(node);

		for (uint32_t k = 0; k < edges.count; k++)
			if (!resolve_one(assembler, &node[bc_edge_word(edges, k)]))
				return false;
	}
	for (size_t i = 0; i < assembler->parse.across_count; i++)
		if (!resolve_one(assembler, &assembler->parse.across[i].target))
			return false;
	return true;
}

/* ---- the graph ---- */

static bool hand_over(struct assembler *assembler, struct bc_graph *graph)
{
	const struct bc_store *store = &assembler->store;
	uint32_t *start = bc_arena_alloc(assembler->arena, (size_t)store->type_count + 1,
					 sizeof(*start), assembler->err);
	uint32_t *words = bc_arena_alloc(assembler->arena, store->word_count, sizeof(*words),
					 assembler->err);
	char *strings = bc_arena_alloc(assembler->arena, store->string_bytes, 1, assembler->err);

	if (!start || !words || !strings)
		return false;
	if (store->type_count) {
		memcpy(start, store->start, store->type_count * sizeof(*start));
		memcpy(words, store->words, store->word_count * sizeof(*words));
	}
	start[store->type_count] = (uint32_t)store->word_count;
	memcpy(strings, store->strings, store->string_bytes);
	*graph = assembler->file;
	graph->base = assembler->base;
	graph->first_id = store->first_id;
	graph->type_count = store->type_count;
	graph->start = start;
	graph->words = words;
	graph->strings = strings;
	graph->string_base = store->string_base;
	graph->string_bytes = (uint32_t)store->string_bytes;
	graph->pointer_bytes = assembler->base ? assembler->base->pointer_bytes : 0;
	return true;
}

/* What the check says of "type 57: …" is said of a place in the text. */
static bool check(struct assembler *assembler, const struct bc_graph *graph)
{
	struct bc_err found;
	uint32_t id;
	int used = 0;

	if (bc_graph_check(graph, NULL, &found))
		return true;
	if (sscanf(found.text, "type %u: %n", &id, &used) != 1 || !used || id < graph->first_id ||
	    id >= bc_id_end(graph)) {
		*assembler->err = found;
		return false;
	}
	return bc_scan_fail(&assembler->where, assembler->store.at[id - graph->first_id], "%s",
			    found.text + used);
}

/* A type of the base that TAG is on, instead of its copy. */
static bool check_target(struct assembler *assembler, const struct bc_tag_across *tag)
{
	return (tag->target && tag->target < assembler->store.first_id) ||
	       bc_scan_fail(&assembler->where, tag->at, "this is not a type of the base");
}

static bool find_originals(struct assembler *assembler, const struct bc_graph *graph)
{
	struct bc_canonical_options options = { .order = BC_ORDER_CANONICAL };
	struct bc_parse *parse = &assembler->parse;
	const uint32_t *new_id = NULL;
	struct bc_graph ordered;

	for (size_t i = 0; i < parse->across_count; i++) {
		struct bc_tag_across *tag = &parse->across[i];

		if (!bc_store_is_own(&assembler->store, tag->target))
			continue;
		if (!new_id && !bc_canonical(&ordered, graph, &options, &assembler->scratch,
					     &new_id, NULL, assembler->err))
			return false;
		tag->target = new_id[tag->target - graph->first_id];
	}
	return true;
}

/* Tags on types of the base, when everything else is there. */
static bool add_tags_across(struct assembler *assembler, struct bc_graph *graph)
{
	struct bc_parse *parse = &assembler->parse;

	if (!parse->across_count)
		return true;
	if (!assembler->base)
		return bc_scan_fail(&assembler->where, parse->across[0].at, "there is no base");
	if (!find_originals(assembler, graph))
		return false;
	for (size_t i = 0; i < parse->across_count; i++) {
		const struct bc_tag_across *tag = &parse->across[i];
		uint32_t id, *node;

		if (!check_target(assembler, tag))
			return false;
		node = bc_store_node(&assembler->store, tag->name,
				     bc_info(BC_DECL_TAG, 0, tag->kflag), 4, tag->at, &id);
		if (!node)
			return false;
		node[2] = tag->target;
		node[3] = tag->component;
	}
	return hand_over(assembler, graph) && check(assembler, graph);
}

static bool assemble(struct assembler *assembler, struct bc_graph *graph)
{
	struct bc_graph made;
	uint32_t place = 0;

	if (assembler->size_bytes > BC_SCAN_MAX_BYTES)
		return bc_err_set(assembler->err, "a text of more than %zu MiB",
				  BC_SCAN_MAX_BYTES >> 20);
	assembler->where = (struct bc_scan){ .text = assembler->text, .err = assembler->err };
	if (!read_file_line(assembler, &place) ||
	    !bc_store_open(&assembler->store, assembler->base, assembler->err) ||
	    !bc_parse_blocks(&assembler->parse, &assembler->store, assembler->text,
			     assembler->size_bytes, place, assembler->err) ||
	    !declare_base(assembler) || !resolve(assembler) || !hand_over(assembler, &made) ||
	    !check(assembler, &made) || !add_tags_across(assembler, &made))
		return false;
	*graph = made;
	return true;
}

bool bc_assemble_text(struct bc_graph *graph, const char *text, size_t size_bytes,
		      const struct bc_graph *base, struct bc_arena *arena, struct bc_err *err)
{
	struct assembler assembler = {
		.text = text,
		.size_bytes = size_bytes,
		.base = base,
		.arena = arena,
		.err = err,
	};
	bool done = assemble(&assembler, graph);

	bc_parse_close(&assembler.parse);
	bc_store_close(&assembler.store);
	bc_arena_free(&assembler.scratch);
	return done;
}

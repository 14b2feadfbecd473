/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Passes: the layout of structs [bc_layout_make], names in C
 * [bc_c_names_make], items and what they need [bc_items_make]; then every
 * item is written into memory by index, so that numbers of enumerators do not
 * depend on the order [spell_items]; then the order [bc_items_order], which
 * wants to know how long items are; then all of it goes out [write_header].
 */
#include "text/header.h"

#include <string.h>

#include "base/clock.h"
#include "base/order.h"
#include "text/header_baseline.h"
#include "text/header_items.h"
#include "text/header_layout.h"
#include "text/header_names.h"
#include "text/header_order.h"
#include "text/header_select.h"
#include "text/header_spell.h"

/* Compilers for some targets have macros of these names. */
static const char *const macros[] = { "i386", "linux", "unix" };

#define MACRO_COUNT (sizeof(macros) / sizeof(macros[0]))

struct header {
	const struct bc_graph *graph;
	const struct bc_header_options *options;
	struct bc_header_stats stats;
	struct bc_layout layout;
	struct bc_c_names names;
	struct bc_items items;
	struct bc_c_spell spell;
	struct bc_text bodies; /* all items, in memory */
	struct bc_text text;   /* the file */
	const uint8_t *level;  /* by id, or NULL */
	uint8_t last_level;
	struct bc_span *body; /* [items.count] in bodies */
	uint32_t *lines;
	uint32_t *order;
	uint8_t *is_kept; /* by item, NULL: all are */
	bool has_macro[MACRO_COUNT];
	struct bc_arena arena;
	struct bc_err *err;
};

static uint32_t count_lines(const char *text, size_t length)
{
	const char *end = text + length;
	uint32_t count = 0;

	while (text < end && (text = memchr(text, '\n', (size_t)(end - text)))) {
		count++;
		text++;
	}
	return count;
}

static uint8_t level_of(const struct header *header, uint32_t id)
{
	return header->level ? header->level[id] : 0;
}

/* Is it left to the header that this one goes on from? */
static bool is_below(const struct header *header, uint32_t id)
{
	return level_of(header, id) < header->options->base_count;
}

static bool is_kept(const struct header *header, uint32_t item)
{
	if (is_below(header, header->items.type[item]))
		return false;
	return !header->is_kept || header->is_kept[item];
}

static bool select_items(struct header *header)
{
	const struct bc_header_options *options = header->options;

	if (!options->only_count)
		return true;
	header->is_kept = bc_arena_zalloc(&header->arena, header->items.count, 1, header->err);
	return header->is_kept && bc_items_select(header->is_kept, &header->items, header->graph,
						  options->only, options->only_count, header->err);
}

static bool spell_item(struct header *header, uint32_t item, struct bc_notes *notes)
{
	size_t begin = header->bodies.used;

	header->spell.notes = is_kept(header, item) ? notes : NULL;
	if (!bc_c_spell_item(&header->spell, item))
		return false;
	header->body[item] = (struct bc_span){ begin, header->bodies.used - begin };
	header->lines[item] = count_lines(header->bodies.bytes + begin, header->body[item].bytes);
	if (!is_kept(header, item))
		return true;
	header->stats.lines += header->lines[item];
	header->stats.definitions++;
	return true;
}

/* Those left out too: numbers of enumerators must not depend on what is kept. */
static bool spell_items(struct header *header, struct bc_notes *notes)
{
	uint32_t count = header->items.count;

	header->body = bc_arena_alloc(&header->arena, count, sizeof(*header->body), header->err);
	header->lines = bc_arena_alloc(&header->arena, count, sizeof(uint32_t), header->err);
	header->order = bc_arena_alloc(&header->arena, count, sizeof(uint32_t), header->err);
	if (!header->body || !header->lines || !header->order)
		return false;
	header->spell.text = &header->bodies;
	for (uint32_t level = 0; level <= header->last_level; level++)
		for (uint32_t item = 0; item < count; item++)
			if (level_of(header, header->items.type[item]) == level &&
			    !spell_item(header, item, notes))
				return false;
	header->spell.notes = notes;
	return true;
}

/* In the order of their numbers, or of an older header. */
static bool order_items(struct header *header)
{
	for (uint32_t item = 0; item < header->items.count; item++)
		header->order[item] = item;
	if (header->options->baseline) {
		struct bc_baseline baseline = { 0 };

		if (!bc_baseline_read(&baseline, header->options->baseline,
				      header->options->baseline_bytes, &header->arena,
				      header->err) ||
		    !bc_baseline_index(header->order, header->lines, &baseline, &header->items,
				       header->bodies.bytes, header->body, header->err))
			return false;
	}
	return bc_items_order(header->order, &header->items, header->layout.has_composites,
			      header->lines, header->err);
}

/* ---- the beginning ---- */

static const char vmlinux_guard[] = "__VMLINUX_H__";

static const char include_base[] = "#ifndef __VMLINUX_H__\n"
				   "#include \"vmlinux.h\"\n"
				   "#endif\n"
				   "\n";

static const char open_preserve[] =
	"#ifndef BPF_NO_PRESERVE_ACCESS_INDEX\n"
	"#if defined(__clang__) && defined(__bpf__)\n"
	"#pragma clang attribute push (__attribute__((preserve_access_index)), apply_to = record)\n"
	"#endif\n"
	"#endif\n"
	"\n";

static const char close_preserve[] = "#ifndef BPF_NO_PRESERVE_ACCESS_INDEX\n"
				     "#if defined(__clang__) && defined(__bpf__)\n"
				     "#pragma clang attribute pop\n"
				     "#endif\n"
				     "#endif\n"
				     "\n";

static const char type_tag_macros[] =
	"#ifndef __btf_type_tag\n"
	"#if defined(__clang__) && defined(__has_attribute)\n"
	"#if __has_attribute(btf_type_tag)\n"
	"#define __btf_type_tag(tag) __attribute__((btf_type_tag(tag)))\n"
	"#endif\n"
	"#endif\n"
	"#endif\n"
	"#ifndef __btf_type_tag\n"
	"#define __btf_type_tag(tag)\n"
	"#endif\n"
	"\n";

static const char type_attribute_macros[] =
	"#ifndef __btf_type_attribute\n"
	"#ifdef __clang__\n"
	"#define __btf_type_attribute(attribute) __attribute__((attribute))\n"
	"#else\n"
	"#define __btf_type_attribute(attribute)\n"
	"#endif\n"
	"#endif\n"
	"\n";

static const char open_kfuncs[] = "#ifndef BPF_NO_KFUNC_PROTOTYPES\n"
				  "#ifndef __ksym\n"
				  "#define __ksym __attribute__((section(\".ksyms\")))\n"
				  "#endif\n"
				  "#ifndef __weak\n"
				  "#define __weak __attribute__((weak))\n"
				  "#endif\n"
				  "#ifndef __bpf_fastcall\n"
				  "#if defined(__has_attribute) && defined(__bpf__)\n"
				  "#if __has_attribute(bpf_fastcall)\n"
				  "#define __bpf_fastcall __attribute__((bpf_fastcall))\n"
				  "#endif\n"
				  "#endif\n"
				  "#endif\n"
				  "#ifndef __bpf_fastcall\n"
				  "#define __bpf_fastcall\n"
				  "#endif\n"
				  "\n";

static const char close_kfuncs[] = "#endif /* BPF_NO_KFUNC_PROTOTYPES */\n"
				   "\n";

static bool has_string(const struct bc_graph *graph, const char *wanted)
{
	size_t length = strlen(wanted) + 1;
	const char *at = graph->strings, *end = graph->strings + graph->string_bytes;

	while ((at = memmem(at, (size_t)(end - at), wanted, length))) {
		if (at == graph->strings || !at[-1])
			return true;
		at++;
	}
	return false;
}

static void find_macros(struct header *header)
{
	for (size_t i = 0; i < MACRO_COUNT; i++)
		header->has_macro[i] = has_string(header->graph, macros[i]);
}

static void put_macros(struct header *header, bool away)
{
	bool put = false;

	for (size_t i = 0; i < MACRO_COUNT; i++) {
		if (!header->has_macro[i])
			continue;
		bc_text_string(&header->text,
			       away ? "#pragma push_macro(\"" : "#pragma pop_macro(\"");
		bc_text_string(&header->text, macros[i]);
		bc_text_string(&header->text, "\")\n");
		if (away) {
			bc_text_string(&header->text, "#undef ");
			bc_text_string(&header->text, macros[i]);
			bc_text_char(&header->text, '\n');
		}
		put = true;
	}
	if (put)
		bc_text_char(&header->text, '\n');
}

static bool has_type_tags(const struct bc_graph *graph, bool of_attributes)
{
	for (uint32_t id = 1; id < bc_id_end(graph); id++)
		if (bc_id_kind(graph, id) == BC_TYPE_TAG &&
		    bc_info_kflag(bc_node(graph, id)[1]) == of_attributes)
			return true;
	return false;
}

/* ---- declarations ahead of definitions ---- */

struct declarations {
	uint8_t *is_defined, *is_listed;
	struct bc_keyed *list;
	uint32_t count;
};

static void declare(const struct header *header, struct declarations *declarations, uint32_t id)
{
	if (declarations->is_defined[id] || declarations->is_listed[id])
		return;
	declarations->is_listed[id] = 1;
	declarations->list[declarations->count++] = (struct bc_keyed){
		(uint64_t)bc_node(header->graph, id)[0] << 32 | header->names.number[id], id
	};
}

static bool has_kfuncs(const struct header *header)
{
	if (header->options->no_kfuncs || header->is_kept)
		return false;
	for (uint32_t i = 0; i < header->items.kfunc_count; i++)
		if (!is_below(header, header->items.kfuncs[i]))
			return true;
	return false;
}

/* Structs and unions that something names before they are defined, or that never are. */
static bool find_declarations(struct header *header, struct declarations *declarations)
{
	const struct bc_items *items = &header->items;
	uint32_t id_end = bc_id_end(header->graph);
	struct bc_keyed *spare = bc_arena_alloc(&header->arena, id_end, sizeof(*spare),
						header->err);

	declarations->is_defined = bc_arena_zalloc(&header->arena, id_end, 1, header->err);
	declarations->is_listed = bc_arena_zalloc(&header->arena, id_end, 1, header->err);
	declarations->list = bc_arena_alloc(&header->arena, id_end, sizeof(*spare), header->err);
	if (!spare || !declarations->is_defined || !declarations->is_listed || !declarations->list)
		return false;
	for (uint32_t id = 1; id < id_end; id++)
		declarations->is_defined[id] = is_below(header, id);
	for (uint32_t id = 1; id < id_end && !header->is_kept; id++)
		if (bc_id_kind(header->graph, id) == BC_FWD && header->names.means[id] == id)
			declare(header, declarations, id);
	for (uint32_t i = 0; i < items->count; i++) {
		uint32_t item = header->order[i];

		if (!is_kept(header, item))
			continue;
		/* What is being defined may be named inside of it. */
		declarations->is_defined[items->type[item]] = 1;
		for (uint32_t j = items->first_mention[item]; j < items->first_mention[item + 1];
		     j++)
			declare(header, declarations, items->mentions[j]);
	}
	for (uint32_t i = 0; i < items->kfunc_mention_count && has_kfuncs(header); i++)
		declare(header, declarations, items->kfunc_mentions[i]);
	bc_sort_keyed(declarations->list, spare, declarations->count);
	header->stats.declarations = declarations->count;
	return true;
}

static bool put_declarations(struct header *header)
{
	struct declarations declarations = { 0 };

	if (!find_declarations(header, &declarations))
		return false;
	header->spell.text = &header->text;
	for (uint32_t i = 0; i < declarations.count; i++) {
		bc_c_spell_tag(&header->spell, declarations.list[i].value);
		bc_text_string(&header->text, ";\n");
	}
	if (declarations.count)
		bc_text_char(&header->text, '\n');
	return true;
}

/* ---- the rest ---- */

/* No empty lines in between: equal lines are what misleads diff most. */
static void put_items(struct header *header)
{
	for (uint32_t i = 0; i < header->items.count; i++) {
		uint32_t item = header->order[i];

		if (!is_kept(header, item))
			continue;
		bc_text_put(&header->text, header->bodies.bytes + header->body[item].begin,
			    header->body[item].bytes);
	}
	bc_text_char(&header->text, '\n');
}

static bool is_fastcall(const struct bc_graph *graph, const uint32_t *tag)
{
	return bc_node_kind(tag) == BC_DECL_TAG && bc_id_kind(graph, tag[2]) == BC_FUNC &&
	       !strcmp(bc_string(graph, tag[0]), "bpf_fastcall");
}

static bool put_kfuncs(struct header *header)
{
	const struct bc_graph *graph = header->graph;
	uint8_t *is_fast = bc_arena_zalloc(&header->arena, bc_id_end(graph), 1, header->err);

	if (!is_fast)
		return false;
	if (!has_kfuncs(header))
		return true;
	for (uint32_t id = 1; id < bc_id_end(graph); id++)
		if (is_fastcall(graph, bc_node(graph, id)))
			is_fast[bc_node(graph, id)[2]] = 1;
	bc_text_string(&header->text, open_kfuncs);
	for (uint32_t i = 0; i < header->items.kfunc_count; i++) {
		uint32_t id = header->items.kfuncs[i];

		if (is_below(header, id))
			continue;
		if (!bc_c_spell_kfunc(&header->spell, id, is_fast[id]))
			return false;
		header->stats.kfuncs++;
	}
	bc_text_string(&header->text, close_kfuncs);
	return true;
}

/* Clang warns of an attribute for records where there is none. */
static bool has_composites(const struct header *header)
{
	for (uint32_t id = 1; id < bc_id_end(header->graph); id++)
		if (bc_kind_is_composite(bc_id_kind(header->graph, id)) && !is_below(header, id))
			return true;
	return false;
}

static void put_opening(struct header *header, const char *guard)
{
	bc_text_string(&header->text, "#ifndef ");
	bc_text_string(&header->text, guard);
	bc_text_string(&header->text, "\n#define ");
	bc_text_string(&header->text, guard);
	bc_text_string(&header->text, "\n\n");
	if (header->options->base_count)
		bc_text_string(&header->text, include_base);
}

static bool write_header(struct header *header)
{
	bool preserve = !header->options->no_preserve_access_index && has_composites(header);
	const char *guard = header->options->base_count ? header->options->guard : vmlinux_guard;

	find_macros(header);
	put_opening(header, guard);
	put_macros(header, true);
	if (has_type_tags(header->graph, false))
		bc_text_string(&header->text, type_tag_macros);
	if (has_type_tags(header->graph, true))
		bc_text_string(&header->text, type_attribute_macros);
	if (preserve)
		bc_text_string(&header->text, open_preserve);
	if (!put_declarations(header))
		return false;
	put_items(header);
	if (!put_kfuncs(header))
		return false;
	if (preserve)
		bc_text_string(&header->text, close_preserve);
	put_macros(header, false);
	bc_text_string(&header->text, "#endif /* ");
	bc_text_string(&header->text, guard);
	bc_text_string(&header->text, " */\n");
	return bc_text_flush(&header->text);
}

/* ---- all of it ---- */

static uint64_t text_limit(const struct bc_graph *graph)
{
	uint64_t bytes = (uint64_t)graph->start[graph->type_count] * 4 + graph->string_bytes;

	return ((uint64_t)64 << 20) + 32 * bytes;
}

static void find_last_level(struct header *header)
{
	for (uint32_t id = 1; id < bc_id_end(header->graph); id++)
		if (level_of(header, id) > header->last_level)
			header->last_level = level_of(header, id);
}

static bool make_header(struct header *header, struct bc_notes *notes)
{
	uint64_t begin = bc_clock_ns(), now;

#define PHASE(name) (now = bc_clock_ns(), header->stats.name = now - begin, begin = now, true)
	find_last_level(header);
	if (!bc_layout_make(&header->layout, header->graph, header->level, &header->arena,
			    header->err) ||
	    !PHASE(ns_layout) ||
	    !bc_c_names_make(&header->names, header->graph, &header->layout,
			     header->options->base_count, &header->arena, notes, header->err) ||
	    !PHASE(ns_names) ||
	    !bc_items_make(&header->items, &header->layout, &header->names, &header->arena,
			   header->err) ||
	    !PHASE(ns_items))
		return false;
	header->spell = (struct bc_c_spell){
		.graph = header->graph,
		.names = &header->names,
		.layout = &header->layout,
		.items = &header->items,
		.offsets = header->options->offsets,
		.text_limit_bytes = text_limit(header->graph),
		.err = header->err,
	};
	return select_items(header) && bc_c_spell_open(&header->spell, &header->arena) &&
	       spell_items(header, notes) && PHASE(ns_spell) && order_items(header) &&
	       PHASE(ns_order) && write_header(header) && PHASE(ns_write);
#undef PHASE
}

bool bc_header(FILE *out, const struct bc_graph *graph, const uint8_t *level,
	       const struct bc_header_options *options, struct bc_notes *notes,
	       struct bc_header_stats *stats, struct bc_err *err)
{
	struct header header = { .graph = graph, .level = level, .options = options, .err = err };
	bool done = bc_text_open(&header.text, out, text_limit(graph), err) &&
		    bc_text_open(&header.bodies, NULL, text_limit(graph), err) &&
		    make_header(&header, notes);

	if (stats)
		*stats = header.stats;
	bc_c_spell_close(&header.spell);
	bc_text_close(&header.bodies);
	bc_text_close(&header.text);
	bc_arena_free(&header.arena);
	return done;
}

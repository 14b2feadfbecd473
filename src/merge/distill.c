/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A module's BTF refers to types of its base by number. What it refers to is
 * put into two places, so that another build of the base will do:
 *
 * - the distilled base has a *stand-in* for each named type: INT, FLOAT and FWD
 *   whole; STRUCT and UNION with their size, without members; ENUM and ENUM64 as
 *   an ENUM of their size, without values. A loader finds the type that it stands
 *   for by name, and by size where that matters.
 * - the split part gets copies of all others (pointers, typedefs, prototypes,
 *   what has no name), and these refer on to stand-ins and copies.
 *
 * 1. [find_ambiguous] which types no loader would find: those of whose name it
 *    finds several. They are copied, with their members.
 * 2. [follow] what the split part reaches, up to stand-ins.
 * 3. [make_base], [make_split] the two graphs.
 *
 * Source of the loader's rules: btf_relocate of Linux and libbpf. By the name of
 * a stand-in it finds types of the base of every kind that has a name and is no
 * typedef; INT, FLOAT and ENUM by size too, STRUCT and UNION by size too where
 * several have that name. Where kinds have to be the same is not looked at here,
 * nor is the encoding of INTs: then more is copied than has to be.
 */
#include "merge/distill.h"

#include <string.h>

#include "base/order.h"

enum fate {
	FATE_UNSEEN,
	FATE_STAND_IN,
	FATE_COPIED,
};

struct distiller {
	const struct bc_graph *in;
	uint8_t *ambiguous; /* by id of the base */
	uint8_t *fate;      /* by id of the base */
	uint32_t *queue;    /* copied ones, in the order they were met */
	uint32_t copied_count, stand_in_count;
	uint32_t *new_id;   /* by id of IN */
	uint32_t *new_name; /* by string offset of IN; 0: not there yet */
	struct bc_arena *arena, *scratch;
	struct bc_err *err;
};

static bool has_name(const struct bc_graph *graph, const uint32_t *node)
{
	return node[0] && *bc_string(graph, node[0]);
}

/* A kind whose named types have stand-ins. */
static bool can_stand_in(uint32_t kind)
{
	return kind == BC_INT || kind == BC_FLOAT || kind == BC_FWD || bc_kind_is_composite(kind) ||
	       bc_kind_is_enum(kind);
}

/* An own type that reads like a stand-in would be taken for one. */
static bool looks_like_stand_in(const uint32_t *node)
{
	uint32_t kind = bc_node_kind(node);

	return (bc_kind_is_composite(kind) || kind == BC_ENUM) && !bc_info_vlen(node[1]) &&
	       !bc_info_kflag(node[1]);
}

/* ---- 1. what a name finds ---- */

static uint32_t kind_of(const struct distiller *distiller, struct bc_keyed item)
{
	return bc_node_kind(bc_node(distiller->in, item.value));
}

/* COUNT types of one name, by size (forwards have none). */
static void judge_name(struct distiller *distiller, const struct bc_keyed *items, size_t count)
{
	uint32_t forwards = 0, composites = 0;
	size_t begin, end;

	for (size_t i = 0; i < count; i++) {
		uint32_t kind = kind_of(distiller, items[i]);

		forwards += kind == BC_FWD;
		composites += bc_kind_is_composite(kind);
	}
	for (begin = 0; begin < count; begin = end) {
		uint32_t sized = 0;

		for (end = begin; end < count && items[end].key == items[begin].key; end++)
			sized += kind_of(distiller, items[end]) != BC_FWD;
		for (size_t i = begin; i < end; i++) {
			uint32_t kind = kind_of(distiller, items[i]);
			uint32_t found = kind == BC_FWD ? forwards + composites : sized;

			found += bc_kind_is_composite(kind) ? forwards : 0;
			if (items[i].value < distiller->in->first_id)
				distiller->ambiguous[items[i].value] = found > 1;
		}
	}
}

static bool find_ambiguous(struct distiller *distiller)
{
	const struct bc_graph *graph = distiller->in;
	const struct bc_kept_strings nothing = { 0 };
	size_t limit = bc_id_end(graph), count = 0, begin, end;
	struct bc_keyed *items = bc_arena_alloc(distiller->scratch, limit, sizeof(*items),
						distiller->err);
	struct bc_keyed *spare = bc_arena_alloc(distiller->scratch, limit, sizeof(*spare),
						distiller->err);
	struct bc_string_ranks ranks;

	if (!items || !spare ||
	    !bc_string_ranks_compute(&ranks, graph, nothing, BC_BASE_STRINGS_APART, NULL,
				     distiller->scratch, distiller->err))
		return false;
	for (uint32_t id = 1; id < limit; id++) {
		const uint32_t *node = bc_node(graph, id);

		if (!has_name(graph, node) || !can_stand_in(bc_node_kind(node)) ||
		    (id >= graph->first_id && !looks_like_stand_in(node)))
			continue;
		items[count++] = (struct bc_keyed){
			(uint64_t)bc_string_rank(&ranks, node[0]) << 32 | node[2], id
		};
	}
	bc_sort_keyed(items, spare, count);
	for (begin = 0; begin < count; begin = end) {
		for (end = begin; end < count && items[end].key >> 32 == items[begin].key >> 32;)
			end++;
		judge_name(distiller, items + begin, end - begin);
	}
	return true;
}

/* ---- 2. what is needed ---- */

static void need(struct distiller *distiller, uint32_t id)
{
	const uint32_t *node = id ? bc_node(distiller->in, id) : NULL;

	if (!id || id >= distiller->in->first_id || distiller->fate[id])
		return;
	if (can_stand_in(bc_node_kind(node)) && has_name(distiller->in, node) &&
	    !distiller->ambiguous[id]) {
		distiller->fate[id] = FATE_STAND_IN;
		distiller->stand_in_count++;
	} else {
		distiller->fate[id] = FATE_COPIED;
		distiller->queue[distiller->copied_count++] = id;
	}
}

static void need_targets(struct distiller *distiller, const uint32_t *node)
{
	struct bc_edges edges = bc_edges(node);

	for (uint32_t i = 0; i < edges.count; i++)
		need(distiller, bc_edge(node, edges, i));
}

static void follow(struct distiller *distiller)
{
	const struct bc_graph *graph = distiller->in;

	for (uint32_t i = 0; i < graph->type_count; i++)
		need_targets(distiller, bc_own_node(graph, i));
	for (uint32_t i = 0; i < distiller->copied_count; i++)
		need_targets(distiller, bc_node(graph, distiller->queue[i]));
}

/* ---- 3. the graphs ---- */

/* A graph that grows: what there is room for is known before. */
struct maker {
	struct bc_graph graph;
	uint32_t *start, *words;
	char *strings;
	uint64_t string_limit;
};

static bool begin_graph(struct distiller *distiller, struct maker *maker,
			const struct bc_graph *base, uint64_t types, uint64_t words,
			uint64_t string_bytes)
{
	const struct bc_graph *in = distiller->in;

	if (types + 1 > UINT32_MAX || words > UINT32_MAX / 4 ||
	    string_bytes + (base ? bc_string_end(base) : 0) > UINT32_MAX)
		return bc_err_set(distiller->err, "with a base of its own it goes beyond 4 GiB");
	*maker = (struct maker){
		.graph = {
			.base = base,
			.first_id = base ? bc_id_end(base) : 1,
			.string_base = base ? bc_string_end(base) : 0,
			.pointer_bytes = in->pointer_bytes,
			.big_endian = in->big_endian,
		},
		.string_limit = string_bytes,
	};
	maker->start = bc_arena_zalloc(distiller->scratch, types + 1, sizeof(*maker->start),
				       distiller->err);
	maker->words = bc_arena_alloc(distiller->scratch, words, sizeof(*maker->words),
				      distiller->err);
	maker->strings = bc_arena_alloc(distiller->scratch, string_bytes, 1, distiller->err);
	if (!maker->start || !maker->words || !maker->strings)
		return false;
	maker->graph.start = maker->start;
	maker->graph.words = maker->words;
	maker->graph.strings = maker->strings;
	return true;
}

/* Room for the next type's words, behind the last. */
static uint32_t *add_type(struct maker *maker, uint32_t words)
{
	uint32_t *count = &maker->graph.type_count, at = maker->start[*count];

	maker->start[++*count] = at + words;
	return maker->words + at;
}

/* Puts a string of IN behind the others, unless it is there. The first of a base is empty. */
static void take_name(struct distiller *distiller, struct maker *maker, uint32_t *word)
{
	const char *text = bc_string(distiller->in, *word);
	size_t bytes = strlen(text) + 1;

	if (!*text) {
		*word = 0;
		return;
	}
	if (!distiller->new_name[*word]) {
		memcpy(maker->strings + maker->graph.string_bytes, text, bytes);
		distiller->new_name[*word] = maker->graph.string_base + maker->graph.string_bytes;
		maker->graph.string_bytes += (uint32_t)bytes;
	}
	*word = distiller->new_name[*word];
}

static void write_stand_in(struct distiller *distiller, struct maker *maker, const uint32_t *node)
{
	uint32_t kind = bc_node_kind(node);
	bool is_whole = kind == BC_INT || kind == BC_FLOAT || kind == BC_FWD;
	uint32_t words = is_whole ? bc_node_words(node[1]) : BC_HEAD_WORDS;
	uint32_t *to = add_type(maker, words);

	memcpy(to, node, words * sizeof(*to));
	if (!is_whole)
		to[1] = bc_info(bc_kind_is_enum(kind) ? BC_ENUM : kind, 0, false);
	take_name(distiller, maker, &to[0]);
}

static bool make_base(struct distiller *distiller, struct bc_graph *out, enum bc_order order)
{
	const struct bc_canonical_options how = { .order = order };
	const struct bc_graph *in = distiller->in;
	uint64_t words = 0, string_bytes = 1;
	const uint32_t *new_id;
	struct maker maker = { 0 };

	for (uint32_t id = 1; id < in->first_id; id++) {
		if (distiller->fate[id] != FATE_STAND_IN)
			continue;
		words += BC_HEAD_WORDS + 1;
		string_bytes += strlen(bc_string(in, bc_node(in, id)[0])) + 1;
	}
	if (!begin_graph(distiller, &maker, NULL, distiller->stand_in_count, words, string_bytes))
		return false;
	maker.strings[maker.graph.string_bytes++] = '\0';
	for (uint32_t id = 1; id < in->first_id; id++) {
		if (distiller->fate[id] != FATE_STAND_IN)
			continue;
		write_stand_in(distiller, &maker, bc_node(in, id));
		distiller->new_id[id] = maker.graph.type_count;
	}
	if (!bc_canonical(out, &maker.graph, &how, distiller->arena, &new_id, NULL, distiller->err))
		return false;
	for (uint32_t id = 1; id < in->first_id; id++)
		if (distiller->fate[id] == FATE_STAND_IN)
			distiller->new_id[id] = new_id[distiller->new_id[id] - 1];
	return true;
}

/* Adds the bytes of the names in a node that were not met before. */
static void count_names(struct distiller *distiller, const uint32_t *node, uint64_t *bytes)
{
	struct bc_node_names names = bc_node_names(node);

	for (uint32_t i = 0; i < names.count; i++) {
		uint32_t name = node[bc_name_word(names, i)];

		if (!distiller->new_name[name])
			*bytes += strlen(bc_string(distiller->in, name)) + 1;
		distiller->new_name[name] = 1;
	}
}

/* A type of the split part: an own one, or a copy. */
static void write_type(struct distiller *distiller, struct maker *maker, const uint32_t *node)
{
	uint32_t words = bc_node_words(node[1]);
	uint32_t *to = add_type(maker, words);
	struct bc_edges edges = bc_edges(node);
	struct bc_node_names names = bc_node_names(node);

	memcpy(to, node, words * sizeof(*to));
	for (uint32_t i = 0; i < edges.count; i++)
		to[bc_edge_word(edges, i)] = distiller->new_id[bc_edge(node, edges, i)];
	for (uint32_t i = 0; i < names.count; i++)
		take_name(distiller, maker, &to[bc_name_word(names, i)]);
}

static bool make_split(struct distiller *distiller, struct bc_graph *out,
		       const struct bc_graph *base, enum bc_order order)
{
	const struct bc_canonical_options how = { .order = order };
	const struct bc_graph *in = distiller->in;
	uint64_t words = in->start[in->type_count], string_bytes = 0;
	size_t names_bytes = bc_string_end(in) * sizeof(*distiller->new_name);
	struct maker maker = { 0 };

	memset(distiller->new_name, 0, names_bytes);
	for (uint32_t i = 0; i < in->type_count; i++) {
		distiller->new_id[in->first_id + i] = bc_id_end(base) + i;
		count_names(distiller, bc_own_node(in, i), &string_bytes);
	}
	for (uint32_t i = 0; i < distiller->copied_count; i++) {
		const uint32_t *node = bc_node(in, distiller->queue[i]);

		distiller->new_id[distiller->queue[i]] = bc_id_end(base) + in->type_count + i;
		words += bc_node_words(node[1]);
		count_names(distiller, node, &string_bytes);
	}
	memset(distiller->new_name, 0, names_bytes);
	if (!begin_graph(distiller, &maker, base,
			 (uint64_t)in->type_count + distiller->copied_count, words, string_bytes))
		return false;
	for (uint32_t i = 0; i < in->type_count; i++)
		write_type(distiller, &maker, bc_own_node(in, i));
	for (uint32_t i = 0; i < distiller->copied_count; i++)
		write_type(distiller, &maker, bc_node(in, distiller->queue[i]));
	return bc_canonical(out, &maker.graph, &how, distiller->arena, NULL, NULL, distiller->err);
}

static bool distill(struct distiller *distiller, struct bc_distilled *out, enum bc_order order)
{
	const struct bc_graph *in = distiller->in;
	struct bc_arena *scratch = distiller->scratch;

	if (in->has_unknown_kind)
		return bc_err_set(distiller->err, "it has a kind not known here");
	distiller->ambiguous = bc_arena_zalloc(scratch, in->first_id, 1, distiller->err);
	distiller->fate = bc_arena_zalloc(scratch, in->first_id, 1, distiller->err);
	distiller->queue = bc_arena_alloc(scratch, in->first_id, sizeof(uint32_t), distiller->err);
	distiller->new_id = bc_arena_zalloc(scratch, bc_id_end(in), sizeof(uint32_t),
					    distiller->err);
	distiller->new_name = bc_arena_zalloc(scratch, bc_string_end(in), sizeof(uint32_t),
					      distiller->err);
	if (!distiller->ambiguous || !distiller->fate || !distiller->queue || !distiller->new_id ||
	    !distiller->new_name || !find_ambiguous(distiller))
		return false;
	follow(distiller);
	if (!make_base(distiller, &out->base, order) ||
	    !make_split(distiller, &out->split, &out->base, order))
		return false;
	out->copied = distiller->copied_count;
	out->ambiguous = 0;
	for (uint32_t i = 0; i < distiller->copied_count; i++)
		out->ambiguous += distiller->ambiguous[distiller->queue[i]];
	return true;
}

bool bc_distill(struct bc_distilled *out, const struct bc_graph *split, enum bc_order order,
		struct bc_arena *arena, struct bc_err *err)
{
	struct bc_arena scratch = { 0 };
	struct distiller distiller = {
		.in = split, .arena = arena, .scratch = &scratch, .err = err
	};
	bool done = distill(&distiller, out, order);

	bc_arena_free(&scratch);
	return done;
}

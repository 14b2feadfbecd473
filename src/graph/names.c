/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * All named types of the chain are put in one list, by name, then id. A run
 * of equal names is then taken apart into name spaces; only where a space has
 * several types in one run is there anything to number. Numbers taken by real
 * names ("foo___2") are found once, from the names that end so.
 *
 * Cost: one sort, and one pass over all references where a name repeats.
 */
#include "graph/names.h"

#include "base/order.h"
#include "base/search.h"
#include "graph/quote.h"

enum space { TAGS, BASES, FUNCTIONS, VARIABLES, SECTIONS, UNKNOWN, SPACE_COUNT };

struct naming {
	const struct bc_graph *graph;
	uint32_t id_end;
	uint32_t *list; /* named types of the chain, by name, then id */
	uint32_t count;
	uint32_t *number;    /* bc_names.number; 1 everywhere at first */
	uint32_t *referrers; /* by id, counted for types whose name repeats */
	uint32_t *last_referrer;
	struct bc_keyed *taken; /* key: place_key, value unused */
	uint32_t taken_count;
	uint32_t *group, *spare;
	struct bc_arena *scratch;
	struct bc_err *err;
};

static enum space space_of(uint32_t kind)
{
	switch (kind) {
	case BC_STRUCT:
	case BC_UNION:
	case BC_ENUM:
	case BC_ENUM64:
	case BC_FWD:
		return TAGS;
	case BC_INT:
	case BC_FLOAT:
	case BC_TYPEDEF:
		return BASES;
	case BC_FUNC:
		return FUNCTIONS;
	case BC_VAR:
		return VARIABLES;
	case BC_DATASEC:
		return SECTIONS;
	default:
		return UNKNOWN;
	}
}

static const char *name_of(const struct naming *naming, uint32_t id)
{
	return bc_string(naming->graph, bc_node(naming->graph, id)[0]);
}

static int compare_names(const void *context, uint32_t a, uint32_t b)
{
	const struct naming *naming = context;
	uint32_t name_a = bc_node(naming->graph, a)[0], name_b = bc_node(naming->graph, b)[0];
	int order;

	if (name_a == name_b)
		return 0;
	order = strcmp(bc_string(naming->graph, name_a), bc_string(naming->graph, name_b));
	return (order > 0) - (order < 0);
}

/*
 * Strings of a canonical graph are sorted, so that the order of offsets is
 * mostly that of names: tried first, and looked at before it is believed.
 */
static bool sort_by_offset(struct naming *naming)
{
	struct bc_keyed *keyed = bc_arena_alloc(naming->scratch, naming->count, sizeof(*keyed),
						naming->err);
	struct bc_keyed *spare = bc_arena_alloc(naming->scratch, naming->count, sizeof(*spare),
						naming->err);

	if (!keyed || !spare)
		return false;
	for (uint32_t i = 0; i < naming->count; i++)
		keyed[i] = (struct bc_keyed){ bc_node(naming->graph, naming->list[i])[0],
					      naming->list[i] };
	bc_sort_keyed(keyed, spare, naming->count);
	for (uint32_t i = 0; i < naming->count; i++)
		naming->list[i] = keyed[i].value;
	return true;
}

static bool sort_list(struct naming *naming)
{
	bool sorted = true;

	if (!sort_by_offset(naming))
		return false;
	for (uint32_t i = 1; i < naming->count && sorted; i++) {
		uint32_t before = naming->list[i - 1], id = naming->list[i];

		/* One name at two offsets (base and split, say) must come by id. */
		sorted = bc_node(naming->graph, before)[0] == bc_node(naming->graph, id)[0] ||
			 strcmp(name_of(naming, before), name_of(naming, id)) < 0;
	}
	if (sorted)
		return true;
	for (uint32_t id = 1, i = 0; id < naming->id_end; id++)
		if (bc_node_is_named(bc_node(naming->graph, id), naming->graph))
			naming->list[i++] = id;
	bc_sort_compared(naming->list, naming->spare, naming->count, compare_names, naming);
	return true;
}

static bool list_named(struct naming *naming)
{
	naming->number = bc_arena_zalloc(naming->scratch, naming->id_end, sizeof(uint32_t),
					 naming->err);
	naming->list = bc_arena_alloc(naming->scratch, naming->id_end, sizeof(uint32_t),
				      naming->err);
	naming->group = bc_arena_alloc(naming->scratch, naming->id_end, sizeof(uint32_t),
				       naming->err);
	naming->spare = bc_arena_alloc(naming->scratch, naming->id_end, sizeof(uint32_t),
				       naming->err);
	if (!naming->number || !naming->list || !naming->group || !naming->spare)
		return false;
	for (uint32_t id = 1; id < naming->id_end; id++) {
		if (!bc_node_is_named(bc_node(naming->graph, id), naming->graph))
			continue;
		naming->number[id] = 1;
		naming->list[naming->count++] = id;
	}
	return true;
}

/* The first place in the list whose name is not below the first LENGTH bytes of NAME. */
static uint32_t find_name(const struct naming *naming, const char *name, size_t length)
{
	struct bc_search search = bc_search_among(naming->count);

	while (bc_search_goes_on(&search)) {
		const char *other = name_of(naming, naming->list[search.middle]);

		bc_search_step(&search, strncmp(other, name, length) < 0);
	}
	return search.low;
}

static uint64_t place_key(uint32_t run, enum space space, uint64_t number)
{
	return ((uint64_t)run * SPACE_COUNT + space) << 32 | number;
}

/* NAME, which ends in ___N, is itself a name of the type at list place I. */
static bool note_taken(struct naming *naming, uint32_t i)
{
	uint32_t id = naming->list[i];
	const char *name = name_of(naming, id);
	uint64_t number;
	size_t length = bc_numbered_prefix(name, strlen(name), &number);
	uint32_t run;

	if (!length || number > UINT32_MAX)
		return true;
	run = find_name(naming, name, length);
	if (strlen(name_of(naming, naming->list[run])) != length)
		return true; /* nothing is called so without the number */
	if (!naming->taken) {
		naming->taken = bc_arena_alloc(naming->scratch, naming->count,
					       sizeof(*naming->taken), naming->err);
		if (!naming->taken)
			return false;
	}
	naming->taken[naming->taken_count++].key = place_key(
		run, space_of(bc_id_kind(naming->graph, id)), number);
	return true;
}

static bool find_taken(struct naming *naming)
{
	struct bc_keyed *spare;

	for (uint32_t i = 0; i < naming->count; i++) {
		const char *name = name_of(naming, naming->list[i]);
		size_t length = strlen(name);

		if (length && name[length - 1] >= '0' && name[length - 1] <= '9' &&
		    !note_taken(naming, i))
			return false;
	}
	if (!naming->taken_count)
		return true;
	spare = bc_arena_alloc(naming->scratch, naming->taken_count, sizeof(*spare), naming->err);
	if (!spare)
		return false;
	bc_sort_keyed(naming->taken, spare, naming->taken_count);
	return true;
}

/* The first number from NUMBER on that no real name spells. */
static uint32_t next_free(const struct naming *naming, uint32_t run, enum space space,
			  uint32_t number)
{
	uint32_t at = bc_find_keyed(naming->taken, naming->taken_count,
				    place_key(run, space, number));

	/* Taken numbers may repeat: struct foo___2 and enum foo___2. */
	for (; at < naming->taken_count; at++) {
		if (naming->taken[at].key > place_key(run, space, number))
			break;
		if (naming->taken[at].key == place_key(run, space, number))
			number++;
	}
	return number;
}

static const struct bc_graph *owner_of(const struct bc_graph *graph, uint32_t id)
{
	while (id < graph->first_id)
		graph = graph->base;
	return graph;
}

/* How often distinct types of the same BTF refer to each type whose name repeats. */
static bool count_referrers(struct naming *naming)
{
	naming->referrers = bc_arena_zalloc(naming->scratch, naming->id_end, sizeof(uint32_t),
					    naming->err);
	naming->last_referrer = bc_arena_zalloc(naming->scratch, naming->id_end, sizeof(uint32_t),
						naming->err);
	if (!naming->referrers || !naming->last_referrer)
		return false;
	for (uint32_t id = 1; id < naming->id_end; id++) {
		const struct bc_graph *owner = owner_of(naming->graph, id);
		const uint32_t *node = bc_node(naming->graph, id);
		struct bc_edges edges = bc_edges(node);

		for (uint32_t i = 0; i < edges.count; i++) {
			uint32_t target = bc_edge(node, edges, i);

			if (target < owner->first_id || naming->last_referrer[target] == id)
				continue;
			naming->last_referrer[target] = id;
			naming->referrers[target]++;
		}
	}
	return true;
}

static uint32_t rank_of_kind(uint32_t kind)
{
	switch (kind) {
	case BC_STRUCT:
		return 0;
	case BC_UNION:
		return 1;
	case BC_ENUM:
		return 2;
	case BC_ENUM64:
		return 3;
	case BC_FWD:
		return 4;
	default: /* of other spaces */
		return kind;
	}
}

static int compare_same_named(const void *context, uint32_t a, uint32_t b)
{
	const struct naming *naming = context;
	const uint32_t *node_a = bc_node(naming->graph, a), *node_b = bc_node(naming->graph, b);
	int order = bc_compare_u64(owner_of(naming->graph, a)->first_id,
				   owner_of(naming->graph, b)->first_id);

	if (!order)
		order = bc_compare_u64(rank_of_kind(bc_node_kind(node_a)),
				       rank_of_kind(bc_node_kind(node_b)));
	if (!order) /* struct forwards before union forwards */
		order = bc_node_kind(node_a) == BC_FWD ?
				bc_info_kflag(node_a[1]) - bc_info_kflag(node_b[1]) :
				0;
	if (!order)
		order = bc_compare_u64(naming->referrers[b], naming->referrers[a]);
	if (!order)
		order = bc_compare_u64(bc_element_count(node_b[1]), bc_element_count(node_a[1]));
	if (!order)
		order = bc_compare_u64(bc_node_size_bytes(node_b), bc_node_size_bytes(node_a));
	return order ? order : bc_compare_u64(a, b);
}

/* Numbers the types of one name space among list places BEGIN to END. */
static bool number_space(struct naming *naming, uint32_t begin, uint32_t end, enum space space)
{
	uint32_t count = 0, number = 1;

	for (uint32_t i = begin; i < end; i++)
		if (space_of(bc_id_kind(naming->graph, naming->list[i])) == space)
			naming->group[count++] = naming->list[i];
	if (count < 2)
		return true;
	if (!naming->referrers && !count_referrers(naming))
		return false;
	bc_sort_compared(naming->group, naming->spare, count, compare_same_named, naming);
	for (uint32_t i = 1; i < count; i++) {
		number = next_free(naming, begin, space, number + 1);
		naming->number[naming->group[i]] = number;
	}
	return true;
}

static bool number_all(struct naming *naming)
{
	uint32_t begin, end;

	for (begin = 0; begin < naming->count; begin = end) {
		end = begin + 1;
		while (end < naming->count &&
		       !compare_names(naming, naming->list[begin], naming->list[end]))
			end++;
		for (enum space space = 0; space < SPACE_COUNT && end - begin > 1; space++)
			if (!number_space(naming, begin, end, space))
				return false;
	}
	return true;
}

static uint32_t find_base_type(const struct naming *naming, const char *name)
{
	uint32_t i = find_name(naming, name, strlen(name) + 1);

	for (; i < naming->count && !strcmp(name_of(naming, naming->list[i]), name); i++) {
		uint32_t id = naming->list[i];

		if (space_of(bc_id_kind(naming->graph, id)) == BASES && naming->number[id] == 1)
			return id;
	}
	return 0;
}

static bool hand_over(const struct naming *naming, struct bc_names *names, struct bc_arena *arena)
{
	uint32_t *own;

	names->usual_index = find_base_type(naming, "__ARRAY_SIZE_TYPE__");
	if (!names->usual_index)
		names->usual_index = find_base_type(naming, "int");
	names->number = bc_arena_alloc(arena, naming->id_end, sizeof(uint32_t), naming->err);
	own = bc_arena_alloc(arena, naming->count, sizeof(*own), naming->err);
	if (!names->number || !own)
		return false;
	memcpy(names->number, naming->number, naming->id_end * sizeof(uint32_t));
	names->by_name = own;
	names->count = 0;
	for (uint32_t i = 0; i < naming->count; i++)
		if (naming->list[i] >= naming->graph->first_id)
			own[names->count++] = naming->list[i];
	return true;
}

bool bc_names_make(struct bc_names *names, const struct bc_graph *graph, struct bc_arena *arena,
		   struct bc_err *err)
{
	struct bc_arena scratch = { 0 };
	struct naming naming = {
		.graph = graph,
		.id_end = bc_id_end(graph),
		.scratch = &scratch,
		.err = err,
	};
	bool made = list_named(&naming) && sort_list(&naming) && find_taken(&naming) &&
		    number_all(&naming) && hand_over(&naming, names, arena);

	bc_arena_free(&scratch);
	return made;
}

static void put_name(struct bc_text *text, const struct bc_graph *graph,
		     const struct bc_names *names, uint32_t id, enum bc_name_place place)
{
	bc_text_name(text, bc_string(graph, bc_node(graph, id)[0]), place);
	if (names->number[id] > 1) {
		bc_text_string(text, "___");
		bc_text_number(text, names->number[id]);
	}
}

const char *bc_tag_keyword(const uint32_t *node)
{
	switch (bc_node_kind(node)) {
	case BC_STRUCT:
		return "struct";
	case BC_UNION:
		return "union";
	case BC_FWD:
		return bc_info_kflag(node[1]) ? "union" : "struct";
	default:
		return "enum";
	}
}

void bc_text_type_name(struct bc_text *text, const struct bc_graph *graph,
		       const struct bc_names *names, uint32_t id)
{
	bool is_base = space_of(bc_id_kind(graph, id)) == BASES;

	put_name(text, graph, names, id, is_base ? BC_NAME_OF_BASE : BC_NAME_OF_TYPE);
}

void bc_text_declared_name(struct bc_text *text, const struct bc_graph *graph,
			   const struct bc_names *names, uint32_t id)
{
	put_name(text, graph, names, id, BC_NAME_OF_TYPE);
}

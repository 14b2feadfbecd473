/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Three passes. [mark_names] finds the names that the header uses, and those
 * of them that C does not take. [alter_names] makes identifiers of these. Then
 * types of one name are numbered, tags [number_run_of_tags] and ordinary identifiers
 * [number_run_of_typedefs] each in a space of their own.
 */
#include "text/header_names.h"

#include "base/order.h"
#include "base/search.h"
#include "graph/quote.h"
#include "text/header_bases.h"

/*
 * Words that some C compiler keeps, sorted. Enough that one of C11, C23, gcc
 * and clang does: the header is the same for all. "linux" and its like are
 * macros, which the header puts out of the way instead.
 */
static const char *const kept_words[] = {
	"_Accum",
	"_Alignas",
	"_Alignof",
	"_Atomic",
	"_BitInt",
	"_Bool",
	"_Complex",
	"_Decimal128",
	"_Decimal32",
	"_Decimal64",
	"_Float128",
	"_Float128x",
	"_Float16",
	"_Float32",
	"_Float32x",
	"_Float64",
	"_Float64x",
	"_Fract",
	"_Generic",
	"_Imaginary",
	"_Nonnull",
	"_Noreturn",
	"_Null_unspecified",
	"_Nullable",
	"_Sat",
	"_Static_assert",
	"_Thread_local",
	"__FUNCTION__",
	"__PRETTY_FUNCTION__",
	"__alignof",
	"__alignof__",
	"__asm",
	"__asm__",
	"__attribute",
	"__attribute__",
	"__auto_type",
	"__bf16",
	"__complex",
	"__complex__",
	"__const",
	"__const__",
	"__extension__",
	"__float128",
	"__float80",
	"__fp16",
	"__func__",
	"__ibm128",
	"__imag",
	"__imag__",
	"__inline",
	"__inline__",
	"__int128",
	"__int128_t",
	"__label__",
	"__null",
	"__nullptr",
	"__private_extern__",
	"__real",
	"__real__",
	"__restrict",
	"__restrict__",
	"__seg_fs",
	"__seg_gs",
	"__signed",
	"__signed__",
	"__thread",
	"__typeof",
	"__typeof__",
	"__typeof_unqual",
	"__typeof_unqual__",
	"__uint128_t",
	"__volatile",
	"__volatile__",
	"alignas",
	"alignof",
	"asm",
	"auto",
	"bool",
	"break",
	"case",
	"char",
	"const",
	"constexpr",
	"continue",
	"default",
	"do",
	"double",
	"else",
	"enum",
	"extern",
	"false",
	"float",
	"for",
	"goto",
	"if",
	"inline",
	"int",
	"long",
	"nullptr",
	"register",
	"restrict",
	"return",
	"short",
	"signed",
	"sizeof",
	"static",
	"static_assert",
	"struct",
	"switch",
	"thread_local",
	"true",
	"typedef",
	"typeof",
	"typeof_unqual",
	"union",
	"unsigned",
	"void",
	"volatile",
	"while",
};

#define KEPT_COUNT (sizeof(kept_words) / sizeof(kept_words[0]))

enum { IDENTIFIER = 1, DIGIT = 2, KEPT_FIRST = 4 };

struct naming {
	struct bc_c_names *names;
	const struct bc_layout *layout;
	uint8_t base_count;
	uint8_t *is_used;     /* by string offset */
	uint8_t *name_level;  /* by string offset: lowest level that uses it; NULL: there is one */
	uint8_t *value_level; /* by string offset: the same of enumerators; UINT8_MAX: none */
	uint32_t *referrers, *last_referrer;
	struct bc_notes *notes;
	struct bc_arena scratch;
};

static void classify_bytes(struct bc_c_names *names)
{
	for (int byte = 'a'; byte <= 'z'; byte++) {
		names->class_of[byte] = IDENTIFIER;
		names->class_of[byte - 'a' + 'A'] = IDENTIFIER;
	}
	for (int byte = '0'; byte <= '9'; byte++)
		names->class_of[byte] = IDENTIFIER | DIGIT;
	names->class_of['_'] = IDENTIFIER;
	for (size_t i = 0; i < KEPT_COUNT; i++)
		names->class_of[(uint8_t)kept_words[i][0]] |= KEPT_FIRST;
}

/* Whether STRING is one of a list in order. */
static bool has_string(const char *const *list, uint32_t count, const char *string)
{
	struct bc_search search = bc_search_among(count);

	while (bc_search_goes_on(&search))
		bc_search_step(&search, strcmp(list[search.middle], string) < 0);
	return search.low < count && !strcmp(list[search.low], string);
}

static bool is_kept(const char *name)
{
	return !strncmp(name, "__builtin_", 10) || has_string(kept_words, KEPT_COUNT, name);
}

static bool is_identifier(const struct bc_c_names *names, const char *name)
{
	const uint8_t *byte = (const uint8_t *)name;

	if (!*byte || names->class_of[*byte] & DIGIT)
		return false;
	while (names->class_of[*byte] & IDENTIFIER)
		byte++;
	return !*byte;
}

bool bc_c_is_identifier(const struct bc_c_names *names, const char *name)
{
	return is_identifier(names, name) && !is_kept(name);
}

/* ---- which names there are ---- */

static void note_level(const struct naming *naming, uint8_t *levels, uint32_t offset, uint32_t id)
{
	if (levels && levels[offset] > bc_layout_level(naming->layout, id))
		levels[offset] = bc_layout_level(naming->layout, id);
}

/* A name that becomes an identifier of the header, of type ID or in it. */
static void use_name(struct naming *naming, uint32_t offset, uint32_t id)
{
	struct bc_c_names *names = naming->names;
	const char *name = bc_string(names->graph, offset);

	note_level(naming, naming->name_level, offset, id);
	if (!*name || bc_bit(naming->is_used, offset))
		return;
	bc_bit_set(naming->is_used, offset);
	if (!is_identifier(names, name)) {
		char printable[BC_PRINTABLE_MAX];

		bc_bit_set(names->is_odd, offset);
		names->odd_count++;
		bc_note(naming->notes, "names that C cannot spell, altered", "'%s'",
			bc_printable(printable, name));
	} else if (naming->names->class_of[(uint8_t)*name] & KEPT_FIRST && is_kept(name)) {
		bc_bit_set(names->is_odd, offset);
		names->odd_count++;
		/* Every kernel has this one. */
		if (strcmp(name, "__builtin_va_list"))
			bc_note(naming->notes, "names that C keeps for itself, altered", "'%s'",
				name);
	}
}

/* typedef _Bool bool: C23 has it already, and older C wants it. */
static bool is_plain_bool(const struct bc_c_names *names, const uint32_t *node)
{
	const uint32_t *target = node[2] ? bc_node(names->graph, node[2]) : NULL;

	return target && bc_node_kind(target) == BC_INT && target[2] == 1 && target[3] >> 24 & 4 &&
	       !strcmp(bc_string(names->graph, node[0]), "bool") &&
	       bc_base_is_known(names->graph, target, names->pointer_bytes);
}

static bool is_referred_to(const struct bc_graph *graph, uint32_t id)
{
	for (uint32_t i = 1; i < bc_id_end(graph); i++) {
		const uint32_t *node = bc_node(graph, i);
		struct bc_edges edges = bc_edges(node);

		for (uint32_t j = 0; j < edges.count; j++)
			if (bc_edge(node, edges, j) == id)
				return true;
	}
	return false;
}

/* enum { false = 0, true = 1 }, likewise, where it stands for itself. */
static bool is_plain_truth(const struct bc_c_names *names, uint32_t id, const uint32_t *node)
{
	if (bc_node_kind(node) != BC_ENUM || node[0] || node[2] != 4 || bc_info_vlen(node[1]) != 2)
		return false;
	return bc_element(node, 0)[1] == 0 && bc_element(node, 1)[1] == 1 &&
	       !strcmp(bc_string(names->graph, bc_element(node, 0)[0]), "false") &&
	       !strcmp(bc_string(names->graph, bc_element(node, 1)[0]), "true") &&
	       !is_referred_to(names->graph, id);
}

/*
 * Each compiler has a __builtin_va_list of its own, of another size for each
 * target. That of the kernel is only needed where its size is.
 */
static bool is_plain_va_list(const struct naming *naming, const uint32_t *node)
{
	return !naming->layout->has_va_list_by_value &&
	       !strcmp(bc_string(naming->names->graph, node[0]), "__builtin_va_list");
}

static void mark_elements(struct naming *naming, const uint32_t *node, uint32_t id)
{
	uint32_t count = bc_info_vlen(node[1]);

	for (uint32_t i = 0; i < count; i++) {
		use_name(naming, bc_element(node, i)[0], id);
		if (bc_kind_is_enum(bc_node_kind(node)))
			note_level(naming, naming->value_level, bc_element(node, i)[0], id);
	}
}

static void mark_names_of(struct naming *naming, uint32_t id)
{
	struct bc_c_names *names = naming->names;
	const uint32_t *node = bc_node(names->graph, id);

	switch (bc_node_kind(node)) {
	case BC_INT:
	case BC_FLOAT:
		if (bc_base_is_known(names->graph, node, names->pointer_bytes))
			return;
		names->number[id] = 1;
		use_name(naming, node[0], id);
		return;
	case BC_TYPEDEF:
		if (!names->plain_bool && is_plain_bool(names, node))
			names->plain_bool = id;
		else if (!names->plain_va_list && is_plain_va_list(naming, node))
			names->plain_va_list = id;
		else
			use_name(naming, node[0], id);
		names->number[id] = 1;
		return;
	case BC_STRUCT:
	case BC_UNION:
	case BC_ENUM:
	case BC_ENUM64:
		if (!names->plain_truth && is_plain_truth(names, id, node))
			names->plain_truth = id;
		else
			mark_elements(naming, node, id);
		/* fall through */
	case BC_FWD:
		use_name(naming, node[0], id);
		names->number[id] = *bc_string(names->graph, node[0]) != '\0';
		return;
	default:
		return;
	}
}

static bool open_levels(struct naming *naming)
{
	uint32_t string_end = bc_string_end(naming->names->graph);

	if (!naming->layout->level)
		return true;
	naming->name_level = bc_arena_alloc(&naming->scratch, string_end, 1, naming->names->err);
	naming->value_level = bc_arena_alloc(&naming->scratch, string_end, 1, naming->names->err);
	if (!naming->name_level || !naming->value_level)
		return false;
	memset(naming->name_level, UINT8_MAX, string_end);
	memset(naming->value_level, UINT8_MAX, string_end);
	return true;
}

static bool mark_names(struct naming *naming)
{
	struct bc_c_names *names = naming->names;
	uint32_t id_end = bc_id_end(names->graph), string_end = bc_string_end(names->graph);

	names->number = bc_arena_zalloc(names->arena, id_end, sizeof(uint32_t), names->err);
	names->means = bc_arena_alloc(names->arena, id_end, sizeof(uint32_t), names->err);
	names->is_odd = bc_arena_zalloc(names->arena, string_end / 8 + 1, 1, names->err);
	names->is_type = bc_arena_zalloc(names->arena, string_end / 8 + 1, 1, names->err);
	names->is_taken = bc_arena_zalloc(names->arena, string_end / 8 + 1, 1, names->err);
	naming->is_used = bc_arena_zalloc(&naming->scratch, string_end / 8 + 1, 1, names->err);
	if (!names->number || !names->means || !names->is_odd || !names->is_type ||
	    !names->is_taken || !naming->is_used || !open_levels(naming))
		return false;
	for (uint32_t id = 1; id < id_end; id++) {
		names->means[id] = id;
		mark_names_of(naming, id);
	}
	return true;
}

/* ---- names that C does not take ---- */

static bool list_strings(struct bc_c_names *names)
{
	const struct bc_graph *graph = names->graph;

	if (names->strings)
		return true;
	names->strings = bc_arena_alloc(names->arena, graph->string_bytes, sizeof(uint32_t),
					names->err);
	if (!names->strings)
		return false;
	for (uint32_t at = 0; at < graph->string_bytes;
	     at += (uint32_t)strlen(graph->strings + at) + 1)
		names->strings[names->string_count++] = graph->string_base + at;
	return true;
}

/* Whether the BTF has TEXT as a string, or an altered name is TEXT. */
static bool is_spelled(const struct bc_c_names *names, const char *text)
{
	struct bc_search search = bc_search_among(names->string_count);

	while (bc_search_goes_on(&search))
		bc_search_step(&search,
			       strcmp(bc_string(names->graph, names->strings[search.middle]),
				      text) < 0);
	if (search.low < names->string_count &&
	    !strcmp(bc_string(names->graph, names->strings[search.low]), text))
		return true;
	return names->altered_sorted && has_string(names->altered_sorted, names->odd_count, text);
}

/* Room for NAME, "___" and a number. */
static char *numbered_room(struct bc_c_names *names, const char *name)
{
	return bc_arena_alloc(names->arena, strlen(name) + 16, 1, names->err);
}

/* Appends the first number from NUMBER on that spells nothing yet to NAME, in its room. */
static uint32_t append_number(const struct bc_c_names *names, char *name, size_t length,
			      uint32_t number)
{
	do
		sprintf(name + length, "___%u", number++);
	while (is_spelled(names, name));
	return number - 1;
}

static int compare_altered(const void *context, uint32_t a, uint32_t b)
{
	const struct naming *naming = context;
	const struct bc_c_names *names = naming->names;
	int order = strcmp(names->altered[a], names->altered[b]);

	if (!order && naming->name_level)
		order = naming->name_level[names->odd[a]] - naming->name_level[names->odd[b]];
	return (order > 0) - (order < 0);
}

/* NAME with '_' for what no identifier has. */
static char *make_identifier(const struct naming *naming, const char *name)
{
	char *made = numbered_room(naming->names, name), *to = made;

	if (!made)
		return NULL;
	if (naming->names->class_of[(uint8_t)*name] & DIGIT)
		*to++ = '_';
	for (; *name; name++)
		*to++ = naming->names->class_of[(uint8_t)*name] & IDENTIFIER ? *name : '_';
	*to = '\0';
	return made;
}

/* The order of the altered names as a new array. */
static uint32_t *order_altered(struct naming *naming)
{
	uint32_t count = naming->names->odd_count;
	uint32_t *order = bc_arena_alloc(&naming->scratch, count, sizeof(*order),
					 naming->names->err);
	uint32_t *spare = bc_arena_alloc(&naming->scratch, count, sizeof(*spare),
					 naming->names->err);

	if (!order || !spare)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	bc_sort_compared(order, spare, count, compare_altered, naming);
	return order;
}

static bool make_identifiers(struct naming *naming)
{
	struct bc_c_names *names = naming->names;
	uint32_t count = 0;

	names->odd = bc_arena_alloc(names->arena, names->odd_count, sizeof(uint32_t), names->err);
	names->altered = bc_arena_alloc(names->arena, names->odd_count, sizeof(char *), names->err);
	if (!names->odd || !names->altered || !list_strings(names))
		return false;
	for (uint32_t i = 0; i < names->string_count; i++) {
		uint32_t offset = names->strings[i];

		if (!bc_bit(names->is_odd, offset))
			continue;
		names->odd[count] = offset;
		names->altered[count] = make_identifier(naming, bc_string(names->graph, offset));
		if (!names->altered[count++])
			return false;
	}
	return true;
}

static bool alter_names(struct naming *naming)
{
	struct bc_c_names *names = naming->names;
	uint32_t number = 1;
	const char *before = "";
	uint32_t *order;
	const char **sorted;

	if (!names->odd_count)
		return true;
	order = make_identifiers(naming) ? order_altered(naming) : NULL;
	if (!order)
		return false;
	for (uint32_t i = 0; i < names->odd_count; i++) {
		char *name = names->altered[order[i]];
		size_t length = strlen(name);

		if (strncmp(before, name, length) || strncmp(before + length, "___", 3))
			number = 1;
		number = append_number(names, name, length, number + 1);
		before = name;
	}
	order = order_altered(naming);
	sorted = bc_arena_alloc(names->arena, names->odd_count, sizeof(*sorted), names->err);
	if (!order || !sorted)
		return false;
	for (uint32_t i = 0; i < names->odd_count; i++)
		sorted[i] = names->altered[order[i]];
	names->altered_sorted = sorted;
	return true;
}

static const char *altered_name(const struct bc_c_names *names, uint32_t offset)
{
	struct bc_search search = bc_search_among(names->odd_count);

	while (bc_search_goes_on(&search))
		bc_search_step(&search, names->odd[search.middle] < offset);
	return names->altered[search.low];
}

/* ---- several types of one name ---- */

/* How many distinct types of its own BTF refer to each type. */
static bool count_referrers(struct naming *naming)
{
	const struct bc_graph *graph = naming->names->graph;
	uint32_t id_end = bc_id_end(graph);

	if (naming->referrers)
		return true;
	naming->referrers = bc_arena_zalloc(&naming->scratch, id_end, sizeof(uint32_t),
					    naming->names->err);
	naming->last_referrer = bc_arena_zalloc(&naming->scratch, id_end, sizeof(uint32_t),
						naming->names->err);
	if (!naming->referrers || !naming->last_referrer)
		return false;
	for (uint32_t id = 1; id < id_end; id++) {
		const uint32_t *node = bc_node(graph, id);
		struct bc_edges edges = bc_edges(node);

		for (uint32_t i = 0; i < edges.count; i++) {
			uint32_t target = bc_edge(node, edges, i);

			if (naming->last_referrer[target] == id ||
			    bc_layout_level(naming->layout, target) !=
				    bc_layout_level(naming->layout, id))
				continue;
			naming->last_referrer[target] = id;
			naming->referrers[target]++;
		}
	}
	return true;
}

/* Struct, union or enum, of a forward declaration too; of others the kind. */
static uint32_t class_of(const uint32_t *node)
{
	uint32_t tag_kind = bc_node_tag_kind(node);

	return tag_kind ? tag_kind : bc_node_kind(node);
}

static int compare_same_named(const void *context, uint32_t a, uint32_t b)
{
	const struct naming *naming = context;
	const struct bc_graph *graph = naming->names->graph;
	const uint32_t *node_a = bc_node(graph, a), *node_b = bc_node(graph, b);
	int order = bc_compare_u64(bc_layout_level(naming->layout, a),
				   bc_layout_level(naming->layout, b));

	if (!order)
		order = bc_node_is_forward(node_a) - bc_node_is_forward(node_b);
	if (!order)
		order = bc_compare_u64(class_of(node_a), class_of(node_b));
	if (!order) /* enum before enum64; of ordinary names the typedef first */
		order = bc_node_kind(node_a) == BC_TYPEDEF || bc_node_kind(node_b) == BC_TYPEDEF ?
				(bc_node_kind(node_b) == BC_TYPEDEF) -
					(bc_node_kind(node_a) == BC_TYPEDEF) :
				bc_compare_u64(bc_node_kind(node_a), bc_node_kind(node_b));
	if (!order)
		order = bc_compare_u64(naming->referrers[b], naming->referrers[a]);
	if (!order)
		order = bc_compare_u64(bc_element_count(node_b[1]), bc_element_count(node_a[1]));
	if (!order && bc_node_kind(node_a) != BC_TYPEDEF)
		order = bc_compare_u64(node_b[2], node_a[2]);
	return order ? order : bc_compare_u64(a, b);
}

/* The number after NUMBER that ID may have. */
static bool next_number(struct bc_c_names *names, uint32_t offset, uint32_t *number)
{
	const char *name = bc_bit(names->is_odd, offset) ? altered_name(names, offset) :
							   bc_string(names->graph, offset);
	size_t length = strlen(name);

	if (!list_strings(names))
		return false;
	if (length > names->bytes_left)
		return bc_err_set(names->err, "the header would be too long (names that repeat)");
	names->bytes_left -= length;
	if (length >= names->room_bytes) {
		names->room_bytes = length * 2 + 64;
		names->room = bc_arena_alloc(names->arena, names->room_bytes + 16, 1, names->err);
		if (!names->room)
			return false;
	}
	memcpy(names->room, name, length + 1);
	*number = append_number(names, names->room, length, *number + 1);
	return true;
}

/*
 * Tags of one name, in order: the first definition is plain, the others are
 * numbered; a forward declaration is the first of its class.
 */
static bool number_run_of_tags(struct naming *naming, const uint32_t *run, uint32_t count)
{
	struct bc_c_names *names = naming->names;
	uint32_t first_of[BC_KIND_COUNT] = { 0 };
	uint32_t number = 0;

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *node = bc_node(names->graph, run[i]);
		uint32_t *first = &first_of[class_of(node)];

		if (!*first)
			*first = run[i];
		else if (bc_node_is_forward(node)) {
			names->means[run[i]] = *first;
			names->number[run[i]] = names->number[*first];
			continue;
		}
		if (!number)
			number = 1;
		else if (!next_number(names, node[0], &number))
			return false;
		names->number[run[i]] = number;
	}
	return true;
}

/* Whether the type may be defined by another of its name: an enum that a header has cannot. */
static bool is_open(const struct naming *naming, uint32_t id)
{
	const uint32_t *node = bc_node(naming->names->graph, id);

	return bc_node_is_forward(node) &&
	       !(bc_kind_is_enum(bc_node_kind(node)) &&
		 bc_layout_level(naming->layout, id) < naming->base_count);
}

/* A later level's definition defines what an earlier one only declares. */
static int compare_definitions_first(const void *context, uint32_t a, uint32_t b)
{
	const struct naming *naming = context;
	int order = is_open(naming, a) - is_open(naming, b);

	return order ? order : compare_same_named(context, a, b);
}

/* Whether an enumerator of a BTF further down has the name of typedef ID. */
static bool is_value_below(const struct naming *naming, uint32_t id)
{
	uint32_t offset = bc_node(naming->names->graph, id)[0];

	return naming->value_level &&
	       naming->value_level[offset] < bc_layout_level(naming->layout, id);
}

static bool number_run_of_typedefs(struct naming *naming, const uint32_t *run, uint32_t count)
{
	struct bc_c_names *names = naming->names;
	bool is_plain_free = !is_value_below(naming, run[0]);
	uint32_t number = 1;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t offset = bc_node(names->graph, run[i])[0];

		if (run[i] == names->plain_bool || run[i] == names->plain_va_list)
			continue;
		if ((i || !is_plain_free) && !next_number(names, offset, &number))
			return false;
		names->number[run[i]] = number;
	}
	return true;
}

/* Where enumerators of the name at OFFSET stand, made where there is none. */
static struct bc_keyed *counter_of(struct bc_c_names *names, uint32_t offset)
{
	uint32_t mask, at;

	if (names->counter_count * 2 >= names->counter_capacity) {
		struct bc_keyed *old = names->counters;
		uint32_t old_capacity = names->counter_capacity;

		names->counter_capacity = old_capacity ? old_capacity * 2 : 256;
		names->counters = bc_arena_zalloc(names->arena, names->counter_capacity,
						  sizeof(*names->counters), names->err);
		if (!names->counters)
			return NULL;
		names->counter_count = 0;
		for (uint32_t i = 0; i < old_capacity; i++)
			if (old[i].key)
				*counter_of(names, (uint32_t)old[i].key - 1) = old[i];
	}
	mask = names->counter_capacity - 1;
	at = (uint32_t)(offset * UINT64_C(0x9e3779b97f4a7c15) >> 40) & mask;
	while (names->counters[at].key && names->counters[at].key != (uint64_t)offset + 1)
		at = (at + 1) & mask;
	if (!names->counters[at].key) {
		names->counters[at] = (struct bc_keyed){ (uint64_t)offset + 1, 1 };
		names->counter_count++;
	}
	return &names->counters[at];
}

/* Ids of a space by name; a run of one name at a time. */
struct space {
	struct bc_keyed *types;
	uint32_t count;
};

static bool collect_space(struct naming *naming, struct space *space, bool tags)
{
	struct bc_c_names *names = naming->names;
	uint32_t id_end = bc_id_end(names->graph);
	struct bc_keyed *spare;

	space->types = bc_arena_alloc(&naming->scratch, id_end, sizeof(*spare), names->err);
	spare = bc_arena_alloc(&naming->scratch, id_end, sizeof(*spare), names->err);
	if (!space->types || !spare)
		return false;
	for (uint32_t id = 1; id < id_end; id++) {
		const uint32_t *node = bc_node(names->graph, id);

		if (names->number[id] && bc_c_is_tag(bc_node_kind(node)) == tags)
			space->types[space->count++] = (struct bc_keyed){ node[0], id };
	}
	bc_sort_keyed(space->types, spare, space->count);
	return true;
}

static bool number_run(struct naming *naming, const struct space *space, uint32_t begin,
		       uint32_t end, bool tags, uint32_t *run, uint32_t *spare)
{
	if (!count_referrers(naming))
		return false;
	for (uint32_t i = begin; i < end; i++)
		run[i - begin] = space->types[i].value;
	bc_sort_compared(run, spare, end - begin,
			 tags ? compare_definitions_first : compare_same_named, naming);
	return tags ? number_run_of_tags(naming, run, end - begin) :
		      number_run_of_typedefs(naming, run, end - begin);
}

static bool number_space(struct naming *naming, bool tags)
{
	struct bc_c_names *names = naming->names;
	struct space space = { 0 };
	uint32_t begin, end, *run, *spare;
	bool is_alone;

	if (!collect_space(naming, &space, tags))
		return false;
	run = bc_arena_alloc(&naming->scratch, space.count, sizeof(*run), names->err);
	spare = bc_arena_alloc(&naming->scratch, space.count, sizeof(*spare), names->err);
	if (!run || !spare)
		return false;
	for (begin = 0; begin < space.count; begin = end) {
		uint32_t offset = (uint32_t)space.types[begin].key;

		for (end = begin + 1; end < space.count && space.types[end].key == offset;)
			end++;
		is_alone = end - begin == 1 &&
			   (tags || !is_value_below(naming, space.types[begin].value));
		if (!is_alone && !number_run(naming, &space, begin, end, tags, run, spare))
			return false;
		if (tags)
			continue;
		/* A value of a BTF further down takes the name when its turn comes. */
		if (is_alone || !is_value_below(naming, run[0]))
			bc_bit_set(names->is_taken, offset);
		bc_bit_set(names->is_type, offset);
		if (!is_alone) {
			struct bc_keyed *counter = counter_of(names, offset);

			if (!counter)
				return false;
			counter->value = names->number[run[end - begin - 1]];
		}
	}
	return true;
}

bool bc_c_names_make(struct bc_c_names *names, const struct bc_graph *graph,
		     const struct bc_layout *layout, uint8_t base_count, struct bc_arena *arena,
		     struct bc_notes *notes, struct bc_err *err)
{
	struct naming naming = {
		.names = names, .layout = layout, .base_count = base_count, .notes = notes
	};
	bool made;

	*names = (struct bc_c_names){
		.graph = graph,
		.pointer_bytes = layout->pointer_bytes,
		.bytes_left = ((uint64_t)64 << 20) + 32 * (uint64_t)graph->string_bytes,
		.arena = arena,
		.err = err,
	};
	classify_bytes(names);
	made = mark_names(&naming) && alter_names(&naming) && number_space(&naming, true) &&
	       number_space(&naming, false);
	bc_arena_free(&naming.scratch);
	return made;
}

/* ---- writing ---- */

void bc_c_put_identifier(struct bc_text *text, const struct bc_c_names *names, uint32_t offset)
{
	if (bc_bit(names->is_odd, offset))
		bc_text_string(text, altered_name(names, offset));
	else
		bc_text_string(text, bc_string(names->graph, offset));
}

static void put_number(struct bc_text *text, uint32_t number)
{
	bc_text_string(text, "___");
	bc_text_number(text, number);
}

void bc_c_put_type_name(struct bc_text *text, const struct bc_c_names *names, uint32_t id)
{
	if (id == names->plain_bool || id == names->plain_va_list) {
		bc_text_string(text, bc_string(names->graph, bc_node(names->graph, id)[0]));
		return;
	}
	bc_c_put_identifier(text, names, bc_node(names->graph, id)[0]);
	if (names->number[id] > 1)
		put_number(text, names->number[id]);
}

bool bc_c_put_enumerator(struct bc_text *text, struct bc_c_names *names, uint32_t offset)
{
	struct bc_keyed *counter;

	bc_c_put_identifier(text, names, offset);
	/* One without a name has a number alone. */
	if (!bc_bit(names->is_taken, offset) && *bc_string(names->graph, offset)) {
		bc_bit_set(names->is_taken, offset);
		return true;
	}
	counter = counter_of(names, offset);
	if (!counter || !next_number(names, offset, &counter->value))
		return false;
	put_number(text, counter->value);
	return true;
}

bool bc_c_put_own_name(struct bc_text *text, struct bc_c_names *names, const char *name,
		       bool is_taken, uint32_t *number)
{
	char numbered[64];

	if (!list_strings(names))
		return false;
	bc_text_string(text, name);
	if (!is_taken && !is_spelled(names, name))
		return true;
	snprintf(numbered, sizeof(numbered), "%.32s", name);
	*number = append_number(names, numbered, strlen(numbered), *number + 1);
	put_number(text, *number);
	return true;
}

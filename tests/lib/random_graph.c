/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Kinds first, then references. What contains by value (members, elements,
 * modifiers, typedefs) refers to lower ids or to pointers, so that every type
 * reaches a size; pointers, functions and declarations refer to anything that
 * fits. Ids mean nothing afterwards: shuffling them is the caller's.
 */
#include "tests/lib/random_graph.h"

/* What a type is, seen through modifiers, typedefs and arrays. */
enum form {
	FORM_INCOMPLETE, /* void, forwards */
	FORM_SIZED,
	FORM_FUNCTION,
	FORM_DECLARATION, /* FUNC, VAR, DATASEC, DECL_TAG */
};

struct maker {
	struct build *build;
	struct rng *rng;
	enum form *form;        /* by id */
	const uint32_t *weight; /* by kind: how often, of all */
	uint32_t weight_sum;
	uint32_t id_end; /* all kinds up to here are chosen */
	uint32_t name_count;
};

/* Few, so that they meet; bytes above 0x7f, prefixes of each other, dots. */
static const char *const names[] = { "a", "b", "ab", "B", "a_", "\xc3\xa9", "a.b", "b0" };
#define NAME_COUNT ((uint32_t)(sizeof(names) / sizeof(names[0])))

static const char *const section_names[] = { ".data", ".bss", ".data..percpu" };
static const char *const tag_names[] = { "user", "rcu", "a", "percpu" };
#define SECTION_NAME_COUNT ((uint32_t)(sizeof(section_names) / sizeof(section_names[0])))
#define TAG_NAME_COUNT ((uint32_t)(sizeof(tag_names) / sizeof(tag_names[0])))

/* One row per flavour of graph; columns are kinds, from INT on. */
static const uint32_t flavours[][BC_KIND_COUNT] = {
	/*  INT PTR ARR STR UNI ENU FWD TYP VOL CON RES FUN PRO VAR SEC FLO DTG TTG E64 */
	{ 0, 6, 12, 5, 12, 5, 4, 4, 8, 2, 5, 2, 5, 7, 5, 3, 2, 6, 4, 3 },  /* some of everything */
	{ 0, 2, 40, 3, 40, 10, 0, 0, 5, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0 }, /* cycles */
	{ 0, 3, 10, 0, 15, 5, 0, 0, 10, 0, 0, 0, 10, 8, 8, 4, 0, 40, 0, 0 }, /* tags */
	{ 0, 4, 5, 0, 3, 0, 0, 0, 0, 0, 3, 0, 4, 4, 40, 25, 0, 10, 0, 0 },   /* variables */
	{ 0, 3, 25, 2, 20, 10, 12, 25, 6, 0, 4, 0, 0, 5, 3, 0, 0, 3, 0, 6 }, /* forwards */
	{ 0, 3, 40, 0, 3, 0, 0, 2, 6, 8, 20, 6, 0, 0, 0, 0, 0, 0, 20, 0 },   /* chains */
	{ 0, 20, 5, 5, 10, 5, 20, 0, 5, 0, 0, 0, 0, 5, 0, 0, 10, 0, 0, 15 }, /* labels */
	{ 0, 2, 60, 0, 8, 2, 0, 0, 4, 0, 4, 0, 0, 4, 0, 0, 0, 4, 0, 0 },     /* pointers */
};
#define FLAVOUR_COUNT ((uint32_t)(sizeof(flavours) / sizeof(flavours[0])))

static const char *pick_name(struct maker *maker)
{
	return names[rng_below(maker->rng, maker->name_count)];
}

static const char *pick_name_or_none(struct maker *maker, uint32_t percent_none)
{
	return rng_percent(maker->rng, percent_none) ? "" : pick_name(maker);
}

static uint32_t pick_kind(struct maker *maker)
{
	uint32_t at = rng_below(maker->rng, maker->weight_sum);
	uint32_t kind = BC_INT;

	while (at >= maker->weight[kind])
		at -= maker->weight[kind++];
	return kind;
}

static bool is_value_ref(uint32_t kind)
{
	return bc_kind_is_modifier(kind) || kind == BC_TYPEDEF || kind == BC_ARRAY;
}

static enum form own_form(uint32_t kind)
{
	switch (kind) {
	case BC_FWD:
		return FORM_INCOMPLETE;
	case BC_FUNC_PROTO:
		return FORM_FUNCTION;
	case BC_FUNC:
	case BC_VAR:
	case BC_DATASEC:
	case BC_DECL_TAG:
		return FORM_DECLARATION;
	default:
		return FORM_SIZED;
	}
}

/* Types of the base and copies of them are complete: follow what they contain. */
static enum form settled_form(const struct build *build, uint32_t id)
{
	while (id && is_value_ref(build_type(build, id)->kind))
		id = build_type(build, id)->type;
	return id ? own_form(build_type(build, id)->kind) : FORM_INCOMPLETE;
}

static bool kind_is(const struct maker *maker, uint32_t id, uint32_t kind)
{
	return id && build_type(maker->build, id)->kind == kind;
}

/* Tells whether ID fits; LIMIT is the id that asks. */
typedef bool (*fits)(const struct maker *maker, uint32_t id, uint32_t limit);

static bool is_below(const struct maker *maker, uint32_t id, uint32_t limit)
{
	return id < limit || kind_is(maker, id, BC_PTR);
}

static bool fits_member(const struct maker *maker, uint32_t id, uint32_t limit)
{
	return is_below(maker, id, limit) && maker->form[id] == FORM_SIZED;
}

static bool fits_modifier(const struct maker *maker, uint32_t id, uint32_t limit)
{
	return is_below(maker, id, limit) && maker->form[id] != FORM_DECLARATION;
}

static bool fits_pointer(const struct maker *maker, uint32_t id, uint32_t limit)
{
	(void)limit;
	return maker->form[id] != FORM_DECLARATION;
}

static bool fits_value(const struct maker *maker, uint32_t id, uint32_t limit)
{
	(void)limit;
	return maker->form[id] == FORM_SIZED || maker->form[id] == FORM_INCOMPLETE;
}

static bool fits_function(const struct maker *maker, uint32_t id, uint32_t limit)
{
	(void)limit;
	return kind_is(maker, id, BC_FUNC_PROTO);
}

static bool fits_entry(const struct maker *maker, uint32_t id, uint32_t limit)
{
	(void)limit;
	return kind_is(maker, id, BC_VAR) || kind_is(maker, id, BC_FUNC);
}

static bool fits_tag(const struct maker *maker, uint32_t id, uint32_t limit)
{
	(void)limit;
	return kind_is(maker, id, BC_STRUCT) || kind_is(maker, id, BC_UNION) ||
	       kind_is(maker, id, BC_TYPEDEF) || kind_is(maker, id, BC_FUNC) ||
	       kind_is(maker, id, BC_VAR);
}

/* A random id that fits, UINT32_MAX when there is none. */
static uint32_t pick_id(struct maker *maker, fits fits_one, uint32_t limit)
{
	uint32_t count = 0;

	for (uint32_t attempt = 0; attempt < 8; attempt++) {
		uint32_t id = rng_below(maker->rng, maker->id_end);

		if (fits_one(maker, id, limit))
			return id;
	}
	for (uint32_t id = 0; id < maker->id_end; id++)
		count += fits_one(maker, id, limit);
	if (!count)
		return UINT32_MAX;
	count = rng_below(maker->rng, count);
	for (uint32_t id = 0;; id++)
		if (fits_one(maker, id, limit) && !count--)
			return id;
}

static uint32_t random_size(struct maker *maker)
{
	return 1u << rng_below(maker->rng, 4);
}

static void choose_name(struct maker *maker, struct build_type *type)
{
	switch (type->kind) {
	case BC_PTR:
	case BC_ARRAY:
	case BC_VOLATILE:
	case BC_CONST:
	case BC_RESTRICT:
	case BC_FUNC_PROTO:
		break;
	case BC_STRUCT:
	case BC_UNION:
	case BC_ENUM:
	case BC_ENUM64:
		type->name = pick_name_or_none(maker, 40);
		break;
	case BC_DATASEC:
		type->name = section_names[rng_below(maker->rng, SECTION_NAME_COUNT)];
		break;
	case BC_TYPE_TAG:
	case BC_DECL_TAG:
		type->name = tag_names[rng_below(maker->rng, TAG_NAME_COUNT)];
		type->kflag = rng_percent(maker->rng, 15);
		break;
	default:
		type->name = pick_name(maker);
	}
}

static void fill_int(struct maker *maker, struct build_type *type)
{
	type->size = random_size(maker);
	type->extra = type->size * 8 | rng_below(maker->rng, 3) << 24;
	if (rng_percent(maker->rng, 10))
		type->extra = 4 | rng_below(maker->rng, 3) << 16;
}

/* Values near zero and at the ends, so that signed and unsigned order differ. */
static void fill_enum(struct maker *maker, uint32_t id)
{
	static const uint64_t values[] = { 0,          1,          2,          UINT64_MAX,
					   0x7fffffff, 0x80000000, 1ull << 40, 1ull << 63 };
	struct build_type *type = build_type(maker->build, id);
	uint32_t count = rng_below(maker->rng, 3);

	type->size = random_size(maker);
	type->kflag = rng_percent(maker->rng, 40);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t value = values[rng_below(maker->rng, 8)];

		build_value(maker->build, id, pick_name(maker),
			    type->kind == BC_ENUM ? (uint32_t)value : value);
	}
}

static void fill_composite(struct maker *maker, uint32_t id)
{
	struct build_type *composite = build_type(maker->build, id);
	uint32_t count = rng_below(maker->rng, 4);

	composite->kflag = rng_percent(maker->rng, 20);
	composite->size = 8u << rng_below(maker->rng, 2);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t type = pick_id(maker, fits_member, id);
		uint32_t offset = composite->kind == BC_STRUCT ?
					  8 * (i + rng_below(maker->rng, 2)) :
					  0;

		if (type == UINT32_MAX)
			return;
		if (composite->kflag && rng_percent(maker->rng, 60))
			offset |= (1 + rng_below(maker->rng, 2)) << 24;
		build_member(maker->build, id, pick_name_or_none(maker, 20), type, offset);
	}
}

static void fill_proto(struct maker *maker, uint32_t id)
{
	uint32_t count = rng_below(maker->rng, 3);

	build_type(maker->build, id)->type = pick_id(maker, fits_value, id);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t type = pick_id(maker, fits_value, id);

		if (type)
			build_param(maker->build, id, pick_name_or_none(maker, 30), type);
	}
	if (rng_percent(maker->rng, 15))
		build_param(maker->build, id, "", 0);
}

static void fill_datasec(struct maker *maker, uint32_t id)
{
	uint32_t count = 1 + rng_below(maker->rng, 3);
	bool linked = rng_percent(maker->rng, 70);

	build_type(maker->build, id)->size = linked ? 16 : 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t entry = pick_id(maker, fits_entry, id);

		if (entry != UINT32_MAX)
			build_entry(maker->build, id, entry,
				    linked ? 4 * rng_below(maker->rng, 4) : 0, random_size(maker));
	}
}

static void fill_decl_tag(struct maker *maker, uint32_t id)
{
	struct build_type *tag = build_type(maker->build, id);
	const struct build_type *target;
	uint32_t count = 0;

	tag->type = pick_id(maker, fits_tag, id);
	target = build_type(maker->build, tag->type);
	if (bc_kind_is_composite(target->kind))
		count = target->element_count;
	else if (target->kind == BC_FUNC)
		count = build_type(maker->build, target->type)->element_count;
	tag->extra = count && rng_percent(maker->rng, 50) ? rng_below(maker->rng, count) :
							    UINT32_MAX;
}

/* Modifiers, typedefs and arrays: then the form of every type is settled. */
static void fill_value_ref(struct maker *maker, uint32_t id)
{
	struct build_type *type = build_type(maker->build, id);

	if (type->kind == BC_ARRAY) {
		type->type = pick_id(maker, fits_member, id);
		type->index = pick_id(maker, fits_member, id);
		type->extra = rng_below(maker->rng, 3);
	} else {
		type->type = pick_id(maker, fits_modifier, id);
	}
	maker->form[id] = settled_form(maker->build, id);
}

static void fill(struct maker *maker, uint32_t id)
{
	struct build_type *type = build_type(maker->build, id);

	switch (type->kind) {
	case BC_INT:
		fill_int(maker, type);
		break;
	case BC_FLOAT:
		type->size = 2u << rng_below(maker->rng, 3);
		break;
	case BC_FWD:
		type->kflag = rng_percent(maker->rng, 30);
		break;
	case BC_ENUM:
	case BC_ENUM64:
		fill_enum(maker, id);
		break;
	case BC_STRUCT:
	case BC_UNION:
		fill_composite(maker, id);
		break;
	case BC_FUNC_PROTO:
		fill_proto(maker, id);
		break;
	case BC_DATASEC:
		fill_datasec(maker, id);
		break;
	case BC_PTR:
		type->type = pick_id(maker, fits_pointer, id);
		break;
	case BC_FUNC:
		type->type = pick_id(maker, fits_function, id);
		type->vlen = rng_below(maker->rng, 3);
		break;
	case BC_VAR:
		type->type = pick_id(maker, fits_value, id);
		type->extra = rng_below(maker->rng, 2);
		break;
	default:
		break;
	}
}

/* Kinds that have nothing to refer to become INT; so does the first type, for arrays and members. */
static void settle_kinds(struct maker *maker, uint32_t first)
{
	for (uint32_t id = first; id < maker->id_end; id++) {
		struct build_type *type = build_type(maker->build, id);

		if (id == 1 ||
		    (type->kind == BC_FUNC && pick_id(maker, fits_function, id) == UINT32_MAX) ||
		    (type->kind == BC_ARRAY && pick_id(maker, fits_member, id) == UINT32_MAX))
			type->kind = BC_INT;
		maker->form[id] = own_form(type->kind);
	}
	for (uint32_t id = first; id < maker->id_end; id++) {
		struct build_type *type = build_type(maker->build, id);

		if (type->kind == BC_DECL_TAG && pick_id(maker, fits_tag, id) == UINT32_MAX)
			type->kind = BC_INT;
		maker->form[id] = own_form(type->kind);
		choose_name(maker, type);
	}
}

static void add_types(struct maker *maker, uint32_t count)
{
	uint32_t first = build_id_end(maker->build);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t id = build_ref(maker->build, pick_kind(maker), "", 0);

		maker->form[id] = own_form(build_type(maker->build, id)->kind);
	}
	maker->id_end = build_id_end(maker->build);
	settle_kinds(maker, first);
	for (uint32_t id = first; id < maker->id_end; id++)
		if (is_value_ref(build_type(maker->build, id)->kind))
			fill_value_ref(maker, id);
	for (uint32_t id = first; id < maker->id_end; id++)
		fill(maker, id);
	for (uint32_t id = first; id < maker->id_end; id++)
		if (build_type(maker->build, id)->kind == BC_DECL_TAG)
			fill_decl_tag(maker, id);
}

/* Something small made different; still valid. */
static void disturb(struct maker *maker, struct build_type *type)
{
	switch (type->kind) {
	case BC_STRUCT:
	case BC_UNION:
		type->size += 8;
		break;
	case BC_INT:
	case BC_TYPEDEF:
	case BC_FWD:
	case BC_TYPE_TAG:
		type->name = pick_name(maker);
		break;
	case BC_VAR:
		type->extra ^= 1;
		break;
	default:
		break;
	}
}

/*
 * Some types of the base again: what they refer to is the base's, or another
 * copy. A copied type tends to bring its tags.
 */
static void copy_from_base(struct maker *maker)
{
	struct build *build = maker->build;
	uint32_t end = build->first_id;
	uint32_t *copies = build_alloc(build->arena, end, sizeof(*copies));
	uint32_t percent = 20 + rng_below(maker->rng, 70);

	for (uint32_t id = 1; id < end; id++) {
		const struct build_type *type = build_type(build, id);
		bool is_tag = type->kind == BC_DECL_TAG;

		if (rng_percent(maker->rng, is_tag ? 80 : percent))
			copies[id] = build_copy(build, type);
	}
	for (uint32_t id = 1; id < end; id++) {
		struct build_type *copy = copies[id] ? build_type(build, copies[id]) : NULL;

		if (!copy)
			continue;
		for (uint32_t i = 0; i < build_edge_count(copy); i++) {
			uint32_t *edge = build_edge(copy, i);

			if (*edge && copies[*edge] && rng_percent(maker->rng, 70))
				*edge = copies[*edge];
		}
		if (rng_percent(maker->rng, 5))
			disturb(maker, copy);
	}
	maker->id_end = build_id_end(build);
	for (uint32_t id = end; id < maker->id_end; id++)
		maker->form[id] = settled_form(build, id);
}

struct build *random_graph(struct bc_arena *arena, struct rng *rng, const struct build *base,
			   uint32_t type_count)
{
	struct build *build = build_new(arena, base);
	struct maker maker = {
		.build = build,
		.rng = rng,
		.form = build_alloc(arena, 2 * (size_t)build->first_id + type_count + 1,
				    sizeof(*maker.form)),
		.weight = flavours[rng_below(rng, FLAVOUR_COUNT)],
		.id_end = build->first_id,
		.name_count = rng_percent(rng, 50) ? NAME_COUNT : 2,
	};

	for (uint32_t kind = 0; kind < BC_KIND_COUNT; kind++)
		maker.weight_sum += maker.weight[kind];
	for (uint32_t id = 1; id < build->first_id; id++)
		maker.form[id] = settled_form(build, id);
	if (base)
		copy_from_base(&maker);
	add_types(&maker, type_count);
	return build;
}

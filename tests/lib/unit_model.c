/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "tests/lib/unit_model.h"

#include <string.h>

bool unit_type_is_declared(const struct build_type *type)
{
	return type->kind == BC_FWD ||
	       (bc_kind_is_enum(type->kind) && *type->name && !type->element_count);
}

enum tag_class { TAG_NONE, TAG_STRUCT, TAG_UNION, TAG_ENUM };

static enum tag_class tag_class(const struct build_type *type)
{
	if (!*type->name)
		return TAG_NONE;
	switch (type->kind) {
	case BC_STRUCT:
		return TAG_STRUCT;
	case BC_UNION:
		return TAG_UNION;
	case BC_FWD:
		return type->kflag ? TAG_UNION : TAG_STRUCT;
	case BC_ENUM:
	case BC_ENUM64:
		return TAG_ENUM;
	default:
		return TAG_NONE;
	}
}

static bool is_same_tag(const struct build_type *a, const struct build_type *b)
{
	return tag_class(a) && tag_class(a) == tag_class(b) && !strcmp(a->name, b->name);
}

static bool is_body(const struct build_type *type)
{
	return tag_class(type) && !unit_type_is_declared(type);
}

struct model {
	struct build *types;
	uint32_t end;
	const struct unit_set *set;
	bool *related;     /* [end * end]: reading tags as names, nothing tells them apart */
	bool *conflicting; /* by id: a body of a conflict */
	bool *plain;       /* by id */
};

/* References to FROM become references to TO. */
static void redirect(struct build *types, const uint32_t *target)
{
	for (uint32_t i = 0; i < types->type_count; i++)
		for (uint32_t k = 0; k < build_edge_count(&types->types[i]); k++) {
			uint32_t *id = build_edge(&types->types[i], k);

			*id = target[*id];
		}
}

static uint32_t *no_targets(const struct model *model)
{
	uint32_t *target = build_alloc(model->types->arena, model->end, sizeof(*target));

	for (uint32_t id = 0; id < model->end; id++)
		target[id] = id;
	return target;
}

/* 1: the only body of the same unit, or the declaration itself. */
static uint32_t find_own_body(const struct model *model, uint32_t declared)
{
	uint32_t found = declared, count = 0;

	for (uint32_t id = 1; id < model->end; id++) {
		if (model->set->unit_of[id] != model->set->unit_of[declared] ||
		    !is_body(build_type(model->types, id)) ||
		    !is_same_tag(build_type(model->types, id), build_type(model->types, declared)))
			continue;
		found = id;
		count++;
	}
	return count == 1 ? found : declared;
}

static void settle_in_units(struct model *model)
{
	uint32_t *target = no_targets(model);

	for (uint32_t id = 1; id < model->end; id++)
		if (unit_type_is_declared(build_type(model->types, id)))
			target[id] = find_own_body(model, id);
	redirect(model->types, target);
}

static bool same_elements(const struct build_type *a, const struct build_type *b)
{
	for (uint32_t i = 0; i < a->element_count; i++) {
		const struct build_element *one = &a->elements[i], *other = &b->elements[i];

		if (strcmp(one->name, other->name) || one->offset != other->offset ||
		    one->value != other->value)
			return false;
	}
	return true;
}

/* Whether each tag of type A is one of type B. */
static bool has_tags_of(const struct build *types, uint32_t b, uint32_t a)
{
	for (uint32_t i = 0; i < types->type_count; i++) {
		const struct build_type *tag = &types->types[i];
		bool found = false;

		if (tag->kind != BC_DECL_TAG || tag->type != a)
			continue;
		for (uint32_t k = 0; k < types->type_count; k++) {
			const struct build_type *other = &types->types[k];

			found |= other->kind == BC_DECL_TAG && other->type == b &&
				 other->extra == tag->extra && !strcmp(other->name, tag->name);
		}
		if (!found)
			return false;
	}
	return true;
}

static bool same_label(const struct build *types, uint32_t a_id, uint32_t b_id)
{
	const struct build_type *a = build_type(types, a_id), *b = build_type(types, b_id);

	return a->kind == b->kind && a->kflag == b->kflag && !strcmp(a->name, b->name) &&
	       (!build_kind_has_size(a->kind) || a->size == b->size) && a->extra == b->extra &&
	       a->element_count == b->element_count && same_elements(a, b) &&
	       has_tags_of(types, a_id, b_id) && has_tags_of(types, b_id, a_id);
}

/* Whether references to A and to B say the same: of tags only the names count. */
static bool same_reference(const struct model *model, uint32_t a, uint32_t b)
{
	if (!a || !b)
		return a == b;
	if (tag_class(build_type(model->types, a)))
		return is_same_tag(build_type(model->types, a), build_type(model->types, b));
	return model->related[(size_t)a * model->end + b];
}

static bool same_references(const struct model *model, uint32_t a, uint32_t b)
{
	struct build_type *one = build_type(model->types, a), *other = build_type(model->types, b);

	for (uint32_t k = 0; k < build_edge_count(one); k++)
		if (!same_reference(model, *build_edge(one, k), *build_edge(other, k)))
			return false;
	return true;
}

/* The greatest relation of types with equal labels and references that say the same. */
static void relate(struct model *model)
{
	bool changed = true;

	model->related = build_alloc(model->types->arena, (size_t)model->end * model->end, 1);
	for (uint32_t a = 1; a < model->end; a++)
		for (uint32_t b = 1; b < model->end; b++)
			model->related[(size_t)a * model->end + b] = same_label(model->types, a, b);
	while (changed) {
		changed = false;
		for (uint32_t a = 1; a < model->end; a++) {
			for (uint32_t b = 1; b < model->end; b++) {
				bool *related = &model->related[(size_t)a * model->end + b];

				if (*related && !same_references(model, a, b)) {
					*related = false;
					changed = true;
				}
			}
		}
	}
}

/* 2 */
static void find_conflicts(struct model *model)
{
	relate(model);
	model->conflicting = build_alloc(model->types->arena, model->end, 1);
	for (uint32_t a = 1; a < model->end; a++)
		for (uint32_t b = 1; b < model->end; b++)
			if (is_body(build_type(model->types, a)) &&
			    is_body(build_type(model->types, b)) &&
			    is_same_tag(build_type(model->types, a), build_type(model->types, b)) &&
			    !model->related[(size_t)a * model->end + b])
				model->conflicting[a] = true;
}

/* 3 */
static void find_plain(struct model *model)
{
	bool changed = true;

	model->plain = build_alloc(model->types->arena, model->end, 1);
	for (uint32_t id = 0; id < model->end; id++)
		model->plain[id] = !model->conflicting[id];
	while (changed) {
		changed = false;
		for (uint32_t id = 1; id < model->end; id++) {
			struct build_type *type = build_type(model->types, id);

			for (uint32_t k = 0; k < build_edge_count(type); k++) {
				if (!model->plain[id] || model->plain[*build_edge(type, k)])
					continue;
				model->plain[id] = false;
				changed = true;
			}
		}
	}
}

static void settle_plainly(struct model *model)
{
	uint32_t *target = no_targets(model);

	for (uint32_t declared = 1; declared < model->end; declared++) {
		const struct build_type *type = build_type(model->types, declared);
		uint32_t body = declared;
		bool in_conflict = false;

		if (!unit_type_is_declared(type))
			continue;
		for (uint32_t id = 1; id < model->end; id++) {
			if (!is_body(build_type(model->types, id)) ||
			    !is_same_tag(build_type(model->types, id), type))
				continue;
			in_conflict |= model->conflicting[id];
			if (model->plain[id])
				body = id;
		}
		if (!in_conflict)
			target[declared] = body;
	}
	redirect(model->types, target);
}

/* Of the INTs named int the usual one, else the smallest, else the one with the least encoding. */
static void index_arrays(struct build *types)
{
	uint32_t index = 0;
	bool has_arrays = false;

	for (uint32_t id = 1; id < build_id_end(types); id++) {
		const struct build_type *type = build_type(types, id);
		const struct build_type *best = index ? build_type(types, index) : NULL;
		uint32_t usual = 1u << 24 | 32;

		has_arrays |= type->kind == BC_ARRAY;
		if (type->kind != BC_INT || strcmp(type->name, "int"))
			continue;
		if (!best || (type->extra == usual && best->extra != usual) ||
		    ((type->extra == usual) == (best->extra == usual) &&
		     (type->size < best->size ||
		      (type->size == best->size && type->extra < best->extra))))
			index = id;
	}
	if (has_arrays && !index)
		index = build_int(types, "int", 4, 1u << 24 | 32);
	for (uint32_t i = 0; i < types->type_count; i++)
		if (types->types[i].kind == BC_ARRAY)
			types->types[i].index = index;
}

struct build *unit_model(const struct unit_set *set)
{
	struct build *types = build_new(set->types->arena, NULL);
	struct model model = { .types = types, .end = build_id_end(set->types), .set = set };

	for (uint32_t i = 0; i < set->types->type_count; i++)
		build_copy(types, &set->types->types[i]);
	types->big_endian = set->types->big_endian;
	settle_in_units(&model);
	find_conflicts(&model);
	find_plain(&model);
	settle_plainly(&model);
	index_arrays(types);
	return types;
}

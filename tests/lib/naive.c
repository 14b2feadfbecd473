/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * 1. [settle_forwards] where asked: a forward stands for its body;
 * 2. [find_base_twins] what is bisimilar to a base type stands for it.
 * 3. [sort_by_label] types by kind, kflag, vlen, name, rest of the label;
 * 4. [refine] by references, round by round, until no class splits;
 * 5. [sort_by_context] by tags and places, once; then 4 again.
 * 6. [build_classes] a class is one type; in name order classes are sorted anew.
 * 1 does 3-5 for itself, over base and own types alike.
 */
#include "tests/lib/naive.h"

#include <stdlib.h>
#include <string.h>

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* A tag on a type, or a place of a variable. */
struct mark {
	const char *name;
	int64_t first;  /* tag: component; place: offset */
	int64_t second; /* tag: kflag; place: size */
};

/* A set: sorted, each once. */
struct marks {
	struct mark *marks;
	uint32_t count;
};

struct context {
	struct marks tags;
	struct marks places;
};

/* The types to be ordered: ids from LOWEST_ID on. What is below compares by its id. */
struct model {
	const struct build *in;
	uint32_t lowest_id;
	const uint32_t *stands_for; /* by id: itself, or another type in its place */
	struct context *contexts;   /* by id */
	uint32_t *rank;             /* by id */
	uint32_t *next_rank;
	uint32_t *sorted; /* ids of types that stand for themselves */
	uint32_t sorted_count;
	uint32_t class_count;
};

static int compare_marks(const struct mark *a, const struct mark *b, bool name_first)
{
	int by_name = strcmp(a->name, b->name);
	int by_first = COMPARE(a->first, b->first);

	if (name_first ? by_name : by_first)
		return name_first ? by_name : by_first;
	if (name_first ? by_first : by_name)
		return name_first ? by_first : by_name;
	return COMPARE(a->second, b->second);
}

static void add_mark(struct bc_arena *arena, struct marks *marks, struct mark mark, bool name_first)
{
	struct mark *grown = build_alloc(arena, marks->count + 1, sizeof(*grown));
	uint32_t at = 0, after;

	while (at < marks->count && compare_marks(&marks->marks[at], &mark, name_first) < 0)
		at++;
	if (at < marks->count && !compare_marks(&marks->marks[at], &mark, name_first))
		return;
	for (after = 0; after < at; after++)
		grown[after] = marks->marks[after];
	grown[at] = mark;
	for (; after < marks->count; after++)
		grown[after + 1] = marks->marks[after];
	marks->marks = grown;
	marks->count++;
}

/* The context of type ID: what its own BTF, not a split part, says of it. */
static struct context find_context(struct bc_arena *arena, const struct build *build, uint32_t id)
{
	struct context context = { 0 };

	while (id < build->first_id)
		build = build->base;
	for (uint32_t i = 0; i < build->type_count; i++) {
		const struct build_type *type = &build->types[i];

		if (type->kind == BC_DECL_TAG && type->type == id)
			add_mark(arena, &context.tags,
				 (struct mark){ type->name, (int32_t)type->extra, type->kflag },
				 false);
		if (type->kind != BC_DATASEC || build_type(build, id)->kind != BC_VAR)
			continue;
		for (uint32_t k = 0; k < type->element_count; k++)
			if (type->elements[k].type == id)
				add_mark(arena, &context.places,
					 (struct mark){ type->name, type->elements[k].offset,
							type->elements[k].size },
					 true);
	}
	return context;
}

static int compare_mark_sets(const struct marks *a, const struct marks *b, bool name_first)
{
	for (uint32_t i = 0; i < a->count && i < b->count; i++) {
		int order = compare_marks(&a->marks[i], &b->marks[i], name_first);

		if (order)
			return order;
	}
	return COMPARE(a->count, b->count);
}

static int compare_contexts(const struct context *a, const struct context *b)
{
	int order = compare_mark_sets(&a->tags, &b->tags, false);

	return order ? order : compare_mark_sets(&a->places, &b->places, true);
}

static int compare_values(const struct build_type *type, uint64_t a, uint64_t b)
{
	if (!type->kflag)
		return COMPARE(a, b);
	if (type->kind == BC_ENUM)
		return COMPARE((int32_t)a, (int32_t)b);
	return COMPARE((int64_t)a, (int64_t)b);
}

static int compare_elements(const struct build_type *type, const struct build_element *a,
			    const struct build_element *b)
{
	int order = 0;

	switch (type->kind) {
	case BC_STRUCT:
	case BC_UNION:
		order = COMPARE(a->offset, b->offset);
		break;
	case BC_ENUM:
	case BC_ENUM64:
		order = compare_values(type, a->value, b->value);
		break;
	case BC_DATASEC:
		order = COMPARE(a->offset, b->offset);
		return order ? order : COMPARE(a->size, b->size);
	default:
		break;
	}
	return order ? order : strcmp(a->name, b->name);
}

/* Rules 1 and 2. */
static int compare_labels(const struct build_type *a, const struct build_type *b)
{
	int order = COMPARE(a->kind, b->kind);

	order = order ? order : COMPARE(a->kflag, b->kflag);
	order = order ? order : COMPARE(a->vlen, b->vlen);
	order = order ? order : strcmp(a->name, b->name);
	order = order || !build_kind_has_size(a->kind) ? order : COMPARE(a->size, b->size);
	if (order)
		return order;
	order = a->kind == BC_DECL_TAG ? COMPARE((int32_t)a->extra, (int32_t)b->extra) :
					 COMPARE(a->extra, b->extra);
	for (uint32_t i = 0; i < a->element_count && !order; i++)
		order = compare_elements(a, &a->elements[i], &b->elements[i]);
	return order;
}

static uint32_t edge(const struct build_type *type, uint32_t i)
{
	return *build_edge((struct build_type *)type, i);
}

/* Whether every reference of A leads to something related to what that of base type B does. */
static bool edges_match(const struct build *in, const uint32_t *stands_for, const bool *related,
			uint32_t a, uint32_t b)
{
	const struct build_type *left = build_type(in, a), *right = build_type(in, b);

	for (uint32_t i = 0; i < build_edge_count(left); i++)
		if (!related[(size_t)stands_for[edge(left, i)] * in->first_id + edge(right, i)])
			return false;
	return true;
}

static bool may_be_base_type(const struct build *in, uint32_t id)
{
	uint32_t kind = build_type(in, id)->kind;

	return id < in->first_id || (kind != BC_VAR && kind != BC_DATASEC);
}

/*
 * The greatest relation between all types and base types under which labels
 * and contexts are equal and references lead to related types. Variables and
 * sections that are not the base's are related to nothing.
 */
static bool *relate_to_base(const struct build *in, const uint32_t *stands_for,
			    const struct context *contexts)
{
	uint32_t end = build_id_end(in);
	bool *related = build_alloc(in->arena, (size_t)end * in->first_id, sizeof(*related));
	bool changed = true;

	related[0] = true;
	for (uint32_t a = 1; a < end; a++)
		for (uint32_t b = 1; b < in->first_id; b++)
			related[(size_t)a * in->first_id + b] =
				may_be_base_type(in, a) &&
				!compare_labels(build_type(in, a), build_type(in, b)) &&
				!compare_contexts(&contexts[a], &contexts[b]);
	while (changed) {
		changed = false;
		for (uint32_t a = 1; a < end; a++) {
			for (uint32_t b = 1; b < in->first_id; b++) {
				bool *pair = &related[(size_t)a * in->first_id + b];

				if (!*pair || edges_match(in, stands_for, related, a, b))
					continue;
				*pair = false;
				changed = true;
			}
		}
	}
	return related;
}

static void find_base_twins(const struct build *in, uint32_t *stands_for,
			    const struct context *contexts)
{
	const bool *related = relate_to_base(in, stands_for, contexts);

	for (uint32_t id = in->first_id; id < build_id_end(in); id++) {
		uint32_t type = stands_for[id];

		for (uint32_t b = in->first_id - 1; b > 0 && type >= in->first_id; b--)
			if (related[(size_t)type * in->first_id + b])
				stands_for[id] = b;
	}
}

static uint32_t edge_key(const struct model *model, uint32_t id)
{
	id = model->stands_for[id];
	return id < model->lowest_id ? id : model->lowest_id + model->rank[id];
}

static int compare_by_label(const void *a, const void *b, void *context)
{
	const struct model *model = context;

	return compare_labels(build_type(model->in, *(const uint32_t *)a),
			      build_type(model->in, *(const uint32_t *)b));
}

static int compare_by_references(const void *a, const void *b, void *context)
{
	const struct model *model = context;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct build_type *left = build_type(model->in, i), *right = build_type(model->in, j);
	int order = COMPARE(model->rank[i], model->rank[j]);

	for (uint32_t k = 0; !order && k < build_edge_count(left); k++)
		order = COMPARE(edge_key(model, edge(left, k)), edge_key(model, edge(right, k)));
	return order;
}

static int compare_by_context(const void *a, const void *b, void *context)
{
	const struct model *model = context;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	int order = COMPARE(model->rank[i], model->rank[j]);

	return order ? order : compare_contexts(&model->contexts[i], &model->contexts[j]);
}

/* Sorts, then numbers the distinct; tells whether there are more classes than before. */
static bool sort_by(struct model *model, int (*compare)(const void *, const void *, void *))
{
	uint32_t before = model->class_count, rank = 0;
	uint32_t *ranks = model->next_rank;

	qsort_r(model->sorted, model->sorted_count, sizeof(*model->sorted), compare, model);
	for (uint32_t i = 0; i < model->sorted_count; i++) {
		if (i && compare(&model->sorted[i - 1], &model->sorted[i], model))
			rank++;
		ranks[model->sorted[i]] = rank;
	}
	model->class_count = model->sorted_count ? rank + 1 : 0;
	model->next_rank = model->rank;
	model->rank = ranks;
	return model->class_count > before;
}

static void refine(struct model *model)
{
	while (sort_by(model, compare_by_references))
		;
}

static struct model put_in_order(const struct build *in, uint32_t lowest_id,
				 const uint32_t *stands_for, struct context *contexts)
{
	uint32_t end = build_id_end(in);
	struct model model = {
		.in = in,
		.lowest_id = lowest_id,
		.stands_for = stands_for,
		.contexts = contexts,
		.rank = build_alloc(in->arena, end, sizeof(uint32_t)),
		.next_rank = build_alloc(in->arena, end, sizeof(uint32_t)),
		.sorted = build_alloc(in->arena, end, sizeof(uint32_t)),
	};

	for (uint32_t id = lowest_id; id < end; id++)
		if (stands_for[id] == id)
			model.sorted[model.sorted_count++] = id;
	sort_by(&model, compare_by_label);
	refine(&model);
	if (sort_by(&model, compare_by_context))
		refine(&model);
	return model;
}

/* One type of each class: the classes of the canonical graph, by rank. */
struct classes {
	const struct model *model;
	const struct build_type **types;
	uint32_t *referrers;
};

static void count_referrers(struct classes *classes)
{
	const struct model *model = classes->model;

	for (uint32_t target = 0; target < model->class_count; target++) {
		for (uint32_t i = 0; i < model->class_count; i++) {
			bool refers = false;

			for (uint32_t k = 0; k < build_edge_count(classes->types[i]); k++)
				refers |= edge_key(model, edge(classes->types[i], k)) ==
					  model->lowest_id + target;
			classes->referrers[target] += refers;
		}
	}
}

/* Unnamed types sort as the empty name, which is the lowest. */
static int compare_for_name_order(const void *a, const void *b, void *context)
{
	const struct classes *classes = context;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct build_type *left = classes->types[i], *right = classes->types[j];
	int order = strcmp(left->name, right->name);

	order = order ? order : COMPARE(left->kind, right->kind);
	if (order || !*left->name)
		return order ? order : COMPARE(i, j);
	order = COMPARE(classes->referrers[j], classes->referrers[i]);
	order = order ? order : COMPARE(right->element_count, left->element_count);
	if (!order && build_kind_has_size(left->kind))
		order = COMPARE(right->size, left->size);
	return order ? order : COMPARE(i, j);
}

static void set_sorted_strings(struct build *build)
{
	uint32_t name_count, string_bytes = !build->base, at = string_bytes;
	const char **names = build_distinct_names(build, &name_count);
	char *strings;

	for (uint32_t i = 0; i < name_count; i++)
		string_bytes += (uint32_t)strlen(names[i]) + 1;
	strings = build_alloc(build->arena, string_bytes, 1);
	for (uint32_t i = 0; i < name_count; i++) {
		if (build->base && build_find_string(build->base, names[i]) != UINT32_MAX)
			continue;
		strcpy(strings + at, names[i]);
		at += (uint32_t)strlen(names[i]) + 1;
	}
	build->strings = strings;
	build->string_bytes = at;
}

/* The canonical graph; NEW_ID gets what each own type became. */
static struct build *build_classes(const struct model *model, bool name_order, uint32_t *new_id)
{
	const struct build *in = model->in;
	struct build *build = build_new(in->arena, in->base);
	uint32_t *order = build_alloc(in->arena, model->class_count, sizeof(*order));
	uint32_t *class_id = build_alloc(in->arena, model->class_count, sizeof(*class_id));
	struct classes classes = {
		.model = model,
		.types = build_alloc(in->arena, model->class_count, sizeof(*classes.types)),
		.referrers = build_alloc(in->arena, model->class_count, sizeof(uint32_t)),
	};

	for (uint32_t i = 0; i < model->sorted_count; i++)
		classes.types[model->rank[model->sorted[i]]] = build_type(in, model->sorted[i]);
	for (uint32_t i = 0; i < model->class_count; i++)
		order[i] = i;
	count_referrers(&classes);
	if (name_order)
		qsort_r(order, model->class_count, sizeof(*order), compare_for_name_order,
			&classes);
	for (uint32_t i = 0; i < model->class_count; i++)
		class_id[order[i]] = build_copy(build, classes.types[order[i]]);
	for (uint32_t i = 0; i < in->type_count; i++) {
		uint32_t id = model->stands_for[in->first_id + i];

		new_id[i] = id < in->first_id ? id : class_id[model->rank[id]];
	}
	for (uint32_t i = 0; i < build->type_count; i++) {
		for (uint32_t k = 0; k < build_edge_count(&build->types[i]); k++) {
			uint32_t *id = build_edge(&build->types[i], k);

			if (*id >= in->first_id)
				*id = new_id[*id - in->first_id];
		}
	}
	return build;
}

static bool is_forward(const struct build_type *type)
{
	return type->kind == BC_FWD ||
	       (bc_kind_is_enum(type->kind) && !type->element_count && *type->name);
}

static bool is_body_of(const struct build_type *body, const struct build_type *forward)
{
	if (strcmp(body->name, forward->name))
		return false;
	if (forward->kind == BC_FWD)
		return body->kind == (forward->kflag ? BC_UNION : BC_STRUCT);
	return bc_kind_is_enum(body->kind) && body->element_count;
}

/*
 * Of the bodies among FIRST … END - 1 the one with the most members, then the
 * largest, then the last in the order, then (duplicates) of the lowest id; or 0.
 */
static uint32_t choose_body(const struct model *model, const struct build_type *forward,
			    uint32_t first, uint32_t end)
{
	uint32_t chosen = 0;

	for (uint32_t id = first; id < end; id++) {
		const struct build_type *body = build_type(model->in, id);
		const struct build_type *best = chosen ? build_type(model->in, chosen) : NULL;
		int order;

		if (!is_body_of(body, forward))
			continue;
		order = best ? COMPARE(body->element_count, best->element_count) : 1;
		order = order ? order : COMPARE(body->size, best->size);
		order = order ? order : COMPARE(model->rank[id], model->rank[chosen]);
		if (order > 0)
			chosen = id;
	}
	return chosen;
}

/* Own forwards stand for a body of the base, if there is one, else for one of their own BTF. */
static void settle_forwards(const struct build *in, uint32_t *stands_for, struct context *contexts)
{
	struct model model = put_in_order(in, 1, stands_for, contexts);
	uint32_t *body = build_alloc(in->arena, build_id_end(in), sizeof(*body));

	for (uint32_t id = in->first_id; id < build_id_end(in); id++) {
		const struct build_type *type = build_type(in, id);

		if (!is_forward(type))
			continue;
		body[id] = choose_body(&model, type, 1, in->first_id);
		if (!body[id])
			body[id] = choose_body(&model, type, in->first_id, build_id_end(in));
	}
	for (uint32_t id = in->first_id; id < build_id_end(in); id++)
		if (body[id])
			stands_for[id] = body[id];
}

struct naive naive_canonical(const struct build *in, const struct naive_options *options)
{
	uint32_t end = build_id_end(in);
	uint32_t *stands_for = build_alloc(in->arena, end, sizeof(*stands_for));
	struct context *contexts = build_alloc(in->arena, end, sizeof(*contexts));
	uint32_t *new_id = build_alloc(in->arena, in->type_count, sizeof(*new_id));
	struct naive naive = { .new_id = new_id };
	struct model model;

	for (uint32_t id = 1; id < end; id++)
		contexts[id] = find_context(in->arena, in, id);
	for (uint32_t id = 0; id < end; id++)
		stands_for[id] = id;
	if (options->settle_forwards)
		settle_forwards(in, stands_for, contexts);
	if (in->base)
		find_base_twins(in, stands_for, contexts);
	model = put_in_order(in, in->first_id, stands_for, contexts);
	naive.canonical = build_classes(&model, options->name_order, new_id);
	naive.canonical->big_endian = in->big_endian;
	naive.canonical->layout = in->layout;
	naive.canonical->layout_bytes = in->layout_bytes;
	set_sorted_strings(naive.canonical);
	return naive;
}

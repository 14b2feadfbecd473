/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/explain.h"

#include <stdlib.h>
#include <string.h>

static const char *keep_text(const char *text, size_t length, struct bc_arena *arena,
			     struct bc_err *err)
{
	char *copy = bc_arena_zalloc(arena, length + 1, 1, err);

	return copy ? memcpy(copy, text, length) : NULL;
}

static bool take_symbols(struct bc_explanation *explanation, const struct bc_symbol *symbol,
			 struct bc_arena *arena, struct bc_err *err)
{
	explanation->symbols = bc_arena_alloc(arena, symbol->address_count,
					      sizeof(*explanation->symbols), err);
	if (!explanation->symbols)
		return false;
	for (uint32_t i = 0; i < symbol->address_count; i++) {
		const struct bc_symbol_address *address = &symbol->addresses[i];
		const char *name = address->full_name;

		name = keep_text(name, strlen(name), arena, err);
		if (!name)
			return false;
		explanation->symbols[i] = (struct bc_explained_symbol){ name, address->file->name,
									address->address,
									address->is_weak };
	}
	explanation->symbol_count = symbol->address_count;
	return true;
}

static int compare_explained(const void *a, const void *b)
{
	const struct bc_explained_body *one = a, *other = b;

	if (one->unit != other->unit)
		return one->unit < other->unit ? -1 : 1;
	if (one->has_address != other->has_address)
		return one->has_address ? 1 : -1;
	return (one->address > other->address) - (one->address < other->address);
}

static bool take_bodies(struct bc_explanation *explanation, const struct bc_verdict *verdict,
			struct bc_arena *arena, struct bc_err *err)
{
	const struct bc_candidate *candidate;
	uint32_t count = 0;

	for (candidate = verdict->candidates; candidate; candidate = candidate->next)
		count++;
	explanation->bodies = bc_arena_alloc(arena, count, sizeof(*explanation->bodies), err);
	if (!explanation->bodies)
		return false;
	for (candidate = verdict->candidates; candidate; candidate = candidate->next)
		explanation->bodies[explanation->body_count++] = (struct bc_explained_body){
			.unit = candidate->unit,
			.unit_name = "",
			.file = candidate->file->name,
			.address = candidate->address,
			.has_address = candidate->has_address,
			.is_elsewhere = candidate->is_elsewhere,
			.is_uncertain = candidate->is_uncertain,
			.is_incomplete = candidate->is_incomplete,
			.is_changed = candidate->is_changed,
			.is_reordered = candidate->is_reordered,
			.is_written = verdict->reason == BC_FUNCTION_IN &&
				      candidate == verdict->best,
			.proto = candidate->proto,
		};
	if (count)
		qsort(explanation->bodies, count, sizeof(*explanation->bodies), compare_explained);
	return true;
}

bool bc_explain(struct bc_explanations *explanations, const char *const *names, uint32_t count,
		const struct bc_chosen *chosen, const struct bc_symbols *symbols,
		struct bc_arena *arena, struct bc_err *err)
{
	*explanations = (struct bc_explanations){ 0 };
	explanations->items = bc_arena_zalloc(arena, count, sizeof(*explanations->items), err);
	if (!explanations->items)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		struct bc_explanation *explanation = &explanations->items[i];
		uint32_t number;

		explanation->name = keep_text(names[i], strcspn(names[i], "."), arena, err);
		if (!explanation->name)
			return false;
		bc_symbols_find(symbols, &explanation->name, 1, &number);
		explanation->written_as = explanation->name;
		explanation->reason = BC_FUNCTION_UNDEFINED;
		if (number) {
			const struct bc_verdict *verdict = &chosen->verdicts[number - 1];

			explanation->reason = verdict->reason;
			if (verdict->name)
				explanation->written_as = keep_text(
					verdict->name, strlen(verdict->name), arena, err);
			if (!explanation->written_as ||
			    !take_symbols(explanation, &symbols->symbols[number - 1], arena, err) ||
			    !take_bodies(explanation, verdict, arena, err))
				return false;
		}
		explanations->count++;
	}
	return true;
}

bool bc_explained_roots(struct bc_root **roots, uint32_t *count,
			const struct bc_explanations *explanations, struct bc_arena *arena,
			struct bc_err *err)
{
	size_t bodies = 0;

	for (uint32_t i = 0; i < explanations->count; i++)
		bodies += explanations->items[i].body_count;
	*roots = bc_arena_alloc(arena, bodies, sizeof(**roots), err);
	if (!*roots)
		return false;
	*count = 0;
	for (uint32_t i = 0; i < explanations->count; i++) {
		const struct bc_explanation *explanation = &explanations->items[i];

		for (uint32_t j = 0; j < explanation->body_count; j++)
			if (explanation->bodies[j].proto)
				(*roots)[(*count)++] = (struct bc_root){
					.name = explanation->name,
					.node = explanation->bodies[j].proto,
					.unit = explanation->bodies[j].unit,
				};
	}
	return true;
}

void bc_explained_types(struct bc_explanations *explanations, const struct bc_graph *graph)
{
	uint32_t id = graph->first_id, end = graph->first_id + graph->type_count;

	explanations->graph = *graph;
	for (uint32_t i = 0; i < explanations->count; i++) {
		struct bc_explanation *explanation = &explanations->items[i];

		for (uint32_t j = 0; j < explanation->body_count; j++) {
			if (!explanation->bodies[j].proto)
				continue;
			while (id < end && bc_node_kind(bc_node(graph, id)) != BC_FUNC)
				id++;
			explanation->bodies[j].type_id = id < end ? id++ : 0;
		}
	}
}

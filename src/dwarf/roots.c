/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include <string.h>

#include "base/room.h"
#include "dwarf/choose_variables.h"
#include "dwarf/encoder.h"

static bool note_candidates(struct bc_encode_worker *worker, uint32_t unit)
{
	const struct bc_collector *collector = &worker->collector;

	for (uint32_t i = 0; i < collector->function_count; i++) {
		const struct bc_function *function = &collector->functions[i];

		if (!function->symbol)
			continue;
		if (!bc_make_room(&worker->candidates, &worker->candidate_limit,
				  (uint64_t)worker->candidate_count + 1,
				  sizeof(*worker->candidates), &worker->err))
			return false;
		worker->candidates[worker->candidate_count++] = (struct bc_candidate){
			.symbol = function->symbol - 1,
			.proto = function->number ? worker->local.nodes[function->number] : 0,
			.unit = unit,
			.file = collector->home.unit->file,
			.address = function->address,
			.has_address = function->has_address,
			.is_elsewhere = function->is_elsewhere,
			.is_incomplete = function->is_incomplete,
			.is_changed = function->is_changed,
			.is_reordered = function->is_reordered,
		};
	}
	return true;
}

static bool note_variables(struct bc_encode_worker *worker)
{
	const struct bc_collector *collector = &worker->collector;

	for (uint32_t i = 0; i < collector->variable_count; i++) {
		struct bc_variable variable = collector->variables[i];

		if (variable.tag_count) {
			struct bc_decl_tag *tags = bc_arena_alloc(
				&worker->arena, variable.tag_count, sizeof(*tags), &worker->err);

			if (!tags)
				return false;
			variable.tags = memcpy(tags, collector->kept_tags + variable.first_tag,
					       variable.tag_count * sizeof(*tags));
		}
		if (variable.reference)
			variable.reference = worker->local.nodes[variable.reference];
		if (!bc_make_room(&worker->variables, &worker->variable_limit,
				  (uint64_t)worker->variable_count + 1, sizeof(*worker->variables),
				  &worker->err))
			return false;
		worker->variables[worker->variable_count++] = variable;
	}
	return true;
}

bool bc_roots_note(struct bc_encode_worker *worker, uint32_t unit)
{
	return note_candidates(worker, unit) && note_variables(worker);
}

/* Takes away the functions and variables of units that are to say them again. */
static void drop_roots(struct bc_encode_worker *worker, const bool *again)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < worker->candidate_count; i++)
		if (!again[worker->candidates[i].unit])
			worker->candidates[kept++] = worker->candidates[i];
	worker->candidate_count = kept;
	kept = 0;
	for (uint32_t i = 0; i < worker->variable_count; i++)
		if (!again[worker->variables[i].unit])
			worker->variables[kept++] = worker->variables[i];
	worker->variable_count = kept;
}

bool bc_roots_read_again(struct bc_encoder *encoder, struct bc_err *err)
{
	bool *again = bc_arena_zalloc(&encoder->scratch, encoder->units.count, sizeof(*again), err);

	if (!again)
		return false;
	encoder->order_count = 0;
	for (uint32_t i = 0; i < encoder->meaning_count; i++) {
		uint32_t unit = encoder->meanings[i].unit;

		if (!bc_mentions_has_unread(&encoder->mentions[unit]))
			continue;
		again[unit] = true;
		encoder->order[encoder->order_count++] = unit;
	}
	if (!encoder->order_count)
		return true;
	for (uint32_t i = 0; i < encoder->options->workers->count; i++)
		drop_roots(&encoder->workers[i], again);
	encoder->reading = BC_READ_ROOTS;
	encoder->stats->units_again += encoder->order_count;
	return bc_encoder_run(encoder, err);
}

/* One for each thread, with an error of its own. */
static bool open_contents(struct bc_encoder *encoder, struct bc_err *err)
{
	uint32_t count = encoder->options->workers->count;
	struct bc_err *errors = bc_arena_zalloc(&encoder->scratch, count, sizeof(*errors), err);

	encoder->contents = bc_arena_zalloc(&encoder->scratch, count, sizeof(*encoder->contents),
					    err);
	if (!errors || !encoder->contents ||
	    !bc_content_open(&encoder->contents[0], &encoder->census, encoder->plain,
			     encoder->meanings, encoder->meaning_count, &encoder->names,
			     encoder->files[0].pointer_bytes, &encoder->scratch, err))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		encoder->contents[i] = encoder->contents[0];
		encoder->contents[i].err = &errors[i];
	}
	return true;
}

bool bc_roots_choose_functions(struct bc_encoder *encoder, struct bc_chosen *chosen,
			       struct bc_err *err)
{
	uint32_t count = encoder->options->workers->count, variable_limit = 0;
	struct bc_candidate_list *lists = bc_arena_alloc(&encoder->scratch, count, sizeof(*lists),
							 err);

	if (!lists || !open_contents(encoder, err))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct bc_encode_worker *worker = &encoder->workers[i];

		lists[i] = (struct bc_candidate_list){ worker->candidates,
						       worker->candidate_count };
		encoder->stats->candidates += worker->candidate_count;
		variable_limit += worker->variable_count;
	}
	return bc_choose_functions(chosen, lists, count, variable_limit, &encoder->symbols,
				   encoder->contents, &encoder->options->features,
				   encoder->options->workers, &encoder->scratch, err);
}

bool bc_roots_choose_variables(struct bc_encoder *encoder, struct bc_chosen *chosen,
			       struct bc_err *err)
{
	struct bc_variable *all;
	uint32_t count = 0;

	for (uint32_t i = 0; i < encoder->options->workers->count; i++)
		count += encoder->workers[i].variable_count;
	all = bc_arena_alloc(&encoder->scratch, count, sizeof(*all), err);
	if (!all)
		return false;
	count = 0;
	for (uint32_t i = 0; i < encoder->options->workers->count; i++) {
		const struct bc_encode_worker *worker = &encoder->workers[i];

		if (worker->variable_count)
			memcpy(all + count, worker->variables,
			       worker->variable_count * sizeof(*all));
		count += worker->variable_count;
	}
	encoder->contents[0].err = err;
	return bc_choose_variables(chosen, all, count, &encoder->places, &encoder->contents[0],
				   encoder->options->features.with_encode_force, &encoder->scratch,
				   err);
}

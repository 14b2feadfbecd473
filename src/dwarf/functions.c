/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Functions and their parameters. Concrete functions take from their abstract
 * origins what they do not say; each that may be chosen gets a prototype.
 */
#include "dwarf/walk.h"

#include "base/room.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

uint32_t bc_walk_take_origin(const struct bc_walk *walk)
{
	const struct bc_die *die = &walk->die;

	uint64_t origin = bc_die_value(die, BC_SLOT_ORIGIN);

	return bc_die_class(die, BC_SLOT_ORIGIN) == BC_VALUE_REF && origin < walk->scope->size ?
		       (uint32_t)origin :
		       0;
}

bool bc_walk_open_function(struct bc_walk *walk, struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	struct bc_function function = { .offset = walk->die.offset,
					.first_parameter = collector->parameter_count };
	uint64_t declaration = 0, convention;
	uint32_t name;

	bc_die_number(&walk->die, BC_SLOT_DECLARATION, &declaration);
	if (!collector->symbols || walk->is_foreign || declaration)
		return true;
	function.origin = bc_walk_take_origin(walk);
	if (!bc_walk_take_name(walk, &name))
		return false;
	/* Most names are those of many units, and no symbol's. */
	if (name ? bc_name_set_has(collector->no_symbols, name) : !function.origin)
		return true;
	function.name = name;
	function.has_address = bc_entry_address(&walk->die, walk->scope, &function.address);
	/* Clang, where it dropped a parameter that nobody needs. */
	function.is_changed = bc_die_number(&walk->die, BC_SLOT_CALLING_CONVENTION, &convention) &&
			      convention == DW_CC_nocall;
	if (!bc_walk_take_reference(walk, BC_SLOT_TYPE, &function.reference) ||
	    !bc_make_room(&collector->functions, &collector->function_limit,
			  (uint64_t)collector->function_count + 1, sizeof(*collector->functions),
			  walk->err))
		return false;
	frame->role = BC_FRAME_FUNCTION;
	frame->number = collector->function_count;
	collector->functions[collector->function_count++] = function;
	return true;
}

bool bc_walk_add_function_parameter(struct bc_walk *walk, const struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	struct bc_function *function = &collector->functions[frame->number];
	struct bc_parameter parameter = { .offset = walk->die.offset,
					  .origin = bc_walk_take_origin(walk) };

	parameter.standing = (uint8_t)bc_parameter_standing(
		&walk->die, walk->scope, function->parameter_count, collector->registers);
	if (!bc_walk_take_name(walk, &parameter.name) ||
	    !bc_walk_take_reference(walk, BC_SLOT_TYPE, &parameter.reference) ||
	    !bc_make_room(&collector->parameters, &collector->parameter_limit,
			  (uint64_t)collector->parameter_count + 1, sizeof(*collector->parameters),
			  walk->err))
		return false;
	/* Parameters of functions inside this one would come between. */
	if (function->first_parameter + function->parameter_count != collector->parameter_count)
		return true;
	collector->parameters[collector->parameter_count++] = parameter;
	function->parameter_count++;
	return true;
}

/* The record of the function whose DIE is at OFFSET; NULL: there is none. */
static struct bc_function *find_function(const struct bc_collector *collector, uint32_t offset)
{
	struct bc_search search = bc_search_among(collector->function_count);

	while (bc_search_goes_on(&search))
		bc_search_step(&search, collector->functions[search.middle].offset < offset);
	return search.low < collector->function_count &&
			       collector->functions[search.low].offset == offset ?
		       &collector->functions[search.low] :
		       NULL;
}

/* Index of the parameter at OFFSET in FUNCTION; its count: there is none. */
static uint32_t find_parameter(const struct bc_collector *collector,
			       const struct bc_function *function, uint32_t offset)
{
	const struct bc_parameter *parameters = collector->parameters + function->first_parameter;
	struct bc_search search = bc_search_among(function->parameter_count);

	while (bc_search_goes_on(&search))
		bc_search_step(&search, parameters[search.middle].offset < offset);
	return search.low < function->parameter_count && parameters[search.low].offset == offset ?
		       search.low :
		       function->parameter_count;
}

/* What two DIEs of one parameter say together about where it stands. */
static uint8_t join_standings(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

/*
 * A concrete function takes from its origin what it does not say itself; the
 * origin hears where the parameters stand.
 */
static void take_from_origin(struct bc_collector *collector, struct bc_function *function)
{
	struct bc_function *origin = find_function(collector, function->origin);

	if (!origin || (origin->name && !origin->symbol))
		return;
	if (!function->symbol)
		function->symbol = origin->symbol;
	if (!function->reference)
		function->reference = origin->reference;
	function->is_vararg |= origin->is_vararg;
	if (!function->tag_count) {
		function->first_tag = origin->first_tag;
		function->tag_count = origin->tag_count;
	}
	for (uint32_t i = 0; i < function->parameter_count; i++) {
		struct bc_parameter *parameter =
			&collector->parameters[function->first_parameter + i];
		uint32_t index = find_parameter(collector, origin, parameter->origin);
		struct bc_parameter *from;

		if (!parameter->origin || index == origin->parameter_count)
			continue;
		from = &collector->parameters[origin->first_parameter + index];
		function->is_reordered |= index != i;
		if (!parameter->name)
			parameter->name = from->name;
		if (!parameter->reference)
			parameter->reference = from->reference;
		from->standing = join_standings(from->standing, parameter->standing);
	}
}

static bool has_all_names(const struct bc_collector *collector, const struct bc_function *function)
{
	for (uint32_t i = 0; i < function->parameter_count; i++) {
		const struct bc_parameter *parameter =
			&collector->parameters[function->first_parameter + i];

		if (!parameter->name || !parameter->reference)
			return false;
	}
	return true;
}

/*
 * A body that the compiler made for its callers has the parameters first that
 * it is called with; those that it lost stand behind them and are nowhere.
 */
static void drop_lost_parameters(const struct bc_collector *collector, struct bc_function *function)
{
	const struct bc_symbol_address *at =
		function->has_address ?
			bc_symbol_at(&collector->symbols->symbols[function->symbol - 1],
				     collector->home.unit->file, function->address) :
			NULL;
	const struct bc_parameter *parameters = collector->parameters + function->first_parameter;

	if (!at || (!at->is_optimized && !function->is_changed))
		return;
	while (function->parameter_count) {
		uint8_t standing = parameters[function->parameter_count - 1].standing;

		if (standing != BC_STANDS_UNKNOWN && standing != BC_STANDS_NOWHERE)
			break;
		function->parameter_count--;
	}
	/* Tags count parameters as the source does; those of the whole stand last. */
	while (function->tag_count &&
	       collector->kept_tags[function->first_tag].component != BC_TAG_OF_WHOLE) {
		function->first_tag++;
		function->tag_count--;
	}
}

/* Its prototype, as a local type that is written only if it is chosen. */
static bool add_prototype(struct bc_walk *walk, struct bc_function *function)
{
	struct bc_collector *collector = walk->collector;
	struct bc_local *local = collector->local;
	uint32_t count = function->parameter_count + function->is_vararg, first;
	uint32_t number = bc_local_add(local, bc_place(walk->scope->unit_index, function->offset),
				       BC_LOCAL_NODE, walk->err);
	uint32_t word_count = BC_HEAD_WORDS + BC_WALK_PARAMETER_WORDS * count +
			      BC_WALK_TAG_WORDS * function->tag_count;
	uint32_t *words;

	if (!number || !bc_local_reserve(local, word_count, &first, walk->err))
		return false;
	bc_local_type(local, number)->first_word = first;
	bc_local_type(local, number)->word_count = word_count;
	words = local->words + first;
	*words++ = 0;
	*words++ = bc_info(BC_FUNC_PROTO, count, true); /* kflag: of a function */
	*words++ = function->reference;
	for (uint32_t i = 0; i < function->parameter_count; i++) {
		const struct bc_parameter *parameter =
			&collector->parameters[function->first_parameter + i];

		*words++ = parameter->name;
		*words++ = parameter->reference;
	}
	if (function->is_vararg) {
		*words++ = 0;
		*words++ = 0;
	}
	if (function->tag_count)
		memcpy(words, collector->kept_tags + function->first_tag,
		       BC_WALK_TAG_WORDS * function->tag_count * sizeof(*words));
	function->number = number;
	return true;
}

#define NAMES_AT_ONCE 32u

/* The symbols of those functions that have a name. */
static void find_symbols(struct bc_collector *collector)
{
	struct bc_function *functions = collector->functions;
	uint32_t indexes[NAMES_AT_ONCE], numbers[NAMES_AT_ONCE], count = 0;
	const char *names[NAMES_AT_ONCE];
	char packed[NAMES_AT_ONCE][4];

	for (uint32_t i = 0; i <= collector->function_count; i++) {
		if (i < collector->function_count && functions[i].name) {
			names[count] = bc_string_id_text(collector->names, functions[i].name,
							 packed[count]);
			indexes[count++] = i;
		}
		if (count < NAMES_AT_ONCE && i < collector->function_count)
			continue;
		bc_symbols_find(collector->symbols, names, count, numbers);
		for (; count; count--) {
			struct bc_function *function = &functions[indexes[count - 1]];

			function->symbol = numbers[count - 1];
			if (!function->symbol)
				bc_name_set_add(collector->no_symbols, function->name);
		}
	}
}

bool bc_walk_finish_functions(struct bc_walk *walk)
{
	struct bc_collector *collector = walk->collector;

	find_symbols(collector);
	/* Origins of origins first: a definition's declaration, then what was inlined. */
	for (uint32_t pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < collector->function_count; i++)
			if (collector->functions[i].origin)
				take_from_origin(collector, &collector->functions[i]);
	for (uint32_t i = 0; i < collector->function_count; i++) {
		struct bc_function *function = &collector->functions[i];

		if (!function->symbol || function->parameter_count >= BC_VLEN_MAX)
			continue;
		if (collector->features.with_true_signature)
			drop_lost_parameters(collector, function);
		if (has_all_names(collector, function) && !add_prototype(walk, function))
			return false;
	}
	return true;
}

/*
 * Sums up how a function's parameters stand. A struct may take several
 * registers, and those behind it move: then nothing is said about registers.
 */
static void judge_parameters(const struct bc_collector *collector, struct bc_function *function)
{
	const struct bc_local *local = collector->local;
	const uint32_t *words = local->words + bc_local_type(local, function->number)->first_word;
	bool has_struct = false;

	for (uint32_t i = 0; i < function->parameter_count; i++) {
		uint8_t standing = collector->parameters[function->first_parameter + i].standing;
		const uint32_t *type = bc_look_through(local, bc_element(words, i)[1]);

		function->is_elsewhere |= standing == BC_STANDS_ELSEWHERE;
		function->is_incomplete |= standing == BC_STANDS_NOWHERE ||
					   standing == BC_STANDS_UNKNOWN;
		has_struct |= type && bc_info_kind(type[1]) == BC_STRUCT;
	}
	function->is_elsewhere &= !has_struct;
}

void bc_collector_judge_functions(struct bc_collector *collector)
{
	for (uint32_t i = 0; i < collector->function_count; i++)
		if (collector->functions[i].number)
			judge_parameters(collector, &collector->functions[i]);
}

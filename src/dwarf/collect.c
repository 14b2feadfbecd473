/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * One unit's DIEs → its local graph, in one walk from front to back.
 *
 * 1. [bc_walk_from] reads the DIEs. What a type refers to may come later:
 *    references stay offsets.
 * 2. [bc_walk_import_all] A reference into another unit became an *import*: just
 *    that DIE of the other unit is decoded, and what it refers to, until tags
 *    end the walk, since their bodies are the other unit's to collect.
 * 3. [bc_walk_settle_imports] References become labels.
 * 4. What needs another type's size, sign or kind is settled.
 */
#include "dwarf/collect.h"

#include "base/room.h"
#include "dwarf/walk.h"

#include <stdlib.h>
#include <string.h>

const char *const bc_skip_texts[BC_SKIP_COUNT] = {
#define BC_SKIP_TEXT(name, text) text,
	BC_SKIPS(BC_SKIP_TEXT)
#undef BC_SKIP_TEXT
};

/* Zeros behind the unit's DIE are padding; anything else nobody would read. */
static bool check_rest(struct bc_walk *walk)
{
	for (uint32_t at = walk->end; at < walk->scope->size; at++)
		if (walk->scope->bytes[at])
			return bc_err_set(walk->err, "something is behind the unit's DIE (0x%x)",
					  at);
	return true;
}

static bool collect(struct bc_walk *walk, uint32_t unit_index)
{
	struct bc_collector *collector = walk->collector;
	struct bc_scope *home = &collector->home;
	uint32_t unused;

	/* From here on there is something to point into, even if nothing is there. */
	if (!bc_local_reserve(collector->local, 1, &unused, walk->err) ||
	    !bc_make_room(&collector->elements, &collector->element_limit, 1, sizeof(uint32_t),
			  walk->err) ||
	    !bc_make_room(&collector->tags, &collector->tag_limit, 1, sizeof(*collector->tags),
			  walk->err))
		return false;
	if (!bc_scope_load(home, &collector->units->units[unit_index], unit_index, walk->err) ||
	    !bc_walk_read_root(walk) ||
	    !bc_number_map_make(&collector->local->numbers, bc_scope_room(home, home->size),
				walk->err))
		return false;
	if (bc_collector_excludes(collector, home->language)) {
		bc_walk_skip(walk, BC_SKIP_UNIT_LANGUAGE);
		return true;
	}
	if (home->unit->header_bytes == home->size)
		return true;
	if (!bc_walk_from(walk, home->unit->header_bytes) || !check_rest(walk) ||
	    !bc_walk_finish_variables(walk) || !bc_walk_finish_functions(walk) ||
	    !bc_walk_import_all(walk) || !bc_walk_settle_fixups(walk) ||
	    !bc_walk_translate_variables(walk))
		return false;
	bc_collector_judge_functions(collector);
	return true;
}

bool bc_collect_unit(struct bc_collector *collector, uint32_t unit_index, bool with_foreign_bodies,
		     struct bc_err *err)
{
	struct bc_walk walk = { .collector = collector, .scope = &collector->home, .err = err };

	bc_local_clear(collector->local, unit_index);
	bc_collector_forget_imports(collector);
	collector->fixup_count = 0;
	collector->function_count = collector->parameter_count = 0;
	collector->kept_tag_count = 0;
	collector->variable_count = 0;
	/* Of an alternate file nobody else may collect the bodies. */
	collector->with_foreign_bodies = with_foreign_bodies ||
					 collector->units->units[unit_index].file->alternate ||
					 collector->units->units[unit_index].by_reference_only;
	return collect(&walk, unit_index);
}

/* The first bit from FROM on that is set; END if there is none below. */
static uint32_t next_bit(const uint64_t *bits, uint32_t from, uint32_t end)
{
	while (from < end) {
		uint64_t rest = bits[from / 64] >> from % 64;

		if (rest) {
			from += (uint32_t)__builtin_ctzll(rest);
			return from < end ? from : end;
		}
		from = (from / 64 + 1) * 64;
	}
	return end;
}

bool bc_collect_check_references(struct bc_collector *collector, uint32_t unit_index,
				 struct bc_err *err)
{
	const uint64_t *bits = collector->units->referred_to[unit_index];
	struct bc_scope *scope = &collector->home;
	const uint8_t *at;
	uint32_t wanted = 0;
	struct bc_die die;

	if (!bc_scope_load(scope, &collector->units->units[unit_index], unit_index, err))
		return false;
	for (at = scope->bytes + scope->unit->header_bytes; at < scope->bytes + scope->size;) {
		uint32_t offset = (uint32_t)(at - scope->bytes);
		enum bc_die_result result = bc_die_decode(&die, scope, &at, err);

		if (result == BC_DIE_BAD)
			return false;
		/* Bits that were passed over are no DIE's. */
		wanted = next_bit(bits, wanted, offset);
		if (wanted < offset)
			break;
		wanted += result == BC_DIE_FOUND && wanted == offset;
	}
	wanted = next_bit(bits, wanted, scope->size);
	return wanted == scope->size ||
	       bc_err_set(err, "another unit refers to 0x%x, where no DIE begins", wanted);
}

void bc_collect_place_error(const struct bc_collector *collector, uint64_t place,
			    struct bc_err *err)
{
	uint32_t unit = (uint32_t)(place >> 32);

	bc_err_reword(err, "%.500s (DIE at 0x%x)", err->text, (uint32_t)place);
	if (unit != collector->local->home)
		bc_walk_refuse_foreign(collector, unit, err);
}

bool bc_collect_unit_name(struct bc_collector *collector, uint32_t unit_index, uint32_t *name,
			  struct bc_err *err)
{
	struct bc_walk walk = { .collector = collector, .scope = &collector->home, .err = err };

	*name = 0;
	return bc_scope_load(&collector->home, &collector->units->units[unit_index], unit_index,
			     err) &&
	       bc_walk_read_root(&walk) && bc_walk_take_name(&walk, name);
}

void bc_collector_free(struct bc_collector *collector)
{
	bc_scope_free(&collector->home);
	free(collector->name_guesses.met);
	for (uint32_t i = 0; i < BC_FOREIGN_SCOPES; i++)
		bc_scope_free(&collector->foreign[i]);
	free(collector->imports);
	free(collector->import_slots);
	free(collector->import_order);
	free(collector->order_spare);
	free(collector->member_order);
	free(collector->spare_order);
	free(collector->unit_tags.items);
	free(collector->unit_tags.spare);
	free(collector->frames);
	free(collector->elements);
	free(collector->fixups);
	free(collector->functions);
	free(collector->parameters);
	free(collector->tags);
	free(collector->kept_tags);
	free(collector->variables);
	*collector = (struct bc_collector){ 0 };
}

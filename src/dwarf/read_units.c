/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/workers.h"
#include "dwarf/encoder.h"

#define PROGRESS_NS 50000000u

/* Says which unit and file an error is about. */
static void place_error(const struct bc_encoder *encoder, uint32_t unit_index, struct bc_err *err)
{
	const struct bc_unit *unit = &encoder->units.units[unit_index];

	bc_err_reword(err, "%.200s: %.380s (unit at 0x%" PRIx64 "%s)", unit->file->name, err->text,
		      unit->offset, unit->section == BC_DEBUG_TYPES ? " of .debug_types" : "");
}

/*
 * Makes the unit's local graph and interns it; the bodies of other units too
 * where they are wanted. What it skips counts once all the same.
 */
static bool intern_unit(struct bc_encode_worker *worker, uint32_t unit, bool with_bodies)
{
	uint64_t *skipped = worker->collector.skipped, before[BC_SKIP_COUNT];
	uint64_t place;

	worker->interner.unit = unit;
	memcpy(before, skipped, sizeof(before));
	for (;;) {
		if (!bc_collect_unit(&worker->collector, unit, with_bodies, &worker->err))
			return false;
		if (!bc_local_intern(&worker->local, &worker->interner, &place, &worker->err)) {
			if (place)
				bc_collect_place_error(&worker->collector, place, &worker->err);
			return false;
		}
		if (!worker->local.wants_foreign_bodies)
			return true;
		memcpy(skipped, before, sizeof(before));
		with_bodies = true;
	}
}

/*
 * With the bodies of other units, a unit can have other nodes than it had
 * without them at first: for the latter it does not speak any more, and
 * whether another unit has them is a question.
 */
static bool withdraw_first_nodes(struct bc_encoder *encoder, struct bc_encode_worker *worker,
				 uint32_t unit)
{
	if (!bc_mentions_has_unread(&encoder->mentions[unit]))
		return true;
	if (!intern_unit(worker, unit, false))
		return false;
	for (uint32_t number = 1; number <= worker->local.type_count; number++) {
		uint32_t node = bc_type_node(&worker->local, number);

		if (node && bc_encoder_is_tainted(encoder, node))
			__atomic_store_n(&encoder->own[bc_census_number(&encoder->census, node)], 1,
					 __ATOMIC_RELAXED);
	}
	return true;
}

static bool read_unit(struct bc_encoder *encoder, struct bc_encode_worker *worker, uint32_t unit,
		      uint32_t at)
{
	if (encoder->reading == BC_READ_REFERENCES)
		return bc_collect_check_references(&worker->collector, unit, &worker->err);
	if (encoder->reading == BC_READ_MEANING && !withdraw_first_nodes(encoder, worker, unit))
		return false;
	if (!intern_unit(worker, unit, encoder->reading != BC_READ_FIRST))
		return false;
	switch (encoder->reading) {
	case BC_READ_FIRST:
		return bc_mentions_note(encoder, worker, unit) && bc_roots_note(worker, unit);
	case BC_READ_ROOTS:
		return bc_roots_note(worker, unit);
	case BC_READ_MEANING:
		encoder->meanings[at].unit = unit;
		return bc_meaning_note(encoder, worker, &encoder->meanings[at]);
	default:
		bc_plain_note(encoder, worker);
		return true;
	}
}

/* Remembers the lowest unit that failed, as all threads see it. */
static void fail(struct bc_encoder *encoder, struct bc_encode_worker *worker, uint32_t unit)
{
	uint32_t known = __atomic_load_n(&encoder->failed_unit, __ATOMIC_RELAXED);

	if (unit < worker->failed_unit) {
		place_error(encoder, unit, &worker->err);
		worker->failed_unit = unit;
	}
	while (unit < known &&
	       !__atomic_compare_exchange_n(&encoder->failed_unit, &known, unit, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void report_progress(struct bc_encoder *encoder, struct bc_encode_worker *worker,
			    uint32_t done)
{
	const struct bc_encode_options *options = encoder->options;
	uint64_t now;

	if (!options->progress || worker != encoder->workers || encoder->reading != BC_READ_FIRST)
		return;
	now = bc_clock_ns();
	if (now - worker->last_progress < PROGRESS_NS && done < encoder->order_count)
		return;
	worker->last_progress = now;
	options->progress(options->progress_context, done, encoder->order_count,
			  __atomic_load_n(&encoder->bytes_done, __ATOMIC_RELAXED),
			  encoder->units.total_bytes);
}

static void work(void *context, uint32_t number)
{
	struct bc_encoder *encoder = context;
	struct bc_encode_worker *worker = &encoder->workers[number];

	for (;;) {
		uint32_t at = __atomic_fetch_add(&encoder->next, 1, __ATOMIC_RELAXED);
		const struct bc_unit *unit;

		if (at >= encoder->order_count)
			break;
		/* After a failure only units that come before it matter. */
		if (encoder->order[at] > __atomic_load_n(&encoder->failed_unit, __ATOMIC_RELAXED))
			continue;
		unit = &encoder->units.units[encoder->order[at]];
		if (!read_unit(encoder, worker, encoder->order[at], at))
			fail(encoder, worker, encoder->order[at]);
		__atomic_fetch_add(&encoder->bytes_done, unit->end - unit->offset,
				   __ATOMIC_RELAXED);
		report_progress(encoder, worker, at + 1);
	}
}

bool bc_encoder_run(struct bc_encoder *encoder, struct bc_err *err)
{
	uint32_t lowest = 0;

	encoder->next = 0;
	bc_workers_run(encoder->options->workers, work, encoder);
	for (uint32_t i = 1; i < encoder->options->workers->count; i++)
		if (encoder->workers[i].failed_unit < encoder->workers[lowest].failed_unit)
			lowest = i;
	if (encoder->workers[lowest].failed_unit == BC_NO_UNIT)
		return true;
	*err = encoder->workers[lowest].err;
	return false;
}

static uint64_t next_random(uint64_t *state)
{
	uint64_t value = *state += UINT64_C(0x9e3779b97f4a7c15);

	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

static void shuffle(uint32_t *order, uint32_t count, uint64_t seed)
{
	for (uint32_t i = count; i > 1; i--) {
		uint32_t other = (uint32_t)(next_random(&seed) % i);
		uint32_t unit = order[i - 1];

		order[i - 1] = order[other];
		order[other] = unit;
	}
}

#define USUAL_UNIT_BYTES (1024u * 1024)

/* Bytes of the largest unit, of those that are not unusually large. */
static uint32_t largest_usual_unit(const struct bc_units *units)
{
	uint64_t largest = 0;

	for (uint32_t i = 0; i < units->count; i++) {
		uint64_t bytes = units->units[i].end - units->units[i].offset;

		if (bytes <= USUAL_UNIT_BYTES && bytes > largest)
			largest = bytes;
	}
	return (uint32_t)largest;
}

static bool make_workers(struct bc_encoder *encoder, struct bc_err *err)
{
	uint32_t threads = encoder->options->workers->count;
	uint32_t largest = largest_usual_unit(&encoder->units);

	encoder->workers = aligned_alloc(128, threads * sizeof(*encoder->workers));
	if (!encoder->workers)
		return bc_err_memory(err, threads * sizeof(*encoder->workers));
	memset(encoder->workers, 0, threads * sizeof(*encoder->workers));
	for (uint32_t i = 0; i < threads; i++) {
		struct bc_encode_worker *worker = &encoder->workers[i];

		worker->failed_unit = BC_NO_UNIT;
		if (!bc_intern_worker_make(&worker->interner, &encoder->interner, err))
			return false;
		worker->collector.home.at_first = largest;
		worker->collector.units = &encoder->units;
		worker->collector.names = &encoder->names;
		worker->collector.local = &worker->local;
		worker->collector.features = encoder->options->features;
		worker->collector.excluded_languages = encoder->options->excluded_languages;
		worker->collector.symbols = &encoder->symbols;
		worker->collector.no_symbols = &encoder->no_symbols;
		worker->collector.places = &encoder->places;
		worker->collector.registers = bc_parameter_registers(encoder->files[0].machine);
	}
	return true;
}

void bc_encoder_free_workers(struct bc_encoder *encoder)
{
	for (uint32_t i = 0; encoder->workers && i < encoder->options->workers->count; i++) {
		struct bc_encode_worker *worker = &encoder->workers[i];

		bc_collector_free(&worker->collector);
		bc_local_free(&worker->local);
		bc_intern_worker_free(&worker->interner);
		free(worker->mentions.mentioned);
		free(worker->mentions.defined);
		free(worker->mentions.unread);
		free(worker->links);
		free(worker->spare_links);
		free(worker->pending);
		free(worker->own_in);
		free(worker->candidates);
		free(worker->variables);
		bc_arena_free(&worker->arena);
	}
	free(encoder->workers);
}

/* Units of alternate files that others import, and those that these import. */
static bool read_imported_units(struct bc_encoder *encoder, struct bc_err *err)
{
	for (;;) {
		encoder->order_count = 0;
		for (uint32_t i = 0; i < encoder->units.count; i++) {
			if (encoder->units.imported[i] != 1)
				continue;
			encoder->units.imported[i] = 2; /* so that it is read once */
			encoder->order[encoder->order_count++] = i;
		}
		if (!encoder->order_count)
			return true;
		encoder->stats->units += encoder->order_count;
		if (!bc_encoder_run(encoder, err))
			return false;
	}
}

static bool check_references(struct bc_encoder *encoder, struct bc_err *err)
{
	encoder->reading = BC_READ_REFERENCES;
	encoder->order_count = 0;
	for (uint32_t i = 0; i < encoder->units.count; i++)
		if (encoder->units.referred_to[i])
			encoder->order[encoder->order_count++] = i;
	return !encoder->order_count || bc_encoder_run(encoder, err);
}

bool bc_encoder_read_units(struct bc_encoder *encoder, struct bc_err *err)
{
	uint32_t count = encoder->units.count;
	/* A DIE of a few bytes can be a member of three words; then chunks that are not full. */
	uint64_t word_limit = 2 * encoder->units.total_bytes + ((uint64_t)64 << 20);

	encoder->order = bc_arena_alloc(&encoder->scratch, count, sizeof(uint32_t), err);
	encoder->mentions = bc_arena_zalloc(&encoder->scratch, count, sizeof(*encoder->mentions),
					    err);
	if (!encoder->order || !encoder->mentions ||
	    !bc_interner_make(&encoder->interner, word_limit, encoder->options->hash_mask,
			      &encoder->names, err) ||
	    !make_workers(encoder, err))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!encoder->units.units[i].by_reference_only)
			encoder->order[encoder->order_count++] = i;
	if (encoder->options->shuffle_units)
		shuffle(encoder->order, encoder->order_count, encoder->options->shuffle_seed);
	encoder->stats->units = encoder->order_count;
	return bc_encoder_run(encoder, err) && read_imported_units(encoder, err) &&
	       check_references(encoder, err);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The passes, in order. After
 *   open_files       units are listed;
 *   read_units       (threads, any unit in any order) all nodes are interned, and each
 *                    unit has bitmaps of the tags it mentions and of those it defines;
 *   bc_census_take   conflicts are known, and what they reach: tainted nodes;
 *   read_meanings    (threads) units that define a conflicted tag, or refer to another
 *                    unit's that reaches one, are read again, and have said which of their nodes mean something of their own;
 *   find_plain_nodes (threads) for each such node it is known whether some other unit has
 *                    it with its plain meaning; few units have to be read for that;
 *   bc_assemble      the graph exists;
 *   bc_settle_plain_forwards
 *                    forward declarations that can mean only one thing mean it.
 * Reading again can bring new nodes (bodies of other units); then the census
 * and what follows are repeated, and such units say their functions and
 * variables again (read_roots_again).
 */
#include "dwarf/encode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/workers.h"
#include "dwarf/arena_pointers.h"
#include "dwarf/choose_variables.h"
#include "graph/sizes.h"
#include "merge/forwards.h"
#include "merge/sizeless.h"
#include "sort/canonical.h"

#define NO_UNIT UINT32_MAX
#define PROGRESS_NS 50000000u

/* Bits by leaf index, from first_word * 64 on. */
struct mention_run {
	uint32_t first_word, word_count;
	uint64_t *mentioned; /* tags that a unit mentions */
	uint64_t *defined;   /* tags of which it has a body */
	uint64_t *unread;    /* tags of other units whose bodies it did not read; NULL: none */
};

/* Of one unit; between the runs there is nothing. */
struct mentions {
	struct mention_run *runs;
	uint32_t run_count;
};

enum reading {
	READ_FIRST,
	READ_REFERENCES, /* of a unit to which others refer: whether DIEs are there */
	READ_MEANING,    /* of a unit that has a meaning of its own */
	READ_PLAIN,      /* of a unit that has none: which nodes it has */
	READ_ROOTS,      /* functions and variables, of a unit with other nodes than at first */
};

/* A tainted node that some unit gives a meaning of its own: does another one have it plainly? */
struct question {
	uint32_t number;
	uint32_t first_leaf, leaf_count; /* in leaf_indexes: the tags right below it */
};

struct encoder {
	const struct bc_encode_options *options;
	struct bc_encode_stats *stats;
	struct bc_dwarf_file *files;
	uint32_t file_count;
	struct bc_units units;
	struct bc_string_ids names;
	struct bc_symbols symbols;
	struct bc_places places;
	struct bc_interner interner;
	struct bc_census census;
	struct mentions *mentions; /* by unit */
	struct bc_meaning *meanings;
	uint32_t meaning_count;
	struct bc_content content;
	struct bc_kfuncs kfuncs; /* none unless they are to be tagged */
	uint64_t *conflicts;     /* bits by leaf index: conflicted tags */
	uint64_t *taints;        /* and tainted ones */
	uint32_t leaf_word_count;
	uint8_t *own;   /* by number, atomic: some unit does not have it plainly, or not any more */
	uint8_t *plain; /* by number: some unit has it with its plain meaning */
	struct question *questions;
	uint32_t question_count;
	uint32_t *leaf_indexes;
	uint32_t leaf_index_count;
	uint32_t *order; /* units to read, in the order they are taken */
	uint32_t order_count;
	uint32_t next;        /* atomic */
	uint64_t bytes_done;  /* atomic */
	uint32_t failed_unit; /* atomic: the lowest one that failed so far */
	enum reading reading;
	struct worker *workers;
	struct bc_arena scratch;
};

struct worker {
	struct bc_collector collector;
	struct bc_local local;
	struct bc_intern_worker interner;
	struct mention_run mentions; /* all bits by leaf index, for the unit at hand */
	struct bc_err err;
	struct bc_arena arena; /* mentions and meanings */
	struct bc_keyed *links,
		*spare_links; /* of the unit at hand: who refers to a tainted node */
	uint32_t *pending;
	/* By number: the last unit read (counted) that gives it a meaning of its own. */
	uint32_t *own_in;
	struct bc_candidate *candidates;
	struct bc_variable *variables;
	uint64_t last_progress;
	uint32_t link_limit, pending_limit, own_limit, read_count;
	uint32_t candidate_count, candidate_limit;
	uint32_t variable_count, variable_limit;
	uint32_t failed_unit;
} __attribute__((aligned(128)));

static bool open_files(struct encoder *encoder, const char *const *paths, uint32_t count,
		       struct bc_err *err)
{
	encoder->files = bc_arena_zalloc(&encoder->scratch, count, sizeof(*encoder->files), err);
	if (!encoder->files || !bc_string_ids_make(&encoder->names, err))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		struct bc_dwarf_file *file = &encoder->files[i];

		if (!bc_dwarf_open(file, paths[i], err))
			return false;
		encoder->file_count++;
		if (file->big_endian != encoder->files[0].big_endian ||
		    file->pointer_bytes != encoder->files[0].pointer_bytes) {
			bc_err_set(err, "its byte order or pointer size is not that of %.200s",
				   paths[0]);
			return bc_err_prefix(err, paths[i]);
		}
		if (!bc_units_add(&encoder->units, file, &encoder->names, err))
			return false;
		/* Only a linker merges strings, and only those of one file. */
		encoder->names.by_text |= count > 1 || file->is_relocatable || file->alternate;
	}
	return bc_units_finish(&encoder->units, err) &&
	       bc_symbols_read(&encoder->symbols, encoder->files, count, err) &&
	       bc_places_read(&encoder->places, encoder->files, count, &encoder->options->features,
			      err);
}

/* ---- what a thread does with a unit ---- */

static uint32_t leaf_index(const struct encoder *encoder, uint32_t leaf)
{
	const uint32_t *node = bc_interned(&encoder->interner, leaf);

	if (node[BC_LEAF_OF])
		node = bc_interned(&encoder->interner, node[BC_LEAF_OF]);
	return node[BC_LEAF_INDEX];
}

static bool is_tag(const struct bc_local_type *type)
{
	return type->role == BC_LOCAL_BODY || type->role == BC_LOCAL_DECLARATION;
}

static bool grow_bits(uint64_t **bits, uint32_t before, uint32_t words, struct bc_err *err)
{
	uint64_t *grown = realloc(*bits, words * sizeof(*grown));

	if (!grown)
		return bc_err_memory(err, words * sizeof(*grown));
	memset(grown + before, 0, (words - before) * sizeof(*grown));
	*bits = grown;
	return true;
}

static bool make_mention_room(struct worker *worker, uint32_t word)
{
	struct mention_run *all = &worker->mentions;
	uint32_t words = 2 * word + 1024;

	if (word < all->word_count)
		return true;
	if (!grow_bits(&all->mentioned, all->word_count, words, &worker->err) ||
	    !grow_bits(&all->defined, all->word_count, words, &worker->err) ||
	    !grow_bits(&all->unread, all->word_count, words, &worker->err))
		return false;
	all->word_count = words;
	return true;
}

static bool is_any_set(const uint64_t *words, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (words[i])
			return true;
	return false;
}

/* Moves some bits of a worker to memory that stays. */
static uint64_t *keep_bits(struct worker *worker, uint64_t *bits, const struct mention_run *run)
{
	uint64_t *kept = bc_arena_alloc(&worker->arena, run->word_count, sizeof(*kept),
					&worker->err);

	if (kept) {
		memcpy(kept, bits + run->first_word, run->word_count * sizeof(*kept));
		memset(bits + run->first_word, 0, run->word_count * sizeof(*kept));
	}
	return kept;
}

static bool keep_run(struct worker *worker, struct mention_run *run)
{
	struct mention_run *all = &worker->mentions;

	run->mentioned = keep_bits(worker, all->mentioned, run);
	run->defined = keep_bits(worker, all->defined, run);
	if (!run->mentioned || !run->defined)
		return false;
	if (!is_any_set(all->unread + run->first_word, run->word_count))
		return true;
	run->unread = keep_bits(worker, all->unread, run);
	return run->unread;
}

/* As much that is not set ends a run: what is kept grows with what is said, not with what is not. */
#define RUN_GAP_WORDS 8u

/* The runs in the worker's bits [WORD, END), into RUNS unless that is NULL; their number. */
static uint32_t find_runs(const struct worker *worker, uint32_t word, uint32_t end,
			  struct mention_run *runs)
{
	const uint64_t *mentioned = worker->mentions.mentioned;
	uint32_t count = 0, last = 0;

	for (; word < end; word++) {
		if (!mentioned[word])
			continue;
		if (!count || word - last > RUN_GAP_WORDS) {
			count++;
			if (runs)
				runs[count - 1] = (struct mention_run){ .first_word = word };
		}
		last = word;
		if (runs)
			runs[count - 1].word_count = word - runs[count - 1].first_word + 1;
	}
	return count;
}

static bool keep_mentions(struct worker *worker, struct mentions *mentions, uint32_t first,
			  uint32_t end)
{
	mentions->run_count = find_runs(worker, first, end, NULL);
	mentions->runs = bc_arena_alloc(&worker->arena, mentions->run_count,
					sizeof(*mentions->runs), &worker->err);
	if (!mentions->runs)
		return false;
	find_runs(worker, first, end, mentions->runs);
	for (uint32_t i = 0; i < mentions->run_count; i++)
		if (!keep_run(worker, &mentions->runs[i]))
			return false;
	return true;
}

static bool note_mentions(struct encoder *encoder, struct worker *worker, uint32_t unit)
{
	uint32_t first = UINT32_MAX, end = 0;

	for (uint32_t number = 1; number <= worker->local.type_count; number++) {
		const struct bc_local_type *type = bc_local_type(&worker->local, number);
		uint32_t index, word;
		uint64_t bit;

		if (!is_tag(type))
			continue;
		index = leaf_index(encoder, type->node);
		word = index / 64;
		bit = (uint64_t)1 << index % 64;
		if (!make_mention_room(worker, word))
			return false;
		worker->mentions.mentioned[word] |= bit;
		if (type->role == BC_LOCAL_BODY)
			worker->mentions.defined[word] |= bit;
		if (type->unread)
			worker->mentions.unread[word] |= bit;
		first = word < first ? word : first;
		end = word + 1 > end ? word + 1 : end;
	}
	return keep_mentions(worker, &encoder->mentions[unit], first, end);
}

static bool note_candidates(struct worker *worker, uint32_t unit)
{
	const struct bc_collector *collector = &worker->collector;

	for (uint32_t i = 0; i < collector->function_count; i++) {
		const struct bc_function *function = &collector->functions[i];

		if (!function->symbol)
			continue;
		if (worker->candidate_count == worker->candidate_limit) {
			uint32_t limit = worker->candidate_limit ? 2 * worker->candidate_limit :
								   4096;
			struct bc_candidate *grown = realloc(worker->candidates,
							     limit * sizeof(*grown));

			if (!grown)
				return bc_err_memory(&worker->err, limit * sizeof(*grown));
			worker->candidates = grown;
			worker->candidate_limit = limit;
		}
		worker->candidates[worker->candidate_count++] = (struct bc_candidate){
			.symbol = function->symbol - 1,
			.proto = function->number ?
					 bc_local_type(&worker->local, function->number)->node :
					 0,
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

static bool note_variables(struct worker *worker)
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
			variable.reference =
				bc_local_type(&worker->local, variable.reference)->node;
		if (worker->variable_count == worker->variable_limit) {
			uint32_t limit = worker->variable_limit ? 2 * worker->variable_limit : 256;
			struct bc_variable *grown = realloc(worker->variables,
							    limit * sizeof(*grown));

			if (!grown)
				return bc_err_memory(&worker->err, limit * sizeof(*grown));
			worker->variables = grown;
			worker->variable_limit = limit;
		}
		worker->variables[worker->variable_count++] = variable;
	}
	return true;
}

/* The node of a type that is one; 0 for mere declarations and aliases. */
static uint32_t node_of(const struct bc_local_type *type)
{
	if (type->role == BC_LOCAL_BODY || type->body)
		return type->body;
	return type->role == BC_LOCAL_NODE && type->node != BC_INDEX_TYPE ? type->node : 0;
}

/* Nodes that came after the census do not count: it will be taken again. */
static bool is_tainted(const struct encoder *encoder, uint32_t id)
{
	return encoder->census.tainted[bc_census_number(&encoder->census, id)];
}

static bool is_private(const struct encoder *encoder, uint32_t leaf)
{
	return bc_info_kflag(bc_interned(&encoder->interner, leaf)[BC_LEAF_INFO]);
}

static bool is_own(const struct encoder *encoder, const struct worker *worker, uint32_t id)
{
	return worker->own_in[bc_census_number(&encoder->census, id)] == worker->read_count;
}

/* Marks an id as of its own meaning in this unit; false: it was already. */
static bool mark_own(const struct encoder *encoder, struct worker *worker, uint32_t id)
{
	uint32_t *own_in = &worker->own_in[bc_census_number(&encoder->census, id)];
	bool is_new = *own_in != worker->read_count;

	*own_in = worker->read_count;
	return is_new;
}

static bool mark_and_follow(const struct encoder *encoder, struct worker *worker, uint32_t id,
			    uint32_t *count)
{
	uint32_t limit = worker->pending_limit ? 2 * worker->pending_limit : 1024, *grown;

	if (!mark_own(encoder, worker, id))
		return true;
	if (*count == worker->pending_limit) {
		grown = limit > *count ? realloc(worker->pending, limit * sizeof(*grown)) : NULL;
		if (!grown)
			return bc_err_memory(&worker->err, limit * sizeof(*grown));
		worker->pending = grown;
		worker->pending_limit = limit;
	}
	worker->pending[(*count)++] = bc_census_number(&encoder->census, id);
	return true;
}

static bool add_link(struct worker *worker, uint32_t to, uint32_t from, uint32_t *count)
{
	if (*count == worker->link_limit) {
		uint32_t limit = *count ? 2 * *count : 1024;
		size_t bytes = limit * sizeof(struct bc_keyed);
		struct bc_keyed *spare = limit > *count ? realloc(worker->spare_links, bytes) :
							  NULL;
		struct bc_keyed *links;

		if (!spare)
			return bc_err_memory(&worker->err, bytes);
		worker->spare_links = spare;
		links = realloc(worker->links, bytes);
		if (!links)
			return bc_err_memory(&worker->err, bytes);
		worker->links = links;
		worker->link_limit = limit;
	}
	worker->links[(*count)++] = (struct bc_keyed){ to, from };
	return true;
}

/* Lists which types of the unit refer to which tainted nodes, by number of these. */
static bool find_links(const struct encoder *encoder, struct worker *worker, uint32_t *count)
{
	*count = 0;
	for (uint32_t number = 1; number <= worker->local.type_count; number++) {
		uint32_t id = node_of(bc_local_type(&worker->local, number));
		const uint32_t *node = bc_interned(&encoder->interner, id);
		struct bc_edges edges;

		if (!id || !is_tainted(encoder, id))
			continue;
		edges = bc_edges(node);
		for (uint32_t i = 0; i < edges.count; i++) {
			uint32_t target = bc_edge(node, edges, i);

			if (target && target != BC_INDEX_TYPE && is_tainted(encoder, target) &&
			    !add_link(worker, bc_census_number(&encoder->census, target), number,
				      count))
				return false;
		}
	}
	bc_sort_keyed(worker->links, worker->spare_links, *count);
	return true;
}

static uint32_t first_link(const struct worker *worker, uint32_t count, uint32_t to)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (worker->links[middle].key < to)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Marks what reaches, inside the unit, a body of a conflicted tag. A tag of
 * whose body the unit says nothing stops the search: there it means what it
 * plainly means. A private leaf has its body here; two bodies can be one
 * node, each with a leaf of its own.
 */
static bool spread_own(const struct encoder *encoder, struct worker *worker)
{
	uint32_t link_count, pending = 0;

	if (!find_links(encoder, worker, &link_count))
		return false;
	for (uint32_t number = 1; number <= worker->local.type_count; number++) {
		const struct bc_local_type *type = bc_local_type(&worker->local, number);

		if (type->role == BC_LOCAL_BODY && !is_private(encoder, type->node) &&
		    encoder->census.conflicted[bc_census_number(&encoder->census, type->node)] &&
		    !mark_and_follow(encoder, worker, type->node, &pending))
			return false;
	}
	while (pending) {
		uint32_t to = worker->pending[--pending];
		uint32_t i = first_link(worker, link_count, to);

		for (; i < link_count && worker->links[i].key == to; i++) {
			const struct bc_local_type *type = bc_local_type(&worker->local,
									 worker->links[i].value);

			if (!mark_and_follow(encoder, worker, node_of(type), &pending) ||
			    !mark_and_follow(encoder, worker, type->node, &pending))
				return false;
		}
	}
	return true;
}

static bool make_own_map(const struct encoder *encoder, struct worker *worker)
{
	uint32_t wanted = encoder->census.node_count + 1;

	worker->read_count++;
	if (worker->own_limit >= wanted)
		return true;
	free(worker->own_in);
	worker->own_in = calloc(wanted, sizeof(*worker->own_in));
	worker->own_limit = worker->own_in ? wanted : 0;
	return worker->own_in || bc_err_memory(&worker->err, wanted * sizeof(*worker->own_in));
}

static int compare_leaves(const void *a, const void *b)
{
	const struct bc_extra_body *one = a, *other = b;

	return (one->leaf > other->leaf) - (one->leaf < other->leaf);
}

static bool note_meaning(struct encoder *encoder, struct worker *worker, struct bc_meaning *meaning)
{
	uint32_t count = worker->local.type_count;

	meaning->bodies = bc_arena_alloc(&worker->arena, count, sizeof(*meaning->bodies),
					 &worker->err);
	meaning->nodes = bc_arena_alloc(&worker->arena, count, sizeof(*meaning->nodes),
					&worker->err);
	if (!meaning->bodies || !meaning->nodes || !make_own_map(encoder, worker) ||
	    !spread_own(encoder, worker))
		return false;
	meaning->body_count = meaning->node_count = 0;
	for (uint32_t number = 1; number <= count; number++) {
		const struct bc_local_type *type = bc_local_type(&worker->local, number);
		uint32_t node = node_of(type);

		if (!node || !is_tainted(encoder, node)) {
			/* A conflicted tag's body may have no taint. */
			if (type->role == BC_LOCAL_BODY && !is_private(encoder, type->node) &&
			    is_own(encoder, worker, type->node))
				meaning->bodies[meaning->body_count++] =
					(struct bc_extra_body){ type->node, node };
			continue;
		}
		if (type->role == BC_LOCAL_BODY && !is_private(encoder, type->node) &&
		    is_own(encoder, worker, type->node))
			meaning->bodies[meaning->body_count++] = (struct bc_extra_body){ type->node,
											 node };
		if (is_own(encoder, worker, node))
			meaning->nodes[meaning->node_count++] = node;
		else
			__atomic_store_n(&encoder->plain[bc_census_number(&encoder->census, node)],
					 1, __ATOMIC_RELAXED);
	}
	qsort(meaning->bodies, meaning->body_count, sizeof(*meaning->bodies), compare_leaves);
	return true;
}

static void note_plain(struct encoder *encoder, const struct worker *worker)
{
	for (uint32_t number = 1; number <= worker->local.type_count; number++) {
		uint32_t node = node_of(bc_local_type(&worker->local, number));

		if (node)
			__atomic_store_n(&encoder->plain[bc_census_number(&encoder->census, node)],
					 1, __ATOMIC_RELAXED);
	}
}

static bool has_unread_tags(const struct mentions *mentions)
{
	for (uint32_t i = 0; i < mentions->run_count; i++)
		if (mentions->runs[i].unread)
			return true;
	return false;
}

/* Says which unit and file an error is about. */
static void place_error(const struct encoder *encoder, uint32_t unit_index, struct bc_err *err)
{
	const struct bc_unit *unit = &encoder->units.units[unit_index];
	char text[sizeof(err->text)];

	memcpy(text, err->text, sizeof(text));
	bc_err_set(err, "%.200s: %.380s (unit at 0x%" PRIx64 "%s)", unit->file->name, text,
		   unit->offset, unit->section == BC_DEBUG_TYPES ? " of .debug_types" : "");
}

/*
 * Makes the unit's local graph and interns it; the bodies of other units too
 * where they are wanted. What it skips counts once all the same.
 */
static bool intern_unit(struct worker *worker, uint32_t unit, bool with_bodies)
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
				bc_err_set(&worker->err, "%.500s (DIE at 0x%x)",
					   strdupa(worker->err.text), (uint32_t)place);
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
static bool withdraw_first_nodes(struct encoder *encoder, struct worker *worker, uint32_t unit)
{
	if (!has_unread_tags(&encoder->mentions[unit]))
		return true;
	if (!intern_unit(worker, unit, false))
		return false;
	for (uint32_t number = 1; number <= worker->local.type_count; number++) {
		uint32_t node = node_of(bc_local_type(&worker->local, number));

		if (node && is_tainted(encoder, node))
			__atomic_store_n(&encoder->own[bc_census_number(&encoder->census, node)], 1,
					 __ATOMIC_RELAXED);
	}
	return true;
}

static bool read_unit(struct encoder *encoder, struct worker *worker, uint32_t unit, uint32_t at)
{
	if (encoder->reading == READ_REFERENCES)
		return bc_collect_check_references(&worker->collector, unit, &worker->err);
	if (encoder->reading == READ_MEANING && !withdraw_first_nodes(encoder, worker, unit))
		return false;
	if (!intern_unit(worker, unit, encoder->reading != READ_FIRST))
		return false;
	switch (encoder->reading) {
	case READ_FIRST:
		return note_mentions(encoder, worker, unit) && note_candidates(worker, unit) &&
		       note_variables(worker);
	case READ_ROOTS:
		return note_candidates(worker, unit) && note_variables(worker);
	case READ_MEANING:
		encoder->meanings[at].unit = unit;
		return note_meaning(encoder, worker, &encoder->meanings[at]);
	default:
		note_plain(encoder, worker);
		return true;
	}
}

/* Remembers the lowest unit that failed, as all threads see it. */
static void fail(struct encoder *encoder, struct worker *worker, uint32_t unit)
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

static void report_progress(struct encoder *encoder, struct worker *worker, uint32_t done)
{
	const struct bc_encode_options *options = encoder->options;
	uint64_t now;

	if (!options->progress || worker != encoder->workers || encoder->reading != READ_FIRST)
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
	struct encoder *encoder = context;
	struct worker *worker = &encoder->workers[number];

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

/* ---- the passes ---- */

static bool run_workers(struct encoder *encoder, struct bc_err *err)
{
	uint32_t lowest = 0;

	encoder->next = 0;
	bc_workers_run(encoder->options->threads, work, encoder);
	for (uint32_t i = 1; i < encoder->options->threads; i++)
		if (encoder->workers[i].failed_unit < encoder->workers[lowest].failed_unit)
			lowest = i;
	if (encoder->workers[lowest].failed_unit == NO_UNIT)
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

static bool make_workers(struct encoder *encoder, struct bc_err *err)
{
	uint32_t threads = encoder->options->threads;

	encoder->workers = aligned_alloc(128, threads * sizeof(*encoder->workers));
	if (!encoder->workers)
		return bc_err_memory(err, threads * sizeof(*encoder->workers));
	memset(encoder->workers, 0, threads * sizeof(*encoder->workers));
	for (uint32_t i = 0; i < threads; i++) {
		struct worker *worker = &encoder->workers[i];

		worker->failed_unit = NO_UNIT;
		worker->interner.interner = &encoder->interner;
		worker->collector.units = &encoder->units;
		worker->collector.names = &encoder->names;
		worker->collector.local = &worker->local;
		worker->collector.features = encoder->options->features;
		worker->collector.excluded_languages = encoder->options->excluded_languages;
		worker->collector.symbols = &encoder->symbols;
		worker->collector.places = &encoder->places;
		worker->collector.registers = bc_parameter_registers(encoder->files[0].machine);
	}
	return true;
}

/* Units of alternate files that others import, and those that these import. */
static bool read_imported_units(struct encoder *encoder, struct bc_err *err)
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
		if (!run_workers(encoder, err))
			return false;
	}
}

static bool check_references(struct encoder *encoder, struct bc_err *err)
{
	encoder->reading = READ_REFERENCES;
	encoder->order_count = 0;
	for (uint32_t i = 0; i < encoder->units.count; i++)
		if (encoder->units.referred_to[i])
			encoder->order[encoder->order_count++] = i;
	return !encoder->order_count || run_workers(encoder, err);
}

static bool read_units(struct encoder *encoder, struct bc_err *err)
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
	return run_workers(encoder, err) && read_imported_units(encoder, err) &&
	       check_references(encoder, err);
}

/* By leaf index: tags that are conflicted, tags that are tainted. */
static bool make_leaf_bits(struct encoder *encoder, struct bc_err *err)
{
	const struct bc_census *census = &encoder->census;

	encoder->leaf_word_count = encoder->interner.leaf_count / 64 + 1;
	encoder->conflicts = bc_arena_zalloc(&encoder->scratch, encoder->leaf_word_count,
					     sizeof(uint64_t), err);
	encoder->taints = bc_arena_zalloc(&encoder->scratch, encoder->leaf_word_count,
					  sizeof(uint64_t), err);
	if (!encoder->conflicts || !encoder->taints)
		return false;
	for (uint32_t number = 1; number <= census->node_count; number++) {
		const uint32_t *node = bc_interned(&encoder->interner, census->node[number]);
		uint64_t bit;

		if (!bc_is_leaf(node))
			continue;
		bit = (uint64_t)1 << node[BC_LEAF_INDEX] % 64;
		if (census->conflicted[number])
			encoder->conflicts[node[BC_LEAF_INDEX] / 64] |= bit;
		if (census->tainted[number])
			encoder->taints[node[BC_LEAF_INDEX] / 64] |= bit;
	}
	return true;
}

/*
 * Whether some tag means something of its own in a unit: it has a body of a
 * conflicted one, or a reference to another unit's tag from which one is reached.
 */
static bool has_meaning(const struct encoder *encoder, uint32_t unit)
{
	const struct mentions *mentions = &encoder->mentions[unit];

	for (uint32_t i = 0; i < mentions->run_count; i++) {
		const struct mention_run *run = &mentions->runs[i];

		for (uint32_t k = 0; k < run->word_count; k++)
			if (run->defined[k] & encoder->conflicts[run->first_word + k] ||
			    (run->unread && run->unread[k] & encoder->taints[run->first_word + k]))
				return true;
	}
	return false;
}

static bool mentions_tag(const struct mentions *mentions, uint32_t index)
{
	uint32_t low = 0, high = mentions->run_count, word = index / 64;
	const struct mention_run *run;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (mentions->runs[middle].first_word <= word)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	run = &mentions->runs[low - 1];
	return word - run->first_word < run->word_count &&
	       run->mentioned[word - run->first_word] >> index % 64 & 1;
}

static bool read_meanings(struct encoder *encoder, struct bc_err *err)
{
	size_t numbers = (size_t)encoder->census.node_count + 1;

	encoder->plain = bc_arena_zalloc(&encoder->scratch, numbers, 1, err);
	encoder->own = bc_arena_zalloc(&encoder->scratch, numbers, 1, err);
	if (!encoder->plain || !encoder->own || !make_leaf_bits(encoder, err))
		return false;
	encoder->order_count = 0;
	for (uint32_t unit = 0; unit < encoder->units.count; unit++)
		if (has_meaning(encoder, unit))
			encoder->order[encoder->order_count++] = unit;
	encoder->meaning_count = encoder->order_count;
	encoder->meanings = bc_arena_zalloc(&encoder->scratch, encoder->order_count,
					    sizeof(*encoder->meanings), err);
	if (!encoder->meanings)
		return false;
	encoder->reading = READ_MEANING;
	encoder->stats->units_again += encoder->order_count;
	return run_workers(encoder, err);
}

/* More of a question is not looked at: what is left out only makes more units possible answers. */
#define QUESTION_LEAVES 16u
#define QUESTION_NODES 256u

/* Lists tags right below a node, looking through nodes that are none. */
static void list_leaves(struct encoder *encoder, struct question *question, uint32_t *seen,
			uint32_t stamp)
{
	const struct bc_census *census = &encoder->census;
	uint32_t queue[QUESTION_NODES], count = 0;

	question->first_leaf = encoder->leaf_index_count;
	queue[count++] = question->number;
	for (uint32_t at = 0; at < count && question->leaf_count < QUESTION_LEAVES; at++) {
		const uint32_t *node = bc_interned(&encoder->interner, census->node[queue[at]]);
		struct bc_edges edges = bc_edges(node);

		if (bc_is_leaf(node)) {
			if (!bc_info_kflag(node[BC_LEAF_INFO])) {
				encoder->leaf_indexes[encoder->leaf_index_count++] =
					node[BC_LEAF_INDEX];
				question->leaf_count++;
			}
			continue;
		}
		for (uint32_t i = 0; i < edges.count && count < QUESTION_NODES; i++) {
			uint32_t id = bc_edge(node, edges, i);
			uint32_t number = id && id != BC_INDEX_TYPE ? bc_census_number(census, id) :
								      0;

			if (!number || seen[number] == stamp)
				continue;
			seen[number] = stamp;
			queue[count++] = number;
		}
	}
}

/*
 * Nodes with a meaning of their own somewhere, of which it is not known yet
 * whether they are plain elsewhere. Other tainted nodes are: who has them has
 * them so.
 */
static bool ask_questions(struct encoder *encoder, struct bc_err *err)
{
	const struct bc_census *census = &encoder->census;
	size_t numbers = (size_t)census->node_count + 1;
	uint32_t count = 0, *seen;

	for (uint32_t i = 0; i < encoder->meaning_count; i++)
		for (uint32_t j = 0; j < encoder->meanings[i].node_count; j++)
			encoder->own[bc_census_number(census, encoder->meanings[i].nodes[j])] = 1;
	for (uint32_t number = 1; number <= census->node_count; number++) {
		if (!encoder->own[number])
			encoder->plain[number] = 1;
		count += !encoder->plain[number];
	}
	seen = bc_arena_zalloc(&encoder->scratch, numbers, sizeof(*seen), err);
	encoder->questions = bc_arena_zalloc(&encoder->scratch, count, sizeof(*encoder->questions),
					     err);
	encoder->leaf_indexes = bc_arena_alloc(&encoder->scratch, (size_t)count * QUESTION_LEAVES,
					       sizeof(uint32_t), err);
	if (!seen || !encoder->questions || !encoder->leaf_indexes)
		return false;
	encoder->question_count = encoder->leaf_index_count = 0;
	for (uint32_t number = 1; number <= census->node_count; number++) {
		struct question *question = &encoder->questions[encoder->question_count];

		/* What only one unit has, and that of its own, nobody has plainly. */
		if (encoder->plain[number] ||
		    bc_is_function_proto(bc_interned(&encoder->interner, census->node[number])) ||
		    census->only_in[number] != BC_SEVERAL_UNITS)
			continue;
		question->number = number;
		encoder->question_count++;
		list_leaves(encoder, question, seen, encoder->question_count);
	}
	return true;
}

/* Whether a unit can have the node of an open question: it mentions all tags below it. */
static bool can_answer(const struct encoder *encoder, uint32_t unit)
{
	const struct mentions *mentions = &encoder->mentions[unit];

	for (uint32_t i = 0; i < encoder->question_count; i++) {
		const struct question *question = &encoder->questions[i];
		uint32_t j = 0;

		while (j < question->leaf_count &&
		       mentions_tag(mentions, encoder->leaf_indexes[question->first_leaf + j]))
			j++;
		if (j == question->leaf_count)
			return true;
	}
	return false;
}

static void drop_answered(struct encoder *encoder)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < encoder->question_count; i++)
		if (!encoder->plain[encoder->questions[i].number])
			encoder->questions[kept++] = encoder->questions[i];
	encoder->question_count = kept;
}

/* Reads units that may answer, a few at a time, until all is answered or all have been asked. */
static bool find_plain_nodes(struct encoder *encoder, struct bc_err *err)
{
	uint32_t unit = 0;

	if (!ask_questions(encoder, err))
		return false;
	encoder->reading = READ_PLAIN;
	while (encoder->question_count && unit < encoder->units.count) {
		encoder->order_count = 0;
		for (; unit < encoder->units.count &&
		       encoder->order_count < 2 * encoder->options->threads;
		     unit++)
			if ((!encoder->units.units[unit].by_reference_only ||
			     encoder->units.imported[unit]) &&
			    !has_meaning(encoder, unit) && can_answer(encoder, unit))
				encoder->order[encoder->order_count++] = unit;
		encoder->stats->units_again += encoder->order_count;
		if (!run_workers(encoder, err))
			return false;
		drop_answered(encoder);
	}
	return true;
}

static bool resolve_conflicts(struct encoder *encoder, struct bc_err *err)
{
	struct bc_census *census = &encoder->census, before;

	if (!bc_census_take(census, &encoder->interner, NULL, &encoder->scratch, err))
		return false;
	while (census->conflict_count) {
		if (!read_meanings(encoder, err) || !find_plain_nodes(encoder, err))
			return false;
		before = *census;
		if (!bc_census_take(census, &encoder->interner, &before, &encoder->scratch, err))
			return false;
		/* Bodies of other units can bring new nodes, and those new conflicts. */
		if (before.node_count == census->node_count &&
		    before.extra_count == census->extra_count)
			break;
	}
	return true;
}

/* Takes away the functions and variables of units that are to say them again. */
static void drop_roots(struct worker *worker, const bool *again)
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

/*
 * Functions and variables go by the nodes of the first reading; a unit that was
 * read with the bodies of others may have other ones now.
 */
static bool read_roots_again(struct encoder *encoder, struct bc_err *err)
{
	bool *again = bc_arena_zalloc(&encoder->scratch, encoder->units.count, sizeof(*again), err);

	if (!again)
		return false;
	encoder->order_count = 0;
	for (uint32_t i = 0; i < encoder->meaning_count; i++) {
		uint32_t unit = encoder->meanings[i].unit;

		if (!has_unread_tags(&encoder->mentions[unit]))
			continue;
		again[unit] = true;
		encoder->order[encoder->order_count++] = unit;
	}
	if (!encoder->order_count)
		return true;
	for (uint32_t i = 0; i < encoder->options->threads; i++)
		drop_roots(&encoder->workers[i], again);
	encoder->reading = READ_ROOTS;
	encoder->stats->units_again += encoder->order_count;
	return run_workers(encoder, err);
}

static bool choose_functions(struct encoder *encoder, struct bc_chosen *chosen, struct bc_err *err)
{
	struct bc_candidate *all;
	uint32_t count = 0;

	for (uint32_t i = 0; i < encoder->options->threads; i++)
		count += encoder->workers[i].candidate_count;
	all = bc_arena_alloc(&encoder->scratch, count, sizeof(*all), err);
	if (!all)
		return false;
	encoder->stats->candidates = count;
	count = 0;
	for (uint32_t i = 0; i < encoder->options->threads; i++) {
		const struct worker *worker = &encoder->workers[i];

		if (worker->candidate_count)
			memcpy(all + count, worker->candidates,
			       worker->candidate_count * sizeof(*all));
		count += worker->candidate_count;
	}
	return bc_choose_functions(chosen, all, count, &encoder->symbols, &encoder->content,
				   &encoder->options->features, &encoder->scratch, err);
}

/* The names of units, and a graph of the prototypes. */
static bool complete_explanations(struct encoder *encoder, const struct bc_graph *pattern,
				  struct bc_arena *arena, struct bc_err *err)
{
	struct bc_explanations *explanations = encoder->options->explanations;
	struct bc_assemble_stats stats;
	struct bc_graph graph;
	struct bc_root *roots;
	uint32_t count;

	for (uint32_t i = 0; i < explanations->count; i++) {
		struct bc_explanation *explanation = &explanations->items[i];

		for (uint32_t j = 0; j < explanation->body_count; j++) {
			struct bc_explained_body *body = &explanation->bodies[j];
			const char *text;
			char packed[4], *copy;
			uint32_t name;

			if (!bc_collect_unit_name(&encoder->workers[0].collector, body->unit, &name,
						  err))
				return false;
			text = bc_string_id_text(&encoder->names, name, packed);
			copy = bc_arena_alloc(arena, strlen(text) + 1, 1, err);
			if (!copy)
				return false;
			body->unit_name = strcpy(copy, text);
			body->unit_offset = encoder->units.units[body->unit].offset;
		}
	}
	if (!bc_explained_roots(&roots, &count, explanations, &encoder->scratch, err) ||
	    !bc_assemble(&graph, pattern, &encoder->census, encoder->plain, &encoder->names,
			 encoder->meanings, encoder->meaning_count, roots, count, &stats, arena,
			 err))
		return false;
	bc_explained_types(explanations, &graph);
	return true;
}

static bool explain(struct encoder *encoder, const struct bc_chosen *chosen,
		    const struct bc_graph *pattern, struct bc_arena *arena, struct bc_err *err)
{
	const struct bc_encode_options *options = encoder->options;

	return !options->explained_count ||
	       (bc_explain(options->explanations, options->explained, options->explained_count,
			   chosen, &encoder->symbols, arena, err) &&
		complete_explanations(encoder, pattern, arena, err));
}

static bool choose_tags(struct encoder *encoder, struct bc_chosen *chosen, struct bc_err *err)
{
	if (!encoder->options->features.with_decl_tag_kfuncs)
		return true;
	if (!bc_kfuncs_read(&encoder->kfuncs, encoder->files, encoder->file_count,
			    &encoder->scratch, err))
		return false;
	bc_choose_tags(chosen, &encoder->kfuncs);
	return true;
}

static bool choose_variables(struct encoder *encoder, struct bc_chosen *chosen, struct bc_err *err)
{
	struct bc_variable *all;
	uint32_t count = 0;

	for (uint32_t i = 0; i < encoder->options->threads; i++)
		count += encoder->workers[i].variable_count;
	all = bc_arena_alloc(&encoder->scratch, count, sizeof(*all), err);
	if (!all)
		return false;
	count = 0;
	for (uint32_t i = 0; i < encoder->options->threads; i++) {
		const struct worker *worker = &encoder->workers[i];

		if (worker->variable_count)
			memcpy(all + count, worker->variables,
			       worker->variable_count * sizeof(*all));
		count += worker->variable_count;
	}
	return bc_choose_variables(chosen, all, count, &encoder->places, &encoder->content,
				   encoder->options->features.with_encode_force, &encoder->scratch,
				   err);
}

static void sum_up(struct encoder *encoder)
{
	struct bc_encode_stats *stats = encoder->stats;

	stats->files = encoder->file_count;
	stats->machine = encoder->files[0].machine;
	stats->bytes = encoder->units.total_bytes;
	for (uint32_t i = 0; encoder->workers && i < encoder->options->threads; i++) {
		const struct bc_collector *collector = &encoder->workers[i].collector;

		stats->dies += collector->die_count;
		for (uint32_t j = 0; j < BC_SKIP_COUNT; j++)
			stats->skipped[j] += collector->skipped[j];
	}
}

/* Which type is wrong must not depend on who came first: the first one in canonical order. */
static bool refuse_values(const struct bc_graph *graph, const char *path, struct bc_err *err)
{
	const struct bc_canonical_options as_it_is = { 0 };
	struct bc_arena scratch = { 0 };
	struct bc_graph ordered;
	struct bc_sizes sizes;
	struct bc_err first;

	if (bc_canonical(&ordered, graph, &as_it_is, &scratch, NULL, NULL, &first) &&
	    !bc_sizes_compute(&sizes, &ordered, &scratch, &first))
		*err = first;
	bc_arena_free(&scratch);
	bc_err_prefix(err, "the types do not fit BTF");
	return path && bc_err_prefix(err, path);
}

static bool encode(struct encoder *encoder, struct bc_graph *out, const char *const *paths,
		   uint32_t count, struct bc_arena *arena, struct bc_err *err)
{
	struct bc_encode_stats *stats = encoder->stats;
	struct bc_graph pattern = { 0 };
	struct bc_chosen chosen;
	uint64_t begin = bc_clock_ns(), now;

	if (!open_files(encoder, paths, count, err))
		return false;
	now = bc_clock_ns();
	stats->ns_open = now - begin;
	if (!read_units(encoder, err))
		return false;
	sum_up(encoder);
	begin = bc_clock_ns();
	stats->ns_units = begin - now;
	if (!resolve_conflicts(encoder, err) || !read_roots_again(encoder, err))
		return false;
	now = bc_clock_ns();
	stats->ns_conflicts = now - begin;
	pattern.big_endian = encoder->files[0].big_endian;
	pattern.pointer_bytes = encoder->files[0].pointer_bytes;
	if (!bc_content_open(&encoder->content, &encoder->census, encoder->plain, encoder->meanings,
			     encoder->meaning_count, &encoder->names,
			     encoder->files[0].pointer_bytes, &encoder->scratch, err) ||
	    !choose_functions(encoder, &chosen, err) ||
	    !explain(encoder, &chosen, &pattern, arena, err) ||
	    !choose_tags(encoder, &chosen, err) || !choose_variables(encoder, &chosen, err))
		return false;
	begin = bc_clock_ns();
	stats->ns_functions = begin - now;
	now = begin;
	if (!bc_assemble(out, &pattern, &encoder->census, encoder->plain, &encoder->names,
			 encoder->meanings, encoder->meaning_count, chosen.roots, chosen.count,
			 &stats->assemble, arena, err) ||
	    !bc_settle_plain_forwards(out, arena, err))
		return false;
	if (encoder->options->features.with_attributes &&
	    !bc_mark_arena_pointers(out, &encoder->kfuncs, &stats->skipped[BC_SKIP_ARENA], arena,
				    err))
		return false;
	if (!bc_complete_values(out, &stats->skipped[BC_SKIP_VALUE_SIZELESS], arena, err))
		return refuse_values(out, count == 1 ? paths[0] : NULL, err);
	stats->functions = chosen.function_count;
	memcpy(stats->functions_left_out, chosen.left_out, sizeof(chosen.left_out));
	stats->ns_assemble = bc_clock_ns() - now;
	stats->nodes = encoder->census.node_count;
	stats->leaves = encoder->interner.leaf_count;
	stats->conflicts = encoder->census.conflict_count;
	stats->tainted = encoder->census.tainted_count;
	return true;
}

static void close_all(struct encoder *encoder)
{
	for (uint32_t i = 0; encoder->workers && i < encoder->options->threads; i++) {
		struct worker *worker = &encoder->workers[i];

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
	bc_content_close(&encoder->content);
	bc_interner_free(&encoder->interner);
	bc_string_ids_free(&encoder->names);
	bc_symbols_free(&encoder->symbols);
	bc_places_free(&encoder->places);
	bc_units_free(&encoder->units);
	for (uint32_t i = 0; i < encoder->file_count; i++)
		bc_dwarf_close(&encoder->files[i]);
	bc_arena_free(&encoder->scratch);
}

bool bc_encode(struct bc_graph *out, const char *const *files, uint32_t file_count,
	       const struct bc_encode_options *options, struct bc_encode_stats *stats,
	       struct bc_arena *arena, struct bc_err *err)
{
	struct encoder encoder = {
		.options = options,
		.stats = stats,
		.failed_unit = NO_UNIT,
	};
	bool done;

	*stats = (struct bc_encode_stats){ 0 };
	done = encode(&encoder, out, files, file_count, arena, err);
	close_all(&encoder);
	return done;
}

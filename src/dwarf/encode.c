/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The passes, in order, each in a file of its own (see encoder.h). After
 *   open_files       units are listed;
 *   read_units.c     (threads, any unit in any order) all nodes are interned, and each
 *                    unit has bitmaps of the tags it mentions and of those it defines;
 *   conflicts.c      [bc_census_take] conflicts are known, and what they reach: tainted
 *                    nodes; [read_meanings] (threads) units that define a conflicted tag, or
 *                    refer to another unit's that reaches one, are read again, and have said
 *                    which of their nodes mean something of their own;
 *   plain_nodes.c    (threads) for each such node it is known whether some other unit has
 *                    it with its plain meaning; few units have to be read for that;
 *   roots.c          functions and variables are chosen;
 *   bc_assemble      the graph exists; all that it was made of is freed, while in
 *   complete         forward declarations that can mean only one thing come to mean it, and
 *                    what must have a value gets one.
 * Reading again can bring new nodes (bodies of other units); then the census
 * and what follows are repeated, and such units say their functions and
 * variables again (bc_roots_read_again).
 */
#include "dwarf/encode.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/arena_pointers.h"
#include "dwarf/encoder.h"
#include "graph/sizes.h"
#include "merge/forwards.h"
#include "merge/sizeless.h"
#include "sort/canonical.h"

static bool open_file(struct bc_encoder *encoder, const char *const *paths, uint32_t number,
		      struct bc_err *err)
{
	struct bc_dwarf_file *file = &encoder->files[number];

	if (!bc_dwarf_open(file, paths[number], err))
		return false;
	encoder->file_count++;
	if (file->big_endian != encoder->files[0].big_endian ||
	    file->pointer_bytes != encoder->files[0].pointer_bytes) {
		bc_err_set(err, "its byte order or pointer size is not that of %.200s", paths[0]);
		return bc_err_prefix(err, paths[number]);
	}
	/* Only a linker merges strings, and only those of one file. */
	encoder->names.by_text |= number || file->is_relocatable || file->alternate;
	return bc_elf_symbols_open(&encoder->tables[number], file, &encoder->scratch, err);
}

/* The list of units, which is made beside that of symbols. */
struct listing {
	struct bc_encoder *encoder;
	struct bc_err err;
	bool done;
};

static void list_units(void *context)
{
	struct listing *listing = context;
	struct bc_encoder *encoder = listing->encoder;

	listing->done = true;
	for (uint32_t i = 0; listing->done && i < encoder->file_count; i++)
		listing->done = bc_units_add(&encoder->units, &encoder->files[i], &encoder->names,
					     &listing->err);
	listing->done = listing->done && bc_units_finish(&encoder->units, &listing->err) &&
			bc_string_ids_finish(&encoder->names, &listing->err);
}

static bool open_files(struct bc_encoder *encoder, const char *const *paths, uint32_t count,
		       struct bc_err *err)
{
	const struct bc_encode_options *options = encoder->options;
	struct listing listing = { .encoder = encoder };
	struct bc_background background;
	bool done;

	encoder->files = bc_arena_zalloc(&encoder->scratch, count, sizeof(*encoder->files), err);
	encoder->tables = bc_arena_zalloc(&encoder->scratch, count, sizeof(*encoder->tables), err);
	if (!encoder->files || !encoder->tables || !bc_string_ids_make(&encoder->names, err))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!open_file(encoder, paths, i, err))
			return false;
	bc_background_start(&background, options->workers, list_units, &listing);
	done = bc_symbols_read(&encoder->symbols, encoder->tables, count, options->workers, err) &&
	       bc_places_read(&encoder->places, encoder->tables, count, &options->features,
			      options->workers, err);
	bc_background_wait(&background);
	if (!listing.done)
		*err = listing.err;
	return done && listing.done && bc_name_set_make(&encoder->no_symbols, &encoder->names, err);
}

/* The names of units, and a graph of the prototypes. */
static bool complete_explanations(struct bc_encoder *encoder, const struct bc_graph *pattern,
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
			 encoder->meanings, encoder->meaning_count, roots, count, &stats, NULL,
			 arena, err))
		return false;
	bc_explained_types(explanations, &graph);
	return true;
}

static bool explain(struct bc_encoder *encoder, const struct bc_chosen *chosen,
		    const struct bc_graph *pattern, struct bc_arena *arena, struct bc_err *err)
{
	const struct bc_encode_options *options = encoder->options;

	return !options->explained_count ||
	       (bc_explain(options->explanations, options->explained, options->explained_count,
			   chosen, &encoder->symbols, arena, err) &&
		complete_explanations(encoder, pattern, arena, err));
}

static bool choose_tags(struct bc_encoder *encoder, struct bc_chosen *chosen, struct bc_err *err)
{
	if (!encoder->options->features.with_decl_tag_kfuncs)
		return true;
	if (!bc_kfuncs_read(&encoder->kfuncs, encoder->tables, encoder->file_count,
			    encoder->options->workers, &encoder->kept, err))
		return false;
	bc_choose_tags(chosen, &encoder->symbols, &encoder->kfuncs);
	return true;
}

static void sum_up(struct bc_encoder *encoder)
{
	struct bc_encode_stats *stats = encoder->stats;

	stats->files = encoder->file_count;
	stats->machine = encoder->files[0].machine;
	stats->bytes = encoder->units.total_bytes;
	for (uint32_t i = 0; encoder->workers && i < encoder->options->workers->count; i++) {
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

/* The graph as its nodes say it. */
static bool encode(struct bc_encoder *encoder, struct bc_graph *out, const char *const *paths,
		   uint32_t count, struct bc_stopwatch *watch, struct bc_arena *arena,
		   struct bc_err *err)
{
	struct bc_encode_stats *stats = encoder->stats;
	struct bc_graph pattern = { 0 };
	struct bc_chosen chosen;

	if (!open_files(encoder, paths, count, err))
		return false;
	stats->opening = bc_stopwatch_lap(watch);
	if (!bc_encoder_read_units(encoder, err))
		return false;
	sum_up(encoder);
	stats->reading = bc_stopwatch_lap(watch);
	if (!bc_encoder_resolve_conflicts(encoder, err) || !bc_roots_read_again(encoder, err))
		return false;
	stats->nodes = encoder->census.node_count;
	stats->leaves = encoder->interner.leaf_count;
	stats->conflicts = encoder->census.conflict_count;
	stats->tainted = encoder->census.tainted_count;
	stats->resolving = bc_stopwatch_lap(watch);
	pattern.big_endian = encoder->files[0].big_endian;
	pattern.pointer_bytes = encoder->files[0].pointer_bytes;
	if (!bc_roots_choose_functions(encoder, &chosen, err) ||
	    !explain(encoder, &chosen, &pattern, arena, err) ||
	    !choose_tags(encoder, &chosen, err) ||
	    !bc_roots_choose_variables(encoder, &chosen, err))
		return false;
	stats->functions = chosen.function_count;
	memcpy(stats->functions_left_out, chosen.left_out, sizeof(chosen.left_out));
	stats->choosing = bc_stopwatch_lap(watch);
	return bc_assemble(out, &pattern, &encoder->census, encoder->plain, &encoder->names,
			   encoder->meanings, encoder->meaning_count, chosen.roots, chosen.count,
			   &stats->assemble, encoder->options->workers, arena, err);
}

/* What the graph still lacks. PATH: the only file; NULL: there are several. */
static bool complete(struct bc_encoder *encoder, struct bc_graph *graph, const char *path,
		     struct bc_arena *arena, struct bc_err *err)
{
	uint64_t *skipped = encoder->stats->skipped;

	if (!bc_settle_plain_forwards(graph, arena, err) ||
	    (encoder->options->features.with_attributes &&
	     !bc_mark_arena_pointers(graph, &encoder->kfuncs, &skipped[BC_SKIP_ARENA], arena, err)))
		return false;
	return bc_complete_values(graph, &skipped[BC_SKIP_VALUE_SIZELESS],
				  encoder->options->workers, arena, err) ||
	       refuse_values(graph, path, err);
}

/* All but what is kept: what has been read, and what has been made of it. */
static void close_most(void *context)
{
	struct bc_encoder *encoder = context;

	bc_encoder_free_workers(encoder);
	for (uint32_t i = 0; encoder->contents && i < encoder->options->workers->count; i++)
		bc_content_close(&encoder->contents[i]);
	bc_interner_free(&encoder->interner);
	bc_string_ids_free(&encoder->names);
	bc_symbols_free(&encoder->symbols);
	free(encoder->no_symbols.bits);
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
	struct bc_encoder encoder = {
		.options = options,
		.stats = stats,
		.failed_unit = BC_NO_UNIT,
	};
	struct bc_stopwatch watch = bc_stopwatch_start(options->workers);
	struct bc_background closing;
	bool done;

	*stats = (struct bc_encode_stats){ 0 };
	done = encode(&encoder, out, files, file_count, &watch, arena, err);
	bc_background_start(&closing, options->workers, close_most, &encoder);
	done = done && complete(&encoder, out, file_count == 1 ? files[0] : NULL, arena, err);
	bc_background_wait(&closing);
	bc_arena_free(&encoder.kept);
	stats->assembling = bc_stopwatch_lap(&watch);
	return done;
}

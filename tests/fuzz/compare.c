/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Two raw BTFs, the old one first: 16 bits say how long it is, low byte first.
 * A BTF does not differ from itself, the other way round says the mirrored
 * thing, and whatever differs can be reported.
 */
#include "compare/difference.h"

#include <jansson.h>

#include "compare/report.h"
#include "tests/fuzz/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

#define MAX_DETAILS 1000 /* of a type that are looked for the other way round */

static bool compare_or_refuse(struct bc_comparison *comparison, const struct bc_graph *old_graph,
			      const struct bc_graph *new_graph)
{
	static const struct bc_compare_options options = { .indirect = true };
	struct bc_err err = { .text = "" };
	bool done = bc_compare_graphs(comparison, old_graph, new_graph, &options, &err);

	require(done || *err.text, "a refusal says why", NULL);
	return done;
}

static void check_same(const struct bc_graph *graph)
{
	struct bc_comparison comparison;

	require(compare_or_refuse(&comparison, graph, graph) && !comparison.count,
		"a BTF does not differ from itself", NULL);
	bc_compare_close(&comparison);
}

/* ---- the other way round ---- */

static enum bc_change opposite(enum bc_change change)
{
	switch (change) {
	case BC_ADDED:
		return BC_REMOVED;
	case BC_REMOVED:
		return BC_ADDED;
	default:
		return change;
	}
}

static bool same_text(const char *a, const char *b)
{
	return !a == !b && (!a || !strcmp(a, b));
}

static bool same_state(const struct bc_part_state *a, const struct bc_part_state *b)
{
	return same_text(a->name, b->name) && same_text(a->nesting, b->nesting) &&
	       a->bit_offset == b->bit_offset && a->bit_width == b->bit_width &&
	       a->type_id == b->type_id && a->place == b->place && a->value == b->value &&
	       a->is_attribute == b->is_attribute;
}

static bool has_mirrored_detail(const struct bc_comparison *back,
				const struct bc_difference *difference,
				const struct bc_detail *detail)
{
	for (uint32_t i = 0; i < difference->detail_count; i++) {
		const struct bc_detail *other = bc_detail_at(back, difference, i);

		if (other->part == detail->part && other->change == opposite(detail->change) &&
		    other->aspects == detail->aspects && same_state(&other->old, &detail->new) &&
		    same_state(&other->new, &detail->old))
			return true;
	}
	return false;
}

static const struct bc_difference *find_mirrored(const struct bc_comparison *back,
						 const struct bc_difference *difference)
{
	for (uint32_t i = 0; i < back->count; i++)
		if (back->differences[i].old_id == difference->new_id &&
		    back->differences[i].new_id == difference->old_id)
			return &back->differences[i];
	return NULL;
}

static void check_mirrored(const struct bc_comparison *there, const struct bc_comparison *back)
{
	require(there->count == back->count, "as many types differ the other way round", NULL);
	for (uint32_t i = 0; i < there->count; i++) {
		const struct bc_difference *difference = &there->differences[i];
		const struct bc_difference *other = find_mirrored(back, difference);

		require(other && other->change == opposite(difference->change) &&
				other->detail_count == difference->detail_count,
			"a difference has its mirrored one", NULL);
		for (uint32_t k = 0; k < difference->detail_count && k < MAX_DETAILS; k++)
			require(has_mirrored_detail(back, other,
						    bc_detail_at(there, difference, k)),
				"a detail has its mirrored one", NULL);
	}
}

/* ---- reports ---- */

typedef bool (*report)(FILE *out, const struct bc_comparison *comparison,
		       const struct bc_report_options *options, struct bc_err *err);

/* The report, or NULL where it would be too long; the caller frees it. */
static char *write_report(const struct bc_comparison *comparison, report write,
			  const struct bc_report_options *options)
{
	struct bc_err err = { .text = "" };
	struct fuzz_text text;
	FILE *stream = begin_text(&text);
	char *bytes = end_text(&text, write(stream, comparison, options, &err), &err);

	require(!bytes || strlen(bytes) == text.size_bytes, "a report has no NUL", NULL);
	require(!bytes || !comparison->count || *bytes, "a difference is reported", NULL);
	return bytes;
}

static void check_json(const char *text, uint32_t count)
{
	json_t *tree = json_loads(text, 0, NULL);

	require(tree && json_array_size(json_object_get(tree, "changes")) == count,
		"the report is JSON with an entry for each type", NULL);
	json_decref(tree);
}

static void check_reports(const struct bc_comparison *comparison)
{
	static const report reports[] = { bc_report_text, bc_report_stat, bc_report_html,
					  bc_report_json };
	struct bc_report_options options = { .names = { "old", "new" }, .verbose = true };

	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		char *text = write_report(comparison, reports[i], &options);

		if (text && reports[i] == bc_report_json)
			check_json(text, comparison->count);
		free(text);
	}
	options = (struct bc_report_options){ .names = { "old", "new" }, .offsets_matter = true };
	free(write_report(comparison, bc_report_text, &options));
}

static void check_pair(const struct bc_graph *old_graph, const struct bc_graph *new_graph)
{
	struct bc_comparison there, back = { 0 };

	if (compare_or_refuse(&there, old_graph, new_graph) &&
	    compare_or_refuse(&back, new_graph, old_graph)) {
		check_mirrored(&there, &back);
		check_reports(&there);
	}
	bc_compare_close(&back);
	bc_compare_close(&there);
}

static bool read_ordered(struct bc_graph *graph, const uint8_t *data, size_t size_bytes,
			 struct bc_arena *arena)
{
	static const struct bc_canonical_options options = { .order = BC_ORDER_CANONICAL };
	struct bc_graph loaded;
	struct bc_err err;

	if (!read_or_refuse(&loaded, data, size_bytes, NULL, arena))
		return false;
	*graph = loaded;
	if (!loaded.has_unknown_kind)
		require(bc_canonical(graph, &loaded, &options, arena, NULL, NULL, &err),
			"what was read can be ordered", &err);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
	struct bc_arena arena = { 0 };
	struct bc_graph graphs[2];
	uint8_t *copies[2];
	size_t old_bytes;

	if (size_bytes < 2 || size_bytes > FUZZ_MAX_BYTES / 8)
		return 0;
	old_bytes = data[0] | (size_t)data[1] << 8;
	data += 2;
	size_bytes -= 2;
	if (old_bytes > size_bytes)
		return 0;
	copies[BC_OLD] = copy_exactly(data, old_bytes);
	copies[BC_NEW] = copy_exactly(data + old_bytes, size_bytes - old_bytes);
	if (read_ordered(&graphs[BC_OLD], copies[BC_OLD], old_bytes, &arena) &&
	    read_ordered(&graphs[BC_NEW], copies[BC_NEW], size_bytes - old_bytes, &arena)) {
		check_same(&graphs[BC_OLD]);
		check_pair(&graphs[BC_OLD], &graphs[BC_NEW]);
	}
	bc_arena_free(&arena);
	free(copies[BC_OLD]);
	free(copies[BC_NEW]);
	return 0;
}

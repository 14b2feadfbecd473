/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The BTF of a BPF object, its .BTF.ext, and a kernel's BTF: 16 bits each, low
 * byte first, say how long the first two are. The object's own BTF is the old
 * kernel. Whatever it relies on gets a verdict, the same each time, and none
 * relocates between a kernel and itself.
 */
#include "compare/object.h"

#include <jansson.h>

#include "btf/relies.h"
#include "compare/report.h"
#include "tests/fuzz/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

typedef bool (*report)(FILE *out, const struct bc_object_judgement *judgement,
		       const struct bc_object *object, const struct bc_report_options *options,
		       struct bc_err *err);

/* The report, or NULL where it would be too long; the caller frees it. */
static char *write_report(const struct bc_object_judgement *judgement,
			  const struct bc_object *object, report write)
{
	struct bc_report_options options = { .names = { "old", "new" }, .verbose = true };
	struct bc_err err = { .text = "" };
	struct fuzz_text text;
	FILE *stream = begin_text(&text);
	char *bytes = end_text(&text, write(stream, judgement, object, &options, &err), &err);

	require(!bytes || strlen(bytes) == text.size_bytes, "a report has no NUL", NULL);
	return bytes;
}

static void check_reports(const struct bc_object_judgement *judgement,
			  const struct bc_object *object)
{
	char *text = write_report(judgement, object, bc_report_object_text);
	char *json = write_report(judgement, object, bc_report_object_json);
	json_t *tree = json ? json_loads(json, 0, NULL) : NULL;

	require(!text || !judgement->count || *text, "what is wanted is listed", NULL);
	require(!json || (tree && json_array_size(json_object_get(tree, "requirements")) ==
					  judgement->count),
		"the report is JSON with all that is wanted", NULL);
	json_decref(tree);
	free(json);
	free(text);
}

static struct bc_object_judgement judge(const struct bc_object *object,
					const struct bc_comparison *comparison, bool offsets_matter,
					struct bc_arena *arena)
{
	struct bc_object_judgement judgement;
	struct bc_err err;
	uint32_t sum = 0;

	require(bc_object_judge(&judgement, object, comparison, offsets_matter, arena, &err),
		"what was read can be judged", &err);
	for (unsigned int verdict = 0; verdict < BC_VERDICT_COUNT; verdict++)
		sum += judgement.counts[verdict];
	require(sum == judgement.count, "each requirement has one verdict", NULL);
	return judgement;
}

static void check_pair(const struct bc_object *object, const struct bc_graph *old_graph,
		       const struct bc_graph *new_graph, struct bc_arena *arena)
{
	struct bc_compare_options options = { 0 };
	struct bc_object_judgement judgement, strict;
	struct bc_comparison comparison;
	struct bc_err err = { .text = "" };

	if (!bc_compare_graphs(&comparison, old_graph, new_graph, &options, &err)) {
		require(*err.text, "a refusal says why", NULL);
		bc_compare_close(&comparison);
		return;
	}
	judgement = judge(object, &comparison, false, arena);
	strict = judge(object, &comparison, true, arena);
	require(judgement.count == strict.count, "strictness changes verdicts only", NULL);
	for (uint32_t i = 0; i < judgement.count; i++)
		require(judgement.requirements[i].verdict <= strict.requirements[i].verdict,
			"strictness makes no verdict better", NULL);
	require(old_graph != new_graph || !judgement.counts[BC_VERDICT_RELOCATES],
		"nothing relocates between a kernel and itself", NULL);
	check_reports(&judgement, object);
	bc_compare_close(&comparison);
}

static void ordered(struct bc_graph *out, const struct bc_graph *graph, struct bc_arena *arena)
{
	static const struct bc_canonical_options options = { .order = BC_ORDER_CANONICAL };
	struct bc_err err;

	*out = *graph;
	if (!graph->has_unknown_kind)
		require(bc_canonical(out, graph, &options, arena, NULL, NULL, &err),
			"what was read can be ordered", &err);
}

static void check_object(const struct bc_graph *graph, const uint8_t *ext, size_t ext_bytes,
			 const uint8_t *kernel, size_t kernel_bytes, struct bc_arena *arena)
{
	static const char *weak[] = { "f_gone", "f_same" };
	static const uint8_t bytes[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 1 };
	static struct bc_initial initial = { "ops", bytes, sizeof(bytes) };
	static const struct bc_object_symbols symbols = { weak, 2, &initial, 1 };
	struct bc_object object = { .name = "object", .symbols = &symbols };
	struct bc_graph loaded, old_graph, new_graph;
	struct bc_err err = { .text = "" };
	struct bc_relies relies;

	if (!bc_relies_read(&relies, ext, ext_bytes, graph, arena, &err)) {
		require(*err.text, "a refusal says why", NULL);
		return;
	}
	object.relies = &relies;
	ordered(&old_graph, graph, arena);
	check_pair(&object, &old_graph, &old_graph, arena);
	if (!read_or_refuse(&loaded, kernel, kernel_bytes, NULL, arena))
		return;
	ordered(&new_graph, &loaded, arena);
	check_pair(&object, &old_graph, &new_graph, arena);
	check_pair(&object, &new_graph, &new_graph, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
	struct bc_arena arena = { 0 };
	size_t lengths[3], at = 4;
	struct bc_graph graph;
	uint8_t *parts[3];

	if (size_bytes < 4 || size_bytes > FUZZ_MAX_BYTES / 8)
		return 0;
	lengths[0] = data[0] | (size_t)data[1] << 8;
	lengths[1] = data[2] | (size_t)data[3] << 8;
	if (lengths[0] + lengths[1] > size_bytes - 4)
		return 0;
	lengths[2] = size_bytes - 4 - lengths[0] - lengths[1];
	for (unsigned int i = 0; i < 3; i++) {
		parts[i] = copy_exactly(data + at, lengths[i]);
		at += lengths[i];
	}
	if (read_or_refuse(&graph, parts[0], lengths[0], NULL, &arena))
		check_object(&graph, parts[1], lengths[1], parts[2], lengths[2], &arena);
	bc_arena_free(&arena);
	for (unsigned int i = 0; i < 3; i++)
		free(parts[i]);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "btf/ext.h"
#include "btf/format.h"
#include "btf/kernel.h"
#include "btf/write.h"
#include "cli/report.h"

/* Room for a message and the name it speaks of. */
#define REASON_MAX 400

struct checking {
	const struct bc_loaded *loaded;
	struct bc_kept_strings kept; /* of .BTF.ext */
	struct bc_graph canonical;
	const uint32_t *new_id;
	struct bc_arena *arena;
	char reason[REASON_MAX]; /* why it is not canonical: what comes first */
};

static const char *describe_type(char out[BC_PRINTABLE_MAX + 32], const struct bc_graph *graph,
				 uint32_t id)
{
	const uint32_t *node = bc_node(graph, id);
	char printable[BC_PRINTABLE_MAX];
	const char *name = bc_printable(printable, bc_string(graph, node[0]));

	snprintf(out, BC_PRINTABLE_MAX + 32, "%s %s", bc_kind_name(bc_node_kind(node)),
		 *name ? name : "(unnamed)");
	return out;
}

/* The first type that is out of order, or that another one (or the base) has already. */
static bool compare_types(struct checking *checking)
{
	const struct bc_graph *graph = &checking->loaded->graph;
	char described[BC_PRINTABLE_MAX + 32];

	for (uint32_t i = 0; i < graph->type_count; i++) {
		uint32_t id = graph->first_id + i;
		uint32_t wanted = checking->new_id[i];
		const char *what = "belongs at";

		if (wanted == id)
			continue;
		if (wanted < graph->first_id)
			what = "is the base's";
		else if (wanted < id && checking->new_id[wanted - graph->first_id] == wanted)
			what = "is the same as";
		snprintf(checking->reason, REASON_MAX, "type %u, %s, %s %u", id,
			 describe_type(described, graph, id), what, wanted);
		return false;
	}
	return true;
}

/* The first string that is unsorted, repeated, unused or the base's. */
static bool compare_strings(struct checking *checking)
{
	const struct bc_graph *graph = &checking->loaded->graph, *canonical = &checking->canonical;
	const char *before = NULL;
	uint32_t at = 0, canonical_at = 0;

	while (at < graph->string_bytes) {
		const char *string = graph->strings + at;
		const char *wanted = canonical->strings + canonical_at;
		char printable[BC_PRINTABLE_MAX];
		const char *what;

		if (canonical_at < canonical->string_bytes && !strcmp(string, wanted)) {
			canonical_at += (uint32_t)strlen(wanted) + 1;
			at += (uint32_t)strlen(string) + 1;
			before = string;
			continue;
		}
		if (canonical_at == canonical->string_bytes && !*string && !graph->base) {
			at++; /* NULs after the last string pad a fixed length */
			continue;
		}
		if (before && !strcmp(before, string))
			what = "stands twice";
		else if (before && strcmp(before, string) > 0)
			what = "is out of order";
		else if (canonical_at < canonical->string_bytes && strcmp(wanted, string) < 0)
			what = "comes too early";
		else
			what = "is used by nothing (or the base has it)";
		snprintf(checking->reason, REASON_MAX, "the string '%s' at offset %u %s",
			 bc_printable(printable, string), graph->string_base + at, what);
		return false;
	}
	return true;
}

/* Header, order of sections, padding: the rest of the bytes. */
static bool compare_bytes(struct checking *checking, const uint8_t *data, size_t size_bytes)
{
	const struct bc_input *input = &checking->loaded->input;
	uint32_t padding = checking->loaded->graph.string_bytes - checking->canonical.string_bytes;
	uint32_t header_bytes = checking->canonical.layout ? BC_BTF_LONG_HEADER :
							     BC_BTF_SHORT_HEADER;
	const size_t string_bytes_at = BC_BTF_STRING_BYTES * 4;
	const char *what = NULL;

	if (input->btf_bytes != size_bytes + padding)
		what = input->btf[4] == header_bytes || input->btf[7] == header_bytes ?
			       "the sections do not follow each other, or bytes come after them" :
			       "the header is longer than it need be";
	/* All but the length of the strings, which the padding is part of. */
	else if (memcmp(data, input->btf, string_bytes_at) ||
		 memcmp(data + string_bytes_at + 4, input->btf + string_bytes_at + 4,
			size_bytes - string_bytes_at - 4))
		what = "the header or the order of the sections is another one";
	if (what)
		snprintf(checking->reason, REASON_MAX, "%s", what);
	return !what;
}

/* Whether the input is canonical in ORDER: *SAME; if not, checking->reason says where. */
static bool compare_with(struct checking *checking, enum bc_order order, bool *same,
			 struct bc_err *err)
{
	struct bc_canonical_options how = { .order = order, .kept = checking->kept };
	const uint8_t *data;
	size_t size_bytes;

	if (!bc_canonical(&checking->canonical, &checking->loaded->graph, &how, checking->arena,
			  &checking->new_id, NULL, err) ||
	    !bc_btf_write(&checking->canonical, NULL, checking->arena, &data, &size_bytes, err))
		return false;
	*same = compare_types(checking) && compare_strings(checking) &&
		compare_bytes(checking, data, size_bytes);
	return true;
}

static enum bc_exit report(const struct bc_options *options, const char *name, const char *order,
			   const char *reason)
{
	if (order && !options->quiet)
		printf("%s: canonical (%s order)%s\n", name, order,
		       options->kernel ? ", and the kernel takes it" : "");
	else if (!order)
		printf("%s: not canonical: %s%s\n", name, reason,
		       options->kernel ? " (the kernel takes it)" : "");
	return order ? BC_EXIT_DONE : BC_EXIT_DIFFERENT;
}

static enum bc_exit check_order(const struct bc_options *options, struct checking *checking,
				struct bc_err *err)
{
	const char *name = checking->loaded->input.name;
	char reason[REASON_MAX];
	bool same;

	if (!compare_with(checking, options->order, &same, err))
		return BC_EXIT_TROUBLE;
	if (same)
		return report(options, name, options->order == BC_ORDER_NAME ? "name" : "canonical",
			      NULL);
	memcpy(reason, checking->reason, sizeof(reason));
	if (options->order_given)
		return report(options, name, NULL, reason);
	if (!compare_with(checking, BC_ORDER_NAME, &same, err))
		return BC_EXIT_TROUBLE;
	return report(options, name, same ? "name" : NULL, reason);
}

static bool check_kernel(const struct checking *checking, struct bc_err *err)
{
	const struct bc_loaded *loaded = checking->loaded;

	if (loaded->graph.base)
		return bc_err_set(err, "--kernel: the kernel takes split BTF only with its module");
	return bc_kernel_accepts(loaded->input.btf, loaded->input.btf_bytes, err);
}

static enum bc_exit run_check(const struct bc_options *options, struct bc_inputs *inputs,
			      struct bc_err *err)
{
	struct checking checking = { .arena = &inputs->arena };
	enum bc_exit code = BC_EXIT_TROUBLE;
	const struct bc_input *input;

	if (options->input_count > 1) {
		bc_err_set(err, "check takes one input (see btfcanon check --help)");
		return BC_EXIT_TROUBLE;
	}
	if (!bc_inputs_load(inputs, options, err))
		return BC_EXIT_TROUBLE;
	checking.loaded = &inputs->files[0];
	input = &checking.loaded->input;
	if (input->btf_ext && !bc_btf_ext_read(&checking.kept, input->btf_ext, input->btf_ext_bytes,
					       &checking.loaded->graph, &inputs->arena, err))
		bc_err_prefix(err, ".BTF.ext");
	else if (!options->kernel || check_kernel(&checking, err))
		code = check_order(options, &checking, err);
	if (code == BC_EXIT_TROUBLE) {
		bc_err_prefix(err, input->name);
		return code;
	}
	if (fflush(stdout) || ferror(stdout)) {
		bc_err_errno(err, "standard output");
		return BC_EXIT_TROUBLE;
	}
	bc_report_notes(options, inputs);
	return code;
}

static const struct bc_help_text help = {
	.about =
		"Usage: btfcanon check [INPUT] [OPTION...]\n"
		"\n"
		"Says whether INPUT is valid BTF in canonical form, and if not, what comes first\n"
		"that is not. Without INPUT: " BC_RUNNING_KERNEL ".\n"
		"Exit code: 0 canonical, 1 valid but not canonical, 2 not valid or other trouble.\n"
		"\n"
		"      --order=ORDER     demand canonical or name order (default: either)\n"
		"      --base FILE       the BTF that INPUT goes on from; again for a chain\n"
		"      --kernel          hand it to the running kernel too (as root): a\n"
		"                        refusal is trouble, in its verifier's words\n",
	.more = BC_HELP_COMMON,
	.examples = "  btfcanon check vmlinux.btf && echo canonical\n"
		    "  btfcanon check --order=name vmlinux\n"
		    "  sudo btfcanon check --kernel prog.btf\n",
};

const struct bc_command bc_command_check = {
	.name = "check",
	.summary = "is it valid, and canonical? (--kernel: would the kernel take it?)",
	.files = BC_BTF_FILES,
	.options = &bc_options,
	.takes = BC_TAKES_ORDER | BC_TAKES_BASE | BC_TAKES_KERNEL | BC_TAKES_COMMON,
	.works_on_graphs = true,
	.run = run_check,
	.help = &help,
};

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/load.h"

#include "btf/read.h"

/* The base of the file's own BTF: the one it brings along, or the one given. */
static bool find_base(struct bc_loaded *loaded, const struct bc_graph **base,
		      struct bc_arena *arena, struct bc_err *err)
{
	struct bc_input *input = &loaded->input;

	if (!input->base_btf)
		return true;
	if (*base)
		return bc_err_set(err,
				  "it brings its own base (.BTF.base): --base cannot be given");
	if (!bc_btf_read(&loaded->distilled_base, input->base_btf, input->base_btf_bytes, NULL,
			 arena, &loaded->notes, err))
		return bc_err_prefix(err, ".BTF.base");
	loaded->distilled_base.pointer_bytes = input->pointer_bytes;
	*base = &loaded->distilled_base;
	return true;
}

static bool load_file(struct bc_loaded *loaded, const char *path, const struct bc_graph *base,
		      const struct bc_options *options, struct bc_arena *arena, struct bc_err *err)
{
	struct bc_input *input = &loaded->input;

	if (!bc_input_open(input, path, bc_btf_probe_bytes, err))
		return false;
	if (!find_base(loaded, &base, arena, err))
		return bc_err_prefix(err, input->name);
	if (!bc_btf_read(&loaded->graph, input->btf, input->btf_bytes, base, arena, &loaded->notes,
			 err)) {
		/* On another base, ids and strings mean anything. */
		if (base && !input->base_btf)
			bc_err_reword(err, "%s (is --base the BTF that it was made on?)",
				      err->text);
		return bc_err_prefix(err, input->name);
	}
	if (options->pointer_bytes)
		loaded->graph.pointer_bytes = options->pointer_bytes;
	else if (input->pointer_bytes)
		loaded->graph.pointer_bytes = input->pointer_bytes;
	return true;
}

bool bc_inputs_load_bases(struct bc_inputs *inputs, const struct bc_options *options,
			  const struct bc_graph **base, struct bc_err *err)
{
	*base = NULL;
	inputs->bases = bc_arena_zalloc(&inputs->arena, options->base_count, sizeof(*inputs->bases),
					err);
	if (!inputs->bases)
		return false;
	inputs->base_count = options->base_count;
	for (uint32_t i = 0; i < inputs->base_count; i++) {
		if (!load_file(&inputs->bases[i], options->bases[i], *base, options, &inputs->arena,
			       err))
			return false;
		*base = &inputs->bases[i].graph;
	}
	return true;
}

bool bc_inputs_load(struct bc_inputs *inputs, const struct bc_options *options, struct bc_err *err)
{
	static const char *const running_kernel = BC_RUNNING_KERNEL;
	const char *const *paths = options->input_count ? options->inputs : &running_kernel;
	const struct bc_graph *base;

	if (!bc_inputs_load_bases(inputs, options, &base, err))
		return false;
	inputs->files = bc_arena_zalloc(&inputs->arena,
					options->input_count ? options->input_count : 1,
					sizeof(*inputs->files), err);
	if (!inputs->files)
		return false;
	inputs->file_count = options->input_count ? options->input_count : 1;
	for (uint32_t i = 0; i < inputs->file_count; i++) {
		struct bc_graph *first = &inputs->files[0].graph;

		if (!load_file(&inputs->files[i], paths[i], base, options, &inputs->arena, err))
			return false;
		if (i && inputs->files[i].graph.big_endian != first->big_endian) {
			bc_err_set(err, "its byte order is not that of %.200s",
				   inputs->files[0].input.name);
			return bc_err_prefix(err, inputs->files[i].input.name);
		}
		if (i && inputs->files[i].graph.base != first->base) {
			bc_err_set(err, "it is not on the base of %.200s",
				   inputs->files[0].input.name);
			return bc_err_prefix(err, inputs->files[i].input.name);
		}
	}
	return true;
}

void bc_inputs_close(struct bc_inputs *inputs)
{
	for (uint32_t i = 0; i < inputs->base_count; i++)
		bc_input_close(&inputs->bases[i].input);
	for (uint32_t i = 0; i < inputs->file_count; i++)
		bc_input_close(&inputs->files[i].input);
	bc_arena_free(&inputs->arena);
}

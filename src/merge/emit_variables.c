/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Variables, and the sections that they are in. */
#include <string.h>

#include "graph/sizes.h"
#include "merge/assembler.h"

static uint32_t count_sections(const struct bc_assembler *assembler)
{
	uint32_t count = 0;

	for (uint32_t i = assembler->function_count; i < assembler->root_count; i++)
		count += i + 1 == assembler->root_count ||
			 assembler->roots[i].section_number !=
				 assembler->roots[i + 1].section_number;
	return count;
}

#define VAR_WORDS (BC_HEAD_WORDS + 1)
#define ENTRY_WORDS 3

static uint64_t count_variable_tags(const struct bc_assembler *assembler)
{
	uint64_t count = 0;

	for (uint32_t i = assembler->function_count; i < assembler->root_count; i++)
		count += bc_root_tag_count(&assembler->roots[i]);
	return count;
}

uint64_t bc_assembler_variable_types(const struct bc_assembler *assembler)
{
	return assembler->root_count - assembler->function_count + count_sections(assembler) +
	       count_variable_tags(assembler);
}

uint64_t bc_assembler_variable_words(const struct bc_assembler *assembler)
{
	return (uint64_t)(assembler->root_count - assembler->function_count) *
		       (VAR_WORDS + ENTRY_WORDS) +
	       (uint64_t)count_sections(assembler) * BC_HEAD_WORDS +
	       count_variable_tags(assembler) * BC_TAG_WORDS;
}

/* Where variables are written to: behind the last type. */
struct variable_writer {
	struct bc_graph *out;
	uint32_t *start, *words;
	uint32_t *entries; /* of the section at hand */
	uint32_t entry_count;
	uint64_t end; /* of the last entry, in the section */
	struct bc_sizes sizes;
};

/* Kernels want entries that have a size and do not overlap: of several at one place the first stays. */
static bool has_place(const struct variable_writer *writer, const struct bc_root *root,
		      uint32_t type, uint64_t *size)
{
	*size = writer->sizes.form[type] == BC_FORM_SIZED ? writer->sizes.size_bytes[type] : 0;
	return *size && root->offset + *size <= UINT32_MAX && root->offset >= writer->end;
}

static void write_variable(struct bc_assembler *assembler, struct variable_writer *writer,
			   const struct bc_root *root, uint32_t type, uint32_t size)
{
	uint32_t *count = &writer->out->type_count, *start = writer->start;
	uint32_t *var = writer->words + start[*count];
	uint32_t *entry = writer->entries + ENTRY_WORDS * writer->entry_count++;

	writer->end = (uint64_t)root->offset + size;
	var[0] = bc_assembler_add_string(assembler, root->name);
	var[1] = bc_info(BC_VAR, 0, false);
	var[2] = type;
	var[3] = root->is_external;
	start[*count + 1] = start[*count] + VAR_WORDS;
	entry[0] = ++*count;
	entry[1] = root->offset;
	entry[2] = size;
	var += VAR_WORDS;
	bc_assembler_write_root_tags(assembler, &var, root, *count);
	for (uint32_t j = bc_root_tag_count(root); j > 0; j--, (*count)++)
		start[*count + 1] = start[*count] + BC_TAG_WORDS;
}

/* The section of the entries there are; from here on there are none. */
static void write_section(struct bc_assembler *assembler, struct variable_writer *writer,
			  const char *name)
{
	uint32_t *count = &writer->out->type_count, *start = writer->start;
	uint32_t *section = writer->words + start[*count];
	uint32_t entry_words = ENTRY_WORDS * writer->entry_count;

	if (writer->entry_count) {
		section[0] = bc_assembler_add_string(assembler, name);
		section[1] = bc_info(BC_DATASEC, writer->entry_count, false);
		section[2] = (uint32_t)writer->end;
		memcpy(section + BC_HEAD_WORDS, writer->entries, entry_words * sizeof(*section));
		start[*count + 1] = start[*count] + BC_HEAD_WORDS + entry_words;
		(*count)++;
	}
	writer->entry_count = 0;
	writer->end = 0;
}

bool bc_assembler_emit_variables(struct bc_assembler *assembler, struct bc_graph *out,
				 struct bc_assemble_stats *stats)
{
	const struct bc_root *roots = assembler->roots;
	uint32_t end = assembler->root_count, first = assembler->function_count;
	struct variable_writer writer = { .out = out,
					  .start = (uint32_t *)out->start,
					  .words = (uint32_t *)out->words };

	writer.entries = bc_arena_alloc(assembler->scratch, end - first,
					ENTRY_WORDS * sizeof(*writer.entries), assembler->err);
	if (!writer.entries ||
	    !bc_sizes_compute_of(&writer.sizes, out, assembler->root_types + first, end - first,
				 assembler->scratch, assembler->err))
		return false;
	for (uint32_t i = first; i < end; i++) {
		uint32_t type = assembler->root_types[i];
		uint64_t size;

		if (has_place(&writer, &roots[i], type, &size)) {
			write_variable(assembler, &writer, &roots[i], type, (uint32_t)size);
			stats->variables++;
		} else {
			stats->variables_left_out++;
		}
		if (i + 1 == end || roots[i + 1].section_number != roots[i].section_number)
			write_section(assembler, &writer, roots[i].section);
	}
	out->string_bytes = (uint32_t)assembler->string_bytes;
	return true;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "tests/lib/dumped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/dump.h"

const char *dumped_graph(struct bc_arena *arena, const struct bc_graph *graph, bool full)
{
	struct bc_dump_options options = { .full = full };
	struct bc_err err;
	char *text = NULL, *kept;
	size_t size_bytes = 0;
	FILE *stream = open_memstream(&text, &size_bytes);

	if (!stream)
		law_fail("no memory for a stream");
	if (!bc_dump(stream, graph, &options, &err))
		law_fail("not dumped: %s", err.text);
	fclose(stream);
	if (strlen(text) != size_bytes)
		law_fail("the text form has a NUL");
	kept = build_alloc(arena, size_bytes + 1, 1);
	memcpy(kept, text, size_bytes + 1);
	free(text);
	return kept;
}

const char *dumped_split(struct bc_arena *arena, struct build *build, const struct bc_graph *base,
			 bool full)
{
	struct law_result result = law_canonical(arena, law_build(build, NULL), base,
						 &law_options[0]);

	return dumped_graph(arena, &result.out, full);
}

const char *dumped(struct bc_arena *arena, struct build *build, bool full)
{
	return dumped_split(arena, build, NULL, full);
}

const char *dumped_types(const char *full_text)
{
	const char *end = strchr(full_text, '\n');

	if (strncmp(full_text, "#btf ", 5) || !end)
		law_fail("a full text form does not begin with #btf");
	return end + 1;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_DUMP_H
#define BC_TEXT_DUMP_H

#include <stdio.h>

#include "base/err.h"
#include "graph/graph.h"

struct bc_dump_options {
	bool full; /* exact: with byte order, base, layout, places in sections, types nothing uses */
};

/*
 * Writes the types of GRAPH as text that is made to be read and diffed; the
 * form is docs/dump-format.md. GRAPH is canonical (sort/canonical.h), so that
 * no id and no order of ids shows; one with kinds not known here is written as
 * it is. Types of its base are referred to, not written.
 *
 * Text longer than 64 MiB and 32 times the bytes of the own types and strings
 * is an error: a few bytes of BTF can say a name of a megabyte very often.
 */
bool bc_dump(FILE *out, const struct bc_graph *graph, const struct bc_dump_options *options,
	     struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_HEADER_H
#define BC_TEXT_HEADER_H

#include <stdio.h>

#include "base/err.h"
#include "base/notes.h"
#include "graph/graph.h"

struct bc_header_options {
	bool no_kfuncs;                /* no prototypes of kfuncs */
	bool no_preserve_access_index; /* no attribute for CO-RE on every struct */
	bool offsets;                  /* a comment with its offset beside each member */
	const char *const *only;       /* what to keep, with what it needs: header_select.h */
	uint32_t only_count;           /* 0: everything */
	const char *baseline;          /* text of an older header, whose order is kept; or NULL */
	size_t baseline_bytes;
	uint8_t base_count; /* BTFs at the beginning of the chain that are left to their own
			     * header, which this one goes on from */
	const char *guard;  /* where there are such: the macro that tells it was included */
};

struct bc_header_stats {
	uint64_t definitions;
	uint64_t declarations; /* of structs and unions, at the beginning */
	uint64_t kfuncs;
	uint64_t lines;
	uint64_t ns_layout, ns_names, ns_items, ns_spell, ns_order, ns_write;
};

/*
 * Writes the types of GRAPH as a C header, vmlinux.h, made to be compiled and
 * diffed; docs/header.md says what is in it. GRAPH is canonical
 * (sort/canonical.h) and has no base. LEVEL (may be NULL) tells by id which
 * BTF of a chain a type comes from: what a lower one has is written as if
 * there were no others, but for definitions of what it only declares.
 *
 * What C cannot say is counted in NOTES. Text longer than 64 MiB and 32 times
 * the bytes of types and strings is an error. STATS may be NULL.
 */
bool bc_header(FILE *out, const struct bc_graph *graph, const uint8_t *level,
	       const struct bc_header_options *options, struct bc_notes *notes,
	       struct bc_header_stats *stats, struct bc_err *err);

#endif

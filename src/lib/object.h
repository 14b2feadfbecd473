/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_LIB_OBJECT_H
#define BC_LIB_OBJECT_H

#include "base/arena.h"
#include "base/notes.h"
#include "graph/graph.h"
#include "lib/btfcanon.h"

/*
 * A BTF as users of the library hold it. It never changes once it is given
 * away, but for the number of references: the user's, and one of each BTF that
 * goes on from it.
 */
struct btfcanon_btf {
	uint32_t references; /* atomic */
	struct btfcanon_btf *base;
	struct bc_graph graph;
	const uint8_t *data; /* GRAPH as raw BTF */
	size_t data_size;
	const uint32_t
		*id_map; /* NULL: it was not sorted; begins with that of void if there is no base */
	uint32_t map_count;
	uint32_t merged_count;
	struct bc_notes notes;
	struct bc_arena arena; /* all that is pointed at */
};

/*
 * A new one without a graph, on BASE (may be NULL), of which it gets a reference;
 * btfcanon_free frees it. NULL with err set when memory is short.
 */
struct btfcanon_btf *bc_object_make(const struct btfcanon_btf *base, struct bc_err *err);

/*
 * One with a copy of the DATA_SIZE bytes of DATA, read: raw BTF on BASE (may be
 * NULL). POINTER_BYTES 0: not known. NULL with err set on trouble.
 */
struct btfcanon_btf *bc_object_read(const void *data, size_t data_size,
				    const struct btfcanon_btf *base, uint32_t pointer_bytes,
				    struct bc_err *err);

/* The graph to go on from; NULL: none. */
const struct bc_graph *bc_object_graph(const struct btfcanon_btf *btf);

/*
 * The end of each function that can fail: gives BTF as *OUT if DONE says so, else
 * frees it and tells what ERR says. Returns what the function is to return.
 */
int bc_object_give(struct btfcanon_btf **out, struct btfcanon_btf *btf, bool done,
		   const struct bc_err *err, struct btfcanon_error *error);

/* What ERR says as the library's user sees it. ERROR may be NULL. */
int bc_lib_fail(struct btfcanon_error *error, const struct bc_err *err);

#endif

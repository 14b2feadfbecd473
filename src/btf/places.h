/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BTF_PLACES_H
#define BC_BTF_PLACES_H

#include "base/err.h"
#include "graph/graph.h"

/* Raw BTF before and after its types got other ids. */
struct bc_btf_places {
	const struct bc_graph *before; /* as bc_btf_read made it of BEFORE_DATA */
	const uint8_t *before_data;
	const struct bc_graph *after; /* as bc_btf_write wrote it */
	const uint32_t *new_id;       /* [before's type_count] */
};

/*
 * Where the byte *OFFSET of the raw BTF before went. Only bytes of types that
 * are still there have gone somewhere.
 */
bool bc_btf_new_place(const struct bc_btf_places *places, uint64_t *offset, struct bc_err *err);

#endif

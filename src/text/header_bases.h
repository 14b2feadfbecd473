/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_HEADER_BASES_H
#define BC_TEXT_HEADER_BASES_H

#include "base/text.h"
#include "graph/graph.h"

/*
 * INT and FLOAT in C. What every compiler has under that name and with that
 * size ("long unsigned int") is written as it is; the rest needs a definition.
 */
bool bc_base_is_known(const struct bc_graph *graph, const uint32_t *node, uint32_t pointer_bytes);

/* Writes the known type NODE. */
void bc_base_put(struct bc_text *text, const struct bc_graph *graph, const uint32_t *node,
		 uint32_t pointer_bytes);

/*
 * Writes the definition of a type that is not known: of its size, and of the
 * alignment that bc_base_align says. PUT_NAME writes its name.
 */
void bc_base_put_definition(struct bc_text *text, const struct bc_graph *graph,
			    const uint32_t *node, uint32_t pointer_bytes,
			    void (*put_name)(void *context), void *context);

/* Natural alignment in bytes; ALIGN8 is that of 8-byte scalars. */
uint32_t bc_base_align(const struct bc_graph *graph, const uint32_t *node, uint32_t pointer_bytes,
		       uint32_t align8);

#endif

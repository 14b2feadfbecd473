/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_ASSEMBLE_BODY_H
#define BC_TEXT_ASSEMBLE_BODY_H

#include "text/assemble_frames.h"

/* The body of a struct, union or enum; of a section, what it shares with these. */

/* The kind that "struct", "union", "enum" or "enum64" begins, BC_VOID: none. */
uint32_t bc_parse_body_kind(const struct bc_parse *parse);

/* The next step; what is complete is in PARSE->made. */
bool bc_parse_step_body(struct bc_parse *parse, struct bc_parse_frame *frame);

/* The node of FRAME's kind, name and elements. */
bool bc_parse_store_body(struct bc_parse *parse, const struct bc_parse_frame *frame,
			 uint32_t size_bytes, uint32_t *id);

#endif

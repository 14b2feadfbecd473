/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_ASSEMBLE_DECLARATION_H
#define BC_TEXT_ASSEMBLE_DECLARATION_H

#include "text/assemble_frames.h"

/*
 * The next step of a declaration, or of a list of parameters. What is complete
 * is in PARSE->made.
 */
bool bc_parse_step_declaration(struct bc_parse *parse, struct bc_parse_frame *frame);
bool bc_parse_step_parameters(struct bc_parse *parse, struct bc_parse_frame *frame);

#endif

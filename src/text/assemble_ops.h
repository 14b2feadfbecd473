/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_ASSEMBLE_OPS_H
#define BC_TEXT_ASSEMBLE_OPS_H

#include "text/assemble_frames.h"

/*
 * A declaration is read from the left and means something from the base
 * outwards: "int (*a[2])(void)" is an array of pointers to functions. With n
 * open parentheses the text has stars S0 ( S1 ( … Sn name Pn ) … P1 ) P0, with
 * pieces P ("[2]", "(void)"), and the type is made in the order S0, P0
 * backwards, S1, P1 backwards, … So all from P0 or S1 on is put onto a stack of
 * operations, with marks for the parentheses, and applied at the end
 * [bc_parse_apply_ops].
 */

/* Applies OP, or has it wait where others do. */
bool bc_parse_take_op(struct bc_parse *parse, struct bc_parse_frame *frame, bool waits,
		      struct bc_parse_op op);

/* "[[@1]]" and "[[name "x"]]". */
bool bc_parse_oddities(struct bc_parse *parse, struct bc_parse_frame *frame, bool waits);

/* Modifiers and their oddities. */
bool bc_parse_modifiers(struct bc_parse *parse, struct bc_parse_frame *frame, bool waits);

/* Qualifiers in front of the base; the last is the innermost. They wait, each with its oddities. */
bool bc_parse_prefix(struct bc_parse *parse, struct bc_parse_frame *frame);

/* What waits since bc_parse_prefix is applied to the base. */
bool bc_parse_apply_prefix(struct bc_parse *parse, struct bc_parse_frame *frame);

/* All that waits for the end of the declaration is applied. */
bool bc_parse_apply_ops(struct bc_parse *parse, struct bc_parse_frame *frame);

#endif

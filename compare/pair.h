/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_COMPARE_PAIR_H
#define BC_COMPARE_PAIR_H

#include "compare/side.h"

/*
 * Finds for every type of one side that has a place of its own the one of the
 * other side that it became, and writes both into the sides' partner arrays.
 * Types pair by class and name; several definitions of one name by how much
 * they have in common; unnamed enums by the names of their values. The result
 * depends on what the types say only, and pairs of (B, A) are those of (A, B).
 */
bool bc_pair(struct bc_side sides[2], struct bc_err *err);

#endif

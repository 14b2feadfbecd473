/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_SORT_LABELS_H
#define BC_SORT_LABELS_H

#include "sort/partition.h"

/* A signed number as an unsigned one that sorts the same. */
static inline uint32_t bc_label_signed(uint32_t number)
{
	return number ^ 0x80000000u;
}

/*
 * The local label of a node as numbers that sort as the canonical form says.
 * First a key of 64 bits: kind, kflag, vlen, name. Nodes with equal keys have
 * labels of one length; the rest of the label is a sequence of that length.
 */
uint64_t bc_label_key(const struct bc_universe *universe, const uint32_t *node);
uint32_t bc_label_length(const uint32_t *node);
uint32_t bc_label_value(const struct bc_universe *universe, const uint32_t *node, uint32_t j);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_HEADER_SELECT_H
#define BC_TEXT_HEADER_SELECT_H

#include "text/header_items.h"

/*
 * Marks in IS_KEPT ([items->count], cleared) the items that PATTERNS name and
 * all that these need. A pattern is a glob on the name in the BTF, with or
 * without "struct", "union", "enum" or "typedef" in front; commas separate
 * several. Fails on one that names nothing.
 */
bool bc_items_select(uint8_t *is_kept, const struct bc_items *items, const struct bc_graph *graph,
		     const char *const *patterns, uint32_t pattern_count, struct bc_err *err);

#endif

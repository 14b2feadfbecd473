/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_HEADER_ORDER_H
#define BC_TEXT_HEADER_ORDER_H

#include "text/header_items.h"

/*
 * An order of all items in which everything comes after what it needs, and in
 * which as little as possible moves when the BTF changes: see header_order.c.
 *
 * HAS_COMPOSITES tells by type id whether it is, or stands for, a struct or union.
 * LINES has the number of lines of each item. ORDER has all items in the order
 * that comes closest to what is wanted (usually that of their numbers), and gets the result.
 */
bool bc_items_order(uint32_t *order, const struct bc_items *items, const uint8_t *has_composites,
		    const uint32_t *lines, struct bc_err *err);

#endif

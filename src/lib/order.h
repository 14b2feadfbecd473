/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_LIB_ORDER_H
#define BC_LIB_ORDER_H

#include "sort/canonical.h"

/* The order that an enum btfcanon_order means; others are errors. */
bool bc_lib_order(enum bc_order *order, uint32_t number, struct bc_err *err);

#endif

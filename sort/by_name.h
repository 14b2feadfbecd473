/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_SORT_BY_NAME_H
#define BC_SORT_BY_NAME_H

#include "sort/partition.h"

/*
 * Puts REPRESENTATIVES, one type of each class in canonical order, into name
 * order, as kernels look types up (by binary search from 7.0 on; of one kind and
 * name the lowest id wins everywhere): unnamed types stay first, as they are;
 * named ones follow by name, then kind, then the one with more referrers, with
 * more members, the larger one, the canonically lower one.
 */
bool bc_sort_by_name(uint32_t *representatives, const struct bc_universe *universe,
		     const struct bc_partition *partition, struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_LIB_OPTIONS_H
#define BC_LIB_OPTIONS_H

#include <stddef.h>

#include "base/err.h"

/*
 * Copies what the caller gave (NULL: nothing) into a struct of KNOWN_BYTES, the
 * rest of which is zero. Both begin with their size. A larger one than is known
 * here may come from a newer header: what is beyond must be zero.
 */
bool bc_lib_options(void *known, size_t known_bytes, const void *given, struct bc_err *err);

#endif

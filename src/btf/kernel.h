/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BTF_KERNEL_H
#define BC_BTF_KERNEL_H

#include <stddef.h>

#include "base/err.h"

/*
 * Hands raw BTF to the running kernel (BPF_BTF_LOAD, which needs root or
 * CAP_BPF) and lets it go again. A refusal is an error with the verifier's
 * last words.
 */
bool bc_kernel_accepts(const uint8_t *data, size_t size_bytes, struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_WORKERS_H
#define BC_BASE_WORKERS_H

#include <stdint.h>

#include "base/err.h"

/*
 * Calls WORK(context, 0) to WORK(context, count - 1), each in a thread of its
 * own, the first in the caller's, and waits for all. Where the system gives
 * fewer threads, fewer calls are made: work must be taken from a shared
 * counter. Signals that are sent to the process go to the threads that were
 * there before.
 */
void bc_workers_run(uint32_t count, void (*work)(void *context, uint32_t worker), void *context);

/* Processors that this process may use. */
uint32_t bc_workers_available(void);

#endif

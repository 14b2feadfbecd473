/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_WORKERS_H
#define BC_BASE_WORKERS_H

#include <pthread.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Starts RUN(ARGUMENT) in a thread that signals to the process do not reach: they
 * go to the threads that were there before. False where there is none to be had.
 */
bool bc_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument);

/*
 * Calls WORK(context, 0) to WORK(context, count - 1), each in a thread of its
 * own, the first in the caller's, and waits for all. Where the system gives
 * fewer threads, fewer calls are made: work must be taken from a shared
 * counter. They are threads as bc_thread_start starts them.
 */
void bc_workers_run(uint32_t count, void (*work)(void *context, uint32_t worker), void *context);

/* Processors that this process may use. */
uint32_t bc_workers_available(void);

#endif

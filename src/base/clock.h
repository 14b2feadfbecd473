/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_CLOCK_H
#define BC_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t bc_clock_of(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Nanoseconds of a clock that only goes forward. */
static inline uint64_t bc_clock_ns(void)
{
	return bc_clock_of(CLOCK_MONOTONIC);
}

/* Nanoseconds that the calling thread has worked. */
static inline uint64_t bc_clock_thread_ns(void)
{
	return bc_clock_of(CLOCK_THREAD_CPUTIME_ID);
}

/* Nanoseconds that all threads of the process have worked. */
static inline uint64_t bc_clock_cpu_ns(void)
{
	return bc_clock_of(CLOCK_PROCESS_CPUTIME_ID);
}

#endif

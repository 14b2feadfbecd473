/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_STOPWATCH_H
#define BC_BASE_STOPWATCH_H

#include "base/clock.h"
#include "base/workers.h"

/* What a phase took. CPU time is that of all threads; what they shared is a part of it. */
struct bc_time {
	uint64_t wall_ns, cpu_ns, shared_ns;
};

struct bc_stopwatch {
	const struct bc_workers *workers; /* NULL: nothing is shared */
	struct bc_time at;
};

static inline struct bc_time bc_stopwatch_now(const struct bc_stopwatch *watch)
{
	return (struct bc_time){ bc_clock_ns(), bc_clock_cpu_ns(),
				 bc_workers_shared_ns(watch->workers) };
}

static inline struct bc_stopwatch bc_stopwatch_start(const struct bc_workers *workers)
{
	struct bc_stopwatch watch = { .workers = workers };

	watch.at = bc_stopwatch_now(&watch);
	return watch;
}

/* What went by since the start, or since the last lap. */
static inline struct bc_time bc_stopwatch_lap(struct bc_stopwatch *watch)
{
	struct bc_time now = bc_stopwatch_now(watch);
	struct bc_time lap = { now.wall_ns - watch->at.wall_ns, now.cpu_ns - watch->at.cpu_ns,
			       now.shared_ns - watch->at.shared_ns };

	watch->at = now;
	return lap;
}

/* Of a phase that was measured with a part of it: what is left. */
static inline void bc_time_take_off(struct bc_time *whole, const struct bc_time *part)
{
	whole->wall_ns -= part->wall_ns;
	whole->cpu_ns -= part->cpu_ns;
	whole->shared_ns -= part->shared_ns;
}

#endif

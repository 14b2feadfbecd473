/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_WORKERS_H
#define BC_BASE_WORKERS_H

#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>

#include "base/err.h"

/* Threads that share work, and what that took so far. NULL, where functions take one: a single thread. */
struct bc_workers {
	uint32_t count;
	uint64_t shared_ns;   /* atomic: CPU time, of all threads together */
	struct bc_team *team; /* threads that stay from one work to the next; NULL: none do */
};

/*
 * From here on, until they are dismissed, threads that were once started stay: small work
 * takes less than to start them. Where that is not to be had, all goes on as before.
 */
void bc_workers_gather(struct bc_workers *workers);
void bc_workers_dismiss(struct bc_workers *workers);

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
void bc_workers_run(struct bc_workers *workers, void (*work)(void *context, uint32_t worker),
		    void *context);

/*
 * The same for COUNT items, taken in parts of PART: WORK gets a part's first
 * item and the one behind its last. No more threads are used than there are parts.
 */
void bc_workers_share(struct bc_workers *workers, uint32_t count, uint32_t part,
		      void (*work)(void *context, uint32_t worker, uint32_t begin, uint32_t end),
		      void *context);

/* Trouble of work that is shared: that of one part is kept. Zeroed but for ERR, there is none. */
struct bc_shared_err {
	struct bc_err *err;
	bool is_set; /* atomic */
};

/* Always returns false. */
bool bc_shared_err_set(struct bc_shared_err *shared, const struct bc_err *err);

/*
 * Work that goes on beside what its caller does, in a thread of its own; where there are no
 * others, or the system gives none, it is done before bc_background_start returns.
 */
struct bc_background {
	struct bc_workers *workers; /* NULL: there are none */
	void (*work)(void *context);
	void *context;
	pthread_t thread;
	bool is_apart; /* in a thread that has to be waited for */
};

void bc_background_start(struct bc_background *background, struct bc_workers *workers,
			 void (*work)(void *context), void *context);

/* Returns when it is done. Once for each start. */
void bc_background_wait(struct bc_background *background);

/*
 * Work in steps that has to be done only by its end, and goes into the gaps: a thread that
 * stays does it while the others' work leaves it none. STEP returns false if it was the last.
 * At the end its caller does it, if there was no such thread. One at a time.
 */
struct bc_gap_work {
	bool (*step)(void *context);
	void *context;
	struct bc_workers *workers;
	struct bc_team *team; /* that has it; NULL: none */
	sem_t is_done;
};

/* STEP and CONTEXT are given; both from the thread that shares work. */
void bc_gap_work_begin(struct bc_gap_work *work, struct bc_workers *workers);
void bc_gap_work_end(struct bc_gap_work *work);

/* How many different numbers of workers WORK can see. */
uint32_t bc_workers_count(const struct bc_workers *workers);

/* What they shared so far; work beside may still go on. NULL: nothing. */
static inline uint64_t bc_workers_shared_ns(const struct bc_workers *workers)
{
	return workers ? __atomic_load_n(&workers->shared_ns, __ATOMIC_RELAXED) : 0;
}

/* Processors that this process may use. */
uint32_t bc_workers_available(void);

#endif

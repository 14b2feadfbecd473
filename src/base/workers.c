/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "base/workers.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "base/clock.h"

struct job {
	struct bc_workers *workers; /* NULL: nobody counts */
	void (*work)(void *context, uint32_t worker);
	void *context;
};

struct bc_worker_thread {
	pthread_t thread;
	const struct job *job;
	uint32_t worker;
};

static void count_time(struct bc_workers *workers, uint64_t begin)
{
	if (workers)
		__atomic_fetch_add(&workers->shared_ns, bc_clock_thread_ns() - begin,
				   __ATOMIC_RELAXED);
}

static void do_job(const struct job *job, uint32_t worker)
{
	uint64_t begin = bc_clock_thread_ns();

	job->work(job->context, worker);
	count_time(job->workers, begin);
}

static void *run_thread(void *argument)
{
	struct bc_worker_thread *thread = argument;

	do_job(thread->job, thread->worker);
	return NULL;
}

/* What a thread does to itself (SIGSEGV) it gets. */
bool bc_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
	static const int own_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
	sigset_t blocked, before;
	int failure;

	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(own_signals) / sizeof(own_signals[0]); i++)
		sigdelset(&blocked, own_signals[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	failure = pthread_create(thread, NULL, run, argument);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !failure;
}

static void run(uint32_t count, const struct job *job)
{
	struct bc_worker_thread *threads = count > 1 ? calloc(count, sizeof(*threads)) : NULL;
	uint32_t started = 1;

	while (threads && started < count) {
		threads[started] = (struct bc_worker_thread){ .job = job, .worker = started };
		if (!bc_thread_start(&threads[started].thread, run_thread, &threads[started]))
			break;
		started++;
	}
	do_job(job, 0);
	while (started > 1)
		pthread_join(threads[--started].thread, NULL);
	free(threads);
}

void bc_workers_run(struct bc_workers *workers, void (*work)(void *context, uint32_t worker),
		    void *context)
{
	const struct job job = { workers, work, context };

	run(workers->count, &job);
}

struct shared {
	void (*work)(void *context, uint32_t worker, uint32_t begin, uint32_t end);
	void *context;
	uint32_t count, part;
	uint64_t next; /* atomic */
};

static void take_parts(void *context, uint32_t worker)
{
	struct shared *shared = context;

	for (;;) {
		uint64_t begin = __atomic_fetch_add(&shared->next, shared->part, __ATOMIC_RELAXED);
		uint64_t end = begin + shared->part;

		if (begin >= shared->count)
			return;
		shared->work(shared->context, worker, (uint32_t)begin,
			     end < shared->count ? (uint32_t)end : shared->count);
	}
}

void bc_workers_share(struct bc_workers *workers, uint32_t count, uint32_t part,
		      void (*work)(void *context, uint32_t worker, uint32_t begin, uint32_t end),
		      void *context)
{
	struct shared shared = { work, context, count, part, 0 };
	uint32_t parts = count / part + (count % part != 0);
	const struct job job = { parts > 1 ? workers : NULL, take_parts, &shared };

	run(parts < bc_workers_count(workers) ? parts : bc_workers_count(workers), &job);
}

bool bc_shared_err_set(struct bc_shared_err *shared, const struct bc_err *err)
{
	if (!__atomic_exchange_n(&shared->is_set, true, __ATOMIC_RELAXED))
		*shared->err = *err;
	return false;
}

static void *run_background(void *argument)
{
	struct bc_background *background = argument;
	uint64_t begin = bc_clock_thread_ns();

	background->work(background->context);
	count_time(background->workers, begin);
	return NULL;
}

void bc_background_start(struct bc_background *background, struct bc_workers *workers,
			 void (*work)(void *context), void *context)
{
	*background =
		(struct bc_background){ .workers = workers, .work = work, .context = context };
	background->is_apart = bc_workers_count(workers) > 1 &&
			       bc_thread_start(&background->thread, run_background, background);
	if (!background->is_apart)
		run_background(background);
}

void bc_background_wait(struct bc_background *background)
{
	if (background->is_apart)
		pthread_join(background->thread, NULL);
}

uint32_t bc_workers_count(const struct bc_workers *workers)
{
	return workers ? workers->count : 1;
}

uint32_t bc_workers_available(void)
{
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return count > 0 ? (uint32_t)count : 1;
}

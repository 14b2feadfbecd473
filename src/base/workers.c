/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

struct bc_worker_thread {
	pthread_t thread;
	void (*work)(void *context, uint32_t worker);
	void *context;
	uint32_t worker;
};

static void *run_thread(void *argument)
{
	struct bc_worker_thread *thread = argument;

	thread->work(thread->context, thread->worker);
	return NULL;
}

/*
 * Starts threads 1 to COUNT - 1, or fewer; returns how many there are with the
 * caller's. Signals are for the threads that the program knows: what is sent to the
 * process goes to none of these. What a thread does to itself (SIGSEGV) it gets.
 */
static uint32_t start_threads(struct bc_worker_thread *threads, uint32_t count)
{
	static const int own_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
	sigset_t blocked, before;
	uint32_t started = 1;

	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(own_signals) / sizeof(own_signals[0]); i++)
		sigdelset(&blocked, own_signals[i]);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	while (started < count &&
	       !pthread_create(&threads[started].thread, NULL, run_thread, &threads[started]))
		started++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

void bc_workers_run(uint32_t count, void (*work)(void *context, uint32_t worker), void *context)
{
	struct bc_worker_thread *threads = count > 1 ? calloc(count, sizeof(*threads)) : NULL;
	uint32_t started = 1;

	for (uint32_t i = 1; threads && i < count; i++)
		threads[i] =
			(struct bc_worker_thread){ .work = work, .context = context, .worker = i };
	if (threads)
		started = start_threads(threads, count);
	work(context, 0);
	while (started > 1)
		pthread_join(threads[--started].thread, NULL);
	free(threads);
}

uint32_t bc_workers_available(void)
{
	cpu_set_t set;
	int count = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return count > 0 ? (uint32_t)count : 1;
}

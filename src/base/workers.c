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

void bc_workers_run(uint32_t count, void (*work)(void *context, uint32_t worker), void *context)
{
	struct bc_worker_thread *threads = count > 1 ? calloc(count, sizeof(*threads)) : NULL;
	uint32_t started = 1;

	while (threads && started < count) {
		threads[started] = (struct bc_worker_thread){ .work = work,
							      .context = context,
							      .worker = started };
		if (!bc_thread_start(&threads[started].thread, run_thread, &threads[started]))
			break;
		started++;
	}
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

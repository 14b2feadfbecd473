/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
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

void bc_workers_run(uint32_t count, void (*work)(void *context, uint32_t worker), void *context)
{
	struct bc_worker_thread *threads = count > 1 ? calloc(count, sizeof(*threads)) : NULL;
	uint32_t started = 1;

	while (threads && started < count) {
		threads[started] = (struct bc_worker_thread){ .work = work,
							      .context = context,
							      .worker = started };
		if (pthread_create(&threads[started].thread, NULL, run_thread, &threads[started]))
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

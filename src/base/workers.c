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

/* A thread beside the caller's. */
struct bc_worker_thread {
	pthread_t thread;
	const struct job *job;
	uint32_t worker;
};

/*
 * One that stays. The caller gives it a job and rings; if by the time that the rest is done
 * it has not taken the job, the caller takes it back: nobody waits for a thread that wakes.
 */
struct member {
	pthread_t thread;
	struct bc_team *team;
	uint32_t worker;
	const struct job *job; /* atomic; NULL: none */
	sem_t bell, is_done;
};

struct bc_team {
	struct member *members; /* [count - 1] */
	uint32_t started;
	bool is_busy, ends;           /* atomic */
	struct bc_gap_work *gap_work; /* atomic; for the first member; NULL: none */
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

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem)) /* a signal came */
		;
}

/* Whether there was something to be done in a gap. */
static bool fill_gap(struct bc_team *team)
{
	struct bc_gap_work *work = __atomic_load_n(&team->gap_work, __ATOMIC_ACQUIRE);
	uint64_t begin;
	bool goes_on;

	if (!work)
		return false;
	begin = bc_clock_thread_ns();
	goes_on = work->step(work->context);
	count_time(work->workers, begin);
	if (!goes_on) {
		__atomic_store_n(&team->gap_work, NULL, __ATOMIC_RELAXED);
		sem_post(&work->is_done);
	}
	return true;
}

static void *run_member(void *argument)
{
	struct member *member = argument;

	while (!__atomic_load_n(&member->team->ends, __ATOMIC_ACQUIRE)) {
		const struct job *job = __atomic_exchange_n(&member->job, NULL, __ATOMIC_ACQ_REL);

		if (job) {
			do_job(job, member->worker);
			sem_post(&member->is_done);
		} else if (member->worker > 1 || !fill_gap(member->team)) {
			wait_for(&member->bell);
		}
	}
	return NULL;
}

/* Starts members until there are COUNT, as far as the system gives them; returns how many there are. */
static uint32_t start_members(struct bc_team *team, uint32_t count)
{
	for (; team->started < count; team->started++) {
		struct member *member = &team->members[team->started];

		*member = (struct member){ .team = team, .worker = team->started + 1 };
		sem_init(&member->bell, 0, 0);
		sem_init(&member->is_done, 0, 0);
		if (!bc_thread_start(&member->thread, run_member, member))
			break;
	}
	return team->started < count ? team->started : count;
}

/* By COUNT threads, the caller's among them. */
static void run_team(struct bc_team *team, uint32_t count, const struct job *job)
{
	uint32_t others = start_members(team, count - 1);

	for (uint32_t i = 0; i < others; i++) {
		__atomic_store_n(&team->members[i].job, job, __ATOMIC_RELEASE);
		sem_post(&team->members[i].bell);
	}
	do_job(job, 0);
	for (uint32_t i = 0; i < others; i++)
		if (!__atomic_exchange_n(&team->members[i].job, NULL, __ATOMIC_ACQUIRE))
			wait_for(&team->members[i].is_done);
}

void bc_workers_gather(struct bc_workers *workers)
{
	struct bc_team *team = workers->count > 1 ? calloc(1, sizeof(*team)) : NULL;

	if (!team)
		return;
	team->members = calloc(workers->count - 1, sizeof(*team->members));
	if (team->members)
		workers->team = team;
	else
		free(team);
}

void bc_workers_dismiss(struct bc_workers *workers)
{
	struct bc_team *team = workers->team;

	if (!team)
		return;
	__atomic_store_n(&team->ends, true, __ATOMIC_RELEASE);
	for (uint32_t i = 0; i < team->started; i++)
		sem_post(&team->members[i].bell);
	for (uint32_t i = 0; i < team->started; i++) {
		pthread_join(team->members[i].thread, NULL);
		sem_destroy(&team->members[i].bell);
		sem_destroy(&team->members[i].is_done);
	}
	free(team->members);
	free(team);
	workers->team = NULL;
}

static void run_new_threads(uint32_t count, const struct job *job)
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

static void run(struct bc_team *team, uint32_t count, const struct job *job)
{
	/* What is shared may have work to share itself, and so may work beside. */
	bool takes_team = team && count > 1 &&
			  !__atomic_exchange_n(&team->is_busy, true, __ATOMIC_ACQUIRE);

	if (!takes_team) {
		run_new_threads(count, job);
		return;
	}
	run_team(team, count, job);
	__atomic_store_n(&team->is_busy, false, __ATOMIC_RELEASE);
}

void bc_workers_run(struct bc_workers *workers, void (*work)(void *context, uint32_t worker),
		    void *context)
{
	const struct job job = { workers, work, context };

	run(workers->team, workers->count, &job);
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
	uint32_t threads = parts < bc_workers_count(workers) ? parts : bc_workers_count(workers);
	const struct job job = { parts > 1 ? workers : NULL, take_parts, &shared };

	run(workers ? workers->team : NULL, threads, &job);
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

void bc_gap_work_begin(struct bc_gap_work *work, struct bc_workers *workers)
{
	struct bc_team *team = workers ? workers->team : NULL;

	work->workers = workers;
	work->team = team && start_members(team, 1) ? team : NULL;
	if (!work->team)
		return;
	sem_init(&work->is_done, 0, 0);
	__atomic_store_n(&team->gap_work, work, __ATOMIC_RELEASE);
	sem_post(&team->members[0].bell);
}

void bc_gap_work_end(struct bc_gap_work *work)
{
	uint64_t begin = bc_clock_thread_ns();

	if (!work->team) {
		while (work->step(work->context))
			;
		count_time(work->workers, begin);
		return;
	}
	wait_for(&work->is_done);
	sem_destroy(&work->is_done);
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

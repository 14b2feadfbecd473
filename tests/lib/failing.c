/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "tests/lib/failing.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

struct failing failing = { .number = UINT64_MAX };

static bool fails(void)
{
	if (!failing.on || __atomic_fetch_add(&failing.next, 1, __ATOMIC_RELAXED) != failing.number)
		return false;
	errno = ENOMEM;
	return true;
}

static void *count(void *memory)
{
	if (memory)
		__atomic_fetch_add(&failing.live, 1, __ATOMIC_RELAXED);
	return memory;
}

void *__real_calloc(size_t number, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __real_mprotect(void *at, size_t size, int protection);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *argument);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t number, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __wrap_mprotect(void *at, size_t size, int protection);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *argument);

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : count(__real_malloc(size));
}

void *__wrap_calloc(size_t number, size_t size)
{
	return fails() ? NULL : count(__real_calloc(number, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
	void *grown = fails() ? NULL : __real_realloc(memory, size);

	return memory ? grown : count(grown);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : count(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *memory)
{
	if (memory)
		__atomic_fetch_sub(&failing.live, 1, __ATOMIC_RELAXED);
	__real_free(memory);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
	return fails() ? MAP_FAILED : __real_mmap(at, size, protection, flags, file, offset);
}

int __wrap_mprotect(void *at, size_t size, int protection)
{
	return fails() ? -1 : __real_mprotect(at, size, protection);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *argument)
{
	return fails() ? EAGAIN : __real_pthread_create(thread, attributes, start, argument);
}

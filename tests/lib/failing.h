/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TESTS_FAILING_H
#define BC_TESTS_FAILING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Memory that is not to be had: one allocation of the code under test fails (those
 * of its libraries go another way), and threads can fail to start. A program that
 * uses it is linked with --wrap of each function that failing.c has.
 */
struct failing {
	bool on;
	uint64_t next;   /* atomic: number of the next allocation */
	uint64_t number; /* of the one that fails; UINT64_MAX: none */
	int64_t live;    /* atomic: allocations that are not freed yet */
};

extern struct failing failing;

/* For the test's own memory, which does not count. */
void *__real_malloc(size_t size);
void __real_free(void *memory);

#endif

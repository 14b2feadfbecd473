/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "base/huge_pages.h"

#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE_BYTES ((uintptr_t)2 * 1024 * 1024)

void bc_heap_of_huge_pages(size_t bytes)
{
	uintptr_t begin = (uintptr_t)sbrk(0), end;
	void *volatile grown; /* a compiler may do without malloc what free undoes */

	/* From the heap even if large, and never back to the system. */
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	/* The heap grows by all of it at once: pages are taken when they are used. */
	mallopt(M_TOP_PAD, (int)bytes);
	grown = malloc(HUGE_PAGE_BYTES);
	free(grown);
	mallopt(M_TOP_PAD, 128 << 10);
	begin = (begin + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
	end = (uintptr_t)sbrk(0);
	if (begin < end)
		(void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_HUGE_PAGES_H
#define BC_BASE_HUGE_PAGES_H

#include <stddef.h>

/*
 * Has the first BYTES of what malloc gives from now on lie in huge pages, as
 * far as the system has some, and keeps what is freed for the next malloc: for
 * a command that takes tens of MiB in many arrays, one after the other. A fault
 * for each page of 4 KiB is a quarter of its time. Call it once, before threads.
 *
 * Where the system refuses, all is as without. Up to a huge page per array
 * more is resident.
 */
void bc_heap_of_huge_pages(size_t bytes);

#endif

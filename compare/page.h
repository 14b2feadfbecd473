/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_COMPARE_PAGE_H
#define BC_COMPARE_PAGE_H

/*
 * The HTML report is one page: the head, the data as JSON in which no '<'
 * stands, the tail with the script that shows it.
 */
extern const char bc_page_head[];
extern const char bc_page_tail[];

#endif

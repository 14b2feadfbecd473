/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TESTS_FOLDER_H
#define BC_TESTS_FOLDER_H

/* A folder of its own for a group of tests, which they leave empty; and no file stays open. */
extern char folder[64];

/* Set up and tear down of cmocka_run_group_tests. */
int folder_make(void **state);
int folder_remove(void **state);

/* To be the last test of the group. */
void folder_left_no_file_open(void **state);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_TERMINAL_H
#define BC_CLI_TERMINAL_H

#include <stdbool.h>

/* Is it a terminal that knows colors and lines written over, by $TERM? */
bool bc_terminal_is_able(int fd);

/* Its width in characters; 80 where nobody says. */
unsigned int bc_terminal_columns(int fd);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_COMPLETE_H
#define BC_CLI_COMPLETE_H

#include "cli/command.h"

/*
 * What shells ask for when somebody presses Tab. WORDS is the command line behind the program's name,
 * up to the cursor; the last one, maybe empty, is what is to be completed. A line on standard output
 * for each word that it can become: the word, a tab, what it means. Where it can become a file there is
 * instead ":files", a tab, what the word has before the file's name, a tab, patterns of likely names.
 */
void bc_complete(const struct bc_command *const *commands, size_t command_count, char **words,
		 int word_count);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_HELP_H
#define BC_CLI_HELP_H

#include <stdbool.h>

/*
 * What a command says of itself. An option has a line, or several: "  -o, --output OUT" and what it
 * does from BC_HELP_COLUMN on. The first part and the examples fit a screen together.
 */
struct bc_help_text {
	const char *about;    /* how to call it, what it does, the options that most people need */
	const char *more;     /* the lines of all other options */
	const char *examples; /* lines, without their heading */
};

/* Where the words begin that say what an option does. */
#define BC_HELP_COLUMN 24u

/* Lines for the end of bc_help_text.more: the options that every command but pahole takes. */
#define BC_HELP_COMMON                                                                             \
	"      --pointer-size=N  4 or 8: size of a pointer, which raw BTF does not tell\n"         \
	"  -j, --jobs N          use at most N threads (default: all processors)\n"                \
	"      --progress=WHEN   auto, always or never: a bar on long work\n"                      \
	"      --stats           seconds and counts per phase, on standard error\n"                \
	"  -q, --quiet           no warnings\n" BC_HELP_OF_HELP

#define BC_HELP_OF_HELP "  -h, --help[=all]      what most people need; all: every option\n"

/* To standard output, all of it or what fits a screen; whether that failed, its stream knows. */
void bc_help_print(const struct bc_help_text *help, const char *command_name, bool all);

/* The words on an option (its name without dashes), in one line without its end, to standard output. */
void bc_help_print_meaning(const struct bc_help_text *help, const char *option_name);

#endif

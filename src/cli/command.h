/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_COMMAND_H
#define BC_CLI_COMMAND_H

#include "cli/help.h"
#include "cli/load.h"

/* Exit codes, as diff(1). */
enum bc_exit {
	BC_EXIT_DONE = 0,
	BC_EXIT_DIFFERENT = 1, /* differences found, or not canonical */
	BC_EXIT_TROUBLE = 2,
};

/*
 * A command. RUN gets its options and a zeroed set of inputs that the caller
 * closes; on trouble it sets ERR, and the caller prints it.
 */
struct bc_command {
	const char *name;
	const char *summary; /* one line, for the list of commands */
	const struct bc_help_text *help;
	const char *files;                    /* patterns of names that its operands have */
	const struct bc_option_list *options; /* those of several commands */
	uint32_t takes;                       /* the sets of them that this one takes */
	bool works_on_graphs; /* most of its memory goes into arrays over all types */
	/* In place of bc_options_parse, where the options are another program's; NULL: not. */
	bool (*parse)(struct bc_options *options, int argc, char **argv, struct bc_arena *arena,
		      struct bc_err *err);
	enum bc_exit (*run)(const struct bc_options *options, struct bc_inputs *inputs,
			    struct bc_err *err);
};

extern const struct bc_command bc_command_encode;
extern const struct bc_command bc_command_sort;
extern const struct bc_command bc_command_check;
extern const struct bc_command bc_command_dump;
extern const struct bc_command bc_command_compare;
extern const struct bc_command bc_command_assemble;
extern const struct bc_command bc_command_header;
extern const struct bc_command bc_command_pahole;

#endif

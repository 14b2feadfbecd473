/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_OPTION_H
#define BC_CLI_OPTION_H

#include <getopt.h>
#include <stdint.h>

#include "base/err.h"

/* What the value of an option is. */
enum bc_argument {
	BC_ARGUMENT_NONE,
	BC_ARGUMENT_TEXT,
	BC_ARGUMENT_FILE, /* choices: patterns of names that such files have; NULL: any */
	BC_ARGUMENT_WORD, /* one of choices */
	BC_ARGUMENT_LIST, /* some of choices, with commas between them */
};

/*
 * An option, for all who need to know it: the command line, the hints in its
 * errors, completion in shells. Choices are words with one blank between them.
 */
struct bc_option {
	const char *name; /* "base" */
	int code;         /* the letter; over 255: there is none */
	enum bc_argument value;
	const char *choices;
	uint32_t sets;      /* a command takes it that takes one of these */
	bool can_lack;      /* the value, which then stands behind a "=" */
	bool is_bare;       /* the letter: only the name takes the value */
	bool is_other_name; /* of the option before it */
};

struct bc_option_list {
	const struct bc_option *options;
	uint32_t count;
};

static inline bool bc_option_has_letter(const struct bc_option *option)
{
	return option->code < 256;
}

/* Which of the option's choices TEXT is; false: none, and ERR lists them. */
bool bc_option_choose(uint32_t *index, const struct bc_option *option, const char *text,
		      struct bc_err *err);

#define BC_OPTIONS_MAX 64

/* Walks over a command line. */
struct bc_option_reader {
	const char *command;
	const char *refuser; /* who has no such option: the command */
	int argc;
	char **argv;
	const struct bc_option *taken[BC_OPTIONS_MAX]; /* beside longs */
	struct option longs[BC_OPTIONS_MAX + 1];
	char letters[2 + 3 * BC_OPTIONS_MAX + 1];
};

/*
 * ARGV[0] is no part of it. Of LIST, those options are taken that are in TAKES.
 * One walk at a time: getopt(3) has its own state.
 */
void bc_option_reader_begin(struct bc_option_reader *reader, const struct bc_option_list *list,
			    uint32_t takes, const char *command, int argc, char **argv);

/*
 * The next one: an option with its value (NULL: none), or an operand, which is a
 * value without an option; neither at the end. False: there is no such option.
 */
bool bc_option_next(struct bc_option_reader *reader, const struct bc_option **option,
		    const char **value, struct bc_err *err);

/* The word that comes next ("": none), which bc_option_skip takes. */
static inline const char *bc_option_peek(const struct bc_option_reader *reader)
{
	return optind < reader->argc ? reader->argv[optind] : "";
}

static inline void bc_option_skip(void)
{
	optind++;
}

#endif

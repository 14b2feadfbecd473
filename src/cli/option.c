/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/option.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "cli/suggest.h"

/* "auto, always or never" */
static void list_choices(char *text, size_t size_bytes, const char *choices)
{
	size_t used = 0;

	text[0] = '\0';
	while (*choices && used < size_bytes) {
		size_t length = strcspn(choices, " ");
		const char *next = choices + length + (choices[length] == ' ');
		const char *between = !used ? "" : *next ? ", " : " or ";

		used += (size_t)snprintf(text + used, size_bytes - used, "%s%.*s", between,
					 (int)length, choices);
		choices = next;
	}
}

bool bc_option_choose(uint32_t *index, const struct bc_option *option, const char *text,
		      struct bc_err *err)
{
	const char *choices = option->choices;
	char list[256];

	for (*index = 0; *choices; ++*index) {
		size_t length = strcspn(choices, " ");

		if (strlen(text) == length && !memcmp(text, choices, length))
			return true;
		choices += length + (choices[length] == ' ');
	}
	list_choices(list, sizeof(list), option->choices);
	return bc_err_set(err, "--%s is %s, not '%.80s'", option->name, list, text);
}

static int argument_of(const struct bc_option *option)
{
	if (option->value == BC_ARGUMENT_NONE)
		return no_argument;
	return option->can_lack ? optional_argument : required_argument;
}

/* "-" first: operands come as code 1, in place, so that options may follow them. */
void bc_option_reader_begin(struct bc_option_reader *reader, const struct bc_option_list *list,
			    uint32_t takes, const char *command, int argc, char **argv)
{
	uint32_t count = 0;
	char *letter = reader->letters;

	*reader = (struct bc_option_reader){
		.command = command, .refuser = command, .argc = argc, .argv = argv
	};
	*letter++ = '-';
	*letter++ = ':';
	for (uint32_t i = 0; i < list->count; i++) {
		const struct bc_option *option = &list->options[i];

		if (!(option->sets & takes))
			continue;
		assert(count < BC_OPTIONS_MAX);
		reader->taken[count] = option;
		reader->longs[count++] = (struct option){ .name = option->name,
							  .has_arg = argument_of(option),
							  .val = option->code };
		if (!bc_option_has_letter(option))
			continue;
		*letter++ = (char)option->code;
		for (int colons = option->is_bare ? 0 : argument_of(option); colons; colons--)
			*letter++ = ':';
	}
	opterr = 0;
	optind = 1;
}

static const struct bc_option *find_option(const struct bc_option_reader *reader, int code)
{
	uint32_t i = 0;

	while (reader->taken[i]->code != code)
		i++;
	return reader->taken[i];
}

static bool refuse(const struct bc_option_reader *reader, const char *word, struct bc_err *err)
{
	struct bc_suggestion suggestion;

	/* A long option that exists, with a value that it does not take. */
	if (optopt && !strncmp(word, "--", 2))
		return bc_err_set(err, "%.80s: --%s takes no value (see btfcanon %s --help=all)",
				  word, find_option(reader, optopt)->name, reader->command);
	bc_suggest_begin(&suggestion, word);
	for (uint32_t i = 0; reader->taken[i]; i++)
		bc_suggest_offer(&suggestion, "--", reader->taken[i]->name);
	return bc_err_set(err, "%s has no option '%.80s'%s (see btfcanon %s --help=all)",
			  reader->refuser, word, bc_suggest_text(&suggestion), reader->command);
}

bool bc_option_next(struct bc_option_reader *reader, const struct bc_option **option,
		    const char **value, struct bc_err *err)
{
	int argc = reader->argc;
	const char *word = optind < argc ? reader->argv[optind] : NULL;
	int code = -1;

	*option = NULL;
	*value = NULL;
	if (word)
		code = getopt_long(argc, reader->argv, reader->letters, reader->longs, NULL);
	if (code == ':')
		return bc_err_set(err, "%.80s wants a value (see btfcanon %s --help=all)", word,
				  reader->command);
	if (code == '?')
		return refuse(reader, word, err);
	if (code == -1) {
		/* Behind "--". */
		if (optind < argc)
			*value = reader->argv[optind++];
		return true;
	}
	*value = optarg;
	if (code != 1)
		*option = find_option(reader, code);
	return true;
}

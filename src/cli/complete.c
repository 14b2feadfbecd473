/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/complete.h"

#include <stdio.h>
#include <string.h>

static bool begins_with(const char *text, const char *beginning)
{
	return !strncmp(text, beginning, strlen(beginning));
}

static void offer_files(const char *patterns, const char *before)
{
	printf(":files\t%s\t%s\n", before, patterns ? patterns : "*");
}

static void offer_commands(const struct bc_command *const *commands, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (begins_with(commands[i]->name, word))
			printf("%s\t%s\n", commands[i]->name, commands[i]->summary);
}

static void offer_options(const struct bc_command *command, const char *word)
{
	for (uint32_t i = 0; i < command->options->count; i++) {
		const struct bc_option *option = &command->options->options[i];
		bool wants_sign = option->value != BC_ARGUMENT_NONE &&
				  option->value != BC_ARGUMENT_FILE && !option->can_lack;
		const char *rest = word[1] ? word + 2 : "";

		if (!(option->sets & command->takes) || option->is_other_name ||
		    !begins_with(option->name, rest))
			continue;
		printf("--%s%s\t", option->name, wants_sign ? "=" : "");
		bc_help_print_meaning(command->help, option->name);
		putchar('\n');
	}
}

/* Is CHOICE one of the LENGTH bytes of words with commas between them? */
static bool is_listed(const char *list, size_t length, const char *choice, size_t choice_length)
{
	const char *end = list + length;

	while (list < end) {
		size_t word_length = strcspn(list, ",");

		if (word_length == choice_length && !memcmp(list, choice, choice_length))
			return true;
		list += word_length + 1;
	}
	return false;
}

/* WORD is what there is of the value; BEFORE is what the shell's word has before it. */
static void offer_choices(const struct bc_option *option, const char *word, const char *before)
{
	const char *comma = strrchr(word, ',');
	const char *last = word;

	if (option->value == BC_ARGUMENT_LIST)
		last += comma ? (size_t)(comma + 1 - word) : *word == '+';
	for (const char *choice = option->choices; *choice;) {
		size_t length = strcspn(choice, " "), last_length = strlen(last);
		const char *list = word + (*word == '+');

		if (length >= last_length && !memcmp(choice, last, last_length) &&
		    !(last > list && is_listed(list, (size_t)(last - list), choice, length)))
			printf("%s%.*s%.*s\t\n", before, (int)(last - word), word, (int)length,
			       choice);
		choice += length + (choice[length] == ' ');
	}
}

static void offer_values(const struct bc_option *option, const char *word, const char *before)
{
	if (option->value == BC_ARGUMENT_FILE)
		offer_files(option->choices, before);
	else if (option->choices)
		offer_choices(option, word, before);
}

/* The option by its letter, or by its whole name of LENGTH bytes; NULL: there is none. */
static const struct bc_option *find_option(const struct bc_command *command, int letter,
					   const char *name, size_t length)
{
	for (uint32_t i = 0; i < command->options->count; i++) {
		const struct bc_option *option = &command->options->options[i];

		if (!(option->sets & command->takes))
			continue;
		if (name ? strlen(option->name) == length && !memcmp(option->name, name, length) :
			   option->code == letter)
			return option;
	}
	return NULL;
}

static bool wants_value(const struct bc_option *option)
{
	return option && option->value != BC_ARGUMENT_NONE && !option->can_lack;
}

/* The option whose value is the word that comes behind WORD; NULL: that is a word of its own. */
static const struct bc_option *waiting_option(const struct bc_command *command, const char *word)
{
	const struct bc_option *option;

	if (begins_with(word, "--")) {
		option = find_option(command, 0, word + 2, strlen(word + 2));
		return wants_value(option) ? option : NULL;
	}
	if (*word != '-')
		return NULL;
	/* Letters behind each other, of which the first with a value takes the rest. */
	while (*++word) {
		option = find_option(command, (unsigned char)*word, NULL, 0);
		if (wants_value(option))
			return word[1] ? NULL : option;
	}
	return NULL;
}

static void complete_word(const struct bc_command *command, const char *word)
{
	const char *sign = strchr(word, '=');
	const struct bc_option *option;
	char before[64];

	if (*word != '-' || !strcmp(word, "-")) {
		if (*word == '-')
			offer_options(command, word);
		else
			offer_files(command->files, "");
		return;
	}
	if (word[1] != '-' || !sign) {
		if (word[1] == '-')
			offer_options(command, word);
		return;
	}
	option = find_option(command, 0, word + 2, (size_t)(sign - word - 2));
	if (!option || option->value == BC_ARGUMENT_NONE)
		return;
	snprintf(before, sizeof(before), "--%s=", option->name);
	offer_values(option, sign + 1, before);
}

static void complete_command(const struct bc_command *command, char **words, int word_count)
{
	const char *last = words[word_count - 1];

	for (int i = 0; i < word_count - 1; i++) {
		const struct bc_option *option;

		if (!strcmp(words[i], "--")) {
			offer_files(command->files, "");
			return;
		}
		option = waiting_option(command, words[i]);
		if (option && ++i == word_count - 1) {
			offer_values(option, last, "");
			return;
		}
	}
	complete_word(command, last);
}

void bc_complete(const struct bc_command *const *commands, size_t command_count, char **words,
		 int word_count)
{
	if (!word_count)
		return;
	if (word_count == 1 || (word_count == 2 && !strcmp(words[0], "help"))) {
		offer_commands(commands, command_count, words[word_count - 1]);
		return;
	}
	for (size_t i = 0; i < command_count; i++)
		if (!strcmp(words[0], commands[i]->name))
			complete_command(commands[i], words + 1, word_count - 1);
}

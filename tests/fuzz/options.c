/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Command lines: the first byte says which command's (pahole's own options, or
 * one of the others), a newline ends each word. Each is taken, or it is said
 * in a line why not, and twice the same.
 */
#include <getopt.h>

#include "cli/command.h"
#include "tests/fuzz/laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

#define MAX_WORDS 64

static const struct bc_command *const commands[] = {
	&bc_command_pahole, &bc_command_encode,  &bc_command_sort,   &bc_command_check,
	&bc_command_dump,   &bc_command_compare, &bc_command_header, &bc_command_assemble,
};

/* getopt remembers where in a word it was, and what it does with operands. */
static void forget_last_word(void)
{
	static char name[] = "options";
	static char *argv[] = { name, NULL };

	optind = 0;
	(void)getopt(1, argv, "-");
}

/* Words of TEXT, which changes; getopt puts them into another order. */
static int split_words(char **words, char *text)
{
	int count = 1;

	for (char *word = strtok(text, "\n"); word && count < MAX_WORDS; word = strtok(NULL, "\n"))
		words[count++] = word;
	words[count] = NULL;
	return count;
}

static bool parse(const struct bc_command *command, struct bc_options *options, const char *text,
		  struct bc_arena *arena, struct bc_err *err)
{
	char *words[MAX_WORDS + 1], *copy = strdup(text), name[16];
	bool taken;
	int count;

	if (!copy)
		abort();
	words[0] = strcpy(name, command->name);
	count = split_words(words, copy);
	forget_last_word();
	taken = command->parse ?
			command->parse(options, count, words, arena, err) :
			bc_options_parse(options, count, words, command->takes, arena, err);
	require(taken || (*err->text && !strchr(err->text, '\n')), "a refusal says why", NULL);
	if (taken) {
		uint32_t room = (uint32_t)count;

		require(options->input_count < room && options->base_count < room &&
				options->explained_count < room && options->verified_count < room &&
				options->threads <= 1024 && options->order <= BC_ORDER_NAME,
			"options are in their range", NULL);
		for (uint32_t i = 0; i < options->input_count; i++)
			require(options->inputs[i] >= copy &&
					strlen(options->inputs[i]) <= strlen(text),
				"an input is one of the words", NULL);
	}
	free(copy);
	return taken;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
	struct bc_arena arena = { 0 };
	struct bc_err once = { .text = "" }, again = { .text = "" };
	const struct bc_command *command;
	struct bc_options options;
	bool taken;
	char *text;

	if (!size_bytes || size_bytes > 4096)
		return 0;
	command = commands[data[0] % (sizeof(commands) / sizeof(commands[0]))];
	text = strndup((const char *)data + 1, size_bytes - 1);
	if (!text)
		abort();
	taken = parse(command, &options, text, &arena, &once);
	require(taken == parse(command, &options, text, &arena, &again) &&
			!strcmp(once.text, again.text),
		"a command line means one thing", NULL);
	bc_arena_free(&arena);
	free(text);
	return 0;
}

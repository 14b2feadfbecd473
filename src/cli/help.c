/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void bc_help_print(const struct bc_help_text *help, const char *command_name, bool all)
{
	printf("%s%s\nExamples:\n%s", help->about, all ? help->more : "", help->examples);
	if (!all)
		printf("\nAll options: btfcanon %s --help=all (details: man btfcanon-%s)\n",
		       command_name, command_name);
}

static size_t line_length(const char *line)
{
	return strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
	line += line_length(line);
	return line + (*line == '\n');
}

/* Does the line, "  -o, --output OUT  write there", begin with that option? */
static bool is_line_of(const char *line, const char *option_name)
{
	size_t length = line_length(line), name_length = strlen(option_name);
	size_t begin = strspn(line, " ");

	if (!begin || line[begin] != '-')
		return false;
	for (size_t at = begin; at + 2 + name_length <= length; at++) {
		const char *name = line + at + 2;

		if (!strncmp(line + at, "--", 2) && !strncmp(name, option_name, name_length) &&
		    !isalnum((unsigned char)name[name_length]) && !strchr("-_", name[name_length]))
			return true;
		/* Two blanks end the names. */
		if (!strncmp(line + at, "  ", 2))
			return false;
	}
	return false;
}

/* "": there is none. */
static const char *find_line(const char *text, const char *option_name)
{
	while (*text && !is_line_of(text, option_name))
		text = next_line(text);
	return text;
}

/* Does what an option does begin on the line of its names? Else it has no room there. */
static bool has_meaning(const char *line)
{
	return line_length(line) > BC_HELP_COLUMN && !strncmp(line + BC_HELP_COLUMN - 2, "  ", 2);
}

void bc_help_print_meaning(const struct bc_help_text *help, const char *option_name)
{
	const char *line = find_line(help->about, option_name), *between = "";
	bool goes_on;

	if (!*line)
		line = find_line(help->more, option_name);
	if (!has_meaning(line))
		line = next_line(line);
	for (goes_on = has_meaning(line); goes_on; goes_on = strspn(line, " ") == BC_HELP_COLUMN) {
		printf("%s%.*s", between, (int)(line_length(line) - BC_HELP_COLUMN),
		       line + BC_HELP_COLUMN);
		line = next_line(line);
		between = " ";
	}
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * changes OLD NEW: says what changed in structs and functions, as JSON on standard
 * output, and how much on standard error. Exit code 1 if anything changed.
 *
 *     cc changes.c $(pkg-config --cflags --libs btfcanon) -o changes
 */
#include <btfcanon.h>
#include <stdio.h>
#include <stdlib.h>

static int trouble(const struct btfcanon_error *error)
{
	fprintf(stderr, "changes: %s\n", error->text);
	return 2;
}

static int print_changes(const struct btfcanon_comparison *comparison, char **names)
{
	struct btfcanon_report_opts opts = {
		.sz = sizeof(opts),
		.old_name = names[0],
		.new_name = names[1],
		.format = BTFCANON_FORMAT_JSON,
	};
	struct btfcanon_error error;
	uint32_t changed = 0;
	size_t size;
	char *text;

	if (btfcanon_report(&text, &size, comparison, &opts, &error))
		return trouble(&error);
	fwrite(text, 1, size, stdout);
	free(text);
	for (int change = BTFCANON_ADDED; change <= BTFCANON_CHANGED; change++)
		changed += btfcanon_comparison_count(comparison, change, NULL);
	fprintf(stderr, "%u structs and functions changed\n", changed);
	return changed != 0;
}

static int compare(const struct btfcanon_btf *old_btf, const struct btfcanon_btf *new_btf,
		   char **names)
{
	struct btfcanon_compare_opts opts = { .sz = sizeof(opts), .kinds = "struct,func" };
	struct btfcanon_comparison *comparison;
	struct btfcanon_error error;
	int code;

	if (btfcanon_compare(&comparison, old_btf, new_btf, &opts, &error))
		return trouble(&error);
	code = print_changes(comparison, names);
	btfcanon_comparison_free(comparison);
	return code;
}

int main(int argc, char **argv)
{
	struct btfcanon_btf *old_btf = NULL, *new_btf = NULL;
	struct btfcanon_error error;
	int code;

	if (argc != 3) {
		fprintf(stderr, "usage: changes OLD NEW\n");
		return 2;
	}
	if (btfcanon_read_file(&old_btf, argv[1], NULL, &error) ||
	    btfcanon_read_file(&new_btf, argv[2], NULL, &error))
		code = trouble(&error);
	else
		code = compare(old_btf, new_btf, argv + 1);
	btfcanon_free(old_btf);
	btfcanon_free(new_btf);
	return code;
}

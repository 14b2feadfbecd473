/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * canonical FILE [BASE]: writes the canonical BTF of FILE to standard output.
 *
 *     cc canonical.c $(pkg-config --cflags --libs btfcanon) -o canonical
 */
#include <btfcanon.h>
#include <stdio.h>

/* Reads PATH, on BASE if there is one. NULL: it said why. */
static struct btfcanon_btf *read_file(const char *path, const struct btfcanon_btf *base)
{
	struct btfcanon_read_opts opts = { .sz = sizeof(opts), .base = base };
	struct btfcanon_error error;
	struct btfcanon_btf *btf;

	if (btfcanon_read_file(&btf, path, &opts, &error)) {
		fprintf(stderr, "canonical: %s\n", error.text);
		return NULL;
	}
	return btf;
}

static int write_sorted(const struct btfcanon_btf *btf)
{
	struct btfcanon_error error;
	struct btfcanon_btf *sorted;
	const void *data;
	size_t size;

	if (btfcanon_sort(&sorted, btf, NULL, &error)) {
		fprintf(stderr, "canonical: %s\n", error.text);
		return 2;
	}
	data = btfcanon_data(sorted, &size);
	fwrite(data, 1, size, stdout);
	fprintf(stderr, "%u types, %u of them merged with others\n", btfcanon_type_count(btf),
		btfcanon_merged_count(sorted));
	btfcanon_free(sorted);
	return fflush(stdout) ? 2 : 0;
}

int main(int argc, char **argv)
{
	struct btfcanon_btf *base = NULL, *btf;
	int code = 2;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: canonical FILE [BASE]\n");
		return code;
	}
	if (argc == 3 && !(base = read_file(argv[2], NULL)))
		return code;
	btf = read_file(argv[1], base);
	if (btf)
		code = write_sorted(btf);
	btfcanon_free(base);
	btfcanon_free(btf);
	return code;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * encode FILE...: writes the canonical BTF of what the DWARF of all files says to
 * standard output. With - for FILE, standard input is the one file.
 *
 *     cc encode.c $(pkg-config --cflags --libs btfcanon) -o encode
 */
#include <btfcanon.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *const *paths = (const char *const *)argv + 1;
	struct btfcanon_encode_opts opts = { .sz = sizeof(opts), .features = "default,global_var" };
	struct btfcanon_error error;
	struct btfcanon_btf *btf;
	const void *data;
	size_t size;
	int code;

	if (argc == 2 && !strcmp(argv[1], "-"))
		code = btfcanon_encode_fd(&btf, STDIN_FILENO, &opts, &error);
	else
		code = btfcanon_encode(&btf, paths, (uint32_t)argc - 1, &opts, &error);
	if (code) {
		fprintf(stderr, "encode: %s: %s\n", strerror(-code), error.text);
		return 2;
	}
	data = btfcanon_data(btf, &size);
	fwrite(data, 1, size, stdout);
	btfcanon_free(btf);
	return fflush(stdout) ? 2 : 0;
}

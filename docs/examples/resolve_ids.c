/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * resolve_ids FILE [BASE]: puts the BTF of a linked kernel, or of a module on its
 * kernel BASE, into the name order that kernels since 7.0 search, and lets the ids
 * in .BTF_ids follow. Writes FILE.BTF and FILE.BTF_ids, as resolve_btfids of Linux
 * does, for objcopy to put in.
 *
 *     cc resolve_ids.c $(pkg-config --cflags --libs btfcanon libbpf libelf) -o resolve_ids
 *
 * The BTF is libbpf's, so that whatever else changes it there comes before.
 */
#include <bpf/btf.h>
#include <btfcanon.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IDS_PREFIX "__BTF_ID__"

/* What .BTF_ids holds: words, and symbols that say what they are. */
struct ids {
	Elf *elf;
	Elf_Data *words;
	GElf_Addr address; /* of the section, where symbols count from 0 */
	Elf_Data *symbols;
	size_t symbol_count;
	size_t names; /* section */
	int swapped;  /* the byte order is the other one */
};

static _Noreturn void fail(const char *what, const char *why)
{
	fprintf(stderr, "resolve_ids: %s: %s\n", what, why);
	exit(2);
}

static void write_file(const char *path, const char *suffix, const void *data, size_t size)
{
	char name[4096];
	FILE *file;

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	file = fopen(name, "wb");
	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		fail(name, "cannot be written");
}

/* ---- the order ---- */

static struct btfcanon_btf *sort_by_name(const struct btf *btf)
{
	struct btfcanon_sort_opts opts = { .sz = sizeof(opts), .order = BTFCANON_ORDER_NAME };
	struct btfcanon_btf *read, *sorted;
	struct btfcanon_error error;

	if (btfcanon_read_libbpf(&read, btf, NULL, &error) ||
	    btfcanon_sort(&sorted, read, &opts, &error))
		fail("BTF", error.text);
	btfcanon_free(read);
	return sorted;
}

/* ---- the ids ---- */

static uint32_t get_word(const struct ids *ids, size_t i)
{
	uint32_t word = ((const uint32_t *)ids->words->d_buf)[i];

	return ids->swapped ? __builtin_bswap32(word) : word;
}

static void put_word(const struct ids *ids, uint32_t *to, size_t i, uint32_t word)
{
	to[i] = ids->swapped ? __builtin_bswap32(word) : word;
}

static int compare_ids(const void *a, const void *b)
{
	const uint32_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/*
 * A set is the number of its ids, in a set8 the set's flags, and the ids in order,
 * each with WORDS - 1 words that belong to it.
 */
static void put_set(const struct ids *ids, uint32_t *to, size_t at, size_t words,
		    const struct btfcanon_btf *sorted)
{
	size_t first = at + words, end = ids->words->d_size / 4;
	size_t id_count = get_word(ids, at), count = id_count * words;
	uint32_t *set = malloc(ids->words->d_size);

	if (!set)
		fail(".BTF_ids", "out of memory");
	if (first > end || id_count > (end - first) / words)
		fail(".BTF_ids", "a set goes beyond its end");
	for (size_t i = 0; i < count; i++) {
		set[i] = get_word(ids, first + i);
		if (i % words == 0)
			set[i] = btfcanon_new_id(sorted, set[i]);
	}
	qsort(set, id_count, words * sizeof(*set), compare_ids);
	for (size_t i = 0; i < count; i++)
		put_word(ids, to, first + i, set[i]);
	free(set);
}

/* Ids of sets have symbols too, but sets as a whole come after all of them. */
static void renumber(const struct ids *ids, uint32_t *to, const struct btfcanon_btf *sorted,
		     int sets)
{
	for (size_t i = 0; i < ids->symbol_count; i++) {
		const char *name;
		GElf_Sym symbol;
		size_t at;

		if (!gelf_getsym(ids->symbols, (int)i, &symbol))
			fail(".symtab", elf_errmsg(-1));
		name = elf_strptr(ids->elf, ids->names, symbol.st_name);
		if (!name || strncmp(name, IDS_PREFIX, strlen(IDS_PREFIX)))
			continue;
		name += strlen(IDS_PREFIX);
		at = (symbol.st_value - ids->address) / 4;
		if (at >= ids->words->d_size / 4)
			fail(name, "is not in .BTF_ids");
		if (!strncmp(name, "set8__", 6) && sets)
			put_set(ids, to, at, 2, sorted);
		else if (!strncmp(name, "set__", 5) && sets)
			put_set(ids, to, at, 1, sorted);
		else if (strncmp(name, "set", 3) && !sets)
			put_word(ids, to, at, btfcanon_new_id(sorted, get_word(ids, at)));
	}
}

/* Finds the section and its symbols; 0: there is none. */
static int find_ids(struct ids *ids)
{
	Elf_Scn *section = NULL;
	GElf_Ehdr header;
	size_t names;

	if (!gelf_getehdr(ids->elf, &header) || elf_getshdrstrndx(ids->elf, &names))
		fail("ELF", elf_errmsg(-1));
	ids->swapped = (header.e_ident[EI_DATA] == ELFDATA2MSB) !=
		       (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	while ((section = elf_nextscn(ids->elf, section))) {
		const char *name;
		GElf_Shdr shdr;

		if (!gelf_getshdr(section, &shdr))
			fail("ELF", elf_errmsg(-1));
		name = elf_strptr(ids->elf, names, shdr.sh_name);
		if (shdr.sh_type == SHT_SYMTAB) {
			ids->symbols = elf_getdata(section, NULL);
			ids->symbol_count = shdr.sh_size / shdr.sh_entsize;
			ids->names = shdr.sh_link;
		} else if (name && !strcmp(name, ".BTF_ids")) {
			ids->words = elf_rawdata(section, NULL);
			ids->address = header.e_type == ET_REL ? 0 : shdr.sh_addr;
		}
	}
	return ids->words && ids->words->d_size && ids->symbols;
}

static void follow_ids(const char *path, const struct btfcanon_btf *sorted)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct ids ids = { 0 };
	uint32_t *to;

	elf_version(EV_CURRENT);
	ids.elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!ids.elf)
		fail(path, elf_errmsg(-1));
	if (find_ids(&ids)) {
		to = malloc(ids.words->d_size);
		if (!to)
			fail(path, "out of memory");
		memcpy(to, ids.words->d_buf, ids.words->d_size);
		renumber(&ids, to, sorted, 0);
		renumber(&ids, to, sorted, 1);
		write_file(path, ".BTF_ids", to, ids.words->d_size);
		free(to);
	}
	elf_end(ids.elf);
	close(fd);
}

int main(int argc, char **argv)
{
	struct btf *base = NULL, *btf;
	struct btfcanon_btf *sorted;
	const void *data;
	size_t size;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: resolve_ids FILE [BASE]\n");
		return 2;
	}
	if (argc == 3 && !(base = btf__parse(argv[2], NULL)))
		fail(argv[2], "has no BTF");
	btf = btf__parse_split(argv[1], base);
	if (!btf)
		fail(argv[1], "has no BTF");
	sorted = sort_by_name(btf);
	btf__free(btf);
	btf__free(base);
	data = btfcanon_data(sorted, &size);
	write_file(argv[1], ".BTF", data, size);
	follow_ids(argv[1], sorted);
	btfcanon_free(sorted);
	return 0;
}

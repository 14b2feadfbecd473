/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * DWARF of any sort. The first byte says what follows: 0 a whole ELF file;
 * else the lengths of .debug_abbrev and .debug_info (16 bits each, low byte
 * first), their bytes, and the rest as .debug_str, in an ELF file made here.
 * One thread and two give the same bytes or the same error, and what comes
 * out is valid.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "btf/write.h"
#include "dwarf/encode.h"
#include "graph/check.h"
#include "sort/canonical.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SECTIONS 5
#define NAMES "\0.debug_abbrev\0.debug_info\0.debug_str\0.shstrtab"

static void put(int fd, const void *bytes, size_t size)
{
	if (size && write(fd, bytes, size) != (ssize_t)size)
		abort();
}

/* An ELF file with these three sections. */
static void put_elf(int fd, const uint8_t *const parts[3], const size_t sizes[3])
{
	static const uint32_t names[SECTIONS] = { 0, 1, 15, 27, 38 };
	Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   ELFDATA2LSB, EV_CURRENT },
			      .e_type = ET_EXEC,
			      .e_machine = EM_X86_64,
			      .e_version = EV_CURRENT,
			      .e_ehsize = sizeof(header),
			      .e_shoff = sizeof(header),
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = SECTIONS,
			      .e_shstrndx = SECTIONS - 1 };
	Elf64_Shdr sections[SECTIONS] = { 0 };
	uint64_t offset = sizeof(header) + sizeof(sections);

	for (size_t i = 1; i < SECTIONS; i++) {
		sections[i].sh_name = names[i];
		sections[i].sh_type = i < SECTIONS - 1 ? SHT_PROGBITS : SHT_STRTAB;
		sections[i].sh_offset = offset;
		sections[i].sh_size = i < SECTIONS - 1 ? sizes[i - 1] : sizeof(NAMES);
		sections[i].sh_addralign = 1;
		offset += sections[i].sh_size;
	}
	put(fd, &header, sizeof(header));
	put(fd, sections, sizeof(sections));
	for (size_t i = 0; i < 3; i++)
		put(fd, parts[i], sizes[i]);
	put(fd, NAMES, sizeof(NAMES));
}

static bool put_input(int fd, const uint8_t *data, size_t size)
{
	const uint8_t *parts[3];
	size_t sizes[3];

	if (!size)
		return false;
	if (!data[0]) {
		put(fd, data + 1, size - 1);
		return true;
	}
	if (size < 5)
		return false;
	sizes[0] = (size_t)(data[1] | data[2] << 8);
	sizes[1] = (size_t)(data[3] | data[4] << 8);
	if (sizes[0] + sizes[1] > size - 5)
		return false;
	sizes[2] = size - 5 - sizes[0] - sizes[1];
	parts[0] = data + 5;
	parts[1] = parts[0] + sizes[0];
	parts[2] = parts[1] + sizes[1];
	put_elf(fd, parts, sizes);
	return true;
}

/* The bytes, or NULL with err set. */
static const uint8_t *encode(const char *path, uint32_t threads, size_t *size_bytes,
			     struct bc_arena *arena, struct bc_err *err)
{
	struct bc_encode_options how = { .threads = threads,
					 .features = bc_features_default(),
					 .hash_mask = ~UINT64_C(0) };
	struct bc_canonical_options order = { .settle_forwards = true };
	struct bc_encode_stats stats;
	struct bc_graph encoded, canonical, again;
	const uint8_t *bytes;

	if (!bc_encode(&encoded, &path, 1, &how, &stats, arena, err) ||
	    !bc_graph_check(&encoded, NULL, err))
		return NULL;
	/* From here on nothing may fail but for want of memory. */
	if (!bc_canonical(&canonical, &encoded, &order, arena, NULL, NULL, err) ||
	    !bc_graph_check(&canonical, NULL, err) ||
	    !bc_canonical(&again, &canonical, &order, arena, NULL, NULL, err) ||
	    again.type_count != canonical.type_count ||
	    !bc_btf_write(&canonical, arena, &bytes, size_bytes, err))
		abort();
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct bc_arena arena = { 0 };
	struct bc_err errors[2] = { 0 };
	const uint8_t *bytes[2];
	size_t sizes[2];
	char path[64];

	if (fd < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (put_input(fd, data, size)) {
		for (uint32_t i = 0; i < 2; i++)
			bytes[i] = encode(path, i + 1, &sizes[i], &arena, &errors[i]);
		/* libdw has different words for one error when it is asked again. */
		if (!bytes[0] != !bytes[1] ||
		    (strcmp(errors[0].text, errors[1].text) &&
		     !strstr(errors[0].text, "DWARF: ")) ||
		    (bytes[0] && (sizes[0] != sizes[1] || memcmp(bytes[0], bytes[1], sizes[0])))) {
			fprintf(stderr, "one thread: %s\ntwo threads: %s\n", errors[0].text,
				errors[1].text);
			abort();
		}
	}
	bc_arena_free(&arena);
	close(fd);
	return 0;
}

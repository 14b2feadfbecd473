/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <lz4.h>
#include <lz4frame.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "elf/bytes.h"
#include "elf/input.h"
#include "elf/unpack.h"
#include "tests/lib/folder.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

#define MIB ((size_t)1 << 20)

/* ---- bytes to read ---- */

struct blob {
	uint8_t *data;
	size_t size_bytes;
};

static struct blob make_blob(const void *data, size_t size_bytes)
{
	struct blob blob = { malloc(size_bytes + 1), size_bytes };

	assert_non_null(blob.data);
	if (data)
		memcpy(blob.data, data, size_bytes);
	else
		memset(blob.data, 0, size_bytes);
	return blob;
}

static struct blob join(struct blob first, struct blob second)
{
	struct blob joined = make_blob(NULL, first.size_bytes + second.size_bytes);

	memcpy(joined.data, first.data, first.size_bytes);
	memcpy(joined.data + first.size_bytes, second.data, second.size_bytes);
	free(first.data);
	free(second.data);
	return joined;
}

static void put_u16(uint8_t *data, uint16_t value)
{
	data[0] = (uint8_t)value;
	data[1] = (uint8_t)(value >> 8);
}

static void put_u32(uint8_t *data, uint32_t value, bool big_endian)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		data[big_endian ? 3 - i : i] = (uint8_t)(value >> 8 * i);
}

/* What raw BTF begins with: magic and version. */
static void put_magic(uint8_t *data, bool big_endian)
{
	static const uint8_t bytes[2][3] = { { 0x9f, 0xeb, 1 }, { 0xeb, 0x9f, 1 } };

	memcpy(data, bytes[big_endian], sizeof(bytes[0]));
}

/* An int, of a name of NAME_BYTES, so that there is something to compress. */
static struct blob make_named_btf(bool big_endian, size_t name_bytes)
{
	struct blob blob = make_blob(NULL, 24 + 16 + 1 + name_bytes + 1);
	uint8_t *data = blob.data;

	put_magic(data, big_endian);
	put_u32(data + 4, 24, big_endian);
	put_u32(data + 12, 16, big_endian);
	put_u32(data + 16, 16, big_endian);
	put_u32(data + 20, (uint32_t)name_bytes + 2, big_endian);
	put_u32(data + 24, 1, big_endian);
	put_u32(data + 28, 1 << 24, big_endian);
	put_u32(data + 32, 4, big_endian);
	put_u32(data + 36, 32, big_endian);
	memset(data + 41, 'n', name_bytes);
	return blob;
}

static struct blob make_btf(bool big_endian)
{
	return make_named_btf(big_endian, 19);
}

/* Takes what is whole by its own header and has a terminated string section. */
static unsigned int probe_count;
static bool probe(const uint8_t *data, size_t size_bytes, size_t *total_bytes)
{
	bool big_endian = data[0] == 0xeb;
	uint64_t header_bytes = bc_bytes_u32(data + 4, big_endian);
	uint64_t string_offset = bc_bytes_u32(data + 16, big_endian);
	uint64_t string_bytes = bc_bytes_u32(data + 20, big_endian);
	uint64_t end = header_bytes + string_offset + string_bytes;

	probe_count++;
	if (bc_bytes_u32(data + 12, big_endian) != string_offset || !string_bytes ||
	    end > size_bytes || data[header_bytes + string_offset] || data[end - 1])
		return false;
	*total_bytes = (size_t)end;
	return true;
}

/* ---- compressing ---- */

static struct blob pack_zlib_or_gzip(struct blob plain, int window_bits)
{
	struct blob packed = make_blob(NULL, compressBound(plain.size_bytes) + 64);
	z_stream stream = { 0 };

	assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	stream.next_in = plain.data;
	stream.avail_in = (uInt)plain.size_bytes;
	stream.next_out = packed.data;
	stream.avail_out = (uInt)packed.size_bytes;
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	packed.size_bytes -= stream.avail_out;
	deflateEnd(&stream);
	return packed;
}

static struct blob pack_gzip(struct blob plain)
{
	return pack_zlib_or_gzip(plain, MAX_WBITS + 16);
}

static struct blob pack_lzma_kind(struct blob plain, bool alone)
{
	struct blob packed = make_blob(NULL, lzma_stream_buffer_bound(plain.size_bytes) + 64);
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_options_lzma options;

	lzma_lzma_preset(&options, 0);
	assert_int_equal(alone ? lzma_alone_encoder(&stream, &options) :
				 lzma_easy_encoder(&stream, 0, LZMA_CHECK_CRC32),
			 LZMA_OK);
	stream.next_in = plain.data;
	stream.avail_in = plain.size_bytes;
	stream.next_out = packed.data;
	stream.avail_out = packed.size_bytes;
	assert_int_equal(lzma_code(&stream, LZMA_FINISH), LZMA_STREAM_END);
	packed.size_bytes -= stream.avail_out;
	lzma_end(&stream);
	return packed;
}

static struct blob pack_xz(struct blob plain)
{
	return pack_lzma_kind(plain, false);
}

static struct blob pack_lzma(struct blob plain)
{
	return pack_lzma_kind(plain, true);
}

static struct blob pack_zstd(struct blob plain)
{
	struct blob packed = make_blob(NULL, ZSTD_compressBound(plain.size_bytes));

	packed.size_bytes = ZSTD_compress(packed.data, packed.size_bytes, plain.data,
					  plain.size_bytes, 1);
	assert_false(ZSTD_isError(packed.size_bytes));
	return packed;
}

static struct blob pack_lz4(struct blob plain)
{
	struct blob packed = make_blob(NULL, LZ4F_compressFrameBound(plain.size_bytes, NULL));

	packed.size_bytes = LZ4F_compressFrame(packed.data, packed.size_bytes, plain.data,
					       plain.size_bytes, NULL);
	assert_false(LZ4F_isError(packed.size_bytes));
	return packed;
}

static struct blob pack_lz4_legacy(struct blob plain)
{
	const size_t block_bytes = 8 * MIB;
	size_t block_count = plain.size_bytes / block_bytes + 1;
	struct blob packed = make_blob(
		NULL, 4 + block_count * (4 + (size_t)LZ4_compressBound((int)block_bytes)));
	uint8_t *out = packed.data + 4;
	size_t done;

	put_u32(packed.data, 0x184c2102, false);
	for (done = 0; done < plain.size_bytes; done += block_bytes) {
		size_t left = plain.size_bytes - done;
		int length = (int)(left < block_bytes ? left : block_bytes);
		int used = LZ4_compress_default((const char *)plain.data + done, (char *)out + 4,
						length, LZ4_compressBound(length));

		put_u32(out, (uint32_t)used, false);
		out += 4 + used;
	}
	packed.size_bytes = (size_t)(out - packed.data);
	return packed;
}

static const struct packer {
	const char *name;
	struct blob (*pack)(struct blob plain);
	bool marks_its_end;
} packers[] = {
	{ "gzip", pack_gzip, true }, { "xz", pack_xz, true },
	{ "lzma", pack_lzma, true }, { "zstd", pack_zstd, true },
	{ "lz4", pack_lz4, true },   { "lz4 legacy", pack_lz4_legacy, false },
};

#define PACKER_COUNT (sizeof(packers) / sizeof(packers[0]))

static struct blob make_trailer(size_t unpacked_bytes)
{
	struct blob blob = make_blob(NULL, 4);

	put_u32(blob.data, (uint32_t)unpacked_bytes, false);
	return blob;
}

/* ---- building ELF files ---- */

struct section {
	const char *name;
	struct blob blob;
	uint32_t type;
	uint64_t flags;
	uint64_t size_bytes; /* stated, where there is no data */
};

#define SECTIONS_MAX 6

struct elf_spec {
	int elf_class;
	int data;
	uint16_t machine;
	bool table_first; /* section headers before the sections */
	unsigned int filler_count;
	unsigned int section_count;
	struct section sections[SECTIONS_MAX];
};

static struct blob read_back(int fd)
{
	struct stat status;
	struct blob blob;

	assert_int_equal(fstat(fd, &status), 0);
	blob = make_blob(NULL, (size_t)status.st_size);
	assert_int_equal(pread(fd, blob.data, blob.size_bytes, 0), blob.size_bytes);
	return blob;
}

static size_t add_section(Elf *elf, const struct section *section, size_t name, uint64_t offset)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *data = elf_newdata(scn);
	GElf_Shdr header;

	data->d_buf = section->blob.data;
	data->d_size = section->blob.data ? section->blob.size_bytes : section->size_bytes;
	data->d_align = 1;
	data->d_type = ELF_T_BYTE;
	assert_non_null(gelf_getshdr(scn, &header));
	header.sh_name = (GElf_Word)name;
	header.sh_type = section->type ? section->type : SHT_PROGBITS;
	header.sh_flags = section->flags;
	header.sh_size = data->d_size;
	header.sh_addralign = 1;
	header.sh_offset = offset;
	assert_int_not_equal(gelf_update_shdr(scn, &header), 0);
	return elf_ndxscn(scn);
}

static void set_names_section(Elf *elf, GElf_Ehdr *header, size_t index)
{
	Elf_Scn *first = elf_getscn(elf, 0);
	GElf_Shdr first_header;

	if (index < SHN_LORESERVE) {
		header->e_shstrndx = (GElf_Half)index;
		return;
	}
	header->e_shstrndx = SHN_XINDEX;
	assert_non_null(gelf_getshdr(first, &first_header));
	first_header.sh_link = (GElf_Word)index;
	assert_int_not_equal(gelf_update_shdr(first, &first_header), 0);
}

/* libelf lays it out, but for table_first: there the headers come first, sections at odd offsets. */
static struct blob make_elf(const struct elf_spec *spec)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	char names[512] = "";
	size_t name = 1;
	struct section names_section = { .name = ".shstrtab" };
	struct section filler = { .size_bytes = 0 };
	size_t entry_bytes = spec->elf_class == ELFCLASS64 ? sizeof(Elf64_Shdr) :
							     sizeof(Elf32_Shdr);
	uint64_t offset = 64 + entry_bytes * (spec->section_count + 2) + 1;
	GElf_Ehdr header;
	struct blob blob;
	unsigned int i;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	assert_non_null(elf);
	assert_non_null(gelf_newehdr(elf, spec->elf_class));
	assert_non_null(gelf_getehdr(elf, &header));
	if (spec->table_first)
		elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
	for (i = 0; i < spec->filler_count; i++)
		add_section(elf, &filler, 0, 0);
	for (i = 0; i < spec->section_count; i++) {
		strcpy(names + name, spec->sections[i].name);
		add_section(elf, &spec->sections[i], name, offset);
		name += strlen(spec->sections[i].name) + 1;
		offset += (spec->sections[i].blob.size_bytes | 1) + 1;
	}
	strcpy(names + name, names_section.name);
	names_section.blob.data = (uint8_t *)names;
	names_section.blob.size_bytes = name + strlen(names_section.name) + 1;
	names_section.type = SHT_STRTAB;
	set_names_section(elf, &header, add_section(elf, &names_section, name, offset));
	header.e_ident[EI_DATA] = (unsigned char)spec->data;
	header.e_type = ET_REL;
	header.e_machine = spec->machine;
	header.e_version = EV_CURRENT;
	header.e_shoff = 64;
	assert_int_not_equal(gelf_update_ehdr(elf, &header), 0);
	assert_true(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
	blob = read_back(fd);
	close(fd);
	return blob;
}

static struct elf_spec spec_of(int elf_class, int data, uint16_t machine)
{
	return (struct elf_spec){ .elf_class = elf_class, .data = data, .machine = machine };
}

static void add_to_spec(struct elf_spec *spec, const char *name, struct blob blob, uint64_t flags)
{
	assert_true(spec->section_count < SECTIONS_MAX);
	spec->sections[spec->section_count++] =
		(struct section){ .name = name, .blob = blob, .flags = flags };
}

static void free_spec(struct elf_spec *spec)
{
	unsigned int i;

	for (i = 0; i < spec->section_count; i++)
		free(spec->sections[i].blob.data);
}

static struct blob make_elf_with_btf(int elf_class, int data)
{
	struct elf_spec spec = spec_of(elf_class, data, EM_BPF);
	struct blob elf;

	add_to_spec(&spec, ".BTF", make_btf(data == ELFDATA2MSB), 0);
	elf = make_elf(&spec);
	free_spec(&spec);
	return elf;
}

/* ---- opening and looking ---- */

/* A file in memory with a path to open it by. */
struct file {
	int fd;
	char path[64];
};

static struct file make_file(struct blob blob)
{
	struct file file;

	file.fd = memfd_create("input", MFD_CLOEXEC);
	assert_true(file.fd >= 0);
	snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
	assert_int_equal(write(file.fd, blob.data, blob.size_bytes), blob.size_bytes);
	return file;
}

static bool open_blob(struct bc_input *input, struct blob blob, struct bc_err *err)
{
	struct file file = make_file(blob);
	bool done;

	probe_count = 0;
	memset(err, 0, sizeof(*err));
	done = bc_input_open(input, file.path, probe, err);
	close(file.fd);
	if (!done) {
		static const struct bc_input zero;

		assert_memory_equal(input, &zero, sizeof(zero));
		assert_memory_equal(err->text, "/proc/self/fd/", 14);
		assert_null(strchr(err->text, '\n'));
	}
	return done;
}

/* Through a pipe as standard input. */
static bool open_piped(struct bc_input *input, struct blob blob, struct bc_err *err)
{
	int saved = dup(STDIN_FILENO);
	int ends[2];
	bool done;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		size_t done_bytes = 0;

		close(ends[0]);
		while (done_bytes < blob.size_bytes) {
			ssize_t put = write(ends[1], blob.data + done_bytes,
					    blob.size_bytes - done_bytes);

			if (put < 0)
				break;
			done_bytes += (size_t)put;
		}
		_exit(0);
	}
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	done = bc_input_open(input, "-", probe, err);
	dup2(saved, STDIN_FILENO);
	close(saved);
	waitpid(child, NULL, 0);
	return done;
}

static void assert_btf(const struct bc_input *input, struct blob btf)
{
	assert_int_equal(input->btf_bytes, btf.size_bytes);
	assert_memory_equal(input->btf, btf.data, btf.size_bytes);
	assert_int_equal((uintptr_t)input->btf % 4, 0);
}

/* BLOB opens, as a file and through a pipe, and holds BTF. Frees the blob. */
static void assert_opens(struct blob blob, struct blob btf)
{
	struct bc_input input;
	struct bc_err err;

	if (!open_blob(&input, blob, &err))
		fail_msg("%s", err.text);
	assert_btf(&input, btf);
	bc_input_close(&input);
	if (!open_piped(&input, blob, &err))
		fail_msg("%s", err.text);
	assert_btf(&input, btf);
	assert_string_equal(input.name, "standard input");
	bc_input_close(&input);
	free(blob.data);
}

/* BLOB does not open, and the error has WHAT in it. Frees the blob. */
static void assert_refused(struct blob blob, const char *what)
{
	struct bc_input input;
	struct bc_err err;

	if (open_blob(&input, blob, &err))
		fail_msg("opened, instead of: %s", what);
	if (!strstr(err.text, what))
		fail_msg("\"%s\" instead of \"%s\"", err.text, what);
	free(blob.data);
}

/* The same, where the error ends so. */
static void assert_refused_with_just(struct blob blob, const char *end)
{
	struct bc_input input;
	struct bc_err err;

	assert_false(open_blob(&input, blob, &err));
	assert_true(strlen(err.text) > strlen(end));
	assert_string_equal(err.text + strlen(err.text) - strlen(end), end);
	free(blob.data);
}

/* ---- plain files ---- */

static void reads_raw_btf(void **state)
{
	int big_endian;

	(void)state;
	for (big_endian = 0; big_endian < 2; big_endian++) {
		struct blob btf = make_btf(big_endian);
		struct bc_input input;
		struct bc_err err;

		assert_true(open_blob(&input, btf, &err));
		assert_btf(&input, btf);
		assert_int_equal(input.pointer_bytes, 0);
		assert_int_equal(input.machine, 0);
		assert_false(input.is_elf);
		assert_null(input.base_btf);
		assert_null(input.btf_ext);
		bc_input_close(&input);
		assert_null(input.btf);
		bc_input_close(&input);
		assert_opens(make_blob(btf.data, btf.size_bytes), btf);
		free(btf.data);
	}
}

/* What was opened stays, whatever happens to the file. */
static void survives_a_file_that_is_cut(void **state)
{
	struct blob btf = make_named_btf(false, 100000);
	struct blob elf;
	struct elf_spec spec = spec_of(ELFCLASS64, ELFDATA2LSB, EM_X86_64);
	int as_elf;

	(void)state;
	add_to_spec(&spec, ".BTF", btf, 0);
	elf = make_elf(&spec);
	for (as_elf = 0; as_elf < 2; as_elf++) {
		struct file file = make_file(as_elf ? elf : btf);
		struct bc_input input;
		struct bc_err err;

		assert_true(bc_input_open(&input, file.path, probe, &err));
		assert_int_equal(ftruncate(file.fd, 0), 0);
		assert_btf(&input, btf);
		bc_input_close(&input);
		close(file.fd);
	}
	free(elf.data);
	free_spec(&spec);
}

static void refuses_what_is_no_file_of_ours(void **state)
{
	struct bc_input input;
	struct bc_err err;
	char path[96];

	(void)state;
	assert_refused(make_blob("", 0), "is empty");
	assert_refused(make_blob("#include <stdio.h>\n", 19), "neither BTF, ELF, a kernel image");
	assert_refused(make_blob("\x9f", 1), "neither BTF");
	assert_refused(make_blob(NULL, 2 * MIB),
		       "searched as a flat image: the image holds no BTF");
	assert_false(bc_input_open(&input, folder, probe, &err));
	assert_non_null(strstr(err.text, "Is a directory"));
	snprintf(path, sizeof(path), "%s/none", folder);
	assert_false(bc_input_open(&input, path, probe, &err));
	assert_memory_equal(err.text, path, strlen(path));
	assert_non_null(strstr(err.text, "No such file"));
	/* Endless, so it must be refused by its first bytes. */
	assert_false(bc_input_open(&input, "/dev/zero", probe, &err));
	assert_non_null(strstr(err.text, "/dev/zero: neither BTF"));
}

static void refuses_a_file_too_large_before_reading_it(void **state)
{
	struct blob btf = make_btf(false);
	struct file file = make_file(btf);
	struct bc_input input;
	struct bc_err err;

	(void)state;
	assert_int_equal(ftruncate(file.fd, (off_t)BC_BYTES_MAX + 1), 0);
	assert_false(bc_input_open(&input, file.path, probe, &err));
	assert_non_null(strstr(err.text, "has more than 1024 MiB"));
	close(file.fd);
	free(btf.data);
}

/* Standard input that is a file, read from elsewhere than its start. */
static void reads_standard_input_from_where_it_is(void **state)
{
	struct blob btf = make_btf(false);
	struct blob elf = make_elf_with_btf(ELFCLASS64, ELFDATA2LSB);
	struct blob both = join(make_blob("skipped", 7), elf);
	struct file file = make_file(both);
	int saved = dup(STDIN_FILENO);
	struct bc_input input;
	struct bc_err err;
	off_t start;

	(void)state;
	dup2(file.fd, STDIN_FILENO);
	for (start = 7; start >= 0; start -= 7) {
		bool done;

		lseek(STDIN_FILENO, start, SEEK_SET);
		done = bc_input_open(&input, "-", probe, &err);
		assert_int_equal(done, start == 7);
		if (done)
			assert_btf(&input, btf);
		bc_input_close(&input);
	}
	assert_non_null(strstr(err.text, "standard input: neither"));
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(file.fd);
	free(both.data);
	free(btf.data);
}

/* ---- ELF ---- */

/* Calls CHECK for each class and byte order. */
static void for_each_elf(void (*check)(int elf_class, int data))
{
	check(ELFCLASS32, ELFDATA2LSB);
	check(ELFCLASS32, ELFDATA2MSB);
	check(ELFCLASS64, ELFDATA2LSB);
	check(ELFCLASS64, ELFDATA2MSB);
}

static void check_elf_sections(int elf_class, int data)
{
	struct elf_spec spec = spec_of(elf_class, data, EM_S390);
	struct blob btf = make_btf(data == ELFDATA2MSB);
	int variant;

	add_to_spec(&spec, ".text", make_blob("code", 4), SHF_ALLOC | SHF_EXECINSTR);
	add_to_spec(&spec, ".BTF.ext", make_blob("extension", 9), 0);
	add_to_spec(&spec, ".BTF", btf, 0);
	add_to_spec(&spec, ".BTF.base", make_blob("a base", 6), 0);
	/* From the file, laid out by libelf and otherwise; then from memory. */
	for (variant = 0; variant < 3; variant++) {
		struct bc_input input;
		struct bc_err err;
		struct blob elf;
		bool opened;

		spec.table_first = variant == 1;
		elf = make_elf(&spec);
		opened = variant == 2 ? open_piped(&input, elf, &err) :
					open_blob(&input, elf, &err);
		if (!opened)
			fail_msg("%s", err.text);
		assert_btf(&input, btf);
		assert_int_equal(input.base_btf_bytes, 6);
		assert_memory_equal(input.base_btf, "a base", 6);
		assert_int_equal((uintptr_t)input.base_btf % 4, 0);
		assert_int_equal(input.btf_ext_bytes, 9);
		assert_memory_equal(input.btf_ext, "extension", 9);
		assert_int_equal((uintptr_t)input.btf_ext % 4, 0);
		assert_int_equal(input.pointer_bytes, elf_class == ELFCLASS64 ? 8 : 4);
		assert_int_equal(input.machine, EM_S390);
		assert_true(input.is_elf);
		bc_input_close(&input);
		free(elf.data);
	}
	free_spec(&spec);
}

static void reads_elf_of_each_class_and_order(void **state)
{
	(void)state;
	for_each_elf(check_elf_sections);
}

/* Method 1 is zlib, 2 is zstd; others are made of zlib's bytes. */
static struct blob make_compressed_section(struct blob plain, int elf_class, int data,
					   uint32_t method, uint64_t stated_bytes)
{
	bool big_endian = data == ELFDATA2MSB;
	bool is_64 = elf_class == ELFCLASS64;
	struct blob header = make_blob(NULL, is_64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr));

	put_u32(header.data, method, big_endian);
	if (is_64) {
		put_u32(header.data + (big_endian ? 8 : 12), (uint32_t)(stated_bytes >> 32),
			big_endian);
		put_u32(header.data + (big_endian ? 12 : 8), (uint32_t)stated_bytes, big_endian);
	} else {
		put_u32(header.data + 4, (uint32_t)stated_bytes, big_endian);
	}
	return join(header, method == ELFCOMPRESS_ZSTD ? pack_zstd(plain) :
							 pack_zlib_or_gzip(plain, MAX_WBITS));
}

static struct blob make_compressed_elf(struct blob section, int elf_class, int data)
{
	struct elf_spec spec = spec_of(elf_class, data, EM_X86_64);
	struct blob elf;

	add_to_spec(&spec, ".BTF", section, SHF_COMPRESSED);
	elf = make_elf(&spec);
	free_spec(&spec);
	return elf;
}

static void check_compressed_sections(int elf_class, int data)
{
	struct blob btf = make_named_btf(data == ELFDATA2MSB, 5000);
	const struct {
		uint32_t method;
		uint64_t stated_bytes;
		const char *error;
	} cases[] = {
		{ ELFCOMPRESS_ZLIB, btf.size_bytes, NULL },
		{ ELFCOMPRESS_ZSTD, btf.size_bytes, NULL },
		{ ELFCOMPRESS_ZLIB, btf.size_bytes + 1, "unpacks to" },
		{ ELFCOMPRESS_ZSTD, btf.size_bytes - 1, "unpacks to" },
		{ ELFCOMPRESS_ZLIB, 0, "unpacks to" },
		{ ELFCOMPRESS_ZLIB, 0xfffffff0, "state that they unpack to" },
		{ 77, btf.size_bytes, "method 77" },
	};
	struct blob section;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct blob elf;

		section = make_compressed_section(btf, elf_class, data, cases[i].method,
						  cases[i].stated_bytes);
		elf = make_compressed_elf(section, elf_class, data);
		if (cases[i].error)
			assert_refused(elf, cases[i].error);
		else
			assert_opens(elf, btf);
	}
	section = make_compressed_section(btf, elf_class, data, ELFCOMPRESS_ZLIB, btf.size_bytes);
	section.size_bytes -= 10;
	assert_refused(make_compressed_elf(section, elf_class, data), "ends early");
	assert_refused(make_compressed_elf(make_blob("short", 5), elf_class, data),
		       "ends in its compression header");
	free(btf.data);
}

static void reads_compressed_sections(void **state)
{
	struct blob btf = make_btf(false);
	struct blob lie = make_compressed_section(btf, ELFCLASS64, ELFDATA2LSB, ELFCOMPRESS_ZLIB,
						  (uint64_t)1 << 40);

	(void)state;
	for_each_elf(check_compressed_sections);
	assert_refused(make_compressed_elf(lie, ELFCLASS64, ELFDATA2LSB),
		       "state that they unpack to 1099511627776");
	free(btf.data);
}

static void check_many_sections(int elf_class, int data)
{
	struct elf_spec spec = spec_of(elf_class, data, EM_X86_64);
	struct blob btf = make_btf(data == ELFDATA2MSB);
	struct blob elf;

	add_to_spec(&spec, ".BTF", btf, 0);
	spec.filler_count = 65300;
	elf = make_elf(&spec);
	assert_int_equal(bc_bytes_u16(elf.data + (elf_class == ELFCLASS64 ? 60 : 48),
				      data == ELFDATA2MSB),
			 0);
	assert_opens(elf, btf);
	free_spec(&spec);
}

static void reads_any_number_of_sections(void **state)
{
	(void)state;
	for_each_elf(check_many_sections);
}

static void explains_elf_without_btf(void **state)
{
	struct elf_spec spec = spec_of(ELFCLASS64, ELFDATA2LSB, EM_X86_64);
	struct blob dwarf = make_blob("dwarf", 5);

	(void)state;
	assert_refused_with_just(make_elf(&spec), "no .BTF section");
	add_to_spec(&spec, ".debug_info", dwarf, 0);
	assert_refused(make_elf(&spec), "no .BTF section, only DWARF to encode it from");
	spec.sections[0].blob.data = NULL;
	spec.sections[0].type = SHT_NOBITS;
	spec.sections[0].size_bytes = 1000;
	assert_refused_with_just(make_elf(&spec), "no .BTF section");
	spec.sections[0].name = ".BTF";
	assert_refused(make_elf(&spec), ".BTF: has no data (a separate debug file?)");
	spec.sections[0].type = SHT_PROGBITS;
	spec.sections[0].size_bytes = 0;
	assert_refused(make_elf(&spec), "the .BTF section is empty");
	spec.sections[0].blob = dwarf;
	spec.sections[1] = spec.sections[0];
	spec.section_count = 2;
	assert_refused(make_elf(&spec), ".BTF: there are two of it");
	free(dwarf.data);
}

/* A file of 200 bytes that promises 2^32 - 1 section headers. */
static void refuses_a_promise_of_sections(void **state)
{
	struct blob elf = make_blob(NULL, 200);

	(void)state;
	memcpy(elf.data, "\177ELF\2\1\1", 7);
	elf.data[18] = EM_X86_64;
	elf.data[20] = 1;
	put_u32(elf.data + 40, 64, false);
	put_u16(elf.data + 52, 64);
	put_u16(elf.data + 58, 64);
	put_u32(elf.data + 64 + 32, 0xffffffff, false);
	assert_refused(elf, "is cut: its 4294967295 section headers");
}

/* Nothing may happen but success or an error; and no success where bytes of it are gone. */
static void check_every_cut(int elf_class, int data)
{
	struct elf_spec spec = spec_of(elf_class, data, EM_BPF);
	struct blob btf = make_btf(data == ELFDATA2MSB);

	add_to_spec(&spec, ".BTF", btf, 0);
	add_to_spec(&spec, ".BTF.ext", make_blob("extension", 9), 0);
	for (spec.table_first = 0;; spec.table_first = 1) {
		struct blob elf = make_elf(&spec);
		size_t size_bytes;

		for (size_bytes = 0; size_bytes < elf.size_bytes; size_bytes++)
			assert_refused(make_blob(elf.data, size_bytes),
				       size_bytes < 64 ? "" : "the ELF file is cut");
		free(elf.data);
		if (spec.table_first)
			break;
	}
	free_spec(&spec);
}

static void refuses_elf_cut_anywhere(void **state)
{
	(void)state;
	for_each_elf(check_every_cut);
}

/* In place in one file, as a file for each would take long. */
static void check_every_wrong_byte(int elf_class, int data)
{
	static const uint8_t masks[] = { 1, 2, 4, 8, 16, 32, 64, 128, 255 };
	struct blob elf = make_elf_with_btf(elf_class, data);
	struct file file = make_file(elf);
	size_t offset;
	size_t i;

	for (offset = 0; offset < elf.size_bytes; offset++) {
		for (i = 0; i < sizeof(masks); i++) {
			uint8_t wrong = elf.data[offset] ^ masks[i];
			struct bc_input input;
			struct bc_err err;

			assert_int_equal(pwrite(file.fd, &wrong, 1, (off_t)offset), 1);
			if (bc_input_open(&input, file.path, probe, &err)) {
				assert_non_null(input.btf);
				assert_true(input.btf_bytes <= elf.size_bytes);
			}
			bc_input_close(&input);
		}
		assert_int_equal(pwrite(file.fd, &elf.data[offset], 1, (off_t)offset), 1);
	}
	close(file.fd);
	free(elf.data);
}

static void survives_any_wrong_byte(void **state)
{
	(void)state;
	for_each_elf(check_every_wrong_byte);
}

/* ---- compressed files ---- */

static void unpacks_each_kind(void **state)
{
	struct blob btf = make_named_btf(false, 70000);
	size_t i;

	(void)state;
	for (i = 0; i < PACKER_COUNT; i++) {
		struct blob elf = make_elf_with_btf(ELFCLASS64, ELFDATA2LSB);
		struct blob small = make_btf(false);
		struct blob packed;

		assert_opens(packers[i].pack(btf), btf);
		assert_opens(packers[i].pack(elf), small);
		/* a kernel build's length, and padding */
		assert_opens(join(packers[i].pack(btf), make_trailer(btf.size_bytes)), btf);
		assert_opens(join(packers[i].pack(btf), make_blob(NULL, 5)), btf);
		/* in two wraps */
		packed = packers[i].pack(btf);
		assert_opens(packers[(i + 1) % PACKER_COUNT].pack(packed), btf);
		free(packed.data);
		free(elf.data);
		free(small.data);
	}
	free(btf.data);
}

/* Streams behind each other are one file in halves. */
static void unpacks_several_streams(void **state)
{
	struct blob btf = make_named_btf(false, 70000);
	struct blob first = { btf.data, 30001 };
	struct blob second = { btf.data + 30001, btf.size_bytes - 30001 };
	struct blob skippable = make_blob("\x50\x2a\x4d\x18\x02\0\0\0xx", 10);
	size_t i;

	(void)state;
	for (i = 0; i < PACKER_COUNT; i++)
		assert_opens(join(packers[i].pack(first), packers[i].pack(second)), btf);
	assert_opens(join(join(pack_xz(first), make_blob(NULL, 8)), pack_xz(second)), btf);
	assert_opens(join(skippable, pack_zstd(btf)), btf);
	free(btf.data);
}

/* The legacy frame has blocks of 8 MiB. */
static void unpacks_several_lz4_blocks(void **state)
{
	struct blob btf = make_named_btf(false, 20 * MIB);

	(void)state;
	assert_opens(pack_lz4_legacy(btf), btf);
	assert_opens(join(pack_lz4_legacy(btf), make_trailer(btf.size_bytes)), btf);
	free(btf.data);
}

static void refuses_damaged_streams(void **state)
{
	struct blob btf = make_named_btf(false, 3000);
	size_t i;

	(void)state;
	for (i = 0; i < PACKER_COUNT; i++) {
		struct blob packed = packers[i].pack(btf);
		size_t offset;

		assert_refused(join(make_blob(packed.data, packed.size_bytes),
				    make_blob("something", 9)),
			       packers[i].marks_its_end ? "bytes of something else follow" : "lz4");
		/* Any cut is an error, if not always this one: the magic itself may be cut. */
		for (offset = 1; offset < packed.size_bytes; offset++) {
			struct blob cut = make_blob(packed.data, offset);

			if (offset > 20)
				assert_refused(cut, "ends early");
			else
				assert_refused(cut, "");
		}
		/* Any flipped bit ends well; what it unpacks to may be anything. */
		for (offset = 0; offset < packed.size_bytes; offset++) {
			struct bc_input input;
			struct bc_err err;

			packed.data[offset] ^= 0x10;
			if (open_blob(&input, packed, &err))
				bc_input_close(&input);
			packed.data[offset] ^= 0x10;
		}
		free(packed.data);
	}
	free(btf.data);
}

static void names_what_it_cannot_unpack(void **state)
{
	(void)state;
	assert_refused(make_blob("BZh91AY&SY", 10),
		       "compressed with bzip2, which is not supported");
	assert_refused(make_blob("\x89LZO\0\r\n\x1a\n", 9), "compressed with lzo");
}

static void bounds_what_it_unpacks(void **state)
{
	struct blob zeros = make_blob(NULL, 100000);
	size_t i;

	(void)state;
	for (i = 0; i < PACKER_COUNT; i++) {
		struct blob packed = packers[i].pack(zeros);
		enum bc_packing packing = bc_unpack_recognize(packed.data, packed.size_bytes);
		struct bc_bytes out = { 0 };
		struct bc_err err;

		assert_true(bc_unpack(&out, packing, packed.data, packed.size_bytes, 100000, &err));
		assert_int_equal(out.size_bytes, 100000);
		if (packing != BC_PACKING_LZ4_LEGACY)
			assert_true(out.capacity_bytes <= 100001);
		bc_bytes_free(&out);
		assert_false(bc_unpack(&out, packing, packed.data, packed.size_bytes, 99999, &err));
		assert_non_null(strstr(err.text, "unpacks to more than"));
		assert_null(out.data);
		free(packed.data);
	}
	assert_int_equal(bc_unpack_limit(0), 64 * MIB);
	assert_int_equal(bc_unpack_limit(MIB), 128 * MIB);
	assert_int_equal(bc_unpack_limit(16 * MIB), BC_BYTES_MAX);
	assert_int_equal(bc_unpack_limit(UINT64_MAX), BC_BYTES_MAX);
	free(zeros.data);
}

static void refuses_bombs(void **state)
{
	struct blob zeros = make_blob(NULL, 80 * MIB);
	struct blob bomb = pack_zstd(zeros);

	(void)state;
	assert_refused(make_blob(bomb.data, bomb.size_bytes), "unpacks to more than 64 MiB");
	/* The bound is the file's own size, however it is wrapped. */
	assert_refused(pack_gzip(bomb), "unpacks to more than 64 MiB");
	free(bomb.data);
	free(zeros.data);
}

static void bounds_the_number_of_wraps(void **state)
{
	struct blob btf = make_btf(false);
	struct blob packed = make_blob(btf.data, btf.size_bytes);
	int wraps;

	(void)state;
	for (wraps = 1; wraps <= BC_INPUT_WRAPS_MAX + 1; wraps++) {
		struct blob next = pack_gzip(packed);

		free(packed.data);
		packed = next;
		if (wraps <= BC_INPUT_WRAPS_MAX)
			assert_opens(make_blob(packed.data, packed.size_bytes), btf);
	}
	assert_refused(packed, "wrapped more than 4 times");
	free(btf.data);
}

/* ---- kernel images ---- */

/* What build and boot loader see: two setup sectors, code, the payload, what follows. */
static struct blob make_bzimage(struct blob payload)
{
	struct blob image = make_blob(NULL, 3 * 512 + 100);

	memcpy(image.data, "MZ", 2);
	image.data[0x1f1] = 2;
	memcpy(image.data + 0x1fe, "\x55\xaa", 2);
	memcpy(image.data + 0x202, "HdrS", 4);
	put_u16(image.data + 0x206, 0x20f);
	put_u32(image.data + 0x248, 99, false);
	put_u32(image.data + 0x24c, (uint32_t)payload.size_bytes, false);
	image.size_bytes--; /* so that the payload lies unaligned */
	return join(join(image, payload), make_blob("decompressor", 12));
}

static struct blob make_zboot(struct blob payload)
{
	struct blob image = make_blob(NULL, 67);

	memcpy(image.data, "MZ\0\0zimg", 8);
	put_u32(image.data + 8, 67, false);
	put_u32(image.data + 12, (uint32_t)payload.size_bytes, false);
	return join(join(image, payload), make_blob("decompressor", 12));
}

/* A flat image of 64 KiB with the BTF at OFFSET. */
static struct blob make_flat(const char *magic, struct blob btf, size_t offset)
{
	struct blob image = make_blob(NULL, 65536);

	memcpy(image.data + 56, magic, strlen(magic));
	/* what looks like BTF, but is not */
	memcpy(image.data + 1000, "\x9f\xeb\x01\0\x18", 5);
	memcpy(image.data + 2000, btf.data, 24);
	memset(image.data + 2024, 0xff, 200);
	memcpy(image.data + 3001, btf.data, btf.size_bytes);
	memcpy(image.data + offset, btf.data, btf.size_bytes);
	return image;
}

static void reads_images_with_a_payload(void **state)
{
	struct blob btf = make_btf(false);
	size_t i;

	(void)state;
	for (i = 0; i < PACKER_COUNT; i++) {
		struct blob elf = make_elf_with_btf(ELFCLASS64, ELFDATA2LSB);
		struct blob flat = make_flat("", btf, 4100);
		struct blob packed = join(packers[i].pack(elf), make_trailer(elf.size_bytes));
		struct blob image;

		if (!strcmp(packers[i].name, "gzip"))
			packed.size_bytes -= 4; /* has the length itself */
		image = make_bzimage(packed);
		assert_opens(pack_gzip(image), btf);
		assert_opens(image, btf);
		assert_opens(make_zboot(packers[i].pack(elf)), btf);
		/* a payload that is a flat image without a magic of its own */
		assert_opens(make_zboot(packers[i].pack(flat)), btf);
		free(flat.data);
		free(elf.data);
	}
	assert_opens(make_bzimage(make_elf_with_btf(ELFCLASS64, ELFDATA2LSB)), btf);
	assert_opens(make_bzimage(make_flat("", btf, 4100)), btf);
	free(btf.data);
}

static void refuses_broken_images(void **state)
{
	struct blob elf = make_elf_with_btf(ELFCLASS64, ELFDATA2LSB);
	struct blob image = make_bzimage(pack_zstd(elf));
	size_t end = image.size_bytes - 12;
	struct blob old = make_blob(image.data, image.size_bytes);
	size_t size_bytes;

	(void)state;
	put_u16(old.data + 0x206, 0x207);
	assert_refused(old, "does not say where its payload is");
	for (size_bytes = 0x250; size_bytes < end; size_bytes++)
		assert_refused(make_blob(image.data, size_bytes), "the kernel image is cut");
	assert_refused(make_blob(image.data, 0x24f), "ends in its boot header");
	put_u32(image.data + 0x24c, 0, false);
	assert_refused(image, "has no payload");
	assert_refused(make_bzimage(make_blob("BZh91AY&SY", 10)), "compressed with bzip2");
	assert_refused(make_bzimage(make_blob("unknown", 7)), "the image holds no BTF");
	assert_refused(make_blob("MZ\0\0zimg", 8), "ends in its boot header");
	free(elf.data);
}

static void searches_flat_images(void **state)
{
	static const char *const magics[] = { "ARM\x64", "RSC\x05" };
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct blob btf = make_btf(i / 2);
		struct blob image = make_flat(magics[i % 2], btf, 4100);
		struct bc_input input;
		struct bc_err err;

		assert_true(open_blob(&input, image, &err));
		assert_btf(&input, btf);
		assert_int_equal(input.pointer_bytes, i % 2 ? 0 : 8);
		assert_false(input.is_elf);
		bc_input_close(&input);
		assert_opens(make_blob(image.data, image.size_bytes), btf);
		/* a second one, up to the last byte */
		memcpy(image.data + 65536 - ((btf.size_bytes + 3) & ~(size_t)3), btf.data,
		       btf.size_bytes);
		assert_refused(make_blob(image.data, image.size_bytes), "the image holds 2 BTFs");
		/* none */
		memset(image.data + 4100, 0, 65536 - 4100);
		assert_refused(image, "the image holds no BTF");
		free(btf.data);
	}
}

/* Headers all over, each of which claims all that follows. */
static void searches_in_linear_time(void **state)
{
	const size_t size_bytes = 4 * MIB;
	struct blob image = make_blob(NULL, size_bytes);
	size_t offset;

	(void)state;
	for (offset = 64; offset + 24 <= size_bytes; offset += 24) {
		uint8_t *header = image.data + offset;

		put_magic(header, false);
		put_u32(header + 4, 24, false);
		put_u32(header + 12, (uint32_t)(size_bytes - offset - 24), false);
	}
	memcpy(image.data + 56, "ARM\x64", 4);
	assert_refused(image, "too many things in the image look like BTF");
	assert_true(probe_count <= 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_raw_btf),
		cmocka_unit_test(survives_a_file_that_is_cut),
		cmocka_unit_test(refuses_what_is_no_file_of_ours),
		cmocka_unit_test(refuses_a_file_too_large_before_reading_it),
		cmocka_unit_test(reads_standard_input_from_where_it_is),
		cmocka_unit_test(reads_elf_of_each_class_and_order),
		cmocka_unit_test(reads_compressed_sections),
		cmocka_unit_test(reads_any_number_of_sections),
		cmocka_unit_test(explains_elf_without_btf),
		cmocka_unit_test(refuses_a_promise_of_sections),
		cmocka_unit_test(refuses_elf_cut_anywhere),
		cmocka_unit_test(survives_any_wrong_byte),
		cmocka_unit_test(unpacks_each_kind),
		cmocka_unit_test(unpacks_several_streams),
		cmocka_unit_test(unpacks_several_lz4_blocks),
		cmocka_unit_test(refuses_damaged_streams),
		cmocka_unit_test(names_what_it_cannot_unpack),
		cmocka_unit_test(bounds_what_it_unpacks),
		cmocka_unit_test(refuses_bombs),
		cmocka_unit_test(bounds_the_number_of_wraps),
		cmocka_unit_test(reads_images_with_a_payload),
		cmocka_unit_test(refuses_broken_images),
		cmocka_unit_test(searches_flat_images),
		cmocka_unit_test(searches_in_linear_time),
		cmocka_unit_test(folder_left_no_file_open),
	};

	return cmocka_run_group_tests_name("input", tests, folder_make, folder_remove);
}

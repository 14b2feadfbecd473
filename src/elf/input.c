/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "elf/input.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/image.h"
#include "elf/sections.h"
#include "elf/unpack.h"

/*
 * From a path to the bytes of a BTF:
 *
 *  1. [read_file] reads the first bytes. An ELF that can be sought is read
 *     through its file, section by section; anything else goes on only where
 *     the first bytes are known or the file could be an image without a header,
 *     and is read whole.
 *  2. [unwrap] takes off one wrap after the other, an image around its payload
 *     or a compression, until there is raw BTF, an ELF or a flat image.
 *  3. What is found is kept as a copy, and everything around it is freed: a
 *     kernel is ten times its BTF.
 *
 * Files are read, not mapped: a mapped file that someone cuts is a crash, and
 * what was validated could change.
 */

#define HEAD_BYTES ((size_t)4096)

/* Below this nothing is a kernel; above it, it may be one without a header. */
#define FLAT_BYTES_MIN ((size_t)1 << 20)

enum content { CONTENT_UNKNOWN, CONTENT_BTF, CONTENT_ELF, CONTENT_IMAGE, CONTENT_PACKED };

/* Bytes on the way in, and the part of them that is looked at. */
struct unwrapping {
	struct bc_bytes bytes;
	const uint8_t *data; /* into BYTES */
	size_t size_bytes;
	uint64_t limit_bytes; /* of anything unpacked */
	bool in_image;        /* DATA is the payload of a kernel image */
	bc_btf_probe probe;
};

struct bc_input_memory {
	struct bc_elf_btf found;
};

static enum content recognize(const uint8_t *data, size_t size_bytes)
{
	if (bc_bytes_have(data, size_bytes, 0, "\x9f\xeb", 2) ||
	    bc_bytes_have(data, size_bytes, 0, "\xeb\x9f", 2))
		return CONTENT_BTF;
	if (bc_elf_recognize(data, size_bytes))
		return CONTENT_ELF;
	if (bc_image_recognize(data, size_bytes) != BC_IMAGE_NONE)
		return CONTENT_IMAGE;
	if (bc_unpack_recognize(data, size_bytes) != BC_PACKING_NONE)
		return CONTENT_PACKED;
	return CONTENT_UNKNOWN;
}

static bool fail_unknown(struct bc_err *err)
{
	return bc_err_set(err, "neither BTF, ELF, a kernel image nor a compressed one");
}

/* Keeps the BTF at DATA of BYTES: the whole block where it begins it, a copy otherwise. */
static bool keep_btf(struct bc_bytes *kept, struct bc_bytes *bytes, const uint8_t *data,
		     size_t size_bytes, struct bc_err *err)
{
	uint8_t *shrunk;

	if (data != bytes->data) {
		if (!bc_bytes_reserve(kept, size_bytes, err))
			return false;
		memcpy(kept->data, data, size_bytes);
		kept->size_bytes = size_bytes;
		return true;
	}
	*kept = *bytes;
	memset(bytes, 0, sizeof(*bytes));
	shrunk = realloc(kept->data, size_bytes);
	if (shrunk)
		kept->data = shrunk;
	kept->size_bytes = size_bytes;
	kept->capacity_bytes = size_bytes;
	return true;
}

static bool search_flat(struct unwrapping *unwrapping, struct bc_elf_btf *found, struct bc_err *err)
{
	const uint8_t *data;
	size_t size_bytes;

	return bc_image_search(&data, &size_bytes, unwrapping->data, unwrapping->size_bytes,
			       unwrapping->probe, err) &&
	       keep_btf(&found->btf, &unwrapping->bytes, data, size_bytes, err);
}

static bool open_image(struct unwrapping *unwrapping, struct bc_elf_btf *found, bool *done,
		       struct bc_err *err)
{
	enum bc_image image = bc_image_recognize(unwrapping->data, unwrapping->size_bytes);

	if (image == BC_IMAGE_BZIMAGE || image == BC_IMAGE_ZBOOT) {
		unwrapping->in_image = true;
		return bc_image_find_payload(&unwrapping->data, &unwrapping->size_bytes, image,
					     unwrapping->data, unwrapping->size_bytes, err);
	}
	*done = true;
	if (!search_flat(unwrapping, found, err))
		return false;
	if (image == BC_IMAGE_ARM64)
		found->pointer_bytes = 8;
	return true;
}

static bool open_packed(struct unwrapping *unwrapping, struct bc_err *err)
{
	struct bc_bytes unpacked = { 0 };

	if (!bc_unpack(&unpacked, bc_unpack_recognize(unwrapping->data, unwrapping->size_bytes),
		       unwrapping->data, unwrapping->size_bytes, unwrapping->limit_bytes, err))
		return false;
	bc_bytes_free(&unwrapping->bytes);
	unwrapping->bytes = unpacked;
	unwrapping->data = unpacked.data;
	unwrapping->size_bytes = unpacked.size_bytes;
	return true;
}

/* An ELF in memory; libelf wants it aligned. */
static bool open_elf(struct unwrapping *unwrapping, struct bc_elf_btf *found, struct bc_err *err)
{
	struct bc_elf_place place = { .size_bytes = unwrapping->size_bytes };

	if (unwrapping->data != unwrapping->bytes.data)
		memmove(unwrapping->bytes.data, unwrapping->data, unwrapping->size_bytes);
	place.data = unwrapping->bytes.data;
	return bc_sections_read(found, &place, unwrapping->limit_bytes, err);
}

static bool open_unknown(struct unwrapping *unwrapping, struct bc_elf_btf *found,
			 struct bc_err *err)
{
	if (unwrapping->in_image)
		return search_flat(unwrapping, found, err);
	if (unwrapping->size_bytes < FLAT_BYTES_MIN)
		return fail_unknown(err);
	if (search_flat(unwrapping, found, err))
		return true;
	return bc_err_prefix(err, "neither BTF, ELF nor compressed; searched as a flat image");
}

/* Takes off one wrap, or finds the BTF. */
static bool unwrap_once(struct unwrapping *unwrapping, struct bc_elf_btf *found, bool *done,
			struct bc_err *err)
{
	switch (recognize(unwrapping->data, unwrapping->size_bytes)) {
	case CONTENT_IMAGE:
		return open_image(unwrapping, found, done, err);
	case CONTENT_PACKED:
		return open_packed(unwrapping, err);
	case CONTENT_BTF:
		*done = true;
		return keep_btf(&found->btf, &unwrapping->bytes, unwrapping->data,
				unwrapping->size_bytes, err);
	case CONTENT_ELF:
		*done = true;
		return open_elf(unwrapping, found, err);
	case CONTENT_UNKNOWN:
		break;
	}
	*done = true;
	return open_unknown(unwrapping, found, err);
}

static bool unwrap(struct unwrapping *unwrapping, struct bc_elf_btf *found, struct bc_err *err)
{
	bool done = false;
	unsigned int wraps;

	unwrapping->data = unwrapping->bytes.data;
	unwrapping->size_bytes = unwrapping->bytes.size_bytes;
	unwrapping->limit_bytes = bc_unpack_limit(unwrapping->size_bytes);
	for (wraps = 0; wraps <= BC_INPUT_WRAPS_MAX; wraps++) {
		if (!unwrapping->size_bytes)
			return bc_err_set(err, "nothing is in it");
		if (!unwrap_once(unwrapping, found, &done, err))
			return false;
		if (done)
			return true;
	}
	return bc_err_set(err, "wrapped more than %d times", BC_INPUT_WRAPS_MAX);
}

/* Whether the file is too small, or not of the kind, to be searched as an unknown image. */
static bool is_hopeless(const struct unwrapping *unwrapping, const struct stat *status)
{
	if (recognize(unwrapping->data, unwrapping->size_bytes) != CONTENT_UNKNOWN)
		return false;
	return !S_ISREG(status->st_mode) || (uint64_t)status->st_size < FLAT_BYTES_MIN;
}

/* Whether the first bytes, just read, are those of an ELF that FD can be sought in. */
static bool is_elf_file(const struct unwrapping *unwrapping, int fd, const struct stat *status)
{
	return recognize(unwrapping->data, unwrapping->size_bytes) == CONTENT_ELF &&
	       S_ISREG(status->st_mode) && (uint64_t)status->st_size >= unwrapping->size_bytes &&
	       lseek(fd, 0, SEEK_CUR) == (off_t)unwrapping->size_bytes;
}

static bool read_rest(struct bc_bytes *bytes, int fd, const struct stat *status, struct bc_err *err)
{
	uint64_t stated_bytes = S_ISREG(status->st_mode) ? (uint64_t)status->st_size : 0;

	/* Room for what is stated, and a byte to see the end; in sysfs and proc that may lie. */
	if (stated_bytes <= BC_BYTES_MAX &&
	    (!bc_bytes_reserve(bytes, (size_t)stated_bytes + 1, err) ||
	     !bc_bytes_read(bytes, fd, BC_BYTES_MAX + 1, err)))
		return false;
	if (stated_bytes > BC_BYTES_MAX || bytes->size_bytes > BC_BYTES_MAX)
		return bc_err_set(err, "has more than %" PRIu64 " MiB", BC_BYTES_MAX >> 20);
	return true;
}

static bool read_file(struct unwrapping *unwrapping, struct bc_elf_btf *found, int fd,
		      struct bc_err *err)
{
	struct stat status;

	if (fstat(fd, &status) != 0)
		return bc_err_errno(err, "cannot read");
	if (!bc_bytes_read(&unwrapping->bytes, fd, HEAD_BYTES, err))
		return false;
	unwrapping->data = unwrapping->bytes.data;
	unwrapping->size_bytes = unwrapping->bytes.size_bytes;
	if (!unwrapping->size_bytes)
		return bc_err_set(err, "is empty");
	if (is_hopeless(unwrapping, &status))
		return fail_unknown(err);
	if (is_elf_file(unwrapping, fd, &status)) {
		struct bc_elf_place place = { .fd = fd, .size_bytes = (uint64_t)status.st_size };

		return bc_sections_read(found, &place, bc_unpack_limit(place.size_bytes), err);
	}
	return read_rest(&unwrapping->bytes, fd, &status, err) && unwrap(unwrapping, found, err);
}

static bool open_file(struct bc_elf_btf *found, const char *path, bc_btf_probe probe,
		      struct bc_err *err)
{
	struct unwrapping unwrapping = { .probe = probe };
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	bool done;

	if (fd < 0)
		return bc_err_errno(err, "cannot open");
	done = read_file(&unwrapping, found, fd, err);
	bc_bytes_free(&unwrapping.bytes);
	if (!is_stdin)
		close(fd);
	return done;
}

static void fill_input(struct bc_input *input, const struct bc_elf_btf *found)
{
	input->btf = found->btf.data;
	input->btf_bytes = found->btf.size_bytes;
	input->base_btf = found->base_btf.data;
	input->base_btf_bytes = found->base_btf.size_bytes;
	input->btf_ext = found->btf_ext.data;
	input->btf_ext_bytes = found->btf_ext.size_bytes;
	input->pointer_bytes = found->pointer_bytes;
	input->machine = found->machine;
	input->is_elf = found->is_elf;
}

bool bc_input_open(struct bc_input *input, const char *path, bc_btf_probe probe, struct bc_err *err)
{
	const char *name = strcmp(path, "-") != 0 ? path : "standard input";
	struct bc_input_memory *memory = calloc(1, sizeof(*memory));

	memset(input, 0, sizeof(*input));
	if (!memory) {
		bc_err_memory(err, sizeof(*memory));
		return bc_err_prefix(err, name);
	}
	if (!open_file(&memory->found, path, probe, err)) {
		free(memory);
		return bc_err_prefix(err, name);
	}
	fill_input(input, &memory->found);
	input->name = name;
	input->memory = memory;
	return true;
}

void bc_input_close(struct bc_input *input)
{
	if (input->memory)
		bc_sections_free(&input->memory->found);
	free(input->memory);
	memset(input, 0, sizeof(*input));
}

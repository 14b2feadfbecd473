/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_ELF_INPUT_H
#define BC_ELF_INPUT_H

#include <stddef.h>

#include "base/err.h"

/*
 * An input file, whatever it is wrapped in, down to the bytes of its .BTF.
 *
 * Read are: raw BTF; ELF (32 and 64 bit, either byte order, relocatable or
 * linked, any number of sections, .BTF plain or SHF_COMPRESSED); kernel images
 * (x86 bzImage and EFI zboot: payload found by the header; a flat image, as
 * arm64's, searched for one BTF); each of these compressed with gzip, xz,
 * lzma, zstd or lz4 (legacy frame or standard frame), wrapped at most
 * BC_INPUT_WRAPS_MAX times. The content decides, never the file's name.
 * "-" is standard input.
 */
struct bc_input {
	const char *name; /* as given, "-" shown as "standard input"; owned by the caller */
	const uint8_t *btf;
	size_t btf_bytes;
	const uint8_t *base_btf; /* .BTF.base beside it (distilled base); NULL: none */
	size_t base_btf_bytes;
	const uint8_t *btf_ext; /* .BTF.ext beside it; NULL: none */
	size_t btf_ext_bytes;
	uint8_t pointer_bytes; /* 4 or 8 by the ELF class or the kind of image; 0: not known */
	uint16_t machine;      /* e_machine; 0: not an ELF */
	bool is_elf;
	struct bc_input_memory *memory; /* what the pointers point into */
};

/* An image, its payload, a compressed file around both, and one to spare. */
#define BC_INPUT_WRAPS_MAX 4

/*
 * Tells whether SIZE_BYTES of DATA begin a whole, valid BTF; sets
 * *TOTAL_BYTES to its length. How a flat image is searched: the BTF reader
 * passes its own validation here, so that elf/ does not depend on btf/.
 */
typedef bool (*bc_btf_probe)(const uint8_t *data, size_t size_bytes, size_t *total_bytes);

/*
 * Opens PATH, reads what is needed of it and closes it: the bytes are copies,
 * 16-aligned, and stay until bc_input_close, whatever happens to the file.
 * On failure nothing is left open and *INPUT is zero; the error names the
 * file. Of an ELF that can be sought only the sections wanted are read;
 * anything else is taken into memory whole, up to 1 GiB.
 *
 * Decompression is bounded: output beyond 64 MiB + 64 times the compressed
 * size, or beyond 1 GiB, is an error (a bomb).
 */
bool bc_input_open(struct bc_input *input, const char *path, bc_btf_probe probe,
		   struct bc_err *err);

/* Also fine on a zeroed one. */
void bc_input_close(struct bc_input *input);

#endif

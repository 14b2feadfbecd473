/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_ELF_UNPACK_H
#define BC_ELF_UNPACK_H

#include "elf/bytes.h"

/* How bytes are compressed. */
enum bc_packing {
	BC_PACKING_NONE,
	BC_PACKING_GZIP,
	BC_PACKING_ZLIB, /* never recognised: an ELF section says so */
	BC_PACKING_XZ,
	BC_PACKING_LZMA,
	BC_PACKING_ZSTD,
	BC_PACKING_LZ4,        /* the standard frame */
	BC_PACKING_LZ4_LEGACY, /* the frame of kernel images */
	BC_PACKING_BZIP2,      /* this one and those below: known, not supported */
	BC_PACKING_LZO,
};

/* By the first bytes; 16 are enough. */
enum bc_packing bc_unpack_recognize(const uint8_t *data, size_t size_bytes);

/*
 * What PACKED_BYTES may become: 64 MiB and 64 times as much, at most 1 GiB.
 * A kernel, the best packed of what is met, is 4 to 6 times its image.
 */
uint64_t bc_unpack_limit(uint64_t packed_bytes);

/*
 * Unpacks DATA, one stream or several behind each other, into *OUT, which
 * must be empty and is the caller's to free. Behind the last stream there may
 * be NULs, or the unpacked length as 4 bytes, as a kernel build leaves it;
 * anything else, data that ends early or is corrupt, and more than
 * LIMIT_BYTES of output are errors. On failure *OUT is empty.
 */
bool bc_unpack(struct bc_bytes *out, enum bc_packing packing, const uint8_t *data,
	       size_t size_bytes, uint64_t limit_bytes, struct bc_err *err);

#endif

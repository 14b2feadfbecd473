/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_ELF_IMAGE_H
#define BC_ELF_IMAGE_H

#include "elf/bytes.h"
#include "elf/input.h"

/* What a kernel is booted from. */
enum bc_image {
	BC_IMAGE_NONE,
	BC_IMAGE_BZIMAGE, /* x86: a header, then a payload */
	BC_IMAGE_ZBOOT,   /* EFI's self-extracting image: a header, then a payload */
	BC_IMAGE_ARM64,   /* flat: the kernel as it lies in memory */
	BC_IMAGE_FLAT,    /* flat, of another machine */
};

/* By the first bytes; BC_IMAGE_HEAD_BYTES are enough. */
#define BC_IMAGE_HEAD_BYTES 0x250
enum bc_image bc_image_recognize(const uint8_t *data, size_t size_bytes);

/*
 * The payload of a bzImage or zboot IMAGE: *PAYLOAD points into DATA. It is
 * compressed, or the kernel itself.
 */
bool bc_image_find_payload(const uint8_t **payload, size_t *payload_bytes, enum bc_image image,
			   const uint8_t *data, size_t size_bytes, struct bc_err *err);

/*
 * Searches flat bytes for the one BTF in them, at multiples of 4: *FOUND points
 * into DATA, which need not be aligned. None or several are errors. Linear in SIZE_BYTES: the probe is
 * shown headers that add up, and a bounded number of bytes in all.
 */
bool bc_image_search(const uint8_t **found, size_t *found_bytes, const uint8_t *data,
		     size_t size_bytes, bc_btf_probe probe, struct bc_err *err);

#endif

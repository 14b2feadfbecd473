/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BTF_FORMAT_H
#define BC_BTF_FORMAT_H

/*
 * The header of raw BTF, as 32-bit words after magic (16 bits), version and
 * flags (8 bits each). Source: include/uapi/linux/btf.h; the last two words
 * came in 2026 with the type-layout section.
 */
#define BC_BTF_MAGIC 0xeb9fu
#define BC_BTF_VERSION 1u

enum bc_btf_header_word {
	BC_BTF_MAGIC_WORD,
	BC_BTF_HEADER_BYTES, /* hdr_len; the offsets below count from the header's end */
	BC_BTF_TYPE_OFFSET,
	BC_BTF_TYPE_BYTES,
	BC_BTF_STRING_OFFSET,
	BC_BTF_STRING_BYTES,
	BC_BTF_LAYOUT_OFFSET,
	BC_BTF_LAYOUT_BYTES,
};

#define BC_BTF_SHORT_HEADER 24u
#define BC_BTF_LONG_HEADER 32u

/* One entry of the layout section: bytes of fixed part and of an element, then 16 bits of flags. */
#define BC_BTF_LAYOUT_ENTRY 4u

/* What kernels take: include/uapi/linux/btf.h, kernel/bpf/btf.c. */
#define BC_KERNEL_MAX_TYPES 0xfffffu
#define BC_KERNEL_MAX_NAME 511u

#endif

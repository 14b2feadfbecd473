/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "elf/signature.h"

#include <string.h>

#include "elf/bytes.h"

/* include/linux/module_signature.h: the signature, 12 bytes that end with its length, this. */
static const char magic[] = "~Module signature appended~\n";

#define MAGIC_BYTES (sizeof(magic) - 1)
#define TAIL_BYTES (12 + MAGIC_BYTES)

bool bc_elf_without_signature(uint64_t *elf_bytes, const struct bc_elf_place *place,
			      struct bc_err *err)
{
	uint8_t tail[TAIL_BYTES];
	uint64_t signature_bytes;

	*elf_bytes = place->size_bytes;
	if (place->size_bytes < TAIL_BYTES)
		return true;
	if (!bc_elf_read(place, tail, place->size_bytes - TAIL_BYTES, TAIL_BYTES, err))
		return false;
	if (memcmp(tail + 12, magic, MAGIC_BYTES) != 0)
		return true;
	signature_bytes = TAIL_BYTES + (uint64_t)bc_bytes_u32(tail + 8, true);
	if (signature_bytes > place->size_bytes)
		return bc_err_set(err, "its signature says that it is longer than the file");
	*elf_bytes -= signature_bytes;
	return true;
}

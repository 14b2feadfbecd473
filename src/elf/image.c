/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "elf/image.h"

#include <inttypes.h>

#define MAGIC(text) text, sizeof(text) - 1

/* Linux, Documentation/arch/x86/boot.rst: the setup header. */
#define X86_SETUP_SECTORS 0x1f1
#define X86_BOOT_FLAG 0x1fe
#define X86_HEADER_MAGIC 0x202
#define X86_VERSION 0x206
#define X86_PAYLOAD_OFFSET 0x248
#define X86_PAYLOAD_LENGTH 0x24c
#define X86_SETUP_END 0x250
#define X86_PAYLOAD_VERSION 0x208

/* Linux, drivers/firmware/efi/libstub/zboot-header.S. */
#define ZBOOT_MAGIC 4
#define ZBOOT_PAYLOAD_OFFSET 8
#define ZBOOT_PAYLOAD_SIZE 12
#define ZBOOT_HEADER_END 16

/* Linux, Documentation/arch/{arm64/booting,riscv/boot-image-header}.rst. */
#define FLAT_MAGIC 56

#define BTF_HEADER_BYTES 24

/* What showing one candidate to the probe costs, beside its length. */
#define PROBE_COST_BYTES 4096

enum bc_image bc_image_recognize(const uint8_t *data, size_t size_bytes)
{
	if (bc_bytes_have(data, size_bytes, X86_BOOT_FLAG, MAGIC("\x55\xaa")) &&
	    bc_bytes_have(data, size_bytes, X86_HEADER_MAGIC, MAGIC("HdrS")))
		return BC_IMAGE_BZIMAGE;
	if (bc_bytes_have(data, size_bytes, FLAT_MAGIC, MAGIC("ARM\x64")))
		return BC_IMAGE_ARM64;
	if (bc_bytes_have(data, size_bytes, FLAT_MAGIC, MAGIC("RSC\x05")))
		return BC_IMAGE_FLAT;
	if (!bc_bytes_have(data, size_bytes, 0, MAGIC("MZ")))
		return BC_IMAGE_NONE;
	return bc_bytes_have(data, size_bytes, ZBOOT_MAGIC, MAGIC("zimg")) ? BC_IMAGE_ZBOOT :
									     BC_IMAGE_FLAT;
}

static bool find_bzimage_payload(uint64_t *offset, uint64_t *length, const uint8_t *data,
				 size_t size_bytes, struct bc_err *err)
{
	uint64_t setup_sectors;

	if (size_bytes < X86_SETUP_END)
		return bc_err_set(err, "the kernel image ends in its boot header");
	if (bc_bytes_u16(data + X86_VERSION, false) < X86_PAYLOAD_VERSION)
		return bc_err_set(err, "the kernel image does not say where its payload is "
				       "(boot protocol older than 2.08)");
	setup_sectors = data[X86_SETUP_SECTORS];
	if (!setup_sectors)
		setup_sectors = 4; /* as old boot loaders had it */
	*offset = (setup_sectors + 1) * 512 + bc_bytes_u32(data + X86_PAYLOAD_OFFSET, false);
	*length = bc_bytes_u32(data + X86_PAYLOAD_LENGTH, false);
	return true;
}

static bool find_zboot_payload(uint64_t *offset, uint64_t *length, const uint8_t *data,
			       size_t size_bytes, struct bc_err *err)
{
	if (size_bytes < ZBOOT_HEADER_END)
		return bc_err_set(err, "the kernel image ends in its boot header");
	*offset = bc_bytes_u32(data + ZBOOT_PAYLOAD_OFFSET, false);
	*length = bc_bytes_u32(data + ZBOOT_PAYLOAD_SIZE, false);
	return true;
}

bool bc_image_find_payload(const uint8_t **payload, size_t *payload_bytes, enum bc_image image,
			   const uint8_t *data, size_t size_bytes, struct bc_err *err)
{
	uint64_t offset = 0;
	uint64_t length = 0;

	if (!(image == BC_IMAGE_BZIMAGE ? find_bzimage_payload : find_zboot_payload)(
		    &offset, &length, data, size_bytes, err))
		return false;
	if (!length)
		return bc_err_set(err, "the kernel image has no payload");
	if (offset > size_bytes || length > size_bytes - offset)
		return bc_err_set(err,
				  "the kernel image is cut: its payload, bytes %" PRIu64
				  " to %" PRIu64 ", goes beyond its end at %zu",
				  offset, offset + length, size_bytes);
	*payload = data + offset;
	*payload_bytes = (size_t)length;
	return true;
}

/* How many bytes a BTF at DATA says it has; 0: none begins here. */
static uint64_t measure_candidate(const uint8_t *data, size_t size_bytes)
{
	bool big_endian = data[0] == 0xeb;
	uint64_t header_bytes;
	uint64_t type_end;
	uint64_t string_end;
	uint64_t end;

	if (size_bytes < BTF_HEADER_BYTES ||
	    (memcmp(data, "\x9f\xeb\x01", 3) != 0 && memcmp(data, "\xeb\x9f\x01", 3) != 0))
		return 0;
	header_bytes = bc_bytes_u32(data + 4, big_endian);
	type_end = (uint64_t)bc_bytes_u32(data + 8, big_endian) +
		   bc_bytes_u32(data + 12, big_endian);
	string_end = (uint64_t)bc_bytes_u32(data + 16, big_endian) +
		     bc_bytes_u32(data + 20, big_endian);
	end = header_bytes + (type_end > string_end ? type_end : string_end);
	return header_bytes < BTF_HEADER_BYTES || end > size_bytes ? 0 : end;
}

bool bc_image_search(const uint8_t **found, size_t *found_bytes, const uint8_t *data,
		     size_t size_bytes, bc_btf_probe probe, struct bc_err *err)
{
	/* In a kernel next to nothing but the BTF itself passes for a header. */
	uint64_t budget_bytes = 8 * (uint64_t)size_bytes + 64 * PROBE_COST_BYTES;
	uint64_t found_count = 0;
	size_t offset = 0;

	while (size_bytes - offset >= BTF_HEADER_BYTES) {
		uint64_t candidate_bytes = measure_candidate(data + offset, size_bytes - offset);
		size_t total_bytes = 0;

		if (!candidate_bytes) {
			offset += 4;
			continue;
		}
		if (candidate_bytes + PROBE_COST_BYTES > budget_bytes)
			return bc_err_set(err, "too many things in the image look like BTF");
		budget_bytes -= candidate_bytes + PROBE_COST_BYTES;
		if (!probe(data + offset, size_bytes - offset, &total_bytes) ||
		    total_bytes < BTF_HEADER_BYTES || total_bytes > size_bytes - offset) {
			offset += 4;
			continue;
		}
		if (!found_count++) {
			*found = data + offset;
			*found_bytes = total_bytes;
		}
		if (total_bytes > size_bytes - offset - 4)
			break;
		offset += (total_bytes + 3) & ~(size_t)3;
	}
	if (found_count == 1)
		return true;
	if (!found_count)
		return bc_err_set(err, "the image holds no BTF");
	return bc_err_set(err, "the image holds %" PRIu64 " BTFs", found_count);
}

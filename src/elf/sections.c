/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "elf/sections.h"

#include <inttypes.h>

#include "elf/unpack.h"

#ifndef ELFCOMPRESS_ZSTD /* older than elfutils 0.189 */
#define ELFCOMPRESS_ZSTD 2
#endif

/* What is known of an ELF while its sections are walked. */
struct walk {
	const struct bc_elf_table *table;
	uint64_t limit_bytes;
	bool has_dwarf;
};

void bc_sections_free(struct bc_elf_btf *found)
{
	bc_bytes_free(&found->btf);
	bc_bytes_free(&found->base_btf);
	bc_bytes_free(&found->btf_ext);
	memset(found, 0, sizeof(*found));
}

/* *BYTES is the compressed section; it is replaced by what is in it. */
static bool unpack_section(const struct walk *walk, struct bc_bytes *bytes, struct bc_err *err)
{
	size_t header_bytes = walk->table->is_64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	struct bc_bytes unpacked = { 0 };
	enum bc_packing packing;
	uint64_t stated_bytes;
	uint32_t method;

	if (bytes->size_bytes < header_bytes)
		return bc_err_set(err, "ends in its compression header");
	method = (uint32_t)BC_ELF_FIELD(walk->table, bytes->data, Chdr, ch_type);
	stated_bytes = BC_ELF_FIELD(walk->table, bytes->data, Chdr, ch_size);
	if (method != ELFCOMPRESS_ZLIB && method != ELFCOMPRESS_ZSTD)
		return bc_err_set(err, "compressed by method %" PRIu32 ", which is not supported",
				  method);
	packing = method == ELFCOMPRESS_ZLIB ? BC_PACKING_ZLIB : BC_PACKING_ZSTD;
	if (stated_bytes > walk->limit_bytes)
		return bc_err_set(err, "%zu compressed bytes state that they unpack to %" PRIu64,
				  bytes->size_bytes, stated_bytes);
	if (!bc_unpack(&unpacked, packing, bytes->data + header_bytes,
		       bytes->size_bytes - header_bytes, walk->limit_bytes, err))
		return false;
	bc_bytes_free(bytes);
	*bytes = unpacked;
	if (unpacked.size_bytes != stated_bytes)
		return bc_err_set(err, "states %" PRIu64 " bytes, but unpacks to %zu", stated_bytes,
				  unpacked.size_bytes);
	return true;
}

static bool read_section(const struct walk *walk, const Elf64_Shdr *header, struct bc_bytes *bytes,
			 struct bc_err *err)
{
	if (bytes->data)
		return bc_err_set(err, "there are two of it");
	if (header->sh_type == SHT_NOBITS)
		return bc_err_set(err, "has no data (a separate debug file?)");
	if (header->sh_size > BC_BYTES_MAX)
		return bc_err_set(err, "has more than %" PRIu64 " MiB", BC_BYTES_MAX >> 20);
	/* One byte more, so that there is a pointer for an empty section too. */
	if (!bc_bytes_reserve(bytes, (size_t)header->sh_size + 1, err) ||
	    !bc_elf_read(&walk->table->place, bytes->data, header->sh_offset,
			 (size_t)header->sh_size, err))
		return false;
	bytes->size_bytes = (size_t)header->sh_size;
	return !(header->sh_flags & SHF_COMPRESSED) || unpack_section(walk, bytes, err);
}

static bool visit_section(struct walk *walk, struct bc_elf_btf *found, size_t index,
			  struct bc_err *err)
{
	struct bc_bytes *wanted = NULL;
	Elf64_Shdr header;
	const char *name;

	if (!bc_elf_table_get(walk->table, index, &header, &name, err))
		return false;
	if (header.sh_type == SHT_NULL)
		return true;
	if (!strcmp(name, ".BTF"))
		wanted = &found->btf;
	else if (!strcmp(name, ".BTF.base"))
		wanted = &found->base_btf;
	else if (!strcmp(name, ".BTF.ext"))
		wanted = &found->btf_ext;
	else if (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info"))
		walk->has_dwarf |= header.sh_type != SHT_NOBITS;
	if (!wanted)
		return true;
	if (read_section(walk, &header, wanted, err))
		return true;
	return bc_err_prefix(err, name);
}

static bool read_sections(struct walk *walk, struct bc_elf_btf *found, struct bc_err *err)
{
	const struct bc_elf_table *table = walk->table;

	found->pointer_bytes = table->is_64 ? 8 : 4;
	found->machine = table->machine;
	found->is_elf = true;
	for (size_t i = 1; i < table->count; i++)
		if (!visit_section(walk, found, i, err))
			return false;
	if (!found->btf.data)
		return bc_err_set(err, "no .BTF section%s",
				  walk->has_dwarf ? ", only DWARF to encode it from" : "");
	if (!found->btf.size_bytes)
		return bc_err_set(err, "the .BTF section is empty");
	return true;
}

bool bc_sections_read(struct bc_elf_btf *found, const struct bc_elf_place *place,
		      uint64_t limit_bytes, struct bc_err *err)
{
	struct bc_elf_table table;
	struct walk walk = { .table = &table, .limit_bytes = limit_bytes };
	bool done;

	if (!bc_elf_table_open(&table, place, err))
		return false;
	done = read_sections(&walk, found, err);
	bc_elf_table_close(&table);
	if (!done)
		bc_sections_free(found);
	return done;
}

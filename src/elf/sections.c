/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "elf/sections.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <unistd.h>

#include "elf/unpack.h"

#ifndef ELFCOMPRESS_ZSTD /* older than elfutils 0.189 */
#define ELFCOMPRESS_ZSTD 2
#endif

/* What is known of an ELF while its sections are walked. */
struct walk {
	const struct bc_elf_place *place;
	Elf *elf;
	bool is_64;
	bool big_endian;
	uint64_t limit_bytes;
	bool has_dwarf;
};

bool bc_sections_recognize(const uint8_t *data, size_t size_bytes)
{
	return bc_bytes_have(data, size_bytes, 0, ELFMAG, SELFMAG);
}

void bc_sections_free(struct bc_elf_btf *found)
{
	bc_bytes_free(&found->btf);
	bc_bytes_free(&found->base_btf);
	bc_bytes_free(&found->btf_ext);
	memset(found, 0, sizeof(*found));
}

/* The caller has checked that the bytes are there; a file may still shrink meanwhile. */
static bool read_place(const struct bc_elf_place *place, uint8_t *out, uint64_t offset,
		       size_t size_bytes, struct bc_err *err)
{
	if (place->data) {
		memcpy(out, place->data + offset, size_bytes);
		return true;
	}
	while (size_bytes) {
		ssize_t got = pread(place->fd, out, size_bytes, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return bc_err_errno(err, "cannot read");
		if (!got)
			return bc_err_set(err,
					  "ends at byte %" PRIu64
					  ": it became shorter while it was read",
					  offset);
		out += got;
		offset += (uint64_t)got;
		size_bytes -= (size_t)got;
	}
	return true;
}

static bool is_inside(const struct bc_elf_place *place, uint64_t offset, uint64_t size_bytes)
{
	return offset <= place->size_bytes && size_bytes <= place->size_bytes - offset;
}

/* FIELD of the Elf64 or Elf32 struct TYPE at BYTES. */
#define READ_FIELD(walk, bytes, type, field)                                                       \
	((walk)->is_64 ? read_number((bytes) + offsetof(Elf64_##type, field),                      \
				     sizeof(((Elf64_##type *)0)->field), (walk)->big_endian) :     \
			 read_number((bytes) + offsetof(Elf32_##type, field),                      \
				     sizeof(((Elf32_##type *)0)->field), (walk)->big_endian))

static uint64_t read_number(const uint8_t *data, size_t size_bytes, bool big_endian)
{
	switch (size_bytes) {
	case 2:
		return bc_bytes_u16(data, big_endian);
	case 4:
		return bc_bytes_u32(data, big_endian);
	default:
		return bc_bytes_u64(data, big_endian);
	}
}

static bool read_elf_header(struct walk *walk, uint8_t header[sizeof(Elf64_Ehdr)],
			    struct bc_err *err)
{
	size_t header_bytes;

	memset(header, 0, sizeof(Elf64_Ehdr));
	if (!is_inside(walk->place, 0, EI_NIDENT))
		return bc_err_set(err, "the ELF file ends in its header");
	if (!read_place(walk->place, header, 0, EI_NIDENT, err))
		return false;
	walk->is_64 = header[EI_CLASS] == ELFCLASS64;
	walk->big_endian = header[EI_DATA] == ELFDATA2MSB;
	if ((!walk->is_64 && header[EI_CLASS] != ELFCLASS32) ||
	    (!walk->big_endian && header[EI_DATA] != ELFDATA2LSB))
		return bc_err_set(err, "an ELF file of unknown class (%u) or byte order (%u)",
				  header[EI_CLASS], header[EI_DATA]);
	header_bytes = walk->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	if (!is_inside(walk->place, 0, header_bytes))
		return bc_err_set(err, "the ELF file ends in its header");
	return read_place(walk->place, header, 0, header_bytes, err);
}

/*
 * libelf allocates for every section that the headers promise, before it
 * looks at one; so the promise is checked against the file's size first.
 */
static bool check_section_table(struct walk *walk, struct bc_err *err)
{
	uint8_t header[sizeof(Elf64_Ehdr)];
	uint8_t first[sizeof(Elf64_Shdr)];
	size_t entry_bytes;
	uint64_t offset;
	uint64_t count;

	if (!read_elf_header(walk, header, err))
		return false;
	entry_bytes = walk->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	offset = READ_FIELD(walk, header, Ehdr, e_shoff);
	count = READ_FIELD(walk, header, Ehdr, e_shnum);
	if (!offset)
		return bc_err_set(err, "no .BTF section: the ELF file has no sections at all");
	if (!count) { /* more than 16 bits can say: section header 0 says how many */
		if (!is_inside(walk->place, offset, entry_bytes))
			count = 1;
		else if (!read_place(walk->place, first, offset, entry_bytes, err))
			return false;
		else
			count = READ_FIELD(walk, first, Shdr, sh_size);
	}
	if (count > walk->place->size_bytes / entry_bytes ||
	    !is_inside(walk->place, offset, count * entry_bytes))
		return bc_err_set(err,
				  "the ELF file is cut: its %" PRIu64
				  " section headers from byte %" PRIu64
				  " on go beyond its end at %" PRIu64,
				  count, offset, walk->place->size_bytes);
	return true;
}

/* *BYTES is the compressed section; it is replaced by what is in it. */
static bool unpack_section(const struct walk *walk, struct bc_bytes *bytes, struct bc_err *err)
{
	size_t header_bytes = walk->is_64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	struct bc_bytes unpacked = { 0 };
	enum bc_packing packing;
	uint64_t stated_bytes;
	uint32_t method;

	if (bytes->size_bytes < header_bytes)
		return bc_err_set(err, "ends in its compression header");
	method = (uint32_t)READ_FIELD(walk, bytes->data, Chdr, ch_type);
	stated_bytes = READ_FIELD(walk, bytes->data, Chdr, ch_size);
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

static bool read_section(const struct walk *walk, const GElf_Shdr *header, struct bc_bytes *bytes,
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
	    !read_place(walk->place, bytes->data, header->sh_offset, (size_t)header->sh_size, err))
		return false;
	bytes->size_bytes = (size_t)header->sh_size;
	return !(header->sh_flags & SHF_COMPRESSED) || unpack_section(walk, bytes, err);
}

/* Before the names are looked at: where those are cut off, this says it best. */
static bool check_sections_inside(const struct walk *walk, struct bc_err *err)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(walk->elf, section)) != NULL) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header))
			return bc_err_set(err, "section %zu: %s", elf_ndxscn(section),
					  elf_errmsg(-1));
		if (header.sh_type != SHT_NULL && header.sh_type != SHT_NOBITS &&
		    !is_inside(walk->place, header.sh_offset, header.sh_size))
			return bc_err_set(err,
					  "the ELF file is cut: its section %zu, %" PRIu64
					  " bytes from byte %" PRIu64
					  " on, goes beyond its end at %" PRIu64,
					  elf_ndxscn(section), header.sh_size, header.sh_offset,
					  walk->place->size_bytes);
	}
	return true;
}

static bool visit_section(struct walk *walk, struct bc_elf_btf *found, Elf_Scn *section,
			  size_t names_index, struct bc_err *err)
{
	struct bc_bytes *wanted = NULL;
	GElf_Shdr header;
	const char *name;

	if (!gelf_getshdr(section, &header))
		return bc_err_set(err, "section %zu: %s", elf_ndxscn(section), elf_errmsg(-1));
	if (header.sh_type == SHT_NULL)
		return true;
	name = elf_strptr(walk->elf, names_index, header.sh_name);
	if (!name)
		return bc_err_set(err, "section %zu: its name cannot be read (%s)",
				  elf_ndxscn(section), elf_errmsg(-1));
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

static bool visit_sections(struct walk *walk, struct bc_elf_btf *found, struct bc_err *err)
{
	Elf_Scn *section = elf_getscn(walk->elf, 0);
	size_t names_index;
	GElf_Shdr first;
	GElf_Ehdr header;

	/*
	 * Section header 0 may hold the index of the names. With that not loaded yet, and an ELF
	 * of the other byte order in memory, elf_getshdrstrndx of elfutils 0.188 would read a file.
	 */
	if (!gelf_getehdr(walk->elf, &header) || !gelf_getshdr(section, &first) ||
	    elf_getshdrstrndx(walk->elf, &names_index) != 0)
		return bc_err_set(err, "the ELF file cannot be read: %s", elf_errmsg(-1));
	found->pointer_bytes = walk->is_64 ? 8 : 4;
	found->machine = header.e_machine;
	found->is_elf = true;
	if (!check_sections_inside(walk, err))
		return false;
	while ((section = elf_nextscn(walk->elf, section)) != NULL)
		if (!visit_section(walk, found, section, names_index, err))
			return false;
	return true;
}

static bool read_sections(struct walk *walk, struct bc_elf_btf *found, struct bc_err *err)
{
	const struct bc_elf_place *place = walk->place;
	bool done;

	if (!check_section_table(walk, err))
		return false;
	elf_version(EV_CURRENT);
	/* elf_memory takes a plain pointer, but a file opened for reading is not written to. */
	walk->elf = place->data ? elf_memory((char *)(uintptr_t)place->data, place->size_bytes) :
				  elf_begin(place->fd, ELF_C_READ, NULL);
	if (!walk->elf)
		return bc_err_set(err, "the ELF file cannot be read: %s", elf_errmsg(-1));
	done = visit_sections(walk, found, err);
	elf_end(walk->elf);
	if (!done)
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
	struct walk walk = { .place = place, .limit_bytes = limit_bytes };

	if (read_sections(&walk, found, err))
		return true;
	bc_sections_free(found);
	return false;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "elf/table.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <unistd.h>

#include "elf/bytes.h"

bool bc_elf_recognize(const uint8_t *data, size_t size_bytes)
{
	return bc_bytes_have(data, size_bytes, 0, ELFMAG, SELFMAG);
}

bool bc_elf_peek(const char *path, uint16_t *type, uint16_t *machine)
{
	/* The same in both classes. */
	uint8_t head[offsetof(Elf64_Ehdr, e_machine) + sizeof(uint16_t)];
	struct bc_elf_place place = {
		.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK),
		.size_bytes = sizeof(head),
	};
	bool big_endian, done;
	struct bc_err unread;

	if (place.fd < 0)
		return false;
	done = bc_elf_read(&place, head, 0, sizeof(head), &unread);
	close(place.fd);
	if (!done || !bc_elf_recognize(head, sizeof(head)))
		return false;
	big_endian = head[EI_DATA] == ELFDATA2MSB;
	*type = bc_bytes_u16(head + offsetof(Elf64_Ehdr, e_type), big_endian);
	*machine = bc_bytes_u16(head + offsetof(Elf64_Ehdr, e_machine), big_endian);
	return true;
}

/* The caller has checked that the bytes are there; a file may still shrink meanwhile. */
bool bc_elf_read(const struct bc_elf_place *place, uint8_t *out, uint64_t offset, size_t size_bytes,
		 struct bc_err *err)
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

uint64_t bc_elf_number(const uint8_t *data, size_t size_bytes, bool big_endian)
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

void bc_elf_store_number(uint8_t *data, size_t size_bytes, bool big_endian, uint64_t number)
{
	for (size_t i = 0; i < size_bytes; i++)
		data[big_endian ? size_bytes - 1 - i : i] = (uint8_t)(number >> 8 * i);
}

static bool read_elf_header(struct bc_elf_table *table, uint8_t header[sizeof(Elf64_Ehdr)],
			    struct bc_err *err)
{
	size_t header_bytes;

	memset(header, 0, sizeof(Elf64_Ehdr));
	if (!bc_elf_is_inside(&table->place, 0, EI_NIDENT))
		return bc_err_set(err, "the ELF file ends in its header");
	if (!bc_elf_read(&table->place, header, 0, EI_NIDENT, err))
		return false;
	table->is_64 = header[EI_CLASS] == ELFCLASS64;
	table->big_endian = header[EI_DATA] == ELFDATA2MSB;
	if ((!table->is_64 && header[EI_CLASS] != ELFCLASS32) ||
	    (!table->big_endian && header[EI_DATA] != ELFDATA2LSB))
		return bc_err_set(err, "an ELF file of unknown class (%u) or byte order (%u)",
				  header[EI_CLASS], header[EI_DATA]);
	header_bytes = table->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	if (!bc_elf_is_inside(&table->place, 0, header_bytes))
		return bc_err_set(err, "the ELF file ends in its header");
	return bc_elf_read(&table->place, header, 0, header_bytes, err);
}

/*
 * libelf allocates for every section that the headers promise, before it
 * looks at one; so the promise is checked against the file's size first.
 */
static bool check_promise(struct bc_elf_table *table, struct bc_err *err)
{
	uint8_t header[sizeof(Elf64_Ehdr)];
	uint8_t first[sizeof(Elf64_Shdr)];
	size_t entry_bytes;
	uint64_t offset;
	uint64_t count;

	if (!read_elf_header(table, header, err))
		return false;
	entry_bytes = table->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	offset = BC_ELF_FIELD(table, header, Ehdr, e_shoff);
	count = BC_ELF_FIELD(table, header, Ehdr, e_shnum);
	if (!offset)
		return bc_err_set(err, "no .BTF section: the ELF file has no sections at all");
	if (!count) { /* more than 16 bits can say: section header 0 says how many */
		if (!bc_elf_is_inside(&table->place, offset, entry_bytes))
			count = 1;
		else if (!bc_elf_read(&table->place, first, offset, entry_bytes, err))
			return false;
		else
			count = BC_ELF_FIELD(table, first, Shdr, sh_size);
	}
	if (count > table->place.size_bytes / entry_bytes ||
	    !bc_elf_is_inside(&table->place, offset, count * entry_bytes))
		return bc_err_set(err,
				  "the ELF file is cut: its %" PRIu64
				  " section headers from byte %" PRIu64
				  " on go beyond its end at %" PRIu64,
				  count, offset, table->place.size_bytes);
	return true;
}

/* Before the names are looked at: where those are cut off, this says it best. */
static bool check_sections_inside(const struct bc_elf_table *table, struct bc_err *err)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(table->elf, section)) != NULL) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header))
			return bc_err_set(err, "section %zu: %s", elf_ndxscn(section),
					  elf_errmsg(-1));
		if (header.sh_type != SHT_NULL && header.sh_type != SHT_NOBITS &&
		    !bc_elf_is_inside(&table->place, header.sh_offset, header.sh_size))
			return bc_err_set(err,
					  "the ELF file is cut: its section %zu, %" PRIu64
					  " bytes from byte %" PRIu64
					  " on, goes beyond its end at %" PRIu64,
					  elf_ndxscn(section), header.sh_size, header.sh_offset,
					  table->place.size_bytes);
	}
	return true;
}

static bool read_headers(struct bc_elf_table *table, struct bc_err *err)
{
	const struct bc_elf_place *place = &table->place;
	GElf_Shdr first;
	GElf_Ehdr header;

	elf_version(EV_CURRENT);
	/* elf_memory takes a plain pointer, but a file opened for reading is not written to. */
	table->elf = place->data ? elf_memory((char *)(uintptr_t)place->data, place->size_bytes) :
				   elf_begin(place->fd, ELF_C_READ, NULL);
	/*
	 * Section header 0 may hold the index of the names. With that not loaded yet, and an ELF
	 * of the other byte order in memory, elf_getshdrstrndx of elfutils 0.188 would read a file.
	 */
	if (!table->elf || !gelf_getehdr(table->elf, &header) ||
	    !gelf_getshdr(elf_getscn(table->elf, 0), &first) ||
	    elf_getshdrnum(table->elf, &table->count) != 0 ||
	    elf_getshdrstrndx(table->elf, &table->names_index) != 0)
		return bc_err_set(err, "the ELF file cannot be read: %s", elf_errmsg(-1));
	/* Where there is but section 0, nothing asks for a name, and so libelf not for this one. */
	if (table->names_index && table->names_index >= table->count)
		return bc_err_set(err, "the names of its sections are in section %zu, of %zu",
				  table->names_index, table->count);
	table->type = header.e_type;
	table->machine = header.e_machine;
	return check_sections_inside(table, err);
}

bool bc_elf_table_open(struct bc_elf_table *table, const struct bc_elf_place *place,
		       struct bc_err *err)
{
	*table = (struct bc_elf_table){ .place = *place };
	if (check_promise(table, err) && read_headers(table, err))
		return true;
	bc_elf_table_close(table);
	return false;
}

void bc_elf_table_close(struct bc_elf_table *table)
{
	elf_end(table->elf);
	*table = (struct bc_elf_table){ 0 };
}

bool bc_elf_table_get(const struct bc_elf_table *table, size_t index, Elf64_Shdr *header,
		      const char **name, struct bc_err *err)
{
	Elf_Scn *section = elf_getscn(table->elf, index);

	if (!section || !gelf_getshdr(section, header)) {
		bc_err_set(err, "section %zu: %s", index, elf_errmsg(-1));
		return false;
	}
	*name = elf_strptr(table->elf, table->names_index, header->sh_name);
	/* An entry that is not in use need not have one. */
	if (!*name && header->sh_type == SHT_NULL)
		*name = "";
	if (*name)
		return true;
	return bc_err_set(err, "section %zu: its name cannot be read (%s)", index, elf_errmsg(-1));
}

bool bc_elf_table_find(const struct bc_elf_table *table, const char *name, size_t *index,
		       struct bc_err *err)
{
	*index = 0;
	for (size_t i = 1; i < table->count; i++) {
		const char *other;
		Elf64_Shdr header;

		if (!bc_elf_table_get(table, i, &header, &other, err))
			return false;
		if (header.sh_type == SHT_NULL || strcmp(other, name))
			continue;
		if (*index)
			return bc_err_set(err, "%s: there are two of it", name);
		*index = i;
	}
	return true;
}

bool bc_elf_section_bytes(const struct bc_elf_table *table, size_t index, uint8_t **data,
			  size_t *size_bytes, struct bc_arena *arena, struct bc_err *err)
{
	Elf64_Shdr header;
	const char *name;

	if (!bc_elf_table_get(table, index, &header, &name, err))
		return false;
	if (header.sh_type == SHT_NOBITS)
		return bc_err_set(err, "%s: has no data (a separate debug file?)", name);
	if (header.sh_size > BC_BYTES_MAX)
		return bc_err_set(err, "%s: has more than %" PRIu64 " MiB", name,
				  BC_BYTES_MAX >> 20);
	*size_bytes = (size_t)bc_elf_stored_bytes(&header);
	*data = bc_arena_alloc(arena, *size_bytes, 1, err);
	return *data && bc_elf_read(&table->place, *data, header.sh_offset, *size_bytes, err);
}

bool bc_elf_take_bytes(uint64_t *left_bytes, const Elf64_Shdr *header, const char *name,
		       struct bc_err *err)
{
	if (bc_elf_stored_bytes(header) > *left_bytes)
		return bc_err_set(err, "section %.80s lies on others", name);
	*left_bytes -= bc_elf_stored_bytes(header);
	return true;
}

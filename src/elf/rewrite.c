/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "elf/rewrite.h"

#include <gelf.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/copy.h"
#include "base/order.h"
#include "elf/layout.h"

/*
 * An ELF with other bytes in some sections.
 *
 *  1. [take_sections] lists what the file consists of: its sections and the
 *     table of their headers; [take_changes] what they will be. A new section
 *     needs a name, so the names are a changed section too.
 *  2. [bc_elf_lay_out] says what goes where.
 *  3. [write_file] copies what stays, as far as that is not done yet, and what
 *     moves, writes what changes, then the two headers that say so, translated
 *     by libelf.
 *
 * elf_update would do much of this, but reads all sections into memory (a
 * kernel with DWARF has half a GB), fills the gaps between them, corrects
 * headers that nobody asked it to correct, and refuses odd alignments.
 */

#define TABLE_ALIGN 8u

struct rewrite {
	int to_fd;
	uint64_t copied_bytes; /* of the old file, that TO_FD begins with */
	const struct bc_elf_table *from;
	Elf64_Shdr *headers;                  /* [layout.count], as they will be */
	const struct bc_elf_change **changed; /* [layout.count] NULL: stays as it is */
	struct bc_elf_change names; /* the changed section of names; data NULL: it stays */
	struct bc_elf_layout layout;
	Elf64_Ehdr header;
	struct bc_arena *arena;
	struct bc_err *err;
};

static size_t entry_bytes(const struct rewrite *rewrite)
{
	return rewrite->from->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

/* Whether a segment covers a byte of the section. */
static bool is_in_segment(const struct bc_elf_table *table, const Elf64_Shdr *section)
{
	uint64_t end = section->sh_offset + bc_elf_stored_bytes(section);
	size_t count = 0;

	elf_getphdrnum(table->elf, &count);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (gelf_getphdr(table->elf, (int)i, &segment) && segment.p_filesz &&
		    segment.p_offset < end &&
		    (segment.p_offset > section->sh_offset ||
		     segment.p_filesz > section->sh_offset - segment.p_offset))
			return true;
	}
	return false;
}

bool bc_elf_is_fixed(bool *fixed, const struct bc_elf_table *table, size_t index,
		     struct bc_err *err)
{
	Elf64_Shdr header;
	const char *name;

	if (!bc_elf_table_get(table, index, &header, &name, err))
		return false;
	*fixed = ((header.sh_flags & SHF_ALLOC) && table->type != ET_REL) ||
		 is_in_segment(table, &header);
	return true;
}

static void raise_floor(struct bc_elf_layout *layout, uint64_t offset, uint64_t size_bytes)
{
	if (offset < layout->file_bytes && size_bytes <= layout->file_bytes - offset &&
	    offset + size_bytes > layout->floor_bytes)
		layout->floor_bytes = offset + size_bytes;
}

/* The headers, and what is loaded. */
static bool find_floor(struct rewrite *rewrite)
{
	const struct bc_elf_table *from = rewrite->from;
	struct bc_elf_layout *layout = &rewrite->layout;
	size_t phdr_bytes = from->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	size_t count = 0;

	if (!gelf_getehdr(from->elf, &rewrite->header) || elf_getphdrnum(from->elf, &count) != 0)
		return bc_err_set(rewrite->err, "its headers: %s", elf_errmsg(-1));
	layout->floor_bytes = from->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	raise_floor(layout, rewrite->header.e_phoff, count * phdr_bytes);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(from->elf, (int)i, &segment))
			return bc_err_set(rewrite->err, "segment %zu: %s", i, elf_errmsg(-1));
		raise_floor(layout, segment.p_offset, segment.p_filesz);
	}
	for (size_t i = 1; i < from->count; i++) {
		const Elf64_Shdr *header = &rewrite->headers[i];

		if (from->type != ET_REL && header->sh_flags & SHF_ALLOC)
			raise_floor(layout, header->sh_offset, bc_elf_stored_bytes(header));
	}
	return true;
}

static bool take_sections(struct rewrite *rewrite)
{
	const struct bc_elf_table *from = rewrite->from;
	struct bc_elf_layout *layout = &rewrite->layout;

	if (!gelf_getshdr(elf_getscn(from->elf, 0), &rewrite->headers[0]))
		return bc_err_set(rewrite->err, "section 0: %s", elf_errmsg(-1));
	for (size_t i = 1; i < from->count; i++) {
		Elf64_Shdr *header = &rewrite->headers[i];
		const char *name;

		if (!bc_elf_table_get(from, i, header, &name, rewrite->err))
			return false;
		layout->parts[i] = (struct bc_elf_part){
			.offset = header->sh_offset,
			.size_bytes = bc_elf_stored_bytes(header),
			.new_size_bytes = bc_elf_stored_bytes(header),
			.align = 1,
		};
		/* An alignment that the file does not keep is not asked of the new place. */
		if (header->sh_addralign && header->sh_offset % header->sh_addralign == 0)
			layout->parts[i].align = header->sh_addralign;
	}
	if (!find_floor(rewrite))
		return false;
	layout->parts[0] = (struct bc_elf_part){
		.offset = rewrite->header.e_shoff,
		.size_bytes = from->count * entry_bytes(rewrite),
		.new_size_bytes = layout->count * entry_bytes(rewrite),
		.align = TABLE_ALIGN,
	};
	return true;
}

/* The place of NAME among the section's names; it goes to their end where it is not there yet. */
static bool add_name(struct rewrite *rewrite, const char *name, uint32_t *offset)
{
	struct bc_elf_change *names = &rewrite->names;
	size_t length = strlen(name) + 1;
	const uint8_t *there = memmem(names->data, names->size_bytes, name, length);
	uint8_t *longer;

	if (there) {
		*offset = (uint32_t)(there - names->data);
		return true;
	}
	longer = bc_arena_alloc(rewrite->arena, names->size_bytes + length, 1, rewrite->err);
	if (!longer)
		return false;
	memcpy(longer, names->data, names->size_bytes);
	memcpy(longer + names->size_bytes, name, length);
	*offset = (uint32_t)names->size_bytes;
	names->data = longer;
	names->size_bytes += length;
	return true;
}

static bool read_names(struct rewrite *rewrite)
{
	const Elf64_Shdr *header = &rewrite->headers[rewrite->from->names_index];
	uint8_t *data;

	if (bc_elf_stored_bytes(header) > UINT32_MAX / 2)
		return bc_err_set(rewrite->err, "its section names are too long");
	data = bc_arena_alloc(rewrite->arena, bc_elf_stored_bytes(header), 1, rewrite->err);
	if (!data || !bc_elf_read(&rewrite->from->place, data, header->sh_offset,
				  bc_elf_stored_bytes(header), rewrite->err))
		return false;
	rewrite->names.index = rewrite->from->names_index;
	rewrite->names.data = data;
	rewrite->names.size_bytes = bc_elf_stored_bytes(header);
	return true;
}

static bool check_change(const struct rewrite *rewrite, const struct bc_elf_change *change)
{
	const Elf64_Shdr *header = &rewrite->headers[change->index];
	bool fixed = false;

	if (header->sh_type == SHT_NOBITS)
		return bc_err_set(rewrite->err, "has no data (a separate debug file?)");
	if (header->sh_flags & SHF_COMPRESSED)
		return bc_err_set(rewrite->err,
				  "is compressed in the file: it cannot be replaced in place");
	/* Many may change, but few their length: segments are looked at for those alone. */
	if (header->sh_size != change->size_bytes &&
	    !bc_elf_is_fixed(&fixed, rewrite->from, change->index, rewrite->err))
		return false;
	if (fixed)
		return bc_err_set(rewrite->err,
				  "is loaded with the image and has %" PRIu64
				  " bytes, so that %zu cannot take their place",
				  header->sh_size, change->size_bytes);
	if (!rewrite->from->is_64 && change->size_bytes > UINT32_MAX)
		return bc_err_set(rewrite->err, "would be longer than 4 GiB");
	return true;
}

/* ERR is about section INDEX. */
static bool name_section(const struct rewrite *rewrite, size_t index)
{
	Elf64_Shdr unused;
	const char *name;

	return bc_elf_table_get(rewrite->from, index, &unused, &name, rewrite->err) &&
	       bc_err_prefix(rewrite->err, name);
}

/* What else goes by the bytes of changed sections: the names of sections or symbols may be in one. */
static bool check_uses(const struct rewrite *rewrite)
{
	const struct bc_elf_table *from = rewrite->from;

	if (rewrite->changed[from->names_index]) {
		bc_err_set(rewrite->err, "holds the names of the sections, too");
		return name_section(rewrite, from->names_index);
	}
	for (size_t i = 1; i < from->count; i++) {
		const Elf64_Shdr *header = &rewrite->headers[i];

		if (header->sh_type == SHT_SYMTAB && header->sh_link < from->count &&
		    rewrite->changed[header->sh_link]) {
			bc_err_set(rewrite->err, "holds the names of symbols, too");
			return name_section(rewrite, header->sh_link);
		}
	}
	return true;
}

static bool take_change(struct rewrite *rewrite, const struct bc_elf_change *change)
{
	if (!check_change(rewrite, change))
		return name_section(rewrite, change->index);
	rewrite->changed[change->index] = change;
	rewrite->layout.parts[change->index].new_size_bytes = change->size_bytes;
	return true;
}

static bool take_changes(struct rewrite *rewrite, const struct bc_elf_change *changes, size_t count)
{
	size_t next = rewrite->from->count;

	for (size_t i = 0; i < count; i++) {
		const struct bc_elf_change *change = &changes[i];
		Elf64_Shdr *header = &rewrite->headers[next];

		if (change->index) {
			if (!take_change(rewrite, change))
				return false;
			continue;
		}
		*header = (Elf64_Shdr){ .sh_type = SHT_PROGBITS, .sh_addralign = change->align };
		if ((!rewrite->names.data && !read_names(rewrite)) ||
		    !add_name(rewrite, change->name, &header->sh_name))
			return false;
		rewrite->changed[next] = change;
		rewrite->layout.parts[next++] = (struct bc_elf_part){
			.new_size_bytes = change->size_bytes,
			.align = change->align,
		};
	}
	return check_uses(rewrite) &&
	       (!rewrite->names.data || take_change(rewrite, &rewrite->names));
}

/* Bytes behind everything that the headers know cannot come along when things move. */
static bool check_rest(const struct rewrite *rewrite)
{
	const struct bc_elf_layout *layout = &rewrite->layout;
	uint64_t end = layout->floor_bytes;

	if (layout->kept_bytes == layout->file_bytes)
		return true;
	for (size_t i = 0; i < layout->count; i++)
		if (layout->parts[i].offset + layout->parts[i].size_bytes > end)
			end = layout->parts[i].offset + layout->parts[i].size_bytes;
	return end >= layout->file_bytes ||
	       bc_err_set(rewrite->err,
			  "%" PRIu64 " bytes follow the ELF, which are not part of it",
			  layout->file_bytes - end);
}

/* Whether what is in part INDEX will be another, or elsewhere. */
static bool is_touched(const struct rewrite *rewrite, size_t index)
{
	const struct bc_elf_part *part = &rewrite->layout.parts[index];

	return rewrite->changed[index] || part->new_offset != part->offset ||
	       part->new_size_bytes != part->size_bytes;
}

/* Parts that lie on each other, or on the header, can stay, but no one of them alone. */
static bool check_overlaps(const struct rewrite *rewrite)
{
	const struct bc_elf_layout *layout = &rewrite->layout;
	struct bc_keyed *parts = bc_arena_alloc(rewrite->arena, layout->count, sizeof(*parts),
						rewrite->err);
	struct bc_keyed *spare = bc_arena_alloc(rewrite->arena, layout->count, sizeof(*spare),
						rewrite->err);
	uint64_t end = rewrite->from->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	uint32_t count = 0, above = 0;
	bool above_is_touched = true;

	if (!parts || !spare)
		return false;
	for (uint32_t i = 0; i < layout->count; i++)
		if (layout->parts[i].size_bytes)
			parts[count++] = (struct bc_keyed){ layout->parts[i].offset, i };
	bc_sort_keyed(parts, spare, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct bc_elf_part *part = &layout->parts[parts[i].value];
		bool touched = is_touched(rewrite, parts[i].value);

		if (part->offset < end && (touched || above_is_touched))
			return bc_err_set(rewrite->err,
					  "its sections %u and %u lie on each other (0: headers)",
					  above, parts[i].value);
		above_is_touched = touched || (part->offset < end && above_is_touched);
		above = parts[i].value;
		if (part->offset + part->size_bytes > end)
			end = part->offset + part->size_bytes;
	}
	return true;
}

static bool write_part(const struct rewrite *rewrite, size_t index)
{
	const struct bc_elf_part *part = &rewrite->layout.parts[index];
	const struct bc_elf_change *change = rewrite->changed[index];

	if (change)
		return bc_write_at(rewrite->to_fd, part->new_offset, change->data,
				   change->size_bytes, rewrite->err);
	return part->new_offset < rewrite->layout.kept_bytes ||
	       bc_copy_range(rewrite->to_fd, part->new_offset, rewrite->from->place.fd,
			     part->offset, part->size_bytes, rewrite->err);
}

/* What was in a part that became shorter or moved, where nothing else takes the place. */
static bool clear_rest(const struct rewrite *rewrite, const struct bc_elf_part *part)
{
	uint64_t begin = part->offset;
	uint64_t end = part->offset + part->size_bytes;
	uint8_t *zeros;

	if (part->new_offset == part->offset)
		begin += part->new_size_bytes;
	if (end > rewrite->layout.kept_bytes)
		end = rewrite->layout.kept_bytes;
	if (begin >= end)
		return true;
	zeros = bc_arena_zalloc(rewrite->arena, end - begin, 1, rewrite->err);
	return zeros && bc_write_at(rewrite->to_fd, begin, zeros, end - begin, rewrite->err);
}

static bool translate(const struct rewrite *rewrite, Elf_Type type, const void *native,
		      void *stored, size_t size_bytes)
{
	Elf_Data from = { .d_buf = (void *)(uintptr_t)native,
			  .d_type = type,
			  .d_version = EV_CURRENT,
			  .d_size = size_bytes };
	Elf_Data to = { .d_buf = stored, .d_version = EV_CURRENT, .d_size = size_bytes };

	return gelf_xlatetof(rewrite->from->elf, &to, &from,
			     rewrite->from->big_endian ? ELFDATA2MSB : ELFDATA2LSB) ||
	       bc_err_set(rewrite->err, "its headers: %s", elf_errmsg(-1));
}

static bool store_section_header(const struct rewrite *rewrite, const Elf64_Shdr *header,
				 uint8_t *stored)
{
	Elf32_Shdr narrow = {
		.sh_name = header->sh_name,
		.sh_type = header->sh_type,
		.sh_flags = (Elf32_Word)header->sh_flags,
		.sh_addr = (Elf32_Addr)header->sh_addr,
		.sh_offset = (Elf32_Off)header->sh_offset,
		.sh_size = (Elf32_Word)header->sh_size,
		.sh_link = header->sh_link,
		.sh_info = header->sh_info,
		.sh_addralign = (Elf32_Word)header->sh_addralign,
		.sh_entsize = (Elf32_Word)header->sh_entsize,
	};

	return rewrite->from->is_64 ?
		       translate(rewrite, ELF_T_SHDR, header, stored, sizeof(*header)) :
		       translate(rewrite, ELF_T_SHDR, &narrow, stored, sizeof(narrow));
}

/* The number of sections in the ELF header; 0: section header 0 has it. */
static Elf64_Half stated_count(const struct rewrite *rewrite)
{
	size_t count = rewrite->layout.count;

	return rewrite->header.e_shnum && count < SHN_LORESERVE ? (Elf64_Half)count : 0;
}

static bool write_table(struct rewrite *rewrite)
{
	const struct bc_elf_layout *layout = &rewrite->layout;
	uint8_t *table = bc_arena_alloc(rewrite->arena, layout->count, entry_bytes(rewrite),
					rewrite->err);

	if (!table)
		return false;
	if (!stated_count(rewrite))
		rewrite->headers[0].sh_size = layout->count;
	for (size_t i = 0; i < layout->count; i++) {
		Elf64_Shdr *header = &rewrite->headers[i];

		if (i && (layout->parts[i].size_bytes || rewrite->changed[i])) {
			header->sh_offset = layout->parts[i].new_offset;
			header->sh_size = layout->parts[i].new_size_bytes;
		}
		if (!store_section_header(rewrite, header, table + i * entry_bytes(rewrite)))
			return false;
	}
	return bc_write_at(rewrite->to_fd, layout->parts[0].new_offset, table,
			   layout->count * entry_bytes(rewrite), rewrite->err);
}

static bool write_header(const struct rewrite *rewrite)
{
	const struct bc_elf_layout *layout = &rewrite->layout;
	bool is_64 = rewrite->from->is_64;
	Elf32_Ehdr narrow = { 0 };
	Elf64_Ehdr wide = { 0 };
	Elf64_Ehdr stored;
	size_t size_bytes = is_64 ? sizeof(wide) : sizeof(narrow);

	if (is_64)
		wide = *elf64_getehdr(rewrite->from->elf);
	else
		narrow = *elf32_getehdr(rewrite->from->elf);
	wide.e_shoff = layout->parts[0].new_offset;
	narrow.e_shoff = (Elf32_Off)layout->parts[0].new_offset;
	wide.e_shnum = narrow.e_shnum = stated_count(rewrite);
	return translate(rewrite, ELF_T_EHDR, is_64 ? (void *)&wide : &narrow, &stored,
			 size_bytes) &&
	       bc_write_at(rewrite->to_fd, 0, &stored, size_bytes, rewrite->err);
}

/* All that stays where it is; zeros behind that. */
static bool write_kept(const struct rewrite *rewrite)
{
	const struct bc_elf_layout *layout = &rewrite->layout;
	uint64_t kept = layout->kept_bytes;
	uint64_t ready = rewrite->copied_bytes < kept ? rewrite->copied_bytes : kept;

	if (ftruncate(rewrite->to_fd, (off_t)ready) != 0 ||
	    ftruncate(rewrite->to_fd, (off_t)layout->new_file_bytes) != 0)
		return bc_err_errno(rewrite->err, "cannot write");
	return bc_copy_range(rewrite->to_fd, ready, rewrite->from->place.fd, ready, kept - ready,
			     rewrite->err);
}

static bool write_file(struct rewrite *rewrite)
{
	const struct bc_elf_layout *layout = &rewrite->layout;

	if (!rewrite->from->is_64 && layout->new_file_bytes > UINT32_MAX)
		return bc_err_set(rewrite->err, "it would be longer than 4 GiB");
	if (!write_kept(rewrite))
		return false;
	for (size_t i = 0; i < layout->count; i++)
		if (!clear_rest(rewrite, &layout->parts[i]))
			return false;
	for (size_t i = 1; i < layout->count; i++)
		if (!write_part(rewrite, i))
			return false;
	return write_table(rewrite) && write_header(rewrite);
}

/* All that can be said before a byte is written. */
static bool plan(struct rewrite *rewrite, const struct bc_elf_change *changes, size_t change_count)
{
	struct bc_elf_layout *layout = &rewrite->layout;
	struct bc_arena *arena = rewrite->arena;

	layout->count = rewrite->from->count;
	layout->file_bytes = rewrite->from->place.size_bytes;
	for (size_t i = 0; i < change_count; i++)
		layout->count += !changes[i].index;
	rewrite->headers = bc_arena_alloc(arena, layout->count, sizeof(Elf64_Shdr), rewrite->err);
	rewrite->changed = bc_arena_zalloc(arena, layout->count, sizeof(void *), rewrite->err);
	layout->parts = bc_arena_alloc(arena, layout->count, sizeof(struct bc_elf_part),
				       rewrite->err);
	return rewrite->headers && rewrite->changed && layout->parts && take_sections(rewrite) &&
	       take_changes(rewrite, changes, change_count) &&
	       bc_elf_lay_out(layout, arena, rewrite->err) && check_rest(rewrite) &&
	       check_overlaps(rewrite);
}

bool bc_elf_kept_bytes(uint64_t *kept_bytes, const struct bc_elf_table *table,
		       const struct bc_elf_change *changes, size_t change_count,
		       struct bc_arena *arena, struct bc_err *err)
{
	struct rewrite rewrite = { .from = table, .arena = arena, .err = err };

	if (!plan(&rewrite, changes, change_count))
		return false;
	*kept_bytes = rewrite.layout.kept_bytes;
	return true;
}

bool bc_elf_rewrite(int to_fd, uint64_t copied_bytes, const struct bc_elf_table *table,
		    const struct bc_elf_change *changes, size_t change_count,
		    struct bc_arena *arena, struct bc_err *err)
{
	struct rewrite rewrite = { .to_fd = to_fd,
				   .copied_bytes = copied_bytes,
				   .from = table,
				   .arena = arena,
				   .err = err };

	return plan(&rewrite, changes, change_count) && write_file(&rewrite);
}

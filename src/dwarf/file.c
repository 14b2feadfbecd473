/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/file.h"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/room.h"
#include "dwarf/relocate.h"

/* By bc_dwarf_section_number; old compressed sections are called .zdebug_… */
static const char *const section_names[BC_DEBUG_SECTIONS] = {
	"info", "types",  "abbrev",   "str", "line_str", "str_offsets",
	"addr", "ranges", "rnglists", "loc", "loclists",
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static int find_number(const char *name)
{
	if (!strncmp(name, ".debug_", 7))
		name += 7;
	else if (!strncmp(name, ".zdebug_", 8))
		name += 8;
	else
		return -1;
	for (int i = 0; i < BC_DEBUG_SECTIONS; i++)
		if (!strcmp(name, section_names[i]))
			return i;
	return -1;
}

static bool refuse_compression(const char *name, Elf_Scn *scn, struct bc_err *err)
{
	GElf_Chdr header;

	if (gelf_getchdr(scn, &header) && header.ch_type == 2)
		return bc_err_set(err, "%s is compressed with zstd, which this libelf cannot undo",
				  name);
	return bc_err_set(err, "%s cannot be decompressed", name);
}

/* Type units of a relocatable file have sections of their own: one after the other, the same. */
static bool append_section(struct bc_dwarf_section *section, const Elf_Data *data,
			   struct bc_err *err)
{
	uint64_t size = section->size_bytes + data->d_size;

	if (!section->owned || size > section->owned_limit) {
		uint8_t *grown = bc_realloc(section->owned, 2 * size, 1);

		if (!grown)
			return bc_err_memory(err, 2 * size);
		if (!section->owned && section->size_bytes)
			memcpy(grown, section->data, section->size_bytes);
		section->owned = grown;
		section->owned_limit = 2 * size;
		section->data = grown;
	}
	if (data->d_size)
		memcpy(section->owned + section->size_bytes, data->d_buf, data->d_size);
	section->size_bytes = size;
	return true;
}

/* Whether the file holds the section's bytes as they are: ON_DISK is the file itself. */
static bool is_on_disk(Elf *on_disk, size_t index, const GElf_Shdr *header)
{
	Elf_Scn *scn = on_disk ? elf_getscn(on_disk, index) : NULL;
	GElf_Shdr raw;

	return scn && gelf_getshdr(scn, &raw) && !(raw.sh_flags & SHF_COMPRESSED) &&
	       raw.sh_type == header->sh_type && raw.sh_offset == header->sh_offset &&
	       raw.sh_size == header->sh_size;
}

static bool take_section(struct bc_dwarf_file *file, Elf *on_disk, Elf_Scn *scn,
			 const GElf_Shdr *header, const char *name, struct bc_err *err)
{
	int number = find_number(name);
	struct bc_dwarf_section *section;
	Elf_Data *data;

	if (number < 0 || header->sh_type == SHT_NOBITS)
		return true;
	section = &file->sections[number];
	if (header->sh_flags & SHF_COMPRESSED)
		return refuse_compression(name, scn, err);
	/* The largest one is read unit by unit where the file holds it as it is. */
	if (number == BC_DEBUG_INFO && name[1] == 'd' && !section->size_bytes &&
	    is_on_disk(on_disk, elf_ndxscn(scn), header)) {
		section->size_bytes = header->sh_size;
		section->file_offset = header->sh_offset;
		return true;
	}
	data = elf_getdata(scn, NULL);
	if (!data || (!data->d_buf && header->sh_size))
		return bc_err_set(err, "%s: %s", name, elf_errmsg(-1));
	if (section->size_bytes && file->is_relocatable && header->sh_flags & SHF_GROUP)
		return append_section(section, data, err);
	if (section->size_bytes)
		return bc_err_set(err, "there are several %s sections", name);
	section->data = data->d_buf;
	section->size_bytes = data->d_size;
	return true;
}

/* Sections that are (GROUPED) in a group, or are not: what refers to offsets means the latter. */
static bool take_some_sections(struct bc_dwarf_file *file, Elf *elf, Elf *on_disk, bool grouped,
			       struct bc_err *err)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return bc_err_set(err, "%s", elf_errmsg(-1));
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr section;
		const char *name;

		if (!gelf_getshdr(scn, &section))
			return bc_err_set(err, "%s", elf_errmsg(-1));
		if (!(section.sh_flags & SHF_GROUP) == grouped)
			continue;
		name = elf_strptr(elf, names, section.sh_name);
		if (name && !take_section(file, on_disk, scn, &section, name, err))
			return false;
	}
	return true;
}

/* Whether a symbol is in a section with debug information. */
static bool is_debug_symbol(Elf *elf, size_t names, const GElf_Sym *symbol, GElf_Word index)
{
	Elf_Scn *scn;
	GElf_Shdr header;
	const char *name;

	if (symbol->st_shndx != SHN_XINDEX)
		index = symbol->st_shndx < SHN_LORESERVE ? symbol->st_shndx : SHN_UNDEF;
	scn = index == SHN_UNDEF ? NULL : elf_getscn(elf, index);
	name = scn && gelf_getshdr(scn, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
	return name && (!strncmp(name, ".debug_", 7) || !strncmp(name, ".zdebug_", 8));
}

/*
 * Whether a table of relocations still has one that places debug information.
 * One without an addend of its own may stay, if its symbol is the beginning of
 * a section: the bytes hold the sum already.
 */
static bool has_debug_relocation(Elf *elf, size_t names, Elf_Scn *scn, const GElf_Shdr *header)
{
	Elf_Scn *symbols = elf_getscn(elf, header->sh_link);
	int extended = symbols ? elf_scnshndx(symbols) : 0;
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf_Data *symbol_data = symbols ? elf_getdata(symbols, NULL) : NULL;
	Elf_Data *index_data = extended > 0 ? elf_getdata(elf_getscn(elf, (size_t)extended), NULL) :
					      NULL;

	for (int i = 0; data && symbol_data; i++) {
		GElf_Word index = SHN_UNDEF;
		GElf_Rela addend;
		GElf_Rel plain;
		GElf_Sym symbol;
		uint64_t info;

		if (header->sh_type == SHT_RELA ? !gelf_getrela(data, i, &addend) :
						  !gelf_getrel(data, i, &plain))
			break;
		info = header->sh_type == SHT_RELA ? addend.r_info : plain.r_info;
		if (gelf_getsymshndx(symbol_data, index_data, (int)GELF_R_SYM(info), &symbol,
				     &index) &&
		    (header->sh_type == SHT_RELA || symbol.st_value) &&
		    is_debug_symbol(elf, names, &symbol, index))
			return true;
	}
	return false;
}

/*
 * libdwfl leaves relocations alone that it cannot apply, and says nothing. It
 * takes those away that it did. What remains may be places of variables, which
 * nobody needs, but not offsets of names or abbreviations.
 */
static bool check_relocated(const struct bc_dwarf_file *file, Elf *elf, struct bc_err *err)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (!file->is_relocatable || elf_getshdrstrndx(elf, &names))
		return true;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header, target;
		Elf_Scn *relocated;
		const char *name;

		if (!gelf_getshdr(scn, &header) || !header.sh_size ||
		    (header.sh_type != SHT_REL && header.sh_type != SHT_RELA))
			continue;
		relocated = elf_getscn(elf, header.sh_info);
		if (!relocated || !gelf_getshdr(relocated, &target))
			continue;
		name = elf_strptr(elf, names, target.sh_name);
		if (name && find_number(name) >= 0 &&
		    has_debug_relocation(elf, names, scn, &header))
			return bc_err_set(err,
					  "libelf does not know the relocations of its machine "
					  "(number %u), but a linked file can be read",
					  file->machine);
	}
	return true;
}

static bool take_header(struct bc_dwarf_file *file, Elf *elf, struct bc_err *err)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header))
		return bc_err_set(err, "%s", elf_errmsg(-1));
	file->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
	file->pointer_bytes = header.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	file->machine = header.e_machine;
	file->is_relocatable = header.e_type == ET_REL;
	return true;
}

/* ON_DISK: the file without decompression, for sections that are read from it; NULL: none are. */
static bool take_sections(struct bc_dwarf_file *file, Elf *elf, Elf *on_disk, struct bc_err *err)
{
	if (!take_header(file, elf, err))
		return false;
	if (!take_some_sections(file, elf, file->is_relocatable ? NULL : on_disk, false, err) ||
	    !take_some_sections(file, elf, NULL, true, err))
		return false;
	if (!file->sections[BC_DEBUG_INFO].size_bytes)
		return bc_err_set(err, "it has no .debug_info");
	return check_relocated(file, elf, err);
}

/* Strings are used in place: each section has to end with a NUL. */
static bool check_strings(const struct bc_dwarf_file *file, struct bc_err *err)
{
	static const enum bc_dwarf_section_number numbers[] = { BC_DEBUG_STR, BC_DEBUG_LINE_STR };

	for (size_t i = 0; i < 2; i++) {
		const struct bc_dwarf_section *section = &file->sections[numbers[i]];

		if (section->size_bytes && section->data[section->size_bytes - 1])
			return bc_err_set(err, ".debug_%s does not end with a NUL",
					  section_names[numbers[i]]);
	}
	return true;
}

/* Whether the alternate file is the one that was meant: libdw goes by its name. */
static bool is_alternate(Dwarf *dwarf, Dwarf *alternate)
{
	const void *wanted, *found;
	const char *name;
	ssize_t wanted_bytes = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &wanted);
	ssize_t found_bytes = dwelf_elf_gnu_build_id(dwarf_getelf(alternate), &found);

	return wanted_bytes > 0 && wanted_bytes == found_bytes &&
	       !memcmp(wanted, found, (size_t)wanted_bytes);
}

static bool open_alternate(struct bc_dwarf_file *file, Dwarf *dwarf, struct bc_err *err)
{
	Dwarf *alternate = dwarf_getalt(dwarf);

	if (!alternate || !is_alternate(dwarf, alternate))
		return true;
	file->alternate = calloc(1, sizeof(*file->alternate));
	if (!file->alternate)
		return bc_err_memory(err, sizeof(*file->alternate));
	file->alternate->name = file->name;
	file->alternate->fd = -1;
	return take_sections(file->alternate, dwarf_getelf(alternate), NULL, err) &&
	       check_strings(file->alternate, err);
}

/* Why there is no DWARF, and where it may be. */
static bool explain_missing(Dwfl_Module *module, const char *why, struct bc_err *err)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	Elf_Scn *scn = NULL;
	bool has_info = false;
	size_t names;

	while (elf && !elf_getshdrstrndx(elf, &names) && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header;
		const char *name;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &header))
			break;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && find_number(name) >= 0 && header.sh_flags & SHF_COMPRESSED)
			return refuse_compression(name, scn, err);
		has_info |= name && find_number(name) == BC_DEBUG_INFO &&
			    header.sh_type != SHT_NOBITS;
		if (!name || strcmp(name, ".gnu_debuglink") || !(data = elf_getdata(scn, NULL)) ||
		    !data->d_size || !memchr(data->d_buf, 0, data->d_size))
			continue;
		return bc_err_set(err,
				  "no DWARF here; its debug link names %.200s, which was not "
				  "found",
				  (const char *)data->d_buf);
	}
	return bc_err_set(err, "%s: %s", has_info ? "cannot read its DWARF" : "no DWARF",
			  why ? why : "it makes no sense");
}

/* The file that libdwfl found symbols in, not relocated so far; NULL: none. */
static Elf *find_unrelocated(Dwfl_Module *module)
{
	GElf_Addr address;
	GElf_Sym symbol;
	Elf *elf = NULL;

	/* More than one place that moves: only in relocatable files. */
	if (dwfl_module_relocations(module) < 2 || dwfl_module_getsymtab(module) < 2 ||
	    !dwfl_module_getsym_info(module, 1, &symbol, &address, NULL, &elf, NULL))
		return NULL;
	return elf;
}

/* Whether there are sections with debug information that take more than relocating. */
static bool has_odd_sections(Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return true;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(scn, &header) ||
		    !(name = elf_strptr(elf, names, header.sh_name)) ||
		    !strcmp(name, ".gnu_debugaltlink"))
			return true;
		if (find_number(name) >= 0 &&
		    (header.sh_flags & (SHF_COMPRESSED | SHF_GROUP) || name[1] != 'd'))
			return true;
	}
	return false;
}

/* All strings will be read, in no order: their pages are mapped at once, where a kernel can. */
static void map_strings(const struct bc_dwarf_section *strings)
{
#ifdef MADV_POPULATE_READ
	uintptr_t begin = (uintptr_t)strings->data, page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t end = begin + strings->size_bytes;

	begin -= begin % page;
	(void)madvise((void *)begin, end - begin, MADV_POPULATE_READ);
#else
	(void)strings;
#endif
}

/*
 * Takes the sections of a relocatable file and relocates them, as long as
 * nothing about it is unusual. False: nothing is taken, and libdwfl has to do it.
 */
static bool take_relocatable(struct bc_dwarf_file *file, Dwfl_Module *module)
{
	struct bc_arena scratch = { 0 };
	struct bc_elf_symbols symbols;
	struct bc_err unused;
	Elf *elf = find_unrelocated(module);
	bool done;

	if (!elf || has_odd_sections(elf))
		return false;
	done = take_header(file, elf, &unused) && file->is_relocatable &&
	       file->pointer_bytes == 8 && take_some_sections(file, elf, NULL, false, &unused) &&
	       file->sections[BC_DEBUG_INFO].size_bytes &&
	       bc_elf_symbols_open(&symbols, file, &scratch, &unused) && symbols.is_direct &&
	       bc_relocate(file, elf, &symbols, &unused);
	bc_arena_free(&scratch);
	if (!done) {
		memset(file->sections, 0, sizeof(file->sections));
		return false;
	}
	file->relocated = elf;
	map_strings(&file->sections[BC_DEBUG_STR]);
	return true;
}

static bool open_module(struct bc_dwarf_file *file, const char *path, struct bc_err *err)
{
	const char *debug_file;
	Dwfl_Module *module;
	Elf *on_disk = NULL;
	Dwarf_Addr bias;
	Dwarf *dwarf;
	bool done;

	file->dwfl = dwfl_begin(&callbacks);
	module = file->dwfl ? dwfl_report_offline(file->dwfl, path, path, -1) : NULL;
	if (!module)
		return bc_err_set(err,
				  "%s (DWARF is in ELF files; what is BTF already is for sort)",
				  dwfl_errmsg(-1));
	dwfl_report_end(file->dwfl, NULL, NULL);
	file->module = module;
	if (take_relocatable(file, module))
		return check_strings(file, err);
	dwarf = dwfl_module_getdwarf(module, &bias);
	if (!dwarf)
		return explain_missing(module, dwfl_errmsg(-1), err);
	file->bias = bias;
	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, &debug_file);
	file->fd = open(debug_file ? debug_file : path, O_RDONLY | O_CLOEXEC);
	if (file->fd >= 0)
		on_disk = elf_begin(file->fd, ELF_C_READ, NULL);
	done = take_sections(file, dwarf_getelf(dwarf), on_disk, err) && check_strings(file, err) &&
	       open_alternate(file, dwarf, err);
	elf_end(on_disk);
	if (file->fd >= 0 && file->sections[BC_DEBUG_INFO].data) {
		close(file->fd);
		file->fd = -1;
	}
	return done;
}

bool bc_dwarf_open(struct bc_dwarf_file *file, const char *path, struct bc_err *err)
{
	struct stat status;

	*file = (struct bc_dwarf_file){ .name = path, .fd = -1 };
	if (stat(path, &status))
		bc_err_errno(err, "cannot open");
	else if (S_ISDIR(status.st_mode))
		bc_err_set(err, "is a directory");
	else if (open_module(file, path, err))
		return true;
	bc_dwarf_close(file);
	return bc_err_prefix(err, path);
}

void bc_dwarf_close(struct bc_dwarf_file *file)
{
	for (int i = 0; i < BC_DEBUG_SECTIONS; i++)
		free(file->sections[i].owned);
	free(file->alternate);
	if (file->dwfl) {
		if (file->fd >= 0)
			close(file->fd);
		dwfl_end(file->dwfl);
	}
	bc_arena_free(&file->arena);
	*file = (struct bc_dwarf_file){ .fd = -1 };
}

Elf *bc_dwarf_elf(const struct bc_dwarf_file *file)
{
	GElf_Addr bias;

	return file->relocated ? file->relocated : dwfl_module_getelf(file->module, &bias);
}

bool bc_dwarf_read(const struct bc_dwarf_file *file, enum bc_dwarf_section_number number,
		   uint64_t offset, uint8_t *to, size_t size_bytes, struct bc_err *err)
{
	const struct bc_dwarf_section *section = &file->sections[number];

	if (section->data) {
		memcpy(to, section->data + offset, size_bytes);
		if (file->relocations && number == BC_DEBUG_INFO)
			bc_relocate_part(file->relocations, offset, to, size_bytes);
		return true;
	}
	offset += section->file_offset;
	while (size_bytes) {
		ssize_t got = pread(file->fd, to, size_bytes, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return bc_err_errno(err, "reading .debug_%s", section_names[number]);
		if (!got)
			return bc_err_set(err, ".debug_%s goes beyond the end of the file",
					  section_names[number]);
		to += got;
		offset += (uint64_t)got;
		size_bytes -= (size_t)got;
	}
	return true;
}

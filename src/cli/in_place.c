/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/in_place.h"

#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "btf/pad.h"
#include "cli/report.h"
#include "elf/signature.h"
#include "elf/unpack.h"

/* Leaves the signature of a module out of PLACE, if that may be. */
static bool drop_signature(struct bc_in_place *file, struct bc_elf_place *place,
			   const struct bc_options *options, struct bc_err *err)
{
	uint64_t elf_bytes;

	if (!bc_elf_without_signature(&elf_bytes, place, err))
		return false;
	file->drops_signature = elf_bytes != place->size_bytes;
	if (file->drops_signature && !options->drop_signature)
		return bc_err_set(err, "is signed, which would not hold any more: "
				       "--drop-signature takes the signature off");
	if (file->drops_signature && !options->quiet)
		bc_report_line("warning: %.255s: its signature is dropped", file->output.name);
	place->size_bytes = elf_bytes;
	return true;
}

static bool open_elf(struct bc_in_place *file, const struct bc_options *options, struct bc_err *err)
{
	struct bc_elf_place place = { .fd = bc_output_source(&file->output),
				      .size_bytes = (uint64_t)file->output.replaced.st_size };
	uint8_t head[16] = { 0 };

	if (!place.size_bytes)
		return bc_err_set(err, "is empty");
	if (!bc_elf_read(&place, head, 0,
			 place.size_bytes < sizeof(head) ? place.size_bytes : sizeof(head), err))
		return false;
	if (bc_unpack_recognize(head, sizeof(head)) != BC_PACKING_NONE)
		return bc_err_set(err, "is compressed: unpack it first");
	if (!bc_elf_recognize(head, sizeof(head)))
		return bc_err_set(
			err,
			"is no ELF file, as --in-place wants it (-o OUT writes BTF of its own)");
	return drop_signature(file, &place, options, err) &&
	       bc_elf_table_open(&file->table, &place, err);
}

bool bc_in_place_open(struct bc_in_place *file, const char *path, const struct bc_options *options,
		      struct bc_err *err)
{
	*file = (struct bc_in_place){ 0 };
	if (!bc_output_open_over(&file->output, path, err))
		return false;
	if (open_elf(file, options, err))
		return true;
	bc_in_place_close(file);
	return bc_err_prefix(err, path);
}

/* Whether section INDEX holds these bytes already. */
static bool is_there(bool *there, const struct bc_elf_table *table, size_t index,
		     const uint8_t *data, size_t size_bytes, struct bc_arena *arena,
		     struct bc_err *err)
{
	uint8_t *old;
	size_t old_bytes;

	if (!bc_elf_section_bytes(table, index, &old, &old_bytes, arena, err))
		return false;
	*there = old_bytes == size_bytes && !memcmp(old, data, size_bytes);
	return true;
}

static bool add_change(struct bc_in_place *file, const struct bc_elf_change *change,
		       struct bc_err *err)
{
	if (!bc_make_room(&file->changes, &file->change_limit, (uint64_t)file->change_count + 1,
			  sizeof(*file->changes), err))
		return false;
	file->changes[file->change_count++] = *change;
	return true;
}

bool bc_in_place_copy_ahead(struct bc_in_place *file, const char *name, struct bc_arena *arena,
			    struct bc_err *err)
{
	const struct bc_elf_change added = { .name = name, .align = sizeof(uint32_t) };
	uint64_t kept_bytes;
	size_t index;

	if (!bc_elf_table_find(&file->table, name, &index, err))
		return false;
	if (index || file->ahead)
		return true;
	if (!bc_elf_kept_bytes(&kept_bytes, &file->table, &added, 1, arena, err))
		return false;
	file->ahead = bc_copy_ahead_begin(bc_output_fd(&file->output), file->table.place.fd,
					  kept_bytes);
	return true;
}

bool bc_in_place_put(struct bc_in_place *file, size_t index, const uint8_t *data, size_t size_bytes,
		     struct bc_arena *arena, struct bc_err *err)
{
	const struct bc_elf_change change = { .index = index,
					      .data = data,
					      .size_bytes = size_bytes };
	bool there;

	if (!file->is_changed)
		file->is_changed = calloc(file->table.count, 1);
	if (!file->is_changed)
		return bc_err_memory(err, file->table.count);
	if (file->is_changed[index])
		return bc_err_set(err, "two parts of .BTF.ext are for section %zu", index);
	if (!is_there(&there, &file->table, index, data, size_bytes, arena, err))
		return false;
	file->is_changed[index] = !there;
	return there || add_change(file, &change, err);
}

/* A loaded section has its place in the image, and what is compiled in knows its length. */
static bool pad_fixed(const uint8_t **data, size_t *size_bytes, const struct bc_elf_table *table,
		      size_t index, struct bc_arena *arena, struct bc_err *err)
{
	Elf64_Shdr header;
	const char *name;
	bool fixed;

	if (!bc_elf_is_fixed(&fixed, table, index, err) ||
	    !bc_elf_table_get(table, index, &header, &name, err))
		return false;
	return !fixed || *size_bytes >= header.sh_size ||
	       bc_btf_pad(data, size_bytes, header.sh_size, table->big_endian, arena, err);
}

bool bc_in_place_put_btf(struct bc_in_place *file, const char *name, const uint8_t **data,
			 size_t *size_bytes, struct bc_arena *arena, struct bc_err *err)
{
	struct bc_elf_change added = { .name = name, .align = sizeof(uint32_t) };
	size_t index;

	if (!bc_elf_table_find(&file->table, name, &index, err))
		return false;
	if (index)
		return pad_fixed(data, size_bytes, &file->table, index, arena, err) &&
		       bc_in_place_put(file, index, *data, *size_bytes, arena, err);
	added.data = *data;
	added.size_bytes = *size_bytes;
	return add_change(file, &added, err);
}

bool bc_in_place_is_changed(const struct bc_in_place *file)
{
	return file->change_count || file->drops_signature;
}

static bool write_changes(struct bc_in_place *file, struct bc_arena *arena, struct bc_err *err)
{
	uint64_t copied_bytes = bc_copy_ahead_end(file->ahead);

	file->ahead = NULL;
	return bc_elf_rewrite(bc_output_fd(&file->output), copied_bytes, &file->table,
			      file->changes, file->change_count, arena, err) ||
	       bc_err_prefix(err, file->output.name);
}

static void stop_ahead(struct bc_in_place *file)
{
	bc_copy_ahead_stop(file->ahead);
	file->ahead = NULL;
}

bool bc_in_place_write(struct bc_in_place *file, struct bc_arena *arena, struct bc_err *err)
{
	bool done = !bc_in_place_is_changed(file) || write_changes(file, arena, err);

	stop_ahead(file);
	bc_elf_table_close(&file->table);
	return done && (!bc_in_place_is_changed(file) || bc_output_settle(&file->output, err));
}

bool bc_in_place_commit(struct bc_in_place *file, struct bc_err *err)
{
	bool done = !bc_in_place_is_changed(file) || bc_output_commit(&file->output, err);

	bc_in_place_close(file);
	return done;
}

void bc_in_place_close(struct bc_in_place *file)
{
	stop_ahead(file);
	bc_elf_table_close(&file->table);
	bc_output_discard(&file->output);
	free(file->changes);
	free(file->is_changed);
	file->changes = NULL;
	file->is_changed = NULL;
	file->change_count = file->change_limit = 0;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/in_place.h"

#include <string.h>

#include "btf/pad.h"
#include "elf/rewrite.h"
#include "elf/unpack.h"

static bool open_elf(struct bc_in_place *file, struct bc_err *err)
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
		return bc_err_set(err, "is no ELF file, as --in-place wants it");
	return bc_elf_table_open(&file->table, &place, err);
}

bool bc_in_place_open(struct bc_in_place *file, const char *path, struct bc_err *err)
{
	*file = (struct bc_in_place){ 0 };
	if (!bc_output_open_over(&file->output, path, err))
		return false;
	if (open_elf(file, err))
		return true;
	bc_in_place_close(file);
	return bc_err_prefix(err, path);
}

/* A loaded section has its place in the image, and what is compiled in knows its length. */
static bool fit_fixed(struct bc_elf_change *change, const struct bc_elf_table *table,
		      struct bc_arena *arena, struct bc_err *err)
{
	Elf64_Shdr header;
	const char *name;
	bool fixed;

	if (!bc_elf_is_fixed(&fixed, table, change->index, err) ||
	    !bc_elf_table_get(table, change->index, &header, &name, err))
		return false;
	if (!fixed || change->size_bytes >= header.sh_size)
		return true;
	return bc_btf_pad(&change->data, &change->size_bytes, header.sh_size, table->big_endian,
			  arena, err);
}

static bool write_puts(struct bc_in_place *file, const struct bc_put *puts, size_t put_count,
		       struct bc_arena *arena, struct bc_err *err)
{
	struct bc_elf_change *changes = bc_arena_alloc(arena, put_count, sizeof(*changes), err);
	size_t count = 0;

	if (!changes)
		return false;
	for (size_t i = 0; i < put_count; i++) {
		struct bc_elf_change *change = &changes[count];

		if (!puts[i].data)
			continue;
		*change = (struct bc_elf_change){ .name = puts[i].name,
						  .align = sizeof(uint32_t),
						  .data = puts[i].data,
						  .size_bytes = puts[i].size_bytes };
		if (!bc_elf_table_find(&file->table, change->name, &change->index, err) ||
		    (change->index && !fit_fixed(change, &file->table, arena, err)))
			return false;
		count++;
	}
	return bc_elf_rewrite(bc_output_fd(&file->output), &file->table, changes, count, arena,
			      err);
}

bool bc_in_place_write(struct bc_in_place *file, const struct bc_put *puts, size_t put_count,
		       struct bc_arena *arena, struct bc_err *err)
{
	return write_puts(file, puts, put_count, arena, err) ||
	       bc_err_prefix(err, file->output.name);
}

void bc_in_place_close(struct bc_in_place *file)
{
	bc_elf_table_close(&file->table);
	bc_output_discard(&file->output);
}

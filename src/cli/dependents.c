/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/dependents.h"

#include <inttypes.h>
#include <string.h>

#include "btf/ext.h"
#include "btf/relies.h"
#include "elf/relocations.h"
#include "elf/section_names.h"

/* eBPF instructions: 8 bytes, the immediate in the last 4; include/uapi/linux/bpf.h. */
#define INSTRUCTION_BYTES 8u
#define IMMEDIATE_AT 4u

/* One section's bytes, while instructions in it change. */
struct code {
	const char *section; /* NULL: none yet */
	size_t index;
	uint8_t *data;
	size_t size_bytes;
	struct bc_elf_section_names names;
	uint8_t *is_met;     /* by index: sections of which all records have been there */
	uint64_t left_bytes; /* of the file that none of these took yet */
};

static bool put_ext(struct bc_in_place *file, const struct bc_elf_btf *found,
		    const struct bc_btf_change *change, struct bc_arena *arena, struct bc_err *err)
{
	size_t size_bytes = found->btf_ext.size_bytes;
	uint8_t *data = bc_arena_alloc(arena, size_bytes, 1, err);
	size_t index;

	if (!data || !bc_elf_table_find(&file->table, ".BTF.ext", &index, err))
		return false;
	memcpy(data, found->btf_ext.data, size_bytes);
	bc_btf_ext_rewrite(data, found->btf_ext.data, size_bytes, change->places.before,
			   change->places.new_id, change->kept_offsets);
	return bc_in_place_put(file, index, data, size_bytes, arena, err);
}

static bool open_code(struct bc_in_place *file, struct code *code, const char *section,
		      struct bc_arena *arena, struct bc_err *err)
{
	Elf64_Shdr header;
	const char *name;

	code->section = section;
	if (!bc_elf_section_names_find(&code->names, section, &code->index, err))
		return false;
	if (!code->index)
		return bc_err_set(err, "a CO-RE record is for section %.80s, which is not there",
				  section);
	if (code->is_met[code->index])
		return bc_err_set(err, "the CO-RE records of section %.80s are in several parts",
				  section);
	code->is_met[code->index] = 1;
	return bc_elf_table_get(&file->table, code->index, &header, &name, err) &&
	       bc_elf_take_bytes(&code->left_bytes, &header, name, err) &&
	       bc_elf_section_bytes(&file->table, code->index, &code->data, &code->size_bytes,
				    arena, err);
}

static bool close_code(struct bc_in_place *file, const struct code *code, struct bc_arena *arena,
		       struct bc_err *err)
{
	return !code->section ||
	       bc_in_place_put(file, code->index, code->data, code->size_bytes, arena, err);
}

/* The immediate is the id as clang wrote it; another number is none of ours. */
static bool patch_instruction(struct code *code, const struct bc_relocation *relocation,
			      const struct bc_graph *graph, const uint32_t *new_id,
			      struct bc_err *err)
{
	uint32_t at = relocation->instruction_offset;
	uint32_t id = relocation->type_id;
	uint8_t *immediate;

	if (at % INSTRUCTION_BYTES || at >= code->size_bytes ||
	    code->size_bytes - at < INSTRUCTION_BYTES)
		return bc_err_set(err,
				  "a CO-RE record is for byte %u of %.80s, where no instruction is",
				  at, code->section);
	immediate = code->data + at + IMMEDIATE_AT;
	if (id >= graph->first_id && bc_bytes_u32(immediate, graph->big_endian) == id)
		bc_elf_store_number(immediate, 4, graph->big_endian, new_id[id - graph->first_id]);
	return true;
}

/* Of both kinds of records that ask for a type's id the immediate is the object's own id at first. */
static bool put_instructions(struct bc_in_place *file, const struct bc_elf_btf *found,
			     const struct bc_btf_change *change, struct bc_arena *arena,
			     struct bc_err *err)
{
	const struct bc_graph *graph = change->places.before;
	struct code code = { .left_bytes = file->table.place.size_bytes };
	struct bc_relies relies;

	code.is_met = bc_arena_zalloc(arena, file->table.count, 1, err);
	if (!code.is_met || !bc_elf_section_names_make(&code.names, &file->table, arena, err) ||
	    !bc_relies_read(&relies, found->btf_ext.data, found->btf_ext.size_bytes, graph, arena,
			    err))
		return false;
	for (uint32_t i = 0; i < relies.relocation_count; i++) {
		const struct bc_relocation *relocation = &relies.relocations[i];

		if (relocation->kind != BC_CORE_TYPE_ID_LOCAL &&
		    relocation->kind != BC_CORE_TYPE_ID_TARGET)
			continue;
		if ((!code.section || strcmp(code.section, relocation->section) != 0) &&
		    (!close_code(file, &code, arena, err) ||
		     !open_code(file, &code, relocation->section, arena, err)))
			return false;
		if (!patch_instruction(&code, relocation, graph, change->places.new_id, err))
			return false;
	}
	return close_code(file, &code, arena, err);
}

static bool move_place(const void *context, uint64_t *offset, struct bc_err *err)
{
	return bc_btf_new_place(context, offset, err);
}

static bool put_relocations(struct bc_in_place *file, size_t index, const Elf64_Shdr *header,
			    const struct bc_btf_change *change, struct bc_arena *arena,
			    struct bc_err *err)
{
	size_t size_bytes;
	uint8_t *data;

	return bc_elf_section_bytes(&file->table, index, &data, &size_bytes, arena, err) &&
	       bc_elf_move_relocations(data, header, &file->table, move_place, &change->places,
				       arena, err) &&
	       bc_in_place_put(file, index, data, size_bytes, arena, err);
}

/*
 * Relocations of .BTF itself: they name the offsets of variables in DATASECs.
 * Those of .BTF.ext name records, which stay where they are.
 */
static bool put_all_relocations(struct bc_in_place *file, const struct bc_btf_change *change,
				struct bc_arena *arena, struct bc_err *err)
{
	size_t btf_index;

	if (!bc_elf_table_find(&file->table, ".BTF", &btf_index, err))
		return false;
	for (size_t i = 1; i < file->table.count; i++) {
		Elf64_Shdr header;
		const char *name;

		if (!bc_elf_table_get(&file->table, i, &header, &name, err))
			return false;
		if ((header.sh_type != SHT_REL && header.sh_type != SHT_RELA) ||
		    header.sh_info != btf_index)
			continue;
		if (!put_relocations(file, i, &header, change, arena, err))
			return bc_err_prefix(err, name);
	}
	return true;
}

bool bc_dependents_ids(struct bc_btf_ids *ids, size_t *index, const struct bc_in_place *file,
		       struct bc_arena *arena, struct bc_err *err)
{
	struct bc_section_symbols *symbols = bc_arena_alloc(arena, 1, sizeof(*symbols), err);
	bool resolved;

	*ids = (struct bc_btf_ids){ .big_endian = file->table.big_endian, .symbols = symbols };
	if (!symbols || !bc_elf_table_find(&file->table, ".BTF_ids", index, err))
		return false;
	if (!*index)
		return true;
	if (!bc_elf_section_bytes(&file->table, *index, &ids->data, &ids->size_bytes, arena, err) ||
	    !bc_symbols_of_section(symbols, &file->table, *index, BC_BTF_IDS_PREFIX, arena, err) ||
	    !bc_btf_ids_check(&resolved, ids, arena, err))
		return false;
	if (!resolved)
		*index = 0;
	return true;
}

static uint32_t map_id(const void *context, uint32_t id)
{
	const struct bc_btf_change *change = context;
	uint32_t first_id = change->places.before->first_id;

	if (id >= first_id)
		return change->places.new_id[id - first_id];
	return change->base_change ? bc_base_change_id(change->base_change, id) : id;
}

static bool put_ids(struct bc_in_place *file, const struct bc_btf_change *change,
		    struct bc_arena *arena, struct bc_err *err)
{
	struct bc_btf_ids ids;
	size_t index;

	if (!bc_dependents_ids(&ids, &index, file, arena, err))
		return false;
	return !index || (bc_btf_ids_map(&ids, bc_id_end(change->places.before), map_id, change,
					 arena, err) &&
			  bc_in_place_put(file, index, ids.data, ids.size_bytes, arena, err));
}

bool bc_dependents_put(struct bc_in_place *file, const struct bc_elf_btf *found,
		       const struct bc_btf_change *change, struct bc_arena *arena,
		       struct bc_err *err)
{
	if (found->btf_ext.data && (!put_ext(file, found, change, arena, err) ||
				    !put_instructions(file, found, change, arena, err)))
		return false;
	return put_all_relocations(file, change, arena, err) && put_ids(file, change, arena, err);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BTF_IDS_H
#define BC_BTF_IDS_H

#include <stddef.h>

#include "elf/section_symbols.h"

/* What the names of all symbols of .BTF_ids begin with; include/linux/btf_ids.h of Linux. */
#define BC_BTF_IDS_PREFIX "__BTF_ID__"

/* What became of type ID. */
typedef uint32_t (*bc_id_mapper)(const void *context, uint32_t id);

/* A .BTF_ids section: words that are type ids, alone or in sets. */
struct bc_btf_ids {
	uint8_t *data; /* changed in place */
	size_t size_bytes;
	bool big_endian;
	const struct bc_section_symbols *symbols; /* that begin with BC_BTF_IDS_PREFIX */
};

/*
 * Sets *RESOLVED: whether the ids were filled in; before that there is nothing to
 * map. Words that no symbol tells what they are, or sets that go beyond the
 * section, are errors then. Scratch memory from ARENA.
 */
bool bc_btf_ids_check(bool *resolved, const struct bc_btf_ids *ids, struct bc_arena *arena,
		      struct bc_err *err);

/*
 * Maps the ids of a section that bc_btf_ids_check found resolved, all below
 * ID_END, and sorts each set by them again, with what belongs to each id.
 * Lists keep their order.
 */
bool bc_btf_ids_map(const struct bc_btf_ids *ids, uint32_t id_end, bc_id_mapper map,
		    const void *context, struct bc_arena *arena, struct bc_err *err);

#endif

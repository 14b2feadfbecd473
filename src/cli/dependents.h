/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_DEPENDENTS_H
#define BC_CLI_DEPENDENTS_H

#include "btf/ids.h"
#include "btf/places.h"
#include "cli/in_place.h"
#include "elf/sections.h"
#include "merge/move.h"
#include "sort/strings.h"

/* The .BTF of a file, before and after, for whatever else goes by it. */
struct bc_btf_change {
	struct bc_btf_places places;
	struct bc_kept_strings kept;              /* what .BTF.ext refers to */
	const uint32_t *kept_offsets;             /* where that is now */
	const struct bc_base_change *base_change; /* of the base; NULL: it stays */
};

/*
 * Puts into FILE, whose .BTF changes like that, all sections that name type ids,
 * strings or places of it, FOUND's .BTF.ext among them: function, line and CO-RE
 * records, relocations of .BTF, ids of its own types in instructions, .BTF_ids.
 * Memory from ARENA.
 */
bool bc_dependents_put(struct bc_in_place *file, const struct bc_elf_btf *found,
		       const struct bc_btf_change *change, struct bc_arena *arena,
		       struct bc_err *err);

/*
 * The .BTF_ids of FILE, if there is one: *IDS, with symbols and bytes of ARENA, and
 * its *INDEX, 0 where there is none or its ids were not filled in yet.
 */
bool bc_dependents_ids(struct bc_btf_ids *ids, size_t *index, const struct bc_in_place *file,
		       struct bc_arena *arena, struct bc_err *err);

#endif

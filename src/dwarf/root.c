/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The unit's own DIE: its language, and where its parts of other sections are. */
#include "dwarf/walk.h"

#include <string.h>

static const char *language_name(uint16_t language)
{
	switch (language) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x2c: /* C17 */
		return "c";
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2b: /* C++17, C++20 */
	case 0x2a:
		return "c++";
	case DW_LANG_Rust:
		return "rust";
	case DW_LANG_Go:
		return "go";
	case DW_LANG_D:
		return "d";
	case DW_LANG_Swift:
		return "swift";
	case DW_LANG_Ada83:
	case DW_LANG_Ada95:
		return "ada";
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
		return "fortran";
	case DW_LANG_Mips_Assembler:
		return "asm";
	default:
		return "";
	}
}

bool bc_collector_excludes(const struct bc_collector *collector, uint16_t language)
{
	const char *const *excluded = collector->excluded_languages;

	for (; excluded && *excluded; excluded++)
		if (!strcmp(*excluded, language_name(language)))
			return true;
	return false;
}

bool bc_walk_read_root(struct bc_walk *walk)
{
	struct bc_scope *scope = walk->scope;
	const uint8_t *at = scope->bytes + scope->unit->header_bytes;
	uint64_t language = 0;

	if (scope->unit->header_bytes == scope->size)
		return true;
	switch (bc_die_decode(&walk->die, scope, &at, walk->err)) {
	case BC_DIE_BAD:
		return false;
	case BC_DIE_END:
		return true;
	case BC_DIE_FOUND:
		break;
	}
	bc_die_number(&walk->die, BC_SLOT_LANGUAGE, &language);
	scope->language = (uint16_t)language;
	/* Without it, the unit's part begins behind the section's header. */
	scope->str_offsets_base = scope->unit->offset_bytes == 8 ? 16 : 8;
	bc_die_number(&walk->die, BC_SLOT_STR_OFFSETS_BASE, &scope->str_offsets_base);
	scope->addr_base = scope->rnglists_base = scope->loclists_base = 0;
	bc_die_number(&walk->die, BC_SLOT_ADDR_BASE, &scope->addr_base);
	bc_die_number(&walk->die, BC_SLOT_RNGLISTS_BASE, &scope->rnglists_base);
	bc_die_number(&walk->die, BC_SLOT_LOCLISTS_BASE, &scope->loclists_base);
	scope->low_pc = 0;
	bc_unit_low_pc(&walk->die, scope);
	if (scope->unit->type == DW_UT_skeleton || bc_die_has(&walk->die, BC_SLOT_DWO_NAME))
		return bc_walk_refuse(
			walk, "split DWARF: the types are in a .dwo file, which is not read");
	return true;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_PACKED_H
#define BC_DWARF_PACKED_H

#include "dwarf/view.h"

/*
 * Whether a type, as a unit means it (MEANING), is a struct that can only be
 * packed: without a hole, and a member is not aligned as its type wants it, or
 * the size is no multiple of what its members want. BTF and DWARF do not
 * say it. Typedefs and qualifiers are looked through. A struct of
 * hundreds of parts, which nobody passes by value, is none.
 */
bool bc_is_packed(const struct bc_views *views, const struct bc_meaning *meaning, uint32_t id,
		  uint32_t pointer_bytes);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "graph/kinds.h"

const struct bc_kind_shape bc_kind_shapes[BC_KIND_MAX + 1] = {
#define BC_KIND_SHAPE(kind_name, kind, ...) [kind] = { #kind_name, __VA_ARGS__ },
	BC_KINDS(BC_KIND_SHAPE)
#undef BC_KIND_SHAPE
		[BC_KIND_COUNT... BC_KIND_MAX] = { .name = "unknown kind", .element_name = -1 },
};

const char *bc_kind_name(uint32_t kind)
{
	return bc_kind_shapes[kind <= BC_KIND_MAX ? kind : BC_KIND_MAX].name;
}

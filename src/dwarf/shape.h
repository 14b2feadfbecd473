/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_SHAPE_H
#define BC_DWARF_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What an abbreviation means to the walk where it has what its kind always has
 * and nothing else: a DIE of such a shape is read with a few loads, each of 32
 * bits at a fixed place behind the code. Nearly all DIEs of a kernel have one.
 */
enum bc_shape_kind {
	BC_SHAPE_NONE,
	BC_SHAPE_MEMBER,      /* type; name, place in bytes */
	BC_SHAPE_BITFIELD,    /* type, place and width in bits; name */
	BC_SHAPE_ENUMERATOR,  /* name, value, not a negative one */
	BC_SHAPE_PARAMETER,   /* type; name: of a prototype; without either: it has more */
	BC_SHAPE_LINK,        /* type, and a name: PTR, TYPEDEF, modifiers */
	BC_SHAPE_DECLARATION, /* name: of a struct or union */
	BC_SHAPE_DIMENSION,   /* the upper bound */
	BC_SHAPE_TYPE,        /* one with a list below: name, type, size, encoding */
	/* What says nothing, but for where its children end: */
	BC_SHAPE_IDLE,     /* always */
	BC_SHAPE_ARGUMENT, /* unless it is right below a prototype or a function that is wanted */
	BC_SHAPE_VARIABLE, /* unless it is right below the unit and may be one that is wanted */
	BC_SHAPE_FUNCTION, /* name: unless no symbol has it */
	/* A short string stands first, the fields of another kind behind it. */
	BC_SHAPE_NAMED_INSIDE,
};

/* A number in a DIE: what is loaded from AT on, masked (mask 0: it is not there). */
struct bc_field {
	uint32_t mask; /* all its bytes */
	uint32_t at;   /* behind the code */
};

struct bc_shape {
	uint8_t kind;       /* enum bc_shape_kind */
	uint8_t btf_kind;   /* of links, structs and unions */
	uint8_t tag_class;  /* of what has a tag */
	uint8_t role;       /* enum bc_frame_role of a type with a list */
	uint8_t name_class; /* enum bc_value_class; BC_VALUE_STR where there is no name */
	bool has_children : 1;
	bool is_fixed : 1;   /* size is that of all such DIEs; else the ops say where one ends */
	uint8_t kind_behind; /* of one that is named inside */
	uint8_t op_count;
	uint32_t size; /* bytes behind the code, or behind the name */
	struct bc_field name, type, number, width, sibling;
	uint32_t number_constant; /* what the abbreviation itself says; else 0 */
	uint16_t width_constant;  /* the same */
	uint16_t tail;            /* not fixed: bytes behind the last op */
	uint32_t first_op;
};

struct bc_abbrev;
struct bc_abbrev_op;

/* Whether of what stands in bodies with that tag only the end of its children matters. */
bool bc_tag_is_idle(uint16_t tag);

/* The shape of an abbreviation with these OPS. */
struct bc_shape bc_shape_of(const struct bc_abbrev *abbrev, const struct bc_abbrev_op *ops);

#endif

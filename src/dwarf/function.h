/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_FUNCTION_H
#define BC_DWARF_FUNCTION_H

#include "dwarf/location.h"

/*
 * What a unit says about a function whose base name is in the symbol table:
 * one record per DW_TAG_subprogram that is no mere declaration. An abstract
 * one (of what was inlined) has no address; a concrete one may take name,
 * types and parameter names from it.
 */
struct bc_parameter {
	uint32_t offset;    /* of the DIE in the unit */
	uint32_t name;      /* name id */
	uint32_t reference; /* type */
	uint32_t origin;    /* offset of the DIE it comes from; 0: none */
	uint8_t standing;   /* enum bc_standing */
};

/* A declaration tag: of a whole declaration, or of a member or parameter by index. */
#define BC_TAG_OF_WHOLE UINT32_MAX

struct bc_decl_tag {
	uint32_t component;
	uint32_t value; /* name id */
};

struct bc_function {
	uint32_t offset;
	uint32_t name;      /* name id; 0: it has the origin's */
	uint32_t symbol;    /* number + 1; 0: none of that name, or not known yet */
	uint32_t reference; /* return type */
	uint32_t origin;    /* offset of the DIE it comes from; 0: none */
	uint32_t first_parameter, parameter_count;
	uint32_t first_tag, tag_count; /* among the collector's kept_tags */
	uint64_t address;
	bool has_address;
	bool is_vararg;
	bool is_reordered;  /* the origin has the parameters in another order */
	bool is_elsewhere;  /* a parameter comes in an unexpected register */
	bool is_incomplete; /* a parameter is optimized away, or nothing is said of it */
	bool is_changed;    /* the compiler says that it is not called as the source has it */
	uint32_t number;    /* of its prototype among the local types; 0: not a candidate */
};

/* A variable with a fixed address in a section that is wanted. */
struct bc_variable {
	uint32_t name;      /* name id */
	uint32_t reference; /* type, then its number among the local types, then its node */
	uint32_t unit;
	uint32_t origin; /* offset of the declaration's DIE; 0: none */
	const struct bc_decl_tag *tags;
	uint32_t first_tag, tag_count; /* among the collector's kept_tags, then in tags */
	uint32_t section, offset;      /* see places.h */
	bool is_external;
};

/* A prototype that a unit gives a function, to be chosen from when all are known. */
struct bc_candidate {
	struct bc_candidate *next; /* of the same symbol; set when choosing */
	uint32_t symbol;           /* number */
	uint32_t proto;            /* node; 0: a parameter has no name or no type */
	uint32_t unit;
	const struct bc_dwarf_file *file;
	uint64_t address; /* in the file; 0 with has_address false */
	bool has_address;
	bool is_elsewhere;  /* a parameter comes in an unexpected register */
	bool is_uncertain;  /* a parameter is a packed struct on the stack; set when choosing */
	bool is_incomplete; /* a parameter is optimized away */
	bool is_changed;    /* the compiler says that it is not called as the source has it */
	bool is_reordered;
};

#endif

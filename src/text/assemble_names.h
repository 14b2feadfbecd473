/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_ASSEMBLE_NAMES_H
#define BC_TEXT_ASSEMBLE_NAMES_H

#include "text/assemble_parse.h"

/* May TOKEN be a name? */
bool bc_parse_is_name(const struct bc_token *token);

/* The name of a member, value or parameter: "___2" at its end is part of it. */
bool bc_parse_element_name(struct bc_parse *parse, uint32_t *name);

/* A string in quotes, without a number; WHAT for the error that it is none. */
bool bc_parse_string(struct bc_parse *parse, const char *what, uint32_t *name);

/* The name of a type, and its number. */
bool bc_parse_type_name(struct bc_parse *parse, uint32_t *name, uint32_t *number);

/* The name of an INT, FLOAT or TYPEDEF where it may be several words. */
bool bc_parse_base_name(struct bc_parse *parse, uint32_t *name, uint32_t *number);

/* *REFERENCE means the type of SPACE that is called so, which may come later. */
bool bc_parse_refer(struct bc_parse *parse, enum bc_symbol_space space, uint32_t name,
		    uint32_t number, uint32_t at, uint32_t *reference);

/* Where the names and the labels of a struct, union or enum are. */
enum bc_symbol_space bc_parse_tag_space(uint32_t kind);
enum bc_symbol_space bc_parse_label_space(uint32_t kind);

#endif

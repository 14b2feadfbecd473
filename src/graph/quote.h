/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_GRAPH_QUOTE_H
#define BC_GRAPH_QUOTE_H

#include "base/text.h"

/*
 * How text forms write a name: as it is where that reads back as this name,
 * else in double quotes, with \" \\ and, for what is not printable ASCII, \xNN.
 */
enum bc_name_place {
	BC_NAME_OF_TYPE,    /* struct, function, section …: "foo___2" as a real name is quoted */
	BC_NAME_OF_BASE,    /* the same, but for INT, FLOAT, TYPEDEF: "long unsigned int" stays */
	BC_NAME_OF_ELEMENT, /* member, parameter, value */
};

void bc_text_name(struct bc_text *text, const char *name, enum bc_name_place place);

/* Always in quotes. */
void bc_text_quoted(struct bc_text *text, const char *name);

/*
 * The length of what stands before "___N" (N from 2 on, no zero in front) at
 * the end of NAME, the number in *NUMBER (saturated); 0: NAME does not end so.
 */
size_t bc_numbered_prefix(const char *name, size_t length, uint64_t *number);

#endif

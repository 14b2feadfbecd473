/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_ASSEMBLE_TAGS_H
#define BC_TEXT_ASSEMBLE_TAGS_H

#include "text/assemble_parse.h"

bool bc_parse_at_tag(const struct bc_parse *parse);

/* One tag up to its name; the closing parenthesis is not read. */
bool bc_parse_tag(struct bc_parse *parse, struct bc_tag_across *tag);

/* Tags on COMPONENT, to wait for the type that they are on. */
bool bc_parse_tags(struct bc_parse *parse, uint32_t component);

/* The tags that wait from number FIRST on are on TARGET. */
bool bc_parse_store_tags(struct bc_parse *parse, size_t first, uint32_t target);

#endif

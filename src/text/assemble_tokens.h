/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_ASSEMBLE_TOKENS_H
#define BC_TEXT_ASSEMBLE_TOKENS_H

#include "text/assemble_parse.h"

/*
 * One token of the language after another. "Accept" steps over what is asked
 * for if it is there; the others fail with err set when it is not.
 */
static inline bool bc_parse_at(const struct bc_parse *parse, char sign)
{
	return parse->scan.token.type == (uint8_t)sign;
}

static inline bool bc_parse_accept(struct bc_parse *parse, char sign)
{
	if (!bc_parse_at(parse, sign))
		return false;
	bc_scan_step(&parse->scan);
	return true;
}

bool bc_parse_accept_word(struct bc_parse *parse, const char *word);

bool bc_parse_expect(struct bc_parse *parse, char sign);

/* As the "]]" behind a label. */
bool bc_parse_expect_two(struct bc_parse *parse, char sign);

/* A number up to HIGHEST; WHAT says of what. */
bool bc_parse_number(struct bc_parse *parse, const char *what, uint64_t highest, uint64_t *number);
bool bc_parse_u32(struct bc_parse *parse, const char *what, uint32_t *number);

/* "size 8". */
bool bc_parse_size(struct bc_parse *parse, uint32_t *size_bytes);

/* "@3" behind the sign. */
bool bc_parse_label(struct bc_parse *parse, uint32_t *label);

/* "[[" WORD "]]", if it is that; *FLAG is then true. */
bool bc_parse_flag(struct bc_parse *parse, const char *word, bool *flag);

#endif

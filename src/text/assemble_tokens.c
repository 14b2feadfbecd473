/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "text/assemble_tokens.h"

bool bc_parse_expect(struct bc_parse *parse, char sign)
{
	char what[] = { '\'', sign, '\'', '\0' };

	return bc_parse_accept(parse, sign) || bc_scan_expected(&parse->scan, what);
}

bool bc_parse_expect_two(struct bc_parse *parse, char sign)
{
	for (int i = 0; i < 2; i++)
		if (!bc_parse_expect(parse, sign))
			return false;
	return true;
}

bool bc_parse_accept_word(struct bc_parse *parse, const char *word)
{
	if (!bc_scan_is(&parse->scan, word))
		return false;
	bc_scan_step(&parse->scan);
	return true;
}

bool bc_parse_number(struct bc_parse *parse, const char *what, uint64_t highest, uint64_t *number)
{
	const struct bc_token *token = &parse->scan.token;

	*number = 0;
	if (token->type != BC_TOKEN_NUMBER)
		return bc_scan_expected(&parse->scan, what);
	if (token->number > highest)
		return bc_scan_fail(&parse->scan, token->at, "%s is at most %llu", what,
				    (unsigned long long)highest);
	*number = token->number;
	bc_scan_step(&parse->scan);
	return true;
}

bool bc_parse_u32(struct bc_parse *parse, const char *what, uint32_t *number)
{
	uint64_t value = 0;

	*number = 0;
	if (!bc_parse_number(parse, what, UINT32_MAX, &value))
		return false;
	*number = (uint32_t)value;
	return true;
}

bool bc_parse_size(struct bc_parse *parse, uint32_t *size_bytes)
{
	return (bc_parse_accept_word(parse, "size") || bc_scan_expected(&parse->scan, "'size'")) &&
	       bc_parse_u32(parse, "a size", size_bytes);
}

bool bc_parse_label(struct bc_parse *parse, uint32_t *label)
{
	if (!bc_parse_u32(parse, "the number of a label", label))
		return false;
	return *label || bc_scan_fail(&parse->scan, parse->scan.token.at, "labels count from 1");
}

bool bc_parse_flag(struct bc_parse *parse, const char *word, bool *flag)
{
	if (!bc_parse_at(parse, '[') || parse->scan.next.type != '[')
		return true;
	bc_scan_step(&parse->scan);
	bc_scan_step(&parse->scan);
	if (!bc_parse_accept_word(parse, word))
		return bc_scan_expected(&parse->scan, word);
	*flag = true;
	return bc_parse_expect_two(parse, ']');
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "text/assemble_names.h"

#include <string.h>

#include "base/room.h"
#include "graph/quote.h"
#include "text/assemble_frames.h"

bool bc_parse_is_name(const struct bc_token *token)
{
	return token->type == BC_TOKEN_STRING ||
	       (token->type == BC_TOKEN_WORD && token->word == BC_WORD_OTHER);
}

/* Room for SIZE_BYTES in spare. */
static bool make_spare(struct bc_parse *parse, size_t size_bytes)
{
	return bc_make_room(&parse->spare, &parse->spare_limit, size_bytes, sizeof(*parse->spare),
			    parse->err);
}

/* What the string or the word that is TOKEN says. */
static bool store_token(struct bc_parse *parse, uint32_t *name)
{
	const struct bc_token *token = &parse->scan.token;
	const char *text = parse->scan.text + token->begin;
	uint32_t length = token->length;

	if (token->escaped) {
		if (!make_spare(parse, length))
			return false;
		length = bc_scan_unescape(&parse->scan, parse->spare);
		text = parse->spare;
	}
	return bc_store_string(parse->store, text, length, name);
}

bool bc_parse_element_name(struct bc_parse *parse, uint32_t *name)
{
	if (!bc_parse_is_name(&parse->scan.token))
		return bc_scan_expected(&parse->scan, "a name");
	if (parse->scan.token.type == BC_TOKEN_STRING && parse->scan.token.number)
		return bc_scan_fail(&parse->scan, parse->scan.token.at,
				    "only names of types, functions, variables and sections have "
				    "numbers");
	if (!store_token(parse, name))
		return false;
	bc_scan_step(&parse->scan);
	return true;
}

bool bc_parse_string(struct bc_parse *parse, const char *what, uint32_t *name)
{
	if (parse->scan.token.type != BC_TOKEN_STRING || !parse->scan.token.length)
		return bc_scan_expected(&parse->scan, what);
	return bc_parse_element_name(parse, name);
}

/* The bytes of word TOKEN before its "___N"; *NUMBER is N, 1 without. */
static uint32_t split_word(const struct bc_parse *parse, const struct bc_token *token,
			   uint64_t *number)
{
	const char *text = parse->scan.text + token->begin;
	uint32_t length = 0;

	if (text[token->length - 1] >= '0' && text[token->length - 1] <= '9')
		length = (uint32_t)bc_numbered_prefix(text, token->length, number);
	if (length)
		return length;
	*number = 1;
	return token->length;
}

bool bc_parse_type_name(struct bc_parse *parse, uint32_t *name, uint32_t *number)
{
	const struct bc_token *token = &parse->scan.token;
	uint64_t wide = token->number ? token->number : 1;

	if (!bc_parse_is_name(token))
		return bc_scan_expected(&parse->scan, "a name");
	if (token->type == BC_TOKEN_STRING) {
		if (!store_token(parse, name))
			return false;
	} else if (!bc_store_string(parse->store, parse->scan.text + token->begin,
				    split_word(parse, token, &wide), name)) {
		return false;
	}
	if (wide > UINT32_MAX)
		return bc_scan_fail(&parse->scan, token->at, "the number of a name is at most %u",
				    UINT32_MAX);
	*number = (uint32_t)wide;
	bc_scan_step(&parse->scan);
	return true;
}

/* Is it a word of base types, maybe with a number? */
static bool is_base_word(const struct bc_parse *parse, const struct bc_token *token)
{
	static const char words[] = " char short int long signed unsigned float double __int128 ";
	uint64_t number = 0;
	char padded[12] = " ";
	uint32_t length = 0;

	if (token->type != BC_TOKEN_WORD || token->word == BC_WORD_NO_NAME)
		return false;
	if (token->word == BC_WORD_OF_BASE)
		return true;
	length = split_word(parse, token, &number);
	if (length == token->length || length + 3 > sizeof(padded))
		return false;
	memcpy(padded + 1, parse->scan.text + token->begin, length);
	padded[length + 1] = ' ';
	padded[length + 2] = '\0';
	return strstr(words, padded);
}

bool bc_parse_base_name(struct bc_parse *parse, uint32_t *name, uint32_t *number)
{
	size_t length = 0;
	uint64_t wide = 1;

	if (!is_base_word(parse, &parse->scan.token) || !is_base_word(parse, &parse->scan.next)) {
		if (parse->scan.token.word != BC_WORD_OF_BASE)
			return bc_parse_type_name(parse, name, number);
		*number = 1;
		if (!store_token(parse, name))
			return false;
		bc_scan_step(&parse->scan);
		return true;
	}
	for (; is_base_word(parse, &parse->scan.token) && wide == 1; bc_scan_step(&parse->scan)) {
		const struct bc_token *token = &parse->scan.token;
		uint32_t part = split_word(parse, token, &wide);

		if (!bc_make_room(&parse->spare, &parse->spare_limit, length + part + 1,
				  sizeof(*parse->spare), parse->err))
			return false;
		if (length)
			parse->spare[length++] = ' ';
		memcpy(parse->spare + length, parse->scan.text + token->begin, part);
		length += part;
	}
	if (wide > UINT32_MAX)
		return bc_scan_expected(&parse->scan, "a smaller number of a name");
	*number = (uint32_t)wide;
	return bc_store_string(parse->store, parse->spare, length, name);
}

bool bc_parse_refer(struct bc_parse *parse, enum bc_symbol_space space, uint32_t name,
		    uint32_t number, uint32_t at, uint32_t *reference)
{
	if (!bc_store_symbol(parse->store, space, name, number, at, reference))
		return false;
	*reference |= BC_STORE_SYMBOL;
	return true;
}

bool bc_parse_declare(struct bc_parse *parse, enum bc_symbol_space space, uint32_t name,
		      uint32_t number, uint32_t id, uint32_t at)
{
	uint32_t symbol = 0;

	if (bc_store_find(parse->store, space, name, number))
		return bc_scan_fail(&parse->scan, at,
				    space >= BC_SYMBOL_LABEL_STRUCT ?
					    "this label means something else already" :
					    "this name and number belong to another type already");
	if (!bc_store_symbol(parse->store, space, name, number, at, &symbol))
		return false;
	parse->store->symbols[symbol].id = id;
	return true;
}

enum bc_symbol_space bc_parse_tag_space(uint32_t kind)
{
	return kind == BC_STRUCT ? BC_SYMBOL_STRUCT :
	       kind == BC_UNION  ? BC_SYMBOL_UNION :
				   BC_SYMBOL_ENUM;
}

enum bc_symbol_space bc_parse_label_space(uint32_t kind)
{
	return bc_parse_tag_space(kind) + (BC_SYMBOL_LABEL_STRUCT - BC_SYMBOL_STRUCT);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "graph/quote.h"

enum { LETTER = 1, DOT = 2, DIGIT = 4 };

/* What may stand in a plain name; names of sections and of split functions have dots. */
static const uint8_t byte_class[256] = {
	['A' ... 'Z'] = LETTER, ['a' ... 'z'] = LETTER, ['_'] = LETTER, ['$'] = LETTER, ['.'] = DOT,
	['0' ... '9'] = DIGIT,
};

/* Words that the grammar reads as something else where a name may stand. */
static const char *const grammar_words[] = {
	"const", "volatile", "restrict",  "void",     "struct",    "union",
	"enum",  "type_tag", "type_attr", "decl_tag", "decl_attr",
};

/* Words of which C makes the names of its types: "short unsigned int". */
static const char *const base_words[] = {
	"char", "short", "int", "long", "signed", "unsigned", "float", "double", "__int128",
};

/* Most names need no look at the words above: whether one begins so and is as long. */
static bool may_be_word(const char *name, size_t length)
{
	return length >= 3 && length <= 9 && strchr("cvrsuetdilf_", name[0]);
}

static bool is_one_of(const char *const *words, size_t word_count, const char *name, size_t length)
{
	for (size_t i = 0; i < word_count; i++)
		if (words[i][0] == name[0] && strlen(words[i]) == length &&
		    !memcmp(words[i], name, length))
			return true;
	return false;
}

static bool is_grammar_word(const char *name, size_t length)
{
	return is_one_of(grammar_words, sizeof(grammar_words) / sizeof(grammar_words[0]), name,
			 length);
}

static bool is_base_word(const char *name, size_t length)
{
	return is_one_of(base_words, sizeof(base_words) / sizeof(base_words[0]), name, length);
}

static bool is_base_words(const char *name)
{
	for (;;) {
		size_t length = strcspn(name, " ");

		if (!is_base_word(name, length))
			return false;
		if (!name[length])
			return true;
		name += length + 1;
	}
}

size_t bc_numbered_prefix(const char *name, size_t length, uint64_t *number)
{
	size_t end = length, at;

	while (end > 0 && byte_class[(uint8_t)name[end - 1]] == DIGIT)
		end--;
	if (end == length || end < 4 || memcmp(name + end - 3, "___", 3) || name[end] == '0' ||
	    (name[end] == '1' && end + 1 == length))
		return 0;
	*number = 0;
	for (at = end; at < length; at++)
		if (__builtin_mul_overflow(*number, (uint64_t)10, number) ||
		    __builtin_add_overflow(*number, (uint64_t)(name[at] - '0'), number))
			*number = UINT64_MAX;
	return end - 3;
}

static bool is_plain(const char *name, size_t length, enum bc_name_place place)
{
	uint8_t last = length ? byte_class[(uint8_t)name[length - 1]] : 0;
	uint64_t number;

	if (may_be_word(name, length)) {
		if (is_grammar_word(name, length))
			return false;
		if (is_base_word(name, length))
			return place == BC_NAME_OF_BASE;
	}
	if (last != DIGIT)
		return true;
	length = bc_numbered_prefix(name, length, &number);
	return !length || (place == BC_NAME_OF_ELEMENT && !is_base_word(name, length));
}

void bc_text_quoted(struct bc_text *text, const char *name)
{
	bc_text_char(text, '"');
	for (; *name; name++) {
		uint8_t byte = (uint8_t)*name;

		if (byte == '"' || byte == '\\') {
			bc_text_char(text, '\\');
			bc_text_char(text, *name);
		} else if (byte >= 0x20 && byte < 0x7f) {
			bc_text_char(text, *name);
		} else {
			bc_text_string(text, "\\x");
			bc_text_hex(text, byte);
		}
	}
	bc_text_char(text, '"');
}

void bc_text_name(struct bc_text *text, const char *name, enum bc_name_place place)
{
	uint8_t classes = 0;
	size_t length = 0;

	for (uint8_t class; (class = byte_class[(uint8_t)name[length]]); length++)
		classes |= class;
	if (name[length] || !(classes & ~DOT) || byte_class[(uint8_t)name[0]] == DIGIT) {
		if (place == BC_NAME_OF_BASE && is_base_words(name))
			bc_text_string(text, name);
		else
			bc_text_quoted(text, name);
	} else if (is_plain(name, length, place)) {
		bc_text_put(text, name, length);
	} else {
		bc_text_quoted(text, name);
	}
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "text/assemble_scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SPACE = 1, LETTER = 2, DIGIT = 4, DOT = 8, SIGN = 16 };

static const uint8_t byte_class[256] = {
	[' '] = SPACE,  ['\t'] = SPACE,         ['\n'] = SPACE,
	['\r'] = SPACE, ['A' ... 'Z'] = LETTER, ['a' ... 'z'] = LETTER,
	['_'] = LETTER, ['$'] = LETTER,         ['0' ... '9'] = DIGIT,
	['.'] = DOT,    ['-'] = SIGN,           ['{'] = SIGN,
	['}'] = SIGN,   ['('] = SIGN,           [')'] = SIGN,
	['['] = SIGN,   [']'] = SIGN,           ['*'] = SIGN,
	[','] = SIGN,   [';'] = SIGN,           [':'] = SIGN,
	['='] = SIGN,   ['@'] = SIGN,
};

static const struct {
	const char *text;
	uint8_t word;
} reserved_words[] = {
	{ "const", BC_WORD_CONST },         { "volatile", BC_WORD_VOLATILE },
	{ "restrict", BC_WORD_RESTRICT },   { "void", BC_WORD_VOID },
	{ "struct", BC_WORD_STRUCT },       { "union", BC_WORD_UNION },
	{ "enum", BC_WORD_ENUM },           { "type_tag", BC_WORD_TYPE_TAG },
	{ "type_attr", BC_WORD_TYPE_ATTR }, { "decl_tag", BC_WORD_DECL_TAG },
	{ "decl_attr", BC_WORD_DECL_ATTR }, { "char", BC_WORD_OF_BASE },
	{ "short", BC_WORD_OF_BASE },       { "int", BC_WORD_OF_BASE },
	{ "long", BC_WORD_OF_BASE },        { "signed", BC_WORD_OF_BASE },
	{ "unsigned", BC_WORD_OF_BASE },    { "float", BC_WORD_OF_BASE },
	{ "double", BC_WORD_OF_BASE },      { "__int128", BC_WORD_OF_BASE },
};

/* Most names are seen not to be reserved by their length and first letter. */
static enum bc_word word_of(const char *text, uint32_t length)
{
	if (length < 3 || length > 9 || !text[0] || !strchr("cvrsuetdilf_", text[0]))
		return BC_WORD_OTHER;
	for (size_t i = 0; i < sizeof(reserved_words) / sizeof(reserved_words[0]); i++)
		if (reserved_words[i].text[0] == text[0] &&
		    !memcmp(reserved_words[i].text, text, length < 3 ? length : 3) &&
		    strlen(reserved_words[i].text) == length &&
		    !memcmp(reserved_words[i].text, text, length))
			return reserved_words[i].word;
	return BC_WORD_OTHER;
}

static uint8_t class_at(const struct bc_scan *scan, uint32_t place)
{
	return place < scan->size_bytes ? byte_class[(uint8_t)scan->text[place]] : 0;
}

static void skip_space(struct bc_scan *scan)
{
	for (;;) {
		const char *end;

		while (class_at(scan, scan->place) == SPACE)
			scan->place++;
		if (scan->size_bytes - scan->place < 2 || scan->text[scan->place] != '/' ||
		    scan->text[scan->place + 1] != '/')
			return;
		end = memchr(scan->text + scan->place, '\n', scan->size_bytes - scan->place);
		scan->place = end ? (uint32_t)(end - scan->text) : scan->size_bytes;
	}
}

static void scan_word(struct bc_scan *scan, struct bc_token *token)
{
	uint8_t classes = 0, class;

	while ((class = class_at(scan, scan->place)) & (LETTER | DIGIT | DOT)) {
		classes |= class;
		scan->place++;
	}
	token->length = scan->place - token->begin;
	if (classes == DIGIT) {
		token->type = BC_TOKEN_NUMBER;
		for (uint32_t i = token->begin; i < scan->place; i++) {
			if (__builtin_mul_overflow(token->number, (uint64_t)10, &token->number) ||
			    __builtin_add_overflow(token->number, (uint64_t)(scan->text[i] - '0'),
						   &token->number)) {
				token->type = BC_TOKEN_BAD;
				token->trouble = "a number of more than 64 bits";
				return;
			}
		}
		return;
	}
	token->type = BC_TOKEN_WORD;
	if (classes == DOT && token->length == 3)
		token->type = BC_TOKEN_DOTS;
	else if (classes == DOT || byte_class[(uint8_t)scan->text[token->begin]] == DIGIT)
		token->word = BC_WORD_NO_NAME;
	else
		token->word = word_of(scan->text + token->begin, token->length);
}

static int hex_digit(char byte)
{
	return byte >= '0' && byte <= '9' ? byte - '0' :
	       byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 :
	       byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 :
					    -1;
}

/* Bytes of the escape at PLACE, 0: there is no such. */
static uint32_t escape_bytes(const struct bc_scan *scan, uint32_t place)
{
	const char *text = scan->text + place;
	uint32_t left = scan->size_bytes - place;

	if (left >= 2 && (text[1] == '"' || text[1] == '\\'))
		return 2;
	if (left >= 4 && text[1] == 'x' && hex_digit(text[2]) >= 0 && hex_digit(text[3]) >= 0 &&
	    (text[2] != '0' || text[3] != '0'))
		return 4;
	return 0;
}

/* The N of "___N" that follows a string without anything between. */
static void scan_string_number(struct bc_scan *scan, struct bc_token *token)
{
	uint32_t place = scan->place;
	uint64_t number = 0;

	if (scan->size_bytes - place < 4 || memcmp(scan->text + place, "___", 3))
		return;
	for (place += 3; class_at(scan, place) == DIGIT && number < UINT32_MAX; place++)
		number = number * 10 + (uint64_t)(scan->text[place] - '0');
	if (scan->text[scan->place + 3] == '0' || number < 2 || number > UINT32_MAX ||
	    class_at(scan, place) & (LETTER | DIGIT | DOT)) {
		token->type = BC_TOKEN_BAD;
		token->trouble = "a string with something behind it that is not ___ and a number";
		return;
	}
	token->number = number;
	scan->place = place;
}

static void scan_string(struct bc_scan *scan, struct bc_token *token)
{
	uint32_t place = token->at + 1, bytes;

	token->type = BC_TOKEN_BAD;
	token->begin = place;
	for (;; place += bytes) {
		char byte = place < scan->size_bytes ? scan->text[place] : '\n';

		bytes = 1;
		if (byte == '"')
			break;
		if (byte == '\n' || byte == '\0') {
			token->trouble = "a string that does not end on its line";
			return;
		}
		if (byte != '\\')
			continue;
		token->escaped = true;
		bytes = escape_bytes(scan, place);
		if (!bytes) {
			token->at = place;
			token->trouble = "an escape that is none of \\\" \\\\ \\xNN";
			return;
		}
	}
	token->type = BC_TOKEN_STRING;
	token->length = place - token->begin;
	scan->place = place + 1;
	scan_string_number(scan, token);
}

void bc_scan_step(struct bc_scan *scan)
{
	struct bc_token *token = &scan->next;
	uint8_t class;

	scan->token = scan->next;
	if (token->type == BC_TOKEN_BAD)
		return; /* nothing behind it is looked at */
	skip_space(scan);
	*token = (struct bc_token){ .at = scan->place, .begin = scan->place };
	if (scan->place == scan->size_bytes)
		return;
	class = class_at(scan, scan->place);
	if (class & (LETTER | DIGIT | DOT)) {
		scan_word(scan, token);
	} else if (class == SIGN) {
		token->type = (uint8_t)scan->text[scan->place++];
		token->length = 1;
	} else if (scan->text[scan->place] == '"') {
		scan_string(scan, token);
	} else {
		token->type = BC_TOKEN_BAD;
		token->trouble = "a byte that begins nothing";
	}
}

void bc_scan_open(struct bc_scan *scan, const char *text, size_t size_bytes, uint32_t place,
		  struct bc_err *err)
{
	*scan = (struct bc_scan){
		.text = text,
		.size_bytes = (uint32_t)size_bytes,
		.place = place,
		.err = err,
	};
	bc_scan_step(scan);
	bc_scan_step(scan);
}

bool bc_scan_fail(const struct bc_scan *scan, uint32_t at, const char *format, ...)
{
	uint32_t line = 1, line_begin = 0;
	char what[400];
	va_list args;

	for (uint32_t i = 0; i < at; i++) {
		if (scan->text[i] == '\n') {
			line++;
			line_begin = i + 1;
		}
	}
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return bc_err_set(scan->err, "line %u, column %u: %s", line, at - line_begin + 1, what);
}

bool bc_scan_expected(const struct bc_scan *scan, const char *what)
{
	const struct bc_token *token = &scan->token;
	char raw[40], printable[BC_PRINTABLE_MAX];
	uint32_t end = token->type == BC_TOKEN_STRING ? token->begin + token->length + 1 :
							token->begin + token->length;
	uint32_t length = end - token->at;

	if (token->type == BC_TOKEN_BAD)
		return bc_scan_fail(scan, token->at, "%s", token->trouble);
	if (token->type == BC_TOKEN_END)
		return bc_scan_fail(scan, token->at, "the text ends where %s is expected", what);
	if (length >= sizeof(raw))
		length = sizeof(raw) - 1;
	memcpy(raw, scan->text + token->at, length);
	raw[length] = '\0';
	return bc_scan_fail(scan, token->at, "%s is expected, not '%s'", what,
			    bc_printable(printable, raw));
}

bool bc_scan_is(const struct bc_scan *scan, const char *word)
{
	return scan->token.type == BC_TOKEN_WORD && scan->token.length == strlen(word) &&
	       !memcmp(scan->text + scan->token.begin, word, scan->token.length);
}

uint32_t bc_scan_unescape(const struct bc_scan *scan, char *to)
{
	const char *from = scan->text + scan->token.begin, *end = from + scan->token.length;
	uint32_t length = 0;

	while (from < end) {
		if (*from != '\\') {
			to[length++] = *from++;
		} else if (from[1] == 'x') {
			to[length++] = (char)((unsigned int)hex_digit(from[2]) << 4 |
					      (unsigned int)hex_digit(from[3]));
			from += 4;
		} else {
			to[length++] = from[1];
			from += 2;
		}
	}
	return length;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Compilers name base types with the words of C in various orders. Names are
 * read word by word, so that all orders are known; what they mean has to have
 * the size that BTF says.
 */
#include "text/header_bases.h"

#include <string.h>

enum word {
	SIGNED = 1 << 0,
	UNSIGNED = 1 << 1,
	CHAR = 1 << 2,
	SHORT = 1 << 3,
	INT = 1 << 4,
	LONG = 1 << 5,
	LONG_LONG = 1 << 6,
	BOOL = 1 << 7,
	INT128 = 1 << 8,
	FLOAT = 1 << 9,
	DOUBLE = 1 << 10,
};

static const struct {
	const char *text;
	uint32_t word;
} words[] = {
	{ "signed", SIGNED }, { "unsigned", UNSIGNED }, { "char", CHAR },       { "short", SHORT },
	{ "int", INT },       { "long", LONG },         { "_Bool", BOOL },      { "bool", BOOL },
	{ "float", FLOAT },   { "double", DOUBLE },     { "__int128", INT128 },
};

static uint32_t word_of(const char *text, size_t length)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].text) == length && !memcmp(words[i].text, text, length))
			return words[i].word;
	return 0;
}

/* The set of words in NAME; 0: other words, or one too often. */
static uint32_t words_of(const char *name)
{
	uint32_t set = 0;

	while (*name) {
		size_t length = strcspn(name, " ");
		uint32_t word = word_of(name, length);

		if (word == LONG && set & LONG)
			word = LONG_LONG;
		if (!word || set & word)
			return 0;
		set |= word;
		name += length;
		if (*name == ' ' && !*++name)
			return 0;
	}
	return set;
}

/* What the words mean in C, in bytes; 0: nothing. */
static uint32_t size_of_words(uint32_t set, uint32_t pointer_bytes)
{
	uint32_t rest = set & ~(uint32_t)(SIGNED | UNSIGNED);

	if ((set & (SIGNED | UNSIGNED)) == (SIGNED | UNSIGNED))
		return 0;
	if (set != rest && rest & (BOOL | FLOAT | DOUBLE))
		return 0;
	switch (rest) {
	case BOOL:
	case CHAR:
		return 1;
	case SHORT:
	case SHORT | INT:
		return 2;
	case 0:
	case INT:
	case FLOAT:
		return 4;
	case LONG:
	case LONG | INT:
		return pointer_bytes;
	case LONG | LONG_LONG:
	case LONG | LONG_LONG | INT:
	case DOUBLE:
		return 8;
	case INT128:
		return pointer_bytes == 8 ? 16 : 0;
	default: /* of a long double, each target has a size of its own */
		return 0;
	}
}

bool bc_base_is_known(const struct bc_graph *graph, const uint32_t *node, uint32_t pointer_bytes)
{
	uint32_t set = words_of(bc_string(graph, node[0]));
	bool is_float = bc_node_kind(node) == BC_FLOAT;

	/* One without a name cannot be defined: it is written in place. */
	if (!*bc_string(graph, node[0]))
		return true;
	return set && is_float == !!(set & (FLOAT | DOUBLE)) &&
	       size_of_words(set, pointer_bytes) == node[2];
}

static bool is_long_double(const struct bc_graph *graph, const uint32_t *node)
{
	return bc_node_kind(node) == BC_FLOAT &&
	       words_of(bc_string(graph, node[0])) == (uint32_t)(LONG | DOUBLE);
}

/* The type of C that an unknown one becomes; NULL: none has that size. */
static const char *stand_in(const uint32_t *node, uint32_t pointer_bytes)
{
	bool is_signed = node[3] >> 24 & 1, is_bool = node[3] >> 24 & 4;

	if (bc_node_kind(node) == BC_FLOAT)
		return node[2] == 4 ? "float" : node[2] == 8 ? "double" : NULL;
	switch (node[2]) {
	case 1:
		return is_bool ? "_Bool" : is_signed ? "signed char" : "unsigned char";
	case 2:
		return is_signed ? "short int" : "short unsigned int";
	case 4:
		return is_signed ? "int" : "unsigned int";
	case 8:
		return is_signed ? "long long int" : "long long unsigned int";
	case 16:
		if (pointer_bytes == 8)
			return is_signed ? "__int128" : "__int128 unsigned";
		return NULL;
	default:
		return NULL;
	}
}

static bool is_power_of_two(uint32_t size_bytes)
{
	return size_bytes && !(size_bytes & (size_bytes - 1));
}

uint32_t bc_base_align(const struct bc_graph *graph, const uint32_t *node, uint32_t pointer_bytes,
		       uint32_t align8)
{
	uint32_t size_bytes = node[2];

	bool is_plain = *bc_string(graph, node[0]) && bc_base_is_known(graph, node, pointer_bytes);

	if (!is_plain && !stand_in(node, pointer_bytes)) {
		if (size_bytes == 12)
			return 4;
		return is_power_of_two(size_bytes) && size_bytes <= 16 ? size_bytes : 1;
	}
	return size_bytes == 8 ? align8 : size_bytes;
}

/* Bytes with the right size and alignment. */
static void put_bytes(struct bc_text *text, uint32_t size_bytes, uint32_t align)
{
	bc_text_string(text, "struct { unsigned char bytes[");
	bc_text_number(text, size_bytes);
	bc_text_string(text, "]; }");
	if (align > 1) {
		bc_text_string(text, " __attribute__((aligned(");
		bc_text_number(text, align);
		bc_text_string(text, ")))");
	}
}

void bc_base_put(struct bc_text *text, const struct bc_graph *graph, const uint32_t *node,
		 uint32_t pointer_bytes)
{
	const char *name = bc_string(graph, node[0]);

	if (!*name)
		name = stand_in(node, pointer_bytes);
	if (!name)
		put_bytes(text, node[2], bc_base_align(graph, node, pointer_bytes, 8));
	else /* "bool" is a keyword in C23 only. */
		bc_text_string(text, strcmp(name, "bool") ? name : "_Bool");
}

void bc_base_put_definition(struct bc_text *text, const struct bc_graph *graph,
			    const uint32_t *node, uint32_t pointer_bytes,
			    void (*put_name)(void *context), void *context)
{
	const char *type = stand_in(node, pointer_bytes);
	bool may_be_real = is_long_double(graph, node);

	if (type) {
		bc_text_string(text, "typedef ");
		bc_text_string(text, type);
		bc_text_char(text, ' ');
		put_name(context);
		bc_text_string(text, ";\n");
		return;
	}
	if (may_be_real) {
		bc_text_string(text, "#if __SIZEOF_LONG_DOUBLE__ == ");
		bc_text_number(text, node[2]);
		bc_text_string(text, "\ntypedef long double ");
		put_name(context);
		bc_text_string(text, ";\n#else\n");
	}
	bc_text_string(text, "typedef ");
	put_bytes(text, node[2], bc_base_align(graph, node, pointer_bytes, 8));
	bc_text_char(text, ' ');
	put_name(context);
	bc_text_string(text, ";\n");
	if (may_be_real)
		bc_text_string(text, "#endif\n");
}

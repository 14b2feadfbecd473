/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "compare/words.h"

#include <string.h>

#include "graph/quote.h"

#define MAX_SPELLED 4096 /* bytes of one type; longer ones are cut */
#define MAX_TEXT ((uint64_t)1 << 30)
#define MAX_STEPS ((uint64_t)1 << 28) /* a kernel takes 50,000 */

bool bc_words_open(struct bc_words *words, const struct bc_comparison *comparison,
		   struct bc_err *err)
{
	*words = (struct bc_words){ .comparison = comparison, .err = err };
	if (!bc_text_open(&words->spelled, NULL, MAX_TEXT, err) ||
	    !bc_text_open(&words->types[BC_OLD], NULL, MAX_TEXT, err) ||
	    !bc_text_open(&words->types[BC_NEW], NULL, MAX_TEXT, err) ||
	    !bc_text_open(&words->line, NULL, MAX_TEXT, err))
		return false;
	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		const struct bc_side *side = &comparison->sides[which];

		words->spells[which] = (struct bc_spell){
			.graph = side->graph,
			.text = &words->spelled,
			.names = side->names,
			.tags = side->tags,
			.err = err,
		};
		if (!bc_repeats_open(&words->spells[which].repeats, side->graph, MAX_STEPS,
				     &words->arena, err))
			return false;
	}
	return true;
}

void bc_words_close(struct bc_words *words)
{
	bc_spell_close(&words->spells[BC_OLD]);
	bc_spell_close(&words->spells[BC_NEW]);
	bc_text_close(&words->spelled);
	bc_text_close(&words->types[BC_OLD]);
	bc_text_close(&words->types[BC_NEW]);
	bc_text_close(&words->line);
	bc_arena_free(&words->arena);
}

static void clear(struct bc_text *text)
{
	text->used = 0;
	text->written_bytes = 0;
}

static const char *finished(struct bc_text *text)
{
	bc_text_char(text, '\0');
	return text->failed ? NULL : text->bytes;
}

/* The end of the string in quotes that begins at FROM. */
static const char *skip_quoted(const char *from, const char *end)
{
	for (from++; from < end && *from != '"'; from++)
		if (*from == '\\' && from + 1 < end)
			from++;
	return from < end ? from + 1 : end;
}

/* Behind the body that begins at FROM with its brace, its size and its flags. */
static const char *skip_body(const char *from, const char *end)
{
	uint32_t depth = 0;

	do {
		if (*from == '"') {
			from = skip_quoted(from, end);
			continue;
		}
		depth += *from == '{';
		depth -= *from == '}';
		from++;
	} while (from < end && depth);
	if (end - from > 6 && !memcmp(from, " size ", 6))
		for (from += 6; from < end && *from >= '0' && *from <= '9';)
			from++;
	if (end - from > 3 && !memcmp(from, " [[", 3)) {
		while (from < end && *from != ']')
			from++;
		from += end - from < 2 ? end - from : 2;
	}
	return from;
}

/* What was spelled, each outermost body as "{...}". */
static void fold_bodies(const struct bc_text *spelled, struct bc_text *line)
{
	const char *at = spelled->bytes, *end = at + spelled->used;

	clear(line);
	while (at < end) {
		if (*at == '"') {
			const char *behind = skip_quoted(at, end);

			bc_text_put(line, at, (size_t)(behind - at));
			at = behind;
		} else if (*at == '{') {
			bc_text_string(line, "{...}");
			at = skip_body(at, end);
		} else {
			bc_text_char(line, *at++);
		}
	}
}

const char *bc_words_type(struct bc_words *words, unsigned int which, uint32_t type_id)
{
	struct bc_spell *spell = &words->spells[which];
	struct bc_text *line = &words->types[which];

	if (!type_id)
		return "void";
	if (words->type_ids[which] == type_id)
		return line->bytes;
	words->type_ids[which] = 0;
	clear(&words->spelled);
	spell->give_up_at = MAX_SPELLED;
	if (!bc_spell_begin(spell, type_id) || !bc_spell_declaration(spell, type_id, 0))
		return NULL;
	fold_bodies(&words->spelled, line);
	if (words->spelled.used > MAX_SPELLED)
		bc_text_string(line, "...");
	if (!finished(line))
		return NULL;
	words->type_ids[which] = type_id;
	return line->bytes;
}

static const char *enum_name(struct bc_words *words, const struct bc_graph *graph,
			     const uint32_t *node)
{
	uint32_t count = bc_info_vlen(node[1]);

	bc_text_string(&words->line, "{ ");
	if (count)
		bc_words_put_name(&words->line, bc_string(graph, bc_element(node, 0)[0]));
	bc_text_string(&words->line, count > 1 ? ", ... }" : " }");
	return finished(&words->line);
}

const char *bc_words_name(struct bc_words *words, unsigned int which, uint32_t id)
{
	const struct bc_side *side = &words->comparison->sides[which];
	const uint32_t *node = bc_node(side->graph, id);

	clear(&words->line);
	if (!bc_node_is_named(node, side->graph))
		return enum_name(words, side->graph, node);
	bc_text_type_name(&words->line, side->graph, &side->names, id);
	return finished(&words->line);
}

static bool spell_definition(struct bc_words *words, unsigned int which, uint32_t id)
{
	const struct bc_side *side = &words->comparison->sides[which];
	const uint32_t *node = bc_node(side->graph, id);
	struct bc_spell *spell = &words->spells[which];
	struct bc_text *text = &words->spelled;

	switch (bc_node_kind(node)) {
	case BC_STRUCT:
	case BC_UNION:
	case BC_ENUM:
	case BC_ENUM64:
		return bc_spell_body(spell, id);
	case BC_TYPEDEF:
		bc_text_string(text, "typedef ");
		break;
	case BC_VAR:
		bc_text_string(text, bc_linkage_word(node[3]));
		bc_text_char(text, ' ');
		break;
	case BC_FUNC:
		bc_text_string(text, bc_linkage_word(bc_info_vlen(node[1])));
		bc_text_char(text, ' ');
		break;
	default:
		bc_text_string(text, bc_kind_word(node));
		bc_text_char(text, ' ');
		bc_text_type_name(text, side->graph, &side->names, id);
		if (bc_class_of(node) == BC_CLASS_BASE) {
			bc_text_string(text, " size ");
			bc_text_number(text, node[2]);
		}
		return true;
	}
	if (!bc_spell_declaration(spell, node[2], id))
		return false;
	bc_spell_tags(spell, id);
	return true;
}

const char *bc_words_definition(struct bc_words *words, unsigned int which, uint32_t id)
{
	clear(&words->spelled);
	words->spells[which].give_up_at = 0;
	if (!bc_spell_begin(&words->spells[which], id) || !spell_definition(words, which, id))
		return NULL;
	bc_text_char(&words->spelled, ';');
	return finished(&words->spelled);
}

void bc_words_put_name(struct bc_text *text, const char *name)
{
	for (const char *at = name; *at; at++) {
		if (*at < 0x20 || *at > 0x7e || *at == '"' || *at == '\\') {
			bc_text_quoted(text, name);
			return;
		}
	}
	bc_text_string(text, name);
}

const char *bc_linkage_word(uint32_t linkage)
{
	static const char *const words[] = { "static", "global", "extern" };

	return linkage < 3 ? words[linkage] : "unknown";
}

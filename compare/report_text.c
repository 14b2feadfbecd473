/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * One block per kind, one line per type, below it one line per detail: mark,
 * name, what changed. Names of details stand in a column that is as wide as
 * the longest of the type needs, within reason.
 */
#include "compare/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare/filter.h"
#include "compare/words.h"

#define MAX_NAME_COLUMN 40
#define MIN_NAME_COLUMN 16
#define MIN_RUN 3 /* members that moved together are one line from here on */
#define MAX_TEXT ((uint64_t)1 << 32)
#define MAX_DIFF_CELLS ((uint64_t)1 << 22)

struct writer {
	const struct bc_comparison *comparison;
	const struct bc_report_options *options;
	struct bc_text text;
	struct bc_text name; /* of a detail, to be measured */
	struct bc_words words;
	struct bc_arena scratch; /* of one type */
	bool began;              /* what changed of the detail has its first item */
	struct bc_err *err;
};

enum color { PLAIN, BOLD, GREEN, RED, YELLOW, DIM };

static void put_color(struct writer *writer, enum color color)
{
	static const char *const codes[] = { "\033[0m",  "\033[1m",  "\033[32m",
					     "\033[31m", "\033[33m", "\033[2m" };

	if (writer->options->color)
		bc_text_string(&writer->text, codes[color]);
}

static void put_mark(struct writer *writer, enum bc_change change)
{
	static const char marks[] = { '+', '-', '~', '.' };
	static const enum color colors[] = { GREEN, RED, YELLOW, DIM };

	put_color(writer, colors[change]);
	bc_text_char(&writer->text, marks[change]);
	put_color(writer, PLAIN);
	bc_text_char(&writer->text, ' ');
}

/* Before each thing that changed: ", " but before the first. */
static void begin_item(struct writer *writer, const char *word)
{
	if (writer->began)
		bc_text_string(&writer->text, ", ");
	writer->began = true;
	bc_text_string(&writer->text, word);
}

/* "8" or, not at a byte, "8:3". */
static void put_bit_offset(struct bc_text *text, uint64_t bit_offset)
{
	bc_text_number(text, bit_offset / 8);
	if (bit_offset % 8) {
		bc_text_char(text, ':');
		bc_text_number(text, bit_offset % 8);
	}
}

static bool put_type(struct writer *writer, unsigned int which, uint32_t type_id)
{
	const char *type = bc_words_type(&writer->words, which, type_id);

	if (!type)
		return false;
	bc_text_string(&writer->text, type);
	return true;
}

static bool put_types(struct writer *writer, uint32_t old_id, uint32_t new_id)
{
	struct bc_text *text = &writer->text;
	size_t old_place, new_place;
	bool put, same;

	bc_text_hold(text);
	old_place = text->used;
	put = put_type(writer, BC_OLD, old_id);
	bc_text_string(text, " -> ");
	new_place = text->used;
	put = put && put_type(writer, BC_NEW, new_id);
	/* Spelled alike: something inside or behind the names differs. */
	same = put && !text->failed && text->used - new_place == new_place - 4 - old_place &&
	       !memcmp(text->bytes + old_place, text->bytes + new_place, text->used - new_place);
	if (same) {
		bc_text_take_back(text, new_place - 4);
		bc_text_string(text, " (another one)");
	}
	bc_text_release(text);
	return put;
}

/* ---- names ---- */

static void put_detail_name(struct bc_text *text, const struct bc_detail *detail)
{
	const char *old_name = detail->old.name, *new_name = detail->new.name;

	switch (detail->part) {
	case BC_PART_RETURN:
		bc_text_string(text, "(return)");
		return;
	case BC_PART_TYPE:
		bc_text_string(text, "(type)");
		return;
	case BC_PART_ORDER:
		bc_text_string(text, "(order)");
		return;
	case BC_PART_TAG:
		bc_text_string(text, detail->old.is_attribute || detail->new.is_attribute ?
					     "decl_attr " :
					     "decl_tag ");
		break;
	default:
		break;
	}
	if (old_name)
		bc_words_put_name(text, *old_name ? old_name : "(unnamed)");
	if (new_name && (!old_name || strcmp(old_name, new_name))) {
		if (old_name)
			bc_text_string(text, " -> ");
		bc_words_put_name(text, *new_name ? new_name : "(unnamed)");
	}
}

static size_t name_width(struct writer *writer, const struct bc_detail *detail)
{
	writer->name.used = 0;
	writer->name.written_bytes = 0;
	put_detail_name(&writer->name, detail);
	return writer->name.used;
}

static void put_name_column(struct writer *writer, const struct bc_detail *detail, size_t column)
{
	size_t width = name_width(writer, detail);

	bc_text_put(&writer->text, writer->name.bytes, width);
	bc_text_repeat(&writer->text, ' ', width < column ? column - width : 0);
	bc_text_string(&writer->text, "  ");
}

static size_t name_column(struct writer *writer, const struct bc_difference *difference)
{
	size_t column = MIN_NAME_COLUMN;

	for (uint32_t i = 0; i < difference->detail_count; i++) {
		size_t width = name_width(writer, bc_detail_at(writer->comparison, difference, i));

		if (width > column && width <= MAX_NAME_COLUMN)
			column = width;
	}
	return column;
}

/* ---- details ---- */

static bool put_member(struct writer *writer, const struct bc_detail *detail)
{
	const struct bc_part_state *state = detail->change == BC_REMOVED ? &detail->old :
									   &detail->new;
	struct bc_text *text = &writer->text;

	if (detail->change != BC_CHANGED) {
		put_bit_offset(text, state->bit_offset);
		bc_text_string(text, "  ");
		if (!put_type(writer, detail->change == BC_ADDED, state->type_id))
			return false;
		if (state->bit_width) {
			bc_text_string(text, " : ");
			bc_text_number(text, state->bit_width);
		}
		if (*state->nesting) {
			bc_text_string(text, ", in an unnamed ");
			bc_text_string(text, state->nesting);
		}
		return true;
	}
	if (detail->aspects & BC_ASPECT_RENAMED)
		begin_item(writer, "renamed");
	if (detail->aspects & BC_ASPECT_MOVED) {
		begin_item(writer, "offset ");
		put_bit_offset(text, detail->old.bit_offset);
		bc_text_string(text, " -> ");
		put_bit_offset(text, detail->new.bit_offset);
	}
	if (detail->aspects & BC_ASPECT_WIDTH) {
		begin_item(writer, "bits ");
		bc_text_number(text, detail->old.bit_width);
		bc_text_string(text, " -> ");
		bc_text_number(text, detail->new.bit_width);
	}
	if (detail->aspects & BC_ASPECT_NESTED) {
		begin_item(writer,
			   *detail->new.nesting ? "now in an unnamed " : "now in the type itself");
		bc_text_string(text, detail->new.nesting);
	}
	if (detail->aspects & BC_ASPECT_RETYPED) {
		begin_item(writer, "");
		return put_types(writer, detail->old.type_id, detail->new.type_id);
	}
	return true;
}

static void put_number(struct writer *writer, unsigned int which, uint32_t enum_id, uint64_t value)
{
	if (bc_info_kflag(bc_node(writer->comparison->sides[which].graph, enum_id)[1]))
		bc_text_signed(&writer->text, (int64_t)value);
	else
		bc_text_number(&writer->text, value);
}

static void put_value(struct writer *writer, const struct bc_difference *difference,
		      const struct bc_detail *detail)
{
	if (detail->aspects & BC_ASPECT_RENAMED)
		begin_item(writer, "renamed, ");
	bc_text_string(&writer->text, "= ");
	if (detail->change != BC_ADDED)
		put_number(writer, BC_OLD, difference->old_id, detail->old.value);
	if (detail->aspects & BC_ASPECT_RENUMBERED)
		bc_text_string(&writer->text, " -> ");
	if (detail->change == BC_ADDED || detail->aspects & BC_ASPECT_RENUMBERED)
		put_number(writer, BC_NEW, difference->new_id, detail->new.value);
}

static bool put_parameter(struct writer *writer, const struct bc_detail *detail)
{
	if (detail->change != BC_CHANGED) {
		const struct bc_part_state *state = detail->change == BC_REMOVED ? &detail->old :
										   &detail->new;

		bc_text_string(&writer->text, "parameter ");
		bc_text_number(&writer->text, state->place + 1);
		if (!strcmp(state->name, "..."))
			return true;
		bc_text_string(&writer->text, ", ");
		return put_type(writer, detail->change == BC_ADDED, state->type_id);
	}
	begin_item(writer, "parameter ");
	bc_text_number(&writer->text, detail->old.place + 1);
	if (detail->aspects & BC_ASPECT_MOVED) {
		bc_text_string(&writer->text, " -> ");
		bc_text_number(&writer->text, detail->new.place + 1);
	}
	if (detail->aspects & BC_ASPECT_RENAMED)
		begin_item(writer, "renamed");
	if (detail->aspects & BC_ASPECT_RETYPED) {
		begin_item(writer, "");
		return put_types(writer, detail->old.type_id, detail->new.type_id);
	}
	return true;
}

static void put_tag(struct writer *writer, const struct bc_difference *difference,
		    const struct bc_detail *detail)
{
	const struct bc_part_state *state = detail->change == BC_REMOVED ? &detail->old :
									   &detail->new;
	bool is_function = bc_node_kind(bc_difference_node(writer->comparison, difference)) ==
			   BC_FUNC;

	if (state->place) {
		bc_text_string(&writer->text, is_function ? "on parameter " : "on member ");
		bc_words_put_name(&writer->text, *state->nesting ? state->nesting : "(unnamed)");
	} else if (is_function && !strcmp(state->name, "bpf_kfunc")) {
		bc_text_string(&writer->text,
			       detail->change == BC_ADDED ? "now a kfunc" : "no kfunc any more");
	}
}

static bool put_change(struct writer *writer, const struct bc_difference *difference,
		       const struct bc_detail *detail)
{
	writer->began = false;
	switch (detail->part) {
	case BC_PART_MEMBER:
		return put_member(writer, detail);
	case BC_PART_VALUE:
		put_value(writer, difference, detail);
		return true;
	case BC_PART_PARAMETER:
		return put_parameter(writer, detail);
	case BC_PART_RETURN:
	case BC_PART_TYPE:
		return put_types(writer, detail->old.type_id, detail->new.type_id);
	case BC_PART_TAG:
		put_tag(writer, difference, detail);
		return true;
	default:
		bc_text_string(&writer->text, "the same parts, in another order or nesting");
		return true;
	}
}

/* Names are padded for what follows; where nothing does, the line ends at the name. */
static void end_line(struct writer *writer)
{
	struct bc_text *text = &writer->text;

	while (text->used && text->bytes[text->used - 1] == ' ')
		text->used--;
	bc_text_char(text, '\n');
}

static bool write_detail(struct writer *writer, const struct bc_difference *difference,
			 const struct bc_detail *detail, size_t column)
{
	bool put;

	bc_text_hold(&writer->text);
	bc_text_string(&writer->text, "    ");
	put_mark(writer, detail->change);
	put_name_column(writer, detail, column);
	put = put_change(writer, difference, detail);
	end_line(writer);
	bc_text_release(&writer->text);
	return put;
}

static bool only_moved(const struct bc_detail *detail)
{
	return detail->part == BC_PART_MEMBER && detail->change == BC_CHANGED &&
	       detail->aspects == BC_ASPECT_MOVED;
}

static uint64_t distance(const struct bc_detail *detail)
{
	return detail->new.bit_offset - detail->old.bit_offset;
}

/* Details from FIRST on that moved together. */
static uint32_t run_end(const struct writer *writer, const struct bc_difference *difference,
			uint32_t first)
{
	const struct bc_detail *head = bc_detail_at(writer->comparison, difference, first);
	uint32_t end = first + 1;

	if (!only_moved(head) || writer->options->offsets_matter)
		return end;
	while (end < difference->detail_count) {
		const struct bc_detail *next = bc_detail_at(writer->comparison, difference, end);

		if (!only_moved(next) || distance(next) != distance(head))
			break;
		end++;
	}
	return end - first < MIN_RUN ? first + 1 : end;
}

static void write_run(struct writer *writer, const struct bc_difference *difference, uint32_t first,
		      uint32_t end)
{
	const struct bc_detail *head = bc_detail_at(writer->comparison, difference, first);
	const struct bc_detail *tail = bc_detail_at(writer->comparison, difference, end - 1);
	int64_t moved = (int64_t)distance(head);
	uint64_t size = moved < 0 ? 0 - (uint64_t)moved : (uint64_t)moved;
	struct bc_text *text = &writer->text;

	bc_text_string(text, "    ");
	put_mark(writer, BC_CHANGED);
	bc_words_put_name(text, head->new.name);
	bc_text_string(text, " .. ");
	bc_words_put_name(text, tail->new.name);
	bc_text_string(text, "  ");
	bc_text_number(text, end - first);
	bc_text_string(text, " members, offset ");
	bc_text_char(text, moved < 0 ? '-' : '+');
	put_bit_offset(text, size);
	bc_text_char(text, '\n');
}

static bool write_details(struct writer *writer, const struct bc_difference *difference)
{
	size_t column = name_column(writer, difference);
	uint32_t end;

	for (uint32_t i = 0; i < difference->detail_count; i = end) {
		end = run_end(writer, difference, i);
		if (end - i > 1)
			write_run(writer, difference, i, end);
		else if (!write_detail(writer, difference,
				       bc_detail_at(writer->comparison, difference, i), column))
			return false;
	}
	return true;
}

/* ---- what types say themselves ---- */

static void put_two_words(struct writer *writer, const char *what, const char *old_word,
			  const char *new_word)
{
	if (!strcmp(old_word, new_word))
		return;
	begin_item(writer, what);
	bc_words_put_name(&writer->text, *old_word ? old_word : "none");
	bc_text_string(&writer->text, " -> ");
	bc_words_put_name(&writer->text, *new_word ? new_word : "none");
}

static void put_two_numbers(struct writer *writer, const char *what, uint64_t old_number,
			    uint64_t new_number)
{
	if (old_number == new_number)
		return;
	begin_item(writer, what);
	bc_text_number(&writer->text, old_number);
	bc_text_string(&writer->text, " -> ");
	bc_text_number(&writer->text, new_number);
}

static void put_size(struct writer *writer, uint32_t size_bytes)
{
	bc_text_string(&writer->text, "size ");
	bc_text_number(&writer->text, size_bytes);
}

static const char *encoding_word(uint32_t encoding)
{
	static const char *const words[] = { "unsigned", "signed", "char", "signed char", "bool" };

	return encoding < sizeof(words) / sizeof(words[0]) ? words[encoding] : "another encoding";
}

static const char *signed_word(const uint32_t *node)
{
	return bc_info_kflag(node[1]) ? "signed" : "unsigned";
}

static const char *section_word(const struct bc_side *side, uint32_t id)
{
	return side->section[id] ? bc_side_name(side, side->section[id]) : "";
}

static void put_own_changes(struct writer *writer, const struct bc_difference *difference)
{
	const struct bc_side *sides = writer->comparison->sides;
	const uint32_t *a = bc_side_body(&sides[BC_OLD], difference->old_id);
	const uint32_t *b = bc_side_body(&sides[BC_NEW], difference->new_id);
	uint32_t kind = bc_node_kind(b);

	if (bc_node_kind(a) != BC_TYPEDEF && kind != BC_TYPEDEF)
		put_two_words(writer, "", bc_kind_word(a), bc_kind_word(b));
	if ((bc_node_kind(a) == BC_FWD) != (kind == BC_FWD)) {
		begin_item(writer, kind == BC_FWD ? "only declared now" : "defined now");
		return;
	}
	if (bc_shows_size(a) && bc_shows_size(b))
		put_two_numbers(writer, "size ", a[2], b[2]);
	if (kind == BC_INT && bc_node_kind(a) == BC_INT) {
		put_two_words(writer, "", encoding_word(a[3] >> 24), encoding_word(b[3] >> 24));
		put_two_numbers(writer, "offset ", a[3] >> 16 & 0xff, b[3] >> 16 & 0xff);
		put_two_numbers(writer, "bits ", a[3] & 0xff, b[3] & 0xff);
	}
	if (bc_kind_is_enum(kind) && bc_kind_is_enum(bc_node_kind(a)))
		put_two_words(writer, "", signed_word(a), signed_word(b));
	if (kind == BC_FUNC)
		put_two_words(writer, "", bc_linkage_word(bc_info_vlen(a[1])),
			      bc_linkage_word(bc_info_vlen(b[1])));
	if (kind == BC_VAR)
		put_two_words(writer, "", bc_linkage_word(a[3]), bc_linkage_word(b[3]));
	if (kind == BC_VAR || kind == BC_FUNC)
		put_two_words(writer, "section ", section_word(&sides[BC_OLD], difference->old_id),
			      section_word(&sides[BC_NEW], difference->new_id));
}

/* ---- before and after ---- */

/* Lines of a text, the ends of which became NULs. */
struct lines {
	char *bytes;
	const char **lines;
	uint32_t count;
};

static bool split_lines(struct writer *writer, const char *text, struct lines *lines)
{
	struct bc_arena *arena = &writer->scratch;
	size_t size_bytes = strlen(text) + 1;
	char *end;

	lines->bytes = bc_arena_alloc(arena, size_bytes, 1, writer->err);
	if (!lines->bytes)
		return false;
	memcpy(lines->bytes, text, size_bytes);
	lines->count = 1;
	for (const char *at = text; *at; at++)
		lines->count += *at == '\n';
	lines->lines = bc_arena_alloc(arena, lines->count, sizeof(*lines->lines), writer->err);
	if (!lines->lines)
		return false;
	end = lines->bytes;
	for (uint32_t i = 0; i < lines->count; i++) {
		lines->lines[i] = end;
		end = strchrnul(end, '\n');
		*end++ = '\0';
	}
	return true;
}

static void put_line(struct writer *writer, char mark, const char *line)
{
	put_color(writer, mark == '+' ? GREEN : mark == '-' ? RED : PLAIN);
	bc_text_string(&writer->text, "      ");
	bc_text_char(&writer->text, mark);
	bc_text_char(&writer->text, ' ');
	bc_text_string(&writer->text, line);
	put_color(writer, PLAIN);
	bc_text_char(&writer->text, '\n');
}

/*
 * The longest common lines of two texts, by the table of all ends: it is small
 * for types that people wrote, and left out for others.
 */
static bool write_line_diff(struct writer *writer, const struct lines *a, const struct lines *b)
{
	uint64_t width = (uint64_t)b->count + 1, cells = (a->count + 1) * width;
	uint32_t i = 0, j = 0;
	uint32_t *common = NULL;

	if (cells <= MAX_DIFF_CELLS) {
		common = bc_arena_zalloc(&writer->scratch, cells, sizeof(*common), writer->err);
		if (!common)
			return false;
		for (i = a->count; i-- > 0;)
			for (j = b->count; j-- > 0;)
				common[i * width + j] = !strcmp(a->lines[i], b->lines[j]) ?
								common[(i + 1) * width + j + 1] +
									1 :
							common[(i + 1) * width + j] >=
									common[i * width + j + 1] ?
								common[(i + 1) * width + j] :
								common[i * width + j + 1];
		i = j = 0;
	}
	while (i < a->count || j < b->count) {
		if (common && i < a->count && j < b->count && !strcmp(a->lines[i], b->lines[j])) {
			put_line(writer, ' ', a->lines[i++]);
			j++;
		} else if (i < a->count &&
			   (!common || j == b->count ||
			    common[(i + 1) * width + j] >= common[i * width + j + 1])) {
			put_line(writer, '-', a->lines[i++]);
		} else {
			put_line(writer, '+', b->lines[j++]);
		}
	}
	return true;
}

static bool write_definitions(struct writer *writer, const struct bc_difference *difference)
{
	uint32_t ids[2] = { difference->old_id, difference->new_id };
	struct lines lines[2] = { { 0 }, { 0 } };

	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		const char *definition;

		if (!ids[which])
			continue;
		definition = bc_words_definition(&writer->words, which, ids[which]);
		if (!definition || !split_lines(writer, definition, &lines[which]))
			return false;
	}
	if (ids[BC_OLD] && ids[BC_NEW])
		return write_line_diff(writer, &lines[BC_OLD], &lines[BC_NEW]);
	for (unsigned int which = BC_OLD; which <= BC_NEW; which++)
		for (uint32_t i = 0; i < lines[which].count; i++)
			put_line(writer, which == BC_NEW ? '+' : '-', lines[which].lines[i]);
	return true;
}

/* ---- all ---- */

static bool write_difference(struct writer *writer, const struct bc_difference *difference)
{
	unsigned int which = difference->new_id ? BC_NEW : BC_OLD;
	uint32_t id = difference->new_id ? difference->new_id : difference->old_id;
	const uint32_t *node = bc_node(writer->comparison->sides[which].graph, id);
	const char *name = bc_words_name(&writer->words, which, id);
	bool written;

	if (!name)
		return false;
	bc_text_hold(&writer->text);
	put_mark(writer, difference->change);
	bc_text_string(&writer->text, name);
	bc_text_string(&writer->text, "  ");
	writer->began = false;
	if (difference->change == BC_CHANGED)
		put_own_changes(writer, difference);
	else if (difference->change != BC_INDIRECT && bc_node_kind(node) == BC_FWD)
		bc_text_string(&writer->text, "only declared");
	else if (difference->change != BC_INDIRECT && bc_kind_is_composite(bc_node_kind(node)))
		put_size(writer, node[2]);
	end_line(writer);
	bc_text_release(&writer->text);
	if (!write_details(writer, difference))
		return false;
	if (!writer->options->verbose || difference->change == BC_INDIRECT)
		return true;
	written = write_definitions(writer, difference);
	bc_arena_free(&writer->scratch);
	return written;
}

static void put_totals(struct writer *writer, const uint32_t counts[4])
{
	static const char *const words[] = { " added", " removed", " changed",
					     " changed indirectly" };
	bool first = true;

	for (unsigned int change = BC_ADDED; change <= BC_INDIRECT; change++) {
		if (!counts[change])
			continue;
		bc_text_string(&writer->text, first ? "" : ", ");
		bc_text_number(&writer->text, counts[change]);
		bc_text_string(&writer->text, words[change]);
		first = false;
	}
	bc_text_char(&writer->text, '\n');
}

static bool write_kind(struct writer *writer, uint32_t rank, const uint32_t counts[4], uint32_t *at)
{
	put_color(writer, BOLD);
	bc_text_string(&writer->text, bc_rank_word(rank));
	put_color(writer, PLAIN);
	bc_text_string(&writer->text, ": ");
	put_totals(writer, counts);
	for (; *at < writer->comparison->count; (*at)++) {
		const struct bc_difference *difference = &writer->comparison->differences[*at];

		if (bc_kind_rank(bc_difference_node(writer->comparison, difference)) != rank)
			break;
		if (!write_difference(writer, difference))
			return false;
	}
	bc_text_char(&writer->text, '\n');
	return true;
}

static bool write_all(struct writer *writer)
{
	struct bc_totals totals;
	uint32_t at = 0;

	bc_totals_count(&totals, writer->comparison);
	for (uint32_t rank = 0; rank < BC_KIND_RANKS && at < writer->comparison->count; rank++) {
		const uint32_t *counts = totals.counts[rank];

		if (counts[0] + counts[1] + counts[2] + counts[3] &&
		    !write_kind(writer, rank, counts, &at))
			return false;
	}
	if (writer->comparison->count) {
		bc_text_string(&writer->text, "total: ");
		put_totals(writer, totals.sums);
	}
	return bc_text_flush(&writer->text);
}

static bool open_writer(struct writer *writer, FILE *out)
{
	return bc_text_open(&writer->text, out, MAX_TEXT, writer->err) &&
	       bc_text_open(&writer->name, NULL, MAX_TEXT, writer->err) &&
	       bc_words_open(&writer->words, writer->comparison, writer->err);
}

static void close_writer(struct writer *writer)
{
	bc_arena_free(&writer->scratch);
	bc_words_close(&writer->words);
	bc_text_close(&writer->name);
	bc_text_close(&writer->text);
}

bool bc_report_text(FILE *out, const struct bc_comparison *comparison,
		    const struct bc_report_options *options, struct bc_err *err)
{
	struct writer writer = { .comparison = comparison, .options = options, .err = err };
	bool written = open_writer(&writer, out) && write_all(&writer);

	close_writer(&writer);
	return written;
}

/* ---- the summary ---- */

#define BAR_WIDTH 50

/* As many marks as COUNT is of the largest sum; one at least for what is there. */
static void put_bar(struct writer *writer, enum bc_change change, uint64_t count, uint64_t largest)
{
	static const char marks[] = "+-~.";
	static const enum color colors[] = { GREEN, RED, YELLOW, DIM };
	uint64_t width = largest <= BAR_WIDTH ? count : (count * BAR_WIDTH + largest - 1) / largest;

	put_color(writer, colors[change]);
	bc_text_repeat(&writer->text, marks[change], width);
	put_color(writer, PLAIN);
}

static void put_right_aligned(struct bc_text *text, char mark, uint32_t number)
{
	char digits[16];
	int width = snprintf(digits, sizeof(digits), "%c%" PRIu32, mark, number);

	bc_text_repeat(text, ' ', width < 8 ? (size_t)(8 - width) : 1);
	bc_text_put(text, digits, (size_t)width);
}

static bool write_stat(struct writer *writer)
{
	struct bc_totals totals;
	uint64_t largest = 1;

	bc_totals_count(&totals, writer->comparison);
	for (uint32_t rank = 0; rank < BC_KIND_RANKS; rank++) {
		const uint32_t *counts = totals.counts[rank];
		uint64_t sum = (uint64_t)counts[0] + counts[1] + counts[2] + counts[3];

		largest = sum > largest ? sum : largest;
	}
	for (uint32_t rank = 0; rank < BC_KIND_RANKS; rank++) {
		const uint32_t *counts = totals.counts[rank];
		const char *word = bc_rank_word(rank);

		if (!(counts[0] + counts[1] + counts[2] + counts[3]))
			continue;
		bc_text_char(&writer->text, ' ');
		bc_text_string(&writer->text, word);
		bc_text_repeat(&writer->text, ' ', 8 - strlen(word));
		bc_text_char(&writer->text, '|');
		for (unsigned int change = BC_ADDED; change <= BC_CHANGED; change++)
			put_right_aligned(&writer->text, "+-~"[change], counts[change]);
		if (totals.sums[BC_INDIRECT])
			put_right_aligned(&writer->text, '.', counts[BC_INDIRECT]);
		bc_text_char(&writer->text, ' ');
		for (unsigned int change = BC_ADDED; change <= BC_INDIRECT; change++)
			put_bar(writer, change, counts[change], largest);
		bc_text_char(&writer->text, '\n');
	}
	if (writer->comparison->count) {
		bc_text_char(&writer->text, ' ');
		put_totals(writer, totals.sums);
	}
	return bc_text_flush(&writer->text);
}

bool bc_report_stat(FILE *out, const struct bc_comparison *comparison,
		    const struct bc_report_options *options, struct bc_err *err)
{
	struct writer writer = { .comparison = comparison, .options = options, .err = err };
	bool written = open_writer(&writer, out) && write_stat(&writer);

	close_writer(&writer);
	return written;
}

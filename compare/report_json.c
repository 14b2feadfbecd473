/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Each change is made into a tree of its own and written, so that memory does
 * not grow with their number.
 */
#include "compare/report.h"

#include <inttypes.h>
#include <string.h>

#include "compare/filter.h"
#include "compare/json_values.h"
#include "compare/words.h"

#define MAX_TEXT ((uint64_t)1 << 32)

struct writer {
	const struct bc_comparison *comparison;
	const struct bc_report_options *options;
	struct bc_words words;
	struct bc_text text;
	bool failed; /* no memory for a value */
	struct bc_err *err;
};

static const char *const change_words[] = { "added", "removed", "changed", "indirect" };

static void set(struct writer *writer, json_t *object, const char *key, json_t *value)
{
	bc_json_set(object, key, value, &writer->failed);
}

static void append(struct writer *writer, json_t *array, json_t *value)
{
	bc_json_append(array, value, &writer->failed);
}

static void set_number(struct writer *writer, json_t *object, const char *key, uint64_t number)
{
	set(writer, object, key, json_integer((json_int_t)number));
}

static void set_string(struct writer *writer, json_t *object, const char *key, const char *text)
{
	set(writer, object, key, bc_json_string(text));
}

static void set_type(struct writer *writer, json_t *object, const char *key, unsigned int which,
		     uint32_t type_id)
{
	const char *type = bc_words_type(&writer->words, which, type_id);

	set(writer, object, key, type ? bc_json_string(type) : NULL);
}

/* ---- details ---- */

static json_t *member_state(struct writer *writer, unsigned int which,
			    const struct bc_part_state *state)
{
	json_t *object = json_object();

	set_number(writer, object, "bit_offset", state->bit_offset);
	if (state->bit_width)
		set_number(writer, object, "bit_width", state->bit_width);
	set_type(writer, object, "type", which, state->type_id);
	if (*state->nesting)
		set_string(writer, object, "nesting", state->nesting);
	return object;
}

/* Beyond this the numbers of JavaScript, which the page is read by, are not exact. */
#define MAX_EXACT ((uint64_t)1 << 53)

/* A value of an enum; text where whoever reads it would round it. */
static json_t *enum_number(const struct writer *writer, uint64_t value, bool is_signed)
{
	bool is_negative = is_signed && (int64_t)value < 0;
	uint64_t size = is_negative ? 0 - value : value;
	char digits[32];

	if (writer->options->layouts ? size <= MAX_EXACT : is_signed || value <= INT64_MAX)
		return json_integer((json_int_t)value);
	snprintf(digits, sizeof(digits), "%s%" PRIu64, is_negative ? "-" : "", size);
	return json_string(digits);
}

static json_t *value_state(struct writer *writer, unsigned int which, uint32_t enum_id,
			   const struct bc_part_state *state)
{
	const uint32_t *node = bc_node(writer->comparison->sides[which].graph, enum_id);
	json_t *object = json_object();

	set(writer, object, "value", enum_number(writer, state->value, bc_info_kflag(node[1])));
	return object;
}

static json_t *parameter_state(struct writer *writer, unsigned int which,
			       const struct bc_part_state *state)
{
	json_t *object = json_object();

	set_number(writer, object, "position", state->place + 1);
	set_type(writer, object, "type", which, state->type_id);
	return object;
}

static json_t *state_of(struct writer *writer, const struct bc_difference *difference,
			const struct bc_detail *detail, unsigned int which)
{
	const struct bc_part_state *state = which == BC_NEW ? &detail->new : &detail->old;

	switch (detail->part) {
	case BC_PART_MEMBER:
		return member_state(writer, which, state);
	case BC_PART_VALUE:
		return value_state(writer, which,
				   which == BC_NEW ? difference->new_id : difference->old_id,
				   state);
	default:
		return parameter_state(writer, which, state);
	}
}

static void set_aspects(struct writer *writer, json_t *object, uint32_t aspects)
{
	static const char *const words[] = { "renamed", "moved",  "retyped",
					     "width",   "nested", "renumbered" };
	json_t *array = json_array();

	for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (aspects >> i & 1)
			append(writer, array, json_string(words[i]));
	set(writer, object, "what", array);
}

/* A member, value or parameter. */
static json_t *named_part(struct writer *writer, const struct bc_difference *difference,
			  const struct bc_detail *detail)
{
	json_t *object = json_object();
	const char *old_name = detail->old.name, *new_name = detail->new.name;

	set_string(writer, object, "name", new_name ? new_name : old_name);
	set_string(writer, object, "change", change_words[detail->change]);
	if (detail->aspects & BC_ASPECT_RENAMED)
		set_string(writer, object, "old_name", old_name);
	if (detail->change == BC_CHANGED)
		set_aspects(writer, object, detail->aspects);
	if (detail->change != BC_ADDED)
		set(writer, object, "old", state_of(writer, difference, detail, BC_OLD));
	if (detail->change != BC_REMOVED)
		set(writer, object, "new", state_of(writer, difference, detail, BC_NEW));
	return object;
}

static json_t *tag_part(struct writer *writer, const struct bc_detail *detail)
{
	const struct bc_part_state *state = detail->change == BC_ADDED ? &detail->new :
									 &detail->old;
	json_t *object = json_object();

	set_string(writer, object, "name", state->name);
	set_string(writer, object, "change", change_words[detail->change]);
	if (state->is_attribute)
		set(writer, object, "attribute", json_true());
	if (state->place) {
		set_string(writer, object, "on", state->nesting);
		set_number(writer, object, "component", state->place - 1);
	}
	return object;
}

static json_t *type_part(struct writer *writer, const struct bc_detail *detail)
{
	json_t *object = json_object();

	set_type(writer, object, "old", BC_OLD, detail->old.type_id);
	set_type(writer, object, "new", BC_NEW, detail->new.type_id);
	return object;
}

/* The array of OBJECT under KEY, made when it is not there. */
static json_t *array_in(struct writer *writer, json_t *object, const char *key)
{
	if (!json_object_get(object, key))
		set(writer, object, key, json_array());
	return json_object_get(object, key);
}

static void set_details(struct writer *writer, json_t *object,
			const struct bc_difference *difference)
{
	static const char *const keys[] = {
		[BC_PART_MEMBER] = "members",
		[BC_PART_VALUE] = "values",
		[BC_PART_PARAMETER] = "parameters",
		[BC_PART_RETURN] = "return_type",
		[BC_PART_TYPE] = "type",
		[BC_PART_TAG] = "tags",
		[BC_PART_ORDER] = "reordered",
	};

	for (uint32_t i = 0; i < difference->detail_count; i++) {
		const struct bc_detail *detail = bc_detail_at(writer->comparison, difference, i);
		const char *key = keys[detail->part];

		switch (detail->part) {
		case BC_PART_RETURN:
		case BC_PART_TYPE:
			set(writer, object, key, type_part(writer, detail));
			break;
		case BC_PART_ORDER:
			set(writer, object, key, json_true());
			break;
		case BC_PART_TAG:
			append(writer, array_in(writer, object, key), tag_part(writer, detail));
			break;
		default:
			append(writer, array_in(writer, object, key),
			       named_part(writer, difference, detail));
		}
	}
}

/* ---- a type as one side has it ---- */

static json_t *side_of_type(struct writer *writer, unsigned int which, uint32_t id)
{
	const struct bc_side *side = &writer->comparison->sides[which];
	const uint32_t *node = bc_node(side->graph, id);
	const uint32_t *body = bc_side_body(side, id);
	uint32_t kind = bc_node_kind(node);
	json_t *object = json_object();
	const char *definition;

	set_string(writer, object, "kind", bc_kind_word(node));
	if (kind == BC_FWD)
		set(writer, object, "declared_only", json_true());
	if (bc_shows_size(body))
		set_number(writer, object, "size", body[2]);
	if (bc_kind_is_composite(bc_node_kind(body)))
		set_number(writer, object, "member_count", bc_info_vlen(body[1]));
	if (bc_kind_is_enum(kind)) {
		set_number(writer, object, "value_count", bc_info_vlen(node[1]));
		set(writer, object, "signed", json_boolean(bc_info_kflag(node[1])));
	}
	if (kind == BC_INT) {
		set_number(writer, object, "encoding", node[3] >> 24);
		set_number(writer, object, "bits", node[3] & 0xff);
	}
	if (kind == BC_TYPEDEF || kind == BC_VAR)
		set_type(writer, object, "type", which, node[2]);
	if (kind == BC_FUNC || kind == BC_VAR)
		set_string(writer, object, "linkage",
			   bc_linkage_word(kind == BC_VAR ? node[3] : bc_info_vlen(node[1])));
	if (kind == BC_FUNC) {
		definition = bc_words_definition(&writer->words, which, id);
		set(writer, object, "declaration", definition ? bc_json_string(definition) : NULL);
	}
	if (side->section[id])
		set_string(writer, object, "section", bc_side_name(side, side->section[id]));
	return object;
}

/* ---- layouts ---- */

#define MAX_LAYOUT_DEPTH 16
#define MAX_LAYOUT_VALUES (5 * 10000)

/* An unnamed struct or union whose members are being listed. */
struct descent {
	const uint32_t *node;
	uint32_t next;
	uint64_t bit_offset;
};

/* A row is five values; an array for each would be most of the page. */
static void append_row(struct writer *writer, json_t *rows, uint32_t depth, uint64_t bit_offset,
		       uint32_t bit_width, json_t *type, const char *name)
{
	append(writer, rows, json_integer(depth));
	append(writer, rows, json_integer((json_int_t)bit_offset));
	append(writer, rows, json_integer(bit_width));
	append(writer, rows, type);
	append(writer, rows, bc_json_string(name));
}

/* Is the type of the member an unnamed struct or union, to be listed in place? */
static bool opens_here(const struct bc_graph *graph, uint32_t type_id)
{
	const uint32_t *node = type_id ? bc_node(graph, type_id) : NULL;

	return node && bc_kind_is_composite(bc_node_kind(node)) && !bc_node_is_named(node, graph);
}

/*
 * Rows of depth, bit offset, bit width, type, name of all members of NODE, in order; where they
 * are too many, the last says "...".
 */
static json_t *layout_of(struct writer *writer, unsigned int which, const uint32_t *node)
{
	const struct bc_graph *graph = writer->comparison->sides[which].graph;
	struct descent stack[MAX_LAYOUT_DEPTH] = { { node, 0, 0 } };
	json_t *rows = json_array();
	uint32_t depth = 1;

	while (depth && json_array_size(rows) < MAX_LAYOUT_VALUES) {
		struct descent *top = &stack[depth - 1];
		uint64_t bit_offset;
		const uint32_t *member;
		const char *name, *type;

		if (top->next == bc_info_vlen(top->node[1])) {
			if (--depth)
				append_row(writer, rows, depth - 1, top->bit_offset, 0,
					   json_string("}"), "");
			continue;
		}
		member = bc_element(top->node, top->next++);
		bit_offset = top->bit_offset + bc_member_bit_offset(top->node[1], member[2]);
		name = bc_string(graph, member[0]);
		if (opens_here(graph, member[1]) && depth < MAX_LAYOUT_DEPTH) {
			const uint32_t *inner = bc_node(graph, member[1]);

			append_row(writer, rows, depth - 1, bit_offset, 0,
				   json_string(bc_node_kind(inner) == BC_UNION ? "union {" :
										 "struct {"),
				   name);
			stack[depth++] = (struct descent){ inner, 0, bit_offset };
			continue;
		}
		type = bc_words_type(&writer->words, which, member[1]);
		append_row(writer, rows, depth - 1, bit_offset,
			   bc_member_bit_width(top->node[1], member[2]),
			   type ? bc_json_string(type) : NULL, name);
	}
	if (depth)
		append_row(writer, rows, 0, stack[depth - 1].bit_offset, 0, json_string("..."), "");
	return rows;
}

static void set_layout(struct writer *writer, json_t *object, const char *key, unsigned int which,
		       uint32_t id)
{
	const uint32_t *body = id ? bc_side_body(&writer->comparison->sides[which], id) : NULL;

	if (body && bc_kind_is_composite(bc_node_kind(body)))
		set(writer, object, key, layout_of(writer, which, body));
}

static json_t *change_of(struct writer *writer, const struct bc_difference *difference)
{
	const struct bc_comparison *comparison = writer->comparison;
	unsigned int which = difference->new_id ? BC_NEW : BC_OLD;
	uint32_t id = difference->new_id ? difference->new_id : difference->old_id;
	const uint32_t *node = bc_difference_node(comparison, difference);
	json_t *object = json_object();

	set_string(writer, object, "kind", bc_kind_word(node));
	set_string(writer, object, "name", bc_difference_name(comparison, difference));
	set_string(writer, object, "change", change_words[difference->change]);
	if (!bc_node_is_named(node, comparison->sides[which].graph) && bc_info_vlen(node[1]))
		set_string(writer, object, "first_value",
			   bc_string(comparison->sides[which].graph, bc_element(node, 0)[0]));
	if (comparison->sides[which].names.number[id] > 1)
		set_number(writer, object, "definition", comparison->sides[which].names.number[id]);
	if (difference->old_id)
		set(writer, object, "old", side_of_type(writer, BC_OLD, difference->old_id));
	if (difference->new_id)
		set(writer, object, "new", side_of_type(writer, BC_NEW, difference->new_id));
	set_details(writer, object, difference);
	if (writer->options->layouts && difference->change != BC_INDIRECT) {
		set_layout(writer, object, "old_layout", BC_OLD, difference->old_id);
		set_layout(writer, object, "new_layout", BC_NEW, difference->new_id);
	}
	return object;
}

/* ---- the file ---- */

static json_t *counts_of(struct writer *writer, const uint32_t counts[4])
{
	json_t *object = json_object();

	for (unsigned int change = BC_ADDED; change <= BC_INDIRECT; change++)
		set_number(writer, object, change_words[change], counts[change]);
	return object;
}

static json_t *summary(struct writer *writer)
{
	json_t *object, *kinds = json_object();
	struct bc_totals totals;

	bc_totals_count(&totals, writer->comparison);
	object = counts_of(writer, totals.sums);
	for (uint32_t rank = 0; rank < BC_KIND_RANKS; rank++)
		if (totals.counts[rank][0] + totals.counts[rank][1] + totals.counts[rank][2] +
		    totals.counts[rank][3])
			set(writer, kinds, bc_rank_word(rank),
			    counts_of(writer, totals.counts[rank]));
	set(writer, object, "kinds", kinds);
	return object;
}

static int put_bytes(const char *bytes, size_t count, void *text)
{
	bc_text_put(text, bytes, count);
	return 0;
}

/* Writes VALUE behind PREFIX and frees it. */
static bool write_value(struct writer *writer, const char *prefix, json_t *value)
{
	bool made = value && !writer->failed;

	bc_text_string(&writer->text, prefix);
	if (made)
		made = !json_dump_callback(value, put_bytes, &writer->text,
					   JSON_COMPACT | JSON_ENCODE_ANY);
	json_decref(value);
	return (made || bc_err_memory(writer->err, 0)) && !writer->text.failed;
}

static bool write_all(struct writer *writer)
{
	const struct bc_report_options *options = writer->options;
	const struct bc_comparison *comparison = writer->comparison;

	if (!write_value(writer, "{\"format\":", json_string("btfcanon-compare")) ||
	    !write_value(writer, ",\"version\":", json_integer(1)) ||
	    !write_value(writer, ",\n\"old\":", bc_json_string(options->names[BC_OLD])) ||
	    !write_value(writer, ",\n\"new\":", bc_json_string(options->names[BC_NEW])) ||
	    !write_value(writer, ",\n\"summary\":", summary(writer)))
		return false;
	bc_text_string(&writer->text, ",\n\"changes\":[");
	for (uint32_t i = 0; i < comparison->count; i++)
		if (!write_value(writer, i ? ",\n" : "\n",
				 change_of(writer, &comparison->differences[i])))
			return false;
	bc_text_string(&writer->text, "\n]}\n");
	return bc_text_flush(&writer->text);
}

bool bc_report_json(FILE *out, const struct bc_comparison *comparison,
		    const struct bc_report_options *options, struct bc_err *err)
{
	struct writer writer = { .comparison = comparison, .options = options, .err = err };
	bool written = bc_text_open(&writer.text, out, MAX_TEXT, err) &&
		       bc_words_open(&writer.words, comparison, err) && write_all(&writer);

	bc_text_close(&writer.text);
	bc_words_close(&writer.words);
	return written;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "compare/object.h"

#include <string.h>

#include "base/text.h"
#include "compare/json_values.h"
#include "compare/report.h"
#include "compare/words.h"

#define MAX_TEXT ((uint64_t)1 << 30)
#define NAME_COLUMN 44

/* What is wanted, as a reader calls it: "struct sk_buff.len", "func bpf_lsm_file_open". */
static void put_wanted(struct bc_text *text, const struct bc_object *object,
		       const struct bc_requirement *requirement)
{
	const struct bc_graph *graph = object->relies->graph;

	if (requirement->relocation) {
		bc_text_string(text,
			       bc_kind_word(bc_node(graph, requirement->relocation->type_id)));
		bc_text_char(text, ' ');
		bc_words_put_name(text, *requirement->name ? requirement->name : "(unnamed)");
		if (!bc_core_put_access(text, graph, requirement->relocation))
			bc_text_string(text, " (bad access)");
		return;
	}
	bc_words_put_name(text, requirement->name);
	if (*requirement->detail) {
		bc_text_char(text, '.');
		bc_words_put_name(text, requirement->detail);
	}
}

static bool is_boolean(uint32_t kind)
{
	return kind == BC_CORE_FIELD_EXISTS || kind == BC_CORE_TYPE_EXISTS ||
	       kind == BC_CORE_ENUM_EXISTS || kind == BC_CORE_TYPE_MATCHES ||
	       kind == BC_CORE_FIELD_SIGNED;
}

static void put_result(struct bc_text *text, const struct bc_requirement *requirement,
		       unsigned int which)
{
	const struct bc_core_result *result = &requirement->sides[which];

	if (result->state == BC_CORE_MISSING)
		bc_text_string(text, "missing");
	else if (result->state != BC_CORE_FOUND)
		bc_text_string(text, "?");
	else if (requirement->is_pattern)
		bc_text_number(text, result->value);
	else if (!requirement->relocation)
		bc_text_string(text, "there");
	else if (requirement->relocation->kind == BC_CORE_TYPE_ID_LOCAL ||
		 requirement->relocation->kind == BC_CORE_TYPE_ID_TARGET)
		bc_text_string(text, result->value ? "there" : "0");
	else if (is_boolean(requirement->relocation->kind))
		bc_text_string(text, result->value ? "yes" : "no");
	else
		bc_text_signed(text, (int64_t)result->value);
}

static void put_line(struct bc_text *text, const struct bc_object *object,
		     const struct bc_requirement *requirement, bool color)
{
	static const char *const colors[] = { "\033[2m", "\033[33m", "\033[33m", "\033[36m",
					      "\033[31m" };
	const char *word = bc_object_verdict_word(requirement->verdict);
	size_t place;

	bc_text_string(text, color ? colors[requirement->verdict] : "");
	bc_text_string(text, word);
	bc_text_string(text, color ? "\033[0m" : "");
	bc_text_repeat(text, ' ', 11 - strlen(word));
	place = bc_text_hold(text);
	put_wanted(text, object, requirement);
	if (!text->failed && text->used - place < NAME_COLUMN)
		bc_text_repeat(text, ' ', NAME_COLUMN - (text->used - place));
	bc_text_release(text);
	bc_text_string(text, "  ");
	bc_text_string(text, requirement->relocation ?
				     bc_core_kind_word(requirement->relocation->kind) :
				     bc_need_word(requirement->need));
	bc_text_char(text, ' ');
	put_result(text, requirement, BC_OLD);
	bc_text_string(text, " -> ");
	put_result(text, requirement, BC_NEW);
	if (*requirement->reason && strcmp(requirement->reason, "missing")) {
		bc_text_string(text, ", ");
		bc_text_string(text, requirement->reason);
	}
	if (*requirement->section) {
		bc_text_string(text, "  (");
		bc_words_put_name(text, requirement->section);
		if (requirement->uses > 1) {
			bc_text_string(text, ", ");
			bc_text_number(text, requirement->uses);
			bc_text_string(text, " times");
		}
		bc_text_char(text, ')');
	}
	bc_text_char(text, '\n');
}

static void put_totals(struct bc_text *text, const struct bc_object_judgement *judgement)
{
	bool first = true;

	bc_text_string(text, "total: ");
	if (!judgement->count)
		bc_text_string(text, "nothing that it relies on");
	for (unsigned int verdict = BC_VERDICT_COUNT; verdict-- > 0;) {
		if (!judgement->counts[verdict])
			continue;
		bc_text_string(text, first ? "" : ", ");
		bc_text_number(text, judgement->counts[verdict]);
		bc_text_char(text, ' ');
		bc_text_string(text, bc_object_verdict_word((enum bc_object_verdict)verdict));
		first = false;
	}
	bc_text_char(text, '\n');
}

bool bc_report_object_text(FILE *out, const struct bc_object_judgement *judgement,
			   const struct bc_object *object, const struct bc_report_options *options,
			   struct bc_err *err)
{
	struct bc_text text;
	bool written;

	if (!bc_text_open(&text, out, MAX_TEXT, err))
		return false;
	for (uint32_t i = 0; i < judgement->count; i++) {
		const struct bc_requirement *requirement = &judgement->requirements[i];

		if (requirement->verdict == BC_VERDICT_FINE && !options->verbose)
			continue;
		put_line(&text, object, requirement, options->color);
	}
	put_totals(&text, judgement);
	written = bc_text_flush(&text);
	bc_text_close(&text);
	return written;
}

/* ---- JSON ---- */

/* Whether what was found is a number that means something beyond this BTF, as a type's id does not. */
static bool has_value(const struct bc_requirement *requirement, const struct bc_core_result *result)
{
	if (!requirement->relocation)
		return requirement->is_pattern;
	return !result->value || (requirement->relocation->kind != BC_CORE_TYPE_ID_LOCAL &&
				  requirement->relocation->kind != BC_CORE_TYPE_ID_TARGET);
}

static json_t *result_of(const struct bc_requirement *requirement, unsigned int which, bool *failed)
{
	static const char *const words[] = {
		[BC_CORE_FOUND] = "found",         [BC_CORE_MISSING] = "missing",
		[BC_CORE_AMBIGUOUS] = "ambiguous", [BC_CORE_BAD] = "bad",
		[BC_CORE_UNKNOWN] = "unknown",
	};
	const struct bc_core_result *result = &requirement->sides[which];
	json_t *value = json_object();

	bc_json_set(value, "state", json_string(words[result->state]), failed);
	if (result->state == BC_CORE_FOUND && has_value(requirement, result))
		bc_json_set(value, "value", json_integer((json_int_t)result->value), failed);
	return value;
}

static json_t *wanted_of(const struct bc_object *object, const struct bc_requirement *requirement)
{
	json_t *value = NULL;
	struct bc_text text;
	struct bc_err err;

	if (!bc_text_open(&text, NULL, MAX_TEXT, &err))
		return NULL;
	put_wanted(&text, object, requirement);
	bc_text_char(&text, '\0');
	if (!text.failed)
		value = bc_json_string(text.bytes);
	bc_text_close(&text);
	return value;
}

static json_t *requirement_json(const struct bc_object *object,
				const struct bc_requirement *requirement, bool *failed)
{
	json_t *value = json_object();

	bc_json_set(value, "need", json_string(bc_need_word(requirement->need)), failed);
	bc_json_set(value, "wants", wanted_of(object, requirement), failed);
	bc_json_set(value, "verdict", json_string(bc_object_verdict_word(requirement->verdict)),
		    failed);
	bc_json_set(value, "reason", json_string(requirement->reason), failed);
	bc_json_set(value, "old", result_of(requirement, BC_OLD, failed), failed);
	bc_json_set(value, "new", result_of(requirement, BC_NEW, failed), failed);
	bc_json_set(value, "uses", json_integer(requirement->uses), failed);
	if (requirement->relocation)
		bc_json_set(value, "asks",
			    json_string(bc_core_kind_word(requirement->relocation->kind)), failed);
	if (*requirement->section)
		bc_json_set(value, "section", bc_json_string(requirement->section), failed);
	return value;
}

static json_t *report_json(const struct bc_object_judgement *judgement,
			   const struct bc_object *object, const struct bc_report_options *options,
			   bool *failed)
{
	json_t *report = json_object(), *summary = json_object(), *requirements = json_array();

	for (unsigned int verdict = 0; verdict < BC_VERDICT_COUNT; verdict++)
		bc_json_set(summary, bc_object_verdict_word((enum bc_object_verdict)verdict),
			    json_integer(judgement->counts[verdict]), failed);
	for (uint32_t i = 0; i < judgement->count; i++)
		bc_json_append(requirements,
			       requirement_json(object, &judgement->requirements[i], failed),
			       failed);
	bc_json_set(report, "format", json_string("btfcanon-compare-object"), failed);
	bc_json_set(report, "version", json_integer(1), failed);
	bc_json_set(report, "old", bc_json_string(options->names[BC_OLD]), failed);
	bc_json_set(report, "new", bc_json_string(options->names[BC_NEW]), failed);
	bc_json_set(report, "object", bc_json_string(object->name), failed);
	bc_json_set(report, "summary", summary, failed);
	bc_json_set(report, "requirements", requirements, failed);
	return report;
}

bool bc_report_object_json(FILE *out, const struct bc_object_judgement *judgement,
			   const struct bc_object *object, const struct bc_report_options *options,
			   struct bc_err *err)
{
	bool failed = false, written;
	json_t *report = report_json(judgement, object, options, &failed);

	written = !failed && !json_dumpf(report, out, JSON_INDENT(1)) && fputc('\n', out) >= 0;
	json_decref(report);
	if (!written && !ferror(out))
		return bc_err_memory(err, 0);
	return written || bc_err_errno(err, "cannot write");
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/explain.h"

#include <inttypes.h>
#include <string.h>

#include "graph/spell.h"
#include "sort/canonical.h"

/*
 *     work: left out: its prototypes disagree
 *         symbol work at 0x1010 in vmlinux
 *         int work(int x)
 *             a.c (unit at 0x0 in vmlinux), at 0x1010, where the symbol points
 */
struct printer {
	const struct bc_explanations *explanations;
	const struct bc_graph *graph; /* canonical, so that types have the names they have there */
	const uint32_t *new_id;
	struct bc_text text;
	struct bc_spell spell;
};

static const char *say_reason(const struct bc_explanation *explanation)
{
	if (!explanation->symbol_count)
		return "left out: no symbol of a function has that name (inlined everywhere, only "
		       "declared, or not there)";
	switch (explanation->reason) {
	case BC_FUNCTION_IN:
		return "in";
	case BC_FUNCTION_ELSEWHERE:
		return "left out: a parameter comes in another register than it should";
	case BC_FUNCTION_INCONSISTENT:
		return "left out: its prototypes disagree";
	case BC_FUNCTION_UNCERTAIN:
		return "left out: a packed struct is passed on the stack, where its place is uncertain";
	case BC_FUNCTION_REORDERED:
		return "left out: parameters come in another order than written";
	case BC_FUNCTION_INCOMPLETE:
		return "left out: its only body lost parameters that the source has";
	case BC_FUNCTION_AMBIGUOUS:
		return "left out: several functions at several addresses have the name";
	case BC_FUNCTION_NAMELESS:
		return "left out: a parameter has no name or no type";
	case BC_FUNCTION_UNDEFINED:
	case BC_FUNCTION_REASON_COUNT:
		break;
	}
	return "left out: no unit defines it (assembly, a unit without DWARF or one left out)";
}

static void put_hex(struct bc_text *text, uint64_t number)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "0x%" PRIx64, number);
	bc_text_string(text, digits);
}

static void print_symbol(struct bc_text *text, const struct bc_explained_symbol *symbol)
{
	bc_text_string(text, symbol->is_weak ? "    weak symbol " : "    symbol ");
	bc_text_string(text, symbol->name);
	bc_text_string(text, " at ");
	put_hex(text, symbol->address);
	bc_text_string(text, " in ");
	bc_text_string(text, symbol->file);
	bc_text_char(text, '\n');
}

static void print_place(struct bc_text *text, const struct bc_explained_body *body)
{
	bc_text_string(text, "        ");
	bc_text_string(text, *body->unit_name ? body->unit_name : "a unit without a name");
	bc_text_string(text, " (unit at ");
	put_hex(text, body->unit_offset);
	bc_text_string(text, " in ");
	bc_text_string(text, body->file);
	bc_text_string(text, body->has_address ? "), at " : "), for inlining, no address");
	if (body->has_address)
		put_hex(text, body->address);
	if (body->is_elsewhere)
		bc_text_string(text, "; a parameter in another register");
	if (body->is_reordered)
		bc_text_string(text, "; parameters in another order");
	if (body->is_incomplete && body->has_address)
		bc_text_string(text, "; a parameter optimized away");
	if (body->is_uncertain)
		bc_text_string(text, "; a packed struct on the stack");
	if (body->is_changed)
		bc_text_string(text, "; called in another way, says the compiler");
	if (body->is_written)
		bc_text_string(text, "; this one is written");
	bc_text_char(text, '\n');
}

static bool print_prototype(struct printer *printer, const struct bc_explained_body *body)
{
	uint32_t id;

	bc_text_string(&printer->text, "    ");
	if (!body->type_id) {
		bc_text_string(&printer->text, "a parameter without a name or a type\n");
		return true;
	}
	id = printer->new_id[body->type_id - printer->explanations->graph.first_id];
	/* They are not beside each other anywhere. */
	printer->spell.names.number[id] = 1;
	if (!bc_spell_begin(&printer->spell, id) ||
	    !bc_spell_declaration(&printer->spell, bc_node(printer->graph, id)[2], id))
		return false;
	bc_text_char(&printer->text, '\n');
	return true;
}

static bool print_one(struct printer *printer, const struct bc_explanation *explanation)
{
	bc_text_string(&printer->text, explanation->name);
	bc_text_string(&printer->text, ": ");
	bc_text_string(&printer->text, say_reason(explanation));
	if (explanation->reason == BC_FUNCTION_IN &&
	    strcmp(explanation->written_as, explanation->name)) {
		bc_text_string(&printer->text, ", as ");
		bc_text_string(&printer->text, explanation->written_as);
	}
	bc_text_char(&printer->text, '\n');
	for (uint32_t i = 0; i < explanation->symbol_count; i++)
		print_symbol(&printer->text, &explanation->symbols[i]);
	for (uint32_t i = 0; i < explanation->body_count; i++) {
		if (!print_prototype(printer, &explanation->bodies[i]))
			return false;
		print_place(&printer->text, &explanation->bodies[i]);
	}
	return true;
}

static bool print_all(struct printer *printer, struct bc_arena *arena, struct bc_err *err)
{
	if (!bc_spell_open(&printer->spell, printer->graph, &printer->text, arena, err))
		return false;
	for (uint32_t i = 0; i < printer->explanations->count; i++)
		if (!print_one(printer, &printer->explanations->items[i]))
			return false;
	return bc_text_flush(&printer->text);
}

bool bc_explain_print(const struct bc_explanations *explanations, struct bc_arena *arena,
		      struct bc_err *err)
{
	const struct bc_canonical_options how = { .settle_forwards = true };
	struct printer printer = { .explanations = explanations };
	struct bc_graph canonical;
	bool done;

	if (!bc_canonical(&canonical, &explanations->graph, &how, arena, &printer.new_id, NULL,
			  err))
		return false;
	printer.graph = &canonical;
	if (!bc_text_open(&printer.text, stderr, UINT64_MAX, err))
		return false;
	done = print_all(&printer, arena, err);
	bc_spell_close(&printer.spell);
	bc_text_close(&printer.text);
	return done;
}

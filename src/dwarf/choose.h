/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_CHOOSE_H
#define BC_DWARF_CHOOSE_H

#include "dwarf/content.h"
#include "dwarf/features.h"
#include "dwarf/function.h"
#include "dwarf/kfuncs.h"
#include "dwarf/symbols.h"

/* Why a function is left out. */
/* clang-format off */
#define BC_FUNCTION_REASONS(X)                                                                     \
	X(ELSEWHERE, "functions with a parameter in an unexpected register")                       \
	X(INCONSISTENT, "functions whose prototypes disagree")                                     \
	X(UNCERTAIN, "functions with a packed struct by value on the stack")                       \
	X(REORDERED, "functions whose parameters are in another order than written")               \
	X(INCOMPLETE, "functions whose only body lost parameters")                                 \
	X(AMBIGUOUS, "functions of one name at several addresses")                                 \
	X(NAMELESS, "functions with a parameter without a name or a type")                         \
	X(UNDEFINED, "functions that no unit defines")

enum bc_function_reason {
	BC_FUNCTION_IN, /* it is in */
#define BC_FUNCTION_REASON_ENUM(name, text) BC_FUNCTION_##name,
	BC_FUNCTION_REASONS(BC_FUNCTION_REASON_ENUM)
#undef BC_FUNCTION_REASON_ENUM
	BC_FUNCTION_REASON_COUNT
};
/* clang-format on */

extern const char *const bc_function_reason_texts[BC_FUNCTION_REASON_COUNT];

/* What was decided on a symbol. */
struct bc_verdict {
	struct bc_candidate *candidates; /* the first one, in no order; NULL: it has none */
	const struct bc_candidate *best; /* the one whose prototype is written */
	const char *name;                /* under which it is written; lives as the symbols do */
	enum bc_function_reason reason;
	uint32_t root; /* of one that is in: number of its root */
};

/* Candidates in no order. */
struct bc_candidate_list {
	struct bc_candidate *items;
	uint32_t count;
};

struct bc_chosen {
	/* Functions as their symbols, then variables by offset, for which there is room. */
	struct bc_root *roots;
	uint32_t count, function_count;
	uint64_t left_out[BC_FUNCTION_REASON_COUNT];
	struct bc_verdict *verdicts; /* by symbol's number */
};

/*
 * Chooses, from all candidates of a name at once, whether it becomes a FUNC
 * and with which prototype: the one of the body that the symbol's address
 * points at; of several, the least by content (with consistent_func none, if
 * they disagree), as its unit means it. With true_signature, bodies at symbols
 * with a suffix have the symbol's name. Which unit a candidate came from, in which of the
 * COUNT lists, and when, does not count. The lists outlive CHOSEN. There is room for
 * VARIABLE_LIMIT roots more. There is a content for each of WORKERS, with an err of its own.
 * Memory from ARENA.
 */
bool bc_choose_functions(struct bc_chosen *chosen, const struct bc_candidate_list *lists,
			 uint32_t count, uint32_t variable_limit, const struct bc_symbols *symbols,
			 struct bc_content *contents, const struct bc_features *features,
			 struct bc_workers *workers, struct bc_arena *arena, struct bc_err *err);

/* Gives the functions among KFUNCS their tags. */
void bc_choose_tags(struct bc_chosen *chosen, const struct bc_symbols *symbols,
		    const struct bc_kfuncs *kfuncs);

#endif

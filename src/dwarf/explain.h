/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_EXPLAIN_H
#define BC_DWARF_EXPLAIN_H

#include "dwarf/choose.h"

/* Why a function is in or out: what is known of its name, for people to read. */
struct bc_explained_symbol {
	const char *name; /* with what is behind the dot */
	const char *file;
	uint64_t address;
	bool is_weak;
};

struct bc_explained_body {
	uint32_t unit;
	const char *unit_name; /* as the unit says; "" where it does not */
	const char *file;
	uint64_t unit_offset;
	uint64_t address; /* with has_address */
	bool has_address;
	/* See struct bc_candidate. */
	bool is_elsewhere, is_uncertain, is_incomplete, is_changed, is_reordered;
	bool is_written;  /* its prototype is the FUNC's */
	uint32_t proto;   /* node; 0: a parameter has no name or no type */
	uint32_t type_id; /* FUNC in the graph of bc_explanations; 0: as proto */
};

struct bc_explanation {
	const char *name;       /* as asked for, up to its first dot */
	const char *written_as; /* the FUNC's name, if it is in */
	enum bc_function_reason reason;
	struct bc_explained_symbol *symbols; /* none: there is no such function in the ELF files */
	uint32_t symbol_count;
	struct bc_explained_body *bodies; /* by unit */
	uint32_t body_count;
};

struct bc_explanations {
	struct bc_explanation *items;
	uint32_t count;
	/* All types, and a FUNC for each body. */
	struct bc_graph graph;
};

/*
 * Tells of COUNT names what CHOSEN says. Names of units and the graph are left
 * for the caller. File names are the caller's; everything else is from ARENA.
 */
bool bc_explain(struct bc_explanations *explanations, const char *const *names, uint32_t count,
		const struct bc_chosen *chosen, const struct bc_symbols *symbols,
		struct bc_arena *arena, struct bc_err *err);

/* The roots for the graph: one for each body with a prototype, in order. */
bool bc_explained_roots(struct bc_root **roots, uint32_t *count,
			const struct bc_explanations *explanations, struct bc_arena *arena,
			struct bc_err *err);

/* Gives the bodies their FUNCs: GRAPH, made of the roots, has no others. */
void bc_explained_types(struct bc_explanations *explanations, const struct bc_graph *graph);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_COMPARE_OBJECT_H
#define BC_COMPARE_OBJECT_H

#include <stdio.h>

#include "compare/core.h"
#include "compare/difference.h"

/* What kind of thing a BPF object wants of a kernel. */
enum bc_need {
	BC_NEED_RELOCATION, /* a CO-RE record */
	BC_NEED_KFUNC,      /* a function that it calls */
	BC_NEED_KSYM,       /* a variable that it uses */
	BC_NEED_STRUCT_OPS, /* a struct of operations that it implements */
	BC_NEED_TYPE,       /* a type of program, or of its attachment, that the kernel knows */
	BC_NEED_ATTACH,     /* something that one of its programs attaches to */
};

/* What NEW does to it. In order of weight. */
enum bc_object_verdict {
	BC_VERDICT_FINE,
	BC_VERDICT_RELOCATES, /* another value, which the loader writes into the program */
	BC_VERDICT_GUARDED,   /* missing, but the object looks whether it is there */
	BC_VERDICT_UNKNOWN,   /* BTF does not tell */
	BC_VERDICT_BREAKS,
	BC_VERDICT_COUNT,
};

struct bc_requirement {
	enum bc_need need;
	enum bc_object_verdict verdict;
	const char *reason;  /* a string literal; "" when the values say all */
	const char *section; /* of the first program that wants it; "" when it is the object's */
	const char *name;    /* what is wanted; of a relocation its type's name */
	const char *detail;  /* member of struct_ops that is missing; "" */
	const struct bc_relocation *relocation; /* NULL: another need */
	/* Of a relocation: bytes of its name without the flavour, and of its access. */
	size_t plain_bytes, access_bytes;
	bool has_flavour;
	uint32_t uses;
	bool is_pattern;                /* the value of a side is how many functions match */
	struct bc_core_result sides[2]; /* of other needs only the state */
};

/* What the object's ELF file says. */
struct bc_object {
	const char *name; /* of the file */
	const struct bc_relies *relies;
	const struct bc_object_symbols *symbols;
};

struct bc_object_judgement {
	/* By need; relocations then by name, access and kind, others as the object has them. */
	struct bc_requirement *requirements;
	uint32_t count;
	uint32_t counts[BC_VERDICT_COUNT];
};

/*
 * Judges what OBJECT relies on against both sides of COMPARISON (unfiltered).
 * OFFSETS_MATTER: what relocates, breaks. Arrays live in ARENA.
 */
bool bc_object_judge(struct bc_object_judgement *judgement, const struct bc_object *object,
		     const struct bc_comparison *comparison, bool offsets_matter,
		     struct bc_arena *arena, struct bc_err *err);

/* The word for people and programs: "fine", … */
const char *bc_object_verdict_word(enum bc_object_verdict verdict);
const char *bc_need_word(enum bc_need need);

/* What a relocation wants, in a word or two: "offset", "size", "exists", … */
const char *bc_core_kind_word(uint32_t kind);

struct bc_report_options;

/* All that is not fine; all with options->verbose. Nothing when there is nothing to say. */
bool bc_report_object_text(FILE *out, const struct bc_object_judgement *judgement,
			   const struct bc_object *object, const struct bc_report_options *options,
			   struct bc_err *err);

/* All, for programs; docs/compare-object.schema.json. */
bool bc_report_object_json(FILE *out, const struct bc_object_judgement *judgement,
			   const struct bc_object *object, const struct bc_report_options *options,
			   struct bc_err *err);

#endif

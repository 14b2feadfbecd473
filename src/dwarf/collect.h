/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_COLLECT_H
#define BC_DWARF_COLLECT_H

#include "base/order.h"
#include "dwarf/features.h"
#include "dwarf/function.h"
#include "dwarf/places.h"
#include "dwarf/symbols.h"
#include "merge/local.h"
#include "merge/string_ids.h"

/* Valid DWARF that BTF cannot express, counted by reason. */
/* clang-format off */
#define BC_SKIPS(X)                                                                                \
	X(UNIT_LANGUAGE, "units of an excluded language")                                          \
	X(TYPE_OPAQUE, "types without a counterpart (written as a struct of their size)")          \
	X(TYPE_REFERENCE, "references (written as pointers)")                                      \
	X(TYPE_ATOMIC, "_Atomic qualifiers (left out)")                                            \
	X(MEMBER_BASE, "base classes (left out)")                                                  \
	X(MEMBER_STATIC, "static members (left out)")                                              \
	X(MEMBER_PLACE, "members whose place is computed or too far (left out)")                   \
	X(MEMBER_TYPE, "members or parameters without a type (left out)")                          \
	X(VALUE_SIZELESS, "values of types that nobody completes (of an empty struct)")            \
	X(ARENA, "pointers into arenas that are no pointers (left as they are)")                   \
	X(VARIANT, "variant parts (members of all variants, at their offsets)")                    \
	X(ARRAY_LONG, "arrays of more than 2^32 - 1 elements (written as of none)")                \
	X(TOO_MANY, "types of more than 16,777,215 elements (written as a struct of their size)")

enum bc_skip {
#define BC_SKIP_ENUM(name, text) BC_SKIP_##name,
	BC_SKIPS(BC_SKIP_ENUM)
#undef BC_SKIP_ENUM
	BC_SKIP_COUNT
};
/* clang-format on */

extern const char *const bc_skip_texts[BC_SKIP_COUNT];

#define BC_FOREIGN_SCOPES 8

/* Bodies of tags in a unit that was referred to: key is class and name, value the offset. */
struct bc_unit_tags {
	const struct bc_unit *unit; /* NULL: none */
	struct bc_keyed *items, *spare;
	uint32_t count, limit;
};

/* What one thread needs to read units, one after the other. */
struct bc_collector {
	const struct bc_units *units;
	struct bc_string_ids *names;
	struct bc_name_guesses name_guesses;
	struct bc_local *local;
	struct bc_features features;
	const char *const *excluded_languages; /* names as in --lang-exclude, ended by NULL */
	uint64_t skipped[BC_SKIP_COUNT];
	uint64_t die_count;
	struct bc_scope home;
	struct bc_scope foreign[BC_FOREIGN_SCOPES]; /* units lately referred to */
	uint32_t next_foreign;
	struct bc_import *imports;
	uint32_t import_count, import_limit;
	uint32_t *import_slots; /* hash of places; number of the import + 1 */
	uint32_t import_slot_count;
	struct bc_keyed *import_order, *order_spare;
	uint32_t order_limit;
	struct bc_keyed *member_order, *spare_order;
	uint32_t member_limit;
	struct bc_unit_tags unit_tags;
	struct bc_frame *frames;
	uint32_t frame_limit;
	uint32_t *elements; /* of the types that are open */
	uint32_t element_count, element_limit;
	struct bc_fixup *fixups;
	uint32_t fixup_count, fixup_limit;
	bool with_foreign_bodies;
	const struct bc_symbols *symbols; /* NULL: no functions are wanted */
	const struct bc_places *places;
	struct bc_registers registers;
	struct bc_name_set *no_symbols; /* of which bc_symbols_find knows none; shared */
	struct bc_function *functions;  /* of the unit at hand, by offset */
	uint32_t function_count, function_limit;
	struct bc_parameter *parameters;
	uint32_t parameter_count, parameter_limit;
	struct bc_decl_tag *tags; /* of the declarations that are open */
	uint32_t tag_count, tag_limit;
	struct bc_decl_tag *kept_tags; /* of functions and variables */
	uint32_t kept_tag_count, kept_tag_limit;
	struct bc_variable *variables;
	uint32_t variable_count, variable_limit;
};

/* A DIE's place: its unit and its offset there. */
static inline uint64_t bc_place(uint32_t unit_index, uint32_t offset)
{
	return (uint64_t)unit_index << 32 | offset;
}

/*
 * Fills collector->local with the types of a unit. WITH_FOREIGN_BODIES:
 * tags of other units that it refers to get their bodies too.
 */
bool bc_collect_unit(struct bc_collector *collector, uint32_t unit_index, bool with_foreign_bodies,
		     struct bc_err *err);

/*
 * When all units have been read: whether DIEs begin wherever other units
 * refer to one of this unit (there is such a place). Bytes in the middle of a DIE
 * can read like a type.
 */
bool bc_collect_check_references(struct bc_collector *collector, uint32_t unit_index,
				 struct bc_err *err);

/* Adds to ERR which DIE it is about: one of the unit that was collected, or of one it refers to. */
void bc_collect_place_error(const struct bc_collector *collector, uint64_t place,
			    struct bc_err *err);

/* The name that a unit gives itself; 0: none. */
bool bc_collect_unit_name(struct bc_collector *collector, uint32_t unit_index, uint32_t *name,
			  struct bc_err *err);
void bc_collector_free(struct bc_collector *collector);

#endif

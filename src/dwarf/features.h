/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_FEATURES_H
#define BC_DWARF_FEATURES_H

#include <stdbool.h>

#include "base/err.h"

/*
 * What goes into the BTF, by the names that pahole's --btf_features has and
 * kernel builds ask for. Columns: name, on by default.
 */
#define BC_FEATURES(X)                                                                             \
	X(encode_force, true)    /* off: a variable that cannot be written is an error */          \
	X(var, true)             /* per-CPU variables */                                           \
	X(float, true)           /* FLOAT; off: INT of that size */                                \
	X(decl_tag, true)        /* DECL_TAG out of DWARF */                                       \
	X(type_tag, true)        /* TYPE_TAG on pointers */                                        \
	X(enum64, true)          /* ENUM64; off: ENUM with the low halves of values */             \
	X(optimized_func, true)  /* symbols with suffixes count by their base name */              \
	X(consistent_func, true) /* leaves out functions whose prototypes disagree */              \
	X(decl_tag_kfuncs, true) /* tags of kfuncs in .BTF_ids */                                  \
	X(reproducible_build, false)                                                               \
	X(distilled_base, false) /* with a base: a little of it beside the split part */           \
	X(global_var, false)     /* variables of all sections */                                   \
	X(attributes, false)     /* address_space(1) of arena pointers of kfuncs */                \
	X(true_signature, false) /* bodies with a suffix, as they are called */                    \
	X(layout, false)         /* a type-layout section; not on a base */

struct bc_features {
#define BC_FEATURE_FIELD(name, is_default) bool with_##name;
	BC_FEATURES(BC_FEATURE_FIELD)
#undef BC_FEATURE_FIELD
};

/* What is on if nobody says anything. */
struct bc_features bc_features_default(void);

/*
 * Adds a list, "var,float", to FEATURES, which begin with none. The word
 * "default" adds the default ones; so does a "+" before the list. Names that
 * nobody knows are errors.
 */
bool bc_features_add(struct bc_features *features, const char *list, struct bc_err *err);

/* The same, but what is unknown is left out: kernels ask for what they may get. */
void bc_features_add_known(struct bc_features *features, const char *list);

/* Writes the names of what is there as a list into TEXT, and returns that. */
#define BC_FEATURE_BYTES(name, is_default) +sizeof(#name)
#define BC_FEATURES_TEXT_BYTES (0 BC_FEATURES(BC_FEATURE_BYTES))
const char *bc_features_supported(char text[BC_FEATURES_TEXT_BYTES]);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_COMPARE_FILTER_H
#define BC_COMPARE_FILTER_H

#include "compare/difference.h"

/*
 * Which differences are wanted. Patterns are globs (fnmatch) on the name, with
 * or without a kind in front: "struct bpf_*", "bpf_*". An unnamed enum goes by
 * the name of each of its values. Base types that came or went are there
 * because of what uses them, which says so itself: they are wanted only where
 * a kind asks for them.
 */
struct bc_filter {
	uint32_t kinds;          /* a bit per rank; 0: all */
	const char *const *only; /* one of them must match; none: all do */
	uint32_t only_count;
	const char *const *ignored; /* as in .gitignore: the last that matches decides, "!" takes
				     * an earlier one back */
	uint32_t ignored_count;
};

/* How many there are, by rank of kind and by change. */
struct bc_totals {
	uint32_t counts[BC_KIND_RANKS][4];
	uint32_t sums[4];
};

/* Drops what is not wanted. */
void bc_filter_apply(const struct bc_filter *filter, struct bc_comparison *comparison);

void bc_totals_count(struct bc_totals *totals, const struct bc_comparison *comparison);

/* Adds the kind called WORD to *KINDS; false: there is none. */
bool bc_filter_add_kind(uint32_t *kinds, const char *word, size_t length);

/* Adds a list, "struct,union". */
bool bc_filter_add_kinds(uint32_t *kinds, const char *list, struct bc_err *err);

#endif

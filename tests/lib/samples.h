/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TESTS_SAMPLES_H
#define BC_TESTS_SAMPLES_H

#include "tests/lib/build.h"

/*
 * Graphs picked by hand, one difficulty each. A sample of split BTF has its
 * base made first, with bytes.
 */
struct sample {
	const char *name;
	struct build *(*make)(struct bc_arena *arena, const struct build *base);
	struct build *(*make_base)(struct bc_arena *arena); /* NULL: not split */
};

extern const struct sample samples[];
extern const uint32_t sample_count;

/* The sample's build; its base, if it has one, is build->base. */
struct build *sample_make(const struct sample *sample, struct bc_arena *arena, bool big_endian);

/* All kinds, every kind of reference, tags, a layout section: 40 types. */
struct build *sample_make_rich(struct bc_arena *arena, const struct build *base);

#endif

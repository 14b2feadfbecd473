/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "compare/filter.h"
#include "compare/report.h"
#include "lib/object.h"
#include "lib/options.h"
#include "sort/canonical.h"

struct btfcanon_comparison {
	struct bc_comparison comparison;
	struct bc_totals totals;
	/* What is compared. Bases are the BTFs', of which there is a reference. */
	struct btfcanon_btf *sides[2];
};

/* BTF in canonical order; with types of unknown kind, which have none, as it is. */
static bool make_side(struct btfcanon_btf **side, const struct btfcanon_btf *btf,
		      struct bc_err *err)
{
	static const struct bc_canonical_options how = { .order = BC_ORDER_CANONICAL };

	/* That it is not the side's own graph does not matter: the BTF is kept as its base. */
	*side = bc_object_make(btf, err);
	if (!*side)
		return false;
	if (!btf->graph.has_unknown_kind)
		return bc_canonical(&(*side)->graph, &btf->graph, &how, &(*side)->arena, NULL, NULL,
				    err);
	(*side)->graph = btf->graph;
	return true;
}

static uint32_t count_patterns(const char *const *patterns)
{
	uint32_t count = 0;

	while (patterns && patterns[count])
		count++;
	return count;
}

static bool compare(struct btfcanon_comparison *made, const struct btfcanon_btf *const btfs[2],
		    const struct btfcanon_compare_opts *opts, struct bc_err *err)
{
	const struct bc_compare_options how = { .indirect = opts->indirect };
	struct bc_filter filter = {
		.only = opts->only,
		.only_count = count_patterns(opts->only),
		.ignored = opts->ignored,
		.ignored_count = count_patterns(opts->ignored),
	};

	if (opts->reserved)
		return bc_err_set(err, "options: reserved is not 0");
	if ((opts->kinds && !bc_filter_add_kinds(&filter.kinds, opts->kinds, err)) ||
	    !make_side(&made->sides[BC_OLD], btfs[BC_OLD], err) ||
	    !make_side(&made->sides[BC_NEW], btfs[BC_NEW], err) ||
	    !bc_compare_graphs(&made->comparison, &made->sides[BC_OLD]->graph,
			       &made->sides[BC_NEW]->graph, &how, err))
		return false;
	bc_filter_apply(&filter, &made->comparison);
	bc_totals_count(&made->totals, &made->comparison);
	return true;
}

int btfcanon_compare(struct btfcanon_comparison **out, const struct btfcanon_btf *old_btf,
		     const struct btfcanon_btf *new_btf, const struct btfcanon_compare_opts *opts,
		     struct btfcanon_error *error)
{
	const struct btfcanon_btf *const btfs[2] = { old_btf, new_btf };
	struct btfcanon_comparison *made;
	struct btfcanon_compare_opts how;
	struct bc_err err = { .text = "" };

	if (!bc_lib_options(&how, sizeof(how), opts, &err))
		return bc_lib_fail(error, &err);
	made = calloc(1, sizeof(*made));
	if (!made) {
		bc_err_memory(&err, sizeof(*made));
		return bc_lib_fail(error, &err);
	}
	if (!compare(made, btfs, &how, &err)) {
		btfcanon_comparison_free(made);
		return bc_lib_fail(error, &err);
	}
	*out = made;
	return 0;
}

void btfcanon_comparison_free(struct btfcanon_comparison *comparison)
{
	if (!comparison)
		return;
	bc_compare_close(&comparison->comparison);
	btfcanon_free(comparison->sides[BC_OLD]);
	btfcanon_free(comparison->sides[BC_NEW]);
	free(comparison);
}

uint32_t btfcanon_comparison_count(const struct btfcanon_comparison *comparison,
				   enum btfcanon_change change, const char *kind)
{
	uint32_t kinds = 0, count = 0;

	if ((uint32_t)change > BTFCANON_INDIRECT)
		return 0;
	if (kind && !bc_filter_add_kind(&kinds, kind, strlen(kind)))
		return 0;
	for (uint32_t rank = 0; rank < BC_KIND_RANKS; rank++)
		if (!kind || kinds >> rank & 1)
			count += comparison->totals.counts[rank][change];
	return count;
}

typedef bool (*reporter)(FILE *out, const struct bc_comparison *comparison,
			 const struct bc_report_options *options, struct bc_err *err);

static bool report(char **text, size_t *text_size, const struct bc_comparison *comparison,
		   const struct btfcanon_report_opts *opts, struct bc_err *err)
{
	static const reporter reporters[] = {
		[BTFCANON_FORMAT_TEXT] = bc_report_text,
		[BTFCANON_FORMAT_JSON] = bc_report_json,
		[BTFCANON_FORMAT_HTML] = bc_report_html,
		[BTFCANON_FORMAT_STAT] = bc_report_stat,
	};
	const struct bc_report_options how = {
		.names = { opts->old_name ? opts->old_name : "old",
			   opts->new_name ? opts->new_name : "new" },
		.color = opts->color,
		.verbose = opts->verbose,
		.offsets_matter = opts->offsets_matter,
	};
	FILE *stream;
	bool done;

	if (opts->format >= sizeof(reporters) / sizeof(reporters[0]))
		return bc_err_set(err, "options: there is no format %u", opts->format);
	stream = open_memstream(text, text_size);
	if (!stream)
		return bc_err_errno(err, "memory for the report");
	done = reporters[opts->format](stream, comparison, &how, err);
	if (fclose(stream) && done)
		done = bc_err_errno(err, "memory for the report");
	if (!done)
		free(*text);
	return done;
}

int btfcanon_report(char **text, size_t *text_size, const struct btfcanon_comparison *comparison,
		    const struct btfcanon_report_opts *opts, struct btfcanon_error *error)
{
	struct btfcanon_report_opts how;
	char *made = NULL;
	size_t made_size = 0;
	struct bc_err err = { .text = "" };

	if (!bc_lib_options(&how, sizeof(how), opts, &err) ||
	    !report(&made, &made_size, &comparison->comparison, &how, &err))
		return bc_lib_fail(error, &err);
	*text = made;
	if (text_size)
		*text_size = made_size;
	return 0;
}

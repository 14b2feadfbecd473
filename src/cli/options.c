/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum option_code {
	CODE_ORDER = 256,
	CODE_BASE,
	CODE_DEDUP,
	CODE_DROP_LAYOUT,
	CODE_MAX_VLEN,
	CODE_FULL,
	CODE_KERNEL,
	CODE_IN_PLACE,
	CODE_DROP_SIGNATURE,
	CODE_POINTER_SIZE,
	CODE_PROGRESS,
	CODE_STATS,
	CODE_LANG_EXCLUDE,
	CODE_FEATURES,
	CODE_EXPLAIN,
	CODE_SHUFFLE_UNITS,
	CODE_HASH_BITS,
	CODE_LIKE,
	CODE_VERIFY,
	CODE_NO_KFUNCS,
	CODE_NO_PRESERVE,
	CODE_OFFSETS,
	CODE_WITHOUT_BASE,
	CODE_BASELINE,
	CODE_OLD_BASE, /* from here on compare's */
	CODE_NEW_BASE,
	CODE_OLD_FROM,
	CODE_NEW_FROM,
	CODE_KIND,
	CODE_ONLY,
	CODE_IGNORE,
	CODE_IGNORE_FILE,
	CODE_INDIRECT,
	CODE_OFFSETS_MATTER,
	CODE_STAT,
	CODE_OBJECT,
	CODE_COLOR,
	CODE_FORMAT,
};

#define WHEN_CHOICES "auto always never"

/* What completion offers, in this order. */
static const struct bc_option table[] = {
	{ "output", 'o', BC_ARGUMENT_FILE, NULL, .sets = BC_TAKES_OUTPUT },
	{ "order", CODE_ORDER, BC_ARGUMENT_WORD, "canonical name", .sets = BC_TAKES_ORDER },
	{ "dedup", CODE_DEDUP, .sets = BC_TAKES_DEDUP },
	{ "base", CODE_BASE, BC_ARGUMENT_FILE, BC_BTF_FILES, .sets = BC_TAKES_BASE },
	{ "drop-layout", CODE_DROP_LAYOUT, .sets = BC_TAKES_DROP_LAYOUT },
	{ "max-vlen", CODE_MAX_VLEN, BC_ARGUMENT_TEXT, NULL, .sets = BC_TAKES_MAX_VLEN },
	{ "full", CODE_FULL, .sets = BC_TAKES_FULL },
	{ "kernel", CODE_KERNEL, .sets = BC_TAKES_KERNEL },
	{ "in-place", CODE_IN_PLACE, .sets = BC_TAKES_IN_PLACE },
	{ "drop-signature", CODE_DROP_SIGNATURE, .sets = BC_TAKES_IN_PLACE },
	{ "like", CODE_LIKE, BC_ARGUMENT_FILE, BC_BTF_FILES, .sets = BC_TAKES_LIKE },
	{ "verify", CODE_VERIFY, BC_ARGUMENT_FILE, BC_BTF_FILES, .sets = BC_TAKES_LIKE },
	{ "features", CODE_FEATURES, BC_ARGUMENT_LIST, BC_FEATURE_CHOICES,
	  .sets = BC_TAKES_ENCODE },
	{ "explain", CODE_EXPLAIN, BC_ARGUMENT_TEXT, NULL, .sets = BC_TAKES_ENCODE },
	{ "lang-exclude", CODE_LANG_EXCLUDE, BC_ARGUMENT_TEXT, NULL, .sets = BC_TAKES_ENCODE },
	{ "shuffle-units", CODE_SHUFFLE_UNITS, BC_ARGUMENT_TEXT, NULL, .sets = BC_TAKES_ENCODE },
	{ "hash-bits", CODE_HASH_BITS, BC_ARGUMENT_TEXT, NULL, .sets = BC_TAKES_ENCODE },
	{ "without-base", CODE_WITHOUT_BASE, .sets = BC_TAKES_HEADER },
	{ "baseline", CODE_BASELINE, BC_ARGUMENT_FILE, "*.h " BC_BTF_FILES,
	  .sets = BC_TAKES_HEADER },
	{ "no-kfuncs", CODE_NO_KFUNCS, .sets = BC_TAKES_HEADER },
	{ "no-preserve-access-index", CODE_NO_PRESERVE, .sets = BC_TAKES_HEADER },
	{ "offsets", CODE_OFFSETS, .sets = BC_TAKES_HEADER },
	{ "kind", CODE_KIND, BC_ARGUMENT_LIST,
	  "struct union enum typedef func var int float section", .sets = BC_TAKES_COMPARE },
	{ "only", CODE_ONLY, BC_ARGUMENT_TEXT, NULL, .sets = BC_TAKES_COMPARE | BC_TAKES_HEADER },
	{ "ignore", CODE_IGNORE, BC_ARGUMENT_TEXT, NULL, .sets = BC_TAKES_COMPARE },
	{ "ignore-file", CODE_IGNORE_FILE, BC_ARGUMENT_FILE, NULL, .sets = BC_TAKES_COMPARE },
	{ "indirect", CODE_INDIRECT, .sets = BC_TAKES_COMPARE },
	{ "offsets-matter", CODE_OFFSETS_MATTER, .sets = BC_TAKES_COMPARE },
	{ "stat", CODE_STAT, .sets = BC_TAKES_COMPARE },
	{ "object", CODE_OBJECT, BC_ARGUMENT_FILE, "*.o", .sets = BC_TAKES_COMPARE },
	{ "old-base", CODE_OLD_BASE, BC_ARGUMENT_FILE, BC_BTF_FILES, .sets = BC_TAKES_COMPARE },
	{ "base-old", CODE_OLD_BASE, BC_ARGUMENT_FILE, BC_BTF_FILES, .sets = BC_TAKES_COMPARE,
	  .is_other_name = true },
	{ "new-base", CODE_NEW_BASE, BC_ARGUMENT_FILE, BC_BTF_FILES,
	  .sets = BC_TAKES_COMPARE | BC_TAKES_NEW_BASE },
	{ "base-new", CODE_NEW_BASE, BC_ARGUMENT_FILE, BC_BTF_FILES, .sets = BC_TAKES_COMPARE,
	  .is_other_name = true },
	{ "old-from", CODE_OLD_FROM, BC_ARGUMENT_WORD, "btf dwarf", .sets = BC_TAKES_COMPARE },
	{ "new-from", CODE_NEW_FROM, BC_ARGUMENT_WORD, "btf dwarf", .sets = BC_TAKES_COMPARE },
	{ "color", CODE_COLOR, BC_ARGUMENT_WORD, WHEN_CHOICES, .sets = BC_TAKES_COMPARE,
	  .can_lack = true },
	{ "format", CODE_FORMAT, BC_ARGUMENT_WORD, "text json html", .sets = BC_TAKES_COMPARE },
	{ "verbose", 'v', .sets = BC_TAKES_VERBOSE },
	{ "pointer-size", CODE_POINTER_SIZE, BC_ARGUMENT_WORD, "4 8", .sets = BC_TAKES_COMMON },
	{ "jobs", 'j', BC_ARGUMENT_TEXT, NULL, .sets = BC_TAKES_COMMON },
	{ "progress", CODE_PROGRESS, BC_ARGUMENT_WORD, WHEN_CHOICES, .sets = BC_TAKES_COMMON },
	{ "stats", CODE_STATS, .sets = BC_TAKES_COMMON },
	{ "quiet", 'q', .sets = BC_TAKES_COMMON },
	{ "help", 'h', BC_ARGUMENT_WORD, BC_HELP_CHOICES, .sets = BC_TAKES_COMMON, .can_lack = true,
	  .is_bare = true },
};

const struct bc_option_list bc_options = { table, sizeof(table) / sizeof(table[0]) };

bool bc_options_number(uint32_t *number, const char *text, const char *option, uint32_t lowest,
		       uint32_t highest, struct bc_err *err)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || value < lowest || value > highest)
		return bc_err_set(err, "%s wants a number from %u to %u, not '%.80s'", option,
				  lowest, highest, text);
	*number = (uint32_t)value;
	return true;
}

bool bc_options_help(struct bc_options *options, const struct bc_option *option, const char *text,
		     struct bc_err *err)
{
	uint32_t index;

	if (text && !bc_option_choose(&index, option, text, err))
		return false;
	options->help = text ? BC_HELP_ALL : BC_HELP_SCREEN;
	return true;
}

static bool parse_order(struct bc_options *options, const struct bc_option *option,
			const char *text, struct bc_err *err)
{
	static const enum bc_order orders[] = { BC_ORDER_CANONICAL, BC_ORDER_NAME };
	uint32_t index;

	if (!bc_option_choose(&index, option, text, err))
		return false;
	options->order = orders[index];
	options->order_given = true;
	return true;
}

static bool parse_when(enum bc_progress *when, const struct bc_option *option, const char *text,
		       struct bc_err *err)
{
	static const enum bc_progress whens[] = { BC_PROGRESS_AUTO, BC_PROGRESS_ALWAYS,
						  BC_PROGRESS_NEVER };
	uint32_t index;

	if (!bc_option_choose(&index, option, text, err))
		return false;
	*when = whens[index];
	return true;
}

static bool parse_format(enum bc_format *format, const struct bc_option *option, const char *text,
			 struct bc_err *err)
{
	static const enum bc_format formats[] = { BC_FORMAT_TEXT, BC_FORMAT_JSON, BC_FORMAT_HTML };
	uint32_t index;

	if (!bc_option_choose(&index, option, text, err))
		return false;
	*format = formats[index];
	return true;
}

static bool parse_from(bool *from_dwarf, const struct bc_option *option, const char *text,
		       struct bc_err *err)
{
	uint32_t index;

	if (!bc_option_choose(&index, option, text, err))
		return false;
	*from_dwarf = index == 1;
	return true;
}

static bool parse_pointer_size(uint8_t *bytes, const struct bc_option *option, const char *text,
			       struct bc_err *err)
{
	uint32_t index;

	if (!bc_option_choose(&index, option, text, err))
		return false;
	*bytes = index ? 8 : 4;
	return true;
}

static bool parse_compare(struct bc_compare_arguments *compare, const struct bc_option *option,
			  const char *text, struct bc_err *err)
{
	switch (option->code) {
	case CODE_OLD_BASE:
	case CODE_NEW_BASE: {
		unsigned int which = option->code == CODE_NEW_BASE;

		compare->bases[which][compare->base_counts[which]++] = text;
		return true;
	}
	case CODE_OLD_FROM:
		return parse_from(&compare->from_dwarf[0], option, text, err);
	case CODE_NEW_FROM:
		return parse_from(&compare->from_dwarf[1], option, text, err);
	case CODE_KIND:
		compare->kinds[compare->kind_count++] = text;
		return true;
	case CODE_ONLY:
		compare->only[compare->only_count++] = text;
		return true;
	case CODE_IGNORE:
	case CODE_IGNORE_FILE:
		compare->ignored[compare->ignored_count++] =
			(struct bc_ignored){ text, option->code == CODE_IGNORE_FILE };
		return true;
	case CODE_INDIRECT:
		compare->indirect = true;
		return true;
	case CODE_OFFSETS_MATTER:
		compare->offsets_matter = true;
		return true;
	case CODE_STAT:
		compare->stat = true;
		return true;
	case CODE_OBJECT:
		compare->object = text;
		return true;
	case CODE_COLOR:
		return parse_when(&compare->color, option, text ? text : "always", err);
	case CODE_FORMAT:
		return parse_format(&compare->format, option, text, err);
	default:
		return bc_err_set(err, "an option that is not handled");
	}
}

/* Each list can take every word of the command line. */
static bool make_compare_lists(struct bc_compare_arguments *compare, size_t count,
			       struct bc_arena *arena, struct bc_err *err)
{
	for (unsigned int which = 0; which < 2; which++) {
		compare->bases[which] = bc_arena_alloc(arena, count, sizeof(char *), err);
		if (!compare->bases[which])
			return false;
	}
	compare->kinds = bc_arena_alloc(arena, count, sizeof(*compare->kinds), err);
	compare->only = bc_arena_alloc(arena, count, sizeof(*compare->only), err);
	compare->ignored = bc_arena_alloc(arena, count, sizeof(*compare->ignored), err);
	return compare->kinds && compare->only && compare->ignored;
}

static bool parse_hash_bits(struct bc_options *options, const char *text, struct bc_err *err)
{
	uint32_t bits = 0;

	if (!bc_options_number(&bits, text, "--hash-bits", 0, 64, err))
		return false;
	options->hash_mask = bits ? ~UINT64_C(0) >> (64 - bits) : 0;
	return true;
}

struct bc_features *bc_options_features(struct bc_options *options)
{
	if (!options->features_given)
		options->features = (struct bc_features){ 0 };
	options->features_given = true;
	return &options->features;
}

static bool parse_header(struct bc_options *options, const struct bc_option *option,
			 const char *text, struct bc_err *err)
{
	switch (option->code) {
	case CODE_NO_KFUNCS:
		options->no_kfuncs = true;
		return true;
	case CODE_NO_PRESERVE:
		options->no_preserve_access_index = true;
		return true;
	case CODE_OFFSETS:
		options->offsets = true;
		return true;
	case CODE_WITHOUT_BASE:
		options->without_base = true;
		return true;
	case CODE_BASELINE:
		options->baseline = text;
		return true;
	default:
		return parse_compare(&options->compare, option, text, err);
	}
}

static bool parse_encode(struct bc_options *options, const struct bc_option *option,
			 const char *text, struct bc_err *err)
{
	uint32_t number = 0;

	switch (option->code) {
	case CODE_LANG_EXCLUDE:
		options->excluded_languages = text;
		return true;
	case CODE_FEATURES:
		return bc_features_add(bc_options_features(options), text, err) ||
		       bc_err_prefix(err, "--features");
	case CODE_EXPLAIN:
		options->explained[options->explained_count++] = text;
		return true;
	case CODE_SHUFFLE_UNITS:
		options->shuffle_units = true;
		if (!bc_options_number(&number, text, "--shuffle-units", 0, UINT32_MAX, err))
			return false;
		options->shuffle_seed = number;
		return true;
	case CODE_HASH_BITS:
		return parse_hash_bits(options, text, err);
	default:
		return parse_header(options, option, text, err);
	}
}

static bool parse_one(struct bc_options *options, const struct bc_option *option, const char *text,
		      struct bc_err *err)
{
	switch (option->code) {
	case 'o':
		options->output = text;
		return true;
	case CODE_ORDER:
		return parse_order(options, option, text, err);
	case CODE_BASE:
		options->bases[options->base_count++] = text;
		return true;
	case CODE_DEDUP:
		options->dedup = true;
		return true;
	case CODE_DROP_LAYOUT:
		options->drop_layout = true;
		return true;
	case CODE_MAX_VLEN:
		return bc_options_number(&options->max_vlen, text, "--max-vlen", 0, BC_VLEN_MAX,
					 err);
	case CODE_FULL:
		options->full = true;
		return true;
	case CODE_KERNEL:
		options->kernel = true;
		return true;
	case CODE_IN_PLACE:
		options->in_place = true;
		return true;
	case CODE_DROP_SIGNATURE:
		options->drop_signature = true;
		return true;
	case 'v':
		options->verbose = true;
		return true;
	case CODE_POINTER_SIZE:
		return parse_pointer_size(&options->pointer_bytes, option, text, err);
	case CODE_PROGRESS:
		return parse_when(&options->progress, option, text, err);
	case CODE_LIKE:
		options->like = text;
		return true;
	case CODE_VERIFY:
		options->verified[options->verified_count++] = text;
		return true;
	case CODE_STATS:
		options->stats = true;
		return true;
	case 'j':
		return bc_options_number(&options->threads, text, "-j", 1, 1024, err);
	case 'q':
		options->quiet = true;
		return true;
	case 'h':
		return bc_options_help(options, option, text, err);
	default:
		return parse_encode(options, option, text, err);
	}
}

bool bc_options_begin(struct bc_options *options, int argc, struct bc_arena *arena,
		      struct bc_err *err)
{
	*options = (struct bc_options){ .max_vlen = BC_VLEN_MAX,
					.hash_mask = ~UINT64_C(0),
					.features = bc_features_default() };
	options->inputs = bc_arena_alloc(arena, (size_t)argc, sizeof(*options->inputs), err);
	options->bases = bc_arena_alloc(arena, (size_t)argc, sizeof(*options->bases), err);
	options->verified = bc_arena_alloc(arena, (size_t)argc, sizeof(*options->verified), err);
	options->explained = bc_arena_alloc(arena, (size_t)argc, sizeof(*options->explained), err);
	return options->inputs && options->bases && options->verified && options->explained &&
	       make_compare_lists(&options->compare, (size_t)argc, arena, err);
}

bool bc_options_parse(struct bc_options *options, int argc, char **argv, uint32_t takes,
		      struct bc_arena *arena, struct bc_err *err)
{
	struct bc_option_reader reader;
	const struct bc_option *option;
	const char *value;

	if (!bc_options_begin(options, argc, arena, err))
		return false;
	bc_option_reader_begin(&reader, &bc_options, takes, argv[0], argc, argv);
	do {
		if (!bc_option_next(&reader, &option, &value, err))
			return false;
		if (option && !parse_one(options, option, value, err))
			return false;
		if (!option && value)
			options->inputs[options->input_count++] = value;
	} while (option || value);
	return true;
}

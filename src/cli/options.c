/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
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

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "order", required_argument, NULL, CODE_ORDER },
	{ "base", required_argument, NULL, CODE_BASE },
	{ "dedup", no_argument, NULL, CODE_DEDUP },
	{ "drop-layout", no_argument, NULL, CODE_DROP_LAYOUT },
	{ "max-vlen", required_argument, NULL, CODE_MAX_VLEN },
	{ "full", no_argument, NULL, CODE_FULL },
	{ "kernel", no_argument, NULL, CODE_KERNEL },
	{ "in-place", no_argument, NULL, CODE_IN_PLACE },
	{ "drop-signature", no_argument, NULL, CODE_DROP_SIGNATURE },
	{ "verbose", no_argument, NULL, 'v' },
	{ "pointer-size", required_argument, NULL, CODE_POINTER_SIZE },
	{ "progress", required_argument, NULL, CODE_PROGRESS },
	{ "stats", no_argument, NULL, CODE_STATS },
	{ "lang-exclude", required_argument, NULL, CODE_LANG_EXCLUDE },
	{ "features", required_argument, NULL, CODE_FEATURES },
	{ "explain", required_argument, NULL, CODE_EXPLAIN },
	{ "shuffle-units", required_argument, NULL, CODE_SHUFFLE_UNITS },
	{ "hash-bits", required_argument, NULL, CODE_HASH_BITS },
	{ "like", required_argument, NULL, CODE_LIKE },
	{ "verify", required_argument, NULL, CODE_VERIFY },
	{ "no-kfuncs", no_argument, NULL, CODE_NO_KFUNCS },
	{ "no-preserve-access-index", no_argument, NULL, CODE_NO_PRESERVE },
	{ "offsets", no_argument, NULL, CODE_OFFSETS },
	{ "without-base", no_argument, NULL, CODE_WITHOUT_BASE },
	{ "baseline", required_argument, NULL, CODE_BASELINE },
	{ "old-base", required_argument, NULL, CODE_OLD_BASE },
	{ "base-old", required_argument, NULL, CODE_OLD_BASE },
	{ "new-base", required_argument, NULL, CODE_NEW_BASE },
	{ "base-new", required_argument, NULL, CODE_NEW_BASE },
	{ "old-from", required_argument, NULL, CODE_OLD_FROM },
	{ "new-from", required_argument, NULL, CODE_NEW_FROM },
	{ "kind", required_argument, NULL, CODE_KIND },
	{ "only", required_argument, NULL, CODE_ONLY },
	{ "ignore", required_argument, NULL, CODE_IGNORE },
	{ "ignore-file", required_argument, NULL, CODE_IGNORE_FILE },
	{ "indirect", no_argument, NULL, CODE_INDIRECT },
	{ "offsets-matter", no_argument, NULL, CODE_OFFSETS_MATTER },
	{ "stat", no_argument, NULL, CODE_STAT },
	{ "object", required_argument, NULL, CODE_OBJECT },
	{ "color", optional_argument, NULL, CODE_COLOR },
	{ "format", required_argument, NULL, CODE_FORMAT },
	{ "jobs", required_argument, NULL, 'j' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* Which set an option belongs to. */
static uint32_t set_of(int code)
{
	switch (code) {
	case 'o':
		return BC_TAKES_OUTPUT;
	case CODE_ORDER:
		return BC_TAKES_ORDER;
	case CODE_BASE:
		return BC_TAKES_BASE;
	case CODE_DEDUP:
		return BC_TAKES_DEDUP;
	case CODE_DROP_LAYOUT:
		return BC_TAKES_DROP_LAYOUT;
	case CODE_MAX_VLEN:
		return BC_TAKES_MAX_VLEN;
	case CODE_FULL:
		return BC_TAKES_FULL;
	case CODE_KERNEL:
		return BC_TAKES_KERNEL;
	case CODE_IN_PLACE:
	case CODE_DROP_SIGNATURE:
		return BC_TAKES_IN_PLACE;
	case CODE_NEW_BASE:
		return BC_TAKES_COMPARE | BC_TAKES_NEW_BASE;
	case 'v':
		return BC_TAKES_VERBOSE;
	case CODE_LIKE:
	case CODE_VERIFY:
		return BC_TAKES_LIKE;
	case CODE_LANG_EXCLUDE:
	case CODE_FEATURES:
	case CODE_EXPLAIN:
	case CODE_SHUFFLE_UNITS:
	case CODE_HASH_BITS:
		return BC_TAKES_ENCODE;
	case CODE_NO_KFUNCS:
	case CODE_NO_PRESERVE:
	case CODE_OFFSETS:
	case CODE_WITHOUT_BASE:
	case CODE_BASELINE:
		return BC_TAKES_HEADER;
	case CODE_ONLY:
		return BC_TAKES_COMPARE | BC_TAKES_HEADER;
	default:
		return code >= CODE_OLD_BASE ? BC_TAKES_COMPARE : BC_TAKES_COMMON;
	}
}

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

static bool parse_order(struct bc_options *options, const char *text, struct bc_err *err)
{
	options->order_given = true;
	if (!strcmp(text, "canonical"))
		options->order = BC_ORDER_CANONICAL;
	else if (!strcmp(text, "name"))
		options->order = BC_ORDER_NAME;
	else
		return bc_err_set(err, "--order is canonical or name, not '%.80s'", text);
	return true;
}

/* The word of OPTION that says when. */
static bool parse_when(enum bc_progress *when, const char *text, const char *option,
		       struct bc_err *err)
{
	static const char *const words[] = {
		[BC_PROGRESS_AUTO] = "auto",
		[BC_PROGRESS_ALWAYS] = "always",
		[BC_PROGRESS_NEVER] = "never",
	};

	for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(text, words[i]))
			continue;
		*when = (enum bc_progress)i;
		return true;
	}
	return bc_err_set(err, "%s is auto, always or never, not '%.80s'", option, text);
}

static bool parse_format(enum bc_format *format, const char *text, struct bc_err *err)
{
	if (!strcmp(text, "text"))
		*format = BC_FORMAT_TEXT;
	else if (!strcmp(text, "json"))
		*format = BC_FORMAT_JSON;
	else if (!strcmp(text, "html"))
		*format = BC_FORMAT_HTML;
	else
		return bc_err_set(err, "--format is text, json or html, not '%.80s'", text);
	return true;
}

static bool parse_from(bool *from_dwarf, const char *text, const char *option, struct bc_err *err)
{
	*from_dwarf = !strcmp(text, "dwarf");
	return *from_dwarf || !strcmp(text, "btf") ||
	       bc_err_set(err, "%s is btf or dwarf, not '%.80s'", option, text);
}

static bool parse_compare(struct bc_compare_arguments *compare, int code, const char *text,
			  struct bc_err *err)
{
	switch (code) {
	case CODE_OLD_BASE:
	case CODE_NEW_BASE: {
		unsigned int which = code == CODE_NEW_BASE;

		compare->bases[which][compare->base_counts[which]++] = text;
		return true;
	}
	case CODE_OLD_FROM:
		return parse_from(&compare->from_dwarf[0], text, "--old-from", err);
	case CODE_NEW_FROM:
		return parse_from(&compare->from_dwarf[1], text, "--new-from", err);
	case CODE_KIND:
		compare->kinds[compare->kind_count++] = text;
		return true;
	case CODE_ONLY:
		compare->only[compare->only_count++] = text;
		return true;
	case CODE_IGNORE:
	case CODE_IGNORE_FILE:
		compare->ignored[compare->ignored_count++] =
			(struct bc_ignored){ text, code == CODE_IGNORE_FILE };
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
		return parse_when(&compare->color, text ? text : "always", "--color", err);
	case CODE_FORMAT:
		return parse_format(&compare->format, text, err);
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

static bool parse_one(struct bc_options *options, int code, const char *text, struct bc_err *err)
{
	uint32_t number = 0;

	switch (code) {
	case 'o':
		options->output = text;
		return true;
	case CODE_ORDER:
		return parse_order(options, text, err);
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
		if (strcmp(text, "4") && strcmp(text, "8"))
			return bc_err_set(err, "--pointer-size is 4 or 8, not '%.80s'", text);
		options->pointer_bytes = (uint8_t)(*text - '0');
		return true;
	case CODE_PROGRESS:
		return parse_when(&options->progress, text, "--progress", err);
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
	case CODE_LIKE:
		options->like = text;
		return true;
	case CODE_VERIFY:
		options->verified[options->verified_count++] = text;
		return true;
	case CODE_HASH_BITS:
		return parse_hash_bits(options, text, err);
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
	case CODE_STATS:
		options->stats = true;
		return true;
	case 'j':
		return bc_options_number(&options->threads, text, "-j", 1, 1024, err);
	case 'q':
		options->quiet = true;
		return true;
	case 'h':
		options->help = true;
		return true;
	default:
		return parse_compare(&options->compare, code, text, err);
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
	int code;

	if (!bc_options_begin(options, argc, arena, err))
		return false;
	opterr = 0;
	optind = 1;
	while (optind < argc) {
		/* '-' first: operands come as code 1, in place, so that options may follow them. */
		const char *word = argv[optind];
		int index = -1;

		code = getopt_long(argc, argv, "-:o:vj:qh", long_options, &index);
		if (code == -1)
			break;
		if (code == ':')
			return bc_err_set(err, "%.80s wants a value (see btfcanon %s --help)", word,
					  argv[0]);
		if (code == '?' || (code != 1 && !(takes & set_of(code))))
			return bc_err_set(err, "%s has no option '%.80s' (see btfcanon %s --help)",
					  argv[0], word, argv[0]);
		if (code == 1)
			options->inputs[options->input_count++] = optarg;
		else if (!parse_one(options, code, optarg, err))
			return false;
	}
	while (optind < argc)
		options->inputs[options->input_count++] = argv[optind++];
	return true;
}

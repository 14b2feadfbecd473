/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * This program in place of pahole, as kernel builds call it: scripts/pahole-version.sh and
 * pahole-flags.sh, Makefile.btf, Makefile.modfinal, link-vmlinux.sh and gen-btf.sh of Linux.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

/* Kernels choose their flags by it: the pahole whose options and features these are. */
#define PAHOLE_MAJOR "1"
#define PAHOLE_MINOR "31"

enum pahole_code {
	CODE_BASE = 256,
	CODE_DETACHED,
	CODE_FEATURES,
	CODE_FEATURES_STRICT,
	CODE_SUPPORTED,
	CODE_LANG_EXCLUDE,
	CODE_SKIP_VARS,
	CODE_SKIP_DECL_TAG,
	CODE_SKIP_TYPE_TAG,
	CODE_SKIP_ENUM64,
	CODE_SKIP_INCONSISTENT,
	CODE_GEN_FLOATS,
	CODE_GEN_OPTIMIZED,
	CODE_GEN_ALL,
	CODE_FORCE,
	CODE_VERSION,
	CODE_NUMERIC_VERSION,
};

#define OPTION(name, code)                                                                         \
	{                                                                                          \
		name, code, .sets = 1                                                              \
	}

static const struct bc_option table[] = {
	OPTION("btf_encode", 'J'),
	{ "btf_encode_detached", CODE_DETACHED, BC_ARGUMENT_FILE, NULL, .sets = 1 },
	{ "btf_base", CODE_BASE, BC_ARGUMENT_FILE, "vmlinu*", .sets = 1 },
	{ "btf_features", CODE_FEATURES, BC_ARGUMENT_LIST, BC_FEATURE_CHOICES, .sets = 1 },
	{ "btf_features_strict", CODE_FEATURES_STRICT, BC_ARGUMENT_LIST, BC_FEATURE_CHOICES,
	  .sets = 1 },
	OPTION("supported_btf_features", CODE_SUPPORTED),
	{ "lang_exclude", CODE_LANG_EXCLUDE, BC_ARGUMENT_TEXT, NULL, .sets = 1 },
	{ "jobs", 'j', BC_ARGUMENT_TEXT, NULL, .sets = 1, .can_lack = true },
	OPTION("verbose", 'V'),
	OPTION("quiet", 'q'),
	OPTION("version", CODE_VERSION),
	OPTION("numeric_version", CODE_NUMERIC_VERSION),
	{ "help", 'h', BC_ARGUMENT_WORD, BC_HELP_CHOICES, .sets = 1, .can_lack = true,
	  .is_bare = true },
	OPTION("skip_encoding_btf_vars", CODE_SKIP_VARS),
	OPTION("skip_encoding_btf_decl_tag", CODE_SKIP_DECL_TAG),
	OPTION("skip_encoding_btf_type_tag", CODE_SKIP_TYPE_TAG),
	OPTION("skip_encoding_btf_enum64", CODE_SKIP_ENUM64),
	OPTION("skip_encoding_btf_inconsistent_proto", CODE_SKIP_INCONSISTENT),
	OPTION("btf_encode_force", CODE_FORCE),
	OPTION("btf_gen_floats", CODE_GEN_FLOATS),
	OPTION("btf_gen_optimized", CODE_GEN_OPTIMIZED),
	OPTION("btf_gen_all", CODE_GEN_ALL),
};

static const struct bc_option_list pahole_options = { table, sizeof(table) / sizeof(table[0]) };

/* What pahole does if --btf_features is not there: what it did before there was that option. */
static struct bc_features features_of_old(void)
{
	return (struct bc_features){
		.with_var = true,
		.with_decl_tag = true,
		.with_type_tag = true,
		.with_enum64 = true,
		.with_optimized_func = true,
	};
}

/* "--supported_btf_features": the list, in a line. */
static bool answer_features(struct bc_options *options, struct bc_arena *arena, struct bc_err *err)
{
	char *text = bc_arena_alloc(arena, BC_FEATURES_TEXT_BYTES + 1, 1, err);

	if (!text)
		return false;
	bc_features_supported(text);
	options->answer = strcat(text, "\n");
	return true;
}

/* -j, -jN, and -j N too, though getopt leaves N as the next word; 0 is all processors. */
static bool parse_jobs(struct bc_options *options, struct bc_option_reader *reader,
		       const char *value, struct bc_err *err)
{
	const char *next = bc_option_peek(reader);

	options->threads = 0;
	if (!value && *next && next[strspn(next, "0123456789")] == '\0') {
		value = next;
		bc_option_skip();
	}
	return !value || bc_options_number(&options->threads, value, "-j", 0, 1024, err);
}

/* The options that switch one feature, from before --btf_features. */
static void switch_feature(struct bc_features *features, int code)
{
	switch (code) {
	case CODE_SKIP_VARS:
		features->with_var = false;
		break;
	case CODE_SKIP_DECL_TAG:
		features->with_decl_tag = false;
		break;
	case CODE_SKIP_TYPE_TAG:
		features->with_type_tag = false;
		break;
	case CODE_SKIP_ENUM64:
		features->with_enum64 = false;
		break;
	case CODE_SKIP_INCONSISTENT:
		features->with_consistent_func = true;
		break;
	case CODE_GEN_FLOATS:
		features->with_float = true;
		break;
	case CODE_GEN_OPTIMIZED:
		features->with_optimized_func = true;
		break;
	case CODE_GEN_ALL:
		bc_features_add_known(features, "default");
		break;
	default:
		features->with_encode_force = true;
	}
}

static bool parse_one(struct bc_options *options, const struct bc_option *option, const char *value,
		      struct bc_arena *arena, struct bc_err *err)
{
	switch (option->code) {
	case 'J':
		options->in_place = true;
		return true;
	case CODE_BASE:
		options->bases[options->base_count++] = value;
		return true;
	case CODE_DETACHED:
		options->output = value;
		return true;
	case CODE_FEATURES:
		bc_features_add_known(bc_options_features(options), value);
		return true;
	case CODE_FEATURES_STRICT:
		return bc_features_add(bc_options_features(options), value, err) ||
		       bc_err_prefix(err, "--btf_features_strict");
	case CODE_SUPPORTED:
		return answer_features(options, arena, err);
	case CODE_LANG_EXCLUDE:
		options->excluded_languages = value;
		return true;
	case CODE_VERSION:
		options->answer = "v" PAHOLE_MAJOR "." PAHOLE_MINOR "\n";
		return true;
	case CODE_NUMERIC_VERSION:
		options->answer = PAHOLE_MAJOR PAHOLE_MINOR "\n";
		return true;
	case 'V':
		options->stats = true;
		return true;
	case 'q':
		options->quiet = true;
		return true;
	case 'h':
		return bc_options_help(options, option, value, err);
	default:
		switch_feature(&options->features, option->code);
		return true;
	}
}

static bool check_use(struct bc_options *options, struct bc_err *err)
{
	if (options->help || options->answer)
		return true;
	if (!options->in_place && !options->output)
		return bc_err_set(err, "in place of pahole this program only encodes BTF, with -J "
				       "(see btfcanon pahole --help)");
	if (options->input_count != 1)
		return bc_err_set(err, "-J wants one file, not %u (see btfcanon pahole --help)",
				  options->input_count);
	options->in_place = !options->output;
	/* As pahole has it: what is written beside the module has no base of its own. */
	if (options->output)
		options->features.with_distilled_base = false;
	return true;
}

static bool parse_pahole(struct bc_options *options, int argc, char **argv, struct bc_arena *arena,
			 struct bc_err *err)
{
	struct bc_option_reader reader;
	const struct bc_option *option;
	const char *value;

	if (!bc_options_begin(options, argc, arena, err))
		return false;
	options->features = features_of_old();
	options->order = BC_ORDER_NAME;
	options->order_given = true;
	options->threads = 1;
	options->excluded_languages = getenv("PAHOLE_LANG_EXCLUDE");
	bc_option_reader_begin(&reader, &pahole_options, bc_command_pahole.takes, "pahole", argc,
			       argv);
	reader.refuser = "in place of pahole this program";
	do {
		if (!bc_option_next(&reader, &option, &value, err))
			return false;
		if (!option && value)
			options->inputs[options->input_count++] = value;
		else if (option &&
			 !(option->code == 'j' ? parse_jobs(options, &reader, value, err) :
						 parse_one(options, option, value, arena, err)))
			return false;
	} while (option || value);
	return check_use(options, err);
}

static enum bc_exit run_pahole(const struct bc_options *options, struct bc_inputs *inputs,
			       struct bc_err *err)
{
	return bc_command_encode.run(options, inputs, err);
}

static const struct bc_help_text help = {
	.about = "Usage: btfcanon pahole -J [OPTION...] FILE\n"
		 "       pahole -J [OPTION...] FILE    (a link of that name to btfcanon)\n"
		 "\n"
		 "Stands in for pahole where a kernel is built: make PAHOLE=/path/to/that/link.\n"
		 "Puts the BTF of FILE's DWARF into FILE: that of encode, in name order.\n"
		 "Every failure is an exit code of 2, and FILE stays as it was.\n"
		 "\n"
		 "  -J, --btf_encode      put BTF into FILE\n"
		 "      --btf_encode_detached=OUT\n"
		 "                        write it to OUT, leave FILE as it is\n"
		 "      --btf_base=BASE   FILE is a module of this kernel: only what that lacks\n"
		 "      --btf_features=LIST\n"
		 "                        what goes in, of what is known (may be repeated)\n"
		 "  -j, --jobs[=N]        use N threads, without N all processors (default: 1)\n",
	.more = "      --btf_features_strict=LIST\n"
		"                        the same as --btf_features; what is unknown is an error\n"
		"      --supported_btf_features\n"
		"                        list what can go in\n"
		"      --lang_exclude=L  leave units of these languages out: rust,c++\n"
		"                        (else those in $PAHOLE_LANG_EXCLUDE)\n"
		"  -V, --verbose         seconds and counts per phase, on standard error\n"
		"  -q, --quiet           no warnings\n"
		"      --version, --numeric_version\n"
		"                        that of the pahole it stands in for: v1.31, 131\n" BC_HELP_OF_HELP
		"\n"
		"Without --btf_features, variables, tags and ENUM64 go in, and more or less by:\n"
		"      --skip_encoding_btf_vars\n"
		"                        no variables\n"
		"      --skip_encoding_btf_decl_tag\n"
		"                        no DECL_TAG types\n"
		"      --skip_encoding_btf_type_tag\n"
		"                        no TYPE_TAG types\n"
		"      --skip_encoding_btf_enum64\n"
		"                        no ENUM64 types: ENUM with the low halves of values\n"
		"      --skip_encoding_btf_inconsistent_proto\n"
		"                        no functions whose prototypes disagree\n"
		"      --btf_gen_floats  FLOAT types, too\n"
		"      --btf_gen_all     all that --btf_features=default has, too\n"
		"      --btf_encode_force\n"
		"                        variables that kernels refuse are left out, and no error\n"
		"      --btf_gen_optimized\n"
		"                        nothing: what it asks for is always done\n",
	.examples = "  make PAHOLE=/usr/local/libexec/btfcanon/pahole\n"
		    "  btfcanon pahole -J -j --btf_base=vmlinux xfs.ko\n",
};

const struct bc_command bc_command_pahole = {
	.name = "pahole",
	.summary = "encode, by the options that kernel builds give pahole",
	.files = BC_DWARF_FILES,
	.options = &pahole_options,
	.takes = 1,
	.parse = parse_pahole,
	.run = run_pahole,
	.help = &help,
};

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_OPTIONS_H
#define BC_CLI_OPTIONS_H

#include "base/workers.h"
#include "cli/option.h"
#include "cli/progress.h"
#include "dwarf/features.h"
#include "sort/canonical.h"

enum bc_format {
	BC_FORMAT_TEXT,
	BC_FORMAT_JSON,
	BC_FORMAT_HTML,
};

/* What is asked for instead of a run. */
enum bc_help {
	BC_HELP_NONE,
	BC_HELP_SCREEN, /* as much as fits one */
	BC_HELP_ALL,
};

/* A pattern of compare, or a file of patterns. */
struct bc_ignored {
	const char *text;
	bool is_file;
};

/* What compare takes beside the rest: arrays as in bc_options. */
struct bc_compare_arguments {
	const char **bases[2]; /* --old-base, --new-base: instead of --base for one side */
	uint32_t base_counts[2];
	bool from_dwarf[2]; /* --old-from=dwarf, --new-from=dwarf: encode it first */
	const char **kinds; /* "struct,union" */
	uint32_t kind_count;
	const char **only;
	uint32_t only_count;
	struct bc_ignored *ignored; /* --ignore, --ignore-file in the order given */
	uint32_t ignored_count;
	bool indirect;
	bool offsets_matter;
	bool stat;
	const char *object;     /* --object: a BPF object; NULL: none */
	enum bc_progress color; /* when */
	enum bc_format format;
};

/* What the command line of any command can say. Strings are those of argv. */
struct bc_options {
	const char **inputs; /* [input_count] */
	uint32_t input_count;
	const char *output; /* -o; NULL: standard output */
	const char **bases; /* --base, lowest first */
	uint32_t base_count;
	enum bc_order order;
	bool order_given;
	bool dedup;
	bool drop_layout;
	uint32_t max_vlen;
	uint8_t pointer_bytes; /* 0: not given */
	bool full;
	bool kernel;
	bool in_place;
	bool drop_signature;
	bool verbose;
	bool stats;
	bool quiet;
	enum bc_help help;
	const char *answer;    /* to print instead of running; NULL: run */
	const char *like;      /* --like; NULL: not given */
	const char **verified; /* --verify */
	uint32_t verified_count;
	uint32_t threads;           /* 0: all processors */
	struct bc_workers *workers; /* as many, from main on */
	enum bc_progress progress;
	const char *excluded_languages; /* as given, NULL: none */
	struct bc_features features;    /* all that are asked for, or the default ones */
	bool features_given;
	const char **explained; /* [explained_count] functions */
	uint32_t explained_count;
	bool shuffle_units;
	uint64_t shuffle_seed;
	uint64_t hash_mask; /* all ones unless --hash-bits */
	struct bc_compare_arguments compare;
	bool no_kfuncs; /* from here on header's; its --only is compare's list */
	bool no_preserve_access_index;
	bool offsets;
	bool without_base;
	const char *baseline; /* NULL: none */
};

/* One bit per option, so that a command can say which it takes. */
enum bc_option_set {
	BC_TAKES_OUTPUT = 1 << 0,
	BC_TAKES_BASE = 1 << 1,
	BC_TAKES_ORDER = 1 << 2,
	BC_TAKES_DEDUP = 1 << 3,
	BC_TAKES_DROP_LAYOUT = 1 << 4,
	BC_TAKES_MAX_VLEN = 1 << 5,
	BC_TAKES_FULL = 1 << 6,
	BC_TAKES_KERNEL = 1 << 7,
	BC_TAKES_IN_PLACE = 1 << 8, /* --in-place, --drop-signature */
	BC_TAKES_VERBOSE = 1 << 9,
	BC_TAKES_ENCODE =
		1 << 10, /* --lang-exclude, --features, --explain, --shuffle-units, --hash-bits */
	BC_TAKES_COMMON = 1 << 11,   /* -j, --pointer-size, --progress, --stats, -q, -h */
	BC_TAKES_COMPARE = 1 << 12,  /* struct bc_compare_arguments */
	BC_TAKES_HEADER = 1 << 13,   /* --no-kfuncs, --offsets, --only … */
	BC_TAKES_LIKE = 1 << 14,     /* --like, --verify */
	BC_TAKES_NEW_BASE = 1 << 15, /* compare.bases[1] */
};

/* The choices of --help. */
#define BC_HELP_CHOICES "all"

/* Patterns of names that such files have. */
#define BC_BTF_FILES "*.btf *.o *.ko *.ko.gz *.ko.xz *.ko.zst vmlinu*"
#define BC_DWARF_FILES "*.o *.ko *.debug vmlinux*"

/* The choices of --features. */
#define BC_FEATURE_CHOICE(name, is_default) #name " "
#define BC_FEATURE_CHOICES BC_FEATURES(BC_FEATURE_CHOICE) "default"

/* The options of all commands but pahole. */
extern const struct bc_option_list bc_options;

/* Nothing given, and room from ARENA in each array for every word of ARGV. */
bool bc_options_begin(struct bc_options *options, int argc, struct bc_arena *arena,
		      struct bc_err *err);

/* A list of features; the first one begins with none. */
struct bc_features *bc_options_features(struct bc_options *options);

/* TEXT as the value of OPTION, which is --help; NULL: none. */
bool bc_options_help(struct bc_options *options, const struct bc_option *option, const char *text,
		     struct bc_err *err);

/* TEXT as the value of OPTION: a number from LOWEST to HIGHEST. */
bool bc_options_number(uint32_t *number, const char *text, const char *option, uint32_t lowest,
		       uint32_t highest, struct bc_err *err);

/*
 * Reads ARGV (ARGV[0] is the command's name) into *OPTIONS; TAKES is a set of
 * enum bc_option_set. The arrays come from ARENA.
 */
bool bc_options_parse(struct bc_options *options, int argc, char **argv, uint32_t takes,
		      struct bc_arena *arena, struct bc_err *err);

#endif

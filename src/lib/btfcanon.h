/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BTFCANON_H
#define BTFCANON_H

/*
 * libbtfcanon: canonical BTF out of BTF or DWARF, and what changed between two.
 * docs/library.md goes from problem to code, libbtfcanon(3) lists it all.
 *
 * Return values. Functions that can fail return 0, or a negative number: -ENOMEM
 * without memory, -EINVAL where arguments or input are wrong, else the errno of
 * the system call that failed. *OUT is set on success only. ERROR, if it is not
 * NULL, then gets the reason as one line of printable ASCII: what is wrong and
 * where. Nothing is printed, nothing ends the process, errno is of no meaning.
 *
 * Ownership. Each object that a function gives is the caller's, who frees it.
 * It has copies of all that it was made of: memory, files and other objects
 * may be freed before it, in any order. What getters return belongs to the
 * object and lives as long.
 *
 * Options. A NULL for OPTS means what a struct of zeros means. Else SZ is the size
 * of the struct as the caller knows it, and fields that are not set are zero:
 *
 *         struct btfcanon_sort_opts opts = { .sz = sizeof(opts), .order = BTFCANON_ORDER_NAME };
 *
 * Structs grow at their end only. A library that does not know a field yet takes
 * it as long as it is zero, and else fails with -EINVAL.
 *
 * Threads. There is no state but in objects, and objects do not change once made:
 * any number of threads may use the same ones at the same time, and free others.
 * Threads that btfcanon_encode() starts have ended on return; they take no signals
 * that are sent to the process.
 *
 * Units. Sizes are in bytes, in variables called ..._size; ids are BTF type ids: 0
 * is void, split BTF counts on from its base.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BTFCANON_API __attribute__((visibility("default")))
#else
#define BTFCANON_API
#endif

#define BTFCANON_MAJOR_VERSION 0
#define BTFCANON_MINOR_VERSION 1

/* The version of the library that runs, "0.1.0". */
BTFCANON_API const char *btfcanon_version(void);

#define BTFCANON_ERROR_SIZE 640

struct btfcanon_error {
	char text[BTFCANON_ERROR_SIZE]; /* ends with a NUL */
};

/* ---- BTF ---- */

/* A BTF: what was read, made of DWARF, or sorted. */
struct btfcanon_btf;

/* libbpf's, of <bpf/btf.h> */
struct btf;

struct btfcanon_read_opts {
	size_t sz;
	const struct btfcanon_btf *base; /* split BTF: what it goes on from */
	uint32_t pointer_size;           /* 4 or 8; 0: as the file says, unknown in raw BTF */
	uint32_t reserved;               /* 0 */
};

/*
 * Reads raw BTF of either byte order. All is checked: what is no valid BTF is
 * an error that names the offset or the type.
 */
BTFCANON_API int btfcanon_read_memory(struct btfcanon_btf **out, const void *data, size_t data_size,
				      const struct btfcanon_read_opts *opts,
				      struct btfcanon_error *error);

/*
 * Reads a file ("-": standard input): raw BTF, ELF with .BTF, a kernel image, each
 * also compressed. A module that brings its base along (.BTF.base) goes on from
 * that, and takes no other.
 */
BTFCANON_API int btfcanon_read_file(struct btfcanon_btf **out, const char *path,
				    const struct btfcanon_read_opts *opts,
				    struct btfcanon_error *error);

/*
 * Takes what libbpf holds, with its bases (OPTS may give none) and its pointer
 * size (unless OPTS gives one). BTF is not changed, but libbpf keeps things in it as
 * it is read: no other thread may use it, or its bases, until this returns.
 */
BTFCANON_API int btfcanon_read_libbpf(struct btfcanon_btf **out, const struct btf *btf,
				      const struct btfcanon_read_opts *opts,
				      struct btfcanon_error *error);

/* NULL is fine. */
BTFCANON_API void btfcanon_free(struct btfcanon_btf *btf);

/*
 * The raw BTF: of a sorted or encoded one the canonical bytes, else those that were
 * read.
 */
BTFCANON_API const void *btfcanon_data(const struct btfcanon_btf *btf, size_t *data_size);

/* What it goes on from, NULL: nothing. Not the caller's to free. */
BTFCANON_API const struct btfcanon_btf *btfcanon_base(const struct btfcanon_btf *btf);

/* Number of types of its own, void and those of its bases not counted. */
BTFCANON_API uint32_t btfcanon_type_count(const struct btfcanon_btf *btf);

/* The id of the first of them: 1 without a base. */
BTFCANON_API uint32_t btfcanon_first_id(const struct btfcanon_btf *btf);

/*
 * What is legal in it but odd, or was left out of it as BTF cannot say it: number N
 * (from 0) of such kinds, as a phrase of one line. COUNT gets how often it was met, WHERE
 * where at first, "" if that is not known; each may be NULL. Returns NULL where
 * there is no such number. Of BTF that was read or encoded: a sorted one has none.
 */
BTFCANON_API const char *btfcanon_note(const struct btfcanon_btf *btf, uint32_t n, uint64_t *count,
				       const char **where);

/* ---- the canonical form ---- */

enum btfcanon_order {
	BTFCANON_ORDER_CANONICAL, /* by kind, size and name; see docs/canonical-form.md */
	BTFCANON_ORDER_NAME,      /* unnamed types first, then by name: as kernels look types up */
};

struct btfcanon_sort_opts {
	size_t sz;
	uint32_t order; /* enum btfcanon_order */
	uint32_t dedup; /* not 0: forward declarations become the types that they declare */
};

/*
 * Makes *OUT, the canonical form of BTF: the same types give the same bytes. Split
 * BTF stays on its base. Types that mean the same become one.
 */
BTFCANON_API int btfcanon_sort(struct btfcanon_btf **out, const struct btfcanon_btf *btf,
			       const struct btfcanon_sort_opts *opts, struct btfcanon_error *error);

/*
 * What became of the ids of the BTF that SORTED was made of: MAP[i] is the new id
 * of type i, or in split BTF of type first id + i. COUNT and layout are as
 * btf__permute() of libbpf wants them: without a base MAP[0] is 0, for void.
 * NULL if SORTED was not made by btfcanon_sort().
 */
BTFCANON_API const uint32_t *btfcanon_id_map(const struct btfcanon_btf *sorted,
					     uint32_t *map_count);

/*
 * The number of types that are gone because others, of the BTF itself or of its
 * base, mean the same. 0: the id map is a permutation, and btf__permute() with it
 * puts the types in the order of SORTED. (Strings stay as they are then: only
 * btfcanon_data() has the canonical bytes.) Otherwise take btfcanon_data().
 */
BTFCANON_API uint32_t btfcanon_merged_count(const struct btfcanon_btf *sorted);

/* The new id of OLD_ID; ids of the base stay. 0: void, no such type, or SORTED was not sorted. */
BTFCANON_API uint32_t btfcanon_new_id(const struct btfcanon_btf *sorted, uint32_t old_id);

/* ---- BTF out of DWARF ---- */

struct btfcanon_encode_opts {
	size_t sz;
	const struct btfcanon_btf *base; /* the files are a module of this kernel */
	const char *features;            /* "default,global_var" as for --features; NULL: default */
	const char *const *excluded_languages; /* {"rust", NULL}; NULL: none */
	uint32_t order;                        /* enum btfcanon_order */
	uint32_t thread_count;                 /* 0: one for each processor */
};

/*
 * Makes the canonical BTF of all units of the ELF files at PATHS, as the command
 * encode does; see btfcanon-encode(1) for what goes in. With a base and the
 * feature distilled_base *OUT goes on from a distilled base of its own, which
 * btfcanon_base() gives. Files must not change meanwhile: parts of them are mapped,
 * and one that gets shorter can raise SIGBUS. Debug information in separate files
 * is found by libdw, which also asks servers where DEBUGINFOD_URLS names some.
 */
BTFCANON_API int btfcanon_encode(struct btfcanon_btf **out, const char *const *paths,
				 uint32_t path_count, const struct btfcanon_encode_opts *opts,
				 struct btfcanon_error *error);

/*
 * The same for one file that is open for reading. Where the file is read does not
 * matter and is not changed. Needs /proc.
 */
BTFCANON_API int btfcanon_encode_fd(struct btfcanon_btf **out, int fd,
				    const struct btfcanon_encode_opts *opts,
				    struct btfcanon_error *error);

/* The same for one file in memory. Needs /proc. */
BTFCANON_API int btfcanon_encode_memory(struct btfcanon_btf **out, const void *elf, size_t elf_size,
					const struct btfcanon_encode_opts *opts,
					struct btfcanon_error *error);

/* ---- what changed ---- */

struct btfcanon_comparison;

enum btfcanon_change {
	BTFCANON_ADDED,
	BTFCANON_REMOVED,
	BTFCANON_CHANGED,
	BTFCANON_INDIRECT, /* says the same, but leads to a type that changed */
};

struct btfcanon_compare_opts {
	size_t sz;
	const char *kinds;          /* "struct,union": only these; NULL: all */
	const char *const *only;    /* globs as for --only, ended by NULL; NULL: all */
	const char *const *ignored; /* globs as for --ignore, ended by NULL; NULL: none */
	uint32_t indirect;          /* not 0: also types that only lead to one that changed */
	uint32_t reserved;          /* 0 */
};

/* Compares two BTFs by what their types say. Ids, order and byte order do not matter. */
BTFCANON_API int btfcanon_compare(struct btfcanon_comparison **out,
				  const struct btfcanon_btf *old_btf,
				  const struct btfcanon_btf *new_btf,
				  const struct btfcanon_compare_opts *opts,
				  struct btfcanon_error *error);

/* NULL is fine. */
BTFCANON_API void btfcanon_comparison_free(struct btfcanon_comparison *comparison);

/*
 * How many types of a kind ("struct", "func"; NULL: of all kinds) became what
 * CHANGE says. 0 too where there is no such kind or change.
 */
BTFCANON_API uint32_t btfcanon_comparison_count(const struct btfcanon_comparison *comparison,
						enum btfcanon_change change, const char *kind);

enum btfcanon_format {
	BTFCANON_FORMAT_TEXT, /* for people; empty if nothing changed */
	BTFCANON_FORMAT_JSON, /* docs/compare.schema.json */
	BTFCANON_FORMAT_HTML, /* one page that needs nothing else */
	BTFCANON_FORMAT_STAT, /* a line per kind */
};

struct btfcanon_report_opts {
	size_t sz;
	const char *old_name, *new_name; /* of the two BTFs; NULL: "old", "new" */
	uint32_t format;                 /* enum btfcanon_format */
	uint32_t verbose;                /* text, not 0: types before and after, in C */
	uint32_t offsets_matter;         /* text, not 0: a line for each member that moved */
	uint32_t color;                  /* text, not 0: with escape sequences for terminals */
};

/*
 * Tells all that changed. *TEXT, which ends with a NUL that TEXT_SIZE (may be NULL)
 * does not count, is the caller's, for free(3).
 */
BTFCANON_API int btfcanon_report(char **text, size_t *text_size,
				 const struct btfcanon_comparison *comparison,
				 const struct btfcanon_report_opts *opts,
				 struct btfcanon_error *error);

#ifdef __cplusplus
}
#endif

#endif

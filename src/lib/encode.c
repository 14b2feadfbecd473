/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/workers.h"
#include "btf/layout.h"
#include "btf/write.h"
#include "dwarf/encode.h"
#include "lib/object.h"
#include "lib/options.h"
#include "lib/order.h"
#include "merge/distill.h"
#include "merge/finish.h"

/* What a call is about; the arena goes with it. */
struct encoding {
	const char *const *paths;
	uint32_t path_count;
	const struct btfcanon_encode_opts *opts;
	enum bc_order order;
	struct bc_encode_options how;
	struct bc_workers workers;
	struct bc_arena arena;
	struct bc_err *err;
};

static bool check_options(struct encoding *encoding)
{
	const struct btfcanon_encode_opts *opts = encoding->opts;
	struct bc_encode_options *how = &encoding->how;

	encoding->workers.count = opts->thread_count ? opts->thread_count : bc_workers_available();
	*how = (struct bc_encode_options){
		.workers = &encoding->workers,
		.excluded_languages = opts->excluded_languages,
		.hash_mask = ~UINT64_C(0),
	};
	if (!opts->features)
		how->features = bc_features_default();
	else if (!bc_features_add(&how->features, opts->features, encoding->err))
		return bc_err_prefix(encoding->err, "options: features");
	if (!encoding->path_count)
		return bc_err_set(encoding->err, "there is no file to encode");
	return bc_lib_order(&encoding->order, opts->order, encoding->err);
}

/* GRAPH as an object of its own on BASE. */
static struct btfcanon_btf *make_object(struct encoding *encoding, const struct bc_graph *graph,
					const struct btfcanon_btf *base)
{
	const uint8_t *data;
	size_t data_size;

	if (!bc_btf_write(graph, &encoding->workers, &encoding->arena, &data, &data_size,
			  encoding->err))
		return NULL;
	return bc_object_read(data, data_size, base, graph->pointer_bytes, encoding->err);
}

static struct btfcanon_btf *distill(struct encoding *encoding, const struct bc_graph *canonical)
{
	struct btfcanon_btf *base, *split;
	struct bc_distilled distilled;

	if (!bc_distill(&distilled, canonical, encoding->order, &encoding->arena, encoding->err))
		return NULL;
	base = make_object(encoding, &distilled.base, NULL);
	split = base ? make_object(encoding, &distilled.split, base) : NULL;
	btfcanon_free(base);
	return split;
}

/* What BTF cannot say, with how often it was met. */
static void add_skipped(struct bc_notes *notes, const uint64_t *skipped)
{
	for (uint32_t i = 0; i < BC_SKIP_COUNT && notes->kind_count < BC_NOTE_KINDS; i++)
		if (skipped[i])
			notes->notes[notes->kind_count++] =
				(struct bc_note){ .what = bc_skip_texts[i], .count = skipped[i] };
}

static struct btfcanon_btf *finish(struct encoding *encoding, const struct bc_graph *encoded)
{
	const struct btfcanon_btf *base = encoding->opts->base;
	struct bc_arena *arena = &encoding->arena;
	struct bc_graph canonical;

	if (!bc_finish(&canonical, encoded, bc_object_graph(base), encoding->order,
		       &encoding->workers, arena, NULL, NULL, encoding->err))
		return NULL;
	if (base && encoding->how.features.with_distilled_base)
		return distill(encoding, &canonical);
	if (!base && encoding->how.features.with_layout &&
	    !bc_btf_layout_add(&canonical, arena, encoding->err))
		return NULL;
	return make_object(encoding, &canonical, base);
}

static struct btfcanon_btf *encode_files(struct encoding *encoding)
{
	struct btfcanon_btf *btf = NULL;
	struct bc_encode_stats stats;
	struct bc_graph encoded;

	if (!check_options(encoding))
		return NULL;
	bc_workers_gather(&encoding->workers);
	if (bc_encode(&encoded, encoding->paths, encoding->path_count, &encoding->how, &stats,
		      &encoding->arena, encoding->err))
		btf = finish(encoding, &encoded);
	bc_workers_dismiss(&encoding->workers);
	if (btf)
		add_skipped(&btf->notes, stats.skipped);
	return btf;
}

int btfcanon_encode(struct btfcanon_btf **out, const char *const *paths, uint32_t path_count,
		    const struct btfcanon_encode_opts *opts, struct btfcanon_error *error)
{
	struct btfcanon_encode_opts known;
	struct btfcanon_btf *btf = NULL;
	struct bc_err err = { .text = "" };
	struct encoding encoding = {
		.paths = paths,
		.path_count = path_count,
		.opts = &known,
		.err = &err,
	};

	if (bc_lib_options(&known, sizeof(known), opts, &err))
		btf = encode_files(&encoding);
	bc_arena_free(&encoding.arena);
	return bc_object_give(out, btf, btf, &err, error);
}

int btfcanon_encode_fd(struct btfcanon_btf **out, int fd, const struct btfcanon_encode_opts *opts,
		       struct btfcanon_error *error)
{
	char text[sizeof("/proc/self/fd/-2147483648")];
	const char *path = text;
	struct stat status;
	struct bc_err err = { .text = "" };

	/* Opened anew under this name, it has a place of its own to read from. */
	snprintf(text, sizeof(text), "/proc/self/fd/%d", fd);
	if (!fstat(fd, &status))
		return btfcanon_encode(out, &path, 1, opts, error);
	bc_err_errno(&err, "%s", text);
	return bc_lib_fail(error, &err);
}

static bool write_all(int fd, const char *bytes, size_t size, struct bc_err *err)
{
	while (size) {
		ssize_t written = write(fd, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return bc_err_errno(err, "a file in memory");
		bytes += written;
		size -= (size_t)written;
	}
	return true;
}

int btfcanon_encode_memory(struct btfcanon_btf **out, const void *elf, size_t elf_size,
			   const struct btfcanon_encode_opts *opts, struct btfcanon_error *error)
{
	int fd = memfd_create("btfcanon", MFD_CLOEXEC), code;
	struct bc_err err = { .text = "" };

	if (fd < 0)
		bc_err_errno(&err, "a file in memory");
	code = fd >= 0 && write_all(fd, elf, elf_size, &err) ?
		       btfcanon_encode_fd(out, fd, opts, error) :
		       bc_lib_fail(error, &err);
	if (fd >= 0)
		close(fd);
	return code;
}

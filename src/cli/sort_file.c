/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/sort_file.h"

#include "btf/ext.h"
#include "btf/read.h"
#include "btf/write.h"
#include "cli/dependents.h"
#include "cli/report.h"
#include "cli/sort.h"
#include "elf/unpack.h"

/* One file on its way, and what it is sorted by. */
struct sorting {
	struct bc_sorted_file *sorted;
	const struct bc_graph *base;
	const struct bc_base_change *change;
	const struct bc_options *options;
	struct bc_btf_change btf; /* for what goes by the .BTF */
	struct bc_notes *notes;
	struct bc_err *err;
};

/* The base that the file brings along is the one; it does not change. */
static bool find_base(struct sorting *sorting)
{
	struct bc_sorted_file *sorted = sorting->sorted;
	const struct bc_bytes *distilled = &sorted->found.base_btf;

	if (!distilled->data) {
		if (sorting->change)
			sorting->base = sorting->change->before;
		return true;
	}
	if (sorting->options->base_count)
		return bc_err_set(sorting->err,
				  "it brings its own base (.BTF.base): --base cannot be given");
	if (!bc_btf_read(&sorted->distilled, distilled->data, distilled->size_bytes, NULL,
			 &sorted->arena, sorting->notes, sorting->err))
		return bc_err_prefix(sorting->err, ".BTF.base");
	sorted->distilled.pointer_bytes = sorted->found.pointer_bytes;
	sorting->base = &sorted->distilled;
	sorting->change = NULL;
	return true;
}

static bool read_file(struct sorting *sorting)
{
	struct bc_sorted_file *sorted = sorting->sorted;
	const struct bc_elf_place *place = &sorted->file.table.place;
	struct bc_elf_btf *found = &sorted->found;

	if (!bc_sections_read(found, place, bc_unpack_limit(place->size_bytes), sorting->err) ||
	    !find_base(sorting) ||
	    !bc_btf_read(&sorted->before, found->btf.data, found->btf.size_bytes, sorting->base,
			 &sorted->arena, sorting->notes, sorting->err) ||
	    !bc_sort_check_vlen(sorting->options, &sorted->before, sorting->err))
		return false;
	sorted->before.pointer_bytes = found->pointer_bytes;
	if (!found->btf_ext.data)
		return true;
	if (sorting->change)
		return bc_err_set(sorting->err,
				  "it has a .BTF.ext and goes on from a base: BPF objects do not");
	return bc_btf_ext_read(&sorting->btf.kept, found->btf_ext.data, found->btf_ext.size_bytes,
			       &sorted->before, &sorted->arena, sorting->err) ||
	       bc_err_prefix(sorting->err, ".BTF.ext");
}

static bool put_in_order(struct sorting *sorting)
{
	struct bc_sorted_file *sorted = sorting->sorted;
	struct bc_canonical_options how = {
		.order = sorting->options->order,
		.settle_forwards = sorting->options->dedup,
		.kept = sorting->btf.kept,
	};
	struct bc_canonical_stats stats;

	if (!sorting->options->order_given && sorted->found.machine != EM_BPF)
		how.order = BC_ORDER_NAME;
	how.kept_offsets = bc_arena_alloc(&sorted->arena, how.kept.count, sizeof(uint32_t),
					  sorting->err);
	sorted->moved = sorted->before;
	if (!how.kept_offsets ||
	    (sorting->change && !bc_move_to_base(&sorted->moved, &sorted->before, sorting->change,
						 &sorted->arena, sorting->err)) ||
	    !bc_canonical(&sorted->after, &sorted->moved, &how, &sorted->arena, &sorted->new_id,
			  &stats, sorting->err))
		return false;
	if (sorting->options->drop_layout) {
		sorted->after.layout = NULL;
		sorted->after.layout_bytes = 0;
	}
	if (sorting->options->stats)
		bc_report_canonical(&stats);
	sorting->btf.kept_offsets = how.kept_offsets;
	sorting->btf.places = (struct bc_btf_places){ .before = &sorted->before,
						      .before_data = sorted->found.btf.data,
						      .after = &sorted->after,
						      .new_id = sorted->new_id };
	sorting->btf.base_change = sorting->change;
	return bc_sort_report_first(sorting->options, &sorted->moved, sorted->new_id,
				    &sorted->arena, sorting->err);
}

static bool write_file(struct sorting *sorting)
{
	struct bc_sorted_file *sorted = sorting->sorted;
	struct bc_arena *arena = &sorted->arena;
	const uint8_t *data;
	size_t size_bytes;

	return bc_btf_write(&sorted->after, NULL, arena, &data, &size_bytes, sorting->err) &&
	       bc_in_place_put_btf(&sorted->file, ".BTF", &data, &size_bytes, arena,
				   sorting->err) &&
	       bc_btf_read(&sorted->written, data, size_bytes, sorted->after.base, arena, NULL,
			   sorting->err) &&
	       bc_dependents_put(&sorted->file, &sorted->found, &sorting->btf, arena, sorting->err);
}

bool bc_sorted_file_open(struct bc_sorted_file *sorted, const char *path,
			 const struct bc_options *options, struct bc_err *err)
{
	*sorted = (struct bc_sorted_file){ 0 };
	return bc_in_place_open(&sorted->file, path, options, err);
}

bool bc_sorted_file_write(struct bc_sorted_file *sorted, const struct bc_graph *base,
			  const struct bc_base_change *change, const struct bc_options *options,
			  struct bc_notes *notes, struct bc_err *err)
{
	struct sorting sorting = { .sorted = sorted,
				   .base = base,
				   .change = change,
				   .options = options,
				   .notes = notes,
				   .err = err };

	if (!read_file(&sorting) || !put_in_order(&sorting) || !write_file(&sorting))
		return bc_err_prefix(err, sorted->file.output.name);
	return bc_in_place_write(&sorted->file, &sorted->arena, err);
}

void bc_sorted_file_free(struct bc_sorted_file *sorted)
{
	bc_sections_free(&sorted->found);
	bc_arena_free(&sorted->arena);
}

void bc_sorted_file_close(struct bc_sorted_file *sorted)
{
	bc_in_place_close(&sorted->file);
	bc_sorted_file_free(sorted);
}

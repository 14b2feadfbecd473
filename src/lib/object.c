/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "lib/object.h"

#include <stdlib.h>
#include <string.h>

#include "btf/read.h"

struct btfcanon_btf *bc_object_make(const struct btfcanon_btf *base, struct bc_err *err)
{
	struct btfcanon_btf *btf = calloc(1, sizeof(*btf));

	if (!btf) {
		bc_err_memory(err, sizeof(*btf));
		return NULL;
	}
	btf->references = 1;
	btf->base = (struct btfcanon_btf *)base;
	if (base)
		__atomic_fetch_add(&btf->base->references, 1, __ATOMIC_RELAXED);
	return btf;
}

const struct bc_graph *bc_object_graph(const struct btfcanon_btf *btf)
{
	return btf ? &btf->graph : NULL;
}

struct btfcanon_btf *bc_object_read(const void *data, size_t data_size,
				    const struct btfcanon_btf *base, uint32_t pointer_bytes,
				    struct bc_err *err)
{
	struct btfcanon_btf *btf = bc_object_make(base, err);
	uint8_t *copy = btf ? bc_arena_alloc(&btf->arena, data_size, 1, err) : NULL;

	if (copy && data_size)
		memcpy(copy, data, data_size);
	if (!copy || !bc_btf_read(&btf->graph, copy, data_size, bc_object_graph(base), &btf->arena,
				  &btf->notes, err)) {
		btfcanon_free(btf);
		return NULL;
	}
	btf->data = copy;
	btf->data_size = data_size;
	if (pointer_bytes)
		btf->graph.pointer_bytes = (uint8_t)pointer_bytes;
	return btf;
}

int bc_object_give(struct btfcanon_btf **out, struct btfcanon_btf *btf, bool done,
		   const struct bc_err *err, struct btfcanon_error *error)
{
	if (!done) {
		btfcanon_free(btf);
		return bc_lib_fail(error, err);
	}
	*out = btf;
	return 0;
}

int bc_lib_fail(struct btfcanon_error *error, const struct bc_err *err)
{
	if (error)
		bc_err_print(error->text, sizeof(error->text), err);
	return -err->code;
}

void btfcanon_free(struct btfcanon_btf *btf)
{
	/* A base goes when the last that goes on from it went. */
	while (btf && __atomic_sub_fetch(&btf->references, 1, __ATOMIC_ACQ_REL) == 0) {
		struct btfcanon_btf *base = btf->base;

		bc_arena_free(&btf->arena);
		free(btf);
		btf = base;
	}
}

const void *btfcanon_data(const struct btfcanon_btf *btf, size_t *data_size)
{
	*data_size = btf->data_size;
	return btf->data;
}

const struct btfcanon_btf *btfcanon_base(const struct btfcanon_btf *btf)
{
	return btf->base;
}

uint32_t btfcanon_type_count(const struct btfcanon_btf *btf)
{
	return btf->graph.type_count;
}

uint32_t btfcanon_first_id(const struct btfcanon_btf *btf)
{
	return btf->graph.first_id;
}

const char *btfcanon_note(const struct btfcanon_btf *btf, uint32_t n, uint64_t *count,
			  const char **where)
{
	const struct bc_note *note;

	if (n >= btf->notes.kind_count)
		return NULL;
	note = &btf->notes.notes[n];
	if (count)
		*count = note->count;
	if (where)
		*where = note->first;
	return note->what;
}

const char *btfcanon_version(void)
{
	return BC_VERSION;
}

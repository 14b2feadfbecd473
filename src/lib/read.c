/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include <bpf/btf.h>

#include "btf/read.h"
#include "elf/input.h"
#include "lib/object.h"
#include "lib/options.h"

static bool check_options(struct btfcanon_read_opts *known, const struct btfcanon_read_opts *given,
			  struct bc_err *err)
{
	if (!bc_lib_options(known, sizeof(*known), given, err))
		return false;
	if (known->pointer_size && known->pointer_size != 4 && known->pointer_size != 8)
		return bc_err_set(err, "options: pointer_size is 4, 8 or 0, not %u",
				  known->pointer_size);
	return !known->reserved || bc_err_set(err, "options: reserved is not 0");
}

int btfcanon_read_memory(struct btfcanon_btf **out, const void *data, size_t data_size,
			 const struct btfcanon_read_opts *opts, struct btfcanon_error *error)
{
	struct btfcanon_btf *btf = NULL;
	struct btfcanon_read_opts how;
	struct bc_err err = { .text = "" };

	if (check_options(&how, opts, &err))
		btf = bc_object_read(data, data_size, how.base, how.pointer_size, &err);
	return bc_object_give(out, btf, btf, &err, error);
}

/* What the file has for its BTF, on the base that it has or that is given. */
static struct btfcanon_btf *read_input(const struct bc_input *input,
				       const struct btfcanon_read_opts *how, struct bc_err *err)
{
	uint32_t pointer_bytes = how->pointer_size ? how->pointer_size : input->pointer_bytes;
	struct btfcanon_btf *base, *btf;

	if (!input->base_btf)
		return bc_object_read(input->btf, input->btf_bytes, how->base, pointer_bytes, err);
	if (how->base) {
		bc_err_set(err, "it brings its own base (.BTF.base): no other can be given");
		return NULL;
	}
	base = bc_object_read(input->base_btf, input->base_btf_bytes, NULL, pointer_bytes, err);
	if (!base) {
		bc_err_prefix(err, ".BTF.base");
		return NULL;
	}
	btf = bc_object_read(input->btf, input->btf_bytes, base, pointer_bytes, err);
	btfcanon_free(base);
	return btf;
}

int btfcanon_read_file(struct btfcanon_btf **out, const char *path,
		       const struct btfcanon_read_opts *opts, struct btfcanon_error *error)
{
	struct btfcanon_btf *btf = NULL;
	struct btfcanon_read_opts how;
	struct bc_input input;
	struct bc_err err = { .text = "" };

	if (!check_options(&how, opts, &err) ||
	    !bc_input_open(&input, path, bc_btf_probe_bytes, &err))
		return bc_lib_fail(error, &err);
	btf = read_input(&input, &how, &err);
	if (!btf)
		bc_err_prefix(&err, path);
	bc_input_close(&input);
	return bc_object_give(out, btf, btf, &err, error);
}

/* One BTF of a chain, on what was made of the one below. */
static struct btfcanon_btf *read_link(const struct btf *btf, const struct btfcanon_btf *base,
				      uint32_t pointer_bytes, struct bc_err *err)
{
	uint32_t data_size;
	const void *data = btf__raw_data(btf, &data_size);

	if (!pointer_bytes)
		pointer_bytes = (uint32_t)btf__pointer_size(btf);
	if (data)
		return bc_object_read(data, data_size, base, pointer_bytes, err);
	bc_err_errno(err, "libbpf does not give the raw BTF");
	return NULL;
}

/* Number N of the chain that ends with BTF, counted from its end. */
static const struct btf *link_number(const struct btf *btf, uint32_t n)
{
	while (n--)
		btf = btf__base_btf(btf);
	return btf;
}

static struct btfcanon_btf *read_chain(const struct btf *btf, uint32_t pointer_bytes,
				       struct bc_err *err)
{
	struct btfcanon_btf *read = NULL, *base = NULL;
	uint32_t count = 1;

	while (link_number(btf, count))
		count++;
	while (count--) {
		read = read_link(link_number(btf, count), base, pointer_bytes, err);
		btfcanon_free(base);
		if (!read)
			break;
		base = read;
	}
	return read;
}

int btfcanon_read_libbpf(struct btfcanon_btf **out, const struct btf *btf,
			 const struct btfcanon_read_opts *opts, struct btfcanon_error *error)
{
	struct btfcanon_btf *read = NULL;
	struct btfcanon_read_opts how;
	struct bc_err err = { .text = "" };

	if (check_options(&how, opts, &err)) {
		if (how.base)
			bc_err_set(&err, "options: the bases are libbpf's, no other can be given");
		else
			read = read_chain(btf, how.pointer_size, &err);
	}
	return bc_object_give(out, read, read, &err, error);
}

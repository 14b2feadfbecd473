/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "btf/places.h"

#include <inttypes.h>
#include <string.h>

#include "base/search.h"
#include "btf/format.h"

static uint32_t header_word(const struct bc_btf_places *places, uint32_t word)
{
	bool swapped = places->before->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint32_t value;

	memcpy(&value, places->before_data + word * sizeof(value), sizeof(value));
	return swapped ? __builtin_bswap32(value) : value;
}

/* The type whose words word number WORD is among. */
static uint32_t find_type(const struct bc_graph *graph, uint64_t word)
{
	struct bc_search search = bc_search_among(graph->type_count);

	while (bc_search_goes_on(&search))
		bc_search_step(&search, graph->start[search.middle + 1] <= word);
	return search.low;
}

bool bc_btf_new_place(const struct bc_btf_places *places, uint64_t *offset, struct bc_err *err)
{
	const struct bc_graph *before = places->before, *after = places->after;
	uint64_t begin = (uint64_t)header_word(places, BC_BTF_HEADER_BYTES) +
			 header_word(places, BC_BTF_TYPE_OFFSET);
	uint64_t word = (*offset - begin) / 4;
	uint32_t index, id;

	if (*offset < begin || word >= before->start[before->type_count])
		return bc_err_set(err, "byte %" PRIu64 " of .BTF is in none of its types", *offset);
	index = find_type(before, word);
	id = places->new_id[index];
	if (id < after->first_id)
		return bc_err_set(err, "type %u is the base's now", before->first_id + index);
	*offset = (after->layout ? BC_BTF_LONG_HEADER : BC_BTF_SHORT_HEADER) +
		  ((uint64_t)after->start[id - after->first_id] + word - before->start[index]) * 4 +
		  (*offset - begin) % 4;
	return true;
}

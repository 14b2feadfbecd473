/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/encoder.h"

#include <stdlib.h>

#include "base/order.h"
#include "base/search.h"

static bool is_private(const struct bc_encoder *encoder, uint32_t leaf)
{
	return bc_info_kflag(bc_interned(&encoder->interner, leaf)[BC_LEAF_INFO]);
}

static bool is_own(const struct bc_encoder *encoder, const struct bc_encode_worker *worker,
		   uint32_t id)
{
	return worker->own_in[bc_census_number(&encoder->census, id)] == worker->read_count;
}

/* Marks an id as of its own meaning in this unit; false: it was already. */
static bool mark_own(const struct bc_encoder *encoder, struct bc_encode_worker *worker, uint32_t id)
{
	uint32_t *own_in = &worker->own_in[bc_census_number(&encoder->census, id)];
	bool is_new = *own_in != worker->read_count;

	*own_in = worker->read_count;
	return is_new;
}

static bool mark_and_follow(const struct bc_encoder *encoder, struct bc_encode_worker *worker,
			    uint32_t id, uint32_t *count)
{
	uint32_t limit = worker->pending_limit ? 2 * worker->pending_limit : 1024, *grown;

	if (!mark_own(encoder, worker, id))
		return true;
	if (*count == worker->pending_limit) {
		grown = limit > *count ? realloc(worker->pending, limit * sizeof(*grown)) : NULL;
		if (!grown)
			return bc_err_memory(&worker->err, limit * sizeof(*grown));
		worker->pending = grown;
		worker->pending_limit = limit;
	}
	worker->pending[(*count)++] = bc_census_number(&encoder->census, id);
	return true;
}

static bool add_link(struct bc_encode_worker *worker, uint32_t to, uint32_t from, uint32_t *count)
{
	if (*count == worker->link_limit) {
		uint32_t limit = *count ? 2 * *count : 1024;
		size_t bytes = limit * sizeof(struct bc_keyed);
		struct bc_keyed *spare = limit > *count ? realloc(worker->spare_links, bytes) :
							  NULL;
		struct bc_keyed *links;

		if (!spare)
			return bc_err_memory(&worker->err, bytes);
		worker->spare_links = spare;
		links = realloc(worker->links, bytes);
		if (!links)
			return bc_err_memory(&worker->err, bytes);
		worker->links = links;
		worker->link_limit = limit;
	}
	worker->links[(*count)++] = (struct bc_keyed){ to, from };
	return true;
}

/* Lists which types of the unit refer to which tainted nodes, by number of these. */
static bool find_links(const struct bc_encoder *encoder, struct bc_encode_worker *worker,
		       uint32_t *count)
{
	*count = 0;
	for (uint32_t number = 1; number <= worker->local.type_count; number++) {
		uint32_t id = bc_type_node(&worker->local, number);
		const uint32_t *node = bc_interned(&encoder->interner, id);
		struct bc_edges edges;

		if (!id || !bc_encoder_is_tainted(encoder, id))
			continue;
		edges = bc_edges(node);
		for (uint32_t i = 0; i < edges.count; i++) {
			uint32_t target = bc_edge(node, edges, i);

			if (target && target != BC_INDEX_TYPE &&
			    bc_encoder_is_tainted(encoder, target) &&
			    !add_link(worker, bc_census_number(&encoder->census, target), number,
				      count))
				return false;
		}
	}
	bc_sort_keyed(worker->links, worker->spare_links, *count);
	return true;
}

static uint32_t first_link(const struct bc_encode_worker *worker, uint32_t count, uint32_t to)
{
	struct bc_search search = bc_search_among(count);

	while (bc_search_goes_on(&search))
		bc_search_step(&search, worker->links[search.middle].key < to);
	return search.low;
}

/*
 * Marks what reaches, inside the unit, a body of a conflicted tag. A tag of
 * whose body the unit says nothing stops the search: there it means what it
 * plainly means. A private leaf has its body here; two bodies can be one
 * node, each with a leaf of its own.
 */
static bool spread_own(const struct bc_encoder *encoder, struct bc_encode_worker *worker)
{
	const struct bc_local *local = &worker->local;
	uint32_t link_count, pending = 0;

	if (!find_links(encoder, worker, &link_count))
		return false;
	for (uint32_t number = 1; number <= local->type_count; number++) {
		uint32_t leaf = local->nodes[number];

		if (bc_local_type(local, number)->role == BC_LOCAL_BODY &&
		    !is_private(encoder, leaf) &&
		    encoder->census.conflicted[bc_census_number(&encoder->census, leaf)] &&
		    !mark_and_follow(encoder, worker, leaf, &pending))
			return false;
	}
	while (pending) {
		uint32_t to = worker->pending[--pending];
		uint32_t i = first_link(worker, link_count, to);

		for (; i < link_count && worker->links[i].key == to; i++) {
			uint32_t from = worker->links[i].value;

			if (!mark_and_follow(encoder, worker, bc_type_node(local, from),
					     &pending) ||
			    !mark_and_follow(encoder, worker, local->nodes[from], &pending))
				return false;
		}
	}
	return true;
}

static bool make_own_map(const struct bc_encoder *encoder, struct bc_encode_worker *worker)
{
	uint32_t wanted = encoder->census.node_count + 1;

	worker->read_count++;
	if (worker->own_limit >= wanted)
		return true;
	free(worker->own_in);
	worker->own_in = calloc(wanted, sizeof(*worker->own_in));
	worker->own_limit = worker->own_in ? wanted : 0;
	return worker->own_in || bc_err_memory(&worker->err, wanted * sizeof(*worker->own_in));
}

static int compare_leaves(const void *a, const void *b)
{
	const struct bc_extra_body *one = a, *other = b;

	return (one->leaf > other->leaf) - (one->leaf < other->leaf);
}

bool bc_meaning_note(struct bc_encoder *encoder, struct bc_encode_worker *worker,
		     struct bc_meaning *meaning)
{
	uint32_t count = worker->local.type_count;

	meaning->bodies = bc_arena_alloc(&worker->arena, count, sizeof(*meaning->bodies),
					 &worker->err);
	meaning->nodes = bc_arena_alloc(&worker->arena, count, sizeof(*meaning->nodes),
					&worker->err);
	if (!meaning->bodies || !meaning->nodes || !make_own_map(encoder, worker) ||
	    !spread_own(encoder, worker))
		return false;
	meaning->body_count = meaning->node_count = 0;
	for (uint32_t number = 1; number <= count; number++) {
		uint32_t leaf = worker->local.nodes[number];
		uint32_t node = bc_type_node(&worker->local, number);

		/* A conflicted tag's body may have no taint. */
		if (bc_local_type(&worker->local, number)->role == BC_LOCAL_BODY &&
		    !is_private(encoder, leaf) && is_own(encoder, worker, leaf))
			meaning->bodies[meaning->body_count++] = (struct bc_extra_body){ leaf,
											 node };
		if (!node || !bc_encoder_is_tainted(encoder, node))
			continue;
		if (is_own(encoder, worker, node))
			meaning->nodes[meaning->node_count++] = node;
		else
			__atomic_store_n(&encoder->plain[bc_census_number(&encoder->census, node)],
					 1, __ATOMIC_RELAXED);
	}
	qsort(meaning->bodies, meaning->body_count, sizeof(*meaning->bodies), compare_leaves);
	return true;
}

void bc_plain_note(struct bc_encoder *encoder, const struct bc_encode_worker *worker)
{
	for (uint32_t number = 1; number <= worker->local.type_count; number++) {
		uint32_t node = bc_type_node(&worker->local, number);

		if (node)
			__atomic_store_n(&encoder->plain[bc_census_number(&encoder->census, node)],
					 1, __ATOMIC_RELAXED);
	}
}

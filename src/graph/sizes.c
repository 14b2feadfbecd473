/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Sizes by depth-first search over the edges that contain by value: members,
 * array elements, modifiers, typedefs. Pointers and function types end a
 * walk. The search keeps its own stack, and a type is entered once, so time
 * is linear in nodes and edges. An edge to a type that is still open closes a
 * cycle: such a type would contain itself.
 */
#include "graph/sizes.h"

#include <inttypes.h>

struct bc_sizes_frame {
	uint32_t type_id;
	uint32_t next_edge;
	uint32_t depth; /* by the edges before that */
};

struct search {
	const struct bc_graph *graph;
	struct bc_sizes *sizes;
	uint32_t depth; /* of the stack */
	struct bc_err *err;
};

/* How many edges of a node contain their target by value. */
static uint32_t value_edge_count(const uint32_t *node)
{
	switch (bc_node_kind(node)) {
	case BC_STRUCT:
	case BC_UNION:
		return bc_info_vlen(node[1]);
	case BC_ARRAY: /* the element; the index type is no part of it */
	case BC_TYPEDEF:
	case BC_VOLATILE:
	case BC_CONST:
	case BC_RESTRICT:
	case BC_TYPE_TAG:
		return 1;
	default:
		return 0;
	}
}

static void set_size(struct search *search, uint32_t type_id, uint64_t size_bytes)
{
	search->sizes->form[type_id] = BC_FORM_SIZED;
	search->sizes->size_bytes[type_id] = size_bytes;
}

static bool close_array(struct search *search, uint32_t type_id, const uint32_t *node)
{
	uint64_t size_bytes = search->sizes->size_bytes[node[3]];

	if (__builtin_mul_overflow(size_bytes, (uint64_t)node[5], &size_bytes))
		return bc_err_set(search->err,
				  "type %u: ARRAY of %u elements of %" PRIu64
				  " bytes: the size does not fit 64 bits",
				  type_id, node[5], search->sizes->size_bytes[node[3]]);
	set_size(search, type_id, size_bytes);
	return true;
}

/* All types that type_id contains are closed, and the depth is known: now it can be closed. */
static bool close_type(struct search *search, uint32_t type_id)
{
	const uint32_t *node = bc_node(search->graph, type_id);
	struct bc_sizes *sizes = search->sizes;

	switch (bc_node_kind(node)) {
	case BC_INT:
	case BC_FLOAT:
	case BC_ENUM:
	case BC_ENUM64:
	case BC_STRUCT:
	case BC_UNION:
		set_size(search, type_id, node[2]);
		return true;
	case BC_PTR:
		set_size(search, type_id,
			 search->graph->pointer_bytes ? search->graph->pointer_bytes : 8);
		return true;
	case BC_ARRAY:
		if (sizes->form[node[3]] == BC_FORM_SIZED)
			return close_array(search, type_id, node);
		sizes->form[type_id] = sizes->form[node[3]];
		return true;
	case BC_TYPEDEF:
	case BC_VOLATILE:
	case BC_CONST:
	case BC_RESTRICT:
	case BC_TYPE_TAG:
		sizes->form[type_id] = sizes->form[node[2]];
		sizes->size_bytes[type_id] = sizes->size_bytes[node[2]];
		return true;
	case BC_FWD:
		sizes->form[type_id] = BC_FORM_VOID;
		return true;
	case BC_FUNC_PROTO:
		sizes->form[type_id] = BC_FORM_FUNCTION;
		return true;
	default:
		sizes->form[type_id] = BC_FORM_OTHER;
		return true;
	}
}

/* TYPE_ID is open and met again: name the lowest id of the cycle, whichever walk found it. */
static bool refuse_cycle(struct search *search, uint32_t type_id)
{
	const char *name;
	char printable[BC_PRINTABLE_MAX];
	uint32_t lowest = type_id;
	uint32_t i = search->depth;

	while (search->sizes->stack[--i].type_id != type_id)
		if (search->sizes->stack[i].type_id < lowest)
			lowest = search->sizes->stack[i].type_id;
	name = bc_string(search->graph, bc_node(search->graph, lowest)[0]);
	return bc_err_set(search->err, "type %u: %s %s contains itself and never reaches a size",
			  lowest, bc_kind_name(bc_id_kind(search->graph, lowest)),
			  *name ? bc_printable(printable, name) : "(unnamed)");
}

static void push(struct search *search, uint32_t type_id)
{
	search->sizes->form[type_id] = BC_FORM_OPEN;
	search->sizes->stack[search->depth++] = (struct bc_sizes_frame){ .type_id = type_id };
}

/* Goes along the edges of what is on top, up to one whose target has to be closed first: that is pushed. */
static bool follow_edges(struct search *search, struct bc_sizes_frame *frame, const uint32_t *node,
			 bool *pushed)
{
	struct bc_edges edges = bc_edges(node);
	uint32_t count = value_edge_count(node);

	*pushed = false;
	for (; frame->next_edge < count; frame->next_edge++) {
		uint32_t target = bc_edge(node, edges, frame->next_edge), depth;

		if (search->sizes->form[target] == BC_FORM_OPEN)
			return refuse_cycle(search, target);
		if (search->sizes->form[target] == BC_FORM_UNSEEN) {
			/* Most contain nothing. */
			*pushed = value_edge_count(bc_node(search->graph, target));
			if (*pushed) {
				push(search, target);
				return true;
			}
			if (!close_type(search, target))
				return false;
		}
		depth = search->sizes->depth[target] + 1;
		frame->depth = depth > frame->depth ? depth : frame->depth;
	}
	return true;
}

static bool visit(struct search *search, uint32_t root_id)
{
	if (!value_edge_count(bc_node(search->graph, root_id)))
		return close_type(search, root_id);
	push(search, root_id);
	while (search->depth) {
		struct bc_sizes_frame *frame = &search->sizes->stack[search->depth - 1];
		bool pushed;

		if (!follow_edges(search, frame, bc_node(search->graph, frame->type_id), &pushed))
			return false;
		if (pushed)
			continue;
		search->sizes->depth[frame->type_id] = frame->depth;
		if (!close_type(search, frame->type_id))
			return false;
		search->depth--;
	}
	return true;
}

bool bc_sizes_begin(struct bc_sizes *sizes, const struct bc_graph *graph, struct bc_arena *arena,
		    struct bc_err *err)
{
	uint32_t id_end = bc_id_end(graph);

	sizes->form = bc_arena_zalloc(arena, id_end, sizeof(*sizes->form), err);
	sizes->size_bytes = bc_arena_zalloc(arena, id_end, sizeof(*sizes->size_bytes), err);
	sizes->depth = bc_arena_zalloc(arena, id_end, sizeof(*sizes->depth), err);
	sizes->stack = bc_arena_alloc(arena, id_end, sizeof(*sizes->stack), err);
	if (!sizes->form || !sizes->size_bytes || !sizes->depth || !sizes->stack)
		return false;
	sizes->form[0] = BC_FORM_VOID;
	return true;
}

/* The type itself, and what it refers to of the base, which nothing else may reach. */
bool bc_sizes_add(struct bc_sizes *sizes, const struct bc_graph *graph, uint32_t type_id,
		  struct bc_err *err)
{
	struct search search = { .graph = graph, .sizes = sizes, .err = err };
	const uint32_t *node;
	struct bc_edges edges;

	if (sizes->form[type_id] == BC_FORM_UNSEEN && !visit(&search, type_id))
		return false;
	if (!graph->base)
		return true;
	node = bc_node(graph, type_id);
	edges = bc_edges(node);
	for (uint32_t i = 0; i < edges.count; i++) {
		uint32_t target = bc_edge(node, edges, i);

		if (sizes->form[target] == BC_FORM_UNSEEN && !visit(&search, target))
			return false;
	}
	return true;
}

bool bc_sizes_compute(struct bc_sizes *sizes, const struct bc_graph *graph, struct bc_arena *arena,
		      struct bc_err *err)
{
	if (!bc_sizes_begin(sizes, graph, arena, err))
		return false;
	for (uint32_t id = graph->first_id; id < bc_id_end(graph); id++)
		if (!bc_sizes_add(sizes, graph, id, err))
			return false;
	return true;
}

bool bc_sizes_compute_of(struct bc_sizes *sizes, const struct bc_graph *graph, const uint32_t *ids,
			 uint32_t count, struct bc_arena *arena, struct bc_err *err)
{
	struct search search = { .graph = graph, .sizes = sizes, .err = err };

	if (!bc_sizes_begin(sizes, graph, arena, err))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (sizes->form[ids[i]] == BC_FORM_UNSEEN && !visit(&search, ids[i]))
			return false;
	return true;
}

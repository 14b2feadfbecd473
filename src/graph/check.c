/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * In passes: what a node says by itself (names, ids in range, sizes); that it
 * reaches a size; what it refers to (kinds that fit); and what is legal
 * but odd. From the first on every id and string offset is safe to follow.
 */
#include "graph/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "graph/sizes.h"

struct bc_graph_check {
	const struct bc_graph *graph;
	const uint32_t *node; /* the one being checked */
	uint32_t type_id;
	uint32_t id_end, string_end;
	uint32_t pass, next;      /* what the next step begins with: the number of an own node */
	bool is_valid;            /* so far */
	uint8_t *link_state;      /* by own node, see follow_links */
	struct bc_graph smallest; /* the same, with the least that pointers can be */
	struct bc_sizes sizes;
	struct bc_arena arena;
	struct bc_notes *notes;
	struct bc_err *err;
};

static const char *node_name(const struct bc_graph_check *check, const uint32_t *node)
{
	return node[0] < check->string_end ? bc_string(check->graph, node[0]) : "";
}

static bool refuse(struct bc_graph_check *check, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* "type 57: STRUCT foo: …"; returns false. */
static bool refuse(struct bc_graph_check *check, const char *format, ...)
{
	char what[256], printable[BC_PRINTABLE_MAX];
	const char *name = node_name(check, check->node);
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	return bc_err_set(check->err, "type %u: %s%s%s: %s", check->type_id,
			  bc_kind_name(bc_node_kind(check->node)), *name ? " " : "",
			  bc_printable(printable, name), what);
}

static void note(struct bc_graph_check *check, const char *what)
{
	char printable[BC_PRINTABLE_MAX];
	const char *name = node_name(check, check->node);

	bc_note(check->notes, what, "type %u: %s %s", check->type_id,
		bc_kind_name(bc_node_kind(check->node)),
		*name ? bc_printable(printable, name) : "(unnamed)");
}

static bool check_names(struct bc_graph_check *check)
{
	const uint32_t *node = check->node;
	uint32_t kind = bc_node_kind(node);
	const struct bc_kind_shape *shape = &bc_kind_shapes[kind];
	uint32_t count = bc_element_count(node[1]);
	const uint32_t *name;
	bool named = node[0] < check->string_end && *bc_string(check->graph, node[0]);

	if (node[0] >= check->string_end)
		return refuse(check, "the name is at string offset %u of %u", node[0],
			      check->string_end);
	switch (kind) {
	case BC_FWD:
	case BC_TYPEDEF:
	case BC_FUNC:
	case BC_VAR:
	case BC_DATASEC:
	case BC_TYPE_TAG:
	case BC_DECL_TAG:
		if (!named)
			return refuse(check, "it has no name");
		break;
	case BC_PTR:
	case BC_ARRAY:
	case BC_VOLATILE:
	case BC_CONST:
	case BC_RESTRICT:
	case BC_FUNC_PROTO:
		if (named)
			note(check, "a name on a kind that has none (kernels refuse it)");
		break;
	default:
		break;
	}
	if (shape->element_name < 0)
		return true;
	name = bc_element(node, 0) + shape->element_name;
	for (uint32_t i = 0; i < count; i++, name += shape->element_words)
		if (*name >= check->string_end)
			return refuse(check, "the name of element %u is at string offset %u of %u",
				      i, *name, check->string_end);
	return true;
}

static bool check_ids(struct bc_graph_check *check)
{
	struct bc_edges edges = bc_edges(check->node);

	for (uint32_t i = 0; i < edges.count; i++)
		if (bc_edge(check->node, edges, i) >= check->id_end)
			return refuse(check, "it refers to type %u, but the last is %u%s",
				      bc_edge(check->node, edges, i), check->id_end - 1,
				      check->graph->base ? "" : " (split BTF wants --base)");
	return true;
}

static bool check_info(struct bc_graph_check *check)
{
	uint32_t info = check->node[1];
	uint32_t kind = bc_info_kind(info);

	switch (kind) {
	case BC_STRUCT:
	case BC_UNION:
	case BC_ENUM:
	case BC_ENUM64:
		return true;
	case BC_FWD:
	case BC_TYPE_TAG:
	case BC_DECL_TAG:
		if (bc_info_vlen(info))
			return refuse(check, "vlen is %u, not 0", bc_info_vlen(info));
		return true;
	default:
		break;
	}
	if (bc_info_kflag(info))
		return refuse(check, "kind_flag is set on a kind that has none");
	if (kind == BC_FUNC && bc_info_vlen(info) > 2)
		return refuse(check, "linkage %u is not known", bc_info_vlen(info));
	if (kind != BC_FUNC && kind != BC_FUNC_PROTO && kind != BC_DATASEC && bc_info_vlen(info))
		return refuse(check, "vlen is %u, not 0", bc_info_vlen(info));
	return true;
}

static bool is_power_of_two_to(uint32_t size_bytes, uint32_t limit)
{
	return size_bytes && size_bytes <= limit && !(size_bytes & (size_bytes - 1));
}

static bool check_int(struct bc_graph_check *check)
{
	uint32_t word = check->node[3];
	uint64_t bits = word & 0xff, offset = word >> 16 & 0xff;

	if (word & 0xf000ff00)
		return refuse(check, "the encoding word 0x%08x has bits that mean nothing", word);
	if (bits > 128)
		return refuse(check, "%" PRIu64 " bits are too many", bits);
	if (bits + offset > (uint64_t)check->node[2] * 8)
		return refuse(check, "%" PRIu64 " bits at bit %" PRIu64 " do not fit %u bytes",
			      bits, offset, check->node[2]);
	return true;
}

static bool check_composite(struct bc_graph_check *check)
{
	const uint32_t *node = check->node;
	uint32_t count = bc_info_vlen(node[1]);
	uint32_t before = 0;

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *member = node + BC_HEAD_WORDS + (size_t)3 * i;
		uint32_t offset = bc_member_bit_offset(node[1], member[2]);

		if (((uint64_t)offset + 7) / 8 > node[2])
			return refuse(check, "member %u begins at bit %u, beyond its %u bytes", i,
				      offset, node[2]);
		if (offset < before)
			note(check, "members out of order (kernels refuse it)");
		if (offset && bc_node_kind(node) == BC_UNION)
			note(check, "a union member that is not at offset 0 (kernels refuse it)");
		before = offset;
	}
	return true;
}

static bool check_sizes(struct bc_graph_check *check)
{
	const uint32_t *node = check->node;

	switch (bc_node_kind(node)) {
	case BC_INT:
		return check_int(check);
	case BC_ARRAY:
	case BC_FWD:
		if (node[2])
			return refuse(check, "the size field is %u, not 0", node[2]);
		return true;
	case BC_STRUCT:
	case BC_UNION:
		return check_composite(check);
	case BC_ENUM:
	case BC_ENUM64:
		if (!is_power_of_two_to(node[2], 8))
			return refuse(check, "a size of %u bytes (1, 2, 4 or 8 are possible)",
				      node[2]);
		return true;
	case BC_FLOAT:
		if (node[2] != 12 && (node[2] == 1 || !is_power_of_two_to(node[2], 16)))
			return refuse(check, "a size of %u bytes (2, 4, 8, 12 or 16 are possible)",
				      node[2]);
		return true;
	case BC_VAR:
		if (node[3] > 2)
			return refuse(check, "linkage %u is not known", node[3]);
		return true;
	default:
		return true;
	}
}

/* A pointer or a qualifier, half of all types: there is little that it can say. */
static bool is_plain_link(const struct bc_graph_check *check)
{
	const uint32_t *node = check->node;
	uint32_t kind = bc_node_kind(node);

	return (kind == BC_PTR || kind == BC_CONST || kind == BC_VOLATILE || kind == BC_RESTRICT) &&
	       !node[0] && node[1] == bc_info(kind, 0, false) && node[2] < check->id_end;
}

static bool check_node_alone(struct bc_graph_check *check)
{
	uint32_t kind = bc_node_kind(check->node);

	if (is_plain_link(check))
		return true;
	if (!bc_kind_is_known(kind)) {
		if (check->node[0] >= check->string_end)
			return refuse(check, "the name is at string offset %u of %u",
				      check->node[0], check->string_end);
		note(check, "a kind not known here, of known length");
		return true;
	}
	if (bc_element_count(check->node[1]) > 0xffff)
		note(check, "more than 65,535 elements (kernels before 2026 cannot read it)");
	return check_names(check) && check_info(check) && check_sizes(check) && check_ids(check);
}

/* A value of the type can exist, or (an incomplete one, WHERE it may be) be declared. */
static bool check_value(struct bc_graph_check *check, uint32_t target, const char *where,
			uint32_t i, bool void_allowed)
{
	switch (check->sizes.form[target]) {
	case BC_FORM_SIZED:
		return true;
	case BC_FORM_VOID:
		if (void_allowed)
			return true;
		return refuse(check, "%s %u: type %u has no size", where, i, target);
	case BC_FORM_FUNCTION:
		return refuse(check, "%s %u: type %u is a function, by value", where, i, target);
	default:
		return refuse(check, "%s %u: %s (type %u) is not the type of a value", where, i,
			      bc_kind_name(bc_id_kind(check->graph, target)), target);
	}
}

/* What a pointer, typedef or modifier may refer to: any type, not a declaration. */
static bool check_type(struct bc_graph_check *check, uint32_t target)
{
	if (check->sizes.form[target] == BC_FORM_OTHER)
		return refuse(check, "%s (type %u) is not a type to refer to",
			      bc_kind_name(bc_id_kind(check->graph, target)), target);
	return true;
}

static bool check_members(struct bc_graph_check *check)
{
	const uint32_t *node = check->node;
	uint32_t count = bc_info_vlen(node[1]);

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *member = node + BC_HEAD_WORDS + (size_t)3 * i;
		uint64_t end = bc_member_bit_offset(node[1], member[2]);
		uint32_t width = bc_member_bit_width(node[1], member[2]);
		uint64_t size_bits;

		if (!check_value(check, member[1], "member", i, false))
			return false;
		if (__builtin_mul_overflow(check->sizes.size_bytes[member[1]], (uint64_t)8,
					   &size_bits) ||
		    __builtin_add_overflow(end, width ? width : size_bits, &end) ||
		    end > (uint64_t)node[2] * 8)
			note(check, "a member that ends beyond its struct (kernels refuse it)");
	}
	return true;
}

static bool check_parameters(struct bc_graph_check *check)
{
	const uint32_t *node = check->node;
	uint32_t count = bc_info_vlen(node[1]);

	if (!check_value(check, node[2], "return type", 0, true))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *parameter = bc_element(node, i);

		if (!parameter[1]) { /* "...": no type, no name, the last */
			if (i + 1 < count || *bc_string(check->graph, parameter[0]))
				return refuse(check, "parameter %u has no type", i);
		} else if (!check_value(check, parameter[1], "parameter", i, true)) {
			return false;
		}
	}
	return true;
}

static bool check_entries(struct bc_graph_check *check)
{
	const uint32_t *node = check->node;
	uint32_t count = bc_info_vlen(node[1]);
	uint64_t end = 0;
	bool placed = false; /* a BPF object that is not linked has 0 everywhere */

	for (uint32_t i = 0; i < count; i++)
		placed |= bc_element(node, i)[1] != 0;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *entry = bc_element(node, i);
		uint32_t kind = bc_id_kind(check->graph, entry[0]);

		if (kind != BC_VAR && kind != BC_FUNC)
			return refuse(check, "entry %u is %s (type %u), not a variable", i,
				      bc_kind_name(kind), entry[0]);
		if (placed && entry[1] < end)
			note(check,
			     "variables that overlap or are out of order (kernels refuse it)");
		end = (uint64_t)entry[1] + entry[2];
	}
	return true;
}

/* Elements that a component index of a DECL_TAG on the type can mean. */
static uint32_t component_count(const struct bc_graph_check *check, uint32_t target)
{
	const uint32_t *node = bc_node(check->graph, target);

	switch (bc_node_kind(node)) {
	case BC_STRUCT:
	case BC_UNION:
		return bc_info_vlen(node[1]);
	case BC_FUNC:
		return node[2] ? bc_info_vlen(bc_node(check->graph, node[2])[1]) : 0;
	default:
		return 0;
	}
}

static bool check_decl_tag(struct bc_graph_check *check)
{
	uint32_t target = check->node[2];
	uint32_t kind = bc_id_kind(check->graph, target);
	uint32_t component = check->node[3];

	if (!bc_kind_is_composite(kind) && kind != BC_TYPEDEF && kind != BC_FUNC && kind != BC_VAR)
		return refuse(check, "it is on %s (type %u), which takes no tag",
			      bc_kind_name(kind), target);
	if (kind == BC_FUNC &&
	    bc_id_kind(check->graph, bc_node(check->graph, target)[2]) != BC_FUNC_PROTO)
		return true; /* the FUNC itself is refused */
	if (component != UINT32_MAX && component >= component_count(check, target))
		return refuse(check, "component %d of type %u, which has %u", (int32_t)component,
			      target, component_count(check, target));
	return true;
}

/*
 * Kernels resolve at most 32 steps (MAX_RESOLVE_DEPTH), counted from what the
 * ids below have resolved already: whether they take more depends on the order.
 */
#define KERNEL_RESOLVE_DEPTH 32

static bool check_references(struct bc_graph_check *check)
{
	const uint32_t *node = check->node;

	if (check->sizes.depth[check->type_id] > KERNEL_RESOLVE_DEPTH)
		note(check, "nested deeper than 32 steps (kernels may refuse it in some orders)");
	switch (bc_node_kind(node)) {
	case BC_PTR:
	case BC_TYPEDEF:
	case BC_VOLATILE:
	case BC_CONST:
	case BC_RESTRICT:
	case BC_TYPE_TAG:
		return check_type(check, node[2]);
	case BC_ARRAY:
		if (check->sizes.form[check->type_id] == BC_FORM_SIZED &&
		    check->sizes.size_bytes[check->type_id] > UINT32_MAX)
			note(check, "an array over 4 GiB (kernels refuse it)");
		return check_value(check, node[3], "element of type", node[3], false) &&
		       check_value(check, node[4], "index of type", node[4], false);
	case BC_STRUCT:
	case BC_UNION:
		return check_members(check);
	case BC_FUNC:
		if (bc_id_kind(check->graph, node[2]) != BC_FUNC_PROTO)
			return refuse(check, "its type is %s (type %u), not FUNC_PROTO",
				      bc_kind_name(bc_id_kind(check->graph, node[2])), node[2]);
		return true;
	case BC_FUNC_PROTO:
		return check_parameters(check);
	case BC_VAR:
		return check_value(check, node[2], "variable of type", node[2], true);
	case BC_DATASEC:
		return check_entries(check);
	case BC_DECL_TAG:
		return check_decl_tag(check);
	default:
		return true;
	}
}

/* A node of this BTF that does nothing but refer to one type. */
static bool is_own_link(const struct bc_graph *graph, uint32_t id)
{
	uint32_t kind = id < graph->first_id ? BC_VOID : bc_node_kind(bc_node(graph, id));

	return kind == BC_PTR || kind == BC_TYPEDEF || bc_kind_is_modifier(kind);
}

/*
 * Pointers, modifiers and typedefs that only refer to each other
 * (typedef T → T *): a legal graph, but no C and no kernel takes it.
 */
static bool follow_links(struct bc_graph_check *check)
{
	enum { NEW, ON_PATH, DONE };
	const struct bc_graph *graph = check->graph;
	uint8_t *state = check->link_state;
	uint32_t first = check->type_id, id = first;

	if (state[id - graph->first_id] != NEW)
		return true;
	while (is_own_link(graph, id) && state[id - graph->first_id] == NEW) {
		state[id - graph->first_id] = ON_PATH;
		id = bc_node(graph, id)[2];
	}
	if (is_own_link(graph, id) && state[id - graph->first_id] == ON_PATH) {
		check->type_id = id;
		check->node = bc_node(graph, id);
		note(check, "a loop of pointers only (no C and no kernel takes it)");
	}
	id = first;
	while (is_own_link(graph, id) && state[id - graph->first_id] == ON_PATH) {
		state[id - graph->first_id] = DONE;
		id = bc_node(graph, id)[2];
	}
	return true;
}

static bool find_size(struct bc_graph_check *check)
{
	return bc_sizes_add(&check->sizes, &check->smallest, check->type_id, check->err);
}

/* ---- passes, in steps ---- */

#define NODES_AT_ONCE 1024u

/* In their order, each over all own nodes. */
static bool (*const passes[])(struct bc_graph_check *check) = {
	check_node_alone,
	find_size,
	check_references,
	follow_links,
};

#define PASSES (sizeof(passes) / sizeof(passes[0]))

/* Of the pass at hand, up to some nodes. */
static bool check_some_nodes(struct bc_graph_check *check)
{
	uint32_t left = check->graph->type_count - check->next;
	uint32_t end = check->next + (left < NODES_AT_ONCE ? left : NODES_AT_ONCE);

	for (; check->next < end; check->next++) {
		check->type_id = check->graph->first_id + check->next;
		check->node = bc_own_node(check->graph, check->next);
		if (!passes[check->pass](check))
			return false;
	}
	return true;
}

static bool is_over(const struct bc_graph_check *check)
{
	return !check->is_valid || check->pass == PASSES;
}

bool bc_graph_check_step(struct bc_graph_check *check)
{
	if (is_over(check))
		return false;
	if (check->next == check->graph->type_count) {
		check->next = 0;
		check->pass++;
	} else {
		check->is_valid = check_some_nodes(check);
	}
	return !is_over(check);
}

struct bc_graph_check *bc_graph_check_begin(const struct bc_graph *graph, struct bc_notes *notes,
					    struct bc_err *err)
{
	struct bc_graph_check *check = malloc(sizeof(*check));

	if (!check) {
		bc_err_memory(err, sizeof(*check));
		return NULL;
	}
	*check = (struct bc_graph_check){
		.graph = graph,
		.id_end = bc_id_end(graph),
		.string_end = bc_string_end(graph),
		.smallest = *graph,
		.notes = notes,
		.err = err,
	};
	/* Where the size of a pointer is not known, nothing may be noted that 4 bytes excuse. */
	if (!graph->pointer_bytes)
		check->smallest.pointer_bytes = 4;
	check->link_state = bc_arena_zalloc(&check->arena, graph->type_count, 1, err);
	check->is_valid = check->link_state &&
			  bc_sizes_begin(&check->sizes, &check->smallest, &check->arena, err);
	return check;
}

bool bc_graph_check_end(struct bc_graph_check *check)
{
	bool is_valid = check->is_valid && check->pass == PASSES;

	bc_arena_free(&check->arena);
	free(check);
	return is_valid;
}

bool bc_graph_check(const struct bc_graph *graph, struct bc_notes *notes, struct bc_err *err)
{
	struct bc_graph_check *check = bc_graph_check_begin(graph, notes, err);

	if (!check)
		return false;
	while (bc_graph_check_step(check))
		;
	return bc_graph_check_end(check);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libbpf's relocation, without its patching of instructions. A record is
 * parsed against the object's own types into accessors [parse_spec], each
 * candidate of the kernel is walked by them [match_fields, match_value,
 * match_type], and what is found there is turned into the number that the
 * instruction would get [field_value …]. Function names say which function of
 * relo_core.c they follow.
 */
#include "compare/core.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare/words.h"

#define MAX_ACCESSORS 64
#define MAX_DEPTH 32
#define MAX_STEPS 1000000u /* of one question; a match of structs may fan out */

/* Where one step of an access stands. */
struct accessor {
	uint32_t type_id; /* the struct or union of a member, the type of an element */
	uint32_t index;
	const char *name; /* of a member; NULL: an element */
};

struct spec {
	const struct bc_graph *graph;
	uint32_t root_id;
	uint32_t kind; /* enum bc_core_kind */
	struct accessor accessors[MAX_ACCESSORS];
	uint32_t count;
	uint64_t bit_offset;
	uint32_t steps; /* members looked at */
};

size_t bc_core_name_length(const char *name)
{
	size_t length = strlen(name);

	for (size_t i = length; i-- > 0;)
		if (i + 4 < length && name[i] != '_' && !memcmp(name + i + 1, "___", 3) &&
		    name[i + 4] != '_')
			return i + 1;
	return length;
}

static bool same_essence(const char *a, const char *b)
{
	size_t length = bc_core_name_length(a);

	return length == bc_core_name_length(b) && !memcmp(a, b, length);
}

static const char *name_of(const struct bc_graph *graph, uint32_t id)
{
	return id ? bc_string(graph, bc_node(graph, id)[0]) : "";
}

static bool is_skipped(const uint32_t *node)
{
	return bc_kind_is_modifier(bc_node_kind(node)) || bc_node_kind(node) == BC_TYPEDEF;
}

uint32_t bc_core_skip(const struct bc_graph *graph, uint32_t id)
{
	while (id && is_skipped(bc_node(graph, id)))
		id = bc_node(graph, id)[2];
	return id;
}

bool bc_core_check_chains(const struct bc_graph *graph, const char *name, struct bc_err *err)
{
	for (uint32_t id = 1; id < bc_id_end(graph); id++) {
		uint32_t steps = 0;

		for (uint32_t at = id; at && is_skipped(bc_node(graph, at));
		     at = bc_node(graph, at)[2]) {
			if (++steps <= MAX_DEPTH)
				continue;
			bc_err_set(err,
				   "type %u: more than %u modifiers and typedefs in each other", id,
				   MAX_DEPTH);
			return bc_err_prefix(err, name);
		}
	}
	return true;
}

uint32_t bc_core_kind(const struct bc_graph *graph, uint32_t id)
{
	return bc_id_kind(graph, bc_core_skip(graph, id));
}

bool bc_core_size(const struct bc_graph *graph, uint32_t id, uint64_t *size_bytes)
{
	uint64_t count = 1;

	for (;;) {
		const uint32_t *node;

		id = bc_core_skip(graph, id);
		if (!id)
			return false;
		node = bc_node(graph, id);
		switch (bc_node_kind(node)) {
		case BC_ARRAY:
			if (__builtin_mul_overflow(count, (uint64_t)node[5], &count))
				return false;
			id = node[3];
			continue;
		case BC_PTR:
			return !__builtin_mul_overflow(
				count, (uint64_t)(graph->pointer_bytes ? graph->pointer_bytes : 8),
				size_bytes);
		case BC_INT:
		case BC_FLOAT:
		case BC_STRUCT:
		case BC_UNION:
		case BC_ENUM:
		case BC_ENUM64:
			return !__builtin_mul_overflow(count, (uint64_t)node[2], size_bytes);
		default:
			return false;
		}
	}
}

static bool kinds_compatible(uint32_t a, uint32_t b)
{
	return a == b || (bc_kind_is_enum(a) && bc_kind_is_enum(b));
}

static bool is_field_kind(uint32_t kind)
{
	return kind <= BC_CORE_FIELD_RSHIFT;
}

static bool is_value_kind(uint32_t kind)
{
	return kind == BC_CORE_ENUM_EXISTS || kind == BC_CORE_ENUM_VALUE;
}

/* ---- the record ---- */

/* An array of no elements at the end of a struct may be indexed at will. */
static bool is_flexible(const struct spec *spec, const uint32_t *array)
{
	const struct accessor *last;
	const uint32_t *node;

	if (array[5] || !spec->count)
		return false;
	last = &spec->accessors[spec->count - 1];
	if (!last->name)
		return false;
	node = bc_node(spec->graph, last->type_id);
	return last->index + 1 == bc_info_vlen(node[1]);
}

static bool push_accessor(struct spec *spec, uint32_t type_id, uint32_t index, const char *name)
{
	if (spec->count == MAX_ACCESSORS)
		return false;
	spec->accessors[spec->count++] = (struct accessor){ type_id, index, name };
	return true;
}

static bool add_elements(struct spec *spec, uint32_t type_id, uint64_t index)
{
	uint64_t size_bytes;

	if (!bc_core_size(spec->graph, type_id, &size_bytes) || index > UINT32_MAX)
		return false;
	spec->bit_offset += index * size_bytes * 8;
	return true;
}

/* One number of the access, at type *ID, which it moves on. */
static bool parse_step(struct spec *spec, uint32_t *id, uint64_t index)
{
	const uint32_t *node = *id ? bc_node(spec->graph, *id) : NULL;
	const uint32_t *member;
	const char *name;

	if (node && bc_kind_is_composite(bc_node_kind(node))) {
		if (index >= bc_info_vlen(node[1]))
			return false;
		member = bc_element(node, (uint32_t)index);
		name = bc_string(spec->graph, member[0]);
		spec->bit_offset += bc_member_bit_offset(node[1], member[2]);
		if (*name && !push_accessor(spec, *id, (uint32_t)index, name))
			return false;
		*id = bc_core_skip(spec->graph, member[1]);
		return true;
	}
	if (!node || bc_node_kind(node) != BC_ARRAY)
		return false;
	if (!is_flexible(spec, node) && index >= node[5])
		return false;
	*id = bc_core_skip(spec->graph, node[3]);
	return push_accessor(spec, *id, (uint32_t)index, NULL) && add_elements(spec, *id, index);
}

/* bpf_core_parse_spec */
static bool parse_spec(struct spec *spec, const struct bc_graph *object,
		       const struct bc_relocation *relocation)
{
	const char *at = relocation->access;
	uint32_t id = bc_core_skip(object, relocation->type_id);
	bool first = true;

	*spec = (struct spec){
		.graph = object,
		.root_id = relocation->type_id,
		.kind = relocation->kind,
	};
	if (relocation->kind >= BC_CORE_KIND_COUNT)
		return false;
	if (!is_field_kind(spec->kind) && !is_value_kind(spec->kind))
		return !strcmp(at, "0");
	do {
		char *end;
		unsigned long long index;

		if (*at < '0' || *at > '9')
			return false;
		index = strtoull(at, &end, 10);
		if (index > UINT32_MAX)
			return false;
		if (is_value_kind(spec->kind)) {
			if (*end || !id || !bc_kind_is_enum(bc_id_kind(object, id)) ||
			    index >= bc_info_vlen(bc_node(object, id)[1]))
				return false;
			return push_accessor(spec, id, (uint32_t)index,
					     bc_string(object, bc_element(bc_node(object, id),
									  (uint32_t)index)[0]));
		}
		if (first ? !push_accessor(spec, id, (uint32_t)index, NULL) ||
				    !add_elements(spec, id, index) :
			    !parse_step(spec, &id, index))
			return false;
		first = false;
		at = end;
	} while (*at++ == ':');
	return !at[-1];
}

bool bc_core_put_access(struct bc_text *text, const struct bc_graph *object,
			const struct bc_relocation *relocation)
{
	struct spec spec;

	if (!parse_spec(&spec, object, relocation))
		return false;
	if (is_value_kind(spec.kind)) {
		bc_text_string(text, "::");
		bc_words_put_name(text, spec.accessors[0].name);
		return true;
	}
	for (uint32_t i = 0; i < spec.count; i++) {
		if (spec.accessors[i].name) {
			bc_text_char(text, '.');
			bc_words_put_name(text, spec.accessors[i].name);
		} else if (i || spec.accessors[i].index) {
			bc_text_char(text, '[');
			bc_text_number(text, spec.accessors[i].index);
			bc_text_char(text, ']');
		}
	}
	return true;
}

/* ---- types that go together ---- */

/* bpf_core_fields_are_compat */
static bool fields_compatible(const struct bc_graph *object, uint32_t local_id,
			      const struct bc_graph *target, uint32_t target_id)
{
	for (;;) {
		const uint32_t *a, *b;

		local_id = bc_core_skip(object, local_id);
		target_id = bc_core_skip(target, target_id);
		if (!local_id || !target_id)
			return false;
		a = bc_node(object, local_id);
		b = bc_node(target, target_id);
		if (bc_kind_is_composite(bc_node_kind(a)) && bc_kind_is_composite(bc_node_kind(b)))
			return true;
		if (!kinds_compatible(bc_node_kind(a), bc_node_kind(b)))
			return false;
		switch (bc_node_kind(a)) {
		case BC_PTR:
		case BC_FLOAT:
			return true;
		case BC_FWD:
		case BC_ENUM:
		case BC_ENUM64:
			return !*name_of(object, local_id) || !*name_of(target, target_id) ||
			       same_essence(name_of(object, local_id), name_of(target, target_id));
		case BC_INT:
			return !(a[3] >> 16 & 0xff) && !(b[3] >> 16 & 0xff);
		case BC_ARRAY:
			local_id = a[3];
			target_id = b[3];
			continue;
		default:
			return false;
		}
	}
}

struct matching {
	const struct bc_graph *object;
	const struct bc_graph *target;
	uint32_t steps;
};

/* __bpf_core_types_are_compat; LEVEL bounds prototypes inside each other. */
static bool types_compatible(struct matching *matching, uint32_t local_id, uint32_t target_id,
			     uint32_t level)
{
	if (!kinds_compatible(bc_id_kind(matching->object, local_id),
			      bc_id_kind(matching->target, target_id)))
		return false;
	for (uint32_t depth = 0; depth < MAX_DEPTH && matching->steps++ < MAX_STEPS; depth++) {
		const uint32_t *a, *b;
		uint32_t kind;

		local_id = bc_core_skip(matching->object, local_id);
		target_id = bc_core_skip(matching->target, target_id);
		kind = bc_id_kind(matching->object, local_id);
		if (!kinds_compatible(kind, bc_id_kind(matching->target, target_id)))
			return false;
		if (!local_id)
			return true;
		a = bc_node(matching->object, local_id);
		b = bc_node(matching->target, target_id);
		switch (kind) {
		case BC_STRUCT:
		case BC_UNION:
		case BC_ENUM:
		case BC_ENUM64:
		case BC_FWD:
			return true;
		case BC_INT:
			return !(a[3] >> 16 & 0xff) && !(b[3] >> 16 & 0xff);
		case BC_PTR:
			local_id = a[2];
			target_id = b[2];
			continue;
		case BC_ARRAY:
			local_id = a[3];
			target_id = b[3];
			continue;
		case BC_FUNC_PROTO:
			if (bc_info_vlen(a[1]) != bc_info_vlen(b[1]) || !level)
				return false;
			for (uint32_t i = 0; i < bc_info_vlen(a[1]); i++)
				if (!types_compatible(
					    matching,
					    bc_core_skip(matching->object, bc_element(a, i)[1]),
					    bc_core_skip(matching->target, bc_element(b, i)[1]),
					    level - 1))
					return false;
			local_id = bc_core_skip(matching->object, a[2]);
			target_id = bc_core_skip(matching->target, b[2]);
			continue;
		default:
			return false;
		}
	}
	return false;
}

bool bc_core_compatible(const struct bc_graph *object, uint32_t local_id,
			const struct bc_graph *target, uint32_t target_id)
{
	struct matching matching = { .object = object, .target = target };

	return types_compatible(&matching, local_id, target_id, MAX_DEPTH);
}

static bool types_match(struct matching *matching, uint32_t local_id, uint32_t target_id,
			bool behind_pointer, uint32_t level);

/* bpf_core_enums_match: each name of the object's is one of the kernel's. */
static bool enums_match(struct matching *matching, const uint32_t *a, const uint32_t *b)
{
	uint32_t count = bc_info_vlen(a[1]), other_count = bc_info_vlen(b[1]);

	if (!bc_kind_is_enum(bc_node_kind(b)) || count > other_count)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const char *name = bc_string(matching->object, bc_element(a, i)[0]);
		bool found = false;

		for (uint32_t j = 0; j < other_count && !found; j++) {
			if (matching->steps++ >= MAX_STEPS)
				return false;
			found = same_essence(name,
					     bc_string(matching->target, bc_element(b, j)[0]));
		}
		if (!found)
			return false;
	}
	return true;
}

/* bpf_core_composites_match: each member of the object's has one of its name and a matching type. */
static bool composites_match(struct matching *matching, const uint32_t *a, const uint32_t *b,
			     bool behind_pointer, uint32_t level)
{
	uint32_t count = bc_info_vlen(a[1]), other_count = bc_info_vlen(b[1]);

	if (count > other_count)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *member = bc_element(a, i);
		const char *name = bc_string(matching->object, member[0]);
		bool found = false;

		for (uint32_t j = 0; j < other_count && !found; j++) {
			const uint32_t *other = bc_element(b, j);

			if (matching->steps++ >= MAX_STEPS)
				return false;
			found = same_essence(name, bc_string(matching->target, other[0])) &&
				types_match(matching, member[1], other[1], behind_pointer,
					    level - 1);
		}
		if (!found)
			return false;
	}
	return true;
}

static bool forward_matches(const uint32_t *a, const uint32_t *b, bool behind_pointer)
{
	bool is_union = bc_info_kflag(a[1]);

	if (bc_node_kind(b) == BC_FWD)
		return is_union == bc_info_kflag(b[1]);
	return behind_pointer && bc_node_kind(b) == (is_union ? BC_UNION : BC_STRUCT);
}

/* __bpf_core_types_match; LEVEL bounds how deep structs and prototypes are looked into. */
static bool types_match(struct matching *matching, uint32_t local_id, uint32_t target_id,
			bool behind_pointer, uint32_t level)
{
	if (!level)
		return false;
	for (uint32_t depth = 0; depth < MAX_DEPTH && matching->steps++ < MAX_STEPS; depth++) {
		const uint32_t *a, *b;
		uint32_t kind, other_kind;

		local_id = bc_core_skip(matching->object, local_id);
		target_id = bc_core_skip(matching->target, target_id);
		if (!same_essence(name_of(matching->object, local_id),
				  name_of(matching->target, target_id)))
			return false;
		if (!local_id || !target_id)
			return local_id == target_id;
		a = bc_node(matching->object, local_id);
		b = bc_node(matching->target, target_id);
		kind = bc_node_kind(a);
		other_kind = bc_node_kind(b);
		if (kind == BC_FWD)
			return forward_matches(a, b, behind_pointer);
		if (bc_kind_is_enum(kind))
			return enums_match(matching, a, b);
		if (bc_kind_is_composite(kind) && behind_pointer)
			return kind == other_kind ||
			       (other_kind == BC_FWD && (kind == BC_UNION) == bc_info_kflag(b[1]));
		if (kind != other_kind)
			return false;
		switch (kind) {
		case BC_STRUCT:
		case BC_UNION:
			return composites_match(matching, a, b, behind_pointer, level);
		case BC_INT:
			return (a[3] >> 24 & 1) == (b[3] >> 24 & 1);
		case BC_PTR:
			behind_pointer = true;
			local_id = a[2];
			target_id = b[2];
			continue;
		case BC_ARRAY:
			if (a[5] != b[5])
				return false;
			local_id = a[3];
			target_id = b[3];
			continue;
		case BC_FUNC_PROTO:
			if (bc_info_vlen(a[1]) != bc_info_vlen(b[1]))
				return false;
			for (uint32_t i = 0; i < bc_info_vlen(a[1]); i++)
				if (!types_match(matching, bc_element(a, i)[1], bc_element(b, i)[1],
						 behind_pointer, level - 1))
					return false;
			local_id = a[2];
			target_id = b[2];
			continue;
		default:
			return false;
		}
	}
	return false;
}

/* ---- a candidate ---- */

/*
 * bpf_core_match_member: the member of LOCAL's name in type ID or in unnamed
 * types inside. Unnamed types do not nest deeper than MAX_DEPTH here.
 */
static bool match_member(const struct spec *local, const struct accessor *accessor,
			 struct spec *target, uint32_t *id, uint32_t depth)
{
	uint32_t from = bc_core_skip(target->graph, *id);
	const uint32_t *node, *local_node;
	uint32_t local_type;

	if (!from || !bc_kind_is_composite(bc_id_kind(target->graph, from)) || !depth)
		return false;
	node = bc_node(target->graph, from);
	local_node = bc_node(local->graph, accessor->type_id);
	local_type = bc_element(local_node, accessor->index)[1];
	for (uint32_t i = 0; i < bc_info_vlen(node[1]) && target->steps++ < MAX_STEPS; i++) {
		const uint32_t *member = bc_element(node, i);
		const char *name = bc_string(target->graph, member[0]);
		uint64_t bit_offset = target->bit_offset;
		uint32_t next = member[1];

		target->bit_offset += bc_member_bit_offset(node[1], member[2]);
		if (!*name) {
			if (match_member(local, accessor, target, &next, depth - 1)) {
				*id = next;
				return true;
			}
		} else if (!strcmp(name, accessor->name)) {
			*id = next;
			return push_accessor(target, from, i, name) &&
			       fields_compatible(local->graph, local_type, target->graph, next);
		}
		target->bit_offset = bit_offset;
	}
	return false;
}

/* bpf_core_spec_match, of fields */
static bool match_fields(const struct spec *local, struct spec *target)
{
	uint32_t id = bc_core_skip(target->graph, target->root_id);

	for (uint32_t i = 0; i < local->count; i++) {
		const struct accessor *accessor = &local->accessors[i];

		if (accessor->name) {
			if (!match_member(local, accessor, target, &id, MAX_DEPTH))
				return false;
			continue;
		}
		if (i) {
			const uint32_t *array;

			id = bc_core_skip(target->graph, id);
			if (!id || bc_id_kind(target->graph, id) != BC_ARRAY)
				return false;
			array = bc_node(target->graph, id);
			if (!is_flexible(target, array) && accessor->index >= array[5])
				return false;
			id = bc_core_skip(target->graph, array[3]);
		}
		if (!push_accessor(target, id, accessor->index, NULL) ||
		    !add_elements(target, id, accessor->index))
			return false;
	}
	return true;
}

static bool match_value(const struct spec *local, struct spec *target)
{
	uint32_t id = bc_core_skip(target->graph, target->root_id);
	const uint32_t *node;

	if (!id || !bc_kind_is_enum(bc_id_kind(target->graph, id)))
		return false;
	node = bc_node(target->graph, id);
	for (uint32_t i = 0; i < bc_info_vlen(node[1]); i++) {
		const char *name = bc_string(target->graph, bc_element(node, i)[0]);

		target->steps++;
		if (same_essence(name, local->accessors[0].name))
			return push_accessor(target, id, i, name);
	}
	return false;
}

static bool match_whole_type(const struct spec *local, struct spec *target)
{
	struct matching matching = { .object = local->graph, .target = target->graph };
	bool matches =
		local->kind == BC_CORE_TYPE_MATCHES ?
			types_match(&matching, local->root_id, target->root_id, false, MAX_DEPTH) :
			types_compatible(&matching, local->root_id, target->root_id, MAX_DEPTH);

	target->steps = matching.steps;
	return matches;
}

static bool match_candidate(const struct spec *local, struct spec *target)
{
	if (is_field_kind(local->kind))
		return match_fields(local, target);
	if (is_value_kind(local->kind))
		return match_value(local, target);
	return match_whole_type(local, target);
}

/* ---- numbers ---- */

/* Bytes that a load of the field reads, and bits of it that are the field. */
struct window {
	uint64_t byte_offset;
	uint64_t size_bytes;
	uint64_t bit_size;
};

/* The smallest aligned load that covers a bitfield. */
static bool bitfield_window(const struct spec *spec, uint32_t type_id, uint32_t bit_width,
			    struct window *window)
{
	uint64_t size_bytes;

	if (!bc_core_size(spec->graph, type_id, &size_bytes) || !size_bytes)
		return false;
	window->byte_offset = spec->bit_offset / 8 / size_bytes * size_bytes;
	while (spec->bit_offset + bit_width - window->byte_offset * 8 > size_bytes * 8) {
		if (size_bytes >= 8)
			return false;
		size_bytes *= 2;
		window->byte_offset = spec->bit_offset / 8 / size_bytes * size_bytes;
	}
	window->size_bytes = size_bytes;
	window->bit_size = bit_width;
	return true;
}

static bool is_signed(const struct bc_graph *graph, uint32_t id)
{
	const uint32_t *node;

	id = bc_core_skip(graph, id);
	if (!id)
		return false;
	node = bc_node(graph, id);
	if (bc_kind_is_enum(bc_node_kind(node)))
		return bc_info_kflag(node[1]);
	return bc_node_kind(node) == BC_INT && (node[3] >> 24 & 1);
}

/* bpf_core_calc_field_relo */
static bool field_value(const struct spec *spec, uint64_t *value)
{
	const struct accessor *last = &spec->accessors[spec->count - 1];
	struct window window = { 0 };
	uint32_t type_id = last->type_id, bit_width = 0;

	if (spec->kind == BC_CORE_FIELD_EXISTS) {
		*value = 1;
		return true;
	}
	if (last->name) {
		const uint32_t *node = bc_node(spec->graph, last->type_id);
		const uint32_t *member = bc_element(node, last->index);

		type_id = member[1];
		bit_width = bc_member_bit_width(node[1], member[2]);
	}
	if (bit_width) {
		if (!bitfield_window(spec, type_id, bit_width, &window))
			return false;
	} else {
		if (!bc_core_size(spec->graph, type_id, &window.size_bytes))
			return false;
		window.byte_offset = spec->bit_offset / 8;
		window.bit_size = window.size_bytes * 8;
	}
	switch (spec->kind) {
	case BC_CORE_FIELD_OFFSET:
		*value = window.byte_offset;
		return true;
	case BC_CORE_FIELD_SIZE:
		*value = window.size_bytes;
		return true;
	case BC_CORE_FIELD_SIGNED:
		*value = is_signed(spec->graph, type_id);
		return last->name;
	case BC_CORE_FIELD_LSHIFT:
		*value = spec->graph->big_endian ?
				 (8 - window.size_bytes) * 8 +
					 (spec->bit_offset - window.byte_offset * 8) :
				 64 - (spec->bit_offset + window.bit_size - window.byte_offset * 8);
		return last->name;
	default:
		*value = 64 - window.bit_size;
		return last->name;
	}
}

static bool value_of(const struct spec *spec, uint64_t *value)
{
	if (is_field_kind(spec->kind))
		return field_value(spec, value);
	*value = 1;
	if (spec->kind == BC_CORE_ENUM_VALUE)
		*value = bc_enum_value(bc_node(spec->graph, spec->accessors[0].type_id),
				       spec->accessors[0].index);
	return spec->kind != BC_CORE_TYPE_SIZE || bc_core_size(spec->graph, spec->root_id, value);
}

/* ---- all candidates ---- */

static void try_candidate(struct bc_core_result *result, const struct spec *local,
			  const struct bc_side *side, uint32_t id, uint64_t *steps)
{
	struct spec target = { .graph = side->graph, .root_id = id, .kind = local->kind };
	uint64_t value;
	bool matches;

	if (!kinds_compatible(bc_id_kind(local->graph, local->root_id),
			      bc_id_kind(side->graph, id)))
		return;
	matches = match_candidate(local, &target);
	*steps += target.steps;
	if (!matches && target.steps < MAX_STEPS)
		return;
	if (!matches || !value_of(&target, &value)) {
		result->state = BC_CORE_BAD;
		return;
	}
	if (result->state == BC_CORE_MISSING)
		*result = (struct bc_core_result){ BC_CORE_FOUND, value };
	else if (result->state == BC_CORE_FOUND && result->value != value)
		result->state = BC_CORE_AMBIGUOUS;
}

struct bc_core_result bc_core_resolve(const struct bc_graph *object,
				      const struct bc_relocation *relocation,
				      const struct bc_side *side, uint64_t *steps)
{
	struct bc_core_result result = { BC_CORE_MISSING, 0 };
	const char *name = name_of(object, relocation->type_id);
	size_t length = bc_core_name_length(name);
	struct spec local;

	if (!parse_spec(&local, object, relocation))
		return (struct bc_core_result){ BC_CORE_BAD, 0 };
	if (relocation->kind == BC_CORE_TYPE_ID_LOCAL)
		return (struct bc_core_result){ BC_CORE_FOUND, 1 };
	if (!*name)
		return (struct bc_core_result){ BC_CORE_BAD, 0 };
	for (uint32_t at = bc_side_first(side, name, length); at < side->list_count; at++) {
		const char *other = bc_side_name(side, side->list[at]);

		if (strncmp(other, name, length))
			break;
		++*steps;
		if (bc_core_name_length(other) == length)
			try_candidate(&result, &local, side, side->list[at], steps);
	}
	return result;
}

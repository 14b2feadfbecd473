/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "compare/judge.h"

#include <stdlib.h>
#include <string.h>

/* ---- kfuncs and ksyms ---- */

static int compare_weak(const void *name, const void *entry)
{
	return strcmp(name, *(const char *const *)entry);
}

static bool is_weak(const struct bc_object *object, const char *name)
{
	const struct bc_object_symbols *symbols = object->symbols;

	return symbols->weak_count && bsearch(name, symbols->weak, symbols->weak_count,
					      sizeof(*symbols->weak), compare_weak);
}

static bool has_kfunc_tag(const struct bc_side *side, uint32_t id)
{
	struct bc_tag_range range = bc_tags_on(&side->tags, id);

	for (uint32_t i = range.first; i < range.end; i++) {
		const uint32_t *tag = bc_node(side->graph, side->tags.own[i]);

		if (!bc_tag_place(tag) && !strcmp(bc_string(side->graph, tag[0]), "bpf_kfunc"))
			return true;
	}
	return false;
}

/* A weak symbol is there to be looked at before it is used: the loader lets it be 0. */
static void excuse_weak(const struct bc_judge *judge, struct bc_requirement *requirement)
{
	if (is_weak(judge->object, requirement->name))
		requirement->verdict = BC_VERDICT_GUARDED;
}

/* Whether the BTF of a kernel says which functions are kfuncs. */
static bool tells_kfuncs(const struct bc_side *side)
{
	for (uint32_t id = 1; id < bc_id_end(side->graph); id++) {
		const uint32_t *node = bc_node(side->graph, id);

		if (bc_node_kind(node) == BC_DECL_TAG &&
		    !strcmp(bc_string(side->graph, node[0]), "bpf_kfunc"))
			return true;
	}
	return false;
}

/* Whether the loader takes function or variable ID of a kernel for the declared one. */
static bool links_to(const struct bc_judge *judge, const uint32_t *declaration,
		     const struct bc_side *side, uint32_t id)
{
	return bc_core_compatible(judge->graph, bc_core_skip(judge->graph, declaration[2]),
				  side->graph,
				  bc_core_skip(side->graph, bc_node(side->graph, id)[2]));
}

/* A declaration that only NEW fits was made for it. */
static void judge_found_kfunc(const struct bc_judge *judge, struct bc_requirement *requirement,
			      const uint32_t *declaration, const uint32_t ids[2])
{
	const struct bc_side *side = bc_judge_side(judge, BC_NEW);
	const struct bc_side *old_side = bc_judge_side(judge, BC_OLD);
	bool was_kfunc = ids[BC_OLD] && has_kfunc_tag(old_side, ids[BC_OLD]);

	if (!links_to(judge, declaration, side, ids[BC_NEW])) {
		bc_judge_breaks(requirement, "its prototype is not the declared one");
		excuse_weak(judge, requirement);
	} else if (judge->new_tells_kfuncs && !has_kfunc_tag(side, ids[BC_NEW])) {
		bc_judge_breaks(requirement, was_kfunc ? "no kfunc any more" : "no kfunc");
	} else if (bc_judge_prototype_changed(judge, ids[BC_NEW], false) &&
		   links_to(judge, declaration, old_side, ids[BC_OLD])) {
		bc_judge_breaks(requirement, "its prototype changed");
	} else if (was_kfunc && !judge->new_tells_kfuncs) {
		bc_judge_unknown(requirement, "NEW does not tell its kfuncs");
	}
}

/* Flavours of a kfunc are declarations of one that kernels have had in several ways. */
static bool judge_kfunc(struct bc_judge *judge, const uint32_t *declaration)
{
	const char *name = bc_string(judge->graph, declaration[0]);
	const char *plain = bc_judge_join(judge, "", name, bc_core_name_length(name));
	struct bc_requirement *requirement = plain ? bc_judge_add(judge, BC_NEED_KFUNC, name) :
						     NULL;
	uint32_t ids[2];

	if (!requirement)
		return false;
	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		ids[which] = bc_judge_find(judge, which, BC_FUNC, plain);
		bc_judge_found(requirement, which, ids[which]);
	}
	if (ids[BC_NEW]) {
		judge_found_kfunc(judge, requirement, declaration, ids);
	} else {
		bc_judge_missing(requirement);
		excuse_weak(judge, requirement);
	}
	return true;
}

static bool judge_ksym(struct bc_judge *judge, const uint32_t *declaration)
{
	const char *name = bc_string(judge->graph, declaration[0]);
	struct bc_requirement *requirement = bc_judge_add(judge, BC_NEED_KSYM, name);
	uint32_t type_id = bc_core_skip(judge->graph, declaration[2]), ids[2];

	if (!requirement)
		return false;
	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		ids[which] = bc_judge_find(judge, which, BC_VAR, name);
		bc_judge_found(requirement, which, ids[which]);
	}
	if (!type_id && !ids[BC_NEW]) {
		bc_judge_unknown(requirement, "without a type: found among symbols, not in BTF");
	} else if (!ids[BC_NEW]) {
		bc_judge_missing(requirement);
		excuse_weak(judge, requirement);
	} else if (type_id &&
		   !links_to(judge, declaration, bc_judge_side(judge, BC_NEW), ids[BC_NEW])) {
		bc_judge_breaks(requirement, "its type is not the declared one");
	}
	return true;
}

/* ---- struct_ops ---- */

static const char holder_prefix[] = "bpf_struct_ops_";

/* The struct called NAME that a kernel has as operations, 0 where there is none. */
static uint32_t find_operations(struct bc_judge *judge, unsigned int which, const char *name,
				const char *holder)
{
	return bc_judge_find(judge, which, BC_STRUCT, holder) ?
		       bc_judge_find(judge, which, BC_STRUCT, name) :
		       0;
}

static int compare_initial(const void *name, const void *entry)
{
	return strcmp(name, ((const struct bc_initial *)entry)->name);
}

static const struct bc_initial *find_initial(const struct bc_object *object, const char *name)
{
	const struct bc_object_symbols *symbols = object->symbols;

	return symbols->initial_count ? bsearch(name, symbols->initials, symbols->initial_count,
						sizeof(*symbols->initials), compare_initial) :
					NULL;
}

/* Whether the object sets these bytes; it does where nothing is known of them. */
static bool is_set(const struct bc_initial *initial, uint64_t offset, uint64_t size_bytes)
{
	if (!initial || offset > initial->size_bytes || size_bytes > initial->size_bytes - offset)
		return true;
	for (uint64_t i = 0; i < size_bytes; i++)
		if (initial->bytes[offset + i])
			return true;
	return false;
}

static const uint32_t *find_member(const struct bc_graph *graph, const uint32_t *node,
				   const char *name)
{
	for (uint32_t i = 0; i < bc_info_vlen(node[1]); i++)
		if (!strcmp(bc_string(graph, bc_element(node, i)[0]), name))
			return bc_element(node, i);
	return NULL;
}

/* Whether NEW gave the member another type, as of a function with another prototype. */
static bool was_retyped(const struct bc_judge *judge, uint32_t new_id, const char *name)
{
	const struct bc_difference *difference = bc_judge_difference(judge, new_id);

	for (uint32_t i = 0; difference && i < difference->detail_count; i++) {
		const struct bc_detail *detail = bc_detail_at(judge->comparison, difference, i);

		if (detail->part == BC_PART_MEMBER && detail->change == BC_CHANGED &&
		    detail->aspects & BC_ASPECT_RETYPED && !strcmp(detail->new.name, name))
			return true;
	}
	return false;
}

/* What is wrong with a member of the object's struct, NULL when nothing is. */
static const char *fault_of_member(const struct bc_judge *judge, const uint32_t *member,
				   uint64_t bit_offset, const struct bc_initial *initial,
				   uint32_t new_id)
{
	const struct bc_graph *graph = bc_judge_side(judge, BC_NEW)->graph;
	const char *name = bc_string(judge->graph, member[0]);
	const uint32_t *other = find_member(graph, bc_node(graph, new_id), name);
	uint64_t size_bytes = 0, other_bytes = 0;
	uint32_t kind, other_kind;

	bc_core_size(judge->graph, member[1], &size_bytes);
	if (!is_set(initial, bit_offset / 8, size_bytes))
		return NULL;
	if (!other)
		return "a member that it sets is missing";
	kind = bc_core_kind(judge->graph, member[1]);
	other_kind = bc_core_kind(graph, other[1]);
	bc_core_size(graph, other[1], &other_bytes);
	if (kind != other_kind || (kind != BC_PTR && size_bytes != other_bytes))
		return "a member that it sets has another type";
	return was_retyped(judge, new_id, name) ? "the type of a member that it sets changed" :
						  NULL;
}

/* What it takes to look a member of the object's up among those of NEW and what became of them. */
static uint64_t steps_of_member(const struct bc_judge *judge, uint32_t new_id)
{
	const struct bc_difference *difference = bc_judge_difference(judge, new_id);
	uint32_t count = bc_info_vlen(bc_node(bc_judge_side(judge, BC_NEW)->graph, new_id)[1]);

	return (uint64_t)count + (difference ? difference->detail_count : 0);
}

/* The first member that is at fault decides. */
static bool judge_members(struct bc_judge *judge, struct bc_requirement *requirement,
			  const uint32_t *node, const struct bc_initial *initial, uint32_t new_id)
{
	for (uint32_t i = 0; i < bc_info_vlen(node[1]); i++) {
		const uint32_t *member = bc_element(node, i);
		const char *fault;

		if (!bc_judge_count_steps(judge, steps_of_member(judge, new_id)))
			return false;
		fault = fault_of_member(judge, member, bc_member_bit_offset(node[1], member[2]),
					initial, new_id);
		if (!fault)
			continue;
		requirement->detail = bc_string(judge->graph, member[0]);
		bc_judge_breaks(requirement, fault);
		break;
	}
	return true;
}

static bool judge_struct_ops(struct bc_judge *judge, const uint32_t *variable, const char *section)
{
	uint32_t type_id = bc_core_skip(judge->graph, variable[2]), ids[2];
	struct bc_requirement *requirement;
	const char *name, *plain, *holder;
	const uint32_t *node;

	if (bc_id_kind(judge->graph, type_id) != BC_STRUCT)
		return true;
	node = bc_node(judge->graph, type_id);
	name = bc_string(judge->graph, node[0]);
	plain = bc_judge_join(judge, "", name, bc_core_name_length(name));
	holder = bc_judge_join(judge, holder_prefix, name, bc_core_name_length(name));
	requirement = plain && holder ? bc_judge_add(judge, BC_NEED_STRUCT_OPS, name) : NULL;
	if (!requirement)
		return false;
	requirement->section = section;
	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		ids[which] = find_operations(judge, which, plain, holder);
		bc_judge_found(requirement, which, ids[which]);
	}
	if (ids[BC_NEW])
		return judge_members(judge, requirement, node,
				     find_initial(judge->object,
						  bc_string(judge->graph, variable[0])),
				     ids[BC_NEW]);
	bc_judge_missing(requirement);
	return true;
}

/* ---- what the object's sections declare ---- */

static bool judge_entry(struct bc_judge *judge, const char *section, uint32_t id)
{
	const uint32_t *node = bc_node(judge->graph, id);
	bool is_function = bc_node_kind(node) == BC_FUNC;

	if (!strncmp(section, ".struct_ops", strlen(".struct_ops")))
		return is_function || judge_struct_ops(judge, node, section);
	if (strcmp(section, ".ksyms") != 0)
		return true;
	return is_function ? judge_kfunc(judge, node) : judge_ksym(judge, node);
}

bool bc_judge_declarations(struct bc_judge *judge)
{
	judge->new_tells_kfuncs = tells_kfuncs(bc_judge_side(judge, BC_NEW));
	for (uint32_t id = 1; id < bc_id_end(judge->graph); id++) {
		const uint32_t *node = bc_node(judge->graph, id);

		if (bc_node_kind(node) != BC_DATASEC)
			continue;
		for (uint32_t i = 0; i < bc_info_vlen(node[1]); i++)
			if (!judge_entry(judge, bc_string(judge->graph, node[0]),
					 bc_element(node, i)[0]))
				return false;
	}
	return true;
}

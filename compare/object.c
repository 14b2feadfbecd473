/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Four passes, one per source of needs: CO-RE records (each distinct one
 * once), declarations in .ksyms, variables in .struct_ops, and the names of
 * the sections that programs lie in. Then existence checks are looked for that
 * guard what is missing.
 */
#include "compare/object.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

#define MAX_GUARDS 4096 /* existence checks that are tried for each missing thing */

struct judge {
	struct bc_object_judgement *judgement;
	const struct bc_object *object;
	const struct bc_graph *graph; /* the object's */
	const struct bc_comparison *comparison;
	const uint32_t *difference_of; /* by new id: 1 + place, or 0 */
	bool offsets_matter;
	uint32_t capacity;
	struct bc_arena *arena;
	struct bc_err *err;
};

const char *bc_object_verdict_word(enum bc_object_verdict verdict)
{
	static const char *const words[] = { "fine", "relocates", "guarded", "breaks" };

	return words[verdict];
}

const char *bc_need_word(enum bc_need need)
{
	static const char *const words[] = { "relocation", "kfunc", "ksym", "attach",
					     "struct_ops" };

	return words[need];
}

const char *bc_core_kind_word(uint32_t kind)
{
	static const char *const words[BC_CORE_KIND_COUNT] = {
		"offset",       "size",     "exists",       "signed",      "left shift",
		"right shift",  "local id", "type id",      "type exists", "type size",
		"value exists", "value",    "type matches",
	};

	return kind < BC_CORE_KIND_COUNT ? words[kind] : "unknown";
}

static struct bc_requirement *add(struct judge *judge, enum bc_need need, const char *name)
{
	struct bc_object_judgement *judgement = judge->judgement;
	struct bc_requirement *requirement;

	if (judgement->count == judge->capacity) {
		uint32_t wanted = judge->capacity ? judge->capacity * 2 : 256;
		struct bc_requirement *grown = bc_arena_alloc(judge->arena, wanted, sizeof(*grown),
							      judge->err);

		if (!grown)
			return NULL;
		if (judgement->count)
			memcpy(grown, judgement->requirements, judgement->count * sizeof(*grown));
		judgement->requirements = grown;
		judge->capacity = wanted;
	}
	requirement = &judgement->requirements[judgement->count++];
	*requirement = (struct bc_requirement){
		.need = need,
		.reason = "",
		.section = "",
		.name = name,
		.detail = "",
		.uses = 1,
	};
	return requirement;
}

static const struct bc_side *side_of(const struct judge *judge, unsigned int which)
{
	return &judge->comparison->sides[which];
}

static void set_state(struct bc_requirement *requirement, unsigned int which, bool found)
{
	requirement->sides[which].state = found ? BC_CORE_FOUND : BC_CORE_MISSING;
}

static void set_breaks(struct bc_requirement *requirement, const char *reason)
{
	requirement->verdict = BC_VERDICT_BREAKS;
	requirement->reason = reason;
}

/* ---- relocations ---- */

static int compare_relocations(const void *context, uint32_t a, uint32_t b)
{
	const struct judge *judge = context;
	const struct bc_relocation *x = &judge->object->relies->relocations[a];
	const struct bc_relocation *y = &judge->object->relies->relocations[b];
	int order = strcmp(bc_string(judge->graph, bc_node(judge->graph, x->type_id)[0]),
			   bc_string(judge->graph, bc_node(judge->graph, y->type_id)[0]));

	if (!order)
		order = strcmp(x->access, y->access);
	if (!order)
		order = bc_compare_u64(x->type_id, y->type_id);
	return order ? order : bc_compare_u64(x->kind, y->kind);
}

static bool asks_existence(uint32_t kind)
{
	return kind == BC_CORE_FIELD_EXISTS || kind == BC_CORE_TYPE_EXISTS ||
	       kind == BC_CORE_ENUM_EXISTS || kind == BC_CORE_TYPE_MATCHES;
}

static void judge_relocation(struct judge *judge, struct bc_requirement *requirement)
{
	const struct bc_relocation *relocation = requirement->relocation;
	struct bc_core_result *sides = requirement->sides;

	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		sides[which] = bc_core_resolve(judge->graph, relocation, side_of(judge, which));
		/* That something is missing is an answer here. */
		if (asks_existence(relocation->kind) && sides[which].state == BC_CORE_MISSING)
			sides[which] = (struct bc_core_result){ BC_CORE_FOUND, 0 };
	}
	switch (sides[BC_NEW].state) {
	case BC_CORE_MISSING:
		set_breaks(requirement,
			   sides[BC_OLD].state == BC_CORE_MISSING ? "missing in both" : "missing");
		return;
	case BC_CORE_AMBIGUOUS:
		set_breaks(requirement, "several types match, and disagree");
		return;
	case BC_CORE_BAD:
		set_breaks(requirement, "cannot be relocated");
		return;
	default:
		break;
	}
	if (sides[BC_OLD].state == BC_CORE_FOUND && sides[BC_OLD].value == sides[BC_NEW].value)
		return;
	requirement->verdict = BC_VERDICT_RELOCATES;
	if (judge->offsets_matter && !asks_existence(relocation->kind))
		set_breaks(requirement, "another value");
}

static bool judge_relocations(struct judge *judge)
{
	const struct bc_relies *relies = judge->object->relies;
	uint32_t count = relies->relocation_count, end;
	uint32_t *order = bc_arena_alloc(judge->arena, count, sizeof(*order), judge->err);
	uint32_t *spare = bc_arena_alloc(judge->arena, count, sizeof(*spare), judge->err);
	uint32_t used = 0;

	if (!order || !spare)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (relies->relocations[i].type_id)
			order[used++] = i;
	bc_sort_compared(order, spare, used, compare_relocations, judge);
	for (uint32_t begin = 0; begin < used; begin = end) {
		const struct bc_relocation *relocation = &relies->relocations[order[begin]];
		struct bc_requirement *requirement = add(
			judge, BC_NEED_RELOCATION,
			bc_string(judge->graph, bc_node(judge->graph, relocation->type_id)[0]));

		if (!requirement)
			return false;
		for (end = begin + 1;
		     end < used && !compare_relocations(judge, order[begin], order[end]);)
			end++;
		requirement->relocation = relocation;
		requirement->section = relocation->section;
		requirement->uses = end - begin;
		judge_relocation(judge, requirement);
	}
	return true;
}

/* Does ACCESS lead through where CHECKED leads? "0:1:2" does through "0:1". */
static bool leads_through(const char *access, const char *checked)
{
	size_t length = strlen(checked);

	return !strncmp(access, checked, length) && (!access[length] || access[length] == ':');
}

static bool has_flavour(const char *name)
{
	return bc_core_name_length(name) != strlen(name);
}

/*
 * A check of the same thing guards it when it fails too. Types of several
 * flavours are variants for different kernels: a check on one chooses between
 * them.
 */
static bool guards(const struct bc_requirement *check, const struct bc_requirement *missing)
{
	const struct bc_relocation *a = check->relocation, *b = missing->relocation;
	size_t length = bc_core_name_length(missing->name);

	if (!asks_existence(a->kind) || bc_core_name_length(check->name) != length ||
	    strncmp(check->name, missing->name, length))
		return false;
	if (has_flavour(check->name) || has_flavour(missing->name))
		return true;
	if (a->type_id != b->type_id || check->sides[BC_NEW].value)
		return false;
	return a->kind == BC_CORE_TYPE_EXISTS || a->kind == BC_CORE_TYPE_MATCHES ||
	       leads_through(b->access, a->access);
}

/* Relocations stand by name: checks of one name, flavours included, are neighbours. */
static void find_guard(struct judge *judge, uint32_t at)
{
	struct bc_requirement *requirements = judge->judgement->requirements;
	struct bc_requirement *missing = &requirements[at];
	size_t length = bc_core_name_length(missing->name);

	for (int step = -1; step <= 1; step += 2) {
		uint32_t tries = 0;

		for (uint32_t i = at + (uint32_t)step;
		     i < judge->judgement->count && tries++ < MAX_GUARDS; i += (uint32_t)step) {
			if (requirements[i].need != BC_NEED_RELOCATION ||
			    strncmp(requirements[i].name, missing->name, length))
				break;
			if (!guards(&requirements[i], missing))
				continue;
			missing->verdict = BC_VERDICT_GUARDED;
			return;
		}
	}
}

static void find_guards(struct judge *judge)
{
	for (uint32_t i = 0; i < judge->judgement->count; i++) {
		const struct bc_requirement *requirement = &judge->judgement->requirements[i];

		if (requirement->need == BC_NEED_RELOCATION &&
		    requirement->sides[BC_NEW].state == BC_CORE_MISSING)
			find_guard(judge, i);
	}
}

/* ---- kfuncs and ksyms ---- */

static bool is_weak(const struct bc_object *object, const char *name)
{
	uint32_t begin = 0, end = object->weak_count;

	while (begin < end) {
		uint32_t middle = begin + (end - begin) / 2;

		if (strcmp(object->weak_symbols[middle], name) < 0)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin < object->weak_count && !strcmp(object->weak_symbols[begin], name);
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

static void judge_missing(struct bc_requirement *requirement)
{
	set_breaks(requirement, requirement->sides[BC_OLD].state == BC_CORE_MISSING ?
					"missing in both" :
					"missing");
}

/* A weak symbol is there to be looked at before it is used. */
static void judge_missing_symbol(const struct judge *judge, struct bc_requirement *requirement)
{
	judge_missing(requirement);
	if (is_weak(judge->object, requirement->name))
		requirement->verdict = BC_VERDICT_GUARDED;
}

/* What a program sees of a function changed, if it did. */
static bool prototype_changed(const struct judge *judge, uint32_t new_id)
{
	uint32_t place = new_id ? judge->difference_of[new_id] : 0;
	const struct bc_difference *difference;

	if (!place)
		return false;
	difference = &judge->comparison->differences[place - 1];
	for (uint32_t i = 0; i < difference->detail_count; i++) {
		const struct bc_detail *detail = bc_detail_at(judge->comparison, difference, i);

		if (detail->part == BC_PART_RETURN || detail->part == BC_PART_TYPE ||
		    (detail->part == BC_PART_PARAMETER &&
		     (detail->change != BC_CHANGED || detail->aspects != BC_ASPECT_RENAMED)))
			return true;
	}
	return false;
}

static void judge_kfunc(const struct judge *judge, struct bc_requirement *requirement,
			const uint32_t *declaration)
{
	uint32_t ids[2];

	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		ids[which] = bc_core_find(side_of(judge, which), BC_FUNC, requirement->name);
		set_state(requirement, which, ids[which]);
	}
	if (!ids[BC_NEW]) {
		judge_missing_symbol(judge, requirement);
		return;
	}
	if (!bc_core_compatible(judge->graph, declaration[2], side_of(judge, BC_NEW)->graph,
				bc_node(side_of(judge, BC_NEW)->graph, ids[BC_NEW])[2]))
		set_breaks(requirement, "its prototype is not the declared one");
	else if (ids[BC_OLD] && has_kfunc_tag(side_of(judge, BC_OLD), ids[BC_OLD]) &&
		 !has_kfunc_tag(side_of(judge, BC_NEW), ids[BC_NEW]))
		set_breaks(requirement, "no kfunc any more");
	else if (prototype_changed(judge, ids[BC_NEW]))
		set_breaks(requirement, "its prototype changed");
}

static void judge_ksym(const struct judge *judge, struct bc_requirement *requirement,
		       const uint32_t *declaration)
{
	uint32_t type_id = declaration[2], ids[2];

	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		ids[which] = bc_core_find(side_of(judge, which), BC_VAR, requirement->name);
		set_state(requirement, which, ids[which]);
	}
	while (type_id && (bc_kind_is_modifier(bc_id_kind(judge->graph, type_id))))
		type_id = bc_node(judge->graph, type_id)[2];
	if (!type_id) {
		requirement->reason = "without a type: found by name when it is loaded";
		return;
	}
	if (!ids[BC_NEW])
		judge_missing_symbol(judge, requirement);
	else if (!bc_core_compatible(judge->graph, type_id, side_of(judge, BC_NEW)->graph,
				     bc_node(side_of(judge, BC_NEW)->graph, ids[BC_NEW])[2]))
		set_breaks(requirement, "its type is not the declared one");
}

/* ---- struct_ops ---- */

static const uint32_t *find_named_member(const struct bc_graph *graph, const uint32_t *node,
					 const char *name)
{
	for (uint32_t i = 0; i < bc_info_vlen(node[1]); i++)
		if (!strcmp(bc_string(graph, bc_element(node, i)[0]), name))
			return bc_element(node, i);
	return NULL;
}

static bool is_struct_ops_there(const struct bc_side *side, const char *name, char *buffer,
				size_t size_bytes)
{
	snprintf(buffer, size_bytes, "bpf_struct_ops_%s", name);
	return bc_core_find(side, BC_STRUCT, name) && bc_core_find(side, BC_STRUCT, buffer);
}

static bool judge_struct_ops(struct judge *judge, const uint32_t *variable, const char *section)
{
	uint32_t type_id = variable[2], new_id;
	const uint32_t *node, *new_node;
	struct bc_requirement *requirement;
	const char *name;
	size_t size_bytes;
	char *buffer;

	while (type_id && bc_kind_is_modifier(bc_id_kind(judge->graph, type_id)))
		type_id = bc_node(judge->graph, type_id)[2];
	if (bc_id_kind(judge->graph, type_id) != BC_STRUCT)
		return true;
	node = bc_node(judge->graph, type_id);
	name = bc_string(judge->graph, node[0]);
	size_bytes = strlen(name) + sizeof("bpf_struct_ops_");
	buffer = bc_arena_alloc(judge->arena, size_bytes, 1, judge->err);
	requirement = add(judge, BC_NEED_STRUCT_OPS, name);
	if (!buffer || !requirement)
		return false;
	requirement->section = section;
	for (unsigned int which = BC_OLD; which <= BC_NEW; which++)
		set_state(requirement, which,
			  is_struct_ops_there(side_of(judge, which), name, buffer, size_bytes));
	if (requirement->sides[BC_NEW].state != BC_CORE_FOUND) {
		judge_missing(requirement);
		return true;
	}
	new_id = bc_core_find(side_of(judge, BC_NEW), BC_STRUCT, name);
	new_node = bc_node(side_of(judge, BC_NEW)->graph, new_id);
	for (uint32_t i = 0; i < bc_info_vlen(node[1]); i++) {
		const char *member = bc_string(judge->graph, bc_element(node, i)[0]);

		if (!*member || find_named_member(side_of(judge, BC_NEW)->graph, new_node, member))
			continue;
		requirement->detail = member;
		set_breaks(requirement, "a member is missing");
		break;
	}
	return true;
}

/* ---- what the object's sections declare ---- */

static bool judge_entry(struct judge *judge, const char *section, uint32_t id)
{
	const uint32_t *node = bc_node(judge->graph, id);
	bool is_function = bc_node_kind(node) == BC_FUNC;
	struct bc_requirement *requirement;

	if (!strncmp(section, ".struct_ops", strlen(".struct_ops")))
		return is_function || judge_struct_ops(judge, node, section);
	if (strcmp(section, ".ksyms"))
		return true;
	requirement = add(judge, is_function ? BC_NEED_KFUNC : BC_NEED_KSYM,
			  bc_string(judge->graph, node[0]));
	if (!requirement)
		return false;
	if (is_function)
		judge_kfunc(judge, requirement, node);
	else
		judge_ksym(judge, requirement, node);
	return true;
}

static bool judge_sections(struct judge *judge)
{
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

/* ---- attach points ---- */

/* How a section's name tells what its program attaches to. */
struct attach_kind {
	const char *prefix;      /* up to the slash */
	const char *name_prefix; /* before the name, in the kernel's BTF */
	uint32_t kind;           /* of the type that tells of it */
};

static const struct attach_kind attach_kinds[] = {
	{ "fentry", "", BC_FUNC },
	{ "fentry.s", "", BC_FUNC },
	{ "fexit", "", BC_FUNC },
	{ "fexit.s", "", BC_FUNC },
	{ "fmod_ret", "", BC_FUNC },
	{ "fmod_ret.s", "", BC_FUNC },
	{ "lsm", "bpf_lsm_", BC_FUNC },
	{ "lsm.s", "bpf_lsm_", BC_FUNC },
	{ "lsm_cgroup", "bpf_lsm_", BC_FUNC },
	{ "iter", "bpf_iter_", BC_FUNC },
	{ "iter.s", "bpf_iter_", BC_FUNC },
	{ "tp_btf", "btf_trace_", BC_TYPEDEF },
	{ "raw_tp", "btf_trace_", BC_TYPEDEF },
	{ "raw_tp.w", "btf_trace_", BC_TYPEDEF },
	{ "raw_tracepoint", "btf_trace_", BC_TYPEDEF },
	{ "raw_tracepoint.w", "btf_trace_", BC_TYPEDEF },
	{ "kprobe", "", BC_FUNC },
	{ "kretprobe", "", BC_FUNC },
};

static const struct attach_kind *attach_kind_of(const char *section)
{
	size_t length = strcspn(section, "/");

	for (size_t i = 0; i < sizeof(attach_kinds) / sizeof(attach_kinds[0]); i++)
		if (strlen(attach_kinds[i].prefix) == length &&
		    !memcmp(attach_kinds[i].prefix, section, length))
			return &attach_kinds[i];
	return NULL;
}

/* "bpf_lsm_" and "file_open" of "lsm/file_open"; an offset behind a function is left out. */
static const char *attach_name(struct judge *judge, const struct attach_kind *kind,
			       const char *section)
{
	const char *name = strchr(section, '/') + 1;
	size_t prefix_length = strlen(kind->name_prefix), length = strcspn(name, "+");
	char *full = bc_arena_alloc(judge->arena, prefix_length + length + 1, 1, judge->err);

	if (!full)
		return NULL;
	memcpy(full, kind->name_prefix, prefix_length);
	memcpy(full + prefix_length, name, length);
	full[prefix_length + length] = '\0';
	return full;
}

static bool judge_program(struct judge *judge, const char *section)
{
	/* A question mark: not loaded unless asked for. */
	const char *plain = section + (*section == '?');
	const struct attach_kind *kind = attach_kind_of(plain);
	struct bc_requirement *requirement;
	const char *name;
	uint32_t ids[2];

	if (!kind || !strchr(plain, '/') || strpbrk(plain, "*:"))
		return true;
	name = attach_name(judge, kind, plain);
	requirement = name ? add(judge, BC_NEED_ATTACH, name) : NULL;
	if (!requirement)
		return false;
	requirement->section = section;
	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		ids[which] = bc_core_find(side_of(judge, which), kind->kind, name);
		set_state(requirement, which, ids[which]);
	}
	/* Some are set when the program is loaded, or are not in BTF. */
	if (!ids[BC_NEW] && !ids[BC_OLD])
		requirement->reason = "in neither BTF";
	else if (!ids[BC_NEW])
		judge_missing(requirement);
	else if (prototype_changed(judge, ids[BC_NEW]))
		set_breaks(requirement, "its prototype changed");
	return true;
}

static bool judge_programs(struct judge *judge)
{
	const struct bc_relies *relies = judge->object->relies;
	const char *last = "";

	for (uint32_t i = 0; i < relies->program_count; i++) {
		/* Programs of one section follow each other. */
		if (!strcmp(relies->programs[i].section, last))
			continue;
		last = relies->programs[i].section;
		if (!judge_program(judge, last))
			return false;
	}
	return true;
}

/* ---- all ---- */

static bool index_differences(struct judge *judge)
{
	const struct bc_comparison *comparison = judge->comparison;
	uint32_t *difference_of = bc_arena_zalloc(judge->arena, comparison->sides[BC_NEW].id_end,
						  sizeof(*difference_of), judge->err);

	if (!difference_of)
		return false;
	for (uint32_t i = 0; i < comparison->count; i++)
		if (comparison->differences[i].new_id)
			difference_of[comparison->differences[i].new_id] = i + 1;
	judge->difference_of = difference_of;
	return true;
}

bool bc_object_judge(struct bc_object_judgement *judgement, const struct bc_object *object,
		     const struct bc_comparison *comparison, bool offsets_matter,
		     struct bc_arena *arena, struct bc_err *err)
{
	struct judge judge = {
		.judgement = judgement,
		.object = object,
		.graph = object->relies->graph,
		.comparison = comparison,
		.offsets_matter = offsets_matter,
		.arena = arena,
		.err = err,
	};

	*judgement = (struct bc_object_judgement){ 0 };
	if (!index_differences(&judge) || !judge_relocations(&judge) || !judge_sections(&judge) ||
	    !judge_programs(&judge))
		return false;
	find_guards(&judge);
	for (uint32_t i = 0; i < judgement->count; i++)
		judgement->counts[judgement->requirements[i].verdict]++;
	return true;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Four passes, one per source of needs: CO-RE records (each distinct one
 * once), declarations in .ksyms, variables in .struct_ops, and the names of
 * the sections that programs lie in. Then existence checks are looked for that
 * guard what is missing.
 */
#include "compare/judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/room.h"

#define MAX_GUARDS 4096 /* existence checks that are tried for each missing thing */
#define BYTES_A_STEP 64

const char *bc_object_verdict_word(enum bc_object_verdict verdict)
{
	static const char *const words[] = { "fine", "relocates", "guarded", "unknown", "breaks" };

	return words[verdict];
}

const char *bc_need_word(enum bc_need need)
{
	static const char *const words[] = { "relocation", "kfunc",        "ksym",
					     "struct_ops", "program type", "attach" };

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

/* ---- what the passes share ---- */

bool bc_judge_count_steps(struct bc_judge *judge, uint64_t steps)
{
	judge->steps += steps;
	return judge->steps <= BC_JUDGE_MAX_STEPS ||
	       bc_err_set(judge->err, "%s: what it relies on takes too long to look up",
			  judge->object->name);
}

uint32_t bc_judge_find(struct bc_judge *judge, unsigned int which, uint32_t kind, const char *name)
{
	return bc_side_find(bc_judge_side(judge, which), kind, name, &judge->steps);
}

struct bc_requirement *bc_judge_add(struct bc_judge *judge, enum bc_need need, const char *name)
{
	struct bc_object_judgement *judgement = judge->judgement;
	struct bc_requirement *requirement;

	if (!bc_judge_count_steps(judge, 0) ||
	    !bc_make_arena_room(judge->arena, &judgement->requirements, &judge->limit,
				judgement->count, sizeof(*judgement->requirements), judge->err))
		return NULL;
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

const char *bc_judge_join(struct bc_judge *judge, const char *prefix, const char *name,
			  size_t length)
{
	size_t prefix_length = strlen(prefix);
	char *full = bc_arena_alloc(judge->arena, prefix_length + length + 1, 1, judge->err);

	if (!full)
		return NULL;
	memcpy(full, prefix, prefix_length);
	memcpy(full + prefix_length, name, length);
	full[prefix_length + length] = '\0';
	return full;
}

void bc_judge_found(struct bc_requirement *requirement, unsigned int which, bool found)
{
	requirement->sides[which].state = found ? BC_CORE_FOUND : BC_CORE_MISSING;
}

void bc_judge_breaks(struct bc_requirement *requirement, const char *reason)
{
	requirement->verdict = BC_VERDICT_BREAKS;
	requirement->reason = reason;
}

void bc_judge_unknown(struct bc_requirement *requirement, const char *reason)
{
	requirement->verdict = BC_VERDICT_UNKNOWN;
	requirement->reason = reason;
}

void bc_judge_missing(struct bc_requirement *requirement)
{
	bc_judge_breaks(requirement, requirement->sides[BC_OLD].state == BC_CORE_MISSING ?
					     "missing in both" :
					     "missing");
}

const struct bc_difference *bc_judge_difference(const struct bc_judge *judge, uint32_t new_id)
{
	uint32_t place = new_id ? judge->difference_of[new_id] : 0;

	return place ? &judge->comparison->differences[place - 1] : NULL;
}

bool bc_judge_prototype_changed(const struct bc_judge *judge, uint32_t new_id, bool result_only)
{
	const struct bc_difference *difference = bc_judge_difference(judge, new_id);

	for (uint32_t i = 0; difference && i < difference->detail_count; i++) {
		const struct bc_detail *detail = bc_detail_at(judge->comparison, difference, i);

		if (detail->part == BC_PART_RETURN || detail->part == BC_PART_TYPE ||
		    (!result_only && detail->part == BC_PART_PARAMETER &&
		     (detail->change != BC_CHANGED || detail->aspects != BC_ASPECT_RENAMED)))
			return true;
	}
	return false;
}

/* ---- relocations ---- */

static int compare_relocations(const void *context, uint32_t a, uint32_t b)
{
	const struct bc_judge *judge = context;
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

/* What is missing is 0 to these, and no error. */
static bool takes_missing(uint32_t kind)
{
	return asks_existence(kind) || kind == BC_CORE_TYPE_SIZE || kind == BC_CORE_TYPE_ID_TARGET;
}

static bool resolve(struct bc_judge *judge, struct bc_requirement *requirement)
{
	const struct bc_relocation *relocation = requirement->relocation;
	uint64_t steps = 0;

	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		struct bc_core_result *result = &requirement->sides[which];

		*result = bc_core_resolve(judge->graph, relocation, bc_judge_side(judge, which),
					  &steps);
		if (takes_missing(relocation->kind) && result->state == BC_CORE_MISSING)
			*result = (struct bc_core_result){ BC_CORE_FOUND, 0 };
	}
	return bc_judge_count_steps(judge, steps);
}

static void judge_relocation(const struct bc_judge *judge, struct bc_requirement *requirement)
{
	const struct bc_core_result *sides = requirement->sides;

	switch (sides[BC_NEW].state) {
	case BC_CORE_MISSING:
		bc_judge_missing(requirement);
		return;
	case BC_CORE_AMBIGUOUS:
		bc_judge_breaks(requirement, "several types match, and disagree");
		return;
	case BC_CORE_BAD:
		bc_judge_breaks(requirement, "cannot be relocated");
		return;
	default:
		break;
	}
	if (sides[BC_OLD].state == BC_CORE_FOUND && sides[BC_OLD].value == sides[BC_NEW].value)
		return;
	requirement->verdict = BC_VERDICT_RELOCATES;
	if (judge->offsets_matter && !asks_existence(requirement->relocation->kind))
		bc_judge_breaks(requirement, "another value");
}

static bool judge_relocations(struct bc_judge *judge)
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
		struct bc_requirement *requirement = bc_judge_add(
			judge, BC_NEED_RELOCATION,
			bc_string(judge->graph, bc_node(judge->graph, relocation->type_id)[0]));

		if (!requirement)
			return false;
		for (end = begin + 1;
		     end < used && !compare_relocations(judge, order[begin], order[end]);)
			end++;
		requirement->relocation = relocation;
		requirement->plain_bytes = bc_core_name_length(requirement->name);
		requirement->access_bytes = strlen(relocation->access);
		requirement->has_flavour = requirement->name[requirement->plain_bytes];
		requirement->section = relocation->section;
		requirement->uses = end - begin;
		if (!resolve(judge, requirement))
			return false;
		judge_relocation(judge, requirement);
	}
	return true;
}

/* Does the access of ONE lead through where that of CHECKED leads? "0:1:2" does through "0:1". */
static bool leads_through(const struct bc_requirement *one, const struct bc_requirement *checked)
{
	const char *access = one->relocation->access;
	size_t length = checked->access_bytes;

	return length <= one->access_bytes &&
	       !memcmp(access, checked->relocation->access, length) &&
	       (!access[length] || access[length] == ':');
}

static bool have_one_name(const struct bc_requirement *a, const struct bc_requirement *b)
{
	return a->plain_bytes == b->plain_bytes && !memcmp(a->name, b->name, a->plain_bytes);
}

/*
 * A check of the same thing, whose name it has, guards it when it fails too.
 * Types of several flavours are variants for different kernels: a check on one
 * chooses between them.
 */
static bool guards(const struct bc_requirement *check, const struct bc_requirement *missing)
{
	const struct bc_relocation *a = check->relocation, *b = missing->relocation;

	if (!takes_missing(a->kind))
		return false;
	if (check->has_flavour || missing->has_flavour)
		return true;
	if (a->type_id != b->type_id || check->sides[BC_NEW].value)
		return false;
	return (a->kind != BC_CORE_FIELD_EXISTS && a->kind != BC_CORE_ENUM_EXISTS) ||
	       leads_through(missing, check);
}

/* Relocations stand by name: checks of one name, flavours included, are neighbours. */
static bool find_guard(struct bc_judge *judge, uint32_t at)
{
	struct bc_requirement *requirements = judge->judgement->requirements;
	struct bc_requirement *missing = &requirements[at];
	size_t bytes = missing->plain_bytes + missing->access_bytes;

	for (int step = -1; step <= 1; step += 2) {
		uint32_t tries = 0;

		for (uint32_t i = at + (uint32_t)step;
		     i < judge->judgement->count && tries++ < MAX_GUARDS; i += (uint32_t)step) {
			if (!bc_judge_count_steps(judge, 1 + bytes / BYTES_A_STEP))
				return false;
			if (requirements[i].need != BC_NEED_RELOCATION ||
			    strncmp(requirements[i].name, missing->name, missing->plain_bytes))
				break;
			if (!have_one_name(&requirements[i], missing) ||
			    !guards(&requirements[i], missing))
				continue;
			missing->verdict = BC_VERDICT_GUARDED;
			return true;
		}
	}
	return true;
}

static bool find_guards(struct bc_judge *judge)
{
	for (uint32_t i = 0; i < judge->judgement->count; i++) {
		const struct bc_requirement *requirement = &judge->judgement->requirements[i];

		if (requirement->need == BC_NEED_RELOCATION &&
		    requirement->sides[BC_NEW].state == BC_CORE_MISSING && !find_guard(judge, i))
			return false;
	}
	return true;
}

/* ---- all ---- */

static bool index_differences(struct bc_judge *judge)
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
	struct bc_judge judge = {
		.judgement = judgement,
		.object = object,
		.graph = object->relies->graph,
		.comparison = comparison,
		.offsets_matter = offsets_matter,
		.arena = arena,
		.err = err,
	};

	*judgement = (struct bc_object_judgement){ 0 };
	if (!bc_core_check_chains(judge.graph, object->name, err) ||
	    !bc_core_check_chains(comparison->sides[BC_OLD].graph, "OLD", err) ||
	    !bc_core_check_chains(comparison->sides[BC_NEW].graph, "NEW", err))
		return false;
	if (!index_differences(&judge) || !judge_relocations(&judge) ||
	    !bc_judge_declarations(&judge) || !bc_judge_programs(&judge) || !find_guards(&judge))
		return false;
	for (uint32_t i = 0; i < judgement->count; i++)
		judgement->counts[judgement->requirements[i].verdict]++;
	return true;
}

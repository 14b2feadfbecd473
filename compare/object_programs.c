/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * A program's section tells libbpf what type of program it is and what it
 * attaches to [bc_program_kind_of]. Of the type, BTF tells whether the kernel's
 * headers have it [judge_types]. What it attaches to is looked up the way that
 * its kind of name needs: functions and tracepoints by name [judge_named],
 * globs by what they match [judge_pattern], system calls by the names that
 * architectures give them [judge_syscall], trace events by the type of their
 * tracepoint and the struct of their record [judge_event]. What is not in the
 * kernel's BTF at all is unknown, with the reason.
 */
#include "compare/judge.h"

#include <string.h>

#include "compare/programs.h"

#define MAX_SECTION_NAME                                                                           \
	1024 /* what libbpf knows, and a name of the kernel behind it, is shorter */

/* The programs of one section. */
struct section {
	const char *name;
	const char *plain; /* without a question mark */
	const char *extras;
	const struct bc_program_kind *kind; /* NULL: libbpf does not know it */
	uint32_t first, end;                /* of the object's programs */
};

/* A question mark: not loaded unless asked for. */
static void excuse_optional(struct bc_requirement *requirement, const struct section *section)
{
	if (*section->name != '?' || requirement->verdict != BC_VERDICT_BREAKS)
		return;
	requirement->verdict = BC_VERDICT_GUARDED;
	requirement->reason = "not loaded unless asked for";
}

/* ---- types of programs ---- */

static enum bc_core_state find_value(struct bc_judge *judge, unsigned int which,
				     const char *enum_name, const char *value)
{
	const struct bc_graph *graph = bc_judge_side(judge, which)->graph;
	uint32_t id = bc_judge_find(judge, which, BC_ENUM, enum_name);
	const uint32_t *node;

	if (!id)
		return BC_CORE_UNKNOWN;
	node = bc_node(graph, id);
	judge->steps += bc_info_vlen(node[1]);
	for (uint32_t i = 0; i < bc_info_vlen(node[1]); i++)
		if (!strcmp(bc_string(graph, bc_element(node, i)[0]), value))
			return BC_CORE_FOUND;
	return BC_CORE_MISSING;
}

static struct bc_requirement *find_type(const struct bc_judge *judge, uint32_t first,
					const char *value)
{
	for (uint32_t i = first; i < judge->judgement->count; i++)
		if (!strcmp(judge->judgement->requirements[i].name, value))
			return &judge->judgement->requirements[i];
	return NULL;
}

/*
 * FIRST: where these requirements begin; each is listed once, a program that
 * is loaded first. BTFs that both lack the enum are not of whole kernels.
 */
static bool judge_type(struct bc_judge *judge, const struct section *section, uint32_t first,
		       const char *enum_name, const char *value)
{
	struct bc_requirement *requirement = find_type(judge, first, value);
	enum bc_core_state states[2];

	for (unsigned int which = BC_OLD; which <= BC_NEW; which++)
		states[which] = find_value(judge, which, enum_name, value);
	if (!bc_judge_count_steps(judge, 0))
		return false;
	if (states[BC_OLD] == BC_CORE_UNKNOWN && states[BC_NEW] == BC_CORE_UNKNOWN)
		return true;
	if (requirement) {
		requirement->uses += section->end - section->first;
		if (*requirement->section != '?' || *section->name == '?')
			return true;
	} else {
		requirement = bc_judge_add(judge, BC_NEED_TYPE, value);
		if (!requirement)
			return false;
		requirement->uses = section->end - section->first;
	}
	requirement->section = section->name;
	requirement->verdict = BC_VERDICT_FINE;
	for (unsigned int which = BC_OLD; which <= BC_NEW; which++)
		requirement->sides[which].state = states[which];
	if (requirement->sides[BC_NEW].state == BC_CORE_UNKNOWN)
		bc_judge_unknown(requirement, "the enum that tells is missing");
	else if (requirement->sides[BC_NEW].state == BC_CORE_MISSING)
		bc_judge_missing(requirement);
	excuse_optional(requirement, section);
	return true;
}

static bool judge_types(struct bc_judge *judge, const struct section *section, uint32_t first)
{
	const struct bc_program_kind *kind = section->kind;

	return !kind || (judge_type(judge, section, first, "bpf_prog_type", kind->type) &&
			 (!kind->attach_type ||
			  judge_type(judge, section, first, "bpf_attach_type", kind->attach_type)));
}

/* ---- names ---- */

static struct bc_requirement *add_attach(struct bc_judge *judge, const struct section *section,
					 const char *name)
{
	struct bc_requirement *requirement = bc_judge_add(judge, BC_NEED_ATTACH, name);

	if (!requirement)
		return NULL;
	requirement->section = section->name;
	requirement->uses = section->end - section->first;
	return requirement;
}

static bool add_unknown(struct bc_judge *judge, const struct section *section, const char *reason)
{
	struct bc_requirement *requirement = add_attach(judge, section, section->plain);

	if (!requirement)
		return false;
	requirement->sides[BC_OLD].state = requirement->sides[BC_NEW].state = BC_CORE_UNKNOWN;
	bc_judge_unknown(requirement, reason);
	return true;
}

/* What is in neither may be in a module, or without BTF. */
static void judge_presence(struct bc_requirement *requirement, const bool there[2])
{
	for (unsigned int which = BC_OLD; which <= BC_NEW; which++)
		bc_judge_found(requirement, which, there[which]);
	if (!there[BC_OLD] && !there[BC_NEW])
		bc_judge_unknown(requirement, "in neither BTF");
	else if (!there[BC_NEW])
		bc_judge_missing(requirement);
}

/* "module:function" is looked for in the module only. */
static uint32_t find_name(struct bc_judge *judge, unsigned int which, uint32_t kind,
			  const char *name, bool in_module)
{
	const struct bc_side *side = bc_judge_side(judge, which);
	uint32_t id = bc_judge_find(judge, which, kind, name);

	return in_module && !(side->graph->base && bc_side_owns(side, id)) ? 0 : id;
}

/* A function or a tracepoint. Behind a plus sign: how far into the function. */
static bool judge_named(struct bc_judge *judge, const struct section *section)
{
	const struct bc_program_kind *kind = section->kind;
	const char *module_end = strchr(section->extras, ':');
	const char *plain = module_end ? module_end + 1 : section->extras;
	size_t length = strcspn(plain, "+");
	const char *name = bc_judge_join(judge, kind->name_prefix, plain, length);
	struct bc_requirement *requirement = name ? add_attach(judge, section, name) : NULL;
	uint32_t ids[2];

	if (!requirement)
		return false;
	for (unsigned int which = BC_OLD; which <= BC_NEW; which++)
		ids[which] = find_name(judge, which, kind->name_kind, name, module_end);
	judge_presence(requirement, (bool[]){ ids[BC_OLD], ids[BC_NEW] });
	if (ids[BC_NEW] && plain[length])
		bc_judge_unknown(requirement, "BTF does not tell what code is there");
	else if (bc_judge_prototype_changed(judge, ids[BC_NEW], kind->result_only))
		bc_judge_breaks(requirement, "its prototype changed");
	excuse_optional(requirement, section);
	return true;
}

/* ---- patterns ---- */

/* A glob of "*" and "?" only; the last "*" takes more until the rest matches, or it took too long. */
static bool matches_pattern(const char *name, const char *pattern, uint64_t *steps)
{
	const char *star = NULL, *retry = NULL;

	while (*name && ++*steps <= BC_JUDGE_MAX_STEPS) {
		if (*pattern == '*') {
			star = pattern++;
			retry = name;
		} else if (*pattern == '?' || *pattern == *name) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star + 1;
			name = ++retry;
		} else {
			return false;
		}
	}
	return !*name && !pattern[strspn(pattern, "*")];
}

static uint32_t count_matches(const struct bc_side *side, const char *pattern, uint64_t *steps)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < side->list_count; i++)
		count += bc_id_kind(side->graph, side->list[i]) == BC_FUNC &&
			 matches_pattern(bc_side_name(side, side->list[i]), pattern, steps);
	return count;
}

static bool judge_pattern(struct bc_judge *judge, const struct section *section)
{
	struct bc_requirement *requirement;
	uint32_t counts[2];

	if (!strpbrk(section->extras, "*?"))
		return judge_named(judge, section);
	requirement = add_attach(judge, section, section->extras);
	if (!requirement)
		return false;
	requirement->is_pattern = true;
	for (unsigned int which = BC_OLD; which <= BC_NEW; which++) {
		uint64_t steps = bc_judge_side(judge, which)->list_count;

		counts[which] = count_matches(bc_judge_side(judge, which), section->extras, &steps);
		requirement->sides[which].value = counts[which];
		if (!bc_judge_count_steps(judge, steps))
			return false;
	}
	judge_presence(requirement, (bool[]){ counts[BC_OLD], counts[BC_NEW] });
	excuse_optional(requirement, section);
	return true;
}

/* ---- system calls ---- */

/* A kernel has one of these for each system call; the last are for those without wrappers. */
static const char *const syscall_prefixes[] = {
	"__x64_sys_",     "__arm64_sys_", "__s390x_sys_", "__riscv_sys_",
	"__powerpc_sys_", "__ia32_sys_",  "__arm_sys_",   "__mips_sys_",
	"__se_sys_",      "__do_sys_",    "sys_",
};

/* The name of the function that enters system call NAME, NULL where there is none. */
static bool find_syscall(struct bc_judge *judge, unsigned int which, const char *name,
			 const char **found)
{
	size_t length = strlen(name);

	*found = NULL;
	for (size_t i = 0; i < sizeof(syscall_prefixes) / sizeof(syscall_prefixes[0]); i++) {
		const char *full = bc_judge_join(judge, syscall_prefixes[i], name, length);

		if (!full)
			return false;
		if (!bc_judge_find(judge, which, BC_FUNC, full))
			continue;
		*found = full;
		break;
	}
	return true;
}

static bool judge_syscall(struct bc_judge *judge, const struct section *section, const char *name)
{
	struct bc_requirement *requirement;
	const char *found[2];

	for (unsigned int which = BC_OLD; which <= BC_NEW; which++)
		if (!find_syscall(judge, which, name, &found[which]))
			return false;
	requirement = add_attach(judge, section,
				 found[BC_NEW] ? found[BC_NEW] :
				 found[BC_OLD] ? found[BC_OLD] :
						 section->plain);
	if (!requirement)
		return false;
	judge_presence(requirement, (bool[]){ found[BC_OLD], found[BC_NEW] });
	excuse_optional(requirement, section);
	return true;
}

/* ---- trace events ---- */

static const char record_prefix[] = "trace_event_raw_";

/* The struct that the first parameter of a program points at, by its plain name; "": none. */
static const char *context_name(const struct bc_graph *graph, uint32_t function_id)
{
	const uint32_t *node = bc_node(graph, function_id);
	uint32_t id = bc_node_kind(node) == BC_FUNC ? node[2] : 0;

	if (bc_id_kind(graph, id) != BC_FUNC_PROTO || !bc_info_vlen(bc_node(graph, id)[1]))
		return "";
	id = bc_element(bc_node(graph, id), 0)[1];
	if (bc_id_kind(graph, id) != BC_PTR)
		return "";
	id = bc_core_skip(graph, bc_node(graph, id)[2]);
	return bc_id_kind(graph, id) == BC_STRUCT ? bc_string(graph, bc_node(graph, id)[0]) : "";
}

/* The struct of the event's record in NEW: of its own name, or the one that a program names. */
static bool find_record(struct bc_judge *judge, const struct section *section, const char *event,
			uint32_t *record_id)
{
	const char *name = bc_judge_join(judge, record_prefix, event, strlen(event));

	if (!name)
		return false;
	*record_id = bc_judge_find(judge, BC_NEW, BC_STRUCT, name);
	for (uint32_t i = section->first; !*record_id && i < section->end; i++) {
		name = context_name(judge->graph, judge->object->relies->programs[i].type_id);
		if (strncmp(name, record_prefix, strlen(record_prefix)))
			continue;
		name = bc_judge_join(judge, "", name, bc_core_name_length(name));
		if (!name)
			return false;
		*record_id = bc_judge_find(judge, BC_NEW, BC_STRUCT, name);
	}
	return true;
}

/* Whether anything but new members at the end; what lies in __data is found by offsets before it. */
static bool record_changed(const struct bc_judge *judge, uint32_t record_id)
{
	const struct bc_difference *difference = bc_judge_difference(judge, record_id);

	if (!difference)
		return false;
	for (uint32_t i = 0; i < difference->detail_count; i++) {
		const struct bc_detail *detail = bc_detail_at(judge->comparison, difference, i);

		if (detail->part == BC_PART_MEMBER && detail->change != BC_ADDED &&
		    strcmp(detail->old.name, "__data") != 0)
			return true;
	}
	return difference->change == BC_ADDED;
}

/* Whether the programs' reads of a record are relocated: that is judged where it is wanted. */
static bool relocates_record(const struct bc_judge *judge, const struct section *section)
{
	const struct bc_relies *relies = judge->object->relies;

	for (uint32_t i = 0; i < relies->relocation_count; i++) {
		const struct bc_relocation *relocation = &relies->relocations[i];

		if (relocation->type_id && !strcmp(relocation->section, section->name) &&
		    !strncmp(bc_string(judge->graph, bc_node(judge->graph, relocation->type_id)[0]),
			     record_prefix, strlen(record_prefix)))
			return true;
	}
	return false;
}

/* An event that a tracepoint makes. */
static bool judge_tracepoint(struct bc_judge *judge, const struct section *section,
			     const char *event)
{
	const char *name = bc_judge_join(judge, "btf_trace_", event, strlen(event));
	struct bc_requirement *requirement;
	uint32_t record_id;
	bool there[2];

	if (!name || !find_record(judge, section, event, &record_id) ||
	    !bc_judge_count_steps(judge, judge->object->relies->relocation_count))
		return false;
	requirement = add_attach(judge, section, name);
	if (!requirement)
		return false;
	for (unsigned int which = BC_OLD; which <= BC_NEW; which++)
		there[which] = bc_judge_find(judge, which, BC_TYPEDEF, name);
	judge_presence(requirement, there);
	if (there[BC_OLD] && there[BC_NEW] && record_changed(judge, record_id) &&
	    !relocates_record(judge, section))
		bc_judge_unknown(requirement, "its record changed: fixed offsets may be wrong");
	excuse_optional(requirement, section);
	return true;
}

/* category/name; those of system calls come from their functions. */
static bool judge_event(struct bc_judge *judge, const struct section *section)
{
	const char *event = strchr(section->extras, '/');

	if (!event)
		return add_unknown(judge, section, "no category and name");
	event++;
	if (!strncmp(section->extras, "syscalls/", strlen("syscalls/"))) {
		if (!strncmp(event, "sys_enter_", strlen("sys_enter_")))
			return judge_syscall(judge, section, event + strlen("sys_enter_"));
		if (!strncmp(event, "sys_exit_", strlen("sys_exit_")))
			return judge_syscall(judge, section, event + strlen("sys_exit_"));
	}
	return judge_tracepoint(judge, section, event);
}

/* ---- all ---- */

static bool judge_target(struct bc_judge *judge, const struct section *section)
{
	const struct bc_program_kind *kind = section->kind;

	if (!kind)
		return add_unknown(judge, section, "libbpf knows no such section");
	if (kind->target == BC_TARGET_NONE)
		return true;
	if (kind->target == BC_TARGET_USER)
		return add_unknown(judge, section, "not in the kernel");
	if (kind->target == BC_TARGET_PROGRAM)
		return add_unknown(judge, section, "of another BPF program");
	if (!section->extras || !*section->extras)
		return add_unknown(judge, section, "named when it is loaded");
	switch (kind->target) {
	case BC_TARGET_PATTERN:
		return judge_pattern(judge, section);
	case BC_TARGET_SYSCALL:
		return judge_syscall(judge, section, section->extras);
	case BC_TARGET_EVENT:
		return judge_event(judge, section);
	default:
		return judge_named(judge, section);
	}
}

static bool same_name(const char *a, const char *b)
{
	return a == b || !strcmp(a, b);
}

/* Programs of one section follow each other; what is in .text belongs to others. */
static bool next_section(const struct bc_judge *judge, struct section *section)
{
	const struct bc_relies *relies = judge->object->relies;
	uint32_t first = section->end;

	while (first < relies->program_count &&
	       !strncmp(relies->programs[first].section, ".text", strlen(".text")))
		first++;
	if (first == relies->program_count)
		return false;
	*section = (struct section){ .name = relies->programs[first].section, .first = first };
	for (section->end = first + 1;
	     section->end < relies->program_count &&
	     same_name(relies->programs[section->end].section, section->name);)
		section->end++;
	section->plain = section->name + (*section->name == '?');
	if (strnlen(section->name, MAX_SECTION_NAME) < MAX_SECTION_NAME)
		section->kind = bc_program_kind_of(section->plain, &section->extras);
	return true;
}

bool bc_judge_programs(struct bc_judge *judge)
{
	struct section section = { 0 };
	uint32_t first = judge->judgement->count;

	while (next_section(judge, &section))
		if (!judge_types(judge, &section, first))
			return false;
	section = (struct section){ 0 };
	while (next_section(judge, &section))
		if (!judge_target(judge, &section))
			return false;
	return true;
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/choose.h"

#include <stdlib.h>
#include <string.h>

const char *const bc_function_reason_texts[BC_FUNCTION_REASON_COUNT] = {
	NULL,
#define BC_FUNCTION_REASON_TEXT(name, text) text,
	BC_FUNCTION_REASONS(BC_FUNCTION_REASON_TEXT)
#undef BC_FUNCTION_REASON_TEXT
};

struct chooser {
	const struct bc_interner *interner;
	const struct bc_string_ids *names;
	/* Pairs of nodes still to be compared: types nest without bound. */
	uint32_t (*pending)[2];
	uint32_t pending_count, pending_limit;
	struct bc_err *err;
};

static bool push(struct chooser *chooser, uint32_t a, uint32_t b)
{
	if (chooser->pending_count == chooser->pending_limit) {
		uint32_t limit = chooser->pending_limit ? 2 * chooser->pending_limit : 256;
		void *grown = realloc(chooser->pending, limit * sizeof(*chooser->pending));

		if (!grown)
			return bc_err_memory(chooser->err, limit * sizeof(*chooser->pending));
		chooser->pending = grown;
		chooser->pending_limit = limit;
	}
	chooser->pending[chooser->pending_count][0] = a;
	chooser->pending[chooser->pending_count++][1] = b;
	return true;
}

static int compare_texts(const struct chooser *chooser, uint32_t a, uint32_t b)
{
	char packed_a[4], packed_b[4];

	return a == b ? 0 :
			strcmp(bc_string_id_text(chooser->names, a, packed_a),
			       bc_string_id_text(chooser->names, b, packed_b));
}

static const uint32_t *node_of(const struct chooser *chooser, uint32_t id)
{
	static const uint32_t nothing[BC_LEAF_WORDS] = { 0 };

	return id && id != BC_INDEX_TYPE ? bc_interned(chooser->interner, id) : nothing;
}

/* A modifier without effect on whether prototypes agree. */
static uint32_t skip_const(const struct chooser *chooser, uint32_t id)
{
	while (bc_info_kind(node_of(chooser, id)[1]) == BC_CONST)
		id = node_of(chooser, id)[2];
	return id;
}

/* Class and name of a type that agrees by name; false: it has to be looked into. */
static bool has_tag(const uint32_t *node, uint32_t *tag_class, uint32_t *name)
{
	uint32_t kind = bc_info_kind(node[1]);

	*name = node[0];
	if (kind == BC_LEAF_KIND)
		*tag_class = bc_info_vlen(node[1]);
	else if (kind == BC_TYPEDEF || kind == BC_INT || kind == BC_FLOAT)
		*tag_class = BC_TAG_NONE + kind;
	else
		return false;
	return *name != 0;
}

/*
 * Whether two types agree as far as a caller sees: by name where they have
 * one, else part by part; a const on one side only is no difference.
 */
static bool parts_agree(struct chooser *chooser, uint32_t a, uint32_t b, bool *agree)
{
	const uint32_t *node_a, *node_b;
	uint32_t class_a = 0, class_b = 0, name_a, name_b;
	struct bc_edges edges;
	bool tag_a, tag_b;

	a = skip_const(chooser, a);
	b = skip_const(chooser, b);
	if (a == b)
		return true;
	node_a = node_of(chooser, a);
	node_b = node_of(chooser, b);
	tag_a = has_tag(node_a, &class_a, &name_a);
	tag_b = has_tag(node_b, &class_b, &name_b);
	if (tag_a || tag_b) {
		*agree = tag_a && tag_b && class_a == class_b &&
			 !compare_texts(chooser, name_a, name_b);
		return true;
	}
	*agree = node_a[1] == node_b[1] &&
		 (bc_info_kind(node_a[1]) != BC_ARRAY || node_a[5] == node_b[5]);
	edges = bc_edges(node_a);
	for (uint32_t i = 0; *agree && i < edges.count; i++)
		if (!push(chooser, bc_edge(node_a, edges, i), bc_edge(node_b, edges, i)))
			return false;
	return true;
}

static bool protos_agree(struct chooser *chooser, uint32_t a, uint32_t b, bool *agree)
{
	*agree = true;
	chooser->pending_count = 0;
	if (!push(chooser, a, b))
		return false;
	while (*agree && chooser->pending_count) {
		uint32_t last = --chooser->pending_count;

		if (!parts_agree(chooser, chooser->pending[last][0], chooser->pending[last][1],
				 agree))
			return false;
	}
	return true;
}

/* Below 0, 0 or above 0 in *ORDER: by content, tags by class and name. */
static bool compare_content(struct chooser *chooser, uint32_t a, uint32_t b, int *order)
{
	*order = 0;
	chooser->pending_count = 0;
	if (!push(chooser, a, b))
		return false;
	while (!*order && chooser->pending_count) {
		uint32_t last = --chooser->pending_count;
		uint32_t left = chooser->pending[last][0], right = chooser->pending[last][1];
		const uint32_t *node_a = node_of(chooser, left);
		const uint32_t *node_b = node_of(chooser, right);
		struct bc_edges edges = bc_edges(node_a);
		uint32_t count = bc_element_count(node_a[1]);

		if (left == right)
			continue;
		*order = (node_a[1] > node_b[1]) - (node_a[1] < node_b[1]);
		if (!*order)
			*order = compare_texts(chooser, node_a[0], node_b[0]);
		for (uint32_t i = 0; !*order && i < count; i++)
			if (bc_node_kind(node_a) == BC_FUNC_PROTO)
				*order = compare_texts(chooser, bc_element(node_a, i)[0],
						       bc_element(node_b, i)[0]);
		for (uint32_t i = edges.count; !*order && i-- > 0;)
			if (!push(chooser, bc_edge(node_a, edges, i), bc_edge(node_b, edges, i)))
				return false;
	}
	return true;
}

/* How well the symbol's addresses point at a candidate. */
enum match {
	MATCH_NONE,
	MATCH_OPTIMIZED, /* at a body that lost parameters */
	MATCH_BODY,
};

/*
 * A body may begin a little behind its symbol: arm64 kernels have room for
 * patching there, which DWARF does not count.
 */
static enum match match_address(const struct bc_symbol *symbol,
				const struct bc_candidate *candidate)
{
	for (uint32_t i = 0; candidate->has_address && i < symbol->address_count; i++) {
		const struct bc_symbol_address *address = &symbol->addresses[i];
		uint64_t behind = candidate->address - address->address;

		if (!behind || behind < address->size_bytes)
			return address->is_optimized && candidate->is_incomplete ?
				       MATCH_OPTIMIZED :
				       MATCH_BODY;
	}
	return MATCH_NONE;
}

static bool better(struct chooser *chooser, const struct bc_symbol *symbol,
		   const struct bc_candidate *a, const struct bc_candidate *b, bool *is_better)
{
	enum match match_a = match_address(symbol, a), match_b = match_address(symbol, b);
	int order = 0;

	if (match_a == match_b && !compare_content(chooser, a->proto, b->proto, &order))
		return false;
	*is_better = match_a != match_b ? match_a > match_b : order < 0;
	return true;
}

static bool find_best(struct chooser *chooser, const struct bc_symbol *symbol,
		      const struct bc_candidate *candidates, uint32_t count, uint32_t *best)
{
	*best = 0;
	for (uint32_t i = 1; i < count; i++) {
		bool is_better;

		if (!better(chooser, symbol, &candidates[i], &candidates[*best], &is_better))
			return false;
		if (is_better)
			*best = i;
	}
	return true;
}

/* COUNT candidates of one symbol, sorted by prototype. */
static bool judge(struct chooser *chooser, const struct bc_symbol *symbol,
		  const struct bc_candidate *candidates, uint32_t count, uint32_t *best,
		  enum bc_function_reason *reason)
{
	bool elsewhere = false, reordered = false, agree = true;

	for (uint32_t i = 0; i < count; i++) {
		elsewhere |= candidates[i].is_elsewhere;
		reordered |= candidates[i].is_reordered;
		if (i && agree && candidates[i].proto != candidates[i - 1].proto &&
		    !protos_agree(chooser, candidates[i - 1].proto, candidates[i].proto, &agree))
			return false;
	}
	if (!find_best(chooser, symbol, candidates, count, best))
		return false;
	*reason = elsewhere		     ? BC_FUNCTION_ELSEWHERE :
		  !agree		     ? BC_FUNCTION_INCONSISTENT :
		  reordered		     ? BC_FUNCTION_REORDERED :
		  symbol->address_count > 1  ? BC_FUNCTION_AMBIGUOUS :
		  match_address(symbol, &candidates[*best]) == MATCH_OPTIMIZED ?
			  BC_FUNCTION_INCOMPLETE :
			  BC_FUNCTION_IN;
	return true;
}

static int compare_candidates(const void *a, const void *b)
{
	const struct bc_candidate *one = a, *other = b;

	if (one->symbol != other->symbol)
		return one->symbol < other->symbol ? -1 : 1;
	return (one->proto > other->proto) - (one->proto < other->proto);
}

static bool choose_all(struct chooser *chooser, struct bc_chosen *chosen,
		       struct bc_candidate *candidates, uint32_t candidate_count,
		       const struct bc_symbols *symbols)
{
	uint32_t begin, i;

	for (begin = 0; begin < candidate_count; begin = i) {
		const struct bc_symbol *symbol = &symbols->symbols[candidates[begin].symbol];
		enum bc_function_reason reason;
		uint32_t best;

		for (i = begin + 1; i < candidate_count &&
				    candidates[i].symbol == candidates[begin].symbol;
		     i++)
			;
		if (!judge(chooser, symbol, candidates + begin, i - begin, &best, &reason))
			return false;
		chosen->left_out[reason]++;
		if (reason == BC_FUNCTION_IN)
			chosen->roots[chosen->count++] = (struct bc_root){
				.name = symbol->name,
				.node = candidates[begin + best].proto,
				.unit = candidates[begin + best].unit,
			};
	}
	return true;
}

bool bc_choose_functions(struct bc_chosen *chosen, struct bc_candidate *candidates,
			 uint32_t candidate_count, const struct bc_symbols *symbols,
			 const struct bc_interner *interner, const struct bc_string_ids *names,
			 struct bc_arena *arena, struct bc_err *err)
{
	struct chooser chooser = { .interner = interner, .names = names, .err = err };
	bool done;

	*chosen = (struct bc_chosen){ 0 };
	chosen->roots = bc_arena_alloc(arena, symbols->count, sizeof(*chosen->roots), err);
	if (!chosen->roots)
		return false;
	if (candidate_count)
		qsort(candidates, candidate_count, sizeof(*candidates), compare_candidates);
	done = choose_all(&chooser, chosen, candidates, candidate_count, symbols);
	free(chooser.pending);
	chosen->function_count = chosen->count;
	return done;
}

/* ---- tags ---- */

void bc_choose_tags(struct bc_chosen *chosen, const struct bc_kfunc *kfuncs, uint32_t count)
{
	static const char *const kfunc[] = { "bpf_kfunc", NULL };
	static const char *const fastcall[] = { "bpf_kfunc", "bpf_fastcall", NULL };

	/* Both are sorted by name. */
	for (uint32_t i = 0, j = 0; i < chosen->function_count && j < count;) {
		int order = strcmp(chosen->roots[i].name, kfuncs[j].name);

		if (!order)
			chosen->roots[i].tags =
				kfuncs[j].tags & BC_KFUNC_TAG_FASTCALL ? fastcall : kfunc;
		i += order <= 0;
		j += order >= 0;
	}
}

/* ---- variables ---- */

/* Names that the compiler or a macro makes; nobody looks for them. */
static bool is_made_up(const char *name)
{
	static const char *const prefixes[] = {
		"__UNIQUE_ID", "__tpstrtab_", "__exitcall_", "__gendwarfksyms_ptr_",
		"__func_stack_frame_non_standard_",
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* As kernels check names: up to 127 bytes of letters, digits, '_' and '.', no digit first. */
static bool is_kernel_name(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789_.");

	return length && length < 128 && !name[length] && !(name[0] >= '0' && name[0] <= '9');
}

struct placed {
	const char *name;
	const struct bc_variable *variable;
};

static int compare_placed(const void *a, const void *b)
{
	const struct placed *one = a, *other = b;
	int order = (one->variable->offset > other->variable->offset) -
		    (one->variable->offset < other->variable->offset);

	if (!order)
		order = strcmp(one->name, other->name);
	return order ? order : one->variable->is_external - other->variable->is_external;
}

bool bc_choose_variables(struct bc_chosen *chosen, struct bc_variable *variables, uint32_t count,
			 const struct bc_string_ids *names, struct bc_arena *arena,
			 struct bc_err *err)
{
	struct bc_root *roots = bc_arena_alloc(arena, (size_t)chosen->count + count,
					       sizeof(*roots), err);
	struct placed *placed = bc_arena_alloc(arena, count, sizeof(*placed), err);
	uint32_t kept = 0;

	if (!roots || !placed)
		return false;
	memcpy(roots, chosen->roots, chosen->count * sizeof(*roots));
	chosen->roots = roots;
	for (uint32_t i = 0; i < count; i++) {
		char packed[4];
		const char *text = bc_string_id_text(names, variables[i].name, packed);
		char *name;

		if (is_made_up(text) || !is_kernel_name(text) || !variables[i].reference)
			continue;
		name = bc_arena_alloc(arena, strlen(text) + 1, 1, err);
		if (!name)
			return false;
		placed[kept++] = (struct placed){ strcpy(name, text), &variables[i] };
	}
	qsort(placed, kept, sizeof(*placed), compare_placed);
	for (uint32_t i = 0; i < kept; i++) {
		if (i && !compare_placed(&placed[i - 1], &placed[i]))
			continue;
		roots[chosen->count++] = (struct bc_root){
			.name = placed[i].name,
			.node = placed[i].variable->reference,
			.unit = placed[i].variable->unit,
			.is_variable = true,
			.is_external = placed[i].variable->is_external,
			.offset = (uint32_t)placed[i].variable->offset,
		};
	}
	return true;
}

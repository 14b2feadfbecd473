/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/choose.h"

#include "dwarf/packed.h"

#include <stdlib.h>
#include <string.h>

const char *const bc_function_reason_texts[BC_FUNCTION_REASON_COUNT] = {
	NULL,
#define BC_FUNCTION_REASON_TEXT(name, text) text,
	BC_FUNCTION_REASONS(BC_FUNCTION_REASON_TEXT)
#undef BC_FUNCTION_REASON_TEXT
};

/* How well the symbol's addresses point at a candidate. */
enum match {
	MATCH_NONE,
	MATCH_OPTIMIZED, /* at a body that lost parameters */
	MATCH_BODY,
};

static const struct bc_symbol_address *symbol_of(const struct bc_symbol *symbol,
						 const struct bc_candidate *candidate)
{
	return candidate->has_address ? bc_symbol_at(symbol, candidate->file, candidate->address) :
					NULL;
}

static enum match match_address(const struct bc_symbol *symbol,
				const struct bc_candidate *candidate)
{
	const struct bc_symbol_address *at = symbol_of(symbol, candidate);

	if (!at)
		return MATCH_NONE;
	return (at->is_optimized || candidate->is_changed) && candidate->is_incomplete ?
		       MATCH_OPTIMIZED :
		       MATCH_BODY;
}

static struct bc_meant meant(const struct bc_candidate *candidate)
{
	return (struct bc_meant){ candidate->proto, candidate->unit };
}

static bool better(struct bc_content *content, const struct bc_symbol *symbol,
		   const struct bc_candidate *a, const struct bc_candidate *b, bool *is_better)
{
	enum match match_a = match_address(symbol, a), match_b = match_address(symbol, b);
	int order = 0;

	if (match_a == match_b && !bc_content_compare(content, meant(a), meant(b), &order))
		return false;
	*is_better = match_a != match_b ? match_a > match_b : order < 0;
	return true;
}

static bool find_best(struct bc_content *content, const struct bc_symbol *symbol,
		      const struct bc_candidate *candidates, uint32_t count, uint32_t *best)
{
	*best = 0;
	for (uint32_t i = 1; i < count; i++) {
		bool is_better;

		if (!better(content, symbol, &candidates[i], &candidates[*best], &is_better))
			return false;
		if (is_better)
			*best = i;
	}
	return true;
}

/* Where a struct on the stack begins depends on its alignment, and BTF says that of none. */
static bool has_packed_on_stack(const struct bc_content *content,
				const struct bc_candidate *candidate)
{
	const struct bc_views *views = &content->views;
	uint32_t registers = bc_parameter_registers(candidate->file->machine).count;
	const uint32_t *proto = bc_views_node(views, candidate->proto);

	for (uint32_t i = registers; registers && i < bc_element_count(proto[1]); i++)
		if (bc_is_packed(views, bc_views_find(views, candidate->unit),
				 bc_element(proto, i)[1], content->pointer_bytes))
			return true;
	return false;
}

/* What was said of all candidates of a symbol together. */
struct sayings {
	bool elsewhere, uncertain, reordered, disagree;
};

static bool hear(struct bc_content *content, const struct bc_candidate *candidates, uint32_t count,
		 bool must_agree, struct sayings *said)
{
	bool agree = true;

	for (uint32_t i = 0; i < count; i++) {
		said->elsewhere |= candidates[i].is_elsewhere;
		said->uncertain |= candidates[i].is_uncertain;
		said->reordered |= candidates[i].is_reordered;
		if (must_agree && i && agree && candidates[i].proto != candidates[i - 1].proto &&
		    !bc_content_agree(content, candidates[i - 1].proto, candidates[i].proto,
				      &agree))
			return false;
	}
	said->disagree = !agree;
	return true;
}

/*
 * COUNT candidates of one symbol with prototypes, sorted by these. A body at a
 * symbol with a suffix may be called otherwise than the source says: as it is called, its
 * prototype need not agree with that of the source, nor have its order.
 */
static bool judge(struct bc_content *content, const struct bc_symbol *symbol,
		  const struct bc_candidate *candidates, uint32_t count,
		  const struct bc_features *features, struct bc_verdict *verdict)
{
	const struct bc_candidate *best;
	const struct bc_symbol_address *at;
	struct sayings said = { 0 };
	bool as_called = features->with_true_signature;

	if (!hear(content, candidates, count, features->with_consistent_func, &said) ||
	    !find_best(content, symbol, candidates, count, &verdict->best))
		return false;
	best = &candidates[verdict->best];
	at = symbol_of(symbol, best);
	as_called = as_called && at && strchr(at->full_name, '.');
	verdict->name = as_called ? at->full_name : symbol->name;
	verdict->reason = said.elsewhere               ? BC_FUNCTION_ELSEWHERE :
			  said.disagree && !as_called  ? BC_FUNCTION_INCONSISTENT :
			  said.uncertain               ? BC_FUNCTION_UNCERTAIN :
			  said.reordered && !as_called ? BC_FUNCTION_REORDERED :
			  symbol->is_ambiguous         ? BC_FUNCTION_AMBIGUOUS :
			  !features->with_true_signature &&
					  match_address(symbol, best) == MATCH_OPTIMIZED ?
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

static bool choose_all(struct bc_content *content, struct bc_chosen *chosen,
		       struct bc_candidate *candidates, uint32_t candidate_count,
		       const struct bc_symbols *symbols, const struct bc_features *features)
{
	uint32_t begin, i;

	for (begin = 0; begin < candidate_count; begin = i) {
		const struct bc_symbol *symbol = &symbols->symbols[candidates[begin].symbol];
		struct bc_verdict *verdict = &chosen->verdicts[candidates[begin].symbol];
		uint32_t first = begin; /* with a prototype */

		for (i = begin;
		     i < candidate_count && candidates[i].symbol == candidates[begin].symbol; i++)
			if (candidates[i].proto)
				candidates[i].is_uncertain = has_packed_on_stack(content,
										 &candidates[i]);
			else
				first++;
		*verdict = (struct bc_verdict){ begin, i - begin, 0, symbol->name,
						BC_FUNCTION_NAMELESS };
		if (first < i &&
		    !judge(content, symbol, candidates + first, i - first, features, verdict))
			return false;
		verdict->best += first - begin;
		chosen->left_out[verdict->reason]++;
		chosen->left_out[BC_FUNCTION_UNDEFINED]--;
		if (verdict->reason == BC_FUNCTION_IN)
			chosen->roots[chosen->count++] = (struct bc_root){
				.name = verdict->name,
				.node = candidates[begin + verdict->best].proto,
				.unit = candidates[begin + verdict->best].unit,
			};
	}
	return true;
}

static int compare_roots(const void *a, const void *b)
{
	const struct bc_root *one = a, *other = b;

	return strcmp(one->name, other->name);
}

static bool make_verdicts(struct bc_chosen *chosen, uint32_t symbol_count, struct bc_arena *arena,
			  struct bc_err *err)
{
	chosen->verdicts = bc_arena_zalloc(arena, symbol_count, sizeof(*chosen->verdicts), err);
	for (uint32_t i = 0; chosen->verdicts && i < symbol_count; i++)
		chosen->verdicts[i].reason = BC_FUNCTION_UNDEFINED;
	chosen->left_out[BC_FUNCTION_UNDEFINED] = symbol_count;
	return chosen->verdicts != NULL;
}

bool bc_choose_functions(struct bc_chosen *chosen, struct bc_candidate *candidates,
			 uint32_t candidate_count, const struct bc_symbols *symbols,
			 struct bc_content *content, const struct bc_features *features,
			 struct bc_arena *arena, struct bc_err *err)
{
	*chosen = (struct bc_chosen){ 0 };
	chosen->roots = bc_arena_alloc(arena, symbols->count, sizeof(*chosen->roots), err);
	chosen->candidates = candidates;
	if (!chosen->roots || !make_verdicts(chosen, symbols->count, arena, err))
		return false;
	if (candidate_count)
		qsort(candidates, candidate_count, sizeof(*candidates), compare_candidates);
	if (!choose_all(content, chosen, candidates, candidate_count, symbols, features))
		return false;
	/* Suffixes move some. */
	if (features->with_true_signature && chosen->count)
		qsort(chosen->roots, chosen->count, sizeof(*chosen->roots), compare_roots);
	chosen->function_count = chosen->count;
	return true;
}

/* ---- tags ---- */

void bc_choose_tags(struct bc_chosen *chosen, const struct bc_kfuncs *kfuncs)
{
	static const char *const kfunc[] = { "bpf_kfunc", NULL };
	static const char *const fastcall[] = { "bpf_kfunc", "bpf_fastcall", NULL };

	/* Both are sorted by name. */
	for (uint32_t i = 0, j = 0; i < chosen->function_count && j < kfuncs->count;) {
		int order = strcmp(chosen->roots[i].name, kfuncs->items[j].name);

		if (!order)
			chosen->roots[i].tags = kfuncs->items[j].flags & BC_KFUNC_FASTCALL ?
							fastcall :
							kfunc;
		i += order <= 0;
		j += order >= 0;
	}
}

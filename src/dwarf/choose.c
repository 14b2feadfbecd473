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

static int compare_protos(const void *a, const void *b)
{
	const struct bc_candidate *one = a, *other = b;

	return (one->proto > other->proto) - (one->proto < other->proto);
}

/* All that the threads need to decide on symbols, each on its own. */
struct chooser {
	struct bc_chosen *chosen;
	struct bc_candidate *candidates; /* by symbol */
	const struct bc_symbols *symbols;
	struct bc_content *contents;
	const struct bc_features *features;
	struct bc_shared_err trouble;
};

static bool choose(const struct chooser *chooser, struct bc_content *content, uint32_t number)
{
	struct bc_verdict *verdict = &chooser->chosen->verdicts[number];
	struct bc_candidate *candidates = chooser->candidates + verdict->first;
	uint32_t count = verdict->count, nameless = 0;

	if (!count)
		return true;
	if (count > 1)
		qsort(candidates, count, sizeof(*candidates), compare_protos);
	while (nameless < count && !candidates[nameless].proto)
		nameless++;
	for (uint32_t i = nameless; i < count; i++)
		candidates[i].is_uncertain = has_packed_on_stack(content, &candidates[i]);
	verdict->reason = BC_FUNCTION_NAMELESS;
	verdict->name = chooser->symbols->symbols[number].name;
	if (nameless < count &&
	    !judge(content, &chooser->symbols->symbols[number], candidates + nameless,
		   count - nameless, chooser->features, verdict))
		return false;
	verdict->best += nameless;
	return true;
}

static void choose_some(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	struct chooser *chooser = context;

	for (uint32_t number = begin; number < end; number++) {
		if (!choose(chooser, &chooser->contents[worker], number)) {
			bc_shared_err_set(&chooser->trouble, chooser->contents[worker].err);
			return;
		}
	}
}

static bool make_verdicts(struct bc_chosen *chosen, const struct bc_candidate_list *lists,
			  uint32_t count, uint32_t symbol_count, struct bc_arena *arena,
			  struct bc_err *err)
{
	uint32_t first = 0;

	chosen->verdicts = bc_arena_zalloc(arena, symbol_count, sizeof(*chosen->verdicts), err);
	if (!chosen->verdicts)
		return false;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < lists[i].count; k++)
			chosen->verdicts[lists[i].items[k].symbol].count++;
	for (uint32_t number = 0; number < symbol_count; number++) {
		struct bc_verdict *verdict = &chosen->verdicts[number];

		verdict->reason = BC_FUNCTION_UNDEFINED;
		verdict->first = first;
		first += verdict->count;
		verdict->count = 0;
	}
	return true;
}

/* Puts candidates with those of the same symbol. */
static bool place_candidates(struct chooser *chooser, const struct bc_candidate_list *lists,
			     uint32_t count, struct bc_arena *arena, struct bc_err *err)
{
	struct bc_verdict *verdicts = chooser->chosen->verdicts;
	size_t total = 0;

	for (uint32_t i = 0; i < count; i++)
		total += lists[i].count;
	chooser->candidates = bc_arena_alloc(arena, total, sizeof(*chooser->candidates), err);
	if (!chooser->candidates)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t k = 0; k < lists[i].count; k++) {
			struct bc_verdict *verdict = &verdicts[lists[i].items[k].symbol];

			chooser->candidates[verdict->first + verdict->count++] = lists[i].items[k];
		}
	}
	chooser->chosen->candidates = chooser->candidates;
	return true;
}

/* The functions that are in, and a count of why others are not. */
static void take_verdicts(struct bc_chosen *chosen, const struct bc_symbols *symbols)
{
	for (uint32_t number = 0; number < symbols->count; number++) {
		struct bc_verdict *verdict = &chosen->verdicts[number];
		const struct bc_candidate *best =
			&chosen->candidates[verdict->first + verdict->best];

		chosen->left_out[verdict->reason] += symbols->symbols[number].name != NULL;
		if (verdict->reason != BC_FUNCTION_IN)
			continue;
		verdict->root = chosen->count++;
		chosen->roots[verdict->root] = (struct bc_root){
			.name = verdict->name,
			.node = best->proto,
			.unit = best->unit,
		};
	}
	chosen->function_count = chosen->count;
}

#define PART 512u /* symbols that a thread decides on at once */

bool bc_choose_functions(struct bc_chosen *chosen, const struct bc_candidate_list *lists,
			 uint32_t count, const struct bc_symbols *symbols,
			 struct bc_content *contents, const struct bc_features *features,
			 struct bc_workers *workers, struct bc_arena *arena, struct bc_err *err)
{
	struct chooser chooser = {
		.chosen = chosen,
		.symbols = symbols,
		.contents = contents,
		.features = features,
		.trouble = { .err = err },
	};

	*chosen = (struct bc_chosen){ 0 };
	chosen->roots = bc_arena_alloc(arena, symbols->count, sizeof(*chosen->roots), err);
	if (!chosen->roots || !make_verdicts(chosen, lists, count, symbols->count, arena, err) ||
	    !place_candidates(&chooser, lists, count, arena, err))
		return false;
	bc_workers_share(workers, symbols->count, PART, choose_some, &chooser);
	take_verdicts(chosen, symbols);
	return !chooser.trouble.is_set;
}

/* ---- tags ---- */

void bc_choose_tags(struct bc_chosen *chosen, const struct bc_symbols *symbols,
		    const struct bc_kfuncs *kfuncs)
{
	static const char *const kfunc[] = { "bpf_kfunc", NULL };
	static const char *const fastcall[] = { "bpf_kfunc", "bpf_fastcall", NULL };

	for (uint32_t i = 0; i < kfuncs->count; i++) {
		uint32_t number;

		bc_symbols_find(symbols, &kfuncs->items[i].name, 1, &number);
		const struct bc_verdict *verdict = number ? &chosen->verdicts[number - 1] : NULL;

		/* One that is called as its symbol with a suffix is another function. */
		if (verdict && verdict->reason == BC_FUNCTION_IN &&
		    !strcmp(verdict->name, kfuncs->items[i].name))
			chosen->roots[verdict->root].tags =
				kfuncs->items[i].flags & BC_KFUNC_FASTCALL ? fastcall : kfunc;
	}
}

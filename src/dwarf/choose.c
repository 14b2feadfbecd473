/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/choose.h"

#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "dwarf/packed.h"

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

/* Which of two that say the same is meant must not depend on who came first. */
static int compare_origins(const struct bc_candidate *a, const struct bc_candidate *b)
{
	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	return bc_compare_u64(a->address, b->address);
}

static bool better(struct bc_content *content, const struct bc_symbol *symbol,
		   const struct bc_candidate *a, const struct bc_candidate *b, bool *is_better)
{
	enum match match_a = match_address(symbol, a), match_b = match_address(symbol, b);
	int order = 0;

	if (match_a == match_b && !bc_content_compare(content, meant(a), meant(b), &order))
		return false;
	order = order ? order : compare_origins(a, b);
	*is_better = match_a != match_b ? match_a > match_b : order < 0;
	return true;
}

static bool find_best(struct bc_content *content, const struct bc_symbol *symbol,
		      struct bc_candidate *const *candidates, uint32_t count,
		      const struct bc_candidate **best)
{
	*best = candidates[0];
	for (uint32_t i = 1; i < count; i++) {
		bool is_better;

		if (!better(content, symbol, candidates[i], *best, &is_better))
			return false;
		if (is_better)
			*best = candidates[i];
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

static bool hear(struct bc_content *content, struct bc_candidate *const *candidates, uint32_t count,
		 bool must_agree, struct sayings *said)
{
	bool agree = true;

	for (uint32_t i = 0; i < count; i++) {
		said->elsewhere |= candidates[i]->is_elsewhere;
		said->uncertain |= candidates[i]->is_uncertain;
		said->reordered |= candidates[i]->is_reordered;
		if (must_agree && i && agree && candidates[i]->proto != candidates[i - 1]->proto &&
		    !bc_content_agree(content, candidates[i - 1]->proto, candidates[i]->proto,
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
		  struct bc_candidate *const *candidates, uint32_t count,
		  const struct bc_features *features, struct bc_verdict *verdict)
{
	const struct bc_symbol_address *at;
	struct sayings said = { 0 };
	bool as_called = features->with_true_signature;

	if (!hear(content, candidates, count, features->with_consistent_func, &said) ||
	    !find_best(content, symbol, candidates, count, &verdict->best))
		return false;
	at = symbol_of(symbol, verdict->best);
	as_called = as_called && at && strchr(at->full_name, '.');
	verdict->name = as_called ? at->full_name : symbol->name;
	verdict->reason = said.elsewhere               ? BC_FUNCTION_ELSEWHERE :
			  said.disagree && !as_called  ? BC_FUNCTION_INCONSISTENT :
			  said.uncertain               ? BC_FUNCTION_UNCERTAIN :
			  said.reordered && !as_called ? BC_FUNCTION_REORDERED :
			  symbol->is_ambiguous         ? BC_FUNCTION_AMBIGUOUS :
			  !features->with_true_signature &&
					  match_address(symbol, verdict->best) == MATCH_OPTIMIZED ?
						 BC_FUNCTION_INCOMPLETE :
						 BC_FUNCTION_IN;
	return true;
}

/* ---- threads ---- */

#define PART 512u /* symbols that a thread decides on at once */

/* All that the threads need to decide on symbols, each on its own. */
struct chooser {
	struct bc_chosen *chosen;
	const struct bc_candidate_list *lists;
	const struct bc_symbols *symbols;
	struct bc_content *contents;
	const struct bc_features *features;
	uint32_t *roots_before; /* by part; first those in it */
	struct bc_shared_err trouble;
};

/* Puts the candidates of a list with others of the same symbol, in no order. */
static void link_some(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct chooser *chooser = context;

	(void)worker;
	for (uint32_t i = begin; i < end; i++) {
		const struct bc_candidate_list *list = &chooser->lists[i];

		for (uint32_t k = 0; k < list->count; k++) {
			struct bc_candidate *candidate = &list->items[k];
			struct bc_verdict *verdict = &chooser->chosen->verdicts[candidate->symbol];

			candidate->next = __atomic_exchange_n(&verdict->candidates, candidate,
							      __ATOMIC_RELAXED);
		}
	}
}

/* The candidates of a symbol, for the time that it is decided on. */
struct gathered {
	struct bc_candidate **items;
	uint32_t count, limit;
};

static int compare_protos(const void *a, const void *b)
{
	const struct bc_candidate *const *one = a, *const *other = b;

	return ((*one)->proto > (*other)->proto) - ((*one)->proto < (*other)->proto);
}

/* Sorted by their prototypes, those without one first. */
static bool gather(struct gathered *gathered, struct bc_candidate *first, struct bc_err *err)
{
	gathered->count = 0;
	for (struct bc_candidate *candidate = first; candidate; candidate = candidate->next) {
		if (!bc_make_room(&gathered->items, &gathered->limit, (uint64_t)gathered->count + 1,
				  sizeof(struct bc_candidate *), err))
			return false;
		gathered->items[gathered->count++] = candidate;
	}
	if (gathered->count > 1)
		qsort(gathered->items, gathered->count, sizeof(struct bc_candidate *),
		      compare_protos);
	return true;
}

static bool choose(const struct chooser *chooser, struct bc_content *content,
		   struct gathered *gathered, uint32_t number)
{
	struct bc_verdict *verdict = &chooser->chosen->verdicts[number];
	uint32_t nameless = 0;

	verdict->reason = BC_FUNCTION_UNDEFINED;
	if (!verdict->candidates)
		return true;
	if (!gather(gathered, verdict->candidates, content->err))
		return false;
	while (nameless < gathered->count && !gathered->items[nameless]->proto)
		nameless++;
	for (uint32_t i = nameless; i < gathered->count; i++)
		gathered->items[i]->is_uncertain = has_packed_on_stack(content, gathered->items[i]);
	verdict->reason = BC_FUNCTION_NAMELESS;
	verdict->name = chooser->symbols->symbols[number].name;
	return nameless == gathered->count ||
	       judge(content, &chooser->symbols->symbols[number], gathered->items + nameless,
		     gathered->count - nameless, chooser->features, verdict);
}

static void choose_some(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	struct chooser *chooser = context;
	struct gathered gathered = { 0 };
	uint32_t in = 0;

	for (uint32_t number = begin; number < end; number++) {
		if (!choose(chooser, &chooser->contents[worker], &gathered, number)) {
			bc_shared_err_set(&chooser->trouble, chooser->contents[worker].err);
			break;
		}
		in += chooser->chosen->verdicts[number].reason == BC_FUNCTION_IN;
	}
	chooser->roots_before[begin / PART] = in;
	free(gathered.items);
}

/* The functions that are in, and a count of why others are not. */
static void take_some(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct chooser *chooser = context;
	struct bc_chosen *chosen = chooser->chosen;
	uint32_t root = chooser->roots_before[begin / PART];
	uint64_t left_out[BC_FUNCTION_REASON_COUNT] = { 0 };

	(void)worker;
	for (uint32_t number = begin; number < end; number++) {
		struct bc_verdict *verdict = &chosen->verdicts[number];

		left_out[verdict->reason] += chooser->symbols->symbols[number].name != NULL;
		if (verdict->reason != BC_FUNCTION_IN)
			continue;
		verdict->root = root++;
		chosen->roots[verdict->root] = (struct bc_root){
			.name = verdict->name,
			.node = verdict->best->proto,
			.unit = verdict->best->unit,
		};
	}
	for (uint32_t i = 0; i < BC_FUNCTION_REASON_COUNT; i++)
		__atomic_fetch_add(&chosen->left_out[i], left_out[i], __ATOMIC_RELAXED);
}

/* Makes the roots of the functions that are in, and room for others behind them. */
static bool take_verdicts(struct chooser *chooser, uint32_t variable_limit,
			  struct bc_workers *workers, struct bc_arena *arena, struct bc_err *err)
{
	struct bc_chosen *chosen = chooser->chosen;
	uint32_t symbol_count = chooser->symbols->count;

	for (uint32_t part = 0; (uint64_t)part * PART < symbol_count; part++) {
		uint32_t in = chooser->roots_before[part];

		chooser->roots_before[part] = chosen->count;
		chosen->count += in;
	}
	chosen->roots = bc_arena_alloc(arena, (uint64_t)chosen->count + variable_limit,
				       sizeof(*chosen->roots), err);
	if (!chosen->roots)
		return false;
	bc_workers_share(workers, symbol_count, PART, take_some, chooser);
	chosen->function_count = chosen->count;
	return true;
}

bool bc_choose_functions(struct bc_chosen *chosen, const struct bc_candidate_list *lists,
			 uint32_t count, uint32_t variable_limit, const struct bc_symbols *symbols,
			 struct bc_content *contents, const struct bc_features *features,
			 struct bc_workers *workers, struct bc_arena *arena, struct bc_err *err)
{
	struct chooser chooser = {
		.chosen = chosen,
		.lists = lists,
		.symbols = symbols,
		.contents = contents,
		.features = features,
		.trouble = { .err = err },
	};

	*chosen = (struct bc_chosen){ 0 };
	chosen->verdicts = bc_arena_zalloc(arena, symbols->count, sizeof(*chosen->verdicts), err);
	chooser.roots_before = bc_arena_alloc(arena, symbols->count / PART + 1, sizeof(uint32_t),
					      err);
	if (!chosen->verdicts || !chooser.roots_before)
		return false;
	bc_workers_share(workers, count, 1, link_some, &chooser);
	bc_workers_share(workers, symbols->count, PART, choose_some, &chooser);
	return !chooser.trouble.is_set &&
	       take_verdicts(&chooser, variable_limit, workers, arena, err);
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

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

/* One unit's view of conflicted tags, by unit. Units without one see them plainly. */
struct view {
	uint32_t unit;
	const struct bc_meaning *meaning;
};

/* Two nodes to be compared, each as its candidate's unit means it or, with plain set, plainly. */
struct pair {
	uint32_t node[2];
	bool plain[2];
};

struct chooser {
	const struct bc_census *census;
	const struct bc_interner *interner;
	const uint8_t *has_plain; /* by number */
	const struct bc_string_ids *names;
	struct view *views; /* by unit */
	uint32_t view_count;
	/*
	 * What is compared, in the order in which it is met, each pair once: types
	 * nest without bound, and share what is below them.
	 */
	struct pair *pairs;
	uint32_t pair_count, pair_limit, next_pair;
	uint32_t *slots; /* hash of pairs; number of the pair + 1 */
	uint32_t slot_count;
	const struct bc_meaning *meaning[2];
	bool must_agree;
	struct bc_err *err;
};

static uint32_t hash_pair(const struct pair *pair)
{
	uint64_t hash = ((uint64_t)pair->node[0] << 32 | pair->node[1]) *
			UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(hash >> 32) + 2u * pair->plain[0] + pair->plain[1];
}

static bool same_pair(const struct pair *a, const struct pair *b)
{
	return a->node[0] == b->node[0] && a->node[1] == b->node[1] && a->plain[0] == b->plain[0] &&
	       a->plain[1] == b->plain[1];
}

static uint32_t find_slot(const struct chooser *chooser, const struct pair *pair)
{
	uint32_t at = hash_pair(pair) & (chooser->slot_count - 1);

	while (chooser->slots[at] && !same_pair(&chooser->pairs[chooser->slots[at] - 1], pair))
		at = (at + 1) & (chooser->slot_count - 1);
	return at;
}

/* Empties the list of pairs; a slot in use belongs to a pair. */
static void clear_pairs(struct chooser *chooser)
{
	for (uint32_t i = chooser->pair_count; i-- > 0;)
		chooser->slots[find_slot(chooser, &chooser->pairs[i])] = 0;
	chooser->pair_count = chooser->next_pair = 0;
}

static bool grow_pairs(struct chooser *chooser)
{
	uint32_t limit = chooser->pair_limit ? 2 * chooser->pair_limit : 256;
	struct pair *pairs = realloc(chooser->pairs, limit * sizeof(*pairs));
	uint32_t *slots = calloc(2 * (size_t)limit, sizeof(*slots));

	if (pairs)
		chooser->pairs = pairs;
	if (!pairs || !slots) {
		free(slots);
		return bc_err_memory(chooser->err, limit * sizeof(*pairs));
	}
	free(chooser->slots);
	chooser->slots = slots;
	chooser->slot_count = 2 * limit;
	chooser->pair_limit = limit;
	for (uint32_t i = 0; i < chooser->pair_count; i++)
		slots[find_slot(chooser, &pairs[i])] = i + 1;
	return true;
}

static bool push(struct chooser *chooser, struct pair pair)
{
	uint32_t slot;

	if (chooser->pair_count == chooser->pair_limit && !grow_pairs(chooser))
		return false;
	slot = find_slot(chooser, &pair);
	if (chooser->slots[slot])
		return true;
	chooser->pairs[chooser->pair_count++] = pair;
	chooser->slots[slot] = chooser->pair_count;
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
	/* Behind the words that stand before those of a node. */
	static const uint32_t nothing[2 + BC_LEAF_WORDS] = { 0, BC_HEAD_WORDS };

	return id && id != BC_INDEX_TYPE ? bc_interned(chooser->interner, id) : nothing + 2;
}

/* ---- whether prototypes agree ---- */

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
		if (!push(chooser,
			  (struct pair){ { bc_edge(node_a, edges, i), bc_edge(node_b, edges, i) },
					 { false, false } }))
			return false;
	return true;
}

static bool protos_agree(struct chooser *chooser, uint32_t a, uint32_t b, bool *agree)
{
	*agree = true;
	clear_pairs(chooser);
	if (!push(chooser, (struct pair){ { a, b }, { false, false } }))
		return false;
	while (*agree && chooser->next_pair < chooser->pair_count) {
		struct pair pair = chooser->pairs[chooser->next_pair++];

		if (!parts_agree(chooser, pair.node[0], pair.node[1], agree))
			return false;
	}
	return true;
}

/* ---- which prototype comes first ---- */

static int compare_views(const void *a, const void *b)
{
	const struct view *one = a, *other = b;

	return (one->unit > other->unit) - (one->unit < other->unit);
}

static const struct bc_meaning *meaning_of(const struct chooser *chooser, uint32_t unit)
{
	struct view key = { unit, NULL };
	const struct view *found = chooser->view_count ?
					   bsearch(&key, chooser->views, chooser->view_count,
						   sizeof(key), compare_views) :
					   NULL;

	return found ? found->meaning : NULL;
}

static uint32_t body_under(const struct bc_meaning *meaning, uint32_t leaf)
{
	uint32_t low = 0, high = meaning ? meaning->body_count : 0;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (meaning->bodies[middle].leaf < leaf)
			low = middle + 1;
		else
			high = middle;
	}
	return meaning && low < meaning->body_count && meaning->bodies[low].leaf == leaf ?
		       meaning->bodies[low].body :
		       0;
}

/* The body of a leaf as far as it will be written there; else the leaf remains. */
static void resolve_leaf(const struct chooser *chooser, struct pair *pair, uint32_t side)
{
	const struct bc_census *census = chooser->census;
	const uint32_t *leaf = node_of(chooser, pair->node[side]);
	uint32_t body;

	if (!bc_is_leaf(leaf))
		return;
	body = leaf[BC_LEAF_BODY];
	if (bc_info_kflag(leaf[BC_LEAF_INFO])) {
		pair->node[side] = body ? body : pair->node[side];
		return;
	}
	if (!pair->plain[side]) {
		uint32_t own = body_under(chooser->meaning[side], pair->node[side]);

		if (own) {
			pair->node[side] = own;
			return;
		}
	}
	pair->plain[side] = true;
	if (!body || census->conflicted[bc_census_number(census, pair->node[side])] ||
	    (census->tainted[bc_census_number(census, body)] &&
	     !chooser->has_plain[bc_census_number(census, body)]))
		return;
	pair->node[side] = body;
}

/* Whether both are one and mean one thing. */
static bool is_one(const struct chooser *chooser, const struct pair *pair)
{
	uint32_t id = pair->node[0];

	return id == pair->node[1] &&
	       (!id || id == BC_INDEX_TYPE || chooser->meaning[0] == chooser->meaning[1] ||
		(pair->plain[0] && pair->plain[1]) ||
		!chooser->census->tainted[bc_census_number(chooser->census, id)]);
}

/* Declaration tags, from word WORDS on (see intern.h). */
static int compare_own_tags(const struct chooser *chooser, const uint32_t *a, const uint32_t *b,
			    uint32_t words)
{
	uint32_t end = a[-1];
	int order = (end > b[-1]) - (end < b[-1]);

	for (uint32_t i = words; !order && i < end; i += 2) {
		order = (a[i] > b[i]) - (a[i] < b[i]);
		if (!order)
			order = compare_texts(chooser, a[i + 1], b[i + 1]);
	}
	return order;
}

/* By everything a node says itself: its references are left out. */
static int compare_words(const struct chooser *chooser, const uint32_t *a, const uint32_t *b)
{
	uint32_t mask = bc_is_leaf(a) ? ~(1u << 31) : ~0u; /* kflag: only which leaf it is */
	uint32_t kind = bc_info_kind(a[1]), words;
	int order = ((a[1] & mask) > (b[1] & mask)) - ((a[1] & mask) < (b[1] & mask));
	const struct bc_kind_shape *shape;
	struct bc_edges edges;

	if (!order)
		order = compare_texts(chooser, a[0], b[0]);
	if (order || kind == BC_VOID || bc_is_leaf(a))
		return order;
	shape = &bc_kind_shapes[kind];
	edges = bc_edges(a);
	words = bc_node_words(a[1]);
	for (uint32_t i = 2, edge = 0; !order && i < words; i++) {
		uint32_t fixed = BC_HEAD_WORDS + shape->fixed_words;

		if (edge < edges.count && bc_edge_word(edges, edge) == i)
			edge++;
		else if (i >= fixed && shape->element_name >= 0 &&
			 (i - fixed) % shape->element_words == (uint32_t)shape->element_name)
			order = compare_texts(chooser, a[i], b[i]);
		else
			order = (a[i] > b[i]) - (a[i] < b[i]);
	}
	return order ? order : compare_own_tags(chooser, a, b, words);
}

/*
 * Below 0, 0 or above 0 in *ORDER: the first difference level by level, as the
 * candidates' units mean their types. 0: they will be one type.
 */
static bool compare_content(struct chooser *chooser, const struct bc_candidate *a,
			    const struct bc_candidate *b, int *order)
{
	*order = 0;
	chooser->meaning[0] = meaning_of(chooser, a->unit);
	chooser->meaning[1] = meaning_of(chooser, b->unit);
	clear_pairs(chooser);
	if (!push(chooser, (struct pair){ { a->proto, b->proto }, { false, false } }))
		return false;
	while (!*order && chooser->next_pair < chooser->pair_count) {
		struct pair pair = chooser->pairs[chooser->next_pair++];
		const uint32_t *node_a, *node_b;
		struct bc_edges edges;

		resolve_leaf(chooser, &pair, 0);
		resolve_leaf(chooser, &pair, 1);
		if (is_one(chooser, &pair))
			continue;
		node_a = node_of(chooser, pair.node[0]);
		node_b = node_of(chooser, pair.node[1]);
		*order = compare_words(chooser, node_a, node_b);
		if (*order || !bc_kind_is_known(bc_info_kind(node_a[1])))
			continue;
		edges = bc_edges(node_a);
		for (uint32_t i = 0; i < edges.count; i++) {
			pair.node[0] = bc_edge(node_a, edges, i);
			pair.node[1] = bc_edge(node_b, edges, i);
			if (!push(chooser, pair))
				return false;
		}
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

		if (candidate->file == address->file && (!behind || behind < address->size_bytes))
			return (address->is_optimized || candidate->is_changed) &&
					       candidate->is_incomplete ?
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

	if (match_a == match_b && !compare_content(chooser, a, b, &order))
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

/* COUNT candidates of one symbol with prototypes, sorted by these. */
static bool judge(struct chooser *chooser, const struct bc_symbol *symbol,
		  const struct bc_candidate *candidates, uint32_t count, uint32_t *best,
		  enum bc_function_reason *reason)
{
	bool elsewhere = false, reordered = false, agree = true;

	for (uint32_t i = 0; i < count; i++) {
		elsewhere |= candidates[i].is_elsewhere;
		reordered |= candidates[i].is_reordered;
		if (chooser->must_agree && i && agree &&
		    candidates[i].proto != candidates[i - 1].proto &&
		    !protos_agree(chooser, candidates[i - 1].proto, candidates[i].proto, &agree))
			return false;
	}
	if (!find_best(chooser, symbol, candidates, count, best))
		return false;
	*reason = elsewhere            ? BC_FUNCTION_ELSEWHERE :
		  !agree               ? BC_FUNCTION_INCONSISTENT :
		  reordered            ? BC_FUNCTION_REORDERED :
		  symbol->is_ambiguous ? BC_FUNCTION_AMBIGUOUS :
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
		struct bc_verdict *verdict = &chosen->verdicts[candidates[begin].symbol];
		uint32_t first = begin; /* with a prototype */

		for (i = begin;
		     i < candidate_count && candidates[i].symbol == candidates[begin].symbol; i++)
			first += !candidates[i].proto;
		*verdict = (struct bc_verdict){ begin, i - begin, 0, BC_FUNCTION_NAMELESS };
		if (first < i && !judge(chooser, symbol, candidates + first, i - first,
					&verdict->best, &verdict->reason))
			return false;
		verdict->best += first - begin;
		chosen->left_out[verdict->reason]++;
		chosen->left_out[BC_FUNCTION_UNDEFINED]--;
		if (verdict->reason == BC_FUNCTION_IN)
			chosen->roots[chosen->count++] = (struct bc_root){
				.name = symbol->name,
				.node = candidates[begin + verdict->best].proto,
				.unit = candidates[begin + verdict->best].unit,
			};
	}
	return true;
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

/* Units that see conflicted tags in one way get one meaning: then nothing needs comparing. */
static bool make_views(struct chooser *chooser, const struct bc_meaning *meanings, uint32_t count,
		       struct bc_arena *arena)
{
	const struct bc_meaning **sorted = bc_arena_alloc(arena, count, sizeof(*sorted),
							  chooser->err);

	chooser->views = bc_arena_alloc(arena, count, sizeof(*chooser->views), chooser->err);
	if (!sorted || !chooser->views)
		return false;
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = &meanings[i];
	if (count)
		qsort(sorted, count, sizeof(*sorted), bc_compare_meanings);
	for (uint32_t i = 0, first = 0; i < count; i++) {
		if (bc_compare_meanings(&sorted[first], &sorted[i]))
			first = i;
		chooser->views[i] = (struct view){ sorted[i]->unit, sorted[first] };
	}
	chooser->view_count = count;
	if (count)
		qsort(chooser->views, count, sizeof(*chooser->views), compare_views);
	return true;
}

bool bc_choose_functions(struct bc_chosen *chosen, struct bc_candidate *candidates,
			 uint32_t candidate_count, const struct bc_symbols *symbols,
			 const struct bc_census *census, const uint8_t *plain,
			 const struct bc_meaning *meanings, uint32_t meaning_count,
			 const struct bc_string_ids *names, bool must_agree, struct bc_arena *arena,
			 struct bc_err *err)
{
	struct chooser chooser = {
		.census = census,
		.interner = census->interner,
		.has_plain = plain,
		.names = names,
		.must_agree = must_agree,
		.err = err,
	};
	bool done;

	*chosen = (struct bc_chosen){ 0 };
	chosen->roots = bc_arena_alloc(arena, symbols->count, sizeof(*chosen->roots), err);
	chosen->candidates = candidates;
	if (!chosen->roots || !make_verdicts(chosen, symbols->count, arena, err) ||
	    !make_views(&chooser, meanings, meaning_count, arena))
		return false;
	if (candidate_count)
		qsort(candidates, candidate_count, sizeof(*candidates), compare_candidates);
	done = choose_all(&chooser, chosen, candidates, candidate_count, symbols);
	free(chooser.pairs);
	free(chooser.slots);
	chosen->function_count = chosen->count;
	return done;
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

/* ---- variables ---- */

/* Names that the compiler or a macro makes; nobody looks for them. */
static bool is_made_up(const char *name)
{
	static const char *const prefixes[] = {
		"__UNIQUE_ID",
		"__tpstrtab_",
		"__exitcall_",
		"__gendwarfksyms_ptr_",
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

static const char **tag_texts(const struct bc_variable *variable, const struct bc_string_ids *names,
			      struct bc_arena *arena, struct bc_err *err)
{
	const char **texts = bc_arena_zalloc(arena, (size_t)variable->tag_count + 1, sizeof(*texts),
					     err);

	for (uint32_t i = 0; texts && i < variable->tag_count; i++) {
		char packed[4];
		const char *text = bc_string_id_text(names, variable->tags[i].value, packed);
		char *copy = bc_arena_alloc(arena, strlen(text) + 1, 1, err);

		if (!copy)
			return NULL;
		texts[i] = strcpy(copy, text);
	}
	return texts;
}

bool bc_choose_variables(struct bc_chosen *chosen, struct bc_variable *variables, uint32_t count,
			 const struct bc_string_ids *names, struct bc_arena *arena,
			 struct bc_err *err)
{
	struct bc_root *roots = bc_arena_alloc(arena, (size_t)chosen->count + count, sizeof(*roots),
					       err);
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
		const char **texts;

		if (i && !compare_placed(&placed[i - 1], &placed[i]))
			continue;
		texts = tag_texts(placed[i].variable, names, arena, err);
		if (!texts)
			return false;
		roots[chosen->count++] = (struct bc_root){
			.name = placed[i].name,
			.tags = texts,
			.node = placed[i].variable->reference,
			.unit = placed[i].variable->unit,
			.is_variable = true,
			.is_external = placed[i].variable->is_external,
			.offset = (uint32_t)placed[i].variable->offset,
		};
	}
	return true;
}

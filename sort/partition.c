/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Partition refinement, in synchronous rounds.
 *
 * Problem: order types by their label, then by their references' order, all
 * at depth 1 before any at depth 2, and so on, on a cyclic graph, until
 * nothing tells two types of one class apart.
 *
 * 1. [split_by_labels] classes by label. A class is a run of `order`; its rank
 *    is where the run begins.
 * 2. [split_by_references] the first round: within each class, sort by the
 *    ranks of all references. Every class is new, so all of them are looked at.
 *    From here on types that are alone in their class are done; real kernels
 *    have four in five there.
 * 3. [run_rounds] a later round looks only at what can have changed. Where a
 *    class split, its largest part is taken as unchanged; [gather_touches]
 *    finds the references to the other parts. The untouched types of a class
 *    still agree among each other, so [plan_class] sorts the touched ones, by
 *    the positions touched, and one untouched type shows where the rest
 *    stands. All plans are made on the old ranks before [apply_plan] changes
 *    any: the rounds are synchronous, and the order is that of depths.
 * 4. [split_by_contexts] when no round splits any more: tags and places, once;
 *    then rounds again.
 *
 * Cost: a type is in a part that is not the largest at most log2(n) times, as
 * the part is at most half its class; each time its referrers' edges are
 * touched, then sorted. So m log n touches for m edges, times the sort. In
 * [compare_touches] two types differ at the first position touched in only
 * one of them; comparing costs the shorter list, which the merge sort charges
 * to whichever comes out. No recursion; memory is linear in the graph.
 */
#include "sort/partition.h"

#include <string.h>

#include "base/order.h"
#include "sort/contexts.h"
#include "sort/labels.h"
#include "sort/sequences.h"

#define LEFT_OUT UINT32_MAX
#define NO_UNTOUCHED UINT32_MAX

/* How one class will split: runs of `touched`, and the untouched types among them. */
struct plan {
	uint32_t class_number;
	uint32_t begin, end;   /* the touched types, sorted, in refinement.touched */
	uint32_t untouched_at; /* they stand before this one; NO_UNTOUCHED: there are none */
};

/* Types of `order` that agree so far: more than one. */
struct run {
	uint32_t begin, size;
	uint32_t class_number; /* in the first round */
};

struct refinement {
	const struct bc_universe *universe;
	struct bc_partition *partition;
	const uint32_t **node; /* of a type */
	uint8_t *was_shared;   /* its class had others after the label sort */
	struct bc_sequence_sorter sequences;
	struct run *runs; /* to be sorted at once */
	uint32_t run_count;
	uint32_t *in_begin; /* [count + 1] references to a type, by reference from shared classes */
	struct bc_keyed *in_edge; /* key: edge of the referrer; value: the referrer */
	/* Key: position of the referrer, then the edge; value: the rank of what it refers to. */
	struct bc_keyed *touches, *spare_touches;
	uint32_t touch_count;
	uint32_t *touch_begin, *touch_end; /* of a type: its run in touches */
	uint32_t *touched, *spare;         /* the touched types, by class */
	uint8_t *first;      /* of touched, or of order: differs from the one before */
	uint8_t *is_touched; /* of a type */
	struct plan *plans;
	uint32_t plan_count;
	uint32_t *changed; /* classes that are new since the last round, but largest parts */
	uint32_t changed_count;
	struct bc_arena *scratch;
	struct bc_err *err;
};

/* Behind the ids of what is not sorted here. */
static uint32_t rank_of_class(const struct refinement *refinement, uint32_t class_number)
{
	return refinement->universe->lowest_id + refinement->partition->class_start[class_number];
}

static uint32_t rank_of_id(const struct refinement *refinement, uint32_t id)
{
	uint32_t lowest = refinement->universe->lowest_id;

	id = bc_universe_target(refinement->universe, id);
	return id < lowest ?
		       id :
		       rank_of_class(refinement, refinement->partition->class_of[id - lowest]);
}

static uint32_t rank_of_edge(const struct refinement *refinement, uint32_t type, uint32_t edge)
{
	const uint32_t *node = refinement->node[type];

	return rank_of_id(refinement, bc_edge(node, bc_edges(node), edge));
}

static bool is_shared(const struct bc_partition *partition, uint32_t type)
{
	return partition->class_size[partition->class_of[type]] > 1;
}

static void begin_class(struct bc_partition *partition, uint32_t start, uint32_t size)
{
	partition->class_start[partition->class_count] = start;
	partition->class_size[partition->class_count++] = size;
}

static void add_class(struct bc_partition *partition, uint32_t start, uint32_t size)
{
	for (uint32_t i = start; i < start + size; i++)
		partition->class_of[partition->order[i]] = partition->class_count;
	begin_class(partition, start, size);
}

/* ---- runs, each sorted by one thread ---- */

struct run_job {
	struct refinement *refinement;
	uint32_t (*length)(const uint32_t *node);
	bc_sequence_value value;
	uint32_t *position; /* by type: gets new ones; NULL: there are none yet */
};

static void sort_some_runs(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct run_job *job = context;
	struct refinement *refinement = job->refinement;
	uint32_t *order = refinement->partition->order;

	(void)worker;
	for (uint32_t i = begin; i < end; i++) {
		struct run run = refinement->runs[i];
		struct bc_sequence_sorter sorter = bc_sequence_sorter_part(&refinement->sequences,
									   run.begin);

		bc_sort_sequences(&sorter, order + run.begin, refinement->first + run.begin,
				  run.size, job->length(refinement->node[order[run.begin]]),
				  job->value, refinement);
		for (uint32_t at = run.begin; job->position && at < run.begin + run.size; at++)
			job->position[order[at]] = at;
	}
}

#define RUNS_AT_ONCE 2u

/* Sorts each run by sequences of numbers that its types have, and says where it is to be cut. */
static void sort_runs(struct refinement *refinement, uint32_t (*length)(const uint32_t *node),
		      bc_sequence_value value, uint32_t *position)
{
	struct run_job job = { refinement, length, value, position };

	bc_workers_share(refinement->universe->workers, refinement->run_count, RUNS_AT_ONCE,
			 sort_some_runs, &job);
}

static void add_run(struct refinement *refinement, uint32_t begin, uint32_t size,
		    uint32_t class_number)
{
	refinement->runs[refinement->run_count++] = (struct run){ begin, size, class_number };
}

/* ---- 1. labels ---- */

static uint32_t label_value(const void *context, uint32_t type, uint32_t j)
{
	const struct refinement *refinement = context;

	return bc_label_value(refinement->universe, refinement->node[type], j);
}

/* What threads need to make the keys of types. */
struct key_job {
	struct refinement *refinement;
	struct bc_keyed *keyed; /* by type; value LEFT_OUT: it is left out */
};

/* Behind those of all kinds. */
#define KEY_LEFT_OUT ((uint64_t)BC_KIND_COUNT << 57)

static void make_some_keys(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	const struct key_job *job = context;
	struct refinement *refinement = job->refinement;
	const struct bc_universe *universe = refinement->universe;

	(void)worker;
	for (uint32_t i = begin; i < end; i++) {
		uint32_t id = universe->lowest_id + i;
		bool is_left_out = bc_universe_target(universe, id) != id;

		refinement->node[i] = bc_node(universe->graph, id);
		refinement->partition->class_of[i] = is_left_out ? LEFT_OUT : 0;
		if (is_left_out)
			job->keyed[i] = (struct bc_keyed){ KEY_LEFT_OUT, LEFT_OUT };
		else
			job->keyed[i] =
				(struct bc_keyed){ bc_label_key(universe, refinement->node[i]), i };
	}
}

#define TYPES_AT_ONCE 4096u

/* Enters all types, and lists them in KEYED, sorted by the first part of the label, those left out behind all. */
static bool sort_by_keys(struct refinement *refinement, struct bc_keyed **keyed,
			 struct bc_arena *scratch)
{
	struct bc_partition *partition = refinement->partition;
	struct key_job job = { refinement, NULL };

	*keyed = bc_arena_alloc(scratch, partition->count, sizeof(**keyed), refinement->err);
	job.keyed = *keyed;
	if (!*keyed)
		return false;
	bc_workers_share(refinement->universe->workers, partition->count, TYPES_AT_ONCE,
			 make_some_keys, &job);
	/* Runs are sorted later, with the same room. */
	bc_sort_keyed_shared(*keyed, refinement->sequences.spare, partition->count,
			     refinement->universe->workers);
	partition->placed = bc_find_keyed(*keyed, partition->count, KEY_LEFT_OUT);
	return true;
}

/* Where types of one key begin, cuts their runs: those with more than one have been sorted. */
static void add_label_classes(struct refinement *refinement, const struct bc_keyed *keyed)
{
	struct bc_partition *partition = refinement->partition;

	for (uint32_t begin = 0, i = 1; i <= partition->placed; i++) {
		if (i < partition->placed && keyed[i].key == keyed[i - 1].key &&
		    !refinement->first[i])
			continue;
		begin_class(partition, begin, i - begin);
		begin = i;
	}
}

static void enter_some_classes(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	struct bc_partition *partition = context;

	(void)worker;
	for (uint32_t class_number = begin; class_number < end; class_number++) {
		uint32_t start = partition->class_start[class_number];

		for (uint32_t i = start; i < start + partition->class_size[class_number]; i++) {
			partition->class_of[partition->order[i]] = class_number;
			partition->position[partition->order[i]] = i;
		}
	}
}

static bool split_by_labels(struct refinement *refinement)
{
	struct bc_partition *partition = refinement->partition;
	struct bc_arena scratch = { 0 };
	struct bc_keyed *keyed;
	uint32_t begin, i;

	if (!sort_by_keys(refinement, &keyed, &scratch)) {
		bc_arena_free(&scratch);
		return false;
	}
	refinement->run_count = 0;
	for (begin = 0; begin < partition->placed; begin = i) {
		partition->order[begin] = keyed[begin].value;
		for (i = begin + 1; i < partition->placed && keyed[i].key == keyed[begin].key; i++)
			partition->order[i] = keyed[i].value;
		if (i - begin > 1)
			add_run(refinement, begin, i - begin, 0);
	}
	sort_runs(refinement, bc_label_length, label_value, NULL);
	add_label_classes(refinement, keyed);
	bc_workers_share(refinement->universe->workers, partition->class_count, TYPES_AT_ONCE,
			 enter_some_classes, partition);
	bc_arena_free(&scratch);
	return true;
}

/* ---- parts of a class that split ---- */

static void note_changed(struct refinement *refinement, uint32_t class_number)
{
	refinement->changed[refinement->changed_count++] = class_number;
}

/* Of the classes that were one, COUNT new ones from FIRST_NEW on and KEPT, all but the largest changed. */
static void note_parts(struct refinement *refinement, uint32_t kept, uint32_t first_new,
		       uint32_t count)
{
	const uint32_t *size = refinement->partition->class_size;
	uint32_t largest = kept;

	for (uint32_t i = 0; i < count; i++)
		if (size[first_new + i] > size[largest])
			largest = first_new + i;
	if (largest != kept)
		note_changed(refinement, kept);
	for (uint32_t i = 0; i < count; i++)
		if (first_new + i != largest)
			note_changed(refinement, first_new + i);
}

/*
 * Cuts the class, whose types are sorted in `order`, where FIRST says so of
 * them: the first part keeps the class.
 */
static void split_sorted(struct refinement *refinement, uint32_t class_number, const uint8_t *first)
{
	struct bc_partition *partition = refinement->partition;
	uint32_t start = partition->class_start[class_number],
		 size = partition->class_size[class_number];
	uint32_t first_new = partition->class_count, from = 0;

	for (uint32_t i = 1; i <= size; i++) {
		if (i < size && !first[i])
			continue;
		if (from)
			add_class(partition, start + from, i - from);
		else
			partition->class_size[class_number] = i;
		from = i;
	}
	if (partition->class_count > first_new)
		note_parts(refinement, class_number, first_new, partition->class_count - first_new);
}

/* ---- 2. the first round ---- */

static uint32_t reference_value(const void *context, uint32_t type, uint32_t j)
{
	return rank_of_edge(context, type, j);
}

static uint32_t count_edges(const uint32_t *node)
{
	return bc_edges(node).count;
}

static void split_by_references(struct refinement *refinement)
{
	struct bc_partition *partition = refinement->partition;
	uint32_t class_count = partition->class_count;

	refinement->run_count = 0;
	for (uint32_t class_number = 0; class_number < class_count; class_number++) {
		uint32_t start = partition->class_start[class_number],
			 size = partition->class_size[class_number];

		if (size == 1)
			continue;
		for (uint32_t i = start; i < start + size; i++)
			refinement->was_shared[partition->order[i]] = 1;
		add_run(refinement, start, size, class_number);
	}
	/* Ranks are of classes by label: no class is split before all runs are sorted. */
	sort_runs(refinement, count_edges, reference_value, partition->position);
	for (uint32_t i = 0; i < refinement->run_count; i++)
		split_sorted(refinement, refinement->runs[i].class_number,
			     refinement->first + refinement->runs[i].begin);
	partition->rounds += partition->class_count > class_count;
}

/* ---- 3. later rounds ---- */

static void scan_edges_of(struct refinement *refinement, uint32_t type, bool counting)
{
	const uint32_t *node = refinement->node[type];
	struct bc_edges edges = bc_edges(node);
	uint32_t lowest = refinement->universe->lowest_id;

	for (uint32_t i = 0; i < edges.count; i++) {
		uint32_t id = bc_universe_target(refinement->universe, bc_edge(node, edges, i));

		if (id < lowest || !refinement->was_shared[id - lowest])
			continue;
		if (counting)
			refinement->in_begin[id - lowest + 1]++;
		else
			refinement->in_edge[refinement->in_begin[id - lowest]++] =
				(struct bc_keyed){ i, type };
	}
}

/* Lists the types of shared classes; returns how many. */
static uint32_t list_shared(const struct bc_partition *partition, uint32_t *types)
{
	uint32_t count = 0;

	for (uint32_t class_number = 0; class_number < partition->class_count; class_number++) {
		const uint32_t *type = partition->order + partition->class_start[class_number];
		uint32_t size = partition->class_size[class_number];

		for (uint32_t i = 0; size > 1 && i < size; i++)
			types[count++] = type[i];
	}
	return count;
}

#define FETCHED_AHEAD 8u

/* Each reference from such types to one that was in a shared class: sums up, or fills in. */
static void scan_in_edges(struct refinement *refinement, const uint32_t *types, uint32_t count,
			  bool counting)
{
	for (uint32_t i = 0; i < count; i++) {
		if (i + FETCHED_AHEAD < count)
			__builtin_prefetch(refinement->node[types[i + FETCHED_AHEAD]]);
		scan_edges_of(refinement, types[i], counting);
	}
}

static bool make_in_edges(struct refinement *refinement)
{
	uint32_t count = refinement->partition->count, edge_count;
	uint32_t *shared = refinement->spare; /* free between rounds */
	uint32_t shared_count = list_shared(refinement->partition, shared);
	uint32_t *begin = bc_arena_zalloc(refinement->scratch, (size_t)count + 1, sizeof(*begin),
					  refinement->err);

	if (!begin)
		return false;
	refinement->in_begin = begin;
	scan_in_edges(refinement, shared, shared_count, true);
	for (uint32_t type = 0; type < count; type++)
		begin[type + 1] += begin[type];
	edge_count = begin[count];
	refinement->in_edge = bc_arena_alloc(refinement->scratch, edge_count,
					     sizeof(*refinement->in_edge), refinement->err);
	refinement->touches = bc_arena_alloc(refinement->scratch, edge_count,
					     sizeof(*refinement->touches), refinement->err);
	refinement->spare_touches = bc_arena_alloc(refinement->scratch, edge_count,
						   sizeof(*refinement->spare_touches),
						   refinement->err);
	if (!refinement->in_edge || !refinement->touches || !refinement->spare_touches)
		return false;
	scan_in_edges(refinement, shared, shared_count, false);
	/* Filling moved each begin to its end, which is the next one's begin. */
	memmove(begin + 1, begin, count * sizeof(*begin));
	begin[0] = 0;
	return true;
}

/* References from shared classes to types of the changed ones, sorted by referrer's position. */
static void gather_touches(struct refinement *refinement)
{
	const struct bc_partition *partition = refinement->partition;

	refinement->touch_count = 0;
	for (uint32_t i = 0; i < refinement->changed_count; i++) {
		uint32_t class_number = refinement->changed[i];
		const uint32_t *run = partition->order + partition->class_start[class_number];
		uint32_t rank = rank_of_class(refinement, class_number);

		for (uint32_t j = 0; j < partition->class_size[class_number]; j++) {
			uint32_t end = refinement->in_begin[run[j] + 1];

			for (uint32_t k = refinement->in_begin[run[j]]; k < end; k++) {
				struct bc_keyed edge = refinement->in_edge[k];

				if (!is_shared(partition, edge.value))
					continue;
				refinement->touches[refinement->touch_count++] = (struct bc_keyed){
					(uint64_t)partition->position[edge.value] << 32 | edge.key,
					rank
				};
			}
		}
	}
	refinement->changed_count = 0;
	bc_sort_keyed(refinement->touches, refinement->spare_touches, refinement->touch_count);
}

/* Compares types of one class by the ranks of their references, of which few can differ. */
static int compare_touches(const void *context, uint32_t a, uint32_t b)
{
	const struct refinement *refinement = context;
	const struct bc_keyed *touches = refinement->touches;
	uint32_t at_a = refinement->touch_begin[a], end_a = refinement->touch_end[a];
	uint32_t at_b = refinement->touch_begin[b], end_b = refinement->touch_end[b];

	while (at_a < end_a || at_b < end_b) {
		uint32_t edge_a = at_a < end_a ? (uint32_t)touches[at_a].key : UINT32_MAX;
		uint32_t edge_b = at_b < end_b ? (uint32_t)touches[at_b].key : UINT32_MAX;
		uint32_t edge = edge_a < edge_b ? edge_a : edge_b;
		uint32_t rank_a = edge_a == edge ? touches[at_a].value :
						   rank_of_edge(refinement, a, edge);
		uint32_t rank_b = edge_b == edge ? touches[at_b].value :
						   rank_of_edge(refinement, b, edge);

		if (rank_a != rank_b)
			return bc_compare_u64(rank_a, rank_b);
		at_a += edge_a == edge;
		at_b += edge_b == edge;
	}
	return 0;
}

static uint32_t find_untouched(const struct refinement *refinement, uint32_t class_number)
{
	const struct bc_partition *partition = refinement->partition;
	const uint32_t *type = partition->order + partition->class_start[class_number];

	while (refinement->is_touched[*type])
		type++;
	return *type;
}

/* Sorts the touched types [begin, end) of a class and plans its split, if it splits. */
static void plan_class(struct refinement *refinement, struct plan *plan)
{
	uint32_t *touched = refinement->touched;
	uint32_t begin = plan->begin, end = plan->end;
	bool splits = false;

	bc_sort_compared(touched + begin, refinement->spare + begin, end - begin, compare_touches,
			 refinement);
	refinement->first[begin] = 1;
	for (uint32_t i = begin + 1; i < end; i++) {
		refinement->first[i] = compare_touches(refinement, touched[i - 1], touched[i]) != 0;
		splits |= refinement->first[i];
	}
	if (end - begin < refinement->partition->class_size[plan->class_number]) {
		uint32_t untouched = find_untouched(refinement, plan->class_number);

		refinement->touch_begin[untouched] = refinement->touch_end[untouched] = 0;
		plan->untouched_at = begin;
		while (plan->untouched_at < end &&
		       compare_touches(refinement, touched[plan->untouched_at], untouched) < 0)
			plan->untouched_at++;
		splits = true;
	}
	if (!splits)
		plan->end = begin;
}

static void plan_some_classes(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	struct refinement *refinement = context;

	(void)worker;
	for (uint32_t i = begin; i < end; i++)
		plan_class(refinement, &refinement->plans[i]);
}

/* Lists the touched types, and begins a plan for each of their classes. */
static uint32_t begin_plans(struct refinement *refinement)
{
	const struct bc_partition *partition = refinement->partition;
	const struct bc_keyed *touches = refinement->touches;
	uint32_t touched_count = 0, begin = 0;

	for (uint32_t i = 0; i < refinement->touch_count; i++) {
		uint32_t type = partition->order[touches[i].key >> 32];

		if (!i || touches[i - 1].key >> 32 != touches[i].key >> 32) {
			refinement->touched[touched_count++] = type;
			refinement->is_touched[type] = 1;
			refinement->touch_begin[type] = i;
		}
		refinement->touch_end[type] = i + 1;
	}
	refinement->plan_count = 0;
	for (uint32_t i = 1; i <= touched_count; i++) {
		uint32_t class_number = partition->class_of[refinement->touched[begin]];

		if (i < touched_count &&
		    partition->class_of[refinement->touched[i]] == class_number)
			continue;
		refinement->plans[refinement->plan_count++] = (struct plan){ class_number, begin, i,
									     NO_UNTOUCHED };
		begin = i;
	}
	return touched_count;
}

#define CLASSES_AT_ONCE 16u

/* All plans that split something, none of which changes what another goes by. */
static void make_plans(struct refinement *refinement)
{
	uint32_t touched_count = begin_plans(refinement), kept = 0;

	bc_workers_share(refinement->universe->workers, refinement->plan_count, CLASSES_AT_ONCE,
			 plan_some_classes, refinement);
	for (uint32_t i = 0; i < refinement->plan_count; i++)
		if (refinement->plans[i].begin < refinement->plans[i].end)
			refinement->plans[kept++] = refinement->plans[i];
	refinement->plan_count = kept;
	for (uint32_t i = 0; i < touched_count; i++)
		refinement->is_touched[refinement->touched[i]] = 0;
}

static void put(struct bc_partition *partition, uint32_t position, uint32_t type)
{
	partition->order[position] = type;
	partition->position[type] = position;
}

/*
 * Moves the touched types of a plan to both ends of their class, the
 * untouched ones between them, in time of the touched ones only: untouched
 * types at the ends go where touched ones were in the middle.
 */
static void move_touched(struct refinement *refinement, const struct plan *plan)
{
	struct bc_partition *partition = refinement->partition;
	uint32_t start = partition->class_start[plan->class_number];
	uint32_t end = start + partition->class_size[plan->class_number];
	uint32_t low = plan->untouched_at - plan->begin, high = plan->end - plan->untouched_at;
	uint32_t *touched = refinement->touched;
	uint32_t *gaps = refinement->spare, gap_count = 0;

	for (uint32_t i = plan->begin; i < plan->end; i++) {
		uint32_t position = partition->position[touched[i]];

		refinement->is_touched[touched[i]] = 1;
		if (position >= start + low && position < end - high)
			gaps[gap_count++] = position;
	}
	for (uint32_t i = 0; i < low + high; i++) {
		uint32_t position = i < low ? start + i : end - high + (i - low);
		uint32_t type = partition->order[position];

		if (!refinement->is_touched[type])
			put(partition, gaps[--gap_count], type);
	}
	for (uint32_t i = 0; i < low + high; i++)
		put(partition, i < low ? start + i : end - high + (i - low),
		    touched[plan->begin + i]);
	for (uint32_t i = plan->begin; i < plan->end; i++)
		refinement->is_touched[touched[i]] = 0;
}

/* Makes classes of the sorted touched types [begin, end), which stand at POSITION on. */
static void add_parts(struct refinement *refinement, uint32_t begin, uint32_t end,
		      uint32_t position)
{
	uint32_t from = begin;

	for (uint32_t i = begin + 1; i <= end; i++) {
		if (i < end && !refinement->first[i])
			continue;
		add_class(refinement->partition, position + from - begin, i - from);
		from = i;
	}
}

static void apply_plan(struct refinement *refinement, const struct plan *plan)
{
	struct bc_partition *partition = refinement->partition;
	uint32_t start = partition->class_start[plan->class_number];
	uint32_t size = partition->class_size[plan->class_number];
	uint32_t first_new = partition->class_count;
	uint32_t low, high;

	if (plan->untouched_at == NO_UNTOUCHED) {
		for (uint32_t i = 0; i < size; i++)
			put(partition, start + i, refinement->touched[plan->begin + i]);
		split_sorted(refinement, plan->class_number, refinement->first + plan->begin);
		return;
	}
	low = plan->untouched_at - plan->begin;
	high = plan->end - plan->untouched_at;
	move_touched(refinement, plan);
	partition->class_start[plan->class_number] = start + low;
	partition->class_size[plan->class_number] = size - low - high;
	if (low)
		add_parts(refinement, plan->begin, plan->untouched_at, start);
	if (high)
		add_parts(refinement, plan->untouched_at, plan->end, start + size - high);
	note_parts(refinement, plan->class_number, first_new, partition->class_count - first_new);
}

static void run_rounds(struct refinement *refinement)
{
	while (refinement->changed_count) {
		gather_touches(refinement);
		make_plans(refinement);
		for (uint32_t i = 0; i < refinement->plan_count; i++)
			apply_plan(refinement, &refinement->plans[i]);
		refinement->partition->rounds += refinement->plan_count > 0;
	}
}

/* ---- 4. tags and places ---- */

static bool split_by_contexts(struct refinement *refinement)
{
	struct bc_partition *partition = refinement->partition;
	uint32_t class_count = partition->class_count;
	struct bc_contexts contexts;

	if (!bc_contexts_collect(&contexts, refinement->universe, partition, refinement->scratch,
				 refinement->err))
		return false;
	for (uint32_t class_number = 0; class_number < class_count && contexts.item_count;
	     class_number++) {
		uint32_t start = partition->class_start[class_number],
			 size = partition->class_size[class_number];
		uint32_t *run = partition->order + start;

		if (size == 1)
			continue;
		bc_sort_compared(run, refinement->spare, size, bc_contexts_compare, &contexts);
		for (uint32_t i = 0; i < size; i++) {
			put(partition, start + i, run[i]);
			refinement->first[i] = !i || bc_contexts_compare(&contexts, run[i - 1],
									 run[i]) != 0;
		}
		split_sorted(refinement, class_number, refinement->first);
	}
	partition->rounds += partition->class_count > class_count;
	return true;
}

/* ---- the whole ---- */

static bool make_result(struct bc_partition *partition, uint32_t count, struct bc_arena *arena,
			struct bc_err *err)
{
	*partition = (struct bc_partition){ .count = count };
	partition->order = bc_arena_alloc(arena, count, sizeof(uint32_t), err);
	partition->position = bc_arena_alloc(arena, count, sizeof(uint32_t), err);
	partition->class_of = bc_arena_alloc(arena, count, sizeof(uint32_t), err);
	partition->class_start = bc_arena_alloc(arena, count, sizeof(uint32_t), err);
	partition->class_size = bc_arena_alloc(arena, count, sizeof(uint32_t), err);
	return partition->order && partition->position && partition->class_of &&
	       partition->class_start && partition->class_size;
}

static bool make_scratch(struct refinement *refinement, uint32_t count)
{
	struct bc_arena *scratch = refinement->scratch;
	struct bc_err *err = refinement->err;

	refinement->node = bc_arena_alloc(scratch, count, sizeof(*refinement->node), err);
	refinement->was_shared = bc_arena_zalloc(scratch, count, 1, err);
	refinement->touch_begin = bc_arena_alloc(scratch, count, sizeof(uint32_t), err);
	refinement->touch_end = bc_arena_alloc(scratch, count, sizeof(uint32_t), err);
	refinement->touched = bc_arena_alloc(scratch, count, sizeof(uint32_t), err);
	refinement->spare = bc_arena_alloc(scratch, count, sizeof(uint32_t), err);
	refinement->first = bc_arena_alloc(scratch, count, 1, err);
	refinement->is_touched = bc_arena_zalloc(scratch, count, 1, err);
	refinement->plans = bc_arena_alloc(scratch, count, sizeof(*refinement->plans), err);
	refinement->runs = bc_arena_alloc(scratch, count / 2, sizeof(*refinement->runs), err);
	refinement->changed = bc_arena_alloc(scratch, count, sizeof(uint32_t), err);
	return refinement->node && refinement->was_shared && refinement->touch_begin &&
	       refinement->touch_end && refinement->touched && refinement->spare &&
	       refinement->first && refinement->is_touched && refinement->plans &&
	       refinement->runs && refinement->changed &&
	       bc_sequence_sorter_make(&refinement->sequences, count, scratch, err);
}

static bool refine(struct refinement *refinement)
{
	struct bc_partition *partition = refinement->partition;
	struct bc_stopwatch watch = bc_stopwatch_start(refinement->universe->workers);

	if (!split_by_labels(refinement))
		return false;
	partition->labelling = bc_stopwatch_lap(&watch);
	split_by_references(refinement);
	if (!make_in_edges(refinement))
		return false;
	run_rounds(refinement);
	if (!split_by_contexts(refinement))
		return false;
	run_rounds(refinement);
	return true;
}

bool bc_partition_compute(struct bc_partition *partition, const struct bc_universe *universe,
			  struct bc_arena *arena, struct bc_err *err)
{
	struct bc_arena scratch = { 0 };
	struct refinement refinement = {
		.universe = universe,
		.partition = partition,
		.scratch = &scratch,
		.err = err,
	};
	uint32_t count = bc_id_end(universe->graph) - universe->lowest_id;
	bool done = make_result(partition, count, arena, err) && make_scratch(&refinement, count) &&
		    refine(&refinement);

	bc_arena_free(&scratch);
	return done;
}

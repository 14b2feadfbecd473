/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Errors, notes, arenas, hashes, sorts, work that threads share. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/notes.h"
#include "base/order.h"
#include "base/room.h"
#include "base/workers.h"
#include "tests/lib/law.h"

static void errors_are_one_line(void **state)
{
	struct bc_err err;
	char long_name[2000];

	(void)state;
	assert_false(bc_err_set(&err, "type %u: %s", 7, "odd"));
	assert_string_equal(err.text, "type 7: odd");
	assert_false(bc_err_prefix(&err, "file.btf"));
	assert_string_equal(err.text, "file.btf: type 7: odd");
	errno = ENOENT;
	assert_false(bc_err_errno(&err, "cannot open %s", "x"));
	assert_string_equal(err.text, "cannot open x: No such file or directory");
	assert_false(bc_err_memory(&err, 12));
	assert_non_null(strstr(err.text, "out of memory"));
	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = 0;
	bc_err_set(&err, "%s", long_name);
	assert_in_range(strlen(err.text), 100, sizeof(err.text) - 1);
	bc_err_errno(&err, "%s", long_name);
	assert_in_range(strlen(err.text), 100, sizeof(err.text) - 1);
	bc_err_prefix(&err, long_name);
	assert_in_range(strlen(err.text), 100, sizeof(err.text) - 1);
}

/* Whatever is said around it, a lack of memory stays one. */
static void errors_have_a_code(void **state)
{
	struct bc_err err;

	(void)state;
	bc_err_memory(&err, 12);
	assert_int_equal(err.code, ENOMEM);
	assert_false(bc_err_reword(&err, "%s, in unit %u", err.text, 3));
	assert_string_equal(err.text, "out of memory (12 bytes), in unit 3");
	bc_err_prefix(&err, "file");
	assert_int_equal(err.code, ENOMEM);
	bc_err_set(&err, "odd");
	assert_int_equal(err.code, EINVAL);
	errno = ENOENT;
	bc_err_errno(&err, "cannot open");
	assert_int_equal(err.code, ENOENT);
}

static void errors_are_printed_in_ascii(void **state)
{
	char out[BC_ERR_LINE_MAX];
	struct bc_err err = { .text = "" };

	(void)state;
	bc_err_set(&err, "a\nb\x7f\xc3~");
	bc_err_print(out, sizeof(out), &err);
	assert_string_equal(out, "a\\x0ab\\x7f\\xc3~");
	bc_err_print(out, 6, &err);
	assert_string_equal(out, "a\\x0a");
	bc_err_print(out, 5, &err);
	assert_string_equal(out, "a");
	bc_err_print(out, 1, &err);
	assert_string_equal(out, "");
	memset(err.text, '\n', sizeof(err.text) - 1);
	bc_err_print(out, sizeof(out), &err);
	assert_int_equal(strlen(out), 4 * (sizeof(err.text) - 1));
}

static void names_become_printable(void **state)
{
	char out[BC_PRINTABLE_MAX], long_name[300];

	(void)state;
	assert_string_equal(bc_printable(out, "task_struct"), "task_struct");
	assert_string_equal(bc_printable(out, ""), "");
	assert_string_equal(bc_printable(out, "a\nb\x7f\xc3"), "a\\x0ab\\x7f\\xc3");
	memset(long_name, '\n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = 0;
	bc_printable(out, long_name);
	assert_in_range(strlen(out), BC_PRINTABLE_MAX / 2, BC_PRINTABLE_MAX - 1);
	assert_string_equal(out + strlen(out) - 3, "...");
	memset(long_name, 'n', sizeof(long_name) - 1);
	bc_printable(out, long_name);
	assert_in_range(strlen(out), BC_PRINTABLE_MAX / 2, BC_PRINTABLE_MAX - 1);
}

static void notes_count_by_kind(void **state)
{
	static const char kinds[BC_NOTE_KINDS][2] = { "a", "b", "c", "d", "e", "f", "g", "h",
						      "i", "j", "k", "l", "m", "n", "o", "p",
						      "q", "r", "s", "t", "u", "v", "w", "x" };
	struct bc_notes notes = { 0 };

	(void)state;
	bc_note(NULL, "nothing", "nowhere");
	for (int i = 0; i < 3; i++)
		bc_note(&notes, "odd", "type %d", i);
	bc_note(&notes, "odder", "type 9");
	assert_int_equal(notes.kind_count, 2);
	assert_int_equal(notes.notes[0].count, 3);
	assert_string_equal(notes.notes[0].first, "type 0");
	assert_string_equal(notes.notes[1].what, "odder");
	for (int i = 0; i < BC_NOTE_KINDS; i++)
		bc_note(&notes, kinds[i], "type 1");
	assert_int_equal(notes.kind_count, BC_NOTE_KINDS);
	assert_string_equal(notes.notes[BC_NOTE_KINDS - 1].what, kinds[BC_NOTE_KINDS - 3]);
}

struct seen_mask {
	uint32_t threads; /* atomic */
	bool blocks_term, blocks_segv;
};

static bool blocks(int signal_number)
{
	sigset_t mask;

	assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &mask), 0);
	return sigismember(&mask, signal_number);
}

static void look_at_mask(void *context, uint32_t worker)
{
	struct seen_mask *seen = context;

	__atomic_fetch_add(&seen->threads, 1, __ATOMIC_RELAXED);
	if (worker != 1)
		return;
	seen->blocks_term = blocks(SIGTERM);
	seen->blocks_segv = blocks(SIGSEGV);
}

static void workers_leave_signals_to_others(void **state)
{
	struct seen_mask seen = { 0 };

	(void)state;
	bc_workers_run(&(struct bc_workers){ .count = 3 }, look_at_mask, &seen);
	assert_int_equal(seen.threads, 3);
	assert_true(seen.blocks_term);
	assert_false(seen.blocks_segv);
	assert_false(blocks(SIGTERM));
}

static void arenas_give_room(void **state)
{
	struct bc_arena arena = { 0 };
	struct bc_err err;
	uint8_t *blocks[200];

	(void)state;
	for (size_t i = 0; i < 200; i++) {
		size_t size_bytes = i * i * 7 % 70000;

		blocks[i] = i % 2 ? bc_arena_zalloc(&arena, size_bytes, 1, &err) :
				    bc_arena_alloc(&arena, 1, size_bytes, &err);
		assert_non_null(blocks[i]);
		assert_int_equal((uintptr_t)blocks[i] % 16, 0);
		for (size_t k = 0; i % 2 && k < size_bytes; k++)
			assert_int_equal(blocks[i][k], 0);
		memset(blocks[i], (int)i, size_bytes);
	}
	for (size_t i = 0; i < 200; i++)
		for (size_t k = 0; k < i * i * 7 % 70000; k++)
			if (blocks[i][k] != i)
				fail_msg("block %zu was written over", i);
	bc_arena_free(&arena);
	assert_null(arena.blocks);
	assert_non_null(bc_arena_alloc(&arena, 1, 1, &err));
	bc_arena_free(&arena);
}

static void arenas_refuse_what_is_too_large(void **state)
{
	struct bc_arena arena = { 0 };
	struct bc_err err = { .text = "" };
	void *refused;

	(void)state;
	assert_null(bc_arena_alloc(&arena, SIZE_MAX, 2, &err));
	assert_non_null(strstr(err.text, "out of memory"));
	assert_null(bc_arena_alloc(&arena, SIZE_MAX / 2 + 1, 2, &err));
	assert_null(bc_arena_zalloc(&arena, SIZE_MAX - 7, 1, &err));
	assert_null(bc_arena_alloc(&arena, 1, SIZE_MAX, &err));
	/* Where addresses have 32 bits, these are 8 and 0 bytes to a careless product. */
	assert_null(bc_arena_alloc(&arena, (UINT64_C(1) << 62) + 1, 8, &err));
	assert_null(bc_arena_zalloc(&arena, UINT64_C(1) << 63, 2, &err));
	refused = bc_realloc(NULL, (UINT64_C(1) << 62) + 1, 8);
	assert_null(refused);
	free(refused);
	assert_non_null(bc_arena_alloc(&arena, 0, 8, &err));
	bc_arena_free(&arena);
}

/* What is there stays, however often there has to be more room; too much is refused and changes nothing. */
static void rooms_grow(void **state)
{
	struct bc_arena arena = { 0 };
	struct bc_err err = { .text = "" };
	uint32_t *items = NULL, *in_arena = NULL, limit = 0, arena_limit = 0;

	(void)state;
	for (uint32_t i = 0; i < 5000; i++) {
		assert_true(bc_make_room(&items, &limit, i + 1, sizeof(*items), &err));
		assert_true(bc_make_arena_room(&arena, &in_arena, &arena_limit, i,
					       sizeof(*in_arena), &err));
		assert_true(i < limit && i < arena_limit);
		items[i] = in_arena[i] = i;
	}
	assert_true(limit < 2 * 5000 && arena_limit < 2 * 5000);
	assert_false(bc_make_room(&items, &limit, (uint64_t)UINT32_MAX + 1, 1, &err));
	assert_non_null(strstr(err.text, "out of memory (4294967296 bytes)"));
	for (uint32_t i = 0; i < 5000; i++)
		if (items[i] != i || in_arena[i] != i)
			fail_msg("item %u is lost", i);
	free(items);
	bc_arena_free(&arena);
}

#define SORT_MAX 9000

/* The same number however wide the machine's own ones are. */
static void folds_are_those_of_the_whole_product(void **state)
{
	(void)state;
	assert_int_equal(bc_fold(0, UINT64_MAX), 0);
	assert_int_equal(bc_fold(1, 7), 7);
	assert_int_equal(bc_fold(UINT64_MAX, UINT64_MAX), UINT64_MAX);
	assert_int_equal(bc_fold(UINT64_C(1) << 63, 6), 3);
	assert_int_equal(bc_fold(UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xd6e8feb86659fd93)),
			 UINT64_C(0xc9d874ca57d9e055));
}

/* Counts on all sides of where the method changes; keys few, or wide. */
static void keyed_items_sort_stably(void **state)
{
	static struct bc_keyed items[SORT_MAX], spare[SORT_MAX];

	(void)state;
	for (uint32_t round = 0; round < law_rounds(300); round++) {
		struct rng rng = law_round(round);
		uint32_t count = rng_below(&rng, rng_percent(&rng, 50) ? 120 : SORT_MAX);
		uint64_t mask = rng_next(&rng);

		/* A fifth with half of all bits, so that digits reach the top; else an eighth. */
		if (!rng_percent(&rng, 20)) {
			mask &= rng_next(&rng);
			mask &= rng_next(&rng);
		}
		for (uint32_t i = 0; i < count; i++)
			items[i] = (struct bc_keyed){ rng_next(&rng) & mask, i };
		bc_sort_keyed(items, spare, count);
		for (uint32_t i = 1; i < count; i++)
			if (items[i - 1].key > items[i].key ||
			    (items[i - 1].key == items[i].key &&
			     items[i - 1].value >= items[i].value))
				law_fail("item %u of %u is out of place", i, count);
		for (uint32_t i = 0; i < count + 2; i++) {
			uint64_t key = i < count ? items[i].key + (i & 1) :
				       i > count ? UINT64_MAX :
						   0;
			uint32_t at = bc_find_keyed(items, count, key);

			if ((at && items[at - 1].key >= key) || (at < count && items[at].key < key))
				law_fail("%u is no place among %u", at, count);
		}
	}
}

#define SHARED_MAX 13000

/* Below and above where threads come in; keys that differ in one bit, in a few low ones, anywhere. */
static void threads_sort_keyed_items_alike(void **state)
{
	static struct bc_keyed items[SHARED_MAX], alone[SHARED_MAX], spare[SHARED_MAX];

	(void)state;
	for (uint32_t round = 0; round < law_rounds(100); round++) {
		struct rng rng = law_round(round);
		struct bc_workers workers = { .count = 1 + rng_below(&rng, 4) };
		uint32_t count = rng_below(&rng, SHARED_MAX + 1);
		uint64_t some = rng_next(&rng), others = rng_next(&rng);
		uint64_t mask = rng_percent(&rng, 20) ? (uint64_t)1 << rng_below(&rng, 64) :
				rng_percent(&rng, 20) ? rng_below(&rng, 256) :
							some & others;
		uint64_t rest = some & ~mask;

		for (uint32_t i = 0; i < count; i++)
			items[i] = (struct bc_keyed){ (rng_next(&rng) & mask) | rest, i };
		memcpy(alone, items, count * sizeof(*items));
		bc_sort_keyed(alone, spare, count);
		bc_sort_keyed_shared(items, spare, count, &workers);
		for (uint32_t i = 0; i < count; i++)
			if (items[i].key != alone[i].key || items[i].value != alone[i].value)
				law_fail("item %u of %u is another one", i, count);
	}
}

static int compare_tens(const void *context, uint32_t a, uint32_t b)
{
	*(uint32_t *)context += 1;
	return (a / 10 > b / 10) - (a / 10 < b / 10);
}

static void compared_items_sort_stably(void **state)
{
	static uint32_t items[SORT_MAX], spare[SORT_MAX], place[10 * SORT_MAX];

	(void)state;
	for (uint32_t round = 0; round < law_rounds(300); round++) {
		struct rng rng = law_round(round);
		uint32_t count = rng_below(&rng, SORT_MAX), compared = 0, bits = 0;

		while (count >> bits)
			bits++;
		/* Distinct numbers, many of them equal in the eyes of the comparator. */
		for (uint32_t i = 0; i < count; i++)
			items[i] = i;
		for (uint32_t i = count; i > 1; i--) {
			uint32_t other = rng_below(&rng, i), swap = items[i - 1];

			items[i - 1] = items[other];
			items[other] = swap;
		}
		for (uint32_t i = 0; i < count; i++)
			place[items[i]] = i;
		bc_sort_compared(items, spare, count, compare_tens, &compared);
		if (compared > count * bits)
			law_fail("%u comparisons for %u items", compared, count);
		for (uint32_t i = 1; i < count; i++)
			if (items[i - 1] / 10 > items[i] / 10 ||
			    (items[i - 1] / 10 == items[i] / 10 &&
			     place[items[i - 1]] >= place[items[i]]))
				law_fail("item %u of %u is out of place", i, count);
	}
}

static void bits_are_counted(void **state)
{
	uint64_t word = 0;

	(void)state;
	assert_int_equal(bc_count_bits(0), 0);
	assert_int_equal(bc_count_bits(UINT64_MAX), 64);
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t bit = i * 29 % 64;

		assert_int_equal(bc_count_bits((uint64_t)1 << bit), 1);
		word |= (uint64_t)1 << bit;
		assert_int_equal(bc_count_bits(word), i + 1);
	}
}

#define CRAFTED 1000u

static int compare_numbers(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

static uint32_t count_distinct_hashes(uint64_t seed, const uint64_t (*texts)[2])
{
	uint64_t hashes[CRAFTED];
	uint32_t distinct = 1;

	for (uint32_t i = 0; i < CRAFTED; i++)
		hashes[i] = bc_hash_bytes(seed, texts[i], sizeof(texts[i]));
	qsort(hashes, CRAFTED, sizeof(*hashes), compare_numbers);
	for (uint32_t i = 1; i < CRAFTED; i++)
		distinct += hashes[i] != hashes[i - 1];
	return distinct;
}

/* Texts made for one seed, which meet there, are as good as any others for another one. */
static void texts_that_meet_are_made_for_one_seed(void **state)
{
	uint64_t texts[CRAFTED][2];

	(void)state;
	for (uint32_t round = 0; round < law_rounds(50); round++) {
		struct rng rng = law_round(round);
		uint64_t seed = rng_next(&rng);

		for (uint32_t i = 0; i < CRAFTED; i++) {
			texts[i][0] = i * UINT64_C(0x8000000000000000) + i;
			texts[i][1] = 42 ^ bc_hash_word(seed ^ sizeof(texts[i]), texts[i][0]);
		}
		if (count_distinct_hashes(seed, texts) != 1)
			law_fail("texts are not made for the seed");
		if (count_distinct_hashes(rng_next(&rng), texts) < CRAFTED / 100 * 99)
			law_fail("texts meet for another seed, too");
	}
	assert_int_equal(bc_hash_seed(), bc_hash_seed());
}

#define NUMBERED_WORDS 5u

static void set_bits_are_numbered(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < law_rounds(100); round++) {
		struct rng rng = law_round(round);
		struct bc_numbered_bits words[NUMBERED_WORDS] = { 0 };
		uint8_t is_set[64 * NUMBERED_WORDS] = { 0 };
		uint32_t percent = rng_below(&rng, 101), number = 0;

		for (uint32_t bit = 0; bit < 64 * NUMBERED_WORDS; bit++) {
			is_set[bit] = rng_percent(&rng, percent);
			words[bit / 64].bits |= (uint64_t)is_set[bit] << bit % 64;
		}
		assert_int_equal(bc_number_bits(words, 0), 0);
		for (uint32_t bit = 0; bit < 64 * NUMBERED_WORDS; bit++)
			number += is_set[bit];
		assert_int_equal(bc_number_bits(words, NUMBERED_WORDS), number);
		while (number) {
			uint32_t last = 64 * NUMBERED_WORDS - 1;

			while (!is_set[last])
				last--;
			is_set[last] = 0;
			assert_true(bc_bit_is_set(words, last));
			assert_int_equal(bc_bit_number(words, last), --number);
		}
		for (uint32_t bit = 0; bit < 64 * NUMBERED_WORDS; bit++)
			if (!(words[bit / 64].bits >> bit % 64 & 1))
				assert_false(bc_bit_is_set(words, bit));
	}
}

#define SHARED_ITEMS 1000u

struct sharing {
	uint8_t seen[SHARED_ITEMS]; /* atomic */
	uint32_t workers, largest;  /* atomic: numbers met are below */
	struct bc_shared_err trouble;
};

static void see_some(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	struct sharing *sharing = context;
	struct bc_err err;

	for (uint32_t i = begin; i < end; i++)
		__atomic_fetch_add(&sharing->seen[i], 1, __ATOMIC_RELAXED);
	if (worker >= sharing->workers)
		__atomic_store_n(&sharing->largest, worker, __ATOMIC_RELAXED);
	if (begin < 500 && end > 500) {
		bc_err_set(&err, "at 500");
		assert_false(bc_shared_err_set(&sharing->trouble, &err));
	}
}

static void share_items(struct bc_workers *workers, uint32_t count)
{
	struct bc_err err = { .text = "" };
	struct sharing sharing = { .workers = workers ? workers->count : 1,
				   .trouble = { .err = &err } };

	bc_workers_share(workers, count, 7, see_some, &sharing);
	for (uint32_t k = 0; k < SHARED_ITEMS; k++)
		assert_int_equal(sharing.seen[k], k < count);
	assert_int_equal(sharing.largest, 0);
	assert_int_equal(sharing.trouble.is_set, count > 500);
	assert_string_equal(err.text, count > 500 ? "at 500" : "");
}

/* Each item once, whatever the threads and the parts, and whether threads stay. */
static void work_is_shared(void **state)
{
	static const uint32_t counts[] = { 0, 1, 7, 499, SHARED_ITEMS };

	(void)state;
	for (uint32_t threads = 0; threads <= 4; threads++) {
		struct bc_workers workers = { .count = threads };

		/* What is one part is not shared. */
		for (uint32_t i = 0; i < 3; i++)
			share_items(threads ? &workers : NULL, counts[i]);
		assert_int_equal(workers.shared_ns, 0);
		for (uint32_t i = 0; i < 5; i++)
			share_items(threads ? &workers : NULL, counts[i]);
		if (!threads)
			continue;
		bc_workers_gather(&workers);
		for (uint32_t i = 0; i < 200; i++)
			share_items(&workers, counts[i % 5]);
		bc_workers_dismiss(&workers);
		share_items(&workers, SHARED_ITEMS);
	}
}

/* What is shared may be shared again. */
struct nested {
	struct bc_workers workers;
	uint32_t seen; /* atomic */
};

static void count_some(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	struct nested *nested = context;

	(void)worker;
	__atomic_fetch_add(&nested->seen, end - begin, __ATOMIC_RELAXED);
}

static void share_parts(void *context, uint32_t worker, uint32_t begin, uint32_t end)
{
	struct nested *nested = context;

	(void)worker;
	for (uint32_t i = begin; i < end; i++)
		bc_workers_share(&nested->workers, SHARED_ITEMS, 7, count_some, nested);
}

static void shared_work_is_shared(void **state)
{
	struct nested nested = { .workers = { .count = 3 } };

	(void)state;
	bc_workers_gather(&nested.workers);
	bc_workers_share(&nested.workers, 10, 1, share_parts, &nested);
	bc_workers_dismiss(&nested.workers);
	assert_int_equal(nested.seen, 10 * SHARED_ITEMS);
}

struct steps {
	uint32_t wanted, done;
	pthread_t thread; /* that did the last one */
};

static bool do_step(void *context)
{
	struct steps *steps = context;

	steps->thread = pthread_self();
	return ++steps->done < steps->wanted;
}

/* All steps by the end, whether there is a thread for them or not, and what is shared meanwhile too. */
static void gaps_are_filled(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < 60; round++) {
		struct bc_workers workers = { .count = round % 4 };
		struct steps steps = { .wanted = 1 + round * 20 };
		struct bc_gap_work work = { .step = do_step, .context = &steps };
		bool has_team = workers.count > 1 && round % 3;

		if (has_team)
			bc_workers_gather(&workers);
		bc_gap_work_begin(&work, workers.count ? &workers : NULL);
		for (uint32_t i = 0; i < 5; i++)
			share_items(workers.count ? &workers : NULL, SHARED_ITEMS);
		bc_gap_work_end(&work);
		assert_int_equal(steps.done, steps.wanted);
		assert_int_equal(!pthread_equal(steps.thread, pthread_self()), has_team);
		bc_workers_dismiss(&workers);
	}
}

static void set_flag(void *context)
{
	*(bool *)context = true;
}

static void background_work_is_waited_for(void **state)
{
	(void)state;
	for (uint32_t threads = 0; threads <= 2; threads++) {
		struct bc_workers workers = { .count = threads };
		struct bc_background background;
		bool is_done = false;

		bc_background_start(&background, threads ? &workers : NULL, set_flag, &is_done);
		if (threads < 2)
			assert_true(is_done);
		bc_background_wait(&background);
		assert_true(is_done);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_are_one_line),
		cmocka_unit_test(errors_have_a_code),
		cmocka_unit_test(errors_are_printed_in_ascii),
		cmocka_unit_test(names_become_printable),
		cmocka_unit_test(notes_count_by_kind),
		cmocka_unit_test(workers_leave_signals_to_others),
		cmocka_unit_test(arenas_give_room),
		cmocka_unit_test(arenas_refuse_what_is_too_large),
		cmocka_unit_test(rooms_grow),
		cmocka_unit_test(folds_are_those_of_the_whole_product),
		cmocka_unit_test(keyed_items_sort_stably),
		cmocka_unit_test(threads_sort_keyed_items_alike),
		cmocka_unit_test(compared_items_sort_stably),
		cmocka_unit_test(texts_that_meet_are_made_for_one_seed),
		cmocka_unit_test(bits_are_counted),
		cmocka_unit_test(set_bits_are_numbered),
		cmocka_unit_test(work_is_shared),
		cmocka_unit_test(shared_work_is_shared),
		cmocka_unit_test(gaps_are_filled),
		cmocka_unit_test(background_work_is_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

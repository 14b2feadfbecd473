/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "tests/lib/law.h"

#include <inttypes.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "btf/read.h"
#include "btf/write.h"

const struct bc_canonical_options law_options[LAW_OPTION_COUNT] = {
	{ .order = BC_ORDER_CANONICAL },
	{ .order = BC_ORDER_NAME },
	{ .order = BC_ORDER_CANONICAL, .settle_forwards = true },
	{ .order = BC_ORDER_NAME, .settle_forwards = true },
};

static uint64_t round_seed;

static uint64_t first_seed(void)
{
	static bool known;
	static uint64_t seed;
	const char *set = getenv("BTFCANON_SEED");
	struct timespec now;

	if (known)
		return seed;
	/* Rounds free all they have; giving it back to the kernel each time takes longer than they do. */
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	clock_gettime(CLOCK_REALTIME, &now);
	seed = set ? strtoull(set, NULL, 0) :
		     (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
	known = true;
	printf("# BTFCANON_SEED=%" PRIu64 "\n", seed);
	fflush(stdout);
	return seed;
}

uint32_t law_rounds(uint32_t usual)
{
	const char *set = getenv("BTFCANON_ROUNDS");
	char *end;
	uint64_t rounds;

	if (!set)
		return usual;
	rounds = strtoul(set, &end, 0);
	if (*end == '%')
		rounds = (rounds * usual + 99) / 100;
	return (uint32_t)rounds;
}

struct rng law_round(uint32_t round)
{
	round_seed = first_seed() + round;
	return (struct rng){ round_seed };
}

void law_fail(const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fail_msg("%s (BTFCANON_SEED=%" PRIu64 " BTFCANON_ROUNDS=1)", text, round_seed);
	abort();
}

struct law_bytes law_build(struct build *build, const struct build_format *format)
{
	struct law_bytes bytes;

	bytes.data = build_bytes(build, format, &bytes.size_bytes);
	return bytes;
}

void law_keep(struct law_bytes bytes, const char *name)
{
	char path[512];
	FILE *file;

	if (!getenv("BTFCANON_KEEP"))
		return;
	snprintf(path, sizeof(path), "%s/%s.btf", getenv("BTFCANON_KEEP"), name);
	file = fopen(path, "wb");
	if (!file)
		return;
	fwrite(bytes.data, 1, bytes.size_bytes, file);
	fclose(file);
}

struct bc_graph law_read(struct bc_arena *arena, struct law_bytes bytes,
			 const struct bc_graph *base)
{
	struct bc_graph graph = { 0 };
	struct bc_err err;

	if (!bc_btf_read(&graph, bytes.data, bytes.size_bytes, base, arena, NULL, &err)) {
		law_keep(bytes, "refused");
		law_fail("not read: %s", err.text);
	}
	return graph;
}

struct law_result law_canonical(struct bc_arena *arena, struct law_bytes bytes,
				const struct bc_graph *base,
				const struct bc_canonical_options *options)
{
	struct law_result result = { .in = law_read(arena, bytes, base) };
	struct bc_err err;

	law_keep(bytes, "input");
	if (!bc_canonical(&result.out, &result.in, options, arena, &result.new_id, &result.stats,
			  &err))
		law_fail("not ordered: %s", err.text);
	if (!bc_btf_write(&result.out, NULL, arena, &result.bytes.data, &result.bytes.size_bytes,
			  &err))
		law_fail("not written: %s", err.text);
	return result;
}

struct law_bytes law_naive(struct bc_arena *arena, struct law_bytes bytes, const struct build *base,
			   const struct bc_canonical_options *options, struct naive *naive)
{
	struct naive_options naive_options = {
		.name_order = options->order == BC_ORDER_NAME,
		.settle_forwards = options->settle_forwards,
	};

	*naive = naive_canonical(build_read(arena, bytes.data, bytes.size_bytes, base),
				 &naive_options);
	return law_build(naive->canonical, NULL);
}

void law_assert_same(struct law_bytes wanted, struct law_bytes got, const char *what)
{
	size_t at = 0;

	if (wanted.size_bytes == got.size_bytes &&
	    !memcmp(wanted.data, got.data, wanted.size_bytes))
		return;
	law_keep(wanted, "wanted");
	law_keep(got, "got");
	while (at < wanted.size_bytes && at < got.size_bytes && wanted.data[at] == got.data[at])
		at++;
	law_fail("%s: %zu bytes wanted, %zu got, different from byte %zu on", what,
		 wanted.size_bytes, got.size_bytes, at);
}

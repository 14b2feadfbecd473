/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include "merge/string_ids.h"

#define TEXTS 200000u /* more than are copied */
#define TEXT_BYTES 12u

/* TEXTS of TEXT_BYTES each, two sections of the same ones, the second in another order. */
static char *make_texts(uint32_t step)
{
	char *texts = malloc((size_t)TEXTS * TEXT_BYTES);

	assert_non_null(texts);
	for (uint32_t i = 0; i < TEXTS; i++)
		snprintf(texts + (size_t)i * TEXT_BYTES, TEXT_BYTES, "text%07u",
			 (uint32_t)((uint64_t)i * step % TEXTS));
	return texts;
}

struct fixture {
	struct bc_string_ids names;
	struct bc_name_guesses guesses;
	char *sections[2];
	uint32_t numbers[2];
	struct bc_err err;
};

static void begin(struct fixture *fixture)
{
	static const uint32_t steps[] = { 1, 7 };

	*fixture = (struct fixture){ 0 };
	assert_true(bc_string_ids_make(&fixture->names, &fixture->err));
	fixture->names.by_text = true;
	for (uint32_t i = 0; i < 2; i++) {
		fixture->sections[i] = make_texts(steps[i]);
		assert_true(bc_string_ids_add_section(&fixture->names, fixture->sections[i],
						      (uint64_t)TEXTS * TEXT_BYTES,
						      &fixture->numbers[i], &fixture->err));
	}
	assert_true(bc_string_ids_finish(&fixture->names, &fixture->err));
}

static void end(struct fixture *fixture)
{
	bc_string_ids_free(&fixture->names);
	free(fixture->guesses.met);
	free(fixture->sections[0]);
	free(fixture->sections[1]);
}

/* The name of text number I in a section. */
static uint32_t name_at(struct fixture *fixture, uint32_t section, uint32_t i)
{
	uint32_t name;

	assert_true(bc_string_id_at(&fixture->names, &fixture->guesses, fixture->numbers[section],
				    (uint64_t)i * TEXT_BYTES, &name, &fixture->err));
	return name;
}

static void one_name_means_one_text(void **state)
{
	uint32_t *names = calloc(TEXTS, sizeof(*names)), wrong = 0;
	struct fixture fixture;
	char packed[4];

	(void)state;
	assert_non_null(names);
	begin(&fixture);
	for (uint32_t i = 0; i < TEXTS; i++)
		names[i] = name_at(&fixture, 0, i);
	for (uint32_t i = 0; i < TEXTS; i++) {
		uint32_t name = name_at(&fixture, 1, i);

		wrong += name != names[(uint64_t)i * 7 % TEXTS];
		wrong += strcmp(bc_string_id_text(&fixture.names, name, packed),
				fixture.sections[1] + (size_t)i * TEXT_BYTES) != 0;
	}
	/* The same ones again, as they are expected by now. */
	for (uint32_t i = 0; i < TEXTS; i++)
		wrong += name_at(&fixture, 0, i) != names[i];
	assert_int_equal(wrong, 0);
	end(&fixture);
	free(names);
}

/* Most of these are copied, the last ones are not: of those nothing need be remembered. */
static void sets_know_copied_names(void **state)
{
	struct fixture fixture;
	struct bc_name_set set;
	uint32_t known = 0;

	(void)state;
	begin(&fixture);
	assert_true(bc_name_set_make(&set, &fixture.names, &fixture.err));
	for (uint32_t i = 0; i < TEXTS; i++) {
		uint32_t name = name_at(&fixture, 0, i);

		assert_false(bc_name_set_has(&set, name));
		bc_name_set_add(&set, name);
		known += bc_name_set_has(&set, name);
	}
	assert_true(known > TEXTS / 2);
	assert_true(known < TEXTS);
	assert_true(bc_name_set_has(&set, name_at(&fixture, 0, 0)));
	assert_false(bc_name_set_has(&set, name_at(&fixture, 0, TEXTS - 1)));
	free(set.bits);
	end(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_name_means_one_text),
		cmocka_unit_test(sets_know_copied_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Abbreviations that were met before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dwarf.h>
#include <string.h>

#include "dwarf/abbrev.h"
#include "dwarf/file.h"
#include "tests/lib/law.h"

#define KINDS 40u
#define KIND_BYTES 64u
#define TABLES 30u
#define TABLE_ITEMS 25u
#define SECTION_BYTES (TABLES * (TABLE_ITEMS * (KIND_BYTES + 1) + 1))

/* An abbreviation from its tag to its end. */
struct kind {
	uint8_t bytes[KIND_BYTES];
	uint32_t length;
};

struct tables {
	struct kind kinds[KINDS];
	uint8_t section[SECTION_BYTES];
	uint32_t begin[TABLES], size;
};

static void add_attribute(struct kind *kind, struct rng *rng)
{
	static const uint8_t attributes[] = { DW_AT_name, DW_AT_type, DW_AT_byte_size,
					      DW_AT_sibling, DW_AT_decl_line };
	static const uint8_t forms[] = {
		DW_FORM_data1, DW_FORM_udata,          DW_FORM_strp,
		DW_FORM_ref4,  DW_FORM_implicit_const, DW_FORM_flag_present
	};
	uint8_t form = forms[rng_below(rng, sizeof(forms))];

	kind->bytes[kind->length++] = attributes[rng_below(rng, sizeof(attributes))];
	kind->bytes[kind->length++] = form;
	/* 0 looks like half of an end; -70 takes two bytes. */
	if (form == DW_FORM_implicit_const && rng_percent(rng, 30)) {
		kind->bytes[kind->length++] = 0xba;
		kind->bytes[kind->length++] = 0x7f;
	} else if (form == DW_FORM_implicit_const) {
		kind->bytes[kind->length++] = (uint8_t)rng_below(rng, 2);
	}
}

/* Many begin as the one before them, and some of these agree for long. */
static void make_kind(struct kind *kind, const struct kind *before, struct rng *rng)
{
	uint32_t attributes = rng_below(rng, 3);

	kind->length = 0;
	if (before && rng_percent(rng, 70)) {
		kind->length = before->length - 2;
		memcpy(kind->bytes, before->bytes, kind->length);
	} else {
		kind->bytes[kind->length++] = (uint8_t)(1 + rng_below(rng, 0x40));
		kind->bytes[kind->length++] = (uint8_t)rng_below(rng, 2);
	}
	while (attributes-- && kind->length < KIND_BYTES - 6)
		add_attribute(kind, rng);
	kind->bytes[kind->length++] = 0;
	kind->bytes[kind->length++] = 0;
}

static void make_tables(struct tables *tables, struct rng *rng)
{
	tables->size = 0;
	for (uint32_t i = 0; i < KINDS; i++)
		make_kind(&tables->kinds[i], i % 15 ? &tables->kinds[i - 1] : NULL, rng);
	for (uint32_t i = 0; i < TABLES; i++) {
		uint32_t count = rng_below(rng, TABLE_ITEMS + 1);

		tables->begin[i] = tables->size;
		for (uint32_t code = 1; code <= count; code++) {
			const struct kind *kind = &tables->kinds[rng_below(rng, KINDS)];

			tables->section[tables->size++] = (uint8_t)code;
			memcpy(tables->section + tables->size, kind->bytes, kind->length);
			tables->size += kind->length;
		}
		tables->section[tables->size++] = 0;
	}
}

static bool is_alike(const struct bc_abbrevs *a, const struct bc_abbrevs *b, uint32_t i)
{
	const struct bc_abbrev *one = &a->items[i], *other = &b->items[i];

	if (one->code != other->code || one->tag != other->tag ||
	    one->has_children != other->has_children || one->tail != other->tail ||
	    one->op_count != other->op_count || a->shapes[i].kind != b->shapes[i].kind ||
	    a->shapes[i].size != b->shapes[i].size)
		return false;
	for (uint32_t k = 0; k < one->op_count; k++) {
		const struct bc_abbrev_op *op = &a->ops[one->first_op + k];
		const struct bc_abbrev_op *like = &b->ops[other->first_op + k];

		if (op->action != like->action || op->slot != like->slot ||
		    op->value_class != like->value_class || op->size != like->size ||
		    op->skip != like->skip || op->constant != like->constant)
			return false;
	}
	return true;
}

/* What other tables taught makes no difference to what one says. */
static void tables_are_compiled_alike(void **state)
{
	static struct tables tables;

	(void)state;
	for (uint32_t round = 0; round < law_rounds(100); round++) {
		struct rng rng = law_round(round);
		struct bc_abbrevs learned = { 0 };
		struct bc_dwarf_file file = { 0 };
		struct bc_err err;

		make_tables(&tables, &rng);
		file.sections[BC_DEBUG_ABBREV].data = tables.section;
		file.sections[BC_DEBUG_ABBREV].size_bytes = tables.size;
		for (uint32_t i = 0; i < 2 * TABLES; i++) {
			struct bc_abbrevs alone = { 0 };
			uint32_t table = i < TABLES ? i : rng_below(&rng, TABLES);
			struct bc_unit unit = {
				.file = &file,
				.abbrev_offset = tables.begin[table],
				.version = (uint8_t)(rng_percent(&rng, 80) ? 5 : 4),
				.offset_bytes = rng_percent(&rng, 80) ? 4 : 8,
				.address_bytes = 8,
			};

			if (!bc_abbrevs_compile(&learned, &unit, &err) ||
			    !bc_abbrevs_compile(&alone, &unit, &err))
				law_fail("table %u: %s", table, err.text);
			if (learned.count != alone.count)
				law_fail("table %u has %u abbreviations, not %u", table,
					 learned.count, alone.count);
			for (uint32_t k = 0; k < alone.count; k++)
				if (!is_alike(&learned, &alone, k))
					law_fail("abbreviation %u of table %u is another one",
						 k + 1, table);
			bc_abbrevs_free(&alone);
		}
		bc_abbrevs_free(&learned);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_compiled_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

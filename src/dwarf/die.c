/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/die.h"

#include <inttypes.h>
#include <stdlib.h>

/* Reads the value of OP at *AT. */
static inline bool read_value(const struct bc_abbrev_op *op, const struct bc_scope *scope,
			      const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	const uint8_t *begin = *at;
	uint64_t length;

	switch (op->action) {
	case BC_OP_FIXED:
		if ((size_t)(end - begin) < op->size)
			return false;
		if (op->size <= 8)
			*value = bc_load(begin, op->size, scope->swapped);
		*at = begin + op->size;
		return true;
	case BC_OP_CONSTANT:
		*value = (uint64_t)op->constant;
		return true;
	case BC_OP_ULEB:
		return bc_load_uleb(at, end, value);
	case BC_OP_SLEB:
		return bc_load_sleb(at, end, value);
	case BC_OP_STRING: {
		const uint8_t *nul = memchr(begin, 0, (size_t)(end - begin));

		if (!nul)
			return false;
		*value = (uint64_t)(begin - scope->bytes);
		*at = nul + 1;
		return true;
	}
	case BC_OP_BLOCK:
		if (op->size) {
			if ((size_t)(end - begin) < op->size)
				return false;
			length = bc_load(begin, op->size, scope->swapped);
			*at = begin + op->size;
		} else if (!bc_load_uleb(at, end, &length)) {
			return false;
		}
		if (length > (size_t)(end - *at))
			return false;
		*value = length << 32 | (uint64_t)(*at - scope->bytes);
		*at += length;
		return true;
	default:
		return false;
	}
}

/* The form is in the DIE: read it, then the value. */
static bool read_indirect(struct bc_abbrev_op *op, const struct bc_scope *scope, const uint8_t **at,
			  const uint8_t *end, uint64_t *value)
{
	uint64_t form;

	if (!bc_load_uleb(at, end, &form) || form == DW_FORM_indirect ||
	    form == DW_FORM_implicit_const || !bc_op_for_form(op, form, &scope->abbrevs))
		return false;
	return read_value(op, scope, at, end, value);
}

static enum bc_die_result refuse(const struct bc_die *die, const char *what, struct bc_err *err)
{
	bc_err_set(err, "%s (DIE at 0x%x)", what, die->offset);
	return BC_DIE_BAD;
}

enum bc_die_result bc_die_decode(struct bc_die *die, const struct bc_scope *scope,
				 const uint8_t **at, struct bc_err *err)
{
	const uint8_t *end = scope->bytes + scope->size, *now = *at;
	const struct bc_abbrev_op *op, *last;
	uint64_t code;

	die->offset = (uint32_t)(now - scope->bytes);
	die->present = 0;
	if (!bc_load_uleb(&now, end, &code))
		return refuse(die, "the unit ends inside a DIE", err);
	if (!code) {
		*at = now;
		return BC_DIE_END;
	}
	die->abbrev = bc_abbrev_find(&scope->abbrevs, code);
	if (!die->abbrev)
		return refuse(die, "there is no such abbreviation", err);
	op = scope->abbrevs.ops + die->abbrev->first_op;
	for (last = op + die->abbrev->op_count; op < last; op++) {
		struct bc_abbrev_op indirect;
		uint8_t value_class = op->value_class;

		if ((size_t)(end - now) < op->skip)
			return refuse(die, "the unit ends inside a DIE", err);
		now += op->skip;
		if (op->action == BC_OP_FIXED && op->size <= 8 &&
		    (size_t)(end - now) >= op->size) { /* nearly all */
			die->value[op->slot] = bc_load(now, op->size, scope->swapped);
			now += op->size;
		} else if (op->action == BC_OP_INDIRECT) {
			indirect = *op;
			if (!read_indirect(&indirect, scope, &now, end, &die->value[op->slot]))
				return refuse(die, "an attribute that cannot be read", err);
			value_class = indirect.value_class;
		} else if (!read_value(op, scope, &now, end, &die->value[op->slot])) {
			return refuse(die, "the unit ends inside a DIE", err);
		}
		die->value_class[op->slot] = value_class;
		die->present |= 1u << op->slot;
	}
	if ((size_t)(end - now) < die->abbrev->tail)
		return refuse(die, "the unit ends inside a DIE", err);
	*at = now + die->abbrev->tail;
	return BC_DIE_FOUND;
}

bool bc_scope_load(struct bc_scope *scope, const struct bc_unit *unit, uint32_t unit_index,
		   struct bc_err *err)
{
	uint32_t size = (uint32_t)(unit->end - unit->offset);

	scope->unit = NULL;
	scope->has_ends = false;
	if (size > scope->limit || !scope->bytes) {
		uint32_t limit = bc_scope_room(scope, size);
		uint8_t *bytes = realloc(scope->bytes, (size_t)limit + BC_SCOPE_PADDING);

		if (!bytes)
			return bc_err_memory(err, limit);
		scope->bytes = bytes;
		scope->limit = limit;
	}
	if (!bc_dwarf_read(unit->file, (enum bc_dwarf_section_number)unit->section, unit->offset,
			   scope->bytes, size, err))
		return false;
	memset(scope->bytes + size, 0, BC_SCOPE_PADDING);
	scope->size = size;
	scope->swapped = unit->file->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	scope->language = 0;
	scope->str_offsets_base = 0;
	if (!bc_abbrevs_compile(&scope->abbrevs, unit, err))
		return false;
	scope->unit = unit;
	scope->unit_index = unit_index;
	return true;
}

void bc_scope_free(struct bc_scope *scope)
{
	free(scope->bytes);
	free(scope->ends);
	bc_abbrevs_free(&scope->abbrevs);
	*scope = (struct bc_scope){ 0 };
}

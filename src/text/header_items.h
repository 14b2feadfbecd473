/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_HEADER_ITEMS_H
#define BC_TEXT_HEADER_ITEMS_H

#include "text/header_layout.h"
#include "text/header_names.h"

/*
 * What a header defines, and what each definition needs before it.
 *
 * An item is one definition at the top of the file. Items are numbered by
 * class, then by name, then by the number of the name: their index. A
 * definition needs another before it when it holds it by value, or names the
 * typedef; a pointer to a struct only mentions it, which a declaration at the
 * top of the file allows.
 *
 * What C cannot say: definitions that need each other, through a pointer
 * (typedef T → T *). Those have a common knot; where they refer to each other
 * behind a pointer, the writer cuts, and no need counts.
 */
enum bc_item_class {
	BC_ITEM_BASE,         /* INT or FLOAT that C has not */
	BC_ITEM_UNNAMED_ENUM, /* that nothing else holds */
	BC_ITEM_ENUM,
	BC_ITEM_TYPEDEF,
	BC_ITEM_COMPOSITE,
};

struct bc_items {
	uint32_t count;
	uint32_t *type;          /* [count] the type that an item defines */
	uint8_t *class;          /* [count] enum bc_item_class */
	uint32_t *of;            /* by type id: index + 1, 0: no item */
	uint32_t *knot;          /* [count] number of the knot, 0: in none */
	uint32_t *first;         /* [count + 1] where its needs begin */
	uint32_t *needs;         /* items */
	uint32_t *first_mention; /* [count + 1] */
	uint32_t *mentions;      /* types: structs and unions it names, behind pointers too */
	uint32_t *kfuncs;        /* FUNCs with a prototype in the header, by name */
	uint32_t kfunc_count;
	uint32_t *kfunc_mentions; /* as mentions, of all kfuncs */
	uint32_t kfunc_mention_count;
};

/*
 * Arrays live in ARENA. What a BTF of a chain writes in place is an item of
 * its own nevertheless, where it comes from a lower one.
 */
bool bc_items_make(struct bc_items *items, const struct bc_layout *layout,
		   const struct bc_c_names *names, struct bc_arena *arena, struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TEXT_ASSEMBLE_PARSE_H
#define BC_TEXT_ASSEMBLE_PARSE_H

#include "text/assemble_scan.h"
#include "text/assemble_store.h"

/* A tag of split BTF on a type of its base. */
struct bc_tag_across {
	uint32_t name;
	bool kflag;
	uint32_t component;
	uint32_t target; /* a symbol, or the node of an unnamed type as the text has it again */
	uint32_t at;
};

struct bc_parse {
	struct bc_scan scan;
	struct bc_store *store;
	struct bc_err *err;

	/* What was read and is no node yet: stacks, innermost last. */
	struct bc_parse_frame *frames;
	size_t frame_count;
	uint32_t frame_limit;
	struct bc_parse_op *ops;
	size_t op_count;
	uint32_t op_limit;
	uint32_t *elements;
	size_t element_count;
	uint32_t element_limit;
	struct bc_tag_across *tags;
	size_t tag_count;
	uint32_t tag_limit;

	struct bc_tag_across *across; /* complete, in the order of the text */
	size_t across_count;
	uint32_t across_limit;
	uint32_t block; /* the number of the block, from 1 */
	char *spare;    /* for names that are not in the text as they are */
	uint32_t spare_limit;

	/* Of the declaration or body that was complete last. */
	struct {
		uint32_t type; /* a reference, see assemble_store.h */
		uint32_t type_at;
		uint32_t name;
		uint32_t number;
		uint32_t name_at;
		bool has_name;
	} made;
};

/*
 * Reads all blocks of TEXT from byte PLACE on into STORE, which bc_store_open
 * made and which the caller closes. Nothing is resolved. PARSE->across is
 * there until bc_parse_close, which also follows a failure.
 */
bool bc_parse_blocks(struct bc_parse *parse, struct bc_store *store, const char *text,
		     size_t size_bytes, uint32_t place, struct bc_err *err);
void bc_parse_close(struct bc_parse *parse);

/* The type of SPACE that NAME and NUMBER mean is ID; AT: for the error that it is another, too. */
bool bc_parse_declare(struct bc_parse *parse, enum bc_symbol_space space, uint32_t name,
		      uint32_t number, uint32_t id, uint32_t at);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_ENCODER_H
#define BC_DWARF_ENCODER_H

#include "base/order.h"
#include "dwarf/encode.h"
#include "dwarf/kfuncs.h"
#include "dwarf/places.h"
#include "merge/census.h"
#include "merge/local.h"

/*
 * What the passes of bc_encode share, a file each; encode.c has their order.
 * Those that return false set ERR, or where they have none the worker's.
 */

#define BC_NO_UNIT UINT32_MAX

/* Bits by leaf index, from first_word * 64 on. */
struct bc_mention_run {
	uint32_t first_word, word_count;
	uint64_t *mentioned; /* tags that a unit mentions */
	uint64_t *defined;   /* tags of which it has a body */
	uint64_t *unread;    /* tags of other units whose bodies it did not read; NULL: none */
};

/* Of one unit; between the runs there is nothing. */
struct bc_mentions {
	struct bc_mention_run *runs;
	uint32_t run_count;
};

enum bc_reading {
	BC_READ_FIRST,
	BC_READ_REFERENCES, /* of a unit to which others refer: whether DIEs are there */
	BC_READ_MEANING,    /* of a unit that has a meaning of its own */
	BC_READ_PLAIN,      /* of a unit that has none: which nodes it has */
	BC_READ_ROOTS,      /* functions and variables, of a unit with other nodes than at first */
};

/* A tainted node that some unit gives a meaning of its own: does another one have it plainly? */
struct bc_question {
	uint32_t number;
	uint32_t first_leaf, leaf_count; /* in leaf_indexes: the tags right below it */
};

struct bc_encoder {
	const struct bc_encode_options *options;
	struct bc_encode_stats *stats;
	struct bc_dwarf_file *files;
	struct bc_elf_symbols *tables; /* by file */
	uint32_t file_count;
	struct bc_units units;
	struct bc_string_ids names;
	struct bc_symbols symbols;
	struct bc_name_set no_symbols; /* names that were looked for there in vain */
	struct bc_places places;
	struct bc_interner interner;
	struct bc_census census;
	struct bc_mentions *mentions; /* by unit */
	struct bc_meaning *meanings;
	uint32_t meaning_count;
	struct bc_content *contents; /* by thread */
	struct bc_kfuncs kfuncs;     /* none unless they are to be tagged */
	uint64_t *conflicts;         /* bits by leaf index: conflicted tags */
	uint64_t *taints;            /* and tainted ones */
	uint32_t leaf_word_count;
	uint8_t *own;   /* by number, atomic: some unit does not have it plainly, or not any more */
	uint8_t *plain; /* by number: some unit has it with its plain meaning */
	struct bc_question *questions;
	uint32_t question_count;
	uint32_t *leaf_indexes;
	uint32_t leaf_index_count;
	uint32_t *order; /* units to read, in the order they are taken */
	uint32_t order_count;
	uint32_t next;        /* atomic */
	uint64_t bytes_done;  /* atomic */
	uint32_t failed_unit; /* atomic: the lowest one that failed so far */
	enum bc_reading reading;
	struct bc_encode_worker *workers;
	struct bc_arena scratch;
	struct bc_arena kept; /* what the graph's last changes need: kfuncs */
};

struct bc_encode_worker {
	struct bc_collector collector;
	struct bc_local local;
	struct bc_intern_worker interner;
	struct bc_mention_run mentions; /* all bits by leaf index, for the unit at hand */
	struct bc_err err;
	struct bc_arena arena; /* mentions and meanings */
	struct bc_keyed *links,
		*spare_links; /* of the unit at hand: who refers to a tainted node */
	uint32_t *pending;
	/* By number: the last unit read (counted) that gives it a meaning of its own. */
	uint32_t *own_in;
	struct bc_candidate *candidates;
	struct bc_variable *variables;
	uint64_t last_progress;
	uint32_t link_limit, pending_limit, own_limit, read_count;
	uint32_t candidate_count, candidate_limit;
	uint32_t variable_count, variable_limit;
	uint32_t failed_unit;
} __attribute__((aligned(128)));

/* The node of a type that is one; 0 for mere declarations and aliases. */
static inline uint32_t bc_type_node(const struct bc_local *local, uint32_t number)
{
	const struct bc_local_type *type = bc_local_type(local, number);

	if (type->role == BC_LOCAL_BODY || type->body)
		return type->body;
	return type->role == BC_LOCAL_NODE ? local->nodes[number] : 0;
}

/* Nodes that came after the census do not count: it will be taken again. */
static inline bool bc_encoder_is_tainted(const struct bc_encoder *encoder, uint32_t id)
{
	return encoder->census.tainted[bc_census_number(&encoder->census, id)];
}

/* ---- read_units.c ---- */

void bc_encoder_free_workers(struct bc_encoder *encoder);

/* Reads all units, those of alternate files where they are imported, for the first time. */
bool bc_encoder_read_units(struct bc_encoder *encoder, struct bc_err *err);

/* Has the threads read the units of encoder->order, as encoder->reading says. */
bool bc_encoder_run(struct bc_encoder *encoder, struct bc_err *err);

/* ---- mentions.c: which tags a unit speaks of ---- */

/* Keeps those of the unit whose local graph the worker has just interned. */
bool bc_mentions_note(struct bc_encoder *encoder, struct bc_encode_worker *worker, uint32_t unit);

/* Whether the unit has tags of others whose bodies it did not read. */
bool bc_mentions_has_unread(const struct bc_mentions *mentions);

/* Whether the unit mentions the tag whose leaf has that INDEX. */
bool bc_mentions_has(const struct bc_mentions *mentions, uint32_t index);

/* ---- meanings.c: which nodes of the unit at hand mean something of their own ---- */

bool bc_meaning_note(struct bc_encoder *encoder, struct bc_encode_worker *worker,
		     struct bc_meaning *meaning);

/* Of a unit in which none does. */
void bc_plain_note(struct bc_encoder *encoder, const struct bc_encode_worker *worker);

/* ---- conflicts.c ---- */

/* Takes the census, and has those units read again whose meaning conflicts decide. */
bool bc_encoder_resolve_conflicts(struct bc_encoder *encoder, struct bc_err *err);

/*
 * Whether some tag means something of its own in a unit: it has a body of a
 * conflicted one, or a reference to another unit's tag from which one is reached.
 */
bool bc_encoder_has_meaning(const struct bc_encoder *encoder, uint32_t unit);

/* ---- plain_nodes.c ---- */

/* Settles encoder->plain, having units read again until no question is open. */
bool bc_encoder_find_plain_nodes(struct bc_encoder *encoder, struct bc_err *err);

/* ---- roots.c: functions and variables ---- */

/* Keeps those of the unit at hand. */
bool bc_roots_note(struct bc_encode_worker *worker, uint32_t unit);

/*
 * Functions and variables go by the nodes of the first reading; a unit that was
 * read with the bodies of others may have other ones now.
 */
bool bc_roots_read_again(struct bc_encoder *encoder, struct bc_err *err);

bool bc_roots_choose_functions(struct bc_encoder *encoder, struct bc_chosen *chosen,
			       struct bc_err *err);
bool bc_roots_choose_variables(struct bc_encoder *encoder, struct bc_chosen *chosen,
			       struct bc_err *err);

#endif

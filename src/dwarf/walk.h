/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_DWARF_WALK_H
#define BC_DWARF_WALK_H

/*
 * What the files share that read one unit's DIEs (the pass list is in collect.c).
 * All of it is for the thread that owns the collector. Functions that return
 * bool set walk->err on false; what they then leave behind is not to be used
 * but cleared by the next unit.
 */

#include "dwarf/collect.h"

/* Of references: what is a label already, or says which import it is until all are read. */
#define BC_REF_IMPORT 0x80000000u
#define BC_REF_NUMBER BC_LABEL_NUMBER
#define BC_REF_VALUE BC_LABEL_VALUE

enum bc_frame_role {
	BC_FRAME_OTHER,
	BC_FRAME_COMPOSITE,
	BC_FRAME_VARIANT, /* its members are those of the struct around it */
	BC_FRAME_ENUM,
	BC_FRAME_PROTO,
	BC_FRAME_ARRAY,
	BC_FRAME_POINTER,
	BC_FRAME_FUNCTION, /* number: of the function, from 0 */
	BC_FRAME_VARIABLE, /* number: of the variable, from 0 */
	BC_FRAME_TYPEDEF,
	BC_FRAME_MEMBER,  /* number: its index; of parameters too */
	BC_FRAME_SKIPPED, /* a type that is not wanted here, and all below */
};

/* A DIE that is open. */
struct bc_frame {
	uint8_t role;
	uint8_t kind; /* of BTF */
	bool has_bitfields;
	bool has_negative;
	bool has_range;
	bool is_unsorted; /* members may come in any order */
	bool has_fixups;  /* of members */
	/* Of the local type; VARIANT: of the frame whose members its ones are; SKIPPED: the offset. */
	uint32_t number;
	uint32_t first_element;
	uint32_t first_tag;
	uint32_t name;
	uint32_t size_bytes;
	uint32_t reference;
	uint32_t sibling;  /* offset in the unit; 0: not said */
	uint64_t count;    /* of array elements so far */
	uint64_t encoding; /* of an enum; 0: not said */
};

/* A DIE of another unit that was referred to, and the local type it is once it has been read. */
struct bc_import {
	uint64_t place;
	uint32_t number;
};

/* Something that needs another type's size or sign: settled when all are known. */
struct bc_fixup {
	uint32_t number;
	uint32_t reference; /* the type to look at */
	uint32_t member;    /* of a bitfield whose offset counts from the high end */
	int64_t bit_offset; /* from the low end of its storage, less the storage */
	bool is_enum;       /* else a bitfield */
};

#define BC_WALK_MEMBER_WORDS 4u     /* name, reference, bit offset, bitfield width */
#define BC_WALK_ENUMERATOR_WORDS 3u /* name, low, high */
#define BC_WALK_PARAMETER_WORDS 2u  /* name, reference */
#define BC_WALK_TAG_WORDS 2u        /* struct bc_decl_tag, behind the words that BTF has */

/* Bits of the encoding word of an INT. */
#define BC_INT_SIGNED (1u << 24)
#define BC_INT_BOOL (4u << 24)

struct bc_walk {
	struct bc_collector *collector;
	struct bc_scope *scope;
	struct bc_die die;         /* the one at hand */
	struct bc_frame above_all; /* what stands above the first DIE: nothing */
	uint32_t depth;            /* of frames */
	uint32_t end;              /* where what was walked over ends */
	uint32_t resume;           /* where to go on; 0: at the next DIE */
	bool is_foreign;           /* the DIE is another unit's than the collector's home */
	struct bc_err *err;
};

static inline void bc_walk_skip(struct bc_walk *walk, enum bc_skip reason)
{
	walk->collector->skipped[reason]++;
}

/* ---- walk.c ---- */

/* Reads the DIE at START and all below it. */
bool bc_walk_from(struct bc_walk *walk, uint32_t start);

/* ---- short_way.c ---- */

/*
 * Reads DIEs from *AT on, below those that are open, and moves *AT behind those that it can read;
 * what comes then is for the long way, unless no DIE is open any more.
 */
bool bc_walk_short_way(struct bc_walk *walk, const uint8_t **at);

/* ---- walk.c ---- */

/* Finishes the struct, union, enumeration, prototype or array that is FRAME, and its elements. */
bool bc_walk_close_type(struct bc_walk *walk, const struct bc_frame *frame);

/* Sets the error: WHAT is wrong with the DIE at hand; always false. */
bool bc_walk_refuse(struct bc_walk *walk, const char *what);

/* ---- root.c ---- */

/* Sets what the unit's own DIE says about how to read the others. */
bool bc_walk_read_root(struct bc_walk *walk);

/* Whether units of a language (of DWARF) are not wanted. */
bool bc_collector_excludes(const struct bc_collector *collector, uint16_t language);

/* ---- names.c ---- */

/* The string that a VALUE of such a class means, as a name. */
bool bc_walk_find_string(struct bc_walk *walk, enum bc_value_class value_class, uint64_t value,
			 uint32_t *name);

/* The string in SLOT as a name, 0 where there is none. */
bool bc_walk_take_string(struct bc_walk *walk, enum bc_slot slot, uint32_t *name);

static inline bool bc_walk_take_name(struct bc_walk *walk, uint32_t *name)
{
	return bc_walk_take_string(walk, BC_SLOT_NAME, name);
}

/* ---- references.c ---- */

/* What an attribute that refers to a type refers to; 0 where it is absent. */
bool bc_walk_take_reference(struct bc_walk *walk, enum bc_slot slot, uint32_t *reference);

/* A reference to the DIE at OFFSET of UNIT (NULL: there is no such unit, an error). */
bool bc_walk_refer_to(struct bc_walk *walk, const struct bc_unit *unit, uint64_t offset,
		      uint32_t *reference);

/* When imports are read: references to them become labels. */
void bc_walk_settle_imports(struct bc_walk *walk);

/* Sets the error: WHAT is wrong with a type (0: with what is known by its offset only); always false. */
bool bc_walk_refuse_type(struct bc_walk *walk, uint32_t number, const char *what);

/* The words of the type behind aliases, typedefs and modifiers; NULL: none, or not known here. */
const uint32_t *bc_look_through(const struct bc_local *local, uint32_t label);

/* ---- imports.c ---- */

/* A reference to a DIE of another unit. */
bool bc_walk_import(struct bc_walk *walk, uint64_t place, uint32_t *reference);

/* Reads what imports refer to; what that refers to is imported in turn, all of one unit together. */
bool bc_walk_import_all(struct bc_walk *walk);

/* A unit of an alternate file counts when it is imported; others do anyway. */
bool bc_walk_import_unit(struct bc_walk *walk);

/* Adds to the error that what is wrong is in another unit; always false. */
bool bc_walk_refuse_foreign(const struct bc_collector *collector, uint32_t unit_index,
			    struct bc_err *err);

void bc_collector_forget_imports(struct bc_collector *collector);

/* ---- foreign_tags.c ---- */

/* The offset of the only body that the foreign unit at hand has of a tag; 0: there is none such. */
bool bc_walk_find_foreign_body(struct bc_walk *walk, enum bc_tag_class tag_class, uint32_t name,
			       uint32_t *offset);

/* ---- simple.c ---- */

/* A new type for the DIE being read. */
bool bc_walk_add_type(struct bc_walk *walk, enum bc_local_role role, uint32_t *number);
bool bc_walk_set_words(struct bc_walk *walk, uint32_t number, const uint32_t *words,
		       uint32_t count);

/* The DIE means what REFERENCE means. */
bool bc_walk_add_alias(struct bc_walk *walk, uint32_t reference);

/* PTR, TYPEDEF and modifiers. */
bool bc_walk_add_link(struct bc_walk *walk, enum bc_kind kind, uint32_t *number);

/* Its DW_AT_byte_size; 0: it has none. */
bool bc_walk_take_size(struct bc_walk *walk, uint32_t *size_bytes);

bool bc_walk_open_base_type(struct bc_walk *walk);
bool bc_walk_open_member_pointer(struct bc_walk *walk);
bool bc_walk_open_sized(struct bc_walk *walk);
bool bc_walk_open_same_as(struct bc_walk *walk);

/* ---- elements.c ---- */

bool bc_walk_push_element(struct bc_walk *walk, const uint32_t *words, uint32_t count);

/* Head and room for the elements of a type; *WORDS is valid until the next type. */
static inline bool bc_walk_close_head(struct bc_walk *walk, const struct bc_frame *frame,
				      uint32_t info, uint32_t size_or_type, uint32_t element_words,
				      uint32_t **words)
{
	struct bc_local *local = walk->collector->local;
	uint32_t count = BC_HEAD_WORDS + element_words, first;
	struct bc_local_type *type = bc_local_type(local, frame->number);

	if (!bc_local_reserve(local, count, &first, walk->err))
		return false;
	type->first_word = first;
	type->word_count = count;
	*words = local->words + first;
	(*words)[0] = frame->name;
	(*words)[1] = info;
	(*words)[2] = size_or_type;
	*words += BC_HEAD_WORDS;
	return true;
}

/* A type that has more elements, or farther ones, than BTF can say: its size only. */
bool bc_walk_close_opaque(struct bc_walk *walk, const struct bc_frame *frame, enum bc_skip reason);

bool bc_walk_add_enumerator(struct bc_walk *walk, struct bc_frame *frame);
bool bc_walk_close_enum(struct bc_walk *walk, const struct bc_frame *frame);
bool bc_walk_open_proto(struct bc_walk *walk, struct bc_frame *frame);
bool bc_walk_add_parameter(struct bc_walk *walk);
bool bc_walk_close_proto(struct bc_walk *walk, const struct bc_frame *frame);
bool bc_walk_open_array(struct bc_walk *walk, struct bc_frame *frame);
void bc_walk_add_dimension(struct bc_walk *walk, struct bc_frame *frame);
/* The same for one of COUNT elements. */
void bc_walk_take_dimension(struct bc_walk *walk, struct bc_frame *frame, uint64_t count);
bool bc_walk_close_array(struct bc_walk *walk, const struct bc_frame *frame);

/* ---- composite.c ---- */

/* Struct, union, enum: a tag if it has a name, a forward declaration if it says so. */
bool bc_walk_open_tag(struct bc_walk *walk, struct bc_frame *frame, enum bc_tag_class tag_class);
bool bc_walk_open_composite(struct bc_walk *walk, struct bc_frame *frame, enum bc_kind kind);
bool bc_walk_add_member(struct bc_walk *walk, struct bc_frame *frame);
bool bc_walk_close_composite(struct bc_walk *walk, const struct bc_frame *frame);

/* ---- fixups.c ---- */

bool bc_walk_add_fixup(struct bc_walk *walk, struct bc_fixup fixup);
bool bc_walk_settle_fixups(struct bc_walk *walk);

/*
 * DWARF 2 and 3 count a bitfield's offset from the high end of its storage: moves *BITS to where
 * it stands. The storage's size is the member's, or that of its type.
 */
bool bc_walk_place_old_bitfield(struct bc_walk *walk, struct bc_frame *frame, uint64_t width,
				uint32_t reference, uint64_t *bits);

/* ---- functions.c ---- */

/* The offset of the DIE it comes from, in the same unit; 0: none, or elsewhere. */
uint32_t bc_walk_take_origin(const struct bc_walk *walk);
bool bc_walk_open_function(struct bc_walk *walk, struct bc_frame *frame);
bool bc_walk_add_function_parameter(struct bc_walk *walk, const struct bc_frame *frame);

/* Functions of the unit become candidates, with prototypes among the local types. */
bool bc_walk_finish_functions(struct bc_walk *walk);

/* When references are numbers: sums up how the functions' parameters stand. */
void bc_collector_judge_functions(struct bc_collector *collector);

/* ---- variables.c ---- */

bool bc_walk_open_variable(struct bc_walk *walk, struct bc_frame *frame);

/* Variables that were declared before take from the declaration what they do not say. */
bool bc_walk_finish_variables(struct bc_walk *walk);

/* Their references become numbers. */
bool bc_walk_translate_variables(struct bc_walk *walk);

/* ---- annotations.c ---- */

/* DW_TAG_LLVM_annotation: name says what, the value is a string. */
#define BC_TAG_LLVM_ANNOTATION 0x6000

/* What the annotation that is the DIE at hand says about FRAME's type or declaration. */
bool bc_walk_take_annotation(struct bc_walk *walk, const struct bc_frame *frame);

/* Adds the tags that GCC's annotations of the DIE at hand, a declaration, give a variable. */
bool bc_walk_add_declared_tags(struct bc_walk *walk, struct bc_variable *variable);

/* The same for all annotations in the chain that the DIE at hand begins. */
bool bc_walk_take_annotations(struct bc_walk *walk, const struct bc_frame *frame);
bool bc_walk_close_pointer(struct bc_walk *walk, const struct bc_frame *frame);
bool bc_walk_close_tags(struct bc_walk *walk, const struct bc_frame *frame);

#endif

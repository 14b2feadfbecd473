/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Tags that the source gives to types (btf_type_tag) and declarations (btf_decl_tag). */
#include "dwarf/walk.h"

#include "base/room.h"

#include <stdlib.h>
#include <string.h>

#define ANNOTATIONS_MAX 4096u /* of one DIE: a chain may come back to itself */

static bool push_tag(struct bc_walk *walk, uint32_t component, uint32_t value)
{
	struct bc_collector *collector = walk->collector;

	if (!bc_make_room(&collector->tags, &collector->tag_limit,
			  (uint64_t)collector->tag_count + 1, sizeof(*collector->tags), walk->err))
		return false;
	collector->tags[collector->tag_count++] = (struct bc_decl_tag){ component, value };
	return true;
}

bool bc_walk_take_annotation(struct bc_walk *walk, const struct bc_frame *frame)
{
	const struct bc_features *features = &walk->collector->features;
	bool on_pointer = frame->role == BC_FRAME_POINTER && features->with_type_tag;
	bool on_declaration = (frame->role == BC_FRAME_COMPOSITE ||
			       frame->role == BC_FRAME_TYPEDEF ||
			       frame->role == BC_FRAME_FUNCTION ||
			       frame->role == BC_FRAME_VARIABLE ||
			       frame->role == BC_FRAME_MEMBER) &&
			      features->with_decl_tag;
	uint32_t what, value;
	char packed[4];

	if (!on_pointer && !on_declaration)
		return true;
	if (!bc_walk_take_name(walk, &what))
		return false;
	if (strcmp(bc_string_id_text(walk->collector->names, what, packed),
		   on_pointer ? "btf_type_tag" : "btf_decl_tag"))
		return true;
	if (!bc_die_has(&walk->die, BC_SLOT_CONST_VALUE))
		return bc_walk_refuse(walk, "a tag without a value");
	if (!bc_walk_take_string(walk, BC_SLOT_CONST_VALUE, &value))
		return false;
	return on_pointer ?
		       bc_walk_push_element(walk, &value, 1) :
		       push_tag(walk,
				frame->role == BC_FRAME_MEMBER ? frame->number : BC_TAG_OF_WHOLE,
				value);
}

/*
 * GCC: annotations stand apart, in a chain that an attribute begins. It has
 * the tag nearest to the pointer first, LLVM has it last.
 */
bool bc_walk_take_annotations(struct bc_walk *walk, const struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	uint32_t first = collector->element_count;
	struct bc_die die = walk->die;

	for (uint32_t i = 0; bc_die_has(&walk->die, BC_SLOT_ANNOTATION); i++) {
		uint64_t offset = bc_die_value(&walk->die, BC_SLOT_ANNOTATION);
		const uint8_t *at = walk->scope->bytes + offset;

		if (bc_die_class(&walk->die, BC_SLOT_ANNOTATION) != BC_VALUE_REF ||
		    offset < walk->scope->unit->header_bytes || offset >= walk->scope->size ||
		    i == ANNOTATIONS_MAX ||
		    bc_die_decode(&walk->die, walk->scope, &at, walk->err) != BC_DIE_FOUND)
			return bc_walk_refuse(walk, "a chain of annotations that makes no sense");
		if (!bc_walk_take_annotation(walk, frame))
			return false;
	}
	walk->die = die;
	if (frame->role != BC_FRAME_POINTER)
		return true;
	for (uint32_t i = first, j = collector->element_count; i + 1 < j; i++) {
		uint32_t other = collector->elements[--j];

		collector->elements[j] = collector->elements[i];
		collector->elements[i] = other;
	}
	return true;
}

/*
 * The pointer has type tags: a TYPE_TAG for each between it and what it points
 * at. The compiler lists them as written; the last one is next to the star.
 */
bool bc_walk_close_pointer(struct bc_walk *walk, const struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	struct bc_local *local = collector->local;
	uint32_t pointer_word = bc_local_type(local, frame->number)->first_word + 2;

	for (uint32_t i = frame->first_element; i < collector->element_count; i++) {
		uint32_t words[BC_HEAD_WORDS] = { collector->elements[i],
						  bc_info(BC_TYPE_TAG, 0, false),
						  local->words[pointer_word] };
		uint32_t number = bc_local_add(local, bc_local_type(local, frame->number)->place,
					       BC_LOCAL_NODE, walk->err);

		if (!number || !bc_walk_set_words(walk, number, words, BC_HEAD_WORDS))
			return false;
		local->words[pointer_word] = BC_REF_NUMBER | number;
	}
	return true;
}

static int compare_tags(const void *a, const void *b)
{
	const struct bc_decl_tag *one = a, *other = b;

	if (one->component != other->component)
		return one->component < other->component ? -1 : 1;
	return (one->value > other->value) - (one->value < other->value);
}

/* The tags of FRAME's declaration, sorted, each once, for COUNT members or parameters. */
static uint32_t settle_tags(struct bc_walk *walk, const struct bc_frame *frame, uint32_t count)
{
	struct bc_decl_tag *tags = walk->collector->tags + frame->first_tag;
	uint32_t all = walk->collector->tag_count - frame->first_tag, kept = 0;

	if (all)
		qsort(tags, all, sizeof(*tags), compare_tags);
	for (uint32_t i = 0; i < all; i++) {
		if (tags[i].component != BC_TAG_OF_WHOLE && tags[i].component >= count)
			continue;
		if (!kept || compare_tags(&tags[kept - 1], &tags[i]))
			tags[kept++] = tags[i];
	}
	return kept;
}

/* Another set of tags is another type: they stand behind its words. */
static bool tag_type(struct bc_walk *walk, const struct bc_frame *frame)
{
	struct bc_local *local = walk->collector->local;
	struct bc_local_type *type;
	uint32_t first, count, before;

	if (walk->collector->tag_count == frame->first_tag || !frame->number)
		return true;
	type = bc_local_type(local, frame->number);
	if (type->role == BC_LOCAL_DECLARATION || type->role == BC_LOCAL_ALIAS || type->unread)
		return true;
	/* Members that were sorted are no longer at their index. */
	count = settle_tags(
		walk, frame,
		frame->is_unsorted ? 0 : bc_element_count(local->words[type->first_word + 1]));
	before = type->word_count;
	if (!bc_local_reserve(local, before + BC_WALK_TAG_WORDS * count, &first, walk->err))
		return false;
	memcpy(local->words + first, local->words + type->first_word, before * sizeof(uint32_t));
	if (count)
		memcpy(local->words + first + before, walk->collector->tags + frame->first_tag,
		       BC_WALK_TAG_WORDS * count * sizeof(uint32_t));
	type->first_word = first;
	type->word_count = before + BC_WALK_TAG_WORDS * count;
	return true;
}

/* Functions and variables are looked at again when the unit is read. */
static bool keep_tags(struct bc_walk *walk, const struct bc_frame *frame, uint32_t parameter_count,
		      uint32_t *first_tag, uint32_t *tag_count)
{
	struct bc_collector *collector = walk->collector;
	uint32_t count = settle_tags(walk, frame, parameter_count);

	if (!count)
		return true;
	if (!bc_make_room(&collector->kept_tags, &collector->kept_tag_limit,
			  (uint64_t)collector->kept_tag_count + count,
			  sizeof(*collector->kept_tags), walk->err))
		return false;
	memcpy(collector->kept_tags + collector->kept_tag_count, collector->tags + frame->first_tag,
	       count * sizeof(*collector->tags));
	*first_tag = collector->kept_tag_count;
	*tag_count = count;
	collector->kept_tag_count += count;
	return true;
}

bool bc_walk_add_declared_tags(struct bc_walk *walk, struct bc_variable *variable)
{
	struct bc_collector *collector = walk->collector;
	const struct bc_frame frame = { .role = BC_FRAME_VARIABLE,
					.first_tag = collector->tag_count };
	bool done = true;

	for (uint32_t i = 0; done && i < variable->tag_count; i++)
		done = push_tag(walk, BC_TAG_OF_WHOLE,
				collector->kept_tags[variable->first_tag + i].value);
	done = done && bc_walk_take_annotations(walk, &frame) &&
	       keep_tags(walk, &frame, 0, &variable->first_tag, &variable->tag_count);
	collector->tag_count = frame.first_tag;
	return done;
}

bool bc_walk_close_tags(struct bc_walk *walk, const struct bc_frame *frame)
{
	struct bc_collector *collector = walk->collector;
	struct bc_function *function;
	struct bc_variable *variable;
	bool done = true;

	switch (frame->role) {
	case BC_FRAME_COMPOSITE:
	case BC_FRAME_TYPEDEF:
		done = tag_type(walk, frame);
		break;
	case BC_FRAME_FUNCTION:
		function = &collector->functions[frame->number];
		done = keep_tags(walk, frame, function->parameter_count, &function->first_tag,
				 &function->tag_count);
		break;
	case BC_FRAME_VARIABLE:
		variable = &collector->variables[frame->number];
		done = keep_tags(walk, frame, 0, &variable->first_tag, &variable->tag_count);
		break;
	default:
		return true;
	}
	collector->tag_count = frame->first_tag;
	return done;
}

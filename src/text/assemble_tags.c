/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "text/assemble_tags.h"

#include "base/room.h"
#include "text/assemble_frames.h"
#include "text/assemble_names.h"
#include "text/assemble_tokens.h"

bool bc_parse_at_tag(const struct bc_parse *parse)
{
	return parse->scan.token.word == BC_WORD_DECL_TAG ||
	       parse->scan.token.word == BC_WORD_DECL_ATTR;
}

bool bc_parse_tag(struct bc_parse *parse, struct bc_tag_across *tag)
{
	*tag = (struct bc_tag_across){
		.kflag = parse->scan.token.word == BC_WORD_DECL_ATTR,
		.component = UINT32_MAX,
		.at = parse->scan.token.at,
	};
	if (!bc_parse_at_tag(parse))
		return bc_scan_expected(&parse->scan, "a tag");
	bc_scan_step(&parse->scan);
	return bc_parse_expect(parse, '(') &&
	       bc_parse_string(parse, "the text of a tag", &tag->name);
}

bool bc_parse_tags(struct bc_parse *parse, uint32_t component)
{
	struct bc_tag_across tag;

	while (bc_parse_at_tag(parse)) {
		if (!bc_parse_tag(parse, &tag) || !bc_parse_expect(parse, ')') ||
		    !bc_make_room(&parse->tags, &parse->tag_limit, parse->tag_count + 1,
				  sizeof(*parse->tags), parse->err))
			return false;
		tag.component = component;
		parse->tags[parse->tag_count++] = tag;
	}
	return true;
}

static bool store_tag(struct bc_parse *parse, const struct bc_tag_across *tag, uint32_t target)
{
	uint32_t id = 0, *node = NULL;

	node = bc_store_node(parse->store, tag->name, bc_info(BC_DECL_TAG, 0, tag->kflag), 4,
			     tag->at, &id);
	if (!node)
		return false;
	node[2] = target;
	node[3] = tag->component;
	return true;
}

bool bc_parse_store_tags(struct bc_parse *parse, size_t first, uint32_t target)
{
	for (size_t i = first; i < parse->tag_count; i++)
		if (!store_tag(parse, &parse->tags[i], target))
			return false;
	parse->tag_count = first;
	return true;
}

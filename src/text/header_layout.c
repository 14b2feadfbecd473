/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * [guess_pointer] and [guess_align8] settle the ABI. [limit_uses] goes from
 * the outermost types inwards: a type may be no more aligned than any place
 * where it is used by value. [align_types] goes the other way: with the
 * alignment of what it contains, that of a struct is known. Both go by nesting
 * depth, which the computation of sizes found.
 */
#include "text/header_layout.h"

#include <string.h>

#include "text/header_bases.h"

/* Compilers take no more; 1 MiB is more than any kernel asks for. */
#define MAX_ALIGN (1u << 20)

static uint32_t lowest_bit(uint64_t number)
{
	uint64_t bit = number & -number;

	return bit && bit < MAX_ALIGN ? (uint32_t)bit : MAX_ALIGN;
}

static uint64_t round_up(uint64_t number, uint64_t align)
{
	return (number + align - 1) / align * align;
}

uint32_t bc_layout_unnamed(const struct bc_layout *layout, uint32_t type_id)
{
	uint32_t id = layout->resolved[type_id];

	return id && bc_kind_is_composite(bc_id_kind(layout->graph, id)) ? id : 0;
}

/*
 * Width in bits of a bitfield member, and where it begins. Before BTF had
 * widths on members, an INT of its own had them.
 */
static uint32_t bitfield_width(const struct bc_layout *layout, const uint32_t *node, uint32_t i,
			       uint64_t *offset)
{
	const struct bc_graph *graph = layout->graph;
	const uint32_t *member = bc_element(node, i);
	uint32_t width = bc_member_bit_width(node[1], member[2]);
	uint32_t base;

	*offset = bc_member_bit_offset(node[1], member[2]);
	if (width || bc_info_kflag(node[1]))
		return width;
	base = layout->resolved[member[1]];
	if (!base || bc_id_kind(graph, base) != BC_INT)
		return 0;
	member = bc_node(graph, base);
	width = member[3] & 0xff;
	if (!width || width == (uint64_t)member[2] * 8 || member[3] >> 24 & 4)
		return 0;
	*offset += member[3] >> 16 & 0xff;
	return width;
}

/* ---- placing ---- */

/* One member as C sees it; in bits. */
struct extent {
	uint64_t offset, size, unit;
	uint32_t align, align4, width;
	bool has_place;
};

static bool is_bool(const struct bc_layout *layout, uint32_t type_id)
{
	const uint32_t *base = bc_node(layout->graph, layout->resolved[type_id]);

	return bc_node_kind(base) == BC_INT && base[3] >> 24 & 4;
}

static struct extent extent_of(const struct bc_layout *layout, const uint32_t *node, uint32_t i)
{
	const uint32_t *member = bc_element(node, i);
	struct extent extent = { .has_place = true };
	uint64_t unit;

	extent.width = bitfield_width(layout, node, i, &extent.offset);
	if (__builtin_mul_overflow(layout->sizes.size_bytes[member[1]], (uint64_t)8, &unit))
		return (struct extent){ .has_place = false };
	extent.align = layout->align[member[1]] * 8;
	extent.align4 = layout->align4[member[1]] * 8;
	extent.unit = unit;
	extent.size = extent.width ? extent.width : unit;
	if (extent.width) {
		uint32_t kind = bc_id_kind(layout->graph, layout->resolved[member[1]]);
		bool fits = extent.width <= (is_bool(layout, member[1]) ? 1 : unit);

		if (extent.width == unit && extent.offset % 8 == 0 && !fits) {
			extent.width = 0;
			fits = true;
		}
		/* Of other sizes there are no numbers in C, only bytes. */
		fits &= unit == 8 || unit == 16 || unit == 32 || unit == 64 ||
			(unit == 128 && layout->pointer_bytes == 8);
		extent.has_place = (kind == BC_INT || bc_kind_is_enum(kind)) && fits;
	} else {
		extent.has_place = extent.offset % 8 == 0;
		if (!*bc_string(layout->graph, member[0]))
			extent.has_place &= bc_layout_unnamed(layout, member[1]) != 0;
	}
	if (extent.offset + extent.size > (uint64_t)node[2] * 8)
		extent.has_place = false;
	return extent;
}

/* Where a compiler would put a bitfield that comes at POSITION. */
static uint64_t bitfield_position(const struct extent *extent, uint64_t position, uint32_t align)
{
	uint64_t begin = position % align;

	/* It must not touch more units of its alignment than its type has. */
	if ((begin + extent->width + align - 1) / align > extent->unit / align)
		return round_up(position, align);
	return position;
}

static bool must_pack(const struct bc_layout *layout, const uint32_t *node)
{
	uint32_t count = bc_info_vlen(node[1]);
	uint32_t align = 1;

	for (uint32_t i = 0; i < count; i++) {
		struct extent extent = extent_of(layout, node, i);

		if (!extent.has_place)
			continue;
		if (extent.width ? bitfield_position(&extent, extent.offset, extent.align) !=
					   extent.offset :
				   extent.offset % extent.align != 0)
			return true;
		if (extent.width && !bc_element(node, i)[0])
			continue;
		if (extent.align / 8 > align)
			align = extent.align / 8;
	}
	return node[2] % align != 0;
}

void bc_placing_begin(struct bc_placing *placing, const struct bc_layout *layout, uint32_t id)
{
	const uint32_t *node = bc_node(layout->graph, id);

	if (!layout->is_packed[id])
		layout->is_packed[id] = must_pack(layout, node) ? 2 : 1;
	*placing = (struct bc_placing){
		.layout = layout,
		.node = node,
		.limit = layout->limit[id],
		.packed = layout->is_packed[id] == 2,
		.is_union = bc_node_kind(node) == BC_UNION,
		.align = 1,
		.align4 = 1,
	};
}

/*
 * The lowest alignment that brings POSITION to WANTED (bits), if that is more
 * than ALIGN bytes and the type may have it; else 0.
 */
static uint32_t align_to(const struct bc_placing *placing, uint64_t position, uint64_t wanted,
			 uint32_t align)
{
	uint32_t limit = lowest_bit(wanted / 8);

	if (limit > placing->limit)
		limit = placing->limit;
	for (uint32_t tried = align * 2; tried <= limit; tried *= 2)
		if (round_up(position, (uint64_t)tried * 8) == wanted)
			return tried;
	return 0;
}

static void raise_align(struct bc_placing *placing, uint32_t align, uint32_t align4)
{
	if (align > placing->align)
		placing->align = align;
	if (align4 > placing->align4)
		placing->align4 = align4;
}

/* Where a compiler that aligns it to ALIGN bits puts the member that comes at POSITION. */
static uint64_t natural_position(const struct bc_placing *placing, const struct extent *extent,
				 uint64_t position, uint32_t align)
{
	if (extent->width)
		return placing->packed ? position : bitfield_position(extent, position, align);
	return round_up(position, align);
}

struct bc_place bc_placing_next(struct bc_placing *placing, uint32_t member)
{
	struct extent extent = extent_of(placing->layout, placing->node, member);
	uint32_t align = placing->packed ? 1 : extent.align / 8;
	uint32_t align4 = placing->packed ? 1 : extent.align4 / 8;
	uint64_t position = placing->is_union ? 0 : placing->position;
	struct bc_place place = { .width = extent.width };

	/* Room that is taken already, or not at the beginning of a union. */
	if (!extent.has_place || extent.offset < position || (placing->is_union && extent.offset)) {
		place.skipped = true;
		return place;
	}
	if (natural_position(placing, &extent, position, align * 8) != extent.offset ||
	    natural_position(placing, &extent, position, align4 * 8) != extent.offset) {
		if (!extent.width)
			place.aligned = align_to(placing, position, extent.offset, align4);
		/* On an unnamed member it aligns the type, which has to keep its size. */
		if (place.aligned && extent.size / 8 % place.aligned &&
		    !*bc_string(placing->layout->graph, bc_element(placing->node, member)[0]))
			place.aligned = 0;
		if (!place.aligned) {
			place.padding_from = position;
			place.padding_to = extent.offset;
		}
	}
	if (!extent.width || bc_element(placing->node, member)[0])
		raise_align(placing, align > place.aligned ? align : place.aligned,
			    align4 > place.aligned ? align4 : place.aligned);
	if (extent.offset + extent.size > placing->position)
		placing->position = extent.offset + extent.size;
	return place;
}

struct bc_place bc_placing_end(struct bc_placing *placing)
{
	uint64_t size_bits = (uint64_t)placing->node[2] * 8;
	struct bc_place place = { 0 };

	if (round_up(placing->position, (uint64_t)placing->align * 8) == size_bits &&
	    round_up(placing->position, (uint64_t)placing->align4 * 8) == size_bits)
		return place;
	place.aligned = align_to(placing, placing->position, size_bits, placing->align4);
	if (place.aligned) {
		raise_align(placing, place.aligned, place.aligned);
	} else {
		place.padding_from = placing->is_union ? 0 : placing->position;
		place.padding_to = size_bits;
	}
	return place;
}

struct bc_pad bc_placing_pad(const struct bc_placing *placing, uint64_t *from, uint64_t to)
{
	uint32_t largest = placing->layout->pointer_bytes;
	struct bc_pad pad = { 1, 0 };
	uint64_t end;

	if (*from >= to)
		return pad;
	/*
	 * Some ABIs let unnamed bitfields align a struct: no type of more
	 * alignment than it has anyway.
	 */
	while (largest > placing->align4 && !placing->packed)
		largest /= 2;
	pad.type_bytes = largest;
	end = (*from / (largest * 8) + 1) * (largest * 8);
	if (end > to)
		end = to;
	pad.width = (uint32_t)(end - *from);
	*from = end;
	return pad;
}

/* ---- all types, by depth ---- */

/* Own ids by rising depth. */
static uint32_t *order_by_depth(const struct bc_layout *layout, struct bc_arena *arena,
				struct bc_err *err)
{
	uint32_t id_end = bc_id_end(layout->graph), total = 0;
	uint32_t *first = bc_arena_zalloc(arena, (size_t)id_end + 1, sizeof(*first), err);
	uint32_t *order = bc_arena_alloc(arena, id_end, sizeof(*order), err);

	if (!first || !order)
		return NULL;
	for (uint32_t id = 0; id < id_end; id++)
		first[layout->sizes.depth[id]]++;
	for (uint32_t depth = 0; depth <= id_end; depth++) {
		uint32_t count = first[depth];

		first[depth] = total;
		total += count;
	}
	for (uint32_t id = 0; id < id_end; id++)
		order[first[layout->sizes.depth[id]]++] = id;
	return order;
}

/* What is behind each type, and the structs and unions that values hold, arrays too. */
static void resolve_types(struct bc_layout *layout, const uint32_t *order, uint32_t *inner)
{
	uint32_t id_end = bc_id_end(layout->graph);

	for (uint32_t i = 0; i < id_end; i++) {
		uint32_t id = order[i], kind = bc_id_kind(layout->graph, id);
		const uint32_t *node = id ? bc_node(layout->graph, id) : NULL;
		uint32_t target = kind == BC_ARRAY ? node[3] : 0;

		layout->resolved[id] = id;
		if (kind == BC_TYPEDEF || bc_kind_is_modifier(kind)) {
			target = node[2];
			layout->resolved[id] = layout->resolved[target];
		}
		inner[id] = bc_kind_is_composite(kind) ? id : target ? inner[target] : 0;
		layout->has_composites[id] = bc_kind_is_composite(kind) || kind == BC_FWD ||
					     (target && layout->has_composites[target]);
	}
}

static void limit_members(struct bc_layout *layout, const uint32_t *inners, uint32_t id)
{
	const uint32_t *node = bc_node(layout->graph, id);
	uint32_t count = bc_info_vlen(node[1]);

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *member = bc_element(node, i);
		uint32_t offset = bc_member_bit_offset(node[1], member[2]);
		uint32_t inner = inners[member[1]];
		uint32_t limit = layout->limit[id];

		if (!inner || bc_layout_level(layout, inner) < bc_layout_level(layout, id))
			continue;
		if (lowest_bit(offset / 8) < limit)
			limit = lowest_bit(offset / 8);
		if (limit < layout->limit[inner])
			layout->limit[inner] = limit;
	}
}

static void limit_uses(struct bc_layout *layout, const uint32_t *order, const uint32_t *inners)
{
	uint32_t id_end = bc_id_end(layout->graph);

	for (uint32_t i = 0; i < id_end; i++)
		if (order[i] && bc_kind_is_composite(bc_id_kind(layout->graph, order[i])))
			layout->limit[order[i]] = lowest_bit(bc_node(layout->graph, order[i])[2]);
	for (uint32_t i = id_end; i-- > 0;)
		if (order[i] && bc_kind_is_composite(bc_id_kind(layout->graph, order[i])))
			limit_members(layout, inners, order[i]);
}

static void align_composite(struct bc_layout *layout, uint32_t id)
{
	uint32_t count = bc_info_vlen(bc_node(layout->graph, id)[1]);
	struct bc_placing placing;

	bc_placing_begin(&placing, layout, id);
	for (uint32_t i = 0; i < count; i++)
		bc_placing_next(&placing, i);
	bc_placing_end(&placing);
	layout->align[id] = placing.align;
	layout->align4[id] = placing.align4;
}

/* The alignment of a type that is no struct or union, ALIGN that of others. */
static uint32_t align_of(const struct bc_layout *layout, uint32_t id, const uint32_t *align,
			 uint32_t align8)
{
	const uint32_t *node = bc_node(layout->graph, id);

	switch (bc_node_kind(node)) {
	case BC_INT:
	case BC_FLOAT:
		return bc_base_align(layout->graph, node, layout->pointer_bytes, align8);
	case BC_ENUM:
	case BC_ENUM64:
		return node[2] == 8 ? align8 : node[2];
	case BC_PTR:
		return layout->pointer_bytes;
	case BC_ARRAY:
		return align[node[3]];
	case BC_TYPEDEF:
	case BC_VOLATILE:
	case BC_CONST:
	case BC_RESTRICT:
	case BC_TYPE_TAG:
		return align[node[2]];
	default:
		return 1;
	}
}

/* Follows the typedef called __builtin_va_list into what holds it. */
static void follow_va_list(struct bc_layout *layout, uint8_t *holds, uint32_t id)
{
	const uint32_t *node = bc_node(layout->graph, id);
	uint32_t kind = bc_node_kind(node), count;

	if (kind == BC_TYPEDEF && !strcmp(bc_string(layout->graph, node[0]), "__builtin_va_list")) {
		holds[id] = 1;
	} else if (kind == BC_TYPEDEF || bc_kind_is_modifier(kind)) {
		holds[id] = holds[node[2]];
	} else if (kind == BC_ARRAY) {
		holds[id] = holds[node[3]];
	} else if (bc_kind_is_composite(kind) && !bc_layout_level(layout, id)) {
		count = bc_info_vlen(node[1]);
		for (uint32_t i = 0; i < count; i++)
			layout->has_va_list_by_value |= holds[bc_element(node, i)[1]];
	}
}

static bool align_types(struct bc_layout *layout, const uint32_t *order, struct bc_arena *scratch,
			struct bc_err *err)
{
	uint32_t id_end = bc_id_end(layout->graph);
	uint8_t *holds_va_list = bc_arena_zalloc(scratch, id_end, 1, err);
	uint32_t align8_lowest = layout->pointer_bytes == 8 ? 8 : 4;

	if (!holds_va_list)
		return false;
	layout->align[0] = layout->align4[0] = 1;
	for (uint32_t i = 0; i < id_end; i++) {
		uint32_t id = order[i];

		if (!id)
			continue;
		if (bc_kind_is_composite(bc_id_kind(layout->graph, id))) {
			align_composite(layout, id);
		} else {
			layout->align[id] = align_of(layout, id, layout->align, layout->align8);
			layout->align4[id] = align_of(layout, id, layout->align4, align8_lowest);
		}
		follow_va_list(layout, holds_va_list, id);
	}
	return true;
}

/* ---- which ABI ---- */

/* Calls VOTE with each member of each struct that is no bitfield, and the byte after it. */
static void poll_members(const struct bc_layout *layout,
			 void (*vote)(const struct bc_layout *layout, uint32_t base_id,
				      uint32_t offset, uint32_t before, uint32_t next, int *votes),
			 int *votes)
{
	uint32_t id_end = bc_id_end(layout->graph);

	for (uint32_t id = 1; id < id_end; id++) {
		const uint32_t *node = bc_node(layout->graph, id);
		uint32_t count = bc_info_vlen(node[1]), before = 0;

		if (bc_node_kind(node) != BC_STRUCT || bc_info_kflag(node[1]))
			continue;
		for (uint32_t i = 0; i < count; i++) {
			const uint32_t *member = bc_element(node, i);
			uint32_t next = i + 1 < count ? bc_element(node, i + 1)[2] / 8 : node[2];

			vote(layout, layout->resolved[member[1]], member[2] / 8, before, next,
			     votes);
			before = member[2] / 8 + (uint32_t)layout->sizes.size_bytes[member[1]];
		}
	}
}

static void vote_pointer(const struct bc_layout *layout, uint32_t base_id, uint32_t offset,
			 uint32_t before, uint32_t next, int *votes)
{
	(void)before;
	if (!base_id || bc_id_kind(layout->graph, base_id) != BC_PTR)
		return;
	if (offset % 8 == 4 || next == offset + 4)
		votes[0]++;
	else if (offset % 8 == 0 && next == offset + 8)
		votes[1]++;
}

static uint8_t guess_pointer(const struct bc_layout *layout)
{
	static const char *const longs[] = { "long int", "long unsigned int", "long",
					     "unsigned long" };
	uint32_t id_end = bc_id_end(layout->graph);
	int votes[2] = { 0, 0 };

	for (uint32_t id = 1; id < id_end; id++) {
		const uint32_t *node = bc_node(layout->graph, id);

		if (bc_node_kind(node) != BC_INT || (node[2] != 4 && node[2] != 8))
			continue;
		for (size_t i = 0; i < sizeof(longs) / sizeof(longs[0]); i++)
			if (!strcmp(bc_string(layout->graph, node[0]), longs[i]))
				return (uint8_t)node[2];
	}
	poll_members(layout, vote_pointer, votes);
	return votes[0] > votes[1] ? 4 : 8;
}

static void vote_align8(const struct bc_layout *layout, uint32_t base_id, uint32_t offset,
			uint32_t before, uint32_t next, int *votes)
{
	uint32_t kind = base_id ? bc_id_kind(layout->graph, base_id) : BC_VOID;

	(void)next;
	if ((kind != BC_INT && kind != BC_FLOAT) || bc_node(layout->graph, base_id)[2] != 8)
		return;
	if (offset % 8 == 4)
		votes[0]++;
	else if (offset % 8 == 0 && before == offset - 4 && offset)
		votes[1]++;
}

/* Where 8 bytes lie at half of it, as i386 has them, and not beside gaps, as others do. */
static uint8_t guess_align8(const struct bc_layout *layout)
{
	int votes[2] = { 0, 0 };

	if (layout->pointer_bytes == 8)
		return 8;
	poll_members(layout, vote_align8, votes);
	return votes[1] > votes[0] ? 8 : 4;
}

bool bc_layout_make(struct bc_layout *layout, const struct bc_graph *graph, const uint8_t *level,
		    struct bc_arena *arena, struct bc_err *err)
{
	struct bc_graph sized = *graph;
	uint32_t id_end = bc_id_end(graph), *order, *inners;

	*layout = (struct bc_layout){ .graph = graph,
				      .level = level,
				      .pointer_bytes = graph->pointer_bytes };
	layout->align = bc_arena_zalloc(arena, id_end, sizeof(uint32_t), err);
	layout->align4 = bc_arena_zalloc(arena, id_end, sizeof(uint32_t), err);
	layout->limit = bc_arena_zalloc(arena, id_end, sizeof(uint32_t), err);
	layout->is_packed = bc_arena_zalloc(arena, id_end, 1, err);
	layout->resolved = bc_arena_zalloc(arena, id_end, sizeof(uint32_t), err);
	layout->has_composites = bc_arena_zalloc(arena, id_end, 1, err);
	if (!layout->resolved || !layout->has_composites)
		return false;
	if (!layout->align || !layout->align4 || !layout->limit || !layout->is_packed)
		return false;
	if (!bc_sizes_compute(&layout->sizes, graph, arena, err))
		return false;
	order = order_by_depth(layout, arena, err);
	inners = bc_arena_zalloc(arena, id_end, sizeof(*inners), err);
	if (!order || !inners)
		return false;
	resolve_types(layout, order, inners);
	if (!layout->pointer_bytes)
		layout->pointer_bytes = guess_pointer(layout);
	sized.pointer_bytes = layout->pointer_bytes;
	if (layout->pointer_bytes != 8 && graph->pointer_bytes != layout->pointer_bytes &&
	    !bc_sizes_compute(&layout->sizes, &sized, arena, err))
		return false;
	layout->align8 = guess_align8(layout);
	limit_uses(layout, order, inners);
	return align_types(layout, order, arena, err);
}

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "tests/lib/build.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0xeb9fu
#define LAYOUT_HEADER_BYTES 32u

void *build_alloc(struct bc_arena *arena, size_t count, size_t size_bytes)
{
	struct bc_err err;
	void *memory = bc_arena_zalloc(arena, count, size_bytes, &err);

	if (!memory) {
		fprintf(stderr, "test: %s\n", err.text);
		abort();
	}
	return memory;
}

const char *build_format_text(struct bc_arena *arena, const char *format, ...)
{
	char text[256];
	va_list args;
	int length;
	char *copy;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (length < 0 || (size_t)length >= sizeof(text))
		abort();
	copy = build_alloc(arena, (size_t)length + 1, 1);
	return memcpy(copy, text, (size_t)length + 1);
}

struct build *build_new(struct bc_arena *arena, const struct build *base)
{
	struct build *build = build_alloc(arena, 1, sizeof(*build));

	build->arena = arena;
	build->base = base;
	build->first_id = base ? build_id_end(base) : 1;
	build->string_base = base ? build_string_end(base) : 0;
	build->big_endian = base && base->big_endian;
	return build;
}

/* A copy of OLD with room for twice as much; arenas do not grow in place. */
static void *grow(struct bc_arena *arena, const void *old, uint32_t count, uint32_t *capacity,
		  size_t size_bytes)
{
	void *memory;

	*capacity = count < 4 ? 8 : 2 * count;
	memory = build_alloc(arena, *capacity, size_bytes);
	if (count)
		memcpy(memory, old, count * size_bytes);
	return memory;
}

static struct build_type *append_type(struct build *build, uint32_t kind, const char *name)
{
	struct build_type *type;

	if (build->type_count == build->type_capacity)
		build->types = grow(build->arena, build->types, build->type_count,
				    &build->type_capacity, sizeof(*build->types));
	type = &build->types[build->type_count++];
	type->kind = kind;
	type->name = name;
	return type;
}

static uint32_t newest_id(const struct build *build)
{
	return build_id_end(build) - 1;
}

uint32_t build_int(struct build *build, const char *name, uint32_t size, uint32_t encoding)
{
	struct build_type *type = append_type(build, BC_INT, name);

	type->size = size;
	type->extra = encoding;
	return newest_id(build);
}

uint32_t build_float(struct build *build, const char *name, uint32_t size)
{
	append_type(build, BC_FLOAT, name)->size = size;
	return newest_id(build);
}

uint32_t build_ref(struct build *build, uint32_t kind, const char *name, uint32_t type)
{
	append_type(build, kind, name)->type = type;
	return newest_id(build);
}

uint32_t build_ptr(struct build *build, uint32_t type)
{
	return build_ref(build, BC_PTR, "", type);
}

uint32_t build_array(struct build *build, uint32_t type, uint32_t index, uint32_t count)
{
	struct build_type *array = append_type(build, BC_ARRAY, "");

	array->type = type;
	array->index = index;
	array->extra = count;
	return newest_id(build);
}

uint32_t build_fwd(struct build *build, const char *name, bool is_union)
{
	append_type(build, BC_FWD, name)->kflag = is_union;
	return newest_id(build);
}

uint32_t build_func(struct build *build, const char *name, uint32_t proto, uint32_t linkage)
{
	struct build_type *func = append_type(build, BC_FUNC, name);

	func->type = proto;
	func->vlen = linkage;
	return newest_id(build);
}

uint32_t build_var(struct build *build, const char *name, uint32_t type, uint32_t linkage)
{
	struct build_type *var = append_type(build, BC_VAR, name);

	var->type = type;
	var->extra = linkage;
	return newest_id(build);
}

uint32_t build_decl_tag(struct build *build, const char *name, uint32_t type, int32_t component)
{
	struct build_type *tag = append_type(build, BC_DECL_TAG, name);

	tag->type = type;
	tag->extra = (uint32_t)component;
	return newest_id(build);
}

uint32_t build_sized(struct build *build, uint32_t kind, const char *name, uint32_t size)
{
	append_type(build, kind, name)->size = size;
	return newest_id(build);
}

uint32_t build_proto(struct build *build, uint32_t return_type)
{
	append_type(build, BC_FUNC_PROTO, "")->type = return_type;
	return newest_id(build);
}

uint32_t build_copy(struct build *build, const struct build_type *type)
{
	struct build_type *copy = append_type(build, type->kind, type->name);
	struct build_element *elements = build_alloc(build->arena, type->element_count,
						     sizeof(*elements));

	*copy = *type;
	if (type->element_count)
		memcpy(elements, type->elements, type->element_count * sizeof(*elements));
	copy->elements = elements;
	copy->element_capacity = type->element_count;
	return newest_id(build);
}

static struct build_element *append_element(struct build *build, uint32_t id, const char *name)
{
	struct build_type *type = &build->types[id - build->first_id];
	struct build_element *element;

	if (type->element_count == type->element_capacity)
		type->elements = grow(build->arena, type->elements, type->element_count,
				      &type->element_capacity, sizeof(*type->elements));
	element = &type->elements[type->element_count++];
	type->vlen = type->element_count;
	element->name = name;
	return element;
}

void build_member(struct build *build, uint32_t id, const char *name, uint32_t type,
		  uint32_t offset)
{
	struct build_element *member = append_element(build, id, name);

	member->type = type;
	member->offset = offset;
}

void build_value(struct build *build, uint32_t id, const char *name, uint64_t value)
{
	append_element(build, id, name)->value = value;
}

void build_param(struct build *build, uint32_t id, const char *name, uint32_t type)
{
	append_element(build, id, name)->type = type;
}

void build_entry(struct build *build, uint32_t id, uint32_t var, uint32_t offset, uint32_t size)
{
	struct build_element *entry = append_element(build, id, "");

	entry->type = var;
	entry->offset = offset;
	entry->size = size;
}

struct build_type *build_type(const struct build *build, uint32_t id)
{
	while (id < build->first_id)
		build = build->base;
	return &build->types[id - build->first_id];
}

static bool kind_has_type(uint32_t kind)
{
	switch (kind) {
	case BC_PTR:
	case BC_TYPEDEF:
	case BC_VOLATILE:
	case BC_CONST:
	case BC_RESTRICT:
	case BC_FUNC:
	case BC_FUNC_PROTO:
	case BC_VAR:
	case BC_DECL_TAG:
	case BC_TYPE_TAG:
		return true;
	default:
		return false;
	}
}

bool build_kind_has_size(uint32_t kind)
{
	return kind == BC_INT || kind == BC_STRUCT || kind == BC_UNION || kind == BC_ENUM ||
	       kind == BC_ENUM64 || kind == BC_FLOAT || kind == BC_DATASEC;
}

static bool elements_have_types(uint32_t kind)
{
	return kind == BC_STRUCT || kind == BC_UNION || kind == BC_FUNC_PROTO || kind == BC_DATASEC;
}

static bool elements_have_names(uint32_t kind)
{
	return kind == BC_STRUCT || kind == BC_UNION || kind == BC_FUNC_PROTO || kind == BC_ENUM ||
	       kind == BC_ENUM64;
}

uint32_t build_edge_count(const struct build_type *type)
{
	uint32_t own = type->kind == BC_ARRAY ? 2 : kind_has_type(type->kind);

	return own + (elements_have_types(type->kind) ? type->element_count : 0);
}

uint32_t *build_edge(struct build_type *type, uint32_t i)
{
	if (type->kind == BC_ARRAY)
		return i ? &type->index : &type->type;
	if (!kind_has_type(type->kind))
		return &type->elements[i].type;
	return i ? &type->elements[i - 1].type : &type->type;
}

uint32_t build_name_count(const struct build_type *type)
{
	return 1 + (elements_have_names(type->kind) ? type->element_count : 0);
}

const char *build_name(const struct build_type *type, uint32_t i)
{
	return i ? type->elements[i - 1].name : type->name;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **build_distinct_names(const struct build *build, uint32_t *name_count)
{
	const char **names;
	uint32_t count = 0, kept = 0;

	for (uint32_t i = 0; i < build->type_count; i++)
		count += build_name_count(&build->types[i]);
	names = build_alloc(build->arena, count, sizeof(*names));
	count = 0;
	for (uint32_t i = 0; i < build->type_count; i++)
		for (uint32_t k = 0; k < build_name_count(&build->types[i]); k++)
			if (*build_name(&build->types[i], k))
				names[count++] = build_name(&build->types[i], k);
	qsort(names, count, sizeof(*names), compare_names);
	for (uint32_t i = 0; i < count; i++)
		if (!kept || strcmp(names[kept - 1], names[i]))
			names[kept++] = names[i];
	*name_count = kept;
	return names;
}

void build_set_strings(struct build *build, const char *strings, uint32_t string_bytes)
{
	char *copy = build_alloc(build->arena, string_bytes, 1);

	if (string_bytes)
		memcpy(copy, strings, string_bytes);
	build->strings = copy;
	build->string_bytes = string_bytes;
}

static uint32_t find_own_string(const struct build *build, const char *text)
{
	const char *at = build->strings;
	const char *end = at + build->string_bytes;

	for (; at < end; at += strlen(at) + 1)
		if (!strcmp(at, text))
			return build->string_base + (uint32_t)(at - build->strings);
	return UINT32_MAX;
}

uint32_t build_find_string(const struct build *build, const char *text)
{
	uint32_t found = build->base ? build_find_string(build->base, text) : UINT32_MAX;

	return found == UINT32_MAX && build->strings ? find_own_string(build, text) : found;
}

static void make_strings(struct build *build)
{
	uint32_t capacity = 1;
	char *strings;

	for (uint32_t i = 0; i < build->type_count; i++)
		for (uint32_t k = 0; k < build_name_count(&build->types[i]); k++)
			capacity += (uint32_t)strlen(build_name(&build->types[i], k)) + 1;
	strings = build_alloc(build->arena, capacity, 1);
	build->strings = strings;
	build->string_bytes = build->base ? 0 : 1;
	for (uint32_t i = 0; i < build->type_count; i++) {
		for (uint32_t k = 0; k < build_name_count(&build->types[i]); k++) {
			const char *name = build_name(&build->types[i], k);

			if (build_find_string(build, name) != UINT32_MAX)
				continue;
			strcpy(strings + build->string_bytes, name);
			build->string_bytes += (uint32_t)strlen(name) + 1;
		}
	}
}

/* Bytes being written, in the byte order of the build. */
struct out {
	uint8_t *at;
	bool big_endian;
};

static void put_bytes(struct out *out, const void *bytes, size_t size_bytes)
{
	if (size_bytes)
		memcpy(out->at, bytes, size_bytes);
	out->at += size_bytes;
}

static void put_word(struct out *out, uint32_t word)
{
	for (uint32_t i = 0; i < 4; i++)
		out->at[i] = (uint8_t)(word >> 8 * (out->big_endian ? 3 - i : i));
	out->at += 4;
}

/* ARRAY and FWD have a size that must be 0. */
static uint32_t third_word(const struct build_type *type)
{
	return kind_has_type(type->kind) ? type->type : type->size;
}

static uint32_t info_word(const struct build_type *type)
{
	return (uint32_t)type->kflag << 31 | type->kind << 24 | type->vlen;
}

static size_t type_bytes(const struct build_type *type)
{
	size_t element_bytes = type->kind == BC_ENUM || type->kind == BC_FUNC_PROTO ? 8 : 12;
	size_t fixed_bytes = type->kind == BC_ARRAY                       ? 12 :
			     type->kind == BC_INT || type->kind == BC_VAR ? 4 :
			     type->kind == BC_DECL_TAG                    ? 4 :
									    0;

	return 12 + fixed_bytes + element_bytes * type->element_count;
}

static uint32_t pick_offset(const struct build *build, const struct build_format *format,
			    const char *text)
{
	uint32_t offset = format->pick_offset ?
				  format->pick_offset(build, text, format->pick_context) :
				  build_find_string(build, text);

	if (offset == UINT32_MAX) {
		fprintf(stderr, "test: no string \"%s\"\n", text);
		abort();
	}
	return offset;
}

static void put_element(struct out *out, const struct build *build,
			const struct build_format *format, uint32_t kind,
			const struct build_element *element)
{
	if (elements_have_names(kind))
		put_word(out, pick_offset(build, format, element->name));
	switch (kind) {
	case BC_ENUM:
		put_word(out, (uint32_t)element->value);
		break;
	case BC_ENUM64:
		put_word(out, (uint32_t)element->value);
		put_word(out, (uint32_t)(element->value >> 32));
		break;
	case BC_FUNC_PROTO:
		put_word(out, element->type);
		break;
	case BC_DATASEC:
		put_word(out, element->type);
		put_word(out, element->offset);
		put_word(out, element->size);
		break;
	default:
		put_word(out, element->type);
		put_word(out, element->offset);
	}
}

static void put_type(struct out *out, const struct build *build, const struct build_format *format,
		     const struct build_type *type)
{
	put_word(out, pick_offset(build, format, type->name));
	put_word(out, info_word(type));
	put_word(out, third_word(type));
	switch (type->kind) {
	case BC_ARRAY:
		put_word(out, type->type);
		put_word(out, type->index);
		put_word(out, type->extra);
		break;
	case BC_INT:
	case BC_VAR:
	case BC_DECL_TAG:
		put_word(out, type->extra);
		break;
	}
	for (uint32_t i = 0; i < type->element_count; i++)
		put_element(out, build, format, type->kind, &type->elements[i]);
}

struct sections {
	uint32_t header_bytes;
	uint32_t type_offset, type_bytes;
	uint32_t layout_offset;
	uint32_t string_offset;
	uint32_t total_bytes;
};

/* Types, layout, strings; or strings (filled up to words), types, layout. */
static struct sections place_sections(const struct build *build, const struct build_format *format)
{
	struct sections at = { .header_bytes = format->header_bytes };
	uint32_t string_bytes = build->string_bytes;

	if (!at.header_bytes)
		at.header_bytes = build->layout_bytes ? LAYOUT_HEADER_BYTES : 24;
	for (uint32_t i = 0; i < build->type_count; i++)
		at.type_bytes += (uint32_t)type_bytes(&build->types[i]);
	if (format->strings_first)
		at.type_offset = (string_bytes + 3) / 4 * 4;
	at.layout_offset = at.type_offset + at.type_bytes;
	if (!format->strings_first)
		at.string_offset = at.layout_offset + build->layout_bytes;
	at.total_bytes = at.header_bytes + at.layout_offset + build->layout_bytes +
			 (format->strings_first ? 0 : string_bytes);
	return at;
}

static void put_header(struct out *out, const struct build *build, const struct sections *at)
{
	uint8_t *start = out->at;
	uint8_t magic[4] = { MAGIC & 0xff, MAGIC >> 8, 1, 0 };

	if (build->big_endian) {
		magic[0] = MAGIC >> 8;
		magic[1] = MAGIC & 0xff;
	}
	put_bytes(out, magic, sizeof(magic));
	put_word(out, at->header_bytes);
	put_word(out, at->type_offset);
	put_word(out, at->type_bytes);
	put_word(out, at->string_offset);
	put_word(out, build->string_bytes);
	if (at->header_bytes >= LAYOUT_HEADER_BYTES) {
		put_word(out, build->layout_bytes ? at->layout_offset : 0);
		put_word(out, build->layout_bytes);
	}
	out->at = start + at->header_bytes;
}

uint8_t *build_bytes(struct build *build, const struct build_format *format, size_t *size_bytes)
{
	static const struct build_format plain = { 0 };
	struct sections at;
	struct out out = { .big_endian = build->big_endian };
	uint8_t *data;

	if (!format)
		format = &plain;
	if (!build->strings)
		make_strings(build);
	at = place_sections(build, format);
	data = build_alloc(build->arena, at.total_bytes, 1);
	out.at = data;
	put_header(&out, build, &at);
	out.at = data + at.header_bytes + at.type_offset;
	for (uint32_t i = 0; i < build->type_count; i++)
		put_type(&out, build, format, &build->types[i]);
	put_bytes(&out, build->layout, build->layout_bytes);
	out.at = data + at.header_bytes + at.string_offset;
	put_bytes(&out, build->strings, build->string_bytes);
	*size_bytes = at.total_bytes;
	return data;
}

/* Bytes being read. */
struct in {
	const uint8_t *at;
	bool big_endian;
};

static uint32_t get_word(struct in *in)
{
	uint32_t word = 0;

	for (uint32_t i = 0; i < 4; i++)
		word |= (uint32_t)in->at[i] << 8 * (in->big_endian ? 3 - i : i);
	in->at += 4;
	return word;
}

static const char *get_name(struct in *in, const struct build *build)
{
	uint32_t offset = get_word(in);

	while (offset < build->string_base)
		build = build->base;
	return build->strings + (offset - build->string_base);
}

static void read_element(struct in *in, struct build *build, uint32_t kind)
{
	struct build_element *element = append_element(
		build, newest_id(build), elements_have_names(kind) ? get_name(in, build) : "");

	switch (kind) {
	case BC_ENUM:
		element->value = get_word(in);
		break;
	case BC_ENUM64:
		element->value = get_word(in);
		element->value |= (uint64_t)get_word(in) << 32;
		break;
	case BC_FUNC_PROTO:
		element->type = get_word(in);
		break;
	case BC_DATASEC:
		element->type = get_word(in);
		element->offset = get_word(in);
		element->size = get_word(in);
		break;
	default:
		element->type = get_word(in);
		element->offset = get_word(in);
	}
}

static void read_type(struct in *in, struct build *build)
{
	const char *name = get_name(in, build);
	uint32_t info = get_word(in);
	uint32_t third = get_word(in);
	uint32_t kind = info >> 24 & 0x7f;
	uint32_t vlen = info & 0xffffff;
	struct build_type *type = append_type(build, kind, name);

	type->kflag = info >> 31;
	*(kind_has_type(kind) ? &type->type : &type->size) = third;
	switch (kind) {
	case BC_ARRAY:
		type->type = get_word(in);
		type->index = get_word(in);
		type->extra = get_word(in);
		break;
	case BC_INT:
	case BC_VAR:
	case BC_DECL_TAG:
		type->extra = get_word(in);
		break;
	}
	if (elements_have_names(kind) || elements_have_types(kind))
		for (uint32_t i = 0; i < vlen; i++)
			read_element(in, build, kind);
	type->vlen = vlen;
}

struct build *build_read(struct bc_arena *arena, const uint8_t *data, size_t size_bytes,
			 const struct build *base)
{
	struct build *build = build_new(arena, base);
	struct in in = { data + 4, data[0] == MAGIC >> 8 };
	uint32_t header_bytes = get_word(&in);
	uint32_t type_offset = get_word(&in);
	uint32_t type_end = type_offset + get_word(&in);
	uint32_t string_offset = get_word(&in);

	build->big_endian = in.big_endian;
	build->string_bytes = get_word(&in);
	build->strings = (const char *)data + header_bytes + string_offset;
	if (header_bytes >= LAYOUT_HEADER_BYTES) {
		uint32_t layout_offset = get_word(&in);

		build->layout_bytes = get_word(&in);
		if (build->layout_bytes)
			build->layout = data + header_bytes + layout_offset;
	}
	if (header_bytes + string_offset + build->string_bytes > size_bytes)
		abort();
	in.at = data + header_bytes + type_offset;
	while (in.at < data + header_bytes + type_end)
		read_type(&in, build);
	return build;
}

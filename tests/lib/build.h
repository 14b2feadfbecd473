/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_TESTS_BUILD_H
#define BC_TESTS_BUILD_H

#include <stddef.h>

#include "base/arena.h"
#include "graph/kinds.h"

/*
 * BTF in memory as a test says it: names are text, references are ids, nothing
 * is checked, so that bad BTF can be said too. Shares only the kind numbers
 * with the code under test. Everything lives in the arena of the build; running
 * out of memory ends the program.
 */
struct build_element {
	const char *name; /* member, value, parameter */
	uint32_t type;    /* member, parameter, entry */
	uint32_t offset;  /* member: the raw offset word; entry: bytes */
	uint32_t size;    /* entry */
	uint64_t value;   /* ENUM: the low 32 bits */
};

struct build_type {
	uint32_t kind;
	bool kflag;
	uint32_t vlen; /* number of elements; FUNC: the linkage */
	const char *name;
	uint32_t size; /* of the kinds that have one */
	uint32_t
		type; /* of the kinds that refer; ARRAY: the element, FUNC_PROTO: the return type */
	uint32_t index; /* ARRAY: the index type */
	uint32_t extra; /* INT: encoding; ARRAY: count; VAR: linkage; DECL_TAG: component */
	uint32_t element_count;
	uint32_t element_capacity;
	struct build_element *elements;
};

struct build {
	struct bc_arena *arena;
	const struct build *base; /* NULL: none */
	uint32_t first_id;
	uint32_t type_count;
	uint32_t type_capacity;
	struct build_type *types;
	const char *strings; /* the string section; NULL until build_bytes makes one */
	uint32_t string_base;
	uint32_t string_bytes;
	const uint8_t *layout; /* type-layout section, NULL: none */
	uint32_t layout_bytes;
	bool big_endian;
};

/*
 * An empty build. A BASE must have its types and strings settled (build_bytes
 * was called, or it was read) before anything goes on from it.
 */
struct build *build_new(struct bc_arena *arena, const struct build *base);

/* Each appends one type and gives its id. NAME may be "". */
uint32_t build_int(struct build *build, const char *name, uint32_t size, uint32_t encoding);
uint32_t build_float(struct build *build, const char *name, uint32_t size);
uint32_t build_ref(struct build *build, uint32_t kind, const char *name, uint32_t type);
uint32_t build_ptr(struct build *build, uint32_t type);
uint32_t build_array(struct build *build, uint32_t type, uint32_t index, uint32_t count);
uint32_t build_fwd(struct build *build, const char *name, bool is_union);
uint32_t build_func(struct build *build, const char *name, uint32_t proto, uint32_t linkage);
uint32_t build_var(struct build *build, const char *name, uint32_t type, uint32_t linkage);
uint32_t build_decl_tag(struct build *build, const char *name, uint32_t type, int32_t component);

/* STRUCT, UNION, ENUM, ENUM64, DATASEC: elements follow. */
uint32_t build_sized(struct build *build, uint32_t kind, const char *name, uint32_t size);
uint32_t build_proto(struct build *build, uint32_t return_type);

/* A copy of TYPE, elements included. */
uint32_t build_copy(struct build *build, const struct build_type *type);

/* Each appends one element to own type ID. */
void build_member(struct build *build, uint32_t id, const char *name, uint32_t type,
		  uint32_t offset);
void build_value(struct build *build, uint32_t id, const char *name, uint64_t value);
void build_param(struct build *build, uint32_t id, const char *name, uint32_t type);
void build_entry(struct build *build, uint32_t id, uint32_t var, uint32_t offset, uint32_t size);

/* Type ID (not 0), own or of the base chain. */
struct build_type *build_type(const struct build *build, uint32_t id);

static inline uint32_t build_id_end(const struct build *build)
{
	return build->first_id + build->type_count;
}

static inline uint32_t build_string_end(const struct build *build)
{
	return build->string_base + build->string_bytes;
}

/* References of a type, left to right; the place can be written to. */
uint32_t build_edge_count(const struct build_type *type);
uint32_t *build_edge(struct build_type *type, uint32_t i);

/* Whether KIND has a size in its third word, and no type. */
bool build_kind_has_size(uint32_t kind);

/*
 * The names of a type, its own first, then those of its elements. Kinds whose
 * elements have no names have one.
 */
uint32_t build_name_count(const struct build_type *type);
const char *build_name(const struct build_type *type, uint32_t i);

/* The distinct names in own types, without the empty one, sorted by bytes. */
const char **build_distinct_names(const struct build *build, uint32_t *name_count);

/*
 * Picks the offset of TEXT: any at which the string section, or one of the
 * base chain, says TEXT.
 */
typedef uint32_t (*build_offset_picker)(const struct build *build, const char *text, void *context);

struct build_format {
	uint32_t header_bytes;           /* 24, 32 or more; 0: what the layout section needs */
	bool strings_first;              /* string section before the types */
	build_offset_picker pick_offset; /* NULL: the lowest whole string */
	void *pick_context;
};

/*
 * The raw BTF. FORMAT NULL: the plain one. Without a string section one is made: each
 * name once, in order of use, but for what the base chain has. Ids and names
 * are written as they are.
 */
uint8_t *build_bytes(struct build *build, const struct build_format *format, size_t *size_bytes);

/*
 * The lowest offset, through the base chain, where TEXT is a whole string (not
 * the tail of a longer one); UINT32_MAX: none.
 */
uint32_t build_find_string(const struct build *build, const char *text);

/* Takes STRINGS (copied) as the string section. */
void build_set_strings(struct build *build, const char *strings, uint32_t string_bytes);

/*
 * Reads raw BTF, trusting it: a reading of the format that owes nothing to the code
 * under test. DATA must outlive the result.
 */
struct build *build_read(struct bc_arena *arena, const uint8_t *data, size_t size_bytes,
			 const struct build *base);

/* Memory of the build's arena, cleared; ends the program when short. */
void *build_alloc(struct bc_arena *arena, size_t count, size_t size_bytes);

/* printf into the arena. */
const char *build_format_text(struct bc_arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif

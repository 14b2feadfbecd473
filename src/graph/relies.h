/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_GRAPH_RELIES_H
#define BC_GRAPH_RELIES_H

#include "graph/graph.h"

/* enum bpf_core_relo_kind of include/uapi/linux/bpf.h. */
enum bc_core_kind {
	BC_CORE_FIELD_OFFSET,
	BC_CORE_FIELD_SIZE,
	BC_CORE_FIELD_EXISTS,
	BC_CORE_FIELD_SIGNED,
	BC_CORE_FIELD_LSHIFT,
	BC_CORE_FIELD_RSHIFT,
	BC_CORE_TYPE_ID_LOCAL,
	BC_CORE_TYPE_ID_TARGET,
	BC_CORE_TYPE_EXISTS,
	BC_CORE_TYPE_SIZE,
	BC_CORE_ENUM_EXISTS,
	BC_CORE_ENUM_VALUE,
	BC_CORE_TYPE_MATCHES,
	BC_CORE_KIND_COUNT,
};

/* A CO-RE record: what an instruction wants to know about a type of the kernel. */
struct bc_relocation {
	uint32_t kind;      /* enum bc_core_kind, or one that is not known */
	uint32_t type_id;   /* of the object's graph */
	const char *access; /* "0:1:2" */
	const char *section;
	uint32_t instruction_offset; /* bytes */
};

/* A function of the object and the ELF section it lies in. */
struct bc_program {
	const char *section;
	uint32_t type_id; /* a FUNC of the object's graph */
};

/* What the symbols of a BPF object's ELF file say. Lists by strcmp of the names. */
struct bc_object_symbols {
	const char **weak; /* undefined ones that it can do without */
	uint32_t weak_count;
	struct bc_initial *initials;
	uint32_t initial_count;
};

/* The initial value of a struct of operations; bytes that get an address later are 0xff. */
struct bc_initial {
	const char *name; /* of the variable */
	const uint8_t *bytes;
	uint64_t size_bytes;
};

/* What a BPF object's .BTF.ext says, as plain lists. */
struct bc_relies {
	const struct bc_graph *graph; /* the object's own BTF, ids as in the file */
	struct bc_relocation *relocations;
	uint32_t relocation_count;
	struct bc_program *programs;
	uint32_t program_count;
};

#endif

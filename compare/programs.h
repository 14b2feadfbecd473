/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_COMPARE_PROGRAMS_H
#define BC_COMPARE_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

/* What the part of a section's name behind the slash is. */
enum bc_target {
	BC_TARGET_NONE,    /* nothing, or free: the type of program tells where it is called */
	BC_TARGET_NAME,    /* of a function or tracepoint of the kernel */
	BC_TARGET_PATTERN, /* a glob of functions */
	BC_TARGET_SYSCALL, /* without what an architecture puts before it */
	BC_TARGET_EVENT,   /* category/name of a trace event */
	BC_TARGET_USER,    /* in a program that is not the kernel */
	BC_TARGET_PROGRAM, /* a function of another BPF program */
};

/* A name of sections that libbpf knows. */
struct bc_program_kind {
	const char *section;     /* "kprobe+": alone or before a slash; without "+": nothing else */
	const char *type;        /* the value of enum bpf_prog_type */
	const char *attach_type; /* the value of enum bpf_attach_type it cannot do without; NULL */
	enum bc_target target;
	const char *name_prefix; /* BC_TARGET_NAME: before the name, in the kernel's BTF */
	uint32_t name_kind;      /* the kind of type of that name */
	bool result_only;        /* it sees what a function returns, and no parameters */
};

/*
 * What SECTION is to libbpf, NULL when it does not know it. *EXTRAS: behind the
 * slash of a "+", NULL where there is no slash.
 */
const struct bc_program_kind *bc_program_kind_of(const char *section, const char **extras);

#endif

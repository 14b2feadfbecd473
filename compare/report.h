/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_COMPARE_REPORT_H
#define BC_COMPARE_REPORT_H

#include <stdio.h>

#include "compare/difference.h"

struct bc_report_options {
	const char *names[2]; /* of the inputs */
	bool color;
	bool verbose;        /* text: before and after in C */
	bool offsets_matter; /* text: each member that moved has a line */
	bool layouts;        /* JSON, for the page: all members of structs and unions too, and large
			      * values as text */
};

/* For people; nothing at all when there is no difference. docs/compare.md. */
bool bc_report_text(FILE *out, const struct bc_comparison *comparison,
		    const struct bc_report_options *options, struct bc_err *err);

/* A line per kind, for people in a hurry. */
bool bc_report_stat(FILE *out, const struct bc_comparison *comparison,
		    const struct bc_report_options *options, struct bc_err *err);

/* For programs; docs/compare.schema.json. */
bool bc_report_json(FILE *out, const struct bc_comparison *comparison,
		    const struct bc_report_options *options, struct bc_err *err);

/* For people with a browser: one file that needs nothing else. */
bool bc_report_html(FILE *out, const struct bc_comparison *comparison,
		    const struct bc_report_options *options, struct bc_err *err);

#endif

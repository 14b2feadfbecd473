/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_CLI_EXPLAIN_H
#define BC_CLI_EXPLAIN_H

#include "dwarf/explain.h"

/* Says on standard error, in plain words, why each function is in or out. */
bool bc_explain_print(const struct bc_explanations *explanations, struct bc_arena *arena,
		      struct bc_err *err);

#endif

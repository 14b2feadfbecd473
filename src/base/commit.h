/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_BASE_COMMIT_H
#define BC_BASE_COMMIT_H

#include "base/output.h"

/*
 * Commits settled outputs (bc_output_settle) that only go together. The file
 * RECORD lists the renames before the first is done, and goes away after the
 * last: what stops in between, bc_commit_finish ends. Fails without having
 * changed anything, or with RECORD there. Outputs are closed either way.
 */
bool bc_commit_all(struct bc_output *const *outputs, uint32_t count, const char *record,
		   struct bc_err *err);

/*
 * Does the renames that RECORD lists and that were not done, if there is such a
 * file; *FINISHED says whether there was. Fails, with nothing done, where
 * somebody changed what is still to be replaced.
 */
bool bc_commit_finish(bool *finished, const char *record, struct bc_err *err);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/result.h"

#include "base/clock.h"
#include "base/output.h"
#include "btf/write.h"
#include "cli/report.h"

bool bc_write_bytes(const struct bc_options *options, const uint8_t *data, size_t size_bytes,
		    struct bc_err *err)
{
	uint64_t begin = bc_clock_ns();
	struct bc_output output;

	if (!bc_output_open(&output, options->output, true, err))
		return false;
	fwrite(data, 1, size_bytes, output.stream);
	if (!bc_output_commit(&output, err))
		return false;
	if (options->stats)
		bc_report_seconds("writing", bc_clock_ns() - begin);
	return true;
}

bool bc_write_result(const struct bc_options *options, const struct bc_graph *graph,
		     struct bc_arena *arena, struct bc_err *err)
{
	const uint8_t *data;
	size_t size_bytes;

	return bc_btf_write(graph, arena, &data, &size_bytes, err) &&
	       bc_write_bytes(options, data, size_bytes, err);
}

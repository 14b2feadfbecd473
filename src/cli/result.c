/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/result.h"

#include "base/output.h"
#include "btf/write.h"
#include "cli/report.h"

bool bc_write_bytes(const struct bc_options *options, const uint8_t *data, size_t size_bytes,
		    struct bc_err *err)
{
	struct bc_stopwatch watch = bc_stopwatch_start(options->workers);
	struct bc_output output;
	struct bc_time time;

	if (!bc_output_open(&output, options->output, true, err))
		return false;
	fwrite(data, 1, size_bytes, output.stream);
	if (!bc_output_commit(&output, err))
		return false;
	time = bc_stopwatch_lap(&watch);
	if (options->stats)
		bc_report_time("writing", &time);
	return true;
}

bool bc_write_result(const struct bc_options *options, const struct bc_graph *graph,
		     struct bc_arena *arena, struct bc_err *err)
{
	const uint8_t *data;
	size_t size_bytes;

	return bc_btf_write(graph, options->workers, arena, &data, &size_bytes, err) &&
	       bc_write_bytes(options, data, size_bytes, err);
}

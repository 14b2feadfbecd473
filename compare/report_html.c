/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The data goes into the page as JSON, through a stream that writes each '<',
 * which can stand in strings only, as an escape: so nothing in a name can end
 * the script element.
 */
#include "compare/report.h"

#include <string.h>

#include "compare/page.h"

static ssize_t write_escaped(void *cookie, const char *bytes, size_t size_bytes)
{
	FILE *out = cookie;
	size_t at = 0;

	while (at < size_bytes) {
		const char *bracket = memchr(bytes + at, '<', size_bytes - at);
		size_t length = (bracket ? (size_t)(bracket - bytes) : size_bytes) - at;

		if (fwrite(bytes + at, 1, length, out) != length ||
		    (bracket && fputs("\\u003c", out) < 0))
			return 0;
		at += length + (bracket != NULL);
	}
	return (ssize_t)size_bytes;
}

bool bc_report_html(FILE *out, const struct bc_comparison *comparison,
		    const struct bc_report_options *options, struct bc_err *err)
{
	cookie_io_functions_t functions = { .write = write_escaped };
	struct bc_report_options with_layouts = *options;
	FILE *data;
	bool written;

	with_layouts.layouts = true;
	if (fputs(bc_page_head, out) < 0)
		return bc_err_errno(err, "cannot write");
	data = fopencookie(out, "w", functions);
	if (!data)
		return bc_err_memory(err, 0);
	written = bc_report_json(data, comparison, &with_layouts, err);
	if (fclose(data) && written)
		written = bc_err_errno(err, "cannot write");
	if (written && fputs(bc_page_tail, out) < 0)
		written = bc_err_errno(err, "cannot write");
	return written;
}

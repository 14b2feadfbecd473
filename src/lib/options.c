/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "lib/options.h"

#include <string.h>

bool bc_lib_options(void *known, size_t known_bytes, const void *given, struct bc_err *err)
{
	const uint8_t *bytes = given;
	size_t given_bytes;

	memset(known, 0, known_bytes);
	if (!given)
		return true;
	memcpy(&given_bytes, given, sizeof(given_bytes));
	if (given_bytes < sizeof(given_bytes))
		return bc_err_set(err, "options: sz is %zu, not the size of their struct",
				  given_bytes);
	for (size_t i = known_bytes; i < given_bytes; i++)
		if (bytes[i])
			return bc_err_set(err, "options: they ask for what only a newer version "
					       "of the library can do");
	memcpy(known, given, given_bytes < known_bytes ? given_bytes : known_bytes);
	return true;
}

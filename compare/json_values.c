/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "compare/json_values.h"

#include "compare/words.h"

#define MAX_TEXT ((uint64_t)1 << 30)

void bc_json_set(json_t *object, const char *key, json_t *value, bool *failed)
{
	if (json_object_set_new(object, key, value))
		*failed = true;
}

void bc_json_append(json_t *array, json_t *value, bool *failed)
{
	if (json_array_append_new(array, value))
		*failed = true;
}

json_t *bc_json_string(const char *text)
{
	json_t *value = json_string(text);
	struct bc_text quoted;
	struct bc_err err;

	if (value || !bc_text_open(&quoted, NULL, MAX_TEXT, &err))
		return value;
	bc_words_put_name(&quoted, text);
	value = quoted.failed ? NULL : json_stringn(quoted.bytes, quoted.used);
	bc_text_close(&quoted);
	return value;
}

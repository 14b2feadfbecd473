/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#ifndef BC_COMPARE_JSON_VALUES_H
#define BC_COMPARE_JSON_VALUES_H

#include <jansson.h>

#include "base/err.h"

/*
 * How reports make trees of JSON. Every function that makes a value gives it away or frees it. A
 * value that could not be made is NULL: whoever is to hold it says so in *FAILED, and holds the
 * rest, so that only the end has to look whether memory was short.
 */

/* VALUE becomes OBJECT's under KEY; it is freed where that fails. */
void bc_json_set(json_t *object, const char *key, json_t *value, bool *failed);

/* VALUE becomes the last of ARRAY's, likewise. */
void bc_json_append(json_t *array, json_t *value, bool *failed);

/*
 * JSON is UTF-8: TEXT that is not stands as it does in text, in quotes with escapes. NULL when
 * memory is short.
 */
json_t *bc_json_string(const char *text);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "dwarf/features.h"

#include <string.h>

#define FEATURE_NAME(name, is_default) #name ", "

struct bc_features bc_features_default(void)
{
	struct bc_features features;

#define FEATURE_DEFAULT(name, is_default) features.with_##name = is_default;
	BC_FEATURES(FEATURE_DEFAULT)
#undef FEATURE_DEFAULT
	return features;
}

static void add_defaults(struct bc_features *features)
{
#define FEATURE_ADD(name, is_default) features->with_##name |= (is_default);
	BC_FEATURES(FEATURE_ADD)
#undef FEATURE_ADD
}

static bool is_word(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && !memcmp(word, name, length);
}

static bool add_one(struct bc_features *features, const char *word, size_t length,
		    struct bc_err *err)
{
	bool known = false;

	if (is_word(word, length, "default")) {
		add_defaults(features);
		return true;
	}
#define FEATURE_TAKE(name, is_default)                                                             \
	if (is_word(word, length, #name))                                                          \
		known = features->with_##name = true;
	BC_FEATURES(FEATURE_TAKE)
#undef FEATURE_TAKE
	if (!known)
		return bc_err_set(
			err,
			"nobody knows '%.*s'; there are " BC_FEATURES(FEATURE_NAME) "and default",
			length < 80 ? (int)length : 80, word);
	return true;
}

static bool add_list(struct bc_features *features, const char *list, bool are_all_known,
		     struct bc_err *err)
{
	if (*list == '+') {
		add_defaults(features);
		list++;
	}
	while (*list) {
		size_t length = strcspn(list, ",");

		if (length && !add_one(features, list, length, err) && are_all_known)
			return false;
		list += length;
		list += *list == ',';
	}
	return true;
}

bool bc_features_add(struct bc_features *features, const char *list, struct bc_err *err)
{
	return add_list(features, list, true, err);
}

void bc_features_add_known(struct bc_features *features, const char *list)
{
	struct bc_err unknown;

	add_list(features, list, false, &unknown);
}

const char *bc_features_supported(char text[BC_FEATURES_TEXT_BYTES])
{
	*text = '\0';
#define FEATURE_LIST(name, is_default) strcat(strcat(text, *text ? "," : ""), #name);
	BC_FEATURES(FEATURE_LIST)
#undef FEATURE_LIST
	return text;
}

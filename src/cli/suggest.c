/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
#include "cli/suggest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Longer words are nobody's typing error. */
#define LENGTH_MAX 47u

#define QUESTION ": did you mean "

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * How many letters must be put in, left out, changed or swapped with their
 * neighbour to make one word of the other (optimal string alignment).
 */
static unsigned int distance_between(const char *a, size_t a_length, const char *b, size_t b_length)
{
	unsigned int rows[3][LENGTH_MAX + 1];

	for (unsigned int j = 0; j <= b_length; j++)
		rows[0][j] = j;
	for (unsigned int i = 1; i <= a_length; i++) {
		unsigned int *row = rows[i % 3];
		const unsigned int *above = rows[(i + 2) % 3];
		const unsigned int *two_above = rows[(i + 1) % 3];

		row[0] = i;
		for (unsigned int j = 1; j <= b_length; j++) {
			bool same = a[i - 1] == b[j - 1];

			row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + !same);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], two_above[j - 2] + 1);
		}
	}
	return rows[a_length % 3][b_length];
}

void bc_suggest_begin(struct bc_suggestion *suggestion, const char *word)
{
	word += strspn(word, "-");
	suggestion->word = word;
	suggestion->length = strcspn(word, "=");
	/* A third of the letters may be wrong. */
	suggestion->distance = (unsigned int)(suggestion->length + 2) / 3;
	suggestion->text[0] = '\0';
}

void bc_suggest_offer(struct bc_suggestion *suggestion, const char *prefix, const char *known)
{
	size_t length = strlen(known), used;
	unsigned int distance = 0;

	if (suggestion->length < 2 || suggestion->length > LENGTH_MAX || length > LENGTH_MAX)
		return;
	if (length < suggestion->length || memcmp(known, suggestion->word, suggestion->length))
		distance = distance_between(suggestion->word, suggestion->length, known, length);
	if (distance > suggestion->distance)
		return;
	if (distance < suggestion->distance)
		suggestion->text[0] = '\0';
	suggestion->distance = distance;
	used = strlen(suggestion->text);
	snprintf(suggestion->text + used, sizeof(suggestion->text) - used, "%s%s%s",
		 used ? " or " : QUESTION, prefix, known);
}

const char *bc_suggest_text(struct bc_suggestion *suggestion)
{
	size_t used = strlen(suggestion->text);

	if (used)
		snprintf(suggestion->text + used, sizeof(suggestion->text) - used, "?");
	return suggestion->text;
}

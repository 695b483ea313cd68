/*
 * Strings of a text that has passed the scanner, from their opening quotes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_JSON_STRINGS_H
#define MP_JSON_STRINGS_H

#include "base/arena.h"

/* The code point of the \u escape or pair of them at *at, which moves behind
 * it; UINT32_MAX if it is not valid. */
uint32_t mp_json_unicode(const char **at, const char *end);

/* The closing quote of a string. */
const char *mp_json_string_end(const char *string);

/* Writes a text without its escapes, and says how long that is: not longer. */
size_t mp_json_unescape(const char *text, const char *end, char *out);

/* Is the string the word? */
bool mp_json_spells(const char *string, const char *word);

/* The text of a string; its length is that without the NUL behind it. NULL:
 * memory is out. */
char *mp_json_string_copy(
	const char *string, size_t *length, struct arena *arena);

#endif

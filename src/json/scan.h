/*
 * The strict reading of a JSON text, ahead of the parser: grammar, UTF-8,
 * nesting, spelling and range of numbers, keys that appear twice. What passes
 * here, cJSON reads without error and without losing anything.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_JSON_SCAN_H
#define MP_JSON_SCAN_H

#include <stddef.h>

#include "base/arena.h"

enum {
	JSON_DEPTH = 64,       /* most arrays and objects open at a time */
	JSON_NUMBER_TEXT = 60, /* longest number; cJSON cuts at 63 bytes */
};

/* The greatest integer that a double and all below it hold exactly. */
#define JSON_MAX_INTEGER UINT64_C(9007199254740992)

struct json_census {
	uint64_t n_values;     /* of all kinds, containers too */
	uint64_t n_text_bytes; /* in strings and keys, at most */
	const uint64_t *reals; /* which numbers, counted from 0 through the
				  text, have a fraction or an exponent */
	uint32_t n_reals;
};

/* False, with line and column in the error, for a text that is not one strict
 * JSON document. The census lives in the arena. */
bool mp_json_scan(const char *file, const char *text, size_t length,
	struct json_census *census, struct arena *arena, struct error *e);

#endif

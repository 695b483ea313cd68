/*
 * The scanner: checks a JSON text before cJSON parses it. It checks grammar,
 * UTF-8, depth of nesting, spelling and range of numbers, and duplicate keys,
 * which cJSON accepts or changes. A text that passes is parsed by cJSON without
 * error and without loss.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_JSON_SCAN_H
#define MP_JSON_SCAN_H

#include <stddef.h>

#include "base/arena.h"

enum {
	JSON_DEPTH = 64,       /* greatest depth of arrays and objects */
	JSON_NUMBER_TEXT = 60, /* longest number; cJSON reads 63 bytes */
};

/* 2^53: a double holds all integers up to it exactly. */
#define JSON_MAX_INTEGER UINT64_C(9007199254740992)

struct json_census {
	uint64_t n_values;     /* of all kinds, with arrays and objects */
	uint64_t n_text_bytes; /* upper bound on bytes of strings and keys */
	const uint64_t *reals; /* the numbers, counted from 0 in the text, that
				  have a fraction or an exponent */
	uint32_t n_reals;
};

static inline const char *mp_json_skip_blanks(const char *at, const char *end)
{
	while (at < end &&
		(*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
		at++;
	return at;
}

/* False, with line and column in the error, if the text is not one strict JSON
 * document. The census is in the arena. */
bool mp_json_scan(const char *file, const char *text, size_t length,
	struct json_census *census, struct arena *arena, struct error *e);

#endif

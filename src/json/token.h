/*
 * The state of the scanner, and its tokens. Only for scan.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_JSON_TOKEN_H
#define MP_JSON_TOKEN_H

#include "json/scan.h"

struct key {
	uint64_t hash;
	const char *text; /* without escapes */
	size_t length;
	const char *at; /* its opening quote */
};

struct frame {
	bool is_object;
	uint32_t first_key; /* of an object: its first entry of keys */
	uint32_t index;	    /* of the member that is read */
};

struct scan {
	const char *file, *text, *end, *at;
	struct frame frames[JSON_DEPTH];
	uint32_t depth;
	struct key *keys;
	uint32_t n_keys, room_keys;
	uint64_t *reals;
	uint32_t n_reals, room_reals;
	uint64_t n_values, n_numbers, n_text_bytes;
	struct arena *arena;
	struct error *error;
};

/* Records an error at a place of the text, as line and column. */
bool mp_json_scan_fail(const struct scan *s, const char *at, const char *format,
	...) MP_PRINTF(3, 4);

/* Scans a string, from its opening quote to after its closing one. */
bool mp_json_scan_string(struct scan *s, bool *escaped);

/* Replaces the text of a key, which ends at end, by a copy without escapes. */
bool mp_json_scan_decode(struct scan *s, struct key *key, const char *end);

bool mp_json_scan_is_digit(const struct scan *s);
bool mp_json_scan_number(struct scan *s);

#endif

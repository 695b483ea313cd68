/*
 * The scanner: checks a JSON text before cJSON parses it. It checks grammar,
 * UTF-8, depth of nesting, spelling and range of numbers, and duplicate keys,
 * which cJSON accepts or changes. A text that passes is parsed by cJSON without
 * error and without loss. For a large text the scanner makes cJSON's tree too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_JSON_SCAN_H
#define MP_JSON_SCAN_H

#include "json/json.h"

enum {
	JSON_NUMBER_TEXT = 60, /* longest number; cJSON reads 63 bytes */
};

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

/* The values so far as a tree of cJSON's nodes. */
struct tree {
	struct arena *arena; /* of the nodes and their texts */
	struct cJSON *root;
	struct cJSON *open[JSON_DEPTH]; /* of each frame, its container */
	struct cJSON *room;		/* for the next nodes: */
	uint32_t n_room;
};

struct scan {
	const char *file, *text, *end, *at;
	struct frame frames[JSON_DEPTH];
	uint32_t depth;
	struct key *keys;
	uint32_t n_keys, room_keys;
	uint64_t *reals; /* the numbers, counted from 0 in the text, that have a
			    fraction or an exponent */
	uint32_t n_reals, room_reals;
	uint64_t n_values; /* of all kinds, with arrays and objects */
	uint64_t n_numbers;
	uint64_t n_text_bytes; /* upper bound on bytes of strings and keys */
	struct tree *tree; /* takes the values; NULL: they are checked only */
	struct arena *arena;
	struct error *error;
};

/* False, with line and column in the error, if the text is not one strict JSON
 * document. file, text, end, at, arena and error are set. */
bool mp_json_scan(struct scan *s);

/* ----------------------------------------------------------- tokens */

/* Records an error at a place of the text, as line and column. */
bool mp_json_scan_fail(const struct scan *s, const char *at, const char *format,
	...) MP_PRINTF(3, 4);

/* Scans a string, from its opening quote to after its closing one. */
bool mp_json_scan_string(struct scan *s, bool *escaped);

/* Replaces the text of a key, which ends at end, by a copy without escapes. */
bool mp_json_scan_decode(struct scan *s, struct key *key, const char *end);

bool mp_json_scan_is_digit(const struct scan *s);
bool mp_json_scan_number(struct scan *s);

/* ------------------------------------------------------------- tree */

/* Adds the value that begins at the token: a list or an object when it opens,
 * before it has a frame, any other value when the scanner is behind it. False:
 * memory is out. */
bool mp_json_scan_add(struct scan *s, const char *token);

#endif

/*
 * The scanner: checks a JSON text and makes its nodes. It checks grammar,
 * UTF-8, depth of nesting, spelling and range of numbers, and duplicate keys.
 * So what reads values later needs no check.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_JSON_SCAN_H
#define MP_JSON_SCAN_H

#include "json/json.h"

enum {
	JSON_NUMBER_TEXT = 60, /* longest number; cJSON reads 63 bytes */
};

struct frame {
	bool is_object;
	uint32_t node;	/* of the container */
	uint32_t index; /* of the member that is read */
	uint32_t last;	/* node of the latest member; NONE: there is none */
};

struct scan {
	const char *file, *text, *end, *at;
	struct frame frames[JSON_DEPTH];
	uint32_t depth;
	const char *key; /* of the next value: its opening quote */
	struct json_node *nodes;
	uint32_t n_nodes, room_nodes;
	struct arena *tree;  /* of the nodes */
	struct arena *arena; /* of all else */
	struct error *error;
};

/* False, with line and column in the error, if the text is not one strict JSON
 * document. file, text, end, at, both arenas and error are set. */
bool mp_json_scan(struct scan *s);

/* ----------------------------------------------------------- tokens */

/* Records an error at a place of the text, as line and column. */
bool mp_json_scan_fail(const struct scan *s, const char *at, const char *format,
	...) MP_PRINTF(3, 4);

/* Scans a string, from its opening quote to after its closing one. */
bool mp_json_scan_string(struct scan *s);

bool mp_json_scan_is_digit(const struct scan *s);
bool mp_json_scan_number(struct scan *s);

/* Scans digits. Their value is exact up to 2^59, else at least that. */
static inline uint64_t mp_json_scan_whole(const char **at, const char *end)
{
	const uint64_t limit = UINT64_C(1) << 59;
	uint64_t value = 0;

	for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
		if (value < limit)
			value = value * 10 + (uint64_t)(**at - '0');
	return value;
}

#endif

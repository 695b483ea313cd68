/*
 * Values of a document, checked: lists, objects, numbers, booleans, strings.
 * cJSON reads numbers that are long or have an exponent: it knows the locale's
 * decimal point.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "json/scan.h"
#include "json/strings.h"

enum {
	PLAIN_DIGITS = 15, /* so many are exact in a double */
};

/* ------------------------------------------------------------ kinds */

static bool begins_with(const struct json_at *at, char c)
{
	return at->value && *at->value->at == c;
}

bool mp_json_is_null(const struct json_at *at)
{
	return begins_with(at, 'n');
}

bool mp_json_is_text(const struct json_at *at)
{
	return begins_with(at, '"');
}

bool mp_json_is_number(const struct json_at *at)
{
	return at->value &&
	       (*at->value->at == '-' ||
		       (*at->value->at >= '0' && *at->value->at <= '9'));
}

bool mp_json_is_bool(const struct json_at *at)
{
	return begins_with(at, 't') || begins_with(at, 'f');
}

bool mp_json_is_list(const struct json_at *at)
{
	return begins_with(at, '[');
}

bool mp_json_is_object(const struct json_at *at)
{
	return begins_with(at, '{');
}

/* ---------------------------------------------------------- members */

static bool count_members(const struct json_at *at, uint32_t *count)
{
	uint64_t n = 0;

	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		n++;
	*count = (uint32_t)n;
	return n < NONE / 2 || mp_json_fail(at, "has too many members");
}

bool mp_json_expect_list(const struct json_at *at)
{
	return !at->value || mp_json_is_list(at) ||
	       mp_json_fail_kind(at, "a list");
}

bool mp_json_list(const struct json_at *at, uint32_t *count)
{
	*count = 0;
	return mp_json_expect_list(at) &&
	       (!at->value || count_members(at, count));
}

bool mp_json_object(const struct json_at *at, uint32_t *count)
{
	*count = 0;
	if (!at->value)
		return true;
	if (!mp_json_is_object(at))
		return mp_json_fail_kind(at, "an object");
	return count_members(at, count);
}

void *mp_json_room(const struct json_at *at, uint32_t *count, size_t size,
	struct arena *arena)
{
	return mp_json_list(at, count) ? mp_arena_alloc(arena, *count, size)
				       : NULL;
}

bool mp_json_pair(const struct json_at *at, const char *wanted,
	struct json_at *first, struct json_at *second)
{
	uint32_t n;

	if (!mp_json_list(at, &n))
		return false;
	if (n != 2)
		return mp_json_fail(at, "must be %s", wanted);
	*first = *second = mp_json_first(at);
	mp_json_next(second);
	return true;
}

uint64_t mp_json_total(const struct json_at *list, const char *key)
{
	uint64_t total = 0;

	for (struct json_at m = mp_json_first(list); m.value;
		mp_json_next(&m)) {
		struct json_at at = mp_json_find(&m, key);

		for (struct json_at i = mp_json_first(&at);
			mp_json_is_list(&at) && i.value; mp_json_next(&i))
			total++;
	}
	return total;
}

/* ---------------------------------------------------------- numbers */

/* A number of the text. */
struct number {
	bool is_negative;
	bool is_real;	/* it has a fraction or an exponent */
	uint64_t whole; /* without these; more than 2^59 is not exact */
	size_t length;	/* in bytes */
};

static struct number read_number(const struct json_at *at)
{
	const char *text = at->value->at, *c = text;
	const char *end = at->json->text + at->json->length;
	struct number number = {.is_negative = *text == '-'};

	assert(mp_json_is_number(at));
	c += number.is_negative;
	number.whole = mp_json_scan_whole(&c, end);
	number.is_real = c < end && (*c == '.' || *c == 'e' || *c == 'E');
	while (number.is_real && c < end && *c && strchr("0123456789.eE+-", *c))
		c++;
	number.length = (size_t)(c - text);
	return number;
}

/* A number of few digits and without an exponent is a whole number divided by a
 * power of ten. Both are exact in a double, so the quotient is the nearest. */
static bool read_decimal(
	const struct number *number, const char *text, double *value)
{
	const char *end = text + number->length;
	uint64_t digits = 0;
	double power = 1;
	bool behind = false;

	if (number->length > PLAIN_DIGITS)
		return false;
	for (text += number->is_negative; text < end; text++) {
		if (*text == '.') {
			behind = true;
			continue;
		}
		if (*text < '0' || *text > '9')
			return false;
		digits = digits * 10 + (uint64_t)(*text - '0');
		power *= behind ? 10 : 1;
	}
	*value = (double)digits / power;
	if (number->is_negative)
		*value = -*value;
	return true;
}

bool mp_json_number(const struct json_at *at, double *value)
{
	struct number number = read_number(at);
	cJSON *node;

	if (read_decimal(&number, at->value->at, value))
		return true;
	node = cJSON_ParseWithLength(at->value->at, number.length);
	if (!node)
		return mp_fail(at->json->error, MEMPLAN_ENOMEM,
			"%s: out of memory", at->json->file);
	*value = node->valuedouble;
	cJSON_Delete(node);
	return true;
}

static bool fail_integer(
	const struct json_at *at, const char *least, uint64_t most)
{
	double value;
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "an integer from %s to %llu", least,
		(unsigned long long)most);
	if (!mp_json_is_number(at))
		return mp_json_fail_kind(at, wanted);
	if (!mp_json_number(at, &value))
		return false;
	if (read_number(at).is_real && fabs(value) < 1e15 &&
		value == floor(value))
		return mp_json_fail(at,
			"must be %s, without fraction or exponent: write %.0f",
			wanted, value);
	return mp_json_fail(at, "must be %s", wanted);
}

/* Is it a whole number, not beyond `most` on either side? */
static bool read_whole(
	const struct json_at *at, uint64_t most, struct number *number)
{
	assert(most <= JSON_MAX_INTEGER);
	if (!mp_json_is_number(at))
		return false;
	*number = read_number(at);
	return !number->is_real && number->whole <= most;
}

static bool read_integer(
	const struct json_at *at, uint64_t most, uint64_t *value)
{
	struct number number = {0};

	if (!at->value)
		return true;
	if (!read_whole(at, most, &number) ||
		(number.is_negative && number.whole > 0))
		return fail_integer(at, "0", most);
	*value = number.whole;
	return true;
}

bool mp_json_integer(const struct json_at *at, uint64_t *value)
{
	return read_integer(at, JSON_MAX_INTEGER, value);
}

bool mp_json_signed(const struct json_at *at, int64_t *value)
{
	struct number number = {0};

	if (!at->value)
		return true;
	if (!read_whole(at, JSON_MAX_INTEGER, &number))
		return fail_integer(at, "-9007199254740992", JSON_MAX_INTEGER);
	*value = number.is_negative ? -(int64_t)number.whole
				    : (int64_t)number.whole;
	return true;
}

bool mp_json_index(const struct json_at *at, uint32_t most, uint32_t *value)
{
	uint64_t wide = *value;

	if (!read_integer(at, most, &wide))
		return false;
	*value = (uint32_t)wide;
	return true;
}

/* A number from 0 to `most` in units of 1 / scale, rounded. */
static bool read_scaled(const struct json_at *at, double most, double scale,
	const char *kind, const char *range, uint64_t *value)
{
	double number = 0;

	if (!at->value)
		return true;
	if (!mp_json_is_number(at))
		return mp_json_fail_kind(at, kind);
	if (!mp_json_number(at, &number))
		return false;
	if (number < 0 || number > most)
		return mp_json_fail(at, "must be %s", range);
	*value = (uint64_t)(number * scale + 0.5);
	return true;
}

bool mp_json_micros(const struct json_at *at, uint64_t *value)
{
	return read_scaled(at, 1e12, 1000, "a number of milliseconds",
		"milliseconds from 0 to 1e12", value);
}

bool mp_json_millionths(const struct json_at *at, uint64_t *value)
{
	return read_scaled(
		at, 1e6, 1e6, "a number", "a number from 0 to 1e6", value);
}

/* ---------------------------------------------------- other scalars */

bool mp_json_bool(const struct json_at *at, bool *value)
{
	if (!at->value)
		return true;
	if (!mp_json_is_bool(at))
		return mp_json_fail_kind(at, "true or false");
	*value = begins_with(at, 't');
	return true;
}

bool mp_json_copy(
	const struct json_at *at, const char **text, struct arena *arena)
{
	size_t length;
	const char *copy;

	if (!at->value)
		return true;
	if (!mp_json_is_text(at))
		return mp_json_fail_kind(at, "a string");
	copy = mp_json_string_copy(at->value->at, &length, arena);
	if (!copy)
		return false;
	if (length > JSON_TEXT)
		return mp_json_fail(
			at, "must not be longer than %d bytes", JSON_TEXT);
	*text = copy;
	return true;
}

bool mp_json_text(const struct json_at *at, const char **text)
{
	return mp_json_copy(at, text, at->json->room);
}

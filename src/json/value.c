/*
 * Values of a document, checked: lists, objects, numbers, booleans, strings.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "json/json.h"

static bool count_members(const struct json_at *at, uint32_t *count)
{
	uint64_t n = 0;

	for (const cJSON *c = at->value->child; c; c = c->next)
		n++;
	*count = (uint32_t)n;
	return n < NONE / 2 || mp_json_fail(at, "has too many members");
}

bool mp_json_expect_list(const struct json_at *at)
{
	return !at->value || cJSON_IsArray(at->value) ||
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
	if (!cJSON_IsObject(at->value))
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
			cJSON_IsArray(at.value) && i.value; mp_json_next(&i))
			total++;
	}
	return total;
}

static bool fail_integer(
	const struct json_at *at, const char *least, uint64_t most)
{
	double value = at->value->valuedouble;
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "an integer from %s to %llu", least,
		(unsigned long long)most);
	if (!cJSON_IsNumber(at->value))
		return mp_json_fail_kind(at, wanted);
	if (at->value->type & JSON_IS_REAL && fabs(value) < 1e15 &&
		value == floor(value))
		return mp_json_fail(at,
			"must be %s, without fraction or exponent: write %.0f",
			wanted, value);
	return mp_json_fail(at, "must be %s", wanted);
}

static bool read_integer(
	const struct json_at *at, uint64_t most, uint64_t *value)
{
	assert(most <= JSON_MAX_INTEGER);
	if (!at->value)
		return true;
	if (!cJSON_IsNumber(at->value) || at->value->type & JSON_IS_REAL ||
		at->value->valuedouble < 0 ||
		at->value->valuedouble > (double)most)
		return fail_integer(at, "0", most);
	*value = (uint64_t)at->value->valuedouble;
	assert(*value <= most);
	return true;
}

bool mp_json_integer(const struct json_at *at, uint64_t *value)
{
	return read_integer(at, JSON_MAX_INTEGER, value);
}

bool mp_json_signed(const struct json_at *at, int64_t *value)
{
	if (!at->value)
		return true;
	if (!cJSON_IsNumber(at->value) || at->value->type & JSON_IS_REAL)
		return fail_integer(at, "-9007199254740992", JSON_MAX_INTEGER);
	*value = (int64_t)at->value->valuedouble;
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

bool mp_json_bool(const struct json_at *at, bool *value)
{
	if (!at->value)
		return true;
	if (!cJSON_IsBool(at->value))
		return mp_json_fail_kind(at, "true or false");
	*value = cJSON_IsTrue(at->value);
	return true;
}

/* A number from 0 to `most` in units of 1 / scale, rounded. */
static bool read_scaled(const struct json_at *at, double most, double scale,
	const char *kind, const char *range, uint64_t *value)
{
	if (!at->value)
		return true;
	if (!cJSON_IsNumber(at->value))
		return mp_json_fail_kind(at, kind);
	if (at->value->valuedouble < 0 || at->value->valuedouble > most)
		return mp_json_fail(at, "must be %s", range);
	*value = (uint64_t)(at->value->valuedouble * scale + 0.5);
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

bool mp_json_is_null(const struct json_at *at)
{
	return cJSON_IsNull(at->value);
}

bool mp_json_is_text(const struct json_at *at)
{
	return cJSON_IsString(at->value);
}

bool mp_json_is_number(const struct json_at *at)
{
	return cJSON_IsNumber(at->value);
}

bool mp_json_is_bool(const struct json_at *at)
{
	return cJSON_IsBool(at->value);
}

bool mp_json_is_object(const struct json_at *at)
{
	return cJSON_IsObject(at->value);
}

bool mp_json_text(const struct json_at *at, const char **text)
{
	if (!at->value)
		return true;
	if (!mp_json_is_text(at))
		return mp_json_fail_kind(at, "a string");
	if (strlen(at->value->valuestring) > JSON_TEXT)
		return mp_json_fail(
			at, "must not be longer than %d bytes", JSON_TEXT);
	*text = at->value->valuestring;
	return true;
}

bool mp_json_copy(
	const struct json_at *at, const char **text, struct arena *arena)
{
	const char *found = NULL;

	if (!mp_json_text(at, &found))
		return false;
	if (!found)
		return true;
	*text = mp_arena_text(arena, found, strlen(found));
	return *text != NULL;
}

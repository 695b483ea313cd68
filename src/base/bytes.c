/*
 * Reads decimal digits, and sizes with a unit.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/bytes.h"

#include <stddef.h>
#include <string.h>

#include "base/num.h"

bool mp_bytes_digits(const char **text, uint64_t limit, uint64_t *value)
{
	const char *at = *text;

	for (*value = 0; *at >= '0' && *at <= '9'; at++) {
		uint64_t digit = (uint64_t)(*at - '0');

		if (digit > limit || *value > (limit - digit) / 10)
			return false;
		*value = *value * 10 + digit;
	}
	if (at == *text)
		return false;
	*text = at;
	return true;
}

bool mp_bytes_parse(const char *text, uint64_t *value)
{
	static const struct {
		const char *unit;
		uint64_t bytes;
	} units[] = {{"", 1}, {"B", 1}, {"KiB", UINT64_C(1) << 10},
		{"MiB", UINT64_C(1) << 20}, {"GiB", UINT64_C(1) << 30},
		{"TiB", UINT64_C(1) << 40}, {"K", UINT64_C(1) << 10},
		{"M", UINT64_C(1) << 20}, {"G", UINT64_C(1) << 30},
		{"KB", 1000}, {"MB", 1000000}, {"GB", 1000000000},
		{"TB", UINT64_C(1000000000000)}};

	if (!mp_bytes_digits(&text, NUM_MAX_BYTES, value))
		return false;
	for (size_t i = 0; i < countof(units); i++)
		if (strcmp(text, units[i].unit) == 0)
			return num_mul(*value, units[i].bytes, value);
	return false;
}

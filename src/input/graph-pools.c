/*
 * The banks of a pool, as documents of JSON have them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/rows.h"

bool mp_input_banks(const struct json_at *at, const struct json_key keys[2],
	struct banks *banks)
{
	struct json_at found[2];

	if (!mp_json_pick(at, keys, 2, found) ||
		!mp_json_integer(&found[0], &banks->size) ||
		!mp_json_index(&found[1], UINT32_MAX - 1, &banks->count))
		return false;
	if (banks->size == 0)
		return mp_json_fail(&found[0], "a bank of 0 bytes");
	return banks->count > 0 ||
	       mp_json_fail(&found[1], "a pool has at least one bank");
}

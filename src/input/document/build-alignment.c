/*
 * Alignments of documents.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/num.h"
#include "input/document/build.h"

enum {
	MOST_ALIGNMENT = 1 << 30
};

bool mp_input_build_alignment(const struct json_at *at, uint64_t *alignment)
{
	if (!mp_json_integer(at, alignment))
		return false;
	return !at->value ||
	       (num_is_pow2(*alignment) && *alignment <= MOST_ALIGNMENT) ||
	       mp_json_fail(at, "must be a power of two from 1 to %d",
		       MOST_ALIGNMENT);
}

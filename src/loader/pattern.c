/*
 * Loops without branches over words, which compilers turn into wide loads and
 * stores.
 *
 * SPDX-License-Identifier: MIT
 */
#include "loader/rows.h"

#include <assert.h>
#include <string.h>

enum {
	CHUNK = 256, /* words that are compared at a time */
};

void mp_pattern_fill(void *bytes, uint64_t size, uint64_t key)
{
	unsigned char *at = bytes;
	unsigned char *end = at + size / sizeof(key) * sizeof(key);

	assert(bytes || size == 0);
	for (; at != end; at += sizeof(key), key += MEMPLAN_STRIDE)
		memcpy(at, &key, sizeof(key));
	memcpy(at, &key, size % sizeof(key));
}

/* At most CHUNK words: counts those that differ, and finds the first. */
static void look_at_words(const unsigned char *bytes, uint64_t size,
	uint64_t at, uint64_t key, struct memplan_finding *finding)
{
	uint64_t word, wanted, length;

	for (uint64_t end = at + CHUNK * sizeof(word); at < end && at < size;
		at += sizeof(word)) {
		length = size - at < sizeof(word) ? size - at : sizeof(word);
		wanted = key + at / sizeof(word) * MEMPLAN_STRIDE;
		if (memcmp(bytes + at, &wanted, (size_t)length) == 0)
			continue;
		if (finding->count++ > 0)
			continue;
		word = 0;
		memcpy(&word, bytes + at, (size_t)length);
		finding->at = at;
		finding->found = word;
	}
}

/* Without a branch, so that the compiler can use wide registers. */
static int chunk_differs(const unsigned char *bytes, uint64_t wanted)
{
	uint64_t word, differ = 0;

	for (uint32_t i = 0; i < CHUNK; i++, wanted += MEMPLAN_STRIDE) {
		memcpy(&word, bytes + i * sizeof(word), sizeof(word));
		differ |= word ^ wanted;
	}
	return differ != 0;
}

void mp_pattern_compare(const void *bytes, uint64_t size, uint64_t key,
	struct memplan_finding *finding)
{
	const uint64_t step = CHUNK * sizeof(key);
	uint64_t at = 0, wanted;

	assert(bytes || size == 0);
	for (; size - at >= step; at += step) {
		wanted = key + at / sizeof(key) * MEMPLAN_STRIDE;
		if (chunk_differs((const unsigned char *)bytes + at, wanted))
			look_at_words(bytes, size, at, key, finding);
	}
	look_at_words(bytes, size, at, key, finding);
}

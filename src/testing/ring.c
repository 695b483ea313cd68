/*
 * A ring of blocks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/ring.h"

#include <assert.h>

void mp_testing_ring(struct planning *f, uint32_t rounds, uint64_t mask)
{
	uint32_t end = 2 * rounds + 6;

	mp_testing_begin(f, 4 * rounds + 2, end);
	mp_testing_add(&f->problem, 0, end, 2 * RING_SIZE);
	mp_testing_add(&f->problem, 0, end, RING_SIZE);
	for (uint32_t i = 0; i < rounds; i++) {
		uint32_t t = 2 * i + 1;

		mp_testing_add(&f->problem, t, t + 3, 2 * RING_SIZE);
		mp_testing_add(&f->problem, t, t + 3, 1);
		mp_testing_add(&f->problem, t, t + 5, 2 * RING_SIZE);
		mp_testing_add(&f->problem, t + 1, t + 2,
			(mask >> i % 64 & 1 ? 3 : 2) * RING_SIZE);
	}
	if (!mp_testing_end(f, "stacks", UINT64_MAX))
		assert(false);
}

/*
 * Simulated annealing (Kirkpatrick, Gelatt, Vecchi, Science 220, 1983): a
 * change that loses something stays by chance, the less often the more it loses
 * and the less heat there is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_ANNEAL_H
#define MP_PLANNERS_PLAIN_ANNEAL_H

#include "base/num.h"
#include "base/prng.h"

/* What the next change may lose: heat times the binary logarithm of one over a
 * number drawn between 0 and 1. */
static inline int64_t mp_planner_anneal_may_lose(
	uint64_t *random, uint64_t heat)
{
	uint32_t chance = num_log2(mp_prng(random) | 1);

	return (int64_t)(heat * (64 * 256 - chance) / 256);
}

#endif

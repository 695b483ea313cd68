/*
 * For tests: a random problem of which all buffers but the last are placed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_ANY_TESTING_H
#define MP_PLANNERS_ANY_TESTING_H

#include <criterion/criterion.h>

#include "planners/any/conflict.h"
#include "testing/random-problem.h"
#include "testing/random.h"

struct placed {
	struct arena arena;
	struct error error;
	struct problem problem;
	struct conflicts conflicts;
	uint64_t offsets[64];
	uint32_t last; /* the buffer that is asked for */
};

/* Would the last buffer, at that base, share a byte with another one? */
static inline bool mp_testing_placed_meets(
	struct placed *p, uint64_t base, uint32_t other)
{
	p->offsets[p->last] = base;
	return mp_testing_overlap(&p->problem, p->offsets, p->last, other);
}

/* Places the others by chance, each to begin below `top`. The arena is to be
 * freed. */
static inline void mp_testing_place(struct placed *p, uint64_t seed,
	const struct random_shape *shape, uint64_t top)
{
	uint64_t random = seed;

	*p = (struct placed){.arena = {.error = NULL}};
	p->arena.error = &p->error;
	cr_assert(
		mp_testing_random_problem(seed, shape, &p->problem, &p->arena));
	cr_assert(mp_planner_conflicts_init(
		&p->conflicts, &p->problem, &p->arena));
	p->last = p->problem.n_buffers - 1;
	for (uint32_t i = 0; i < p->last; i++) {
		p->offsets[i] = mp_testing_below(&random, top);
		mp_planner_conflicts_place(&p->conflicts, i, p->offsets[i]);
	}
}

#endif

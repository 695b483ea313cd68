/*
 * For tests: the published rules of the pools, done the slow way, with lists
 * that are searched from end to end. Shares no code with the simulators.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_NAIVE_ALLOCATOR_H
#define MP_TESTING_NAIVE_ALLOCATOR_H

#include "simulate/simulate.h"

struct naive_pool {
	const char *name; /* name of the row that it checks */
	uint64_t round;
	uint64_t unit;	 /* 0: BFC's doubling; 1: one region */
	bool bins;	 /* BFC's search and split */
	bool persistent; /* has a separate pool for persistent tensors */
};

extern const struct naive_pool mp_testing_naive_pools[];
extern const uint32_t mp_testing_n_naive_pools;

struct simulation mp_testing_naive_run(
	const struct naive_pool *pool, const struct requests *requests);

#endif

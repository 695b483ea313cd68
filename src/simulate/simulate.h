/*
 * Simulators: rows that replay the requests of a problem on an online
 * allocator and say how much memory it would have taken. An online allocator
 * sees one request after the other and knows nothing of what comes;
 * docs/simulate.md has the rules of each row and their sources.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_SIMULATE_SIMULATE_H
#define MP_SIMULATE_SIMULATE_H

#include "problem/results.h"
#include "simulate/requests.h"

struct pool;

/* How an allocator serves requests. */
struct allocator {
	bool (*open)(struct pool *pool, uint32_t n_requests, int variant,
		struct arena *arena);
	/* A handle; NONE: the pool would pass NUM_MAX_BYTES. */
	uint32_t (*take)(struct pool *pool, uint64_t bytes, bool persistent);
	void (*give)(struct pool *pool, uint32_t handle, uint64_t bytes);
};

struct simulator {
	const char *name;
	const char *summary;
	const struct allocator *allocator;
	int variant;
	enum release_rule rule;
};

extern const struct simulator mp_simulators[];
extern const uint32_t mp_n_simulators;

/* Replays requests on one row. With a timeline, the result has two numbers for
 * every step. */
bool mp_simulate_row(const struct simulator *row,
	const struct requests *requests, bool timeline,
	struct simulation *result, struct arena *arena, struct error *e);

#endif

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
#include "problem/schedule.h"

/* --------------------------------------------------------- requests */

/*
 * What an online allocator is asked, in order: the buffers of a problem as
 * requests to allocate and to free. Within a step: outputs are allocated, then
 * temporaries; the op runs; then what dies is freed.
 */

/* When, and in which order within a step, buffers are freed. */
enum release_rule {
	BY_LIFETIME, /* at the end of the lifetime: in the order that the input
			gives; without one temporaries, then inputs, then
			outputs that no op reads */
	BY_COUNT,    /* when the last reader has run, as a reference count would
			have it: inputs, then outputs, then temporaries */
};

struct requests {
	uint32_t n_buffers, n_steps;
	uint32_t n_requests; /* to allocate; a swapped buffer has two */
	uint32_t *events;    /* buffer * 2, and 1 more if it is freed */
	uint32_t *first;     /* n_steps + 1: step k has events [k], [k + 1) */
	uint64_t *bytes;     /* of a buffer, as the input says, not rounded */
	bool *persistent;    /* of a buffer: weights and states */
};

/* Every buffer is allocated once and freed once. */
bool mp_simulate_requests_init(struct requests *requests,
	const struct schedule *schedule, enum release_rule rule,
	struct arena *arena);

/* ------------------------------------------------------- simulators */

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

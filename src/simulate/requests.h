/*
 * What an online allocator is asked, in order: the buffers of a problem as
 * requests to allocate and to free. Within a step: outputs are allocated, then
 * temporaries; the op runs; then what dies is freed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_SIMULATE_REQUESTS_H
#define MP_SIMULATE_REQUESTS_H

#include "problem/schedule.h"

/* Who decides when, and in which order within a step, buffers are freed. */
enum release_rule {
	BY_LIFETIME, /* at the end of the lifetime: in the order that the input
			gives; without one temporaries, then inputs, then
			outputs that nobody reads */
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

#endif

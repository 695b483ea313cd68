/*
 * The table of simulators, and the loop that replays requests on one.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "simulate/inside.h"

const struct simulator mp_simulators[] = {
	{"os", "the bytes alive, as if nothing were wasted", &mp_simulate_os, 0,
		BY_LIFETIME},
	{"bfc", "TensorFlow's BFC, regions that double in size",
		&mp_simulate_best_fit, BFC, BY_LIFETIME},
	{"bfc-one", "TensorFlow's BFC, one region", &mp_simulate_best_fit,
		BFC_ONE, BY_LIFETIME},
	{"mindspore", "MindSpore's pool, growing as it is told",
		&mp_simulate_best_fit, MINDSPORE, BY_LIFETIME},
	{"mindspore-one", "MindSpore's pool, one block", &mp_simulate_best_fit,
		MINDSPORE_ONE, BY_LIFETIME},
	{"mindspore-vmm", "MindSpore's pool with defragmentation by pages",
		&mp_vmm, 0, BY_LIFETIME},
	{"refcount", "mindspore-one, freed by reference counts",
		&mp_simulate_best_fit, MINDSPORE_ONE, BY_COUNT},
	{"pool64", "HeuristicAllocator's pool", &mp_pool64, 0, BY_LIFETIME},
};

const uint32_t mp_n_simulators = countof(mp_simulators);

enum {
	N_FIRST = 2
};

struct replay {
	const struct simulator *row;
	const struct requests *requests;
	struct pool pool;
	uint32_t *taken; /* of a buffer: its block */
	uint64_t *in_use, *reserved;
};

static bool serve(struct replay *r, uint32_t event)
{
	const struct requests *q = r->requests;
	const struct allocator *allocator = r->row->allocator;
	struct pool *pool = &r->pool;
	struct simulation *result = pool->result;
	uint32_t buffer = event / 2, *block = &r->taken[buffer];

	assert(buffer < q->n_buffers);
	if (event % 2) {
		assert(pool->in_use >= pool->blocks.at[*block].size);
		pool->in_use -= pool->blocks.at[*block].size;
		allocator->give(pool, *block);
		return true;
	}
	result->requests++;
	*block = allocator->take(pool, q->bytes[buffer], q->persistent[buffer]);
	if (*block == NONE)
		return false;
	pool->in_use += pool->blocks.at[*block].size;
	if (pool->in_use <= result->in_use)
		return true;
	result->in_use = pool->in_use;
	result->free = result->reserved - result->in_use;
	if (allocator->largest_free)
		result->largest_free = allocator->largest_free(pool);
	return true;
}

static bool serve_step(struct replay *r, uint32_t step)
{
	const struct requests *q = r->requests;
	uint64_t most = r->pool.in_use;

	for (uint32_t i = q->first[step]; i < q->first[step + 1]; i++) {
		if (!serve(r, q->events[i]))
			return false;
		most = num_max(most, r->pool.in_use);
	}
	if (r->in_use) {
		r->in_use[step] = most;
		r->reserved[step] = r->pool.result->reserved;
	}
	return true;
}

static bool serve_all(struct replay *r, struct arena *arena, struct error *e)
{
	struct arena_mark mark = mp_arena_mark(arena);
	const struct requests *q = r->requests;

	r->taken = NEW(arena, uint32_t, q->n_buffers);
	r->pool.variant = r->row->variant;
	/* What a pool holds from the start is regions too. */
	r->pool.high = NEW(arena, uint64_t, (size_t)q->n_requests + N_FIRST);
	if (!r->taken || !r->pool.high ||
		!mp_blocks_init(&r->pool.blocks,
			(q->n_requests + N_FIRST) * r->row->allocator->blocks,
			arena))
		return false;
	for (uint32_t k = 0; k < q->n_steps && r->pool.result->refused == 0;
		k++) {
		r->pool.result->refused_at = k;
		if (!serve_step(r, k) && r->pool.result->refused == 0)
			return mp_fail(e, MEMPLAN_EINPUT,
				"simulator %s would need more than 2^62 bytes",
				r->row->name);
	}
	mp_arena_rewind(arena, mark);
	return true;
}

bool mp_simulate_row(const struct simulator *row,
	const struct requests *requests, const struct pool_settings *settings,
	bool timeline, struct simulation *result, struct arena *arena,
	struct error *e)
{
	struct replay r = {.row = row,
		.requests = requests,
		.pool = {.settings = settings}};

	assert(settings->increment > 0);
	*result = (struct simulation){.name = row->name};
	r.pool.result = result;
	if (timeline) {
		r.in_use = NEW(arena, uint64_t, requests->n_steps);
		r.reserved = NEW(arena, uint64_t, requests->n_steps);
		if (!r.in_use || !r.reserved)
			return false;
	}
	result->in_use_at = r.in_use;
	result->reserved_at = r.reserved;
	return serve_all(&r, arena, e);
}

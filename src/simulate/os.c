/*
 * os: what the process would hold if every request went to an operating system
 * that wastes nothing: the bytes alive.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/inside.h"

static bool open_live(
	struct pool *pool, uint32_t n, int variant, struct arena *arena)
{
	(void)n;
	(void)variant;
	return mp_simulate_allocator_open(pool, 0, 0, arena);
}

static uint32_t take_live(struct pool *pool, uint64_t bytes, bool persistent)
{
	(void)persistent;
	mp_simulate_allocator_count(pool, bytes);
	pool->result->reserved = pool->result->in_use;
	pool->result->high_water = pool->result->in_use;
	pool->result->regions++;
	return 0;
}

static void give_live(struct pool *pool, uint32_t handle, uint64_t bytes)
{
	(void)handle;
	pool->in_use -= bytes;
}

const struct allocator mp_simulate_os = {open_live, take_live, give_live};

/*
 * Several pools. Each buffer must lie in a pool that may hold it and has room
 * for it, and only buffers of one pool can overlap. The pools are laid end to
 * end and checked as one arena: buffers of two pools are then far apart.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify/inside.h"

#include <assert.h>

#include "base/sink-text.h"

static bool may_hold(const struct problem *p, uint32_t buffer, uint32_t pool)
{
	const struct pool_list *list = &p->pool_lists[p->pool_list[buffer]];

	for (uint32_t i = 0; i < list->n; i++)
		if (list->at[i] == pool)
			return true;
	return false;
}

bool mp_verify_space(const struct check *c, uint32_t i)
{
	const struct problem *p = c->problem;
	const struct space *space = &c->spaces->at[c->spaces->of[i]];
	const struct memory_pool *pool = &p->pools[space->pool];
	uint64_t offset = c->offsets[i], end;

	assert(c->spaces->of[i] < c->spaces->n);
	if (!may_hold(p, i, space->pool))
		return mp_fail(c->error, c->code,
			"%s: tensor '%.80s' lies in pool '%.60s', which may "
			"not hold it",
			p->name, mp_verify_name(c, i), space->name);
	/* A reserved range may begin at any byte. */
	if (!mp_problem_is_reserved(p, i) && offset % pool->alignment != 0)
		return mp_fail(c->error, c->code,
			"%s: tensor '%.80s': offset %llu is not a multiple of "
			"the alignment %llu of pool '%.60s'",
			p->name, mp_verify_name(c, i),
			(unsigned long long)offset,
			(unsigned long long)pool->alignment, space->name);
	if (num_add(offset, p->buffers[i].size, &end) &&
		end <= mp_graph_pool_room(pool))
		return true;
	return mp_fail(c->error, c->code,
		"%s: %s'%.80s': offset %llu plus %llu byte%s is beyond the "
		"%llu byte%s of pool '%.60s'",
		p->name, mp_problem_is_reserved(p, i) ? "" : "tensor ",
		mp_verify_name(c, i), (unsigned long long)offset,
		(unsigned long long)p->buffers[i].size,
		mp_text_plural(p->buffers[i].size),
		(unsigned long long)mp_graph_pool_room(pool),
		mp_text_plural(mp_graph_pool_room(pool)), space->name);
}

/* Blocks of one pool share its capacity. */
static bool check_blocks(
	const struct check *c, const uint64_t *size, uint64_t *used)
{
	const struct problem *p = c->problem;

	for (uint32_t k = 0; k < c->spaces->n; k++) {
		uint32_t pool = c->spaces->at[k].pool;

		if (!num_add(used[pool], size[k], &used[pool]) ||
			used[pool] > p->pools[pool].capacity)
			return mp_fail(c->error, c->code,
				"%s: the blocks of pool '%.60s' take more than "
				"its %llu byte%s",
				p->name, p->pools[pool].name,
				(unsigned long long)p->pools[pool].capacity,
				mp_text_plural(p->pools[pool].capacity));
	}
	return true;
}

bool mp_verify_lay_out(struct check *c, struct arena *scratch)
{
	const struct problem *p = c->problem;
	uint64_t *base = NEW(scratch, uint64_t, c->spaces->n), total = 0;
	uint64_t *used = NEW(scratch, uint64_t, p->n_pools);

	assert(p->n_pools > 0 && p->pool_list && c->spaces->of && !c->base);
	if (!base || !used)
		return false;
	for (uint32_t i = 0; i < p->n_parts; i++) {
		uint32_t buffer = p->parts[i].buffer, k = c->spaces->of[buffer];

		if (c->offsets[buffer] != NO_OFFSET)
			base[k] = num_max(base[k], mp_verify_placed(c, i).high);
	}
	if (!check_blocks(c, base, used))
		return false;
	for (uint32_t k = 0; k < c->spaces->n; k++) {
		uint64_t size = base[k];

		base[k] = total;
		if (!num_add(total, size, &total))
			return mp_fail(c->error, c->code,
				"%s: the pools take more than 2^62 bytes",
				p->name);
	}
	c->base = base;
	return true;
}

/* A buffer with a fixed offset has one pool, which is one block. */
bool mp_verify_pools(
	const struct problem *p, struct spaces *spaces, struct arena *scratch)
{
	spaces->n = p->n_pools;
	spaces->at = NEW(scratch, struct space, p->n_pools);
	spaces->of = NEW(scratch, uint32_t, p->n_buffers);
	if (!spaces->at || !spaces->of)
		return false;
	for (uint32_t i = 0; i < p->n_pools; i++)
		spaces->at[i] =
			(struct space){.name = p->pools[i].name, .pool = i};
	for (uint32_t i = 0; i < p->n_buffers; i++)
		spaces->of[i] = p->pool_lists[p->pool_list[i]].at[0];
	return true;
}

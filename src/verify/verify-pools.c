/*
 * Several pools. Each buffer must lie in a pool that may hold it and has room
 * for it, and only buffers of one pool can overlap. The pools are laid end to
 * end and checked as one arena: buffers of two pools are then far apart.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify/verify.h"

#include <assert.h>

#include "verify/inside.h"

static bool may_hold(const struct problem *p, uint32_t buffer, uint32_t pool)
{
	const struct pool_list *list = &p->pool_lists[p->pool_list[buffer]];

	for (uint32_t i = 0; i < list->n; i++)
		if (list->at[i] == pool)
			return true;
	return false;
}

/* A reserved range may begin at any byte. */
static bool is_reserved(const struct problem *p, uint32_t buffer)
{
	return buffer >= p->first_reserved &&
	       buffer - p->first_reserved < p->n_reserved;
}

/* The bytes that one block of the pool may take. */
static uint64_t room_of(const struct memory_pool *pool)
{
	return pool->chunk ? num_min(pool->chunk, pool->capacity)
			   : pool->capacity;
}

static bool check_space(const struct check *c, uint32_t i)
{
	const struct problem *p = c->problem;
	const struct space *space = &c->spaces->at[c->spaces->of[i]];
	const struct memory_pool *pool = &p->pools[space->pool];
	const char *name = mp_problem_part_label(p, p->buffers[i].first_part);
	uint64_t offset = c->offsets[i], end;

	if (!may_hold(p, i, space->pool))
		return mp_fail(c->error, c->code,
			"%s: tensor '%.80s' lies in pool '%.60s', which may "
			"not hold it",
			p->name, name, space->name);
	if (!is_reserved(p, i) && offset % pool->alignment != 0)
		return mp_fail(c->error, c->code,
			"%s: tensor '%.80s': offset %llu is not a multiple of "
			"the alignment %llu of pool '%.60s'",
			p->name, name, (unsigned long long)offset,
			(unsigned long long)pool->alignment, space->name);
	if (num_add(offset, p->buffers[i].size, &end) && end <= room_of(pool))
		return true;
	return mp_fail(c->error, c->code,
		"%s: %s'%.80s': offset %llu and %llu bytes end beyond the "
		"%llu bytes of pool '%.60s'",
		p->name, is_reserved(p, i) ? "" : "tensor ", name,
		(unsigned long long)offset,
		(unsigned long long)p->buffers[i].size,
		(unsigned long long)room_of(pool), space->name);
}

/* The same without an error: names are looked up for messages only. */
static bool space_is_fine(const struct check *c, uint32_t i)
{
	uint32_t k = c->spaces->of[i];
	const struct memory_pool *pool =
		&c->problem->pools[c->spaces->at[k].pool];
	const struct buffer *buffer = &c->problem->buffers[i];

	assert(k < c->spaces->n);
	return mp_verify_check_buffer_quietly(buffer, c->offsets[i]) &&
	       may_hold(c->problem, i, c->spaces->at[k].pool) &&
	       (is_reserved(c->problem, i) ||
		       c->offsets[i] % pool->alignment == 0) &&
	       c->offsets[i] + buffer->size <= room_of(pool);
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
				"%s: the blocks of pool '%.60s' take more "
				"than its %llu bytes",
				p->name, p->pools[pool].name,
				(unsigned long long)p->pools[pool].capacity);
	}
	return true;
}

/* Lays the spaces end to end: base is the first byte of each. */
static bool lay_out_spaces(
	const struct check *c, uint64_t *base, uint64_t *used)
{
	const struct problem *p = c->problem;
	uint64_t total = 0;

	for (uint32_t i = 0; i < p->n_parts; i++) {
		uint32_t buffer = p->parts[i].buffer;
		uint32_t k = c->spaces->of[buffer];

		if (c->offsets[buffer] != NO_OFFSET)
			base[k] = num_max(
				base[k], c->offsets[buffer] + p->parts[i].base +
						 mp_verify_check_size(c, i));
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
	return true;
}

/* Checks all buffers, or only those with a fixed offset. */
static bool check_spaces(struct check *c, bool fixed, struct arena *scratch)
{
	const struct problem *p = c->problem;
	uint64_t *base = NEW(scratch, uint64_t, c->spaces->n);
	uint64_t *used = NEW(scratch, uint64_t, p->n_pools);

	assert(p->n_pools > 0 && p->pool_list && c->spaces->of);
	if (!base || !used)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if ((!fixed || c->offsets[i] != NO_OFFSET) &&
			!space_is_fine(c, i))
			return mp_verify_check_buffer(c, i) &&
			       check_space(c, i);
	if (!lay_out_spaces(c, base, used))
		return false;
	c->base = base;
	return mp_verify_check_pairs(c, scratch);
}

bool mp_verify_spaces(const struct problem *problem,
	const struct spaces *spaces, const uint64_t *offsets,
	enum memplan_status code, struct arena *scratch, struct error *e)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct check c = {.problem = problem,
		.offsets = offsets,
		.spaces = spaces,
		.code = code,
		.error = e};
	bool valid = check_spaces(&c, false, scratch);

	mp_arena_rewind(scratch, mark);
	return valid;
}

/* A buffer with a fixed offset has one pool, which is one block. */
static bool place_in_pools(const struct problem *p, struct spaces *spaces,
	uint64_t *offsets, struct arena *scratch)
{
	spaces->n = p->n_pools;
	spaces->at = NEW(scratch, struct space, p->n_pools);
	spaces->of = NEW(scratch, uint32_t, p->n_buffers);
	if (!spaces->at || !spaces->of)
		return false;
	for (uint32_t i = 0; i < p->n_pools; i++) {
		spaces->at[i].name = p->pools[i].name;
		spaces->at[i].pool = i;
	}
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		spaces->of[i] = p->pool_lists[p->pool_list[i]].at[0];
		offsets[i] = p->buffers[i].offset;
	}
	return true;
}

bool mp_verify_fixed_spaces(const struct problem *problem,
	enum memplan_status code, struct arena *scratch, struct error *e)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	uint64_t *offsets = NEW(scratch, uint64_t, problem->n_buffers);
	struct spaces spaces = {0};
	struct check c = {.problem = problem,
		.offsets = offsets,
		.spaces = &spaces,
		.code = code,
		.error = e};
	bool valid = offsets &&
		     place_in_pools(problem, &spaces, offsets, scratch) &&
		     check_spaces(&c, true, scratch);

	mp_arena_rewind(scratch, mark);
	return valid;
}

/*
 * The assignment. It fills one pool after the other; a buffer that leaves a
 * pool makes the next pool of its list dirty. It ends when no pool is dirty.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pools/pools.h"

#include <assert.h>

#include "problem/buffer-uses.h"

enum {
	ROUNDS_A_POOL = 4, /* fillings, after which the search is given up */
	MOST_LOOKED_AT = 1 << 23, /* members, summed over the chunks */
};

/* The blocks of one pool. */
struct pool_blocks {
	struct space *spaces;
	uint32_t n, room;
	bool dirty; /* buffers have come since it was filled */
};

struct assigning {
	struct assignment *a;
	struct pool_blocks *pools; /* one a pool */
	uint32_t *block;	   /* of a buffer: its block in its pool */
	uint64_t looked_at;	   /* members of all blocks so far */
};

/* ------------------------------------------------------------ lists */

/* Counts the uses of every buffer by the ops. */
static bool count_uses(struct assignment *a)
{
	const struct problem *p = a->problem;
	struct arena scratch = mp_arena_beside(a->arena);
	struct buffer_uses uses;
	bool fine = mp_problem_buffer_uses(p, &uses, &scratch);

	a->uses = NEW(a->arena, uint64_t, p->n_buffers);
	fine = fine && a->uses;
	for (uint32_t i = 0; fine && i < p->n_buffers; i++)
		a->uses[i] = num_max(uses.of[i].count, 1);
	mp_arena_free(&scratch);
	return fine;
}

/* ----------------------------------------------------------- blocks */

static bool add_space(
	struct assigning *s, uint32_t pool, const struct space *space)
{
	struct pool_blocks *blocks = &s->pools[pool];
	struct space *spaces = mp_arena_grow(s->a->arena, blocks->spaces,
		blocks->n, &blocks->room, sizeof(*spaces));

	if (!spaces)
		return false;
	blocks->spaces = spaces;
	spaces[blocks->n++] = *space;
	return true;
}

static bool keep_block(struct assigning *s, const struct filling *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		if (!f->stays[i])
			continue;
		s->a->offsets[f->members[i]] = f->offsets[i];
		s->block[f->members[i]] = s->pools[f->pool].n;
	}
	return add_space(s, f->pool, &f->space);
}

/* Keeps only the members that left. */
static void keep_leavers(struct filling *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n; i++)
		if (!f->stays[i])
			f->members[n++] = f->members[i];
	f->n = n;
}

static bool give_up(
	struct assigning *s, const struct filling *f, uint32_t buffer)
{
	s->a->misfit = MISFIT_OPEN;
	s->a->why = mp_arena_print(s->a->arena,
		"no plan in which pool '%.60s' has room for tensor '%.80s' was "
		"found, and none was ruled out",
		s->a->problem->pools[f->pool].name,
		mp_problem_label(s->a->problem, buffer));
	return s->a->why != NULL;
}

/* Sends the members that are left to the next pools of their lists. */
static bool send_on(struct assigning *s, const struct filling *f)
{
	struct assignment *a = s->a;

	for (uint32_t i = 0; i < f->n; i++) {
		uint32_t buffer = f->members[i];
		uint32_t next =
			mp_pools_assign_next(a, buffer, a->rank[buffer] + 1);

		assert(next == NONE || next > a->rank[buffer]);
		if (next == NONE)
			return give_up(s, f, buffer);
		a->rank[buffer] = next;
		s->pools[mp_pools_assign_pool(a, buffer, next)].dirty = true;
	}
	return true;
}

/* Each block looks at all members that have no place yet. */
static bool fail_blocks(
	const struct assigning *s, const struct memory_pool *pool)
{
	return mp_fail(s->a->error, MEMPLAN_EINPUT,
		"%s: chunks of %llu of pool '%.60s' are too small for so many "
		"tensors: tensors times chunks may be at most %d",
		s->a->problem->name, (unsigned long long)pool->chunk,
		pool->name, MOST_LOOKED_AT);
}

/* Fills one block after the other until all members are placed or the capacity
 * is used. */
static bool fill_blocks(struct assigning *s, struct filling *f, uint64_t left)
{
	const struct memory_pool *pool = &s->a->problem->pools[f->pool];

	do {
		struct arena scratch = mp_arena_beside(s->a->arena);
		bool fine;

		s->looked_at += f->n;
		if (f->blocks && s->looked_at > MOST_LOOKED_AT)
			return fail_blocks(s, pool);
		f->space = (struct space){.pool = f->pool};
		f->capacity = pool->chunk ? num_min(pool->chunk, left) : left;
		fine = mp_pools_fill(f, &scratch);
		if (fine && f->fits) {
			fine = keep_block(s, f);
			keep_leavers(f);
		}
		mp_arena_free(&scratch);
		if (!fine)
			return false;
		if (!f->fits)
			return give_up(s, f, f->members[0]);
		if (left != NO_CAPACITY)
			left -= f->space.size;
	} while (f->blocks && f->n > 0 && f->space.n_buffers > 0);
	return send_on(s, f);
}

static bool fill_pool(struct assigning *s, uint32_t pool)
{
	struct assignment *a = s->a;
	const struct problem *p = a->problem;
	struct arena own = mp_arena_beside(a->arena);
	struct filling f = {.a = a,
		.pool = pool,
		.alignment = p->pools[pool].alignment,
		.blocks = p->pools[pool].chunk != 0};
	bool fine;

	s->pools[pool].n = 0;
	s->pools[pool].dirty = false;
	f.members = NEW(&own, uint32_t, p->n_buffers);
	for (uint32_t i = 0; f.members && i < p->n_buffers; i++)
		if (mp_pools_assign_pool(a, i, a->rank[i]) == pool)
			f.members[f.n++] = i;
	fine = f.members && fill_blocks(s, &f, p->pools[pool].capacity);
	mp_arena_free(&own);
	return fine;
}

static uint32_t find_dirty(const struct assigning *s)
{
	for (uint32_t i = 0; i < s->a->problem->n_pools; i++)
		if (s->pools[i].dirty)
			return i;
	return NONE;
}

static bool fill_pools(struct assigning *s)
{
	struct assignment *a = s->a;
	uint32_t rounds = ROUNDS_A_POOL * a->problem->n_pools, pool;

	for (uint32_t i = 0; i < a->problem->n_pools; i++)
		s->pools[i].dirty = true;
	while ((pool = find_dirty(s)) != NONE && a->misfit == MISFIT_NONE) {
		if (rounds-- > 0) {
			if (!fill_pool(s, pool))
				return false;
			continue;
		}
		a->misfit = MISFIT_OPEN;
		a->why = mp_arena_print(a->arena,
			"no plan was found, and none was ruled out: tensors go "
			"from pool to pool");
	}
	return a->misfit == MISFIT_NONE || a->why;
}

/* ----------------------------------------------------------- result */

/* Blocks are called NAME#0, NAME#1 and so on. */
static bool describe(struct assignment *a, struct space *space, uint32_t pool,
	uint32_t block)
{
	const struct memory_pool *p = &a->problem->pools[pool];

	space->name =
		p->chunk ? mp_arena_print(a->arena, "%s#%u", p->name, block)
			 : p->name;
	space->capacity = mp_graph_pool_room(p);
	space->alignment = p->alignment;
	space->pool = pool;
	return space->name != NULL;
}

static void count_spilled(struct assignment *a)
{
	for (uint32_t i = 0; i < a->problem->n_buffers; i++) {
		uint64_t size = a->problem->buffers[i].size, traffic;

		if (a->rank[i] == 0)
			continue;
		a->spaces.n_spilled++;
		a->spaces.spilled += size;
		if (!num_mul(size, a->uses[i], &traffic) ||
			!num_add(
				a->spaces.traffic, traffic, &a->spaces.traffic))
			a->spaces.traffic = NUM_MAX_BYTES;
	}
}

static bool list_spaces(struct assigning *s)
{
	struct assignment *a = s->a;
	uint32_t n_pools = a->problem->n_pools, n = 0;
	uint32_t *first = NEW(a->arena, uint32_t, n_pools);

	for (uint32_t i = 0; i < n_pools; i++)
		n += s->pools[i].n;
	a->spaces.at = NEW(a->arena, struct space, n);
	a->spaces.of = NEW(a->arena, uint32_t, a->problem->n_buffers);
	if (!first || !a->spaces.at || !a->spaces.of)
		return false;
	for (uint32_t i = 0; i < n_pools; i++) {
		first[i] = a->spaces.n;
		for (uint32_t k = 0; k < s->pools[i].n; k++) {
			struct space *space = &a->spaces.at[a->spaces.n++];

			*space = s->pools[i].spaces[k];
			if (!describe(a, space, i, k))
				return false;
		}
	}
	for (uint32_t i = 0; i < a->problem->n_buffers; i++)
		a->spaces.of[i] =
			first[mp_pools_assign_pool(a, i, a->rank[i])] +
			s->block[i];
	count_spilled(a);
	return true;
}

/* The buffers of a space as a problem. */
static bool take_space(const struct assignment *a, uint32_t i,
	uint32_t *buffers, struct problem *sub, struct arena *scratch)
{
	const struct problem *p = a->problem;
	uint32_t n = 0;

	for (uint32_t k = 0; k < p->n_buffers; k++)
		if (a->spaces.of[k] == i)
			buffers[n++] = k;
	assert(n == a->spaces.at[i].n_buffers);
	return mp_problem_subproblem(p, buffers, n, a->spaces.at[i].alignment,
		sub, scratch, a->error);
}

static void keep_smaller(struct assignment *a, struct space *space,
	const uint32_t *buffers, const struct job *job)
{
	const struct problem *p = a->problem;
	uint64_t size = 0;

	for (uint32_t i = 0; i < space->n_buffers; i++)
		size = num_max(size,
			job->best[i] + mp_pools_size(p, &p->pools[space->pool],
					       buffers[i]));
	if (size >= space->size)
		return;
	for (uint32_t i = 0; i < space->n_buffers; i++)
		a->offsets[buffers[i]] = job->best[i];
	space->size = size;
	space->planner = job->winner;
}

/* Plans the buffers of a space again, in as little room as can be. */
static bool shrink_space(
	struct assignment *a, uint32_t i, struct arena *scratch)
{
	struct space *space = &a->spaces.at[i];
	uint32_t *buffers = NEW(scratch, uint32_t, a->problem->n_buffers);
	struct problem sub;
	struct job job;

	if (!buffers || !take_space(a, i, buffers, &sub, scratch) ||
		!a->plan(a->context, &sub, NO_CAPACITY, &job))
		return false;
	a->cut_short |= job.cut_short;
	if (job.height != UINT64_MAX)
		keep_smaller(a, space, buffers, &job);
	if (job.lower_bound <= space->lower_bound)
		return true;
	space->lower_bound = num_min(job.lower_bound, space->size);
	space->bound_kind = job.bound_kind;
	space->bound_steps = job.bound_steps;
	space->clique = job.clique;
	return true;
}

/* Where no pool can be smaller, neither can their sum, nor the largest. A pool
 * without a capacity is as small as it gets already. */
static bool shrink_spaces(struct assignment *a)
{
	for (uint32_t i = 0; i < a->spaces.n; i++) {
		const struct space *space = &a->spaces.at[i];
		struct arena scratch = mp_arena_beside(a->arena);
		bool fine = space->capacity == NO_CAPACITY ||
			    space->size <= space->lower_bound ||
			    shrink_space(a, i, &scratch);

		mp_arena_free(&scratch);
		if (!fine)
			return false;
	}
	return true;
}

static bool assigning_init(struct assigning *s)
{
	struct assignment *a = s->a;
	uint32_t n = a->problem->n_buffers;

	a->rank = NEW(a->arena, uint32_t, n);
	a->offsets = NEW(a->arena, uint64_t, n);
	s->block = NEW(a->arena, uint32_t, n);
	s->pools = NEW(a->arena, struct pool_blocks, a->problem->n_pools);
	if (!a->rank || !a->offsets || !s->block || !s->pools || !count_uses(a))
		return false;
	for (uint32_t i = 0; i < n; i++)
		a->rank[i] = mp_pools_assign_next(a, i, 0);
	return true;
}

/* Filling found no assignment: looks for a proof that there is none, or tries
 * all. */
static bool decide_misfit(struct assigning *s)
{
	struct assignment *a = s->a;

	if (!mp_pools_misfit_forced(a))
		return false;
	if (a->misfit == MISFIT_OPEN && !mp_pools_try_all(a))
		return false;
	return a->misfit != MISFIT_NONE || fill_pools(s);
}

bool mp_pools_assign(struct assignment *a)
{
	struct assigning s = {.a = a};

	assert(a->problem->n_pools > 0 && a->problem->pool_list && a->plan);
	assert(a->misfit == MISFIT_NONE);
	if (!assigning_init(&s) || !mp_pools_misfit_loads(a))
		return false;
	if (a->misfit != MISFIT_NONE)
		return true;
	if (!fill_pools(&s))
		return false;
	if (s.a->misfit != MISFIT_NONE && !decide_misfit(&s))
		return false;
	if (a->misfit != MISFIT_NONE)
		return true;
	return list_spaces(&s) && (!a->tight || shrink_spaces(a));
}

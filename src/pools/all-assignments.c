/*
 * Tries all assignments of few buffers to pools by backtracking, after filling
 * the pools found none. Buffers come in order of size; each is tried in its
 * pools in turn. A pool is skipped if its load would exceed its capacity. A
 * planner plans each set of buffers in a pool once. If the planner neither
 * finds a plan nor refutes one, the assignment stays open.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pools/pools.h"

#include <assert.h>

#include "base/sink-text.h"
#include "base/sort.h"
#include "problem/branches.h"

enum {
	MOST_BUFFERS = 64,   /* a set of buffers is a word of bits */
	MOST_PLANS = 256,    /* each takes the time of planning a pool */
	MOST_MOVES = 200000, /* each looks at all pairs of parts */
};

enum verdict {
	FITS,
	TOO_MUCH,
	UNKNOWN,
};

struct asked {
	uint64_t set; /* of buffers, as bits */
	uint32_t pool;
	enum verdict verdict;
};

struct exhaustion {
	struct assignment *a;
	uint32_t order[MOST_BUFFERS]; /* buffers, large first */
	uint32_t rank[MOST_BUFFERS];  /* of a buffer; NONE: not placed */
	struct asked asked[MOST_PLANS];
	uint32_t n_asked, moves;
	struct branch_loads loads; /* scratch, if there are branches */
	bool open;
};

/* --------------------------------------------------------- verdicts */

static uint64_t set_in(const struct exhaustion *x, uint32_t pool)
{
	uint64_t set = 0;

	for (uint32_t i = 0; i < x->a->problem->n_buffers; i++)
		if (mp_pools_assign_pool(x->a, i, x->rank[i]) == pool)
			set |= UINT64_C(1) << i;
	return set;
}

static enum verdict verdict_of(
	const struct memory_pool *pool, const struct job *job)
{
	if (job->height <= pool->capacity && job->height != UINT64_MAX)
		return FITS;
	return job->lower_bound > pool->capacity ? TOO_MUCH : UNKNOWN;
}

static bool plan_set(struct exhaustion *x, struct asked *asked)
{
	struct arena scratch = mp_arena_beside(x->a->arena);
	const struct memory_pool *pool = &x->a->problem->pools[asked->pool];
	uint32_t members[MOST_BUFFERS], n = 0;
	struct problem sub;
	struct job job;
	bool fine;

	for (uint32_t i = 0; i < x->a->problem->n_buffers; i++)
		if (asked->set >> i & 1)
			members[n++] = i;
	fine = mp_problem_subproblem(x->a->problem, members, n, pool->alignment,
		       &sub, &scratch, x->a->error) &&
	       x->a->plan(x->a->context, &sub, pool->capacity, &job);
	if (fine)
		asked->verdict = verdict_of(pool, &job);
	mp_arena_free(&scratch);
	return fine;
}

static bool ask_planner(
	struct exhaustion *x, uint32_t pool, enum verdict *verdict)
{
	uint64_t set = set_in(x, pool);
	struct asked *asked = &x->asked[x->n_asked];

	*verdict = set ? UNKNOWN : FITS;
	for (uint32_t i = 0; set && i < x->n_asked; i++)
		if (x->asked[i].set == set && x->asked[i].pool == pool)
			return *verdict = x->asked[i].verdict, true;
	if (!set || x->n_asked == MOST_PLANS)
		return true;
	*asked = (struct asked){set, pool, UNKNOWN};
	x->n_asked++;
	if (!plan_set(x, asked))
		return false;
	*verdict = asked->verdict;
	return true;
}

/* All buffers have a pool: does a plan of each pool fit? */
static bool ask_all(struct exhaustion *x, bool *fits)
{
	enum verdict verdict, all = FITS;

	for (uint32_t i = 0; i < x->a->problem->n_pools; i++) {
		if (!ask_planner(x, i, &verdict))
			return false;
		if (verdict == TOO_MUCH || all == FITS)
			all = verdict;
		if (verdict == TOO_MUCH)
			break;
	}
	*fits = all == FITS;
	x->open |= all == UNKNOWN;
	return true;
}

/* ----------------------------------------------------------- search */

/* The largest first. */
static void sort_buffers(struct exhaustion *x)
{
	uint32_t n = x->a->problem->n_buffers, scratch[MOST_BUFFERS];
	uint64_t key[MOST_BUFFERS];

	assert(n <= MOST_BUFFERS);
	for (uint32_t i = 0; i < n; i++) {
		x->order[i] = i;
		x->rank[i] = NONE;
		key[i] = ~x->a->problem->buffers[i].size;
	}
	mp_sort_radix(x->order, scratch, n, key);
}

static bool is_there(const struct exhaustion *x, const struct part *part,
	uint32_t pool, uint32_t step)
{
	uint32_t rank = x->rank[part->buffer];

	return rank != NONE && part->start <= step && step < part->end &&
	       mp_pools_assign_pool(x->a, part->buffer, rank) == pool;
}

/* The load of a pool at a step, of the buffers assigned so far. Of a choice,
 * the heaviest branch counts. */
static uint64_t load_at(struct exhaustion *x, uint32_t pool, uint32_t step)
{
	const struct problem *p = x->a->problem;
	uint64_t load = 0;

	for (uint32_t i = 0; i < p->n_parts; i++) {
		const struct part *part = &p->parts[i];

		if (!is_there(x, part, pool, step))
			continue;
		if (mp_problem_branches_have(p, part->buffer))
			mp_problem_branches_add(
				&x->loads, part->buffer, part->size);
		else
			load += part->size;
	}
	if (!p->choice)
		return load;
	load += x->loads.total;
	mp_problem_branches_clear(&x->loads);
	return load;
}

/* With several streams the load at a step is no bound, so only planners decide.
 */
static bool has_room(struct exhaustion *x, uint32_t buffer)
{
	const struct problem *p = x->a->problem;
	uint32_t pool = mp_pools_assign_pool(x->a, buffer, x->rank[buffer]);
	const struct buffer *own = &p->buffers[buffer];

	for (uint32_t i = 0; i < p->n_parts && p->n_streams <= 1; i++) {
		uint32_t step = p->parts[i].start;

		if (step >= own->start && step < own->end &&
			load_at(x, pool, step) > p->pools[pool].capacity)
			return false;
	}
	return p->n_streams > 1 ||
	       load_at(x, pool, own->start) <= p->pools[pool].capacity;
}

/* Moves a buffer on to its next pool that has room. False: there is none, and
 * the buffer has no pool. */
static bool try_next_pool(struct exhaustion *x, uint32_t buffer)
{
	uint32_t *rank = &x->rank[buffer];

	do
		*rank = mp_pools_assign_next(
			x->a, buffer, *rank == NONE ? 0 : *rank + 1);
	while (*rank != NONE && !has_room(x, buffer));
	return *rank != NONE;
}

static bool search_assignments(struct exhaustion *x, bool *found)
{
	uint32_t n = x->a->problem->n_buffers, depth = 0;

	*found = false;
	while (depth != NONE) {
		if (x->moves++ == MOST_MOVES)
			return x->open = true, true;
		if (!try_next_pool(x, x->order[depth])) {
			depth = depth > 0 ? depth - 1 : NONE;
			continue;
		}
		if (depth + 1 < n) {
			depth++;
			continue;
		}
		if (!ask_all(x, found))
			return false;
		if (*found)
			return true;
	}
	return true;
}

static bool is_small(const struct problem *p)
{
	if (p->n_buffers == 0 || p->n_buffers > MOST_BUFFERS)
		return false;
	for (uint32_t i = 0; i < p->n_pools; i++)
		if (p->pools[i].chunk)
			return false;
	return true;
}

static bool conclude(struct exhaustion *x, bool found)
{
	struct assignment *a = x->a;

	for (uint32_t i = 0; found && i < a->problem->n_buffers; i++)
		a->rank[i] = x->rank[i];
	if (found) {
		a->misfit = MISFIT_NONE;
		a->settled = true;
		return true;
	}
	if (x->open)
		return true;
	a->misfit = MISFIT_PROVED;
	a->why = mp_arena_print(a->arena,
		"no plan fits the pools: every assignment of the %u buffer%s "
		"to them was ruled out",
		a->problem->n_buffers, mp_text_plural(a->problem->n_buffers));
	return a->why != NULL;
}

bool mp_pools_try_all(struct assignment *a)
{
	struct exhaustion *x;
	bool found;

	if (!is_small(a->problem))
		return true;
	x = NEW(a->arena, struct exhaustion, 1);
	if (!x)
		return false;
	assert(a->misfit == MISFIT_OPEN);
	x->a = a;
	if (a->problem->choice &&
		!mp_problem_branches_init(&x->loads, a->problem, a->arena))
		return false;
	sort_buffers(x);
	return search_assignments(x, &found) && conclude(x, found);
}

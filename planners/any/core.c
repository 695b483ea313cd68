/*
 * core: a few buffers that are alive where memory is tight are a problem of
 * their own. If no plan of these fits an arena, no plan of all does. What is in
 * groups lies in one block, also where some of it is not alive: then the core
 * is often higher than its load, and as high as the best plan of all.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "base/sort.h"
#include "planners/any/greedy.h"
#include "planners/any/rank.h"
#include "planners/rows.h"

enum {
	MOST_PARTS = 512, /* of a core; orient takes no more */
	SHARE = 4	  /* a core gets such a part of the budget left */
};

/* Buffers of a core: small ones are soon searched, large ones say more. */
static const uint32_t sizes[] = {6, 12, 16, 24, 32, 48, 64};

static enum outcome search_core(struct job *core, int variant)
{
	if (mp_planner_greedy_run(core, GREEDY_SIZE) == PLAN_FAILED)
		return PLAN_FAILED;
	if (mp_planner_job_done(core))
		return PLAN_FOUND;
	if (mp_planner_piles_run(core, variant) == PLAN_FAILED)
		return PLAN_FAILED;
	core->declined = NULL;
	if (mp_planner_job_done(core))
		return PLAN_FOUND;
	return mp_planner_orient_run(core, variant);
}

/* The first n of that order. False: memory is out, or a plan is wrong. */
static bool take_core(struct job *job, const uint32_t *order, uint32_t n)
{
	const struct problem *p = job->problem;
	uint32_t *buffers = NEW(job->arena, uint32_t, n);
	struct job own = *job;
	struct problem core;
	uint64_t parts = 0;

	if (!buffers)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		buffers[i] = order[i];
		parts += p->buffers[order[i]].n_parts;
	}
	if (parts > MOST_PARTS)
		return true;
	mp_sort_u32(buffers, n);
	own.steps = job->steps / SHARE;
	own.capacity = UINT64_MAX;
	if (!mp_problem_subproblem(
		    p, buffers, n, p->alignment, &core, job->arena, job->error))
		return false;
	/* A smaller arena proves nothing of the whole, so none is searched. */
	core.theoretical_min = num_max(core.theoretical_min, job->lower_bound);
	if (!mp_planner_job_hand_on(job, &core, search_core, &own))
		return false;
	mp_planner_job_prove(job, own.lower_bound, BOUND_SEARCH);
	return true;
}

enum outcome mp_planner_core_run(struct job *job, int variant)
{
	static const enum rank_key keys[RANK_KEYS] = {RANK_PRESSURE, RANK_SIZE};
	uint32_t n = job->problem->n_buffers;
	uint32_t *order = NEW(job->arena, uint32_t, n);

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (job->height == UINT64_MAX &&
		mp_planner_greedy_run(job, GREEDY_SIZE) == PLAN_FAILED)
		return PLAN_FAILED;
	if (!order ||
		!mp_planner_rank_buffers(job->problem, keys, order, job->arena))
		return PLAN_FAILED;
	for (uint32_t i = 0; i < countof(sizes) && sizes[i] < n; i++) {
		struct arena_mark mark = mp_arena_mark(job->arena);

		if (mp_planner_job_done(job) || !mp_planner_job_step(job, 1))
			break;
		if (!take_core(job, order, sizes[i]))
			return PLAN_FAILED;
		mp_arena_rewind(job->arena, mark);
	}
	return job->lower_bound > job->capacity ? PLAN_NO_FIT
						: mp_planner_job_outcome(job);
}

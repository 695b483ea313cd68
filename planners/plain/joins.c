/*
 * joins: joins what fills a rectangle (see joiner.h), then searches what is
 * left for a plan at the bound; again and again, each time with other joins.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include "planners/plain/joiner.h"
#include "planners/plain/rest.h"

enum {
	ATTEMPT = 500,	/* steps a buffer to search what is left, */
	ATTEMPTS = 16,	/* twice as many after so many attempts */
	REGARDLESS = 4, /* one of so many attempts joins with any doubt */
	KEPT_SHARE = 4	/* part of the budget for the smallest plan */
};

/* The first attempt leaves nothing to chance. False: memory is out. */
static bool begin(struct joiner *j, struct job *job, uint32_t attempt)
{
	if (!mp_planner_joiner_init(j, job->problem, job->seed, job->arena))
		return false;
	j->job = job;
	j->by_chance = attempt > 0;
	j->regardless = attempt % REGARDLESS == REGARDLESS - 1;
	return true;
}

/* Searches what the joins leave for the smallest plan; for a while only for one
 * at the bound or within the capacity. */
static bool search_rest(
	struct joiner *j, struct job *job, uint32_t attempt, bool for_a_while)
{
	uint64_t steps = (uint64_t)ATTEMPT * j->c.n_buffers;
	struct job own = *job;

	own.seed += attempt;
	if (for_a_while) {
		steps <<= num_min(attempt / ATTEMPTS, 32);
		own.steps = num_min(own.steps, steps);
		if (own.capacity == UINT64_MAX)
			own.capacity = own.lower_bound;
	}
	return mp_planner_rest_plan(&j->c, job, mp_planner_search_run, &own);
}

/* How long search takes has a heavy tail, and it takes little if the joins are
 * right: so there are many short attempts. The last part of the budget is for
 * the smallest plan that the first joins allow. False: memory is out. */
static bool try_again(struct job *job)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	uint64_t kept = job->steps / KEPT_SHARE, random = job->seed;
	bool fine = true, worth_it = true, last = false;
	struct joiner j;

	for (uint32_t k = 0;
		fine && worth_it && !last && mp_planner_job_step(job, 1) &&
		!mp_planner_job_done(job);
		k++) {
		last = job->steps <= kept;
		if (!begin(&j, job, last ? 0 : k))
			return false;
		j.random = random;
		mp_planner_joiner_join(&j);
		worth_it = mp_planner_compounds_charge(&j.c, job) &&
			   j.c.n_live <= j.c.n_buffers / 4 * 3;
		fine = !worth_it || search_rest(&j, job, k, !last);
		random = j.random;
		mp_arena_rewind(job->arena, mark);
	}
	return fine;
}

enum outcome mp_planner_joins_run(struct job *job, int variant)
{
	(void)variant;
	if (!mp_planner_job_is_plain(job))
		return PLAN_GAVE_UP;
	if (!mp_planner_compounds_suit(job->problem))
		return mp_planner_job_decline(job, TOO_MANY_TO_JOIN);
	if (job->height == UINT64_MAX &&
		mp_planner_dive_run(job, 0) == PLAN_FAILED)
		return PLAN_FAILED;
	if (!try_again(job))
		return PLAN_FAILED;
	return mp_planner_job_outcome(job);
}

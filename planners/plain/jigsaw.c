/*
 * jigsaw: joins what fills a rectangle (see joiner.h). What remains is a
 * problem with fewer and larger buffers, which auto plans. That plan is made
 * lower level by level: see rest.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>
#include <string.h>

#include "planners/plain/halves.h"
#include "planners/plain/hang.h"
#include "planners/plain/joiner.h"
#include "planners/plain/rest.h"

enum {
	WORTH_IT = 3,	/* buffers for each compound that is left; more left is
			   not worth a repair */
	HANG_SHARE = 8, /* part of the budget for one whole to hang, at most */
	FEW_PLANNED = 256, /* so few compounds are planned several times: */
	REST_PLANS = 3,	   /* so many, each with its share, */
	REST_SHARE = 6	   /* part of that to find the plan; the other parts
			      make it lower */
};

/* Few are left that may lie anywhere, and some were joined. */
static bool is_worth_it(const struct joiner *j)
{
	const struct compounds *c = &j->c;
	uint32_t n_free = 0;

	for (uint32_t k = 0; k < c->n_live; k++)
		n_free += c->at[c->live[k]].n_bases == 0;
	return n_free <= c->n_buffers / WORTH_IT &&
	       c->n_live <= c->n_buffers / 2;
}

/* Not worth it: more is left than the rows after this one plan well. False:
 * memory is out. */
static bool join_and_repair(struct joiner *j, struct job *job, bool *worth_it)
{
	if (!mp_planner_joiner_init(j, job->problem, job->seed, job->arena))
		return false;
	j->job = job;
	mp_planner_joiner_join(j);
	*worth_it = mp_planner_compounds_charge(&j->c, job) && is_worth_it(j);
	return !*worth_it || mp_planner_halves_repair(j, job, worth_it);
}

/* The problem without its fixed offsets. */
static bool let_go(const struct problem *problem, struct arena *arena,
	struct problem *free)
{
	struct buffer *buffers = NEW(arena, struct buffer, problem->n_buffers);

	*free = *problem;
	free->buffers = buffers;
	if (!buffers)
		return false;
	memcpy(buffers, problem->buffers,
		sizeof(*buffers) * problem->n_buffers);
	for (uint32_t i = 0; i < free->n_buffers; i++)
		buffers[i].offset = NO_OFFSET;
	return true;
}

static bool has_pins(const struct problem *problem)
{
	bool has = false;

	for (uint32_t i = 0; i < problem->n_buffers; i++)
		has |= problem->buffers[i].offset != NO_OFFSET;
	return has;
}

/* Few fixed offsets say little of a compound until it is large. So first all
 * are joined as if there were none, and what is then one whole is put in an
 * order that keeps them. It takes little, and costs nothing in vain. False:
 * memory is out. */
static bool join_and_hang(struct job *job)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	uint64_t *offsets = NEW(job->arena, uint64_t, job->problem->n_buffers);
	struct job own = *job;
	struct problem free;
	struct joiner j;
	bool fine, worth_it, found = false;

	own.problem = &free;
	own.steps /= HANG_SHARE;
	if (!offsets || !let_go(job->problem, job->arena, &free))
		return false;
	fine = join_and_repair(&j, &own, &worth_it);
	if (fine && j.c.n_live == 1)
		fine = mp_planner_hang(
			&j.c, j.c.live[0], job->problem, &own, offsets, &found);
	job->spent = own.spent;
	job->cut_short |= own.cut_short;
	if (fine && found)
		fine = mp_planner_job_offer(job, offsets);
	mp_arena_rewind(job->arena, mark);
	return fine;
}

/* Is another plan worth it? */
static bool is_far(const struct job *job)
{
	return job->steps > 0 && !job->cut_short &&
	       !mp_planner_job_near(job, 64);
}

/* How low a plan gets is decided by how it begins, so there are a few, until
 * one is near. Where more is left one takes all that the budget has. Where
 * fixed offsets keep most in place no plan gets lower. False: memory is out, or
 * a row fails. */
static bool plan_rest(struct joiner *j, struct job *job)
{
	uint32_t n = j->c.n_live <= FEW_PLANNED ? REST_PLANS : 1;
	struct job own = *job;

	if (j->c.pins.n_leaves > 0)
		return mp_planner_rest_plan(
			&j->c, job, mp_planner_auto_run, &own);
	for (uint32_t k = 0; k < n && (k == 0 || is_far(job)); k++) {
		uint64_t steps = job->steps / (n - k);

		own = *job;
		own.seed += k;
		own.steps = steps / REST_SHARE;
		if (!mp_planner_rest_plan(
			    &j->c, job, mp_planner_auto_run, &own) ||
			!mp_planner_rest_refine(&j->c, job, &own,
				steps - num_min(steps, own.spent)))
			return false;
	}
	return true;
}

enum outcome mp_planner_jigsaw_run(struct job *job, int variant)
{
	struct joiner j;
	bool worth_it;

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (job->problem->n_buffers == 0)
		return PLAN_GAVE_UP;
	if (!mp_planner_compounds_suit(job->problem))
		return mp_planner_job_decline(job,
			"takes one stream and one block a buffer, with a gap "
			"in its lifetime at most");
	if (has_pins(job->problem) && !join_and_hang(job))
		return PLAN_FAILED;
	if (mp_planner_job_done(job))
		return mp_planner_job_outcome(job);
	if (!join_and_repair(&j, job, &worth_it))
		return PLAN_FAILED;
	/* By name it plans whatever is left; auto has plans of its own. */
	if (!worth_it && job->height != UINT64_MAX)
		return PLAN_GAVE_UP;
	if (!mp_planner_rest_fit(&j.c, job))
		return PLAN_FAILED;
	if (!plan_rest(&j, job))
		return PLAN_FAILED;
	return mp_planner_job_outcome(job);
}

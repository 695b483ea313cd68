/*
 * A choice is begun in three ways: from nothing, adding at the worst step what
 * helps most for its time; from everything; and from the feature maps, as a
 * simulation of swapping would have it. What is not needed is taken back, and
 * the fastest of these is improved by local search.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/budget.h"

#include "simulate/choice.h"

static void start_from_nothing(struct choice *c)
{
	mp_choice_set(c, NULL);
	mp_choice_add_until_it_fits(c);
	mp_choice_take_back(c);
	mp_choice_keep_best(c);
}

static bool is_map(const struct choice *c, const struct candidate *one)
{
	return one->detour.last_use < c->job->forward_end &&
	       one->detour.next_use >= c->job->forward_end;
}

/* Kept as they are too: a mode may have a use for more room than it needs. */
static void start_from_copies(struct choice *c, bool maps)
{
	mp_choice_set(c, NULL);
	for (uint32_t i = 0; i < c->n; i++)
		if (!c->at[i].detour.recompute &&
			(!maps || is_map(c, &c->at[i])))
			mp_choice_toggle(c, i);
	mp_choice_keep_best(c);
	mp_choice_take_back(c);
	mp_choice_keep_best(c);
}

static bool hand_over(struct choice *c)
{
	struct budget_job *job = c->job;

	mp_choice_set(c, c->best);
	mp_pace_run(&c->pace);
	job->detours = NEW(job->arena, struct detour, c->n);
	if (!job->detours)
		return false;
	job->n_detours = 0;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->best[i])
			job->detours[job->n_detours++] = c->at[i].detour;
	return true;
}

/* With the modes before it: what they choose is no slower in this one. */
static void choose(struct choice *c)
{
	struct budget_job *job = c->job;
	enum detour_mode mode =
		job->mode < DETOUR_SYNC ? job->mode : DETOUR_SYNC;
	uint64_t work = job->work / (uint64_t)(job->mode - mode + 1);

	for (; mode <= job->mode; mode++) {
		c->pace.mode = mode;
		c->work = work;
		mp_choice_set(c, c->best);
		if (job->reached != 0)
			mp_choice_keep_best(c);
		start_from_nothing(c);
		start_from_copies(c, false);
		start_from_copies(c, true);
		mp_choice_improve(c);
	}
}

bool mp_budget_choose(struct budget_job *job)
{
	struct choice c;

	if (!mp_choice_init(&c, job))
		return false;
	job->before = mp_pace_run(&c.pace);
	job->reached = 0;
	choose(&c);
	return hand_over(&c);
}

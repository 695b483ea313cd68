/*
 * A choice is begun in three ways: from nothing, adding at the worst step what
 * helps most for its time; from everything; and from the feature maps, as a
 * simulation of swapping would have it. What is not needed is taken back, and
 * the fastest of these is improved by local search.
 *
 * SPDX-License-Identifier: MIT
 */
#include "budget/inside.h"

#include <assert.h>
#include <string.h>

const char *const mp_detour_modes[] = {
	[DETOUR_NONE] = "none",
	[DETOUR_SYNC] = "sync",
	[DETOUR_SEMI] = "semi",
	[DETOUR_ASYNC] = "async",
};

/* Kept as they are too: a mode may have a use for more room than it needs. */
static void start_from_copies(struct choice *c, bool maps)
{
	mp_budget_choice_set(c, NULL);
	for (uint32_t i = 0; i < c->n; i++) {
		const struct detour *d = &c->at[i].detour;

		if (!d->recompute &&
			(!maps || (d->last_use < c->job->forward_end &&
					  d->next_use >= c->job->forward_end)))
			mp_budget_choice_toggle(c, i);
	}
	mp_budget_choice_keep_best(c);
	mp_budget_choice_take_back(c);
	mp_budget_choice_keep_best(c);
}

static bool hand_over(struct choice *c)
{
	struct budget_job *job = c->job;

	mp_budget_choice_set(c, c->best);
	job->nanoseconds = mp_budget_pace_run(&c->pace);
	job->detours = NEW(job->arena, struct detour, c->n);
	if (!job->detours)
		return false;
	job->n_detours = 0;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->best[i])
			job->detours[job->n_detours++] = c->at[i].detour;
	return true;
}

/* The best choice of a mode, begun from others' too. */
static void run_phase(struct choice *c, enum detour_mode mode, uint64_t work,
	const bool *seed, const bool *other)
{
	c->pace.mode = mode;
	c->work = work;
	c->job->reached = 0;
	if (other) {
		mp_budget_choice_set(c, other);
		mp_budget_choice_keep_best(c);
	}
	mp_budget_choice_set(c, seed);
	mp_budget_choice_keep_best(c);
	mp_budget_choice_set(c, NULL);
	mp_budget_choice_add_until_it_fits(c);
	mp_budget_choice_take_back(c);
	mp_budget_choice_keep_best(c);
	start_from_copies(c, false);
	start_from_copies(c, true);
	mp_budget_choice_improve(c);
}

/* Mode after mode, first with copies alone: what they choose is no slower in
 * the ones behind. Half of the work is for the last. */
static bool choose(struct choice *c)
{
	struct budget_job *job = c->job;
	bool none = job->mode == DETOUR_NONE, *copies, *all;
	enum detour_mode mode = none ? DETOUR_NONE : DETOUR_SYNC;
	uint64_t work = job->work / 2 / (2 * (uint64_t)(job->mode - mode) + 1);

	copies = NEW(job->arena, bool, c->n);
	all = NEW(job->arena, bool, c->n);
	if (!copies || !all)
		return false;
	for (; mode <= job->mode; mode++) {
		bool last = mode == job->mode;

		c->again = false;
		run_phase(c, mode,
			last && !job->recompute ? job->work / 2 : work, copies,
			NULL);
		memcpy(copies, c->best, sizeof(*copies) * c->n);
		if (!job->recompute)
			continue;
		c->again = true;
		run_phase(c, mode, last ? job->work / 2 : work, copies, all);
		memcpy(all, c->best, sizeof(*all) * c->n);
	}
	return true;
}

bool mp_budget_choose(struct budget_job *job)
{
	struct choice c;

	assert(job->mode <= DETOUR_ASYNC);
	assert(job->write_rate > 0 && job->read_rate > 0);
	if (!mp_budget_choice_init(&c, job))
		return false;
	job->before = mp_budget_pace_run(&c.pace);
	job->reached = 0;
	return choose(&c) && hand_over(&c);
}
